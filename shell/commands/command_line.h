// SPDX-License-Identifier: Apache-2.0
//
// The command line: parsing and dispatch to a command.
//
// An invalid command line gives a message on standard error, with the nearest valid word if there
// is one, and kExitInvalid; no command has run then.
#ifndef RPL_SHELL_COMMANDS_COMMAND_LINE_H_
#define RPL_SHELL_COMMANDS_COMMAND_LINE_H_

namespace rpl {

/// Runs the command line; returns the exit code of the process. Never throws: exhausted memory
/// gives kExitLimit, any other exception kExitBug.
int RunCommandLine(int argc, char** argv);

}  // namespace rpl

#endif  // RPL_SHELL_COMMANDS_COMMAND_LINE_H_
