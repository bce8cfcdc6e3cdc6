// SPDX-License-Identifier: Apache-2.0
//
// The session of the shell: documents and entries, with the ability to take entries back.
//
// A program only grows (§18.2), but a person makes mistakes: an entry with errors, or whose
// evaluation was cancelled or reached a limit, is *taken back*, as if it had not been made, so the
// shell stays usable after a rule that does not terminate. Taking back, like loading a changed
// document, creates a new session from the remaining parts, in their order, and the replies so far,
// so that no question is asked and no tool called again.
//
// With a file the session persists, as with `rpl run --session`; each such restart begins an epoch
// of the file.
#ifndef RPL_SHELL_REPL_SESSION_H_
#define RPL_SHELL_REPL_SESSION_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/record/journal.h"
#include "runtime/run/session.h"
#include "shell/repl/entry.h"

namespace rpl {

class Profile;
class SessionStore;
struct GateSetup;

/// The session. Order of calls: SetGate and KeepIn, if used, then Begin or Resume once, then all
/// others.
class ReplSession {
 public:
  /// Borrows the agent. `by`: who writes the entries.
  ReplSession(Ports ports, SessionOptions options);
  ~ReplSession();
  ReplSession(const ReplSession&) = delete;

  /// The result of a change: findings about documents, and the outcome of the timestep that took
  /// them in. If `taken` is false, the session is as before.
  struct Change {
    bool taken = true;
    std::string error;  // of a file of the program or of the session
    std::vector<Diagnostic> findings;
    Sources sources;  // of the findings
    Outcome outcome;
  };

  /// The guard of all calls. Borrowed; null: none.
  void SetGate(GateSetup* gate) { options_.gate = gate; }
  /// Begins with these documents.
  Change Begin(std::vector<ProgramFile> documents);
  /// Begins with the contents of the session in `file`. Its documents are read again, or replaced
  /// by these if there are any.
  Change Resume(std::unique_ptr<SessionStore> store, std::vector<ProgramFile> documents);
  /// Stores the session in `file`, which is new.
  void KeepIn(std::unique_ptr<SessionStore> store);

  /// Takes an entry in. `taken` is false if its assertions were taken back.
  Change Say(const Entry& entry);
  /// Pursues the program's goals (Session::Run).
  Outcome Run();
  /// Executes one timestep of that (Session::Step).
  std::optional<Outcome> Step();

  /// Loads a document, or its new text; `name` may be a FactsName.
  Change Load(const std::string& name);
  /// Reads all documents again; one that cannot be read keeps its text.
  Change Reload();
  /// The last entry that can be taken back, as entered, or "".
  std::string LastEntry() const;
  /// Takes back the last entry with assertions; nullopt if there is none.
  std::optional<Change> TakeBack();

  /// From here on the lines of the session's log go to `log`; it may be empty.
  void SetLog(LogSink log);
  /// From here on these hold.
  void SetLimits(const SessionLimits& limits);
  /// The forms in which answers are produced.
  void SetAnswerForms(AnswerForms forms);

  /// The profile of the last Say, Run or Step.
  struct Profiled {
    std::unique_ptr<const Profile> profile;  // null before the first
    Sources sources;                         // those of its spans
    bool stands = true;  // true while session() is the session that was profiled
  };
  /// The profile of the last Say, Run or Step.
  const Profiled& profiled() const { return profiled_; }

  /// The current session, which a change may replace. REQUIRES: Begin or Resume was called.
  Session& session() { return *session_; }
  const Session& session() const { return *session_; }
  /// The documents and the novelty of entries (named "<entry …"), in order.
  const std::vector<ProgramFile>& parts() const { return parts_; }
  /// The number of the next entry; CountEntry advances it.
  int NextEntry() const { return entries_ + 1; }
  void CountEntry() { ++entries_; }
  /// The reason why the file no longer records the session, or "".
  std::string Broken() const { return journal_ != nullptr ? journal_->broken() : ""; }

  /// What the entries of the last epoch assert, in order. The program of the next epoch has it.
  static std::vector<ProgramFile> EntriesOf(std::span<const Event> events);
  /// True for the novelty of an entry, false for a document.
  static bool IsEntry(const ProgramFile& part) { return part.name.starts_with("<entry "); }

 private:
  /// Replaces the session by a new one with these parts and replies; with a file, begins an epoch.
  std::vector<Diagnostic> Start(const std::vector<ProgramFile>& parts, const Trace& replies);
  void BeginEpoch(std::vector<Event> recorded, std::span<const Event> earlier,
                  const ProgramEvent& program);
  /// Runs the timestep that takes the parts in.
  Outcome Settle();
  /// The trace of all epochs. Without a file their timesteps are counted on here.
  Trace SoFar() const;
  /// The timestep of the last entry of SoFar.
  int LastEntryAt() const;
  /// Start and Settle, and a return to the previous parts if one of them fails. `undone`: the
  /// timestep from which on the entries of the trace, but for answers, no longer count.
  Change Exchange(std::vector<ProgramFile> parts, std::optional<int> undone = std::nullopt);
  /// Notes that the entries of the trace from this timestep up to now are undone.
  void Undo(int since);
  Change ReadAgain(std::vector<ProgramFile> parts);
  /// Restores the session after a turn that was cut off, or whose entry, from this timestep on,
  /// must be removed.
  void GoBack(std::optional<int> undone);
  void KeepProfile();
  void SetReader();

  Ports ports_;
  SessionOptions options_;
  std::unique_ptr<GateSetup> recorded_gate_;  // of the epoch that Resume replays, if it had another
  std::unique_ptr<Profile> profile_;          // collects everything that the session does
  Profiled profiled_;
  std::unique_ptr<SessionStore> store_;
  std::vector<Event> events_;  // of the file, including those added since
  std::unique_ptr<Journal> journal_;
  std::unique_ptr<Session> session_;
  LogSink log_;
  std::vector<ProgramFile> parts_;
  Trace so_far_;                      // without a file: the trace of the epochs before
  Undone undone_;                     // of all epochs
  std::map<std::string, int> began_;  // entries that assert, with their first timesteps
  int entries_ = 0;
};

}  // namespace rpl

#endif  // RPL_SHELL_REPL_SESSION_H_
