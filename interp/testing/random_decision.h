// SPDX-License-Identifier: Apache-2.0
//
// Random policies and calls, to compare the decision of a guard with that of the policy printed as
// RPL (checks/guard/policy_program.h), which the engine evaluates.
#ifndef RPL_INTERP_TESTING_RANDOM_DECISION_H_
#define RPL_INTERP_TESTING_RANDOM_DECISION_H_

#include <optional>
#include <string>

namespace rpl {

/// The answer of the engine to `decision(?effect, ?rule)`, or the errors of the program.
std::string DecisionOf(const std::string& program);

/// Decides about the call of this seed in both ways. The policy, the program and both decisions if
/// they differ; nullopt if they agree.
std::optional<std::string> CompareDecision(unsigned seed);

}  // namespace rpl

#endif  // RPL_INTERP_TESTING_RANDOM_DECISION_H_
