// SPDX-License-Identifier: Apache-2.0
//
// The state of one timestep (§18.3): what its phases hand on to those after them. The timestep
// after it begins with what the last one left, and each phase replaces its part.
#ifndef RPL_RUNTIME_STEP_STATE_H_
#define RPL_RUNTIME_STEP_STATE_H_

#include <chrono>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "interp/eval/evaluation.h"
#include "interp/eval/table.h"
#include "interp/program/program.h"
#include "runtime/goal_record.h"
#include "runtime/trace.h"

namespace rpl {

/// Where the goal stands after a timestep.
enum class GoalStanding { kNoGoal, kSatisfied, kUnsatisfied, kPending };

/// An instance of a constraint that does not hold; `constraint` null: a fact that was retracted and
/// is derived.
struct Violated {
  const Constraint* constraint;
  std::string bindings;
  std::vector<Assertion> asserted;  // retractions of facts that the instance rests on
};

/// A way out of a failure: what a person may decide.
struct Way {
  std::string name;  // "continue", "retract a(1)", "assume %g"
  Assertion does;
};

/// A failure that a person may decide about.
struct Failing {
  std::string what;
  std::vector<Way> ways;
};

struct StepState {
  int phase = 0;
  Value now;
  std::chrono::steady_clock::time_point started;  // it, or its last phase 8

  // The limit that stopped a phase.
  Stop stop = Stop::kGoesOn;
  std::string stopped_at;
  std::string newest;      // row of the relation that was growing
  std::string overflow;    // which value limit, for kValue
  bool unchecked = false;  // a limit cut off the check of constraints, or the answers

  // Phases 3 and 7.
  std::optional<Violated> violated;        // the first that nobody decided to go on with
  std::vector<Violation> goal_violations;  // of rules evaluated for the goal
  std::deque<Way> decisions;               // done in the next timestep

  // Phase 5: the plan, and what evaluating it found.
  GoalStanding standing = GoalStanding::kNoGoal;
  const Table* plan = nullptr;  // in phases 5 and 6
  const Definition* plan_rule = nullptr;
  std::string goal_name;
  std::string reason;
  RelationId ineligible = kNoId;  // a goal without an eligible rule that stood in the way
  Evaluation found;               // open calls, and those for which answers are missing
  bool undecided = false;         // the goal rests on absence of what is not known (decision 80)
  bool incomplete = false;  // a call that failed or was refused might have given it more answers

  // Phase 6: what a satisfied plan gives.
  std::vector<std::string> answers, json_answers;
  std::vector<std::string> columns;                    // of the answers
  std::vector<Value> cells;                            // columns.size() for each answer
  std::vector<std::pair<const Clause*, Value>> shown;  // $json lines to write
  std::vector<std::pair<GoalRecord::Truth, TraceEntry>> standing_again;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_STEP_STATE_H_
