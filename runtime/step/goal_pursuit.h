// SPDX-License-Identifier: Apache-2.0
//
// The pursuit of goals, in phases 4 to 6 (§18.4): which rules may be pursued, the plan, which is
// the first rule that is not unsatisfied, and what becomes of it.
//
// The truth of a goal is recorded when it is satisfied, and dropped when it holds no longer
// (decision 86). It becomes an entry of the trace when it is established: for the first time, or
// again after a retraction or a failed timestep.
//
// Owns what is pursued. Borrows the rest. One thread.
#ifndef RPL_RUNTIME_STEP_GOAL_PURSUIT_H_
#define RPL_RUNTIME_STEP_GOAL_PURSUIT_H_

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "formats/diagnostic.h"
#include "interp/plan/limits.h"
#include "runtime/log.h"
#include "runtime/step/part_names.h"

namespace rpl {

struct Goal;
struct Premise;
struct Table;
struct TraceEntry;

class GoalPursuit {
 public:
  struct Parts {
    interp::Engine& engine;
    const SessionOptions& options;
    Recorder& recorder;
    Budget& budget;
    Derivations& derivations;
    GoalRecord& goals;
    CallBook& calls;
    const SourceFeed& sources;
    AnswerWriter& answers;
  };
  explicit GoalPursuit(Parts run) : run_(std::move(run)), engine_(run_.engine) {}

  /// Sets the goal: a query, or (null) the program's goals. `pursue` false: none, a timestep only
  /// takes in novelty.
  void SetGoal(const Definition* query, bool pursue);
  /// Of the program's goals only this one is pursued; "": the root goal, else each in order.
  void SetNamedGoal(std::string name) { named_ = std::move(name); }
  const Definition* query() const { return query_; }
  bool pursues() const { return pursue_; }

  /// Drops the recorded truths of goals that have rules by now.
  void DropOvertaken();
  /// In phase 3: drops the truths that hold no longer, and derives again what rests on them. The
  /// limit that was reached, or kGoesOn.
  Stop Recheck();

  /// Phase 4: tells which rules are eligible.
  void Activate();
  /// Phase 5: the plan, or the open calls of sources that are awaited.
  void Choose(StepState& step);
  /// Phase 6: what the plan established, with its answers.
  void Record(StepState& step);
  /// What the check of constraints, in phases 3 and 7, says about the goal.
  void TakeFindings(StepState& step, Findings found);

 private:
  using Verb = LogLine::Verb;
  std::vector<const Definition*> Candidates() const;
  bool AwaitSources(StepState& step);
  void TakeEvaluation(StepState& step, Evaluation found);
  void NoteCreated(const std::vector<OpenCall>& calls);
  std::string RulesOf(const Table& plan) const;
  void LogGoal(const StepState& step, Verb verb);
  void LogRulesPassedOver(const StepState& step);
  void Show(StepState& step, const Table& table, std::set<const Table*>& done);
  void RecordGoal(StepState& step, const Table& table, std::set<const Table*>& done);
  void RecordDerivations(const std::vector<Premise>& premises);
  TraceEntry TruthEntry(const Table& table, const std::string& text) const;
  std::string GoalText(const Table& table, std::size_t row) const;
  std::optional<Span> PlaceOf(const Table& goal) const;
  bool AllStand(const Goal& goal);

  const Parts run_;
  interp::Engine& engine_;
  const Definition* query_ = nullptr;
  std::string named_;  // the goal to pursue, "" for the program's choice
  bool pursue_ = false;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_STEP_GOAL_PURSUIT_H_
