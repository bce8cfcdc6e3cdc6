// SPDX-License-Identifier: Apache-2.0
#include "runtime/wire/finding_json.h"

namespace rpl {

nlohmann::ordered_json FindingJson(const Finding& finding, const Sources& sources) {
  const Diagnostic& d = finding.diagnostic;
  const Sources::Place begin = sources.PlaceOf(d.span.file, d.span.begin);
  const Sources::Place end = sources.PlaceOf(d.span.file, d.span.end);
  return {{"code", CodeText(d.code)},
          {"severity", SeverityName(d.severity)},
          {"file", sources.at(d.span.file).name},
          {"line", begin.line},
          {"column", begin.column},
          {"endLine", end.line},
          {"endColumn", end.column},
          {"message", d.message},
          {"hint", d.hint},
          {"fixable", finding.fixable()}};
}

}  // namespace rpl
