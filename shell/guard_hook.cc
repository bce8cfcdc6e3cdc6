// SPDX-License-Identifier: Apache-2.0
//
// A watchman ends the process with the denial when the time is over, whatever it does
// then: the text was made before, and writing it is all that is left.
#include "shell/guard_hook.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <exception>
#include <iostream>

#include "checks/audit.h"
#include "checks/json_lines.h"
#include "interp/json_value.h"
#include "shell/input.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

ordered_json Answer(std::string_view decision, const std::string& reason) {
  return {{"hookSpecificOutput",
           {{"hookEventName", "PreToolUse"},
            {"permissionDecision", decision},
            {"permissionDecisionReason", reason}}}};
}

int Deny(const std::string& why) {
  std::cout << Dump(Answer("deny", "rpl guard: " + why)) << std::endl;
  std::cerr << "rpl guard: " << Printable(why) << '\n';
  return kExitInvalid;
}

std::string& LateAnswer() {
  static std::string text;
  return text;
}

void TooLate(int) {
  static constexpr std::string_view kWhy = "rpl guard: no decision in time\n";
  [[maybe_unused]] ssize_t n = write(1, LateAnswer().data(), LateAnswer().size());
  n = write(2, kWhy.data(), kWhy.size());
  _exit(kExitInvalid);
}

void StartWatch(int timeout_ms) {
  LateAnswer() = Dump(Answer("deny", "rpl guard: no decision in time")) + "\n";
  struct sigaction action = {};
  action.sa_handler = TooLate;
  sigaction(SIGALRM, &action, nullptr);
  itimerval timer = {};
  timer.it_value = {timeout_ms / 1000, timeout_ms % 1000 * 1000};
  setitimer(ITIMER_REAL, &timer, nullptr);
}

// What a host tells a hook.
struct HookCall {
  std::string session;
  bool after = false;
  GuardLine line;
  ordered_json response;
};

Sourced<HookCall> ReadHookCall(const std::string& text, const GuardConfig& config, Moment now) {
  const JsonText parsed = ParseJson(text);
  if (!parsed.error.empty()) return {std::nullopt, "the input is not one JSON object"};
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
  call.after = event == "PostToolUse";
  if (text_at("tool_name").empty()) return {std::nullopt, "the input has no `tool_name`"};
  ordered_json line = {{"tool", text_at("tool_name")}};
  line["args"] = json.value("tool_input", ordered_json::object());
  if (!line["args"].is_object()) return {std::nullopt, "`tool_input` is no object"};
  if (call.after) line["phase"] = "tool.after";
  call.response = json.value("tool_response", ordered_json());
  Sourced<GuardLine> read = ReadGuardLine(line, config, now);
  if (!read.value) return {std::nullopt, read.why};
  call.line = std::move(*read.value);
  return {std::move(call), ""};
}

int Decide(const GuardCommandOptions& options) {
  if (options.guard.policy.empty()) return Deny("no policy was named: --policy FILE");
  StandaloneGuard guard;
  if (ReadStandaloneGuard(options, guard) != kExitOk)
    return Deny("its policy or configuration cannot be used");
  const Input input = ReadStandardInput();
  if (!input.error.empty()) return Deny("standard input: " + input.error);
  const Moment now = guard.Now();
  Sourced<HookCall> read = ReadHookCall(input.text, guard.config, now);
  if (!read.value) return Deny(read.why);
  HookCall& call = *read.value;
  GuardCall& seen = call.line.call;
  History history;
  std::size_t step = 0;
  if (!guard.audit.empty()) {
    const JsonLines lines = ReadJsonLines(guard.audit);
    if (!lines.error.empty()) return Deny("the audit log cannot be read: " + lines.error);
    ReadHistory(lines.objects, call.session, guard.guard->agent().slug, true, history);
    for (const ordered_json& event : lines.objects)
      if (event.value("runId", ordered_json()) == call.session &&
          event.value("kind", ordered_json()) == "tool.decision" &&
          event.value("data", ordered_json::object()).value("phase", ordered_json()) ==
              "tool.before")
        ++step;
  }
  AuditRun audit(call.session, seen.user ? seen.user->id : std::nullopt);
  LineSources sources(call.line, guard.config, guard.reviews, guard.run, call.session, now);
  const Decision decision = guard.guard->Decide(seen, history, sources, now);
  if (call.after && step > 0) --step;
  if (!guard.Audit(audit.Decided(step, decision, seen, 0, now)))
    return Deny("the audit log cannot be written");
  if (call.after) {
    PastCall past;
    past.tool = seen.tool;
    past.tags = seen.tags;
    past.at = now;
    if (seen.user) past.user = seen.user->id;
    past.metrics = InbuiltMetrics(seen.args, &call.response, 0);
    if (!guard.Audit(audit.Result(step, past, std::nullopt, now)))
      return Deny("the audit log cannot be written");
    ordered_json answer = ordered_json::object();
    if (decision.Stops()) answer = {{"decision", "block"}, {"reason", decision.message}};
    std::cout << Dump(answer) << std::endl;
    return kExitOk;
  }
  const bool asks = decision.Holds();
  std::string reason = decision.message;
  if (asks && !decision.review.empty())
    reason += fmt::format(" (review {}: `rpl guard approve {}`)", decision.review, decision.review);
  std::cout << Dump(Answer(!decision.Stops() ? "allow"
                           : asks            ? "ask"
                                             : "deny",
                           reason))
            << std::endl;
  return kExitOk;
}

}  // namespace

int GuardHook(const GuardCommandOptions& options) {
  StartWatch(options.timeout_ms);
  try {
    const int code = Decide(options);
    if (!Interrupted()) return code;
    return Deny("interrupted");
  } catch (const std::exception& e) {
    return Deny(std::string("an error of its own: ") + e.what());
  } catch (...) {
    return Deny("an error of its own");
  }
}

}  // namespace rpl
