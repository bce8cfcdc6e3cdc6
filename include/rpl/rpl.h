// SPDX-License-Identifier: Apache-2.0
//
// RPL for embedding in another program: all public names are in class rpl::Engine. § refers to a
// section of the RPL specification, as in docs/language.md.
//
// An Engine holds one program, its facts, its trace, and the open questions. Load takes documents,
// Assert facts and rules. Run executes timesteps (§18.3) until the goal is decided or depends on a
// reply from outside; then Pending lists the questions, Answer takes a reply, and Run continues. A
// call that evaluates is a *turn*: Assert, Run, Step, Query. Everything accumulates over the turns
// (§18.2) except the goal of a Query.
//
// Values cross as JSON, and all texts are UTF-8. Outgoing: strings, numbers and booleans are
// themselves, nil is null, a list or set an array (a set in its order as written), a map an object.
// Values without a JSON form are strings of their RPL text: the symbol a "a", the keyword :a ":a",
// a relation term "f(1)"; the keys of an object likewise. The JSON is compact, on one line.
// Incoming: an object is a map with strings as keys, null is nil, a number whose value is whole is
// an integer. Integers are exact in both directions, whatever their size: a program that reads them
// into 64 bits has to expect larger ones, of up to 100,000 digits. Lists and objects nest at most
// 200 deep.
//
// Errors are values. An invalid text gives Findings with places; a run that fails gives an Outcome;
// an unusable argument gives a line of text for people, which is empty on success. No exception
// leaves an Engine, except std::bad_alloc while a result is copied to the caller. An exception from
// a callback, or exhausted memory, breaks the engine: Status::kBroken from then on.
//
// A callback that calls its own engine gets kBusy, or the same as a line of text or a Finding;
// nothing is done, and the turn goes on. If it destroys the engine, or assigns to it, the turn ends
// as the callback returns, with kBroken. An engine that was moved from gives kBroken likewise.
//
// An Engine is used by one thread at a time, but not bound to one. Engines share no mutable state.
// Turns, Load and Explain evaluate in the caller's thread, on a large stack of the Engine's, and
// callbacks run there.
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

/// The engine. Movable; not copyable.
class Engine {
 public:
  /// Errors make a text unusable; warnings and infos do not.
  enum class Severity { kError, kWarning, kInfo };

  /// A finding about a text, with its place.
  struct Finding {
    Severity severity = Severity::kError;
    std::string code;          // "RPL1003", stable; "" if it is not about the text
    std::string file;          // the name it was loaded by
    std::uint32_t line = 0;    // from 1; 0 when there is no place
    std::uint32_t column = 0;  // from 1, in code points
    std::uint32_t begin = 0;   // byte offsets in the text, half open
    std::uint32_t end = 0;
    std::string message;   // one line, without a final stop
    std::string hint;      // what to write instead, or ""
    std::string rendered;  // for people: message, line and caret; ends with a newline
  };

  /// The result of a turn.
  enum class Status {
    kNothing,      // there was no goal to pursue
    kRunning,      // Step only: more timesteps follow
    kSatisfied,    // `answers`
    kUnsatisfied,  // `reason` in one line
    kWaiting,      // calls without a reply are open: see Pending
    kFailed,       // a failure (§18.6) or the author's %fail: `reason` is `%fail(…, …)`
    kLimit,        // a limit was reached: `reason` is `%fail(…, …)` as well
    kRejected,     // a text has errors; no goal was pursued
    kToolFailed,   // unsatisfied because a tool failed: `reason` names it
    kInterrupted,  // Options::interrupted returned true
    kReview,       // a person must approve a call before it goes out: see Options::guard_store
    kBroken,       // the engine is unusable: `reason`, and the errors above
    kBusy,         // a callback of the engine called it: nothing was done
  };

  /// The prose under a heading.
  struct Prose {
    std::string heading;  // its title
    std::string text;
  };

  /// The outcome of a turn.
  struct Outcome {
    Status status = Status::kNothing;
    std::string goal;                  // the goal that was pursued: "%", "%name", or ""
    std::vector<std::string> answers;  // objects from variables to values: {"?x":1}
    std::string reason;
    /// For kSatisfied: the limit that stopped the evaluation before all answers were found, or "".
    std::string cut_off;
    std::vector<Finding> findings;  // about the text of this turn and heads it evaluated
    /// For kSatisfied: what the prose of the goals tells to do now, with the values of its
    /// emphasised spans.
    std::vector<Prose> now;
  };

  /// A possible reply to a choice.
  struct Option {
    std::string text;  // for people
    std::string json;
  };

  /// An open call: a question to a person, or a tool call without a reply.
  struct Question {
    enum class Kind { kAsk, kChoose, kTool };
    Kind kind = Kind::kAsk;
    std::string id;               // for Answer; the same in every run of the program
    std::string name;             // short: "ask", "draft-id", or the name of the tool
    std::string relation;         // the relation whose argument is in question, or ""
    std::string prompt;           // for people
    std::string args;             // the arguments of the call, a JSON array
    std::vector<Option> options;  // kChoose: the only replies accepted
    /// The reply is any number of rows, a JSON list of them; each is a value, or a list of values
    /// for these names. Empty: the reply is one value.
    std::vector<std::string> row;
    /// For kTool: it was called in a run that was cut off, so that its effects are unknown. It is
    /// not called again before Retry.
    bool in_doubt = false;
  };

