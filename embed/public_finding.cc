// SPDX-License-Identifier: Apache-2.0
#include "embed/public_finding.h"

namespace rpl {

Engine::Severity PublicSeverity(Severity severity) {
  switch (severity) {
    case Severity::kError: return Engine::Severity::kError;
    case Severity::kWarning: return Engine::Severity::kWarning;
    case Severity::kInfo: break;
  }
  return Engine::Severity::kInfo;
}

Severity OwnSeverity(Engine::Severity severity) {
  switch (severity) {
    case Engine::Severity::kError: return Severity::kError;
    case Engine::Severity::kWarning: return Severity::kWarning;
    case Engine::Severity::kInfo: break;
  }
  return Severity::kInfo;
}

std::vector<Engine::Finding> FindingsOf(const std::vector<Diagnostic>& diagnostics,
                                        const Sources& sources) {
  std::vector<Engine::Finding> out;
  for (const Diagnostic& d : diagnostics) {
    const Sources::Place place = sources.PlaceOf(d.span.file, d.span.begin);
    out.push_back({PublicSeverity(d.severity), CodeText(d.code), sources.at(d.span.file).name,
                   place.line, place.column, d.span.begin, d.span.end, d.message, d.hint,
                   Render(d, sources)});
  }
  return out;
}

Engine::Finding ErrorIn(const std::string& file, const std::string& message) {
  Engine::Finding out;
  out.file = file;
  out.message = message;
  out.rendered = (file.empty() ? "" : file + ": ") + message + "\n";
  return out;
}

}  // namespace rpl
