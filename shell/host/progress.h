// SPDX-License-Identifier: Apache-2.0
//
// The progress line of a long evaluation, on standard error:
//
//   1.5 s  12 rounds  2,300,000 rows  1,530,000 rows/s  reach(?a, ?c) <- reach(?a, ?b), …
//
// It appears after half a second, is updated about ten times a second, and is erased at the end of
// the evaluation.
#ifndef RPL_SHELL_HOST_PROGRESS_H_
#define RPL_SHELL_HOST_PROGRESS_H_

#include <cstddef>
#include <functional>
#include <string>

#include "runtime/session.h"

namespace rpl {

/// Whether a line that changes can be shown: standard error is a terminal, and TERM neither missing
/// nor `dumb`.
bool ShowsProgress();

/// A function for SessionOptions::progress; null is the end of an evaluation. Empty unless
/// ShowsProgress.
std::function<void(const Progress*)> ProgressLine();

/// The text of the line, at most `width` columns. `rate` is in rows per second.
std::string ProgressText(const Progress& progress, double rate, std::size_t width);

}  // namespace rpl

#endif  // RPL_SHELL_HOST_PROGRESS_H_