  /// A reply to a question. Text and Json are results; Metadata is the whole metadata of a result
  /// (§13.3), a JSON object whose keys become keywords.
  struct Reply {
    enum class Kind { kLater, kText, kJson, kMetadata, kError, kDecline };
    Kind kind = Kind::kLater;
    std::string value;  // kText, kJson, kMetadata; for kError the message for people
    std::string code;   // kError: "timeout"

    /// Input as a person types it: a number is a number, "quoted" is a string, anything else is the
    /// text itself; for a choice, the text of an option or its number from 1.
    static Reply Text(std::string text) { return {Kind::kText, std::move(text), ""}; }
    /// A JSON value, and a JSON object of metadata.
    static Reply Json(std::string json) { return {Kind::kJson, std::move(json), ""}; }
    static Reply Metadata(std::string json) { return {Kind::kMetadata, std::move(json), ""}; }
    /// The tool failed: rules read {:status :error, :code code, :message message}.
    static Reply Error(std::string code, std::string message) {
      return {Kind::kError, std::move(message), std::move(code)};
    }
    /// The user refuses: the goal continues where it can without the reply (§18.6).
    static Reply Decline() { return {Kind::kDecline, "", ""}; }
    /// For a tool callback: the reply comes later. The call stays open and is not made again before
    /// Retry.
    static Reply Later() { return {}; }
  };

  /// An entry of the trace (§12).
  struct TraceEntry {
    std::string kind;  // fact, retraction, reply, constraint, derivation, goal, failure
    int timestep = 0;  // from 1
    int phase = 0;     // from 1 to 8 (§18.3)
    std::string text;  // one RPL sentence
  };

  /// A node of an explanation.
  struct Reason {
    std::string kind;        // asserted, derived, gathered, test, absent, count, reply, truncated;
                             // of an absence also missing, attempt, failed, nearest
    std::string text;        // "edge(1, 2)", "3 > 2"
    std::string note;        // the reason why a clause holds or fails, or ""
    std::string rule;        // derived, gathered: the rule, or ""
    std::string file;        // of the fact or the rule; "" without a place
    std::uint32_t line = 0;  // from 1; 0 without a place
    std::uint32_t column = 0;
    bool above = false;                 // explained by an earlier node with this text
    std::vector<std::size_t> premises;  // indexes in Proof::reasons, greater than its own
  };

  /// An explanation of one fact, or of its absence.
  struct Proof {
    std::string text;             // for people, indented; ends with a newline
    std::vector<Reason> reasons;  // the first is the fact or absence itself
  };

  /// The result of Explain.
  struct Explanation {
    std::vector<Finding> findings;  // with an error all else is empty
    bool holds = false;
    std::vector<Proof> proofs;  // one for each fact; if none holds, one of the absence
    std::size_t more = 0;       // number of matching facts without a proof here
  };

  /// Limits of an evaluation. Reaching one gives kLimit, with its name in the reason. 0 is no
  /// limit; of max_depth, the most that an engine has room for.
  struct Limits {
    std::size_t max_rows = 50'000'000;       // facts derived
    std::size_t max_rounds = 100'000;        // of a recursion
    std::size_t max_depth = 20'000;          // nested calls
    std::size_t max_iterations = 1'000'000;  // of one @for
    std::size_t max_timesteps = 100'000;     // of one turn
    double max_seconds = 600;                // wall time of one timestep
    std::size_t max_megabytes = 0;           // MiB of the whole process
  };

  /// The settings of an engine. Callbacks may be empty.
  struct Options {
    /// The time of every timestep, as 2026-01-02T00:00:00Z; "" for the clock, in UTC. Any other
    /// text breaks the engine, like an exception.
    std::string now;
    Limits limits;
    /// The replies and messages of this host are a person's: `:by` says :person, not :host (§11).
    bool answers_by_person = false;
    /// Threads of the fixpoint, 1 to 64. Callbacks run only on the caller's thread. The results are
    /// the same for any number.
    std::size_t threads = 1;
    /// Polled during evaluation, thousands of times a second; true ends the turn.
    std::function<bool()> interrupted;
    /// Receives the output of $json (§14.2): a line of JSON without its end.
    std::function<void(const std::string& line)> chat;
    /// Receives the log during a turn: "T.P text" with timestep and phase; and "note: text", what a
    /// model did not answer, and why.
    std::function<void(const std::string& line)> log;
    /// Calls a tool; `args` is a JSON array. A reply with invalid JSON, an exception, and arguments
    /// without a JSON form are failed calls: bad-reply, exception, bad-request.
    std::function<Reply(const std::string& tool, const std::string& args)> tool;
    /// The text of a file that a document names as a namespace (§17.7); nullopt if there is none.
    std::function<std::optional<std::string>(const std::string& name)> file;

