// SPDX-License-Identifier: Apache-2.0
#include "runtime/postgres/session_rows.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <set>
#include <thread>

#include "interp/testing/testing_folder.h"
#include "runtime/postgres/database_url.h"
#include "runtime/postgres/open_session.h"
#include "runtime/postgres/test_cluster.h"
#include "runtime/record/session_file.h"
#include "runtime/testing/three_tools.h"

namespace rpl {
namespace {

using Mode = SessionStore::Mode;
using std::chrono::milliseconds;
using testing::TestCluster;

Event ProgramEventOf(const std::string& text) {
  return Journal::Program({{{"p.rpl", text}}, {}, nullptr});
}

Event StepEvent(int timestep) {
  return {Event::Kind::kStep, R"({"timestep":)" + std::to_string(timestep) +
                                  R"(,"now":"2026-01-02T00:00:00Z \"é\\","limits":[]})"};
}

/// A session of a program, a turn and steps, as a run could have written it. Every third event is
/// settled, and the last one.
std::vector<Event> SomeEvents(int steps) {
  std::vector<Event> out = {ProgramEventOf("a(\"{b},\\\"c\\\"\")\n"), {Event::Kind::kTurn, "{}"}};
  for (int i = 1; i <= steps; ++i) out.push_back(StepEvent(i));
  return out;
}

std::string AppendAll(SessionStore& store, const std::vector<Event>& events) {
  for (std::size_t i = 0; i < events.size(); ++i) {
    const bool settled = i % 3 == 2 || i + 1 == events.size();
    if (std::string error = store.Append(events[i], settled); !error.empty()) return error;
  }
  return "";
}

SessionRows::Options OptionsFor(const std::string& database, const std::string& session) {
  SessionRows::Options out;
  out.connection.url = database;
  out.session = session;
  return out;
}

/// The session as a reader finds it.
std::vector<Event> EventsIn(const std::string& database, const std::string& session) {
  const SessionStore::Opened opened = SessionRows::Open(OptionsFor(database, session), Mode::kRead);
  REQUIRE(opened.error == "");
  CHECK(opened.store->damage() == "");
  return opened.store->events();
}

TEST_CASE("the URL of a session names a database and a session in it") {
  const SessionUrl url = SessionUrlOf("postgresql://ada@h:1/d/my%2Ftrip?lease=5&host=/tmp&a=b");
  CHECK(url.error == "");
  CHECK(url.database == "postgresql://ada@h:1/d?host=/tmp&a=b");
  CHECK(url.session == "my/trip");
  CHECK(url.lease == std::chrono::seconds(5));
  CHECK(SessionUrlOf("postgresql:///d/s").database == "postgresql:///d");
  CHECK(SessionUrlOf("postgresql:///d").session == "");
  CHECK(SessionUrlOf("postgresql://h").error == "");
  CHECK(SessionUrlOf("postgresql://h?host=/tmp/x").database == "postgresql://h?host=/tmp/x");
  for (const char* wrong : {"postgresql:///d/", "postgresql:///d/a/b", "postgresql:///d/a%0Ab",
                            "postgresql:///d/%ff", "postgresql:///d/s?lease=0",
                            "postgresql:///d/s?lease=1x", "postgresql:///d/s?lease=3601"}) {
    CAPTURE(wrong);
    CHECK(SessionUrlOf(wrong).error != "");
    CHECK(OpenSession(wrong, Mode::kRead).error == SessionUrlOf(wrong).error);
  }
  CHECK(SessionUrlOf("postgresql:///d/" + std::string(201, 'x')).error != "");
  CHECK(OpenSession("postgresql:///d", Mode::kRead).error.find("names no session") !=
        std::string::npos);
}

TEST_CASE("a session in a database is read as it was written, and goes on") {
  TestCluster* const cluster = TestCluster::Get();
  if (cluster == nullptr) return;
  const std::string database = cluster->NewDatabase();
  const std::string url = cluster->SessionUrl(database, "trip");
  CHECK(OpenSession(url, Mode::kRead).error == "no such session");
  CHECK(OpenSession(url, Mode::kOpen).error == "no such session");
  const std::vector<Event> events = SomeEvents(40);
  const testing::Folder folder;
  {
    SessionStore::Opened rows = OpenSession(url, Mode::kCreate);
    REQUIRE(rows.error == "");
    // A name without events is as good as none, but for its owner.
    CHECK(OpenSession(url, Mode::kRead).error == "no such session");
    CHECK(OpenSession(url, Mode::kCreate).error == "another process has this session open");
    SessionStore::Opened file = OpenSession(folder / "trip", Mode::kContinue);
    CHECK(AppendAll(*rows.store, events) == "");
    CHECK(AppendAll(*file.store, events) == "");
    CHECK(rows.store->Anchor() == file.store->Anchor());
    // What is not settled is seen by nobody, and lost.
    CHECK(rows.store->Append(StepEvent(41), false) == "");
    CHECK(EventsIn(cluster->Url(database), "trip") == events);
  }
  CHECK(OpenSession(url, Mode::kCreate).error == "there is a session of that name already");
  {
    const SessionStore::Opened again = OpenSession(url, Mode::kOpen);
    REQUIRE(again.error == "");
    CHECK(again.store->events() == events);
    CHECK(again.store->Departs(OpenSession(folder / "trip", Mode::kRead).store->Anchor()) == "");
    CHECK(again.store->Append(StepEvent(41), true) == "");
  }
  CHECK(EventsIn(cluster->Url(database), "trip").size() == events.size() + 1);
  const SessionList list = ListSessions(cluster->Url(database), nullptr);
  CHECK(list.error == "");
  REQUIRE(list.sessions.size() == 1);
  CHECK(list.sessions[0].session == "trip");
  CHECK(list.sessions[0].events == 43);
  CHECK(list.sessions[0].owner == "");
  CHECK(ListSessions(cluster->Url(cluster->NewDatabase()), nullptr).sessions.empty());
}

TEST_CASE("whatever statement fails, whenever and how, a session has each event once") {
  TestCluster* const cluster = TestCluster::Get();
  if (cluster == nullptr) return;
  const std::string database = cluster->Url(cluster->NewDatabase());
  const std::vector<Event> events = SomeEvents(7);
  const auto write = [&](const std::string& session, const SqlError& fault, bool done, int at) {
    SessionRows::Options options = OptionsFor(database, session);
    int statements = 0;
    options.connection.fault = [&](std::string_view, bool after) {
      return after == done && ++statements == at ? fault : SqlError();
    };
    const SessionStore::Opened opened = SessionRows::Open(std::move(options), Mode::kContinue);
    CHECK(opened.error == "");
    if (opened.store != nullptr) CHECK(AppendAll(*opened.store, events) == "");
    return statements;
  };
  write("first", {}, false, 0);  // makes the tables
  const int most = write("none", {}, false, 0);
  REQUIRE(most >= 9);
  const SqlError kFaults[] = {{"40001", "could not serialize", true, false},
                              {"40P01", "deadlock", true, false},
                              {"", "the connection is lost", true, true},
                              {"57P01", "terminating connection", true, true}};
  int number = 0;
  for (const SqlError& fault : kFaults)
    for (const bool done : {false, true})
      for (int at = 1; at <= most; ++at) {
        // The server does not answer a statement that it has committed by such an error.
        if (done && !fault.lost) continue;
        CAPTURE(fault.message, done, at);
        const std::string session = "s" + std::to_string(++number);
        write(session, fault, done, at);
        CHECK(EventsIn(database, session) == events);
      }
  CHECK(number >= 50);
}

TEST_CASE("whatever statement fails for good, no call runs twice, and the session goes on") {
  TestCluster* const cluster = TestCluster::Get();
  if (cluster == nullptr) return;
  const std::string database = cluster->NewDatabase();
  int statements = 0;
  // Runs the session while all statements from the one with this number on fail.
  const auto go_on = [&](testing::ThreeTools& tools, const std::string& session, bool done,
                         int at) {
    SessionRows::Options options = OptionsFor(cluster->Url(database), session);
    statements = 0;
    options.connection.fault = [&, done, at](std::string_view, bool after) {
      return after == done && ++statements >= at && at > 0 ? SqlError{"", "lost", false, true}
                                                           : SqlError();
    };
    return tools.GoOn(SessionRows::Open(std::move(options), Mode::kContinue));
  };
  int most = 0;
  {
    const testing::Folder folder;
    testing::ThreeTools tools(folder.path());
    go_on(tools, "tables", false, 0);
  }
  {
    const testing::Folder folder;
    testing::ThreeTools tools(folder.path());
    REQUIRE(go_on(tools, "none", false, 0)->status == Status::kSatisfied);
    most = statements;
    REQUIRE(most > 10);
  }
  for (int at = 1; at <= most; ++at)
    for (const bool done : {false, true}) {
      CAPTURE(at, done);
      const testing::Folder folder;
      testing::ThreeTools tools(folder.path());
      const std::string session = (done ? "after" : "before") + std::to_string(at);
      go_on(tools, session, done, at);
      // The lease of a writer whose connection was lost runs out.
      cluster->Run("UPDATE rpl_session SET lease_until = now()", database);
      std::optional<Outcome> outcome;
      for (int again = 0; again < 2; ++again) {
        outcome = go_on(tools, session, false, 0);
        CHECK(tools.error == "");
        CHECK(tools.damage == "");
      }
      testing::CheckEnd(tools, outcome);
    }
}

TEST_CASE("an error that does not pass is returned, and nothing more is written") {
  TestCluster* const cluster = TestCluster::Get();
  if (cluster == nullptr) return;
  const std::string database = cluster->Url(cluster->NewDatabase());
  const std::vector<Event> events = SomeEvents(4);
  SessionRows::Options options = OptionsFor(database, "s");
  bool fails = false;
  int statements = 0;
  options.connection.fault = [&](std::string_view, bool) {
    ++statements;
    return fails ? SqlError{"53100", "disk full"} : SqlError();
  };
  SessionStore::Opened opened = SessionRows::Open(std::move(options), Mode::kCreate);
  REQUIRE(opened.error == "");
  CHECK(opened.store->Append(events[0], true) == "");
  fails = true;
  CHECK(opened.store->Append(events[1], true) == "disk full");
  fails = false;
  const int before = statements;
  CHECK(opened.store->Append(events[2], true) == "disk full");
  CHECK(statements == before);
  opened.store.reset();
  CHECK(EventsIn(database, "s").size() == 1);
}

TEST_CASE("a session goes on over a server that starts again, and not without end") {
  TestCluster* const cluster = TestCluster::Get();
  if (cluster == nullptr) return;
  const std::string database = cluster->Url(cluster->NewDatabase());
  const std::vector<Event> events = SomeEvents(6);
  SECTION("between two events") {
    const SessionStore::Opened opened = SessionRows::Open(OptionsFor(database, "s"), Mode::kCreate);
    REQUIRE(opened.error == "");
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (i == 3) cluster->Restart();
      if (i == 5) {
        cluster->Stop(SIGQUIT);
        cluster->Start();
      }
      CHECK(opened.store->Append(events[i], true) == "");
    }
    CHECK(EventsIn(database, "s") == events);
  }
  SECTION("while an event is written") {
    SessionRows::Options options = OptionsFor(database, "s");
    int statements = 0;
    options.connection.fault = [&](std::string_view sql, bool done) {
      if (!done && sql.starts_with("WITH head") && ++statements == 4) cluster->Restart();
      return SqlError();
    };
    const SessionStore::Opened opened = SessionRows::Open(std::move(options), Mode::kCreate);
    REQUIRE(opened.error == "");
    for (const Event& event : events) CHECK(opened.store->Append(event, true) == "");
    CHECK(EventsIn(database, "s") == events);
  }
  SECTION("until the limit") {
    SessionRows::Options options = OptionsFor(database, "s");
    options.writing.most = milliseconds(300);
    SessionStore::Opened opened = SessionRows::Open(std::move(options), Mode::kCreate);
    REQUIRE(opened.error == "");
    CHECK(opened.store->Append(events[0], true) == "");
    cluster->Stop();
    const std::string error = opened.store->Append(events[1], true);
    CHECK(error.find("(tried ") != error.npos);
    cluster->Start();
    CHECK(opened.store->Append(events[2], true) == error);
  }
  SECTION("until an interrupt") {
    SessionRows::Options options = OptionsFor(database, "s");
    bool pressed = false;
    options.connection.interrupted = [&pressed] { return pressed; };
    SessionStore::Opened opened = SessionRows::Open(std::move(options), Mode::kCreate);
    REQUIRE(opened.error == "");
    CHECK(opened.store->Append(events[0], true) == "");
    pressed = true;
    cluster->Stop();
    CHECK(opened.store->Append(events[1], true) == "interrupted");
    cluster->Start();
  }
}

