// SPDX-License-Identifier: Apache-2.0
//
// The line on standard error that names the tools that run, in front of those that call them:
//
//   | pay, fetch  2.3 s
//
// It appears after half a second, is updated by Poll, and is erased when the calls have ended, or
// when something else is to be written. Only on a terminal. One thread.
#ifndef RPL_SHELL_TERMINAL_RUNNING_TOOLS_H_
#define RPL_SHELL_TERMINAL_RUNNING_TOOLS_H_

#include <chrono>
#include <string>
#include <vector>

#include "runtime/ports.h"
#include "shell/terminal/progress.h"

namespace rpl {

class RunningTools : public Tools {
 public:
  explicit RunningTools(Tools& tools);

  std::vector<rpl::Answer> Call(const std::vector<ToolCall>& calls, Pool& pool) override;
  bool AnswersAlone(const ToolCall& call) const override { return tools_.AnswersAlone(call); }

  /// To be called often while calls run.
  void Poll();
  /// Erases the line until the next Poll.
  void Clear() { line_.Erase(); }

 private:
  Tools& tools_;
  const bool shows_;
  std::vector<std::string> running_;  // in the order of their starts
  std::chrono::steady_clock::time_point begin_;
  ChangingLine line_;
};

}  // namespace rpl

#endif  // RPL_SHELL_TERMINAL_RUNNING_TOOLS_H_