    /// The policy that decides about calls before they go out and about results before they come
    /// in, in JSON or YAML (docs/guard.md), or "". A blocked call is not made and gives %fail; each
    /// decision is a fact, guard-decision(…). If the policy has errors, every turn is kRejected,
    /// with findings, and no tool is called. The inputs of conditions (end user, tags, signals) are
    /// facts and rules of the program.
    std::string policy;
    /// The policy's name in findings; `rpl resume` reads the policy of a session file under this
    /// name.
    std::string policy_name = "policy.json";
    /// The store of the guard, a file: calls for metrics, and reviews for `rpl guard pending` and
    /// `approve`, whose decisions the next turn uses. "": nothing is stored, and held calls stay
    /// held.
    std::string guard_store;
    /// The file of audit events, as JSON lines, or "". A turn that cannot write to it fails.
    std::string audit_file;
    /// The slug of the agent for the policy's `agentSelector`; may be "".
    std::string agent;

    /// The text of an `rpl.yaml` whose section `model` names a model (docs/models.md), or "". The
    /// model answers the questions in its `answers` that have no stored reply, when a turn reaches
    /// them; no other section is used. This program vouches for it: nobody is asked for approval.
    /// If the settings have errors, every turn is kRejected, with findings.
    std::string settings;
    /// The name of the settings in findings.
    std::string settings_name = "rpl.yaml";

    /// The file of the session, or "". The first turn opens or creates it and replays its events;
    /// each turn is on disk when it returns. If the documents have changed, the trace is carried
    /// over to the new ones. A turn that was cut off, by an interrupt, time, memory or the end of
    /// the process, is completed first if it had taken a reply, and otherwise discarded. Only one
    /// engine can have the file open. `rpl resume` and `rpl trace` read it as well. The name
    /// `postgresql://USER@HOST/DATABASE/NAME` is a session in a database instead.
    std::string session_file;
  };

  Engine();
  explicit Engine(Options options);
  ~Engine();
  /// The source is broken from then on.
  Engine(Engine&& other) noexcept;
  Engine& operator=(Engine&& other) noexcept;

  /// Adds a document: plain RPL if `name` ends in .rpl, else Markdown (§17). It takes effect with
  /// the next turn. `text` is untrusted. After an error all turns are kRejected. With a session
  /// file, all documents must be loaded before the first turn.
  std::vector<Finding> Load(const std::string& name, const std::string& text);

  /// Adds plain RPL (facts, retractions such as `p(1) -> false`, rules) and runs one timestep
  /// without a goal. kNothing on success; kFailed if a constraint is violated; kRejected after
  /// errors in `text`, of which the sentences without errors remain.
  Outcome Assert(const std::string& text);

  /// Pursues the program's goals until they are decided or a reply is missing.
  Outcome Run();

  /// Executes one timestep of Run. After kRunning, Assert, Query and Run first execute the
  /// remaining timesteps.
  Outcome Step();

  /// Pursues a goal of its own, `%name(?x) <- …` or `% <- …`, which is the last line of `text`; the
  /// lines above it are facts and rules that remain. It may ask questions like the program's goals.
  Outcome Query(const std::string& text);

  /// The open questions of the last Run or Step, followed by those of later queries, without the
  /// answered ones: all that the plan needs, in any order. Valid until the next call of a non-const
  /// function. From a callback: none.
  const std::vector<Question>& Pending() const;

  /// Stores the reply to a pending question for the next turn that reaches it. Returns the reason
  /// why the reply cannot be used, or "". Text, Json and Decline are valid for any question, for a
  /// choice only if they are one of its options; Metadata and Error are valid only for a tool.
  ///
  /// A declined question stays declined until it is answered. A session file contains the replies
  /// that a turn has used, not those that are stored for one.
  std::string Answer(const std::string& id, Reply reply);

  /// Permits another call of a tool that is in doubt or replied Later; false if `id` is neither.
  bool Retry(const std::string& id);

  /// The entries of the trace, in order (§12). From a callback, as Export: none.
  std::vector<TraceEntry> Trace() const;

  /// The trace as an RPL program: loaded after the documents that produced it, it restores their
  /// state without asking again.
  std::string Export() const;

  /// Derivations of the facts that match `form`, one call such as `reachable(1, ?x)` or `%done`; if
  /// there is none, the reason. Reads the state after the last turn without changing it, except
  /// that `Assert("")` runs first if documents were loaded since. `depth` is the number of levels
  /// below a fact; for an absence at most two are given.
  Explanation Explain(const std::string& form, std::size_t max_facts = 10, std::size_t depth = 64);

  /// The name of a status as in JSON elsewhere: "satisfied", "waiting", "tool-failed". Static
  /// lifetime.
  static std::string_view Name(Status status);

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with a turn that runs
};

}  // namespace rpl

#endif  // RPL_RPL_H_
