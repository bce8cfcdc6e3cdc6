// SPDX-License-Identifier: Apache-2.0
//
// A session: one program, one store, one trace, one agent, and the turns they live
// through. The door for shell/ and embed/.
//
// A turn takes in text (phase 2), then timesteps run (runtime/timestep.h) until the goal
// of the turn is decided or waits. Everything accumulates over the session (§18.2); a
// shell query is one-shot (decision 65).
#ifndef RPL_RUNTIME_SESSION_H_
#define RPL_RUNTIME_SESSION_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/diagnostic.h"
#include "interp/explain/explanation.h"
#include "interp/store/value.h"
#include "runtime/agent.h"
#include "runtime/outcome.h"
#include "runtime/session_options.h"
#include "runtime/trace.h"

namespace rpl {

class Program;
class Store;

/// Why facts hold, or why there is none.
struct Explained {
  bool rejected = false;  // the form is wrong: see `diagnostics`
  std::vector<Diagnostic> diagnostics;
  ExplainedFacts why;
  std::optional<Explanation> why_not;  // when no fact matches
};

class Session {
 public:
  Session(Agent& agent, SessionOptions options);
  ~Session();

  /// Takes in a document (or plain RPL when `name` ends in .rpl, or the rows of a relation
  /// when it is a FactsName of runtime/facts_file.h) at the next timestep.
  /// Returns its findings. `text` need not be valid.
  std::vector<Diagnostic> Load(const std::string& name, std::string text);

  /// The same for the trace of an earlier epoch: what stands already makes no entry again.
  std::vector<Diagnostic> LoadTrace(const std::string& name, std::string text);

  /// How a file namespace is resolved (§17.7): the text of a file beside the documents,
  /// or nullopt. Set before Load.
  void SetFileReader(std::function<std::optional<std::string>(const std::string&)> reader);

  /// One user message (§15.9): context, then the query line when there is one. Without a
  /// query line the message is novelty of an ordinary turn: one timestep runs.
  Outcome Say(const std::string& name, std::string text);

  /// Pursues the root goal, or else the named goals, until satisfied, failed or waiting.
  Outcome Run();

  /// One timestep of Run: what became of it, or nullopt while there is more to do. Say and
  /// Run take the timesteps that are left first.
  std::optional<Outcome> Step();

  /// From here on the lines of the log go to `log`; it may be empty. What was derived before
  /// is not logged.
  void SetLog(LogSink log);
  /// From the next timestep on these hold.
  void SetLimits(const SessionLimits& limits);
  void SetAnswerForms(AnswerForms forms);

  /// Goes through the turns that the journal has recorded, up to the end or to where it is
  /// broken; a last turn that was cut off goes on live. The outcome of the last turn;
  /// nullopt when there is none. REQUIRES: a journal, and what its program event holds is
  /// loaded.
  std::optional<Outcome> Replay();

  /// What a shell prints for an outcome of Say, by §15.9: answers, `true`, a reason, or
  /// nothing when chat was the only output. Lines without newline.
  static std::vector<std::string> Reply(const Outcome& outcome);

  /// Explains the facts that match `form`, one call with or without variables; when there
  /// is none, why, `absence_depth` levels down. Reads what stands after the last turn:
  /// nothing is asserted, called, logged or traced, and later turns answer as without it.
  Explained Explain(const std::string& form, const ExplainLimits& limits,
                    std::size_t absence_depth);

  const Sources& sources() const;
  const Program& program() const;
  Pool& pool();
  /// What stands after the last turn.
  const Store& store() const;
  /// Whether the program has a root goal or a named goal.
  bool HasGoals() const;
  /// "rel/1", "%goal/1", "$tool/1", "%": headings and rule heads, in document order.
  std::vector<std::string> Definitions() const;
  /// Each rule in one line, in normal order (§17.4).
  std::vector<std::string> Rules() const;
  /// The trace (§12.3), of earlier epochs too.
  const std::vector<TraceEntry>& Entries() const;
  /// The text of each entry that a listing has.
  std::vector<std::string> Trace() const;
  /// What is known of headings that have answers for some of their arguments, as sentences.
  rpl::Trace HalfAnswers() const;
  /// The trace as an RPL program, with the replies that the next timestep will take.
  std::string Export() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_SESSION_H_
