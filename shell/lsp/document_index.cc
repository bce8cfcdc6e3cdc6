// SPDX-License-Identifier: Apache-2.0
#include "shell/lsp/document_index.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "formats/character.h"
#include "grammar/namespaces.h"
#include "interp/eval/engine.h"

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

// The sets of sentences that share variables.
class Groups {
 public:
  explicit Groups(std::size_t size) : parent_(size) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  int Find(int at) {
    while (parent_[static_cast<std::size_t>(at)] != at) {
      int& up = parent_[static_cast<std::size_t>(at)];
      up = parent_[static_cast<std::size_t>(up)];
      at = up;
    }
    return at;
  }
  void Join(int a, int b) {
    a = Find(a), b = Find(b);
    parent_[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
  }

 private:
  std::vector<int> parent_;
};

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

// Collects the occurrences of one sentence.
class DocumentIndex::Collector {
 public:
  Collector(DocumentIndex& to, int sentence) : to_(to), sentence_(sentence) {}

  void Take(const IndexedSentence& in) {
    group_ = in.group;
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
    if (const auto* rule = node.As<Rule>()) return VisitRule(*rule);
    if (const auto* call = node.As<Call>()) AddCall(node, *call);
    if (const auto* v = node.As<Lvar>()) AddVariable(NameKind::kLvar, v->name, node.span, 1);
    if (const auto* v = node.As<Avar>()) AddVariable(NameKind::kAvar, v->name, node.span, 1);
    if (const auto* e = node.As<Expansion>()) AddVariable(NameKind::kLvar, e->name, node.span, 2);
    if (node.As<Template>() != nullptr) AddHoles(node.span);
    if (node.As<Regex>() != nullptr) AddGroups(node.span);
    if (const auto* a = node.As<Annotated>()) return VisitAnnotated(*a);
    ForEachChild(node, [&](const Node& child) { Visit(child); });
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
    out.group = group_;
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
      out.group = group_;
      if (!out.name.label.empty()) Add(std::move(out));
    });
  }

  void Add(Occurrence occurrence) {
    occurrence.sentence = sentence_;
    occurrence.span.file = occurrence.whole.file;
    to_.occurrences_.push_back(std::move(occurrence));
  }

  DocumentIndex& to_;
  const int sentence_;
  int group_ = 0;
  std::vector<const Node*> heads_;
  std::vector<const Node*> facts_;
};

DocumentIndex::DocumentIndex(File file) : file_(std::move(file)) {
  const std::uint32_t number = sources_.Add(file_->name(), file_->text);
  document_ = ReadDocument(sources_, number, findings_);
  if (!IsPlainRpl(file_->name())) blocks_ = ReadBlocks(sources_, number);
  Diagnostics ignored;  // of loading: the checker reports them
  std::vector<SentenceReading> readings;
  {
    interp::Engine engine(sources_);
    readings = engine.program.Load(document_, ignored).readings;
  }
  readings.resize(document_.sentences.size());
  std::size_t next = 0;
  signature_of_.assign(document_.scopes.size(), -1);
  const auto signature = [&](std::size_t s) {
    const Scope& scope = document_.scopes[s];
    if (!scope.signature) return;
    signature_of_[s] = static_cast<int>(sentences_.size());
    sentences_.push_back(
        {&*scope.signature, static_cast<int>(s), true, false, SentenceRole::kSignature, 0});
  };
  std::vector<SentenceReading> in_order;  // of sentences_
  for (std::size_t i = 0; i < document_.sentences.size(); ++i) {
    const PlacedSentence& placed = document_.sentences[i];
    for (; next < document_.scopes.size() &&
           document_.scopes[next].span.begin <= placed.sentence.span.begin;
         ++next)
      signature(next);
    sentences_.push_back(
        {&placed.sentence, placed.scope, false, placed.fenced, readings[i].role, 0});
    in_order.resize(sentences_.size());
    in_order.back() = std::move(readings[i]);
  }
  for (; next < document_.scopes.size(); ++next) signature(next);
  in_order.resize(sentences_.size());
  FindGroups(in_order);
  for (std::size_t i = 0; i < sentences_.size(); ++i)
    Collector(*this, static_cast<int>(i)).Take(sentences_[i]);
  for (const Occurrence& o : occurrences_)
    if (o.name.is_variable()) by_group_[{o.group, o.name}];
  AddProse();
  std::ranges::stable_sort(occurrences_, {}, [](const Occurrence& o) { return o.span.begin; });
  for (std::size_t i = 0; i < occurrences_.size(); ++i) {
    const Occurrence& o = occurrences_[i];
    if (o.name.is_variable()) by_group_[{o.group, o.name}].push_back(i);
    else by_name_.emplace(o.name, i);
  }
  FindRegions();
}

void DocumentIndex::FindGroups(const std::vector<SentenceReading>& readings) {
  Groups groups(sentences_.size());
  for (std::size_t i = 0; i < sentences_.size(); ++i) {
    const auto join = [&](int scope) {
      const int with = signature_of_[static_cast<std::size_t>(scope)];
      if (with >= 0) groups.Join(static_cast<int>(i), with);
    };
    if (sentences_[i].role == SentenceRole::kOwn) join(sentences_[i].scope);
    if (sentences_[i].role == SentenceRole::kConjoined)
      for (const int scope : readings[i].joins) join(scope);
  }
  for (std::size_t i = 0; i < sentences_.size(); ++i)
    sentences_[i].group = groups.Find(static_cast<int>(i));
}

