// SPDX-License-Identifier: Apache-2.0
//
// The twelve rules of Rulespec said plainly, for tests only: what the engine's verdicts are
// compared with. It works on JSON and shares nothing with the rest of checks/.
#ifndef RPL_CHECKS_VERIFY_PLAIN_RULES_H_
#define RPL_CHECKS_VERIFY_PLAIN_RULES_H_

#include <nlohmann/json.hpp>
#include <string>

namespace rpl::plain {

/// Whether the rule holds for what the selector finds below `facts`. REQUIRES: a selector of
/// letters, dots, indexes and `[*]`, and a value that the rule takes.
bool Holds(const nlohmann::ordered_json& facts, const std::string& selector,
           const std::string& rule, const nlohmann::ordered_json& value);

}  // namespace rpl::plain

#endif  // RPL_CHECKS_VERIFY_PLAIN_RULES_H_
