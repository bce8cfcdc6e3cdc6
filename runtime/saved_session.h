// SPDX-License-Identifier: Apache-2.0
//
// A session that lasts: one that has a file, from which it is gone on with.
//
// The file's events fall into epochs; each begins with the program that it runs. Going on
// with the same program goes through the last epoch again, with the recorded times and
// replies, and then further. A program that was changed begins a new epoch (schema
// novelty, §18.3): the new text is loaded together with the trace so far, so that nothing is
// asked again. Goals are evaluated anew, and timesteps are counted on.
#ifndef RPL_RUNTIME_SAVED_SESSION_H_
#define RPL_RUNTIME_SAVED_SESSION_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/journal.h"
#include "runtime/session.h"
#include "runtime/session_file.h"

namespace rpl {

/// The program of the last epoch in `events`; nullopt before the first.
std::optional<ProgramEvent> LastProgram(const std::vector<Event>& events);

/// `events` of these functions are a session by event_sequence.h, as those of a SessionFile are.

/// What going through all epochs again gives, with recorded times, limits and replies.
struct Replayed {
  Trace entries;        // those that were recorded, in order
  std::string differs;  // the first event that comes out otherwise, or ""
};
/// `gate_of` makes the gate that an epoch ran under of what its program says of it.
using GateOf = std::function<std::unique_ptr<GateSetup>(const nlohmann::ordered_json&)>;
Replayed ReplayAll(const std::vector<Event>& events, const GateOf& gate_of,
                   std::function<bool()> interrupted, std::size_t threads = 1);

/// What differs between two texts of a program, sentence by sentence: `+ …`, `- …`.
std::vector<std::string> ProgramChanges(const std::vector<ProgramFile>& before,
                                        const std::vector<ProgramFile>& after);

class SavedSession {
 public:
  /// Runs on `file`; null replays the `events` alone, and what is new is not kept, or, with
  /// `end`, not made. The agent must outlive this. `options.journal` is set here.
  SavedSession(Agent& agent, SessionOptions options, std::vector<Event> events,
               std::unique_ptr<SessionFile> file, Journal::End end = Journal::End::kLive);

  /// Loads `files` and goes through what is recorded. When they are not the program of the
  /// last epoch a new one begins. Returns the findings; with errors nothing is kept.
  /// A call in doubt is made again when `retry` holds for it. Call once, before the others.
  std::vector<Diagnostic> Start(
      const std::vector<ProgramFile>& files,
      std::function<std::optional<std::string>(const std::string&)> reader,
      const Journal::Retry& retry = nullptr);

  /// The outcome of the last turn of the epoch, after Start.
  const std::optional<Outcome>& last() const { return last_; }
  /// Whether that turn had been cut off, so that Start went on with it and finished it. There
  /// is a last outcome then.
  bool finished_turn() const { return finished_turn_; }
  /// Whether the recording is at its end, where nothing may follow.
  bool over() const { return journal_ != nullptr && journal_->over(); }
  Session& session() { return *session_; }
  Journal& journal() { return *journal_; }

 private:
  Agent& agent_;
  SessionOptions options_;
  std::vector<Event> events_;
  std::unique_ptr<SessionFile> file_;
  Journal::End end_;
  std::unique_ptr<Journal> journal_;
  std::unique_ptr<Session> session_;
  std::optional<Outcome> last_;
  bool finished_turn_ = false;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_SAVED_SESSION_H_
