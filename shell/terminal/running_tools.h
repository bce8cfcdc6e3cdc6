// SPDX-License-Identifier: Apache-2.0
//
// The line on standard error that names the tools that run:
//
//   | pay, fetch  2.3 s
//
// It appears after half a second, is updated by Poll, and is erased when the calls have ended, or
// when something else is to be written. Only on a terminal. One thread.
#ifndef RPL_SHELL_TERMINAL_RUNNING_TOOLS_H_
#define RPL_SHELL_TERMINAL_RUNNING_TOOLS_H_

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "shell/terminal/progress.h"

namespace rpl {

class RunningTools {
 public:
  /// For the agent that calls tools: takes those that run now. Empty where no line can be shown.
  std::function<void(const std::vector<std::string>&)> Observer();
  /// To be called often while calls run.
  void Poll();
  /// Erases the line until the next Poll.
  void Clear() { line_.Erase(); }

 private:
  std::vector<std::string> running_;
  std::chrono::steady_clock::time_point begin_;  // of the first
  ChangingLine line_;
};

}  // namespace rpl

#endif  // RPL_SHELL_TERMINAL_RUNNING_TOOLS_H_
