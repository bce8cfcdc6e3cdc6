// SPDX-License-Identifier: Apache-2.0
#include "runtime/step/goal_pursuit.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "interp/eval/call_table.h"
#include "interp/eval/engine.h"
#include "interp/eval/fixpoint.h"
#include "interp/eval/solver.h"
#include "interp/eval/table.h"
#include "interp/plan/analysis.h"
#include "interp/program/program.h"
#include "interp/store/store.h"
#include "runtime/facts/budget.h"
#include "runtime/facts/call_book.h"
#include "runtime/facts/derivation.h"
#include "runtime/facts/goal_record.h"
#include "runtime/facts/recorder.h"
#include "runtime/facts/source_feed.h"
#include "runtime/step/answer_writer.h"
#include "runtime/step/step_state.h"
#include "runtime/step/to_do.h"

namespace rpl {

void GoalPursuit::SetGoal(const Definition* query, bool pursue) {
  query_ = query;
  pursue_ = pursue;
}

// --- phase 4: which rules may be pursued -----------------------------------------------

void GoalPursuit::Activate() {
  engine_.solver.Forget();
  if (!run_.recorder.Logs()) return;
  const auto standing = [&](const Definition& def) {
    const Solver::Active active = engine_.solver.Activated(def);
    run_.recorder.Log(active == Solver::Active::kYes  ? Verb::kEligible
                      : active == Solver::Active::kNo ? Verb::kIneligible
                                                      : Verb::kUndecided,
                      def);
  };
  std::vector<const Definition*> rules = pursue_ ? Candidates() : std::vector<const Definition*>{};
  for (const Goal& goal : engine_.program.goals())
    for (int number : goal.rules)
      if (const auto* def = &engine_.program.definitions()[static_cast<std::size_t>(number)];
          std::find(rules.begin(), rules.end(), def) == rules.end())
        rules.push_back(def);
  for (const Definition* def : rules) {
    run_.recorder.Log(Verb::kConsidered, *def);
    standing(*def);
  }
  for (const Definition& def : engine_.program.definitions())
    if (def.head != kNoId && engine_.store.at(def.head).space() != Space::kGoal &&
        !def.activation.empty())
      standing(def);
}

// The root goal's rules, else those of the named goals, in written order (§18.4).
std::vector<const Definition*> GoalPursuit::Candidates() const {
  if (query_ != nullptr) return {query_};
  std::vector<const Definition*> out;
  const auto add = [&](const Goal& goal) {
    for (int number : goal.rules)
      out.push_back(&engine_.program.definitions()[static_cast<std::size_t>(number)]);
  };
  if (const Goal* root = engine_.program.FindGoal(named_)) {
    add(*root);
    return out;
  }
  for (const Goal& goal : engine_.program.goals())
    if (goal.IsPursued()) add(goal);
  return out;
}

// --- phase 5: the plan is the first rule that is not unsatisfied ------------------------

void GoalPursuit::Choose(StepState& step) {
  engine_.solver.Forget();
  engine_.solver.Take();  // of phase 4, which only logs
  if (!pursue_ || AwaitSources(step)) return;
  const auto take = [&](const Table& table, const std::string& name) {
    step.plan = &table;
    step.goal_name = name;
    // If answers are shown, all must be: a pending answer is waited for, and a withheld one leaves
    // the goal undecided. A goal that shows none is satisfied by its first answer.
    const bool shows = !table.more().captures.empty() || !table.more().shown.empty();
    const bool whole = table.rows.empty() || shows || table.forced;
    step.undecided = table.undecided && whole;
    step.incomplete = (table.lacking & kReply) != 0;
    step.standing = table.pending && whole                 ? GoalStanding::kPending
                    : table.rows.empty() || step.undecided ? GoalStanding::kUnsatisfied
                                                           : GoalStanding::kSatisfied;
    if (step.reason.empty()) step.reason = table.more().reason;
    if (step.ineligible == kNoId) step.ineligible = table.ineligible;
    return step.standing != GoalStanding::kUnsatisfied;
  };
  if (query_ != nullptr) {
    take(engine_.solver.SolveQuery(*query_), "the query");
    step.plan_rule = query_;
    step.goal_name = engine_.store.at(query_->head).name();
    if (!step.plan->eligible) step.ineligible = query_->head;
  } else if (const Goal* root = engine_.program.FindGoal(named_)) {
    take(engine_.solver.SolveGoal(*root), "%" + named_);
  } else {
    for (const Goal& goal : engine_.program.goals())
      if (goal.IsPursued() && take(engine_.solver.SolveGoal(goal), "%" + goal.label)) break;
  }
  if (step.plan != nullptr && step.plan_rule == nullptr && step.plan->rule >= 0)
    step.plan_rule = &engine_.program.definitions()[static_cast<std::size_t>(step.plan->rule)];
  const bool stands = step.standing != GoalStanding::kUnsatisfied;
  step.rules = step.plan != nullptr && query_ == nullptr && stands ? RulesOf(*step.plan) : "";
  if (step.plan_rule != nullptr && stands) run_.recorder.Log(Verb::kPlan, *step.plan_rule);
  TakeEvaluation(step, engine_.solver.Take());
}

// In place of the plan, while a source of the program was not read: its open calls.
bool GoalPursuit::AwaitSources(StepState& step) {
  if (!step.awaits_sources) return false;
  Evaluation found = run_.sources.Open();
  step.goal_name = query_ != nullptr ? engine_.store.at(query_->head).name() : "%" + named_;
  step.standing = found.calls.empty() || found.refused || found.failed ? GoalStanding::kUnsatisfied
                                                                       : GoalStanding::kPending;
  TakeEvaluation(step, std::move(found));
  return true;
}

void GoalPursuit::TakeEvaluation(StepState& step, Evaluation found) {
  NoteCreated(found.calls);
  if (found.stop != Stop::kGoesOn) {
    run_.budget.Take(found.stop, found.stopped_at);
    if (step.standing != GoalStanding::kSatisfied) step.standing = GoalStanding::kUnsatisfied;
  }
  if (step.standing == GoalStanding::kPending && found.calls.empty())
    step.standing = GoalStanding::kUnsatisfied;  // nothing waits for nothing
  step.goal_violations = std::exchange(found.violations, {});
  step.found = std::move(found);
}

// Logs the calls that no timestep of the turn has had before.
void GoalPursuit::NoteCreated(const std::vector<OpenCall>& calls) {
  for (const OpenCall& call : calls)
    if (run_.calls.created.Add(call).is_new)
      run_.recorder.Log(Verb::kCreated, engine_.solver.CallText(call), call.place);
}

// --- phase 6: what the plan established becomes novelty ---------------------------------

void GoalPursuit::Record(StepState& step) {
  if (step.plan == nullptr) return;
  switch (step.standing) {
    case GoalStanding::kSatisfied: {
      run_.answers.Take(step, *step.plan, query_);
      std::set<const Table*> done;
      RecordGoal(step, *step.plan, done);
      done.clear();
      if (!step.unchecked) Show(step, *step.plan, done);
      if (query_ == nullptr) step.words = WordsOf(engine_, *step.plan);
      LogRulesPassedOver(step);
      break;
    }
    case GoalStanding::kPending: LogGoal(step, Verb::kWaiting); break;
    case GoalStanding::kUnsatisfied: LogGoal(step, Verb::kUnsatisfied); break;
    case GoalStanding::kNoGoal: break;
  }
  run_.recorder.Event("goal", [&]() -> nlohmann::ordered_json {
    return {{"goal", step.goal_name},
            {"standing", step.standing == GoalStanding::kSatisfied ? "satisfied"
                         : step.standing == GoalStanding::kPending ? "waiting"
                                                                   : "unsatisfied"}};
  });
  step.plan = nullptr;  // the next phase forgets the tables
}

// Logs the later rules of a satisfied goal, with their status now that it is true (§15.4).
void GoalPursuit::LogRulesPassedOver(const StepState& step) {
  if (!run_.recorder.Logs() || step.plan_rule == nullptr) return;
  bool later = false;
  for (const Definition* def : Candidates()) {
    if (later && def->head == step.plan_rule->head && !def->activation.empty())
      run_.recorder.Log(engine_.solver.Activated(*def) == Solver::Active::kNo ? Verb::kIneligible
                                                                              : Verb::kPassedOver,
                        *def);
    later |= def == step.plan_rule;
  }
}

std::string GoalPursuit::RulesOf(const Table& plan) const {
  const Goal* const goal = GoalOf(engine_, plan.relation);
  if (goal == nullptr || goal->rules.size() < 2) return "";
  constexpr std::size_t kMostRows = 100;
  std::set<int> rules;
  for (std::size_t row = 0; row < std::min(plan.rows.size(), kMostRows); ++row)
    rules.insert(plan.more().rules[row]);
  if (rules.empty()) rules.insert(plan.rule);
  std::string out;
  for (const int number : rules) {
    if (number < 0) continue;
    const Definition& rule = engine_.program.definitions()[static_cast<std::size_t>(number)];
    out += out.empty() ? "" : "; ";
    out += rule.heading.empty() ? engine_.sources.Where(rule.span) : rule.heading;
  }
  return out;
}

// Shows $json lines: those of the goals below first, then clause by clause in written order.
void GoalPursuit::Show(StepState& step, const Table& table, std::set<const Table*>& done) {
  if (!done.insert(&table).second) return;
  for (const Table* used : table.more().used) Show(step, *used, done);
  std::vector<std::pair<const Clause*, Value>> shown = table.more().shown;
  std::stable_sort(shown.begin(), shown.end(), [](const auto& a, const auto& b) {
    return a.first->span.begin < b.first->span.begin;
  });
  step.shown.insert(step.shown.end(), shown.begin(), shown.end());
}

void GoalPursuit::LogGoal(const StepState& step, Verb verb) {
  run_.recorder.Log(verb, step.goal_name,
                    step.plan_rule != nullptr ? std::optional(step.plan_rule->span) : std::nullopt);
}

// The rule that answered a goal.
std::optional<Span> GoalPursuit::PlaceOf(const Table& goal) const {
  if (goal.rule < 0) return std::nullopt;
  return engine_.program.definitions()[static_cast<std::size_t>(goal.rule)].span;
}

// --- phases 3 and 7: constraints ------------------------------------------------------------

// A goal is not satisfied while a constraint is undecided (decision 80), and a run is when its
// constraints are decided: what they wait for is called and asked after everything that the goal
// needs (decision 83).
void GoalPursuit::TakeFindings(StepState& step, Findings found) {
  step.unchecked = step.unchecked || found.unchecked;
  if (found.undecided_by != nullptr) {
    step.standing = GoalStanding::kUnsatisfied;
    step.undecided = true;
    step.reason = "undecided: " + found.undecided_by->text;
    if (!found.blame.undefined.empty()) step.reason += ": " + found.blame.undefined;
    step.found.declined = found.blame.declined;
    step.found.refused = found.blame.refused;
    step.found.failed = found.blame.failed;
    step.found.failure = found.blame.failure;
    step.shown.clear();
  } else if (!found.needed.empty() && query_ == nullptr &&
             step.standing == GoalStanding::kSatisfied) {
    step.standing = GoalStanding::kPending;
    step.shown.clear();
    // A goal that is satisfied otherwise may have the same calls open: each goes out once.
    CallTable known(CallTable::Same::kReply);
    for (const OpenCall& call : step.found.calls) known.Add(call);
    std::erase_if(found.needed, [&](const OpenCall& call) { return !known.Add(call).is_new; });
    NoteCreated(found.needed);
    std::ranges::move(std::exchange(found.needed, {}), std::back_inserter(step.found.calls));
  }
  step.checked = std::move(found);
}

// --- recorded truths -----------------------------------------------------------------------

// A recorded truth may rest on others, and these on it, through relations that read them. So when
// one may have fallen, all are taken out, and those come back that hold without (decision 86).
Stop GoalPursuit::Recheck() {
  struct Recorded {
    const Goal* goal;
    Value bindings;
  };
  std::vector<Recorded> truths;
  bool any = false;
  bool may_have_fallen = std::exchange(run_.goals.may_have_fallen, false);
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
    run_.goals.standing.clear();
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
    run_.budget.Take(found.stop, found.stopped_at);
  engine_.solver.Forget();
  return may_have_fallen && stop == Stop::kGoesOn ? engine_.Derive() : stop;
}

// Whether each recorded truth of the goal still stands. Those that stood and read the same are not
// evaluated again.
bool GoalPursuit::AllStand(const Goal& goal) {
  const Relation& recorded = engine_.store.at(goal.relation);
  GoalRecord::Standing& known = run_.goals.standing[goal.relation];
  const bool lasts = run_.options.long_loop != SIZE_MAX && run_.options.profile == nullptr;
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

TraceEntry GoalPursuit::TruthEntry(const Table& table, const std::string& text) const {
  return {.kind = TraceEntry::Kind::kGoal,
          .text = text + std::string(kIsTrue),
          .goal = engine_.store.at(table.relation).name(),
          .place = PlaceOf(table)};
}

// Records the truths of the goals below first, each after the derivations it rests on (§19).
void GoalPursuit::RecordGoal(StepState& step, const Table& table, std::set<const Table*>& done) {
  if (!done.insert(&table).second) return;
  for (const Table* used : table.more().used) RecordGoal(step, *used, done);
  if (engine_.store.at(table.relation).space() != Space::kGoal) return;
  const bool one_shot = &table == step.plan && query_ != nullptr;
  if (one_shot && !run_.recorder.Logs()) return;
  for (std::size_t row = 0; row < table.rows.size() && run_.answers.GoesOn(step, row); ++row) {
    if (!run_.answers.CanBeShown(step, {&table.more().maps[row], 1})) return;
    const std::string text = GoalText(table, row);
    run_.recorder.Log(Verb::kSatisfied, text, PlaceOf(table));
    if (one_shot) continue;
    const Value map = table.more().maps[row];
    const bool known = engine_.store.at(table.relation).Find({&map, 1}) != kNoId;
    const GoalRecord::Truth truth = {table.relation, map};
    if (const auto at = run_.goals.truths.find(truth);
        known && at != run_.goals.truths.end() && at->second != run_.goals.voids)
      step.standing_again.emplace_back(truth, TruthEntry(table, text));
    if (known) continue;
    engine_.store.Insert(table.relation, {&map, 1}, false);
    if (row < table.more().premises.size()) RecordDerivations(table.more().premises[row]);
    run_.recorder.Entry(TruthEntry(table, text));
    run_.goals.truths[truth] = run_.goals.voids;
  }
}

std::string GoalPursuit::GoalText(const Table& table, std::size_t row) const {
  std::string text = engine_.store.at(table.relation).name();
  const std::span<const Value> entries = engine_.pool.ItemsOf(table.more().maps[row]);
  if (!entries.empty()) text += " ^^ " + Text(engine_.pool, table.more().maps[row]);
  return text;
}

// Records derived rows that a goal rests on, as far as the limits allow.
void GoalPursuit::RecordDerivations(const std::vector<Premise>& premises) {
  for (const Premise& p : premises) {
    if (run_.budget.IsCutOff()) return;
    if (Derivations::Sentence found = run_.derivations.SentenceOf(p.relation, p.row);
        !found.text.empty())
      run_.recorder.Entry({.kind = TraceEntry::Kind::kDerivation,
                           .text = std::move(found.text),
                           .place = found.rule});
    const Evaluation& found = engine_.solver.found();
    if (found.stop != Stop::kGoesOn) run_.budget.Take(found.stop, std::string(found.stopped_at));
  }
}

void GoalPursuit::DropOvertaken() {
  std::erase_if(run_.goals.told_truths, [&](const Assertion& a) {
    if (!HasRules(engine_, a.relation)) return false;
    Relation& truths = engine_.store.at(a.relation);
    truths.Rebuild([&](RowId row) { return truths.Row(row)[0] != a.row.front(); });
    return true;
  });
}

}  // namespace rpl
