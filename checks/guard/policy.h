// SPDX-License-Identifier: Apache-2.0
//
// A policy: guard rules as the Handlebar format writes them, in JSON or YAML.
//
//   {"policy": {…}, "rules": [{"priority": 10, "enabled": true, "name": "refund-limit",
//     "selector": {"phase": "tool.before", "tool": {"name": "refund*"}},
//     "condition": {"kind": "toolArg", …}, "effect": {"type": "block", "reason": "…"}}]}
//
// A file is that, a list of rules, or one rule. It is checked strictly and as a whole: one
// invalid rule refuses the policy, and all that is wrong is found at once, each with the
// path of its field (`rules[1].condition.all[0].not`). What is not known is refused, so that
// no part of a rule is ignored; what only the platform can evaluate is refused by its name.
#ifndef RPL_CHECKS_GUARD_POLICY_H_
#define RPL_CHECKS_GUARD_POLICY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checks/guard/condition.h"
#include "checks/guard/guard_call.h"
#include "formats/diagnostic.h"
#include "formats/yaml_tree.h"

namespace rpl {

/// Nesting of a policy: lists and maps, those around the conditions with them.
inline constexpr YamlLimits kPolicyLimits{std::size_t{16} << 20, 450, false};

struct ToolSelector {
  std::vector<std::string> names;     // globs; none: any
  std::vector<std::string> tags_all;  // without case
  std::vector<std::string> tags_any;
};

struct GuardRule {
  std::string id;  // the file's, or else the name
  std::string name;
  bool enabled = true;
  double priority = 0;
  CallPhase phase = CallPhase::kBefore;
  std::optional<ToolSelector> tool;  // none: never in play
  GuardCondition condition;
  Effect effect = Effect::kBlock;
  std::string reason;  // "" for none
  std::optional<Effect> on_missing;
};

struct Policy {
  bool enabled = true;
  bool enforced = true;  // not in the modes shadow and monitor
  std::optional<Effect> on_missing;
  /// The agents it is for, by slug or by tag; both empty: all.
  std::vector<std::string> agent_slugs;
  std::vector<std::string> agent_tags;
  std::vector<GuardRule> rules;  // in the order of the file
};

/// Reads a file. nullopt when it has errors, which go to `found`, with warnings. Where nothing
/// keeps a history, an enabled rule that reads it is an error: its cap would never be reached.
std::optional<Policy> ReadPolicy(const Sources& sources, std::uint32_t file, Diagnostics& found,
                                 bool keeps_history = true);

/// Whether the selector lets a rule come into play for a tool.
bool Selects(const ToolSelector& selector, const std::string& tool,
             const std::vector<std::string>& tags);

}  // namespace rpl

#endif  // RPL_CHECKS_GUARD_POLICY_H_
