// SPDX-License-Identifier: Apache-2.0
//
// The input and output of a gateway (shell/gateway/mcp_gateway.h): lines between the host, on our
// standard input and output, and a server below a keeper.
//
// One loop of poll(2). A side that does not read stops the other: at most about a line waits for
// either. If the host closes our input, the server goes on until it has answered, or the host is
// gone; then its input is closed, and after two seconds each come SIGTERM and SIGKILL. SIGTERM,
// SIGINT and SIGHUP end it in the same way, without waiting for answers.
#ifndef RPL_SHELL_GATEWAY_MCP_RELAY_H_
#define RPL_SHELL_GATEWAY_MCP_RELAY_H_

#include "runtime/tools/server_process.h"
#include "shell/gateway/mcp_gateway.h"

namespace rpl {

/// Runs until the server has ended. Returns its exit code, 128 and the number for a signal, and
/// kExitFile if it could not be started, with a message on standard error. Changes the handlers of
/// the signals above and of SIGPIPE. REQUIRES: once in a process.
int RelayMcp(McpGateway& gateway, const ServerCommand& command);

}  // namespace rpl

#endif  // RPL_SHELL_GATEWAY_MCP_RELAY_H_
