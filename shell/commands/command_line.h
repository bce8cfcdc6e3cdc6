// SPDX-License-Identifier: Apache-2.0
//
// The command line: what was asked for is understood, and done.
//
// A command line that is not understood is answered on standard error with what was
// probably meant, and ends with kExitInvalid; nothing has run then.
#ifndef RPL_SHELL_COMMANDS_COMMAND_LINE_H_
#define RPL_SHELL_COMMANDS_COMMAND_LINE_H_

namespace rpl {

/// Does what the arguments say; gives the exit code of the process. Never throws.
int RunCommandLine(int argc, char** argv);

}  // namespace rpl

#endif  // RPL_SHELL_COMMANDS_COMMAND_LINE_H_
