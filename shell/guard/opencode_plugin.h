// SPDX-License-Identifier: Apache-2.0
//
// The plugin through which OpenCode calls `rpl guard hook`. OpenCode has no hooks that are
// commands; its plugins are modules of JavaScript in `.opencode/plugins/`.
//
// The plugin runs the command for each event of the rows of OpenCode in hook_table.cc, with the
// event on its standard input. It refuses a tool, by an exception, if the answer denies it, and
// also if the command cannot be run, ends with a code other than 0, gives no JSON, or takes too
// long. Sessions of subagents are their main session's, with the name of the subagent. What the
// plugin itself tells the agent, and what one agent tells another, is not what the user typed.
#ifndef RPL_SHELL_GUARD_OPENCODE_PLUGIN_H_
#define RPL_SHELL_GUARD_OPENCODE_PLUGIN_H_

#include <span>
#include <string>

namespace rpl {

/// The text of the module, with the program and its arguments, which no shell reads, and the time
/// after which a command that has not ended is killed. REQUIRES: the command is not empty.
std::string OpenCodePlugin(std::span<const std::string> command, int timeout_ms);

}  // namespace rpl

#endif  // RPL_SHELL_GUARD_OPENCODE_PLUGIN_H_
