// SPDX-License-Identifier: Apache-2.0
//
// Work in a process of its own, so that a crash of ours ends one test and not the others.
#ifndef RPL_SHELL_SCRIPT_ISOLATION_H_
#define RPL_SHELL_SCRIPT_ISOLATION_H_

#include <functional>
#include <string>

namespace rpl {

struct Isolated {
  std::string result;  // what the work gave, empty when it crashed
  std::string crash;   // how it ended before it was done: "Segmentation fault"; or empty
};

/// Calls `work` in a copy of this process and brings its result back. What else it changes
/// is lost. Waits until it has ended; Ctrl-C ends it, which is a crash then.
Isolated InOwnProcess(const std::function<std::string()>& work);

}  // namespace rpl

#endif  // RPL_SHELL_SCRIPT_ISOLATION_H_
