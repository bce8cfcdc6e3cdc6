// SPDX-License-Identifier: Apache-2.0
//
// Outcomes as JSON (docs/schemas/outcome.json).
#ifndef RPL_RUNTIME_WIRE_OUTCOME_JSON_H_
#define RPL_RUNTIME_WIRE_OUTCOME_JSON_H_

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "interp/store/value.h"
#include "runtime/outcome.h"

namespace rpl {

/// An array of the violations that somebody accepted.
nlohmann::ordered_json OverriddenJson(const std::vector<Overridden>& overridden);

/// {"schema", "status", "goal", "answers", "reason", "pending"} and, if answers were cut off,
/// "cutOff". `answers` are maps from variables to values.
nlohmann::ordered_json OutcomeJson(std::string_view schema, const Outcome& outcome,
                                   const Pool& pool);

/// {"error", "hint"}: the result of a request that cannot be carried out as it stands, for the
/// caller to correct it. Without a hint it has none.
nlohmann::ordered_json FaultJson(const std::string& error, const std::string& hint = "");

}  // namespace rpl

#endif  // RPL_RUNTIME_WIRE_OUTCOME_JSON_H_
