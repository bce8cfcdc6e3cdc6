// SPDX-License-Identifier: Apache-2.0
#include "shell/guard/protocol_guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <thread>
#include <utility>

#include "checks/calls/call_views.h"
#include "checks/calls/shfmt_reader.h"
#include "formats/file_name.h"
#include "formats/shorten.h"
#include "interp/lint/checker.h"
#include "interp/program/prose.h"
#include "interp/store/store.h"
#include "runtime/host/host_calls.h"
#include "runtime/nobody.h"
#include "runtime/record/session_file.h"
#include "runtime/relaying_agent.h"
#include "runtime/replies.h"
#include "runtime/run/facts_to_report.h"
#include "runtime/run/run.h"
#include "runtime/run/saved_session.h"
#include "runtime/step/host_check.h"
#include "shell/guard/denial_text.h"
#include "shell/guard/hook_event.h"
#include "shell/guard/hook_reader.h"
#include "shell/guard/host_protection.h"
#include "shell/program/engine_setup.h"
#include "shell/program/program_files.h"
#include "shell/terminal/answer_script.h"
#include "shell/terminal/input.h"
#include "shell/terminal/report.h"

namespace rpl {
namespace {

namespace fs = std::filesystem;

constexpr auto kLockPause = std::chrono::milliseconds(4);
constexpr auto kLockMost = std::chrono::seconds(30);

// The first error that the checker finds in a protocol, as "p.md:3:1: …", or "". A run begins with
// a sound one: a misspelt relation would forbid nothing.
std::string FirstError(const std::string& path, const std::string& text) {
  Sources sources;
  CheckOptions with;
  with.reader = ReaderBeside({path});
  for (const Finding& finding :
       CheckFiles(sources, {sources.Add(fs::path(path).filename(), text)}, with))
    if (const Diagnostic& d = finding.diagnostic; d.severity == Severity::kError)
      return sources.Where(d.span) + ": " + d.message;
  return "";
}

// The author's words about what a reason says is lacking: those of the heading above the first rule
// or constraint that reads it and has some.
std::string WordsOfLack(const std::string& reason, const Session& session) {
  const Store& store = session.store();
  const std::size_t begin = reason.find('`');
  if (begin == std::string::npos) return "";
  const std::string label = reason.substr(begin + 1, reason.find('(', begin) - begin - 1);
  std::shared_ptr<const HeadingProse> words;
  ForEachReading(session.program(),
                 [&](const Atom& atom, const std::vector<std::string>&, Span place) {
                   if (words == nullptr && store.at(store.BaseOf(atom.relation)).name() == label)
                     words = session.program().ProseAt(place);
                 });
  return words == nullptr ? "" : words->title + ": " + words->text;
}

// What an outcome tells to do.
std::string Told(const Outcome& outcome, const Session& session) {
  std::string out;
  const auto add = [&](const std::string& text) { out += (out.empty() ? "" : "\n") + text; };
  for (const ToDo& to_do : outcome.now) add(to_do.heading + ": " + to_do.text);
  for (const OpenRequest& request : outcome.pending)
    if (!request->prompt.empty()) add("Open: " + request->prompt);
  if (outcome.status == Status::kUnsatisfied) {
    const std::string words = WordsOfLack(outcome.reason, session);
    add(words.empty() ? "Not yet: its goal does not hold." : "Not yet: " + words);
  }
  return out;
}

}  // namespace

struct ProtocolGuard::Parts {
  Nobody nobody;
  AnswerScript script{Nowhere()};
  RelayingAgent agent{nobody, nobody, script};
  const Ports ports{agent, agent, nobody};
  std::vector<ProgramFile> recorded, now;
};

ProtocolGuard::ProtocolGuard(BoundPlace place, EngineOptions engine, std::string runs)
    : engine_(std::move(engine)),
      place_(std::move(place)),
      runs_(std::move(runs)),
      parts_(std::make_unique<Parts>()) {}
ProtocolGuard::~ProtocolGuard() = default;

HostLog& ProtocolGuard::log() { return store_->host()->log(); }

std::string BindingFault(const std::string& path, const std::string& text) {
  for (const char* extension : {".json", ".yaml", ".yml"})
    if (HasExtension(path, extension))
      return "it is a policy, not a protocol; `rpl guard hook --policy` applies one";
  if (const std::string error = FirstError(path, text); !error.empty())
    return "it has errors: " + error;
  Nobody nobody;
  const Run::Opened opened = Run::Open(nobody, {.files = {{fs::path(path).filename(), text}},
                                                .reader = ReaderBeside({path}),
                                                .messages_read = false});
  if (opened.why != Unopened::kNot && opened.why != Unopened::kNoGoals) return "it cannot be run";
  static_cast<void>(opened.run->Say("<begin>", ""));
  if (opened.run->session().BindsHost()) return "";
  return "none of its constraints reads `std#decides`, `std#turn-ends` or another relation over "
         "the "
         "calls of a host, so that every call is let through (docs/bind.md)";
}

ProtocolGuard::Opened ProtocolGuard::Open(const BoundPlace& place, const EngineOptions& engine,
                                          std::function<bool()> interrupted) {
  const std::string path = CurrentRun(place);
  const fs::path runs = fs::path(path).parent_path();
  std::unique_ptr<ProtocolGuard> guard(new ProtocolGuard(place, engine, runs));
  MakeFolderOf(path);
  const auto until = std::chrono::steady_clock::now() + kLockMost;
  SessionStore::Opened opened = SessionFile::Open(path, SessionStore::Mode::kContinue);
  while (opened.busy && std::chrono::steady_clock::now() < until &&
         !(interrupted && interrupted())) {
    std::this_thread::sleep_for(kLockPause);
    opened = SessionFile::Open(path, SessionStore::Mode::kContinue);
  }
  if (opened.store == nullptr) return {nullptr, "the run: " + opened.error, opened.hint};
  if (!opened.store->damage().empty())
    return {nullptr, "the run is damaged: " + opened.store->damage(), "`rpl guard end` ends it"};
  guard->store_ = opened.store.get();

  Input now = ReadFile(place.protocol);
  std::vector<Event> events = opened.store->events();
  const std::optional<ProgramEvent> last = LastProgram(events);
  if (last && opened.store->host() == nullptr)
    return {nullptr, "the run is damaged: its calls are gone", "`rpl guard end` ends it"};
  if ((!last || place.accepts) && !now.error.empty())
    return {nullptr, place.protocol + ": " + now.error, ""};
  Parts& parts = *guard->parts_;
  parts.now = {{NameInSession(path, place.protocol), now.text}};
  parts.recorded = last && !place.accepts ? last->files : parts.now;
  guard->changed_ = !now.error.empty() || parts.recorded != parts.now;
  if (!last || place.accepts)
    if (const std::string error = FirstError(place.protocol, now.text); !error.empty())
      return {nullptr, "the protocol has errors: " + error, "`rpl check` shows them"};
  if (AddAnswers(engine, parts.script) != kExitOk)
    return {nullptr, "the answer cannot be read", ""};

  SessionOptions options = SessionOptionsFor(engine);
  options.interrupted = interrupted;
  options.progress = nullptr;
  options.host = opened.store->host(true);
  Run::Opened begun =
      Run::Open(parts.ports, {.files = parts.recorded,
                              .reader = ReaderBeside({place.protocol}),
                              .messages_read = false,
                              .options = std::move(options),
                              .record = Recording{std::move(events), std::move(opened.store)}});
  guard->run_ = std::move(begun.run);
  const Session& session = guard->run_->session();
  if (begun.why == Unopened::kRejected) {
    const auto error = std::ranges::find(begun.findings, Severity::kError, &Diagnostic::severity);
    return {nullptr,
            fmt::format("the protocol has errors: {}: {}", session.sources().Where(error->span),
                        error->message),
            "`rpl check` shows them"};
  }
  if (!begun) return {nullptr, "the run cannot go on: " + guard->run_->broken(), ""};
  if (guard->run_->last() == nullptr) {
    const Outcome& outcome =
        session.HasGoals() ? guard->run_->Turn() : guard->run_->Say("<begin>", "");
    if (!outcome.repeatable) return {nullptr, "the run was cut off: " + outcome.reason, ""};
  }
  if (std::string why = guard->run_->broken(); !why.empty())
    return {nullptr, "the run cannot go on: " + why, ""};
  guard->log().ReadAt(std::nullopt);
  return {std::move(guard), "", ""};
}

// The decision about the last entry of the log.
ProtocolGuard::Decision ProtocolGuard::Found(std::int64_t call, bool closed,
                                             const CallViews& views) {
  Decision out;
  out.call = call;
  const HostFindings findings = run_->session().CheckHost();
  const std::string protocol = fs::path(place_.protocol).filename();
  out.denies = !findings.found.empty() || !findings.stop.empty();
  out.asks = !findings.found.empty() && findings.stop.empty() &&
             std::ranges::all_of(findings.found, [](const HostFinding& finding) {
               return !finding.violated && !finding.questions.empty();
             });
  out.reason = ReasonOf(findings, protocol, [&](const std::vector<std::string>& reads) {
    return UnreadOf(reads, views, log());
  });
  for (const HostFinding& finding : findings.found)
    for (const WantedEvidence& wanted : finding.evidence)
      if (const std::string near = NearEvidence(wanted, log());
          out.reason.find(near) == std::string::npos)
        out.reason += "\n" + near;
  if (!out.denies && closed && !findings.applied) {
    out.denies = true;
    out.reason = "No constraint of " + protocol + " is about such a call, and others are denied.";
  }
  if (out.denies && changed_)
    out.reason +=
        "\nThe file of the protocol has changed; the run goes on with the text that it began with, "
        "until the user accepts the new one with `rpl guard accept`.";
  return out;
}

ProtocolGuard::Decision ProtocolGuard::Decide(const ReportedCall& call, const Deciding& how) {
  Decision out;
  ShfmtReader shell;
  const char* const home = std::getenv("HOME");
  // Whether an edit of an earlier call may have written a file.
  const auto written = [this](const std::string& name) {
    bool is_written = false;
    log().ForEachRow({"edits"}, [&](std::int64_t, const HostRow& row) {
      const std::string edit = row.last.get<std::string>();
      is_written = is_written || edit == name || name.starts_with(edit + "/") ||
                   (row.open && name.starts_with(edit));
    });
    return is_written;
  };
  const CallPlace at{place_.project, how.folder, home == nullptr ? "" : home, written};
  HostCall read{call.tool, call.arguments, std::nullopt, IsOwnTool(how.host, call.tool),
                how.reads_as};
  if (how.served) {
    read.tool = how.served->tool;
    read.server = how.served->server;
  }
  CallViews views = ViewsOf(read, at, shell);
  out.failure = store_->Transact([&] {
    // What is edited meanwhile is not what the command is evidence of.
    if (!views.succeeded.empty() && log().EditsUnderWay()) views.succeeded.clear();
    out.call = log().Begin(call, RowsOf(views));
    const std::string why =
        how.protects ? WhyProtected(views, at, ProtectedOf(place_.protocol, place_.project, runs_))
                     : "";
    if (why.empty()) out = Found(out.call, how.closed, views);
    else out.denies = true, out.reason = why;
    out.asks = out.asks && how.asks;
    if (out.denies && !views.why.empty()) out.reason += "\n(" + views.why + ")";
    if (out.denies) log().Set(out.call, HostCallState::kDenied, nullptr, out.reason);
    if (!out.denies || out.asks || how.only_records) log().Set(out.call, HostCallState::kOpen);
    return std::string();
  });
  if (!out.failure.empty()) out.denies = true;
  return out;
}

std::string ProtocolGuard::Deny(std::int64_t call, const std::string& why) {
  return store_->Transact([&] {
    log().Set(call, HostCallState::kDenied, nullptr, why);
    return std::string();
  });
}

std::string ProtocolGuard::Report(const ReportedCall& call, HostCallState state,
                                  const nlohmann::ordered_json& result) {
  return store_->Transact([&]() -> std::string {
    const std::optional<std::int64_t> open = log().FindOpen(call);
    if (!open) return "no call of `" + Shortened(call.tool, 100) + "` that was asked about is open";
    log().Set(*open, state, result);
    return "";
  });
}

ProtocolGuard::Decision ProtocolGuard::EndTurn(int most) {
  Decision out;
  out.failure = store_->Transact([&] {
    log().BeginTurnEnd();
    out = Found(0, false, {});
    // The agent is let go if it does nothing.
    if (log().TurnEndsSinceCall() > most) out = {};
    return std::string();
  });
  if (!out.failure.empty()) out.denies = true;
  return out;
}

std::string ProtocolGuard::EndSession(const std::string& session) {
  return store_->Transact([&] {
    log().EndSession(session);
    return std::string();
  });
}

std::string ProtocolGuard::TakeSaid(const std::string& text) {
  return store_->Transact([&] {
    std::string said = text;
    // Some hosts go on with the reason why a turn may not end as if the user had typed it.
    if (log().TurnEnd()) {
      const std::string reason = Shortened(Found(0, false, {}).reason, kMostReasonBytes);
      if (const std::size_t at = said.find(reason); !reason.empty() && at != std::string::npos)
        said.erase(at, reason.size());
    }
    if (said.find_first_not_of(" \t\r\n") != std::string::npos) log().AddSaid(said);
    return std::string();
  });
}

std::string ProtocolGuard::Answer(const std::string& key) {
  const std::size_t before = run_->session().Entries().size();
  if (run_->session().HasGoals()) run_->Turn();
  if (const std::string error = parts_->script.misfit().error; !error.empty()) return error;
  if (parts_->script.Unused().empty() && run_->session().Entries().size() > before)
    return run_->broken();
  const std::string relation = RelationFor(key);
  if (relation.empty()) return "the protocol has no question of the name `" + key + "`";
  Pool& pool = run_->session().pool();
  const Value value = TypedValue(pool, engine_.answers.front().substr(key.size() + 1));
  const Outcome said =
      run_->Say("<answer>", relation + "(" + Text(pool, value) + ")\n", By::kPerson);
  return said.status == Status::kRejected ? said.reason : run_->broken();
}

// The relation of one argument that the key names, by its own name or by its argument's; "" if
// there is none, or several.
std::string ProtocolGuard::RelationFor(const std::string& key) const {
  const Session& session = run_->session();
  const std::vector<std::string> stated = session.MayState(By::kPerson);
  if (std::ranges::find(stated, key + "/1") != stated.end()) return key;
  std::string found;
  for (const ArgumentQuestion& question : session.program().questions()) {
    const std::string relation = question.subject.substr(0, question.subject.find('('));
    if (question.name != key || std::ranges::find(stated, relation + "/1") == stated.end())
      continue;
    if (!found.empty() && found != relation) return "";
    found = relation;
  }
  return found;
}

std::vector<PersonAct> ProtocolGuard::Acts() const { return ActsOf(store_->events()); }

std::vector<std::string> ProtocolGuard::Changes() const {
  return ProgramChanges(parts_->recorded, parts_->now);
}

// The outcome of the goal, which is pursued in a copy of the run: what the host did is no turn of
// it. nullopt without a goal.
std::optional<Outcome> ProtocolGuard::Pursued() {
  if (!LastProgram(store_->events())) return *run_->last();  // begun by this process
  SessionOptions options = SessionOptionsFor(engine_);
  options.progress = nullptr;
  options.host = store_->host();
  const std::unique_ptr<Run> copy =
      Run::Read(parts_->nobody, store_->events(), {.options = std::move(options)}).run;
  std::optional<Outcome> out;
  if (copy->broken().empty() && copy->session().HasGoals()) out = copy->Turn();
  log().ReadAt(std::nullopt);
  return out;
}

std::string ProtocolGuard::Now() {
  const std::optional<Outcome> outcome = Pursued();
  return outcome ? Told(*outcome, run_->session()) : "";
}

std::string ProtocolGuard::WhyNotYet() {
  const std::optional<Outcome> outcome = Pursued();
  return outcome && outcome->status == Status::kUnsatisfied ? outcome->reason : "";
}

bool ProtocolGuard::IsSatisfied() {
  const std::optional<Outcome> outcome = Pursued();
  return outcome && outcome->status == Status::kSatisfied;
}

bool ProtocolGuard::begins_anew() {
  return log().last() == 0 && fs::path(CurrentRun(place_)).stem() != "1";
}

}  // namespace rpl
