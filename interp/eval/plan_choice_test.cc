// SPDX-License-Identifier: Apache-2.0
//
// The order in which a rule's clauses are written: it decides neither what the rule gives nor, by
// much, what that takes, which is counted in probes and rows, those of indexes included.
#include "interp/eval/plan_choice.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "interp/eval/profile.h"
#include "interp/testing/testing.h"

namespace rpl {
namespace {

using testing::Engine;
using Texts = std::vector<std::string>;

// A rule for q, and the facts that it reads.
struct Family {
  std::string facts;
  std::string head;
  Texts clauses;
};

std::string Facts(std::mt19937& random, const std::string& name, int count, const Texts& columns,
                  const std::vector<std::uint32_t>& below) {
  std::set<std::string> out;
  while (static_cast<int>(out.size()) < count) {
    std::string row = name + "(";
    for (std::size_t i = 0; i < below.size(); ++i)
      row += (i > 0 ? ", " : "") + columns[i] + std::to_string(random() % below[i]);
    out.insert(row + ")\n");
  }
  std::string text;
  for (const std::string& row : out) text += row;
  return text;
}

std::string Facts(std::mt19937& random, const std::string& name, int count,
                  const std::vector<std::uint32_t>& below) {
  return Facts(random, name, count, Texts(below.size()), below);
}

Family Equalities(std::mt19937& random) {
  return {Facts(random, "a", 2000, {2000, 1000}) + Facts(random, "c", 2000, {1000, 4, 1000}) +
              Facts(random, "d", 2000, {1000, 500}),
          "q(?x, ?y)",
          {"a(?x, ?b)", "c(?b2, ?m, ?l)", "d(?k, ?y)", "?b2 = ?b", "?m = 3", "?k = ?l + 1"}};
}

Family Chain(std::mt19937& random, int length) {
  Family out = {"", "q(?x0, ?x" + std::to_string(length) + ")", {}};
  for (int i = 0; i < length; ++i) {
    const std::string name = "e" + std::to_string(i);
    out.facts += Facts(random, name, 1500, {1500, 1500});
    out.clauses.push_back(name + "(?x" + std::to_string(i) + ", ?x" + std::to_string(i + 1) + ")");
  }
  out.clauses.push_back("?x0 < 200");
  out.clauses.push_back("?x2 < ?x3");
  return out;
}

Family Star(std::mt19937& random, int points) {
  Family out = {Facts(random, "h", 1500, {1500, 30}), "q(?x, ?v1)", {"h(?x, ?g)"}};
  for (int i = 1; i < points; ++i) {
    const std::string name = "t" + std::to_string(i);
    out.facts += Facts(random, name, 1500 * (1 + i % 3), {1500, 40});
    out.clauses.push_back(name + "(?x, ?v" + std::to_string(i) + ")");
  }
  out.clauses.push_back("?g = 7");
  out.clauses.push_back("?v1 < ?v2");
  return out;
}

// The first rows pass the comparison, and each of them meets all others.
Family Product(int count) {
  Family out = {"", "q(?x, ?y)", {"n(?x)", "n(?y)", "?y < 4"}};
  for (int i = 0; i < count; ++i) out.facts += "n(" + std::to_string(i) + ")\n";
  return out;
}

struct Taken {
  std::set<std::string> rows;
  double work = 0;  // probes and rows
};

Taken Take(const Family& family, const Texts& clauses) {
  Profile profile;
  Limits limits;
  limits.profile = &profile;
  Engine engine(limits);
  engine.Take(family.facts + family.head + " <- " + testing::Join(clauses, ", ") + "\n");
  engine.Quiesce();
  Taken out;
  const RelationId id = engine.Find("q", 2);
  for (RowId row = 0; row < engine.store.at(id).size(); ++row)
    out.rows.insert(testing::RowText(engine.pool, engine.store.at(id).Cells(row)));
  for (const Profile::Rule& rule : profile.rules())
    for (const Profile::PlanCounts& plan : rule.plans)
      for (const Profile::Read& read : plan.reads)
        out.work += static_cast<double>(read.times + read.rows);
  // Those that only trials have read as well.
  for (RelationId relation = 0; relation < static_cast<RelationId>(engine.store.size()); ++relation)
    for (const auto& index : engine.store.at(relation).indexes())
      out.work += static_cast<double>(index->size());
  return out;
}

TEST_CASE("the order in which clauses are written decides little of what a rule takes") {
  std::mt19937 random(7);
  const Family families[] = {Equalities(random), Chain(random, 6), Chain(random, 12),
                             Star(random, 6),    Star(random, 9),  Product(20'000)};
  for (const Family& family : families) {
    INFO(family.head + " <- " + testing::Join(family.clauses, ", "));
    Texts clauses = family.clauses;
    const Taken written = Take(family, clauses);
    double least = written.work, most = written.work;
    CHECK(!written.rows.empty());
    for (int i = 0; i < 12; ++i) {
      std::shuffle(clauses.begin(), clauses.end(), random);
      const Taken other = Take(family, clauses);
      CHECK(other.rows == written.rows);
      least = std::min(least, other.work);
      most = std::max(most, other.work);
    }
    CHECK(most <= 1.5 * least);
  }
}

TEST_CASE("a cross product of few rows is not kept if many atoms multiply it") {
  std::mt19937 random(7);
  Family family = {"", "q(?x0, ?x6)", {}};
  for (int i = 0; i < 6; ++i) {
    const std::string name = "e" + std::to_string(i);
    family.facts += Facts(random, name, 200, {200, 200});
    family.clauses.push_back(name + "(?x" + std::to_string(i) + ", ?x" + std::to_string(i + 1) +
                             ")");
  }
  const double in_order = Take(family, family.clauses).work;
  const Texts& c = family.clauses;
  CHECK(Take(family, {c[0], c[3], c[5], c[1], c[4], c[2]}).work < 2 * in_order);
}

TEST_CASE("an order whose last atoms no row of its trial reaches is estimated") {
  std::mt19937 random(7);
  Family family = {"", "q(?x0, ?x6)", {}};
  for (int i = 0; i < 6; ++i)
    family.facts += Facts(random, "e" + std::to_string(i), 4000, {4000, 4000});
  const Texts chain = {"e0(?x0, ?x1)", "?x0 < 20",  "e1(?x1, ?x2)", "e2(?x2, ?x3)",
                       "e3(?x3, ?x4)", "?x3 < ?x4", "e4(?x4, ?x5)", "e5(?x5, ?x6)"};
  const Texts crossed = {"e1(?x1, ?x2)", "e0(?x0, ?x1)", "e2(?x2, ?x3)", "?x0 < 20",
                         "e4(?x4, ?x5)", "e3(?x3, ?x4)", "?x3 < ?x4",    "e5(?x5, ?x6)"};
  CHECK(Take(family, crossed).work < 1.5 * Take(family, chain).work);
}

// --- what has no meaning (decision 93) --------------------------------------------------------

const Texts kSums = {"a(?l)", "?k = ?l + 1", "c(?l, ?m)", "?m2 = ?m", "d(?m2)"};

// All orders of the clauses, with and without trials.
void ForEachOrder(Texts clauses, const std::function<void(Engine&, const Texts&)>& check) {
  std::sort(clauses.begin(), clauses.end());
  do {
    for (const bool tried : {false, true}) {
      Limits limits;
      if (tried) limits.min_ordered = 0, limits.min_gain = 0;
      Engine engine(limits);
      INFO(testing::Join(clauses, ", "));
      check(engine, clauses);
    }
  } while (std::next_permutation(clauses.begin(), clauses.end()));
}

TEST_CASE("a clause without a meaning matters only where all others hold, in any order") {
  ForEachOrder(kSums, [](Engine& engine, const Texts& clauses) {
    engine.Take("a(1)\na(\"x\")\nc(1, 7)\nc(\"x\", 8)\nd(7)\nq(?k) <- " +
                testing::Join(clauses, ", ") + "\n");
    CHECK(engine.Derived("q", 1) == "(2)");
    CHECK(!engine.analysis.IsTabled(engine.Find("q", 1)));
    CHECK(engine.solver.machine().undefined.empty());
    engine.Take("d(8)\n");
    CHECK(engine.Derived("q", 1) == "(2)");
    CHECK(engine.analysis.IsTabled(engine.Find("q", 1)));
    REQUIRE(engine.solver.machine().undefined.size() == 1);
    const std::string why = engine.solver.machine().undefined.begin()->second;
    CHECK(why.starts_with("`?k = ?l + 1` is undefined for ?l = \"x\" (test.rpl:6)"));
  });
}

TEST_CASE("a number that is too large is met only where all other clauses hold, in any order") {
  const std::string large = "1" + std::string(400, '0');
  ForEachOrder(kSums, [&](Engine& engine, Texts clauses) {
    for (std::string& clause : clauses)
      if (clause.starts_with("?k")) clause = "?k = ?l * " + large;
    engine.Take("a(2)\na(0.5)\nc(2, 7)\nc(0.5, 8)\nd(7)\nq(?k) <- " + testing::Join(clauses, ", ") +
                "\n");
    CHECK(engine.Quiesce() == Stop::kGoesOn);
    CHECK(engine.store.at(engine.Find("q", 1)).size() == 1);
    engine.Take("d(8)\n");
    CHECK(engine.Quiesce() == Stop::kValue);
  });
}

}  // namespace
}  // namespace rpl
