// SPDX-License-Identifier: Apache-2.0
//
// The timestep: eight phases in the order of §18.3.
//
//   1 assert new avars       replies queued by phase 8 become facts
//   2 assert input novelty   text taken in since the last timestep: facts, rules
//   3 quiesce relations      derive to fixpoint; constraints are live checks
//   4 activate goals         activation clauses; the root goal first
//   5 update plans           the first rule that is not unsatisfied; calls are created
//   6 progress plan          a satisfied goal's truth becomes a fact
//   7 quiesce relations      again; constraints become traces or violations
//   8 dispatch asyncs        $json is shown, calls go out
//
// The writes of a phase are visible to the phases after it. A limit or an interrupt ends the work
// of its phase, and the later phases still run on the state so far. A timestep that the clock, the
// memory or an interrupt cut off is not recorded, so it dispatches nothing. The clock is read once,
// before phase 1 (decision 24).
//
// Each phase is the work of a part, which has a header of its own. The runtime owns the parts and
// the state of a run: the engine, with program and rows, and the trace. Borrows what is behind the
// ports. One thread.
#ifndef RPL_RUNTIME_STEP_TIMESTEP_H_
#define RPL_RUNTIME_STEP_TIMESTEP_H_

#include <memory>

#include "runtime/log.h"
#include "runtime/session_options.h"

namespace rpl {

class Diagnostics;
enum class Status;
struct Definition;
struct Outcome;
struct StepState;

class RunParts;
struct Ports;
struct ExplainLimits;
struct Explained;
class HostCheck;  // runtime/step/host_check.h

class Runtime {
 public:
  Runtime(Ports ports, SessionOptions options);
  ~Runtime();
  Runtime(const Runtime&) = delete;

  /// Its parts, for what a session takes in and shows between timesteps.
  RunParts& parts();

  /// Sets the goal of the next timesteps: a query, or (null) the program's goals. `pursue` false:
  /// none, the timestep only takes in novelty.
  void SetGoal(const Definition* query, bool pursue);

  /// Runs one timestep after the one that ended in `last`, and returns the state in which it ends.
  StepState Step(StepState last);
  /// Sends the lines of the log to `log`, from the next timestep on.
  void SetLog(LogSink log);
  /// Sets the limits from the next timestep on.
  void SetLimits(const SessionLimits& limits);

  /// Whether phase 8 received a reply, so that another timestep has work to do.
  bool has_replies() const;
  /// Ends the run of the turn, also in its audit log.
  void EndRun(Status status);
  /// The status after the last timestep as an outcome, including failures (§18.6, decision 64).
  /// Moves the answers out of its state. `cut_off`: the limit on timesteps ended the turn.
  Outcome Report(StepState& step, bool cut_off = false);

  /// Explains the facts of `form`, a query of one call, in `why`, or their absence in `why_not`,
  /// with the `doubt` that there is.
  void Explain(const Definition& form, const ExplainLimits& limits, std::size_t absence_depth,
               Explained& to);
  /// The check of the event of a host that is under decision.
  HostCheck OnHost();

  /// Errors that evaluation found in the program since the last call: values that cannot be heads
  /// (§5.7).
  void TakeFindings(Diagnostics& out);

 private:
  void Begin(int phase, const char* name);
  void Renew();
  void PutIntoEffect();
  void PrepareProgram();
  void QuiesceRelations(StepState& step);
  void ForgetEvaluated();

  struct State;  // the parts, and what lasts between timesteps
  const std::unique_ptr<State> run_;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_STEP_TIMESTEP_H_
