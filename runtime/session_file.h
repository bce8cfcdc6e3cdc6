// SPDX-License-Identifier: Apache-2.0
//
// The file of a session: the events of its journal in one SQLite database (WAL, full sync).
//
// A table `events` has one row for each event, in order: its kind, its body, and a hash
// over these and the hash before it; a row of `head` has their number and the last hash. So
// a changed, missing or swapped event is seen, at the end too. Hashes can be made anew by
// whoever changes a file, so its events must also be a session by event_sequence.h. The format
// has a number; a file of another one is refused.
//
// What cannot be written (its file or its folder) can be read; what a process that was killed
// left beside it (`-wal`) is taken into account.
//
// Appended events are on disk once one of them is settled; what is not settled when the
// process ends, in whatever way, was never there.
//
// One writer has the file at a time (kCreate, kOpen). Readers are held up by nobody and hold
// up nobody: they see what was settled when they opened it.
#ifndef RPL_RUNTIME_SESSION_FILE_H_
#define RPL_RUNTIME_SESSION_FILE_H_

#include <memory>
#include <string>
#include <vector>

#include "runtime/journal.h"

struct sqlite3;

namespace rpl {

class SessionFile {
 public:
  enum class Mode {
    kCreate,  // an error when there is a file
    kOpen,    // an error when there is none
    kRead,    // as kOpen, and nothing will be appended; it need not be writable
  };

  /// What became of opening: `file`, or why not, for people, and a hint.
  struct Opened {
    std::unique_ptr<SessionFile> file;
    std::string error;
    std::string hint;
  };
  static Opened Open(const std::string& path, Mode mode);
  ~SessionFile();
  SessionFile(const SessionFile&) = delete;

  /// The events of the file as it was opened, each checked against its hash, and all of them
  /// against the grammar of events.
  const std::vector<Event>& events() const { return events_; }
  /// Why the events are not what was written, or "". Events before it are sound.
  const std::string& damage() const { return damage_; }
  /// Keeps an event, and with `settled` makes sure of it. What went wrong, or "".
  std::string Append(const Event& event, bool settled);

 private:
  class WriterLock;

  SessionFile(sqlite3* db, std::unique_ptr<WriterLock> lock);

  static Opened OpenAt(const std::string& name, int flags, Mode mode,
                       std::unique_ptr<WriterLock> lock, int& code);
  static Opened OpenToRead(const std::string& path);
  static Opened OpenCopy(const std::string& path);

  std::string Run(const char* sql);
  std::string Error() const;
  std::string BeginWriting();
  std::string Prepare(Mode mode);
  std::string Load();

  std::unique_ptr<WriterLock> lock_;  // null: a reader
  sqlite3* db_;
  std::vector<Event> events_;
  std::string damage_;
  std::string hash_;  // of the last event, raw bytes
  std::size_t count_ = 0;
  bool writing_ = false;  // a transaction is open
};

/// What the first event follows: 32 zeros.
std::string FirstHash();

/// The hash of an event that follows one with `previous`; 32 raw bytes.
std::string EventHash(const std::string& previous, const Event& event);

/// Raw bytes in hexadecimal digits.
std::string Hex(const std::string& bytes);

}  // namespace rpl

#endif  // RPL_RUNTIME_SESSION_FILE_H_
