// SPDX-License-Identifier: Apache-2.0
//
// Permission for the calls of a run: admission before they go out, in phase 8, and of their
// results, in phase 1 (§18.3); and what a refusal does.
//
// A call is decided once per turn; if its result is held, only that is decided again. A refused
// call stays open and is not made: clauses that need it have no answer from the next timestep on,
// so that the program can choose another plan. If a call is held, nothing else goes out and the run
// ends; results of earlier calls still come in. Both are recorded as a %fail entry of the trace,
// and each decision is a fact `guard-decision(tool, args, effect, rule)` of the next timestep.
//
// Owns the gate, which decides. Borrows the rest. One thread.
#ifndef RPL_RUNTIME_STEP_CALL_PERMISSION_H_
#define RPL_RUNTIME_STEP_CALL_PERMISSION_H_

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checks/guard/zone.h"
#include "interp/store/relation_id.h"
#include "interp/store/value.h"
#include "runtime/step/part_names.h"

namespace rpl {

enum class Status;
struct Assertion;

class Derivations;
class Gate;
struct Decision;
struct GateCall;

class CallPermission {
 public:
  /// What it does to the run.
  struct Effects {
    std::function<void(Assertion)> state;  // a fact of the next timestep
    /// Records a %fail; returns its text.
    std::function<std::string(const std::string& reason, const std::string& explanation)> fail;
  };
  CallPermission(interp::Engine& engine, const SessionOptions& options, CallBook& calls,
                 Recorder& recorder, const Derivations& derivations, Effects effects);
  ~CallPermission();

  /// The time of the decisions that follow, in ISO 8601.
  void SetTime(std::string_view now);
  /// Begins and ends the pursuit of goals.
  void BeginRun();
  void EndRun(Status status);

  /// Whether the call may go out. If not, it was refused or held, or it waits for headings that a
  /// guard of the program rests on, which are added to CallBook::awaited.
  bool Admits(const OpenCall& call);
  /// The same for a value that $json shows, which has no result.
  bool AdmitsShown(Value shown);
  /// Decides about the calls that were cut off in this turn and are to be started again. `stopped`,
  /// by call, takes those that may not. True if one goes out, so that its start may be recorded.
  bool AdmitsAgain(const std::vector<const OpenCall*>& calls, const std::vector<Answer>& replies,
                   std::vector<bool>& stopped);
  /// Whether the result comes in.
  bool TakesIn(const CallReply& reply);
  /// Counts a call as made: its reply came before the program changed.
  void CountEarlier(RelationId tool, std::span<const Value> args);
  /// The reason to stop the run, that its required audit log cannot be written; or "".
  const std::string& broken() const;

 private:
  GateCall Gated(const OpenCall& call) const;
  void Refuse(const GateCall& call, const Decision& decision);

  interp::Engine& engine_;
  CallBook& calls_;
  Recorder& recorder_;
  const Derivations& derivations_;
  const Effects effects_;
  const std::unique_ptr<Gate> gate_;
  Moment now_ = 0;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_STEP_CALL_PERMISSION_H_
