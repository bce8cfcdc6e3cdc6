// SPDX-License-Identifier: Apache-2.0
//
// The session behind the shell: documents and entries, which can be taken back.
//
// A program only grows (§18.2), but a person makes mistakes: an entry whose evaluation was
// cancelled or met a limit, or that has errors, is *taken back*, as if it had not been made;
// so the shell stays usable after a rule that never ends. Taking back, like loading a changed
// document, makes a new session from the parts that stand, in their order, and the replies so
// far, so that nobody is asked again and no tool is called again.
//
// With a file the session lasts, as that of `rpl run --session` does: each such new beginning
// is an epoch of the file.
#ifndef RPL_SHELL_REPL_SESSION_H_
#define RPL_SHELL_REPL_SESSION_H_

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "interp/eval/profile.h"
#include "runtime/journal.h"
#include "runtime/session.h"
#include "runtime/session_file.h"
#include "shell/repl/entry.h"

namespace rpl {

class ReplSession {
 public:
  /// The agent must outlive this.
  ReplSession(Agent& agent, SessionOptions options) : agent_(agent), options_(std::move(options)) {
    options_.profile = &profile_;
  }
  ReplSession(const ReplSession&) = delete;

  /// What became of a change: findings about documents, and how the timestep went that took
  /// them in. When `taken` is false, all is as before.
  struct Change {
    bool taken = true;
    std::string error;  // of a file that cannot be read, or of the session's file
    std::vector<Diagnostic> findings;
    Sources sources;  // of the findings
    Outcome outcome;
  };

  /// Begins with these documents. REQUIRES: called once, before what follows; or Resume.
  Change Begin(std::vector<ProgramFile> documents);
  /// Begins with what the session in `file` holds. Its documents are read again, and are these
  /// when there are any.
  Change Resume(std::unique_ptr<SessionFile> file, std::vector<ProgramFile> documents);
  /// Keeps what comes in `file`, a new one. REQUIRES: before Begin.
  void KeepIn(std::unique_ptr<SessionFile> file) { file_ = std::move(file); }

  /// Takes an entry in. `taken` is false when what it asserts was taken back.
  Change Say(const Entry& entry);
  /// Pursues the program's goals (Session::Run).
  Outcome Run();
  /// One timestep of that (Session::Step).
  std::optional<Outcome> Step();

  /// Loads a document, or a new text of it; `name` may be a FactsName.
  Change Load(const std::string& name);
  /// Reads the documents again.
  Change Reload();
  /// What the last entry asserted that can be taken back, as entered, or "".
  std::string LastEntry() const;
  /// Takes back the last entry that asserted something; nullopt when there is none.
  std::optional<Change> TakeBack();

  /// From here on the lines of the session's log go to `log`; it may be empty.
  void SetLog(LogSink log);
  /// From here on these hold.
  void SetLimits(const SessionLimits& limits);
  void SetAnswerForms(AnswerForms forms);

  /// What the last Say, Run or Step did.
  struct Profiled {
    Profile profile;
    Sources sources;     // of what it tells
    bool stands = true;  // the session is still the one that did it
  };
  const Profiled& profiled() const { return profiled_; }

  Session& session() { return *session_; }
  const Session& session() const { return *session_; }
  /// Documents, and the novelty of entries (named "<entry …"), in order.
  const std::vector<ProgramFile>& parts() const { return parts_; }
  /// The number of the next entry, and that it was made.
  int NextEntry() const { return entries_ + 1; }
  void CountEntry() { ++entries_; }
  /// Why what comes is not kept in the file any more, or "".
  std::string Broken() const { return journal_ != nullptr ? journal_->broken() : ""; }

  static bool IsEntry(const ProgramFile& part) { return part.name.starts_with("<entry "); }

 private:
  std::vector<Diagnostic> Start(const std::vector<ProgramFile>& parts, const Trace& replies);
  void BeginEpoch(std::vector<Event> recorded, std::span<const Event> earlier,
                  const ProgramEvent& program);
  Outcome Settle();
  Trace Replies() const;
  Change Exchange(std::vector<ProgramFile> parts);
  Change ReadAgain(std::vector<ProgramFile> parts);
  void GoBack(bool asserted);
  void KeepProfile();
  void SetReader();

  Agent& agent_;
  SessionOptions options_;
  Profile profile_;  // counts all that the session does
  Profiled profiled_;
  std::unique_ptr<SessionFile> file_;
  std::vector<Event> events_;  // of the file, with those that were told since
  std::unique_ptr<Journal> journal_;
  std::unique_ptr<Session> session_;
  LogSink log_;
  std::vector<ProgramFile> parts_;
  Trace replies_;  // the trace that the session began with
  int entries_ = 0;
};

}  // namespace rpl

#endif  // RPL_SHELL_REPL_SESSION_H_
