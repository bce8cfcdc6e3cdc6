// SPDX-License-Identifier: Apache-2.0
//
// A session: one program, one store, one trace, the ports, and a sequence of turns. The interface
// for shell/ and embed/.
//
// A turn takes in text (phase 2), then timesteps run (runtime/step/timestep.h) until the goal
// of the turn is decided or waits. Everything accumulates over the session (§18.2); a
// shell query is one-shot (decision 65).
#ifndef RPL_RUNTIME_RUN_SESSION_H_
#define RPL_RUNTIME_RUN_SESSION_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/diagnostic.h"
#include "interp/store/value.h"
#include "runtime/outcome.h"
#include "runtime/ports.h"
#include "runtime/session_options.h"
#include "runtime/trace.h"

namespace rpl {

class Program;
class Store;
struct Explained;      // runtime/explained.h
struct ExplainLimits;  // interp/explain/explanation.h
struct HostFindings;   // runtime/step/host_check.h
struct RecordedTurn;   // runtime/record/journal.h

/// The text of a file beside the documents, by its name; nullopt if there is none.
using FileReader = std::function<std::optional<std::string>(const std::string& name)>;

class Session {
 public:
  Session(Ports ports, SessionOptions options);
  ~Session();

  /// Takes in a document (or plain RPL when `name` ends in .rpl, or the rows of a relation
  /// when it is a FactsName of runtime/facts/facts_file.h) at the next timestep.
  /// Returns its findings. `text` need not be valid.
  /// `by`: who states the facts of a document; those of a facts file are of a file.
  std::vector<Diagnostic> Load(const std::string& name, std::string text, By by = By::kProgram);

  /// The same for the trace of an earlier epoch: truths in force make no second entry.
  std::vector<Diagnostic> LoadTrace(const std::string& name, CarriedTrace trace);

  /// Sets the reader of file namespaces (§17.7). REQUIRES: before Load.
  void SetFileReader(FileReader reader);

  /// One message (§15.9): context, then an optional query line. Without it the message is novelty
  /// of an ordinary turn: one timestep runs. The program says it, or a party outside, which states
  /// facts and answers alone and only those that are its to say (decision 92): else the message is
  /// kRejected with `reason` and `hint`, and neither taken in nor recorded.
  Outcome Say(const std::string& name, std::string text, By by = By::kProgram);

  /// Pursues the root goal, or else the named goals, until satisfied, failed or waiting.
  Outcome Run();
  /// Pursues only the goal of this name from the next run on; "": the program's root goal, else
  /// each in order. False if there is none.
  bool SetGoal(const std::string& name);

  /// One timestep of Run: the outcome, or nullopt while there is more to do. Say and Run finish
  /// the remaining timesteps first.
  std::optional<Outcome> Step();

  /// Sends the lines of the log to `log` from now on; it may be empty. Rows derived before are not
  /// logged.
  void SetLog(LogSink log);
  /// Sets the limits from the next timestep on.
  void SetLimits(const SessionLimits& limits);
  void SetAnswerForms(AnswerForms forms);

  /// Replays the recorded turns of the journal, to the end or until it is broken; a last turn that
  /// was cut off continues live. Returns the outcome of the last turn; nullopt if there is none.
  /// REQUIRES: a journal, and the contents of its program event are loaded.
  std::optional<Outcome> Replay();
  /// One of these turns, the next one. Afterwards the goal is that of the turn, if it is a run.
  Outcome Replay(const RecordedTurn& turn);

  /// The output of a shell for an outcome of Say, by §15.9: answers, `true`, a reason, or nothing
  /// if chat was the only output. Lines without newline.
  static std::vector<std::string> Reply(const Outcome& outcome);

  /// Explains the facts that match `form`, one call with or without variables, or their absence,
  /// `absence_depth` levels down. Uses the state after the last turn and leaves it unchanged:
  /// nothing is asserted, called, logged or traced.
  Explained Explain(const std::string& form, const ExplainLimits& limits,
                    std::size_t absence_depth);

  /// What the constraints find about the event of the host that is under decision (host_check.h),
  /// in the state after the last turn, which stays as it is. REQUIRES: SessionOptions::host.
  HostFindings CheckHost();
  /// Whether some constraint of the program reads the calls of a host. REQUIRES: a turn was run.
  bool BindsHost();

  /// The relations that databases evaluate now, with their queries.
  std::vector<SqlPushed> Pushed() const;
  /// The names of the relations below these, of which no row is here.
  std::vector<std::string> NotRead() const;

  const Sources& sources() const;
  const Program& program() const;
  Pool& pool();
  /// The rows after the last turn.
  const Store& store() const;
  /// Whether the program has a root goal or a named goal.
  bool HasGoals() const;
  /// "rel/1", "%goal/1", "$tool/1", "%": headings and rule heads, in document order.
  std::vector<std::string> Definitions() const;
  /// The relations of the program that a party outside may state (decision 92): "rel/1", in the
  /// order of the program.
  std::vector<std::string> MayState(By by) const;
  /// Each rule in one line, in normal order (§17.4).
  std::vector<std::string> Rules() const;
  /// The trace (§12.3), including earlier epochs.
  const std::vector<TraceEntry>& Entries() const;
  /// The texts of the entries that a listing shows.
  std::vector<std::string> Trace() const;
  /// Sentences for headings with answers to some of their arguments (HalfAnswered).
  rpl::Trace HalfAnswers() const;
  /// The trace as an RPL program, with the replies that the next timestep will take.
  std::string Export() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_RUN_SESSION_H_
