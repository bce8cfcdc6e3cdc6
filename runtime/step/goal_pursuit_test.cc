// SPDX-License-Identifier: Apache-2.0
//
// Phases 4 to 6 without a session: the plan, its answers, and the truths that are recorded.
#include "runtime/step/goal_pursuit.h"

#include <catch2/catch.hpp>

#include "runtime/testing/run_parts.h"

namespace rpl {
namespace {

struct PursuingRun : testing::RunParts {
  explicit PursuingRun(const std::string& program) : testing::RunParts(nobody) {
    Load(program);
    REQUIRE(findings.all().empty());
    pursuit.SetGoal(nullptr, true);
  }
  static inline testing::Silent nobody;
};

TEST_CASE("the plan is the first rule that is not unsatisfied, and its answers are written") {
  PursuingRun run("p(1)\np(2)\n%g(?x) <- q(?x)\n%g(?y) <- p(?y)\nq(?x) <- p(?x), ?x > 5\n");
  const StepState step = run.Pursue();
  CHECK(step.standing == GoalStanding::kSatisfied);
  CHECK(step.goal_name == "%g");
  CHECK(step.answers == std::vector<std::string>{"1", "2"});
  CHECK(step.json_answers == std::vector<std::string>{R"({"?y":1})", R"({"?y":2})"});
  CHECK(step.columns == std::vector<std::string>{"?y"});
}

TEST_CASE("rules with other captures give answers with other columns") {
  PursuingRun run("p(1)\nq(2, 3)\n%g(?a) <- p(?a)\n%g(?b, ?c) <- q(?b, ?c)\n");
  const StepState step = run.Pursue();
  CHECK(step.json_answers == std::vector<std::string>{R"({"?a":1})", R"({"?b":2,"?c":3})"});
}

TEST_CASE("a goal that waits names its calls; without a goal nothing is pursued") {
  PursuingRun run("# Name - name(?n)\n\nWho?\n\n# Hello - %hello(?n) <- name(?n)\n");
  StepState step = run.Pursue();
  CHECK(step.standing == GoalStanding::kPending);
  REQUIRE(step.found.calls.size() == 1);
  CHECK(run.engine.solver.CallText(step.found.calls.front()) == "name(?n)");
  run.pursuit.SetGoal(nullptr, false);
  step = run.Pursue();
  CHECK(step.standing == GoalStanding::kNoGoal);
  CHECK(step.found.calls.empty());
}

TEST_CASE("a truth is recorded once, dropped when it falls, and told again when it stands again") {
  PursuingRun run("%g <- p(?x), ?x > 0\n");
  const auto truths = [&] {
    int out = 0;
    for (const TraceEntry& entry : run.recorder.trace())
      out += entry.kind == TraceEntry::Kind::kGoal ? 1 : 0;
    return out;
  };
  REQUIRE(run.Say("p(1)\n", By::kPerson).empty());
  CHECK(run.Pursue().standing == GoalStanding::kSatisfied);
  CHECK(run.Pursue().standing == GoalStanding::kSatisfied);
  CHECK(truths() == 1);
  const RelationId goal = run.engine.program.FindGoal("g")->relation;
  CHECK(run.engine.store.at(goal).size() == 1);
  REQUIRE(run.Say("p(1) -> false\n", By::kPerson).empty());
  CHECK(run.Pursue().standing == GoalStanding::kUnsatisfied);
  CHECK(run.engine.store.at(goal).empty());
  REQUIRE(run.Say("p(2)\n", By::kPerson).empty());
  CHECK(run.Pursue().standing == GoalStanding::kSatisfied);
  CHECK(truths() == 2);
}

TEST_CASE("what is to be done is the prose of the rule, with its values") {
  PursuingRun run("p(\"Ann\")\n\n# Call - %call(?who) <- p(?who)\n\nCall __who__ back.\n");
  const StepState step = run.Pursue();
  REQUIRE(step.words.to_do.size() == 1);
  CHECK(step.words.to_do.front().heading == "Call");
  CHECK(step.words.to_do.front().text == "Call Ann back.");
}

TEST_CASE("answers that a limit cuts off are not all there are") {
  std::string program = "%g(?x) <- p(?x)\n";
  for (int i = 0; i < 600; ++i) program += "p(" + std::to_string(i) + ")\n";
  PursuingRun run(program);
  int polled = 0;
  StepState step;
  run.TakeIn();
  run.pursuit.Choose(step);
  run.options.interrupted = [&] { return ++polled > 0; };
  run.pursuit.Record(step);
  CHECK(step.unchecked);
  CHECK(run.budget.stop() == Stop::kInterrupted);
  CHECK(step.cells.size() < 600);
}

}  // namespace
}  // namespace rpl
