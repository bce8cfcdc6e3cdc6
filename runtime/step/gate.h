// SPDX-License-Identifier: Apache-2.0
//
// The gate between a run and its tools: no call goes out, and no result comes in, without
// a decision (§18.3, phases 8 and 1).
//
// The gate knows the run; the guard (checks/guard/guard.h) knows the rules. For each call the gate
// prepares the guard's input: its name in policies, tags, arguments by name, the end user
// (call_inputs.h), the history of this run. It looks up what the guard asks for in relations of the
// program first, then in settings and commands:
//
//   input          relation                                     command or setting
//   tool           tool-name(label, name), tool-tag(tool, tag)  guard.tools
//   end user       end-user(id), end-user-tag(tag, value)       guard.user
//   subjects       subject(tool, type, role, value, id-system)  guard.subjects
//   signals        signal(key, args, value)                     guard.signals
//   metrics        metric(call, key, value)                     the result's `metrics`
//
// Metrics of all runs of the agent are in the guard's store, if there is one; the gate adds those
// of its calls. A relation with two different answers counts as having none. Input from outside the
// program is recorded in the journal (recorded_input.h), so that a replay decides as the run did.
// Audit events are written while the journal is live.
//
// A program that forbids calls itself (CallGuard in interp/program/program.h) is guarded even
// without a policy, and by the same inputs.
#ifndef RPL_RUNTIME_STEP_GATE_H_
#define RPL_RUNTIME_STEP_GATE_H_

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "checks/guard/audit.h"
#include "checks/guard/guard.h"
#include "interp/eval/engine.h"
#include "interp/eval/evaluation.h"
#include "runtime/gate_setup.h"
#include "runtime/step/call_inputs.h"
#include "runtime/step/recorded_input.h"

namespace rpl {

struct Answer;

class Journal;
struct CallGuard;
struct Constraint;

class Gate : private GuardSources {
 public:
  /// Borrows its arguments; `setup` and `journal` may be null.
  Gate(GateSetup* setup, Journal* journal, interp::Engine& engine);

  /// Whether there is a policy, or the program forbids calls.
  bool on() const;

  /// Begins and ends the pursuit of goals.
  void BeginRun(Moment now);
  void EndRun(std::string_view status, Moment now);
  /// The reason to stop the run, that its required audit log cannot be written; or "".
  const std::string& broken() const { return broken_; }

  /// Counts a call as made: its reply came before the program changed.
  void TakeEarlier(RelationId tool, std::span<const Value> args);
  /// Whether a call whose result is held goes on without another decision. Always, except in the
  /// replay of a session of a version that decided again.
  bool PassesHeld(const GateCall& call);
  /// Whether the call was started after its last decision, has no reply, and is to be started
  /// again. Nobody knows that it did not run: so it counts, and the next start has a decision of
  /// its own.
  bool StartsAgain(const GateCall& call) const;
  /// Decides before a call goes out, in phase 8. If allowed, it counts as begun. nullopt, without
  /// any effect, if a guard of the program rests on headings that are not answered yet: adds these
  /// to `questions`.
  std::optional<Decision> Before(const GateCall& call, Moment now,
                                 std::vector<OpenCall>& questions);
  /// Decides about the result, in phase 1. The call is part of the history, whatever the decision.
  /// `again`: the result was held before.
  Decision After(const GateCall& call, const Answer& answer, Moment now, bool again);

 private:
  struct Begun {
    std::size_t step;
    GuardCall call;
    std::vector<std::string> spent;  // reviews whose approval it used up
    bool open = true;                // without a reply so far
    std::size_t starts = 0;          // when it was decided: Journal::Starts
  };
  Sourced<nlohmann::ordered_json> Signal(const std::string& key,
                                         const nlohmann::ordered_json& args) override;
  Sourced<std::vector<Subject>> Subjects(const GuardCall& call) override;
  Sourced<Review> FindReview(const ReviewRequest& request) override;
  Sourced<Review> AskForReview(const ReviewRequest& request) override;
  Sourced<bool> SpendReview(const Review& review) override;

  Sourced<nlohmann::ordered_json> SignalOfCommand(const std::string& key,
                                                  const nlohmann::ordered_json& args);
  void TakeCutOff();
  void TakeEnded();
  void TakeMetrics();
  PastCall Ended(const Begun& begun, const Answer& answer, Moment now);
  MetricTotals Totals(const MetricWindowLeaf& of, const std::optional<std::string>& user,
                      Moment now);
  void Store(std::size_t step, const PastCall& past);
  void Unmake(const GateCall& call, const Begun& begun);
  std::vector<NativeFinding> Forbidden(const GateCall& call, const GuardCall& seen,
                                       std::vector<OpenCall>& questions);
  std::vector<NativeFinding> ForbiddenBy(const CallGuard& guard, const OpenCall& call,
                                         std::vector<OpenCall>& questions);
  bool Blocks(const Constraint& c);
  std::string NameOf(const Constraint& c) const;
  void Decided(std::size_t step, const Decision& decision, const GuardCall& seen, double latency_ms,
               Moment now);
  bool HasPolicy() const { return setup_ != nullptr && setup_->guard != nullptr; }
  const Guard& TheGuard() const { return HasPolicy() ? *setup_->guard : no_policy_; }
  void Audit(const nlohmann::ordered_json& event);
  const std::string& Run();
  std::string Attempt(const std::string& call);

  GateSetup* setup_;
  Journal* journal_;
  interp::Engine& engine_;
  RecordedInput recorded_;
  CallInputs inputs_;
  Guard no_policy_;

  History history_;
  std::string run_;  // its id, "" before it is needed
  std::optional<AuditRun> audit_;
  std::string broken_;
  bool warned_ = false;    // of an audit log that cannot be written
  Moment now_ = 0;         // of the current decision
  std::size_t steps_ = 0;  // calls decided so far
  std::map<CallId, Begun> begun_;
  std::optional<std::map<std::string, CallInputs::Named>>
      cut_off_;                 // Journal::cut_off; null: not counted yet
  std::vector<OpenCall> told_;  // tool calls of the trace of earlier epochs
  bool took_ended_ = false;
  std::string deciding_;                         // the text of the current call
  std::vector<std::string> spent_;               // reviews of the current decision
  std::map<std::string, std::size_t> attempts_;  // calls that ended, by text
  std::set<std::string> told_zones_;
  std::set<std::pair<std::string, std::string>> taken_metrics_;  // call, key
  /// While guards of the program are evaluated, when no other evaluation may begin.
  std::optional<std::vector<Subject>> subjects_of_program_;
  std::vector<std::pair<std::size_t, PastCall>> replayed_;  // calls that the store may lack
  std::map<std::string, PastCall> past_;  // the latest, by text of the call and by label
};

}  // namespace rpl

#endif  // RPL_RUNTIME_STEP_GATE_H_
