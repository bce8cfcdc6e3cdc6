// SPDX-License-Identifier: Apache-2.0
//
// Goals (§15): which rules are eligible, in which order they are tried, and which truths stand.
#include <algorithm>

#include "interp/eval/machine.h"
#include "interp/eval/profile.h"
#include "interp/eval/solver.h"
#include "interp/eval/solver_plans.h"
#include "interp/program/operators.h"

namespace rpl {

Solver::FirstAnswer Solver::Activation(const Definition& def, std::span<const Value> key) {
  if (def.activation.empty()) return {.meant = true, .found = true, .open = {}};
  FirstAnswer first = FindFirst(def, key, 1, [&](Planner& planner, const std::vector<bool>& bound) {
    std::vector<bool> flows_on = HeadSlots(def);  // its bindings flow into the body (§16)
    for (const Clause& clause : def.body) CollectSlots(clause, flows_on);
    planner.FlowsOn(std::move(flows_on));
    const std::vector<bool> nothing(def.slots.size());
    return planner.Make(WithTexts(def, bound, Pointers(def.activation)), bound, nothing, def.slots,
                        def.avar);
  });
  if (first.found && machine_->profile() != nullptr) machine_->profile()->CountActivated(def);
  return first;
}

Solver::Active Solver::Activated(const Definition& def) {
  const FirstAnswer first = Activation(def, {});
  if (first.found || !first.meant) return Active::kYes;
  return !first.open.waits.empty() ? Active::kWaits
         : first.open.lacks        ? Active::kLacks
                                   : Active::kNo;
}

// What a rule that is guarded against its own goal established before is answered by it again, as
// long as its tail holds without the guard (decision 99).
void Solver::AnswerAgain(Table& table, const Definition& def) {
  if (store_.at(table.relation).empty() ||
      analysis_.WithoutGuards(def).size() == def.activation.size() + def.body.size())
    return;
  const Waiting waits = table.more().waits;
  const std::uint8_t lacking = table.lacking;
  const bool undecided = table.undecided;
  const Blame blame(machine_->evaluation);
  const Definition* const outer = std::exchange(machine_->again, &def);
  EvaluateRule(table, def);
  machine_->again = outer;
  table.eligible = table.eligible || !table.rows.empty();
  if (table.more().waits.all() == waits.all() && table.lacking == lacking) return;
  const Goal* const goal = program_.FindGoal(pool_.TextOf(store_.at(table.relation).label()));
  if (goal == nullptr || !AllGivenAgain(*goal)) return;
  // What it still waits for could only give what was not established, which the guard forbids.
  table.ClearWaits();
  table.Wait(waits);
  table.lacking = lacking;
  table.undecided = undecided;
  blame.Restore(machine_->evaluation);
}

void Solver::EvaluateGoalRule(Table& table, const Definition& def) {
  if (table.rows.empty()) table.rule = def.number;
  AnswerAgain(table, def);
  const FirstAnswer active = Activation(def, table.key);
  const bool holds = active.found || !active.meant;
  if (!holds && !active.open) return;
  table.eligible = true;
  if (holds) return EvaluateRule(table, def);
  if (!active.open.waits.empty()) return table.Wait(active.open.waits);
  table.lacking |= active.open.lacks;
  table.undecided = true;
}

// Adds the truths that a trace recorded (§12.3). Two may differ in context slots only, so they are
// distinguished by their bindings maps.
void Solver::TakeTruths(Table& table, const Goal* goal) {
  const Relation& rel = store_.at(table.relation);
  for (RowId row = 0; row < rel.size(); ++row) {
    if (!rel.asserted(row)) continue;
    const Value map = rel.Row(row)[0];
    std::optional<std::vector<Value>> cells =
        table.key.empty() ? CapturedCells(pool_, goal, map, table.more().captures.size())
                          : CapturedExactly(pool_, goal, map, table.key.size());
    bool same = cells.has_value();
    for (std::size_t i = 0; same && i < table.key.size(); ++i)
      same = table.key[i].is_none() || table.key[i] == (*cells)[i];
    if (!same) continue;
    table.eligible = true;
    cells->push_back(map);
    if (table.rows.Add(*cells)) {
      table.more().maps.push_back(map);
      table.more().rules.push_back(-1);
      table.more().premises.emplace_back();
    }
  }
}

void Solver::EvaluateGoal(Table& table) {
  const Relation& rel = store_.at(table.relation);
  const Goal* goal = program_.FindGoal(pool_.TextOf(rel.label()));
  // A call with arguments reads the rules that capture as many (decision 97).
  const std::size_t wanted = table.key.size();
  if (const auto* form = goal == nullptr || wanted == 0 ? nullptr : goal->FormOf(wanted))
    table.more().captures = *form;
  else if (goal != nullptr) table.more().captures = goal->captures;
  TakeTruths(table, goal);
  if (Lasting* const lasting = table.lasting(); lasting != nullptr && table.rows.empty()) {
    lasting->scanned = true;
    lasting->epoch = rel.epoch();
  }
  // The rules are a disjunction (§15.2). Those that only derive give all their answers. One that
  // acts, by asking, calling or showing, is a plan: it is tried only if no rule before it is
  // satisfied (decision 85).
  std::uint8_t lacking = 0;  // of plans that were tried without an answer
  bool undecided = false;
  for (std::size_t i = 0; goal != nullptr && i < goal->rules.size(); ++i) {
    const Definition& def = program_.definitions()[static_cast<std::size_t>(goal->rules[i])];
    if (wanted != 0 && def.captures.size() != wanted) continue;
    const bool acts = analysis_.Acts(def);
    const std::size_t before = table.rows.size();
    const bool doubted = table.AllRows() > before;
    const bool taken = before > 0 && !table.extent.all;
    table.chose = table.chose || (acts && taken);
    if (acts && (taken || doubted || ((table.lacking | lacking) & kMeaning) != 0)) continue;
    const std::uint8_t lacked = table.lacking;
    const bool withheld = table.undecided;
    EvaluateGoalRule(table, def);
    if (machine_->evaluation.stop != Stop::kGoesOn) return;
    const bool answered = table.rows.size() > before;
    if (table.pending && (table.forced || !answered)) return;
    if (!answered && acts) {
      lacking |= std::exchange(table.lacking, lacked);
      undecided |= std::exchange(table.undecided, withheld);
    }
    if (!answered) continue;
    // Further questions could only add answers, and one answer is enough.
    if (!table.extent.all) table.KeepTools();
  }
  if (table.rows.empty()) {
    table.lacking |= lacking;
    table.undecided |= undecided;
  }
  if (table.eligible || !table.rows.empty()) return;
  if (goal == nullptr && program_.IsDefinedGoal(table.relation)) return;
  table.ineligible = table.relation;
  table.more().reason = (goal == nullptr ? "no rule for " : "no eligible rule for ") + rel.name();
}

std::vector<const Table*> Solver::Running(RelationId goal) const {
  std::vector<const Table*> out;
  for (const Table* table : running_)
    if (table->relation == goal) out.push_back(table);
  return out;
}

// Records what the answers of a goal leave open.
void Solver::Conclude(const Table& table) {
  if (table.pending) Collect(table.more().waits);
  std::optional<Evaluation::Circle>& circle = machine_->evaluation.circle;
  if (circle && circle->may_settle && table.lacking == 0) circle.reset();
  if ((table.lacking & kMeaning) != 0) machine_->evaluation.undefined = table.more().doubt;
}

const Table& Solver::SolveGoal(const Goal& goal) {
  Table& table = Demand(goal.relation, {});
  Conclude(table);
  return table;
}

const Table& Solver::SolveQuery(const Definition& query) {
  query_tables_.push_back(std::make_unique<Table>());
  Table& table = *query_tables_.back();
  table.relation = query.head;
  table.explains = true;
  table.more().captures = query.captures;
  table.running = true;
  running_.push_back(&table);
  EvaluateGoalRule(table, query);
  table.SettleDoubts();
  if (!table.rows.empty() && !table.forced) table.KeepTools();
  Conclude(table);
  running_.pop_back();
  table.running = false;
  table.complete = true;
  return table;
}

bool Solver::Stands(const Goal& goal, Value bindings, Reads* reads) {
  machine_->reads = reads;
  const bool stands = FindStanding(goal, bindings);
  machine_->reads = nullptr;
  return stands;
}

// Calls `fn` with what each rule that may give a truth finds for it, its guards apart, until it
// returns true.
template <typename Fn>
bool Solver::AnyRuleGives(const Goal& goal, Value bindings, Fn&& fn) {
  for (int number : goal.rules) {
    const Definition& def = program_.definitions()[static_cast<std::size_t>(number)];
    std::vector<Value> key;
    for (const Value capture : def.captures) key.push_back(pool_.Lookup(bindings, capture));
    if (2 * key.size() != pool_.ItemsOf(bindings).size() ||
        std::any_of(key.begin(), key.end(), [](Value v) { return v.is_none(); }))
      continue;
    // Nobody asked for that row: its group keys were not bound.
    std::vector<Value> given = key;
    const Columns keys = analysis_.KeysOf(goal.relation);
    for (std::size_t i = 0; i < given.size(); ++i)
      if ((keys >> i & 1) != 0) given[i] = kNone;
    const FirstAnswer first = FindFirst(
        def, given, 2,
        [&](Planner& planner, const std::vector<bool>& bound) {
          return planner.Make(WithTexts(def, bound, analysis_.WithoutGuards(def)), bound,
                              HeadSlots(def), def.slots, def.avar);
        },
        keys == 0 ? std::span<const Value>() : key);
    if (fn(first)) return true;
  }
  return false;
}

bool Solver::FindStanding(const Goal& goal, Value bindings) {
  return AnyRuleGives(goal, bindings, [&](const FirstAnswer& first) {
    return first.found || first.open || machine_->truncated ||
           machine_->evaluation.stop != Stop::kGoesOn;
  });
}

// Whether each truth that rules established is given by one of them as it is. Nothing is asked or
// called for that.
bool Solver::AllGivenAgain(const Goal& goal) {
  const Relation& truths = store_.at(goal.relation);
  const Blame blame(machine_->evaluation);
  bool all = true;
  for (RowId row = 0; row < truths.size() && all; ++row)
    all =
        truths.asserted(row) || AnyRuleGives(goal, truths.Row(row)[0],
                                             [](const FirstAnswer& first) { return first.found; });
  blame.Restore(machine_->evaluation);
  return all;
}

}  // namespace rpl
