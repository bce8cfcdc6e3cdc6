// SPDX-License-Identifier: Apache-2.0
//
// Rows, indexes, and relations with sets.
#include "interp/store/store.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "interp/store/thread_pool.h"
#include "interp/testing/testing.h"

namespace rpl {
namespace {

using testing::Join;
using testing::Read;
using testing::RowText;

// A store written and read as text.
struct Shelf {
  std::uint32_t Insert(const std::string& row, bool asserted = true, Value meta = kNone) {
    const std::vector<Value> cells = Cells(row);
    const RelationId id =
        store.Declare(Space::kRelation, "p", static_cast<std::uint32_t>(cells.size()));
    return store.Insert(id, cells, asserted, {.meta = meta});
  }
  bool Retract(const std::string& row) {
    const std::vector<Value> cells = Cells(row);
    return store.Retract(Id(cells.size()), cells);
  }
  std::vector<Value> Cells(const std::string& row) {
    const auto items = pool.ItemsOf(Read(pool, "[" + row + "]"));
    return {items.begin(), items.end()};
  }
  RelationId Id(std::size_t arity) {
    return store.Find(Space::kRelation, "p", static_cast<std::uint32_t>(arity));
  }
  std::string Rows(std::size_t arity) { return testing::Rows(store, Id(arity)); }
  std::string Whole(std::size_t arity) { return testing::Rows(store, store.WholeIfAny(Id(arity))); }

