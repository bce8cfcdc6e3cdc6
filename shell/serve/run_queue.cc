// SPDX-License-Identifier: Apache-2.0
#include "shell/serve/run_queue.h"

namespace rpl {
namespace {

constexpr const char* kTables =
    "CREATE TABLE IF NOT EXISTS rpl_run ("
    "session text PRIMARY KEY, tenant text NOT NULL, protocol text NOT NULL, goal text NOT NULL, "
    "version text NOT NULL, state text NOT NULL "
    "CHECK (state IN ('ready', 'waiting', 'ended', 'refused')), "
    "due timestamptz NOT NULL, given bigint NOT NULL, taken bigint NOT NULL, "
    "attempts int NOT NULL, owner text, claimed_until timestamptz, "
    "report text NOT NULL, every bigint NOT NULL, "
    "began timestamptz NOT NULL, changed timestamptz NOT NULL)";
constexpr const char* kReadyIndex =
    "CREATE INDEX IF NOT EXISTS rpl_run_ready ON rpl_run (due) WHERE state = 'ready'";
constexpr const char* kReadyOfIndex =
    "CREATE INDEX IF NOT EXISTS rpl_run_ready_of ON rpl_run (tenant) WHERE state = 'ready'";
constexpr const char* kTenantIndex =
    "CREATE INDEX IF NOT EXISTS rpl_run_tenant ON rpl_run (tenant, session)";
constexpr const char* kOwnerIndex =
    "CREATE INDEX IF NOT EXISTS rpl_run_owner ON rpl_run (owner) WHERE owner IS NOT NULL";
constexpr const char* kInputs =
    "CREATE TABLE IF NOT EXISTS rpl_input ("
    "session text NOT NULL, number bigint NOT NULL, key text NOT NULL, body text NOT NULL, "
    "PRIMARY KEY (session, number))";
// A table of its own: a unique index that does not begin with the key of `rpl_run` cannot be
// spread.
constexpr const char* kRequests =
    "CREATE TABLE IF NOT EXISTS rpl_request ("
    "tenant text NOT NULL, key text NOT NULL, session text NOT NULL, PRIMARY KEY (tenant, key))";

constexpr const char* kSchema[] = {kTables,     kReadyIndex, kReadyOfIndex, kTenantIndex,
                                   kOwnerIndex, kInputs,     kRequests};

constexpr const char* kColumns =
    "session, tenant, protocol, goal, state, given, taken, attempts, report, "
    "(owner IS NOT NULL AND claimed_until > now())::int, every";

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
  return run;
}

std::string With(const char* before, const char* columns, const char* after) {
  return std::string(before) + columns + after;
}

}  // namespace

RunQueue::RunQueue(SqlConnection::Options options, std::string version,
                   std::vector<std::string> replays)
    : database_(std::move(options)), version_(std::move(version)) {
  replays_ = SqlArray({replays.begin(), replays.end()});
}

SqlError RunQueue::Write(const std::function<SqlError()>& transaction) {
  return database_.WithRetry({}, [&] { return database_.InTransaction("BEGIN", transaction); });
}

std::string RunQueue::Schema() {
  std::string out;
  for (const char* sql : kSchema) out += std::string(sql) + ";\n";
  return out;
}

SqlError RunQueue::Prepare() {
  // A role that may not create tables can use those there are.
  const SqlError there = database_.WithRetry({}, [&] {
    return database_.Execute("SELECT r.session FROM rpl_run r, rpl_input i, rpl_request q LIMIT 0")
        .error;
  });
  if (!there || there.state != "42P01") return there;
  for (const char* sql : kSchema) {
    const SqlError error = database_.WithRetry({}, [&] {
      SqlError failed = database_.Execute(sql).error;
      // Two that make the same table at once.
      failed.retry = failed.retry || failed.state == "23505" || failed.state == "42P07";
      return failed;
    });
    if (error) return error;
  }
  return {};
}

