// SPDX-License-Identifier: Apache-2.0
//
// The table of the tools that the server offers, for every protocol the same ones: names,
// descriptions and schemas, in the order of the names.
//
// Input schemas are flat objects without composition, because some models' interfaces take no
// others. A description says what the tool does, when to call it, and what comes next, in under 400
// characters.
#ifndef RPL_SHELL_MCP_MCP_TOOLS_H_
#define RPL_SHELL_MCP_MCP_TOOLS_H_

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace rpl {

enum class ToolKind {
  kAnswer,
  kAssert,
  kCheck,
  kExplain,
  kGuard,
  kProtocols,
  kQuery,
  kRetract,
  kRun,
  kStatus,
  kTrace,
};

struct McpTool {
  ToolKind kind;
  std::string name;
  nlohmann::ordered_json about;  // as tools/list gives it, to the newest revision
  /// The members that the result of a call without a result has beside `error`, so that it fits the
  /// output schema; an empty object where a report of a run says it (RunFaultJson).
  nlohmann::ordered_json refused;
};

/// The tools; `with_policy`: including rpl_guard. `with_tools`: runs may call tools outside.
std::vector<McpTool> McpToolTable(bool with_policy, bool with_tools);

/// The entry of tools/list for a client of this revision.
nlohmann::ordered_json ToolFor(const McpTool& tool, std::string_view revision);

/// The reason why the arguments do not fit the schema of the tool, for a model that is to correct
/// them, or "". Checks types, required and unknown names, and the limits of numbers.
std::string ArgumentFault(const nlohmann::ordered_json& schema,
                          const nlohmann::ordered_json& arguments);

}  // namespace rpl

#endif  // RPL_SHELL_MCP_MCP_TOOLS_H_
