// SPDX-License-Identifier: Apache-2.0
//
// The tools of a run: the applicable configuration, the permissions, and the agents that run
// commands and put questions to a model.
#ifndef RPL_SHELL_PROGRAM_TOOL_SETUP_H_
#define RPL_SHELL_PROGRAM_TOOL_SETUP_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/tools/tool_config.h"
#include "shell/program/options.h"
#include "shell/terminal/exit_code.h"

namespace rpl {

class People;
class SourceAccess;
class Tools;

/// The folder of a file, absolute and with links resolved.
std::string FolderOf(const std::string& path);

/// The path of the applicable configuration: the file of `--config`, else the first `rpl.yaml`
/// beside one of `documents`, else "".
std::string ConfigPath(const std::string& config, const std::vector<std::string>& documents);

/// The folder of a program, that of its first document; "" without documents.
std::string FolderOfProgram(const std::vector<std::string>& documents);

/// Reads a configuration; nothing for "". After a message on standard error, its exit code.
ExitCode ReadTools(const std::string& path, ToolConfig& to);

/// Whether `--allow-tool NAME` permits something: a tool of files, the model of the configuration,
/// a tool of it or a command of its guard.
bool MayBeAllowed(const ToolConfig& config, const std::string& name);

/// The tools of one run.
class ToolSetup {
 public:
  /// Questions that no model answers go to `people`. With `ask`, a person at the terminal is asked
  /// for permission. `interrupted`, if not empty, takes the place of Ctrl-C. Borrows both
  /// references.
  ToolSetup(const EngineOptions& options, bool ask, People& people,
            std::function<bool()> interrupted = nullptr);
  ~ToolSetup();

  /// For sessions that are inspected, before Prepare: no tool runs and no model is asked, sources
  /// are read (ToolAgent::OnlyRead).
  void OnlyRead(bool push = true);
  /// Reads the applicable configuration. After a message on standard error, its exit code.
  ExitCode Prepare(const std::vector<std::string>& documents);

  /// Valid as long as the setup.
  People& people();
  Tools& tools();
  SourceAccess& access();
  /// The configuration; empty before Prepare and without one.
  const ToolConfig& config() const { return config_; }
  /// Runs a command of the guard. It requires the same approval as a tool.
  Sourced<nlohmann::ordered_json> RunForGuard(const GuardCommand& command,
                                              const nlohmann::ordered_json& input);

 private:
  ExitCode CheckAllowed() const;
  void TakeModel();

  const EngineOptions& options_;
  std::string path_;   // of the configuration, "" without one
  ToolConfig config_;  // empty without one
  bool only_reads_ = false;
  struct Parts;
  const std::unique_ptr<Parts> parts_;
};

}  // namespace rpl

#endif  // RPL_SHELL_PROGRAM_TOOL_SETUP_H_
