// SPDX-License-Identifier: Apache-2.0
#include "shell/commands/guard/guard_mcp.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <chrono>
#include <exception>
#include <iostream>
#include <stdexcept>

#include "checks/guard/review_commands.h"
#include "formats/data/json_fields.h"
#include "formats/data/json_text.h"
#include "formats/shorten.h"
#include "formats/terminal_text.h"
#include "runtime/postgres/database_url.h"
#include "shell/commands/guard/guard_protocol.h"
#include "shell/gateway/mcp_relay.h"
#include "shell/guard/protocol_decider.h"
#include "shell/program/guard_setup.h"
#include "shell/terminal/input.h"
#include "shell/terminal/report.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMostRefusalBytes = std::size_t{8} << 10;
constexpr std::int64_t kElicitedHours = 1;  // an approval is spent at once, if it can be
constexpr const char* kPinRule = "tool-definition";

// For people: hosts keep it, and show it to no model.
void WriteToLog(const std::string& line) {
  std::cerr << "rpl guard mcp: " << PrintableLine(line) << '\n';
}

std::string RunName() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return fmt::format(
      "mcp-{}-{}", std::chrono::duration_cast<std::chrono::microseconds>(since).count(), getpid());
}

std::string ReasonOf(const Decision& decision) {
  return Shortened(decision.message, kMostRefusalBytes);
}

std::string StoppedText(const char* what, const Decision& decision) {
  const std::string rule =
      decision.rule.empty() ? "a policy" : "the rule `" + decision.rule + "` of a policy";
  return fmt::format("{} by {}: {}. Do not try it in another form; tell the user.", what, rule,
                     ReasonOf(decision));
}

}  // namespace

PolicyDecider::PolicyDecider(const GuardCommandOptions& options, StandaloneGuard* guard,
                             std::string server)
    : options_(options),
      guard_(guard),
      server_(std::move(server)),
      run_(RunName()),
      audit_(run_, guard != nullptr && guard->config.user ? guard->config.user->id : std::nullopt) {
}

const PolicyDecider::Outlook& PolicyDecider::OutlookOf(const std::string& tool) {
  const auto [known, is_new] = outlooks_.try_emplace(tool);
  if (!is_new || guard_ == nullptr) return known->second;
  GuardedTool guarded{tool, {}};
  if (const GuardTool* declared = guard_->config.FindTool(tool))
    guarded = {declared->name, declared->tags};
  const Guard& guard = *guard_->guard;
  known->second = {NeverAllows(guard, guarded), rpl::MayWithhold(guard, guarded),
                   ReadArguments(guard, guarded)};
  return known->second;
}

// Appends events. The reason why the decision must not hold without them, or "".
std::string PolicyDecider::Write(std::vector<ordered_json> events, Moment now) {
  if (guard_ == nullptr || guard_->audit.empty()) return "";
  if (!std::exchange(started_, true))
    events.insert(events.begin(),
                  audit_.Started(guard_->guard->agent(), options_.guard.policy, now));
  return guard_->Audit(events) ? "" : "the audit log cannot be written";
}

void PolicyDecider::Note(const std::string& event) {
  if (guard_ != nullptr) Write({audit_.Failed(event, guard_->Now())}, guard_->Now());
}

void PolicyDecider::End(bool well) {
  if (guard_ == nullptr || !started_) return;
  Write({audit_.Ended(well ? "success" : "error", steps_, guard_->Now())}, guard_->Now());
}

