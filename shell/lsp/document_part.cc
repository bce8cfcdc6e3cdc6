// SPDX-License-Identifier: Apache-2.0
#include "shell/lsp/document_part.h"

#include <algorithm>
#include <utility>

#include "formats/character.h"
#include "interp/program/program.h"
#include "interp/store/store.h"

namespace rpl::lsp {
namespace {

std::uint32_t Size(std::string_view text) { return static_cast<std::uint32_t>(text.size()); }

NameKind KindOf(Namespace ns) {
  switch (ns) {
    case Namespace::kGoal: return NameKind::kGoal;
    case Namespace::kTool: return NameKind::kTool;
    case Namespace::kRelation: break;
  }
  return NameKind::kRelation;
}

}  // namespace

std::string Name::Text() const {
  const std::string full = space.empty() ? label : space + "#" + label;
  switch (kind) {
    case NameKind::kRelation: return full + "/" + std::to_string(arity);
    case NameKind::kGoal: return "%" + full;
    case NameKind::kTool: return "$" + full;
    case NameKind::kLvar: return "?" + full;
    case NameKind::kAvar: return "$" + full;
  }
  return full;
}

std::size_t Name::Hash() const {
  constexpr std::size_t kMix = 1'000'003;
  const std::hash<std::string_view> of;
  return ((of(label) * kMix + of(space)) * kMix + arity) * kMix + static_cast<std::size_t>(kind);
}

// Collects the occurrences of one sentence.
class DocumentPart::Collector {
 public:
  Collector(DocumentPart& to, int sentence) : to_(to), sentence_(sentence) {}

  void Take(const PartSentence& in) {
    const Rule& rule = in.sentence->rule;
    if (in.role == SentenceRole::kAssertion) {
      const bool taken_back = !rule.constraints.empty() && IsFalse(rule.constraints.front());
      if (!taken_back)
        for (const Node& node : rule.tail) MarkFacts(node);
    }
    VisitRule(rule);
  }

 private:
  static bool IsFalse(const Node& node) {
    const auto* truth = Ungroup(node).As<Boolean>();
    return truth != nullptr && !truth->value;
  }

  void MarkFacts(const Node& at) {
    const Node& node = Ungroup(at);
    if (node.As<Call>() != nullptr) facts_.push_back(&node);
    if (const auto* a = node.As<Annotated>()) MarkFacts(a->form.front());
    if (const auto* c = node.As<Conjunction>())
      for (const Node& clause : c->clauses) MarkFacts(clause);
  }

  void VisitRule(const Rule& rule) {
    for (const Node& head : rule.heads) {
      const Node* at = &Ungroup(head);
      if (const auto* a = at->As<Annotated>()) at = &Ungroup(a->form.front());
      heads_.push_back(at);
      Visit(head);
      heads_.pop_back();
    }
    for (const Node& node : rule.tail) Visit(node);
    for (const Abductive& a : rule.abductives)
      for (const Node& clause : a.clauses) Visit(clause);
    for (const Node& node : rule.constraints) Visit(node);
  }

  void Visit(const Node& node) {
    const auto children = [&] { ForEachChild(node, [&](const Node& child) { Visit(child); }); };
    rpl::Visit(
        node, [&](const Rule& rule) { VisitRule(rule); },
        [&](const Annotated& a) { VisitAnnotated(a); },
        [&](const Call& call) {
          AddCall(node, call);
          children();
        },
        [&](const Lvar& v) { AddVariable(NameKind::kLvar, v.name, node.span, 1); },
        [&](const Avar& v) { AddVariable(NameKind::kAvar, v.name, node.span, 1); },
        [&](const Expansion& e) { AddVariable(NameKind::kLvar, e.name, node.span, 2); },
        [&](const Template&) { AddHoles(node.span); }, [&](const Regex&) { AddGroups(node.span); },
        [&](const Among<String, Number, Keyword, Symbol, Boolean, Nil, Match, Now, Collection,
                        Count, Not, GoalFalse, Binary, Within, Between, Conjunction, Disjunction,
                        Group> auto&) { children(); });
  }

