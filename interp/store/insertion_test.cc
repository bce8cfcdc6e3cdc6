// SPDX-License-Identifier: Apache-2.0
#include "interp/store/insertion.h"

#include <array>
#include <catch2/catch.hpp>
#include <numeric>
#include <random>
#include <vector>

#include "interp/store/store.h"

namespace rpl {
namespace {

using TwoCells = std::array<Value, 2>;

// A row with that first cell and that hash.
TwoCells RowWithHash(Value first, std::uint64_t hash) {
  constexpr std::uint64_t kMultiplier = 0x9e3779b97f4a7c15ull;
  std::uint64_t inverse = kMultiplier;
  for (int i = 0; i < 5; ++i) inverse *= 2 - kMultiplier * inverse;
  const std::uint64_t second = ((hash ^ hash >> 32) * inverse) ^ RowSet::HashOf({&first, 1});
  const TwoCells row = {first, Value::FromBits(second)};
  REQUIRE(RowSet::HashOf(row) == hash);
  return row;
}

// Rows some of which are equal, and whose hashes have few upper halves: `upper(random number)`.
template <typename Upper>
auto RowsOf(Pool& pool, const Upper& upper) {
  return [&pool, upper](std::mt19937& random) {
    const Value first = pool.Int(random() % 50);
    const std::uint64_t hash = static_cast<std::uint32_t>(upper(random()));
    return RowWithHash(first, hash << 32 | random() % 30);
  };
}

auto GoodRows(Pool& pool) {
  return [&pool](std::mt19937& random) {
    const Value first = pool.Int(random() % 300);
    return TwoCells{first, pool.Int(random() % 50)};
  };
}

// Rows of small integers, and some at the end of what 32 bits hold, or beyond it.
auto MixedRows(Pool& pool) {
  return [&pool](std::mt19937& random) {
    const auto any = [&] {
      if (random() % 2'000 != 0) return pool.Int(static_cast<int>(random() % 200) - 100);
      const std::int64_t edge = std::int64_t{1} << (random() % 2 == 0 ? 27 : 40);
      return pool.Int((random() % 2 == 0 ? edge : -edge) + static_cast<int>(random() % 3) - 1);
    };
    const Value first = any();
    return TwoCells{first, any()};
  };
}

// Inserts the same rows, into two sets of them, by a thread pool and one by one.
template <typename Row>
void CompareWith(std::uint32_t seed, std::size_t batches, std::size_t rows_of_a_batch,
                 const Row& row_of, std::size_t few = 512) {
  constexpr std::size_t kBatches = 5;
  std::mt19937 random(seed);
  ThreadPool workers(3);
  Insertion insertion(workers, kBatches, few);
  RowSet together[] = {RowSet(2), RowSet(2)};
  RowSet alone[] = {RowSet(2), RowSet(2)};
  std::vector<std::vector<Value>> inserted[2];
  for (std::size_t wave = 0; wave < batches; ++wave) {
    std::size_t added[kBatches] = {};
    for (std::size_t k = 0; k < kBatches; ++k) {
      const std::size_t set = random() % 4 == 0 ? 1 : 0;
      RowBatch& batch = insertion.Begin(k, together[set]);
      for (std::size_t i = random() % (2 * rows_of_a_batch + 1); i > 0; --i) {
        const TwoCells row = row_of(random);
        const std::uint64_t hash = RowSet::HashOf(row);
        std::copy(row.begin(), row.end(), batch.Add(RowSet::PartOf(hash), hash));
        if (!alone[set].Insert(row).is_new) continue;
        inserted[set].emplace_back(row.begin(), row.end());
        ++added[k];
      }
    }
    insertion.Close(kBatches);
    REQUIRE(insertion.Insert(SIZE_MAX) ==
            std::accumulate(std::begin(added), std::end(added), std::size_t{0}));
    for (std::size_t k = 0; k < kBatches; ++k) REQUIRE(insertion.added(k) == added[k]);
  }
  for (const std::size_t set : {0, 1}) {
    REQUIRE(together[set].size() == alone[set].size());
    for (RowId id = 0; id < alone[set].size(); ++id) {
      REQUIRE(alone[set].Cells(id) == inserted[set][id]);
      REQUIRE(together[set].Cells(id) == inserted[set][id]);
      REQUIRE(together[set].Find(together[set].Cells(id)) == id);
      REQUIRE(alone[set].Find(together[set].Cells(id)) == id);
    }
  }
}

TEST_CASE("rows that a thread pool inserts have the ids that one thread gives") {
  Pool pool;
  const auto good = GoodRows(pool);
  CompareWith(1, 40, 20, good);
  CompareWith(10, 40, 20, good, 0);
  CompareWith(11, 40, 1, good, 0);
  CompareWith(2, 10, 2'000, good);
  CompareWith(3, 3, 10'000, good);
}

TEST_CASE("so they have when cells become wider on the way") {
  Pool pool;
  const auto mixed = MixedRows(pool);
  for (std::uint32_t seed = 20; seed < 30; ++seed) {
    CompareWith(seed, 40, 100, mixed);
    CompareWith(seed, 40, 100, mixed, 0);
    CompareWith(seed, 4, 5'000, mixed);
  }
}

TEST_CASE("a row has the same cells before and after others become wider") {
  Pool pool;
  RowSet rows(2);
  std::vector<std::vector<Value>> inserted;
  const auto insert = [&](Value a, Value b) {
    const std::vector<Value> row = {a, b};
    REQUIRE(rows.Insert(row).is_new);
    inserted.push_back(row);
  };
  const std::int64_t most = (std::int64_t{1} << 27) - 1;
  insert(pool.Int(most), pool.Int(-most - 1));
  insert(kNil, pool.String("text"));
  insert(kNone, pool.Int(0));
  const std::size_t narrow = rows.bytes();
  insert(pool.Int(1), pool.Int(most + 1));
  insert(pool.Int(-most - 2), pool.Int(0));
  insert(pool.Int(std::int64_t{1} << 59), pool.Int(0));
  insert(pool.Int(-(std::int64_t{1} << 59)), pool.Int(0));
  CHECK(rows.bytes() - narrow == 3 * 2 * 4 + 4 * 2 * 8);
  for (RowId id = 0; id < rows.size(); ++id) {
    CHECK(rows.Cells(id) == inserted[id]);
    CHECK(rows.Find(inserted[id]) == id);
    CHECK(!rows.Insert(inserted[id]).is_new);
  }
}

TEST_CASE("so they have when all of them belong to the end of one part") {
  Pool pool;
  CompareWith(4, 3, 2'000, RowsOf(pool, [](std::uint32_t) { return 0xffffffffu; }));
  CompareWith(5, 6, 2'000, RowsOf(pool, [](std::uint32_t n) { return 0xfffffff0u | (n & 3); }));
}

TEST_CASE("so they have when all slots have the same tag, and parts run over into others") {
  Pool pool;
  const auto spread = RowsOf(pool, [](std::uint32_t n) { return 0xabc00000u | (n & 0xffff); });
  const auto ends = RowsOf(
      pool, [](std::uint32_t n) { return 0xabc00000u | (n & 0xffff) | (n >> 16) % 2 * 0x1f0; });
  for (const std::size_t few : {512, 0}) {
    CompareWith(12, 6, 1'000, spread, few);
    CompareWith(13, 6, 1'000, ends, few);
  }
}

TEST_CASE("few rows, of which many have the hash of another") {
  Pool pool;
  for (const std::size_t few : {512, 0}) {
    CompareWith(7, 40, 40, RowsOf(pool, [](std::uint32_t) { return 0xffffffffu; }), few);
    CompareWith(8, 40, 100, RowsOf(pool, [](std::uint32_t n) { return n & 7; }), few);
  }
}

TEST_CASE("rows side by side are inserted as they are one by one, and no more than may be") {
  Pool pool;
  std::mt19937 random(9);
  const auto mixed = MixedRows(pool);
  for (int round = 0; round < 200; ++round) {
    RowSet each(2), alone(2);
    WaitingRows rows;
    rows.Clear(2);
    for (std::size_t i = random() % 300; i > 0; --i) {
      const Value first = pool.Int(random() % 10);
      const TwoCells row = round % 3 == 0 ? TwoCells{first, pool.Int(random() % 10)}
                           : round % 3 == 1
                               ? mixed(random)
                               : RowWithHash(first, (random() & 3ull) << 32 | random() % 3);
      std::copy(row.begin(), row.end(), rows.Add(RowSet::HashOf(row), 0));
    }
    const std::size_t most = random() % 60;
    for (std::size_t i = 0; i < rows.size() && alone.size() < most; ++i)
      alone.Insert(rows.Row(i), WaitingRows::HashOf(rows.Row(i)));
    REQUIRE(each.InsertEach(rows, most) == alone.size());
    REQUIRE(each.size() == alone.size());
    for (RowId id = 0; id < alone.size(); ++id) REQUIRE(alone.Cells(id) == each.Cells(id));
  }
}

TEST_CASE("a thread pool inserts at most as many new rows as it may") {
  Pool pool;
  ThreadPool workers(4);
  Insertion insertion(workers, 2, 512);
  RowSet rows(1);
  for (std::size_t k = 0; k < 2; ++k) {
    RowBatch& batch = insertion.Begin(k, rows);
    for (int i = 0; i < 3'000; ++i) {
      const Value row[] = {pool.Int(i)};
      const std::uint64_t hash = RowSet::HashOf(row);
      *batch.Add(RowSet::PartOf(hash), hash) = row[0];
    }
  }
  insertion.Close(2);
  CHECK(insertion.Insert(1'000) == 1'000);
  REQUIRE(rows.size() == 1'000);
  CHECK(rows.Row(999)[0] == pool.Int(999));
}

}  // namespace
}  // namespace rpl
