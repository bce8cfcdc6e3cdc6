// SPDX-License-Identifier: Apache-2.0
//
// The interface to line editing at the prompt of the shell.
//
// At a terminal, entries are edited with libedit: over several lines, all of which the arrow keys
// reach until the entry is complete; with history, completion, and bracketed paste. If standard
// input is no terminal, or one without cursor movement (TERM=dumb), lines are read as they are;
// prompts are then written only for a person.
#ifndef RPL_SHELL_REPL_LINE_READER_H_
#define RPL_SHELL_REPL_LINE_READER_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "shell/repl/completion.h"

namespace rpl {

/// The reader. Blocks the calling thread.
class LineReader {
 public:
  /// The way in which a read ended.
  enum class End {
    kText,
    kCancelled,  // Ctrl-C; the interrupt has been cleared
    kOver,       // Ctrl-D, or the end of the input
  };
  /// The result of a read.
  struct Line {
    End end = End::kOver;
    std::string text;  // without the last line end; invalid UTF-8 becomes U+FFFD
  };
  virtual ~LineReader() = default;

  /// Reads an entry, over as many lines as it requires.
  virtual Line Entry(const std::string& prompt) = 0;
  /// Reads one line as the answer to a question; it does not enter the history.
  virtual Line Answer(const std::string& prompt) = 0;
  /// Adds an entry to the history of the arrow keys.
  virtual void Remember(const std::string& entry) = 0;
};

/// The shell's part in editing.
struct LineSupport {
  /// True if Enter at the end of the text ends the entry.
  std::function<bool(std::string_view text, bool pasted)> is_complete;
  /// The completions at the cursor, a byte offset.
  std::function<Completion(std::string_view text, std::size_t cursor)> complete;
};

/// True if standard input is a terminal and so is standard output or standard error.
bool IsInteractive();

/// The appropriate reader for standard input; `history` is oldest first. `colours` colours the
/// prompt. REQUIRES: one at a time in a process.
std::unique_ptr<LineReader> MakeLineReader(LineSupport support,
                                           const std::vector<std::string>& history, bool colours);

}  // namespace rpl

#endif  // RPL_SHELL_REPL_LINE_READER_H_
