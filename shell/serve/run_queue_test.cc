// SPDX-License-Identifier: Apache-2.0
#include "shell/serve/run_queue.h"

#include <catch2/catch.hpp>
#include <map>
#include <mutex>
#include <thread>

#include "runtime/postgres/test_cluster.h"

namespace rpl {
namespace {

using std::chrono::milliseconds;
using testing::TestCluster;

using Fault = std::function<SqlError(std::string_view, bool)>;

RunQueue QueueOf(const std::string& url, Fault fault = nullptr) {
  return RunQueue({.url = url, .fault = std::move(fault)}, "1", {"1"});
}

NewRun RunOf(const std::string& session, const std::string& key = "") {
  return {session, "ada", "trip.md", "", key, R"({"answers":{}})"};
}

struct Queues {
  explicit Queues(TestCluster& cluster) : url(cluster.Url(cluster.NewDatabase())) {
    REQUIRE(QueueOf(url).Prepare().message == "");
  }
  std::string url;
};

void CheckDone(const SqlError& error) { CHECK(error.message == ""); }

TEST_CASE("a run is added, claimed with its inputs and ended") {
  TestCluster* const cluster = TestCluster::Get();
  if (cluster == nullptr) return;
  const Queues queues(*cluster);
  RunQueue queue = QueueOf(queues.url);
  CheckDone(queue.Prepare());  // again, on tables that are there
  const RunQueue::Added added = queue.Add(RunOf("s_1"), {});
  CheckDone(added.error);
  CHECK(added.taken == RunQueue::Taken::kNew);
  CHECK(added.run.state == "ready");
  CHECK(!added.run.settled());

  const RunQueue::Claimed first = queue.Take("w/0", milliseconds(60'000), {});
  CheckDone(first.error);
  REQUIRE(first.claim);
  CHECK(first.claim->run.session == "s_1");
  REQUIRE(first.claim->inputs.size() == 1);
  CHECK(first.claim->inputs[0].second == R"({"answers":{}})");
  CHECK(!QueueOf(queues.url).Take("w/1", milliseconds(60'000), {}).claim);

  SECTION("an input that came meanwhile makes it ready again") {
    CHECK(queue.Give("s_1", "ada", "k", "{}", {}).taken == RunQueue::Taken::kNew);
    CHECK(queue.Give("s_1", "ada", "k", "{}", {}).taken == RunQueue::Taken::kAgain);
    CheckDone(queue.Finish("s_1", "w/0", {1, "ended", "{}"}));
    CHECK(queue.Find("s_1", "ada").run->state == "ready");
    const RunQueue::Claimed next = queue.Take("w/0", milliseconds(60'000), {});
    REQUIRE(next.claim);
    REQUIRE(next.claim->inputs.size() == 1);
    CHECK(next.claim->inputs[0].first == 2);
  }
  SECTION("it is settled when no input is left") {
    CheckDone(queue.Finish("s_1", "w/0", {1, "ended", R"({"status":"satisfied"})"}));
    const RunQueue::Found found = queue.Find("s_1", "ada");
    REQUIRE(found.run);
    CHECK(found.run->settled());
    CHECK(found.run->report == R"({"status":"satisfied"})");
    CHECK(!queue.Take("w/0", milliseconds(60'000), {}).claim);
  }
  SECTION("only the owner of the claim ends it") {
    CheckDone(queue.Finish("s_1", "w/1", {1, "ended", "{}"}));
    CHECK(queue.Find("s_1", "ada").run->state == "ready");
  }
  SECTION("no other tenant sees it") {
    CHECK(!queue.Find("s_1", "bob").run);
    CHECK(queue.Give("s_1", "bob", "k", "{}", {}).taken == RunQueue::Taken::kNoRun);
    CHECK(queue.List("bob", "", "", 10).runs.empty());
    CHECK(queue.List("ada", "", "", 10).runs.size() == 1);
  }
}

TEST_CASE("a claim that ran out is taken by another, one that was renewed is not") {
  TestCluster* const cluster = TestCluster::Get();
  if (cluster == nullptr) return;
  const Queues queues(*cluster);
  RunQueue one = QueueOf(queues.url), two = QueueOf(queues.url);
  CheckDone(one.Add(RunOf("s_1"), {}).error);
  REQUIRE(one.Take("w/0", milliseconds(1), {}).claim);
  CheckDone(one.Renew("w/0", milliseconds(60'000)));
  CHECK(!two.Take("w/1", milliseconds(1), {}).claim);
  CheckDone(one.Renew("w/0", milliseconds(0)));
  std::this_thread::sleep_for(milliseconds(5));
  const RunQueue::Claimed taken = two.Take("w/1", milliseconds(60'000), {});
  REQUIRE(taken.claim);
  CHECK(taken.claim->run.attempts == 2);
  CheckDone(one.Finish("s_1", "w/0", {1, "ended", "{}"}));  // too late
  CHECK(one.Find("s_1", "ada").run->state == "ready");
  CheckDone(two.Release("w/1"));
  CHECK(one.Take("w/0", milliseconds(60'000), {}).claim);
}

TEST_CASE("limits of a tenant hold for all workers") {
  TestCluster* const cluster = TestCluster::Get();
  if (cluster == nullptr) return;
  const Queues queues(*cluster);
  RunQueue queue = QueueOf(queues.url);
  for (int i = 0; i < 3; ++i) CheckDone(queue.Add(RunOf("s_" + std::to_string(i)), {3, 0}).error);
  CHECK(queue.Add(RunOf("s_3", "key"), {3, 0}).taken == RunQueue::Taken::kFull);
  CHECK(queue.Find("s_3", "ada").error.message == "");
  CHECK(!queue.Find("s_3", "ada").run);
  CHECK(queue.Add(RunOf("s_3", "key"), {4, 0}).taken == RunQueue::Taken::kNew);
  REQUIRE(queue.Take("w/0", milliseconds(60'000), {0, 2}).claim);
  REQUIRE(queue.Take("w/1", milliseconds(60'000), {0, 2}).claim);
  CHECK(!queue.Take("w/2", milliseconds(60'000), {0, 2}).claim);
  CHECK(queue.Take("w/2", milliseconds(60'000), {0, 3}).claim);
}

TEST_CASE("runs of a version that a worker cannot replay are left to others") {
  TestCluster* const cluster = TestCluster::Get();
  if (cluster == nullptr) return;
  const Queues queues(*cluster);
  RunQueue old = QueueOf(queues.url), newer({.url = queues.url}, "2", {"2"}),
           both({.url = queues.url}, "3", {"1", "3"});
  CheckDone(old.Add(RunOf("s_1"), {}).error);
  CHECK(!newer.Take("w/0", milliseconds(60'000), {}).claim);
  CHECK(both.Take("w/1", milliseconds(60'000), {}).claim);
}

TEST_CASE("workers at the same time never claim the same run") {
  TestCluster* const cluster = TestCluster::Get();
  if (cluster == nullptr) return;
  const Queues queues(*cluster);
  constexpr int kRuns = 200, kThreads = 4;
  RunQueue queue = QueueOf(queues.url);
  for (int i = 0; i < kRuns; ++i) CheckDone(queue.Add(RunOf("s_" + std::to_string(i)), {}).error);
  std::mutex mutex;
  std::map<std::string, int> claims;
  std::vector<std::string> errors;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      RunQueue mine = QueueOf(queues.url);
      const std::string owner = "w/" + std::to_string(t);
      for (;;) {
        const RunQueue::Claimed claimed = mine.Take(owner, milliseconds(60'000), {});
        const std::lock_guard lock(mutex);
        if (claimed.error) errors.push_back(claimed.error.message);
        if (!claimed.claim) return;
        ++claims[claimed.claim->run.session];
        const SqlError error = mine.Finish(claimed.claim->run.session, owner, {1, "ended", "{}"});
        if (error) errors.push_back(error.message);
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(errors.empty());
  CHECK(claims.size() == kRuns);
  for (const auto& [session, count] : claims) CHECK(count == 1);
}

// The n-th point of a whole life of a run fails once, before or after the statement took effect.
TEST_CASE("no fault of the database loses a run or an input, or adds one twice") {
  TestCluster* const cluster = TestCluster::Get();
  if (cluster == nullptr) return;
  const Queues queues(*cluster);
  int points = 1;
  for (int at = 0; at < points; ++at) {
    CAPTURE(at);
    int seen = 0;
    const auto fault = [&](std::string_view, bool) -> SqlError {
      if (seen++ != at) return {};
      if (at % 2 == 0) return {"40001", "could not serialize access", true, false};
      return {"", "the connection was lost", true, true};
    };
    RunQueue queue = QueueOf(queues.url, fault);
    const std::string session = "s_" + std::to_string(at);
    const RunQueue::Added added = queue.Add(RunOf(session, "key" + session), {});
    CheckDone(added.error);
    CHECK(added.run.session == session);
    CHECK(added.taken == RunQueue::Taken::kNew);
    CheckDone(queue.Give(session, "ada", "one", "{}", {}).error);
    const RunQueue::Claimed claimed = queue.Take("w/0", milliseconds(60'000), {});
    CheckDone(claimed.error);
    REQUIRE(claimed.claim);
    CHECK(claimed.claim->run.session == session);
    CHECK(claimed.claim->inputs.size() == 2);
    CheckDone(queue.Finish(session, "w/0", {2, "ended", R"({"a":1})"}));
    const RunQueue::Found found = queue.Find(session, "ada");
    CheckDone(found.error);
    REQUIRE(found.run);
    CHECK(found.run->settled());
    CHECK(found.run->given == 2);
    points = std::max(points, seen);
  }
  CHECK(points > 20);
  CHECK(static_cast<int>(QueueOf(queues.url).List("ada", "ended", "", 1'000).runs.size()) ==
        points);
}

}  // namespace
}  // namespace rpl
