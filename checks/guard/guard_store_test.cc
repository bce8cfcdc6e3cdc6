// SPDX-License-Identifier: Apache-2.0
#include "checks/guard/guard_store.h"

#include <rapidcheck.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "checks/guard/audit_log.h"
#include "interp/testing/testing_folder.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;
using State = Review::State;

constexpr Moment kHour = 3600 * kSecond;

GuardCall CallNamed(const std::string& tool, const std::string& id = "") {
  GuardCall call;
  call.id = id;
  call.tool = tool;
  return call;
}

PastCall PastNamed(const std::string& tool, Moment at, double ms = 5) {
  PastCall call;
  call.tool = tool;
  call.at = at;
  call.took_ms = ms;
  call.metrics = {{"duration_ms", ms}};
  return call;
}

std::string Contents(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("store: the definitions of tools are pinned for an agent and a server") {
  const testing::Folder folder;
  {
    GuardStore store(folder / "store.db", "desk");
    CHECK(store.Pin("s", "t").value == "");
    CHECK(store.SetPin("s", "t", "1") == "");
    CHECK(store.SetPin("s", "u", "2") == "");
    CHECK(store.SetPin("s", "t", "3") == "");
  }
  GuardStore store(folder / "store.db", "desk");
  CHECK(store.Pin("s", "t").value == "3");
  CHECK(store.Pin("s", "u").value == "2");
  CHECK(store.Pin("other", "t").value == "");
  CHECK(GuardStore(folder / "store.db", "else").Pin("s", "t").value == "");
  CHECK(GuardStore().Pin("s", "t").value == "");
}

TEST_CASE("store: a review is asked for once, its last answer counts, an approval is spent") {
  const testing::Folder folder;
  GuardStore store(folder / "store.db");
  const ReviewRequest request{"r", "t", ordered_json::parse(R"({"a":1,"b":2})"), "u1", "why"};
  ReviewRequest same = request;
  same.args = ordered_json::parse(R"({"b":2,"a":1})");
  CHECK(store.Find(request, "", 0).value->state == State::kUnasked);
  const std::string id = store.Ask(request, "run", 0).value->id;
  CHECK(store.Ask(same, "another", 0).value->id == id);
  CHECK(store.Reviews().value->size() == 1);
  CHECK(store.Answer(id, {true, "", "me", 0, kHour, 1}).empty());
  CHECK(store.Find(same, "", kHour - 1).value->state == State::kApproved);
  CHECK(store.Find(same, "", kHour).value->state == State::kUnasked);
  CHECK_FALSE(*store.Spend(id, "call 1", kHour).value);
  // What has expired stays so, also when the clock is set back.
  CHECK_FALSE(*store.Spend(id, "call 1", 0).value);
  CHECK(store.Answer(id, {true, "", "me", 0, kHour, 1}).empty());
  CHECK(store.Decided("run", 0, CallNamed("other"), Effect::kBlock, kHour).empty());
  CHECK(store.Find(same, "", 0).value->state == State::kUnasked);
  CHECK(store.Answer(id, {true, "", "me", 0, kHour, 1}).empty());
  CHECK(*store.Spend(id, "call 1", 0).value);
  CHECK_FALSE(*store.Spend(id, "call 2", 0).value);
  // The same call is decided again.
  CHECK(*store.Spend(id, "call 1", 0).value);
  CHECK(store.Find(same, "call 1", 0).value->state == State::kApproved);
  CHECK(store.Find(same, "call 2", 0).value->state == State::kUnasked);
  CHECK(store.Find(same, "", 0).value->state == State::kUnasked);
  CHECK(store.Answer(id, {true, "", "", 0, kHour, 2}).empty());
  CHECK(*store.Spend(id, "", 0).value);
  CHECK(*store.Spend(id, "", 0).value);
  CHECK_FALSE(*store.Spend(id, "", 0).value);
  CHECK(store.Answer("0000000000000000", {true, "", "", 0, kHour, 1}).empty());
  CHECK(store.Answer(id, {false, "no", "", 0, 0, 1}).empty());
  CHECK(store.Find(request, "", 0).value->state == State::kDenied);
  CHECK(store.Find(request, "", 0).value->reason == "no");
  CHECK(store.Reviews().value->size() == 1);
  ReviewRequest other = request;
  other.user = "u2";
  CHECK(ReviewId(other) != id);
  CHECK(store.Ask(other, "run", 0).value->state == State::kPending);
  CHECK(store.Made({other}).empty());
  CHECK(store.Find(other, "", 0).value->state == State::kUnasked);
}

TEST_CASE("store: without a path nothing is kept, and a path that cannot be used is told") {
  GuardStore none;
  const ReviewRequest request{"r", "t", {}, std::nullopt, "why"};
  CHECK(none.Ask(request, "run", 0).value->state == State::kPending);
  CHECK(none.Find(request, "", 0).value->state == State::kUnasked);
  History history;
  CHECK(none.Decided("s", 0, CallNamed("t", "a"), Effect::kAllow, 1).empty());
  CHECK(none.Ended("s", 0, PastNamed("t", 2)).empty());
  CHECK(none.AddMetrics(PastNamed("t", 3)).empty());
  CHECK(none.ReadRun("s", history).value->is_new);
  CHECK_FALSE(history.Called("t", false));
  CHECK_FALSE(none.FindBegun("s", CallNamed("t", "a")).value->has_value());
  MetricWindowLeaf of;
  of.key = "duration_ms";
  of.window_seconds = 60;
  CHECK(none.Totals(of, std::nullopt, 4).value->count == 0);
  CHECK(none.Answer(ReviewId(request), {true, "", "", 0, kHour, 1}).empty());
  CHECK_FALSE(*none.Spend(ReviewId(request), "", 0).value);
  CHECK(none.Made({request}).empty());
  CHECK(none.Reviews().value->empty());
  CHECK(none.SetPin("s", "t", "1").empty());
  none.KeepPolicyImage("p", "image");
  CHECK_FALSE(none.PolicyImage("p"));
  CHECK(none.Transact([] { return std::string("why not"); }) == "why not");
  GuardStore nowhere("/proc/none/store.db");
  CHECK_FALSE(nowhere.Ask(request, "run", 0).value);
  CHECK_FALSE(nowhere.PolicyImage("p"));
  const testing::Folder folder;
  std::ofstream(folder / "text") << "this is no database, and it is long enough to be read as one";
  CHECK(GuardStore(folder / "text").Find(request, "", 0).why ==
        "`" + folder / "text" + "`: file is not a database");
  CHECK(Contents(folder / "text").starts_with("this is no database"));
}

TEST_CASE("store: the file and its log are for their owner alone") {
  const testing::Folder folder;
  const std::string path = folder / "store.db";
  const mode_t old = umask(0);
  GuardStore store(path);
  CHECK(store.Decided("s", 0, CallNamed("t"), Effect::kAllow, 1).empty());
  umask(old);
  for (const char* end : {"", "-wal", "-shm"}) {
    struct stat info = {};
    REQUIRE(stat((path + end).c_str(), &info) == 0);
    CHECK((info.st_mode & 0777) == 0600);
  }
}

TEST_CASE("store: calls count from their decision, hitl ones from their end, and once") {
  const testing::Folder folder;
  GuardStore store(folder / "store.db");
  MaxCallsLeaf all;
  all.globs = {"*"};
  const auto calls = [&](const std::string& run) {
    History history;
    GuardStore other(folder / "store.db");
    REQUIRE(other.ReadRun(run, history).value);
    return std::tuple(history.Calls(all, true), history.Called("t", false), history.TookMs());
  };
  CHECK(store.ReadRun("s", *std::make_unique<History>()).value->is_new);
  CHECK(store.Decided("s", 0, CallNamed("t", "a"), Effect::kAllow, 10).empty());
  CHECK(store.Decided("s", 1, CallNamed("t", "b"), Effect::kHitl, 20).empty());
  CHECK(store.Decided("s", 2, CallNamed("t", "c"), Effect::kBlock, 30).empty());
  CHECK(calls("s") == std::tuple(2, false, 0));  // a host may have asked, and been allowed
  CHECK(store.FindBegun("s", CallNamed("t", "b")).value->value().at == 20);
  CHECK_FALSE(store.FindBegun("s", CallNamed("t", "c")).value->has_value());
  CHECK_FALSE(store.FindBegun("s", CallNamed("u", "b")).value->has_value());
  for (int again = 0; again < 2; ++again) CHECK(store.Ended("s", 1, PastNamed("t", 40)).empty());
  CHECK(calls("s") == std::tuple(2, true, 5));
  CHECK(store.Ended("s", 0, PastNamed("t", 50)).empty());
  CHECK(calls("s") == std::tuple(2, true, 10));
  CHECK(store.Ended("s", 7, PastNamed("t", 60)).empty());  // not seen before
  CHECK(calls("s") == std::tuple(3, true, 15));
  History history;
  CHECK(store.ReadRun("s", history).value->steps == 8);
  CHECK(calls("another") == std::tuple(0, false, 0));
}

TEST_CASE("store: a transaction that fails leaves nothing") {
  const testing::Folder folder;
  GuardStore store(folder / "store.db");
  CHECK(store.Transact([&] {
    CHECK(store.Decided("s", 0, CallNamed("t"), Effect::kAllow, 1).empty());
    return std::string("it is full");
  }) == "it is full");
  History history;
  CHECK(store.ReadRun("s", history).value->is_new);
  CHECK_THROWS(store.Transact([&]() -> std::string {
    CHECK(store.Decided("s", 0, CallNamed("t"), Effect::kAllow, 1).empty());
    throw std::runtime_error("thrown");
  }));
  CHECK(store.ReadRun("s", history).value->is_new);
}

TEST_CASE("store: the reason of an inner transaction is that of the outer one") {
  const testing::Folder folder;
  GuardStore store(folder / "store.db");
  CHECK(store.Transact([&] {
    CHECK(store.Decided("s", 0, CallNamed("t"), Effect::kAllow, 1).empty());
    return store.Transact([] { return std::string("it is full"); });
  }) == "it is full");
  History history;
  CHECK(store.ReadRun("s", history).value->is_new);
}

TEST_CASE("store: rows that were changed by hand let no call through") {
  const testing::Folder folder;
  const std::string path = folder / "store.db";
  const ReviewRequest request{"r", "t", {}, std::nullopt, "why"};
  std::string id;
  {
    GuardStore store(path);
    id = store.Ask(request, "run", 0).value->id;
    CHECK(store.Answer(id, {true, "", "", 0, kHour, 1}).empty());
    CHECK(store.Ended("s", 0, PastNamed("t", 40)).empty());
    CHECK(store.Decided("s", 1, CallNamed("t", "a"), Effect::kAllow, 50).empty());
  }
  const auto change = [&](const std::string& sql) {
    sqlite3* db = nullptr;
    REQUIRE(sqlite3_open(path.c_str(), &db) == SQLITE_OK);
    REQUIRE(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
    CHECK(sqlite3_changes(db) == 1);
    sqlite3_close(db);
  };
  MetricWindowLeaf of;
  of.key = "duration_ms";
  of.window_seconds = 60;
  const std::string damaged = "`" + path + "`: its table of tools is damaged";
  for (const char* sql : {"UPDATE tools SET name = 't'", "UPDATE tools SET name = '[1,[]]'",
                          "UPDATE tools SET name = '[\"t\"]'",
                          "UPDATE tools SET name = '[\"t\",[\"a\",]]'", "DELETE FROM tools"}) {
    INFO(sql);
    change(sql);
    GuardStore store(path);
    History history;
    for (int again = 0; again < 2; ++again) CHECK(store.ReadRun("s", history).why == damaged);
    CHECK(store.FindBegun("s", CallNamed("t", "a")).why == damaged);
    CHECK(store.Totals(of, std::nullopt, 60).why == damaged);
  }
  for (const char* state : {"4", "-1"}) {
    change(std::string("UPDATE reviews SET state = ") + state);
    GuardStore store(path);
    CHECK(store.Find(request, "", 0).value->state == State::kPending);
    CHECK_FALSE(*store.Spend(id, "", 0).value);
  }
  CHECK_FALSE(*GuardStore(path).Spend("0000000000000000", "", 0).value);
}

TEST_CASE("store: tools and tags have any names") {
  const testing::Folder folder;
  const std::vector<std::string> names = {"t",   "",        "a b,c", "],[", "a\"b",
                                          "a\\", "\\u0041", "\n",    "é"};
  for (const std::string& name : names) {
    INFO(name);
    for (const std::vector<std::string>& tags :
         {std::vector<std::string>{}, {name}, {"x", name}, {name, "x"}}) {
      const std::string run = name + std::to_string(tags.size()) + (tags.empty() ? "" : tags[0]);
      PastCall call = PastNamed(name, 40);
      call.tags = tags;
      CHECK(GuardStore(folder / "store.db").Ended(run, 0, call).empty());
      History history;
      CHECK(GuardStore(folder / "store.db").ReadRun(run, history).value->ended == 1);
      CHECK(history.Called(name, false));
      MaxCallsLeaf tagged;
      tagged.by_tag = true;
      for (const std::string& tag : {name, std::string("x")}) {
        tagged.globs = {tag};
        CHECK(history.Calls(tagged, false) ==
              static_cast<std::size_t>(std::count(tags.begin(), tags.end(), tag)));
      }
    }
  }
}

TEST_CASE("store: processes that decide at once respect a cap exactly") {
  const testing::Folder folder;
  const std::string path = folder / "store.db";
  std::vector<pid_t> children;
  for (int i = 0; i < 24; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      GuardStore store(path, "", std::chrono::seconds(30));
      bool passed = false;
      const std::string why = store.Transact([&] {
        History history;
        const auto run = store.ReadRun("s", history);
        if (!run.value) return run.why;
        MaxCallsLeaf all;
        all.globs = {"*"};
        passed = history.Calls(all, true) < 5;
        if (!passed) return std::string();
        return store.Decided("s", run.value->steps, CallNamed("t"), Effect::kAllow, 1);
      });
      _exit(!why.empty() ? 2 : passed ? 0 : 1);
    }
    children.push_back(child);
  }
  std::map<int, int> ends;
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    ++ends[WIFEXITED(status) ? WEXITSTATUS(status) : -1];
  }
  CHECK(ends == std::map<int, int>{{0, 5}, {1, 19}});
}

