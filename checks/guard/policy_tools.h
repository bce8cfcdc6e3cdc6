// SPDX-License-Identifier: Apache-2.0
//
// A policy held against the tools that there are: rules that can never match, because no tool has
// the name or the argument that they are about, or not of that type.
//
// The tools come from a configuration (the sections `tools` and `guard`), or from a list as an MCP
// server prints it: {"tools": [{"name": "issueRefund", "inputSchema": {…}}]}, where names alone and
// the list without the map are read, too. What is not known of a tool, such as its tags or a schema
// without properties, is never a finding.
#ifndef RPL_CHECKS_GUARD_POLICY_TOOLS_H_
#define RPL_CHECKS_GUARD_POLICY_TOOLS_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "checks/guard/guard_config.h"
#include "formats/diagnostic.h"

namespace rpl {

/// A tool that calls may name.
struct KnownTool {
  std::string name;
  std::optional<std::vector<std::string>> tags;  // nullopt: not known
  nlohmann::ordered_json schema;                 // of its arguments (JSON Schema); null: not known
};

/// Reads a list of tools. After errors, which are added to `found`, the list is not complete.
std::vector<KnownTool> ReadKnownTools(const Sources& sources, std::uint32_t file,
                                      Diagnostics& found);

/// The tools of a configuration, by the names that policies use. `labels`: those with a command.
std::vector<KnownTool> KnownToolsOf(const GuardConfig& config,
                                    const std::vector<std::string>& labels);

/// Adds a finding for each part of the policy that no tool can match. REQUIRES: the file is a
/// policy without errors.
void CheckTools(const Sources& sources, std::uint32_t policy, const std::vector<KnownTool>& tools,
                Diagnostics& found);

}  // namespace rpl

#endif  // RPL_CHECKS_GUARD_POLICY_TOOLS_H_
