// SPDX-License-Identifier: Apache-2.0
#include "interp/program/program.h"

#include <algorithm>
#include <functional>
#include <set>

#include "interp/program/bindings.h"
#include "interp/program/builtin_tools.h"
#include "interp/program/loader.h"
#include "interp/store/store.h"

namespace rpl {

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

const std::vector<Value>* Goal::FormOf(std::size_t count) const {
  const auto at = std::ranges::find(forms, count, &std::vector<Value>::size);
  return at == forms.end() ? nullptr : &*at;
}

std::optional<std::vector<Value>> CapturedExactly(Pool& pool, const Goal* goal, Value map,
                                                  std::size_t count) {
  std::vector<Value> best, cells;
  const auto try_form = [&](const auto& name_at, std::size_t size) {
    cells.clear();
    for (std::size_t i = 0; i < size; ++i) {
      cells.push_back(pool.Lookup(map, name_at(i)));
      if (cells.back().is_none()) return;
    }
    if (cells.size() > best.size()) best = cells;
  };
  if (goal != nullptr)
    for (const std::vector<Value>& form : goal->forms)
      try_form([&](std::size_t i) { return form[i]; }, form.size());
  std::size_t numbered = 0;
  const auto number = [&](std::size_t i) { return pool.Slot(std::to_string(i + 1)); };
  while (!pool.Lookup(map, number(numbered)).is_none()) ++numbered;
  try_form(number, numbered);
  return best.size() == count ? std::optional(std::move(best)) : std::nullopt;
}

bool IsQuestion(const Relation& relation) {
  return relation.space() != Space::kTool ||
         IsQuestionTool(std::string_view(relation.name()).substr(1));
}

Program::Program(Store& store, const Sources& sources) : store_(store), sources_(sources) {}

RelationId Program::OptionsOf(const ArgumentQuestion& question) const {
  if (question.options != kNoId || question.offers.empty()) return question.options;
  return store_.Find(Space::kRelation, question.offers, 1);
}

const Goal* Program::FindGoal(std::string_view label) const {
  const RelationId relation = store_.Find(Space::kGoal, label, 1);
  const auto it = goal_of_.find(relation);
  return it == goal_of_.end() ? nullptr : &goals_[it->second];
}

const Collected* Program::FindCollected(RelationId relation) const {
  const auto it = collected_.find(relation);
  return it == collected_.end() ? nullptr : &it->second;
}

const Builtin* Program::FindBuiltin(RelationId relation) const {
  const auto it = builtins_.find(relation);
  return it == builtins_.end() ? nullptr : it->second;
}

bool Program::HasRules(RelationId relation) const {
  const auto it = rule_count_.find(relation);
  return it != rule_count_.end() && it->second > 0;
}

void Program::CheckGoalCalls(const Clauses& clauses, Diagnostics& out) const {
  ForEachClause(clauses, [&](const Clause& clause) {
    const Atom* atom = AtomIn(clause);
    if (atom == nullptr || store_.at(atom->relation).space() != Space::kGoal ||
        atom->args.empty() || atom->rule >= 0)
      return;
    const Relation& rel = store_.at(atom->relation);
    const Goal* goal = FindGoal(store_.pool().TextOf(rel.label()));
    if (goal != nullptr && goal->FormOf(atom->args.size()) == nullptr)
      out.Add(Code::kGoalArity, clause.span,
              rel.name() + " captures " + std::to_string(goal->captures.size()) +
                  (goal->captures.size() == 1 ? " value" : " values") + ", got " +
                  std::to_string(atom->args.size()) +
                  (atom->args.size() == 1 ? " argument" : " arguments"),
              "call it with as many, or with none");
  });
}

CallRelations Program::CallsOf(RelationId tool) {
  const Relation& rel = store_.at(tool);
  const std::string name = rel.name();  // no author can write a relation of such a name
  const std::uint32_t arity = rel.arity();
  return {store_.Declare(Space::kRelation, name + " pending", arity),
          store_.Declare(Space::kRelation, name + " called", arity),
          store_.Declare(Space::kRelation, name + " made", arity)};
}

const std::vector<std::string>* Program::ParametersOf(RelationId relation) const {
  const auto found = parameters_.find(relation);
  return found == parameters_.end() ? nullptr : &found->second;
}

// Registers the constraint if it is a guard: it forbids a call on its left whose reply is not read,
// or nothing else binds an argument of one, which it cannot have made then.
void Program::TakeGuard(Constraint& c) {
  const auto is_call = [&](const Atom& atom) {
    return atom.row < 0 && store_.at(atom.relation).space() == Space::kTool;
  };
  std::vector<std::pair<std::size_t, RelationId>> calls;
  for (const auto& [position, clause, atom] : OwnAtoms(c.left))
    if (is_call(atom)) calls.emplace_back(position, atom.relation);
  if (calls.empty() || c.obligation) return;
  if (!c.forbids) {
    const std::vector<bool> bound =
        BoundBy(PointersTo(c.left), std::vector<bool>(c.slots.size()), [&](const Atom& atom) {
          return store_.at(atom.relation).space() == Space::kTool ? ~Columns{0} : Columns{0};
        });
    bool open = false;
    for (const auto& call : calls)
      ForEachSlot(c.left[call.first],
                  [&](SlotId s) { open = open || !bound[static_cast<std::size_t>(s)]; });
    if (!open) return;
  }
  c.guards = true;
  CallGuard guard;
  guard.constraint = c.number;
  const auto reads = [&](Atom& atom, RelationId relation) {
    atom.relation = relation;
    if (atom.whole) store_.Whole(relation);
  };
  const auto within = [&](Clauses& body) {
    ForEachAtom(body, [&](Atom& atom) {
      if (is_call(atom)) reads(atom, CallsOf(atom.relation).made);
    });
  };
  for (const auto& [focus, relation] : calls) {
    Constraint form = c;
    for (std::size_t i = 0; i < form.left.size(); ++i) {
      auto* atom = form.left[i].As<Atom>();
      if (atom != nullptr && is_call(*atom)) {
        const CallRelations of = CallsOf(atom->relation);
        reads(*atom, i == focus ? of.pending : of.called);
      }
      ForEachBody(form.left[i], within);
    }
    within(form.right);
    guard.readings.push_back({relation, std::move(form)});
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

std::vector<std::vector<Value>> RowsOfAnswer(const Pool& pool, std::span<const Value> key,
                                             Value rows) {
  const auto open = std::ranges::count_if(key, &Value::is_none);
  std::vector<std::vector<Value>> out;
  for (const Value& given : pool.ItemsOf(rows)) {
    const bool list = open > 1 && given.kind() == Kind::kList;
    const std::span<const Value> cells = list ? pool.ItemsOf(given) : std::span(&given, 1);
    if (std::ssize(cells) != open) continue;
    std::vector<Value>& row = out.emplace_back(key.begin(), key.end());
    auto cell = cells.begin();
    for (Value& v : row)
      if (v.is_none()) v = *cell++;
  }
  return out;
}

std::vector<const Assertion*> RetractionsOfNothing(const Program& program, const Store& store,
                                                   std::span<const Assertion> assertions,
                                                   std::span<const QuestionEntry> questions) {
  std::vector<const Assertion*> out;
  std::set<std::pair<RelationId, std::vector<std::uint64_t>>> held;
  const auto key = [](RelationId relation, std::span<const Value> values) {
    std::vector<std::uint64_t> row;
    for (const Value v : values) row.push_back(v.bits());
    return std::pair(relation, row);
  };
  if (std::ranges::all_of(assertions, &Assertion::truth)) return out;
  auto question = questions.begin();
  for (std::size_t i = 0; i < assertions.size(); ++i) {
    for (; question != questions.end() && question->before.assertions <= i; ++question) {
      if (question->declined) continue;
      for (const std::vector<Value>& row :
           RowsOfAnswer(store.pool(), question->key, question->rows))
        if (question->truth) held.insert(key(question->relation, row));
        else held.erase(key(question->relation, row));
    }
    const Assertion& a = assertions[i];
    if (store.at(a.relation).space() != Space::kRelation) continue;
    if (a.truth) held.insert(key(a.relation, a.row));
    else if (held.erase(key(a.relation, a.row)) == 0 && !program.HasRules(a.relation))
      out.push_back(&a);
  }
  return out;
}

Novelty Program::Load(const Document& document, Diagnostics& out, bool forbids) {
  Loader loader(*this, document, out, forbids);
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
          goals_.push_back({def.head, std::string(store_.pool().TextOf(head.label())), {}, {}, {}});
        Goal& goal = goals_[at->second];
        if (def.captures.size() > goal.captures.size()) goal.captures = def.captures;
        if (std::ranges::find(goal.forms, def.captures) == goal.forms.end())
          goal.forms.push_back(def.captures);
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
  for (std::size_t i = 0; i < document.scopes.size(); ++i)
    if (const Scope& scope = document.scopes[i]; scope.level > 0)
      headings_[document.file].push_back({scope.span.begin, scope.title, loader.WordsOf(i)});
  return std::move(loader.novelty);
}

// The heading above a sentence; null if there is none.
const Program::HeadingStart* Program::StartOf(Span span) const {
  const auto it = headings_.find(span.file);
  if (it == headings_.end()) return nullptr;
  const auto after = std::upper_bound(
      it->second.begin(), it->second.end(), span.begin,
      [](std::uint32_t begin, const HeadingStart& heading) { return begin < heading.begin; });
  return after == it->second.begin() ? nullptr : &*std::prev(after);
}

std::string Program::HeadingAt(Span span) const {
  const HeadingStart* const heading = StartOf(span);
  return heading == nullptr ? "" : heading->title;
}

std::shared_ptr<const HeadingProse> Program::ProseAt(Span span) const {
  const HeadingStart* const heading = StartOf(span);
  return heading == nullptr ? nullptr : heading->words;
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