TEST_CASE("store: metrics are those of the same calls in memory") {
  CHECK(rc::check("random calls and windows", [] {
    const testing::Folder folder;
    GuardStore store(folder / "store.db", "agent");
    History history;
    std::vector<PastCall> calls;
    const auto moment = [] {
      const Moment unit = *rc::gen::element(Moment{1}, 30 * kSecond, kHour, 24 * kHour);
      const Moment at = unit * *rc::gen::inRange<Moment>(-40, 40);
      return at + *rc::gen::element(Moment{-1}, Moment{0}, Moment{1});
    };
    const auto name = [] { return *rc::gen::element<std::string>("a", "b", "c"); };
    const int count = *rc::gen::inRange(0, 25);
    for (int i = 0; i < count; ++i) {
      PastCall call = PastNamed(name(), moment());
      if (*rc::gen::arbitrary<bool>()) call.user = name();
      if (*rc::gen::arbitrary<bool>()) call.tags = {name()};
      call.metrics = {{name(), *rc::gen::inRange(-9, 9)}};
      history.Add(call, false);
      RC_ASSERT(store.Ended("run", static_cast<std::size_t>(i), call).empty());
    }
    for (int i = 0; i < 10; ++i) {
      MetricWindowLeaf of;
      of.key = name();
      of.of_user = *rc::gen::arbitrary<bool>();
      of.window_seconds = *rc::gen::element<std::int64_t>(1, 59, 61, 3599, 7200, 90000, 5000000);
      if (*rc::gen::arbitrary<bool>()) of.tool_names = {name()};
      if (*rc::gen::arbitrary<bool>()) of.tool_tags = {name()};
      const std::optional<std::string> user = name();
      const Moment now = moment();
      History stored;
      stored.ReadMetrics([&](const MetricWindowLeaf& leaf, const std::optional<std::string>& whose,
                             Moment at) { return *store.Totals(leaf, whose, at).value; });
      using Aggregate = MetricWindowLeaf::Aggregate;
      for (const Aggregate aggregate : {Aggregate::kSum, Aggregate::kAvg, Aggregate::kMax,
                                        Aggregate::kMin, Aggregate::kCount}) {
        of.aggregate = aggregate;
        RC_ASSERT(stored.Metric(of, user, now) == history.Metric(of, user, now));
      }
    }
    MetricWindowLeaf other;
    other.key = "a";
    other.window_seconds = 5000000;
    RC_ASSERT(
        GuardStore(folder / "store.db", "other").Totals(other, std::nullopt, 0).value->count == 0U);
  }));
}

