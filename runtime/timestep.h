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
//   8 dispatch asyncs        $json is shown, calls go to the agent
//
// The writes of a phase are visible to the phases after it. A limit or an interrupt ends the work
// of its phase, and the later phases still run on the state so far. A timestep that the clock, the
// memory or an interrupt cut off is not recorded, so it dispatches nothing. The clock is read once,
// before phase 1 (decision 24).
//
// The truth of a goal becomes an entry of the trace when it is established: for the first time, or
// again after a retraction or a failed timestep.
//
// Owns the state of a run: the engine, with program and rows, and the trace. Borrows the agent. One
// thread.
#ifndef RPL_RUNTIME_TIMESTEP_H_
#define RPL_RUNTIME_TIMESTEP_H_

#include <deque>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "interp/eval/engine.h"
#include "interp/eval/evaluation.h"
#include "interp/eval/table.h"
#include "interp/program/program.h"
#include "runtime/agent.h"
#include "runtime/budget.h"
#include "runtime/call_book.h"
#include "runtime/call_dispatch.h"
#include "runtime/call_permission.h"
#include "runtime/constraint_check.h"
#include "runtime/derivation.h"
#include "runtime/fact_writer.h"
#include "runtime/goal_record.h"
#include "runtime/inbox.h"
#include "runtime/log.h"
#include "runtime/question_dispatch.h"
#include "runtime/recorder.h"
#include "runtime/request_writer.h"
#include "runtime/said.h"
#include "runtime/session.h"
#include "runtime/source_feed.h"
#include "runtime/step_state.h"
#include "runtime/trace.h"

namespace rpl {

class Door;
struct Refused;

class Runtime {
 public:
  Runtime(Agent& agent, SessionOptions options);
  ~Runtime();
  Runtime(const Runtime&) = delete;

  const Door& door() const { return *door_; }
  /// What is taken in with the next timestep.
  Inbox& inbox() { return inbox_; }
  const Inbox& inbox() const { return inbox_; }

  /// Sets the goal of the next timesteps: a query, or (null) the program's goals. `pursue` false:
  /// none, the timestep only takes in novelty.
  void SetGoal(const Definition* query, bool pursue);
  /// Of the program's goals only this one is pursued; "": the root goal, else each in order.
  void SetNamedGoal(std::string name) { named_ = std::move(name); }

  /// Runs one timestep after the one that ended in `last`, and returns the state in which it ends.
  StepState Step(StepState last);
  /// Sends the lines of the log to `log`, from the next timestep on.
  void SetLog(LogSink log);
  /// Sets the limits from the next timestep on.
  void SetLimits(const SessionLimits& limits);
  void SetAnswerForms(AnswerForms forms) { options_.answer_forms = forms; }

  /// Whether phase 8 received a reply, so that another timestep has work to do.
  bool has_replies() const {
    return !calls_.replies.empty() || inbox_.has_decisions() || source_feed_.ends_push() ||
           (!calls_.refusals.empty() && calls_.held.empty());
  }
  /// Ends the run of the turn, also in its audit log.
  void EndRun(Status status) {
    if (pursue_) permission_.EndRun(status);
  }
  /// Tells the agent that the goal is satisfied and the user decides how to continue (§15.6).
  void OfferToContinue(const std::string& goal);
  /// The status after the last timestep as an outcome, including failures (§18.6, decision 64).
  /// Moves the answers out of its state.
  Outcome Report(StepState& step);
  /// The outcome of a turn that reached the limit on timesteps.
  Outcome ReportTimesteps(const StepState& step);
  std::size_t max_timesteps() const { return budget_.max_timesteps(); }

  /// Explains the facts of `form`, a query of one call, in `why`, or their absence in `why_not`,
  /// with the `doubt` that there is.
  void Explain(const Definition& form, const ExplainLimits& limits, std::size_t absence_depth,
               Explained& to);

  /// The relations that a database evaluates, with their queries.
  const SourceFeed& source_feed() const { return source_feed_; }

  /// Errors that evaluation found in the program since the last call: values that cannot be heads
  /// (§5.7).
  void TakeFindings(Diagnostics& out);

