// SPDX-License-Identifier: Apache-2.0
#include "shell/commands/guard/guard_hook.h"

#include <fmt/format.h>
#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <functional>
#include <iostream>
#include <stdexcept>
#include <utility>

#include "checks/guard/audit.h"
#include "checks/guard/review_commands.h"
#include "formats/data/json_fields.h"
#include "formats/data/json_text.h"
#include "formats/shorten.h"
#include "interp/store/value.h"
#include "runtime/postgres/database_url.h"
#include "shell/commands/guard/guard_protocol.h"
#include "shell/guard/hook_protocol.h"
#include "shell/guard/hook_supervisor.h"
#include "shell/program/guard_setup.h"
#include "shell/terminal/input.h"
#include "shell/terminal/report.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

static_assert(kMostAnswerBytes > 6 * kMostReasonBytes + 1024, "each byte may become `\\u0001`");

// The form of the event being answered; the default until the input is read.
HookForm form = HookForm::kPreToolUse;

HookReply Deny(const std::string& why) {
  const std::string reason = Shortened("rpl guard: " + why, kMostReasonBytes);
  return {Dump(HookAnswer(form, "deny", reason)), "rpl guard: " + Printable(why), FaultCode(form)};
}

// The names of files, which an agent in another folder must not choose: from the root of the file
// system, or below --root. Returns the reason why one cannot be used, or "".
std::string AnchorNames(GuardCommandOptions& options) {
  namespace fs = std::filesystem;
  if (!options.root.empty() && !fs::path(options.root).is_absolute())
    return fmt::format("--root is `{}`: expected a folder whose name begins with `/`",
                       Shortened(options.root, kToldBytes));
  const std::pair<const char*, std::string*> kNamed[] = {
      {"--policy", &options.guard.policy}, {"--config", &options.config},
      {"--protocol", &options.protocol},   {"--sessions", &options.sessions},
      {"--store", &options.guard.store},   {"--audit", &options.guard.audit}};
  for (const auto& [option, name] : kNamed) {
    if (name->empty() || fs::path(*name).is_absolute()) continue;
    if (IsDatabaseUrl(*name))
      return fmt::format("{} names a database: what a hook keeps is in files", option);
    if (options.root.empty())
      return fmt::format(
          "{} is `{}`, which depends on the folder that the agent is in: expected a name that "
          "begins "
          "with `/`, or --root with the folder that it is in",
          option, Shortened(*name, kToldBytes));
    *name = (fs::path(options.root) / *name).lexically_normal();
  }
  return "";
}

// Whether a call that is held is refused, because nobody would be asked.
bool RefusesHeld(const HookCall& call, const GuardCommandOptions& options) {
  return options.ask == "deny" || (!call.asks && options.ask != "ask");
}

// `asked` is false if RefusesHeld. How a review is answered is not for the model that reads this.
ordered_json AnswerBefore(const Decision& decision, HookForm of, bool asked) {
  std::string reason = decision.message;
  if (decision.Holds() && !decision.review.empty())
    reason += fmt::format(" (review {})", decision.review);
  reason = Shortened(reason, kMostReasonBytes);
  if (decision.Holds() && asked) return HookAnswer(of, "ask", reason);
  if (decision.Stops()) return HookAnswer(of, "deny", reason);
  if (decision.granted && decision.enforced) return HookAnswer(of, "allow", reason);
  return ordered_json::object();
}

// What a hook decides within one transaction of the store.
struct HookDecision {
  Decision decision;
  std::string failure;  // why there is none
};

// Decides, and records the decision; with `counts`, the history is read and the call counts. The
// events are written before the transaction is committed: one that is not does not let a call pass.
HookDecision DecideHook(const GuardCommandOptions& options, StandaloneGuard& guard, HookCall& call,
                        bool counts) {
  HookDecision out;
  GuardCall& seen = call.line.call;
  const bool after = seen.phase == CallPhase::kAfter;
  const Moment now = guard.Now();
  GuardStore& store = guard.store;
  History history;
  Sourced<GuardStore::Run> run{GuardStore::Run{}, ""};
  Sourced<std::optional<BegunCall>> begun{std::optional<BegunCall>(), ""};
  if (counts) run = store.ReadRun(call.session, history);
  if (counts && after) begun = store.FindBegun(call.session, seen);
  if (!run.value || !begun.value) return out.failure = run.why + begun.why, out;
  if (const std::optional<BegunCall>& at = *begun.value)
    seen.took_ms = static_cast<double>(std::max(now - at->at, Moment{0})) / 1000;
  const std::size_t step = *begun.value ? (*begun.value)->step : run.value->steps;
  std::optional<PastCall> ended;
  if (after) {
    ended = EndedCall(seen, &call.response, now);
    ended->failed = call.failed;
  }
  if (counts && ended) {
    out.failure = store.Ended(call.session, step, *ended);
    history = History();
    if (out.failure.empty()) out.failure = store.ReadRun(call.session, history).why;
    if (!out.failure.empty()) return out;
  }
  ReadMetricsFrom(store, history);

  // A host may give two calls the same id, so an approval is not found again.
  LineSources sources(call.line, guard.config, store, guard.run, call.session, "", now);
  out.decision = guard.guard->Decide(seen, history, sources, now, FindReviewCommands(seen));
  Effect effect = out.decision.enforced ? out.decision.effect : Effect::kAllow;
  if (effect == Effect::kHitl && RefusesHeld(call, options)) effect = Effect::kBlock;
  if (counts && !after) out.failure = store.Decided(call.session, step, seen, effect, now);
  if (!out.failure.empty() || guard.audit.empty()) return out;

  AuditRun audit(call.session, seen.user ? seen.user->id : std::nullopt);
  std::vector<ordered_json> events;
  if (run.value->is_new)
    events.push_back(audit.Started(guard.guard->agent(), options.guard.policy, now));
  events.push_back(audit.Decided(step, out.decision, seen, 0, now));
  if (ended) events.push_back(audit.Result(step, *ended, std::nullopt, now));
  if (!guard.Audit(events)) out.failure = "the audit log cannot be written";
  return out;
}

