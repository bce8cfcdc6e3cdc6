// SPDX-License-Identifier: Apache-2.0
//
// The outlook of a policy: a guard's answer about a tool before there is a call of it.
//
// Only the name and the tags of the tool are known. A condition about anything else may hold, so
// that an answer here is a promise about every call.
#ifndef RPL_CHECKS_GUARD_POLICY_OUTLOOK_H_
#define RPL_CHECKS_GUARD_POLICY_OUTLOOK_H_

#include <set>
#include <string>
#include <vector>

#include "checks/guard/guard.h"

namespace rpl {

/// A tool by its name in policies.
struct GuardedTool {
  std::string name;
  std::vector<std::string> tags;
};

/// True if every call of the tool is blocked: by a rule whose condition holds for all of its calls,
/// or, where the host blocks unmatched calls, because no rule could allow one.
bool NeverAllows(const Guard& guard, const GuardedTool& tool);

/// The keys of arguments that rules in play for the tool read: the parts of their dot paths.
/// Empty if no rule reads an argument.
std::set<std::string> ReadArguments(const Guard& guard, const GuardedTool& tool);

/// True if a rule for `tool.after` may withhold a result of the tool.
bool MayWithhold(const Guard& guard, const GuardedTool& tool);

}  // namespace rpl

#endif  // RPL_CHECKS_GUARD_POLICY_OUTLOOK_H_
