// SPDX-License-Identifier: Apache-2.0
//
// Questions to people, in phase 8: one after another until one has an answer; and what a person
// decides about a failure (§18.6). Recorded answers come from the journal instead.
//
// A failure is put as a choice named "what-now". The choice takes effect in the next timestep;
// without an answer, or with "stop", the failure is the outcome.
//
// Borrows its arguments. One thread.
#ifndef RPL_RUNTIME_STEP_QUESTION_DISPATCH_H_
#define RPL_RUNTIME_STEP_QUESTION_DISPATCH_H_

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/log.h"
#include "runtime/step/part_names.h"

namespace rpl {

struct Question;
struct TraceEntry;

class QuestionDispatch {
 public:
  struct Parts {
    interp::Engine& engine;
    const SessionOptions& options;
    People& people;
    Recorder& recorder;
    const Budget& budget;
    GoalRecord& goals;
    CallBook& calls;
    CallPermission& permission;
    Inbox& inbox;
    const Door& door;
    const RequestWriter& requests;
    const Violations& violations;
    const Derivations& derivations;
  };
  explicit QuestionDispatch(Parts run) : run_(std::move(run)), engine_(run_.engine) {}

  /// Tells which questions are open, before the first is put.
  void Open(const std::vector<const OpenCall*>& questions);
  /// Asks for the answer to a call. True if it has one then, or was refused one; not if it waits
  /// for what a guard rests on.
  bool Ask(const OpenCall& call);
  /// Asks what to do about the failure in which the timestep ended, if there is a way out: of a
  /// violated constraint first the models whose answers it rests on (runtime/step/revision.h).
  void AskWhatNow(const StepState& step);

 private:
  using Verb = LogLine::Verb;
  using EntryOf = std::function<TraceEntry(const Answer&)>;
  std::optional<Answer> Put(const Question& question, const EntryOf& entry_of,
                            const OpenCall* call);
  Failing FailingNow(const StepState& step) const;
  bool AsksModelsAgain(const Violated& violated);

  const Parts run_;
  interp::Engine& engine_;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_STEP_QUESTION_DISPATCH_H_