// REQUIRES: the names of files are anchored.
HookReply AnswerByPolicy(const GuardCommandOptions& options, const std::string& text) {
  StandaloneGuard guard;
  if (ReadStandaloneGuard(options, guard) != kExitOk)
    return Deny("its policy or configuration cannot be used");
  const auto told = [](HookForm of, bool) { AnswerInForm(form = of); };
  Sourced<HookCall> read =
      ReadHookCall(text, FindHookHost(options.host), guard.config, guard.Now(), told);
  if (!read.value) return Deny(read.why);
  HookCall& call = *read.value;
  const bool after = call.line.call.phase == CallPhase::kAfter;

  // One transaction from reading the history to adding the call, so that concurrent calls count
  // each other. A call that could not be added would not be counted.
  const bool counts =
      guard.guard->ReadsHistory() || !guard.audit.empty() || !options.guard.store.empty();
  HookDecision answer;
  const auto decide = [&] {
    answer = DecideHook(options, guard, call, counts);
    return answer.failure;
  };
  const std::string failure = counts ? guard.store.Transact(decide) : decide();
  if (!failure.empty()) return Deny(failure);
  const Decision& decision = answer.decision;
  if (after) guard.EndReviews(call.line.call);
  if (!call.unreadable.empty()) return Deny(call.unreadable);
  ordered_json shown = ordered_json::object();
  if (!after) shown = AnswerBefore(decision, call.form, !RefusesHeld(call, options));
  else if (decision.Stops())
    shown = HookAnswer(call.form, "deny", Shortened(decision.message, kMostReasonBytes));
  const bool by_code = HookDenialCode(call.form) != kExitOk && decision.Stops();
  return {Dump(shown), by_code ? Printable(decision.message) : "",
          by_code ? HookDenialCode(call.form) : kExitOk};
}

HookReply AnswerHook(GuardCommandOptions options) {
  if (const std::string why = AnchorNames(options); !why.empty()) return Deny(why);
  const bool policy = !options.guard.policy.empty();
  if (!policy && options.protocol.empty())
    return Deny("neither a protocol nor a policy was named: --protocol FILE, --policy FILE");
  const Input input = ReadStandardInput();
  if (!input.error.empty()) return Deny("standard input: " + input.error);
  if (options.protocol.empty()) return AnswerByPolicy(options, input.text);
  const auto by_policy = [&](const std::string& text) { return AnswerByPolicy(options, text); };
  return AnswerByProtocol(options, input.text,
                          policy ? by_policy : std::function<HookReply(const std::string&)>());
}

int Tell(const HookReply& reply) {
  std::cout << reply.answer << std::endl;
  if (!reply.message.empty()) std::cerr << reply.message << '\n';
  return reply.code;
}

}  // namespace

void ReadMetricsFrom(GuardStore& store, History& history) {
  history.ReadMetrics(
      [&store](const MetricWindowLeaf& of, const std::optional<std::string>& user, Moment at) {
        Sourced<MetricTotals> totals = store.Totals(of, user, at);
        if (!totals.value) throw std::runtime_error("the metrics cannot be read: " + totals.why);
        return *totals.value;
      });
  history.ReadOpenCalls(
      [&store](const MetricWindowLeaf& of, const std::optional<std::string>& user, Moment at) {
        const Sourced<std::size_t> open = store.OpenCalls(of, user, at);
        if (!open.value) throw std::runtime_error("the open calls cannot be read: " + open.why);
        return *open.value;
      });
}

int GuardHook(const GuardCommandOptions& options) {
  if (!IsSupervised()) return Tell(Deny("expected `rpl guard hook OPTION…`, the options last"));
  try {
    const HookReply reply = AnswerHook(options);
    if (!Interrupted() || reply.code == kExitInvalid) return Tell(reply);
    return Tell(Deny("interrupted"));
  } catch (const std::exception& e) {
    return Tell(Deny(std::string("an error of its own: ") + e.what()));
  } catch (...) {
    return Tell(Deny("an error of its own"));
  }
}

}  // namespace rpl
