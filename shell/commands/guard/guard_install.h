// SPDX-License-Identifier: Apache-2.0
//
// `rpl guard install` and `rpl guard doctor`: the settings by which a host asks a protocol about
// its events, and whether they work.
#ifndef RPL_SHELL_COMMANDS_GUARD_GUARD_INSTALL_H_
#define RPL_SHELL_COMMANDS_GUARD_GUARD_INSTALL_H_

#include "shell/commands/guard/guard_options.h"

namespace rpl {

/// Prints the hooks of a host, or with --write adds them to the host's file of the project; those
/// that were installed before are replaced. Without a parser of the shell nothing is installed.
int InstallHooks(const GuardCommandOptions& options);

/// Tells, a line each, what works: the protocol, the parser, the host's settings, and the hook
/// itself, which is run once for each event in a run of its own. kExitNo if something does not.
int ExamineHooks(const GuardCommandOptions& options);

}  // namespace rpl

#endif  // RPL_SHELL_COMMANDS_GUARD_GUARD_INSTALL_H_
