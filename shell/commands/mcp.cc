// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>

#include "checks/guard/audit.h"
#include "checks/guard/history.h"
#include "shell/commands/commands.h"
#include "shell/commands/guard_hook.h"
#include "shell/host/input.h"
#include "shell/host/report.h"
#include "shell/host/state_file.h"
#include "shell/mcp/http_server.h"
#include "shell/mcp/mcp_service.h"
#include "shell/mcp/run_files.h"
#include "shell/mcp/stdio_server.h"

namespace rpl {

namespace {

using nlohmann::ordered_json;

// The first line of the file, without blanks around it. kExitFile after a message.
ExitCode ReadToken(const std::string& path, std::string& to) {
  if (path.empty()) return kExitOk;
  const Input input = ReadFile(path);
  if (!input.error.empty()) {
    Complain(path, input.error);
    return kExitFile;
  }
  to = input.text.substr(0, input.text.find_first_of("\r\n"));
  to.erase(0, to.find_first_not_of(" \t"));
  to.erase(to.find_last_not_of(" \t") + 1);
  if (to.size() >= 16) return kExitOk;
  Complain(path, "expected a token of at least 16 characters in the first line");
  return kExitInvalid;
}

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

int CommandMcp(const McpOptions& options) {
  if (options.install) return InstallMcp(options);
  if (options.paths.empty()) {
    Complain("mcp", "expected protocols, or a folder with them", "see `rpl mcp --help`");
    return kExitInvalid;
  }
  HttpSettings web{options.http, {}};
  std::string token;
  if (const ExitCode code = ReadToken(options.token_file, token); code != kExitOk) return code;
  if (!token.empty()) web.tokens[token] = "";
  if (!options.http.empty())
    if (const std::string error = HttpFault(web); !error.empty()) {
      Complain("--http", error);
      return kExitInvalid;
    }
  ProtocolFolder protocols;
  if (const std::string error = protocols.Add(options.paths); !error.empty()) {
    Complain("mcp", error);
    return kExitFile;
  }
  const std::string folder = options.sessions.empty() ? StateFile("mcp") : options.sessions;
  std::error_code ignored;
  const std::string absolute =
      folder.empty() ? "" : std::filesystem::absolute(folder, ignored).lexically_normal().native();
  if (const std::string error = RunFiles::Make(absolute); !error.empty()) {
    Complain("--sessions", error);
    return kExitFile;
  }
  std::optional<Sealer> seals = Sealer::FromFile(absolute + "/key");
  if (!seals) {
    Complain("--sessions", absolute + "/key: it can be neither read nor written",
             "remove it to have it made again; what was sealed with it is then refused");
    return kExitFile;
  }
  auto files = std::make_unique<RunFiles>(absolute);
  if (const std::string error = files->Open(); !error.empty()) {
    Complain("--sessions", error);
    return kExitFile;
  }
  auto& service = *new McpService(options.engine, std::move(protocols), std::move(files),
                                  std::move(*seals));  // its threads end with the process
  service.ask = options.ask == "never"    ? AskMode::kNever
                : options.ask == "always" ? AskMode::kAlways
                                          : AskMode::kAuto;
  service.ask_timeout = std::chrono::seconds(options.ask_timeout);
  service.reply_within = std::chrono::seconds(options.reply_within);
  if (!options.engine.guard.policy.empty()) {
    auto guard = std::make_shared<StandaloneGuard>();
    GuardCommandOptions with;
    with.guard = options.engine.guard;
    with.config = options.engine.config;
    if (const ExitCode code = ReadStandaloneGuard(with, *guard); code != kExitOk) return code;
    auto one_at_a_time = std::make_shared<std::mutex>();
    service.guard = [guard, one_at_a_time](const ordered_json& arguments) {
      const std::lock_guard lock(*one_at_a_time);
      return DecideCall(*guard, arguments);
    };
  }
  if (!options.http.empty()) return ServeHttp(&service, web);
  ServeStdio(service);
}

}  // namespace rpl