int DocumentIndex::GroupOfScope(int scope) const {
  const int at = signature_of_[static_cast<std::size_t>(scope)];
  return at < 0 ? -1 : sentences_[static_cast<std::size_t>(at)].group;
}

void DocumentIndex::AddProse() {
  for (const Occurrence& o : occurrences_)
    if (o.defines() && o.name.kind == NameKind::kRelation && o.name.arity == 1 &&
        o.name.space.empty() && !sentences_[static_cast<std::size_t>(o.sentence)].signature)
      offered_.insert(o.name.label);
  constexpr std::uint32_t kMark = 2;  // two underscores
  for (const Prose& prose : document_.prose) {
    const int group = GroupOfScope(prose.scope);
    if (group < 0) continue;
    const std::vector<std::string> above =
        prose.spans.empty() ? std::vector<std::string>() : VariablesAbove(document_, prose.scope);
    for (const ProseSpan& span : prose.spans) {
      Occurrence out;
      out.role = Occurrence::Role::kProse;
      out.whole = span.span;
      out.span = {span.span.file, span.span.begin + kMark, span.span.end - kMark};
      out.name = {NameKind::kLvar, "", span.name, 0};
      const bool is_lvar = by_group_.contains({group, out.name});
      const bool is_avar = by_group_.contains({group, {NameKind::kAvar, "", span.name, 0}});
      if (!is_lvar && is_avar) out.name.kind = NameKind::kAvar;
      else if (!is_lvar && std::ranges::find(above, span.name) == above.end() &&
               IsNamedInProse(span.name))
        out.name = {NameKind::kRelation, "", span.name, 1};
      if (out.name.is_variable()) out.group = group;
      occurrences_.push_back(std::move(out));
    }
  }
}

void DocumentIndex::FindRegions() {
  if (IsPlainRpl(file_->name())) {
    regions_.push_back({document_.file, 0, Size(file_->text)});
    return;
  }
  for (const Block& block : blocks_)
    if (IsRplFence(block)) regions_.push_back(block.content);
  for (const IndexedSentence& s : sentences_)
    if (!s.fenced) regions_.push_back(s.sentence->span);
  std::ranges::sort(regions_, {}, &Span::begin);
}

const Occurrence* DocumentIndex::At(std::uint32_t offset) const {
  const auto after =
      std::upper_bound(occurrences_.begin(), occurrences_.end(), offset,
                       [](std::uint32_t at, const Occurrence& o) { return at < o.span.begin; });
  // The label, else the mark or the namespace before it.
  if (after != occurrences_.begin() && std::prev(after)->span.end >= offset)
    return &*std::prev(after);
  if (after != occurrences_.end() && after->whole.begin <= offset) return &*after;
  return nullptr;
}

std::vector<const Occurrence*> DocumentIndex::Of(const Name& name) const {
  std::vector<const Occurrence*> out;
  const auto [begin, end] = by_name_.equal_range(name);
  for (auto at = begin; at != end; ++at) out.push_back(&occurrences_[at->second]);
  std::ranges::sort(out, {}, [](const Occurrence* o) { return o->span.begin; });
  return out;
}

std::vector<const Occurrence*> DocumentIndex::SameAs(const Occurrence& occurrence) const {
  if (!occurrence.name.is_variable()) return Of(occurrence.name);
  std::vector<const Occurrence*> out;
  const auto at = by_group_.find({occurrence.group, occurrence.name});
  if (at == by_group_.end()) return out;
  for (const std::size_t i : at->second) out.push_back(&occurrences_[i]);
  return out;
}

std::vector<const Occurrence*> DocumentIndex::Definitions(const Name& name) const {
  std::vector<const Occurrence*> heads, facts;
  for (const Occurrence* o : Of(name)) {
    if (o->role == Occurrence::Role::kHead) heads.push_back(o);
    if (o->role == Occurrence::Role::kFact) facts.push_back(o);
  }
  return heads.empty() ? facts : heads;
}

std::vector<Span> DocumentIndex::BindingKeys(const std::string& name) const {
  std::vector<Span> out;
  const auto [begin, end] = binding_keys_.equal_range(name);
  for (auto at = begin; at != end; ++at) out.push_back(at->second);
  return out;
}

std::optional<Span> DocumentIndex::IndexedAt(const std::string& label) const {
  for (const Occurrence* o : Of({NameKind::kTool, "", "index", 0})) {
    if (o->call == nullptr) continue;
    const Nodes& args = o->call->As<Call>()->args;
    const auto* text = args.size() == 2 ? args[1].As<String>() : nullptr;
    if (text != nullptr && text->text == label) return args[1].span;
  }
  return std::nullopt;
}

std::string DocumentIndex::ProseOf(int scope) const {
  std::string out;
  for (const Prose& prose : document_.prose)
    if (prose.scope == scope) {
      if (!out.empty()) out += "\n\n";
      out += sources_.Text(prose.span);
    }
  return out;
}

Index IndexCache::Of(const File& file) {
  {
    const std::lock_guard lock(mutex_);
    const auto at = known_.find(file->uri);
    if (at != known_.end() && at->second.first == file) return at->second.second;
  }
  Index index = std::make_shared<DocumentIndex>(file);
  const std::lock_guard lock(mutex_);
  if (known_.size() >= kMost) known_.clear();
  known_[file->uri] = {file, index};
  return index;
}

}  // namespace rpl::lsp
