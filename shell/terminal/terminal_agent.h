// SPDX-License-Identifier: Apache-2.0
//
// The agent for a person at a terminal, or for lines of standard input in their place.
//
// Questions go to standard error. A question reads one line, one for rows a line for each until an
// empty one. A choice lists its options by number and accepts the number or the text; after any
// other line it prints what is accepted and repeats. So it does after an empty line for a question
// that takes a number or a date; one for a free question must be confirmed once, because it is more
// often a slip than an answer.
//
// In place of an answer, `.decline` refuses one, `.later` goes on to the next question, `.back`
// asks the last question again, `.open` lists all that are open, and `.help` these words. At the
// end of the input there is no answer (kNobody), from then on. The decision about a failure is no
// question of the program: lines that were prepared as answers do not answer it.
#ifndef RPL_SHELL_TERMINAL_TERMINAL_AGENT_H_
#define RPL_SHELL_TERMINAL_TERMINAL_AGENT_H_

#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "runtime/ports.h"

namespace rpl {

/// The agent. Answers block until a line is read.
class TerminalAgent : public People {
 public:
  /// Gives one line without its end; nullopt when there are no more.
  using LineReader = std::function<std::optional<std::string>()>;

  /// Borrows the stream. Without a reader there is no answer and no question. `mark` is written
  /// before each line is read: "> " for a person. `by`: who writes the lines.
  TerminalAgent(LineReader read_line, std::string mark, By by, std::ostream& err)
      : read_line_(std::move(read_line)), mark_(std::move(mark)), by_(by), err_(err) {}

  /// Another reader from here on, also after the end of the one before.
  void ReadFrom(LineReader read_line) { read_line_ = std::move(read_line); }

  rpl::Answer Ask(const Question& question, Pool& pool, std::string_view refused) override;
  void Open(OpenQuestions open) override { open_ = std::move(open); }

  /// Whether a question is to be asked again. Until TakeBack nothing is asked.
  bool GoesBack() const { return !back_.empty(); }
  /// That question, whose reply the caller takes back before the next turn; "" if there is none.
  std::string TakeBack() { return std::exchange(back_, ""); }

 private:
  rpl::Answer Put(const Question& question, Pool& pool);
  rpl::Answer Ask(const Question& question, Pool& pool);
  rpl::Answer AskRows(const Question& question, Pool& pool);
  rpl::Answer Choose(const Question& question, Pool& pool);
  /// Prints a line, or several where the terminal is narrow.
  void Tell(const std::string& text) const;
  void PrintOptions(const Question& question, const Pool& pool) const;
  std::optional<std::string> Line();
  std::optional<std::string> Typed(rpl::Answer* instead);

  OpenQuestions open_;
  std::vector<std::string> answered_;  // ids, the last one last
  std::string back_;                   // see TakeBack
  LineReader read_line_;
  std::string mark_;
  By by_;
  std::ostream& err_;
};

}  // namespace rpl

#endif  // RPL_SHELL_TERMINAL_TERMINAL_AGENT_H_
