// SPDX-License-Identifier: Apache-2.0
#include "shell/commands/servers/mcp_setup.h"

#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>

#include "checks/guard/audit.h"
#include "checks/guard/history.h"
#include "shell/commands/guard/guard_hook.h"
#include "shell/mcp/mcp_service.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

// Decides about a call in the arguments of rpl_guard. A call that cannot be read, or a guard that
// fails, gives a block: what is not decided must not proceed.
ordered_json DecideCall(StandaloneGuard& guard, const ordered_json& arguments) {
  const Moment now = guard.Now();
  const Sourced<GuardLine> line = ReadGuardLine(arguments, guard.config, now);
  if (!line.value)
    return {{"effect", "block"},
            {"reason", "the call cannot be read: " + line.why},
            {"error", line.why}};
  History history;
  for (const auto& [past, this_run] : line.value->history) history.Add(past, this_run);
  LineSources sources(*line.value, guard.config, guard.store, guard.run, "mcp", "", now);
  const Decision decision = guard.guard->Decide(line.value->call, history, sources, now);
  AuditRun audit("mcp", line.value->call.user ? line.value->call.user->id : std::nullopt);
  ordered_json shown = DecisionJson(decision, line.value->call);
  std::string effect = shown.value("effect", "block");
  if (!decision.enforced) effect = "allow";  // in shadow mode
  ordered_json out = {{"effect", effect}, {"reason", decision.message}, {"decision", shown}};
  if (guard.Audit({audit.Decided(0, decision, line.value->call, 0, now)})) return out;
  return {{"effect", "block"},
          {"reason", "the audit log cannot be written"},
          {"error", "the audit log cannot be written"}};
}

}  // namespace

ExitCode SetUpMcp(const AskOptions& options, const EngineOptions& engine, McpService& service) {
  service.ask = options.ask == "never"    ? AskMode::kNever
                : options.ask == "always" ? AskMode::kAlways
                                          : AskMode::kAuto;
  service.ask_timeout = std::chrono::seconds(options.ask_timeout);
  service.reply_within = std::chrono::seconds(options.reply_within);
  if (engine.guard.policy.empty()) return kExitOk;
  auto guard = std::make_shared<StandaloneGuard>();
  GuardCommandOptions with;
  with.guard = engine.guard;
  with.config = engine.config;
  if (const ExitCode code = ReadStandaloneGuard(with, *guard); code != kExitOk) return code;
  auto one_at_a_time = std::make_shared<std::mutex>();
  service.guard = [guard, one_at_a_time](const ordered_json& arguments) {
    const std::lock_guard lock(*one_at_a_time);
    return DecideCall(*guard, arguments);
  };
  return kExitOk;
}

void AddAskOptions(CommandOptions command, AskOptions& to) {
  command.Add("--ask", to.ask, "Ask the user in forms of the host: auto (default), never or always")
      .Unit("WHEN")
      .OneOf({"auto", "never", "always"});
  command
      .Add("--ask-timeout", to.ask_timeout, "Wait so long for the answer in a form (default: 45)")
      .Unit("SECONDS")
      .Within(1, 3600);
  command
      .Add("--reply-within", to.reply_within,
           "Reply after this time also if the work goes on (default: 45)")
      .Unit("SECONDS")
      .Within(1, 3600);
}

}  // namespace rpl
