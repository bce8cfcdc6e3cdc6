// SPDX-License-Identifier: Apache-2.0
#include "shell/commands/guard/guard_protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>
#include <vector>

#include "formats/shorten.h"
#include "runtime/run/run.h"
#include "runtime/step/host_check.h"
#include "shell/commands/by_person.h"
#include "shell/guard/hook_event.h"
#include "shell/guard/protocol_guard.h"
#include "shell/program/engine_setup.h"
#include "shell/program/program_files.h"
#include "shell/terminal/input.h"
#include "shell/terminal/report.h"

namespace rpl {
namespace {

namespace fs = std::filesystem;

// What a hook knows of its host before it reads the event.
HookSetting Setting(const GuardCommandOptions& options) {
  HookSetting out;
  out.host = FindHookHost(options.host);
  out.project = options.project.empty() ? ProjectByVariables() : options.project;
  return out;
}

HookReply Denied(const HookEvent& event, const std::string& why, bool fault) {
  const std::string reason = Shortened(why, kMostReasonBytes);
  const int code = fault ? FaultCode(event.form) : HookDenialCode(event.form);
  return {Dump(HookDeny(event, reason)), code == 0 && !fault ? "" : Printable(reason), code};
}

HookReply Passed(const HookEvent& event, const std::string& context = "") {
  return {Dump(context.empty() ? HookPass() : HookContext(event, context)), "", kExitOk};
}

ReportedCall CallOf(const HookEvent& event) {
  return {event.tool, event.arguments, event.id, event.session, event.agent};
}

// What the agent is told when its session starts.
std::string Welcome(ProtocolGuard& guard, const std::string& protocol) {
  std::string out = fmt::format(
      "The protocol {} binds this work: its constraints decide about your tool calls.", protocol);
  if (guard.begins_anew())
    out += " The run before this one has ended: nothing that was answered or done in it counts.";
  if (const std::string now = guard.Now(); !now.empty()) out += "\n" + now;
  return out;
}

HookReply AnswerEvent(const GuardCommandOptions& options, const HookEvent& event,
                      ProtocolGuard& guard, const std::string& text,
                      const std::function<HookReply(const std::string&)>& policy) {
  const auto failed = [&](const std::string& why) {
    return why.empty() ? Passed(event) : Denied(event, "rpl guard: " + why, true);
  };
  switch (event.kind) {
    case HookEventKind::kBefore: {
      ProtocolGuard::Deciding how;
      how.folder = event.cwd;
      how.protects = !options.unprotected;
      how.only_records = options.shadow;
      how.asks = event.asks && options.undecided == "ask";
      how.closed = IsClosed(options);
      how.served = event.served;
      how.host = event.host;
      how.reads_as = ReadsAs(options, event.tool);
      const ProtocolGuard::Decision decision = guard.Decide(CallOf(event), how);
      if (!decision.failure.empty()) return failed(decision.failure);
      if (options.shadow) return Passed(event);
      if (decision.denies && !decision.asks) return Denied(event, decision.reason, false);
      const HookReply answer = policy ? policy(text) : Passed(event);
      // Anything but a pass or an approval stops the call.
      const bool passes = answer.code == kExitOk && answer.answer == Dump(HookPass());
      if (!passes && answer.answer.find("\"allow\"") == std::string::npos) {
        const std::string why = guard.Deny(decision.call, "the policy stops it");
        return why.empty() ? answer : failed(why);
      }
      if (!decision.asks) return answer;
      const std::string why = Shortened(decision.reason, kMostReasonBytes);
      return {Dump(HookAnswer(event.form, "ask", why)), "", kExitOk};
    }
    case HookEventKind::kAfter:
    case HookEventKind::kFailed: {
      if (!event.unreadable.empty()) return failed(event.unreadable);
      // Without its end a call stays open: it is no evidence.
      const std::string why =
          !event.ended_well
              ? ""
              : guard.Report(CallOf(event),
                             *event.ended_well ? HostCallState::kEnded : HostCallState::kFailed,
                             event.response);
      HookReply out = policy && !options.shadow ? policy(text) : Passed(event);
      if (!why.empty() && out.message.empty()) out.message = "rpl guard: " + Printable(why);
      return out;
    }
    case HookEventKind::kSessionStart: return Passed(event, Welcome(guard, options.protocol));
    case HookEventKind::kSessionEnd: return failed(guard.EndSession(event.session));
    case HookEventKind::kSaid: return failed(guard.TakeSaid(event.text));
    case HookEventKind::kSubagentEnd: return Passed(event);
    case HookEventKind::kTurnEnd: {
      const ProtocolGuard::Decision decision = guard.EndTurn(options.stop_limit);
      if (!decision.failure.empty()) return failed(decision.failure);
      if (decision.denies && !options.shadow) return Denied(event, decision.reason, false);
      if (!decision.denies && options.until == "satisfied" && guard.IsSatisfied())
        if (!EndCurrentRun(guard.place(), ""))
          return failed("the end of the run cannot be recorded");
      return Passed(event);
    }
  }
  return failed("an event of no kind");
}

// The run for a command of a person, or null after a message.
std::unique_ptr<ProtocolGuard> OpenHere(const GuardCommandOptions& options,
                                        const EngineOptions& engine, const BoundPlace& place) {
  ProtocolGuard::Opened opened = ProtocolGuard::Open(place, engine, Interrupted);
  if (opened.guard == nullptr) Complain(options.protocol, opened.error, opened.hint);
  return std::move(opened.guard);
}

// Whether a run of the protocol is under way; else after a message.
bool IsUnderWay(const BoundPlace& place) {
  if (IsThere(CurrentRun(place))) return true;
  const std::string person = EndedLastBy(place);
  std::cerr << fmt::format(
      "{} {}{}\n", IsThere(place.protocol) ? "no run is under way of" : "there is no file",
      PrintableLine(place.protocol),
      person.empty() ? "" : "; the last one was ended by " + PrintableLine(person));
  return false;
}

// The run that is under way, or null after a message.
std::unique_ptr<ProtocolGuard> OpenUnderWay(const GuardCommandOptions& options,
                                            const BoundPlace& place) {
  return IsUnderWay(place) ? OpenHere(options, BoundEngine(options), place) : nullptr;
}

// Who confirms, as a person, what the command does; else nullopt, after a message.
std::optional<std::string> Confirmed(const GuardCommandOptions& options, const BoundPlace& place,
                                     const std::string& word, const std::string& shown) {
  return ConfirmedBy({SecretStoreOf(place), options.secret_file, "guard " + word, word, shown});
}

std::string ActText(const PersonAct& act) {
  return fmt::format("{} {}, by {}{}{}",
                     act.kind == PersonAct::Kind::kAnswer ? "answered" : "accepted", act.what,
                     act.person, act.at.empty() ? "" : ", ", act.at);
}

std::string ShortCall(const HostLog::Call& call) {
  return fmt::format("{:>5}  {:<8}  {} {}", call.number, NameOf(call.state), call.tool,
                     Shortened(call.arguments, 100));
}

}  // namespace

std::string ReadsAs(const GuardCommandOptions& options, const std::string& tool) {
  for (const std::string& pair : options.reads_as)
    if (const std::size_t equals = pair.rfind('='); pair.substr(0, equals) == tool)
      return pair.substr(equals + 1);
  return "";
}

bool IsClosed(const GuardCommandOptions& options) {
  return options.unmatched == "deny" && options.guard.policy.empty() && !options.protocol.empty();
}

BoundPlace BoundPlaceHere(const GuardCommandOptions& options) {
  return FindBoundPlace(options.protocol, options.project, options.sessions);
}

EngineOptions BoundEngine(const GuardCommandOptions& options) {
  EngineOptions out;
  out.now = options.now;
  out.limits.max_seconds = std::max(0.1, options.timeout_ms * 0.8 / 1000);
  return out;
}

HookReply AnswerByProtocol(const GuardCommandOptions& options, const std::string& text,
                           const std::function<HookReply(const std::string&)>& policy) {
  HookEvent event;
  const auto told = [&](HookForm of, HookEventKind kind) {
    event.form = of;
    event.kind = kind;
    AnswerInForm(of);
  };
  const HookSetting setting = Setting(options);
  Sourced<HookEvent> read = ReadHookEvent(text, setting, told);
  if (!read.value) return Denied(event, "rpl guard: " + read.why, true);
  event = std::move(*read.value);
  // A host that names no project names the folder that its agent is in.
  if (setting.project.empty() && event.project == fs::path(event.cwd).lexically_normal())
    event.project = RepositoryOf(event.project);
  if (event.project.empty())
    return Denied(event, "rpl guard: the event does not say in which folder the work is", true);
  const BoundPlace place = FindBoundPlace(options.protocol, event.project, options.sessions);
  const ProtocolGuard::Opened opened =
      ProtocolGuard::Open(place, BoundEngine(options), Interrupted);
  if (opened.guard == nullptr)
    return Denied(event,
                  "rpl guard: " + opened.error + (opened.hint.empty() ? "" : "; " + opened.hint),
                  true);
  return AnswerEvent(options, event, *opened.guard, text, policy);
}

int ShowBoundRun(const GuardCommandOptions& options) {
  const BoundPlace place = BoundPlaceHere(options);
  const std::unique_ptr<ProtocolGuard> guard = OpenUnderWay(options, place);
  if (guard == nullptr) return kExitNo;
  std::cout << "run: " << PrintableLine(CurrentRun(place)) << '\n';
  if (guard->changed())
    std::cout << "the file of the protocol has changed since; `rpl guard accept` goes on with it\n";
  if (const std::string now = guard->Now(); !now.empty()) std::cout << Printable(now) << '\n';
  guard->log().ForEachCall(std::nullopt, true, [&](const HostLog::Call& call) {
    const bool denied = !call.why.empty();
    if (options.denied && !denied) return;
    std::cout << PrintableLine(ShortCall(call)) << '\n';
    if (denied && options.denied) std::cout << "       " << PrintableLine(call.why) << '\n';
  });
  if (options.denied) return kExitOk;
  for (const PersonAct& act : guard->Acts()) std::cout << PrintableLine(ActText(act)) << '\n';
  if (const std::string person = EndedLastBy(place); !person.empty())
    std::cout << "the run before this one was ended by " << PrintableLine(person) << '\n';
  return kExitOk;
}

int ExplainDenial(const GuardCommandOptions& options) {
  const std::unique_ptr<ProtocolGuard> guard = OpenUnderWay(options, BoundPlaceHere(options));
  if (guard == nullptr) return kExitNo;
  std::optional<HostLog::Call> last;
  guard->log().ForEachCall(std::nullopt, true, [&](const HostLog::Call& call) {
    if (!call.why.empty()) last = call;
  });
  if (!last) {
    std::cerr << "nothing was denied\n";
    return kExitNo;
  }
  std::cout << PrintableLine(ShortCall(*last)) << '\n' << Printable(last->why) << '\n';
  if (const std::string why = guard->WhyNotYet(); !why.empty())
    std::cout << "The goal: " << PrintableLine(why) << '\n';
  return kExitOk;
}

int AnswerBoundRun(const GuardCommandOptions& options) {
  const std::size_t equals = options.answer.find('=');
  if (equals == std::string::npos || equals == 0) {
    Complain("guard answer",
             "expected KEY=VALUE, got `" + Shortened(options.answer, kToldBytes) + "`");
    return kExitInvalid;
  }
  const BoundPlace place = BoundPlaceHere(options);
  const std::optional<std::string> person =
      Confirmed(options, place, "answer", PrintableLine(options.answer) + "\n");
  if (!person) return kExitInvalid;
  EngineOptions engine = BoundEngine(options);
  engine.person = *person;
  engine.answers = {options.answer};
  engine.answers_by = "person";
  const std::unique_ptr<ProtocolGuard> guard = OpenHere(options, engine, place);
  if (guard == nullptr) return kExitFile;
  const std::string why = guard->Answer(options.answer.substr(0, equals));
  if (why.empty()) return kExitOk;
  Complain("guard answer", why);
  return kExitInvalid;
}

int AcceptProtocol(const GuardCommandOptions& options) {
  const BoundPlace place = BoundPlaceHere(options);
  std::unique_ptr<ProtocolGuard> guard = OpenUnderWay(options, place);
  if (guard == nullptr) return kExitNo;
  if (!guard->changed()) {
    std::cerr << "the protocol has not changed\n";
    return kExitOk;
  }
  std::string shown;
  for (const std::string& change : guard->Changes()) shown += PrintableLine(change) + "\n";
  const std::optional<std::string> person = Confirmed(options, place, "accept", shown);
  if (!person) return kExitInvalid;
  guard.reset();
  EngineOptions engine = BoundEngine(options);
  engine.person = *person;
  BoundPlace changed = place;
  changed.accepts = true;
  return OpenHere(options, engine, changed) == nullptr ? kExitInvalid : kExitOk;
}

int EndBoundRun(const GuardCommandOptions& options) {
  const BoundPlace place = BoundPlaceHere(options);
  if (!IsUnderWay(place)) return kExitNo;
  const std::optional<std::string> person =
      Confirmed(options, place, "end", "The next event of the host begins another run.\n");
  if (!person) return kExitInvalid;
  if (EndCurrentRun(place, *person)) return kExitOk;
  Complain(CurrentRun(place), "the end cannot be recorded");
  return kExitFile;
}

}  // namespace rpl
