// SPDX-License-Identifier: Apache-2.0
//
// What is counted of an evaluation, against counts made by hand.
#include "interp/eval/profile.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "interp/eval/profile_hints.h"
#include "interp/testing/testing.h"

namespace rpl {
namespace {

using testing::Engine;

Limits CountedBy(Profile& profile, std::size_t threads = 1) {
  Limits limits;
  limits.profile = &profile;
  limits.threads = threads;
  limits.min_shared = 1;
  return limits;
}

// "path(…) <- …: 3 rows, 0 duplicates, 1 rounds, 1 runs", a line for each rule; below it its
// plans, and below these their reads.
std::string Counts(const Profile& profile, bool with_plans = true) {
  std::string out;
  for (const Profile::Rule& rule : profile.rules()) {
    out += rule.text + ": " + std::to_string(rule.rows) + " rows, " +
           std::to_string(rule.duplicates) + " duplicates, " + std::to_string(rule.rounds) +
           " rounds, " + std::to_string(rule.runs) + " runs\n";
    if (!with_plans) continue;
    for (const Profile::PlanCounts& plan : rule.plans) {
      out += "  [" + plan.from + "] " + std::to_string(plan.runs) + " runs, " +
             std::to_string(plan.rows) + " rows, " + std::to_string(plan.duplicates) +
             " duplicates\n";
      for (const Profile::Read& read : plan.reads)
        out += "    " + read.clause + (read.columns == 0 ? " whole" : "") + " " +
               std::to_string(read.times) + " x, " + std::to_string(read.rows) + " rows\n";
    }
  }
  return out;
}

// edge 12 23 13 34. By hand:
//   round 1  path = edges 12 23 13 34; the second rule reads no path yet
//   round 2  12.23 -> 13 (there), 23.34 -> 24, 13.34 -> 14, 34.- ; 3 answers, 2 new
//   round 3  24.-, 14.-: nothing
const char* const kSmallClosure =
    "edge(1, 2)\nedge(2, 3)\nedge(1, 3)\nedge(3, 4)\n"
    "path(?x, ?y) <- edge(?x, ?y)\n"
    "path(?x, ?z) <- path(?x, ?y), edge(?y, ?z)\n";
const char* const kClosureCounts =
    "path(?x, ?y) <- edge(?x, ?y): 4 rows, 0 duplicates, 1 rounds, 1 runs\n"
    "  [] 1 runs, 4 rows, 0 duplicates\n"
    "    edge(?x, ?y) whole 1 x, 4 rows\n"
    "path(?x, ?z) <- path(?x, ?y), edge(?y, ?z): 2 rows, 1 duplicates, 3 rounds, 3 runs\n"
    "  [] 1 runs, 0 rows, 0 duplicates\n"
    "    path(?x, ?y) whole 1 x, 0 rows\n"
    "    edge(?y, ?z) 0 x, 0 rows\n"
    "  [new path(?x, ?y)] 2 runs, 2 rows, 1 duplicates\n"
    "    path(?x, ?y) whole 2 x, 6 rows\n"
    "    edge(?y, ?z) 6 x, 3 rows\n";

TEST_CASE("a profile counts rows, duplicates, rounds and reads of a closure") {
  for (const std::size_t threads : {1, 3}) {
    Profile profile;
    Engine engine(CountedBy(profile, threads));
    engine.Take(kSmallClosure);
    CHECK(engine.Derived("path", 2) == "(1, 2) (2, 3) (1, 3) (3, 4) (2, 4) (1, 4)");
    CHECK(Counts(profile) == kClosureCounts);
    const RelationId edge = engine.store.Find(Space::kRelation, "edge", 2);
    CHECK(profile.ProbesOf(edge, 1) == 6);
    CHECK(profile.ProbesOf(edge, 2) == 0);
  }
}

// By hand: (2, 1) (1, 1) (2, 2) of the first row; (3, 2) (3, 3) (1, 3) (3, 1) of the second.
// Nothing new follows from these.
TEST_CASE("the rows of an equivalence are counted for the rules that give them") {
  Profile profile;
  Engine engine(CountedBy(profile));
  engine.Take(
      "same(1, 2)\nsame(2, 3)\n"
      "same(?y, ?x) <- same(?x, ?y)\n"
      "same(?x, ?z) <- same(?x, ?y), same(?y, ?z)\n");
  CHECK(engine.Derived("same", 2) ==
        "(1, 2) (2, 3) (2, 1) (1, 1) (2, 2) (3, 2) (3, 3) (1, 3) (3, 1)");
  CHECK(Counts(profile) ==
        "same(?x, ?z) <- same(?x, ?y), same(?y, ?z): 4 rows, 0 duplicates, 1 rounds, 1 runs\n"
        "same(?y, ?x) <- same(?x, ?y): 3 rows, 0 duplicates, 1 rounds, 1 runs\n");
}

// `has` leads to ?x = 1 in every round, and all of `big` was read for that in the first.
TEST_CASE("values that came in an earlier round are joined with new rows only") {
  Profile profile;
  Engine engine(CountedBy(profile));
  std::string facts;
  for (int i = 0; i < 50; ++i) {
    const std::string n = std::to_string(i);
    facts +=
        "next(" + n + ", " + std::to_string(i + 1) + ")\nhas(" + n + ", 1)\nbig(1, " + n + ")\n";
  }
  engine.Take(facts +
              "out(?x, ?y) <- tick(?z), has(?z, ?x), big(?x, ?y)\n"
              "tick(?m) <- tick(?z), next(?z, ?m), out(1, 5)\ntick(0)\n");
  engine.Quiesce();
  CHECK(engine.store.at(engine.store.Find(Space::kRelation, "out", 2)).size() == 50);
  CHECK(engine.store.at(engine.store.Find(Space::kRelation, "tick", 1)).size() == 51);
  const Profile::Rule& out = profile.rules().front();
  const auto from_tick = std::ranges::find(out.plans, "new tick(?z)", &Profile::PlanCounts::from);
  REQUIRE(from_tick != out.plans.end());
  CHECK(from_tick->runs == 50);
  CHECK(from_tick->reads[1].rows == 49);  // has
  CHECK(from_tick->reads[2].rows == 50);  // big
}

TEST_CASE("a rule that is no join is counted alike") {
  Profile profile;
  Engine engine(CountedBy(profile));
  engine.Take(
      "n(1)\nn(2)\nn(3)\n"
      "even(?y) <- n(?x), ?y = ?x - ?x\n"   // 0 three times
      "total(?n) <- ?n = |n(_)|\n"          // one row, of three
      "all([& ?x]) <- n(?x)\n"              // gathered
      "some(#{?x 7}) <- n(?x), ?x < 3\n");  // 1 7, then 2 and 7 again
  engine.Derived("some", 1);
  CHECK(Counts(profile, false) ==
        "even(?y) <- n(?x), ?y = ?x - ?x: 1 rows, 2 duplicates, 1 rounds, 1 runs\n"
        "total(?n) <- ?n = |n(_)|: 1 rows, 0 duplicates, 1 rounds, 1 runs\n"
        "all([& ?x]) <- n(?x): 1 rows, 0 duplicates, 1 rounds, 1 runs\n"
        "some(#{?x 7}) <- n(?x), ?x < 3: 3 rows, 0 duplicates, 1 rounds, 1 runs\n");
}

// "test.rpl:1:30: message; help" for each hint.
std::string Hints(const std::string& program, bool asked = false) {
  Profile profile;
  Engine engine(CountedBy(profile));
  std::string facts;
  for (int i = 0; i < 200; ++i) {
    const std::string n = std::to_string(i);
    facts += "a(" + n + ")\nb(" + n + ")\ne(" + n + ", " + std::to_string(i / 2) + ")\np([" + n +
             " x])\n";
  }
  engine.Take(program + facts);
  engine.Quiesce();
  if (asked) engine.solver.SolveGoal(engine.program.goals().front());
  std::string out;
  for (const ProfileHint& hint : HintsOf(profile))
    out += engine.sources.Where(hint.place) + ": " + hint.message + "; " + hint.help + "\n";
  return out;
}

TEST_CASE("a clause that is read whole for each row before it is worth a hint") {
  struct {
    const char* program;
    const char* hints;
  } const kCases[] = {
      {"r(?x, ?y) <- a(?x), b(?y)\n",
       "test.rpl:1:21: no lvar joins them: `b(?y)` is read whole for each row of `a(?x)`: "
       "200 x 200 rows; \n"},
      {"r(?x, ?z) <- a(?x), e(?y, ?z), e(?x, ?y)\n",
       "test.rpl:1:21: ?y is bound only later: `e(?y, ?z)` is read whole for each row of `a(?x)`: "
       "200 x 200 rows; write `e(?x, ?y)` before `e(?y, ?z)`\n"},
      {"r(?x, ?w) <- a(?x), e(?y, ?z), e(?z, ?w), e(?w, ?x)\n",
       "test.rpl:1:21: ?w is bound only later: `e(?y, ?z)` is read whole for each row of `a(?x)`: "
       "200 x 200 rows; write `e(?w, ?x)` before `e(?y, ?z)`\n"},
      {"r(?x) <- a(?x), b(?y), ?x < ?y\n",
       "test.rpl:1:17: only `?x < ?y` relates them: `b(?y)` is read whole for each row of `a(?x)`: "
       "200 times, 20,299 rows in all; \n"},
      {"r(?x) <- a(?x), p([?x _])\n",
       "test.rpl:1:17: ?x is known, but inside a pattern: `p([?x _])` is read whole for each row "
       "of "
       "`a(?x)`: 200 x 200 rows; give ?x a column of its own, which an index finds\n"},
      {"r(?x, ?n) <- a(?x), ?n = |b(_)|\n",
       "test.rpl:1:27: no lvar joins them: `b(_)` is read whole for each row of `a(?x)`: "
       "200 x 200 rows; \n"},
      {"r(?x, ?z) <- a(?x), b(?x), e(?x, ?y), a(?y), e(?z, _)\n",
       "test.rpl:1:46: no lvar joins them: `e(?z, _)` is read whole for each answer of "
       "`a(?x), b(?x), e(?x, ?y), …`: 200 x 200 rows; \n"},
      {"r(?x, ?z) <- a(?x), b(?x), e(?z, _)\n",
       "test.rpl:1:28: no lvar joins them: `e(?z, _)` is read whole for each answer of "
       "`a(?x), b(?x)`: 200 x 200 rows; \n"},
  };
  for (const auto& c : kCases) CHECK(Hints(c.program) == c.hints);
}

TEST_CASE("a good plan, a small one and one that runs once give no hint") {
  for (const char* program : {
           "r(?x, ?z) <- a(?x), e(?x, ?y), e(?y, ?z)\n",
           "r(?x, ?y) <- e(?x, ?y)\nr(?x, ?z) <- r(?x, ?y), e(?y, ?z)\n",
           "r(?x, ?y) <- ?x in [1 2 3], b(?y)\n",
           "one(1)\nr(?x, ?y) <- one(?x), e(?y, _)\n",
           "r(?x) <- a(?x), not e(?x, ?x), b(?x)\n",
           "r(?x) <- a(?x), b(?y), ?x = ?y\n",
           "r(?x) <- a(?x), b(?y), ?y = ?x + 1\n",
       })
    CHECK(Hints(program).empty());
}

TEST_CASE("what is read whole for each call of a rule is worth a hint") {
  // `far` needs its caller, for ?x is computed with.
  const std::string late = "far(?x, ?z) <- ?w = ?x + 0, e(?y, ?z), e(?w, ?y)\n";
  const std::string early = "far(?x, ?z) <- ?w = ?x + 0, e(?w, ?y), e(?y, ?z)\n";
  const std::string goal = "%g(?x, ?z) <- a(?x), far(?x, ?z)\n";
  CHECK(Hints(late + goal, true) ==
        "test.rpl:1:29: ?y is bound only later: `e(?y, ?z)` is read whole for each call of the "
        "rule: 200 x 200 rows; write `e(?w, ?y)` before `e(?y, ?z)`\n");
  CHECK(Hints(early + goal, true).empty());
}

// `one` keeps the second rule from being a join; both read the same.
TEST_CASE("joins and other plans count rows alike") {
  Profile profile;
  Engine engine(CountedBy(profile));
  engine.Take(
      "e(1, 2)\ne(2, 3)\ne(1, 3)\ne(3, 1)\none([1])\n"
      "joined(?x, ?z) <- e(?x, ?y), not e(?y, ?x), e(?y, ?z), e(?x, ?z)\n"
      "run(?x, ?z) <- e(?x, ?y), not e(?y, ?x), e(?y, ?z), e(?x, ?z), one([_])\n");
  engine.Quiesce();
  const auto reads = [&](std::size_t rule) {
    std::string out;
    for (const Profile::Read& read : profile.rules()[rule].plans.front().reads)
      if (read.clause != "one([_])")
        out += read.clause + " " + std::to_string(read.times) + " x, " + std::to_string(read.rows) +
               " rows\n";
    return out;
  };
  // 13 and 31 are each other's way back; of 12.23, 23.31 the first closes.
  CHECK(reads(0) ==
        "e(?x, ?y) 1 x, 4 rows\n"
        "e(?y, ?x) 4 x, 2 rows\n"
        "e(?y, ?z) 2 x, 2 rows\n"
        "e(?x, ?z) 2 x, 1 rows\n");
  CHECK(reads(1) == reads(0));
}

// All outer rows are tried, so what is expected is what happens.
TEST_CASE("of a plan chosen by trials a profile says what these let expect") {
  Profile profile;
  Limits limits = CountedBy(profile);
  limits.min_ordered = 1;
  Engine engine(limits);
  std::string facts;
  for (int i = 0; i < 30; ++i) {
    facts += "a(" + std::to_string(i) + ")\n";
    for (int k = 0; k < i % 5; ++k)
      facts += "b(" + std::to_string(i) + ", " + std::to_string(k) + ")\n";
    facts += "c(" + std::to_string(i % 3) + ", " + std::to_string(i) + ")\n";
  }
  engine.Take(facts + "r(?x, ?z) <- a(?x), c(?y, ?z), b(?x, ?y)\n");
  engine.Quiesce();
  std::string reads;
  for (const Profile::Read& read : profile.rules().front().plans.front().reads) {
    REQUIRE(read.expected);
    CHECK(read.expected->times == static_cast<double>(read.times));
    CHECK(read.expected->rows == static_cast<double>(read.rows));
    reads += read.clause + " ";
  }
  CHECK(reads == "b(?x, ?y) a(?x) c(?y, ?z) ");
}

TEST_CASE("rules on demand, goals and constraints are counted") {
  Profile profile;
  Engine engine(CountedBy(profile));
  engine.Take(
      "a(1)\na(2)\nb(2)\n"
      "next(?x, ?y) <- ?y = ?x + 1\n"
      "%g(?y) <- a(?x), next(?x, ?y), b(?y)\n"
      "a(?x) -> b(?x)\n");
  engine.Quiesce();
  engine.solver.SolveGoal(engine.program.goals().front());
  engine.solver.CheckConstraint(engine.program.constraints().front(), [](const auto&, auto) {});
  CHECK(Counts(profile) ==
        "%g(?y) <- a(?x), next(?x, ?y), b(?y): 1 rows, 0 duplicates, 0 rounds, 1 runs\n"
        "  [] 1 runs, 1 rows, 0 duplicates\n"
        "    a(?x) whole 1 x, 2 rows\n"
        "    next(?x, ?y) 2 x, 2 rows\n"
        "    b(?y) 2 x, 1 rows\n"
        "next(?x, ?y) <- ?y = ?x + 1: 2 rows, 0 duplicates, 0 rounds, 2 runs\n"
        "  [given ?x] 2 runs, 2 rows, 0 duplicates\n"
        "a(?x) -> b(?x): 2 rows, 0 duplicates, 0 rounds, 1 runs\n"
        "  [left] 1 runs, 2 rows, 0 duplicates\n"
        "    a(?x) whole 1 x, 2 rows\n"
        "  [right] 1 runs, 0 rows, 0 duplicates\n"
        "    b(?x) 2 x, 1 rows\n");
}

TEST_CASE("proofs are counted apart, and give no hint") {
  Profile profile;
  Engine engine(CountedBy(profile));
  std::string facts;
  for (int i = 0; i < 200; ++i)
    facts += "a(" + std::to_string(i) + ")\nb(" + std::to_string(i) + ")\n";
  engine.Take("r(?x) <- a(?x)\nq(?x, ?z) <- r(?x), b(?y), ?z = ?y + 1, ?z < 2\n" + facts);
  engine.Quiesce();
  profile.Clear();
  const Value row[] = {engine.pool.Int(7), engine.pool.Int(1)};
  int rule = -1;
  CHECK(engine.solver.Prove(engine.Find("q", 2), row, &rule, [](const Premise&) { return true; }));
  CHECK(Counts(profile, false) ==
        "q(?x, ?z) <- r(?x), b(?y), ?z = ?y + 1, ?z < 2: 1 rows, 0 duplicates, 0 rounds, 1 runs\n");
  CHECK(profile.rules().front().kind == Profile::Kind::kProof);
  CHECK(HintsOf(profile).empty());
}

TEST_CASE("a proof reads few rows of large relations, and its premises are in the author's order") {
  Profile profile;
  Engine engine(CountedBy(profile));
  std::string facts;
  for (int i = 0; i < 2'000; ++i)
    facts += "big(" + std::to_string(i) + ", " + std::to_string(i) + ")\nup(" +
             std::to_string(i + 10'000) + ", " + std::to_string(i) + ")\n";
  engine.Take("s(?x, ?y) <- big(?a, ?b), ?a < 1500, up(?x, ?a), up(?y, ?b)\n" + facts);
  engine.Quiesce();
  profile.Clear();
  for (const bool holds : {true, false}) {
    const Value v = engine.pool.Int(holds ? 11'400 : 11'600);
    const Value row[] = {v, v};
    int rule = -1;
    const auto found =
        engine.solver.Prove(engine.Find("s", 2), row, &rule, [](const Premise&) { return true; });
    REQUIRE(found.has_value() == holds);
    if (!holds) continue;
    REQUIRE(found->size() == 3);
    CHECK((*found)[0].relation == engine.Find("big", 2));
    CHECK((*found)[1].row == std::vector<Value>{v, engine.pool.Int(1'400)});
    CHECK((*found)[2].relation == engine.Find("up", 2));
  }
  std::uint64_t rows = 0;
  for (const Profile::PlanCounts& plan : profile.rules().front().plans)
    for (const Profile::Read& read : plan.reads) rows += read.rows;
  CHECK(rows < 20);
}

}  // namespace
}  // namespace rpl
