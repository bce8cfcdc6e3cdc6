// SPDX-License-Identifier: Apache-2.0
//
// The queue of runs in a PostgreSQL database: what is to be done with which session, by whichever
// worker comes first.
//
// A run is one row of `rpl_run`, named as its session in `rpl_session`. Clients append to
// `rpl_input`, numbered within the run; a worker takes a run that is `ready` and due, does a turn
// with the inputs that no turn has taken, and says what state it left the run in:
//
//   ready     a turn is to be done, at `due` or later; also while a worker does it
//   waiting   an answer, a review or a retry must come
//   ended     the goal is decided
//   refused   it cannot be run; `report` says why
//
// A run of /mcp (run_rows.h) is held by the process that its client asked, which does the turn
// itself: that is a claim, too. It is `ready` meanwhile, so that a worker does the turn if that
// process dies.
//
// A claim holds until a time that its worker moves on while it works. A worker that dies leaves a
// run `ready` whose claim runs out, and another takes it: the session's own lease and fencing epoch
// (runtime/postgres/session_rows.h) keep the two apart where the first one is only slow. An input
// may therefore be handed to two turns; a session takes an answer once.
//
// Rows are taken by FOR UPDATE SKIP LOCKED. NOTIFY (Announce) is a hint that spares the wait for
// the next look; nothing rests on it. Every transaction is run again whole on errors that may pass.
// Keys begin with the session; no sequences, no advisory locks.
//
// One thread at a time.
#ifndef RPL_SHELL_SERVE_RUN_QUEUE_H_
#define RPL_SHELL_SERVE_RUN_QUEUE_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/postgres/connection.h"
#include "shell/serve/database_watch.h"

namespace rpl {

/// The channel of NOTIFY for runs that have become ready.
inline constexpr const char* kRunChannel = "rpl_run";

/// A run as its client sees it.
struct QueuedRun {
  std::string session;
  std::string tenant;
  std::string protocol;           // the name of its document
  std::string goal;               // "" for the program's own
  std::string state;              // one of the four above
  std::int64_t given = 0;         // inputs, from 1
  std::int64_t taken = 0;         // those that a turn has taken
  int attempts = 0;               // of the turn that is to be done
  std::string report;             // JSON of the last turn, or ""
  bool working = false;           // a worker has claimed it
  std::chrono::seconds every{0};  // a turn is due so often until the goal is decided; 0: never
  std::int64_t began = 0;         // seconds since 1970
  bool used = false;              // a client has named it
  std::string last_turn;          // another text after each turn; only where it says so

  bool settled() const { return state != "ready" && given == taken; }
};

/// A new run.
struct NewRun {
  std::string session;
  std::string tenant;
  std::string protocol;
  std::string goal;
  std::string key;    // the client's for this request, "" for none: the same key is the same run
  std::string input;  // the first input, or ""
  std::chrono::seconds every{0};
  std::chrono::seconds after{0};  // the first turn is due so long from now
};

/// Limits of one tenant; 0 is no limit.
struct TenantLimits {
  std::int64_t ready = 0;    // runs that wait for a worker or have one: more are refused
  std::int64_t working = 0;  // runs that workers have claimed: more wait
};

/// How long a queue waits for a database that is away.
struct QueuePatience {
  std::chrono::milliseconds tries{60'000};             // from the first try to the last one
  std::optional<std::chrono::milliseconds> most = {};  // for all tries together
  DatabaseWatch* watch = nullptr;                      // borrowed; null: none
};

class RunQueue {
 public:
  /// `version`: of what this process records; it claims runs of the `replays` alone, which should
  /// contain it.
  RunQueue(SqlConnection::Options options, std::string version, std::vector<std::string> replays,
           QueuePatience patience = {});
  RunQueue(const RunQueue&) = delete;

  /// Makes the tables where they are missing.
  SqlError Prepare();
  /// The statements that do that, and give a role of workers no more rights than they need.
  static std::string Schema();

  enum class Taken {
    kNew,
    kAgain,  // the key was used before: the run is that one
    kFull,   // the tenant has as many runs ready as it may
    kNoRun,  // there is no such run
  };
  struct Added {
    Taken taken = Taken::kNoRun;
    QueuedRun run;
    SqlError error;
  };
  /// Adds a run that is ready, now or after a while.
  Added Add(const NewRun& run, const TenantLimits& limits);
  /// Adds an input to a run of the tenant, which makes it ready. The same key, which is not "", is
  /// the same input.
  Added Give(const std::string& session, const std::string& tenant, const std::string& key,
             const std::string& input, const TenantLimits& limits);

  struct Found {
    std::optional<QueuedRun> run;
    SqlError error;
  };
  Found Find(const std::string& session, const std::string& tenant);
  struct Listed {
    std::vector<QueuedRun> runs;  // without reports, the sessions in order
    SqlError error;
  };
  /// The runs of a tenant after `after`, in a state (any if "").
  Listed List(const std::string& tenant, const std::string& state, const std::string& after,
              std::size_t most);