TEST_CASE("audit log: what was changed, removed, added or moved is found") {
  const testing::Folder folder;
  const std::string path = folder / "audit.jsonl";
  for (int i = 0; i < 6; ++i)
    REQUIRE(AppendEvents(path, {{{"n", i}, {"long", std::string(3000, 'x')}}}).empty());
  const std::string text = Contents(path);
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line + "\n");
  REQUIRE(lines.size() == 6);
  const AuditChain whole = CheckAuditLog(path);
  CHECK(whole.events == 6);
  CHECK(whole.broken == 0);
  CHECK(lines.back().find(whole.hash) != std::string::npos);
  const auto broken = [&](std::vector<std::string> changed) {
    std::ofstream out(path);
    for (const std::string& line : changed) out << line;
    out.close();
    return CheckAuditLog(path).broken;
  };
  std::vector<std::string> changed = lines;
  changed[2][7] = '5';
  CHECK(broken(changed) == 3);
  changed = lines;
  changed.erase(changed.begin() + 1);
  CHECK(broken(changed) == 2);
  changed = lines;
  std::swap(changed[3], changed[4]);
  CHECK(broken(changed) == 4);
  changed = lines;
  changed.insert(changed.begin() + 5, "{\"n\":9}\n");
  CHECK(broken(changed) == 6);
  changed = lines;
  changed.pop_back();
  CHECK(broken(changed) == 0);
  CHECK(CheckAuditLog(path).hash != whole.hash);
  // Lines that rpl does not read, but others may.
  for (const char* added : {"{\"n\":9,\"n\":9}\n", "{\"n\":1e400}\n", "{\"n\":\"\\ud800\"}\n",
                            "n\n", "\n", "{\"n\":9}{\n"}) {
    changed = lines;
    changed.insert(changed.begin() + 5, added);
    INFO(added);
    CHECK(broken(changed) == 6);
  }
  // A crash cuts off a line, and the log goes on.
  for (const std::string end : {"", "\n"}) {
    changed = lines;
    changed.push_back("{\"n\":" + end);
    CHECK(broken(changed) == 0);
    REQUIRE(AppendEvents(path, {{{"n", 7}}, {{"n", 8}}}).empty());
    const AuditChain after = CheckAuditLog(path);
    CHECK(after.events == 8);
    CHECK(after.cut_off == 1);
    CHECK(after.broken == 0);
  }
  // Or only its line feed.
  changed = lines;
  changed.back().pop_back();
  CHECK(broken(changed) == 0);
  REQUIRE(AppendEvents(path, {{{"n", 7}}}).empty());
  CHECK(CheckAuditLog(path).events == 7);
  CHECK(CheckAuditLog(path).broken == 0);
}

TEST_CASE("the log of a store stays short, however many processes write to it") {
  const testing::Folder folder;
  const std::string path = folder / "store.db";
  std::uintmax_t most = 0;
  for (int i = 0; i < 400; ++i) {
    GuardStore store(path, "a");  // as each process does
    GuardCall call;
    call.tool = "t" + std::to_string(i);
    CHECK(store.Decided("run", static_cast<std::size_t>(i), call, Effect::kAllow, i) == "");
    most = std::max(most, std::filesystem::file_size(path + "-wal"));
  }
  // The next process reads it before it decides.
  CHECK(most < std::uintmax_t{1} << 20);
}

}  // namespace rpl
