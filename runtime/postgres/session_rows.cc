// SPDX-License-Identifier: Apache-2.0
#include "runtime/postgres/session_rows.h"

#include <fmt/format.h>
#include <sodium.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "runtime/postgres/database_url.h"

namespace rpl {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kAnswerMost{15'000};
constexpr milliseconds kGiveBackMost{2'000};
/// How often an opening is begun anew because somebody else made the tables or the session.
constexpr int kOpeningTries = 5;

constexpr const char* kNoSession = "no such session";
constexpr const char* kTaken = "another process has taken over this session, whose lease was over";
constexpr const char* kNoTables = "42P01";
constexpr const char* kNoPermission = "42501";

constexpr const char* kTakeLease =
    "UPDATE rpl_session SET epoch = epoch + 1, owner = $2::text,"
    " lease_until = now() + $3::bigint * interval '1 millisecond'"
    " WHERE session = $1::text AND (lease_until <= now() OR owner = $2::text)"
    " RETURNING epoch, events, hash, format";
constexpr const char* kReadLease =
    "SELECT owner, ceil(extract(epoch FROM lease_until - now()))::bigint, events FROM rpl_session"
    " WHERE session = $1::text";
constexpr const char* kBegin =
    "INSERT INTO rpl_session (session, format, epoch, owner, lease_until, events, hash, changed)"
    " VALUES ($1::text, $4::int, 1, $2::text, now() + $3::bigint * interval '1 millisecond', 0,"
    " $5::bytea, now()) ON CONFLICT DO NOTHING RETURNING epoch, events, hash, format";
constexpr const char* kReadHead =
    "SELECT events, hash, format FROM rpl_session WHERE session = $1::text";
constexpr const char* kReadEvents =
    "SELECT sequence, kind, body, hash FROM rpl_event WHERE session = $1::text ORDER BY sequence";
constexpr const char* kAppend =
    "WITH head AS (UPDATE rpl_session SET events = $4::bigint, hash = $5::bytea, changed = now(),"
    " lease_until = now() + $9::bigint * interval '1 millisecond',"
    " format = greatest(format, $10::int)"
    " WHERE session = $1::text AND epoch = $2::bigint AND events = $3::bigint RETURNING session)"
    " INSERT INTO rpl_event (session, sequence, kind, body, hash)"
    " SELECT head.session, $3::bigint + added.number, added.kind, added.body, added.hash"
    " FROM head, unnest($6::text[], $7::text[], $8::bytea[])"
    " WITH ORDINALITY AS added(kind, body, hash, number)";
constexpr const char* kFate =
    "SELECT s.epoch, s.events, e.hash FROM rpl_session s LEFT JOIN rpl_event e"
    " ON e.session = s.session AND e.sequence = $2::bigint WHERE s.session = $1::text";
constexpr const char* kRenew =
    "UPDATE rpl_session SET lease_until = now() + $3::bigint * interval '1 millisecond'"
    " WHERE session = $1::text AND epoch = $2::bigint";
constexpr const char* kGiveBack =
    "UPDATE rpl_session SET lease_until = now(), owner = ''"
    " WHERE session = $1::text AND epoch = $2::bigint AND owner = $3::text";
constexpr const char* kList =
    "SELECT session, events, to_char(changed AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'),"
    " CASE WHEN lease_until > now() THEN owner ELSE '' END FROM rpl_session WHERE events > 0"
    " ORDER BY session COLLATE \"C\"";

std::int64_t NowInMilliseconds() {
  return std::chrono::duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}

// HOST:PROCESS:RANDOM; the first two are for people.
std::string NewOwner() {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  std::string random(16, '\0');
  randombytes_buf(random.data(), random.size());
  return fmt::format("{}:{}:{}", host, getpid(), Hex(random));
}

// "process 12 on HOST".
std::string OwnerForPeople(const std::string& owner) {
  const std::size_t random = owner.rfind(':');
  const std::size_t process =
      random == owner.npos || random == 0 ? owner.npos : owner.rfind(':', random - 1);
  if (process == owner.npos) return "";
  return fmt::format("process {} on {}", owner.substr(process + 1, random - process - 1),
                     owner.substr(0, process));
}

std::string OtherFormat(std::int64_t format) {
  if (format >= kRowsFormat && format <= kRowsFormatOfModels) return "";
  return fmt::format("a session of format {}, which {} rpl wrote; this one reads format {}", format,
                     format > kRowsFormat ? "a newer" : "an older", kRowsFormatOfModels);
}

// Undoes the transaction; the reason is in `refused`.
SqlError Refuse(SessionStore::Opened& refused, std::string error, std::string hint = "") {
  refused.error = std::move(error);
  refused.hint = std::move(hint);
  return {"", refused.error};
}

}  // namespace

// --- opening ------------------------------------------------------------------------------

SessionRows::SessionRows(Options options)
    : options_(std::move(options)), connection_(options_.connection), owner_(NewOwner()) {}

SessionStore::Opened SessionRows::Open(const std::string& url, Mode mode,
                                       std::function<bool()> interrupted) {
  SessionUrl read = SessionUrlOf(url);
  if (read.error.empty() && read.session.empty())
    read.error = "the URL names no session; expected `postgresql://USER@HOST/DATABASE/NAME`";
  if (!read.error.empty()) return {nullptr, read.error, ""};
  Options options;
  options.connection.url = read.database;
  options.connection.answer_most = kAnswerMost;
  options.connection.interrupted = std::move(interrupted);
  options.session = read.session;
  options.lease = read.lease;
  return Open(std::move(options), mode);
}

SessionStore::Opened SessionRows::Open(Options options, Mode mode) {
  Opened out;
  out.error = PrepareHashing();
  if (!out.error.empty()) return out;
  std::unique_ptr<SessionRows> rows(new SessionRows(std::move(options)));
  SqlError error = mode == Mode::kRead ? rows->Read(out) : rows->Take(mode, out);
  if (!out.error.empty()) return out;
  if (error) {
    out.error = error.message;
    if (error.state == kNoPermission)
      out.hint = "`rpl session schema` prints the tables and the rights that a role needs";
    return out;
  }
  if (mode == Mode::kRead) {
    rows->connection_.Close();
  } else {
    rows->RenewLease();
    rows->heart_ = std::thread([self = rows.get()] { self->Beat(); });
  }
  out.store = std::move(rows);
  return out;
}

// Loads the session as one snapshot has it.
SqlError SessionRows::Read(Opened& refused) {
  SqlError error = connection_.WithRetry(options_.opening, [&] {
    return connection_.InTransaction(
        "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", [&]() -> SqlError {
          SqlResult head = connection_.Execute(kReadHead, {options_.session});
          if (head.error) return head.error;
          if (head.rows.size() == 0 || head.rows.Number(0, 0) == 0)
            return Refuse(refused, kNoSession);
          return Load(head.rows.Number(0, 2), head.rows.Number(0, 0), head.rows.Bytes(0, 1),
                      refused);
        });
  });
  if (error.state == kNoTables) refused.error = kNoSession;
  return error;
}

// Takes the lease, and loads the session in the same transaction: from then on it does not change.
SqlError SessionRows::Take(Mode mode, Opened& refused) {
  for (int tries = 1;; ++tries) {
    SqlError error = connection_.WithRetry(options_.opening, [&] {
      return connection_.InTransaction("BEGIN", [&] { return TakeOnce(mode, refused); });
    });
    if (error.state == kNoTables && mode == Mode::kOpen) refused.error = kNoSession;
    const bool again = error.state == kNoTables && mode != Mode::kOpen && tries < kOpeningTries;
    if (!again) return error;
    error = connection_.MakeTables(options_.opening, SessionTables());
    if (error.state == kNoPermission)
      return Refuse(refused,
                    "the database has no tables for sessions, and this role may not make them",
                    "`rpl session schema` prints them, for an administrator");
    if (error) return error;
  }
}

SqlError SessionRows::TakeOnce(Mode mode, Opened& refused) {
  const std::int64_t lease = options_.lease.count();
  SqlResult got = connection_.Execute(kTakeLease, {options_.session, owner_, lease});
  if (!got.error && got.rows.size() == 0) {
    SqlResult held = connection_.Execute(kReadLease, {options_.session});
    if (held.error) return held.error;
    if (held.rows.size() > 0) {
      const std::int64_t left = std::max<std::int64_t>(held.rows.Number(0, 1), 1);
      const std::string owner = OwnerForPeople(std::string(held.rows.Text(0, 0)));
      if (mode == Mode::kCreate && held.rows.Number(0, 2) > 0)
        return Refuse(refused, "there is a session of that name already");
      return Refuse(refused, "another process has this session open",
                    fmt::format("it is {}; if that was killed, its lease ends in {} s",
                                owner.empty() ? "of another kind" : owner, left));
    }
    if (mode == Mode::kOpen) return Refuse(refused, kNoSession);
    got = connection_.Execute(kBegin, {options_.session, owner_, lease, std::int64_t{kRowsFormat},
                                       SqlValue::Binary(FirstHash())});
    // Somebody else has begun it in this moment.
    if (!got.error && got.rows.size() == 0)
      return {"40001", "the session was begun by another process", true};
  }
  if (got.error) return got.error;
  const std::int64_t events = got.rows.Number(0, 1);
  if (mode == Mode::kCreate && events > 0)
    return Refuse(refused, "there is a session of that name already");
  // A process that ends before its first event leaves a row without events.
  if (mode == Mode::kOpen && events == 0) return Refuse(refused, kNoSession);
  epoch_ = got.rows.Number(0, 0);
  return Load(got.rows.Number(0, 3), events, got.rows.Bytes(0, 2), refused);
}

SqlError SessionRows::Load(std::int64_t format, std::int64_t events, const std::string& hash,
                           Opened& refused) {
  if (const std::string error = OtherFormat(format); !error.empty()) return Refuse(refused, error);
  chain_ = EventChain();  // of an earlier try
  bool sound = true;
  SqlError error = connection_.ForEachRow(kReadEvents, {options_.session}, [&](const SqlRows& row) {
    sound = sound && chain_.Load(row.Number(0, 0), std::string(row.Text(0, 1)),
                                 std::string(row.Text(0, 2)), row.Bytes(0, 3));
    return true;
  });
  if (error) return error;
  chain_.EndLoad(events, hash);
  events_stored_ = events;
  return {};
}

// --- appending ----------------------------------------------------------------------------

std::string SessionRows::Append(const Event& event, bool settled) {
  if (!failed_.empty()) return failed_;
  chain_.Add(event);
  pending_.push_back(event);
  hashes_.push_back(chain_.hash());
  if (!settled) return "";
  SqlError error;
  if (fenced_) error.message = kTaken;
  else error = connection_.WithRetry(options_.writing, [&] { return AppendPending(); });
  if (error) return failed_ = error.message;
  events_stored_ += static_cast<std::int64_t>(pending_.size());
  pending_.clear();
  hashes_.clear();
  RenewLease();
  return "";
}

SqlError SessionRows::AppendPending() {
  std::vector<std::string_view> kinds;
  std::vector<std::string_view> bodies;
  std::vector<std::string> hash_texts;
  for (const Event& event : pending_) {
    kinds.push_back(EventName(event.kind));
    bodies.push_back(event.body);
  }
  for (const std::string& hash : hashes_) hash_texts.push_back(SqlBytes(hash));
  const bool models = std::ranges::any_of(
      pending_, [](const Event& event) { return event.kind == Event::Kind::kAttempt; });
  const std::int64_t format = models ? kRowsFormatOfModels : kRowsFormat;
  const auto last = events_stored_ + static_cast<std::int64_t>(pending_.size());
  const SqlResult result = connection_.Execute(
      kAppend, {options_.session, epoch_, events_stored_, last, SqlValue::Binary(chain_.hash()),
                SqlArray(kinds), SqlArray(bodies), SqlArray({hash_texts.begin(), hash_texts.end()}),
                std::int64_t{options_.lease.count()}, format});
  if (result.error) return result.error;
  return result.rows.affected() == pending_.size() ? SqlError() : FindFate(last);
}

// After an append that found another state of the session than it expected: either an earlier try,
// whose answer was lost, took effect, or somebody else has the session now.
SqlError SessionRows::FindFate(std::int64_t last) {
  const SqlResult now = connection_.Execute(kFate, {options_.session, last});
  if (now.error) return now.error;
  if (now.rows.size() == 0) return {"", "the session was removed from the database"};
  if (now.rows.Number(0, 0) != epoch_) {
    fenced_ = true;
    return {"", kTaken};
  }
  if (now.rows.Number(0, 1) == last && now.rows.Bytes(0, 2) == chain_.hash()) return {};
  return {"", fmt::format("the session has {} events, expected {}: it was changed by other means",
                          now.rows.Number(0, 1), events_stored_)};
}

// --- the lease ----------------------------------------------------------------------------

void SessionRows::RenewLease() { renewed_ = NowInMilliseconds(); }

// Renews the lease while no append does, over a connection of its own, which lasts as long as one
// statement: calls may take hours, and a database has few connections.
void SessionRows::Beat() {
  const milliseconds pause = options_.lease / 4;
  SqlConnection::Options options;
  options.url = options_.connection.url;
  options.connect_most = options.answer_most = pause;
  options.interrupted = [this] { return ending_.load(); };
  std::unique_lock lock(mutex_);
  while (!ending_ && !fenced_) {
    wake_.wait_for(lock, pause);
    if (ending_ || NowInMilliseconds() - renewed_ < pause.count()) continue;
    lock.unlock();
    const SqlConnection::Opened opened = SqlConnection::Open(options);
    if (opened.connection != nullptr) {
      const SqlResult result = opened.connection->Execute(
          kRenew, {options_.session, epoch_, std::int64_t{options_.lease.count()}});
      // An error may pass: there are three more beats before the lease ends.
      if (!result.error && result.rows.affected() == 0) fenced_ = true;
      if (!result.error) RenewLease();
    }
    lock.lock();
  }
}

SessionRows::~SessionRows() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  if (heart_.joinable()) heart_.join();
  // Without a connection nothing is lost but time: the lease runs out. The owner is compared
  // because an opening that was rolled back has an epoch that is another's by now.
  if (epoch_ == 0 || fenced_ || !connection_.is_open()) return;
  connection_.SetAnswerMost(kGiveBackMost);
  connection_.Execute(kGiveBack, {options_.session, epoch_, owner_});
}

// --- the database -------------------------------------------------------------------------

SessionList ListSessions(const std::string& url, std::function<bool()> interrupted) {
  SessionList out;
  const SessionUrl read = SessionUrlOf(url);
  out.error = read.error;
  if (out.error.empty() && !read.session.empty())
    out.error = "expected the URL of a database, `postgresql://USER@HOST/DATABASE`";
  if (!out.error.empty()) return out;
  SqlConnection::Options options;
  options.url = read.database;
  options.answer_most = kAnswerMost;
  options.interrupted = std::move(interrupted);
  SqlConnection connection(std::move(options));
  const SqlError error = connection.WithRetry(SessionRows::Options().opening, [&] {
    out.sessions.clear();
    return connection.ForEachRow(kList, {}, [&](const SqlRows& row) {
      out.sessions.push_back({std::string(row.Text(0, 0)), row.Number(0, 1),
                              std::string(row.Text(0, 2)),
                              OwnerForPeople(std::string(row.Text(0, 3)))});
      return true;
    });
  });
  if (error.state != kNoTables) out.error = error.message;
  return out;
}

std::vector<std::string> SessionTables() {
  return {
      "CREATE TABLE IF NOT EXISTS rpl_session (\n"
      "  session text COLLATE \"C\" NOT NULL,  -- its name\n"
      "  format int NOT NULL,                -- of the tables and events\n"
      "  epoch bigint NOT NULL,              -- counts the writers that there were\n"
      "  owner text NOT NULL,                -- the present one, HOST:PROCESS:RANDOM, or ''\n"
      "  lease_until timestamptz NOT NULL,   -- until then it has the session\n"
      "  events bigint NOT NULL,             -- their number, and the hash of the last one\n"
      "  hash bytea NOT NULL,\n"
      "  changed timestamptz NOT NULL,       -- the last append\n"
      "  PRIMARY KEY (session)\n"
      ")",
      "CREATE TABLE IF NOT EXISTS rpl_event (\n"
      "  session text COLLATE \"C\" NOT NULL,\n"
      "  sequence bigint NOT NULL,           -- from 1\n"
      "  kind text NOT NULL,\n"
      "  body text NOT NULL,                 -- JSON\n"
      "  hash bytea NOT NULL,                -- over the hash before, kind and body\n"
      "  PRIMARY KEY (session, sequence)\n"
      ")",
  };
}

std::string SessionSchema() {
  std::string out = "-- Sessions of rpl: tables of format " + std::to_string(kRowsFormat) + ".\n\n";
  for (const std::string& table : SessionTables()) out += table + ";\n\n";
  return out +
         "-- A worker adds events and moves the end of a session. It cannot change or remove what "
         "is\n-- recorded.\n"
         "CREATE ROLE rpl_worker NOLOGIN;\n"
         "GRANT SELECT, INSERT, UPDATE ON rpl_session TO rpl_worker;\n"
         "GRANT SELECT, INSERT ON rpl_event TO rpl_worker;\n\n"
         "-- A reader runs `rpl trace`.\n"
         "CREATE ROLE rpl_reader NOLOGIN;\n"
         "GRANT SELECT ON rpl_session, rpl_event TO rpl_reader;\n";
}

}  // namespace rpl
