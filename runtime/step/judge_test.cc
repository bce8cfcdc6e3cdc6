// SPDX-License-Identifier: Apache-2.0
#include "runtime/step/judge.h"

#include <catch2/catch.hpp>

#include "runtime/replies.h"
#include "runtime/testing/run_parts.h"

namespace rpl {
namespace {

struct JudgedRun : testing::RunParts {
  explicit JudgedRun(const std::string& program) : testing::RunParts(nobody) {
    Load(program);
    REQUIRE(findings.all().empty());
    pursuit.SetGoal(nullptr, true);
  }
  Outcome Judged() {
    StepState step = Pursue();
    return judge.Of(step, pursuit.query());
  }
  static inline testing::Silent nobody;
};

TEST_CASE("a satisfied goal has its answers, and what to do") {
  JudgedRun run("p(1)\n\n# Go - %go(?x) <- p(?x)\n\nGo to __x__.\n");
  const Outcome out = run.Judged();
  CHECK(out.status == Status::kSatisfied);
  CHECK(out.goal == "%go");
  CHECK(out.answers == std::vector<std::string>{"1"});
  REQUIRE(out.now.size() == 1);
  CHECK(out.repeatable);
  CHECK(run.TraceText().find("%fail") == std::string::npos);
}

TEST_CASE("what forbids comes before what is satisfied, and is a failure of the trace") {
  JudgedRun run("p(1)\np(?x) -> ?x > 5\n%go <- p(_)\n");
  const Outcome out = run.Judged();
  CHECK(out.status == Status::kFailed);
  CHECK(out.reason.find("constraint violated: p(?x)") != std::string::npos);
  CHECK(out.violated_with == std::vector<std::string>{"?x = 1"});
  CHECK(run.TraceText().find("%fail(") != std::string::npos);
}

TEST_CASE("an author's report comes before the reason of the engine") {
  JudgedRun run("p(1)\n%go <- q(_)\n%fail(\"no q\", \"state one\") <- p(_)\nq(2) -> false\n");
  const Outcome out = run.Judged();
  CHECK(out.status == Status::kFailed);
  CHECK(out.reason.find("no q") != std::string::npos);
}

TEST_CASE("a goal that waits says for what") {
  JudgedRun run("# Name - name(?n)\n\nWho?\n\n# Hello - %hello(?n) <- name(?n)\n");
  Outcome out = run.Judged();
  CHECK(out.status == Status::kWaiting);
  CHECK(out.reason == "waiting for name(?n): Who?");
  REQUIRE(out.pending.size() == 1);
  run.calls.declined.insert({run.Find("name", 1), {kNone}});
  out = run.Judged();
  CHECK(out.status == Status::kFailed);
  CHECK(out.declined == "name(?n)");
}

TEST_CASE("a review, an interrupt and a limit end a run in this order") {
  JudgedRun run("p(1)\n%go <- p(_)\n");
  StepState step = run.Pursue();
  run.calls.held = "held for a review";
  CHECK(run.judge.Of(step, nullptr).status == Status::kReview);
  run.budget.Stopped(Stop::kInterrupted, "p");
  CHECK(run.judge.Of(step, nullptr).status == Status::kInterrupted);
  run.calls.held.clear();
  run.budget.Begin();
  run.budget.Stopped(Stop::kRows, "p");
  step.unchecked = true;
  const Outcome out = run.judge.Of(step, nullptr);
  CHECK(out.status == Status::kLimit);
  CHECK(out.reason.find("limit reached: ") != std::string::npos);
}

TEST_CASE("a call that failed is named with its reason") {
  JudgedRun run("%go(?x) <- $find(1) ^ ~ {:result ?x}\n");
  StepState step = run.Pursue();
  REQUIRE(step.found.calls.size() == 1);
  run.calls.replies.push_back(
      {step.found.calls.front(), FailedCall(run.engine.pool, "away", "nobody is there")});
  const Outcome out = run.Judged();
  CHECK(out.status == Status::kToolFailed);
  CHECK(out.reason.find("nobody is there") != std::string::npos);
}

}  // namespace
}  // namespace rpl
