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

// What a relation must be equal to: rows in a list, with what is known of each.
struct Listed {
  std::vector<Value> cells;
  bool asserted;
  Value meta;
  Parties by;
};

TEST_CASE(
    "rows that are taken out leave the others in order, in the table, in indexes and in bits") {
  Pool pool;
  Store store(pool);
  std::mt19937 random(17);
  for (int round = 0; round < 12; ++round) {
    Relation& rel = store.at(store.Declare(Space::kRelation, "p" + std::to_string(round), 3));
    const bool wide = round % 3 == 1, facts = round % 2 == 0;
    std::vector<Listed> expected;
    std::size_t all_gone = 0;
    ThreadPool workers(3);
    for (const std::uint32_t more : {2'500u, 5u, 4'000u, 700u, 20'000u, 50u}) {
      for (std::uint32_t i = 0; i < more; ++i) {
        const std::uint32_t key = random() % 3 == 0 ? 1 : random() % 400;
        const Value row[] = {pool.Int(key), pool.Int(random() % 90),
                             pool.Int(wide ? random() * 1'000'000'007LL : random() % 2)};
        const bool asserted = facts && random() % 4 != 0;
        const Relation::Inserted in = rel.Insert(row, asserted);
        if (!in.is_new) {
          expected[in.row].asserted |= asserted;
        } else {
          expected.push_back({{row, row + 3}, asserted, kNone, 0});
        }
        if (!asserted || random() % 3 == 0) continue;
        const Value entry[] = {pool.Keyword("doc"), pool.Int(random() % 5)};
        const auto by = PartyBit(random() % 9 == 0 ? By::kPerson : By::kProgram);
        const Value meta = random() % 7 == 0 ? pool.Map(entry) : kNone;
        const Span at = {1, in.row, in.row + 1};
        rel.State(in.row, in.is_new, {meta, &at, {}, by}, pool);
        if (!meta.is_none()) expected[in.row].meta = meta;
        expected[in.row].by |= by;
      }
      rel.rows().TellFound(200'000, 1);  // makes bits
      rel.rows().OpenStrips(0);
      rel.IndexOn(0b001);
      rel.IndexOn(0b011);
      rel.IndexOn(0b110, rel.size() / 2, nullptr);
      rel.IndexOn(0b100, rel.size(), nullptr, round % 4 == 0 ? &workers : nullptr);
      for (int times = 0; times < 3; ++times) {
        const RowId before = rel.size() / 2;
        const std::uint32_t epoch = rel.epoch();
        std::vector<RowId> gone;
        const std::uint32_t one_of = random() % 2 == 0 ? 1'000 : 12;
        const bool all_of_one = random() % 3 == 0;
        for (RowId row = 0; row < rel.size(); ++row)
          if (random() % one_of == 0 || (all_of_one && rel.Row(row)[0] == pool.Int(7)))
            gone.push_back(row);
        if (gone.empty()) continue;
        std::vector<Listed> left;
        std::vector<Value> cells;
        RowId of_them = before;
        for (RowId row = 0; row < rel.size(); ++row)
          if (!std::ranges::binary_search(gone, row)) {
            left.push_back(expected[row]);
          } else if (row < before) {
            --of_them;
            cells.insert(cells.end(), expected[row].cells.begin(), expected[row].cells.end());
          }
        const std::vector<Listed> had = std::exchange(expected, left);
        rel.Remove(gone);
        all_gone += gone.size();
        REQUIRE(rel.epoch() != epoch);
        if (const auto change = rel.Since(before, epoch)) {
          REQUIRE(change->size == of_them);
          REQUIRE(change->gone == cells);
        } else {
          REQUIRE(all_gone > rel.size() / 8);
        }
        REQUIRE(rel.size() == expected.size());
        bool has_derived = false;
        for (RowId row = 0; row < rel.size(); ++row) {
          const Listed& of = expected[row];
          REQUIRE(rel.Cells(row) == of.cells);
          REQUIRE(rel.Find(of.cells) == row);
          REQUIRE(rel.asserted(row) == of.asserted);
          REQUIRE(rel.Meta(row) == of.meta);
          REQUIRE(rel.SaidBy(row) == of.by);
          REQUIRE(rel.Origin(row).has_value() == (of.by != 0));
          REQUIRE(rel.rows().bits().Has([&](std::size_t i) { return of.cells[i]; }) ==
                  !rel.rows().bits().empty());
          has_derived |= !of.asserted;
        }
        REQUIRE(rel.HasDerived() == has_derived);
        for (const RowId row : gone) {
          REQUIRE(rel.Find(had[row].cells) == kNoId);
          REQUIRE_FALSE(rel.rows().bits().Has([&](std::size_t i) { return had[row].cells[i]; }));
        }
        for (const auto& index : rel.indexes()) {
          std::map<std::vector<Value>, std::vector<RowId>,
                   bool (*)(const std::vector<Value>&, const std::vector<Value>&)>
              lists([](const std::vector<Value>& a, const std::vector<Value>& b) {
                return std::ranges::lexicographical_compare(a, b, {}, &Value::bits, &Value::bits);
              });
          const auto key_of = [&](const std::vector<Value>& row) {
            std::vector<Value> key;
            for (std::size_t i = 0; i < row.size(); ++i)
              if ((index->columns() >> i & 1) != 0) key.push_back(row[i]);
            return key;
          };
          for (RowId row = 0; row < index->size(); ++row)
            lists[key_of(expected[row].cells)].push_back(row);
          REQUIRE(index->keys() == lists.size());
          for (const auto& [key, rows] : lists)
            REQUIRE(std::ranges::equal(index->Rows(key, rel.rows()), rows));
          for (const RowId row : gone)
            if (const std::vector<Value> key = key_of(had[row].cells); !lists.contains(key))
              REQUIRE(index->Rows(key, rel.rows()).empty());
        }
      }
    }
  }
}

TEST_CASE("a relation remembers what is gone since an epoch, as far as it is of use") {
  Pool pool;
  Store store(pool);
  Relation& rel = store.at(store.Declare(Space::kRelation, "p", 1));
  const auto row = [&](int i) { return std::vector<Value>{pool.Int(i)}; };
  for (int i = 0; i < 10'000; ++i) rel.Insert(row(i), true);
  const std::uint32_t start = rel.epoch();
  rel.Remove(std::vector<RowId>{3, 5});
  const std::uint32_t later = rel.epoch();
  rel.Insert(row(5), true);
  rel.Remove(std::vector<RowId>{3, 9'998});  // 4, and the 5 that came again
  auto change = rel.Since(10'000, start);
  REQUIRE(change);
  CHECK(change->size == 9'997);
  CHECK(testing::RowText(pool, change->gone) == "(3, 5, 4)");
  change = rel.Since(9'999, later);
  REQUIRE(change);
  CHECK(change->size == 9'997);
  CHECK(testing::RowText(pool, change->gone) == "(4, 5)");
  CHECK(rel.Since(7, rel.epoch())->size == 7);
  CHECK(rel.Since(4, start)->size == 3);
  rel.Remove(std::vector<RowId>{0});
  CHECK(rel.Since(10'000, start));
  rel.Rebuild([](RowId r) { return r % 2 == 0; });
  CHECK_FALSE(rel.Since(10'000, start));
  CHECK(rel.Since(1, rel.epoch())->gone.empty());
  Relation& flag = store.at(store.Declare(Space::kRelation, "p", 0));
  flag.Insert({}, true);
  flag.Remove(std::vector<RowId>{0});
  CHECK_FALSE(flag.Since(1, 0));
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

TEST_CASE("rows have places in one file or in several") {
  Places places;
  places.Add(3, {1, 10, 20});
  places.Add(3, {1, 30, 40});
  CHECK(places.Find(3) == Span{1, 10, 20});
  CHECK_FALSE(places.Find(2).has_value());
  places.Add(4, {2, 5, 6});
  places.Add(600, {0, 0, 0});
  CHECK(places.Find(3) == Span{1, 10, 20});
  CHECK(places.Find(4) == Span{2, 5, 6});
  const RowId gone[] = {1, 3};
  places.Remove(Gaps(gone, 601), 601);
  CHECK(places.Find(2) == Span{2, 5, 6});
  CHECK(places.Find(598) == Span{0, 0, 0});
  for (const RowId row : {1u, 3u, 4u, 599u, 600u, 5000u}) CHECK_FALSE(places.Find(row).has_value());
}

TEST_CASE("a relation has origins until the last row with one is gone") {
  Pool pool;
  Store store(pool);
  const RelationId id = store.Declare(Space::kRelation, "p", 1);
  const Value one = pool.Int(1), two = pool.Int(2);
  store.Insert(id, {&one, 1}, true);
  CHECK_FALSE(store.at(id).HasOrigins());
  const Span place = {0, 3, 4};
  store.Insert(id, {&two, 1}, true, {.origin = &place});
  CHECK(store.at(id).HasOrigins());
  const RowId gone[] = {1};
  store.at(id).Remove(gone);
  CHECK_FALSE(store.at(id).HasOrigins());
}

TEST_CASE("metadata of a row asserted twice is merged, the later key stands") {
  Shelf s;
  s.Insert("1", true, Read(s.pool, "{:doc 1, :a 2}"));
  s.Insert("1", true, Read(s.pool, "{:doc 3, :b 4}"));
  CHECK(Text(s.pool, s.store.at(s.Id(1)).Meta(0)) == "{:doc 3, :a 2, :b 4}");
}

}  // namespace
}  // namespace rpl
