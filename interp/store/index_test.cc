// SPDX-License-Identifier: Apache-2.0
#include "interp/store/index.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "interp/store/store.h"

namespace rpl {
namespace {

TEST_CASE("an index grows with its relation") {
  Pool pool;
  Store store(pool);
  Relation& rel = store.at(store.Declare(Space::kRelation, "p", 3));
  std::mt19937 random(7);
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<RowId>> expected;
  for (int round = 0; round < 40; ++round) {
    for (int i = 0; i < 50; ++i) {
      const Value row[] = {pool.Int(random() % 7), pool.Int(random() % 50), pool.Int(random() % 5)};
      const Relation::Inserted in = rel.Insert(row, true);
      if (in.is_new) expected[{pool.AsInt(row[0]), pool.AsInt(row[2])}].push_back(in.row);
    }
    const Index& index = rel.IndexOn(0b101);
    for (const auto& [key, rows] : expected) {
      const Value wanted[] = {pool.Int(key.first), pool.Int(key.second)};
      const std::span<const RowId> found = index.Rows(wanted, rel.rows());
      REQUIRE(std::vector<RowId>(found.begin(), found.end()) == rows);
    }
    const Value nobody[] = {pool.Int(99), pool.Int(0)};
    REQUIRE(index.Rows(nobody, rel.rows()).empty());
  }
}

TEST_CASE("building an index can be stopped, and goes on where it was") {
  Pool pool;
  Store store(pool);
  Relation& rel = store.at(store.Declare(Space::kRelation, "p", 2));
  constexpr std::int64_t kRows = 200'000;
  for (std::int64_t i = 0; i < kRows; ++i) {
    const Value row[] = {pool.Int(i), pool.Int(i % 2)};
    rel.Insert(row, true);
  }
  const Value odd[] = {pool.Int(1)};
  const auto rows = [&](const Index& index) {
    return static_cast<std::int64_t>(index.Rows(odd, rel.rows()).size());
  };
  int asked = 0;
  const KeepOn stops = [&] { return ++asked < 2; };
  CHECK(rows(rel.IndexOn(0b10, &stops)) == 0);
  CHECK(asked == 2);
  CHECK(rows(rel.IndexOn(0b10)) == kRows / 2);
  for (std::int64_t i = kRows; i < 2 * kRows; ++i) {  // too few to build it anew
    const Value row[] = {pool.Int(i), pool.Int(i % 2)};
    rel.Insert(row, true);
  }
  asked = 0;
  const std::int64_t some = rows(rel.IndexOn(0b10, &stops));
  CHECK(asked == 2);
  CHECK(some > kRows / 2);
  CHECK(some < kRows);
  CHECK(rows(rel.IndexOn(0b10)) == kRows);
}

// Columns with few and with many keys, one of them most of the rows.
TEST_CASE("an index that is built at once has the lists of one that grows, and goes on growing") {
  Pool pool;
  Store store(pool);
  Relation& rel = store.at(store.Declare(Space::kRelation, "p", 3));
  std::mt19937 random(11);
  Index grown[] = {Index(0b001), Index(0b010), Index(0b111), Index(0b101)};
  Index built[] = {Index(0b001), Index(0b010), Index(0b111), Index(0b101)};
  for (const std::uint32_t more : {300'000u, 1u, 70'000u, 3u}) {
    for (std::uint32_t i = 0; i < more; ++i) {
      const std::uint32_t key = random() % 4 == 0 ? 0 : random() % 100'000;
      const Value row[] = {pool.Int(key), pool.Int(i), pool.Int(random() % 3)};
      if (rel.Insert(row, false).is_new && rel.size() % 10'000 == 0)  // never so many at once
        for (Index& index : grown) {
          const IndexExtension::Growth growth = {&index, &rel.rows(), rel.size()};
          IndexExtension().Run({&growth, 1}, nullptr, nullptr);
        }
    }
    for (std::size_t i = 0; i < 4; ++i) {
      for (Index* index : {&grown[i], &built[i]}) {
        const IndexExtension::Growth growth = {index, &rel.rows(), rel.size()};
        IndexExtension().Run({&growth, 1}, nullptr, nullptr);
      }
      REQUIRE(built[i].keys() == grown[i].keys());
      for (RowId row = 0; row < rel.size(); ++row) {
        std::vector<Value> key;
        for (std::uint32_t c = 0; c < 3; ++c)
          if ((built[i].columns() >> c & 1) != 0) key.push_back(rel.Cells(row)[c]);
        if (row % 7 != 0) continue;
        const auto a = built[i].Rows(key, rel.rows());
        const auto b = grown[i].Rows(key, rel.rows());
        REQUIRE(std::equal(a.begin(), a.end(), b.begin(), b.end()));
      }
    }
  }
}

TEST_CASE("indexes that a thread pool extends have the lists that one thread makes") {
  Pool pool;
  Store store(pool);
  ThreadPool workers(4);
  Relation& rel = store.at(store.Declare(Space::kRelation, "p", 3));
  IndexExtension extension;
  Index together[] = {Index(0b101), Index(0b010), Index(0b110)};
  Index alone[] = {Index(0b101), Index(0b010), Index(0b110)};
  std::mt19937 random(6);
  for (const int more : {10, 5'000, 3, 150'000, 70'000}) {
    for (int i = 0; i < more; ++i) {
      const Value row[] = {pool.Int(random() % 100), pool.Int(i), pool.Int(random() % 100)};
      rel.Insert(row, false);
    }
    // The last one is behind; it catches up the next time.
    const RowId ends[] = {rel.size(), rel.size(), rel.size() / 2};
    std::vector<IndexExtension::Growth> growths;
    for (std::size_t i = 0; i < 3; ++i) growths.push_back({&together[i], &rel.rows(), ends[i]});
    extension.Run(growths, nullptr, &workers);
    for (std::size_t i = 0; i < 3; ++i) {
      const IndexExtension::Growth growth = {&alone[i], &rel.rows(), ends[i]};
      IndexExtension().Run({&growth, 1}, nullptr, nullptr);
      REQUIRE(together[i].size() == ends[i]);
      REQUIRE(together[i].keys() == alone[i].keys());
    }
    const auto same = [&](std::size_t i, std::span<const Value> key) {
      const std::span<const RowId> mine = together[i].Rows(key, rel.rows()),
                                   theirs = alone[i].Rows(key, rel.rows());
      return std::equal(mine.begin(), mine.end(), theirs.begin(), theirs.end());
    };
    for (int a = 0; a < 101; ++a)
      for (int b = 0; b < 100; ++b) {
        const Value key[] = {pool.Int(a), pool.Int(b)};
        REQUIRE(same(0, key));
        REQUIRE(same(1, {key, 1}));
        REQUIRE(same(2, key));
      }
  }
}

TEST_CASE("an index that has more rows than are asked for keeps them") {
  Pool pool;
  Store store(pool);
  ThreadPool workers(4);
  Relation& rel = store.at(store.Declare(Space::kRelation, "p", 1));
  for (int i = 0; i < 5'000; ++i) rel.Insert(std::vector<Value>{pool.Int(i)}, false);
  Index ahead(1), behind(1);
  IndexExtension::Growth growths[] = {{&ahead, &rel.rows(), 5'000}, {&behind, &rel.rows(), 0}};
  IndexExtension().Run(growths, nullptr, nullptr);
  growths[0].end = 50;
  growths[1].end = 5'000;
  IndexExtension().Run(growths, nullptr, &workers);
  CHECK(ahead.size() == 5'000);
  CHECK(ahead.keys() == 5'000);
  CHECK(behind.keys() == 5'000);
}

}  // namespace
}  // namespace rpl
