// SPDX-License-Identifier: Apache-2.0
//
// The place where the events of a session are kept: a file (session_file.h), or rows of a database
// (runtime/postgres/session_rows.h). OpenSession (runtime/postgres/open_session.h) opens either by
// its name.
//
// Promises of every store: a settled event is kept, with all events before it, once Append has
// returned ""; events that are not settled when the process ends, in whatever way, are lost. There
// is one writer at a time, and the events of a writer that was replaced are refused. Readers
// neither block nor are blocked: they see the events settled when they opened the store.
#ifndef RPL_RUNTIME_RECORD_SESSION_STORE_H_
#define RPL_RUNTIME_RECORD_SESSION_STORE_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/record/event_chain.h"
#include "runtime/record/journal.h"

namespace rpl {

class HostCalls;  // runtime/host/host_calls.h

class SessionStore {
 public:
  enum class Mode {
    kCreate,    // there must be no session of this name
    kOpen,      // there must be one
    kContinue,  // kOpen if there is one, else kCreate
    kRead,      // as kOpen, without Append; the right to read is enough
  };

  /// The result of opening: `store`, or an error for people, with a hint.
  struct Opened {
    std::unique_ptr<SessionStore> store;
    std::string error;
    std::string hint;
    bool busy = false;  // another process has it open
  };

  SessionStore() = default;
  SessionStore(const SessionStore&) = delete;
  /// Ends the session's use by this writer. Events that are not settled are lost.
  virtual ~SessionStore() = default;

  /// The calls of a host, whose log lies beside the events; null if there is none. `begins`: makes
  /// one, where the store can have it. REQUIRES: then it is not kRead.
  virtual HostCalls* host(bool /*begins*/ = false) { return nullptr; }
  /// Runs `work`, which adds to that log, in one transaction: what it added is on disk if it
  /// returns
  /// "", and nothing of it otherwise. Returns its result, or why it could not be stored.
  virtual std::string Transact(const std::function<std::string()>&) {
    return "sessions in a database keep no calls of a host";
  }

  /// The events at the time of opening, checked against their hashes and the grammar of events.
  const std::vector<Event>& events() const { return chain_.events(); }
  /// The damage found after the last of these events, or "".
  const std::string& damage() const { return chain_.damage(); }
  /// The number and the hash of the last event, "12:3f…"; "" if there is none. Whoever keeps it
  /// elsewhere can find out later that events before it were rewritten, or the last ones removed,
  /// which hashes in the store itself cannot show.
  std::string Anchor() const { return chain_.Anchor(); }
  /// What tells it from a copy: its absolute path, or the URL of its database; "" if it was not
  /// opened by its name.
  const std::string& place() const { return place_; }
  void SetPlace(std::string place) { place_ = std::move(place); }
  /// The reason why the session does not go on from an anchor, for people, or "".
  std::string Departs(const std::string& anchor) const { return chain_.Departs(anchor); }
  /// Appends an event, and with `settled` commits it. Returns an error message, or ""; after an
  /// error nothing more may be appended, and nothing that the event announces may be done.
  /// REQUIRES: not kRead, and no damage.
  virtual std::string Append(const Event& event, bool settled) = 0;

 protected:
  EventChain chain_;

 private:
  std::string place_;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_RECORD_SESSION_STORE_H_
