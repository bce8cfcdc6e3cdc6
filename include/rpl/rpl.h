// SPDX-License-Identifier: Apache-2.0
//
// RPL inside another program: everything public is in class rpl::Engine. § means a section
// of the RPL specification, as in docs/language.md.
//
// An Engine holds one program, what is known, its trace, and the questions that are open.
// Documents come in with Load, facts and rules with Assert. Run takes timesteps (§18.3)
// until the goal is decided or waits for someone outside; then Pending says for whom, Answer
// takes the reply, and Run goes on. A call that evaluates is a *turn*: Assert, Run, Step,
// Query. Everything accumulates over the turns (§18.2), but the goal of a Query does not.
//
// Values cross as JSON, and all texts are UTF-8. Going out: a string, number or truth value
// is itself, nil is null, a list or set an array (a set in its order as written), a map an
// object. What JSON has no form for is a string of its RPL text: the symbol a "a", the
// keyword :a ":a", a relation term "f(1)"; so are the keys of an object. Compact, one line.
// Coming in: an object is a map with strings as keys, null is nil, a number without a
// fraction that fits 64 bits is an integer. Lists and objects nest at most 200 deep.
//
// Errors are values. A wrong text is Findings with places; a run that fails is an Outcome;
// an argument that cannot be used is a line for people, empty when all is well. No exception
// leaves an Engine, except std::bad_alloc when a result is copied to the caller. One that a
// callback throws (or that memory is used up) breaks the engine: Status::kBroken from then on.
//
// An Engine is used by one thread at a time; it is not bound to one. Engines share nothing
// that changes. Turns, Load and Explain evaluate in the caller's thread, on a large stack of
// the Engine's; callbacks are called there, and must not call the same Engine.
//
// The same program with the same replies and the same `now` gives the same bytes.
#ifndef RPL_RPL_H_
#define RPL_RPL_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rpl {

class Engine {
 public:
  enum class Severity { kError, kWarning, kInfo };

  /// What is wrong with a text, and where.
  struct Finding {
    Severity severity = Severity::kError;
    std::string code;          // "RPL1003", stable; "" when the text itself is not at fault
    std::string file;          // the name it was loaded by
    std::uint32_t line = 0;    // from 1; 0 when there is no place
    std::uint32_t column = 0;  // from 1, in code points
    std::uint32_t begin = 0;   // bytes of the text, half open
    std::uint32_t end = 0;
    std::string message;   // one line, without a final stop
    std::string hint;      // what to write instead, or ""
    std::string rendered;  // all of it for people: the line, a caret below; ends with a newline
  };

  enum class Status {
    kNothing,      // there was no goal to pursue
    kRunning,      // of Step alone: there is more to do
    kSatisfied,    // `answers`
    kUnsatisfied,  // `reason` in one line
    kWaiting,      // calls are open that nobody answered: see Pending
    kFailed,       // a failure (§18.6) or the author's %fail: `reason` is `%fail(…, …)`
    kLimit,        // a limit was reached: `reason` is `%fail(…, …)`, too
    kRejected,     // a text has errors; of the goal, nothing ran
    kToolFailed,   // unsatisfied, and a tool that failed decided it: `reason` names it
    kInterrupted,  // Options::interrupted said so
    kReview,       // a person must approve a call before it goes out: see Options::reviews_file
    kBroken,       // the session file cannot be used, or worse: see `reason`, and above
  };

  /// What became of a turn.
  struct Outcome {
    Status status = Status::kNothing;
    std::string goal;                  // that was pursued: "%", "%name", or ""
    std::vector<std::string> answers;  // objects from variables to values: {"?x":1}
    std::string reason;
    /// kSatisfied, where a limit stopped the evaluation and there may be more answers: which
    /// limit. Else empty.
    std::string cut_off;
    std::vector<Finding> findings;  // of the text of this turn, and of heads it evaluated
  };

  struct Option {
    std::string text;  // for people
    std::string json;
  };

  /// A call that is open: a question to a person, or a tool that nobody answered.
  struct Question {
    enum class Kind { kAsk, kChoose, kTool };
    Kind kind = Kind::kAsk;
    std::string id;               // for Answer; the same in every run of the program
    std::string name;             // short: "ask", "draft-id", or the name of the tool
    std::string relation;         // whose argument is asked for, or ""
    std::string prompt;           // for people
    std::string args;             // of the call, a JSON array
    std::vector<Option> options;  // kChoose: the only replies accepted
    /// kTool: it was called in a run that was cut off, and nobody knows what it did. It is
    /// not called again before Retry.
    bool in_doubt = false;
  };

