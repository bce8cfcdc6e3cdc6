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

#include "shell/commands/commands.h"

namespace rpl {

/// Adds all commands to `app`; those for which `in_full` is false, and such subcommands of `guard`,
/// by name only. Returns those described in full, by name. Parsing writes to their options; the
/// chosen command is in `app`.
std::map<std::string, Command> DescribeCommands(CLI::App& app, const InFull& in_full);

}  // namespace rpl

#endif  // RPL_SHELL_COMMANDS_COMMAND_TABLE_H_
