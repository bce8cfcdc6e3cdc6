// SPDX-License-Identifier: Apache-2.0
//
// A finding as JSON.
#ifndef RPL_FORMATS_DIAGNOSTIC_JSON_H_
#define RPL_FORMATS_DIAGNOSTIC_JSON_H_

#include <nlohmann/json.hpp>

#include "formats/diagnostic.h"

namespace rpl {

/// {"code", "severity", "file", "line", "column", "begin", "end", "message", "hint"}
nlohmann::ordered_json DiagnosticJson(const Diagnostic& d, const Sources& sources);

}  // namespace rpl

#endif  // RPL_FORMATS_DIAGNOSTIC_JSON_H_
