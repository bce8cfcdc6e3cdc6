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
#include <string>

#include "runtime/log.h"
#include "runtime/session_options.h"
#include "runtime/trace.h"

namespace rpl {

class Diagnostics;
class Program;
enum class Status;
struct Definition;
struct Outcome;
struct StepState;

class Door;
class Inbox;
class Pool;
struct Ports;
class SourceFeed;
class Sources;
class Store;
struct ExplainLimits;
struct Explained;
class HostCheck;  // runtime/step/host_check.h
struct HostFindings;

class Runtime {
 public:
  Runtime(Ports ports, SessionOptions options);
  ~Runtime();
  Runtime(const Runtime&) = delete;

  const Door& door() const;
  /// What is taken in with the next timestep.
  Inbox& inbox();
  const Inbox& inbox() const;
  /// The relations that a database evaluates, with their queries.
  const SourceFeed& source_feed() const;

  /// Sets the goal of the next timesteps: a query, or (null) the program's goals. `pursue` false:
  /// none, the timestep only takes in novelty.
  void SetGoal(const Definition* query, bool pursue);
  /// Of the program's goals only this one is pursued; "": the root goal, else each in order.
  void SetNamedGoal(std::string name);

  /// Runs one timestep after the one that ended in `last`, and returns the state in which it ends.
  StepState Step(StepState last);
  /// Sends the lines of the log to `log`, from the next timestep on.
  void SetLog(LogSink log);
  /// Sets the limits from the next timestep on.
  void SetLimits(const SessionLimits& limits);
  void SetAnswerForms(AnswerForms forms);

  /// Whether phase 8 received a reply, so that another timestep has work to do.
  bool has_replies() const;
  /// Ends the run of the turn, also in its audit log.
  void EndRun(Status status);
  /// Logs that the goal is satisfied and the user decides how to continue (§15.6).
  void OfferToContinue(const std::string& goal);
  /// The status after the last timestep as an outcome, including failures (§18.6, decision 64).
  /// Moves the answers out of its state.
  Outcome Report(StepState& step);
  /// The outcome of a turn that reached the limit on timesteps.
  Outcome ReportTimesteps(const StepState& step);
  std::size_t max_timesteps() const;

  /// Explains the facts of `form`, a query of one call, in `why`, or their absence in `why_not`,
  /// with the `doubt` that there is.
  void Explain(const Definition& form, const ExplainLimits& limits, std::size_t absence_depth,
               Explained& to);
  /// What the constraints find about the event of a host that is under decision (host_check.h).
  HostFindings CheckHost();
  /// Whether some constraint reads the calls of a host.
  bool BindsHost();

  /// Errors that evaluation found in the program since the last call: values that cannot be heads
  /// (§5.7).
  void TakeFindings(Diagnostics& out);

  Sources& sources();
  Program& program();
  Pool& pool();
  Store& store();
  /// Includes the entries of earlier epochs.
  const Trace& trace() const;

 private:
  HostCheck OnHost();
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
