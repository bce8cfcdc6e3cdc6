// SPDX-License-Identifier: Apache-2.0
//
// The definition of a tool as a server of the Model Context Protocol lists it. Whoever approved a
// tool approved this; a server that changes it later has another tool under the same name.
#ifndef RPL_RUNTIME_TOOLS_MCP_DEFINITION_H_
#define RPL_RUNTIME_TOOLS_MCP_DEFINITION_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace rpl {

struct McpToolDefinition {
  std::string name;
  nlohmann::ordered_json parts;  // what is pinned: name, description, schemas, annotations
  std::string hash;              // of the parts
};
/// The definition in an entry of a list of tools; nullopt without a name.
std::optional<McpToolDefinition> McpDefinitionOf(const nlohmann::ordered_json& tool);

}  // namespace rpl

#endif  // RPL_RUNTIME_TOOLS_MCP_DEFINITION_H_
