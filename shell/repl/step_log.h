// SPDX-License-Identifier: Apache-2.0
//
// The lines of the log that the shell prints: with `.phases` each as it comes, on standard error;
// with `.step` a phase is a paragraph of the results, and a person says when the next one begins.
#ifndef RPL_SHELL_REPL_STEP_LOG_H_
#define RPL_SHELL_REPL_STEP_LOG_H_

#include <optional>
#include <utility>

#include "runtime/log.h"
#include "shell/repl/console.h"
#include "shell/repl/line_reader.h"

namespace rpl {

class StepLog {
 public:
  /// Borrows the console.
  explicit StepLog(const ReplConsole& console) : console_(console) {}

  /// `.step` begins, and ends.
  void Begin() {
    stepping_ = Stepping::kPauses;
    phase_.reset();
  }
  void End() { stepping_ = Stepping::kNo; }
  /// Prints a line, perhaps after a pause, in which the reader asks.
  void Print(const LogLine& line, LineReader& reader);

 private:
  // kPauses: `.step` waits between phases; kRunsThrough: it prints the remaining ones without a
  // pause.
  enum class Stepping { kNo, kPauses, kRunsThrough };

  const ReplConsole& console_;
  Stepping stepping_ = Stepping::kNo;
  std::optional<std::pair<int, int>> phase_;  // timestep and phase that were logged last
};

}  // namespace rpl

#endif  // RPL_SHELL_REPL_STEP_LOG_H_
