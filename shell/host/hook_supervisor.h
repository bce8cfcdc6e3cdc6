// SPDX-License-Identifier: Apache-2.0
//
// The parent process of `rpl guard hook`, which answers for a child that cannot.
//
// A host lets a call through when its hook ends with any code but 0 and 2: when the hook crashes,
// is killed, runs out of memory or cannot write. So the hook is two processes. The child decides.
// The parent waits for it, and denies and ends with 2 where something goes wrong:
//
//   the child ends with 0 or 2 after one whole line     the line is written, the code kept
//   it ends in another way, or prints anything else     denied
//   it has not ended by --timeout-ms                    killed and denied
//   the parent gets a signal that would end it          the child is killed; denied
//   standard output does not take the answer            denied
//
// A denial is written on standard output as far as that takes it, and its reason on standard
// error. The parent has everything that it needs before it forks: it allocates nothing, and
// works from static memory and system calls. main.cc starts it before the libraries of the program
// initialize themselves, since that is what fails first where memory is short.
//
// Two faults remain: a process that the loader cannot start ends with 127, and SIGKILL cannot be
// caught. docs/guard.md has what to write in the settings of the host against both.
#ifndef RPL_SHELL_HOST_HOOK_SUPERVISOR_H_
#define RPL_SHELL_HOST_HOOK_SUPERVISOR_H_

#include <cstddef>

namespace rpl {

/// The default of --timeout-ms.
inline constexpr int kHookTimeoutMs = 10'000;

/// The longest answer that the parent passes on, with its newline.
inline constexpr std::size_t kMostAnswerBytes = std::size_t{64} << 10;

/// With the arguments of `rpl guard hook` it forks, and returns in the child only. With others,
/// and when called again, it does nothing. Call it with one thread.
void SuperviseHook(int argc, char** argv);

/// Whether this process is such a child, with standard output going to its parent.
bool IsSupervised();

/// What a denial looks like depends on the event. Until this is called, the event is taken for
/// the one before a tool is used.
void AnswerAfterUse();

}  // namespace rpl

#endif  // RPL_SHELL_HOST_HOOK_SUPERVISOR_H_
