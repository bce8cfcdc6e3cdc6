// SPDX-License-Identifier: Apache-2.0
#include "runtime/step/constraint_check.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "runtime/testing/run_parts.h"

namespace rpl {
namespace {

// A program whose constraints are checked.
struct CheckedRun : testing::RunParts {
  explicit CheckedRun(const std::string& program, const std::string& name = "test.rpl")
      : testing::RunParts(nobody) {
    Load(program, name);
    REQUIRE(findings.all().empty());
  }

  // Phase 7 for a goal with this standing, or for a query.
  Findings Settle(GoalStanding standing = GoalStanding::kSatisfied,
                  const Definition* query = nullptr) {
    budget.Begin();
    recorder.SetPhase(7);
    engine.Prepare();
    Derive();
    return constraints.Settle(standing, {}, query);
  }
  void Decide(const Assertion& decision) {
    facts.Insert(decision.relation, decision.row,
                 {.meta = decision.meta, .by = PartyBit(By::kPerson)});
  }
  static inline testing::Silent nobody;
};

TEST_CASE("what a constraint forbids is found, and what it admits is recorded once") {
  CheckedRun run("pay(\"ann\", 50)\npay(\"bob\", 200)\npay(?p, ?e) -> ?e <= 100\n");
  const Findings found = run.Settle();
  REQUIRE(found.violated);
  CHECK(found.violated->bindings == "{?p \"bob\", ?e 200}");
  CHECK(found.violated->rows == std::vector<std::string>{"pay(\"bob\", 200)"});
  REQUIRE(found.violated->asserted.size() == 1);
  REQUIRE(run.recorder.trace().size() == 1);
  CHECK(run.recorder.trace().front().text.find("\"ann\"") != std::string::npos);
  run.Settle();
  CHECK(run.recorder.trace().size() == 1);
}

TEST_CASE("in phase 3 a constraint is live, and says nothing of its instances") {
  CheckedRun run("pay(\"bob\", 200)\npay(?p, ?e) -> ?e <= 100\n");
  run.engine.Quiesce();
  CHECK_FALSE(run.constraints.Live().violated);
  CHECK(run.recorder.trace().empty());
}

TEST_CASE("a violation that a person accepted stays told") {
  CheckedRun run("pay(\"bob\", 200)\npay(?p, ?e) -> ?e <= 100\n");
  const std::optional<Violated> violated = run.Settle().violated;
  REQUIRE(violated);
  CHECK_FALSE(run.violations.IsAccepted(*violated));
  const std::vector<Way> ways = run.violations.WaysOut(*violated);
  REQUIRE(ways.size() == 2);
  CHECK(ways[0].name == "continue");
  CHECK(ways[1].name == "retract pay(\"bob\", 200)");
  run.Decide(ways[0].does);
  const Findings found = run.Settle();
  CHECK_FALSE(found.violated);
  REQUIRE(found.overridden.size() == 1);
  CHECK(run.violations.IsAccepted(found.overridden.front()));
  CHECK(run.violations.OverriddenOf(found.overridden.front()).by == By::kPerson);
}

TEST_CASE("a decision is about the rows that were there") {
  CheckedRun run("pay(1, 500)\npay(2, 700)\n|pay(_, _)| = ?n -> ?n < 1\n");
  const std::optional<Violated> violated = run.Settle().violated;
  REQUIRE(violated);
  CHECK(run.violations.HiddenOf(*violated) == " by pay(1, 500), pay(2, 700)");
  run.Decide(run.violations.WaysOut(*violated).front().does);
  CHECK_FALSE(run.Settle().violated);
  run.Load("pay(3, 900)\n");
  CHECK(run.Settle().violated);
}

TEST_CASE("a constraint without meaning is undecided, whatever waits") {
  CheckedRun run("pay(\"cid\", \"310\")\npay(?p, ?e), ?e > 100 -> false\n");
  const Findings found = run.Settle();
  CHECK_FALSE(found.violated);
  REQUIRE(found.undecided_by != nullptr);
  CHECK(found.undecided_by->text.starts_with("pay(?p, ?e)"));
  CHECK(found.blame.undefined.find("\"310\"") != std::string::npos);
  CHECK(run.Settle(GoalStanding::kNoGoal).undecided_by != nullptr);
  CHECK(run.Settle(GoalStanding::kUnsatisfied).undecided_by == nullptr);
}

TEST_CASE("what a constraint waits for is needed, unless another is violated") {
  const std::string program =
      "# Approved - approved(?order)\n\nMay it go out?\n\n"
      "# Orders - order(?o)\n\n```rpl\norder(1)\norder(?o) -> approved(?o)\n```\n";
  CheckedRun run(program, "p.md");
  REQUIRE(run.Settle().needed.size() == 1);
  CHECK(run.engine.solver.CallText(run.Settle().needed.front()).starts_with("approved("));
  run.Load("order(?o) -> ?o < 1\n");
  const Findings found = run.Settle();
  CHECK(found.violated);
  CHECK(found.needed.empty());
}

TEST_CASE("a query is held back by a constraint that reads its relation, or may by an expansion") {
  // Whether the constraint holds back the query, after what it waits for was declined.
  const auto holds_back = [](const std::string& constraint, const std::string& query) {
    CheckedRun run("```rpl\norder(1)\ncolour(\"red\")\nshape(order(1))\n" + constraint +
                       "\nasked(?x) <- " + query +
                       "\n```\n\n# Approved - approved(?n)\n\nMay it go out?\n",
                   "p.md");
    const std::vector<OpenCall> needed = run.Settle().needed;
    REQUIRE(needed.size() == 1);
    run.calls.declined.insert(run.engine.solver.IdOf(needed.front()));
    const auto& rules = run.engine.program.definitions();
    const auto asked = std::find_if(rules.begin(), rules.end(), [&](const Definition& def) {
      return def.head == run.Find("asked", 1);
    });
    REQUIRE(asked != rules.end());
    return run.Settle(GoalStanding::kSatisfied, &*asked).undecided_by != nullptr;
  };
  CHECK(holds_back("order(?o) -> approved(?o)", "order(?x)"));
  CHECK_FALSE(holds_back("order(?o) -> approved(?o)", "colour(?x)"));
  CHECK(holds_back("shape(?t), ?n = |#?t| -> approved(?n)", "order(?x)"));
}

TEST_CASE("a rule that derives what was taken back is a violation") {
  CheckedRun run("p(1)\nq(?x) <- p(?x)\n");
  Assertion back;
  back.relation = run.Find("q", 1);
  back.row = {run.engine.pool.Int(1)};
  back.text = "q(1) -> false";
  run.facts.NoteRetracted(back);
  const Findings found = run.Settle();
  REQUIRE(found.violated);
  CHECK(found.violated->constraint == nullptr);
  CHECK(run.violations.WhatOf(*found.violated) == "retracted but still derived: q(1) -> false");
}

}  // namespace
}  // namespace rpl
