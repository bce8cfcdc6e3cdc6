// SPDX-License-Identifier: Apache-2.0
//
// The history of a saved session in narrative order: epochs, turns, timesteps, and the questions,
// calls, outputs and trace entries of each timestep.
//
// Recorded facts come from the events of the session's file. Details that it does not record (the
// steps of each phase, the texts of questions, proofs of goals) come from a replay of each epoch,
// in which nobody is asked. `differs` reports a replay that deviates from the record; the recorded
// part is complete even then.
#ifndef RPL_SHELL_PAGES_SESSION_STORY_H_
#define RPL_SHELL_PAGES_SESSION_STORY_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/diagnostic.h"
#include "interp/explain/explanation.h"
#include "interp/store/by.h"
#include "runtime/outcome.h"
#include "runtime/trace.h"

namespace rpl {

class HostDescription;
class SavedSession;
class SourceAccess;
struct Event;
struct GateSetup;

/// A line of a phase's log, or an item, with its place in the sources, if it has one.
struct StoryLine {
  std::string text;
  std::optional<Span> place;
};

/// A call that went out in phase 8: to a tool, or a question to a person.
struct StoryCall {
  /// The kind of reply; kNobody if there was none.
  enum class Reply { kNobody, kValue, kMetadata, kDeclined };
  bool question = false;
  std::string prompt;                // of a question, "" when it is not known
  std::string key;                   // the KEY of --answer, likewise
  std::vector<std::string> options;  // of a choice, as JSON
  bool started = false;              // a command was started
  Reply reply = Reply::kNobody;
  std::string value;                    // RPL
  std::optional<By> by;                 // who replied
  std::string model;                    // the name of the model that did, or ""
  std::optional<std::int64_t> took_ms;  // wall time from the start of its command to the reply
};

/// One event of a timestep.
struct StoryItem {
  /// The kind of event; it determines which members below are used.
  enum class Kind { kEntry, kCall, kChat, kDecision, kViolation, kAttempt };
  Kind kind;
  int phase;
  StoryLine line;                                    // the entry, the call, the chat line
  TraceEntry::Kind entry = TraceEntry::Kind::kFact;  // kEntry
  std::string goal;                                  // of the truth of a goal: its name
  StoryCall call;                                    // kCall
};

/// The maximal number of log lines of one phase in a story.
inline constexpr std::size_t kStoryLogLines = 500;

/// The log of one phase of a timestep.
struct StoryLog {
  std::vector<StoryLine> lines;
  std::size_t more = 0;  // number of lines left out
};

/// A timestep.
struct StoryStep {
  int number = 0;
  std::string now;               // the time of the timestep
  std::vector<StoryItem> items;  // by phase, then in order
  std::array<StoryLog, 9> log;   // indexed by phase; without the contents of items
};

/// A turn.
struct StoryTurn {
  std::optional<std::string> message;  // absent for a run of the goals
  std::vector<StoryStep> steps;
  bool over = false;                 // false if it was cut off
  std::string status, goal, reason;  // if it is over
  std::vector<std::string> answers;  // as printed, if it is over
};

/// A goal that was pursued, with its state at the end of its epoch.
struct StoryGoal {
  std::string form;  // "%trip(?where, ?nights)"
  std::vector<Explanation> proofs;
  std::size_t more = 0;  // number of answers without a proof here
  std::optional<Explanation> why_not;
};

/// The epoch of one version of the program. Owns its replayed session.
struct StoryEpoch {
  std::unique_ptr<GateSetup> gate;      // its guard, or null
  std::unique_ptr<SavedSession> saved;  // owns the sources
  std::uint32_t files = 0;              // number of sources that belong to the session
  std::vector<StoryTurn> turns;
  std::vector<StoryGoal> goals;
  std::string differs;  // the first deviation of the replay, or ""
  /// The outcome of the last turn, with what the events do not record: what to do now, the open
  /// questions, the words of a violated constraint. nullopt if the turn was cut off or the replay
  /// differs.
  std::optional<Outcome> last;
  std::string title;  // of the first heading of its first document, or ""

  StoryEpoch();
  StoryEpoch(StoryEpoch&&) noexcept;
  ~StoryEpoch();

  /// The sources of all spans of the epoch.
  const Sources& sources() const;
};

/// The story of `events`. Replays each epoch. REQUIRES: the events follow the grammar of
/// runtime/record/event_sequence.h. `agent` reads sources that were recorded as queries, and must
/// outlive the story; null: none can be read. `host`: the calls of a host that lie beside the
/// events.
std::vector<StoryEpoch> TellStory(const std::vector<Event>& events, SourceAccess* reader = nullptr,
                                  HostDescription* host = nullptr);

}  // namespace rpl

#endif  // RPL_SHELL_PAGES_SESSION_STORY_H_
