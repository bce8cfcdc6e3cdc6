// SPDX-License-Identifier: Apache-2.0
#include "shell/serve/run_rows.h"

#include <catch2/catch.hpp>
#include <thread>

#include "runtime/postgres/test_cluster.h"
#include "shell/serve/serve_metrics.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;
using testing::TestCluster;

// The records of one process over a database.
struct Process {
  Process(const std::string& url, std::chrono::seconds lease)
      : settings{.store = url, .lease = lease},
        queues([this] { return std::unique_ptr<RunQueue>(new RunQueue(QueueIn(settings))); }),
        rows(settings, queues, queues, metrics) {}

  ServeSettings settings;
  ServeMetrics metrics;
  QueuePool queues;
  RunRows rows;
};

std::string NewStore(TestCluster& cluster) {
  std::string url = cluster.Url(cluster.NewDatabase());
  ServeSettings settings{.store = url};
  REQUIRE(QueueIn(settings).Prepare().message == "");
  return url;
}

RunRecord Fresh(const std::string& request) {
  return {NewHandle(), "trip.md", "", "ada", request, 0};
}

constexpr auto kLong = std::chrono::seconds(60);

TEST_CASE("a run of /mcp is one process's for a turn, and is found by every other") {
  TestCluster* const cluster = TestCluster::Get();
  if (cluster == nullptr) return;
  const std::string url = NewStore(*cluster);
  Process one(url, kLong), two(url, kLong);
  const RunRecords::Begun begun = one.rows.Begin(Fresh("n:1"), {{"answers", {{"where", "Bari"}}}});
  REQUIRE(begun.record);
  CHECK(!begun.again);
  const RunRecord run = *begun.record;

  const RunRecords::Begun again = two.rows.Begin(Fresh("n:1"), nullptr);
  REQUIRE(again.record);
  CHECK(again.again);
  CHECK(again.record->handle == run.handle);
  CHECK(!two.rows.Hold(run).held);
  CHECK(two.rows.Hold(run).fault.reason == "");
  CHECK(two.rows.Find(run.handle, "ada").elsewhere);
  CHECK(!one.rows.Find(run.handle, "ada").elsewhere);
  CHECK(!two.rows.Find(run.handle, "bob").record);

  const std::string turn =
      one.rows.Release(run, {Status::kWaiting, false, {{"status", "waiting"}}, false});
  CHECK(turn == two.rows.Find(run.handle, "ada").last_turn);
  CHECK(!two.rows.Find(run.handle, "ada").elsewhere);
  const RunRecords::Held held = two.rows.Hold(run);
  CHECK(held.held);
  CHECK(held.inputs.empty());  // the first turn took it
  CHECK(two.rows.Release(run, {}) != turn);
  CHECK(two.rows.Handles("s_", "ada", 10) == std::vector<std::string>{run.handle});
  CHECK(two.rows.Handles("t_", "ada", 10).empty());
}

TEST_CASE("what came with the call of a process that died is handed to the next one") {
  TestCluster* const cluster = TestCluster::Get();
  if (cluster == nullptr) return;
  const std::string url = NewStore(*cluster);
  Process dead(url, std::chrono::seconds(1)), two(url, kLong);
  const RunRecords::Begun begun = dead.rows.Begin(Fresh("n:1"), {{"answers", {{"where", "Bari"}}}});
  REQUIRE(begun.record);
  CHECK(!two.rows.Hold(*begun.record).held);
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  const RunRecords::Held held = two.rows.Hold(*begun.record);
  REQUIRE(held.held);
  REQUIRE(held.inputs.size() == 1);
  CHECK(held.inputs[0]["answers"]["where"] == "Bari");
  // The one that was only slow changes nothing any more.
  dead.rows.Release(*begun.record, {Status::kSatisfied, false, {{"status", "satisfied"}}, false});
  const RunQueue::Found found = QueueIn(two.settings).Find(begun.record->handle, "ada");
  REQUIRE(found.run);
  CHECK(found.run->state == "ready");
  CHECK(found.run->report == "");
  CHECK(found.run->taken == 0);
}