  void VisitAnnotated(const Annotated& annotated) {
    for (const Node& form : annotated.form) Visit(form);
    for (const Suffix& suffix : annotated.suffixes) {
      if (suffix.bindings) {
        for (const Node& key : suffix.key) AddBindingKey(key);
        for (const Node& value : suffix.value) VisitBindings(value);
        continue;
      }
      for (const Node& value : suffix.value)
        if (!suffix.key.empty() && IsBindings(suffix.key.front())) VisitBindings(value);
        else VisitMetadata(value);
    }
  }

  static bool IsBindings(const Node& key) {
    const auto* keyword = key.As<Keyword>();
    return keyword != nullptr && keyword->name == "bindings";
  }

  static const Collection* MapOf(const Node& at) {
    const Node* map = &at;
    if (const auto* match = at.As<Match>(); match && !match->pattern.empty())
      map = &match->pattern.front();
    const auto* collection = map->As<Collection>();
    return collection != nullptr && collection->kind == CollectionKind::kMap ? collection : nullptr;
  }

  // `{:bindings {?x 1}}` has a binding map in it.
  void VisitMetadata(const Node& at) {
    const Collection* map = MapOf(at);
    if (map == nullptr) return Visit(at);
    for (std::size_t i = 0; i < map->items.size(); ++i)
      if (i % 2 == 1 && IsBindings(map->items[i - 1])) VisitBindings(map->items[i]);
      else Visit(map->items[i]);
    for (const Node& rest : map->rest) Visit(rest);
  }

  // A key of a binding map spells a slot of the form, not a variable of this sentence.
  void VisitBindings(const Node& at) {
    const Collection* map = MapOf(at);
    if (map == nullptr) return Visit(at);
    for (std::size_t i = 0; i < map->items.size(); ++i)
      if (i % 2 == 0) AddBindingKey(map->items[i]);
      else Visit(map->items[i]);
    for (const Node& rest : map->rest) Visit(rest);
  }

  void AddBindingKey(const Node& key) {
    if (const auto* v = key.As<Lvar>()) to_.binding_keys_.emplace(v->name, key.span);
    if (const auto* s = key.As<Symbol>()) to_.binding_keys_.emplace(s->name, key.span);
  }

  void AddCall(const Node& node, const Call& call) {
    const std::string_view text = to_.sources_.Text(node.span);
    const std::uint32_t mark = call.ns == Namespace::kRelation ? 0 : 1;
    if (text.size() < mark || !text.substr(mark).starts_with(call.label)) return;
    Occurrence out;
    const std::size_t hash = call.label.find('#');
    const std::uint32_t skip = hash == call.label.npos ? 0 : static_cast<std::uint32_t>(hash) + 1;
    out.name.kind = KindOf(call.ns);
    if (skip > 0) out.name.space = call.label.substr(0, hash);
    out.name.label = call.label.substr(skip);
    if (call.ns == Namespace::kRelation) out.name.arity = call.args.size();
    out.span.begin = node.span.begin + mark + skip;
    out.span.end = node.span.begin + mark + Size(call.label);
    out.whole = node.span;
    out.call = &node;
    if (std::ranges::find(heads_, &node) != heads_.end()) out.role = Occurrence::Role::kHead;
    else if (std::ranges::find(facts_, &node) != facts_.end()) out.role = Occurrence::Role::kFact;
    Add(std::move(out));
  }

  void AddVariable(NameKind kind, const std::string& name, Span whole, std::uint32_t mark) {
    if (name.empty() || whole.end - whole.begin != mark + Size(name)) return;
    Occurrence out;
    out.name = {kind, "", name, 0};
    out.span = {whole.file, whole.begin + mark, whole.end};
    out.whole = whole;
    Add(std::move(out));
  }

  // The holes of a template, {?x}: a backslash escapes what follows.
  void AddHoles(Span span) {
    const std::string_view text = to_.sources_.Text(span);
    for (std::size_t at = 0; at + 1 < text.size(); ++at) {
      if (text[at] == '\\') {
        ++at;
        continue;
      }
      if (text[at] != '{' || text[at + 1] != '?') continue;
      std::size_t end = at + 2;
      while (end < text.size() && IsNameChar(text[end])) ++end;
      if (end < text.size() && text[end] == '}')
        AddVariable(NameKind::kLvar, std::string(text.substr(at + 2, end - at - 2)),
                    {span.file, span.begin + static_cast<std::uint32_t>(at) + 1,
                     span.begin + static_cast<std::uint32_t>(end)},
                    1);
      at = end - 1;
    }
  }

