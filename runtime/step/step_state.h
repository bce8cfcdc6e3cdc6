// SPDX-License-Identifier: Apache-2.0
//
// The state of one timestep (§18.3), which its phases pass on. Each timestep begins with an empty
// one, apart from the name of the last goal, and each phase fills its part; the outcome is read off
// it.
#ifndef RPL_RUNTIME_STEP_STEP_STATE_H_
#define RPL_RUNTIME_STEP_STEP_STATE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "interp/eval/evaluation.h"
#include "interp/program/assertion.h"
#include "runtime/outcome.h"
#include "runtime/step/to_do.h"
#include "runtime/trace.h"

namespace rpl {

struct Clause;
struct Constraint;
struct Table;

/// The status of the goal after a timestep.
enum class GoalStanding { kNoGoal, kSatisfied, kUnsatisfied, kPending };

/// A violated instance of a constraint. `constraint` null: a retracted fact that a rule derives.
struct Violated {
  const Constraint* constraint;
  std::string bindings;
  std::vector<Value> bound;         // the same: slot, value, …
  std::vector<Assertion> asserted;  // retractions of facts that the instance rests on
  std::vector<std::string> rows;    // what its left side matched
  /// What the atoms of its left side matched, of relations, tools and avars.
  std::vector<std::pair<RelationId, std::vector<Value>>> facts = {};
  std::string undefined = {};  // the clause for which the right side does not hold
};

/// A way out of a failure that a person may choose.
struct Way {
  std::string name;  // "continue", "retract a(1)", "assume %g"
  Assertion does;
  By by = By::kHost;  // who chose it
};

/// A failure that a person may decide about.
struct Failing {
  std::string what;
  std::vector<Way> ways;
};

/// What the check of constraints found.
struct Findings {
  std::optional<Violated> violated;          // the first that nobody accepted
  std::vector<Violated> overridden;          // those that somebody accepted, of phase 7
  bool unchecked = false;                    // a limit cut the check off
  const Constraint* undecided_by = nullptr;  // the first for which it counts that it is undecided
  Evaluation blame;                          // why it is
  std::vector<OpenCall> needed;              // calls that undecided ones wait for, if nothing is
                                             // violated
};

struct StepState {
  bool unchecked = false;      // a limit cut off the check of constraints, or the answers
  std::uint64_t unpolled = 0;  // bytes of answers printed since the limits were polled

  bool awaits_sources = false;  // a sentence `$index(…)` is not answered, or failed

  // Phases 3 and 7.
  Findings checked;
  std::vector<Violation> goal_violations;  // of rules evaluated for the goal

  // Phase 5: the plan and the findings of its evaluation.
  GoalStanding standing = GoalStanding::kNoGoal;
  const Table* plan = nullptr;  // in phases 5 and 6
  const Definition* plan_rule = nullptr;
  std::string goal_name;
  std::string rules;  // those of the goal that answered or wait, if it has several
  std::string reason;
  RelationId ineligible = kNoId;  // the goal without an eligible rule that prevented an answer
  Evaluation found;               // open calls, and those for which answers are missing
  bool undecided = false;         // the goal rests on absence of what is not known (decision 80)
  bool incomplete = false;  // a call that failed or was refused might have given it more answers

  // Phase 6: the answers of a satisfied plan.
  std::vector<std::string> answers, json_answers;
  std::vector<std::string> columns;                    // of the answers
  std::vector<Value> cells;                            // columns.size() for each answer
  std::vector<std::pair<const Clause*, Value>> shown;  // $json lines to write
  PlanWords words;
  /// Truths that stand again (GoalRecord::Truth), with their entries.
  std::vector<std::pair<std::pair<RelationId, Value>, TraceEntry>> standing_again;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_STEP_STEP_STATE_H_
