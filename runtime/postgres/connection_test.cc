// SPDX-License-Identifier: Apache-2.0
#include "runtime/postgres/connection.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <set>

#include "formats/sql_text.h"
#include "interp/testing/testing_folder.h"
#include "runtime/postgres/database_url.h"
#include "runtime/postgres/test_cluster.h"

namespace rpl {
namespace {

using std::chrono::milliseconds;
using testing::TestCluster;

constexpr RetryLimits kShort{milliseconds(400), milliseconds(1), milliseconds(20)};

std::unique_ptr<SqlConnection> Connected(const std::string& url) {
  SqlConnection::Opened opened = SqlConnection::Open({.url = url});
  REQUIRE(opened.error.message == "");
  return std::move(opened.connection);
}

TEST_CASE("a connection that is kept is used again, unless its server went away") {
  TestCluster* const cluster = TestCluster::Get();
  if (cluster == nullptr) return;
  const std::string url = cluster->Url(cluster->NewDatabase());
  const auto process = [&](SqlConnection& connection) {
    std::string out;
    const SqlError error = connection.WithRetry({}, [&] {
      SqlResult result = connection.Execute("SELECT pg_backend_pid()");
      if (!result.error) out = std::string(result.rows.Text(0, 0));
      return result.error;
    });
    CHECK(error.message == "");
    return out;
  };
  SqlConnection::KeepIdle(1);
  const std::string first = process(*Connected(url));
  CHECK(process(*Connected(url)) == first);
  {
    const auto one = Connected(url), two = Connected(url);
    CHECK(process(*one) == first);
    CHECK(process(*two) != first);
  }
  {
    const auto open = Connected(url);
    const SqlError failed = open->InTransaction("BEGIN", [] { return SqlError{"", "no"}; });
    CHECK(failed.message == "no");
  }
  const auto before = Connected(url);
  const std::string kept = process(*before);
  cluster->Restart();
  CHECK(process(*before) != kept);
  SqlConnection::KeepIdle(0);
}

TEST_CASE("the URL of a session in a database is read as it was made") {
  for (const char* database : {"postgresql://ada@h/d", "postgresql://ada:pw@h:1/d?host=/tmp"}) {
    CAPTURE(database);
    const SessionUrl plain = SessionUrlOf(SessionUrlIn(database, "s_1"));
    CHECK(plain.error == "");
    CHECK(plain.database == database);
    CHECK(plain.session == "s_1");
    const SessionUrl leased = SessionUrlOf(SessionUrlIn(database, "s-2", std::chrono::seconds(7)));
    CHECK(leased.error == "");
    CHECK(leased.database == database);
    CHECK(leased.session == "s-2");
    CHECK(leased.lease == std::chrono::seconds(7));
  }
}

TEST_CASE("a URL is shown without its password") {
  CHECK(WithoutPassword("postgresql://ada:pw@h/d/s") == "postgresql://ada:***@h/d/s");
  CHECK(WithoutPassword("postgresql://ada@h/d/s") == "postgresql://ada@h/d/s");
  CHECK(WithoutPassword("postgres://h/d?user=a&password=pw&x=1") ==
        "postgres://h/d?user=a&password=***&x=1");
  CHECK(WithoutPassword("postgres://h/d?pass%77ord=pw") == "postgres://h/d?pass%77ord=***");
  CHECK(WithoutPassword("postgresql://ada:a@h/d") == "postgresql://ada:***@h/d");
  CHECK(WithoutPassword("session:file@x") == "session:file@x");
}

TEST_CASE("no part of a password is shown of a URL that libpq would cut elsewhere") {
  for (const char* url :
       {"postgresql://ada:se@cret@h/d", "postgresql://ada:se/cret@h/d",
        "postgresql://ada:se?cret@h/d", "postgresql://ada:se:cret@h/d", "postgresql://ada:secret/d",
        "postgresql://ada:sec%ret@h/d", "postgresql://h/d?password=se@cret",
        "postgresql://a:se#cret@h:secret/d", "postgresql://ada:se cret@h/d"}) {
    CAPTURE(url);
    const std::string error = CheckDatabaseUrl(url);
    CHECK(error != "");
    CHECK(error.find("cret") == error.npos);
    CHECK(WithoutPassword(url).find("cret") == std::string::npos);
    const SqlError refused = SqlConnection::Open({.url = url}).error;
    CHECK(refused.message == error);
    CHECK(!refused.retry);
  }
  for (const char* url :
       {"postgresql://", "postgresql:///d",
        "postgres://ada:p%40w@h:1,[::1]:5432,/d?host=/tmp&a=", "postgresql://@/d?host=/tmp"}) {
    CAPTURE(url);
    CHECK(CheckDatabaseUrl(url) == "");
  }
  CHECK(PasswordsOf("postgresql://a:p%40w@h/d?sslpassword=q") ==
        std::vector<std::string>{"p%40w", "p@w", "q", "q"});
}

TEST_CASE("an SQLSTATE says whether another try may help") {
  for (const char* state :
       {"40001", "40P01", "40003", "57P01", "57P02", "57P03", "57P05", "08006", "08003", "53300"})
    CHECK(MayRetry(state));
  for (const char* state : {"", "28P01", "3D000", "42501", "23505", "57014", "57P04", "42P01"})
    CHECK(!MayRetry(state));
}

TEST_CASE("values go through the database as they are") {
  TestCluster* const cluster = TestCluster::Get();
  if (cluster == nullptr) return;
  const auto connection = Connected(cluster->Url());
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  const std::string quotes = "a\"b\\c,{d}'é\n";
  const SqlResult result = connection->Execute(
      "SELECT $1::text, $2::bytea, $3::bigint, $4::text, ($5::text[])[2], $6::bytea AS six",
      {quotes, SqlValue::Binary(all), std::int64_t{-7}, std::nullopt, SqlArray({"x", quotes}),
       SqlBytes(all)});
  REQUIRE(result.error.message == "");
  REQUIRE(result.rows.size() == 1);
  CHECK(result.rows.columns() == 6);
  CHECK(result.rows.Name(5) == "six");
  CHECK(result.rows.Text(0, 0) == quotes);
  CHECK(result.rows.Bytes(0, 1) == all);
  CHECK(result.rows.Number(0, 2) == -7);
  CHECK(result.rows.IsNull(0, 3));
  CHECK(!result.rows.IsNull(0, 0));
  CHECK(result.rows.Text(0, 4) == quotes);
  CHECK(result.rows.Bytes(0, 5) == all);
  const SqlResult named =
      connection->Execute("SELECT 1 AS " + SqlName("a \"b\"") + " FROM generate_series(1, 3)");
  CHECK(named.rows.Name(0) == "a \"b\"");
  CHECK(named.rows.affected() == 3);
}

TEST_CASE("a failed statement is an error with its SQLSTATE, and the connection goes on") {
  TestCluster* const cluster = TestCluster::Get();
  if (cluster == nullptr) return;
  const auto connection = Connected(cluster->Url());
  const SqlError error = connection->Execute("SELECT * FROM nothing_here").error;
  CHECK(error.state == "42P01");
  CHECK(error.message == "relation \"nothing_here\" does not exist");
  CHECK(!error.retry);
  CHECK(!error.lost);
  CHECK(connection->Execute("SELECT 1").rows.Number(0, 0) == 1);
  CHECK(connection->Execute("SELECT 1; SELECT 2").error.state == "42601");
  CHECK(connection->Execute("COPY (SELECT 1) TO STDOUT").error.message != "");
  CHECK(connection->Execute("SELECT 1").rows.Number(0, 0) == 1);
}

TEST_CASE("rows come one by one, and rows of any number go in") {
  TestCluster* const cluster = TestCluster::Get();
  if (cluster == nullptr) return;
  const auto connection = Connected(cluster->Url());
  REQUIRE(!connection->Execute("CREATE TEMP TABLE many (n bigint, t text)").error);
  int lines = 0;
  const SqlError copied =
      connection->CopyIn("COPY many FROM STDIN", [&]() -> std::optional<std::string> {
        if (lines == 20'000) return std::nullopt;
        ++lines;
        return std::to_string(lines) + "\t" + std::string(200, 'x') + "\n";
      });
  CHECK(copied.message == "");
  std::int64_t sum = 0;
  const SqlError error = connection->ForEachRow("SELECT n FROM many", {}, [&](const SqlRows& row) {
    sum += row.Number(0, 0);
    return true;
  });
  CHECK(error.message == "");
  CHECK(sum == 20'000LL * 20'001 / 2);
  CHECK(connection
            ->CopyIn("COPY many FROM STDIN",
                     [once = false]() mutable {
                       return std::exchange(once, true) ? std::nullopt
                                                        : std::optional<std::string>("word\tx\n");
                     })
            .state == "22P02");
  CHECK(connection->CopyIn("SELECT 1", [] { return std::nullopt; }).message != "");
  CHECK(connection
            ->ForEachRow("SELECT 1/(n - 3) FROM many ORDER BY n LIMIT 5", {},
                         [](const SqlRows&) { return true; })
            .state == "22012");
  // Whoever has seen enough ends the statement.
  CHECK(connection->ForEachRow("SELECT n FROM many", {}, [](const SqlRows&) { return false; })
            .message == "");
  CHECK(!connection->is_open());
}

TEST_CASE("a transaction commits whole or not at all") {
  TestCluster* const cluster = TestCluster::Get();
  if (cluster == nullptr) return;
  const auto connection = Connected(cluster->Url());
  REQUIRE(!connection->Execute("CREATE TEMP TABLE t (n int PRIMARY KEY)").error);
  const auto insert = [&](int n) {
    return connection->Execute("INSERT INTO t VALUES ($1::int)", {std::int64_t{n}}).error;
  };
  const auto count = [&] {
    return connection->Execute("SELECT count(*) FROM t").rows.Number(0, 0);
  };
  CHECK(!connection->InTransaction("BEGIN", [&] { return insert(1); }));
  CHECK(count() == 1);
  CHECK(connection
            ->InTransaction("BEGIN",
                            [&] {
                              insert(2);
                              return insert(1);
                            })
            .state == "23505");
  CHECK(count() == 1);
  // An error that the work does not return is found at COMMIT.
  CHECK(connection
            ->InTransaction("BEGIN",
                            [&] {
                              insert(2);
                              insert(1);
                              return SqlError();
                            })
            .state == "25P02");
  CHECK(count() == 1);
}

TEST_CASE("a wrong password, an unknown database and an unknown role are not tried again") {
  TestCluster* const cluster = TestCluster::Get();
  if (cluster == nullptr) return;
  const std::pair<std::string, std::string> kWrong[] = {
      {cluster->Url("postgres", "locked:wrong%2Fword"), "28P01"},
      {cluster->Url("nowhere"), "3D000"},
      {cluster->Url("postgres", "nobody"), "28000"},
      {cluster->Url("postgres", "locked"), ""}};
  for (const auto& [url, state] : kWrong) {
    CAPTURE(url);
    SqlConnection connection({.url = url});
    int tries = 0;
    const SqlError error = connection.WithRetry({}, [&] {
      ++tries;
      return connection.Execute("SELECT 1").error;
    });
    CHECK(error.state == state);
    CHECK(error.message != "");
    CHECK(error.message.find("wrong") == error.message.npos);
    CHECK(error.message.find('\n') == error.message.npos);
    CHECK(!error.retry);
    CHECK(tries == 1);
  }
  CHECK(SqlConnection::Open({.url = cluster->Url("postgres", "locked:s3cret%2Fword")})
            .error.message == "");
  // A message of the server that repeats the password.
  const SqlError leak =
      SqlConnection::Open({.url = cluster->Url("s3cret%2Fword", "locked:s3cret%2Fword")}).error;
  CHECK(leak.state == "3D000");
  CHECK(leak.message.find("s3cret") == leak.message.npos);
}

TEST_CASE("a server that cannot be reached is tried until the limit, which the error names") {
  const testing::Folder folder;
  SqlConnection connection({.url = "postgresql:///d?host=" + folder.path()});
  int tries = 0;
  const SqlError error = connection.WithRetry(kShort, [&] {
    ++tries;
    return connection.Execute("SELECT 1").error;
  });
  CHECK(error.retry);
  CHECK(error.lost);
  CHECK(tries > 5);
  CHECK(error.message.find("(tried " + std::to_string(tries) + " times in 0.") !=
        error.message.npos);
}

/// A server that accepts connections and never says a word.
struct SilentServer {
  SilentServer() {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    const std::string path = folder / ".s.PGSQL.5432";
    path.copy(name.sun_path, sizeof name.sun_path - 1);
    REQUIRE(bind(socket, reinterpret_cast<sockaddr*>(&name), sizeof name) == 0);
    REQUIRE(listen(socket, 8) == 0);
  }
  ~SilentServer() { close(socket); }

  testing::Folder folder;
  int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
};

TEST_CASE("connecting to a server that says nothing ends at its limit, or by an interrupt") {
  const SilentServer server;
  const std::string url = "postgresql:///d?host=" + server.folder.path();
  {
    const SqlError error =
        SqlConnection::Open({.url = url, .connect_most = milliseconds(300)}).error;
    CHECK(error.message == "the database does not answer");
    CHECK(error.retry);
  }
  {
    const SqlError error =
        SqlConnection::Open({.url = url, .interrupted = [] { return true; }}).error;
    CHECK(error.message == "interrupted");
    CHECK(!error.retry);
  }
}

TEST_CASE("an interrupt ends the wait for an answer and for another try") {
  TestCluster* const cluster = TestCluster::Get();
  if (cluster == nullptr) return;
  SqlConnection connection({.url = cluster->Url(), .interrupted = [] { return true; }});
  // An answer that comes at once is used.
  CHECK(connection.Execute("SELECT 1").error.message == "");
  const SqlError error = connection.Execute("SELECT pg_sleep(60) AS interrupted_here").error;
  CHECK(error.message == "interrupted");
  CHECK(error.lost);
  CHECK(!error.retry);
  // The server has cancelled the statement, and the connection is opened again.
  std::int64_t running = 1;
  for (int i = 0; i < 100 && running > 0; ++i) {
    const SqlResult left = connection.Execute(
        "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE "
        "'%interrupted_h%'"
        " AND pid <> pg_backend_pid()");
    CHECK(left.error.message == "");
    running = left.rows.Number(0, 0);
    std::this_thread::sleep_for(milliseconds(10));
  }
  CHECK(running == 0);
  int tries = 0;
  const SqlError again = connection.WithRetry({}, [&] {
    ++tries;
    return SqlError{"40001", "no luck", true, false};
  });
  CHECK(again.message == "interrupted");
  CHECK(tries < 10);
  SqlConnection slow({.url = cluster->Url(), .answer_most = milliseconds(200)});
  const SqlError late = slow.Execute("SELECT pg_sleep(60)").error;
  CHECK(late.message == "the database does not answer");
  CHECK(late.retry);
}

TEST_CASE("a transaction that could not be serialized, or whose server went away, is run again") {
  TestCluster* const cluster = TestCluster::Get();
  if (cluster == nullptr) return;
  const std::string database = cluster->NewDatabase();
  cluster->Run("CREATE TABLE t (n int)", database);
  const auto connection = Connected(cluster->Url(database));
  const auto pid = [&] { return connection->Execute("SELECT pg_backend_pid()").rows.Number(0, 0); };
  SECTION("by a conflict") {
    cluster->Run("INSERT INTO t VALUES (0)", database);
    int tries = 0;
    const SqlError error = connection->WithRetry({}, [&] {
      return connection->InTransaction("BEGIN ISOLATION LEVEL REPEATABLE READ", [&]() -> SqlError {
        ++tries;
        if (SqlError read = connection->Execute("SELECT * FROM t").error) return read;
        if (tries == 1) cluster->Run("UPDATE t SET n = n + 1", database);
        return connection->Execute("UPDATE t SET n = n + 10").error;
      });
    });
    CHECK(error.message == "");
    CHECK(tries == 2);
    CHECK(connection->Execute("SELECT n FROM t").rows.Number(0, 0) == 11);
  }
  SECTION("by the end of the server's process") {
    int tries = 0;
    const SqlError error = connection->WithRetry({}, [&] {
      return connection->InTransaction("BEGIN", [&]() -> SqlError {
        ++tries;
        if (SqlError added = connection->Execute("INSERT INTO t VALUES (1)").error) return added;
        if (tries < 3) cluster->Run("SELECT pg_terminate_backend(" + std::to_string(pid()) + ")");
        return connection->Execute("INSERT INTO t VALUES (2)").error;
      });
    });
    CHECK(error.message == "");
    CHECK(tries == 3);
    CHECK(connection->Execute("SELECT count(*) FROM t").rows.Number(0, 0) == 2);
  }
  SECTION("by a server that starts again") {
    int tries = 0;
    const SqlError error = connection->WithRetry({}, [&] {
      if (++tries == 4) cluster->Start();
      return connection->InTransaction("BEGIN", [&]() -> SqlError {
        if (SqlError added = connection->Execute("INSERT INTO t VALUES (1)").error) return added;
        if (tries == 1) cluster->Stop();
        return connection->Execute("INSERT INTO t VALUES (2)").error;
      });
    });
    CHECK(error.message == "");
    CHECK(tries == 4);
    CHECK(connection->Execute("SELECT count(*) FROM t").rows.Number(0, 0) == 2);
  }
}

TEST_CASE("within a transaction a lost connection is not opened again") {
  TestCluster* const cluster = TestCluster::Get();
  if (cluster == nullptr) return;
  std::string fails_at = "second";
  bool after = false;
  SqlConnection connection(
      {.url = cluster->Url(), .fault = [&](std::string_view sql, bool done) -> SqlError {
         if (done != after || sql.find(fails_at) == sql.npos) return {};
         return {"", "injected", true, true};
       }});
  std::vector<std::string> errors;
  const SqlError error = connection.InTransaction("BEGIN", [&] {
    for (const char* sql : {"SELECT 'first'", "SELECT 'second'", "SELECT 'third'"})
      errors.push_back(connection.Execute(sql).error.message);
    return SqlError{"", "the work is not done", true, true};
  });
  CHECK(errors ==
        std::vector<std::string>{"", "injected", "the connection to the database is lost"});
  CHECK(error.message == "the work is not done");
  fails_at = "COMMIT";
  after = true;
  CHECK(connection.InTransaction("BEGIN", [] { return SqlError(); }).message == "injected");
  CHECK(connection.Execute("SELECT 1").error.message == "");
}

TEST_CASE("a connection that listens hears of what others notify") {
  TestCluster* const cluster = TestCluster::Get();
  if (cluster == nullptr) return;
  SqlConnection listener({.url = cluster->Url()}), other({.url = cluster->Url()});
  REQUIRE(listener.Execute("LISTEN news").error.message == "");
  CHECK(listener.WaitForNotices(milliseconds(0)).notices.empty());
  REQUIRE(other.Execute("NOTIFY other, 'x'").error.message == "");
  REQUIRE(other.Execute("SELECT pg_notify('news', 'first')").error.message == "");
  REQUIRE(other.Execute("NOTIFY news").error.message == "");
  std::vector<std::string> heard;
  while (heard.size() < 2) {
    const SqlConnection::Noticed noticed = listener.WaitForNotices(milliseconds(10'000));
    REQUIRE(noticed.error.message == "");
    REQUIRE(!noticed.notices.empty());
    for (const SqlConnection::Notice& notice : noticed.notices) {
      CHECK(notice.channel == "news");
      heard.push_back(notice.payload);
    }
  }
  CHECK(heard == std::vector<std::string>{"first", ""});
  // Of a connection that is lost, it says so, and stays closed.
  cluster->Run(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'LISTEN news'");
  SqlConnection::Noticed noticed;
  while (!noticed.error) noticed = listener.WaitForNotices(milliseconds(10'000));
  CHECK(noticed.error.lost);
  CHECK(!listener.is_open());
  CHECK(listener.WaitForNotices(milliseconds(0)).error.lost);
}

}  // namespace
}  // namespace rpl