  /// What somebody replies. Text and Json are results; Metadata is a result's whole metadata
  /// (§13.3), a JSON object whose keys become keywords.
  struct Reply {
    enum class Kind { kLater, kText, kJson, kMetadata, kError, kDecline };
    Kind kind = Kind::kLater;
    std::string value;  // kText, kJson, kMetadata; of kError, its message for people
    std::string code;   // kError: "timeout"

    /// As a person types it: a number is one, "quoted" is a string, anything else is the
    /// text itself; of a choice, an option's text or its number from 1.
    static Reply Text(std::string text) { return {Kind::kText, std::move(text), ""}; }
    static Reply Json(std::string json) { return {Kind::kJson, std::move(json), ""}; }
    static Reply Metadata(std::string json) { return {Kind::kMetadata, std::move(json), ""}; }
    /// The tool failed: rules see {:status :error, :code code, :message message}.
    static Reply Error(std::string code, std::string message) {
      return {Kind::kError, std::move(message), std::move(code)};
    }
    /// The user refuses: the goal goes on where it can without (§18.6).
    static Reply Decline() { return {Kind::kDecline, "", ""}; }
    /// Of a tool callback: not now. The call stays open, and is not made again before Retry.
    static Reply Later() { return {}; }
  };

  struct TraceEntry {
    std::string kind;  // fact, retraction, reply, constraint, derivation, goal, failure
    int timestep = 0;  // from 1
    int phase = 0;     // from 1 to 8 (§18.3)
    std::string text;  // one RPL sentence
  };

  /// A line of an explanation.
  struct Reason {
    std::string kind;  // asserted, derived, gathered, test, absent, count, reply, truncated;
                       // of an absence also missing, attempt, failed, nearest
    std::string text;  // "edge(1, 2)", "3 > 2"
    std::string note;  // why a clause holds or fails, or ""
    std::string rule;  // derived, gathered: the rule, or ""
    std::string file;  // of the fact or the rule; "" without a place
    std::uint32_t line = 0;
    std::uint32_t column = 0;
    bool above = false;                 // explained by an earlier line with this text
    std::vector<std::size_t> premises;  // indexes of Proof::reasons, all larger than this
  };

  struct Proof {
    std::string text;             // for people, indented; ends with a newline
    std::vector<Reason> reasons;  // the first is what is explained
  };

  struct Explanation {
    std::vector<Finding> findings;  // with errors there is nothing else
    bool holds = false;
    std::vector<Proof> proofs;  // one for each fact; when none holds, one of the absence
    std::size_t more = 0;       // facts that match and are not explained
  };

  /// Reaching one is an Outcome, kLimit, whose reason names it.
  struct Limits {
    std::size_t max_rows = 50'000'000;       // facts derived
    std::size_t max_rounds = 100'000;        // of a recursion
    std::size_t max_depth = 20'000;          // nested calls
    std::size_t max_iterations = 1'000'000;  // of one @for
    std::size_t max_timesteps = 100'000;     // of one turn
    double max_seconds = 600;                // that one timestep evaluates; 0: any
    std::size_t max_megabytes = 0;           // that the whole process holds, 2^20 bytes; 0: any
  };

  /// Callbacks may be empty.
  struct Options {
    /// Of every timestep, as 2026-01-02T00:00:00Z; "": the clock, in UTC. Any other text breaks
    /// the engine, as an exception does.
    std::string now;
    Limits limits;
    /// Threads that derive facts together where there are many; callbacks are called on none
    /// but the Engine's own. The results are the same for any number.
    std::size_t threads = 1;
    /// Polled while evaluating, thousands of times a second; true ends the turn.
    std::function<bool()> interrupted;
    /// What $json writes (§14.2): a line of JSON without its end.
    std::function<void(const std::string& line)> chat;
    /// The log, as it happens: "T.P text" with timestep and phase.
    std::function<void(const std::string& line)> log;
    /// Calls a tool; `args` is a JSON array. A reply that is no JSON, an exception, or
    /// arguments that have no JSON, are a failed call: bad-reply, exception, bad-request.
    std::function<Reply(const std::string& tool, const std::string& args)> tool;
    /// The text of a file that a document names as a namespace (§17.7); nullopt: no such file.
    std::function<std::optional<std::string>(const std::string& name)> file;

