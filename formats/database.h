// SPDX-License-Identifier: Apache-2.0
//
// A database in one file (SQLite), shared by the processes of a user.
//
// A new file gets mode 0600, and its tables; an existing one is opened if its application and
// version are the expected ones. The journal is a write-ahead log: readers do not wait for a
// writer, and one writer waits for another for as long as the patience lasts. What a transaction
// committed survives the end of the process in any way; a failure of the whole machine may lose the
// last transactions, never a part of one. The schema of a file is not trusted: its triggers and
// views cannot call functions with effects.
//
// The first error since Begin is kept; every query after it does nothing and has no rows, so a
// caller asks once, at the end. One thread.
#ifndef RPL_FORMATS_DATABASE_H_
#define RPL_FORMATS_DATABASE_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

struct sqlite3;
struct sqlite3_stmt;

namespace rpl {

class Database {
 public:
  /// The kind of a file: its application id, the version of its tables, and the statements that
  /// make them.
  struct Form {
    std::int32_t application;
    std::int32_t version;
    const char* tables;
  };

  /// Opens a file, which need not exist. Null, with a reason for people in `error`, if it cannot be
  /// opened, is no database, or one of another form.
  static std::unique_ptr<Database> Open(const std::string& path, const Form& form,
                                        std::chrono::milliseconds patience, std::string& error);
  ~Database();
  Database(const Database&) = delete;

  /// Begins a transaction that will write. After an error the caller calls Rollback.
  void Begin();
  /// Commits, or rolls back if there was an error. Returns the error, or "".
  std::string Commit();
  void Rollback();
  /// Rows do not say what they should: the transaction cannot be committed.
  void Damaged(const char* what);
  /// The first error since Begin or Rollback, or "".
  const std::string& error() const { return error_; }

  /// One execution of a statement. At most one at a time of the same statement.
  class Query {
   public:
    /// REQUIRES: `sql` is a literal, by whose address the prepared statement is kept.
    Query(Database& database, const char* sql);
    ~Query();
    Query(const Query&) = delete;

    /// Bind the next parameter. A text must stay valid until the query is destroyed.
    Query& Bind(std::int64_t number);
    Query& Bind(double number);
    Query& Bind(std::string_view text);

    /// Goes to the next row; false if there is none.
    bool Next();
    /// Executes a statement without rows.
    void Run() { Next(); }
    std::int64_t Number(int column) const;
    double Real(int column) const;
    std::string Text(int column) const;

   private:
    Database& database_;
    sqlite3_stmt* statement_;  // null after an error
    int bound_ = 0;
  };

 private:
  explicit Database(sqlite3* db) : db_(db) {}
  std::string Prepare(const Form& form);
  void Run(const char* sql);
  void Fail();

  static int OnCommit(void* self, sqlite3* db, const char*, int pages);

  sqlite3* db_;
  int log_pages_ = 0;
  std::unordered_map<const char*, sqlite3_stmt*> statements_;
  std::string error_;
};

}  // namespace rpl

#endif  // RPL_FORMATS_DATABASE_H_
