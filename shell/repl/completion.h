// SPDX-License-Identifier: Apache-2.0
//
// What Tab offers at the prompt of the shell.
//
//   .fa            commands, at the start of an entry
//   .load ex       file names, behind a command that takes one; folders end with `/`
//   .facts ed      names of relations, behind a command that takes one
//   reach          relations; `%tr` goals; `$as` tools
//   ?w             lvars that stand in the entry
#ifndef RPL_SHELL_REPL_COMPLETION_H_
#define RPL_SHELL_REPL_COMPLETION_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rpl {

/// What names there are, with their marks: "edge", "%trip", "$ask".
struct CompletionNames {
  std::vector<std::string> commands;  // ".facts"
  std::vector<std::string> of_files;  // the commands that take a file
  std::vector<std::string> words;     // relations, goals, tools
};

struct Completion {
  std::size_t begin = 0;                // where the word begins that is completed
  std::vector<std::string> candidates;  // sorted, once each; each begins with that word

  /// What all candidates begin with.
  std::string Common() const;
};

/// What could stand before the `cursor`, a byte offset into `entry`.
Completion Complete(std::string_view entry, std::size_t cursor, const CompletionNames& names);

/// Text of several columns that lists the candidates, with line ends; at most `width` wide.
std::string CandidateList(const std::vector<std::string>& candidates, std::size_t width);

}  // namespace rpl

#endif  // RPL_SHELL_REPL_COMPLETION_H_
