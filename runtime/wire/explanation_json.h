// SPDX-License-Identifier: Apache-2.0
//
// Explanations as JSON (docs/schemas/explain.json).
#ifndef RPL_RUNTIME_WIRE_EXPLANATION_JSON_H_
#define RPL_RUNTIME_WIRE_EXPLANATION_JSON_H_

#include <nlohmann/json.hpp>

#include "formats/diagnostic.h"
#include "interp/explain/explain.h"

namespace rpl {

/// {"schema", "fact", "tree"}.
nlohmann::ordered_json ExplanationJson(const Explanation& explanation, const Sources& sources);

}  // namespace rpl

#endif  // RPL_RUNTIME_WIRE_EXPLANATION_JSON_H_
