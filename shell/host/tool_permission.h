// SPDX-License-Identifier: Apache-2.0
//
// Permission for tools, from the command line and a person at the terminal.
//
// A tool that `--allow-tool` names is approved and allowed in this run. Other commands are
// approved once, and remembered; calls that are to be asked about are, one by one, until a
// person says that the tool may always run. Without a person nothing is approved and what
// would be asked is refused; the reason says how to allow it.
//
// Questions go to a stream and show the whole command. Text of programs and configurations
// is shown with its control characters escaped.
#ifndef RPL_SHELL_HOST_TOOL_PERMISSION_H_
#define RPL_SHELL_HOST_TOOL_PERMISSION_H_

#include <functional>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "runtime/tools/tool_agent.h"
#include "runtime/tools/tool_approval.h"

namespace rpl {

class ToolPermission : public Permission {
 public:
  /// Gives one line without its end; nullopt when there are no more.
  using LineReader = std::function<std::optional<std::string>()>;

  /// `config` is the name of the configuration as people know it. Without a reader nobody
  /// is asked. Borrows `config` and `err`.
  ToolPermission(const std::string& config, Approvals approvals,
                 const std::vector<std::string>& allowed, LineReader read_line, std::ostream& err)
      : config_(config),
        approvals_(std::move(approvals)),
        allowed_(allowed.begin(), allowed.end()),
        read_line_(std::move(read_line)),
        err_(err) {}

  Verdict Approve(const ToolCommand& command) override;
  Verdict Ask(const ToolCall& call, const std::string& request) override;

 private:
  void Show(const ToolCommand& command);
  /// The first letter of an answer, among `letters`; '\0' when nobody answers.
  char Choice(const std::string& question, std::string_view letters, char by_default);

  const std::string& config_;
  Approvals approvals_;
  std::set<std::string> allowed_;  // names of tools
  std::set<std::string> refused_;  // hashes
  LineReader read_line_;
  std::ostream& err_;
};

/// Where approvals are remembered, a state file (shell/host/state_file.h); "" without a home.
std::string ApprovalsPath();

}  // namespace rpl

#endif  // RPL_SHELL_HOST_TOOL_PERMISSION_H_
