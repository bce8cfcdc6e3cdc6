// SPDX-License-Identifier: Apache-2.0
#include "interp/program/fact_rows.h"
#include "interp/store/text_queue.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

namespace rpl {
namespace {

constexpr std::uint32_t kFacts = 2 * FactRows::kBlock + 3;
constexpr RelationId kWords = 1, kNumbers = 2;  // of one and of two cells

// Every third fact is of one text, the others are of two numbers; in the second block of them is
// one that needs 64 bits.
std::vector<Value> CellsOf(Pool& pool, std::uint32_t i) {
  if (i % 3 == 0) return {pool.String(std::to_string(i))};
  const std::int64_t large = i == FactRows::kBlock + 1 ? std::int64_t{1} << 40 : 0;
  return {pool.Int(i), pool.Int(large)};
}

FactRows::Fact FactOf(std::uint32_t i) { return {i % 3 == 0 ? kWords : kNumbers, i, i + 1}; }

// Whether these are the facts above, in their order.
struct Expecting {
  Pool& pool;
  std::uint32_t next = 0;
  bool same = true;

  void operator()(std::span<const FactRows::Fact> facts, const Value* cells) {
    for (const FactRows::Fact& fact : facts) {
      const std::vector<Value> expected = CellsOf(pool, next);
      same = same && fact.begin == next && fact.relation == FactOf(next).relation &&
             std::equal(expected.begin(), expected.end(), cells);
      cells += expected.size();
      ++next;
    }
  }
};

TEST_CASE("facts stay the same in packed blocks, and are freed when they are taken") {
  Pool pool;
  FactRows rows;
  CHECK(rows.empty());
  TextQueue queue(pool, rows.cells());
  for (std::uint32_t i = 0; i < kFacts; ++i) {
    if (i % 5 == 0) {  // a bad row
      queue.Push(Kind::kString, "dropped");
      rows.DropCells(queue);
    }
    const std::string text = std::to_string(i);
    if (i % 3 == 0) {
      queue.Push(Kind::kString, text);
      queue.Flush();  // the text ends here
    } else {
      for (const Value cell : CellsOf(pool, i)) queue.Push(cell);
    }
    rows.Add(FactOf(i), queue);
  }
  REQUIRE(rows.size() == kFacts);
  CHECK(rows[FactRows::kBlock].begin == FactRows::kBlock);
  CHECK(rows.CountBefore(kFacts - 2) == kFacts - 2);
  CHECK(rows.CountBefore(kFacts + 2) == kFacts);

  const FactRows copy = rows;
  Expecting told{pool};
  rows.ForEachBlock(told);
  CHECK(told.same);
  CHECK(told.next == kFacts);
  Expecting taken{pool};
  rows.TakeBlocks(taken);
  CHECK(taken.same);
  CHECK(taken.next == kFacts);
  CHECK(rows.empty());
  CHECK(copy.size() == kFacts);

  FactRows added;
  for (std::uint32_t i = 0; i < kFacts; ++i) added.Add(FactOf(i), CellsOf(pool, i));
  Expecting again{pool};
  added.ForEachBlock(again);
  CHECK(again.same);
  CHECK(again.next == kFacts);
}

}  // namespace
}  // namespace rpl
