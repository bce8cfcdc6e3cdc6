// SPDX-License-Identifier: Apache-2.0
#include "formats/data/diagnostic_json.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

ordered_json Begun(const char* code, const Diagnostic& d, const Sources& sources) {
  ordered_json out = {{code, CodeText(d.code)}, {"severity", SeverityName(d.severity)}};
  out.update(PlaceJson(d.span, sources));
  return out;
}

}  // namespace

ordered_json PlaceJson(Span span, const Sources& sources) {
  const Sources::Place place = sources.PlaceOf(span.file, span.begin);
  return {{"file", sources.at(span.file).name}, {"line", place.line}, {"column", place.column}};
}

ordered_json DiagnosticJson(const Diagnostic& d, const Sources& sources) {
  ordered_json out = Begun("code", d, sources);
  out["begin"] = d.span.begin;
  out["end"] = d.span.end;
  out["message"] = d.message;
  out["hint"] = d.hint;
  return out;
}

ordered_json FindingJson(const Diagnostic& d, const Sources& sources) {
  ordered_json out = Begun("code", d, sources);
  const Sources::Place end = sources.PlaceOf(d.span.file, d.span.end);
  out["endLine"] = end.line;
  out["endColumn"] = end.column;
  out["message"] = d.message;
  out["hint"] = d.hint;
  return out;
}

ordered_json ShortFindingJson(const Diagnostic& d, const Sources& sources) {
  ordered_json out = Begun("rule", d, sources);
  out["message"] = d.message;
  if (!d.hint.empty()) out["hint"] = d.hint;
  return out;
}

}  // namespace rpl