RunQueue::Added RunQueue::Add(const NewRun& run, const TenantLimits& limits) {
  Added out;
  out.error = Write([&]() -> SqlError {
    out.taken = Taken::kNew;
    // Added by an earlier try whose answer was lost.
    SqlResult mine = database_.Execute(
        With("SELECT ", kColumns, " FROM rpl_run WHERE session = $1"), {run.session});
    if (mine.error) return mine.error;
    if (mine.rows.size() == 1) {
      out.run = RunIn(mine.rows, 0);
      return {};
    }
    if (!run.key.empty()) {
      SqlResult first =
          database_.Execute("INSERT INTO rpl_request VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
                            {run.tenant, run.key, run.session});
      if (first.error) return first.error;
      if (first.rows.affected() == 0) {
        SqlResult there =
            database_.Execute(With("SELECT ", kColumns,
                                   " FROM rpl_run WHERE session = (SELECT session FROM rpl_request "
                                   "WHERE tenant = $1 AND key = $2)"),
                              {run.tenant, run.key});
        if (there.error) return there.error;
        if (there.rows.size() == 1) {
          out.taken = Taken::kAgain;
          out.run = RunIn(there.rows, 0);
          return {};
        }
      }
    }
    if (limits.ready > 0) {
      SqlResult count = database_.Execute(
          "SELECT count(*) FROM (SELECT 1 FROM rpl_run WHERE tenant = $1 AND state = 'ready' "
          "LIMIT $2) ready",
          {run.tenant, limits.ready});
      if (count.error) return count.error;
      if (count.rows.Number(0, 0) >= limits.ready) {
        out.taken = Taken::kFull;
        return {"", "full"};  // the key is not used by this
      }
    }
    const std::int64_t given = run.input.empty() ? 0 : 1;
    SqlResult added = database_.Execute(
        With(
            "INSERT INTO rpl_run VALUES ($1, $2, $3, $4, $5, 'ready', "
            "now() + $7::bigint * interval '1 second', $6, 0, 0, NULL, NULL, '', $8, now(), now()) "
            "RETURNING ",
            kColumns, ""),
        {run.session, run.tenant, run.protocol, run.goal, version_, given,
         static_cast<std::int64_t>(run.after.count()),
         static_cast<std::int64_t>(run.every.count())});
    if (added.error) return added.error;
    out.run = RunIn(added.rows, 0);
    if (given > 0) {
      SqlResult input = database_.Execute("INSERT INTO rpl_input VALUES ($1, 1, '', $2)",
                                          {run.session, run.input});
      if (input.error) return input.error;
    }
    return database_.Execute("NOTIFY rpl_run").error;
  });
  if (out.taken == Taken::kFull) out.error = {};
  return out;
}

RunQueue::Added RunQueue::Give(const std::string& session, const std::string& tenant,
                               const std::string& key, const std::string& input,
                               const TenantLimits& limits) {
  Added out;
  out.error = Write([&]() -> SqlError {
    SqlResult there = database_.Execute(With("SELECT ", kColumns,
                                             " FROM rpl_run WHERE session = $1 AND tenant = $2 AND "
                                             "EXISTS (SELECT 1 FROM rpl_input i "
                                             "WHERE i.session = $1 AND i.key = $3)"),
                                        {session, tenant, key});
    if (there.error) return there.error;
    if (there.rows.size() == 1) {
      out.taken = Taken::kAgain;
      out.run = RunIn(there.rows, 0);
      return {};
    }
    if (limits.ready > 0) {
      SqlResult count = database_.Execute(
          "SELECT count(*) FROM (SELECT 1 FROM rpl_run WHERE tenant = $1 AND state = 'ready' "
          "AND session <> $3 LIMIT $2) ready",
          {tenant, limits.ready, session});
      if (count.error) return count.error;
      if (count.rows.Number(0, 0) >= limits.ready) {
        out.taken = Taken::kFull;
        return {};
      }
    }
    SqlResult changed = database_.Execute(
        With("UPDATE rpl_run SET given = given + 1, state = 'ready', due = now(), attempts = 0, "
             "changed = now() WHERE session = $1 AND tenant = $2 RETURNING ",
             kColumns, ""),
        {session, tenant});
    if (changed.error) return changed.error;
    if (changed.rows.size() == 0) {
      out.taken = Taken::kNoRun;
      return {};
    }
    out.taken = Taken::kNew;
    out.run = RunIn(changed.rows, 0);
    SqlResult added = database_.Execute("INSERT INTO rpl_input VALUES ($1, $2, $3, $4)",
                                        {session, out.run.given, key, input});
    if (added.error) return added.error;
    return database_.Execute("NOTIFY rpl_run").error;
  });
  return out;
}

