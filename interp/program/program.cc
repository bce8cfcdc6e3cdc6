// SPDX-License-Identifier: Apache-2.0
//
// Loading a document happens in two passes: the first sorts its sentences by what they
// are and by heading (decisions 71, 72), the second lowers them, rules before
// constraints within a sentence's place. A heading's rule is made of parts:
//
//   # T - r(?x) <- a(?x)        head r(?x), tail a(?x)
//   Collect __y__.              prose term ?y
//   ```rpl
//   r(?x) <- z(?x)              an alternative: its tail joins the heading's
//   c(?x)                       a headless expression: it joins every alternative
//   z(7)                        a fact
//   ```
//
// and becomes  r(?x) <- a(?x), ?y, z(?x), c(?x).
#include "interp/program/program.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <limits>
#include <map>
#include <set>

#include "grammar/printer.h"
#include "interp/program/lower.h"
#include "interp/program/rewrite.h"
#include "interp/store/text_queue.h"

namespace rpl {
namespace {

using Substitution = std::map<std::string, Value>;

Value Ground(Pool& pool, const Node& node, const Substitution& with) {
  if (const auto* v = node.As<String>()) return pool.String(v->text);
  if (const auto* v = node.As<Number>()) return NumberValue(pool, *v);
  if (const auto* v = node.As<Keyword>()) return pool.Keyword(v->name);
  if (const auto* v = node.As<Symbol>()) return pool.Symbol(v->name);
  if (const auto* v = node.As<Boolean>()) return Pool::Bool(v->value);
  if (node.As<Nil>()) return kNil;
  if (node.As<Now>()) return pool.Symbol("now");
  if (const auto* v = node.As<Group>()) return Ground(pool, v->inner.front(), with);
  const auto bound = [&](const std::string& name) {
    const auto it = with.find(name);
    return it == with.end() ? kNone : it->second;
  };
  if (const auto* v = node.As<Lvar>()) return bound(v->name);
  if (const auto* v = node.As<Avar>()) return bound(v->name);
  std::vector<Value> parts;
  const auto all = [&](const Nodes& nodes) {
    for (const Node& n : nodes) {
      parts.push_back(Ground(pool, n, with));
      if (parts.back().is_none()) return false;
    }
    return true;
  };
  if (const auto* v = node.As<Collection>()) {
    if (!v->rest.empty() || !all(v->items)) return kNone;
    switch (v->kind) {
      case CollectionKind::kList: return pool.List(parts);
      case CollectionKind::kSet: return pool.Set(parts);
      case CollectionKind::kMap: return pool.Map(parts);
    }
  }
  if (const auto* v = node.As<Call>()) {
    if (!all(v->args)) return kNone;
    return pool.Term(v->ns, v->label, parts);
  }
  return kNone;
}

// Adds the value that a plain fact's argument is written for.
void PushPlain(Pool& pool, PlainFacts::Kind kind, std::string_view text, TextQueue& cells) {
  switch (kind) {
    case PlainFacts::Kind::kString: return cells.Push(Kind::kString, text);
    case PlainFacts::Kind::kKeyword: return cells.Push(Kind::kKeyword, text);
    case PlainFacts::Kind::kWord:
      if (text == "true" || text == "false") return cells.Push(Pool::Bool(text == "true"));
      if (text == "nil") return cells.Push(kNil);
      return cells.Push(Kind::kSymbol, text);
    case PlainFacts::Kind::kInteger: {
      std::int64_t value = 0;
      std::from_chars(text.data(), text.data() + text.size(), value);
      return cells.Push(pool.Int(value));
    }
    case PlainFacts::Kind::kDecimal: {
      double value = 0;
      std::from_chars(text.data(), text.data() + text.size(), value);
      return cells.Push(pool.Float(value));
    }
  }
}

}  // namespace

Value GroundValue(Pool& pool, const Node& node) { return Ground(pool, node, {}); }

std::vector<Value> CapturedCells(Pool& pool, const Goal* goal, Value map, std::size_t count) {
  std::vector<Value> cells;
  for (std::size_t i = 0; i < count; ++i) {
    Value v;
    if (goal != nullptr && i < goal->captures.size()) v = pool.Lookup(map, goal->captures[i]);
    if (v.is_none()) v = pool.Lookup(map, pool.Slot(std::to_string(i + 1)));
    cells.push_back(v.is_none() ? kAbsent : v);
  }
  return cells;
}

bool IsQuestion(const Relation& relation) {
  return relation.space() != Space::kTool || relation.name() == "$ask" ||
         relation.name() == "$choose";
}

Program::Program(Store& store, const Sources& sources) : store_(store), sources_(sources) {}

const Goal* Program::FindGoal(std::string_view label) const {
  const RelationId relation = store_.Find(Space::kGoal, label, 1);
  const auto it = goal_of_.find(relation);
  return it == goal_of_.end() ? nullptr : &goals_[it->second];
}

const Collected* Program::FindCollected(RelationId relation) const {
  const auto it = collected_.find(relation);
  return it == collected_.end() ? nullptr : &it->second;
}

bool Program::HasRules(RelationId relation) const {
  const auto it = rule_count_.find(relation);
  return it != rule_count_.end() && it->second > 0;
}

// Loads one document; made once per call of Program::Load.
class Loader {
 public:
  Loader(Program& program, const Document& document, Diagnostics& out)
      : program_(program), document_(document), out_(out), sections_(document.scopes.size()) {
    novelty.file = document.file;
    novelty.readings.resize(document.sentences.size());
  }

