// SPDX-License-Identifier: Apache-2.0
//
// Permission for tools, from the command line and from a person at the terminal.
//
// A tool named by `--allow-tool` is approved and allowed in this run. Other commands are approved
// by a person once, and the approval is stored; calls with the permission `ask` are confirmed one
// by one, until the person allows all calls of the tool. Without a person, nothing is approved and
// these calls are refused, with a reason that says how to allow them.
//
// Questions show the whole command. Text of programs and configurations is untrusted and shown with
// its control characters escaped.
#ifndef RPL_SHELL_PROGRAM_TOOL_PERMISSION_H_
#define RPL_SHELL_PROGRAM_TOOL_PERMISSION_H_

#include <functional>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "runtime/tools/permission.h"
#include "runtime/tools/tool_approval.h"

namespace rpl {

/// The permissions of one run.
class ToolPermission : public Permission {
 public:
  /// Gives one line without its end; nullopt when there are no more.
  using LineReader = std::function<std::optional<std::string>()>;

  /// `config` is the name of the configuration for messages. Without a reader nobody is asked.
  /// Borrows `config` and `err`.
  ToolPermission(const std::string& config, Approvals approvals,
                 const std::vector<std::string>& allowed, LineReader read_line, std::ostream& err,
                 ToolPins pins = ToolPins(""))
      : config_(config),
        approvals_(std::move(approvals)),
        allowed_(allowed.begin(), allowed.end()),
        read_line_(std::move(read_line)),
        err_(err),
        pins_(std::move(pins)) {}

  /// Asks for the approval of a new command and stores it; a refused command is not asked about
  /// again in this run.
  Permit Approve(const ToolCommand& command) override;
  /// Asks for the approval of what a configuration opens, and stores it.
  Permit Reach(const std::string& tool, const std::string& what) override;
  /// Keeps the first definition of a tool, and asks about one that differs from it.
  Permit Pin(const ToolCommand& command, const std::string& hash,
             const std::string& definition) override;
  /// Asks about one call, unless its tool is allowed.
  Permit Ask(const CommandCall& call, const std::string& request) override;
  /// Asks about one file, unless `write` is allowed.
  Permit AskToWrite(const std::string& path, std::size_t bytes) override;

 private:
  /// Asks a person, after `show`, to approve what has the hash, and keeps the approval.
  Permit ApproveOnce(const std::string& hash, const std::string& comment, const char* refusal,
                     const std::function<void()>& show);
  void Show(const ToolCommand& command);
  /// Puts a question about a call of `tool`, which may be allowed for the whole run.
  Permit AskOnce(const std::string& question, const std::string& tool);
  /// The first letter of an answer, among `letters`; '\0' at the end of input.
  char Choice(const std::string& question, std::string_view letters, char by_default);

  const std::string& config_;
  Approvals approvals_;
  std::set<std::string> allowed_;  // names of tools
  std::set<std::string> refused_;  // hashes
  LineReader read_line_;
  std::ostream& err_;
  ToolPins pins_;
};

/// The files of approvals and of pinned definitions, state files (shell/terminal/state_file.h); ""
/// without a home folder.
std::string ApprovalsPath();
std::string PinsPath();

}  // namespace rpl

#endif  // RPL_SHELL_PROGRAM_TOOL_PERMISSION_H_
