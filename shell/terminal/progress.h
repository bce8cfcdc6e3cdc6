// SPDX-License-Identifier: Apache-2.0
//
// The progress line of a long evaluation, on standard error:
//
//   1.5 s  12 rounds  2,300,000 rows  1,530,000 rows/s  reach(?a, ?c) <- reach(?a, ?b), …
//
// It appears after half a second, is updated about ten times a second, and is erased at the end of
// the evaluation.
#ifndef RPL_SHELL_TERMINAL_PROGRESS_H_
#define RPL_SHELL_TERMINAL_PROGRESS_H_

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "runtime/session_options.h"

namespace rpl {

/// A line on standard error whose text changes, and which is erased in the end.
class ChangingLine {
 public:
  /// Whether it can be shown: standard error is a terminal, and TERM neither missing nor `dumb`.
  static bool IsPossible();
  /// What takes less long is not told.
  static constexpr double kAfterSeconds = 0.5;
  /// Its columns.
  static std::size_t Width();

  /// Shows the text, cut to Width. REQUIRES: IsPossible.
  void Show(std::string_view text);
  void Erase();

 private:
  bool visible_ = false;
};

/// A function for SessionOptions::progress; null is the end of an evaluation. Empty unless
/// ChangingLine::IsPossible.
std::function<void(const Progress*)> ProgressLine();

/// The text of the line, at most `width` columns. `rate` is in rows per second.
std::string ProgressText(const Progress& progress, double rate, std::size_t width);

}  // namespace rpl

#endif  // RPL_SHELL_TERMINAL_PROGRESS_H_