  void Sort();
  void Lower();

  Novelty novelty;
  std::vector<Definition> definitions;
  std::vector<Constraint> constraints;
  std::vector<Collected> collected;
  std::vector<Declared> declared;

 private:
  /// The sentences and prose of one heading, sorted.
  struct Section {
    Nodes prose_terms;
    Nodes conjoined;                   // headless expressions and prose terms, in order
    std::vector<const Sentence*> own;  // rules whose head is the heading's
    HeadingContext context;
  };

  SentenceReading& ReadingOf(const PlacedSentence& placed) {
    return novelty.readings[static_cast<std::size_t>(&placed - document_.sentences.data())];
  }
  void AssertPlain(std::size_t end);
  bool Assert(const Rule& rule, const Sentence& sentence);
  bool AssertOne(const Node& clause, bool truth, bool trace, const Sentence& sentence,
                 std::vector<Assertion>& to);
  bool AssertHalf(const Node& clause, const Sentence& sentence);
  void Define(const Rule& rule, Span span, const HeadingContext& context);
  void Nested(const Node& node, Span span, const HeadingContext& context);
  void Heading(int scope);
  void Add(Assertion assertion);
  void NoteParameters(const Call& call);
  void Loose(const PlacedSentence& placed);
  bool HasFact(const Call& head) const;
  void Declare(const Node& head, Span span, const HeadingContext& context);

