// SPDX-License-Identifier: Apache-2.0
#include "shell/commands/guard_hook.h"

#include <fmt/format.h>
#include <algorithm>
#include <chrono>
#include <exception>
#include <iostream>

#include "checks/guard/audit.h"
#include "formats/json_fields.h"
#include "formats/json_lines.h"
#include "formats/json_text.h"
#include "formats/shorten.h"
#include "shell/host/hook_supervisor.h"
#include "shell/host/input.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

// The maximal size of a reason, which a host shows to its model or its user.
constexpr std::size_t kMostReasonBytes = std::size_t{8} << 10;
static_assert(kMostAnswerBytes > 6 * kMostReasonBytes + 1024, "each byte may become `\\u0001`");

// The event being answered; the one before a tool's use until the input is read.
bool after_use = false;

ordered_json BeforeTool(std::string_view decision, const std::string& reason) {
  return {{"hookSpecificOutput",
           {{"hookEventName", "PreToolUse"},
            {"permissionDecision", decision},
            {"permissionDecisionReason", Shortened(reason, kMostReasonBytes)}}}};
}

ordered_json AfterTool(const std::string& reason) {
  return {{"decision", "block"}, {"reason", Shortened(reason, kMostReasonBytes)}};
}

int Deny(const std::string& why) {
  const std::string reason = "rpl guard: " + why;
  std::cout << Dump(after_use ? AfterTool(reason) : BeforeTool("deny", reason)) << std::endl;
  std::cerr << "rpl guard: " << Printable(why) << '\n';
  return kExitInvalid;
}

// The input of a hook.
struct HookCall {
  std::string session;
  GuardLine line;
  ordered_json response;
};

Sourced<HookCall> ReadHookCall(const std::string& text, const GuardConfig& config, Moment now) {
  const JsonText parsed = ParseJson(text);
  if (!parsed.error.empty()) {
    const std::string why = parsed.byte == 0 ? ": " + parsed.error : "";
    return {std::nullopt, "the input is not one JSON object" + why};
  }
  const ordered_json& json = parsed.json;
  if (!json.is_object()) return {std::nullopt, "the input is no object"};
  const auto text_at = [&](const char* key) -> std::string {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>() : "";
  };
  HookCall call;
  call.session = text_at("session_id");
  const std::string event =
      json.contains("hook_event_name") ? text_at("hook_event_name") : "PreToolUse";
  if (event != "PreToolUse" && event != "PostToolUse")
    return {std::nullopt, "the event is neither PreToolUse nor PostToolUse"};
  after_use = event == "PostToolUse";
  if (after_use) AnswerAfterUse();
  if (text_at("tool_name").empty()) return {std::nullopt, "the input has no `tool_name`"};
  ordered_json line = {{"tool", text_at("tool_name")}};
  line["args"] = json.value("tool_input", ordered_json::object());
  if (!line["args"].is_object()) return {std::nullopt, "`tool_input` is no object"};
  if (after_use) line["phase"] = "tool.after";
  call.response = json.value("tool_response", ordered_json());
  Sourced<GuardLine> read = ReadGuardLine(line, config, now);
  if (!read.value) return {std::nullopt, read.why};
  call.line = std::move(*read.value);
  call.line.call.id = text_at("tool_use_id");
  return {std::move(call), ""};
}

// The effect of `deny`, `ask` or `allow`.
Effect EffectOfAnswer(std::string_view answer) {
  return answer == "deny" ? Effect::kBlock : answer == "ask" ? Effect::kHitl : Effect::kAllow;
}

// The audit log's contents about a session.
struct SessionLog {
  History history;
  bool is_new = true;              // no events yet
  std::size_t steps = 0;           // number of decisions before calls
  std::optional<BegunCall> begun;  // after the call: the decision about it
};

Sourced<SessionLog> ReadSessionLog(const StandaloneGuard& guard, const HookCall& call) {
  SessionLog log;
  if (guard.audit.empty()) return {std::move(log), ""};
  const JsonLines lines = ReadJsonLines(guard.audit);
  if (!lines.error.empty()) return {std::nullopt, "the audit log cannot be read: " + lines.error};
  ReadHistory(lines.objects, call.session, guard.guard->agent().slug, true, log.history);
  for (const ordered_json& event : lines.objects) {
    if (TextAt(event, "runId") != call.session) continue;
    log.is_new = false;
    if (TextAt(event, "kind") == "tool.decision" &&
        TextAt(FieldAt(event, "data"), "phase") == "tool.before")
      ++log.steps;
  }
  if (call.line.call.phase == CallPhase::kAfter)
    log.begun = FindBegun(lines.objects, call.session, call.line.call);
  return {std::move(log), ""};
}

