// SPDX-License-Identifier: Apache-2.0
#include "runtime/step/constraint_check.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "interp/eval/constraint_watch.h"
#include "interp/eval/engine.h"
#include "interp/eval/fixpoint.h"
#include "interp/eval/profile.h"
#include "interp/eval/solver.h"
#include "interp/eval/unifier.h"
#include "interp/plan/analysis.h"
#include "interp/program/program.h"
#include "interp/store/store.h"
#include "runtime/facts/budget.h"
#include "runtime/facts/derivation.h"
#include "runtime/facts/fact_writer.h"
#include "runtime/facts/goal_record.h"
#include "runtime/facts/recorder.h"
#include "runtime/step/step_state.h"
#include "runtime/step/violations.h"

namespace rpl {
void ForEachRead(const interp::Engine& engine, std::initializer_list<const Clauses*> clauses,
                 const std::function<void(const ClauseRead&)>& fn) {
  std::set<RelationId> seen;
  std::vector<RelationId> work;
  const auto follow = [&](RelationId relation) {
    const RelationId base = engine.store.BaseOf(relation);
    if (seen.insert(base).second) work.push_back(base);
  };
  const auto look = [&](const Clauses& body) {
    ForEachClause(body, [&](const Clause& clause) {
      ForEachPart(clause, [&](Sense, const ClauseRead& read) {
        fn(read);
        if (read.atom != nullptr) follow(read.relation);
      });
    });
  };
  for (const Clauses* body : clauses) look(*body);
  while (!work.empty()) {
    const RelationId relation = work.back();
    work.pop_back();
    const Goal* const goal = GoalOf(engine, relation);
    for (const int number : goal != nullptr ? goal->rules : engine.analysis.RulesOf(relation)) {
      const Definition& def = engine.program.definitions()[static_cast<std::size_t>(number)];
      look(def.activation);
      look(def.body);
    }
  }
}

namespace {

// The relations, goals and avars that clauses read, directly or through rules; nullopt where an
// expansion may read any of them. The library by itself depends on nothing.
std::optional<std::set<RelationId>> ReadBy(const interp::Engine& engine,
                                           std::initializer_list<const Clauses*> clauses) {
  std::set<RelationId> out;
  bool any = false;
  ForEachRead(engine, clauses, [&](const ClauseRead& read) {
    any = any || read.relation == kNoId;
    if (read.relation == kNoId) return;
    const RelationId base = engine.store.BaseOf(read.relation);
    if (engine.program.FindBuiltin(base) == nullptr) out.insert(base);
  });
  return any ? std::nullopt : std::optional(std::move(out));
}

// Whether the query reads something that the constraint reads, or may.
bool ReadsOf(const interp::Engine& engine, const Definition& query, const Constraint& c) {
  const auto of_query = ReadBy(engine, {&query.activation, &query.body});
  const auto of_constraint = ReadBy(engine, {&c.left, &c.right});
  return !of_query || !of_constraint ||
         std::ranges::any_of(*of_query, [&](RelationId r) { return of_constraint->contains(r); });
}

}  // namespace

ConstraintCheck::ConstraintCheck(interp::Engine& engine, const SessionOptions& options,
                                 Recorder& recorder, Budget& budget, const FactWriter& facts,
                                 const Derivations& derivations, const Violations& violations)
    : engine_(engine),
      options_(options),
      recorder_(recorder),
      budget_(budget),
      facts_(facts),
      derivations_(derivations),
      violations_(violations) {}

Findings ConstraintCheck::Live() {
  Findings out;
  OfRules(engine_.fixpoint.Violations(), out);
  OfRules(engine_.solver.TakeViolations(), out);
  for (const Constraint& c : engine_.program.constraints())
    if (!c.left.empty() && !c.guards) recorder_.Log(Verb::kLive, c);
  return out;
}

Findings ConstraintCheck::Settle(GoalStanding standing, const std::vector<Violation>& of_goal,
                                 const Definition* query) {
  Findings out;
  OfRules(engine_.fixpoint.Violations(), out);
  OfRules(of_goal, out);
  EvaluateRules(out);
  OfRules(engine_.solver.TakeViolations(), out);
  for (const Constraint& c : engine_.program.constraints()) {
    if (c.left.empty() || c.guards) continue;
    CheckOne(c, standing, query, out);
    if (!Stops(c.text, out)) continue;
    recorder_.Log(Verb::kStopped, c);
    break;
  }
  if (out.violated || out.undecided_by != nullptr) out.needed.clear();
  for (const Assertion& a : facts_.retracted())
    if (const RowId row = engine_.store.at(a.relation).Find(a.row);
        row != kNoId && !engine_.store.at(a.relation).asserted(row)) {
      // The program says both: a rule derives what was retracted (decision 44).
      recorder_.Log(Verb::kViolated, a.text, a.span);
      Violate({nullptr, a.text, {}, {}, {}}, out);
    }
  return out;
}

void ConstraintCheck::OfRules(const std::vector<Violation>& found, Findings& out) {
  for (const Violation& v : found) {
    const Constraint& c = engine_.program.constraints()[static_cast<std::size_t>(v.constraint)];
    if (options_.profile != nullptr) options_.profile->CountViolated(c);
    Violate({&c, derivations_.BindingsText(v.bindings, kDerivationBytes), v.bindings, {}, {}}, out);
  }
}

void ConstraintCheck::CheckOne(const Constraint& c, GoalStanding standing, const Definition* query,
                               Findings& out) {
  bool unknown = false;
  const auto take = [&](const std::vector<Value>& slots, Solver::Judgement verdict) {
    unknown = unknown || verdict == Solver::Judgement::kLacks;
    using enum Solver::Judgement;
    const bool known = verdict == kHolds || verdict == kViolated;
    Take(c, slots, known ? std::optional(verdict == kHolds) : std::nullopt, out);
  };
  unknown = engine_.watch.Check(c, take).lacks != 0 || unknown;
  OfRules(engine_.solver.TakeViolations(), out);  // of rules evaluated for the constraint
  for (OpenCall& call : engine_.solver.TakeCalls())
    if (!c.obligation) out.needed.push_back(std::move(call));
  if (!unknown) return;
  recorder_.Log(Verb::kUndecided, c);
  // Without a goal, what is not asked for yet holds nothing back; what has no meaning does
  // (decision 93).
  const Evaluation& blame = engine_.solver.found();
  const bool meaningless = standing == GoalStanding::kNoGoal && !blame.undefined.empty();
  if (out.undecided_by != nullptr || (standing != GoalStanding::kSatisfied && !meaningless)) return;
  if (query != nullptr && blame.undefined.empty() && !ReadsOf(engine_, *query, c)) return;
  out.undecided_by = &c;
  out.blame.declined = blame.declined;
  out.blame.refused = blame.refused;
  out.blame.failed = blame.failed;
  out.blame.failure = blame.failure;
  out.blame.undefined = blame.undefined;
}

// Takes what is found about one instance of the left side; `holds`: nullopt if it is not known.
void ConstraintCheck::Take(const Constraint& c, const std::vector<Value>& slots,
                           std::optional<bool> holds, Findings& out) {
  const bool violated = holds == false;
  const std::string undefined = violated ? engine_.solver.found().undefined : "";
  if (violated && options_.profile != nullptr) options_.profile->CountViolated(c);
  if (violated && out.violated && !recorder_.Logs()) return;
  const std::vector<Value> bindings = derivations_.BoundOf(c, slots);
  const std::string text = derivations_.BindingsText(bindings, kDerivationBytes);
  engine_.pool.Work(text.size());  // which polls the limits
  if (violated) {
    if (!out.violated)
      Violate({.constraint = &c,
               .bindings = text,
               .bound = bindings,
               .asserted = AssertedOf(c, slots),
               .rows = RowsOf(c, slots),
               .facts = FactsOf(c, slots),
               .undefined = undefined},
              out);
    recorder_.Log(Verb::kViolated, c.text + " ^^ " + text, c.span);
  } else if (holds == true && traced_.emplace(c.number, text).second) {
    std::string both = c.reported;
    for (const Clause& clause : c.right) both += ", " + clause.text;
    recorder_.Entry({.kind = TraceEntry::Kind::kConstraint,
                     .text = "(" + both + ") ^^ " + text + " -> true",
                     .place = c.span});
  }
}

// Evaluates the rules with a constraint that nothing derives and that need no caller: a violation
// counts also where no goal reads them (decision 64). Rules that ask or call wait for a reader.
void ConstraintCheck::EvaluateRules(Findings& out) {
  const Analysis& analysis = engine_.analysis;
  const bool any = std::ranges::any_of(engine_.program.constraints(),
                                       [](const Constraint& c) { return c.left.empty(); });
  if (!any) return;
  for (const Definition& def : engine_.program.definitions()) {
    if (def.head == kNoId || !IsChecked(def)) continue;
    if (analysis.AccessOf(def.head, Mode::kSolve) != Access::kTable ||
        !analysis.ModesOf(def.head).Meets(0) || analysis.Acts(def) || analysis.Acts(def.head))
      continue;
    engine_.solver.ForEachRow(def.head, std::vector<Value>(engine_.store.at(def.head).arity()),
                              [](std::span<const Value>) {});
    if (Stops(def.text, out)) return;
  }
}

// Whether a limit stopped the check of the constraint or rule.
bool ConstraintCheck::Stops(const std::string& text, Findings& out) {
  const Evaluation& found = engine_.solver.found();
  if (found.stop == Stop::kGoesOn) return false;
  budget_.Take(found.stop, found.stopped_at.empty() ? text : std::string(found.stopped_at));
  out.unchecked = true;
  return true;
}

// Records a violation. Only the first determines the outcome of the timestep: there may be
// millions.
void ConstraintCheck::Violate(Violated v, Findings& out) {
  if (!violations_.IsAccepted(v)) {
    if (!out.violated) out.violated = std::move(v);
  } else if (recorder_.phase() == 7 && out.overridden.size() < kMostOverridden) {
    out.overridden.push_back(std::move(v));
  }
}

// The ground row that an atom of the left side of a constraint matched; nullopt without one.
std::optional<std::vector<Value>> ConstraintCheck::RowOf(const Atom& atom,
                                                         const std::vector<Value>& slots) const {
  std::vector<Value> row;
  for (const Pattern& p : atom.args) row.push_back(Build(engine_.pool, p, slots.data(), nullptr));
  if (std::ranges::any_of(row, [](Value v) { return v.is_none() || v == kUnknown || v == kWild; }))
    return std::nullopt;
  return row;
}

// The asserted facts that an instance of the left side names, in order.
std::vector<Assertion> ConstraintCheck::AssertedOf(const Constraint& c,
                                                   const std::vector<Value>& slots) const {
  std::vector<Assertion> out;
  for (const auto& [position, clause, atom] : OwnAtoms(c.left)) {
    if (engine_.store.at(atom.relation).space() != Space::kRelation) continue;
    std::optional<std::vector<Value>> cells = RowOf(atom, slots);
    Assertion fact;
    fact.relation = engine_.store.BaseOf(atom.relation);
    const Relation& rel = engine_.store.at(fact.relation);
    const RowId row = cells ? rel.Find(*cells) : kNoId;
    if (row == kNoId || !rel.asserted(row)) continue;
    fact.row = *std::move(cells);
    fact.truth = false;
    fact.trace = true;
    fact.span = c.span;
    fact.text = derivations_.RowText(fact.relation, fact.row) + " -> false";
    out.push_back(std::move(fact));
  }
  return out;
}

// The rows of an instance of the left side, stated, derived or answered, in order.
std::vector<std::string> ConstraintCheck::RowsOf(const Constraint& c,
                                                 const std::vector<Value>& slots) const {
  std::vector<std::string> out;
  for (const auto& [position, clause, atom] : OwnAtoms(c.left)) {
    const Space space = engine_.store.at(atom.relation).space();
    if (space != Space::kRelation && space != Space::kTool) continue;
    if (const auto row = RowOf(atom, slots))
      out.push_back(derivations_.RowText(engine_.store.BaseOf(atom.relation), *row));
  }
  return out;
}

// What the atoms of an instance of the left side matched.
std::vector<std::pair<RelationId, std::vector<Value>>> ConstraintCheck::FactsOf(
    const Constraint& c, const std::vector<Value>& slots) const {
  std::vector<std::pair<RelationId, std::vector<Value>>> out;
  for (const auto& own : OwnAtoms(c.left))
    if (auto row = RowOf(own.atom, slots))
      out.emplace_back(engine_.store.BaseOf(own.atom.relation), *std::move(row));
  return out;
}

}  // namespace rpl
