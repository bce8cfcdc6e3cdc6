// SPDX-License-Identifier: Apache-2.0
#include "runtime/tools/mcp_definition.h"

#include "checks/guard/guard_call.h"
#include "checks/guard/guard_store.h"
#include "formats/data/json_fields.h"

namespace rpl {

std::optional<McpToolDefinition> McpDefinitionOf(const nlohmann::ordered_json& tool) {
  McpToolDefinition out;
  out.name = TextAt(tool, "name");
  if (out.name.empty()) return std::nullopt;
  out.parts = nlohmann::ordered_json::object();
  for (const char* part : {"name", "description", "inputSchema", "outputSchema", "annotations"})
    if (const auto found = tool.find(part); found != tool.end()) out.parts[part] = *found;
  out.hash = ContentHash(CanonicalText(out.parts));
  return out;
}

}  // namespace rpl
