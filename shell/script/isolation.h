// SPDX-License-Identifier: Apache-2.0
//
// Execution in a process of its own, so that a crash of the engine ends one test and not the
// others.
#ifndef RPL_SHELL_SCRIPT_ISOLATION_H_
#define RPL_SHELL_SCRIPT_ISOLATION_H_

#include <functional>
#include <string>

namespace rpl {

/// The result of such a process.
struct Isolated {
  std::string result;  // of `work`; empty after a crash
  std::string crash;   // the cause, "Segmentation fault"; "" if it completed
};

/// Calls `work` in a fork of this process and returns its result. All other effects on memory are
/// lost. Blocks until the process ends; Ctrl-C kills it, which then counts as a crash. REQUIRES:
/// the process has one thread.
Isolated InOwnProcess(const std::function<std::string()>& work);

}  // namespace rpl

#endif  // RPL_SHELL_SCRIPT_ISOLATION_H_