TEST_CASE("a writer whose lease was taken over writes nothing more") {
  TestCluster* const cluster = TestCluster::Get();
  if (cluster == nullptr) return;
  const std::string database = cluster->NewDatabase();
  const std::string url = cluster->SessionUrl(database, "s");
  const std::vector<Event> events = SomeEvents(6);
  SessionStore::Opened first = OpenSession(url, Mode::kCreate);
  REQUIRE(first.error == "");
  CHECK(first.store->Append(events[0], true) == "");
  CHECK(first.store->Append(events[1], false) == "");
  const SessionStore::Opened refused = OpenSession(url, Mode::kOpen);
  CHECK(refused.error == "another process has this session open");
  CHECK(refused.hint.find("process " + std::to_string(getpid()) + " on ") != std::string::npos);
  // As if it had been stopped for so long.
  cluster->Run("UPDATE rpl_session SET lease_until = now()", database);
  SessionStore::Opened second = OpenSession(url, Mode::kOpen);
  REQUIRE(second.error == "");
  CHECK(second.store->events().size() == 1);
  const std::string error = first.store->Append(events[2], true);
  CHECK(error.find("taken over") != error.npos);
  CHECK(first.store->Append(events[3], true) == error);
  first.store.reset();
  // The lease of the second is as it was.
  CHECK(OpenSession(url, Mode::kOpen).error == "another process has this session open");
  CHECK(second.store->Append(events[1], true) == "");
  second.store.reset();
  CHECK(EventsIn(cluster->Url(database), "s").size() == 2);
}

