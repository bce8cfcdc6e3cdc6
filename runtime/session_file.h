// SPDX-License-Identifier: Apache-2.0
//
// The file of a session: the events of its journal in one SQLite database (WAL, full sync).
//
// A table `events` has one row per event, in order: its kind, its body, and a hash over these and
// the previous hash; the only row of `head` has their number and the last hash. So changed, missing
// and swapped events are detected, including at the end. A forger can recompute hashes, so events
// must also follow event_sequence.h, and an anchor (Anchor) that is kept elsewhere shows a forgery.
// The format has a number; files of another format are refused.
//
// A file without write permission, for itself or its folder, can be read, including the `-wal` file
// that a killed process left beside it.
//
// A settled event is on disk, with all events before it; events not settled when the process ends,
// in whatever way, are lost.
//
// There is one writer at a time (kCreate, kOpen). Readers neither block nor are blocked: they see
// the events settled when they opened the file.
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
    kCreate,  // the file must not exist
    kOpen,    // the file must exist
    kRead,    // as kOpen, without Append; the file need not be writable
  };

  /// The result of opening: `file`, or an error for people, with a hint.
  struct Opened {
    std::unique_ptr<SessionFile> file;
    std::string error;
    std::string hint;
  };
  static Opened Open(const std::string& path, Mode mode);
  ~SessionFile();
  SessionFile(const SessionFile&) = delete;

  /// The events at the time of opening, checked against their hashes and the grammar of events.
  const std::vector<Event>& events() const { return events_; }
  /// The damage found after the last of these events, or "".
  const std::string& damage() const { return damage_; }
  /// The number and the hash of the last event, "12:3f…"; "" if there is none. Whoever keeps it
  /// elsewhere can find out later that events before it were rewritten, or the last ones removed,
  /// which hashes in the file itself cannot show.
  std::string Anchor() const;
  /// The reason why the session does not go on from an anchor, for people, or "".
  std::string Departs(const std::string& anchor) const;
  /// Appends an event, and with `settled` commits it to disk. Returns an error message, or "".
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

/// The hash before the first event: 32 zero bytes.
std::string FirstHash();

/// The hash of an event that follows one with `previous`; 32 raw bytes.
std::string EventHash(const std::string& previous, const Event& event);

/// Raw bytes in hexadecimal digits.
std::string Hex(const std::string& bytes);

}  // namespace rpl

#endif  // RPL_RUNTIME_SESSION_FILE_H_