// Decides within a transaction. The reason why there is no decision, or "".
std::string PolicyDecider::Decide(GuardLine& line, const GatewayCall& call,
                                  std::optional<std::size_t> again, Decision& decision,
                                  std::size_t& step) {
  const auto began = std::chrono::steady_clock::now();
  const Moment now = guard_->Now();
  GuardStore& store = guard_->store;
  History history;
  const Sourced<GuardStore::Run> run = store.ReadRun(run_, history);
  if (!run.value) return run.why;
  step = again.value_or(store.keeps() ? run.value->steps : steps_);
  // Another round of a call that counts already.
  if (again && store.keeps()) history.GiveUp(line.call.tool, line.call.tags);
  ReadMetricsFrom(store, history);
  line.call.id = call.id;
  LineSources sources(line, guard_->config, store, guard_->run, run_,
                      fmt::format("{} {}", run_, step), now);
  decision = guard_->guard->Decide(line.call, history, sources, now, FindReviewCommands(line.call));
  if (!again) {
    // A call that is held does not go out; it is decided about anew once a person approved of it.
    const Effect effect = decision.Stops() ? Effect::kBlock : Effect::kAllow;
    if (std::string why = store.Decided(run_, step, line.call, effect, now); !why.empty())
      return why;
  }
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
  return Write({audit_.Decided(step, decision, line.call, took.count(), now)}, now);
}

// Decides about a result, and records the end of its call unless it is recorded. The reason why
// there is no decision, or "".
std::string PolicyDecider::DecideAfter(GuardLine& line, const CallEnd& end,
                                       const ordered_json& result, Decision& decision) {
  const Moment now = guard_->Now();
  GuardStore& store = guard_->store;
  PastCall past = EndedCall(line.call, result.is_null() ? nullptr : &result, now);
  past.failed = end.failed;
  if (!end.recorded)
    if (std::string why = store.Ended(run_, end.step, past); !why.empty()) return why;
  History history;
  if (const Sourced<GuardStore::Run> run = store.ReadRun(run_, history); !run.value) return run.why;
  ReadMetricsFrom(store, history);
  LineSources sources(line, guard_->config, store, guard_->run, run_, "", now);
  decision = guard_->guard->Decide(line.call, history, sources, now);
  std::vector<ordered_json> events = {audit_.Decided(end.step, decision, line.call, 0, now)};
  const std::optional<std::string> error =
      end.failed ? std::optional<std::string>("the tool failed") : std::nullopt;
  if (!end.recorded) events.push_back(audit_.Result(end.step, past, error, now));
  return Write(std::move(events), now);
}

PolicyDecider::Ruling PolicyDecider::RulingOf(const std::string& failure, const Decision& decision,
                                              std::size_t step) const {
  using Means = Ruling::Kind;
  if (!failure.empty())
    return {Means::kRefuse, "Refused, because the guard failed: " + failure, "", 0};
  if (!decision.Stops()) return {Means::kPass, "", "", step};
  if (decision.Holds()) return {Means::kReview, ReasonOf(decision), decision.review, step};
  return {Means::kRefuse, StoppedText("Blocked", decision), "", step};
}

// The same after the call. A guard that failed says so, since the call was made nevertheless.
PolicyDecider::Ruling PolicyDecider::RulingAfter(const std::string& failure,
                                                 const Decision& decision) const {
  using Means = Ruling::Kind;
  const std::string why = failure.empty() ? ReasonOf(decision) : "the guard failed: " + failure;
  if (!failure.empty() || decision.cause == Decision::Cause::kFailure)
    return {Means::kUndecided, "The call was made, and its result is withheld, because " + why, "",
            0};
  if (!decision.Stops()) return {Means::kPass, "", "", 0};
  if (decision.Holds()) return {Means::kReview, why, decision.review, 0};
  return {Means::kRefuse, StoppedText("The result is withheld", decision), "", 0};
}

