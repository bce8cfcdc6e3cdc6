// SPDX-License-Identifier: Apache-2.0
#include "shell/serve/run_queue.h"

#include "formats/data/json_text.h"
#include "runtime/postgres/session_rows.h"

namespace rpl {
namespace {

// Statements that make what is missing.
std::vector<std::string> QueueTables() {
  return {
      "CREATE TABLE IF NOT EXISTS rpl_run ("
      "session text PRIMARY KEY, tenant text NOT NULL, protocol text NOT NULL, goal text NOT NULL, "
      "version text NOT NULL, state text NOT NULL "
      "CHECK (state IN ('ready', 'waiting', 'ended', 'refused')), "
      "due timestamptz NOT NULL, given bigint NOT NULL, taken bigint NOT NULL, "
      "attempts int NOT NULL, owner text, claimed_until timestamptz, "
      "report text NOT NULL, every bigint NOT NULL, "
      "began timestamptz NOT NULL, changed timestamptz NOT NULL, "
      "used boolean NOT NULL DEFAULT false)",
      "ALTER TABLE rpl_run ADD COLUMN IF NOT EXISTS used boolean NOT NULL DEFAULT false",
      "CREATE INDEX IF NOT EXISTS rpl_run_ready ON rpl_run (due) WHERE state = 'ready'",
      "CREATE INDEX IF NOT EXISTS rpl_run_ready_of ON rpl_run (tenant) WHERE state = 'ready'",
      "CREATE INDEX IF NOT EXISTS rpl_run_tenant ON rpl_run (tenant, session)",
      "CREATE INDEX IF NOT EXISTS rpl_run_owner ON rpl_run (owner) WHERE owner IS NOT NULL",
      "CREATE TABLE IF NOT EXISTS rpl_input ("
      "session text NOT NULL, number bigint NOT NULL, key text NOT NULL, body text NOT NULL, "
      "PRIMARY KEY (session, number))",
      // A table of its own: a unique index that does not begin with the key of `rpl_run` cannot be
      // spread.
      "CREATE TABLE IF NOT EXISTS rpl_request ("
      "tenant text NOT NULL, key text NOT NULL, session text NOT NULL, PRIMARY KEY (tenant, key))",
      "CREATE TABLE IF NOT EXISTS rpl_shared (name text PRIMARY KEY, value text NOT NULL)",
  };
}

constexpr const char* kUniqueViolation = "23505";
constexpr const char* kNoTable = "42P01";
constexpr const char* kNoColumn = "42703";
constexpr const char* kColumns =
    "session, tenant, protocol, goal, state, given, taken, attempts, report, "
    "(owner IS NOT NULL AND claimed_until > now())::int, every, "
    "extract(epoch FROM began)::bigint, used::int";
constexpr std::size_t kColumnCount = 13;
// A person may also go on with a session by `rpl resume`, which leaves `changed` as it was.
constexpr const char* kLastTurn =
    "changed::text || '/' || "
    "coalesce((SELECT events FROM rpl_session s WHERE s.session = rpl_run.session), 0)";

QueuedRun RunIn(const SqlRows& rows, std::size_t row) {
  const auto text = [&](std::size_t column) { return std::string(rows.Text(row, column)); };
  QueuedRun run;
  run.session = text(0);
  run.tenant = text(1);
  run.protocol = text(2);
  run.goal = text(3);
  run.state = text(4);
  run.given = rows.Number(row, 5);
  run.taken = rows.Number(row, 6);
  run.attempts = static_cast<int>(rows.Number(row, 7));
  run.report = text(8);
  run.working = rows.Number(row, 9) != 0;
  run.every = std::chrono::seconds(rows.Number(row, 10));
  run.began = rows.Number(row, 11);
  run.used = rows.Number(row, 12) != 0;
  return run;
}

std::string ColumnsWithTurn() { return std::string(kColumns) + ", " + kLastTurn; }

std::string With(const char* before, const char* columns, const char* after) {
  return std::string(before) + columns + after;
}

}  // namespace

RunQueue::RunQueue(SqlConnection::Options options, std::string version,
                   std::vector<std::string> replays, QueuePatience patience)
    : patience_(std::move(patience)),
      database_(Bounded(std::move(options))),
      version_(std::move(version)) {
  replays_ = SqlArray({replays.begin(), replays.end()});
}

SqlConnection::Options RunQueue::Bounded(SqlConnection::Options options) {
  options.interrupted = [this, given = std::move(options.interrupted)] {
    return std::chrono::steady_clock::now() >= until_ || (given && given());
  };
  return options;
}

// Runs it again, whole, while that may help and the patience lasts.
SqlError RunQueue::Try(const std::function<SqlError()>& transaction, int tries) {
  using Clock = std::chrono::steady_clock;
  DatabaseWatch* const watch = patience_.watch;
  if (watch != nullptr && !watch->MayTry()) return {"", "the database is away", true, true};
  RetryLimits limits;
  limits.most = tries == 1 ? std::chrono::milliseconds(0) : patience_.tries;
  until_ = patience_.most ? Clock::now() + *patience_.most : Clock::time_point::max();
  SqlError error = database_.WithRetry(limits, transaction);
  if (watch != nullptr) watch->Saw(error);
  return error;
}

SqlError RunQueue::Write(const std::function<SqlError()>& transaction) {
  return Try([&] { return database_.InTransaction("BEGIN", transaction); });
}

std::string RunQueue::Schema() {
  std::string out;
  for (const std::string& sql : QueueTables()) out += sql + ";\n";
  return out;
}

SqlError RunQueue::Prepare() {
  // A role that may not create tables can use those there are.
  const SqlError there = Try([&] {
    return database_
        .Execute(
            "SELECT r.used FROM rpl_run r, rpl_input i, rpl_request q, rpl_shared v, "
            "rpl_session s, rpl_event e LIMIT 0")
        .error;
  });
  if (!there || (there.state != kNoTable && there.state != kNoColumn)) return there;
  if (SqlError error = database_.MakeTables({}, SessionTables())) return error;
  return database_.MakeTables({}, QueueTables());
}

// The tenant has as many runs ready as it may, without this one.
SqlError RunQueue::CheckReady(const std::string& tenant, const std::string& session,
                              const TenantLimits& limits, bool& full) {
  full = false;
  if (limits.ready == 0) return {};
  SqlResult count = database_.Execute(
      "SELECT count(*) FROM (SELECT 1 FROM rpl_run WHERE tenant = $1 AND state = 'ready' "
      "AND session <> $3 LIMIT $2) ready",
      {tenant, limits.ready, session});
  if (count.error) return count.error;
  full = count.rows.Number(0, 0) >= limits.ready;
  return {};
}

// `sql` selects or returns the columns of a run, and perhaps kLastTurn after them.
SqlError RunQueue::Read(const std::string& sql, const std::vector<SqlValue>& parameters,
                        std::optional<QueuedRun>& run) {
  run.reset();
  SqlResult found = database_.Execute(sql, parameters);
  if (found.error) return found.error;
  if (found.rows.size() != 1) return {};
  run = RunIn(found.rows, 0);
  if (found.rows.columns() > kColumnCount)
    run->last_turn = std::string(found.rows.Text(0, kColumnCount));
  return {};
}

SqlError RunQueue::AddInput(const std::string& session, std::int64_t number, const std::string& key,
                            const std::string& input) {
  return database_
      .Execute("INSERT INTO rpl_input VALUES ($1, $2, $3, $4)", {session, number, key, input})
      .error;
}

// The row of a run that is ready, claimed if there is an owner, with its first input.
SqlError RunQueue::Insert(const NewRun& run, const std::string& owner,
                          std::chrono::milliseconds lease, std::optional<QueuedRun>& added) {
  const std::int64_t given = run.input.empty() ? 0 : 1;
  SqlError error = Read(
      "INSERT INTO rpl_run VALUES ($1, $2, $3, $4, $5, 'ready', "
      "now() + $7::bigint * interval '1 second', $6, 0, 0, nullif($9, ''), "
      "CASE WHEN $9 = '' THEN NULL ELSE now() + $10::bigint * interval '1 millisecond' END, "
      "'', $8, now(), now()) RETURNING " +
          ColumnsWithTurn(),
      {run.session, run.tenant, run.protocol, run.goal, version_, given,
       static_cast<std::int64_t>(run.after.count()), static_cast<std::int64_t>(run.every.count()),
       owner, static_cast<std::int64_t>(lease.count())},
      added);
  if (error || given == 0) return error;
  return AddInput(run.session, 1, "", run.input);
}

// Whether nothing is to be inserted: the run is there, or its tenant has as many as it may have, or
// `error` says why that is not known.
bool RunQueue::Settled(const NewRun& run, const TenantLimits& limits,
                       std::optional<QueuedRun>& there, Added& out, SqlError& error) {
  if (there) {
    out.taken = there->session == run.session ? Taken::kNew : Taken::kAgain;
    out.run = std::move(*there);
    return true;
  }
  bool full = false;
  error = CheckReady(run.tenant, run.session, limits, full);
  if (!error && full) out.taken = Taken::kFull;
  return error || full;
}

RunQueue::Added RunQueue::Add(const NewRun& run, const TenantLimits& limits) {
  Added out;
  out.error = Write([&]() -> SqlError {
    // Of the key, or added by an earlier try whose answer was lost.
    std::optional<QueuedRun> there;
    SqlError error =
        Read(With("SELECT ", kColumns,
                  " FROM rpl_run WHERE session = coalesce((SELECT session FROM rpl_request "
                  "WHERE tenant = $1 AND key = $2), $3)"),
             {run.tenant, run.key, run.session}, there);
    if (error) return error;
    if (Settled(run, limits, there, out, error)) return error;
    // Another with the same key may come first: then this fails, and the next try finds its run.
    if (!run.key.empty()) {
      error = database_
                  .Execute("INSERT INTO rpl_request VALUES ($1, $2, $3)",
                           {run.tenant, run.key, run.session})
                  .error;
      error.retry = error.retry || error.state == kUniqueViolation;
      if (error) return error;
    }
    if (error = Insert(run, "", std::chrono::milliseconds(0), there); error) return error;
    out.taken = Taken::kNew;
    out.run = std::move(*there);
    return {};
  });
  return out;
}

RunQueue::Added RunQueue::Give(const std::string& session, const std::string& tenant,
                               const std::string& key, const std::string& input,
                               const TenantLimits& limits) {
  Added out;
  out.error = Write([&]() -> SqlError {
    std::optional<QueuedRun> run;
    SqlError error = Read(With("SELECT ", kColumns,
                               " FROM rpl_run WHERE session = $1 AND tenant = $2 AND EXISTS "
                               "(SELECT 1 FROM rpl_input i WHERE i.session = $1 AND i.key = $3)"),
                          {session, tenant, key}, run);
    if (error) return error;
    if (run) {
      out.taken = Taken::kAgain;
      out.run = std::move(*run);
      return {};
    }
    bool full = false;
    if (error = CheckReady(tenant, session, limits, full); error) return error;
    if (full) {
      out.taken = Taken::kFull;
      return {};
    }
    error = Read(With("UPDATE rpl_run SET given = given + 1, state = 'ready', due = now(), "
                      "attempts = 0, changed = now() WHERE session = $1 AND tenant = $2 RETURNING ",
                      kColumns, ""),
                 {session, tenant}, run);
    if (error) return error;
    if (!run) {
      out.taken = Taken::kNoRun;
      return {};
    }
    out.taken = Taken::kNew;
    out.run = std::move(*run);
    return AddInput(session, out.run.given, key, input);
  });
  return out;
}

RunQueue::Found RunQueue::Find(const std::string& session, const std::string& tenant) {
  Found out;
  out.error = Try([&] {
    return Read(With("SELECT ", kColumns, " FROM rpl_run WHERE session = $1 AND tenant = $2"),
                {session, tenant}, out.run);
  });
  return out;
}

RunQueue::Listed RunQueue::List(const std::string& tenant, const std::string& state,
                                const std::string& after, std::size_t most) {
  Listed out;
  out.error = Try([&] {
    out.runs.clear();
    SqlResult found = database_.Execute(
        "SELECT session, tenant, protocol, goal, state, given, taken, attempts, '', "
        "(owner IS NOT NULL AND claimed_until > now())::int, every, 0, 0 FROM rpl_run "
        "WHERE tenant = $1 "
        "AND ($2 = '' OR state = $2) AND session > $3 ORDER BY session LIMIT $4",
        {tenant, state, after, static_cast<std::int64_t>(most)});
    for (std::size_t i = 0; !found.error && i < found.rows.size(); ++i)
      out.runs.push_back(RunIn(found.rows, i));
    return found.error;
  });
  return out;
}

RunQueue::Claimed RunQueue::Take(const std::string& owner, std::chrono::milliseconds lease,
                                 const TenantLimits& limits) {
  Claimed out;
  out.error = Write([&]() -> SqlError {
    out.claim.reset();
    SqlResult taken = database_.Execute(
        With("UPDATE rpl_run SET owner = $1, "
             "claimed_until = now() + $2::bigint * interval '1 millisecond', "
             "attempts = attempts + 1 WHERE session = ("
             "SELECT session FROM rpl_run ready WHERE state = 'ready' AND due <= now() "
             "AND (claimed_until IS NULL OR claimed_until < now() OR owner = $1) "
             "AND version = ANY($3) "
             "AND ($4 = 0 OR (SELECT count(*) FROM rpl_run other WHERE other.owner IS NOT NULL "
             "AND other.tenant = ready.tenant AND other.claimed_until >= now()) < $4) "
             "ORDER BY due LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING ",
             kColumns, ""),
        {owner, static_cast<std::int64_t>(lease.count()), replays_, limits.working});
    if (taken.error || taken.rows.size() == 0) return taken.error;
    Claim claim{RunIn(taken.rows, 0), {}};
    if (SqlError error = InputsOf(claim)) return error;
    out.claim = std::move(claim);
    return {};
  });
  if (out.error) out.claim.reset();
  return out;
}

// The inputs that no turn of the run has taken.
SqlError RunQueue::InputsOf(Claim& claim) {
  SqlResult inputs = database_.Execute(
      "SELECT number, body FROM rpl_input WHERE session = $1 AND number > $2 ORDER BY number",
      {claim.run.session, claim.run.taken});
  if (inputs.error) return inputs.error;
  for (std::size_t i = 0; i < inputs.rows.size(); ++i)
    claim.inputs.emplace_back(inputs.rows.Number(i, 0), std::string(inputs.rows.Text(i, 1)));
  return {};
}

RunQueue::Added RunQueue::Begin(const NewRun& run, const std::string& owner,
                                std::chrono::milliseconds lease,
                                std::optional<std::chrono::seconds> repeat,
                                const TenantLimits& limits) {
  Added out;
  out.error = Write([&]() -> SqlError {
    SqlResult known = database_.Execute(
        "SELECT session FROM rpl_request WHERE tenant = $1 AND key = $2", {run.tenant, run.key});
    if (known.error) return known.error;
    const std::string before(known.rows.size() == 0 ? "" : known.rows.Text(0, 0));
    std::optional<QueuedRun> there;
    SqlError error =
        Read("SELECT " + ColumnsWithTurn() +
                 " FROM rpl_run WHERE session = $1 AND state <> 'refused' AND ($2 < 0 OR "
                 "(NOT used AND state <> 'ended' AND began >= now() - $2::bigint * interval '1 "
                 "second'))",
             {before, std::int64_t{repeat ? repeat->count() : -1}}, there);
    if (error) return error;
    if (Settled(run, limits, there, out, error)) return error;
    // Another with the same key may come first: then nothing changes here, and the next try finds
    // its run.
    SqlResult keyed = database_.Execute(
        "INSERT INTO rpl_request AS q VALUES ($1, $2, $3) ON CONFLICT (tenant, key) "
        "DO UPDATE SET session = excluded.session WHERE q.session = $4",
        {run.tenant, run.key, run.session, before});
    if (keyed.error) return keyed.error;
    if (keyed.rows.affected() == 0)
      return {kUniqueViolation, "another process began the same run", true, false};
    if (error = Insert(run, owner, lease, there); error) return error;
    out.taken = Taken::kNew;
    out.run = std::move(*there);
    return {};
  });
  return out;
}

RunQueue::OneClaimed RunQueue::Hold(const std::string& session, const std::string& tenant,
                                    const std::string& owner, std::chrono::milliseconds lease,
                                    const TenantLimits& limits) {
  OneClaimed out;
  out.error = Write([&]() -> SqlError {
    out.claim.reset();
    SqlResult held = database_.Execute(
        With("UPDATE rpl_run SET owner = $3, "
             "claimed_until = now() + $4::bigint * interval '1 millisecond', "
             "attempts = attempts + 1, state = 'ready', "
             "due = CASE WHEN state = 'ready' THEN due ELSE now() END FROM ("
             "SELECT session AS held, state AS before FROM rpl_run free "
             "WHERE session = $1 AND tenant = $2 AND version = ANY($5) "
             "AND (claimed_until IS NULL OR claimed_until < now() OR owner = $3) "
             "AND ($6 = 0 OR (SELECT count(*) FROM rpl_run other WHERE other.owner IS NOT NULL "
             "AND other.tenant = $2 AND other.claimed_until >= now()) < $6) "
             "FOR UPDATE SKIP LOCKED) free WHERE session = free.held RETURNING ",
             kColumns, ", free.before"),
        {session, tenant, owner, static_cast<std::int64_t>(lease.count()), replays_,
         limits.working});
    if (held.error) return held.error;
    if (held.rows.size() == 0) {
      SqlResult other = database_.Execute(
          "SELECT version FROM rpl_run WHERE session = $1 AND tenant = $2 AND version <> ALL($3)",
          {session, tenant, replays_});
      if (!other.error && other.rows.size() > 0) out.version = std::string(other.rows.Text(0, 0));
      return other.error;
    }
    Claim claim{RunIn(held.rows, 0), {}, std::string(held.rows.Text(0, kColumnCount))};
    if (SqlError error = InputsOf(claim)) return error;
    out.claim = std::move(claim);
    return {};
  });
  if (out.error) out.claim.reset();
  return out;
}

RunQueue::Found RunQueue::Use(const std::string& session, const std::string& tenant) {
  Found out;
  out.error = Try([&] {
    return Read("SELECT " + ColumnsWithTurn() + " FROM rpl_run WHERE session = $1 AND tenant = $2",
                {session, tenant}, out.run);
  });
  if (out.error || !out.run || out.run->used) return out;
  out.error = Try([&] {
    return database_.Execute("UPDATE rpl_run SET used = true WHERE session = $1", {session}).error;
  });
  return out;
}

RunQueue::Names RunQueue::NamesFrom(const std::string& prefix, const std::string& tenant,
                                    std::size_t most) {
  Names out;
  out.error = Try([&] {
    out.names.clear();
    SqlResult found = database_.Execute(
        "SELECT session FROM rpl_run WHERE tenant = $1 AND left(session, length($2)) = $2 "
        "ORDER BY session LIMIT $3",
        {tenant, prefix, static_cast<std::int64_t>(most)});
    for (std::size_t i = 0; !found.error && i < found.rows.size(); ++i)
      out.names.emplace_back(found.rows.Text(i, 0));
    return found.error;
  });
  return out;
}

SqlError RunQueue::Share(const std::string& name, const std::string& fresh, std::string& shared) {
  return Write([&]() -> SqlError {
    if (SqlError error = database_
                             .Execute("INSERT INTO rpl_shared VALUES ($1, $2) "
                                      "ON CONFLICT (name) DO NOTHING",
                                      {name, fresh})
                             .error)
      return error;
    SqlResult found = database_.Execute("SELECT value FROM rpl_shared WHERE name = $1", {name});
    if (!found.error && found.rows.size() == 1) shared = std::string(found.rows.Text(0, 0));
    return found.error;
  });
}

SqlError RunQueue::Announce() {
  return database_.Execute(std::string("NOTIFY ") + kRunChannel).error;
}

RunQueue::NextDue RunQueue::UntilDue() {
  NextDue out;
  SqlResult next = database_.Execute(
      "SELECT ceil(extract(epoch FROM min(due) - now()) * 1000)::bigint FROM rpl_run "
      "WHERE state = 'ready' AND due > now()");
  out.error = next.error;
  if (!next.error && next.rows.size() == 1 && !next.rows.IsNull(0, 0))
    out.wait = std::chrono::milliseconds(next.rows.Number(0, 0));
  return out;
}

SqlError RunQueue::Renew(const std::string& owner, std::chrono::milliseconds lease) {
  return Try([&] {
    return database_
        .Execute(
            "UPDATE rpl_run SET claimed_until = now() + $2::bigint * interval '1 millisecond' "
            "WHERE owner = $1",
            {owner, static_cast<std::int64_t>(lease.count())})
        .error;
  });
}

SqlError RunQueue::Finish(const std::string& session, const std::string& owner, const Turn& turn,
                          std::string* last_turn) {
  return Try([&] {
    SqlResult done = database_.Execute(
        std::string(
            "UPDATE rpl_run SET taken = greatest(taken, $3::bigint), "
            "state = CASE WHEN given > greatest(taken, $3::bigint) THEN 'ready' ELSE $4 END, "
            "due = CASE WHEN given > greatest(taken, $3::bigint) AND NOT $7::boolean "
            "THEN now() ELSE now() + $6::bigint * interval '1 millisecond' END, "
            "report = CASE WHEN $5 = '' THEN report ELSE $5 END, "
            "attempts = CASE WHEN $7::boolean THEN attempts ELSE 0 END, "
            "owner = NULL, claimed_until = NULL, changed = now() "
            "WHERE session = $1 AND owner = $2") +
            (last_turn == nullptr ? "" : std::string(" RETURNING ") + kLastTurn),
        {session, owner, turn.taken, turn.state, turn.report,
         static_cast<std::int64_t>(turn.due.count()), turn.again ? "true" : "false"});
    if (last_turn != nullptr && !done.error && done.rows.size() == 1)
      *last_turn = std::string(done.rows.Text(0, 0));
    return done.error;
  });
}

SqlError RunQueue::Release(const std::string& owner) {
  return Try([&] {
    return database_
        .Execute("UPDATE rpl_run SET owner = NULL, claimed_until = NULL WHERE owner = $1", {owner})
        .error;
  });
}

RunQueue::Counted RunQueue::CountRuns(const std::string& tenant) {
  Counted out;
  out.error = Try([&] {
    out.counts.clear();
    SqlResult counts = database_.Execute(
        "SELECT tenant, CASE WHEN owner IS NOT NULL AND claimed_until > now() THEN 'working' "
        "ELSE state END AS shown, count(*), "
        "greatest(0, extract(epoch FROM now() - min(due)) * 1000)::bigint "
        "FROM rpl_run WHERE tenant = $1 GROUP BY tenant, shown ORDER BY shown",
        {tenant});
    for (std::size_t i = 0; !counts.error && i < counts.rows.size(); ++i)
      out.counts.push_back({std::string(counts.rows.Text(i, 0)),
                            std::string(counts.rows.Text(i, 1)), counts.rows.Number(i, 2),
                            static_cast<double>(counts.rows.Number(i, 3)) / 1000});
    return counts.error;
  });
  return out;
}

SqlError RunQueue::Ping() {
  return Try([&] { return database_.Execute("SELECT 1").error; }, 1);
}

std::vector<nlohmann::ordered_json> InputsAsJson(const RunQueue::Claim& claim) {
  std::vector<nlohmann::ordered_json> out;
  for (const auto& [number, body] : claim.inputs) {
    nlohmann::ordered_json input = ParseOwnJson(body);
    if (!input.is_object()) input = nlohmann::ordered_json::object();
    input["number"] = number;
    out.push_back(std::move(input));
  }
  return out;
}

}  // namespace rpl
