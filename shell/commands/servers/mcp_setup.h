// SPDX-License-Identifier: Apache-2.0
//
// The set-up that `rpl mcp` and `rpl serve` share, by the options of the Model Context Protocol.
#ifndef RPL_SHELL_COMMANDS_SERVERS_MCP_SETUP_H_
#define RPL_SHELL_COMMANDS_SERVERS_MCP_SETUP_H_

#include <string>

#include "shell/commands/command_options.h"
#include "shell/program/options.h"
#include "shell/terminal/exit_code.h"

namespace rpl {

struct McpService;

/// How calls of the Model Context Protocol are answered.
struct AskOptions {
  std::string ask = "auto";  // --ask WHEN: auto, never, always
  int ask_timeout = 45;      // --ask-timeout SECONDS
  int reply_within = 45;     // --reply-within SECONDS
};
void AddAskOptions(CommandOptions command, AskOptions& to);

/// Sets how the service asks and answers, and with a policy that it decides about calls
/// (rpl_guard). Not kExitOk, after a message, if the policy cannot be used.
ExitCode SetUpMcp(const AskOptions& options, const EngineOptions& engine, McpService& service);

}  // namespace rpl

#endif  // RPL_SHELL_COMMANDS_SERVERS_MCP_SETUP_H_
