// SPDX-License-Identifier: Apache-2.0
//
// A session with a store, from which it can be continued.
//
// The events of the store form epochs; each begins with the program that it runs. Continuing with
// the same program replays the last epoch, with the recorded times and replies, and goes on from
// there. A changed program begins a new epoch (schema novelty, §18.3): the new text is loaded
// together with the trace so far, so that nothing is asked twice. Goals are evaluated again, and
// the numbering of timesteps continues.
#ifndef RPL_RUNTIME_RUN_SAVED_SESSION_H_
#define RPL_RUNTIME_RUN_SAVED_SESSION_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/record/journal.h"
#include "runtime/record/session_store.h"
#include "runtime/run/session.h"

namespace rpl {

/// The program of the last epoch in `events`; nullopt before the first.
std::optional<ProgramEvent> LastProgram(const std::vector<Event>& events);

/// REQUIRES of these functions: `events` follow event_sequence.h, as those of a SessionStore do.

/// The result of replaying all epochs with the recorded times, limits and replies.
struct Replayed {
  Trace entries;        // the recorded ones, in order
  std::string differs;  // the first event that differs from the recording, or ""
};
/// `gate_of` restores the gate of an epoch from the record in its program event.
using GateOf = std::function<std::unique_ptr<GateSetup>(const nlohmann::ordered_json&)>;
/// `reader` reads sources that were recorded as queries; null: they cannot be read. `host`: the
/// calls of a host that lie beside the events; null: there are none.
Replayed ReplayAll(const std::vector<Event>& events, const GateOf& gate_of,
                   std::function<bool()> interrupted, std::size_t threads = 1,
                   SourceAccess* reader = nullptr, HostDescription* host = nullptr);

/// The differences between two versions of a program, sentence by sentence: `+ …`, `- …`.
std::vector<std::string> ProgramChanges(const std::vector<ProgramFile>& before,
                                        const std::vector<ProgramFile>& after);

class SavedSession {
 public:
  /// Runs on `store`; null replays the `events` alone: new events are not stored, or, with `end`,
  /// do not happen. Borrows what is behind the ports. Sets `options.journal`.
  SavedSession(Ports ports, SessionOptions options, std::vector<Event> events,
               std::unique_ptr<SessionStore> store, Journal::End end = Journal::End::kLive);

  /// Loads `files` and replays the last epoch; if its program differs from them, begins a new one.
  /// Returns the findings; with errors, nothing is stored. Calls in doubt for which `retry` holds
  /// are made again. The next run pursues the goal of the last one (LastGoal), if the program has
  /// it. Call once, before the others.
  std::vector<Diagnostic> Start(const std::vector<ProgramFile>& files, FileReader reader,
                                const Journal::Retry& retry = nullptr);

  /// The outcome of the last turn of the epoch, after Start.
  const std::optional<Outcome>& last() const { return last_; }
  /// Whether that turn had been cut off and Start finished it. Then there is a last outcome.
  bool finished_turn() const { return finished_turn_; }
  /// Whether the recording has ended and nothing may follow.
  bool over() const { return journal_ != nullptr && journal_->over(); }
  /// Why nothing more is recorded (Journal::broken), or "".
  std::string broken() const { return journal_ != nullptr ? journal_->broken() : ""; }
  Session& session() { return *session_; }
  Journal& journal() { return *journal_; }

 private:
  Ports ports_;
  SessionOptions options_;
  std::vector<Event> events_;
  std::unique_ptr<SessionStore> store_;
  Journal::End end_;
  std::unique_ptr<Journal> journal_;
  std::unique_ptr<Session> session_;
  std::optional<Outcome> last_;
  bool finished_turn_ = false;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_RUN_SAVED_SESSION_H_
