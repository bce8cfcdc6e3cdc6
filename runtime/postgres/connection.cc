// SPDX-License-Identifier: Apache-2.0
#include "runtime/postgres/connection.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <charconv>
#include <future>
#include <map>
#include <mutex>
#include <thread>

#include "runtime/postgres/database_url.h"
#include "runtime/postgres/libpq.h"

namespace rpl {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// How long a wait goes on before it asks whether it was interrupted.
constexpr milliseconds kSlice{50};
/// How long to wait until the server has the request to cancel a statement, and then for the end of
/// the statement before it is asked again.
constexpr milliseconds kCancelMost{2000};
constexpr milliseconds kCancelPause{200};
constexpr int kCancelTries = 3;
/// A limit of the server, and of libpq, which counts in `int`.
constexpr std::size_t kMostParameter = (std::size_t{1} << 30) - 1;
constexpr const char* kInterrupted = "interrupted";
#ifdef RPL_STATIC
constexpr const char* kNoLibpq =
    "this program is linked statically and cannot use PostgreSQL; use the Debian package";
#else
constexpr const char* kNoLibpq =
    "libpq.so.5 cannot be loaded; on Debian it is in the package libpq5";
#endif

void IgnoreNotice(void*, const pg_result*) {}

// The SQLSTATE in a verbose message, `FATAL:  28P01: password …`, which it loses; "" if there is
// none. The library has no other way to learn why a connection was refused.
std::string TakeState(std::string& message) {
  for (std::size_t at = message.rfind(":  "); at != message.npos && at > 0;
       at = message.rfind(":  ", at - 1)) {
    const std::string state = message.substr(at + 3, 5);
    const bool is_state = state.size() == 5 && std::all_of(state.begin(), state.end(), [](char c) {
                            return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
                          });
    if (!is_state || message.compare(at + 8, 2, ": ") != 0) continue;
    message.erase(at + 2, 8);
    if (const std::size_t place = message.find("\nLOCATION:", at); place != message.npos)
      message.erase(place);
    return state;
  }
  return "";
}

}  // namespace

bool MayRetry(std::string_view state) {
  return state.starts_with("40") || state.starts_with("08") || state == "57P01" ||
         state == "57P02" || state == "57P03" || state == "57P05" || state == "53300";
}

SqlValue SqlValue::Binary(std::string bytes) {
  SqlValue out(std::move(bytes));
  out.binary = true;
  return out;
}

