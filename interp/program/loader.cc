// SPDX-License-Identifier: Apache-2.0
#include "interp/program/loader.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <limits>
#include <set>

#include "formats/number_text.h"
#include "grammar/printer.h"
#include "interp/program/builtin_tools.h"
#include "interp/program/builtins.h"
#include "interp/program/metadata.h"
#include "interp/program/rewrite.h"
#include "interp/store/store.h"
#include "interp/store/text_queue.h"

namespace rpl {
namespace {

using Substitution = std::map<std::string, Value>;

// What a variable is as the key of a map: to be bound, or the name of a slot, as values print it.
enum class Keys { kBound, kSlots };

Value Ground(Pool& pool, const Node& node, const Substitution& with, Keys keys = Keys::kBound) {
  std::vector<Value> parts;
  const auto all = [&](const Nodes& nodes, bool slots) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      parts.push_back(Ground(pool, nodes[i], with, keys));
      const auto* lvar = nodes[i].As<Lvar>();
      if (slots && i % 2 == 0 && lvar != nullptr && parts.back().is_none() && !lvar->name.empty())
        parts.back() = pool.Slot(lvar->name);
      if (parts.back().is_none()) return false;
    }
    return true;
  };
  return Visit(
      node, [&](const String& v) { return pool.String(v.text); },
      [&](const Number& v) { return NumberValue(pool, v); },
      [&](const Keyword& v) { return pool.Keyword(v.name); },
      [&](const Symbol& v) { return pool.Symbol(v.name); },
      [](const Boolean& v) { return Pool::Bool(v.value); }, [](const Nil&) { return kNil; },
      [&](const Now&) { return pool.Symbol("now"); },
      [&](const Group& v) { return Ground(pool, v.inner.front(), with, keys); },
      [&](const Among<Lvar, Avar> auto& v) {
        const auto it = with.find(v.name);
        return it == with.end() ? kNone : it->second;
      },
      [&](const Collection& v) {
        const bool map = v.kind == CollectionKind::kMap;
        if (!v.rest.empty() || !all(v.items, map && keys == Keys::kSlots)) return kNone;
        switch (v.kind) {
          case CollectionKind::kList: return pool.List(parts);
          case CollectionKind::kSet: return pool.Set(parts);
          case CollectionKind::kMap: return pool.Map(parts);
        }
        return kNone;
      },
      [&](const Call& v) { return all(v.args, false) ? pool.Term(v.ns, v.label, parts) : kNone; },
      [](const Among<Template, Regex, Match, Expansion, Count, Not, GoalFalse, Binary, Within,
                     Between, Conjunction, Disjunction, Annotated, Rule> auto&) { return kNone; });
}

// Adds the value of a plain fact's argument.
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
      ReadFloat(text.data(), text.data() + text.size(), value);
      return cells.Push(pool.Float(value));
    }
  }
}

// The clauses of a conjunction, in any order.
std::set<std::string> ClauseTexts(const Conjunction& conjunction) {
  std::set<std::string> out;
  for (const Node& clause : conjunction.clauses) out.insert(Print(Ungroup(clause)));
  return out;
}

}  // namespace

Value GroundValue(Pool& pool, const Node& node) { return Ground(pool, node, {}, Keys::kSlots); }

void Loader::Declare(const Node& head, Span span, const HeadingContext& context) {
  const auto* call = head.As<Call>();
  if (call == nullptr) return;
  std::string name = call->ns == Namespace::kGoal ? "%" : call->ns == Namespace::kTool ? "$" : "";
  name += call->label;
  if (!call->label.empty()) name += "/" + std::to_string(call->args.size());
  if (!program_.declared_names_.insert(name).second) return;
  declared.push_back(
      {name, span, context.title, context.words == nullptr ? "" : context.words->text});
}

