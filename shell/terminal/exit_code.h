// SPDX-License-Identifier: Apache-2.0
//
// The exit codes of commands. The code of an outcome is in shell/terminal/report.h.
#ifndef RPL_SHELL_TERMINAL_EXIT_CODE_H_
#define RPL_SHELL_TERMINAL_EXIT_CODE_H_

namespace rpl {

/// The exit codes of all commands (printed by `rpl help`).
enum ExitCode : int {
  kExitOk = 0,             // satisfied, passed, clean
  kExitNo = 1,             // a negative result: unsatisfied, %fail, failed tests
  kExitInvalid = 2,        // the command line or a program was rejected; nothing ran
  kExitWaiting = 3,        // input is needed
  kExitTool = 4,           // a tool failed, and that decided the goal
  kExitLimit = 5,          // a limit was reached
  kExitFile = 6,           // a file cannot be read or written
  kExitBug = 70,           // a mistake of the engine
  kExitInterrupted = 130,  // Ctrl-C
};

}  // namespace rpl

#endif  // RPL_SHELL_TERMINAL_EXIT_CODE_H_