TEST_CASE("an opening that failed does not end the lease of another writer") {
  TestCluster* const cluster = TestCluster::Get();
  if (cluster == nullptr) return;
  const std::string database = cluster->NewDatabase();
  const std::string url = cluster->SessionUrl(database, "s");
  {
    const SessionStore::Opened first = OpenSession(url, Mode::kCreate);
    REQUIRE(first.error == "");
    CHECK(first.store->Append(SomeEvents(1)[0], true) == "");
  }
  SessionStore::Opened other;
  bool gave_back = false;
  SessionRows::Options options = OptionsFor(cluster->Url(database), "s");
  options.connection.fault = [&](std::string_view sql, bool done) {
    if (!done && sql == "COMMIT") return SqlError{"53100", "disk full"};
    if (!done && sql.starts_with("UPDATE rpl_session SET lease_until = now()")) {
      gave_back = true;
      other = OpenSession(url, Mode::kOpen);  // with the epoch that was rolled back
    }
    return SqlError();
  };
  CHECK(SessionRows::Open(std::move(options), Mode::kOpen).error == "disk full");
  REQUIRE(gave_back);
  REQUIRE(other.error == "");
  CHECK(OpenSession(url, Mode::kOpen).error == "another process has this session open");
}

TEST_CASE("a lease is renewed while no event is written, and its loss is noticed") {
  TestCluster* const cluster = TestCluster::Get();
  if (cluster == nullptr) return;
  const std::string database = cluster->NewDatabase();
  const std::vector<Event> events = SomeEvents(6);
  SessionRows::Options options = OptionsFor(cluster->Url(database), "s");
  options.lease = milliseconds(800);
  const SessionStore::Opened first = SessionRows::Open(options, Mode::kCreate);
  REQUIRE(first.error == "");
  CHECK(first.store->Append(events[0], true) == "");
  std::this_thread::sleep_for(milliseconds(2'000));
  CHECK(SessionRows::Open(options, Mode::kOpen).error == "another process has this session open");
  CHECK(first.store->Append(events[1], true) == "");
  cluster->Run("UPDATE rpl_session SET epoch = epoch + 1", database);
  CHECK(first.store->Append(events[2], true) != "");
}

TEST_CASE("a session of a killed process can be taken over when its lease is over") {
  TestCluster* const cluster = TestCluster::Get();
  if (cluster == nullptr) return;
  const std::string database = cluster->Url(cluster->NewDatabase());
  const std::vector<Event> events = SomeEvents(6);
  SessionRows::Options options = OptionsFor(database, "s");
  options.lease = milliseconds(1'500);
  int written[2];
  REQUIRE(pipe(written) == 0);
  const pid_t child = fork();
  if (child == 0) {
    SessionStore::Opened opened = SessionRows::Open(options, Mode::kCreate);
    bool good = opened.error.empty();
    for (int i = 0; i < 4 && good; ++i) good = opened.store->Append(events[i], true).empty();
    good = good && opened.store->Append(events[4], false).empty();
    if (good && write(written[1], "x", 1) == 1)
      for (;;) pause();
    _exit(1);
  }
  char one = 0;
  REQUIRE(read(written[0], &one, 1) == 1);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(written[0]);
  close(written[1]);
  const SessionStore::Opened early = SessionRows::Open(options, Mode::kOpen);
  CHECK(early.error == "another process has this session open");
  CHECK(early.hint.find("its lease ends in ") != early.hint.npos);
  SessionStore::Opened late;
  for (int i = 0; i < 100 && late.store == nullptr; ++i) {
    std::this_thread::sleep_for(milliseconds(50));
    late = SessionRows::Open(options, Mode::kOpen);
  }
  REQUIRE(late.error == "");
  CHECK(late.store->events() == std::vector<Event>(events.begin(), events.begin() + 4));
  CHECK(late.store->Append(events[4], true) == "");
}

TEST_CASE("of many that open one session at once, in a database without tables, one has it") {
  TestCluster* const cluster = TestCluster::Get();
  if (cluster == nullptr) return;
  const std::string database = cluster->Url(cluster->NewDatabase());
  const std::vector<Event> events = SomeEvents(4);
  std::vector<SessionStore::Opened> own(8);
  std::vector<SessionStore::Opened> shared(8);
  std::vector<std::string> errors(8);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < own.size(); ++i)
    threads.emplace_back([&, i] {
      own[i] = SessionRows::Open(OptionsFor(database, "own" + std::to_string(i)), Mode::kContinue);
      if (own[i].store != nullptr) errors[i] = AppendAll(*own[i].store, events);
      shared[i] = SessionRows::Open(OptionsFor(database, "shared"), Mode::kContinue);
    });
  for (std::thread& thread : threads) thread.join();
  int open = 0;
  for (std::size_t i = 0; i < own.size(); ++i) {
    CHECK(own[i].error == "");
    CHECK(errors[i] == "");
    CHECK(EventsIn(database, "own" + std::to_string(i)) == events);
    if (shared[i].store != nullptr) ++open;
    else CHECK(shared[i].error == "another process has this session open");
  }
  CHECK(open == 1);
}

TEST_CASE("rows that were changed, removed or added by other means are damage") {
  TestCluster* const cluster = TestCluster::Get();
  if (cluster == nullptr) return;
  const std::string database = cluster->NewDatabase();
  const std::string url = cluster->SessionUrl(database, "s");
  {
    const SessionStore::Opened opened = OpenSession(url, Mode::kCreate);
    REQUIRE(opened.error == "");
    CHECK(AppendAll(*opened.store, SomeEvents(4)) == "");
  }
  const auto after = [&](const std::string& sql) {
    cluster->Run(sql, database);
    const SessionStore::Opened opened = OpenSession(url, Mode::kRead);
    return opened.store == nullptr ? opened.error : opened.store->damage();
  };
  CHECK(after("SELECT 1") == "");
  CHECK(after("UPDATE rpl_event SET body = '{ }' WHERE sequence = 2") ==
        "event 2 is not what was written");
  CHECK(after("UPDATE rpl_event SET body = '{}' WHERE sequence = 2") == "");
  CHECK(after("UPDATE rpl_event SET kind = 'dream' WHERE sequence = 5") ==
        "event 5 is of an unknown kind");
  CHECK(after("DELETE FROM rpl_event WHERE sequence = 5") == "event 5 is missing");
  CHECK(after("DELETE FROM rpl_event WHERE sequence = 6") == "event 5 is missing");
  CHECK(after("UPDATE rpl_session SET events = 4") == "the last hash is not what was written");
  CHECK(after("UPDATE rpl_session SET format = 9") ==
        "a session of format 9, which a newer rpl wrote; this one reads format 2");
  CHECK(OpenSession(url, Mode::kOpen).error ==
        "a session of format 9, which a newer rpl wrote; this one reads format 2");
}

TEST_CASE("a session with attempts of models has a format of its own") {
  TestCluster* const cluster = TestCluster::Get();
  if (cluster == nullptr) return;
  const std::string database = cluster->NewDatabase();
  const std::string url = cluster->SessionUrl(database, "s");
  const auto append = [&](const Event& event) {
    const SessionStore::Opened opened = OpenSession(url, Mode::kContinue);
    REQUIRE(opened.store != nullptr);
    CHECK(opened.store->Append(event, true) == "");
  };
  const auto has_format = [&](const std::string& format) {
    cluster->Run("DO $$ BEGIN ASSERT (SELECT format FROM rpl_session) = " + format + "; END $$",
                 database);
  };
  append(ProgramEventOf("a(1)\n"));
  has_format("1");
  append({Event::Kind::kAttempt, R"({"call":"q","gate":"taken"})"});
  append(StepEvent(1));
  has_format("2");
}

TEST_CASE("a worker's role records events and cannot change them") {
  TestCluster* const cluster = TestCluster::Get();
  if (cluster == nullptr) return;
  const std::string database = cluster->NewDatabase();
  cluster->Run("CREATE ROLE anybody LOGIN");
  cluster->Run("CREATE ROLE ada LOGIN");
  cluster->Run("CREATE ROLE eve LOGIN");
  const SessionStore::Opened none =
      OpenSession(cluster->SessionUrl(database, "s", "anybody"), Mode::kContinue);
  CHECK(none.error == "the database has no tables for sessions, and this role may not make them");
  CHECK(none.hint.find("rpl session schema") != none.hint.npos);
  // The script as an administrator runs it, statement by statement.
  const std::string script = SessionSchema();
  for (std::size_t at = 0, end; (end = script.find(";\n", at)) != script.npos; at = end + 2)
    cluster->Run(script.substr(at, end - at), database);
  cluster->Run("GRANT rpl_worker TO ada");
  cluster->Run("GRANT rpl_reader TO eve");
  const std::string ada = cluster->SessionUrl(database, "s", "ada");
  {
    const SessionStore::Opened opened = OpenSession(ada, Mode::kContinue);
    REQUIRE(opened.error == "");
    CHECK(AppendAll(*opened.store, SomeEvents(4)) == "");
  }
  CHECK(OpenSession(cluster->SessionUrl(database, "s", "eve"), Mode::kRead).error == "");
  CHECK(OpenSession(cluster->SessionUrl(database, "s", "eve"), Mode::kOpen).error ==
        "permission denied for table rpl_session");
  SqlConnection connection({.url = cluster->Url(database, "ada")});
  for (const char* sql : {"UPDATE rpl_event SET body = '{}'", "DELETE FROM rpl_event",
                          "TRUNCATE rpl_event", "DELETE FROM rpl_session", "DROP TABLE rpl_event",
                          "INSERT INTO rpl_event SELECT * FROM rpl_event"}) {
    CAPTURE(sql);
    CHECK(connection.Execute(sql).error.message != "");
  }
  CHECK(EventsIn(cluster->Url(database), "s") == SomeEvents(4));
}

}  // namespace
}  // namespace rpl
