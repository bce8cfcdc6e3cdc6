// SPDX-License-Identifier: Apache-2.0
#include "formats/database.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

namespace rpl {
namespace {

// Pages of the log. A new process reads all of it, even what the database has already: whoever ends
// with more than the first writes the database and empties the log. With more than the second, the
// next commit of the same process begins it anew.
constexpr int kEmptiedPages = 100;
constexpr int kRestartedPages = 4000;

}  // namespace

std::unique_ptr<Database> Database::Open(const std::string& path, const Form& form,
                                         std::chrono::milliseconds patience, std::string& error) {
  // SQLite would create it readable by others; its log takes the mode of the file.
  const int created = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (created < 0) {
    error = std::strerror(errno);
    return nullptr;
  }
  close(created);
  sqlite3* db = nullptr;
  const int code =
      sqlite3_open_v2(path.c_str(), &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  std::unique_ptr<Database> out(new Database(db));
  if (code != SQLITE_OK) {
    error = sqlite3_errstr(code);
    return nullptr;
  }
  sqlite3_busy_timeout(db, static_cast<int>(patience.count()));
  // A checkpoint at the end of each process would write the file as often as there are processes.
  sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_wal_hook(db, OnCommit, out.get());
  error = out->Prepare(form);
  return error.empty() ? std::move(out) : nullptr;
}

Database::~Database() {
  for (const auto& [sql, statement] : statements_) sqlite3_finalize(statement);
  sqlite3_busy_timeout(db_, 0);  // if another process holds it, that one will
  if (log_pages_ > kEmptiedPages)
    sqlite3_wal_checkpoint_v2(db_, nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
  sqlite3_close(db_);
}

int Database::OnCommit(void* self, sqlite3* db, const char*, int pages) {
  static_cast<Database*>(self)->log_pages_ = pages;
  if (pages > kRestartedPages)
    sqlite3_wal_checkpoint_v2(db, nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
  return SQLITE_OK;
}

std::string Database::Prepare(const Form& form) {
  Run("PRAGMA synchronous=NORMAL");
  const auto number_of = [this](const char* pragma) {
    Query query(*this, pragma);
    return query.Next() ? query.Number(0) : 0;
  };
  const auto is_new = [&] {
    return number_of("PRAGMA application_id") == 0 && number_of("PRAGMA user_version") == 0 &&
           number_of("SELECT count(*) FROM sqlite_schema") == 0;
  };
  if (error_.empty() && is_new() && error_.empty()) {
    // Several processes may get here at once; SQLite does not wait in the change to this journal.
    for (int tries = 0; tries < 500; ++tries) {
      error_.clear();
      Run("PRAGMA journal_mode=WAL");
      if (error_.empty()) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    Begin();
    if (error_.empty() && is_new()) {
      Run(form.tables);
      Run(fmt::format("PRAGMA application_id={}; PRAGMA user_version={}", form.application,
                      form.version)
              .c_str());
    }
    if (std::string error = Commit(); !error.empty()) return error;
  }
  const std::int64_t application = number_of("PRAGMA application_id");
  const std::int64_t version = number_of("PRAGMA user_version");
  if (!error_.empty()) return std::exchange(error_, "");
  if (application != form.application) return "it is a file of another kind";
  if (version != form.version)
    return fmt::format("its tables have version {}, and this program knows version {}", version,
                       form.version);
  return "";
}

void Database::Fail() {
  if (!error_.empty()) return;
  error_ = sqlite3_errcode(db_) == SQLITE_BUSY ? "other processes hold it" : sqlite3_errmsg(db_);
}

void Database::Damaged(const char* what) {
  if (error_.empty()) error_ = what;
}

void Database::Run(const char* sql) {
  if (error_.empty() && sqlite3_exec(db_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) Fail();
}

void Database::Begin() {
  error_.clear();
  Run("BEGIN IMMEDIATE");
}

std::string Database::Commit() {
  Run("COMMIT");
  std::string error = error_;
  if (!error.empty()) Rollback();
  return error;
}

void Database::Rollback() {
  error_.clear();
  if (sqlite3_get_autocommit(db_) == 0) sqlite3_exec(db_, "ROLLBACK", nullptr, nullptr, nullptr);
}

Database::Query::Query(Database& database, const char* sql)
    : database_(database), statement_(nullptr) {
  if (!database.error_.empty()) return;
  const auto [known, is_new] = database.statements_.emplace(sql, nullptr);
  if (is_new && sqlite3_prepare_v3(database.db_, sql, -1, SQLITE_PREPARE_PERSISTENT, &known->second,
                                   nullptr) != SQLITE_OK) {
    database.Fail();
    database.statements_.erase(known);
    return;
  }
  statement_ = known->second;
}

Database::Query::~Query() {
  if (statement_ == nullptr) return;
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

Database::Query& Database::Query::Bind(std::int64_t number) {
  if (statement_ != nullptr) sqlite3_bind_int64(statement_, ++bound_, number);
  return *this;
}

Database::Query& Database::Query::Bind(double number) {
  if (statement_ != nullptr) sqlite3_bind_double(statement_, ++bound_, number);
  return *this;
}

Database::Query& Database::Query::Bind(std::string_view text) {
  if (statement_ != nullptr)
    sqlite3_bind_text64(statement_, ++bound_, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
  return *this;
}

bool Database::Query::Next() {
  if (statement_ == nullptr || !database_.error_.empty()) return false;
  const int code = sqlite3_step(statement_);
  if (code != SQLITE_ROW && code != SQLITE_DONE) database_.Fail();
  return code == SQLITE_ROW;
}

std::int64_t Database::Query::Number(int column) const {
  return sqlite3_column_int64(statement_, column);
}

double Database::Query::Real(int column) const { return sqlite3_column_double(statement_, column); }

std::string Database::Query::Text(int column) const {
  const void* bytes = sqlite3_column_text(statement_, column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
  return bytes == nullptr ? "" : std::string(static_cast<const char*>(bytes), size);
}

}  // namespace rpl
