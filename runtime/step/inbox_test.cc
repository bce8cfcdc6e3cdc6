// SPDX-License-Identifier: Apache-2.0
#include "runtime/step/inbox.h"

#include <catch2/catch.hpp>

#include "runtime/testing/run_parts.h"

namespace rpl {
namespace {

// A program that takes something in.
struct TakingRun : testing::RunParts {
  explicit TakingRun(const std::string& program) : testing::RunParts(nobody) {
    Load(program);
    REQUIRE(findings.all().empty());
  }
  static inline testing::Silent nobody;
};

TEST_CASE("what a party says becomes a fact with an entry, and what it may not is refused") {
  TakingRun run("p(1)\nq(?x) <- p(?x), seen(?x)\n");
  CHECK(run.TraceText().empty());  // the program is no news
  CHECK(run.Say("seen(1)\n", By::kPerson).empty());
  CHECK_FALSE(run.Say("p(2)\n", By::kModel).empty());
  run.TakeIn();
  CHECK(run.Derived("q", 1) == "(1)");
  CHECK(run.TraceText() == "2 seen(1) -> true\n");
  CHECK(run.recorder.trace().back().by == By::kPerson);
}

TEST_CASE("a heading is a fact when each of its arguments has an answer") {
  TakingRun run("# Stay - stay(?from, ?to)\n\nWhen?\n\n# Trip - %trip(?a, ?b) <- stay(?a, ?b)\n");
  const Value none[] = {kNone, kNone};
  const OpenCall from = run.Heading("stay", {none, none + 2}, 0);
  const OpenCall to = run.Heading("stay", {none, none + 2}, 1);
  const Value monday = run.Text("Mo");
  run.calls.replies.push_back({from, run.Answered(monday, By::kPerson)});
  CHECK(run.inbox.EntriesToCome().empty());
  REQUIRE(run.inbox.HalfAnswers().size() == 1);
  CHECK(run.inbox.PartOf(to).argument == "?to");
  run.TakeIn();
  CHECK(run.Derived("stay", 2).empty());
  run.calls.replies.push_back({to, run.Answered(run.Text("We"), By::kModel)});
  REQUIRE(run.inbox.EntriesToCome().size() == 1);
  const std::string told = run.inbox.EntriesToCome().front().text;
  run.TakeIn();
  CHECK(run.Derived("stay", 2) == "(\"Mo\", \"We\")");
  CHECK(run.TraceText() == "1 " + told + "\n");
  CHECK(run.inbox.HalfAnswers().empty());
}

TEST_CASE("a question that is declined stays so until that is taken back") {
  TakingRun run("# Name - name(?n)\n\nWho?\n\n# Hello - %hello(?n) <- name(?n)\n");
  Answer no;
  no.kind = Answer::Kind::kDecline;
  const OpenCall call = run.Heading("name", {kNone}, 0);
  run.calls.replies.push_back({call, no});
  const std::string told = run.inbox.EntriesToCome().front().text;
  run.TakeIn();
  CHECK(run.calls.declined.contains(run.engine.solver.IdOf(call)));
  const std::string back = told.substr(0, told.rfind(" -> ")) + " -> false\n";
  CHECK(run.Say(back, By::kPerson).empty());
  run.TakeIn();
  CHECK(run.calls.declined.empty());
}

TEST_CASE("a fact that is taken back is noted, and voids what rests on it") {
  TakingRun run("r(?x) <- s(?x)\n");
  CHECK(run.Say("s(1)\n", By::kPerson).empty());
  run.TakeIn();
  CHECK(run.Derived("r", 1) == "(1)");
  CHECK(run.Say("s(1) -> false\n", By::kPerson).empty());
  run.TakeIn();
  CHECK(run.Derived("r", 1).empty());
  CHECK(run.goals.may_have_fallen);
  CHECK(run.facts.retracted().size() == 1);
  CHECK(run.TraceText() == "2 s(1) -> true\n2 s(1) -> false\n");
}

TEST_CASE("a decision about a failure takes effect as novelty") {
  TakingRun run("p(1)\n");
  Way way{.name = "retract p(1)", .does = {}, .by = By::kPerson};
  way.does.relation = run.Find("p", 1);
  way.does.row = {run.engine.pool.Int(1)};
  way.does.truth = false;
  way.does.text = "p(1) -> false";
  CHECK_FALSE(run.inbox.has_decisions());
  run.inbox.Put(way);
  CHECK(run.inbox.has_decisions());
  REQUIRE(run.inbox.EntriesToCome().size() == 1);
  CHECK(run.inbox.EntriesToCome().front().phase == 2);
  run.TakeIn();
  CHECK_FALSE(run.inbox.has_decisions());
  CHECK(run.Derived("p", 1).empty());
}

}  // namespace
}  // namespace rpl
