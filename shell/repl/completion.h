// SPDX-License-Identifier: Apache-2.0
//
// Completion with Tab at the prompt of the shell.
//
//   .fa            commands, at the start of an entry
//   .load ex       what a command takes: file names (folders end with `/`), names of
//   .facts ed      relations, words such as `on` and `csv`, also before the first letter
//   reach          relations, with `(` where arguments follow; `%tr` goals; `$as` tools
//   ?w             lvars of the entry
#ifndef RPL_SHELL_REPL_COMPLETION_H_
#define RPL_SHELL_REPL_COMPLETION_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rpl {

/// The names that can be completed, with their marks: "edge(", "%trip", "$ask(".
struct CompletionNames {
  /// A word of a command's argument.
  struct Argument {
    enum class Kind {
      kWords,  // one of `words`
      kFile,
      kEntry,  // RPL: as without a command
    };
    Kind kind = Kind::kEntry;
    std::vector<std::string> words = {};
  };
  struct Command {
    std::string name;  // ".facts"
    std::vector<Argument> arguments = {};
  };
  std::vector<Command> commands;
  std::vector<std::string> words;  // relations, goals, tools
};

/// The candidates for the word before the cursor.
struct Completion {
  std::size_t begin = 0;                // where that word begins
  std::vector<std::string> candidates;  // sorted; each begins with that word

  /// The longest common prefix of the candidates, in whole code points.
  std::string Common() const;
};

/// The completions at `cursor`, a byte offset into `entry`. Reads folders for file names.
Completion Complete(std::string_view entry, std::size_t cursor, const CompletionNames& names);

/// The candidates in columns, at most `width` wide if possible, with line ends; long lists are cut.
std::string CandidateList(const std::vector<std::string>& candidates, std::size_t width);

}  // namespace rpl

#endif  // RPL_SHELL_REPL_COMPLETION_H_
