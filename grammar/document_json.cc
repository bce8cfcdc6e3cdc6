// SPDX-License-Identifier: Apache-2.0
#include "grammar/document_json.h"

#include "grammar/ast_json.h"
#include "grammar/printer.h"

namespace rpl {
namespace {

using nlohmann::json;

json ScopeJson(const Scope& scope) {
  return {{"title", scope.title},
          {"level", scope.level},
          {"parent", scope.parent < 0 ? json(nullptr) : json(scope.parent)},
          {"span", SpanJson(scope.span)},
          {"signature", scope.signature ? json(Print(*scope.signature)) : json(nullptr)}};
}

json SentenceJson(const PlacedSentence& placed, const Sources& sources) {
  return {{"scope", placed.scope},
          {"fenced", placed.fenced},
          {"sentence", ToJson(placed.sentence, sources)}};
}

json ProseJson(const Prose& prose) {
  json spans = json::array();
  for (const ProseSpan& s : prose.spans) {
    spans.push_back({{"name", s.name}, {"span", SpanJson(s.span)}});
  }
  return {{"scope", prose.scope}, {"span", SpanJson(prose.span)}, {"spans", std::move(spans)}};
}

}  // namespace

json ToJson(const Document& document, const Sources& sources) {
  json object = {{"schema", "rpl.parse/1"},
                 {"file", sources.at(document.file).name},
                 {"scopes", json::array()},
                 {"sentences", json::array()},
                 {"prose", json::array()}};
  for (const Scope& s : document.scopes) object["scopes"].push_back(ScopeJson(s));
  for (const PlacedSentence& s : document.sentences) {
    object["sentences"].push_back(SentenceJson(s, sources));
  }
  for (const Prose& p : document.prose) object["prose"].push_back(ProseJson(p));
  return object;
}

}  // namespace rpl
