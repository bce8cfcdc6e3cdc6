// SPDX-License-Identifier: Apache-2.0
//
// The subset of SARIF 2.1.0 in which findings and the results of checks are written.
//
// Places are lines from 1 and columns from 1 in code points. A path becomes a URI: relative paths
// stay relative, absolute ones begin with `file://`, and bytes outside the unreserved set are
// percent-encoded.
#ifndef RPL_FORMATS_DATA_SARIF_H_
#define RPL_FORMATS_DATA_SARIF_H_

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "formats/diagnostic.h"

namespace rpl {

/// "error", "warning" or "note".
std::string_view SarifLevel(Severity severity);

/// A `location` object for a span of a source, or for a line (from 1) of a file.
nlohmann::ordered_json SarifLocation(Span span, const Sources& sources);
nlohmann::ordered_json SarifLocation(std::string_view file, std::uint32_t line);

/// The log of one run of rpl. `rules` and `results` are arrays of SARIF objects; `invocation` is
/// one object, or null to leave it out.
nlohmann::ordered_json SarifLog(std::string_view version, nlohmann::ordered_json rules,
                                nlohmann::ordered_json results,
                                nlohmann::ordered_json invocation = nullptr);

}  // namespace rpl

#endif  // RPL_FORMATS_DATA_SARIF_H_
