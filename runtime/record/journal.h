// SPDX-License-Identifier: Apache-2.0
//
// The journal of a session: the inputs and results of a run, event by event, so that the run can
// be replayed and continued.
//
// The runtime reports every event to the journal, in order. While recorded events are left, the
// journal compares each report with the next of them, and supplies inputs from outside (the time,
// replies) from there; past the last one it is *live*: events are new and go to its sink. So
// replaying, resuming and running a session are the same program, and a run that was killed between
// two events continues with the second.
//
// The journal is *broken* when a report differs from the recorded event (another program or
// engine), or when its sink fails. A broken journal never becomes live again, and no party outside
// is asked.
//
// The effect of counting limits is reproduced from the limits, which each timestep records; what
// the clock, the memory or a person cut off is not recorded.
//
// Order within a timestep: kStep, then entries as phases write them; in phase 8 chat, the
// calls that go out, kStarted for those handed to a command, and their replies. A turn
// begins with kTurn and ends with kOutcome; the last one may be cut off. event_sequence.h has the
// full grammar of recorded events.
#ifndef RPL_RUNTIME_RECORD_JOURNAL_H_
#define RPL_RUNTIME_RECORD_JOURNAL_H_

#include <chrono>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/attempt.h"
#include "runtime/outcome.h"
#include "runtime/ports.h"
#include "runtime/session_options.h"
#include "runtime/trace.h"

namespace rpl {

/// One recorded event: its body is one JSON object, in the form the journal writes.
struct Event {
  enum class Kind {
    kProgram,   // the files of a program; begins an epoch
    kFile,      // a file that a namespace named, as it was read
    kTurn,      // a message, or a run of the goals, begins
    kStep,      // a timestep begins: its number, time and limits
    kEntry,     // an entry of the trace
    kChat,      // a line of chat, before it is shown
    kCall,      // a call goes out
    kStarted,   // a command is about to be started for a call
    kReply,     // a reply came in; it is used only after this
    kOutside,   // another question to the outside, with its answer
    kDecision,  // a guard decided about a call
    kOutcome,   // the turn ended
    kAttempt,   // a model tried to answer a question
  };
  Kind kind;
  std::string body;

  friend bool operator==(const Event&, const Event&) = default;
};

/// "program", "file", …; stable, part of the file format.
std::string_view EventName(Event::Kind kind);
std::optional<Event::Kind> EventKindOf(std::string_view name);

/// The kind of a reply by its name in an event.
std::optional<rpl::Answer::Kind> ReplyKindOf(std::string_view name);

/// A text of a program, with its origin.
struct ProgramFile {
  std::string name;
  std::string text;
  By by = By::kProgram;  // who states its facts; not of a facts file

