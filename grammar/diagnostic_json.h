// SPDX-License-Identifier: Apache-2.0
//
// A finding as JSON.
#ifndef RPL_GRAMMAR_DIAGNOSTIC_JSON_H_
#define RPL_GRAMMAR_DIAGNOSTIC_JSON_H_

#include <nlohmann/json.hpp>

#include "grammar/diagnostic.h"

namespace rpl {

/// {"code", "severity", "file", "line", "column", "begin", "end", "message", "hint"}
nlohmann::ordered_json DiagnosticJson(const Diagnostic& d, const Sources& sources);

}  // namespace rpl

#endif  // RPL_GRAMMAR_DIAGNOSTIC_JSON_H_
