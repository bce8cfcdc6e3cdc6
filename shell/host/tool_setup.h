// SPDX-License-Identifier: Apache-2.0
//
// The tools of a run: the configuration that applies, who permits what, and the agent that
// runs them.
#ifndef RPL_SHELL_HOST_TOOL_SETUP_H_
#define RPL_SHELL_HOST_TOOL_SETUP_H_

#include <string>
#include <vector>

#include "runtime/tools/tool_agent.h"
#include "shell/host/options.h"
#include "shell/host/report.h"
#include "shell/host/tool_permission.h"

namespace rpl {

/// The folder of a file, absolute.
std::string FolderOf(const std::string& path);

/// The configuration that applies: the file of `--config`, or else the first `rpl.yaml`
/// beside one of `documents`, or "".
std::string ConfigPath(const std::string& config, const std::vector<std::string>& documents);

/// Reads a configuration; none for "". With a message on standard error, and its exit code,
/// when it cannot be used.
ExitCode ReadTools(const std::string& path, ToolConfig& to);

class ToolSetup {
 public:
  /// Calls of other tools, and all before Prepare, go to `otherwise`. With `ask`, a person
  /// at the terminal is asked for permission. Borrows both references.
  ToolSetup(const EngineOptions& options, bool ask, Agent& otherwise);

  /// Reads the configuration that applies. With a message on standard error, and its exit
  /// code, when that cannot be used.
  ExitCode Prepare(const std::vector<std::string>& documents);

  Agent& agent() { return agent_; }
  const ToolConfig& config() const { return config_; }
  /// Runs a command that a guard asks, with permission as that of a tool.
  Sourced<nlohmann::ordered_json> RunForGuard(const GuardCommand& command,
                                              const nlohmann::ordered_json& input);

 private:
  ExitCode CheckAllowed() const;

  const EngineOptions& options_;
  std::string path_;   // of the configuration, "" without one
  ToolConfig config_;  // empty without one
  ToolPermission permission_;
  ToolAgent agent_;
};

}  // namespace rpl

#endif  // RPL_SHELL_HOST_TOOL_SETUP_H_
