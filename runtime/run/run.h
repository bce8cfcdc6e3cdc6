// SPDX-License-Identifier: Apache-2.0
//
// An open run: a program, its settings and the ports to the outside, until it is closed. Commands,
// servers, editors, tests and the library open their runs here.
//
// Opening loads the program, replays what its session recorded of it, and sets the goal. A run that
// cannot go on is opened nevertheless, with the reason, so that its findings can be shown; it takes
// no turns.
#ifndef RPL_RUNTIME_RUN_RUN_H_
#define RPL_RUNTIME_RUN_RUN_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/diagnostic.h"
#include "runtime/outcome.h"
#include "runtime/record/journal.h"
#include "runtime/record/session_store.h"
#include "runtime/run/session.h"
#include "runtime/session_options.h"

namespace rpl {

class SavedSession;

/// The record of a run: its events, and the store of new ones. Without a store the last epoch is
/// replayed and nothing new is kept.
struct Recording {
  std::vector<Event> events;
  std::unique_ptr<SessionStore> store = nullptr;
};

/// What is to be run, and how.
struct RunSpec {
  std::vector<ProgramFile> files = {};  // the program, by the names that the record has
  FileReader reader = nullptr;          // of file namespaces (§17.7); null: there are none
  /// Whether messages may name files, too, or only the program.
  bool messages_read = true;
  SessionOptions options = {};           // borrows the gate and the profile
  std::optional<Recording> record = {};  // nullopt: the run is not recorded
  Journal::Retry retry = nullptr;        // calls in doubt that are made again
  std::optional<std::string> goal = {};  // "": those of the program; nullopt: none is needed
};

/// Why a run cannot go on.
enum class Unopened {
  kNot,        // it can
  kRejected,   // the program has errors: see the findings
  kBroken,     // the record cannot be replayed: see Run::broken
  kNoGoals,    // the program has no goal
  kNoSuchGoal  // none of the name of RunSpec::goal
};

class Run {
 public:
  struct Opened {
    std::unique_ptr<Run> run;  // never null
    std::vector<Diagnostic> findings;
    Unopened why = Unopened::kNot;
    explicit operator bool() const { return why == Unopened::kNot; }
  };
  /// Opens a run. Borrows what is behind the ports. Unless its options name others, a run sees the
  /// calls of a host that its store has.
  static Opened Open(Ports ports, RunSpec spec);
  /// The state that the events end with, to ask about and to try turns on; files of the program are
  /// those that were recorded. REQUIRES: they have a program. Ignores `files`, `reader` and
  /// `record` of the spec.
  static Opened Read(Ports ports, const std::vector<Event>& events, RunSpec spec);
  ~Run();

  /// Pursues the goal until it is decided or waits.
  const Outcome& Turn();
  /// One timestep of that; nullopt while there is more to do (Session::Step).
  std::optional<Outcome> Step();
  /// Takes in a message (Session::Say).
  Outcome Say(const std::string& name, std::string text, By by = By::kProgram);
  /// The outcome of the last turn; null if there was none.
  const Outcome* last() const { return last_ ? &*last_ : nullptr; }
  /// That outcome, if the turn pursued this goal of this program to its end and another would only
  /// repeat it, unless something is answered; else null. A run that read sources may find others,
  /// and one that sees the calls of a host more of them.
  const Outcome* Standing() const;
  /// Whether nothing is left to be run: the goal is satisfied, or opening finished a turn that had
  /// been cut off, to the same end.
  bool IsOver() const;
  /// Why the record does not go on, or "": the run must be closed.
  std::string broken() const;
  /// Whether it is because another version of the program `rpl` wrote it.
  bool differs() const;
  /// Whether a command was started for the call in a run that was cut off.
  bool InDoubt(const std::string& call) const;

  /// For reading: the trace, the program, explanations. Turns are the run's.
  Session& session() { return *session_; }
  const Session& session() const { return *session_; }

 private:
  Run() = default;
  void Took(bool pursued);

  std::unique_ptr<SavedSession> saved_;  // null: not recorded
  std::unique_ptr<Session> own_;         // if so
  Session* session_ = nullptr;           // one of the two
  HostDescription* host_ = nullptr;
  std::int64_t seen_ = 0;  // the entry of the host's log that the last turn saw
  std::optional<Outcome> last_;
  bool pursued_ = false;   // the last turn pursued the goal of this run
  bool finished_ = false;  // opening finished that turn
};

}  // namespace rpl

#endif  // RPL_RUNTIME_RUN_RUN_H_
