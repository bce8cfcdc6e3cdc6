// SPDX-License-Identifier: Apache-2.0
//
// The line that a long evaluation shows on standard error:
//
//   1.5 s  12 rounds  2,300,000 rows  1,530,000 rows/s  reach(?a, ?c) <- reach(?a, ?b), …
//
// It appears after half a second, is written again about ten times a second, and is gone
// when the evaluation is over.
#ifndef RPL_SHELL_HOST_PROGRESS_H_
#define RPL_SHELL_HOST_PROGRESS_H_

#include <cstddef>
#include <functional>
#include <string>

#include "runtime/session.h"

namespace rpl {

/// For SessionOptions::progress; empty when standard error is no terminal, or TERM=dumb.
std::function<void(const Progress*)> ProgressLine();

/// The text of the line, without blanks around it. `rate`: rows per second.
std::string ProgressText(const Progress& progress, double rate, std::size_t width);

}  // namespace rpl

#endif  // RPL_SHELL_HOST_PROGRESS_H_