  struct Claim {
    QueuedRun run;
    std::vector<std::pair<std::int64_t, std::string>> inputs;  // numbers, in order
    std::string before = {};                                   // Hold: its state before
  };
  struct Claimed {
    std::optional<Claim> claim;  // nullopt: nothing is ready
    SqlError error;
  };
  /// Takes the run that has been due longest. `owner` is never used by another process, and takes
  /// a run only when it has ended the one before: what it holds is otherwise a claim whose answer
  /// was lost, and is taken again.
  Claimed Take(const std::string& owner, std::chrono::milliseconds lease,
               const TenantLimits& limits);
  /// Adds a run as Add does, but claimed by the owner, if there is none that the key began: a run
  /// that was refused does not count, nor, with `repeat`, one that began longer ago, was used or
  /// has ended.
  /// The run has its `last_turn`.
  Added Begin(const NewRun& run, const std::string& owner, std::chrono::milliseconds lease,
              std::optional<std::chrono::seconds> repeat, const TenantLimits& limits);
  /// Claims one run of a tenant, if nobody has a claim on it. It may be in any state; `ready` from
  /// now on. nullopt with a version: it is one of a version that this process cannot replay.
  struct OneClaimed {
    std::optional<Claim> claim;
    std::string version;
    SqlError error;
  };
  OneClaimed Hold(const std::string& session, const std::string& tenant, const std::string& owner,
                  std::chrono::milliseconds lease, const TenantLimits& limits);
  /// As Find, with its `last_turn`; the run is `used` from now on.
  Found Use(const std::string& session, const std::string& tenant);
  /// The sessions of a tenant that begin so, in order.
  struct Names {
    std::vector<std::string> names;
    SqlError error;
  };
  Names NamesFrom(const std::string& prefix, const std::string& tenant, std::size_t most);
  /// A text that all processes share: `fresh`, if there is none of this name yet.
  SqlError Share(const std::string& name, const std::string& fresh, std::string& shared);

  /// Tells processes that listen that a run is ready.
  SqlError Announce();
  /// The time until the next run is due; nullopt if none is.
  struct NextDue {
    std::optional<std::chrono::milliseconds> wait;
    SqlError error;
  };
  NextDue UntilDue();

  /// Moves the end of the owner's claims on.
  SqlError Renew(const std::string& owner, std::chrono::milliseconds lease);

  /// What a turn left.
  struct Turn {
    std::int64_t taken = 0;  // the last input that it took
    std::string state;
    std::string report;                // JSON; "" keeps the last one
    std::chrono::milliseconds due{0};  // from now, of state `ready`
    bool again = false;                // it was not done: count the attempt
  };
  /// Ends a claim. Inputs that came meanwhile make the run ready, whatever the state. Nothing
  /// changes if the claim ran out and another took the run. `last_turn`, if not null, gets that of
  /// the run.
  SqlError Finish(const std::string& session, const std::string& owner, const Turn& turn,
                  std::string* last_turn = nullptr);
  /// Ends all claims of the owner: the runs are ready for others at once.
  SqlError Release(const std::string& owner);

  struct Count {
    std::string tenant, state;
    std::int64_t runs = 0;
    double oldest = 0;  // seconds for which the first of them has been due; 0 if none is
  };
  struct Counted {
    std::vector<Count> counts;
    SqlError error;
  };
  Counted CountRuns(const std::string& tenant);
  /// Whether the database answers.
  SqlError Ping();

 private:
  SqlConnection::Options Bounded(SqlConnection::Options options);
  SqlError Try(const std::function<SqlError()>& transaction, int tries = 0);
  SqlError Write(const std::function<SqlError()>& transaction);
  // Parts of such a transaction.
  SqlError CheckReady(const std::string& tenant, const std::string& session,
                      const TenantLimits& limits, bool& full);
  SqlError Read(const std::string& sql, const std::vector<SqlValue>& parameters,
                std::optional<QueuedRun>& run);
  SqlError AddInput(const std::string& session, std::int64_t number, const std::string& key,
                    const std::string& input);
  SqlError Insert(const NewRun& run, const std::string& owner, std::chrono::milliseconds lease,
                  std::optional<QueuedRun>& added);
  SqlError InputsOf(Claim& claim);
  bool Settled(const NewRun& run, const TenantLimits& limits, std::optional<QueuedRun>& there,
               Added& out, SqlError& error);

  const QueuePatience patience_;
  std::chrono::steady_clock::time_point until_ = std::chrono::steady_clock::time_point::max();
  SqlConnection database_;
  std::string version_;
  std::string replays_;  // as an array of the server
};

/// The inputs of a claim with their numbers; each was checked when it was given.
std::vector<nlohmann::ordered_json> InputsAsJson(const RunQueue::Claim& claim);

}  // namespace rpl

#endif  // RPL_SHELL_SERVE_RUN_QUEUE_H_
