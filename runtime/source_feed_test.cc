// SPDX-License-Identifier: Apache-2.0
#include "runtime/source_feed.h"

#include <catch2/catch.hpp>

#include "interp/testing/testing.h"
#include "runtime/door.h"

namespace rpl {
namespace {

// Gives another text than before, if it has one, for whatever is read again.
struct Rereading : testing::Silent {
  std::vector<struct Answer> ReadAgain(const std::vector<Reread>& calls, Pool& pool) override {
    std::vector<struct Answer> out(calls.size());
    for (std::size_t i = 0; i < calls.size() && !text.empty(); ++i) {
      const Value entries[] = {pool.Keyword("hash"), pool.String("of " + text)};
      out[i].kind = Answer::Kind::kMeta;
      out[i].value = pool.Map(entries);
      out[i].source = SourceText{"stock.csv", text};
    }
    return out;
  }
  std::string text;
};

// A program that states `$index("stock.csv")`, and no session.
struct FedRun {
  FedRun() {
    const std::uint32_t file = engine.sources.Add("p.rpl", "$index(\"stock.csv\")\n");
    const Novelty said = engine.program.Load(
        ReadDocument(engine.sources, file, engine.findings, FactForm::kPlain), engine.findings);
    for (const SourceSentence& sentence : said.sources)
      feed.TakeSentence(sentence, From::kDocument, By::kProgram);
    engine.Prepare();
    budget.Begin();
  }

  // The reply of the call with this text, as phase 8 receives it.
  Answer Read(const std::string& text) {
    Answer answer;
    answer.kind = Answer::Kind::kMeta;
    const Value entries[] = {engine.pool.Keyword("hash"), engine.pool.String("of " + text)};
    answer.value = engine.pool.Map(entries);
    answer.source = SourceText{"stock.csv", text};
    return feed.Received(Call(), std::move(answer));
  }
  OpenCall Call() {
    OpenCall out;
    out.relation = engine.store.Find(Space::kTool, "index", 1);
    out.args = {engine.pool.String("stock.csv")};
    return out;
  }
  // What phase 1 does with a reply, and phase 2 with what is said then.
  void Take(const Answer& answer) {
    const OpenCall call = Call();
    facts.Insert(call.relation, call.args, {.meta = answer.value, .by = RowsBy::Bit(By::kTool)});
    feed.TakeReply(call);
    TakeSaid();
  }
  void TakeSaid() {
    for (const Said& said : std::exchange(queue, {}))
      said.what.ForEach(
          engine.store,
          [&](RelationId relation, std::span<const Value> row, Span span) {
            facts.Insert(relation, row, {.origin = &span, .by = RowsBy::Bit(said.by)});
          },
          [](const Assertion&) {});
  }
  std::string Stock() { return engine.Derived("stock", 2); }

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
  Rereading agent;
  SourceFeed feed{{engine, options, agent, recorder, calls, facts, queue, door,
                   [](const OpenCall&) { return Request{}; }}};
};

TEST_CASE("a source that the program states is awaited until its rows are there") {
  FedRun run;
  CHECK(run.feed.Awaits());
  REQUIRE(run.feed.Open().calls.size() == 1);
  CHECK(run.feed.Open().calls.front().args == run.Call().args);
  const Answer answer = run.Read("item,count\npen,3\n");
  REQUIRE(answer.kind == Answer::Kind::kMeta);
  CHECK(run.engine.pool.Lookup(answer.value, run.engine.pool.Keyword("rows")) ==
        run.engine.pool.Int(1));
  CHECK(run.feed.Awaits());
  run.Take(answer);
  CHECK_FALSE(run.feed.Awaits());
  CHECK(run.feed.Open().calls.empty());
  CHECK(run.Stock() == "(\"pen\", 3)");
}

TEST_CASE("a source that cannot be read is a call that failed, and is awaited") {
  FedRun run;
  run.options.strict_facts = true;
  const Answer answer = run.Read("item,count\npen\n");
  CHECK(answer.kind == Answer::Kind::kNotRun);
  run.Take(answer);
  CHECK(run.feed.Awaits());
  CHECK(run.feed.Open().calls.empty());
  CHECK(run.feed.Open().failed);
  CHECK(run.Stock().empty());
  CHECK(run.feed.findings().has_errors());
}

TEST_CASE("a source that changed is exchanged, but for what others state") {
  FedRun run;
  run.Take(run.Read("item,count\npen,3\ncup,1\n"));
  const RelationId stock = run.engine.Find("stock", 2);
  const Value cup[] = {run.engine.pool.String("cup"), run.engine.pool.Int(1)};
  run.facts.Insert(stock, cup, {.by = RowsBy::Bit(By::kPerson)});
  run.feed.ReadAgain(true);
  CHECK(run.queue.empty());
  run.agent.text = "item,count\nink,7\n";
  run.feed.ReadAgain(true);
  run.TakeSaid();
  CHECK(run.Stock() == "(\"cup\", 1) (\"ink\", 7)");
  CHECK(run.goals.may_have_fallen);
}

TEST_CASE("rows that wait when their source changes are not asserted") {
  FedRun run;
  const OpenCall call = run.Call();
  for (const char* text : {"item,count\npen,3\n", "item,count\nink,7\n"}) {
    const Answer answer = run.Read(text);
    run.facts.Insert(call.relation, call.args, {.meta = answer.value});
    run.feed.TakeReply(call);
  }
  CHECK(run.queue.size() == 1);
  run.TakeSaid();
  CHECK(run.Stock() == "(\"ink\", 7)");
}

}  // namespace
}  // namespace rpl
