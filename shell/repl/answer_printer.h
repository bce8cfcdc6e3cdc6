// SPDX-License-Identifier: Apache-2.0
//
// Prints the outcome of a goal or a query in the mode of `.mode` (shell/repl/answer_form.h): its
// answers, cut to `.maxrows`, or why there are none.
//
// Results go to standard output, how many there are too if they are a table; notes to the console.
// A table in the file of `.output` is as wide as it needs.
#ifndef RPL_SHELL_REPL_ANSWER_PRINTER_H_
#define RPL_SHELL_REPL_ANSWER_PRINTER_H_

#include <cstddef>

#include "runtime/run/session.h"
#include "shell/repl/answer_form.h"
#include "shell/repl/console.h"

namespace rpl {

class AnswerPrinter {
 public:
  /// Borrows the console.
  AnswerPrinter(const ReplConsole& console, AnswerMode mode) : console_(console), mode_(mode) {}

  /// Prints an outcome of the session.
  void Finish(const Outcome& outcome, const Session& session) const;

  void SetMode(AnswerMode mode) { mode_ = mode; }
  /// The forms in which the session must produce answers: a table formats only those that it shows.
  AnswerForms Forms() const {
    return mode_.columns ? AnswerForms{false, false} : mode_.format->answers();
  }

  /// Answers, or facts of a relation, that are shown; 0: all.
  std::size_t most_rows() const { return most_rows_; }
  void SetMostRows(std::size_t number) { most_rows_ = number; }

 private:
  void PrintAnswers(const Outcome& outcome, const Session& session) const;
  void PrintColumns(const Outcome& outcome, const Session& session) const;

  const ReplConsole& console_;
  AnswerMode mode_;
  std::size_t most_rows_ = 40;
};

}  // namespace rpl

#endif  // RPL_SHELL_REPL_ANSWER_PRINTER_H_