  Sources& sources() { return sources_; }
  Program& program() { return engine_.program; }
  Pool& pool() { return engine_.pool; }
  Store& store() { return engine_.store; }
  /// Includes the entries of earlier epochs.
  const Trace& trace() const { return recorder_.trace(); }

 private:
  void QuiesceRelations(StepState& step);
  void TakeChecked(StepState& step, Findings found);
  Stop RecheckTruths();
  bool AllStand(const Goal& goal);
  void ActivateGoals();
  void UpdatePlans(StepState& step);
  void ProgressPlan(StepState& step);
  void DispatchAsyncs(StepState& step);
  std::vector<OpenCall> TakeAwaited(StepState& step);

  void Begin(int phase, const char* name);
  using Verb = LogLine::Verb;
  void LogGoal(const StepState& step, Verb verb);
  std::optional<Span> PlaceOf(const Table& goal) const;
  TraceEntry TruthEntry(const Table& table, const std::string& text) const;
  void DropOvertakenTruths();
  void PutIntoEffect();
  void PrepareProgram();
  void Renew();
  void ForgetEvaluated();
  void TakeEvaluation(StepState& step, Evaluation found);
  void RecordGoal(StepState& step, const Table& table, std::set<const Table*>& done);
  void LogRulesPassedOver(const StepState& step);
  void RecordDerivations(const std::vector<Premise>& premises);
  void Show(StepState& step, const Table& table, std::set<const Table*>& done);
  bool AwaitSources(StepState& step);
  bool IsOneFact(const Definition& form) const;
  void TakeDoubt(const Evaluation& found, const std::vector<OpenCall>& calls, bool lacks,
                 Explained& to);
  void TakeCutOff(Explained& to);
  void ExplainHere(const Definition& form, const ExplainLimits& limits, std::size_t absence_depth,
                   Explained& to);
  std::string LackingCall(const Evaluation& found) const;
  void TakePending(const StepState& step, Outcome& out);
  Outcome Judge(StepState& step);
  std::string RowText(RelationId relation, std::span<const Value> row,
                      std::size_t most = kMaxTextBytes) const {
    return derivations_.RowText(relation, row, most);
  }
  std::string GoalText(const Table& table, std::size_t row) const;
  std::vector<const Definition*> Candidates() const;
  std::string RulesOf(const Table& plan) const;
  struct ShownCaptures;
  ShownCaptures CapturesOf(const Table& table, const Definition* rule) const;
  void TakeAnswers(StepState& step, const Table& table);
  std::vector<std::string> AnswersOf(StepState& step, const Table& table,
                                     const std::vector<const ShownCaptures*>& of_rows, bool json);
  bool GoesOn(StepState& step, std::size_t answers);
  bool CanBeShown(StepState& step, std::span<const Value> cells);
  bool CutAnswers(StepState& step, Stop why, std::string overflow = "");
  std::optional<std::string> AuthorFailure(const StepState& step);

  Agent& agent_;
  SessionOptions options_;
  Recorder recorder_{options_};
  Sources sources_;
  interp::Engine engine_{sources_};
  Budget budget_{engine_, options_};
  Derivations derivations_{engine_};
  Value now_;       // of the current or last timestep
  CallBook calls_;  // of the turn
  GoalRecord goals_;
  FactWriter facts_{engine_, budget_, goals_, derivations_, options_.door};
  Violations violations_{engine_, recorder_, derivations_};
  ConstraintCheck constraints_{engine_, options_,     recorder_,  budget_,
                               facts_,  derivations_, violations_};
  SaidQueue novelty_;
  std::size_t bad_heads_known_ = 0;
  CallPermission permission_;
  const std::unique_ptr<Door> door_;
  SourceFeed source_feed_;
  Inbox inbox_;
  RequestWriter requests_;
  CallDispatch tool_calls_;
  QuestionDispatch questions_;

  const Definition* query_ = nullptr;
  std::string named_;  // the goal to pursue, "" for the program's choice
  bool pursue_ = false;
  bool run_begins_ = false;  // with the next timestep
  bool chat_ = false;        // a tool wrote chat in this turn
};

}  // namespace rpl

#endif  // RPL_RUNTIME_TIMESTEP_H_
