// SPDX-License-Identifier: Apache-2.0
//
// Rules that are split while their stratum is derived (interp/eval/fixpoint.h).
#include "interp/plan/intermediate.h"

#include <catch2/catch.hpp>
#include <climits>
#include <string>

#include "interp/testing/testing.h"

namespace rpl {
namespace {

using testing::Engine;

std::size_t RowsOf(const Engine& engine, const std::string& name) {
  return engine.store.at(engine.Find(name, 2)).size();
}

// An alias analysis of a ring of nodes, in which every pair comes about in very many ways.
const char* const kAlias =
    "flow(?x, ?y) <- edge(?x, ?y)\n"
    "flow(?x, ?z) <- flow(?x, ?y), flow(?y, ?z)\n"
    "memory(?x, ?w) <- at(?y, ?x), alias(?y, ?z), at(?z, ?w)\n"
    "alias(?x, ?y) <- flow(?z, ?x), flow(?z, ?y)\n"
    "alias(?x, ?y) <- memory(?z, ?w), flow(?w, ?y), flow(?z, ?x)\n";

std::string Ring(int nodes) {
  std::string facts;
  for (int i = 0; i < nodes; ++i) {
    const std::string here = std::to_string(i);
    facts += "edge(" + here + ", " + std::to_string((i + 1) % nodes) + ")\nat(" + here + ", " +
             here + ")\n";
  }
  return facts;
}

std::size_t Intermediates(const Engine& engine) {
  std::size_t out = 0;
  for (RelationId r = 0; r < engine.store.size(); ++r)
    if (engine.store.at(r).space() == Space::kIntermediate) out += engine.store.at(r).size();
  return out;
}

TEST_CASE("a rule with many ways to few pairs goes on from an intermediate") {
  Limits limits;
  limits.min_split = 10'000;
  Engine engine(limits);
  engine.Take(kAlias + Ring(40));
  engine.Quiesce();
  CHECK(RowsOf(engine, "alias") == 1600);
  CHECK(Intermediates(engine) == 1600);
  // It grows with its atoms, and is made anew with its rule.
  engine.Take("edge(0, 40)\nat(40, 40)\n");
  engine.Quiesce();
  CHECK(RowsOf(engine, "alias") == 41 * 41);
  engine.Take("at(3, 3) -> false\nat(40, 40) -> false\n");
  engine.Quiesce();
  CHECK(RowsOf(engine, "memory") == 39 * 39);
  CHECK(RowsOf(engine, "alias") == 41 * 41);
  engine.Take("edge(0, 40) -> false\n");
  engine.Quiesce();
  CHECK(RowsOf(engine, "alias") == 1600);
}

TEST_CASE("a rule is whole again when its atoms have sets") {
  Limits limits;
  limits.min_split = 0;
  Engine engine(limits);
  engine.Take(kAlias + Ring(5));
  engine.Quiesce();
  CHECK(Intermediates(engine) > 0);
  engine.Take("flow(#{#{1} 7}, 8)\nflow(6, #{9 #{#{5}}})\nmemory(6, 6)\n");
  engine.Quiesce();
  CHECK(Intermediates(engine) == 0);
  Engine plain;
  plain.Take(kAlias + Ring(5) + "flow(#{#{1} 7}, 8)\nflow(6, #{9 #{#{5}}})\nmemory(6, 6)\n");
  plain.Quiesce();
  CHECK(testing::Rows(engine.store, engine.Find("alias", 2)).size() ==
        testing::Rows(plain.store, plain.Find("alias", 2)).size());
}

TEST_CASE("an intermediate that a stop cut short is not gone on from") {
  std::string facts;
  for (int i = 0; i < 40; ++i)
    for (int j = 0; j < 80; ++j) {
      const std::string z = std::to_string(i), w = std::to_string(j);
      facts += "m(" + z + ", " + w + ")\nf(" + w + ", " + z + ")\n";
    }
  std::string more;
  for (int i = 0; i < 40; ++i)
    more += "g(" + std::to_string(i) + ", " + std::to_string(2 * i) + ")\ng(" + std::to_string(i) +
            ", " + std::to_string(2 * i + 1) + ")\n";
  bool finished = false;
  for (int polls = 1; !finished; polls = polls * 5 / 4 + 1) {
    int left = INT_MAX;
    Limits limits;
    limits.min_split = 10'000;
    limits.watch = [&](std::size_t) { return left-- > 0 ? Stop::kGoesOn : Stop::kInterrupted; };
    Engine engine(limits);
    engine.Take("r(?x, ?y) <- m(?z, ?w), f(?w, ?y), g(?z, ?x)\nm(?x, ?y) <- r(?x, ?y), h(?x)\n" +
                facts);
    engine.Quiesce();
    engine.Take(more);
    left = polls;
    finished = engine.Quiesce() == Stop::kGoesOn;
    left = INT_MAX;
    engine.solver.Take();
    CHECK(engine.Quiesce() == Stop::kGoesOn);
    CHECK(RowsOf(engine, "r") == 80 * 40);
  }
}

TEST_CASE("a limit that an intermediate reaches names the rule that it is for") {
  Limits limits;
  limits.min_split = 10'000;
  Engine whole(limits);
  whole.Take(kAlias + Ring(40));
  whole.Quiesce();
  // All relations have as many rows when they are done; the intermediate's are among the last.
  limits.max_rows = 4 * RowsOf(whole, "alias");
  for (; limits.max_rows > 1600; limits.max_rows -= 100) {
    Engine engine(limits);
    engine.Take(kAlias + Ring(40));
    if (engine.Quiesce() == Stop::kGoesOn) continue;
    CHECK(engine.fixpoint.stopped_at().find("part of") == std::string::npos);
    CHECK(engine.store.at(engine.fixpoint.growing()).space() == Space::kRelation);
  }
}

}  // namespace
}  // namespace rpl
