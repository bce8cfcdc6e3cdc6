// SPDX-License-Identifier: Apache-2.0
//
// The entries of earlier shells, kept in a state file (shell/host/state_file.h).
//
// One entry a line; `\n` and `\\` stand for a line end and a backslash within it. An entry is
// appended when it is made, so that several shells do not take each other's. When the file
// cannot be read or written there is no history, and no error.
#ifndef RPL_SHELL_REPL_HISTORY_H_
#define RPL_SHELL_REPL_HISTORY_H_

#include <string>
#include <vector>

namespace rpl {

class ReplHistory {
 public:
  static constexpr std::size_t kMost = 1000;  // entries kept

  /// A file of that name; "" keeps nothing.
  explicit ReplHistory(std::string path) : path_(std::move(path)) {}

  /// The newest kMost, oldest first. A file that holds twice as many is cut to these.
  std::vector<std::string> Load() const;
  void Append(const std::string& entry) const;

 private:
  std::string path_;
};

/// Where the history is; "" without a home.
std::string HistoryPath();

}  // namespace rpl

#endif  // RPL_SHELL_REPL_HISTORY_H_
