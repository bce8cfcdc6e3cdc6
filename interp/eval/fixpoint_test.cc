// SPDX-License-Identifier: Apache-2.0
//
// Deriving to fixpoint: all at once, from what is new, and again after a retraction.
#include "interp/eval/fixpoint.h"

#include <fmt/format.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <new>
#include <random>
#include <set>
#include <string>

#include "interp/store/thread_pool.h"
#include "interp/testing/testing.h"

namespace rpl {
namespace {

using testing::Engine;

const char* const kClosure =
    "path(?x, ?y) <- edge(?x, ?y)\n"
    "path(?x, ?z) <- path(?x, ?y), edge(?y, ?z)\n";

TEST_CASE("rows come in order of first derivation") {
  Engine engine;
  engine.Take(std::string(kClosure) + "edge(a, b)\nedge(b, c)\nedge(c, d)\n");
  CHECK(engine.Derived("path", 2) == "(a, b) (b, c) (c, d) (a, c) (b, d) (a, d)");
}

TEST_CASE("what rests on the time is derived again when it is another one") {
  Engine engine;
  engine.Take(
      "due(a, \"2026-02-01T00:00:00Z\")\ndue(b, \"2026-04-01T00:00:00Z\")\n"
      "late(?x) <- due(?x, ?t), ?t before now\n"
      "fine(?x) <- due(?x, _), not late(?x)\n"
      "last([& ?x]) <- due(?x, ?t), not ?t after now\n");
  const auto at = [&](const std::string& month) {
    engine.solver.Begin({.now = engine.pool.String("2026-" + month + "-01T12:00:00Z")});
    return engine.Derived("late", 1) + "; " + engine.Derived("fine", 1) + "; " +
           engine.Derived("last", 1);
  };
  CHECK(at("01") == "; (a) (b); ");
  CHECK(at("03") == "(a); (b); ([a])");
  CHECK(at("03") == "(a); (b); ([a])");
  CHECK(at("05") == "(a) (b); ; ([a b])");
  engine.Take("soon(?x) <- fine(?x)\n");  // an entry of a shell, later
  CHECK(at("03") == "(a); (b); ([a])");
  CHECK(engine.Derived("soon", 1) == "(b)");
}

TEST_CASE("what an expansion gave at another time goes") {
  Engine engine;
  engine.Take(
      "due(f(a), \"2026-02-01T00:00:00Z\")\n"
      "#?x <- due(?x, ?t), ?t before now\n");
  const auto at = [&](const std::string& month) {
    engine.solver.Begin({.now = engine.pool.String("2026-" + month + "-01T12:00:00Z")});
    return engine.Derived("f", 1);
  };
  CHECK(at("03") == "(a)");
  CHECK(at("01").empty());
  CHECK(at("03") == "(a)");
}

TEST_CASE("recursion ends on cycles") {
  struct {
    const char* program;
    const char* relation;
    std::uint32_t arity;
    const char* rows;
  } const kCases[] = {
      {"edge(a, b)\nedge(b, a)\npath(?x, ?y) <- edge(?x, ?y)\n"
       "path(?x, ?z) <- path(?x, ?y), path(?y, ?z)\n",
       "path", 2, "(a, b) (b, a) (a, a) (b, b)"},
      {"p(1)\np(?x) <- p(?x)\n", "p", 1, "(1)"},
      {"zero(0)\neven(?x) <- zero(?x)\nodd(?y) <- even(?x), ?y = ?x + 1, ?y < 6\n"
       "even(?y) <- odd(?x), ?y = ?x + 1, ?y < 6\n",
       "even", 1, "(0) (2) (4)"},
      {"a(1)\na(2)\nb(2)\nc(?x) <- a(?x), not b(?x)\n", "c", 1, "(1)"},
      {"a(1)\na(2)\nn(?n) <- ?n = |a(_)|\n", "n", 1, "(2)"},
      {"n(?n) <- ?n = |nobody(_)|\n", "n", 1, "(0)"},
      {"d(a, 2)\nd(b, 3)\nd(a, 1)\ng(?o, [& ?v]) <- d(?o, ?v)\n", "g", 2, "(a, [2 1]) (b, [3])"},
      {"d(a, 2)\ng(?o, [& ?v ?o]) <- d(?o, ?v)\n", "g", 2, "(a, [[2 a]])"},
      {"c(1)\na(?x) <- b(?x) <- c(?x)\n", "b", 1, "(1)"},
      {"p(?x) <- ?x in [3 1 3 2]\n", "p", 1, "(3) (1) (2)"},
      {"p(?x) <- ?x = 2 | ?x = 1\n", "p", 1, "(2) (1)"},
      {"a(f(1, 2))\nb(?x) <- a(f(_, ?x))\n", "b", 1, "(2)"},
      {"a(f(1))\nb(1) <- a(f(_))\n", "b", 1, "(1)"},
      {"e(3)\nf(3)\nq(?n) <- e(?m), f(?n), ?a = \"<{?m}>\", ?b = \"<{?n}>\", ?a = ?b\n", "q", 1,
       "(3)"},
      {"s(\"a b\")\nq(?n) <- s(?x), ?x = \"a {?n}\"\n", "q", 1, "(\"b\")"},
      {"a(#{1 2}, x)\nb(?y, ?s) <- a(#{& ?s}, ?y)\n", "b", 2, "(x, 1) (x, 2)"},
      {"a(#{1 2})\nn(?n) <- a(#{& ?s}), ?n = |?s|\n", "n", 1, "(2)"},
      {"a(3)\nn(?n) <- a(#{& ?s}), ?n = |?s|\n", "n", 1, "(1)"},
      {"a(1)\na(2)\np(y) <- a(#{1 2})\np(n) <- a(#{1 3})\n", "p", 1, "(y)"},
      {"a(x, #{1 2})\na(#{x y}, #{3})\np(?y) <- a(#{x & _}, ?y)\n", "p", 1, "(1) (2) (3)"},
      {"s(1, #{#{0} #{5}})\np(?x) <- s(_, ?x)\n", "p", 1, "(0) (5)"},
      {"s(1, #{#{0} #{5}})\np(?x) <- s(_, ?x)\nr(?x) <- p(#{& ?x})\n", "p", 1, "(0) (5)"},
      // Both counts group by ?k, in either order, and no group is empty (decisions 23, 25).
      {"a(1, 1)\na(1, 2)\na(2, 1)\nd(1)\nt(?k, ?n) <- |a(?k, _)| = ?n, |d(?k)| = 0\n", "t", 2, ""},
      {"a(1, 1)\na(1, 2)\na(2, 1)\nd(1)\nt(?k, ?n) <- |d(?k)| = 0, |a(?k, _)| = ?n\n", "t", 2, ""},
      {"a(1, 1)\na(1, 2)\na(2, 1)\nd(1)\nt(?k, ?n, ?m) <- ?n = |a(?k, _)|, ?m = |d(?k)|\n", "t", 3,
       "(1, 2, 1)"},
      {"a(1, 1)\na(2, 1)\nd(1)\nb(2)\nt(?k, ?n, ?m) <- ?n = |a(?k, _)|, ?m = |d(?k)|, b(?k)\n", "t",
       3, "(2, 1, 0)"},
      // What a count gives is no group key of another one.
      {"e(a, 3)\ne(1, 2)\ne(1, 3)\ng(2, 7)\nt(?x, ?n, ?m) <- ?m = |g(?n, _)|, ?n = |e(?x, _)|\n",
       "t", 3, "(a, 1, 0) (1, 2, 1)"},
      {"e(a, 3)\ne(1, 2)\ne(1, 3)\ng(2, 7)\nt(?x, ?n, ?m) <- ?n = |e(?x, _)|, ?m = |g(?n, _)|\n",
       "t", 3, "(a, 1, 0) (1, 2, 1)"},
      {"e(a, 3)\ng(2, 7)\nt(?x, ?m) <- ?m = |g(?k, _)|, ?k = ?n + 1, |e(?x, _)| = ?n\n", "t", 2,
       "(a, 1)"},
      {"e(a, 3)\ng(1, 7)\nh(0, 1)\nt(?x, ?c) <- ?c = |h(?b, _)|, ?b = |g(?a, 8)|, ?a = |e(?x, "
       "_)|\n",
       "t", 2, "(a, 1)"},
      {"a(1)\na(2)\nd(1)\nt(?k) <- |a(?k)| = 1, not (|d(?k)| = 0)\n", "t", 1, "(1)"},
  };
  for (const auto& c : kCases) {
    Engine engine;
    engine.Take(c.program);
    INFO(c.program << engine.Findings());
    CHECK(engine.Derived(c.relation, c.arity) == c.rows);
  }
}

// Closure by breadth, without an engine.
std::set<std::pair<int, int>> Closure(const std::set<std::pair<int, int>>& edges) {
  std::set<std::pair<int, int>> out = edges;
  for (bool grew = true; grew;) {
    grew = false;
    const auto known = out;
    for (const auto& [a, b] : known)
      for (const auto& [c, d] : edges)
        if (b == c) grew |= out.emplace(a, d).second;
  }
  return out;
}

std::set<std::pair<int, int>> Pairs(const Engine& engine, const std::string& name) {
  std::set<std::pair<int, int>> out;
  const RelationId id = engine.Find(name, 2);
  if (id == kNoId) return out;
  for (RowId r = 0; r < engine.store.at(id).size(); ++r) {
    const auto row = engine.store.at(id).Cells(r);
    out.emplace(engine.pool.AsInt(row[0]), engine.pool.AsInt(row[1]));
  }
  return out;
}

TEST_CASE("closures grow and shrink with their graph") {
  const struct {
    const char* rules;
    bool symmetric;
  } kSpellings[] = {
      {"path(?x, ?y) <- edge(?x, ?y)\npath(?x, ?z) <- path(?x, ?y), edge(?y, ?z)\n", false},
      {"path(?x, ?y) <- edge(?x, ?y)\npath(?x, ?z) <- edge(?x, ?y), path(?y, ?z)\n", false},
      {"path(?x, ?y) <- edge(?x, ?y)\npath(?x, ?z) <- path(?x, ?y), path(?y, ?z)\n", false},
      {"path(?x, ?z) <- (edge(?x, ?z) | path(?x, ?y), path(?y, ?z))\n", false},
      {"step(?x, ?y) <- edge(?x, ?y)\nstep(?x, ?z) <- path(?x, ?y), edge(?y, ?z)\n"
       "path(?x, ?y) <- step(?x, ?y)\n",
       false},
      {"path(?x, ?y) <- edge(?x, ?y)\npath(?b, ?a) <- path(?a, ?b)\n"
       "path(?x, ?z) <- path(?x, ?y), path(?y, ?z)\n",
       true},
      {"path(?x, ?z) <- path(?y, ?z), path(?y, ?x)\npath(?x, ?y) <- path(?y, ?x)\n"
       "path(?x, ?y) <- edge(?y, ?x)\n",
       true},
  };
  std::mt19937 random(11);
  for (const auto& [rules, symmetric] : kSpellings) {
    INFO(rules);
    for (int graph = 0; graph < 5; ++graph) {
      Engine engine;
      engine.Take(rules);
      std::set<std::pair<int, int>> edges;
      for (int turn = 0; turn < 12; ++turn) {
        std::string text;
        for (int i = 0; i < 3; ++i) {
          const std::pair<int, int> edge(random() % 9, random() % 9);
          const bool gone = edges.count(edge) > 0;
          if (gone) edges.erase(edge);
          else edges.insert(edge);
          text += "edge(" + std::to_string(edge.first) + ", " + std::to_string(edge.second) +
                  (gone ? ") -> false\n" : ")\n");
        }
        engine.Take(text);
        engine.Quiesce();
        std::set<std::pair<int, int>> steps = edges;
        if (symmetric)
          for (const auto& [a, b] : edges) steps.emplace(b, a);
        REQUIRE(Pairs(engine, "path") == Closure(steps));
      }
    }
  }
}

const char* const kEquivalence =
    "same(?y, ?x) <- same(?x, ?y)\nsame(?x, ?z) <- same(?x, ?y), same(?y, ?z)\n";

// A limit that is asked about every 4,096 rows that a rule looks at, and counts that.
struct Watched {
  Limits limits;
  std::size_t asked = 0;
  Watched() {
    limits.watch = [this](std::size_t) { return ++asked, Stop::kGoesOn; };
  }
};

// Each pair is found once; a join would find it once for each of the 300 members.
TEST_CASE("the pairs of a class are not joined with each other") {
  Watched watched;
  Engine engine(watched.limits);
  std::string facts;
  for (int i = 1; i < 300; ++i) facts += "same(0, " + std::to_string(i) + ")\n";
  engine.Take(kEquivalence + facts);
  engine.Quiesce();
  CHECK(Pairs(engine, "same").size() == 90'000);
  CHECK(watched.asked < 100);  // 6,700 otherwise
}

// The first class, with what is read of it; the second one joins it later.
TEST_CASE("the rows of an equivalence are kept as its classes until one is added") {
  Engine engine;
  std::string program = kEquivalence + std::string("one(?y) <- same(7, ?y)\n") +
                        "lower(?x) <- same(?x, ?y), ?y < ?x\n" + "all(?n) <- ?n = |same(_, _)|\n" +
                        "each(?x, ?n) <- probe(?x), ?n = |same(_, ?x)|\n" +
                        "both(?x, ?y) <- pair(?x, ?y), same(?x, ?y)\n" +
                        "neither(?x, ?y) <- pair(?x, ?y), not same(?y, ?x)\n" +
                        "beside(?y) <- probe(?x), same(?x, ?z), pair(?z, ?y)\n" +
                        "probe(3)\nprobe(400)\npair(3, 9)\npair(9, 400)\n";
  for (int i = 1; i < 300; ++i) program += "same(0, " + std::to_string(i) + ")\n";
  engine.Take(program);
  engine.Quiesce();
  const Relation& same = engine.store.at(engine.Find("same", 2));
  CHECK(same.size() == 90'000);
  CHECK(same.stored().size() == 299);
  CHECK(engine.store.at(engine.Find("one", 1)).size() == 300);
  CHECK(engine.store.at(engine.Find("lower", 1)).size() == 299);
  CHECK(engine.Derived("all", 1) == "(90000)");
  CHECK(engine.Derived("each", 2) == "(3, 300) (400, 0)");
  CHECK(engine.Derived("both", 2) == "(3, 9)");
  CHECK(engine.Derived("neither", 2) == "(9, 400)");
  CHECK(engine.Derived("beside", 1) == "(9) (400)");
  CHECK(same.Cells(299) ==
        std::vector<Value>{engine.store.pool().Int(1), engine.store.pool().Int(0)});
  CHECK(same.stored().size() == 299);
  engine.Take("same(400, 3)\n");
  CHECK(engine.Derived("each", 2) == "(3, 301) (400, 301)");
  CHECK(engine.Derived("all", 1) == "(90601)");
  CHECK(same.stored().size() == 90'001);
  engine.Take("same(400, 3) -> false\n");
  CHECK(engine.Derived("each", 2) == "(3, 300) (400, 0)");
}

TEST_CASE("rows that are kept as classes count against the limit of rows") {
  Limits limits;
  limits.max_rows = 15;
  Engine engine(limits);
  engine.Take(kEquivalence + std::string("same(1, 2)\nsame(2, 3)\nsame(3, 4)\nsame(4, 5)\n"));
  CHECK(engine.Quiesce() == Stop::kRows);
  CHECK(engine.store.at(engine.Find("same", 2)).size() == 20);
}

TEST_CASE("a class that a limit cut short is completed") {
  Limits limits;
  limits.min_as_classes = SIZE_MAX;
  std::size_t asked = 0;
  limits.watch = [&](std::size_t) { return ++asked == 5 ? Stop::kInterrupted : Stop::kGoesOn; };
  Engine engine(limits);
  std::string facts;
  for (int i = 1; i < 300; ++i) facts += "same(" + std::to_string(i) + ", 0)\n";
  engine.Take(kEquivalence + facts);
  CHECK(engine.Quiesce() == Stop::kInterrupted);
  CHECK(engine.fixpoint.stopped_at() == "same(?x, ?z) <- same(?x, ?y), same(?y, ?z)");
  CHECK(Pairs(engine, "same").size() < 90'000);
  engine.Take("same(300, 299)\n");
  engine.solver.Take();
  CHECK(engine.Quiesce() == Stop::kGoesOn);
  CHECK(Pairs(engine, "same").size() == 90'601);
}

TEST_CASE("an equivalence that gets a set while it is derived has the pairs from before") {
  const char* const rules =
      "q(?x, ?z) <- q(?x, ?y), q(?y, ?z)\nq(?y, ?x) <- q(?x, ?y)\nq(?a, ?a) <- e(?a)\n";
  const std::set<std::pair<int, int>> expected = {{7, 3}, {3, 7}, {7, 7}, {3, 3}};
  for (const bool at_once : {true, false}) {
    Engine engine;
    engine.Take(rules);
    if (!at_once) engine.Quiesce();
    engine.Take("q(7, 3)\ne(#{#{0 8}})\n");
    engine.Quiesce();
    CHECK(testing::Rows(engine.store, engine.Find("q", 2)).find("(3, 7)") != std::string::npos);
    CHECK(testing::Rows(engine.store, engine.Find("q", 2)).find("(7, 7)") != std::string::npos);
  }
}

TEST_CASE("a set in an equivalence distributes, before and after it is one") {
  Engine engine;
  engine.Take(kEquivalence + std::string("same(1, 2)\n"));
  CHECK(engine.Derived("same", 2) == "(1, 2) (2, 1) (1, 1) (2, 2)");
  engine.Take("same(#{2 3}, 4)\n");
  engine.Quiesce();
  CHECK(Pairs(engine, "same").size() == 16);
}

TEST_CASE("new rows join what is known, and keep the ids of the old") {
  Engine engine;
  engine.Take(std::string(kClosure) + "edge(1, 2)\n");
  CHECK(engine.Derived("path", 2) == "(1, 2)");
  const std::uint32_t epoch = engine.store.at(engine.Find("path", 2)).epoch();
  engine.Take("edge(2, 3)\n");
  CHECK(engine.Derived("path", 2) == "(1, 2) (2, 3) (1, 3)");
  engine.Take("edge(0, 1)\n");
  CHECK(engine.Derived("path", 2) == "(1, 2) (2, 3) (1, 3) (0, 1) (0, 2) (0, 3)");
  CHECK(engine.store.at(engine.Find("path", 2)).epoch() == epoch);
  CHECK(engine.Quiesce() == Stop::kGoesOn);
  CHECK(engine.store.at(engine.Find("path", 2)).size() == 6);
}

std::set<std::string> AsSet(const Engine& engine, const std::string& name) {
  std::set<std::string> out;
  const Relation& rel = engine.store.at(engine.Find(name, 2));
  for (RowId row = 0; row < rel.size(); ++row)
    out.insert(testing::RowText(engine.store.pool(), rel.Cells(row)));
  CHECK(out.size() == rel.size());
  return out;
}

// Twenty chains of twenty edges, but for those that are left out.
std::string Chains(const std::function<bool(int chain, int edge)>& left_out) {
  std::string out;
  for (int chain = 0; chain < 20; ++chain)
    for (int i = 0; i < 20; ++i)
      if (!left_out(chain, i))
        out += fmt::format("edge({}, {})\n", chain * 100 + i, chain * 100 + i + 1);
  return out;
}

TEST_CASE("what rests on a row that is gone is taken back alone, and the others keep their order") {
  Engine engine;
  engine.Take(std::string(kClosure) + "far(?x, ?y) <- path(?x, ?y), not edge(?x, ?y)\n" +
              "both(?x, ?y) <- far(?x, ?z), path(?z, ?y)\n" +
              Chains([](int, int) { return false; }));
  engine.Quiesce();
  const Relation& path = engine.store.at(engine.Find("path", 2));
  REQUIRE(path.size() == 20 * 210);
  const auto rows = [&](bool without) {
    std::string out;
    for (RowId row = 0; row < path.size(); ++row) {
      const std::vector<Value> cells = path.Cells(row);
      const auto from = engine.pool.AsInt(cells[0]), to = engine.pool.AsInt(cells[1]);
      if (!without || from > 505 || from < 500 || to <= 505)
        out += testing::RowText(engine.pool, cells);
    }
    return out;
  };
  const std::string left = rows(true);
  engine.Take("edge(505, 506) -> false\n");
  engine.Quiesce();
  CHECK(engine.fixpoint.withdrawals() == 1);  // `far` needs `edge` complete
  CHECK(rows(false) == left);
  engine.Take("edge(505, 506)\n");
  engine.Quiesce();
  CHECK(path.size() == 20 * 210);
  CHECK(rows(false).starts_with(left));
  // With a way around it, nothing is lost; the rows with another proof come last.
  engine.Take("edge(504, 506)\n");
  engine.Quiesce();
  const std::set<std::string> before = AsSet(engine, "path");
  engine.Take("edge(505, 506) -> false\n");
  engine.Quiesce();
  CHECK(engine.fixpoint.withdrawals() == 2);
  std::set<std::string> after = before;
  for (int i = 506; i <= 520; ++i) after.erase(fmt::format("(505, {})", i));
  CHECK(AsSet(engine, "path") == after);
  // Too many rows: all are derived again.
  std::string many;
  for (int chain = 0; chain < 16; ++chain)
    many += fmt::format("edge({}, {}) -> false\n", chain * 100 + 12, chain * 100 + 13);
  engine.Take(many);
  engine.Quiesce();
  CHECK(engine.fixpoint.withdrawals() == 2);
  Engine anew;
  const std::string now = Chains(
      [](int chain, int edge) { return (edge == 12 && chain < 16) || (edge == 5 && chain == 5); });
  anew.Take(std::string(kClosure) + now + "edge(504, 506)\n");
  anew.Quiesce();
  CHECK(AsSet(engine, "path") == AsSet(anew, "path"));
}

TEST_CASE(
    "a fact that a rule derives as well stays without what stated it, and the other way round") {
  Engine engine(testing::Withdrawing());
  engine.Take(std::string(kClosure) + "edge(1, 2)\nedge(2, 3)\npath(1, 3)\npath(3, 4)\n");
  CHECK(engine.Derived("path", 2) == "(1, 3) (3, 4) (1, 2) (2, 3)");
  engine.Take("edge(2, 3) -> false\n");
  CHECK(engine.Derived("path", 2) == "(1, 3) (3, 4) (1, 2)");
  engine.Take("edge(2, 3)\n");
  CHECK(engine.Derived("path", 2) == "(1, 3) (3, 4) (1, 2) (2, 3)");
  engine.Take("path(1, 3) -> false\n");
  CHECK(engine.Derived("path", 2) == "(3, 4) (1, 2) (2, 3) (1, 3)");
  engine.Take("path(3, 4) -> false\nedge(3, 4)\n");
  CHECK(engine.Derived("path", 2) == "(1, 2) (2, 3) (1, 3) (3, 4) (2, 4) (1, 4)");
  CHECK(engine.fixpoint.withdrawals() == 3);
}

// A limit may stop it anywhere; what is then missing is derived when the limit is gone.
TEST_CASE("a limit that cuts off what is taken back leaves nothing behind") {
  int stopped = 0;
  std::size_t withdrawals = 0;
  std::string facts;
  for (int i = 0; i < 30; ++i) facts += fmt::format("edge({}, {})\n", i, i + 1);
  facts += "edge(3, 5)\nedge(10, 12)\nedge(20, 22)\n";
  for (std::size_t rows = 0; rows < 700; rows += 1 + rows / 20) {
    CAPTURE(rows, stopped);
    const Limits limits = testing::Withdrawing();
    Engine engine(limits);
    engine.Take(kClosure + facts);
    engine.Quiesce();
    engine.Take("edge(4, 5) -> false\nedge(11, 12) -> false\nedge(0, 25)\n");
    engine.limits.max_rows = engine.solver.machine().new_rows + rows;
    stopped += engine.Quiesce() == Stop::kRows ? 1 : 0;
    engine.limits.max_rows = limits.max_rows;
    engine.solver.Take();
    CHECK(engine.Quiesce() == Stop::kGoesOn);
    Engine anew;
    anew.Take(kClosure + facts + "edge(0, 25)\nedge(4, 5) -> false\nedge(11, 12) -> false\n");
    anew.Quiesce();
    REQUIRE(AsSet(engine, "path") == AsSet(anew, "path"));
    withdrawals += engine.fixpoint.withdrawals();
  }
  CHECK(stopped > 20);
  CHECK(withdrawals > 50);
}

TEST_CASE("what needs its inputs complete is derived again when they change") {
  Engine engine;
  engine.Take(
      "only(?x) <- a(?x), not b(?x)\nsize(?n) <- ?n = |a(_)|\nall([& ?x]) <- a(?x)\n"
      "above(?x) <- only(?x)\na(1)\na(2)\n");
  CHECK(engine.Derived("above", 1) == "(1) (2)");
  CHECK(engine.Derived("size", 1) == "(2)");
  CHECK(engine.Derived("all", 1) == "([1 2])");
  engine.Take("b(1)\na(3)\n");
  CHECK(engine.Derived("above", 1) == "(2) (3)");
  CHECK(engine.Derived("size", 1) == "(3)");
  CHECK(engine.Derived("all", 1) == "([1 2 3])");
  engine.Take("b(1) -> false\na(2) -> false\n");
  CHECK(engine.Derived("above", 1) == "(1) (3)");
  CHECK(engine.Derived("size", 1) == "(2)");
  CHECK(engine.Derived("all", 1) == "([1 3])");
}

TEST_CASE("a retraction takes conclusions along, but not what else derives or asserts them") {
  Engine engine;
  engine.Take("q(?x) <- p(?x)\nq(?x) <- r(?x)\nq(9)\np(1)\np(2)\np(9)\nr(2)\n");
  CHECK(engine.Derived("q", 1) == "(9) (1) (2)");
  engine.Take("p(1) -> false\np(2) -> false\np(9) -> false\n");
  CHECK(engine.Derived("q", 1) == "(9) (2)");
}

// The relations of the strata that the last Quiesce derived.
std::string DerivedStrata(Engine& engine) {
  std::vector<std::string> out;
  for (const std::size_t i : engine.fixpoint.derived())
    for (const RelationId r : engine.analysis.strata()[i].relations)
      out.push_back(engine.store.at(r).name());
  return testing::Join(out, " ");
}

// A rule that comes later may need what its callers know; then nothing is derived for the relation,
// nor for those that read it.
TEST_CASE("what was derived is taken back when its relation is answered on demand") {
  for (const char* later : {"p(?k) <- ?k < 5\n", "p(?k) <- $ask(\"Is it so?\")\n"}) {
    Engine engine;
    engine.Take(
        "b(2)\nok(?x) <- b(?x), not p(?x)\nn(?x, ?n) <- b(?x), ?n = |p(?x)|\n"
        "all([& ?x]) <- ok(?x)\np(?x) <- c(?x)\nc(7)\nq(?x) <- p(?x)\n");
    CHECK(engine.Derived("ok", 1) == "(2)");
    CHECK(engine.Derived("n", 2) == "(2, 0)");
    CHECK(engine.Derived("all", 1) == "([2])");
    CHECK(engine.Derived("q", 1) == "(7)");
    engine.Take(later);
    for (const auto& [relation, arity] : {std::pair("ok", 1U), {"n", 2U}, {"all", 1U}, {"q", 1U}}) {
      INFO(relation << " after " << later);
      CHECK(engine.Derived(relation, arity) == "");
    }
    CHECK(engine.Derived("b", 1) == "(2)");
  }
}

TEST_CASE("what a rule whose head is an expansion derived goes with what it rests on") {
  Engine engine;
  engine.Take(
      "say(hello(1))\nsay(hello(2))\n#?x <- say(?x), not quiet(?x)\n"
      "heard(?a) <- hello(?a)\n#?x <- echo(?x)\necho(hello(?a)) <- loud(?a)\n");
  CHECK(engine.Derived("heard", 1) == "(1) (2)");
  engine.Take("say(hello(1)) -> false\n");
  CHECK(engine.Derived("heard", 1) == "(2)");
  engine.Take("loud(3)\n");
  CHECK(engine.Derived("heard", 1) == "(2) (3)");
  engine.Take("quiet(hello(2))\n");
  CHECK(engine.Derived("hello", 1) == "(3)");
  engine.Take("loud(3) -> false\n");
  CHECK(engine.Derived("hello", 1) == "");
  CHECK(engine.Derived("heard", 1) == "");
  engine.Take("say(hello(4))\nhello(5)\n");
  CHECK(engine.Derived("heard", 1) == "(5) (4)");
}

TEST_CASE("a loop goes through all its values, also from what another clause knows of them") {
  Engine engine;
  engine.Take(
      "p(?x) <- f(?x) ; @for(?x = 0, ?x < 3, ?y = ?x + 1)\nf(0)\n"
      "r(?x, ?m) <- ?m < 5, f(?x) ; @for(?x = 0, ?x < 3, ?y = ?x + 1)\n");
  CHECK(engine.Derived("p", 1) == "(0)");
  engine.Take("f(9)\nf(2)\n");
  CHECK(engine.Derived("p", 1) == "(0) (2)");
  engine.Take("f(1)\n");
  CHECK(engine.Derived("p", 1) == "(0) (2) (1)");
}

TEST_CASE("a companion that a derived set needs has the rows that were derived before it") {
  Engine engine;
  engine.Take("b(\"x\")\nb(#{#{1 2}})\nb(\"y\")\np(?w, ?y) <- b(?y), ?w = \"t{?y}\"\n");
  engine.Quiesce();
  engine.Take("q(?w, ?all) <- p(?w, #{& ?all})\n");
  CHECK(engine.Derived("q", 2) ==
        "(\"tx\", \"x\") (\"t#{1 2}\", 1) (\"t#{1 2}\", 2) (\"ty\", \"y\")");
}

TEST_CASE("only strata that a change reaches are derived again") {
  Engine engine;
  engine.Take(
      "p(?x) <- a(?x)\nq(?x) <- p(?x), not b(?x)\nr(?x) <- q(?x)\n"
      "s(?x) <- c(?x)\nt(?x) <- s(?x), d(?x)\na(1)\na(2)\nb(7)\nc(1)\nd(1)\nnobody(0)\n");
  engine.Quiesce();
  CHECK(DerivedStrata(engine) == "p q r s t");
  engine.Quiesce();
  CHECK(DerivedStrata(engine) == "");
  const std::uint32_t epoch = engine.store.at(engine.Find("s", 1)).epoch();
  engine.Take("a(1) -> false\n");
  engine.Quiesce();
  CHECK(DerivedStrata(engine) == "p q r");
  CHECK(engine.Derived("r", 1) == "(2)");
  for (const char* change : {"b(7) -> false\n", "b(8)\n", "b(8) -> false\n"}) {
    engine.Take(change);  // q has the rows that it had
    engine.Quiesce();
    CHECK(DerivedStrata(engine) == "q");
  }
  engine.Take("b(2)\n");
  engine.Quiesce();
  CHECK(DerivedStrata(engine) == "q r");
  CHECK(engine.Derived("r", 1) == "");
  engine.Take("b(2) -> false\n");
  engine.Quiesce();
  CHECK(DerivedStrata(engine) == "q r");
  CHECK(engine.Derived("r", 1) == "(2)");
  engine.Take("d(1) -> false\n");
  engine.Quiesce();
  CHECK(DerivedStrata(engine) == "t");
  CHECK(engine.store.at(engine.Find("s", 1)).epoch() == epoch);
  engine.Take("nobody(1)\nnobody(1) -> false\n");
  engine.Quiesce();
  CHECK(DerivedStrata(engine) == "");
}

TEST_CASE(
    "rows that come again in another order, or after others, are others for those that read them") {
  Engine engine;
  engine.Take("p(?x) <- a(?x), not b(?x)\np(?x) <- c(?x)\nq(?x) <- p(?x)\na(1)\na(2)\nc(1)\n");
  CHECK(engine.Derived("q", 1) == "(1) (2)");
  engine.Take("b(1)\n");
  CHECK(engine.Derived("p", 1) == "(2) (1)");
  CHECK(engine.Derived("q", 1) == "(2) (1)");
  engine.Take("b(1) -> false\np(1)\n");
  CHECK(engine.Derived("q", 1) == "(1) (2)");
  engine.Take("b(3)\n");
  engine.Quiesce();
  CHECK(DerivedStrata(engine) == "p");
  engine.Take("b(3) -> false\np(1) -> false\na(3)\n");
  CHECK(engine.Derived("q", 1) == "(1) (2) (3)");
}

std::string Numbers(const std::string& relation, int from, int to, int columns) {
  std::string out;
  for (int i = from; i < to; ++i) {
    const std::string n = std::to_string(i);
    out += relation + "(" + n + (columns == 2 ? ", " + n : "") + ")\n";
  }
  return out;
}

TEST_CASE("a product that nothing asks for is not gone over") {
  Watched watched;
  Engine engine(watched.limits);
  engine.Take("r(?x, ?y) <- a(?x), b(?y), ?x != 3, c(?x, ?y), not d(?y)\nd(5)\n" +
              Numbers("a", 0, 3000, 1) + Numbers("b", 0, 3000, 1) + Numbers("c", 0, 3000, 2));
  engine.Quiesce();
  CHECK(engine.store.at(engine.Find("r", 2)).size() == 2998);
  CHECK(watched.asked < 20);  // 9 million rows otherwise
}

// Only deltas of `edge` ask for the paths to a node.
TEST_CASE("a few rows are looked for by scans, and the same ones are found by an index") {
  std::string edges;
  for (int i = 0; i < 12'000; ++i) {
    const int node = i / 4 * 8 + i % 4;  // chains of four
    edges += "edge(" + std::to_string(node) + ", " + std::to_string(node + 1) + ")\n";
  }
  const auto run = [&](bool indexed) {
    Engine engine;
    engine.Take(kClosure + edges);
    engine.Quiesce();
    const RelationId path = engine.Find("path", 2);
    if (indexed) engine.store.at(path).IndexOn(0b10);
    std::string scanned;  // by step: whether there is no index yet
    for (int i = 0; i < 30; ++i) {
      const int end = i * 80 + 4;
      engine.Take("edge(" + std::to_string(end) + ", " + std::to_string(end + 1) + ")\n");
      engine.Quiesce();
      scanned += engine.store.at(path).IndexIfAny(0b10) == nullptr ? "s" : "i";
    }
    return std::pair(scanned, testing::Rows(engine.store, path));
  };
  const auto [scanned, rows] = run(false);
  const auto [none_scanned, same_rows] = run(true);
  CHECK(scanned.starts_with("ssss"));
  CHECK(scanned.ends_with("iiii"));
  CHECK(none_scanned.find('s') == std::string::npos);
  CHECK(rows == same_rows);
}

TEST_CASE("what is absent is looked for by an index, for few rows too") {
  Engine engine;
  engine.Take("r(?x) <- a(?x), not b(?x, _)\na(7)\na(-1)\n" + Numbers("b", 0, 12'000, 2));
  CHECK(engine.Derived("r", 1) == "(-1)");
}

TEST_CASE("an order is chosen again when relations have grown") {
  Watched watched;
  Engine engine(watched.limits);
  engine.Take("r(?x, ?y) <- s(?x), a(?x), b(?y), c(?x, ?y)\n" + Numbers("s", 0, 5000, 1) +
              Numbers("a", 0, 2, 1) + Numbers("b", 0, 2, 1) + Numbers("c", 0, 2, 2));
  CHECK(engine.Derived("r", 2) == "(0, 0) (1, 1)");
  engine.Take(Numbers("a", 2, 3000, 1) + Numbers("b", 2, 3000, 1) + Numbers("c", 2, 3000, 2));
  watched.asked = 0;
  engine.Quiesce();
  CHECK(engine.store.at(engine.Find("r", 2)).size() == 3000);
  CHECK(watched.asked < 20);
}

// Few rows of `load` reach the many new rows of `holds`; from those, each field leads to all loads
// of it. The rows that loads reach are found by an index, whatever the order of the atoms is.
TEST_CASE("a large delta is read by an index if that is cheaper") {
  std::string facts = Numbers("stored", 0, 20'000, 1);
  for (int i = 0; i < 20'000; ++i)
    facts += "points(v" + std::to_string(i % 2000) + ", o" + std::to_string(i) + ")\n";
  for (int i = 0; i < 200; ++i)
    facts += "load(v, v" + std::to_string(i) + ", f" + std::to_string(i % 2) + ")\n";
  std::vector<std::string> atoms = {"load(?v, ?b, ?f)", "points(?b, ?o)", "holds(?o, ?f, ?g)"};
  std::set<std::string> rows;
  do {
    Watched watched;
    Engine engine(watched.limits);
    engine.Take(
        "holds(?o, f0, ?g) <- points(?b, ?o), got(?g)\ngot(1)\n"
        "got(?n) <- reached(_, 1), ?n = 2\n"
        "reached(?b, ?g) <- " +
        atoms[0] + ", " + atoms[1] + ", " + atoms[2] + "\n" + facts);
    watched.asked = 0;
    engine.Quiesce();
    const Relation& reached = engine.store.at(engine.Find("reached", 2));
    CHECK(reached.size() == 200);
    CHECK(engine.store.at(engine.Find("holds", 3)).size() == 40'000);
    CHECK(watched.asked < 100);  // 8 million rows from the delta: 2,000
  } while (std::next_permutation(atoms.begin(), atoms.end()));
}

// In one order, all of `uses` is read for each of 40 rows, and a trial does not get through one.
TEST_CASE("few rows, each of which reads many, are few only until one of them is read") {
  std::string facts = Numbers("slow", 0, 40, 1);
  for (int i = 0; i < 100'000; ++i)
    facts += "uses(" + std::to_string(i) + ", " + std::to_string(i % 5000) + ")\n";
  for (int i = 0; i < 5000; ++i)
    facts += "from(" + std::to_string(i) + ", " + std::to_string(i % 300) + ")\n";
  std::vector<std::string> atoms = {"slow(?s)", "uses(?a, ?b)", "from(?b, ?s)"};
  std::sort(atoms.begin(), atoms.end());
  do {
    Watched watched;
    Engine engine(watched.limits);
    engine.Take("late(?a, ?s) <- " + atoms[0] + ", " + atoms[1] + ", " + atoms[2] + "\n" + facts);
    watched.asked = 0;
    engine.Quiesce();
    CHECK(engine.store.at(engine.Find("late", 2)).size() == 13'600);
    CHECK(watched.asked < 120);  // 4 million rows: 1,000
  } while (std::next_permutation(atoms.begin(), atoms.end()));
}

// One row of `member` in a thousand reaches a group of 50,000, and a trial meets none of them.
TEST_CASE("a plan that takes far more than its trial let expect is given up") {
  std::string facts = Numbers("open", 0, 25'000, 1);
  for (int i = 0; i < 20'000; ++i) {
    const std::string n = std::to_string(i);
    facts += "member(" + n + ", " + (i % 1000 == 999 ? "all" : n) + ")\nin(" + n + ", " + n + ")\n";
  }
  for (int i = 100'000; i < 150'000; ++i) facts += "in(all, " + std::to_string(i) + ")\n";
  std::vector<std::string> rows;
  for (const std::size_t threads : {1, 3}) {
    Watched watched;
    watched.limits.threads = threads;
    Engine engine(watched.limits);
    engine.Take("may(?a, ?c) <- member(?a, ?b), in(?b, ?c), open(?c)\n" + facts);
    watched.asked = 0;
    engine.Quiesce();
    CHECK(engine.store.at(engine.Find("may", 2)).size() == 19'980);
    CHECK(watched.asked < 150);  // a million rows: 270
    rows.push_back(testing::Rows(engine.store, engine.Find("may", 2)));
  }
  CHECK(rows.front() == rows.back());
}

// Every ?z leads from every ?x to every ?w: 27 million ways to 90,000 rows by 90,000 pairs of ?x
// and ?w, each of which needs the last list once.
TEST_CASE("what differs only in variables that nothing reads any more is gone over once") {
  Watched watched;
  Engine engine(watched.limits);
  std::string facts;
  for (int i = 0; i < 300; ++i)
    for (int j = 0; j < 30; ++j) {
      const std::string n = std::to_string(i), m = std::to_string(j);
      facts += "a(x" + n + ", z" + m + ")\nb(z" + m + ", w" + n + ")\n";
      if (j < 10) facts += "c(w" + n + ", y" + m + ")\n";
    }
  engine.Take("r(?x, ?y) <- a(?x, ?z), b(?z, ?w), c(?w, ?y), ?w != ?x\n" + facts);
  watched.asked = 0;
  engine.Quiesce();
  CHECK(engine.store.at(engine.Find("r", 2)).size() == 3000);
  CHECK(watched.asked < 1500);  // 7,000 otherwise
}

TEST_CASE("the order of small joins is the written one") {
  Engine engine;
  engine.Take(
      "r(?x, ?y) <- a(?x), b(?y), c(?x, ?y)\na(2)\na(1)\nb(2)\nb(1)\n"
      "c(1, 1)\nc(1, 2)\nc(2, 1)\n");
  CHECK(engine.Derived("r", 2) == "(2, 1) (1, 2) (1, 1)");
}

TEST_CASE("rules may come after the facts, and in several turns") {
  Engine engine;
  engine.Take("edge(1, 2)\nedge(2, 3)\n");
  engine.Quiesce();
  engine.Take("path(?x, ?y) <- edge(?x, ?y)\n");
  CHECK(engine.Derived("path", 2) == "(1, 2) (2, 3)");
  engine.Take("path(?x, ?z) <- path(?x, ?y), edge(?y, ?z)\n");
  CHECK(engine.Derived("path", 2) == "(1, 2) (2, 3) (1, 3)");
}

TEST_CASE("a limit stops and names the rule; what was derived stays") {
  Limits limits;
  limits.max_rounds = 10;
  Engine engine(limits);
  engine.Take("n(0)\nn(?y) <- n(?x), ?y = ?x + 1\n");
  CHECK(engine.Quiesce() == Stop::kRounds);
  CHECK(engine.fixpoint.stopped_at() == "n(?y) <- n(?x), ?y = ?x + 1");
  CHECK(engine.store.at(engine.Find("n", 1)).size() >= 10);

  Limits rows;
  rows.max_rows = 50;
  Engine wide(rows);
  wide.Take("a(?x) <- ?x in [1 2 3 4 5 6 7 8 9]\nb(?x, ?y) <- a(?x), a(?y)\n");
  CHECK(wide.Quiesce() == Stop::kRows);
  CHECK(wide.fixpoint.stopped_at() == "b(?x, ?y) <- a(?x), a(?y)");
  CHECK(wide.store.rows() <= 9 + 50 + Machine::kStaged);

  Limits interrupt;
  interrupt.watch = [](std::size_t) { return Stop::kInterrupted; };
  Engine asked(interrupt);
  asked.Take("n(0)\nn(?y) <- n(?x), ?y = ?x + 1\n");
  CHECK(asked.Quiesce() == Stop::kInterrupted);
}

// The closure of a random graph, derived under `limits`: rows in order, and why it stopped.
std::string ClosureUnder(const Limits& limits, Stop* stop) {
  std::mt19937 random(5);
  std::string facts;
  for (int i = 0; i < 500; ++i)
    facts +=
        "edge(" + std::to_string(random() % 250) + ", " + std::to_string(random() % 250) + ")\n";
  Engine engine(limits);
  engine.Take(kClosure + facts);
  *stop = engine.Quiesce();
  return testing::Rows(engine.store, engine.Find("path", 2));
}

TEST_CASE("integers that need wider cells come late, and change neither rows nor their order") {
  constexpr int kNodes = 3000;
  const auto derived = [&](int from, std::int64_t factor, std::size_t threads) {
    Limits limits;
    limits.threads = threads;
    Engine engine(limits);
    const auto name = [&](int node) { return std::to_string(node < from ? node : node * factor); };
    std::string program =
        "reached(0)\nreached(?y) <- reached(?x), edge(?x, ?y)\n"
        "near(?x, ?y) <- reached(?x), edge(?x, ?y)\n"
        "twice(?x, ?z) <- near(?x, ?y), near(?y, ?z), not near(?x, ?z)\n";
    std::mt19937 random(3);
    for (int node = 0; node < kNodes; ++node)
      for (int i = 0; i < 5; ++i)
        program +=
            "edge(" + name(node) + ", " + name(node + 1 + static_cast<int>(random() % 30)) + ")\n";
    engine.Take(program);
    engine.Quiesce();
    std::vector<std::int64_t> out;
    for (const auto& [relation, arity] : {std::pair("reached", 1u), {"near", 2u}, {"twice", 2u}}) {
      const Relation& rel = engine.store.at(engine.Find(relation, arity));
      for (RowId row = 0; row < rel.size(); ++row)
        for (const Value v : rel.Cells(row)) {
          const std::int64_t node = engine.pool.AsInt(v);
          out.push_back(node < from ? node : node / factor);
        }
    }
    return out;
  };
  const std::vector<std::int64_t> small = derived(kNodes, 1, 1);
  CHECK(small.size() > 100'000);
  for (const std::size_t threads : {1, 3}) {
    CHECK(derived(2000, 100'000, threads) == small);
    CHECK(derived(1, 10'000'000'000, threads) == small);
  }
}

// Nodes that are numbered one after another have bits and grids (interp/store/row_grid.h), others
// have not.
TEST_CASE("how dense the rows are changes neither them nor their order") {
  constexpr int kNodes = 90;
  const auto derived = [&](const std::function<std::string(int)>& name, std::size_t threads,
                           bool dense) {
    Limits limits;
    limits.threads = threads;
    Engine engine(limits);
    std::string program =
        "flows(?x, ?y) <- edge(?x, ?y)\nflows(?x, ?z) <- flows(?x, ?y), flows(?y, ?z)\n"
        "memory(?x, ?w) <- load(?y, ?x), alias(?y, ?z), load(?z, ?w)\n"
        "alias(?x, ?y) <- flows(?z, ?x), flows(?z, ?y)\n"
        "alias(?x, ?y) <- flows(?z, ?x), memory(?z, ?w), flows(?w, ?y)\n"
        "flows(?x, ?y) <- edge(?x, ?z), memory(?z, ?y)\n";
    std::mt19937 random(5);
    for (int i = 0; i < 2 * kNodes; ++i) {
      const int from = static_cast<int>(random() % kNodes),
                to = static_cast<int>(random() % kNodes);
      program += i % 2 == 0
                     ? "edge(" + name(from) + ", " + name(std::min(kNodes - 1, from + 1)) + ")\n"
                     : "load(" + name(from) + ", " + name(to) + ")\n";
    }
    engine.Take(program);
    engine.Quiesce();
    std::map<Value, int> nodes;
    for (int node = 0; node < kNodes; ++node) {
      const std::string text = name(node);
      nodes[text[0] == ':' ? engine.pool.Keyword(text.substr(1))
                           : engine.pool.Int(std::stoll(text))] = node;
    }
    std::vector<int> out;
    for (const char* const relation : {"flows", "memory", "alias"}) {
      const Relation& rel = engine.store.at(engine.Find(relation, 2));
      if (relation != std::string("memory")) CHECK(rel.rows().bits().empty() == !dense);
      for (RowId row = 0; row < rel.size(); ++row)
        for (const Value v : rel.Cells(row)) out.push_back(nodes.at(v));
    }
    return out;
  };
  const auto number = [](std::int64_t factor, std::int64_t least) {
    return [=](int node) { return std::to_string(node * factor + least); };
  };
  const std::vector<int> expected = derived(number(1'000'003, 0), 1, false);
  CHECK(expected.size() > 10'000);
  for (const std::size_t threads : {1, 3}) {
    CHECK(derived(number(1, 0), threads, true) == expected);
    CHECK(derived(number(3, -70), threads, true) == expected);
    CHECK(derived(number(1, std::int64_t{1} << 40), threads, true) == expected);
    CHECK(derived(number(1'000'003, 0), threads, false) == expected);
    const auto mixed = [](int node) {
      return node % 2 == 0 ? std::to_string(node) : ":k" + std::to_string(node);
    };
    CHECK(derived(mixed, threads, false) == expected);
  }
}

TEST_CASE("several threads derive the same rows in the same order, up to the same limit") {
  Limits limits;
  Stop stop;
  const std::string rows = ClosureUnder(limits, &stop);
  REQUIRE(stop == Stop::kGoesOn);
  limits.max_rows = 20'000;
  const std::string some = ClosureUnder(limits, &stop);
  REQUIRE(stop == Stop::kRows);
  REQUIRE(rows.starts_with(some));
  REQUIRE(some.size() < rows.size());
  for (const std::size_t threads : {2, 3, 4}) {
    INFO(threads << " threads");
    limits = Limits();
    limits.threads = threads;
    limits.min_shared = 64;
    CHECK(ClosureUnder(limits, &stop) == rows);
    CHECK(stop == Stop::kGoesOn);
    limits.max_rows = 20'000;
    CHECK(ClosureUnder(limits, &stop) == some);
    CHECK(stop == Stop::kRows);
  }
}

TEST_CASE(
    "joins that a thread pool runs at once stop at the row and the rule where one thread stops") {
  std::string facts = "even(0)\n";
  for (int i = 0; i < 60; ++i)
    facts += "next(" + std::to_string(i) + ", " + std::to_string((i * 7 + 1) % 60) + ")\n";
  const auto run = [&](const Limits& limits) {
    Engine engine(limits);
    engine.Take(facts +
                "even(?y) <- odd(?x), next(?x, ?y)\n"
                "pair(?x, ?y) <- even(?x), even(?y)\n"
                "odd(?y) <- even(?x), next(?x, ?y)\n"
                "pair(?x, ?y) <- odd(?x), pair(?y, ?z)\n");
    const Stop stop = engine.Quiesce();
    std::string out = stop == Stop::kRows ? "stopped at " + engine.fixpoint.stopped_at() : "quiet";
    for (RelationId r = 0; r < engine.store.size(); ++r)
      out += "\n" + engine.store.at(r).name() + " " + testing::Rows(engine.store, r);
    return out;
  };
  for (std::size_t most = 0; most < 4'000; most += 1 + most / 3) {
    INFO("at most " << most << " rows");
    Limits alone, together;
    alone.max_rows = together.max_rows = most;
    together.threads = 4;
    together.min_shared = 1;
    CHECK(run(together) == run(alone));
  }
}

TEST_CASE("what a thread throws ends the work, and the thread pool works on") {
  ThreadPool workers(3);
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> done = 0;
    CHECK_THROWS_AS(workers.ParallelFor(40,
                                        [&](std::size_t k) {
                                          if (k == 7) throw std::bad_alloc();
                                          ++done;
                                        }),
                    std::bad_alloc);
    CHECK(done < 40);
    done = 0;
    workers.ParallelFor(40, [&](std::size_t) { ++done; });
    CHECK(done == 40);
  }
}

TEST_CASE("a limit is asked before a relation grows by much, and what was derived stays") {
  Limits limits;
  std::size_t most = 0;
  limits.watch = [&](std::size_t bytes) {
    most = std::max(most, bytes);
    return bytes > 0 ? Stop::kMemory : Stop::kGoesOn;
  };
  Engine engine(limits);
  engine.Take("n(0)\nn(?y) <- n(?x), ?y = ?x + 1, ?y < 3000\nb(?x, ?y) <- n(?x), n(?y)\n");
  CHECK(engine.Quiesce() == Stop::kMemory);
  CHECK(most >= Machine::kMuch);
  const Relation& rel = engine.store.at(engine.Find("b", 2));
  CHECK(rel.size() > 1'000'000);
  // A table of kMuch bytes that is four fifths full, and the rows of its ids.
  CHECK(rel.bytes() < Machine::kMuch + Machine::kMuch / 5 * 2 * sizeof(Value));
}

TEST_CASE("recursion through negation leaves its relations empty and is reported") {
  Engine engine;
  engine.Take("a(1)\np(?x) <- a(?x), not q(?x)\nq(?x) <- a(?x), not p(?x)\nr(?x) <- a(?x)\n");
  CHECK(engine.Quiesce() == Stop::kGoesOn);
  CHECK(engine.Derived("p", 1) == "");
  CHECK(engine.Derived("q", 1) == "");
  CHECK(engine.Derived("r", 1) == "(1)");
  CHECK(engine.analysis.IsBroken(engine.Find("p", 1)));
  CHECK_FALSE(engine.analysis.IsBroken(engine.Find("r", 1)));
  REQUIRE(!engine.analysis.cycles().empty());
  CHECK(engine.analysis.cycles().front().find("p") != std::string::npos);
  CHECK(engine.analysis.cycles().front().find("q") != std::string::npos);
}

}  // namespace
}  // namespace rpl