std::string SqlArray(const std::vector<std::string_view>& texts) {
  std::string out = "{";
  for (const std::string_view text : texts) {
    out += out.size() == 1 ? "\"" : ",\"";
    for (const char c : text) {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    out += '"';
  }
  return out + "}";
}

std::string SqlBytes(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out = "\\x";
  for (const char c : bytes) {
    out += kDigits[static_cast<unsigned char>(c) >> 4];
    out += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return out;
}

// --- rows ---------------------------------------------------------------------------------

void SqlRows::Clear::operator()(pg_result* result) const { Libpq::Load()->clear(result); }

std::size_t SqlRows::size() const {
  return result_ == nullptr ? 0 : static_cast<std::size_t>(Libpq::Load()->rows(result_.get()));
}

std::size_t SqlRows::columns() const {
  return result_ == nullptr ? 0 : static_cast<std::size_t>(Libpq::Load()->columns(result_.get()));
}

std::size_t SqlRows::affected() const {
  if (result_ == nullptr) return 0;
  const std::string_view text = Libpq::Load()->affected(result_.get());
  std::size_t out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

std::string_view SqlRows::Tag() const {
  return result_ == nullptr ? "" : Libpq::Load()->tag(result_.get());
}

std::string SqlRows::Name(std::size_t column) const {
  const char* const name = Libpq::Load()->column_name(result_.get(), static_cast<int>(column));
  return name == nullptr ? "" : name;
}

std::uint32_t SqlRows::Type(std::size_t column) const {
  return Libpq::Load()->column_type(result_.get(), static_cast<int>(column));
}

std::int32_t SqlRows::Modifier(std::size_t column) const {
  return Libpq::Load()->column_modifier(result_.get(), static_cast<int>(column));
}

bool SqlRows::IsNull(std::size_t row, std::size_t column) const {
  return Libpq::Load()->is_null(result_.get(), static_cast<int>(row), static_cast<int>(column)) !=
         0;
}

std::string_view SqlRows::Text(std::size_t row, std::size_t column) const {
  const Libpq& pq = *Libpq::Load();
  const int r = static_cast<int>(row);
  const int c = static_cast<int>(column);
  return {pq.value(result_.get(), r, c), static_cast<std::size_t>(pq.length(result_.get(), r, c))};
}

std::int64_t SqlRows::Number(std::size_t row, std::size_t column) const {
  const std::string_view text = Text(row, column);
  std::int64_t out = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
  return read.ec == std::errc() && read.ptr == text.data() + text.size() ? out : 0;
}

std::string SqlRows::Bytes(std::size_t row, std::size_t column) const {
  const std::string_view text = Text(row, column);
  if (!text.starts_with("\\x") || text.size() % 2 != 0) return "";
  std::string out;
  out.reserve(text.size() / 2 - 1);
  for (std::size_t i = 2; i < text.size(); i += 2) {
    unsigned byte = 0;
    const auto read = std::from_chars(text.data() + i, text.data() + i + 2, byte, 16);
    if (read.ptr != text.data() + i + 2) return "";
    out += static_cast<char>(byte);
  }
  return out;
}

// --- connecting ---------------------------------------------------------------------------

SqlConnection::SqlConnection(Options options)
    : options_(std::move(options)), shown_(WithoutPassword(options_.url)) {
  if (CheckDatabaseUrl(options_.url).empty()) secrets_ = PasswordsOf(options_.url);
}

namespace {

// The connections that are kept for the next SqlConnection.
class IdleConnections {
 public:
  static IdleConnections& Get() {
    static IdleConnections idle;
    return idle;
  }
  void Keep(std::size_t most) {
    const std::lock_guard lock(mutex_);
    most_ = most;
  }
  /// Whether it was taken.
  bool Put(const std::string& url, PGconn* connection) {
    const std::lock_guard lock(mutex_);
    if (idle_.size() >= most_) return false;
    idle_.emplace(url, connection);
    return true;
  }
  /// Null if there is none.
  PGconn* Take(const std::string& url) {
    const std::lock_guard lock(mutex_);
    const auto at = idle_.find(url);
    return at == idle_.end() ? nullptr : idle_.extract(at).mapped();
  }
  void Drop(const std::string& url) {
    while (PGconn* const connection = Take(url)) Libpq::Load()->finish(connection);
  }

 private:
  std::mutex mutex_;
  std::size_t most_ = 0;
  std::multimap<std::string, PGconn*> idle_;
};

}  // namespace

void SqlConnection::KeepIdle(std::size_t most) { IdleConnections::Get().Keep(most); }

SqlConnection::~SqlConnection() {
  if (connection_ != nullptr && !in_transaction_ &&
      IdleConnections::Get().Put(options_.url, connection_))
    connection_ = nullptr;
  Close();
}

SqlConnection::Opened SqlConnection::Open(Options options) {
  Opened out;
  out.connection = std::make_unique<SqlConnection>(std::move(options));
  out.error = out.connection->Connect();
  if (out.error) out.connection.reset();
  return out;
}

void SqlConnection::Close() {
  if (connection_ != nullptr) Libpq::Load()->finish(connection_);
  connection_ = nullptr;
}

SqlError SqlConnection::Connect() {
  Close();
  if (const std::string why = CheckDatabaseUrl(options_.url); !why.empty()) return {"", why};
  const Libpq* const pq = Libpq::Load();
  if (pq == nullptr) return {"", kNoLibpq};
  connection_ = IdleConnections::Get().Take(options_.url);
  if (connection_ != nullptr) return {};
  // Parameters of the URL override those before `dbname`, and are overridden by those after it.
  const char* const names[] = {"fallback_application_name", "dbname", "client_encoding", nullptr};
  const char* const values[] = {"rpl", options_.url.c_str(), "UTF8", nullptr};
  connection_ = pq->connect_start(names, values, 1);
  if (connection_ == nullptr) return {"", "no memory for a connection"};
  pq->set_notice_receiver(connection_, IgnoreNotice, nullptr);
  pq->set_error_verbosity(connection_, PQERRORS_VERBOSE);
  const Deadline deadline = steady_clock::now() + options_.connect_most;
  PostgresPollingStatusType state =
      pq->status(connection_) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING;
  while (state != PGRES_POLLING_OK && state != PGRES_POLLING_FAILED) {
    if (SqlError error = Wait(state == PGRES_POLLING_WRITING, deadline)) return error;
    state = pq->connect_poll(connection_);
  }
  if (state == PGRES_POLLING_FAILED) {
    SqlError error;
    std::string message = pq->error_message(connection_);
    error.state = TakeState(message);
    error.message = Clean(std::move(message));
    // Without an SQLSTATE the server was not reached, unless the library itself gave up.
    error.retry =
        error.state.empty() ? pq->needs_password(connection_) == 0 : MayRetry(error.state);
    error.lost = true;
    Close();
    return error;
  }
  pq->set_error_verbosity(connection_, PQERRORS_DEFAULT);
  pq->set_nonblocking(connection_, 1);
  return {};
}

// --- waiting ------------------------------------------------------------------------------

// Waits until the server has sent something or, with `to_write`, more can be sent to it.
SqlError SqlConnection::Wait(bool to_write, Deadline deadline) {
  const Libpq& pq = *Libpq::Load();
  for (;;) {
    pollfd one{pq.socket(connection_), static_cast<short>(to_write ? POLLIN | POLLOUT : POLLIN), 0};
    const auto left = std::chrono::duration_cast<milliseconds>(deadline - steady_clock::now());
    if (left.count() <= 0) return GivenUp("");
    if (poll(&one, 1, static_cast<int>(std::min(left, kSlice).count())) > 0) return {};
    if (options_.interrupted && options_.interrupted()) return GivenUp(kInterrupted);
  }
}

// Asks the server to cancel the statement. False if the request did not arrive in time.
bool SqlConnection::SendCancel() {
  const Libpq& pq = *Libpq::Load();
  PGcancel* const request =
      pq.status(connection_) == CONNECTION_OK ? pq.get_cancel(connection_) : nullptr;
  if (request == nullptr) return false;
  // The request is a connection of its own, which may hang as well.
  std::promise<void> promise;
  const std::future<void> sent = promise.get_future();
  std::thread([&pq, request, done = std::move(promise)]() mutable {
    char error[256];
    pq.cancel(request, error, sizeof error);
    pq.free_cancel(request);
    done.set_value();
  }).detach();
  return sent.wait_for(kCancelMost) == std::future_status::ready;
}

// Ends a wait: the server is asked to cancel the statement, and the connection is closed. A request
// that arrives before the server has begun the statement cancels nothing, so it is sent again, up
// to three times, until there is an answer.
SqlError SqlConnection::GivenUp(const char* why) {
  for (int tries = 0; tries < kCancelTries && SendCancel(); ++tries) {
    pollfd one{Libpq::Load()->socket(connection_), POLLIN, 0};
    if (poll(&one, 1, static_cast<int>(kCancelPause.count())) > 0) break;
  }
  Close();
  if (*why != '\0') return {"", why, false, true};
  return {"", "the database does not answer", true, true};
}

SqlError SqlConnection::Lost(const std::string& message) {
  const std::string clean = Clean(message);
  Close();
  IdleConnections::Get().Drop(options_.url);
  return {"", clean.empty() ? "the connection to the database is lost" : clean, true, true};
}

// The message on one line, without passwords.
std::string SqlConnection::Clean(std::string message) const {
  for (const std::string& secret : secrets_)
    for (std::size_t at = 0; (at = message.find(secret, at)) != message.npos; at += 3)
      message.replace(at, secret.size(), "***");
  std::string out;
  for (const char c : message) {
    const bool blank = c == '\n' || c == '\t' || c == '\r' || c == ' ';
    if (!blank) out += c;
    else if (!out.empty() && out.back() != ' ') out += ' ';
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

SqlError SqlConnection::ErrorOf(const pg_result* result) {
  const Libpq& pq = *Libpq::Load();
  const auto field = [&](int name) {
    const char* const text = pq.error_field(result, name);
    return std::string(text == nullptr ? "" : text);
  };
  SqlError error;
  error.state = field(PG_DIAG_SQLSTATE);
  std::string message = field(PG_DIAG_MESSAGE_PRIMARY);
  if (const std::string detail = field(PG_DIAG_MESSAGE_DETAIL); !detail.empty())
    message += "; " + detail;
  error.lost = pq.status(connection_) == CONNECTION_BAD;
  if (message.empty()) message = pq.error_message(connection_);
  error.message = Clean(std::move(message));
  if (error.message.empty()) error.message = "the statement failed";
  error.retry = error.lost || MayRetry(error.state);
  return error;
}

// --- statements ---------------------------------------------------------------------------

SqlError SqlConnection::Injected(std::string_view sql, bool done) {
  if (!options_.fault) return {};
  SqlError error = options_.fault(sql, done);
  if (error && error.lost) Close();
  return error;
}

SqlError SqlConnection::Flush(Deadline deadline) {
  const Libpq& pq = *Libpq::Load();
  for (;;) {
    const int left = pq.flush(connection_);
    if (left == 0) return {};
    if (left < 0) return Lost(pq.error_message(connection_));
    if (SqlError error = Wait(true, deadline)) return error;
    // The server may wait until its own answers are read.
    if (pq.consume_input(connection_) == 0) return Lost(pq.error_message(connection_));
  }
}

SqlError SqlConnection::Send(const std::string& sql, const std::vector<SqlValue>& parameters,
                             bool by_row) {
  const Libpq& pq = *Libpq::Load();
  std::vector<const char*> values;
  std::vector<int> lengths;
  std::vector<int> formats;
  for (const SqlValue& parameter : parameters) {
    if (parameter.text && parameter.text->size() > kMostParameter)
      return {"", "a value of more than 1 GB, which PostgreSQL does not take"};
    values.push_back(parameter.text ? parameter.text->c_str() : nullptr);
    lengths.push_back(parameter.text ? static_cast<int>(parameter.text->size()) : 0);
    formats.push_back(parameter.binary ? 1 : 0);
  }
  if (pq.send_query(connection_, sql.c_str(), static_cast<int>(parameters.size()), nullptr,
                    values.data(), lengths.data(), formats.data(), 0) == 0) {
    if (pq.status(connection_) == CONNECTION_BAD) return Lost(pq.error_message(connection_));
    return {"", Clean(pq.error_message(connection_))};
  }
  if (by_row) pq.set_single_row_mode(connection_);
  return Flush(steady_clock::now() + options_.answer_most);
}

// Sends a statement, over a new connection if there is none and no transaction is open.
SqlError SqlConnection::Begin(const std::string& sql, const std::vector<SqlValue>& parameters,
                              bool by_row) {
  if (connection_ == nullptr) {
    if (in_transaction_) return Lost("");
    if (SqlError error = Connect()) return error;
  }
  if (SqlError error = Injected(sql, false)) return error;
  return Send(sql, parameters, by_row);
}

// The next part of the answer; null at its end.
SqlError SqlConnection::NextResult(Deadline deadline, pg_result*& result) {
  const Libpq& pq = *Libpq::Load();
  result = nullptr;
  while (pq.is_busy(connection_) != 0) {
    if (SqlError error = Wait(false, deadline)) return error;
    // What was read before the end of the connection is still an answer.
    if (pq.consume_input(connection_) == 0 && pq.is_busy(connection_) != 0)
      return Lost(pq.error_message(connection_));
  }
  result = pq.get_result(connection_);
  return {};
}

SqlError SqlConnection::RunStatement(const std::string& sql,
                                     const std::vector<SqlValue>& parameters, bool by_row,
                                     const std::function<bool(SqlRows)>& take) {
  if (SqlError error = Begin(sql, parameters, by_row)) return error;
  const Libpq& pq = *Libpq::Load();
  SqlError first;
  for (;;) {
    pg_result* result = nullptr;
    if (SqlError error = NextResult(steady_clock::now() + options_.answer_most, result))
      return first ? first : error;
    if (result == nullptr) break;
    SqlRows rows(result);
    const ExecStatusType status = pq.result_status(result);
    if (status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH) {
      Close();
      return {"", "COPY is no statement that gives rows", false, true};
    }
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && status != PGRES_SINGLE_TUPLE) {
      if (!first) first = ErrorOf(result);
      if (first.lost) break;
      continue;
    }
    if (!first && take && !take(std::move(rows))) {
      Close();
      return {};
    }
  }
  if (first.lost) Close();
  if (first) return first;
  return Injected(sql, true);
}

SqlResult SqlConnection::Execute(const std::string& sql, const std::vector<SqlValue>& parameters) {
  SqlResult out;
  out.error = RunStatement(sql, parameters, false, [&](SqlRows rows) {
    out.rows = std::move(rows);
    return true;
  });
  if (out.error) out.rows = SqlRows();
  return out;
}

SqlError SqlConnection::ForEachRow(const std::string& sql, const std::vector<SqlValue>& parameters,
                                   const std::function<bool(const SqlRows&)>& take) {
  // The last part of the answer has no row.
  return RunStatement(sql, parameters, true,
                      [&](SqlRows rows) { return rows.size() == 0 || take(rows); });
}

SqlError SqlConnection::CopyIn(const std::string& sql,
                               const std::function<std::optional<std::string>()>& next) {
  if (SqlError error = Begin(sql, {}, false)) return error;
  const Libpq& pq = *Libpq::Load();
  const auto deadline = [&] { return steady_clock::now() + options_.answer_most; };
  SqlError first;
  bool copied = false;
  for (;;) {
    pg_result* result = nullptr;
    if (SqlError error = NextResult(deadline(), result)) return first ? first : error;
    if (result == nullptr) break;
    const SqlRows rows(result);
    const ExecStatusType status = pq.result_status(result);
    if (status == PGRES_COPY_IN) {
      copied = true;
      for (std::optional<std::string> piece; (piece = next());) {
        while (pq.put_copy_data(connection_, piece->data(), static_cast<int>(piece->size())) == 0)
          if (SqlError error = Wait(true, deadline())) return error;
        if (SqlError error = Flush(deadline())) return error;
      }
      while (pq.put_copy_end(connection_, nullptr) == 0)
        if (SqlError error = Wait(true, deadline())) return error;
      if (SqlError error = Flush(deadline())) return error;
    } else if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
      if (!first) first = ErrorOf(result);
      if (first.lost) break;
    }
  }
  if (first.lost) Close();
  if (first) return first;
  if (!copied) return {"", "expected COPY … FROM STDIN"};
  return Injected(sql, true);
}

// --- transactions -------------------------------------------------------------------------

SqlConnection::Noticed SqlConnection::WaitForNotices(std::chrono::milliseconds most) {
  Noticed out;
  if (connection_ == nullptr) {
    out.error = {"", "the connection to the database is lost", true, true};
    return out;
  }
  const Libpq& pq = *Libpq::Load();
  const auto deadline = steady_clock::now() + most;
  for (;;) {
    while (PGnotify* const notice = pq.notifies(connection_)) {
      out.notices.push_back({notice->relname, notice->extra});
      pq.free_memory(notice);
    }
    const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now());
    if (!out.notices.empty() || left.count() <= 0) return out;
    pollfd one{pq.socket(connection_), POLLIN, 0};
    if (poll(&one, 1, static_cast<int>(left.count())) <= 0) continue;
    if (pq.consume_input(connection_) == 0) {
      out.error = Lost(pq.error_message(connection_));
      return out;
    }
  }
}

SqlError SqlConnection::InTransaction(const std::string& begin,
                                      const std::function<SqlError()>& work) {
  SqlError error = Execute(begin).error;
  if (error) return error;
  in_transaction_ = true;
  error = work();
  if (!error) {
    SqlResult end = Execute("COMMIT");
    error = std::move(end.error);
    // The server's answer to COMMIT where a statement failed and `work` did not say so.
    if (!error && end.rows.Tag() == "ROLLBACK")
      error = {"25P02", "the transaction was rolled back, because a statement of it failed"};
  }
  // A failed COMMIT has rolled back, or the connection is gone; ROLLBACK is then a notice.
  if (error && connection_ != nullptr && Execute("ROLLBACK").error) Close();
  in_transaction_ = false;
  return error;
}

SqlError SqlConnection::MakeTables(const RetryLimits& limits,
                                   const std::vector<std::string>& statements) {
  return WithRetry(limits, [&]() -> SqlError {
    for (const std::string& statement : statements) {
      SqlError error = Execute(statement).error;
      // Two at once: the other one has made it.
      if (error.state == "23505" || error.state == "42P07" || error.state == "42710") continue;
      if (error) return error;
    }
    return {};
  });
}

SqlError SqlConnection::WithRetry(const RetryLimits& limits,
                                  const std::function<SqlError()>& transaction) {
  const auto start = steady_clock::now();
  milliseconds pause = limits.first_pause;
  for (int tries = 1;; ++tries) {
    SqlError error = transaction();
    if (!error || !error.retry) return error;
    const auto now = steady_clock::now();
    if (now - start + pause >= limits.most) {
      error.message += fmt::format(" (tried {} time{} in {:.1f} s)", tries, tries == 1 ? "" : "s",
                                   std::chrono::duration<double>(now - start).count());
      return error;
    }
    for (const Deadline end = now + pause; steady_clock::now() < end;) {
      std::this_thread::sleep_for(
          std::min<steady_clock::duration>(kSlice, end - steady_clock::now()));
      if (options_.interrupted && options_.interrupted())
        return {"", kInterrupted, false, error.lost};
    }
    pause = std::min(2 * pause, limits.longest_pause);
  }
}

}  // namespace rpl
