// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include "shell/commands/commands.h"
#include "shell/commands/mcp_setup.h"
#include "shell/guard/bound_place.h"
#include "shell/guard/hook_event.h"
#include "shell/terminal/input.h"
#include "shell/terminal/report.h"
#include "shell/terminal/state_file.h"
#include "shell/mcp/http_server.h"
#include "shell/mcp/mcp_service.h"
#include "shell/mcp/run_files.h"
#include "shell/mcp/stdio_server.h"

namespace rpl {

namespace {

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

// The runs of protocols that bind an agent: those that read the calls of a host, and those that a
// guard has begun. The project is the one of this server: as in guard, or as its host says.
RunFiles::BoundTo BoundRunsOf(const ProtocolFolder& protocols, const McpOptions& options) {
  std::string project = options.project;
  for (const char* name : kProjectVariables)
    if (const char* value = std::getenv(name); value != nullptr && project.empty()) project = value;
  return [protocols, project, sessions = options.sessions](const std::string& name) -> std::string {
    const std::optional<std::string> path = protocols.Find(name);
    if (!path) return "";
    const BoundPlace place = FindBoundPlace(*path, project, sessions);
    return Binds(place) ? CurrentRun(place) : "";
  };
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
  if (!token.empty()) web.tokens[token] = web.party;
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
  auto files = std::make_unique<RunFiles>(absolute, BoundRunsOf(protocols, options));
  if (const std::string error = files->Open(); !error.empty()) {
    Complain("--sessions", error);
    return kExitFile;
  }
  auto& service = *new McpService(options.engine, std::move(protocols), std::move(files),
                                  std::move(*seals));  // its threads end with the process
  if (const ExitCode code = SetUpMcp(options.answers, options.engine, service); code != kExitOk)
    return code;
  if (!options.http.empty()) return ServeHttp(&service, web);
  ServeStdio(service);
}

}  // namespace rpl
