// SPDX-License-Identifier: Apache-2.0
//
// A reference implementation of the twelve rules of Rulespec, for tests only: the engine's verdicts
// are compared with it. It works on JSON and shares no code with the rest of checks/.
#ifndef RPL_CHECKS_VERIFY_PLAIN_RULES_H_
#define RPL_CHECKS_VERIFY_PLAIN_RULES_H_

#include <nlohmann/json.hpp>
#include <string>

namespace rpl::plain {

/// True if the rule holds for the nodes that the selector selects below `facts`. REQUIRES: a
/// selector of letters, dots, indexes and `[*]`, and a value of the type that the rule takes.
bool Holds(const nlohmann::ordered_json& facts, const std::string& selector,
           const std::string& rule, const nlohmann::ordered_json& value);

}  // namespace rpl::plain

#endif  // RPL_CHECKS_VERIFY_PLAIN_RULES_H_
