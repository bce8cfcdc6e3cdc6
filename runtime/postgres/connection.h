// SPDX-License-Identifier: Apache-2.0
//
// A connection to a PostgreSQL database by libpq, which is loaded at the first use: linked, it and
// its libraries would be loaded whenever rpl starts. Nothing but connection.cc uses libpq
// (libpq.h).
//
// Every failure is an SqlError. None aborts, none is swallowed, and no message contains the
// password of the URL. A statement is sent and its answer awaited without blocking: an interrupt or
// a deadline ends the wait within 200 ms, and with it the connection, because the fate of the
// statement is then unknown.
//
// A transaction may fail at any statement because another one was in its way, or because the
// server or the network went away. SqlError::retry tells these failures apart; the remedy is to run
// the *whole* transaction again (WithRetry), never a single statement of it. If the connection is
// lost while COMMIT, or a statement outside of a transaction, is under way, nobody knows whether it
// took effect: a transaction that is run again must find that out itself.
//
// One thread at a time.
#ifndef RPL_RUNTIME_POSTGRES_CONNECTION_H_
#define RPL_RUNTIME_POSTGRES_CONNECTION_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct pg_conn;
struct pg_result;

namespace rpl {

struct SqlError {
  std::string state;    // the SQLSTATE, five characters; "" if the server gave none
  std::string message;  // for people, on one line; "": there is no error
  bool retry = false;   // running the whole transaction again may help
  bool lost = false;    // the connection is closed; the statement may have taken effect

  explicit operator bool() const { return !message.empty(); }
};

/// Whether another try of the transaction may succeed after an error with this SQLSTATE: 40001,
/// 40P01 and the rest of class 40; 57P01 to 57P03 and 57P05; class 08; 53300.
bool MayRetry(std::string_view state);

/// A parameter of a statement, `$1` for the first; nullopt is NULL. Text is in the server's input
/// format and without zero bytes, binary (for `bytea`) are the bytes themselves.
struct SqlValue {
  SqlValue(std::string given) : text(std::move(given)) {}        // NOLINT: implicit
  SqlValue(const char* given) : text(given) {}                   // NOLINT: implicit
  SqlValue(std::string_view given) : text(given) {}              // NOLINT: implicit
  SqlValue(std::int64_t given) : text(std::to_string(given)) {}  // NOLINT: implicit
  SqlValue(std::nullopt_t) {}                                    // NOLINT: implicit
  static SqlValue Binary(std::string bytes);

  std::optional<std::string> text;
  bool binary = false;
};

/// The texts as an array in the server's input format: `{"a","b"}`.
std::string SqlArray(const std::vector<std::string_view>& texts);
/// The bytes as `bytea` has them in text: `\x00ff`.
std::string SqlBytes(std::string_view bytes);

/// The rows of an answer, in the order in which the server sent them. Texts are valid as long as
/// this is. REQUIRES of all: row and column exist.
class SqlRows {
 public:
  SqlRows() = default;
  explicit SqlRows(pg_result* result) : result_(result) {}

  std::size_t size() const;
  std::size_t columns() const;
  /// The number of rows that INSERT, UPDATE or DELETE changed, or SELECT returned.
  std::size_t affected() const;
  /// The server's word for the statement, "SELECT 3" or "COMMIT".
  std::string_view Tag() const;
  std::string Name(std::size_t column) const;
  /// The type of a column by its object identifier, of a domain that below it; and the modifier of
  /// the type, -1 without one.
  std::uint32_t Type(std::size_t column) const;
  std::int32_t Modifier(std::size_t column) const;
  bool IsNull(std::size_t row, std::size_t column) const;
  /// The value in the server's text format; "" for NULL.
  std::string_view Text(std::size_t row, std::size_t column) const;
  /// Of an integer; 0 if it is none.
  std::int64_t Number(std::size_t row, std::size_t column) const;
  /// Of a `bytea`; "" if it is none.
  std::string Bytes(std::size_t row, std::size_t column) const;

