// SPDX-License-Identifier: Apache-2.0
#include "runtime/facts/source_feed.h"

#include <catch2/catch.hpp>

#include "runtime/replies.h"
#include "runtime/testing/run_parts.h"

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

// A program that states `$index("stock.csv")`.
struct FedRun : testing::RunParts {
  explicit FedRun(Rereading& with) : testing::RunParts(with) {
    Load("$index(\"stock.csv\")\n", "p.rpl");
  }

  OpenCall Call() { return Tool("index", {Text("stock.csv")}); }
  // The reply of the call with this text, as phase 8 receives it.
  Answer Read(const std::string& text) {
    Answer answer;
    answer.kind = Answer::Kind::kMeta;
    const Value entries[] = {engine.pool.Keyword("hash"), Text("of " + text)};
    answer.value = engine.pool.Map(entries);
    answer.source = SourceText{"stock.csv", text};
    return source_feed.Received(Call(), std::move(answer));
  }
  // What phases 1 and 2 do with it.
  void Take(const Answer& answer) {
    calls.replies.push_back({Call(), answer});
    TakeIn();
  }
  std::string Stock() { return Derived("stock", 2); }
};

TEST_CASE("a source that the program states is awaited until its rows are there") {
  Rereading agent;
  FedRun run(agent);
  CHECK(run.source_feed.Awaits());
  REQUIRE(run.source_feed.Open().calls.size() == 1);
  CHECK(run.source_feed.Open().calls.front().args == run.Call().args);
  const Answer answer = run.Read("item,count\npen,3\n");
  REQUIRE(answer.kind == Answer::Kind::kMeta);
  CHECK(run.engine.pool.Lookup(answer.value, run.engine.pool.Keyword("rows")) ==
        run.engine.pool.Int(1));
  CHECK(run.source_feed.Awaits());
  run.Take(answer);
  CHECK_FALSE(run.source_feed.Awaits());
  CHECK(run.source_feed.Open().calls.empty());
  CHECK(run.Stock() == "(\"pen\", 3)");
}

TEST_CASE("a source that cannot be read is a call that failed, and is awaited") {
  Rereading agent;
  FedRun run(agent);
  run.options.strict_facts = true;
  const Answer answer = run.Read("item,count\npen\n");
  CHECK(answer.kind == Answer::Kind::kNotRun);
  run.Take(answer);
  CHECK(run.source_feed.Awaits());
  CHECK(run.source_feed.Open().calls.empty());
  CHECK(run.source_feed.Open().failed);
  CHECK(run.Stock().empty());
  CHECK(run.source_feed.findings().has_errors());
}

TEST_CASE("a source that changed is exchanged, but for what others state") {
  Rereading agent;
  FedRun run(agent);
  run.Take(run.Read("item,count\npen,3\ncup,1\n"));
  const RelationId stock = run.Find("stock", 2);
  const Value cup[] = {run.Text("cup"), run.engine.pool.Int(1)};
  run.facts.Insert(stock, cup, {.by = PartyBit(By::kPerson)});
  run.source_feed.ReadAgain(true);
  CHECK(run.novelty.empty());
  agent.text = "item,count\nink,7\n";
  run.source_feed.ReadAgain(true);
  run.TakeIn();
  CHECK(run.Stock() == "(\"cup\", 1) (\"ink\", 7)");
  CHECK(run.goals.may_have_fallen);
}

TEST_CASE("rows that wait when their source changes are not asserted") {
  Rereading agent;
  FedRun run(agent);
  for (const char* text : {"item,count\npen,3\n", "item,count\nink,7\n"}) {
    run.Read(text);
    run.source_feed.TakeReply(run.Call());
  }
  CHECK(run.novelty.size() == 1);
  run.TakeIn();
  CHECK(run.Stock() == "(\"ink\", 7)");
}

}  // namespace
}  // namespace rpl
