// SPDX-License-Identifier: Apache-2.0
#include "interp/eval/coverage.h"

#include <catch2/catch.hpp>

#include "interp/testing/testing.h"
#include "runtime/run/session.h"

namespace rpl {
namespace {

// "rule q(?x) <- p(?x)" of the parts that did something, "- rule …" of the others, in order.
std::string Covered(const Program& program, const Profile& profile) {
  std::string out;
  for (const CoveredPart& part : CoverageOf(program, profile)) {
    if (program.sources().at(part.place.file).name.starts_with("std")) continue;
    out += (part.count > 0 ? "" : "- ") + std::string(PartName(part.kind)) + " " + part.text + "\n";
  }
  return out;
}

std::string CoveredByRun(const std::string& name, const std::string& text) {
  Profile profile;
  testing::Silent agent;
  SessionOptions options;
  options.profile = &profile;
  Session session(agent, options);
  session.Load(name, text);
  session.Run();
  return Covered(session.program(), profile);
}

TEST_CASE("a rule is covered by a row, new or not") {
  CHECK(CoveredByRun("a.rpl",
                     "p(1)\nq(?x) <- p(?x)\nq(?x) <- p(?x), ?x > 0\nr(?x) <- p(?x), ?x > 1\n"
                     "%go(?x) <- q(?x)\n%stop(?x) <- r(?x)\n") ==
        "rule q(?x) <- p(?x)\n"
        "rule q(?x) <- p(?x), ?x > 0\n"
        "- rule r(?x) <- p(?x), ?x > 1\n"
        "rule %go(?x) <- q(?x)\n"
        "- rule %stop(?x) <- r(?x)\n");
}

TEST_CASE("a branch is covered by an answer of the clauses around it") {
  CHECK(CoveredByRun("a.rpl",
                     "p(1)\np(2)\n"
                     "q(?x) <- p(?x), (?x > 1 | ?x > 2 | ?x = 1, not p(2))\n"
                     "%go(?x) <- q(?x), (?x = 2 | p(?x), ?x > 3)\n") ==
        "rule q(?x) <- p(?x), (?x > 1 | ?x > 2 | ?x = 1, not p(2))\n"
        "branch ?x > 1\n"
        "- branch ?x > 2\n"
        "- branch ?x = 1, not p(2)\n"
        "rule %go(?x) <- q(?x), (?x = 2 | p(?x), ?x > 3)\n"
        "branch ?x = 2\n"
        "- branch p(?x), ?x > 3\n");
}

TEST_CASE("the branch that is tried last is the one that is written there") {
  CHECK(CoveredByRun("a.rpl", "p(1)\n%go(?x) <- (?x = $ask(\"Which?\") | p(?x))\n") ==
        "rule %go(?x) <- (?x = $ask(\"Which?\") | p(?x))\n"
        "- branch ?x = $ask(\"Which?\")\n"
        "branch p(?x)\n");
}

TEST_CASE("a constraint is covered by a violation") {
  CHECK(CoveredByRun("a.rpl",
                     "p(1)\n%go(?x) <- p(?x)\np(?x) -> ?x > 1\np(?x) -> ?x > 0\n"
                     "p(?x), ?x > 5 -> false\np(?x) -> true\n") ==
        "rule %go(?x) <- p(?x)\n"
        "constraint p(?x) -> ?x > 1\n"
        "- constraint p(?x) -> ?x > 0\n"
        "- constraint p(?x), ?x > 5 -> false\n");
}

TEST_CASE("a heading is covered when it is active, asked or derived") {
  CHECK(CoveredByRun("a.md",
                     "% <- %far | %near\n\n"
                     "# Far - %far <- x(?x) ; @when(limit(?n), ?n > 5)\n\n"
                     "# Near - %near <- x(?x) ; @when(limit(?n), ?n < 5)\n\n"
                     "# X - x(?x)\n\nWhich?\n\n# Y - y(?y)\n\nWhat?\n\n"
                     "# Z - z(?z) <- limit(?z)\n\n--\n\nlimit(1)\n") ==
        "- rule % <- %far | %near\n"
        "- branch %far\n"
        "- branch %near\n"
        "- rule %far <- x(?x) ; @when(limit(?n), ?n > 5)\n"
        "- heading %far <- x(?x) ; @when(limit(?n), ?n > 5)\n"
        "- rule %near <- x(?x) ; @when(limit(?n), ?n < 5)\n"
        "heading %near <- x(?x) ; @when(limit(?n), ?n < 5)\n"
        "heading x/1\n"
        "- heading y/1\n"
        "rule z(?z) <- limit(?z)\n"
        "heading z(?z) <- limit(?z)\n");
}

}  // namespace
}  // namespace rpl
