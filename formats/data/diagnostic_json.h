// SPDX-License-Identifier: Apache-2.0
//
// The JSON form of a diagnostic, as `--json` outputs print it.
#ifndef RPL_FORMATS_DATA_DIAGNOSTIC_JSON_H_
#define RPL_FORMATS_DATA_DIAGNOSTIC_JSON_H_

#include <nlohmann/json.hpp>

#include "formats/diagnostic.h"

namespace rpl {

/// An object with the keys "code", "severity", "file", "line", "column", "begin", "end", "message"
/// and "hint", always all of them. Line and column are those of Sources::Place, begin and end byte
/// offsets. Texts are not escaped for a terminal.
nlohmann::ordered_json DiagnosticJson(const Diagnostic& d, const Sources& sources);

}  // namespace rpl

#endif  // RPL_FORMATS_DATA_DIAGNOSTIC_JSON_H_
