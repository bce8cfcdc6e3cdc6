// SPDX-License-Identifier: Apache-2.0
//
// Truths of goals: recorded when a goal is satisfied, and dropped when they hold no longer.
#include <set>
#include <utility>
#include <vector>

#include "interp/eval/fixpoint.h"
#include "interp/eval/solver.h"
#include "interp/plan/analysis.h"
#include "runtime/timestep.h"

namespace rpl {

std::string RecordFailure(GoalRecord& goals, Recorder& recorder, const std::string& reason,
                          const std::string& explanation) {
  ++goals.voids;
  return recorder.Failure(reason, explanation);
}

const Goal* GoalOf(const interp::Engine& engine, RelationId relation) {
  const Relation& of = engine.store.at(relation);
  return of.space() == Space::kGoal ? engine.program.FindGoal(engine.pool.TextOf(of.label()))
                                    : nullptr;
}

bool HasRules(const interp::Engine& engine, RelationId goal) {
  const Goal* known = GoalOf(engine, goal);
  return known != nullptr && !known->rules.empty();
}

// A recorded truth may rest on others, and these on it, through relations that read them. So when
// one may have fallen, all are taken out, and those come back that hold without (decision 86).
Stop Runtime::RecheckTruths() {
  struct Recorded {
    const Goal* goal;
    Value bindings;
  };
  std::vector<Recorded> truths;
  bool any = false;
  bool may_have_fallen = std::exchange(goals_.may_have_fallen, false);
  for (const Goal& goal : engine_.program.goals()) {
    const Relation& recorded = engine_.store.at(goal.relation);
    if (goal.rules.empty()) continue;
    for (RowId row = 0; row < recorded.size() && !any; ++row) any = !recorded.asserted(row);
    may_have_fallen =
        may_have_fallen || (!engine_.analysis.IsMonotone(goal.relation) && !AllStand(goal));
  }
  if (!any) return Stop::kGoesOn;
  Stop stop = Stop::kGoesOn;
  if (may_have_fallen) {
    goals_.standing.clear();
    for (const Goal& goal : engine_.program.goals()) {
      const Relation& recorded = engine_.store.at(goal.relation);
      for (RowId row = 0; row < recorded.size() && !goal.rules.empty(); ++row)
        if (!recorded.asserted(row)) truths.push_back({&goal, recorded.Row(row)[0]});
    }
    for (const Goal& goal : engine_.program.goals()) {
      Relation& recorded = engine_.store.at(goal.relation);
      if (!goal.rules.empty()) recorded.Rebuild([&](RowId row) { return recorded.asserted(row); });
    }
    engine_.solver.Forget();
    stop = engine_.Derive();
    std::erase_if(truths, [&](const Recorded& truth) {
      return stop == Stop::kGoesOn && !engine_.solver.Stands(*truth.goal, truth.bindings);
    });
    for (const Recorded& truth : truths)
      engine_.store.Insert(truth.goal->relation, {&truth.bindings, 1}, false);
  }
  if (const Evaluation found = engine_.solver.Take(); found.stop != Stop::kGoesOn)
    budget_.Take(found.stop, found.stopped_at);
  engine_.solver.Forget();
  return may_have_fallen && stop == Stop::kGoesOn ? engine_.Derive() : stop;
}

// Whether each recorded truth of the goal still stands. Those that stood and read the same are not
// evaluated again.
bool Runtime::AllStand(const Goal& goal) {
  const Relation& recorded = engine_.store.at(goal.relation);
  GoalRecord::Standing& known = goals_.standing[goal.relation];
  const bool lasts = options_.long_loop != SIZE_MAX && options_.profile == nullptr;
  if (!lasts || known.epoch != recorded.epoch() || !known.reads.StillHolds(engine_.store)) {
    known = {};
    known.epoch = recorded.epoch();
  }
  known.reads.ForgetTables();
  for (RowId row = known.rows; row < recorded.size(); ++row) {
    Reads reads;
    if (!recorded.asserted(row) &&
        !engine_.solver.Stands(goal, recorded.Row(row)[0], lasts ? &reads : nullptr))
      return false;
    if (!lasts || !reads.known || known.rows != row) continue;
    known.reads.Add(reads, engine_.store);
    known.rows = row + 1;
  }
  return true;
}

TraceEntry Runtime::TruthEntry(const Table& table, const std::string& text) const {
  return {.kind = TraceEntry::Kind::kGoal,
          .text = text + std::string(kIsTrue),
          .goal = engine_.store.at(table.relation).name(),
          .place = PlaceOf(table)};
}

// Records the truths of the goals below first, each after the derivations it rests on (§19).
void Runtime::RecordGoal(StepState& step, const Table& table, std::set<const Table*>& done) {
  if (!done.insert(&table).second) return;
  for (const Table* used : table.more().used) RecordGoal(step, *used, done);
  if (engine_.store.at(table.relation).space() != Space::kGoal) return;
  const bool one_shot = &table == step.plan && query_ != nullptr;
  if (one_shot && !recorder_.Logs()) return;
  for (std::size_t row = 0; row < table.rows.size() && GoesOn(step, row); ++row) {
    if (!CanBeShown(step, {&table.more().maps[row], 1})) return;
    const std::string text = GoalText(table, row);
    recorder_.Log(Verb::kSatisfied, text, PlaceOf(table));
    if (one_shot) continue;
    const Value map = table.more().maps[row];
    const bool known = engine_.store.at(table.relation).Find({&map, 1}) != kNoId;
    const GoalRecord::Truth truth = {table.relation, map};
    if (const auto at = goals_.truths.find(truth);
        known && at != goals_.truths.end() && at->second != goals_.voids)
      step.standing_again.emplace_back(truth, TruthEntry(table, text));
    if (known) continue;
    engine_.store.Insert(table.relation, {&map, 1}, false);
    if (row < table.more().premises.size()) RecordDerivations(table.more().premises[row]);
    recorder_.Entry(TruthEntry(table, text));
    goals_.truths[truth] = goals_.voids;
  }
}

std::string Runtime::GoalText(const Table& table, std::size_t row) const {
  std::string text = engine_.store.at(table.relation).name();
  const std::span<const Value> entries = engine_.pool.ItemsOf(table.more().maps[row]);
  if (!entries.empty()) text += " ^^ " + Text(engine_.pool, table.more().maps[row]);
  return text;
}

// Records derived rows that a goal rests on, as far as the limits allow.
void Runtime::RecordDerivations(const std::vector<Premise>& premises) {
  for (const Premise& p : premises) {
    if (budget_.IsCutOff()) return;
    if (Derivations::Sentence found = derivations_.SentenceOf(p.relation, p.row);
        !found.text.empty())
      recorder_.Entry({.kind = TraceEntry::Kind::kDerivation,
                       .text = std::move(found.text),
                       .place = found.rule});
    const Evaluation& found = engine_.solver.found();
    if (found.stop != Stop::kGoesOn) budget_.Take(found.stop, std::string(found.stopped_at));
  }
}

// Drops the recorded truths of goals that have rules by now.
void Runtime::DropOvertakenTruths() {
  std::erase_if(goals_.told_truths, [&](const Assertion& a) {
    if (!HasRules(engine_, a.relation)) return false;
    Relation& truths = engine_.store.at(a.relation);
    truths.Rebuild([&](RowId row) { return truths.Row(row)[0] != a.row.front(); });
    return true;
  });
}

}  // namespace rpl
