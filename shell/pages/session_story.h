// SPDX-License-Identifier: Apache-2.0
//
// What happened in a saved session, in the order in which it is told: epochs, turns,
// timesteps, and what each timestep asked, called, showed and established.
//
// What a session's file recorded is taken from its events. What it did not record (what each
// phase did, the texts of questions, why a goal holds) comes from going through each epoch
// again, without asking anybody. A replay that differs from the record is said in `differs`;
// the recorded part is complete all the same.
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
#include "runtime/gate_setup.h"
#include "runtime/saved_session.h"

namespace rpl {

/// A line of a phase's log, or an item: where it leads to in the sources, when it does.
struct StoryLine {
  std::string text;
  std::optional<Span> place;
};

/// A call that went out in phase 8: to a tool, or a question to a person.
struct StoryCall {
  enum class Reply { kNobody, kValue, kMetadata, kDeclined };
  bool question = false;
  std::string prompt;                // of a question, "" when it is not known
  std::vector<std::string> options;  // of a choice, as JSON
  bool started = false;              // a command was started
  Reply reply = Reply::kNobody;
  std::string value;                    // RPL
  std::optional<std::int64_t> took_ms;  // from the start of its command to the reply
};

/// One thing that a timestep did.
struct StoryItem {
  enum class Kind { kEntry, kCall, kChat, kDecision, kViolation };
  Kind kind;
  int phase;
  StoryLine line;                                    // the entry, the call, the chat line
  TraceEntry::Kind entry = TraceEntry::Kind::kFact;  // kEntry
  std::string goal;                                  // of the truth of a goal: its name
  StoryCall call;                                    // kCall
};

/// Lines of one phase's log that a story keeps.
inline constexpr std::size_t kStoryLogLines = 500;

struct StoryLog {
  std::vector<StoryLine> lines;
  std::size_t more = 0;  // that are left out
};

struct StoryStep {
  int number = 0;
  std::string now;
  std::vector<StoryItem> items;  // by phase, in order
  std::array<StoryLog, 9> log;   // by phase; not what items say
};

struct StoryTurn {
  std::optional<std::string> message;  // none: a run of the goals
  std::vector<StoryStep> steps;
  bool over = false;
  std::string status, goal, reason;  // when it is over
  std::vector<std::string> answers;
};

/// A goal that was pursued, as it stands at the end of its epoch.
struct StoryGoal {
  std::string form;  // "%trip(?where, ?nights)"
  std::vector<Explanation> proofs;
  std::size_t more = 0;  // answers whose proof is left out
  std::optional<Explanation> why_not;
};

/// The life of one version of the program.
struct StoryEpoch {
  std::unique_ptr<GateSetup> gate;      // that it ran under
  std::unique_ptr<SavedSession> saved;  // owns the sources
  std::uint32_t files = 0;              // how many of the sources are the session's
  std::vector<StoryTurn> turns;
  std::vector<StoryGoal> goals;
  std::string differs;

  const Sources& sources() const { return saved->session().sources(); }
};

/// Tells `events`, which are sound.
std::vector<StoryEpoch> TellStory(const std::vector<Event>& events);

}  // namespace rpl

#endif  // RPL_SHELL_PAGES_SESSION_STORY_H_
