// SPDX-License-Identifier: Apache-2.0
//
// The effects of a host's tool call as rows, by the host's name for the tool.
//
// Names of all hosts are in one table; where two hosts give one name to tools of different
// arguments, each argument is looked for. A tool of the table whose arguments have another form
// than the table says is undecided. A tool that is not in the table has no rows of commands, files
// and addresses, and none is open; but it may be one of an MCP server (served_tools.h).
#ifndef RPL_CHECKS_CALLS_CALL_VIEWS_H_
#define RPL_CHECKS_CALLS_CALL_VIEWS_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "checks/calls/call_paths.h"
#include "checks/calls/call_rows.h"
#include "checks/calls/shell_reader.h"

namespace rpl {

/// A call of a host's tool; all of it is untrusted.
struct HostCall {
  std::string tool;
  nlohmann::ordered_json arguments;
  /// Of a tool of which the host says that it is one of an MCP server: that server, "" if the host
  /// does not name it. The tool is then its name on the server.
  std::optional<std::string> server = std::nullopt;
  /// The tool is one of the host itself, and no server's.
  bool is_own = false;
  /// A tool of a server that does what a built-in one does: the name of that one; "" if none does.
  std::string reads_as = {};
};

/// Whether a tool of that name can be read: one of the table.
bool IsReadTool(std::string_view name);
/// Whether it runs commands, also those that cannot be read.
bool IsShellTool(std::string_view name);

/// The rows of a call. Looks at files and links, and starts the parser through `reader`; does not
/// throw. At most 64 kB of shell text and 500 commands are read: more is undecided.
CallViews ViewsOf(const HostCall& call, const CallPlace& place, ShellReader& reader);

}  // namespace rpl

#endif  // RPL_CHECKS_CALLS_CALL_VIEWS_H_
