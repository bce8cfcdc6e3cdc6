// SPDX-License-Identifier: Apache-2.0
//
// `--watch`: a command that runs again whenever a file that it read has changed.
//
// The command runs in a process of its own, which says what it reads
// (runtime/tools/read_notes.h). Its folders are watched by inotify, and states are compared: so an
// editor that renames a new file into place, a file that vanishes and comes back, and a change
// before the watch began all count, and a write to another file does not. Changes in quick
// succession are one. A command that still runs, or waits for input, is ended and started anew.
#ifndef RPL_SHELL_TERMINAL_WATCH_H_
#define RPL_SHELL_TERMINAL_WATCH_H_

#include <functional>

namespace rpl {

/// Runs `command`, which returns an exit code and must not throw, until Ctrl-C; then returns
/// kExitInterrupted. No process remains. Notes about runs go to standard error. If standard output
/// is a terminal, its screen is cleared before each run but the first. REQUIRES: only this thread
/// uses the heap.
int RunWatched(const std::function<int()>& command);

}  // namespace rpl

#endif  // RPL_SHELL_TERMINAL_WATCH_H_
