// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/host_log.h"

#include <sqlite3.h>

#include <array>
#include <map>
#include <stdexcept>
#include <utility>

#include "formats/data/json_text.h"

namespace rpl {

// Compiled statements that nobody uses, by their text: a decision asks the same for many calls.
struct HostStatements {
  sqlite3* const& db;
  std::map<std::string, sqlite3_stmt*> idle = {};

  void Forget() {
    for (const auto& [sql, statement] : idle) sqlite3_finalize(statement);
    idle.clear();
  }
};

namespace {

using nlohmann::ordered_json;

constexpr std::array<std::string_view, 6> kStates = {"deciding", "open",   "denied",
                                                     "ended",    "failed", "cut-off"};

// `entry` numbers what is added, in all tables together.
constexpr const char* kTables =
    "CREATE TABLE IF NOT EXISTS host_call(call INTEGER PRIMARY KEY, entry INTEGER NOT NULL,"
    " tool TEXT NOT NULL, arguments TEXT NOT NULL, id TEXT NOT NULL, session TEXT NOT NULL,"
    " agent TEXT NOT NULL);"
    "CREATE TABLE IF NOT EXISTS host_state(entry INTEGER PRIMARY KEY, call INTEGER NOT NULL,"
    " state INTEGER NOT NULL, result TEXT NOT NULL, why TEXT NOT NULL);"
    "CREATE INDEX IF NOT EXISTS host_state_of ON host_state(call, entry);"
    "CREATE TABLE IF NOT EXISTS host_row(relation TEXT NOT NULL, call INTEGER NOT NULL,"
    " first TEXT, last TEXT NOT NULL, open INTEGER NOT NULL);"
    "CREATE INDEX IF NOT EXISTS host_row_of ON host_row(relation, call);"
    "CREATE INDEX IF NOT EXISTS host_row_first ON host_row(relation, first);"
    "CREATE TABLE IF NOT EXISTS host_said(entry INTEGER PRIMARY KEY, text TEXT NOT NULL);"
    "CREATE TABLE IF NOT EXISTS host_turn(entry INTEGER PRIMARY KEY);";

// The state of a call, the column of that name, at an entry or by now.
std::string StateOf(const std::string& call, const std::string& until = "") {
  return "(SELECT s.state FROM host_state s WHERE s.call = " + call +
         (until.empty() ? "" : " AND s.entry <= " + until) + " ORDER BY s.entry DESC LIMIT 1)";
}

[[noreturn]] void Fail(sqlite3* db) {
  throw std::runtime_error(std::string("the calls of the host: ") + sqlite3_errmsg(db));
}

constexpr const char* kLast =
    "SELECT max((SELECT ifnull(max(entry), 0) FROM host_state),"
    " (SELECT ifnull(max(entry), 0) FROM host_said), (SELECT ifnull(max(entry), 0) FROM "
    "host_turn))";

}  // namespace

std::string_view NameOf(HostCallState state) { return kStates[static_cast<std::size_t>(state)]; }

struct HostLog::Database {
  sqlite3* db = nullptr;
  bool own = false;
  std::optional<std::int64_t> at;
  HostStatements statements{db};

  ~Database() {
    statements.Forget();
    if (own) sqlite3_close(db);
  }

  void MakeTables() const {
    if (sqlite3_exec(db, kTables, nullptr, nullptr, nullptr) != SQLITE_OK) Fail(db);
  }
  // What the log holds at the entry that is read.
  std::int64_t Until() const { return at.value_or(INT64_MAX); }
};

namespace {

class Query {
 public:
  Query(HostStatements& of, const std::string& sql) : db_(of.db), of_(of), sql_(sql) {
    if (auto kept = of.idle.extract(sql)) statement_ = kept.mapped();
    else if (sqlite3_prepare_v2(db_, sql.c_str(), -1, &statement_, nullptr) != SQLITE_OK) Fail(db_);
  }
  ~Query() {
    sqlite3_reset(statement_);
    sqlite3_clear_bindings(statement_);
    if (!of_.idle.emplace(sql_, statement_).second) sqlite3_finalize(statement_);
  }
  Query(const Query&) = delete;