void Loader::Sort() {
  for (std::size_t s = 0; s < document_.scopes.size(); ++s) {
    const Scope& scope = document_.scopes[s];
    Section& section = sections_[s];
    section.context.title = scope.title;
    section.context.signature = scope.signature.has_value();
    section.context.prefix = document_.prefix;
  }
  // Prose and sentences in document order, so that the tail has the order of §17.4.
  std::vector<std::shared_ptr<HeadingProse>> words(sections_.size());
  const auto has = [](const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  };
  for (const Prose& prose : document_.prose) {
    const auto s = static_cast<std::size_t>(prose.scope);
    std::vector<std::string> own, variables;  // of this heading, of it and those above
    if (!prose.spans.empty()) {
      if (const auto& signature = document_.scopes[s].signature)
        ForEachChild(signature->rule, [&](const Node& node) { CollectVariables(node, own); });
      variables = VariablesAbove(document_, prose.scope);
    }
    if (words[s] == nullptr) words[s] = std::make_shared<HeadingProse>();
    HeadingProse& to = *words[s];
    if (!to.text.empty()) to.text += "\n";
    const Sources& sources = program_.sources();
    std::uint32_t from = prose.span.begin;
    for (const ProseSpan& span : prose.spans) {
      constexpr std::uint32_t kMark = 2;  // two underscores
      to.text += sources.Text({prose.span.file, from, span.span.begin});
      const std::size_t begin = to.text.size();
      to.text += sources.Text({prose.span.file, span.span.begin + kMark, span.span.end - kMark});
      to.holes.push_back({begin, to.text.size(), span.name});
      from = span.span.end;
      HeadingContext& context = sections_[s].context;
      const bool is_variable = has(variables, span.name);
      if (!is_variable) context.offers.push_back(span.name);
      if (!is_variable || has(own, span.name)) context.spans.push_back(span.name);
    }
    to.text += sources.Text({prose.span.file, from, prose.span.end});
  }
  for (std::size_t s = 0; s < words.size(); ++s) {
    if (words[s] == nullptr || words[s]->text.empty()) continue;
    words[s]->title = document_.scopes[s].title;
    sections_[s].context.words = std::move(words[s]);
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

// The suffixes of a clause that is asserted.
struct Loader::Told {
  bool truth;
  bool trace;
  std::vector<Value> meta = {};
  std::vector<Value> bindings = {};
  Substitution with = {};  // of the bindings
};

// Entries of a map behind `^`, or (`inner`) of the bindings map. False when one is not ground.
bool Loader::TakeEntries(const Nodes& entries, bool inner, Told& to) {
  Pool& pool = program_.store().pool();
  for (std::size_t i = 0; i + 1 < entries.size(); i += 2) {
    const auto* keyword = entries[i].As<Keyword>();
    if (!inner && keyword != nullptr && keyword->name == kBy && to.truth) {
      out_.Add(Code::kOwnBy, entries[i].span, "expected a key other than `:by`",
               "who stated a fact is set by the engine; name a source of your own in another key");
      continue;
    }
    if (!inner && keyword != nullptr && keyword->name == "bindings") {
      const auto* map = entries[i + 1].As<Collection>();
      if (map == nullptr || !TakeEntries(map->items, true, to)) return false;
      continue;
    }
    const auto* lvar = entries[i].As<Lvar>();
    const Value key =
        inner && lvar != nullptr ? pool.Slot(lvar->name) : Ground(pool, entries[i], {});
    const Value held = Ground(pool, entries[i + 1], {}, Keys::kSlots);
    if (key.is_none() || held.is_none()) return false;
    auto& list = inner ? to.bindings : to.meta;
    list.push_back(key);
    list.push_back(held);
    if (inner && (key.kind() == Kind::kSlot || key.kind() == Kind::kSymbol))
      to.with.emplace(std::string(pool.TextOf(key)), held);
  }
  return true;
}

bool Loader::TakeSuffix(const Suffix& suffix, Told& to) {
  const Node* value = &suffix.value.front();
  if (const auto* m = value->As<Match>()) value = &m->pattern.front();
  if (!suffix.bindings && suffix.key.empty()) {
    if (const auto* b = value->As<Boolean>()) {
      to.truth = b->value;
      to.trace = true;
      return true;
    }
  }
  const auto* map = value->As<Collection>();
  if (suffix.key.empty()) {
    if (map == nullptr || map->kind != CollectionKind::kMap || !map->rest.empty()) return false;
    return TakeEntries(map->items, suffix.bindings, to);
  }
  const auto* key = suffix.key.front().As<Keyword>();
  if (key != nullptr && key->name == "bindings" && !suffix.bindings)
    return TakeEntries(map != nullptr ? map->items : Nodes{}, true, to);
  return TakeEntries({suffix.key.front(), *value}, suffix.bindings, to);
}

// The truth of a goal: its row is a map of its captures.
bool Loader::AssertGoal(const Call& call, Told& told, Assertion& out) {
  Pool& pool = program_.store().pool();
  out.relation = program_.store().Declare(Space::kGoal, call.label, 1);
  program_.told_goals_.insert(out.relation);
  const Goal* goal = program_.FindGoal(call.label);
  const std::vector<Value>* form = goal == nullptr ? nullptr : goal->FormOf(call.args.size());
  for (std::size_t i = 0; i < call.args.size(); ++i) {
    const Value held = Ground(pool, call.args[i], told.with);
    if (held.is_none()) return false;
    if (call.args[i].As<Lvar>() != nullptr) continue;
    told.bindings.push_back(form != nullptr ? (*form)[i] : pool.Slot(std::to_string(i + 1)));
    told.bindings.push_back(held);
  }
  out.row.push_back(pool.Map(told.bindings));
  return true;
}

// A row of a relation or of a tool.
bool Loader::AssertRow(const Call& call, Told& told, Assertion& out) {
  if (call.args.size() > kMaxArity) return false;
  Pool& pool = program_.store().pool();
  out.relation = program_.store().Declare(SpaceOf(call.ns), call.label,
                                          static_cast<std::uint32_t>(call.args.size()));
  std::vector<std::string> args;
  // With its result it is a reply, of which the arguments are known; else it may be an obligation.
  const bool is_reply = told.trace && told.truth && !told.meta.empty();
  const Keys keys = is_reply ? Keys::kSlots : Keys::kBound;
  for (const Node& arg : call.args) {
    if (ExtremumCall(arg) != nullptr)
      out_.Add(Code::kBadExtremum, arg.span,
               "`" + Print(arg) + "` stands in a fact, which states a value",
               "write the value alone; the rules of the relation choose among values");
    const std::optional<Node> folder = FolderArgument(call, arg);
    out.row.push_back(Ground(pool, folder ? *folder : arg, told.with, keys));
    if (out.row.back().is_none()) return false;
    if (const auto* set = Ungroup(arg).As<Collection>();
        set != nullptr && set->kind == CollectionKind::kSet) {
      std::vector<Value> elements;
      for (const Node& item : set->items) elements.push_back(Ground(pool, item, told.with, keys));
      elements = pool.OrderIfOther(out.row.back(), elements);
      if (!elements.empty()) out.orders.push_back({out.row.size() - 1, std::move(elements)});
    }
    CollectVariables(arg, args);
  }
  // Slots of the bindings map that are no argument are context (decision 48).
  std::vector<Value> rest;
  for (std::size_t i = 0; i < told.bindings.size(); i += 2) {
    const Value slot = told.bindings[i];
    const bool argument = slot.kind() == Kind::kSlot &&
                          std::find(args.begin(), args.end(), pool.TextOf(slot)) != args.end();
    if (argument) continue;
    rest.push_back(slot);
    rest.push_back(told.bindings[i + 1]);
  }
  if (!rest.empty()) {
    told.meta.push_back(pool.Keyword("bindings"));
    told.meta.push_back(pool.Map(rest));
  }
  return true;
}

// One ground clause with its metadata, as an assertion. False when it is not ground.
bool Loader::AssertOne(const Node& clause, bool truth, bool trace, const Sentence& sentence,
                       std::vector<Assertion>& to) {
  const Node* form = &Ungroup(clause);
  Told told{truth, trace};
  if (const auto* gf = form->As<GoalFalse>()) {
    told.truth = false;
    told.trace = true;
    form = &gf->goal.front();
  }
  if (const auto* a = form->As<Annotated>()) {
    for (const Suffix& suffix : a->suffixes)
      if (!TakeSuffix(suffix, told)) return false;
    form = &Ungroup(a->form.front());
  }
  if (const auto* rule = form->As<Rule>(); rule != nullptr && !rule->heads.empty())
    form = &rule->heads.front();  // a printed derivation: its head is what holds (§19)

  Assertion out;
  out.truth = told.truth;
  out.trace = told.trace;
  out.assumed = told.trace && !trace && told.truth;  // as no trace writes it
  out.span = sentence.span;
  if (out.trace || !out.truth || clause.As<Annotated>()) out.text = Print(sentence);
  if (const auto* avar = form->As<Avar>()) {
    out.relation = program_.store().Declare(Space::kAvar, avar->name, 0);
  } else if (const auto* call = form->As<Call>()) {
    const bool holds =
        call->ns == Namespace::kGoal ? AssertGoal(*call, told, out) : AssertRow(*call, told, out);
    if (!holds) return false;
  } else {
    return false;
  }
  if (!told.meta.empty()) out.meta = program_.store().pool().Map(told.meta);
  to.push_back(std::move(out));
  return true;
}

// The call of a heading with open arguments, as traces write it: its relation, its arguments with
// kNone where free, and the names of those that are. False for any other form.
bool Loader::OpenCallOf(const Node& form, RelationId& relation, std::vector<Value>& key,
                        std::vector<std::string>& free) {
  const auto* call = Ungroup(form).As<Call>();
  if (call == nullptr || call->ns != Namespace::kRelation || call->args.size() > kMaxArity)
    return false;
  for (const Node& arg : call->args) {
    const auto* lvar = arg.As<Lvar>();
    const auto* avar = arg.As<Avar>();
    free.push_back(lvar != nullptr ? lvar->name : avar != nullptr ? avar->name : "");
    key.push_back(free.back().empty() ? Ground(program_.store().pool(), arg, {}) : kNone);
    if (free.back().empty() && key.back().is_none()) return false;
  }
  relation = program_.store().Declare(Space::kRelation, call->label,
                                      static_cast<std::uint32_t>(call->args.size()));
  return true;
}

// The only suffix of a clause, if it is a closed map: `call ^ ~ {…}`, or of bindings `call ^^ {…}`.
static const Collection* OnlyMap(const Annotated* annotated, bool bindings) {
  if (annotated == nullptr || annotated->suffixes.size() != 1) return nullptr;
  const Suffix& suffix = annotated->suffixes.front();
  const Node* value = &suffix.value.front();
  if (const auto* match = value->As<Match>()) value = &match->pattern.front();
  const auto* map = value->As<Collection>();
  const bool closed = map != nullptr && map->kind == CollectionKind::kMap && map->rest.empty();
  return closed && suffix.bindings == bindings && suffix.key.empty() ? map : nullptr;
}

// A heading with bindings of some of its free arguments, as a trace records it (HalfAnswer). False
// for any other form.
bool Loader::AssertHalf(const Node& clause, const Sentence& sentence) {
  const auto* annotated = Ungroup(clause).As<Annotated>();
  const Collection* map = OnlyMap(annotated, true);
  HalfAnswer half;
  std::vector<std::string> free;
  if (map == nullptr || map->items.empty() ||
      !OpenCallOf(annotated->form.front(), half.relation, half.key, free))
    return false;
  half.row = half.key;
  for (std::size_t i = 0; i + 1 < map->items.size(); i += 2) {
    const auto* lvar = map->items[i].As<Lvar>();
    const auto at = lvar == nullptr ? free.end() : std::find(free.begin(), free.end(), lvar->name);
    const Value held = Ground(program_.store().pool(), map->items[i + 1], {}, Keys::kSlots);
    if (at == free.end() || at->empty() || held.is_none()) return false;
    half.row[static_cast<std::size_t>(at - free.begin())] = held;
  }
  half.text = Print(sentence);
  half.span = sentence.span;
  half.before = {novelty.facts.size(), novelty.assertions.size()};
  novelty.half_answers.push_back(std::move(half));
  return true;
}

// A question that was declined or answered with rows, as a trace records it (QuestionEntry). False
// for any other form.
bool Loader::AssertQuestion(const Node& clause, bool truth, const Sentence& sentence) {
  const auto* annotated = Ungroup(clause).As<Annotated>();
  const Collection* map = OnlyMap(annotated, false);
  if (map == nullptr || map->items.size() != 2) return false;
  const auto* key = map->items[0].As<Keyword>();
  const auto* status = map->items[1].As<Keyword>();
  QuestionEntry entry;
  std::vector<std::string> free;
  if (key != nullptr && key->name == "rows")
    entry.rows = Ground(program_.store().pool(), map->items[1], {}, Keys::kSlots);
  entry.declined =
      key != nullptr && key->name == "status" && status != nullptr && status->name == "declined";
  if (entry.declined == (entry.rows.kind() == Kind::kList) ||
      !OpenCallOf(annotated->form.front(), entry.relation, entry.key, free) ||
      std::ranges::all_of(free, &std::string::empty))
    return false;
  entry.truth = truth;
  entry.text = Print(sentence);
  entry.span = sentence.span;
  entry.before = {novelty.facts.size(), novelty.assertions.size()};
  novelty.question_entries.push_back(std::move(entry));
  return true;
}

void Loader::Add(Assertion assertion) {
  assertion.facts_before = novelty.facts.size();
  novelty.assertions.push_back(std::move(assertion));
}

// Asserts the plain facts that begin before the offset `end`, as far as not done yet.
void Loader::AssertPlain(std::size_t end) {
  const PlainFacts& plain = document_.facts;
  const std::string_view text = program_.sources().at(document_.file).text;
  Pool& pool = program_.store().pool();
  TextQueue cells(pool, novelty.facts.cells());
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
    for (const PlainFacts::Argument& argument : arguments)
      PushPlain(pool, argument.kind, text.substr(argument.begin, argument.size), cells);
    novelty.facts.Add({plain_relation_, fact.begin, fact.end}, cells);
  }
  cells.Flush();
}

// Decisions 34, 43 and 101: ground calls are asserted, a ground `-> false` retracts; that of a
// conjunction only what was asserted as one, else it excludes.
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
  const auto* const conjunction = written.As<Conjunction>();
  if (conjunction != nullptr && !truth &&
      !program_.told_conjunctions_.contains(ClauseTexts(*conjunction)))
    return false;
  if (const auto* c = tail.As<Conjunction>()) {
    for (const Node& clause : c->clauses)
      if (!AssertOne(clause, truth, trace, sentence, found)) return false;
  } else if (!AssertOne(tail, truth, trace, sentence, found)) {
    return trace &&
           ((truth && AssertHalf(tail, sentence)) || AssertQuestion(tail, truth, sentence));
  }
  if (conjunction != nullptr && truth)
    program_.told_conjunctions_.insert(ClauseTexts(*conjunction));
  for (Assertion& a : found) {
    const Relation& of = program_.store().at(a.relation);
    const bool source = of.name() == "$index" && !a.trace && a.meta.is_none();
    asserted_.insert(a.relation);
    if (source) novelty.sources.push_back({a.relation, std::move(a.row), a.span});
    else Add(std::move(a));
  }
  return true;
}

