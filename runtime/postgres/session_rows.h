// SPDX-License-Identifier: Apache-2.0
//
// A session in PostgreSQL: a row of `rpl_session`, and a row of `rpl_event` for each event.
//
//   rpl_session(session, format, epoch, owner, lease_until, events, hash, …)  PRIMARY KEY (session)
//   rpl_event(session, sequence, kind, body, hash)                  PRIMARY KEY (session, sequence)
//
// `events` and `hash` are the end of the chain (runtime/record/event_chain.h). A session has a
// format number; others are refused.
//
// **The lease.** A writer takes a lease: it counts `epoch` up, and has the session until
// `lease_until` by the clock of the database. Every append renews the lease, and so does a thread
// of its own while a long call runs. Who ends in order gives it back; after a kill it runs out, and
// the next writer then takes it over. Until then that one is told "another process has this session
// open". The name of an owner is random and never used again, so nobody mistakes the lease of a
// predecessor for its own.
//
// **The fence.** Each append is one statement, which inserts events only where the row still has
// the epoch of this writer and the number of events that it knows. So a writer that was replaced
// unknowingly (its process was stopped for a minute) writes nothing more: Append says so, and
// whatever the event announces is not done.
//
// **Failures.** Every transaction is run again, whole, as SqlConnection::WithRetry says. Where the
// answer to an append was lost, the hash of its last event tells whether it took effect.
//
// Events that are not settled are held here, and go in the statement of the settled one. Readers
// see one snapshot. The keys begin with the session, and neither SERIAL, sequences nor advisory
// locks are used, so that a distributed relative of PostgreSQL can spread the tables.
#ifndef RPL_RUNTIME_POSTGRES_SESSION_ROWS_H_
#define RPL_RUNTIME_POSTGRES_SESSION_ROWS_H_

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "runtime/postgres/connection.h"
#include "runtime/record/session_store.h"

namespace rpl {

/// The format of the tables and of the events in them.
inline constexpr int kRowsFormat = 1;
inline constexpr int kRowsFormatOfModels = 2;  // with attempts of models

class SessionRows : public SessionStore {
 public:
  struct Options {
    SqlConnection::Options connection;
    std::string session;
    std::chrono::milliseconds lease{30'000};
    RetryLimits opening{std::chrono::milliseconds(10'000)};
    RetryLimits writing{std::chrono::milliseconds(60'000)};
  };

  /// Opens by a URL. Makes the tables where there are none and the role may do so.
  static Opened Open(const std::string& url, Mode mode, std::function<bool()> interrupted);
  static Opened Open(Options options, Mode mode);
  /// Gives the lease back.
  ~SessionRows() override;

  std::string Append(const Event& event, bool settled) override;

 private:
  explicit SessionRows(Options options);

  // These load the session. A refusal goes to `refused`, any other failure is returned.
  SqlError Read(Opened& refused);
  SqlError Take(Mode mode, Opened& refused);
  SqlError TakeOnce(Mode mode, Opened& refused);
  SqlError Load(std::int64_t format, std::int64_t events, const std::string& hash, Opened& refused);
  SqlError AppendPending();
  SqlError FindFate(std::int64_t last);
  void RenewLease();
  void Beat();

  Options options_;
  SqlConnection connection_;
  std::string owner_;
  std::int64_t epoch_ = 0;  // of our lease; 0: a reader
  std::int64_t events_stored_ = 0;
  std::vector<Event> pending_;       // not settled yet
  std::vector<std::string> hashes_;  // theirs
  std::string failed_;               // why nothing more can be appended, or ""

  std::thread heart_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::atomic<bool> ending_ = false;
  std::atomic<bool> fenced_ = false;
  std::atomic<std::int64_t> renewed_ = 0;  // when an append last renewed the lease, steady, ms
};

/// A session in a list, in the order of their names.
struct ListedSession {
  std::string session;
  std::int64_t events;
  std::string changed;  // the time of the last append, UTC, 2026-01-02T03:04:05Z
  std::string owner;    // who has it open, or ""
};
struct SessionList {
  std::vector<ListedSession> sessions;
  std::string error;
};
/// The sessions of a database that have events. `url` may name a database alone.
SessionList ListSessions(const std::string& url, std::function<bool()> interrupted);

/// The statements that make the tables, as they are run at first use, one after the other.
std::vector<std::string> SessionTables();
/// A script for an administrator: the tables, and roles for workers and for readers.
std::string SessionSchema();

}  // namespace rpl

#endif  // RPL_RUNTIME_POSTGRES_SESSION_ROWS_H_