  Pool pool;
  Store store{pool};
};

TEST_CASE("a relation is its space, label and arity") {
  Pool pool;
  Store store(pool);
  const RelationId p1 = store.Declare(Space::kRelation, "p", 1);
  CHECK(store.Declare(Space::kRelation, "p", 1) == p1);
  CHECK(store.Declare(Space::kRelation, "p", 2) != p1);
  CHECK(store.Declare(Space::kGoal, "p", 1) != p1);
  CHECK(store.Declare(Space::kTool, "p", 0) != store.Declare(Space::kAvar, "p", 0));
  CHECK(store.Find(Space::kTool, "p", 1) == kNoId);
  CHECK(store.Find(Space::kRelation, "q", 1) == kNoId);
  CHECK(store.at(store.Declare(Space::kGoal, "p", 1)).name() == "%p");
}

TEST_CASE("rows are numbered in order of insertion, once each") {
  Shelf s;
  CHECK(s.Insert("1 a") == 1);
  CHECK(s.Insert("2 b") == 1);
  CHECK(s.Insert("1.0 a") == 0);
  CHECK(s.Insert("1 [a]") == 1);
  CHECK(s.Rows(2) == "(1, a) (2, b) (1, [a])");
  CHECK(s.store.at(s.Id(2)).Find(s.Cells("2 b")) == 1);
  CHECK(s.store.at(s.Id(2)).Find(s.Cells("2 c")) == kNoId);
}

TEST_CASE("a relation without columns holds one row") {
  Shelf s;
  CHECK(s.Insert("") == 1);
  CHECK(s.Insert("") == 0);
  CHECK(s.Rows(0) == "()");
  CHECK(s.Retract(""));
  CHECK(s.Rows(0) == "");
}

TEST_CASE("a derived row becomes asserted, an asserted one stays so") {
  Shelf s;
  s.Insert("1", false);
  CHECK_FALSE(s.store.at(s.Id(1)).asserted(0));
  CHECK_FALSE(s.Retract("1"));
  CHECK(s.Insert("1", true) == 0);
  CHECK(s.store.at(s.Id(1)).asserted(0));
  CHECK(s.Insert("1", false) == 0);
  CHECK(s.store.at(s.Id(1)).asserted(0));
}

TEST_CASE("a table that several threads grow finds every row") {
  Pool pool;
  ThreadPool workers(4);
  std::mt19937 random(3);
  RowSet rows(2);
  for (int i = 0; i < 300'000; ++i)
    rows.Insert(std::vector<Value>{pool.Int(random() % 1000), pool.Int(random() % 100'000)});
  CHECK(rows.GrowthFor(1'000'000) > 0);
  rows.Reserve(1'000'000, &workers);
  CHECK(rows.GrowthFor(1'000'000) == 0);
  for (RowId row = 0; row < rows.size(); ++row) REQUIRE(rows.Find(rows.Cells(row)) == row);
  CHECK(rows.Find(std::vector<Value>{pool.Int(1000), pool.Int(0)}) == kNoId);
}

TEST_CASE("a rebuild keeps order, marks and metadata, and renews indexes") {
  Shelf s;
  s.Insert("1 a");
  s.Insert("2 a", true, Read(s.pool, "{:doc 2}"));
  s.Insert("3 b", false);
  s.Insert("4 a", true, Read(s.pool, "{:doc 4}"));
  Relation& rel = s.store.at(s.Id(2));
  rel.IndexOn(0b10);
  const std::uint32_t epoch = rel.epoch();
  rel.Rebuild([](RowId) { return true; });
  CHECK(rel.epoch() == epoch);
  rel.Rebuild([](RowId r) { return r != 0; });
  CHECK(rel.epoch() != epoch);
  CHECK(s.Rows(2) == "(2, a) (3, b) (4, a)");
  CHECK(rel.asserted(0));
  CHECK_FALSE(rel.asserted(1));
  CHECK(rel.asserted(2));
  CHECK(Text(s.pool, rel.Meta(0)) == "{:doc 2}");
  CHECK(rel.Meta(1).is_none());
  CHECK(Text(s.pool, rel.Meta(2)) == "{:doc 4}");
  const Value a[] = {s.pool.Symbol("a")};
  const Index& index = rel.IndexOn(0b10);
  const std::span<const RowId> rows = index.Rows(a, rel.rows());
  CHECK(std::vector<RowId>(rows.begin(), rows.end()) == std::vector<RowId>{0, 2});
  CHECK(rel.Find(s.Cells("1 a")) == kNoId);
  CHECK(rel.Find(s.Cells("4 a")) == 2);
  s.Insert("1 a");
  CHECK(s.Rows(2) == "(2, a) (3, b) (4, a) (1, a)");
}

TEST_CASE("a set is distributed, and kept whole beside") {
  struct {
    std::vector<const char*> rows;
    const char* instances;
    const char* whole;
  } const kCases[] = {
      {{"1"}, "(1)", "no relation"},
      {{"#{1 2}"}, "(1) (2)", "(#{1 2})"},
      {{"3", "#{1 2}"}, "(3) (1) (2)", "(3) (#{1 2})"},
      {{"#{1 2}", "3"}, "(1) (2) (3)", "(#{1 2}) (3)"},
      {{"#{1 2}", "#{2 3}"}, "(1) (2) (3)", "(#{1 2}) (#{2 3})"},
      {{"#{1 2}", "#{2 1}"}, "(1) (2)", "(#{1 2})"},
      {{"#{}"}, "", "(#{})"},
      {{"#{#{1 2} 3}"}, "(#{1 2}) (3)", "(#{#{1 2} 3})"},
      {{"[#{1 2}]"}, "([#{1 2}])", "no relation"},
  };
  for (const auto& c : kCases) {
    Shelf s;
    for (const char* row : c.rows) s.Insert(row);
    INFO(c.rows.front());
    CHECK(s.Rows(1) == c.instances);
    CHECK(s.Whole(1) == c.whole);
  }
  Shelf s;
  CHECK(s.Insert("#{1 2} x #{3 4}") == 4);
  CHECK(s.Rows(3) == "(1, x, 3) (1, x, 4) (2, x, 3) (2, x, 4)");
  CHECK(s.Insert("#{1 2} x 3") == 1);  // no new instance, but a new whole row
  CHECK(s.Insert("#{1 2} x 3") == 0);
}

TEST_CASE("a retraction takes what was asserted, in both relations") {
  Shelf s;
  s.Insert("#{1 2}");
  s.Insert("3");
  CHECK_FALSE(s.Retract("4"));
  CHECK(s.Retract("3"));
  CHECK(s.Rows(1) == "(1) (2)");
  CHECK(s.Whole(1) == "(#{1 2})");
  CHECK(s.Retract("#{1 2}"));
  CHECK(s.Rows(1) == "");
  CHECK(s.Whole(1) == "");
  CHECK_FALSE(s.Retract("3"));
}

TEST_CASE("a retracted instance leaves the sets that it was in") {
  struct {
    std::vector<const char*> rows;
    const char* retracted;
    const char* whole;
  } const kCases[] = {
      {{"#{1 2 3}"}, "2", "(#{1 3})"},
      {{"#{1 2}"}, "2", "(1)"},
      {{"#{1}"}, "1", ""},
      {{"#{1}", "#{1 2}"}, "1", "(2)"},
      {{"#{1 2} #{3 4}"}, "1 3", "(2, #{3 4}) (1, 4)"},
      {{"#{1} #{3 4}"}, "1 3", "(1, 4)"},
      {{"#{1} #{3}"}, "1 3", ""},
      {{"#{#{1 2} 3}"}, "3", "(#{#{1 2}})"},
      {{"#{#{1 2} 3}"}, "#{#{1 2}}", "(3)"},
      {{"#{#{1 2} 3} #{5 6}"}, "#{#{1 2}} 5", "(3, #{5 6}) (#{#{1 2}}, 6)"},
      {{"#{1 2} 5", "#{#{1 2} 3} 5"}, "#{#{1 2}} 5", "(#{1 2}, 5) (3, 5)"},
  };
  for (const auto& c : kCases) {
    Shelf s;
    for (const char* row : c.rows) s.Insert(row);
    INFO(c.rows.front() << " without " << c.retracted);
    const std::size_t arity = s.Cells(c.retracted).size();
    CHECK(s.Retract(c.retracted));
    CHECK(s.Whole(arity) == c.whole);
  }
}

TEST_CASE("metadata of a row asserted twice is merged, the later key stands") {
  Shelf s;
  s.Insert("1", true, Read(s.pool, "{:doc 1, :a 2}"));
  s.Insert("1", true, Read(s.pool, "{:doc 3, :b 4}"));
  CHECK(Text(s.pool, s.store.at(s.Id(1)).Meta(0)) == "{:doc 3, :a 2, :b 4}");
}

}  // namespace
}  // namespace rpl
