// SPDX-License-Identifier: Apache-2.0
#include "formats/data/diagnostic_json.h"

namespace rpl {

nlohmann::ordered_json DiagnosticJson(const Diagnostic& d, const Sources& sources) {
  const Sources::Place place = sources.PlaceOf(d.span.file, d.span.begin);
  return {{"code", CodeText(d.code)},
          {"severity", SeverityName(d.severity)},
          {"file", sources.at(d.span.file).name},
          {"line", place.line},
          {"column", place.column},
          {"begin", d.span.begin},
          {"end", d.span.end},
          {"message", d.message},
          {"hint", d.hint}};
}

}  // namespace rpl
