// SPDX-License-Identifier: Apache-2.0
//
// The journal of a session: what a run took in and what it established, event by event,
// so that the run can be gone through again and gone on with.
//
// The runtime tells the journal everything that happens, in order. While recorded events
// are left, what is told is checked against the next of them, and what came from outside
// (the time, replies) is taken from there; past the last one the journal is *live*: events
// are new and go to its sink. So replaying a session, resuming it and running it are one
// program, and a run that was killed between two events goes on at the second.
//
// The journal is *broken* when what is told differs from what was recorded (the program or
// the engine is another one), or when its sink fails. It is never live again then, and
// nobody outside is asked.
//
// What limits decide is recorded by the limits, which each timestep has; what the clock, the
// memory or a person cut off is not recorded.
//
// Order within a timestep: kStep, then entries as phases write them; in phase 8 chat, the
// calls that go out, kStarted for those handed to a command, and their replies. A turn
// begins with kTurn and ends with kOutcome; the last one may be cut off. event_sequence.h has all
// of it as a grammar, which recorded events follow.
#ifndef RPL_RUNTIME_JOURNAL_H_
#define RPL_RUNTIME_JOURNAL_H_

#include <chrono>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/agent.h"
#include "runtime/session.h"
#include "runtime/trace.h"

namespace rpl {

/// One recorded event: its body is one JSON object, in the form the journal writes.
struct Event {
  enum class Kind {
    kProgram,   // the files of a program; begins an epoch
    kFile,      // a file that a namespace named, as it was read
    kTurn,      // a run of the goals begins
    kStep,      // a timestep begins: its number, time and limits
    kEntry,     // an entry of the trace
    kChat,      // a line of chat, before it is shown
    kCall,      // a call goes out
    kStarted,   // a command is about to be started for a call
    kReply,     // a reply came in; it is used only after this
    kOutside,   // something else was asked outside, and what came back
    kDecision,  // a guard decided about a call
    kOutcome,   // the turn ended
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

/// Where a program's text came from.
struct ProgramFile {
  std::string name;
  std::string text;

  friend bool operator==(const ProgramFile&, const ProgramFile&) = default;
};

/// The program of a kProgram event, and the trace of the epoch before it as RPL ("" for
/// the first). `guard` says what the run is guarded with; null: nothing.
struct ProgramEvent {
  std::vector<ProgramFile> files;
  std::string trace;
  nlohmann::ordered_json guard = nullptr;
};
ProgramEvent ProgramOf(const Event& event);

/// A turn as it began: a message, or a run of the goals.
struct RecordedTurn {
  std::string name;
  std::optional<std::string> text;
};

/// Calls, as RPL text, with the labels of their tools.
using CallsOfTools = std::map<std::string, std::string>;

/// Calls for which a command was started and no reply is known.
CallsOfTools CallsInDoubt(std::span<const Event> events);

/// What is known of headings that have answers for some of their arguments (HalfAnswered).
Trace HalfAnswers(std::span<const Event> events);

/// The entries of all epochs, in order.
Trace Entries(std::span<const Event> events);

/// What replies that were kept last will be in the trace: the run ended before it took them.
/// When an epoch ends so, the next one begins with these entries.
Trace EntriesToCome(std::span<const Event> events);

/// Both together.
Trace TraceSoFar(std::span<const Event> events);

/// The answers of kOutside events to questions that have this key, in order.
std::vector<nlohmann::ordered_json> AnswersTo(std::span<const Event> events,
                                              const std::string& key);

class Journal {
 public:
  /// Takes a new event; `settled` when it, and all before it, must survive a crash before
  /// the run goes on. Returns what went wrong, or "".
  using Sink = std::function<std::string(const Event&, bool settled)>;

  /// Whether a call in doubt is made again: the call as RPL text, and the label of its tool.
  using Retry = std::function<bool(const std::string& call, const std::string& tool)>;

  enum class End {
    kLive,  // after the recorded events, new ones follow
    kOver,  // nothing follows: what is told then is not heard, and nobody is asked
  };