  friend bool operator==(const ProgramFile&, const ProgramFile&) = default;
};

/// Timesteps that were undone, as ranges: the first and the last one of each. Their entries do not
/// count any more, with two exceptions: answers are kept, and the retraction of one that was given
/// again before the range ended.
using Undone = std::vector<std::pair<int, int>>;

/// Removes the entries that do not count from all those of a session.
void DropUndone(Trace& trace, const Undone& undone);

/// The program of a kProgram event, and the trace of the epoch before it (empty for the first).
/// `guard`: GateSetup::record, or null. `undone`: of all epochs before it; the list of the last
/// epoch holds for the session.
struct ProgramEvent {
  std::vector<ProgramFile> files;
  CarriedTrace trace;
  nlohmann::ordered_json guard = nullptr;
  Undone undone = {};
  bool door = false;        // SessionOptions::door of the epoch
  std::string person = {};  // SessionOptions::person, who accepted it
};
ProgramEvent ProgramOf(const Event& event);

/// The beginning of a turn: a message, or a run of the goals.
struct RecordedTurn {
  std::string name = {};                 // of a message
  std::optional<std::string> text = {};  // of a message; nullopt: a run of the goals
  By by = By::kHost;                     // of a message
  std::string goal = {};                 // of a run: pursued alone; "" for the program's own
  std::string person = {};               // SessionOptions::person
};

/// The turns of the last epoch that came to their end.
std::vector<RecordedTurn> FinishedTurns(std::span<const Event> events);

/// Calls, as RPL text, with the labels of their tools.
using CallsOfTools = std::map<std::string, std::string>;

/// Calls for which a command was started and no reply is recorded.
CallsOfTools CallsInDoubt(std::span<const Event> events);

/// Entries for headings with answers to some of their arguments (HalfAnswered).
Trace HalfAnswers(std::span<const Event> events);

/// The goal that the last run pursued alone; "" for the program's own, or if there was no run.
std::string LastGoal(std::span<const Event> events);
/// The entry of the log of a host's calls that the last timestep saw (HostLog); 0 for none.
std::int64_t LastHostEntry(std::span<const Event> events);

/// The first timestep of each message, by its name; of several with one name, of the last.
std::map<std::string, int> MessageTimesteps(std::span<const Event> events);

/// The entries of all epochs, in order, without those that were undone.
Trace Entries(std::span<const Event> events);

/// The entries of the last recorded replies, which the run did not live to assert. If an epoch ends
/// so, the next one begins with these entries.
Trace EntriesToCome(std::span<const Event> events);

/// Entries, followed by EntriesToCome.
Trace TraceSoFar(std::span<const Event> events);

/// What a session recorded of a source in place of its text; nullopt if it has the text.
std::optional<SourceQuery> QueryIn(const nlohmann::ordered_json& source);

/// A reply of `$index` that was recorded as a query.
struct RecordedQuery {
  std::size_t event;  // its number, from 1
  std::string call;
  SourceQuery query;
};
std::vector<RecordedQuery> QueriesOf(std::span<const Event> events);

class Journal {
 public:
  /// Takes a new event; `settled`: it, and all before it, must survive a crash before the run
  /// continues. Returns an error message, or "".
  using Sink = std::function<std::string(const Event&, bool settled)>;

  /// Decides whether a call in doubt is made again: the call as RPL text, and its tool's label.
  using Retry = std::function<bool(const std::string& call, const std::string& tool)>;

  enum class End {
    kLive,  // after the recorded events, new ones follow
    kOver,  // nothing follows: further reports are ignored, and no party outside is asked
  };

  /// `recorded`: the events of one epoch; `earlier`: those before it; `undone`: as its program has
  /// it. Calls in doubt for which `retry` holds may be started again.
  Journal(std::vector<Event> recorded, std::span<const Event> earlier, Sink sink,
          Retry retry = nullptr, End end = End::kLive, const Undone& undone = {});

  bool live() const { return broken_.empty() && at_ == recorded_.size() && end_ == End::kLive; }
  /// Whether the recording has ended and nothing may follow.
  bool over() const { return at_ == recorded_.size() && end_ == End::kOver; }
  /// The reason why the journal is broken, for people; "" if it is not.
  const std::string& broken() const { return broken_; }
  /// The difference between a finished run and the recording, for people; "" if there is none: the
  /// reason why it is broken, or the recorded event that was not reported.
  std::string Difference() const;
  /// Breaks it: what was recorded cannot be had again.
  void Break(std::string why) {
    if (broken_.empty()) broken_ = std::move(why);
  }
  /// Whether it is broken because a report differs from the recording.
  bool differs() const { return differs_; }
  /// TraceSoFar of the epochs before, and their last timestep.
  const Trace& earlier() const { return earlier_; }
  int last_timestep() const { return last_timestep_; }
  /// The next recorded event, or null.
  const Event* Next() const;

  /// Compares an event with the recording, or records it.
  void Tell(Event event);
  static Event Program(const ProgramEvent& program);
  /// The text of a file that a namespace names: as recorded, or from `read`.
  std::optional<std::string> File(const std::string& name,
                                  const std::function<std::optional<std::string>()>& read);

  void Turn(const RecordedTurn& turn);
  /// The recorded turn that follows, if any.
  std::optional<RecordedTurn> NextTurn() const;
  /// Ends the turn. Settled, unless the clock or a person cut it off: then the turn is incomplete,
  /// and continues from the last settled event.
  void Finish(const Outcome& outcome);