TEST_CASE("a turn that was not done leaves the run as it was") {
  TestCluster* const cluster = TestCluster::Get();
  if (cluster == nullptr) return;
  const std::string url = NewStore(*cluster);
  Process one(url, kLong);
  RunQueue queue = QueueIn(one.settings);
  const RunRecord run = *one.rows.Begin(Fresh("d:1"), {{"facts", {"p(1)"}}}).record;
  SECTION("of a call that was cancelled: nobody does it") {
    one.rows.Release(run, {std::nullopt, false, nullptr, true});
    CHECK(queue.Find(run.handle, "ada").run->state == "waiting");
    CHECK(!queue.Take("w/0", kLong, {}).claim);
  }
  SECTION("for another reason: a worker does it") {
    one.rows.Release(run, {});
    const RunQueue::Claimed taken = queue.Take("w/0", kLong, {});
    REQUIRE(taken.claim);
    CHECK(taken.claim->inputs.size() == 1);
  }
  SECTION("an ended run is not looked at again") {
    one.rows.Release(run, {Status::kSatisfied, false, {{"status", "satisfied"}}, false});
    REQUIRE(one.rows.Hold(run).held);
    one.rows.Release(run, {});
    CHECK(queue.Find(run.handle, "ada").run->state == "ended");
    CHECK(queue.Find(run.handle, "ada").run->report == R"({"status":"satisfied"})");
  }
}

TEST_CASE("a request without a name is one run for a while, until the run is used or refused") {
  TestCluster* const cluster = TestCluster::Get();
  if (cluster == nullptr) return;
  const std::string url = NewStore(*cluster);
  Process one(url, kLong), two(url, kLong);
  const RunRecord run = *one.rows.Begin(Fresh("d:1"), nullptr).record;
  CHECK(two.rows.Begin(Fresh("d:1"), nullptr).record->handle == run.handle);
  CHECK(two.rows.Begin(Fresh("d:2"), nullptr).record->handle != run.handle);
  SECTION("used") { two.rows.Find(run.handle, "ada"); }
  SECTION("refused") { one.rows.Drop(run, {{"error", "wrong"}}); }
  SECTION("long ago") {
    SqlConnection database({.url = url});
    REQUIRE(
        database.Execute("UPDATE rpl_run SET began = now() - interval '3 minutes'").error.message ==
        "");
  }
  const RunRecords::Begun next = two.rows.Begin(Fresh("d:1"), nullptr);
  CHECK(!next.again);
  CHECK(next.record->handle != run.handle);
  CHECK(one.rows.Begin(Fresh("d:1"), nullptr).record->handle == next.record->handle);
}

TEST_CASE("many processes with one request begin one run") {
  TestCluster* const cluster = TestCluster::Get();
  if (cluster == nullptr) return;
  const std::string url = NewStore(*cluster);
  std::vector<std::string> handles(8);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < handles.size(); ++i)
    threads.emplace_back([&, i] {
      Process each(url, kLong);
      const RunRecords::Begun begun = each.rows.Begin(Fresh("d:1"), nullptr);
      handles[i] = begun.record ? begun.record->handle : begun.fault.reason;
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& handle : handles) CHECK(handle == handles[0]);
}

TEST_CASE("a run of a version that cannot be replayed here is refused by its name") {
  TestCluster* const cluster = TestCluster::Get();
  if (cluster == nullptr) return;
  const std::string url = NewStore(*cluster);
  Process one(url, kLong);
  const RunRecord run = *one.rows.Begin(Fresh("n:1"), nullptr).record;
  one.rows.Release(run, {Status::kWaiting});
  SqlConnection database({.url = url});
  REQUIRE(database.Execute("UPDATE rpl_run SET version = '0.0.1'").error.message == "");
  const RunRecords::Held held = one.rows.Hold(run);
  CHECK(!held.held);
  CHECK(held.fault.reason.find("0.0.1") != std::string::npos);
}

TEST_CASE("a tenant with too many runs begins none, and the key is the same for all") {
  TestCluster* const cluster = TestCluster::Get();
  if (cluster == nullptr) return;
  const std::string url = NewStore(*cluster);
  ServeSettings settings{.store = url, .limits = {1, 0}};
  ServeMetrics metrics;
  QueuePool queues([&] { return std::unique_ptr<RunQueue>(new RunQueue(QueueIn(settings))); });
  RunRows rows(settings, queues, queues, metrics);
  const RunRecord run = *rows.Begin(Fresh("n:1"), nullptr).record;
  const RunRecords::Begun second = rows.Begin(Fresh("n:2"), nullptr);
  CHECK(!second.record);
  CHECK(second.fault.reason == "too many runs wait for a worker");
  rows.Release(run, {Status::kWaiting});
  CHECK(rows.Begin(Fresh("n:2"), nullptr).record);
  std::string one, two;
  CHECK(QueueIn(settings).Share("key", "a", one).message == "");
  CHECK(QueueIn(settings).Share("key", "b", two).message == "");
  CHECK(one == "a");
  CHECK(two == "a");
}

}  // namespace
}  // namespace rpl
