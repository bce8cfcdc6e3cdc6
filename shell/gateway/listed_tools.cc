// SPDX-License-Identifier: Apache-2.0
#include "shell/gateway/listed_tools.h"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <vector>

#include "formats/data/json_fields.h"
#include "formats/data/json_schema.h"
#include "shell/gateway/mcp_reading.h"

namespace rpl {

void ListedTools::Learn(const Json& tools) {
  if (!tools.is_array()) return;
  std::vector<McpToolDefinition> definitions;
  for (const Json& tool : tools)
    if (auto definition = McpDefinitionOf(tool)) definitions.push_back(std::move(*definition));
  const std::vector<std::string> faults = decider_.Pin(definitions);
  std::set<std::string> seen;
  for (std::size_t i = 0; i < definitions.size(); ++i) {
    std::string fault = i < faults.size() ? faults[i] : "its definition is not pinned";
    Tool& tool = tools_[definitions[i].name];
    if (!seen.insert(definitions[i].name).second) {
      if (!tool.fault.empty()) fault = tool.fault;
      else if (tool.definition.hash != definitions[i].hash)
        fault = "the server lists it twice, with different definitions";
    }
    tool = {std::move(definitions[i]), std::move(fault)};
  }
}

void ListedTools::ListedAll() {
  listed_ = lists_ = true;
  decider_.ListedAll();
}

bool ListedTools::Filter(Json& result, bool from_start) {
  const auto tools = result.find("tools");
  if (result.is_null() || tools == result.end() || !tools->is_array()) return false;
  std::string fault = KeyFault(result, {"tools"});
  Learn(*tools);
  if (from_start && !result.contains("nextCursor")) ListedAll();
  Json kept = Json::array();
  for (const Json& tool : *tools) {
    const std::string name = TextAt(tool, "name");
    const auto known = tools_.find(name);
    const bool faulty = known != tools_.end() && !known->second.fault.empty();
    if (faulty) log_(fmt::format("the tool `{}` is not listed: {}", name, known->second.fault));
    if (!KeyFault(tool, {"name", "description", "inputSchema"}).empty()) continue;
    if (!faulty && !name.empty() && !decider_.Hides(name)) kept.push_back(tool);
  }
  if (fault.empty() && kept.size() == tools->size()) return false;
  *tools = fault.empty() ? std::move(kept) : Json::array();
  if (result.contains("cacheScope")) result["cacheScope"] = "private";
  return true;
}

void ListedTools::Forget() {
  tools_.clear();
  listed_ = false;
}

std::string ListedTools::FaultNow(const std::string& name) {
  const auto tool = tools_.find(name);
  if (tool == tools_.end() || tool->second.fault.empty()) return "";
  tool->second.fault = decider_.Pin({tool->second.definition}).front();
  return tool->second.fault;
}

std::string ListedTools::ArgumentFault(const GatewayCall& call) {
  std::set<std::string> known = decider_.ArgumentKeys(call.tool);
  const bool decides = !known.empty();
  std::string fault = ValueFault(call.args, known, decides);
  const auto tool = tools_.find(call.tool);
  if (!fault.empty() || !decides || tool == tools_.end()) return fault;
  const Json& schema = FieldAt(tool->second.definition.parts, "inputSchema");
  const Json& properties = FieldAt(schema, "properties");
  if (properties.is_object())
    for (const auto& [name, property] : properties.items()) known.insert(name);
  fault = KeyFault(call.args, known);
  if (!fault.empty() || schema.is_null()) return fault;
  const SchemaFit fit = FitsSchema(schema, call.args);
  if (fit.kind != SchemaFit::Kind::kNo) return "";
  return fmt::format("the arguments do not fit the schema of the tool{}: {}",
                     fit.where.empty() ? "" : " at " + fit.where, fit.why);
}

}  // namespace rpl
