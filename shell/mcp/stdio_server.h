// SPDX-License-Identifier: Apache-2.0
//
// The server on a pipe: messages of one line each on standard input and output.
//
// Standard output carries nothing but the protocol: whatever else the process writes there, a
// library or a tool, goes to standard error. The thread that reads never evaluates, so a ping is
// answered while a protocol runs. At the end of the input open calls are dropped and the process
// ends within a second; nothing is lost, because every turn is on disk before it is answered.
#ifndef RPL_SHELL_MCP_STDIO_SERVER_H_
#define RPL_SHELL_MCP_STDIO_SERVER_H_

namespace rpl {

struct McpService;

/// Serves until the input ends, and then ends the process.
[[noreturn]] void ServeStdio(McpService& service);

}  // namespace rpl

#endif  // RPL_SHELL_MCP_STDIO_SERVER_H_
