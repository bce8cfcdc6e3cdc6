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
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/diagnostic.h"
#include "interp/explain.h"
#include "runtime/agent.h"
#include "runtime/trace.h"

namespace rpl {

class Journal;
class Profile;
class Program;
struct GateSetup;

enum class Status {
  kNothing,  // there was no goal to pursue
  kSatisfied,
  kUnsatisfied,  // `reason` says why, in one line
  kWaiting,      // calls are pending that nobody answered: `pending`
  kFailed,       // a failure mode of §18.6 or an author's %fail: `reason` is the report
  kLimit,        // a limit was reached: `reason` is the report
  kRejected,     // the text has errors: nothing of the query ran
  kToolFailed,   // unsatisfied, and a tool that failed decided it: `reason` names it
  kInterrupted,  // Ctrl-C
  kReview,       // a guard holds a call until a person has said: `reason` is the report
};

/// "satisfied", "waiting": in JSON, journals and test scripts.
std::string_view StatusName(Status status);

/// What became of a turn or a run.
struct Outcome {
  Status status = Status::kNothing;
  std::vector<std::string> answers;       // captures, one line per answer (decision 63)
  std::vector<std::string> json_answers;  // the same as binding maps, always JSON
  std::vector<std::string> columns;       // names of the captures, "?x"
  std::vector<Value> cells;               // of distinct answers, columns.size() for each
  /// kUnsatisfied: one line. kFailed, kLimit, kReview: `%fail("reason", "explanation")`.
  std::string reason;
  std::vector<Request> pending;  // kWaiting
  /// kSatisfied, when a limit stopped the evaluation and there may be more answers: which limit,
  /// and what was still growing. One line; else empty.
  std::string cut_off;
  /// False when the clock, the memory or a person cut it off: it may go further next time.
  bool repeatable = true;
  /// A call that it needed did not run: another turn decides about it again.
  bool not_run = false;
  bool chat = false;                    // whether a tool wrote chat during this turn
  std::string goal;                     // the goal that was pursued, "%" or "%name"
  std::vector<Diagnostic> diagnostics;  // of the text taken in, errors and lints
};

/// Which texts of answers an Outcome has. A million answers take a second for each.
struct AnswerForms {
  bool text = true;  // Outcome::answers; also where there is a journal, which keeps them
  bool json = true;  // Outcome::json_answers
};

/// The stacks of the program (shell/main.cc) and of an embedded engine have room for more nested
/// calls than this.
inline constexpr std::size_t kMostDepth = 100'000;

/// Reaching one is kLimit, with a report that names it.
struct SessionLimits {
  std::size_t max_rows = 50'000'000;       // derived
  std::size_t max_rounds = 100'000;        // of a stratum
  std::size_t max_depth = 20'000;          // nested demanded calls
  std::size_t max_iterations = 1'000'000;  // of one @for
  std::size_t max_timesteps = 100'000;     // of one turn
  double max_seconds = 600;                // that one timestep evaluates; 0: any
  std::size_t max_megabytes = 8'192;       // that the process holds, in units of 2^20; 0: any
};

/// Where a long evaluation is.
struct Progress {
  std::size_t rounds = 0;  // of the stratum that is derived now
  std::size_t rows = 0;    // derived in the session
  std::string_view rule;   // that runs now
  double seconds = 0;      // since the timestep began
};

struct SessionOptions {
  std::string now;  // ISO 8601; empty: the system clock, read once per timestep
  /// Receives each line of the log, "T.P text", as it happens; may be empty.
  std::function<void(const std::string&)> log;
  /// Receives what happens, as it happens: objects of docs/schemas/event.json but "done".
  /// May be empty. What a journal replays is not told again, nor logged.
  std::function<void(const nlohmann::ordered_json&)> event;
  /// `log` and `event` are told what a journal replays, too; of calls, only the questions.
  bool tell_replayed = false;
  SessionLimits limits;
  AnswerForms answer_forms;
  bool strict_facts = false;  // a bad row of a facts file refuses the file
  /// That derive rows together where there are many. Nothing but time depends on it.
  std::size_t threads = 1;
  /// Polled while evaluating; true stops with kInterrupted. May be empty.
  std::function<bool()> interrupted;
  /// Told while evaluating, as often as `interrupted` is polled; null when a phase is over.
  /// May be empty.
  std::function<void(const Progress*)> progress;
  /// What the run does is counted there (interp/profile.h). Borrowed; null: not at all.
  Profile* profile = nullptr;
  /// What calls are decided by. Borrowed; null: only what the program forbids itself.
  GateSetup* gate = nullptr;
  /// Where the run is written down, and what it goes through first. Borrowed; may be null.
  Journal* journal = nullptr;
};

/// Why facts hold, or why there is none.
struct Explained {
  bool rejected = false;  // the form is wrong: see `diagnostics`
  std::vector<Diagnostic> diagnostics;
  Explainer::Facts why;
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
  void SetLog(std::function<void(const std::string&)> log);
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
