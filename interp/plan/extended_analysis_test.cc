// SPDX-License-Identifier: Apache-2.0
//
// Which rules an analysis is extended by, and that the others have it made anew.
#include <catch2/catch.hpp>

#include "interp/testing/testing.h"

namespace rpl {
namespace {

TEST_CASE("an analysis is extended by rules that change nothing about the others") {
  const std::string program =
      "p(1)\np(2)\ne(1, 2)\nq(?x) <- p(?x)\nr(?x) <- q(?x)\nr(?y) <- r(?x), e(?x, ?y)\n"
      "late(?x) <- r(?x), not missing(?x)\nsame(?x, ?y) <- same(?y, ?x)\n";
  struct {
    const char* rules;
    bool extends;
  } const kCases[] = {
      // New relations.
      {"new(?x) <- q(?x)\n", true},
      {"new(?x) <- q(?x), not r(?x)\n", true},
      {"new(?n) <- ?n = |r(_)|\n", true},
      {"new([& ?x]) <- r(?x)\n", true},
      {"new(?y) <- q(?x), ?y = ?x + 1\n", true},
      {"new(?x) <- p(?x)\nother(?x) <- new(?x), not q(?x)\nnew(?x) <- e(?x, _)\n", true},
      {"one(?x) <- two(?x) <- q(?x)\n", true},
      {"t(?x, ?y) <- e(?x, ?y)\nt(?x, ?z) <- t(?x, ?y), e(?y, ?z)\n", true},
      {"same2(?x, ?y) <- same2(?y, ?x)\nsame2(?x, ?z) <- same2(?x, ?y), same2(?y, ?z)\n", true},
      // One more rule of a relation that nothing else reads.
      {"late(?x) <- q(?x)\n", true},
      {"late(?y) <- late(?x), e(?x, ?y)\n", true},
      {"late(?x) <- new(?x)\n", false},
      {"late(?x) <- q(?x), not late(?x)\n", false},
      {"late(?x) <- new(?x) <- q(?x)\n", false},
      {"same(?x, ?z) <- same(?x, ?y), same(?y, ?z)\n", false},
      // Of others.
      {"q(?x) <- e(?x, _)\n", false},
      {"p(?x) <- e(?x, _)\n", false},
      {"missing(?x) <- q(?x)\n", false},
      // What needs its caller, acts, chooses or may go on for ever.
      {"new(?x) <- ?x > 3\n", false},
      {"new(?x) <- $tool(?x)\n", false},
      {"new(?x, std#least(?y)) <- e(?x, ?y)\n", false},
      {"%new <- q(?x)\n", false},
      {"new(?x) <- q(?x)\nnew(?y) <- new(?x), ?y = ?x + 1, ?y < 9\n", false},
      {"new(?x) <- q(?x), not new(?x)\n", false},
  };
  for (const auto& [rules, extends] : kCases) {
    INFO(rules);
    testing::Engine engine;
    engine.Take(program);
    const std::uint32_t file = engine.sources.Add("more.rpl", rules);
    engine.Assert(engine.program.Load(
        ReadDocument(engine.sources, file, engine.findings, FactForm::kPlain), engine.findings));
    CHECK(engine.Findings() == "");
    CHECK(engine.analysis.Extend() == extends);
  }
}

}  // namespace
}  // namespace rpl