PolicyDecider::Ruling PolicyDecider::Before(const GatewayCall& call,
                                            std::optional<std::size_t> again) {
  if (guard_ == nullptr) return RulingOf("its policy or configuration cannot be used", {}, 0);
  std::string failure;
  Decision decision;
  std::size_t step = 0;
  try {
    const auto began = std::chrono::steady_clock::now();
    Sourced<GuardLine> line =
        ReadGuardLine({{"tool", call.tool}, {"args", call.args}}, guard_->config, guard_->Now());
    if (!line.value) return RulingOf(line.why, {}, 0);
    failure = guard_->store.Transact([&] {
      std::string why = Decide(*line.value, call, again, decision, step);
      const bool late =
          std::chrono::steady_clock::now() - began > std::chrono::milliseconds(options_.timeout_ms);
      return why.empty() && late ? "there was no decision in time" : why;
    });
    if (failure.empty()) steps_ = std::max(steps_, step + 1);
  } catch (const std::exception& e) {
    failure = e.what();
  }
  return RulingOf(failure, decision, step);
}

PolicyDecider::Ruling PolicyDecider::After(const GatewayCall& call, CallEnd& end,
                                           const ordered_json& result) {
  if (guard_ == nullptr) return RulingAfter("its policy or configuration cannot be used", {});
  std::string failure;
  Decision decision;
  try {
    Sourced<GuardLine> line = ReadGuardLine({{"tool", call.tool},
                                             {"args", call.args},
                                             {"phase", "tool.after"},
                                             {"tookMs", end.took_ms}},
                                            guard_->config, guard_->Now());
    if (!line.value) return RulingAfter(line.why, {});
    line.value->call.id = call.id;
    failure =
        guard_->store.Transact([&] { return DecideAfter(*line.value, end, result, decision); });
    if (failure.empty()) end.recorded = true;
  } catch (const std::exception& e) {
    failure = e.what();
  }
  return RulingAfter(failure, decision);
}

std::string PolicyDecider::Answer(const std::string& review, bool approved) {
  if (guard_ == nullptr) return "there is no policy";
  ReviewAnswer answer;
  answer.approved = approved;
  answer.by = "the user of the host";
  answer.at = guard_->Now();
  answer.expires = answer.at + kElicitedHours * 3600 * kSecond;
  const Sourced<std::vector<KnownReview>> all = guard_->store.Reviews();
  if (!all.value) return all.why;
  for (const KnownReview& known : *all.value)
    if (TextAt(known.request, "id") == review)
      if (std::string why = Write({audit_.Reviewed(known.request, answer)}, answer.at);
          !why.empty())
        return why;
  // A refusal holds as long as the gateway runs, which knows it.
  return approved ? guard_->store.Answer(review, answer) : "";
}

// --- definitions of tools -----------------------------------------------------------------

// The name under which the store knows that all tools of a server were pinned; no tool has it.
constexpr const char* kAllPinned = "";

std::string PolicyDecider::PinOf(const std::string& tool, std::string& why) {
  if (!guard_->store.keeps()) return pins_.contains(tool) ? pins_[tool] : "";
  const Sourced<std::string> pin = guard_->store.Pin(server_, tool);
  why = pin.value ? "" : pin.why;
  return pin.value.value_or("");
}

std::string PolicyDecider::SetPin(const std::string& tool, const std::string& hash) {
  if (guard_->store.keeps()) return guard_->store.SetPin(server_, tool, hash);
  pins_[tool] = hash;
  return "";
}

void PolicyDecider::ListedAll() {
  if (guard_ == nullptr) return;
  std::string why;
  if (PinOf(kAllPinned, why).empty() && why.empty()) SetPin(kAllPinned, "all");
}

std::vector<std::string> PolicyDecider::Pin(const std::vector<McpToolDefinition>& tools) {
  std::vector<std::string> out(tools.size(), "its definition cannot be compared");
  if (guard_ == nullptr) return std::vector<std::string>(tools.size());  // calls are refused anyhow
  const std::string why = guard_->store.Transact([&] {
    for (std::size_t i = 0; i < tools.size(); ++i) out[i] = PinOne(tools[i]);
    return std::string();
  });
  if (!why.empty())
    for (std::string& one : out) one = "its definition cannot be compared: " + why;
  return out;
}

