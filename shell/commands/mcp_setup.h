// SPDX-License-Identifier: Apache-2.0
//
// What `rpl mcp` and `rpl serve` do alike with the options for the Model Context Protocol.
#ifndef RPL_SHELL_COMMANDS_MCP_SETUP_H_
#define RPL_SHELL_COMMANDS_MCP_SETUP_H_

#include "shell/commands/commands.h"
#include "shell/terminal/report.h"
#include "shell/mcp/mcp_service.h"

namespace rpl {

/// Sets how the service asks and answers, and with a policy that it decides about calls
/// (rpl_guard). Not kExitOk, after a message, if the policy cannot be used.
ExitCode SetUpMcp(const AskOptions& options, const EngineOptions& engine, McpService& service);

}  // namespace rpl

#endif  // RPL_SHELL_COMMANDS_MCP_SETUP_H_
