// SPDX-License-Identifier: Apache-2.0
#include "runtime/inbox.h"

#include <catch2/catch.hpp>

#include "interp/eval/solver.h"
#include "interp/testing/testing.h"

namespace rpl {
namespace {

// A program that takes something in, and no session.
struct TakingRun {
  explicit TakingRun(const std::string& program) {
    Diagnostics found;
    const std::uint32_t file = engine.sources.Add("p.md", program);
    inbox.Put(ReadDocument(engine.sources, file, found, FactForm::kPlain), From::kDocument,
              By::kProgram, found);
    REQUIRE(found.all().empty());
    Take();
  }

  // Phases 1 to 3 of a timestep, without constraints.
  void Take() {
    recorder.BeginTimestep();
    recorder.SetPhase(1);
    inbox.TakeReplies();
    recorder.SetPhase(2);
    inbox.TakeNovelty();
    engine.Prepare();
    engine.solver.Begin({engine.pool.String("2026-01-01T00:00:00Z"), calls.declined, {}});
    engine.Derive();
  }
  // Says a message; what is refused of it.
  std::string Say(const std::string& text, By by) {
    Diagnostics found;
    const std::uint32_t file = engine.sources.Add("said", text);
    const std::optional<Refused> refused =
        inbox.PutSaid(ReadDocument(engine.sources, file, found, FactForm::kPlain), by, true, found);
    return refused ? refused->reason : "";
  }
  std::string TraceText() const {
    std::string out;
    for (const TraceEntry& entry : recorder.trace())
      out += std::to_string(entry.phase) + " " + entry.text + "\n";
    return out;
  }
  OpenCall Heading(const std::string& name, std::vector<Value> args, int column) const {
    OpenCall out;
    out.space = Space::kRelation;
    out.relation = engine.Find(name, static_cast<std::uint32_t>(args.size()));
    out.args = std::move(args);
    out.column = column;
    return out;
  }
  Answer Given(Value value, By by) {
    Answer out;
    out.kind = Answer::Kind::kValue;
    out.value = value;
    out.by = by;
    return out;
  }

  testing::Engine engine;
  SessionOptions options;
  Budget budget{engine, options};
  GoalRecord goals;
  Derivations derivations{engine};
  FactWriter facts{engine, budget, goals, derivations, true};
  Recorder recorder{options};
  CallBook calls;
  SaidQueue queue;
  Door door{engine, recorder.trace(), false};
  testing::Silent agent;
  CallPermission permission{
      engine,
      options,
      calls,
      recorder,
      derivations,
      {.state = [](Assertion) {},
       .fail = [](const std::string&, const std::string&) { return std::string(); }}};
  SourceFeed feed{{engine, options, agent, recorder, calls, facts, queue, door,
                   [](const OpenCall&) { return Request{}; }}};
  Inbox inbox{
      {engine, options, recorder, derivations, calls, permission, facts, feed, goals, queue, door}};
};

TEST_CASE("what a party says becomes a fact with an entry, and what it may not is refused") {
  TakingRun run("p(1)\nq(?x) <- p(?x), seen(?x)\n");
  CHECK(run.TraceText().empty());  // the program is no news
  CHECK(run.Say("seen(1)\n", By::kPerson).empty());
  CHECK_FALSE(run.Say("p(2)\n", By::kModel).empty());
  run.Take();
  CHECK(run.engine.Derived("q", 1) == "(1)");
  CHECK(run.TraceText() == "2 seen(1) -> true\n");
  CHECK(run.recorder.trace().back().by == By::kPerson);
}

TEST_CASE("a heading is a fact when each of its arguments has an answer") {
  TakingRun run("# Stay - stay(?from, ?to)\n\nWhen?\n\n# Trip - %trip(?a, ?b) <- stay(?a, ?b)\n");
  const Value none[] = {kNone, kNone};
  const OpenCall from = run.Heading("stay", {none, none + 2}, 0);
  const OpenCall to = run.Heading("stay", {none, none + 2}, 1);
  const Value monday = run.engine.pool.String("Mo");
  run.calls.replies.push_back({from, run.Given(monday, By::kPerson)});
  CHECK(run.inbox.EntriesToCome().empty());
  REQUIRE(run.inbox.HalfAnswers().size() == 1);
  CHECK(run.inbox.PartOf(to).argument == "?to");
  run.Take();
  CHECK(run.engine.Derived("stay", 2).empty());
  run.calls.replies.push_back({to, run.Given(run.engine.pool.String("We"), By::kModel)});
  REQUIRE(run.inbox.EntriesToCome().size() == 1);
  const std::string told = run.inbox.EntriesToCome().front().text;
  run.Take();
  CHECK(run.engine.Derived("stay", 2) == "(\"Mo\", \"We\")");
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
  run.Take();
  CHECK(run.calls.declined.contains(run.engine.solver.IdOf(call)));
  const std::string back = told.substr(0, told.rfind(" -> ")) + " -> false\n";
  CHECK(run.Say(back, By::kPerson).empty());
  run.Take();
  CHECK(run.calls.declined.empty());
}

TEST_CASE("a fact that is taken back is noted, and voids what rests on it") {
  TakingRun run("r(?x) <- s(?x)\n");
  CHECK(run.Say("s(1)\n", By::kPerson).empty());
  run.Take();
  CHECK(run.engine.Derived("r", 1) == "(1)");
  CHECK(run.Say("s(1) -> false\n", By::kPerson).empty());
  run.Take();
  CHECK(run.engine.Derived("r", 1).empty());
  CHECK(run.goals.may_have_fallen);
  CHECK(run.facts.retracted().size() == 1);
  CHECK(run.TraceText() == "2 s(1) -> true\n2 s(1) -> false\n");
}

TEST_CASE("a decision about a failure takes effect as novelty") {
  TakingRun run("p(1)\n");
  Way way{.name = "retract p(1)", .does = {}, .by = By::kPerson};
  way.does.relation = run.engine.Find("p", 1);
  way.does.row = {run.engine.pool.Int(1)};
  way.does.truth = false;
  way.does.text = "p(1) -> false";
  CHECK_FALSE(run.inbox.has_decisions());
  run.inbox.Put(way);
  CHECK(run.inbox.has_decisions());
  REQUIRE(run.inbox.EntriesToCome().size() == 1);
  CHECK(run.inbox.EntriesToCome().front().phase == 2);
  run.Take();
  CHECK_FALSE(run.inbox.has_decisions());
  CHECK(run.engine.Derived("p", 1).empty());
}

}  // namespace
}  // namespace rpl
