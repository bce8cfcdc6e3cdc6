// SPDX-License-Identifier: Apache-2.0
//
// A policy: guard rules in the Handlebar format, as JSON or YAML.
//
//   {"policy": {…}, "rules": [{"priority": 10, "enabled": true, "name": "refund-limit",
//     "selector": {"phase": "tool.before", "tool": {"name": "refund*"}},
//     "condition": {"kind": "toolArg", …}, "effect": {"type": "block", "reason": "…"}}]}
//
// A file is such an object, a list of rules, or one rule. It is checked strictly and as a whole:
// one invalid rule makes the policy invalid, and all errors are found at once, each with the path
// of its field (`rules[1].condition.all[0].not`). Unknown keys are refused, so that no part of a
// rule is ignored; features that only the platform can evaluate are refused by name.
#ifndef RPL_CHECKS_GUARD_POLICY_H_
#define RPL_CHECKS_GUARD_POLICY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checks/guard/condition.h"
#include "checks/guard/guard_call.h"
#include "formats/data/yaml_tree.h"
#include "formats/diagnostic.h"

namespace rpl {

/// Limits of a policy file. The nesting includes the levels around the conditions.
inline constexpr YamlLimits kPolicyLimits{std::size_t{16} << 20, 450, false};

/// The tools that a rule is about. An empty list is no restriction.
struct ToolSelector {
  std::vector<std::string> names;     // globs
  std::vector<std::string> tags_all;  // compared ignoring case
  std::vector<std::string> tags_any;
};

/// A rule. Its id is unique in the policy.
struct GuardRule {
  std::string id;  // the file's id, or else the name: `n`, of several `n#1`, `n#2`, …
  std::string name;
  bool enabled = true;
  nlohmann::ordered_json priority = 0;  // a number
  CallPhase phase = CallPhase::kBefore;
  std::optional<ToolSelector> tool;  // absent: never in play
  GuardCondition condition;
  Effect effect = Effect::kBlock;
  std::string reason;  // "" for none
  std::optional<Effect> on_missing;
};

/// A policy without errors.
struct Policy {
  bool enabled = true;
  bool enforced = true;  // false in the modes shadow and monitor
  std::optional<Effect> on_missing;
  /// The agents for which the policy is meant, by slug or by tag; all if both are empty.
  std::vector<std::string> agent_slugs;
  std::vector<std::string> agent_tags;
  std::vector<GuardRule> rules;  // in the order of the file
};

/// Reads a file, which is untrusted. nullopt if it has errors. Errors and warnings are added to
/// `found`. If the host keeps no history (`keeps_history` false), an enabled rule that reads it is
/// an error, because its limit would never be reached.
std::optional<Policy> ReadPolicy(const Sources& sources, std::uint32_t file, Diagnostics& found,
                                 bool keeps_history = true);

/// The file as the tree of {policy: …, rules: […]}, whichever of the three forms it has. nullopt if
/// it is no YAML, with errors in `found`.
std::optional<YamlNode> PolicyTree(const Sources& sources, std::uint32_t file, Diagnostics& found);

/// True if the selector matches a tool with this name and these tags.
bool Selects(const ToolSelector& selector, const std::string& tool,
             const std::vector<std::string>& tags);

}  // namespace rpl

#endif  // RPL_CHECKS_GUARD_POLICY_H_