  // The named groups of a regex: `(?<two_words>…)` binds ?two-words.
  void AddGroups(Span span) {
    const Regex raw{std::string(to_.sources_.Text(span))};
    ForEachGroup(raw, [&](std::size_t begin, std::size_t size) {
      Occurrence out;
      out.name = {NameKind::kLvar, "", LvarOfGroup(std::string_view(raw.body).substr(begin, size)),
                  0};
      out.span = {span.file, span.begin + static_cast<std::uint32_t>(begin),
                  span.begin + static_cast<std::uint32_t>(begin + size)};
      out.whole = out.span;
      if (!out.name.label.empty()) Add(std::move(out));
    });
  }

  void Add(Occurrence occurrence) {
    occurrence.sentence = sentence_;
    occurrence.span.file = occurrence.whole.file;
    to_.occurrences_.push_back(std::move(occurrence));
  }

  DocumentPart& to_;
  const int sentence_;
  std::vector<const Node*> heads_;
  std::vector<const Node*> facts_;
};

DocumentPart::DocumentPart(std::string name, std::string text) {
  sources_.Add(std::move(name), std::move(text));
  document_ = ReadDocument(sources_, 0, findings_);
  {
    Diagnostics ignored;  // of loading: the checker reports them
    Pool pool;
    Store store(pool);
    Program program(store, sources_);
    AddSentences(program.Load(document_, ignored).readings);
  }
  for (std::size_t i = 0; i < sentences_.size(); ++i)
    Collector(*this, static_cast<int>(i)).Take(sentences_[i]);
  for (const Occurrence& o : occurrences_)
    if (o.defines() && o.name.kind == NameKind::kRelation && o.name.arity == 1 &&
        o.name.space.empty() && !sentences_[static_cast<std::size_t>(o.sentence)].signature)
      offered_.insert(o.name.label);
  AddProse();
  std::ranges::stable_sort(occurrences_, {}, [](const Occurrence& o) { return o.span.begin; });
  for (const Occurrence& o : occurrences_) hashes_.push_back(o.name.Hash());
}

void DocumentPart::AddSentences(std::vector<SentenceReading> readings) {
  readings.resize(document_.sentences.size());
  std::size_t next = 0;
  variables_.resize(document_.scopes.size());
  const auto signature = [&](std::size_t s) {
    const Scope& scope = document_.scopes[s];
    if (!scope.signature) return;
    ForEachChild(scope.signature->rule,
                 [&](const Node& node) { CollectVariables(node, variables_[s]); });
    sentences_.push_back(
        {&*scope.signature, static_cast<int>(s), true, false, SentenceRole::kSignature});
  };
  for (std::size_t i = 0; i < document_.sentences.size(); ++i) {
    const PlacedSentence& placed = document_.sentences[i];
    for (; next < document_.scopes.size() &&
           document_.scopes[next].span.begin <= placed.sentence.span.begin;
         ++next)
      signature(next);
    sentences_.push_back({&placed.sentence, placed.scope, false, placed.fenced, readings[i].role});
  }
  for (; next < document_.scopes.size(); ++next) signature(next);
}

// A span of prose below a heading without a signature names nothing.
void DocumentPart::AddProse() {
  constexpr std::uint32_t kMark = 2;  // two underscores
  for (const Prose& prose : document_.prose) {
    if (!document_.scopes[static_cast<std::size_t>(prose.scope)].signature) continue;
    for (const ProseSpan& span : prose.spans) {
      Occurrence out;
      out.role = Occurrence::Role::kProse;
      out.whole = span.span;
      out.span = {span.span.file, span.span.begin + kMark, span.span.end - kMark};
      out.name = {NameKind::kLvar, "", span.name, 0};
      out.group = prose.scope;
      occurrences_.push_back(std::move(out));
    }
  }
}

}  // namespace rpl::lsp
