// SPDX-License-Identifier: Apache-2.0
//
// Diagnostics as JSON, in the forms of docs/schemas. Texts are not escaped for a terminal.
#ifndef RPL_FORMATS_DATA_DIAGNOSTIC_JSON_H_
#define RPL_FORMATS_DATA_DIAGNOSTIC_JSON_H_

#include <nlohmann/json.hpp>

#include "formats/diagnostic.h"

namespace rpl {

/// {"file", "line", "column"} of the beginning of a span.
nlohmann::ordered_json PlaceJson(Span span, const Sources& sources);

/// A diagnostic with the bytes of its span: {"code", "severity", "file", "line", "column", "begin",
/// "end", "message", "hint"}, always all of them.
nlohmann::ordered_json DiagnosticJson(const Diagnostic& d, const Sources& sources);

/// A finding (docs/schemas/check.json): {"code", "severity", "file", "line", "column", "endLine",
/// "endColumn", "message", "hint"}.
nlohmann::ordered_json FindingJson(const Diagnostic& d, const Sources& sources);

/// A finding in short, for agents: {"rule", "severity", "file", "line", "column", "message"}, and
/// "hint" if there is one.
nlohmann::ordered_json ShortFindingJson(const Diagnostic& d, const Sources& sources);

}  // namespace rpl

#endif  // RPL_FORMATS_DATA_DIAGNOSTIC_JSON_H_