  /// Begins a timestep. Returns its inputs from outside: as recorded, or `clock()` and `limits`.
  struct StepInput {
    std::string now;
    SessionLimits limits;   // only those that count
    std::int64_t host = 0;  // the entry of the log of the host's calls that it reads (host_log.h)
  };
  StepInput Step(int timestep, const std::function<std::string()>& clock,
                 const SessionLimits& limits, std::int64_t host = 0);
  void Entry(const TraceEntry& entry);
  /// Records a line of chat; true if it is new and must be shown.
  bool Chat(const std::string& line);
  /// `tool` is the label of the tool that is called, "" when a person is asked.
  void Call(const std::string& call, const std::string& tool);
  /// Records that a command is about to be started for the call. Settled. False: recording failed,
  /// and it must not be started.
  bool Started(const std::string& call, const std::string& tool);
  /// The next recorded reply, if it is to one of `calls`, or one of an earlier epoch that made no
  /// entry; with the index of the call. nullopt if there is none.
  struct Recorded {
    std::size_t call;
    rpl::Answer answer;
  };
  std::optional<Recorded> NextReply(const std::vector<std::string>& calls, Pool& pool);
  /// Records a reply. Settled. `entry`: its future entry in the trace, with an empty text if it
  /// makes none, or none yet. `took`: time since the start of the call's command.
  void Reply(const std::string& call, const rpl::Answer& answer, const Pool& pool,
             const TraceEntry& entry, std::optional<std::chrono::milliseconds> took = std::nullopt,
             const HeadingPart& part = {});
  /// The result of `ask`, or the recorded one; null if the recording has none. Settled before the
  /// result is used. `question` identifies what is asked.
  nlohmann::ordered_json Outside(const nlohmann::ordered_json& question,
                                 const std::function<nlohmann::ordered_json()>& ask);
  /// Whether the next recorded event is the answer to this question.
  bool Answers(const nlohmann::ordered_json& question) const;
  /// Records an attempt of a model. Settled. False: recording failed.
  bool Tried(const Attempt& attempt);
  /// The next recorded attempt; nullopt if another event or none follows.
  std::optional<Attempt> NextAttempt();
  /// Takes the recorded attempts that follow.
  void TakeAttempts(AttemptBook& to);
  /// The attempts of the epochs before, in order.
  const std::vector<Attempt>& attempts() const { return attempts_; }
  /// Records a guard's decision about a call.
  void Decision(const nlohmann::ordered_json& decision);

  /// How often a command was started for the call since its last reply: each start may have run.
  std::size_t Starts(const std::string& call) const {
    const auto at = starts_.find(call);
    return at == starts_.end() ? 0 : at->second;
  }
  /// Calls that were in doubt when the epoch began: the label of the tool, and how many starts.
  struct CutOff {
    std::string tool;
    std::size_t starts = 0;
  };
  const std::map<std::string, CutOff>& cut_off() const { return cut_off_; }
  /// The calls whose result an earlier epoch recorded for its guard, and what it recorded.
  const std::vector<std::pair<std::string, nlohmann::ordered_json>>& results() const {
    return results_;
  }

  /// Whether a command was started for the call and no reply is recorded: it may have run.
  bool InDoubt(const std::string& call) const {
    const auto at = in_doubt_.find(call);
    return at != in_doubt_.end() && !(retry_ && retry_(at->first, at->second));
  }

 private:
  void NoteStart(const Event& event);
  /// The number of the next event in its session, from 1.
  std::size_t Number() const { return before_ + at_ + 1; }

  std::vector<Event> recorded_;
  std::size_t at_ = 0;
  Sink sink_;
  Retry retry_;
  End end_;
  std::size_t before_;  // events of the epochs before
  std::string broken_;
  bool differs_ = false;
  Trace earlier_;
  int last_timestep_ = 0;
  CallsOfTools in_doubt_;
  std::map<std::string, std::size_t> starts_;  // of the calls in doubt
  std::map<std::string, CutOff> cut_off_;
  std::vector<std::pair<std::string, nlohmann::ordered_json>> results_;
  std::map<std::string, std::vector<Event>> parts_;  // replies for some arguments of headings
  std::vector<Attempt> attempts_;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_RECORD_JOURNAL_H_
