// SPDX-License-Identifier: Apache-2.0
//
// The parent process of `rpl guard hook`, which answers for a child that fails to.
//
// A host lets a call through if its hook ends with any code other than 0 and 2: if the hook
// crashes, is killed, runs out of memory or cannot write. Therefore the hook consists of two
// processes. The child decides. The parent supervises it, and denies and exits with 2 on any fault:
//
//   the child ends with 0 or 2 after one whole line     the line is written, the code kept
//   it ends in another way, or prints anything else     denied
//   it has not ended by --timeout-ms                    killed and denied
//   the parent gets a signal that would end it          the child is killed; denied
//   standard output does not take the answer            denied
//
// A denial is written to standard output as far as possible, and its reason to standard error. At
// the end of a turn some hosts read it after exit code 0 alone (FaultCode). The parent acquires all
// its resources before it forks: it allocates nothing, and works with static memory and system
// calls only. main.cc starts it before the libraries of the program initialise, because these fail
// first when memory is short.
//
// Two faults remain: a process that the loader cannot start exits with 127, and SIGKILL cannot be
// caught. docs/guard.md describes the host's settings against both.
#ifndef RPL_SHELL_GUARD_HOOK_SUPERVISOR_H_
#define RPL_SHELL_GUARD_HOOK_SUPERVISOR_H_

#include <cstddef>

#include "shell/guard/hook_form.h"

namespace rpl {

/// The default of --timeout-ms, wall time.
inline constexpr int kHookTimeoutMs = 10'000;

/// The maximal size of an answer, with its newline; a longer one is denied.
inline constexpr std::size_t kMostAnswerBytes = std::size_t{64} << 10;

/// With the arguments of `rpl guard hook`: forks, and returns in the child only. With other
/// arguments, and on further calls, it does nothing. REQUIRES: the process has one thread.
void SuperviseHook(int argc, char** argv);

/// True in such a child, whose standard output is a pipe to its parent.
bool IsSupervised();

/// Selects the form of a denial by the parent. The default is kPreToolUse.
void AnswerInForm(HookForm form);

}  // namespace rpl

#endif  // RPL_SHELL_GUARD_HOOK_SUPERVISOR_H_
