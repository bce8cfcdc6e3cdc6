// SPDX-License-Identifier: Apache-2.0
//
// The limits of a command, also where its work does not ask for them. Evaluation polls its limits
// and Ctrl-C, stops in order and reports how far it came; reading, checking, printing and the long
// steps of libraries do not. A thread of its own watches them: if nobody asked in time, it ends the
// process with a sentence on standard error and the exit code of a limit, or of Ctrl-C. Files that
// are replaced as a whole, and sessions, are then as they were before.
//
// Affects the whole process.
#ifndef RPL_SHELL_TERMINAL_LIMIT_WATCH_H_
#define RPL_SHELL_TERMINAL_LIMIT_WATCH_H_

#include "runtime/session_options.h"

namespace rpl {

/// Starts to watch the limits on time and memory, and Ctrl-C, or changes these limits. Time is that
/// of the processor since the last poll (Interrupted), for all threads of an evaluation.
void WatchLimits(const SessionLimits& limits, std::size_t threads = 1);

/// Ends the process because the system gives no more memory. Needs none.
[[noreturn]] void EndWithoutMemory();

}  // namespace rpl

#endif  // RPL_SHELL_TERMINAL_LIMIT_WATCH_H_
