// SPDX-License-Identifier: Apache-2.0
//
// The outcome of a timestep: of its findings, the one that the run ends with (§18.6,
// decision 64). A limit comes first, then violations of constraints, then the goal.
//
// A failure is recorded as an entry `%fail` of the trace. The author's own %fail rules (§15.7) come
// before the reasons of the engine: the first that holds is the report.
//
// Borrows its arguments. One thread.
#ifndef RPL_RUNTIME_STEP_JUDGE_H_
#define RPL_RUNTIME_STEP_JUDGE_H_

#include <optional>
#include <string>
#include <utility>

#include "runtime/step/part_names.h"

namespace rpl {

struct Outcome;

class Judge {
 public:
  struct Parts {
    interp::Engine& engine;
    const SessionOptions& options;
    Recorder& recorder;
    GoalRecord& goals;
    const Budget& budget;
    const CallBook& calls;
    const CallPermission& permission;
    const RequestWriter& requests;
    const Violations& violations;
  };
  explicit Judge(Parts run) : run_(std::move(run)), engine_(run_.engine) {}

  /// The outcome of the timestep that ended in `step`, whose answers it moves. `query`: the goal,
  /// or null for one of the program.
  Outcome Of(StepState& step, const Definition* query) const;
  /// The outcome of a turn that reached the limit on timesteps.
  Outcome OfTimesteps(const StepState& step) const;
  /// A call that was refused or whose tool failed, with the reason; "" for none.
  std::string LackingCall(const Evaluation& found) const;

 private:
  Outcome Begun(const StepState& step) const;
  Outcome Failed(const std::string& reason, const std::string& explanation, Outcome out) const;
  Outcome Decided(StepState& step, const Definition* query) const;
  Outcome Unsatisfied(StepState& step, const Definition* query, Outcome out) const;
  void TakePending(const StepState& step, Outcome& out) const;
  std::optional<std::string> AuthorFailure(const StepState& step) const;

  const Parts run_;
  interp::Engine& engine_;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_STEP_JUDGE_H_