  Program& program_;
  const Document& document_;
  Diagnostics& out_;
  std::vector<Section> sections_;
  std::vector<const PlacedSentence*> loose_;
  std::unordered_set<RelationId> asserted_;  // relations with facts in this document
  std::size_t plain_ = 0;                    // plain facts asserted so far; the last one's
  std::string_view plain_label_;             // label, arity and relation
  std::size_t plain_arity_ = 0;
  RelationId plain_relation_ = kNoId;
};

void Loader::Declare(const Node& head, Span span, const HeadingContext& context) {
  const auto* call = head.As<Call>();
  if (call == nullptr) return;
  std::string name = call->ns == Namespace::kGoal ? "%" : call->ns == Namespace::kTool ? "$" : "";
  name += call->label;
  if (!call->label.empty()) name += "/" + std::to_string(call->args.size());
  if (!program_.declared_names_.insert(name).second) return;
  declared.push_back({name, span, context.title, context.prose});
}

void Loader::Sort() {
  for (std::size_t s = 0; s < document_.scopes.size(); ++s) {
    const Scope& scope = document_.scopes[s];
    Section& section = sections_[s];
    section.context.title = scope.title;
    section.context.signature = scope.signature.has_value();
  }
  // Prose and sentences in document order, so that the tail has the order of §17.4.
  for (const Prose& prose : document_.prose) {
    Section& section = sections_[static_cast<std::size_t>(prose.scope)];
    if (!section.context.prose.empty()) section.context.prose += "\n";
    // As a person reads it: without the marks of emphasised spans.
    const Sources& sources = program_.sources();
    std::uint32_t from = prose.span.begin;
    for (const ProseSpan& span : prose.spans) {
      constexpr std::uint32_t kMark = 2;  // two underscores
      section.context.prose += sources.Text({prose.span.file, from, span.span.begin});
      section.context.prose +=
          sources.Text({prose.span.file, span.span.begin + kMark, span.span.end - kMark});
      from = span.span.end;
      section.context.spans.push_back(span.name);
    }
    section.context.prose += sources.Text({prose.span.file, from, prose.span.end});
  }
  for (const PlacedSentence& placed : document_.sentences) {
    const Rule& rule = placed.sentence.rule;
    const auto s = static_cast<std::size_t>(placed.scope);
    const Scope& scope = document_.scopes[s];
    if (scope.signature) {
      const Rule& signature = scope.signature->rule;
      if (!rule.heads.empty() && !signature.heads.empty() &&
          SameHead(rule.heads.front(), signature.heads.front()) && rule.heads.size() == 1) {
        sections_[s].own.push_back(&placed.sentence);
        ReadingOf(placed).role = SentenceRole::kOwn;
        continue;
      }
    }
    loose_.push_back(&placed);
  }
}

bool Loader::HasFact(const Call& head) const {
  if (head.ns != Namespace::kRelation) return false;
  const RelationId r = program_.store().Find(Space::kRelation, head.label,
                                             static_cast<std::uint32_t>(head.args.size()));
  return r != kNoId && asserted_.contains(r);
}

// One ground clause with its metadata, as an assertion. False when it is not ground.
bool Loader::AssertOne(const Node& clause, bool truth, bool trace, const Sentence& sentence,
                       std::vector<Assertion>& to) {
  Pool& pool = program_.store().pool();
  const Node* form = &Ungroup(clause);
  std::vector<Value> meta;
  std::vector<Value> bindings;
  Substitution with;
  const bool told = trace;  // as a trace writes it
  if (const auto* gf = form->As<GoalFalse>()) {
    truth = false;
    trace = true;
    form = &gf->goal.front();
  }
  if (const auto* a = form->As<Annotated>()) {
    for (const Suffix& suffix : a->suffixes) {
      const Node* value = &suffix.value.front();
      if (const auto* m = value->As<Match>()) value = &m->pattern.front();
      if (!suffix.bindings && suffix.key.empty()) {
        if (const auto* b = value->As<Boolean>()) {
          truth = b->value;
          trace = true;
          continue;
        }
      }
      Nodes items;
      bool in_bindings = suffix.bindings;
      if (!suffix.key.empty()) {
        const auto* key = suffix.key.front().As<Keyword>();
        if (key != nullptr && key->name == "bindings" && !suffix.bindings) {
          in_bindings = true;
          if (const auto* map = value->As<Collection>()) items = map->items;
        } else {
          items = {suffix.key.front(), *value};
        }
      } else {
        const auto* map = value->As<Collection>();
        if (map == nullptr || map->kind != CollectionKind::kMap || !map->rest.empty()) return false;
        items = map->items;
      }
      const std::function<bool(const Nodes&, bool)> take = [&](const Nodes& entries, bool inner) {
        for (std::size_t i = 0; i + 1 < entries.size(); i += 2) {
          const auto* keyword = entries[i].As<Keyword>();
          if (!inner && keyword != nullptr && keyword->name == "bindings") {
            const auto* map = entries[i + 1].As<Collection>();
            if (map == nullptr || !take(map->items, true)) return false;
            continue;
          }
          const auto* lvar = entries[i].As<Lvar>();
          const Value key =
              inner && lvar != nullptr ? pool.Slot(lvar->name) : Ground(pool, entries[i], {});
          const Value held = Ground(pool, entries[i + 1], {});
          if (key.is_none() || held.is_none()) return false;
          auto& list = inner ? bindings : meta;
          list.push_back(key);
          list.push_back(held);
          if (inner && (key.kind() == Kind::kSlot || key.kind() == Kind::kSymbol))
            with.emplace(std::string(pool.TextOf(key)), held);
        }
        return true;
      };
      if (!take(items, in_bindings)) return false;
    }
    form = &Ungroup(a->form.front());
  }
  if (const auto* rule = form->As<Rule>(); rule != nullptr && !rule->heads.empty())
    form = &rule->heads.front();  // a printed derivation: its head is what holds (§19)

  Assertion out;
  out.truth = truth;
  out.trace = trace;
  out.assumed = trace && !told && truth;
  out.span = sentence.span;
  if (trace || !truth || clause.As<Annotated>()) out.text = Print(sentence);
  if (const auto* avar = form->As<Avar>()) {
    out.relation = program_.store().Declare(Space::kAvar, avar->name, 0);
  } else if (const auto* call = form->As<Call>()) {
    if (call->ns == Namespace::kGoal) {
      out.relation = program_.store().Declare(Space::kGoal, call->label, 1);
      const Goal* goal = program_.FindGoal(call->label);
      for (std::size_t i = 0; i < call->args.size(); ++i) {
        const auto* v = call->args[i].As<Lvar>();
        const Value held = Ground(pool, call->args[i], with);
        if (held.is_none()) return false;
        if (v != nullptr) continue;
        const bool known = goal != nullptr && i < goal->captures.size();
        bindings.push_back(known ? goal->captures[i] : pool.Slot(std::to_string(i + 1)));
        bindings.push_back(held);
      }
      out.row.push_back(pool.Map(bindings));
    } else {
      if (call->args.size() > kMaxArity) return false;
      out.relation =
          program_.store().Declare(call->ns == Namespace::kTool ? Space::kTool : Space::kRelation,
                                   call->label, static_cast<std::uint32_t>(call->args.size()));
      std::vector<std::string> args;
      for (const Node& arg : call->args) {
        out.row.push_back(Ground(pool, arg, with));
        if (out.row.back().is_none()) return false;
        if (const auto* set = Ungroup(arg).As<Collection>();
            set != nullptr && set->kind == CollectionKind::kSet) {
          std::vector<Value> elements;
          for (const Node& item : set->items) elements.push_back(Ground(pool, item, with));
          elements = pool.OrderIfOther(out.row.back(), elements);
          if (!elements.empty()) out.orders.push_back({out.row.size() - 1, std::move(elements)});
        }
        CollectVariables(arg, args);
      }
      // Slots of the bindings map that are no argument are context (decision 48).
      std::vector<Value> rest;
      for (std::size_t i = 0; i < bindings.size(); i += 2) {
        const bool argument =
            bindings[i].kind() == Kind::kSlot &&
            std::find(args.begin(), args.end(), pool.TextOf(bindings[i])) != args.end();
        if (argument) continue;
        rest.push_back(bindings[i]);
        rest.push_back(bindings[i + 1]);
      }
      if (!rest.empty()) {
        meta.push_back(pool.Keyword("bindings"));
        meta.push_back(pool.Map(rest));
      }
    }
  } else {
    return false;
  }
  if (!meta.empty()) out.meta = pool.Map(meta);
  to.push_back(std::move(out));
  return true;
}

// A heading with bindings of some of its free arguments, as a trace tells of half an answer.
// False when it is something else.
bool Loader::AssertHalf(const Node& clause, const Sentence& sentence) {
  Pool& pool = program_.store().pool();
  const auto* annotated = Ungroup(clause).As<Annotated>();
  if (annotated == nullptr || annotated->suffixes.size() != 1) return false;
  const Suffix& suffix = annotated->suffixes.front();
  const auto* map = suffix.value.front().As<Collection>();
  const auto* call = Ungroup(annotated->form.front()).As<Call>();
  if (!suffix.bindings || !suffix.key.empty() || map == nullptr ||
      map->kind != CollectionKind::kMap || !map->rest.empty() || map->items.empty() ||
      call == nullptr || call->ns != Namespace::kRelation || call->args.size() > kMaxArity)
    return false;
  HalfAnswer half;
  std::vector<std::string> free;
  for (const Node& arg : call->args) {
    const auto* lvar = arg.As<Lvar>();
    free.push_back(lvar != nullptr ? lvar->name : "");
    half.key.push_back(lvar != nullptr ? kNone : Ground(pool, arg, {}));
    if (lvar == nullptr && half.key.back().is_none()) return false;
  }
  half.row = half.key;
  for (std::size_t i = 0; i + 1 < map->items.size(); i += 2) {
    const auto* lvar = map->items[i].As<Lvar>();
    const auto at = lvar == nullptr ? free.end() : std::find(free.begin(), free.end(), lvar->name);
    const Value held = Ground(pool, map->items[i + 1], {});
    if (at == free.end() || at->empty() || held.is_none()) return false;
    half.row[static_cast<std::size_t>(at - free.begin())] = held;
  }
  half.relation = program_.store().Declare(Space::kRelation, call->label,
                                           static_cast<std::uint32_t>(call->args.size()));
  half.text = Print(sentence);
  half.span = sentence.span;
  novelty.half_answers.push_back(std::move(half));
  return true;
}

void Loader::Add(Assertion assertion) {
  assertion.facts_before = novelty.facts.size();
  novelty.assertions.push_back(std::move(assertion));
}

// The plain facts that begin before the offset `end` and were not taken yet.
void Loader::AssertPlain(std::size_t end) {
  const PlainFacts& plain = document_.facts;
  const std::string_view text = program_.sources().at(document_.file).text;
  Pool& pool = program_.store().pool();
  novelty.facts.reserve(plain.facts.size());
  novelty.cells.reserve(plain.arguments.size());
  TextQueue cells(pool, novelty.cells);
  for (; plain_ < plain.facts.size() && plain.facts[plain_].begin < end; ++plain_) {
    const PlainFacts::Fact& fact = plain.facts[plain_];
    const std::string_view label = text.substr(fact.begin, fact.label_size);
    const std::span<const PlainFacts::Argument> arguments = plain.ArgumentsOf(plain_);
    if (label != plain_label_ || arguments.size() != plain_arity_) {
      plain_label_ = label;
      plain_arity_ = arguments.size();
      plain_relation_ = program_.store().Declare(Space::kRelation, label,
                                                 static_cast<std::uint32_t>(plain_arity_));
      asserted_.insert(plain_relation_);
    }
    novelty.facts.push_back({plain_relation_, fact.begin, fact.end});
    for (const PlainFacts::Argument& argument : arguments)
      PushPlain(pool, argument.kind, text.substr(argument.begin, argument.size), cells);
  }
  cells.Flush();
}

// Decisions 34 and 43: ground calls are asserted, a ground `-> false` retracts.
bool Loader::Assert(const Rule& rule, const Sentence& sentence) {
  if (!rule.heads.empty() || rule.tail.size() != 1 || rule.constraints.size() > 1) return false;
  bool truth = true;
  bool trace = false;
  if (!rule.constraints.empty()) {
    const auto* b = Ungroup(rule.constraints.front()).As<Boolean>();
    if (b == nullptr) return false;
    truth = b->value;
    trace = true;
  }
  std::vector<Assertion> found;
  const Node& written = Ungroup(rule.tail.front());
  const std::optional<Node> distributed = Distributed(written);
  const Node& tail = distributed ? *distributed : written;
  if (const auto* c = tail.As<Conjunction>()) {
    for (const Node& clause : c->clauses)
      if (!AssertOne(clause, truth, trace, sentence, found)) return false;
  } else if (!AssertOne(tail, truth, trace, sentence, found)) {
    return trace && truth && AssertHalf(tail, sentence);
  }
  for (Assertion& a : found) {
    asserted_.insert(a.relation);
    Add(std::move(a));
  }
  return true;
}

// Each head of a double implication is a rule over the same tail (decision 37). A goal before
// the others may have other rules, of which one is taken: then they hold by that one only.
void Loader::Define(const Rule& rule, Span span, const HeadingContext& context) {
  if (rule.heads.size() > kMaxNesting) {
    out_.Add(Code::kTooLong, span,
             "expected at most " + std::to_string(kMaxNesting) + " heads, got " +
                 std::to_string(rule.heads.size()));
    return;
  }
  for (const Node& tail : rule.tail) Nested(tail, span, context);
  std::optional<Lowering::Method> method;
  for (const Node& head : rule.heads) {
    Declare(head, span, context);
    Lowering lowering(program_, context, out_);
    Definition def = lowering.Define(head, rule, span, method ? &*method : nullptr);
    if (lowering.failed()) continue;
    const auto* goal = head.As<Call>();
    if (&head == &rule.heads.front() && goal != nullptr && goal->ns == Namespace::kGoal) {
      method = {head, static_cast<int>(program_.definitions_.size() + definitions.size())};
      if (!def.gathered.empty()) method->goal.As<Call>()->args.clear();
    }
    definitions.push_back(std::move(def));
  }
}

// Rules written inside the tail: HEAD <- (RULE), (a() <- b()) ^ ?m.
void Loader::Nested(const Node& node, Span span, const HeadingContext& context) {
  ForEachChild(node, [&](const Node& child) { Nested(child, span, context); });
  const auto* rule = node.As<Rule>();
  if (rule == nullptr) return;
  Rule inner = *rule;
  for (const Node& head : inner.heads) {
    Declare(head, span, context);
    Lowering lowering(program_, context, out_);
    Definition def = lowering.Define(head, inner, span);
    if (!lowering.failed()) definitions.push_back(std::move(def));
  }
}

void Loader::Loose(const PlacedSentence& placed) {
  const Rule& rule = placed.sentence.rule;
  const HeadingContext plain{
      sections_[static_cast<std::size_t>(placed.scope)].context.title, {}, {}, false};
  if (!rule.heads.empty()) return Define(rule, placed.sentence.span, plain);
  if (IsFailure(rule)) {
    const Node& statement = rule.tail.front();
    return Define({{Ungroup(statement)}, {{Boolean{true}, statement.span}}, {}, {}},
                  placed.sentence.span, plain);
  }
  Lowering lowering(program_, plain, out_);
  Constraint c = lowering.Constrain(rule, placed.sentence.span);
  if (!lowering.failed()) constraints.push_back(std::move(c));
}

void Loader::Heading(int scope) {
  const auto s = static_cast<std::size_t>(scope);
  const Scope& heading = document_.scopes[s];
  Section& section = sections_[s];
  Sentence signature = *heading.signature;
  if (const std::optional<Rule> pinned = WithPin(signature.rule)) signature.rule = *pinned;
  if (signature.rule.heads.empty()) {  // a constraint in a heading (decision 74)
    Lowering lowering(program_, section.context, out_);
    Constraint c = lowering.Constrain(signature.rule, heading.span);
    c.heading = heading.title;
    if (!lowering.failed()) constraints.push_back(std::move(c));
    return;
  }
  const Node& head = signature.rule.heads.front();
  const auto* call = head.As<Call>();
  Declare(head, heading.span, section.context);
  if (call != nullptr && call->ns == Namespace::kTool) NoteParameters(*call);
  const bool goal = call != nullptr && call->ns == Namespace::kGoal;
  if (signature.rule.tail.empty() && section.own.empty() && section.conjoined.empty()) {
    if (call == nullptr || call->ns == Namespace::kTool) return;  // a tool is declared only
    if (call->ns == Namespace::kRelation) {
      const Node whole{*call, heading.span};
      std::vector<Assertion> fact;
      if (AssertOne(whole, true, false, signature, fact)) {
        for (Assertion& a : fact) Add(std::move(a));
      } else if (!HasFact(*call)) {
        Lowering lowering(program_, section.context, out_);
        collected.push_back(lowering.Collect(head));
      }
      return;
    }
  }
  std::vector<Rule> alternatives;
  if (section.own.empty()) {
    alternatives.emplace_back();
    alternatives.back().heads = signature.rule.heads;
  }
  for (const Sentence* own : section.own) alternatives.push_back(InHeadingTerms(head, own->rule));
  for (Rule& alternative : alternatives) {
    Nodes tail = signature.rule.tail;
    if (!goal)
      for (const Node& term : section.prose_terms) AppendTail(tail, term);
    for (const Node& n : alternative.tail) AppendTail(tail, n);
    for (const Node& n : section.conjoined) AppendTail(tail, n);
    alternative.tail = std::move(tail);
    alternative.heads = signature.rule.heads;
    alternative.abductives.insert(alternative.abductives.begin(), signature.rule.abductives.begin(),
                                  signature.rule.abductives.end());
    alternative.constraints.insert(alternative.constraints.begin(),
                                   signature.rule.constraints.begin(),
                                   signature.rule.constraints.end());
    Define(alternative, heading.span, section.context);
  }
}

// The names that policies know a tool's arguments by.
void Loader::NoteParameters(const Call& call) {
  if (call.args.size() > kMaxArity) return;
  const RelationId tool = program_.store().Declare(Space::kTool, call.label,
                                                   static_cast<std::uint32_t>(call.args.size()));
  std::vector<std::string> names;
  for (const Node& arg : call.args) {
    const auto* lvar = arg.As<Lvar>();
    names.push_back(lvar != nullptr ? lvar->name : std::to_string(names.size()));
  }
  program_.parameters_.emplace(tool, std::move(names));
}

void Loader::Lower() {
  // Facts first: whether a heading collects depends on them.
  const std::vector<std::vector<int>> below = SectionsBelow(document_);
  std::vector<const PlacedSentence*> rules;
  Joins joins;
  for (const PlacedSentence* placed : loose_) {
    AssertPlain(placed->sentence.span.begin);
    const auto s = static_cast<std::size_t>(placed->scope);
    const Rule& rule = placed->sentence.rule;
    SentenceReading& reading = ReadingOf(*placed);
    if (IsFailure(rule)) {
      reading.role = SentenceRole::kFailure;
      rules.push_back(placed);
      continue;
    }
    if (Assert(rule, placed->sentence)) {
      reading.role = SentenceRole::kAssertion;
      continue;
    }
    if (!rule.heads.empty()) reading.role = SentenceRole::kRule;
    else if (!rule.constraints.empty()) reading.role = SentenceRole::kConstraint;
    if (rule.heads.empty() && rule.constraints.empty()) {
      if (document_.scopes[s].signature) {
        reading.joins.push_back(placed->scope);
      } else if (placed->scope != 0) {
        if (!joins.Take(below[s].size())) {
          reading.role = SentenceRole::kRefused;
          if (joins.IsFirstRefused())
            out_.Add(Code::kTooLong, placed->sentence.span,
                     "expressions join what stands under headings below them more than " +
                         std::to_string(kMaxJoins) + " times",
                     "write them under the headings that need them");
          continue;
        }
        reading.joins = below[s];
      }
      for (const int target : reading.joins)
        sections_[static_cast<std::size_t>(target)].conjoined.push_back(rule.tail.front());
      if (!reading.joins.empty()) {
        reading.role = SentenceRole::kConjoined;
        continue;
      }
    }
    rules.push_back(placed);
  }
  AssertPlain(std::numeric_limits<std::size_t>::max());
  // A span that names a relation offers its facts; any other marks a variable (§17.2).
  for (std::size_t s = 0; s < sections_.size(); ++s) {
    Section& section = sections_[s];
    if (!section.context.signature) continue;
    std::unordered_set<std::string> seen;
    for (const std::string& name : section.context.spans) {
      if (program_.store().Find(Space::kRelation, name, 1) != kNoId) continue;
      if (!seen.insert(name).second) continue;
      section.prose_terms.push_back({Lvar{name}, document_.scopes[s].span});
    }
  }
  // Headings and sentences in document order.
  std::size_t next = 0;
  for (std::size_t s = 1; s < document_.scopes.size(); ++s) {
    const Scope& scope = document_.scopes[s];
    while (next < rules.size() && rules[next]->sentence.span.begin < scope.span.begin)
      Loose(*rules[next++]);
    if (scope.signature) Heading(static_cast<int>(s));
  }
  while (next < rules.size()) Loose(*rules[next++]);
}

void Program::CheckGoalCalls(const Clauses& clauses, Diagnostics& out) const {
  for (const Clause& clause : clauses) {
    const Atom* atom = clause.As<Atom>();
    if (const auto* is = clause.As<GoalIsFalse>()) atom = &is->goal;
    if (atom != nullptr && store_.at(atom->relation).space() == Space::kGoal &&
        !atom->args.empty() && atom->rule < 0) {
      const Relation& rel = store_.at(atom->relation);
      const Goal* goal = FindGoal(store_.pool().TextOf(rel.label()));
      if (goal != nullptr && goal->captures.size() != atom->args.size())
        out.Add(Code::kGoalArity, clause.span,
                rel.name() + " captures " + std::to_string(goal->captures.size()) +
                    (goal->captures.size() == 1 ? " value" : " values") + ", got " +
                    std::to_string(atom->args.size()) +
                    (atom->args.size() == 1 ? " argument" : " arguments"),
                "call it with as many, or with none");
    }
    ForEachBody(clause, [&](const Clauses& body) { CheckGoalCalls(body, out); });
  }
}

CallRelations Program::CallsOf(RelationId tool) {
  const Relation& rel = store_.at(tool);
  const std::string name = rel.name();  // no author can write a relation of such a name
  const std::uint32_t arity = rel.arity();
  return {store_.Declare(Space::kRelation, name + " pending", arity),
          store_.Declare(Space::kRelation, name + " called", arity),
          store_.Declare(Space::kRelation, name + " made", arity)};
}

const std::vector<std::string>* Program::ParametersOf(RelationId tool) const {
  const auto found = parameters_.find(tool);
  return found == parameters_.end() ? nullptr : &found->second;
}

// Notes what is a guard: it forbids, and a call on its left is not read for its reply.
void Program::TakeGuard(Constraint& c) {
  if (!c.forbids) return;
  const auto is_call = [&](const Atom* atom) {
    return atom != nullptr && atom->row < 0 && store_.at(atom->relation).space() == Space::kTool;
  };
  std::vector<std::size_t> calls;
  for (std::size_t i = 0; i < c.left.size(); ++i)
    if (is_call(c.left[i].As<Atom>())) calls.push_back(i);
  if (calls.empty()) return;
  c.guards = true;
  CallGuard guard;
  guard.constraint = c.number;
  const auto within = [&](auto&& self, Clauses& body) -> void {
    for (Clause& clause : body) {
      if (auto* atom = clause.As<Atom>(); is_call(atom))
        atom->relation = CallsOf(atom->relation).made;
      ForEachBody(clause, [&](Clauses& inner) { self(self, inner); });
    }
  };
  for (const std::size_t focus : calls) {
    Constraint form = c;
    for (std::size_t i = 0; i < form.left.size(); ++i) {
      auto* atom = form.left[i].As<Atom>();
      if (is_call(atom)) {
        const CallRelations of = CallsOf(atom->relation);
        atom->relation = i == focus ? of.pending : of.called;
      }
      ForEachBody(form.left[i], [&](Clauses& body) { within(within, body); });
    }
    guard.readings.push_back({c.left[focus].As<Atom>()->relation, std::move(form)});
  }
  guards_.push_back(std::move(guard));
}

std::string FactText(const Store& store, RelationId relation, std::span<const Value> row,
                     std::size_t most) {
  std::string out = store.at(relation).name() + "(";
  for (std::size_t i = 0; i < row.size(); ++i)
    out += (i > 0 ? ", " : "") + Text(store.pool(), row[i], most);
  return out + ")";
}

std::vector<const Assertion*> RetractionsOfNothing(const Program& program, const Store& store,
                                                   std::span<const Assertion> assertions) {
  std::vector<const Assertion*> out;
  std::set<std::pair<RelationId, std::vector<std::uint64_t>>> held;
  const auto key = [](const Assertion& a) {
    std::vector<std::uint64_t> row;
    for (const Value v : a.row) row.push_back(v.bits());
    return std::pair(a.relation, row);
  };
  if (std::ranges::all_of(assertions, &Assertion::truth)) return out;
  for (const Assertion& a : assertions) {
    if (store.at(a.relation).space() != Space::kRelation) continue;
    if (a.truth) held.insert(key(a));
    else if (held.erase(key(a)) == 0 && !program.HasRules(a.relation)) out.push_back(&a);
  }
  return out;
}

Novelty Program::Load(const Document& document, Diagnostics& out) {
  Loader loader(*this, document, out);
  loader.Sort();
  loader.Lower();
  const std::size_t first_definition = definitions_.size();
  for (Definition& def : loader.definitions) {
    def.number = static_cast<int>(definitions_.size());
    if (def.head != kNoId) {
      ++rule_count_[def.head];
      const Relation& head = store_.at(def.head);
      if (head.space() == Space::kGoal) {
        const auto [at, is_new] = goal_of_.emplace(def.head, goals_.size());
        if (is_new)
          goals_.push_back({def.head, std::string(store_.pool().TextOf(head.label())), {}, {}});
        Goal& goal = goals_[at->second];
        if (def.captures.size() > goal.captures.size()) goal.captures = def.captures;
        goal.rules.push_back(def.number);
      }
    }
    definitions_.push_back(std::move(def));
  }
  for (Constraint& c : loader.constraints) {
    c.number = static_cast<int>(constraints_.size());
    TakeGuard(c);
    constraints_.push_back(std::move(c));
  }
  for (std::size_t i = first_definition; i < definitions_.size(); ++i) {
    CheckGoalCalls(definitions_[i].activation, out);
    CheckGoalCalls(definitions_[i].body, out);
  }
  for (Collected& c : loader.collected) collected_.emplace(c.relation, std::move(c));
  for (Declared& d : loader.declared) declared_.push_back(std::move(d));
  for (const Scope& scope : document.scopes)
    if (scope.level > 0) headings_[document.file].push_back({scope.span.begin, scope.title});
  return std::move(loader.novelty);
}

std::string Program::HeadingAt(Span span) const {
  const auto it = headings_.find(span.file);
  if (it == headings_.end()) return "";
  const auto after = std::upper_bound(
      it->second.begin(), it->second.end(), span.begin,
      [](std::uint32_t begin, const HeadingStart& heading) { return begin < heading.begin; });
  return after == it->second.begin() ? "" : std::prev(after)->title;
}

std::optional<Definition> Program::LowerQuery(const Sentence& query, Diagnostics& out) {
  const HeadingContext nothing;
  Lowering lowering(*this, nothing, out);
  Definition def = lowering.Define(query.rule.heads.front(), query.rule, query.span);
  if (lowering.failed()) return std::nullopt;
  CheckGoalCalls(def.activation, out);
  CheckGoalCalls(def.body, out);
  def.number = -1;
  return def;
}

}  // namespace rpl
