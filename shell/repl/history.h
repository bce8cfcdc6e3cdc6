// SPDX-License-Identifier: Apache-2.0
//
// The history of entries, across shells, in a state file (shell/terminal/state_file.h).
//
// One entry a line; `\n` and `\\` stand for a line end and a backslash in it. Entries are appended
// immediately, so that several shells share the file without overwriting each other. If the file
// cannot be read or written there is no history and no error.
#ifndef RPL_SHELL_REPL_HISTORY_H_
#define RPL_SHELL_REPL_HISTORY_H_

#include <string>
#include <vector>

namespace rpl {

/// The history in one file.
class ReplHistory {
 public:
  static constexpr std::size_t kMost = 1000;  // maximal number of entries

  /// The file's path; "" stores nothing.
  explicit ReplHistory(std::string path) : path_(std::move(path)) {}

  /// The newest kMost entries, oldest first. A file with twice as many is reduced to these.
  std::vector<std::string> Load() const;
  /// Appends an entry; creates the file with mode 0600.
  void Append(const std::string& entry) const;

 private:
  std::string path_;
};

/// The path of the history; "" without a home folder.
std::string HistoryPath();

}  // namespace rpl

#endif  // RPL_SHELL_REPL_HISTORY_H_
