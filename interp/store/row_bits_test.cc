// SPDX-License-Identifier: Apache-2.0
#include "interp/store/row_bits.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <random>
#include <vector>

#include "interp/store/row_set.h"

namespace rpl {
namespace {

using Cells = std::vector<Value>;

bool Has(const RowBits& bits, const Cells& cells) {
  return bits.Has([&](std::size_t i) { return cells[i]; });
}

bool OnLine(const RowBits& bits, std::size_t column, const Cells& cells) {
  const RowGrid::Line line = bits.grid().Along(column, [&](std::size_t i) {
    CHECK(i != column);
    return cells[i];
  });
  return bits.Has(line, cells[column]);
}

// Adds rows to a set, extends the bits now and then, and compares them with the set.
std::size_t CompareWithSet(std::size_t arity, std::size_t count,
                           const std::function<Value(std::size_t)>& make) {
  std::mt19937 random(1);
  RowSet rows(arity);
  RowBits bits;
  RowId extended = 0;
  std::size_t told = 0;
  for (std::size_t n = 0; n < count; ++n) {
    Cells cells;
    for (std::size_t i = 0; i < arity; ++i) cells.push_back(make(n));
    const RowId known = rows.Find(cells);
    const bool has = Has(bits, cells);
    told += has ? 1 : 0;
    if (has) REQUIRE(known < extended);
    for (std::size_t i = 0; i < arity; ++i) REQUIRE(OnLine(bits, i, cells) == has);
    rows.Insert(cells);
    if (random() % 50 == 0) {
      bits.Extend(rows.size(), arity, 8, [&](RowId row) { return rows.Row(row); });
      extended = rows.size();
    }
  }
  return told;
}

TEST_CASE("a row with a bit is in the set, and most rows of a dense set have one") {
  Pool pool;
  std::mt19937 random(2);
  const auto below = [&](int most) {
    return static_cast<int>(random() % static_cast<unsigned>(most));
  };
  CHECK(CompareWithSet(2, 20'000, [&](std::size_t) { return pool.Int(below(90) - 40); }) > 10'000);
  CHECK(CompareWithSet(1, 5'000, [&](std::size_t) { return pool.Int(below(900)); }) > 3'500);
  CHECK(CompareWithSet(3, 20'000, [&](std::size_t) { return pool.Int(below(20) + 1'000'000); }) >
        8'000);
  CHECK(CompareWithSet(2, 20'000, [&](std::size_t) {
          return pool.String(std::to_string(below(90)));
        }) > 10'000);
  // The range grows.
  CHECK(CompareWithSet(2, 20'000, [&](std::size_t n) {
          return pool.Int(below(10 + static_cast<int>(n) / 200) - 5);
        }) > 10'000);
  CHECK(CompareWithSet(2, 20'000, [&](std::size_t n) {
          return pool.Int(-below(10 + static_cast<int>(n) / 200));
        }) > 10'000);
  CHECK(CompareWithSet(0, 10, [&](std::size_t) { return kNil; }) == 0);
}

// The strips of each column have the bits of their rows, whenever they are opened.
TEST_CASE("bits along a column are those of its rows") {
  Pool pool;
  std::mt19937 random(4);
  for (const std::size_t arity : {1, 2, 3}) {
    const int most = arity == 3 ? 17 : 140;
    RowSet rows(arity);
    RowBits bits;
    for (int n = 0; n < 6000; ++n) {
      Cells cells;
      for (std::size_t i = 0; i < arity; ++i)
        cells.push_back(pool.Int(static_cast<int>(random() % static_cast<unsigned>(most)) -
                                 (n > 3000 ? most / 2 : 0)));
      rows.Insert(cells);
      if (n == 1000 || n == 4000) {
        for (std::size_t i = n == 1000 ? 1 : 0; i < arity; ++i)
          bits.OpenStrips(i, [&](RowId row) { return rows.Row(row); });
      }
      if (n % 500 == 0)
        bits.Extend(rows.size(), arity, 64, [&](RowId row) { return rows.Row(row); });
      if (n % 100 != 0 || bits.empty()) continue;
      for (std::size_t column = 0; column < arity; ++column) {
        if (!bits.IsOpen(column)) continue;
        const RowBits::Strip strip = bits.Along(column, [&](std::size_t i) { return cells[i]; });
        for (std::int64_t at = -70; at < static_cast<std::int64_t>(strip.count()) + 10; ++at) {
          std::uint64_t expected = 0;
          for (std::int64_t i = std::max<std::int64_t>(at, 0);
               i < std::min<std::int64_t>(at + 64, static_cast<std::int64_t>(strip.count())); ++i) {
            Cells other = cells;
            other[column] = strip.At(static_cast<std::uint64_t>(i));
            REQUIRE(strip.PositionOf(other[column]) == i);
            if (Has(bits, other)) expected |= std::uint64_t{1} << (i - at);
          }
          REQUIRE(strip.From(at) == expected);
        }
      }
    }
    CHECK(bits.Cover(1));
  }
}

TEST_CASE("sparse rows, and rows with values of several kinds, have no bits") {
  Pool pool;
  std::mt19937 random(3);
  const auto below = [&](int most) {
    return static_cast<int>(random() % static_cast<unsigned>(most));
  };
  CHECK(CompareWithSet(2, 10'000, [&](std::size_t) {
          return pool.Int(below(90) * std::int64_t{1'000'003});
        }) == 0);
  CHECK(CompareWithSet(2, 10'000, [&](std::size_t) {
          return pool.Int(below(9) * (std::int64_t{1} << 57));
        }) == 0);
  const auto mixed = [&](std::size_t n) {
    return n > 100 && below(2) == 0 ? pool.Keyword(std::to_string(below(90))) : pool.Int(below(90));
  };
  CHECK(CompareWithSet(2, 10'000, mixed) < 500);
}

TEST_CASE("rows that are too sparse have bits once they may take more") {
  Pool pool;
  RowSet rows(2);
  for (int i = 0; i < 1'500; ++i) rows.Insert(std::vector{pool.Int(i), pool.Int(i * 7 % 1'500)});
  RowBits bits;
  const auto extend = [&](std::uint64_t most_each) {
    bits.Extend(rows.size(), 2, most_each, [&](RowId row) { return rows.Row(row); });
  };
  extend(8);
  CHECK(bits.empty());
  extend(1'499);
  CHECK(bits.empty());
  extend(1'500);
  CHECK(Has(bits, {pool.Int(3), pool.Int(21)}));
  CHECK(!Has(bits, {pool.Int(3), pool.Int(22)}));
}

}  // namespace
}  // namespace rpl
