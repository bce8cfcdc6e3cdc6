// SPDX-License-Identifier: Apache-2.0
#include "formats/data/sarif.h"

#include <fmt/format.h>

#include <utility>

#include "formats/character.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

std::string Uri(std::string_view path) {
  std::string out;
  for (const char c : path) {
    const bool plain =
        IsLetter(c) || IsDigit(c) || std::string_view("/-._~").find(c) != std::string_view::npos;
    if (plain) out += c;
    else out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return path.starts_with('/') ? "file://" + out : out;
}

ordered_json LocationIn(std::string_view file, ordered_json region) {
  return {{"physicalLocation",
           {{"artifactLocation", {{"uri", Uri(file)}}}, {"region", std::move(region)}}}};
}

}  // namespace

std::string_view SarifLevel(Severity severity) {
  return severity == Severity::kInfo ? "note" : SeverityName(severity);
}

ordered_json SarifLocation(Span span, const Sources& sources) {
  const Sources::Place begin = sources.PlaceOf(span.file, span.begin);
  const Sources::Place end = sources.PlaceOf(span.file, span.end);
  return LocationIn(sources.at(span.file).name, {{"startLine", begin.line},
                                                 {"startColumn", begin.column},
                                                 {"endLine", end.line},
                                                 {"endColumn", end.column}});
}

ordered_json SarifLocation(std::string_view file, std::uint32_t line) {
  return LocationIn(file, {{"startLine", line}});
}

ordered_json SarifLog(std::string_view version, ordered_json rules, ordered_json results,
                      ordered_json invocation) {
  ordered_json run = {
      {"tool", {{"driver", {{"name", "rpl"}, {"version", version}, {"rules", std::move(rules)}}}}},
      {"columnKind", "unicodeCodePoints"}};
  if (!invocation.is_null()) run["invocations"] = ordered_json::array({std::move(invocation)});
  run["results"] = std::move(results);
  return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
          {"version", "2.1.0"},
          {"runs", ordered_json::array({std::move(run)})}};
}

}  // namespace rpl
