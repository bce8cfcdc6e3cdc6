// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include "shell/commands/commands.h"
#include "shell/commands/servers/mcp_install.h"
#include "shell/commands/servers/mcp_setup.h"
#include "shell/commands/shared_options.h"
#include "shell/guard/bound_place.h"
#include "shell/guard/hook_event.h"
#include "shell/mcp/http_server.h"
#include "shell/mcp/mcp_service.h"
#include "shell/mcp/run_files.h"
#include "shell/mcp/stdio_server.h"
#include "shell/terminal/input.h"
#include "shell/terminal/report.h"
#include "shell/terminal/state_file.h"

namespace rpl {
namespace {

constexpr const char* kMcpFooter =
    R"(A host of the Model Context Protocol starts this command and talks to it on a pipe: it lists,
runs, queries and explains the protocols in the files and folders. Runs are kept in files, and a
server that is started again goes on with each. See docs/mcp.md.

Examples
  rpl mcp protocols
  rpl mcp trip.md restocking.md --allow-tool stock
  rpl mcp protocols --ask never            # questions come back in results only
  rpl mcp protocols --http 127.0.0.1:7000  # on HTTP, for hosts on this machine
  rpl mcp install --host cursor protocols  # prints the settings of a host)";

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
  const std::string project = options.project.empty() ? ProjectByVariables() : options.project;
  return [protocols, project, sessions = options.sessions](const std::string& name) -> std::string {
    const std::optional<std::string> path = protocols.Find(name);
    if (!path) return "";
    const BoundPlace place = FindBoundPlace(*path, project, sessions);
    return Binds(place) ? CurrentRun(place) : "";
  };
}

// Does not return before the client has left. kExitFile for a path or a folder that cannot be
// used.
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

}  // namespace

Command DescribeMcp(CommandOptions command, const Wanted&) {
  const auto options = std::make_shared<McpOptions>();
  McpOptions& to = *options;
  command.RequirePart(0);
  constexpr const char* kPaths =
      "Markdown protocols, plain RPL (*.rpl), or folders with such files";
  command.Add("PATH", to.paths, kPaths);
  const CommandOptions install =
      command.Part("install", "Print the settings by which a host starts the server",
                   [&to] { to.install = true; });
  install.Add("PATH", to.paths, kPaths).Required();
  install.Add("--host", to.host, "claude-code, claude-desktop, cursor or vscode")
      .Unit("NAME")
      .Required()
      .OneOf({"claude-code", "claude-desktop", "cursor", "vscode"});
  install.Add("--name", to.name, "The name of the server in the host (default: rpl)").Unit("NAME");
  install.Flag("--write", to.write, "Add them to the file of the host");
  command.Add("--sessions", to.sessions, "The folder of the runs (default: ~/.local/state/rpl/mcp)")
      .Unit("FOLDER")
      .Check(CheckNamed);
  command
      .Add("--project", to.project,
           "The folder of the work, for a protocol that binds an agent (default: the host's, "
           "or here)")
      .Unit("DIR");
  AddAskOptions(command, to.answers);
  command
      .Add("--http", to.http, "Serve HTTP at this address, as in 127.0.0.1:7000 (default: a pipe)")
      .Unit("ADDRESS")
      .Check(CheckNamed);
  command
      .Add("--token-file", to.token_file, "Serve HTTP only to clients with the token in this file")
      .Unit("FILE")
      .Check(CheckNamed);
  AddToolOptions(command, to.engine, kBesideDocument);
  AddGuardOptions(command, to.engine.guard);
  AddLimitOptions(command, to.engine.limits);
  AddThreads(command, to.engine.threads);
  command.Footer(kMcpFooter);
  return {.run = [options] { return CommandMcp(*options); }};
}

}  // namespace rpl