  Query& Bind(std::int64_t number) {
    sqlite3_bind_int64(statement_, ++bound_, number);
    return *this;
  }
  Query& Bind(std::string_view text) {
    sqlite3_bind_text64(statement_, ++bound_, text.data(), text.size(), SQLITE_TRANSIENT,
                        SQLITE_UTF8);
    return *this;
  }
  Query& BindIfAny(const std::optional<std::string>& text) {
    if (text) return Bind(std::string_view(*text));
    ++bound_;
    return *this;
  }
  bool Next() {
    const int code = sqlite3_step(statement_);
    if (code != SQLITE_ROW && code != SQLITE_DONE) Fail(db_);
    return code == SQLITE_ROW;
  }
  void Do() { Next(); }
  std::int64_t Number(int column) const { return sqlite3_column_int64(statement_, column); }
  bool IsNull(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
  std::string Text(int column) const {
    const auto* const text = sqlite3_column_text(statement_, column);
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
    return text == nullptr ? "" : std::string(reinterpret_cast<const char*>(text), size);
  }

 private:
  sqlite3* db_;
  HostStatements& of_;
  const std::string sql_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
};

}  // namespace

HostLog::HostLog() : db_(std::make_unique<Database>()) {
  db_->own = true;
  if (sqlite3_open(":memory:", &db_->db) != SQLITE_OK) Fail(db_->db);
  db_->MakeTables();
}

HostLog::HostLog(sqlite3* db) : db_(std::make_unique<Database>()) {
  db_->db = db;
  Query tables(db_->statements,
               "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('host_call', "
               "'host_state', 'host_row', 'host_said', 'host_turn')");
  tables.Next();
  const std::int64_t there = tables.Number(0);
  if (there == 0) db_->MakeTables();
  else if (there < 5)
    throw std::runtime_error("the calls of the host: some of its tables are gone");
}

HostLog::~HostLog() = default;

std::int64_t HostLog::last() const {
  Query query(db_->statements, kLast);
  query.Next();
  return query.Number(0);
}

void HostLog::ReadAt(std::optional<std::int64_t> entry) { db_->at = entry; }

std::int64_t HostLog::Begin(const ReportedCall& call, const std::vector<HostRow>& rows) {
  const std::int64_t entry = last() + 1;
  Query number(db_->statements, "SELECT ifnull(max(call), 0) + 1 FROM host_call");
  number.Next();
  const std::int64_t out = number.Number(0);
  Query(db_->statements, "INSERT INTO host_call VALUES(?, ?, ?, ?, ?, ?, ?)")
      .Bind(out)
      .Bind(entry)
      .Bind(call.tool)
      .Bind(DumpJson(call.arguments))
      .Bind(call.id)
      .Bind(call.session)
      .Bind(call.agent)
      .Do();
  for (const HostRow& row : rows)
    Query(db_->statements, "INSERT INTO host_row VALUES(?, ?, ?, ?, ?)")
        .Bind(row.relation)
        .Bind(out)
        .BindIfAny(row.first)
        .Bind(DumpJson(row.last))
        .Bind(row.open ? 1 : 0)
        .Do();
  Set(out, HostCallState::kDeciding);
  return out;
}

void HostLog::Set(std::int64_t call, HostCallState state, const ordered_json& result,
                  const std::string& why) {
  Query(db_->statements, "INSERT INTO host_state VALUES(?, ?, ?, ?, ?)")
      .Bind(last() + 1)
      .Bind(call)
      .Bind(static_cast<std::int64_t>(state))
      .Bind(result.is_null() ? std::string() : DumpJson(result))
      .Bind(why)
      .Do();
}

std::optional<std::int64_t> HostLog::FindOpen(const ReportedCall& call) const {
  Query query(
      db_->statements,
      "SELECT call FROM host_call c WHERE session = ?1 AND id = ?2 AND tool = ?3 AND (?2 <> '' OR "
      "arguments = ?4) AND " +
          StateOf("c.call") + " = 1 ORDER BY call LIMIT 2");
  query.Bind(call.session).Bind(call.id).Bind(call.tool).Bind(DumpJson(call.arguments));
  if (!query.Next()) return std::nullopt;
  const std::int64_t found = query.Number(0);
  if (query.Next()) return std::nullopt;  // it is not known which one ended
  return found;
}

void HostLog::EndSession(const std::string& session) {
  std::vector<std::int64_t> open;
  Query query(db_->statements, "SELECT call FROM host_call c WHERE session = ? AND " +
                                   StateOf("c.call") + " <= 1 ORDER BY call");
  query.Bind(session);
  while (query.Next()) open.push_back(query.Number(0));
  for (const std::int64_t call : open) Set(call, HostCallState::kCutOff);
}

void HostLog::AddSaid(const std::string& text) {
  Query(db_->statements, "INSERT INTO host_said VALUES(?, ?)").Bind(last() + 1).Bind(text).Do();
}

std::int64_t HostLog::BeginTurnEnd() {
  const std::int64_t entry = last() + 1;
  Query(db_->statements, "INSERT INTO host_turn VALUES(?)").Bind(entry).Do();
  return entry;
}

void HostLog::ForEachCall(std::optional<std::int64_t> only, bool whole,
                          const std::function<void(const Call&)>& fn) const {
  std::string sql =
      "SELECT c.call, s.state, c.tool, c.agent, (SELECT w.why FROM host_state w WHERE "
      "w.call = c.call AND w.why <> '' ORDER BY w.entry DESC LIMIT 1)";
  if (whole) sql += ", c.arguments, s.result";
  sql +=
      " FROM host_call c JOIN host_state s ON s.entry = (SELECT max(entry) FROM host_state t WHERE "
      "t.call = c.call AND t.entry <= ?1) WHERE ";
  sql += only ? "c.call = ?2" : "?2 = 0";
  sql += " ORDER BY c.call";
  Query query(db_->statements, sql);
  query.Bind(db_->Until()).Bind(only.value_or(0));
  while (query.Next())
    fn({query.Number(0), static_cast<HostCallState>(query.Number(1)), query.Text(2),
        whole ? query.Text(5) : "", whole ? query.Text(6) : "", query.Text(3), query.Text(4)});
}

void HostLog::ForEachRow(const Reading& of,
                         const std::function<void(std::int64_t, const HostRow&)>& fn) const {
  std::string sql = "SELECT r.call, r.first, r.last, r.open FROM host_row r WHERE r.relation = ?1";
  if (of.call) sql += " AND r.call = ?2";
  if (of.first) sql += " AND (r.first = ?3 OR r.first IS NULL)";
  if (db_->at) sql += " AND (SELECT entry FROM host_call c WHERE c.call = r.call) <= ?4";
  const std::string state = StateOf("r.call", "?4");
  sql += " AND (r.open = 0 OR " + state + " <> 2)";
  if (of.ended) sql += " AND " + state + " = 3";
  if (of.open) sql += " AND r.open = 1";
  sql += " ORDER BY r.call DESC, r.rowid";
  Query query(db_->statements, sql);
  query.Bind(of.relation).Bind(of.call.value_or(0)).BindIfAny(of.first).Bind(db_->Until());
  while (query.Next()) {
    HostRow row{std::string(of.relation), std::nullopt, nullptr, query.Number(3) != 0};
    if (!query.IsNull(1)) row.first = query.Text(1);
    row.last = ParseOwnJson(query.Text(2));
    fn(query.Number(0), row);
  }
}

bool HostLog::EditsUnderWay() const {
  Query query(db_->statements,
              "SELECT 1 FROM host_call c WHERE c.call > (SELECT max(call) - 100 FROM host_call)"
              " AND c.entry > (SELECT ifnull(max(entry), 0) FROM host_said)"
              " AND c.entry > (SELECT ifnull(max(entry), 0) FROM host_turn)"
              " AND EXISTS (SELECT 1 FROM host_row r WHERE r.relation = 'edits' AND r.call = "
              "c.call) AND " +
                  StateOf("c.call") + " = 1 LIMIT 1");
  return query.Next();
}

std::optional<std::int64_t> HostLog::Deciding() const {
  Query query(db_->statements, "SELECT call, " + StateOf("c.call", "?1") +
                                   " FROM host_call c ORDER BY call DESC LIMIT 1");
  query.Bind(db_->Until());
  if (!query.Next() || query.IsNull(1) || query.Number(1) != 0) return std::nullopt;
  return query.Number(0);
}

void HostLog::ForEachActing(std::string_view relation, std::optional<std::int64_t> only,
                            const std::function<void(std::int64_t)>& fn) const {
  std::string sql = "SELECT r.call, min(r.open) FROM host_row r WHERE r.relation = ?1";
  if (only) sql += " AND r.call = ?2";
  if (db_->at) sql += " AND (SELECT entry FROM host_call c WHERE c.call = r.call) <= ?3";
  sql += " GROUP BY r.call HAVING min(r.open) = 0 OR " + StateOf("r.call", "?3") + " <> 2" +
         " ORDER BY r.call DESC";
  Query query(db_->statements, sql);
  query.Bind(relation).Bind(only.value_or(0)).Bind(db_->Until());
  while (query.Next()) fn(query.Number(0));
}

void HostLog::ForEachSaid(const std::function<void(std::int64_t, std::string_view)>& fn) const {
  Query query(db_->statements, "SELECT text FROM host_said WHERE entry <= ? ORDER BY entry");
  query.Bind(db_->Until());
  for (std::int64_t number = 1; query.Next(); ++number) fn(number, query.Text(0));
}

int HostLog::TurnEndsSinceCall() const {
  Query query(db_->statements,
              "SELECT count(*) FROM host_turn WHERE entry > (SELECT ifnull(max(entry), 0) FROM "
              "host_call)");
  query.Next();
  return static_cast<int>(query.Number(0));
}

std::optional<std::int64_t> HostLog::TurnEnd() const {
  const std::int64_t newest = std::min(last(), db_->Until());
  Query query(db_->statements,
              "SELECT count(*) FROM host_turn WHERE entry <= ?1 HAVING max(entry) = ?1");
  query.Bind(newest);
  if (!query.Next()) return std::nullopt;
  return query.Number(0);
}

}  // namespace rpl