// The reason why the tool must not be used, or "".
std::string PolicyDecider::PinOne(const McpToolDefinition& tool) {
  GuardStore& store = guard_->store;
  std::string why;
  const std::string pin = PinOf(tool.name, why);
  const bool is_first = pin.empty() && why.empty() && PinOf(kAllPinned, why).empty();
  if (!why.empty()) return "its definition cannot be compared: " + why;
  if (is_first) return SetPin(tool.name, tool.hash);
  if (pin == tool.hash) return "";
  const std::string what = pin.empty() ? "the server has a tool that is new"
                                       : "the server changed the definition of the tool";
  if (!store.keeps()) return what + " since the gateway began";
  const Moment now = guard_->Now();
  const ReviewRequest request{kPinRule,
                              tool.name,
                              {{"server", server_}, {"definition", tool.parts}, {"was", pin}},
                              std::nullopt,
                              what};
  Sourced<Review> review = store.Find(request, "", now);
  if (review.value && review.value->state == Review::State::kApproved) {
    const Sourced<bool> spent = store.Spend(review.value->id, "", now);
    if (spent.value && *spent.value) return SetPin(tool.name, tool.hash);
  }
  if (review.value && review.value->state == Review::State::kDenied)
    return what + ", and a person denied it";
  review = store.Ask(request, run_, now);
  if (!review.value) return what + ", and no review can be kept: " + review.why;
  Write({audit_.Failed(fmt::format("the tool `{}`: {}", tool.name, what), now)}, now);
  const std::string option = StoreOptionAnywhere(options_.guard);
  WriteToLog(fmt::format(
      "the tool `{}` is held: `rpl guard pending{}` shows its definition, `rpl guard approve {}{}` "
      "lets it pass",
      tool.name, option, review.value->id, option));
  return fmt::format("{} since {} pinned. A person compares it, and approves it (review {})", what,
                     pin.empty() ? "its tools were" : "it was", review.value->id);
}

// --- the command --------------------------------------------------------------------------

int GuardMcp(const GuardCommandOptions& options) {
  if (options.guard.policy.empty() && options.protocol.empty()) {
    Complain("guard mcp", "expected a protocol or a policy", "--protocol FILE or --policy FILE");
    return kExitInvalid;
  }
  if (IsDatabaseUrl(options.sessions)) {
    Complain("--sessions", "the calls of a host are kept in files, not in a database",
             "expected a folder");
    return kExitInvalid;
  }
  StandaloneGuard guard;
  const bool usable = ReadStandaloneGuard(options, guard) == kExitOk;
  if (!usable) std::cerr << "rpl: no call of a tool is passed on until this is corrected\n";
  const std::string server = options.server_name.empty()
                                 ? fmt::format("{}", fmt::join(options.server, " "))
                                 : options.server_name;
  PolicyDecider decider(options, usable ? &guard : nullptr, server);
  McpGatewaySettings settings;
  settings.patience = std::chrono::seconds(options.ask_timeout);
  settings.list_patience = std::chrono::milliseconds(options.timeout_ms);
  settings.store_option = StoreOptionAnywhere(options.guard);
  settings.log = WriteToLog;
  std::optional<ProtocolDecider> protocol;
  if (!options.protocol.empty())
    protocol.emplace(
        ProtocolDecider::Setup{BoundPlaceHere(options), BoundEngine(options), server, RunName(),
                               !options.unprotected, options.shadow, IsClosed(options),
                               [&](const std::string& tool) { return ReadsAs(options, tool); },
                               Interrupted},
        decider);
  McpGateway gateway(protocol ? static_cast<McpDecider&>(*protocol) : decider, settings);
  const int code = RelayMcp(gateway, {options.server, "", std::nullopt, false});
  if (gateway.noise() > 0)
    std::cerr << fmt::format("rpl guard mcp: {} of the server were no messages\n",
                             Counted(gateway.noise(), "line"));
  decider.End(code == kExitOk);
  if (protocol) protocol->End();
  return code;
}

}  // namespace rpl