// Whether a retraction of a call also forbids it (decision 43): `$touch("secret") -> false`.
bool Loader::ForbidsCall(const Rule& rule) {
  if (rule.tail.size() != 1 || rule.constraints.size() != 1) return false;
  const auto* truth = Ungroup(rule.constraints.front()).As<Boolean>();
  const auto* call = Ungroup(rule.tail.front()).As<Call>();
  return truth != nullptr && !truth->value && call != nullptr && call->ns == Namespace::kTool &&
         !IsQuestionTool(call->label);
}

// Whether the other rules of the definition's relation choose as it does; else reports it.
bool Loader::AgreesWithRules(const Definition& def) {
  if (def.head == kNoId) return true;
  const auto [at, is_new] = program_.extrema_.emplace(def.head, def.extremum);
  const std::optional<Extremum>& others = at->second;
  if (is_new || others == def.extremum) return true;
  const auto text = [](const std::optional<Extremum>& e) {
    return !e ? "neither `std#least` nor `std#greatest`"
              : "`" + std::string(ExtremumName(*e)) + "` as argument " +
                    std::to_string(e->column + 1);
  };
  out_.Add(Code::kBadExtremum, def.span,
           "this rule of `" + program_.store().at(def.head).name() + "` has " + text(def.extremum) +
               ", and an earlier one " + text(others),
           "all rules of a relation choose alike");
  return false;
}

