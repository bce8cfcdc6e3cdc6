// SPDX-License-Identifier: Apache-2.0
//
// The seam to line editing: what a person types at the prompt of the shell.
//
// At a terminal entries are edited with libedit: over several lines, all of which can be
// reached with the arrow keys until the entry is complete; with history, completion, and
// pasted text taken in as one piece (bracketed paste). Where standard input is no terminal,
// or one that cannot move its cursor (TERM=dumb), lines are just read; then prompts are
// written only when a person sits there.
#ifndef RPL_SHELL_REPL_LINE_READER_H_
#define RPL_SHELL_REPL_LINE_READER_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "shell/repl/completion.h"

namespace rpl {

class LineReader {
 public:
  enum class End {
    kText,
    kCancelled,  // Ctrl-C; the interrupt is dealt with
    kOver,       // Ctrl-D, or the end of the input
  };
  struct Line {
    End end = End::kOver;
    std::string text;  // in UTF-8, without its last line end; what is not UTF-8 is U+FFFD
  };
  virtual ~LineReader() = default;

  /// An entry, over as many lines as it needs to be complete.
  virtual Line Entry(const std::string& prompt) = 0;
  /// One line, which is not remembered: the answer to a question.
  virtual Line Answer(const std::string& prompt) = 0;
  /// Makes an entry one that can be called back with the arrow keys.
  virtual void Remember(const std::string& entry) = 0;
};

/// What the reader asks the shell.
struct LineSupport {
  /// Whether Enter at the end of the text ends the entry.
  std::function<bool(std::string_view text, bool pasted)> is_complete;
  /// What could stand before the cursor, a byte offset.
  std::function<Completion(std::string_view text, std::size_t cursor)> complete;
};

/// Whether a person sits at the input and sees the output.
bool IsInteractive();

/// The reader that fits standard input; `history` is oldest first. Colours the prompt when
/// `colours`. One at a time.
std::unique_ptr<LineReader> MakeLineReader(LineSupport support,
                                           const std::vector<std::string>& history, bool colours);

}  // namespace rpl

#endif  // RPL_SHELL_REPL_LINE_READER_H_
