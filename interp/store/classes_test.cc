// SPDX-License-Identifier: Apache-2.0
#include "interp/store/classes.h"

#include <catch2/catch.hpp>
#include <random>
#include <vector>

namespace rpl {
namespace {

const KeepOn kAlways = [] { return true; };

// Adds rows of few values in several batches; what follows from each is numbered, compared with
// what appending it gives, and stays. `many`: rows that follow may be among them.
void CheckClasses(std::uint32_t seed, std::uint32_t values, bool many) {
  std::mt19937 random(seed);
  Pool pool;
  const auto value = [&](std::uint32_t n) { return pool.Int(n); };
  Classes classes;
  RowSet rows(2);
  for (int batch = 0; batch < 4; ++batch) {
    const std::uint32_t count = random() % (many ? values * values / 2 + 1 : values);
    for (std::uint32_t i = 0; i < count; ++i) {
      const Value row[] = {value(random() % values), value(random() % values)};
      rows.Insert(row);
    }
    REQUIRE(classes.Take(rows, 0, kAlways));
    classes.Number(rows);
    RowSet all(2);
    for (RowId row = 0; row < rows.size(); ++row) all.Insert(rows.Cells(row));
    classes.AppendTo(all);
    REQUIRE(all.size() == classes.pairs());
    REQUIRE(classes.begin() == rows.size());
    REQUIRE(classes.end() == all.size());
    std::vector<Value> cells;
    classes.AddCells(classes.begin(), classes.end(), cells);
    REQUIRE(cells.size() == 2 * (classes.end() - classes.begin()));
    for (RowId row = 0; row < all.size(); ++row) {
      const std::vector<Value> expected = all.Cells(row);
      REQUIRE(classes.Find(expected[0], expected[1]) == (row < classes.begin() ? kNoId : row));
      if (row < classes.begin()) continue;
      Value read[2];
      classes.CellsOf(row, read);
      REQUIRE(expected == std::vector<Value>{read[0], read[1]});
      REQUIRE(cells[2 * (row - classes.begin())] == read[0]);
      REQUIRE(cells[2 * (row - classes.begin()) + 1] == read[1]);
    }
    RowId begin = classes.begin(), end = classes.end();
    for (int range = 0; range < 3; ++range) {
      for (std::uint32_t n = 0; n <= values; ++n)
        for (const std::size_t column : {0, 1}) {
          std::vector<RowId> expected, ids;
          std::vector<Value> others, partners;
          for (RowId row = begin; row < end; ++row)
            if (all.Row(row)[column] == value(n)) {
              expected.push_back(row);
              others.push_back(all.Row(row)[1 - column]);
            }
          classes.AddRows(column, value(n), begin, end, ids);
          classes.AddPartners(column, value(n), begin, end, partners);
          REQUIRE(ids == expected);
          REQUIRE(partners == others);
        }
      if (const RowId size = classes.end() - classes.begin(); size > 0) {
        begin = classes.begin() + random() % size;
        end = begin + random() % (classes.end() - begin + 1);
      }
    }
    std::size_t follow = 0;
    classes.ForEachFollowing([&](Value a, Value b, Classes::By) {
      const Value row[] = {a, b};
      follow += rows.Insert(row).is_new ? 1 : 0;
      return true;
    });
    REQUIRE(follow == classes.end() - classes.begin());
    for (RowId row = 0; row < all.size(); ++row) REQUIRE(rows.Cells(row) == all.Cells(row));
    classes.Settle(true, rows.size());
    CHECK_FALSE(classes.HasNew(rows.size(), 0));
  }
}

TEST_CASE("rows that follow from classes are found and listed as if they were stored") {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    CheckClasses(seed, 1 + seed % 13, seed % 2 == 0);
    CheckClasses(seed, 30, false);
  }
}

}  // namespace
}  // namespace rpl
