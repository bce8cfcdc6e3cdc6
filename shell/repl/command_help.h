// SPDX-License-Identifier: Apache-2.0
//
// The commands of the shell as a table (Repl::Commands has it), the texts of `.help` about them and
// about other names, and the names that Tab completes.
#ifndef RPL_SHELL_REPL_COMMAND_HELP_H_
#define RPL_SHELL_REPL_COMMAND_HELP_H_

#include <optional>
#include <string>
#include <vector>

#include "runtime/run/session.h"
#include "shell/repl/completion.h"
#include "shell/repl/console.h"

namespace rpl {

class Repl;

/// A command of the shell; `takes` is its parameter, "" for none, "[…]" if optional.
struct ReplCommand {
  const char* name;  // ".facts"
  const char* takes;
  const char* help;
  const char* more;  // lines for `.help NAME`: details, examples; "" for none
  void (*run)(Repl& shell, const std::string& argument);
};

/// Prints the commands, or more about a topic: a command, with its dot or without, entries, keys or
/// questions. An unknown topic is an error.
void PrintHelp(const std::string& topic, const std::vector<ReplCommand>& commands,
               ReplConsole& console);

/// What can be completed: the commands with what they take, the names that the session knows, and
/// the keys that `outcome`, of what was pursued last, waits for.
CompletionNames NamesFor(const std::vector<ReplCommand>& commands, const Session& session,
                         const std::optional<Outcome>& outcome);

}  // namespace rpl

#endif  // RPL_SHELL_REPL_COMMAND_HELP_H_