 private:
  struct Clear {
    void operator()(pg_result* result) const;
  };
  std::unique_ptr<pg_result, Clear> result_;
};

struct SqlResult {
  SqlRows rows;
  SqlError error;
};

/// How to run a transaction again.
struct RetryLimits {
  std::chrono::milliseconds most{60'000};  // from the first try to the start of the last one
  std::chrono::milliseconds first_pause{10};
  std::chrono::milliseconds longest_pause{1'000};
};

class SqlConnection {
 public:
  struct Options {
    std::string url;
    std::chrono::milliseconds connect_most{10'000};  // for all hosts of the URL together
    /// The longest wait for the answer to one statement; then the connection counts as lost.
    std::chrono::milliseconds answer_most{60'000};
    /// Polled by the waiting thread from the first 50 ms of a wait on; null: never.
    std::function<bool()> interrupted = nullptr;
    /// For tests. Called before each statement is sent (`done` is false) and after its answer
    /// came: an error takes the place of the answer. With `lost`, the connection is closed as well.
    std::function<SqlError(std::string_view sql, bool done)> fault = nullptr;
  };

  struct Opened {
    std::unique_ptr<SqlConnection> connection;  // null with an error
    SqlError error;
  };
  /// Connects once; no retry.
  static Opened Open(Options options);
  /// A connection that is not open yet: the first Execute or WithRetry opens it.
  explicit SqlConnection(Options options);
  ~SqlConnection();
  SqlConnection(const SqlConnection&) = delete;

  /// Runs one statement. On a lost connection outside of a transaction, connects first.
  SqlResult Execute(const std::string& sql, const std::vector<SqlValue>& parameters = {});
  /// The same, row by row, without holding them all: `take` gets each row as the only one of its
  /// SqlRows, and ends the statement, and with it the connection, by returning false.
  SqlError ForEachRow(const std::string& sql, const std::vector<SqlValue>& parameters,
                      const std::function<bool(const SqlRows&)>& take);
  /// COPY … FROM STDIN: `next` gives pieces of the data until nullopt.
  SqlError CopyIn(const std::string& sql, const std::function<std::optional<std::string>()>& next);

  /// Runs `begin` ("BEGIN", or with an isolation level), `work` and COMMIT; ROLLBACK after an error
  /// of `work`, which is returned. No retry.
  SqlError InTransaction(const std::string& begin, const std::function<SqlError()>& work);

  /// Runs `transaction` again, whole, while it fails with an error that may pass, over a new
  /// connection if that was lost, with growing pauses. After `limits.most` the error says how long
  /// and how often it was tried. An interrupt ends it.
  SqlError WithRetry(const RetryLimits& limits, const std::function<SqlError()>& transaction);

  /// Runs statements that make tables, indexes and the like where they are missing. What another
  /// process makes at the same time counts as made.
  SqlError MakeTables(const RetryLimits& limits, const std::vector<std::string>& statements);

  struct Notice {
    std::string channel;
    std::string payload;
  };
  struct Noticed {
    std::vector<Notice> notices;
    SqlError error;
  };
  /// Waits for notifications of the channels that this connection LISTENs to: those that came, none
  /// after `most`. An interrupt does not end it. A connection that was lost is not opened again,
  /// because it would listen to nothing.
  Noticed WaitForNotices(std::chrono::milliseconds most);

  /// For a process that opens many connections one after the other: from now on up to `most` of
  /// those that are open at the end of their SqlConnection are kept, for the next one with the same
  /// URL. A server that went away is noticed by its first statement, as with any connection; then
  /// those to it are dropped. Affects the whole process; any thread.
  static void KeepIdle(std::size_t most);

  /// The URL as it may be shown.
  const std::string& shown() const { return shown_; }
  const Options& options() const { return options_; }
  void SetAnswerMost(std::chrono::milliseconds most) { options_.answer_most = most; }
  bool is_open() const { return connection_ != nullptr; }
  void Close();

 private:
  using Deadline = std::chrono::steady_clock::time_point;

  SqlError Connect();
  SqlError Wait(bool to_write, Deadline deadline);
  SqlError Begin(const std::string& sql, const std::vector<SqlValue>& parameters, bool by_row);
  SqlError Send(const std::string& sql, const std::vector<SqlValue>& parameters, bool by_row);
  SqlError Flush(Deadline deadline);
  SqlError NextResult(Deadline deadline, pg_result*& result);
  SqlError RunStatement(const std::string& sql, const std::vector<SqlValue>& parameters,
                        bool by_row, const std::function<bool(SqlRows)>& take);
  SqlError Injected(std::string_view sql, bool done);
  SqlError Lost(const std::string& message);
  SqlError ErrorOf(const pg_result* result);
  bool SendCancel();
  SqlError GivenUp(const char* why);
  std::string Clean(std::string message) const;

  Options options_;
  std::string shown_;
  std::vector<std::string> secrets_;
  pg_conn* connection_ = nullptr;
  bool in_transaction_ = false;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_POSTGRES_CONNECTION_H_