RunQueue::Found RunQueue::Find(const std::string& session, const std::string& tenant) {
  Found out;
  out.error = database_.WithRetry({}, [&] {
    out.run.reset();
    SqlResult found = database_.Execute(
        With("SELECT ", kColumns, " FROM rpl_run WHERE session = $1 AND tenant = $2"),
        {session, tenant});
    if (!found.error && found.rows.size() == 1) out.run = RunIn(found.rows, 0);
    return found.error;
  });
  return out;
}

RunQueue::Listed RunQueue::List(const std::string& tenant, const std::string& state,
                                const std::string& after, std::size_t most) {
  Listed out;
  out.error = database_.WithRetry({}, [&] {
    out.runs.clear();
    SqlResult found = database_.Execute(
        "SELECT session, tenant, protocol, goal, state, given, taken, attempts, '', "
        "(owner IS NOT NULL AND claimed_until > now())::int, every FROM rpl_run WHERE tenant = $1 "
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
    SqlResult inputs = database_.Execute(
        "SELECT number, body FROM rpl_input WHERE session = $1 AND number > $2 ORDER BY number",
        {claim.run.session, claim.run.taken});
    if (inputs.error) return inputs.error;
    for (std::size_t i = 0; i < inputs.rows.size(); ++i)
      claim.inputs.emplace_back(inputs.rows.Number(i, 0), std::string(inputs.rows.Text(i, 1)));
    out.claim = std::move(claim);
    return {};
  });
  if (out.error) out.claim.reset();
  return out;
}

SqlError RunQueue::Renew(const std::string& owner, std::chrono::milliseconds lease) {
  return database_.WithRetry({}, [&] {
    return database_
        .Execute(
            "UPDATE rpl_run SET claimed_until = now() + $2::bigint * interval '1 millisecond' "
            "WHERE owner = $1",
            {owner, static_cast<std::int64_t>(lease.count())})
        .error;
  });
}

SqlError RunQueue::Finish(const std::string& session, const std::string& owner, const Turn& turn) {
  return database_.WithRetry({}, [&] {
    return database_
        .Execute(
            "UPDATE rpl_run SET taken = greatest(taken, $3::bigint), "
            "state = CASE WHEN given > greatest(taken, $3::bigint) THEN 'ready' ELSE $4 END, "
            "due = CASE WHEN given > greatest(taken, $3::bigint) AND NOT $7::boolean "
            "THEN now() ELSE now() + $6::bigint * interval '1 millisecond' END, "
            "report = CASE WHEN $5 = '' THEN report ELSE $5 END, "
            "attempts = CASE WHEN $7::boolean THEN attempts ELSE 0 END, "
            "owner = NULL, claimed_until = NULL, changed = now() "
            "WHERE session = $1 AND owner = $2",
            {session, owner, turn.taken, turn.state, turn.report,
             static_cast<std::int64_t>(turn.due.count()), turn.again ? "true" : "false"})
        .error;
  });
}

SqlError RunQueue::Release(const std::string& owner) {
  return database_.WithRetry({}, [&] {
    return database_
        .Execute("UPDATE rpl_run SET owner = NULL, claimed_until = NULL WHERE owner = $1", {owner})
        .error;
  });
}

RunQueue::Counted RunQueue::CountRuns() {
  Counted out;
  out.error = database_.WithRetry({}, [&] {
    out.counts.clear();
    SqlResult counts = database_.Execute(
        "SELECT tenant, CASE WHEN owner IS NOT NULL AND claimed_until > now() THEN 'working' "
        "ELSE state END AS shown, count(*), "
        "greatest(0, extract(epoch FROM now() - min(due)) * 1000)::bigint "
        "FROM rpl_run GROUP BY tenant, shown ORDER BY tenant, shown");
    for (std::size_t i = 0; !counts.error && i < counts.rows.size(); ++i)
      out.counts.push_back({std::string(counts.rows.Text(i, 0)),
                            std::string(counts.rows.Text(i, 1)), counts.rows.Number(i, 2),
                            static_cast<double>(counts.rows.Number(i, 3)) / 1000});
    return counts.error;
  });
  return out;
}

SqlError RunQueue::Ping() { return database_.Execute("SELECT 1").error; }

}  // namespace rpl
