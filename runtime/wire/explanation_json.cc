// SPDX-License-Identifier: Apache-2.0
#include "runtime/wire/explanation_json.h"

#include <utility>
#include <vector>

#include "interp/explain/explain_print.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

// {"file", "line", "column", "begin", "end"}
ordered_json SpanJson(Span span, const Sources& sources) {
  const Sources::Place place = sources.PlaceOf(span.file, span.begin);
  return {{"file", sources.at(span.file).name},
          {"line", place.line},
          {"column", place.column},
          {"begin", span.begin},
          {"end", span.end}};
}

ordered_json NodeJson(const ExplainNode& node, const Sources& sources) {
  ordered_json out = {{"kind", ExplainKindName(node.kind)}, {"text", node.text}};
  if (!node.note.empty()) out["note"] = node.note;
  if (!node.rule.empty()) out["rule"] = node.rule;
  if (node.placed) out["span"] = SpanJson(node.place, sources);
  if (node.above) out["above"] = true;
  return out;
}

// Built in reverse order, because premises have larger indexes than their conclusions.
ordered_json TreeJson(const Explanation& explanation, const Sources& sources) {
  std::vector<ordered_json> made(explanation.nodes.size());
  for (std::size_t i = made.size(); i-- > 0;) {
    const ExplainNode& node = explanation.nodes[i];
    made[i] = NodeJson(node, sources);
    if (node.premises.empty()) continue;
    ordered_json premises = ordered_json::array();
    for (int premise : node.premises)
      premises.push_back(std::move(made[static_cast<std::size_t>(premise)]));
    made[i]["premises"] = std::move(premises);
  }
  return std::move(made.front());
}

}  // namespace

ordered_json ExplanationJson(const Explanation& explanation, const Sources& sources) {
  return {{"schema", "rpl.explain/1"},
          {"fact", explanation.nodes.front().text},
          {"tree", TreeJson(explanation, sources)}};
}

}  // namespace rpl
