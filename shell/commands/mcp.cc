// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <iostream>

#include "shell/commands/commands.h"
#include "shell/host/report.h"
#include "shell/host/state_file.h"
#include "shell/mcp/stdio_server.h"

namespace rpl {

int CommandMcp(const McpOptions& options) {
  ProtocolFolder protocols;
  if (const std::string error = protocols.Add(options.paths); !error.empty()) {
    Complain("mcp", error);
    return kExitFile;
  }
  const std::string folder = options.sessions.empty() ? StateFile("mcp") : options.sessions;
  std::error_code ignored;
  const std::string absolute =
      folder.empty() ? "" : std::filesystem::absolute(folder, ignored).lexically_normal().native();
  if (const std::string error = RunFolder::Make(absolute); !error.empty()) {
    Complain("--sessions", error);
    return kExitFile;
  }
  std::optional<Sealer> seals = Sealer::FromFile(absolute + "/key");
  if (!seals) {
    Complain("--sessions", absolute + "/key: it can be neither read nor written",
             "remove it to have it made again; what was sealed with it is then refused");
    return kExitFile;
  }
  auto& service = *new McpService(options.engine, std::move(protocols), absolute,
                                  std::move(*seals));  // its threads end with the process
  service.ask = options.ask == "never"    ? AskMode::kNever
                : options.ask == "always" ? AskMode::kAlways
                                          : AskMode::kAuto;
  service.ask_timeout = std::chrono::milliseconds(options.ask_timeout * 1000);
  if (const std::string error = service.runs.Open(); !error.empty()) {
    Complain("--sessions", error);
    return kExitFile;
  }
  ServeStdio(service);
}

}  // namespace rpl
