// SPDX-License-Identifier: Apache-2.0
#include "grammar/ast_json.h"

#include <type_traits>
#include <variant>

#include "grammar/abductives.h"
#include "grammar/printer.h"

namespace rpl {
namespace {

using nlohmann::json;

json SpanJson(Span span) { return json::array({span.begin, span.end}); }

json All(const Nodes& nodes) {
  json out = json::array();
  for (const Node& node : nodes) out.push_back(ToJson(node));
  return out;
}

const char* Spelling(Namespace ns) {
  switch (ns) {
    case Namespace::kRelation: return "relation";
    case Namespace::kGoal: return "goal";
    case Namespace::kTool: return "tool";
  }
  return "";
}

const char* Spelling(CollectionKind kind) {
  switch (kind) {
    case CollectionKind::kList: return "list";
    case CollectionKind::kSet: return "set";
    case CollectionKind::kMap: return "map";
  }
  return "";
}

struct Fields {
  json& out;

  void operator()(const Lvar& v) { Named("lvar", v.name); }
  void operator()(const Avar& v) { Named("avar", v.name); }
  void operator()(const Keyword& v) { Named("keyword", v.name); }
  void operator()(const Symbol& v) { Named("symbol", v.name); }
  void operator()(const Expansion& v) { Named("expansion", v.name); }
  void operator()(const String& v) {
    out["kind"] = "string";
    out["text"] = v.text;
  }
  void operator()(const Template& v) {
    out["kind"] = "template";
    out["texts"] = v.texts;
    out["holes"] = v.holes;
  }
  void operator()(const Number& v) {
    out["kind"] = "number";
    std::visit([this](auto value) { out["value"] = value; }, v.value);
  }
  void operator()(const Boolean& v) {
    out["kind"] = "boolean";
    out["value"] = v.value;
  }
  void operator()(const Nil&) { out["kind"] = "nil"; }
  void operator()(const Now&) { out["kind"] = "now"; }
  void operator()(const Regex& v) {
    out["kind"] = "regex";
    out["body"] = v.body;
  }
  void operator()(const Match& v) { Parts("match", "pattern", v.pattern); }
  void operator()(const Collection& v) {
    out["kind"] = Spelling(v.kind);
    out["items"] = All(v.items);
    out["rest"] = All(v.rest);
    out["dotted"] = v.dotted;
  }
  void operator()(const Call& v) {
    out["kind"] = "call";
    out["namespace"] = Spelling(v.ns);
    out["label"] = v.label;
    out["args"] = All(v.args);
    out["parens"] = v.parens;
  }
  void operator()(const Count& v) { Parts("count", "operand", v.operand); }
  void operator()(const Not& v) { Parts("not", "clause", v.clause); }
  void operator()(const GoalFalse& v) { Parts("goal-false", "goal", v.goal); }
  void operator()(const Binary& v) {
    Parts("binary", "sides", v.sides);
    out["op"] = OperatorText(v.op);
  }
  void operator()(const Within& v) { Parts("within", "parts", v.parts); }
  void operator()(const Between& v) { Parts("between", "parts", v.parts); }
  void operator()(const Conjunction& v) { Parts("conjunction", "clauses", v.clauses); }
  void operator()(const Disjunction& v) { Parts("disjunction", "branches", v.branches); }
  void operator()(const Group& v) { Parts("group", "inner", v.inner); }
  void operator()(const Annotated& v) {
    Parts("annotated", "form", v.form);
    out["suffixes"] = json::array();
    for (const Suffix& s : v.suffixes) {
      out["suffixes"].push_back({{"bindings", s.bindings},
                                 {"key", All(s.key)},
                                 {"value", All(s.value)},
                                 {"span", SpanJson(s.span)}});
    }
  }
  void operator()(const Rule& v) {
    out["kind"] = "rule";
    out["heads"] = All(v.heads);
    out["tail"] = All(v.tail);
    out["abductives"] = json::array();
    for (const Abductive& a : v.abductives) {
      out["abductives"].push_back({{"kind", AbductiveOf(a.kind).word},
                                   {"clauses", All(a.clauses)},
                                   {"span", SpanJson(a.span)}});
    }
    out["constraints"] = All(v.constraints);
  }

  void Named(const char* kind, const std::string& name) {
    out["kind"] = kind;
    out["name"] = name;
  }
  void Parts(const char* kind, const char* field, const Nodes& nodes) {
    out["kind"] = kind;
    out[field] = All(nodes);
  }
};

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

json ToJson(const Node& node) {
  json out = json::object();
  std::visit(Fields{out}, node.is);
  out["span"] = SpanJson(node.span);
  return out;
}

json ToJson(const Sentence& sentence, const Sources& sources) {
  json out = json::object();
  Fields{out}(sentence.rule);
  out["kind"] = "sentence";
  const Sources::Place place = sources.PlaceOf(sentence.span.file, sentence.span.begin);
  out["file"] = sources.at(sentence.span.file).name;
  out["line"] = place.line;
  out["column"] = place.column;
  out["span"] = SpanJson(sentence.span);
  return out;
}

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