  /// `recorded` are the events of one epoch, `earlier` those before it. Calls in doubt for which
  /// `retry` holds may be started again.
  Journal(std::vector<Event> recorded, std::span<const Event> earlier, Sink sink,
          Retry retry = nullptr, End end = End::kLive);

  bool live() const { return broken_.empty() && at_ == recorded_.size() && end_ == End::kLive; }
  /// Whether nothing follows any more.
  bool over() const { return at_ == recorded_.size() && end_ == End::kOver; }
  /// Why the journal is broken, for people; "" when it is not.
  const std::string& broken() const { return broken_; }
  /// In what a run that is through differs from what was recorded, for people; "" when it does
  /// not: why it is broken, or the event that nobody told.
  std::string Difference() const;
  /// Whether it is broken because what is told differs from what was recorded.
  bool differs() const { return differs_; }
  /// Of the epochs before: their entries, with those to come, and their last timestep.
  const Trace& earlier() const { return earlier_; }
  int last_timestep() const { return last_timestep_; }
  /// The next recorded event, or null.
  const Event* Next() const;

  /// Checks or keeps an event.
  void Tell(Event event);
  static Event Program(const ProgramEvent& program);
  /// The text of a file that a namespace names: the recorded one, or what `read` gives.
  std::optional<std::string> File(const std::string& name,
                                  const std::function<std::optional<std::string>()>& read);

  /// A turn begins: a message, or (null) a run of the goals.
  void Turn(const std::string& name, const std::string* text);
  /// The recorded turn that comes next.
  std::optional<RecordedTurn> NextTurn() const;
  /// The turn is over. Settled, unless the clock or a person cut it off: then it counts as
  /// not over, and goes on where it was settled last.
  void Finish(const Outcome& outcome);

  /// A timestep begins. What it has from outside: as recorded, or `clock()` and `limits`.
  struct StepInput {
    std::string now;
    SessionLimits limits;  // of these, the counters
  };
  StepInput Step(int timestep, const std::function<std::string()>& clock,
                 const SessionLimits& limits);
  void Entry(const TraceEntry& entry);
  /// Whether the line is new and must be shown.
  bool Chat(const std::string& line);
  /// `tool` is the label of the tool that is called, "" when a person is asked.
  void Call(const std::string& call, const std::string& tool);
  /// A command is about to be started for the call. Settled. False: it is not recorded, and must
  /// not be started.
  bool Started(const std::string& call, const std::string& tool);
  /// The recorded reply to one of the calls that comes next, or one that an earlier epoch
  /// had and no entry tells of: its index in `calls`. nullopt when there is none.
  struct Recorded {
    std::size_t call;
    rpl::Answer answer;
  };
  std::optional<Recorded> NextReply(const std::vector<std::string>& calls, Pool& pool);
  /// A reply came in. Settled. `entry` is what it will be in the trace; with an empty text
  /// it makes no entry, or none yet. `took`: from the start of the call's command.
  void Reply(const std::string& call, const rpl::Answer& answer, const Pool& pool,
             const TraceEntry& entry, std::optional<std::chrono::milliseconds> took = std::nullopt,
             const HeadingPart& part = {});
  /// What `ask` gives, or what it gave then; null when that is not recorded. Settled: it is used
  /// only after this. The question tells apart what is asked.
  nlohmann::ordered_json Outside(const nlohmann::ordered_json& question,
                                 const std::function<nlohmann::ordered_json()>& ask);
  /// A guard decided about a call.
  void Decision(const nlohmann::ordered_json& decision);

  /// Whether a command was started for the call and no reply is known: it may have run.
  bool InDoubt(const std::string& call) const {
    const auto at = in_doubt_.find(call);
    return at != in_doubt_.end() && !(retry_ && retry_(at->first, at->second));
  }

 private:
  /// Of the next event, in its session.
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
  std::map<std::string, std::vector<Event>> parts_;  // replies for some arguments of headings
};

}  // namespace rpl

#endif  // RPL_RUNTIME_JOURNAL_H_
