// SPDX-License-Identifier: Apache-2.0
//
// Tools of servers of the Model Context Protocol, as `mcp` in rpl.yaml declares them
// (docs/tools.md).
//
// A server is started when its first tool is called, serves all calls of the run, and is ended with
// it (runtime/tools/mcp_client.h). Before a call its arguments are checked against the input schema
// of the tool, as far as FitsSchema can say, and the definition of the tool against the pinned one
// (Permission::Pin).
//
//   RPL                        the server reads
//   $customer(7)               {"id": 7}, by the names in `args`
//   $customer({"id": 7})       the same, without `args`: the map is all arguments
//
// A result is `structuredContent`, else the text if there is one text alone (read as JSON with
// `json: true`), else the list of the contents. Errors besides those of commands
// (runtime/tools/tool.h):
//
//   tool          the server says that the call failed
//   mcp           an error of the protocol; its number is the tool's own code
//   denied        the definition of the tool changed, and nobody approved it
//   bad-request   the arguments are not those of the tool
//
// Calls of one server run at the same time, up to the concurrency of the run; servers take turns.
#ifndef RPL_RUNTIME_TOOLS_MCP_TOOLS_H_
#define RPL_RUNTIME_TOOLS_MCP_TOOLS_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/tools/permission.h"
#include "runtime/tools/tool.h"

namespace rpl {

class McpClient;

class McpTools {
 public:
  /// Borrows the permission.
  explicit McpTools(Permission& permission);
  ~McpTools();

  /// The results of the calls, in their order. REQUIRES: each call is of a tool of a server.
  std::vector<ToolResult> Call(const std::vector<CommandCall>& calls, const ToolRun& run);

 private:
  Permission& permission_;
  std::map<std::string, std::unique_ptr<McpClient>> clients_;  // by the name of the server
};

}  // namespace rpl

#endif  // RPL_RUNTIME_TOOLS_MCP_TOOLS_H_