// The call as part of the history.
PastCall PastCallOf(const HookCall& call, Moment now) {
  const GuardCall& seen = call.line.call;
  PastCall past;
  past.tool = seen.tool;
  past.tags = seen.tags;
  past.took_ms = seen.took_ms;
  past.at = now;
  if (seen.user) past.user = seen.user->id;
  past.metrics = InbuiltMetrics(seen.args, &call.response, seen.took_ms);
  return past;
}

ordered_json AnswerBefore(const Decision& decision) {
  std::string reason = decision.message;
  if (decision.Holds() && !decision.review.empty())
    reason += fmt::format(" (review {}: `rpl guard approve {}`)", decision.review, decision.review);
  if (decision.Holds()) return BeforeTool("ask", reason);
  if (decision.Stops()) return BeforeTool("deny", reason);
  if (decision.granted && decision.enforced) return BeforeTool("allow", reason);
  return ordered_json::object();
}

int AnswerHook(const GuardCommandOptions& options) {
  if (options.guard.policy.empty()) return Deny("no policy was named: --policy FILE");
  StandaloneGuard guard;
  if (ReadStandaloneGuard(options, guard) != kExitOk)
    return Deny("its policy or configuration cannot be used");
  const Input input = ReadStandardInput();
  if (!input.error.empty()) return Deny("standard input: " + input.error);
  Sourced<HookCall> read = ReadHookCall(input.text, guard.config, guard.Now());
  if (!read.value) return Deny(read.why);
  HookCall& call = *read.value;
  GuardCall& seen = call.line.call;
  const bool after = seen.phase == CallPhase::kAfter;

  // The lock covers reading the history and appending to it, so that concurrent calls count each
  // other. A call that could not be appended would not be counted.
  FileLock lock;
  if (!guard.audit.empty() && guard.guard->ReadsHistory()) {
    guard.audit_required = true;
    const auto patience = std::chrono::milliseconds(options.timeout_ms / 2);
    if (const std::string error = lock.Take(guard.audit, patience); !error.empty())
      return Deny("the audit log cannot be locked: " + error);
  }
  const Moment now = guard.Now();
  Sourced<SessionLog> log = ReadSessionLog(guard, call);
  if (!log.value) return Deny(log.why);
  const std::optional<BegunCall>& begun = log.value->begun;
  if (begun) seen.took_ms = static_cast<double>(std::max(now - begun->at, Moment{0})) / 1000;
  const std::size_t step = begun ? begun->step : log.value->steps;

  LineSources sources(call.line, guard.config, guard.reviews, guard.run, call.session, now);
  Decision decision = guard.guard->Decide(seen, log.value->history, sources, now);
  if (!after && !options.unmatched.empty())
    decision.Default(EffectOfAnswer(options.unmatched), seen);

  AuditRun audit(call.session, seen.user ? seen.user->id : std::nullopt);
  std::vector<ordered_json> events;
  if (log.value->is_new)
    events.push_back(audit.Started(guard.guard->agent(), options.guard.policy, now));
  events.push_back(audit.Decided(step, decision, seen, 0, now));
  if (after) events.push_back(audit.Result(step, PastCallOf(call, now), std::nullopt, now));
  for (const ordered_json& event : events)
    if (!guard.Audit(event)) return Deny("the audit log cannot be written");
  if (after) guard.EndReviews(seen, now);
  ordered_json answer = ordered_json::object();
  if (!after) answer = AnswerBefore(decision);
  else if (decision.Stops()) answer = AfterTool(decision.message);
  std::cout << Dump(answer) << std::endl;
  return kExitOk;
}

}  // namespace

int GuardHook(const GuardCommandOptions& options) {
  if (!IsSupervised()) return Deny("expected `rpl guard hook OPTION…`, the options last");
  try {
    const int code = AnswerHook(options);
    if (!Interrupted()) return code;
    return Deny("interrupted");
  } catch (const std::exception& e) {
    return Deny(std::string("an error of its own: ") + e.what());
  } catch (...) {
    return Deny("an error of its own");
  }
}

}  // namespace rpl
