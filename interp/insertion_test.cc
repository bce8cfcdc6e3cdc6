// SPDX-License-Identifier: Apache-2.0
#include "interp/insertion.h"

#include <catch2/catch.hpp>
#include <random>

#include "interp/store.h"

namespace rpl {
namespace {

// Inserts the same rows by a team and one by one; `hash` may be as bad as it likes.
template <typename Hash>
void Compare(std::uint32_t seed, std::size_t waves, std::size_t rows_of_a_batch, Hash&& hash,
             std::size_t few = 512) {
  constexpr std::size_t kBatches = 5;
  Pool pool;
  std::mt19937 random(seed);
  Team team(3);
  Insertion insertion(team, kBatches, few);
  RowSet together(2);
  RowSet alone(2);
  for (std::size_t wave = 0; wave < waves; ++wave) {
    std::size_t added = 0;
    for (std::size_t k = 0; k < kBatches; ++k) {
      RowBatch& batch = insertion.Begin(k, together);
      for (std::size_t i = 0; i < random() % (2 * rows_of_a_batch + 1); ++i) {
        const Value row[] = {pool.Int(random() % 300), pool.Int(random() % 50)};
        std::copy(row, row + 2, batch.Add(together.PartOf(hash(row)), hash(row)));
        added += alone.Insert(row, hash(row)).is_new ? 1 : 0;
      }
    }
    REQUIRE(insertion.Insert(together, 0, kBatches, SIZE_MAX) == added);
  }
  REQUIRE(together.size() == alone.size());
  for (RowId id = 0; id < alone.size(); ++id) {
    REQUIRE(std::equal(alone.Row(id), alone.Row(id) + 2, together.Row(id)));
    REQUIRE(together.Has(together.Row(id), hash(together.Row(id))));
  }
}

TEST_CASE("rows that a team inserts have the ids that one thread gives") {
  const auto good = [](const Value* row) { return RowSet::HashOf({row, 2}); };
  Compare(1, 40, 20, good);
  Compare(10, 40, 20, good, 0);
  Compare(11, 40, 1, good, 0);
  Compare(2, 10, 2'000, good);
  Compare(3, 3, 10'000, good);
}

TEST_CASE("so they have when all of them belong to the end of one part") {
  Compare(4, 3, 2'000, [](const Value*) { return ~std::uint64_t{0}; });
  Compare(5, 6, 2'000, [](const Value* row) {
    return (RowSet::HashOf({row, 2}) & 3) << 32 | std::uint64_t{0xfffffff0} << 32;
  });
}

TEST_CASE("few rows, of which many have the hash of another") {
  for (const std::size_t few : {512, 0}) {
    Compare(
        7, 40, 40, [](const Value*) { return ~std::uint64_t{0}; }, few);
    Compare(
        8, 40, 100,
        [](const Value* row) {
          return (RowSet::HashOf({row, 2}) & 7) << 32;
        },
        few);
  }
}

TEST_CASE("rows side by side are inserted as they are one by one, and no more than may be") {
  Pool pool;
  std::mt19937 random(9);
  for (int round = 0; round < 200; ++round) {
    RowSet each(2), alone(2);
    WaitingRows rows;
    rows.Clear(2);
    for (std::size_t i = random() % 300; i > 0; --i) {
      const Value row[] = {pool.Int(random() % 10), pool.Int(random() % 10)};
      std::copy(row, row + 2,
                rows.Add(RowSet::HashOf(row) & (round % 2 == 0 ? ~0ull : 3ull << 32), 0));
    }
    const std::size_t most = random() % 60;
    for (std::size_t i = 0; i < rows.size() && alone.size() < most; ++i)
      alone.Insert(rows.Row(i), WaitingRows::HashOf(rows.Row(i)));
    REQUIRE(each.InsertEach(rows, most) == alone.size());
    REQUIRE(each.size() == alone.size());
    for (RowId id = 0; id < alone.size(); ++id)
      REQUIRE(std::equal(alone.Row(id), alone.Row(id) + 2, each.Row(id)));
  }
}

TEST_CASE("a team inserts at most as many new rows as it may") {
  Pool pool;
  Team team(4);
  Insertion insertion(team, 2, 512);
  RowSet rows(1);
  for (std::size_t k = 0; k < 2; ++k) {
    RowBatch& batch = insertion.Begin(k, rows);
    for (int i = 0; i < 3'000; ++i) {
      const Value row[] = {pool.Int(i)};
      const std::uint64_t hash = RowSet::HashOf(row);
      *batch.Add(rows.PartOf(hash), hash) = row[0];
    }
  }
  CHECK(insertion.Insert(rows, 0, 2, 1'000) == 1'000);
  REQUIRE(rows.size() == 1'000);
  CHECK(rows.Row(999)[0] == pool.Int(999));
}

TEST_CASE("an index that a team extends has the lists that one thread makes") {
  Pool pool;
  Store store(pool);
  Team team(4);
  Relation& rel = store.at(store.Declare(Space::kRelation, "p", 3));
  Index together(0b101);
  Index alone(0b101);
  std::mt19937 random(6);
  for (const int more : {10, 5'000, 3, 150'000, 70'000}) {
    for (int i = 0; i < more; ++i) {
      const Value row[] = {pool.Int(random() % 100), pool.Int(i), pool.Int(random() % 100)};
      rel.Insert(row, false);
    }
    together.Extend(rel, rel.size(), nullptr, &team);
    alone.Extend(rel, rel.size(), nullptr, nullptr);
    REQUIRE(together.size() == rel.size());
    REQUIRE(together.keys() == alone.keys());
    for (int a = 0; a < 101; ++a)
      for (int b = 0; b < 100; ++b) {
        const Value key[] = {pool.Int(a), pool.Int(b)};
        const std::span<const RowId> mine = together.Rows(key, rel), theirs = alone.Rows(key, rel);
        REQUIRE(std::equal(mine.begin(), mine.end(), theirs.begin(), theirs.end()));
      }
  }
}

TEST_CASE("an index that has more rows than are asked for keeps them") {
  Pool pool;
  Store store(pool);
  Team team(4);
  Relation& rel = store.at(store.Declare(Space::kRelation, "p", 1));
  for (int i = 0; i < 100; ++i) rel.Insert(std::vector<Value>{pool.Int(i)}, false);
  Index index(1);
  index.Extend(rel, 100, nullptr, nullptr);
  index.Extend(rel, 50, nullptr, &team);
  CHECK(index.size() == 100);
  CHECK(index.keys() == 100);
}

}  // namespace
}  // namespace rpl
