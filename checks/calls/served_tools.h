// SPDX-License-Identifier: Apache-2.0
//
// The mapping from a host's name for a tool to the tool of an MCP server.
//
// Hosts join the two names in their own ways: `mcp__SERVER__TOOL` (Claude Code, Codex),
// `mcp_SERVER_TOOL` (Gemini CLI), `SERVER-TOOL` (Copilot CLI), `SERVER_TOOL` (OpenCode), `MCP:TOOL`
// (Cursor), or give the tool alone. Both names may hold the separator: then each way to part them
// is an open row, and one is the tool alone. A closed row is the only way to part a name that
// begins with `mcp_`, and the first one of `mcp__`, as those hosts read it.
#ifndef RPL_CHECKS_CALLS_SERVED_TOOLS_H_
#define RPL_CHECKS_CALLS_SERVED_TOOLS_H_

#include <string_view>

#include "checks/calls/call_rows.h"
#include "checks/calls/call_views.h"

namespace rpl {

/// Whether a name is one that a host has for tools of MCP servers alone.
bool IsServedName(std::string_view name);

/// Adds the rows of `serves` of a call that is one of an MCP server, or may be one.
void AddServes(const HostCall& call, CallViews& views);

}  // namespace rpl

#endif  // RPL_CHECKS_CALLS_SERVED_TOOLS_H_
