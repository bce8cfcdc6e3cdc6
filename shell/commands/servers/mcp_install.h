// SPDX-License-Identifier: Apache-2.0
//
// The settings by which a host of agents starts `rpl mcp`.
#ifndef RPL_SHELL_COMMANDS_SERVERS_MCP_INSTALL_H_
#define RPL_SHELL_COMMANDS_SERVERS_MCP_INSTALL_H_

#include <string>
#include <vector>

#include "shell/commands/servers/mcp_setup.h"
#include "shell/program/options.h"

namespace rpl {

/// rpl mcp [FILE|FOLDER…]: serves protocols to hosts of the Model Context Protocol.
struct McpOptions {
  std::vector<std::string> paths;
  std::string sessions;  // --sessions FOLDER; "": below the state folder
  std::string project;   // --project DIR, of protocols that bind an agent; "": the host's, or here
  std::string http;      // --http ADDRESS; "": standard input and output
  std::string token_file;  // --token-file FILE
  AskOptions answers;
  EngineOptions engine;      // config, allow_tools, guard, limits, threads
  bool install = false;      // rpl mcp install
  std::string host;          // --host NAME, of install
  std::string name = "rpl";  // --name NAME, of install
  bool write = false;        // --write, of install
};

/// rpl mcp install: prints the settings by which a host starts the server, or adds them to its
/// file. kExitInvalid if another server has the name; kExitFile for a file that cannot be used.
int InstallMcp(const McpOptions& options);

}  // namespace rpl

#endif  // RPL_SHELL_COMMANDS_SERVERS_MCP_INSTALL_H_
