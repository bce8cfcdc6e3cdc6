// SPDX-License-Identifier: Apache-2.0
//
// All commands, described for the option parser.
//
// The output of `--help`, man pages, docs/commands.md and completions
// (shell/commands/command_tree.h) derive from this description.
#ifndef RPL_SHELL_COMMANDS_COMMAND_TABLE_H_
#define RPL_SHELL_COMMANDS_COMMAND_TABLE_H_

#include <map>
#include <string>
#include <vector>

#include "shell/commands/commands.h"

namespace rpl {

/// The names of all commands.
std::vector<std::string> CommandNames();

/// Adds the commands that are wanted to `app`, `guard` with the subcommands that are. Returns them
/// by name. Parsing writes to their options; the chosen command is in `app`.
std::map<std::string, Command> DescribeCommands(CLI::App& app, const Wanted& wanted);

}  // namespace rpl

#endif  // RPL_SHELL_COMMANDS_COMMAND_TABLE_H_