// Each head of a double implication is a rule over the same tail (decision 37). If the first head
// is a goal with other rules, of which one is chosen, the other heads hold only by this rule.
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
    if (lowering.failed() || !AgreesWithRules(def)) continue;
    const auto* goal = head.As<Call>();
    if (&head == &rule.heads.front() && goal != nullptr && goal->ns == Namespace::kGoal) {
      method = {head, static_cast<int>(program_.definitions_.size() + definitions.size())};
      if (!def.gathered.empty()) method->goal.As<Call>()->args.clear();
    }
    def.words = context.words;
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
    if (!lowering.failed() && AgreesWithRules(def)) definitions.push_back(std::move(def));
  }
}

void Loader::Loose(const PlacedSentence& placed) {
  const Rule& rule = placed.sentence.rule;
  const HeadingContext& section = sections_[static_cast<std::size_t>(placed.scope)].context;
  const HeadingContext plain{section.title, nullptr, {}, false};
  if (!rule.heads.empty()) return Define(rule, placed.sentence.span, plain);
  if (IsFailure(rule)) {
    const Node& statement = rule.tail.front();
    return Define({{Ungroup(statement)}, {{Boolean{true}, statement.span}}, {}, {}},
                  placed.sentence.span, plain);
  }
  Lowering lowering(program_, plain, out_);
  Constraint c = lowering.Constrain(rule, placed.sentence.span);
  c.words = section.words;
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
    c.words = section.context.words;
    if (!lowering.failed()) constraints.push_back(std::move(c));
    return;
  }
  const Node& head = signature.rule.heads.front();
  const auto* call = head.As<Call>();
  Declare(head, heading.span, section.context);
  if (call != nullptr && call->ns == Namespace::kTool && call->args.size() <= kMaxArity)
    NoteParameters(Space::kTool, *call);
  const bool goal = call != nullptr && call->ns == Namespace::kGoal;
  if (signature.rule.tail.empty() && section.own.empty() && section.conjoined.empty()) {
    if (call == nullptr || call->ns == Namespace::kTool) return;  // a tool is declared only
    if (call->ns == Namespace::kRelation) {
      const Node whole{*call, heading.span};
      std::vector<Assertion> fact;
      if (AssertOne(whole, true, false, signature, fact)) {
        std::ranges::move(fact, std::back_inserter(heading_facts_));
      } else if (const Builtin* builtin = FindBuiltin(call->label, call->args.size())) {
        program_.builtins_.emplace(NoteParameters(Space::kRelation, *call), builtin);
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

// Records the names of the arguments of a tool or a built-in relation, for policies and people.
RelationId Loader::NoteParameters(Space space, const Call& call) {
  const RelationId relation =
      program_.store().Declare(space, call.label, static_cast<std::uint32_t>(call.args.size()));
  std::vector<std::string> names;
  for (const Node& arg : call.args) {
    const auto* lvar = arg.As<Lvar>();
    names.push_back(lvar != nullptr ? lvar->name : std::to_string(names.size()));
  }
  program_.parameters_.emplace(relation, std::move(names));
  return relation;
}

void Loader::Lower() {
  // Facts first: whether a heading collects depends on them.
  HeadingJoins joins(document_);
  std::vector<const PlacedSentence*> rules;
  for (const PlacedSentence* placed : loose_) {
    AssertPlain(placed->sentence.span.begin);
    const Rule& rule = placed->sentence.rule;
    SentenceReading& reading = ReadingOf(*placed);
    if (IsFailure(rule)) {
      reading.role = SentenceRole::kFailure;
      rules.push_back(placed);
      continue;
    }
    if (Assert(rule, placed->sentence)) {
      reading.role = SentenceRole::kAssertion;
      if (forbids_ && ForbidsCall(rule)) rules.push_back(placed);
      continue;
    }
    if (!rule.heads.empty()) reading.role = SentenceRole::kRule;
    else if (!rule.constraints.empty()) reading.role = SentenceRole::kConstraint;
    if (rule.heads.empty() && rule.constraints.empty()) {
      const std::vector<int>* const joined = joins.Of(placed->scope);
      if (joined == nullptr) {
        reading.role = SentenceRole::kRefused;
        if (joins.IsFirstRefused())
          out_.Add(Code::kTooLong, placed->sentence.span,
                   "expressions join what stands under headings below them more than " +
                       std::to_string(kMaxJoins) + " times",
                   "write them under the headings that need them");
        continue;
      }
      reading.joins = *joined;
      for (const int target : reading.joins) {
        const auto t = static_cast<std::size_t>(target);
        if (!Restates(rule, document_.scopes[t].signature->rule))
          sections_[t].conjoined.push_back(rule.tail.front());
      }
      if (!reading.joins.empty()) {
        reading.role = SentenceRole::kConjoined;
        continue;
      }
    }
    rules.push_back(placed);
  }
  AssertPlain(std::numeric_limits<std::size_t>::max());
  // A span that names a relation, and no variable, offers its rows; any other marks a variable
  // (§17.2). Where the document reads or gives the relation does not matter.
  std::unordered_set<std::string> mentioned;  // unary relations
  const std::function<void(const Node&)> mention = [&](const Node& node) {
    if (const auto* call = node.As<Call>();
        call != nullptr && call->ns == Namespace::kRelation && call->args.size() == 1)
      mentioned.insert(call->label);
    ForEachChild(node, mention);
  };
  const bool offers = std::ranges::any_of(sections_, [](const Section& section) {
    return section.context.signature && !section.context.offers.empty();
  });
  if (offers) {
    for (const PlacedSentence& placed : document_.sentences)
      ForEachChild(placed.sentence.rule, mention);
    for (const Scope& scope : document_.scopes)
      if (scope.signature) ForEachChild(scope.signature->rule, mention);
  }
  for (std::size_t s = 0; s < sections_.size(); ++s) {
    Section& section = sections_[s];
    if (!section.context.signature) continue;
    std::unordered_set<std::string> seen;
    for (const std::string& name : section.context.spans) {
      const std::string label = document_.prefix + name;
      if (std::ranges::find(section.context.offers, name) != section.context.offers.end()) {
        if (mentioned.contains(label)) program_.store().Declare(Space::kRelation, label, 1);
        if (program_.store().Find(Space::kRelation, label, 1) != kNoId) continue;
      }
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
  PlaceHeadingFacts();
}

// What headings state is asserted where they stand.
void Loader::PlaceHeadingFacts() {
  const auto place = [](const Assertion& a) { return a.span.begin; };
  const auto come_before = [&](Span span) {
    return std::ranges::lower_bound(heading_facts_, span.begin, {}, place) - heading_facts_.begin();
  };
  for (HalfAnswer& half : novelty.half_answers) half.before.assertions += come_before(half.span);
  for (QuestionEntry& entry : novelty.question_entries)
    entry.before.assertions += come_before(entry.span);
  for (Assertion& a : heading_facts_) a.facts_before = novelty.facts.CountBefore(a.span.begin);
  const auto middle = static_cast<std::ptrdiff_t>(novelty.assertions.size());
  std::ranges::move(heading_facts_, std::back_inserter(novelty.assertions));
  std::ranges::inplace_merge(novelty.assertions, novelty.assertions.begin() + middle, {}, place);
}

}  // namespace rpl