    /// What calls are decided by before they go out, and results before they come in: the text
    /// of a policy in JSON or YAML (docs/guard.md), or "". A blocked call is not made, and told
    /// as %fail; each decision is a fact, guard-decision(…). With a mistake in the policy every
    /// turn is kRejected, with findings, and nothing is called. What conditions ask for
    /// (end user, tags, signals) are facts and rules of the program.
    std::string policy;
    /// Its name in findings; `rpl resume` reads the policy of a session file from there.
    std::string policy_name = "policy.json";
    /// Where requests to approve a call are kept, for `rpl guard pending` and `approve`; the
    /// next turn goes by what was said. "": nothing is kept, and such calls stay held.
    std::string reviews_file;
    /// Where decisions are written down, as JSON lines, or "". A turn that cannot write fails.
    std::string audit_file;
    /// Whose policy it is: the slug of the agent, for `agentSelector`; may be "".
    std::string agent;

    /// Where the session is kept, or "". The first turn opens the file, or creates it, and
    /// goes through what is recorded; each turn is on disk when it returns. With other
    /// documents than last time its trace is taken over. A turn that was cut off, by an
    /// interrupt, time, memory or the end of the process, is finished first if it had taken a
    /// reply, and otherwise never was. One engine has the file at a time. `rpl resume` and
    /// `rpl trace` read it, too.
    std::string session_file;
  };

  Engine();
  explicit Engine(Options options);
  ~Engine();
  /// All that may be done with an engine that was moved from is to destroy it or assign to it.
  Engine(Engine&& other) noexcept;
  Engine& operator=(Engine&& other) noexcept;

  /// Takes in a document: plain RPL when `name` ends in .rpl, else Markdown (§17). It holds
  /// from the next turn on. `text` may be anything. After errors, turns are kRejected. With a
  /// session file, all documents are loaded before the first turn.
  std::vector<Finding> Load(const std::string& name, const std::string& text);

  /// Takes in plain RPL, and one timestep runs, without a goal: facts, retractions
  /// (`p(1) -> false`), rules. kNothing is the good outcome; kFailed when a constraint is
  /// violated. After errors in `text`, kRejected, the rest of it stands.
  Outcome Assert(const std::string& text);

  /// Pursues the program's goals until they are decided or wait.
  Outcome Run();

  /// One timestep of Run. After kRunning, Assert, Query and Run take those that are left first.
  Outcome Step();

  /// A goal of its own, `%name(?x) <- …` or `% <- …`, as the last line of `text`; lines above
  /// it are facts and rules that stay. It may ask, as the program's goals do.
  Outcome Query(const std::string& text);

  /// What the last Run or Step waits for and then what queries since then wait for, without
  /// what was answered meanwhile. Questions to people come one at a time.
  const std::vector<Question>& Pending() const;

  /// Keeps the reply to a pending question for the turn that asks for it again. Why it cannot
  /// be used, for people, or "". Text, Json and Decline fit any question, if a choice is one
  /// of its options; Metadata and Error only a tool.
  ///
  /// A question that was declined stays so, until it is answered. A session file has the
  /// replies that a turn took, not those that are kept for one.
  std::string Answer(const std::string& id, Reply reply);

  /// Lets a tool be called again that is in doubt or said Later; false when none of this id
  /// is or did.
  bool Retry(const std::string& id);

  /// What became fixed, in that order (§12).
  std::vector<TraceEntry> Trace() const;

  /// The trace as an RPL program: loaded after the documents that made it, it restores what
  /// stood, and nobody is asked again.
  std::string Export() const;

  /// Why facts hold that match `form`, one call such as `reachable(1, ?x)` or `%done`; when
  /// none does, why. What stands after the last turn is read, and nothing changes; only if
  /// documents were loaded since, `Assert("")` comes first. `depth`: levels below a fact; of
  /// an absence, two.
  Explanation Explain(const std::string& form, std::size_t max_facts = 10, std::size_t depth = 64);

  /// "satisfied", "waiting", "tool-failed": as in JSON elsewhere.
  static std::string_view Name(Status status);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rpl

#endif  // RPL_RPL_H_
