// SPDX-License-Identifier: Apache-2.0
//
// Findings as JSON (docs/schemas/check.json).
#ifndef RPL_RUNTIME_WIRE_FINDING_JSON_H_
#define RPL_RUNTIME_WIRE_FINDING_JSON_H_

#include <nlohmann/json.hpp>

#include "formats/diagnostic.h"
#include "interp/lint/checker.h"

namespace rpl {

/// {"code", "severity", "file", "line", "column", "endLine", "endColumn", "message", "hint",
/// "fixable"}.
nlohmann::ordered_json FindingJson(const Finding& finding, const Sources& sources);

}  // namespace rpl

#endif  // RPL_RUNTIME_WIRE_FINDING_JSON_H_
