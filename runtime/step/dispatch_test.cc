// SPDX-License-Identifier: Apache-2.0
//
// Phase 8 without a session: what goes out, in which order, and what comes back.
#include "runtime/step/dispatch.h"

#include <catch2/catch.hpp>

#include <functional>

#include "runtime/testing/run_parts.h"

namespace rpl {
namespace {

// Answers by the id of a request, and notes what it is asked.
struct Answering : testing::Silent {
  rpl::Answer AnswerTo(const Request& request, Pool& pool, std::string_view refused) override {
    asked.push_back(request.id + (refused.empty() ? "" : ": " + std::string(refused)));
    if (request.question() != nullptr) last = *request.question();
    return reply ? reply(request, pool) : rpl::Answer{};
  }
  void Open(OpenQuestions questions) override { open = questions().size(); }

  std::function<rpl::Answer(const Request&, Pool&)> reply;
  std::vector<std::string> asked;
  Question last;
  std::size_t open = 0;
};

rpl::Answer Said(Value value, By by = By::kPerson) {
  rpl::Answer out;
  out.kind = rpl::Answer::Kind::kValue;
  out.value = value;
  out.by = by;
  return out;
}

struct SendingRun : testing::RunParts {
  SendingRun(Answering& with, const std::string& program) : testing::RunParts(with) {
    Load(program);
    REQUIRE(findings.all().empty());
    pursuit.SetGoal(nullptr, true);
  }
};

TEST_CASE("questions go out one after another, until one has an answer") {
  Answering person;
  SendingRun run(person,
                 "# Name - name(?n)\n\nWho?\n\n# Day - day(?d)\n\nWhen?\n\n"
                 "# Trip - %trip(?n, ?d) <- name(?n), day(?d)\n");
  StepState step = run.Pursue();
  REQUIRE(step.standing == GoalStanding::kPending);
  run.dispatch.Run(step);
  CHECK(person.asked == std::vector<std::string>{"name(?n)", "day(?d)"});
  CHECK(person.open == 2);
  CHECK(run.calls.replies.empty());
  person.asked.clear();
  person.reply = [](const Request&, Pool& pool) { return Said(pool.String("Ann")); };
  step = run.Pursue();
  run.dispatch.Run(step);
  CHECK(person.asked == std::vector<std::string>{"name(?n)"});
  REQUIRE(run.calls.replies.size() == 1);
  CHECK(run.calls.replies.front().answer.by == By::kPerson);
  step = run.Pursue();
  CHECK(run.Derived("name", 1) == "(\"Ann\")");
}

TEST_CASE("an answer that a question does not take, or a party may not give, is asked for again") {
  Answering person;
  SendingRun run(
      person,
      "# Sum - sum(?e)\n\nHow much?\n\n```rpl\nsum(?e) -> ?e > 0\n```\n\n"
      "# Pay - %pay(?e) <- sum(?e), approved(?v), ?e > 1\n\n"
      "approved(?v) <- $choose(\"Pay?\", [\"yes\", \"no\"]) ^ ~ {:result ?v :by :person}\n");
  int times = 0;
  person.reply = [&](const Request& request, Pool& pool) {
    if (request.kind == Request::Kind::kChoose)
      return ++times == 1 ? Said(pool.String("yes"), By::kModel) : Said(pool.String("yes"));
    return Said(pool.Int(7));
  };
  for (int i = 0; i < 3; ++i) {
    StepState step = run.Pursue();
    run.dispatch.Run(step);
  }
  CHECK(times == 2);
  CHECK(person.asked.back().find("person") != std::string::npos);
}

TEST_CASE("calls of tools go out together, and their replies are facts of the next timestep") {
  Answering host;
  SendingRun run(host, "%both <- $one(1), $two(2)\n");
  host.reply = [](const Request& request, Pool& pool) {
    return Said(pool.String(request.tool), By::kTool);
  };
  StepState step = run.Pursue();
  run.dispatch.Run(step);
  CHECK(host.asked == std::vector<std::string>{"$one(1)", "$two(2)"});
  CHECK(run.calls.replies.size() == 2);
  step = run.Pursue();
  CHECK(step.standing == GoalStanding::kSatisfied);
  CHECK(run.TraceText().find("1 $two(2) ^ ~ {:result \"two\"} -> true") != std::string::npos);
}

TEST_CASE("chat is shown when the goal is satisfied, and told once") {
  Answering host;
  SendingRun run(host, "p(1)\n%say(?x) <- p(?x), $json(?x)\n");
  StepState step = run.Pursue();
  CHECK_FALSE(run.dispatch.chat());
  run.dispatch.Run(step);
  CHECK(run.dispatch.chat());
  CHECK(host.said == std::vector<std::string>{"1"});
  run.dispatch.BeginTurn();
  CHECK_FALSE(run.dispatch.chat());
}

TEST_CASE("a violation is put to a person, whose decision is taken in the next timestep") {
  Answering person;
  SendingRun run(person, "pay(200)\npay(?e) -> ?e <= 100\n%go <- pay(_)\n");
  person.reply = [](const Request& request, Pool&) { return Said(request.choices().front()); };
  StepState step = run.Pursue();
  REQUIRE(step.checked.violated);
  run.dispatch.Run(step);
  CHECK(person.last.name == "what-now");
  CHECK(person.last.options.size() == 3);  // continue, retract, stop
  CHECK(run.inbox.has_decisions());
  step = run.Pursue();
  CHECK_FALSE(step.checked.violated);
  CHECK(step.checked.overridden.size() == 1);
}

TEST_CASE("nothing is sent while a call is held") {
  Answering host;
  SendingRun run(host, "%one(?a) <- $one(1) ^ ~ {:result ?a}\n");
  StepState step = run.Pursue();
  run.calls.held = "held for a review";
  run.dispatch.Run(step);
  CHECK(host.asked.empty());
}

TEST_CASE("a question tells what the call knows, and what it takes") {
  Answering person;
  SendingRun run(person,
                 "# Seats - seats(?who, ?n)\n\nHow many for __who__?\n\n"
                 "# Book - %book(?n) <- seats(\"Ann\", ?n), ?n > 0\n");
  StepState step = run.Pursue();
  run.dispatch.Run(step);
  CHECK(person.last.argument == "?n");
  CHECK(person.last.relation == "seats");
  CHECK(person.last.takes == Takes::kNumber);
  CHECK(person.last.prompt.find("Ann") != std::string::npos);
  CHECK(person.last.Admits(By::kPerson));
}

}  // namespace
}  // namespace rpl
