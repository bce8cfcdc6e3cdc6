// SPDX-License-Identifier: Apache-2.0
//
// The public interface as an embedding program uses it: of the engine, only rpl/rpl.h is included;
// a person who approves calls has the guard's store.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <stdexcept>
#include <thread>

#include "checks/guard/guard_store.h"
#include "interp/testing/testing_folder.h"
#include "rpl/rpl.h"
#include "runtime/postgres/test_cluster.h"

namespace {

using rpl::Engine;
using Status = rpl::Engine::Status;
using Reply = rpl::Engine::Reply;
using Kind = rpl::Engine::Question::Kind;
using rpl::testing::Folder;

constexpr const char* kGraph =
    "edge(1, 2)\nedge(2, 3)\nreachable(?a, ?b) <- edge(?a, ?b)\n"
    "reachable(?a, ?c) <- reachable(?a, ?b), edge(?b, ?c)\n";

constexpr const char* kTwoQuestions =
    "%both(?x, ?y) <- $ask(\"First?\") ^ ~ {:result ?x}, $ask(\"Second?\") ^ ~ {:result ?y}\n";

// Runs long enough to be interrupted.
constexpr const char* kManyRows =
    "a(?x) <- ?x in [1 2 3 4 5 6 7 8 9 10]\n"
    "b(?x, ?y, ?z, ?u) <- a(?x), a(?y), a(?z), a(?u)\n% <- b(10, 10, 10, 10)\n";

std::string Join(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : " / ") + part;
  return out;
}

// "satisfied {…} / {…}", "unsatisfied because …"
std::string Said(const Engine::Outcome& outcome) {
  std::string out(Engine::Name(outcome.status));
  if (!outcome.answers.empty()) out += " " + Join(outcome.answers);
  if (!outcome.reason.empty()) out += " because " + outcome.reason;
  return out;
}

Engine With(const std::string& text, Engine::Options options = {}) {
  if (options.now.empty()) options.now = "2024-02-29T12:00:00Z";
  Engine engine(std::move(options));
  REQUIRE(engine.Load("program.rpl", text).empty());
  return engine;
}

// Answers all pending questions with `text`; returns their prompts.
std::string AnswerAll(Engine& engine, const std::string& text) {
  std::vector<std::string> prompts;
  const std::vector<Engine::Question> pending = engine.Pending();
  for (const Engine::Question& question : pending) {
    prompts.push_back(question.prompt);
    CHECK(engine.Answer(question.id, Reply::Text(text)) == "");
  }
  return Join(prompts);
}

TEST_CASE("a document with errors is described, and nothing runs") {
  Engine engine;
  const auto findings = engine.Load("notes.md", "# Notes\n\n```rpl\nf(1)\np(\"abc)\n```\n");
  REQUIRE(findings.size() == 1);
  const Engine::Finding& finding = findings.front();
  CHECK(finding.severity == Engine::Severity::kError);
  CHECK(finding.code == "RPL1003");
  CHECK(finding.file == "notes.md");
  CHECK(finding.line == 5);
  CHECK(finding.column == 3);
  CHECK(finding.begin == 23);
  CHECK(finding.end == 28);
  CHECK(finding.message == "a string is opened here and never closed");
  CHECK(finding.hint == "end it with `\"`");
  CHECK(finding.rendered ==
        "notes.md:5:3: error RPL1003: a string is opened here and never closed\n"
        "    5 | p(\"abc)\n"
        "      |   ^^^^^\n"
        "help: end it with `\"`\n");
  CHECK(Said(engine.Run()) == "rejected because a document has errors");
  CHECK(Said(engine.Step()) == "rejected because a document has errors");
  CHECK(Said(engine.Query("% <- f(1)")) == "rejected because a document has errors");
  CHECK(Said(engine.Assert("f(2)")) == "rejected because a document has errors");
  CHECK(engine.Explain("f(1)").findings.size() == 1);
  CHECK(engine.Trace().empty());
}

TEST_CASE("any bytes may be loaded") {
  for (const std::string& text :
       {std::string("\xff\0", 2), std::string(100000, '['), std::string()}) {
    Engine engine;
    engine.Load("any.md", text);
    engine.Load("any.rpl", text);
    engine.Assert(text);
    engine.Query(text);
    engine.Explain(text);
    CHECK(engine.Pending().empty());
  }
}

TEST_CASE("a query gives its answers as binding maps") {
  Engine engine = With(kGraph);
  struct {
    const char* query;
    const char* said;
  } const kCases[] = {
      {"%to(?x) <- reachable(1, ?x)", R"(satisfied {"?x":2} / {"?x":3})"},
      {"%pair(?x, ?y) <- edge(?x, ?y)", R"(satisfied {"?x":1,"?y":2} / {"?x":2,"?y":3})"},
      {"% <- edge(1, 2)", "satisfied"},
      {"%v(?v) <- ?v = [nil true 1.5 \"a\" b :c #{2 1} {:k 1}]",
       R"_(satisfied {"?v":[null,true,1.5,"a","b",":c",[2,1],{":k":1}]})_"},
      {"edge(3, 4)\n%to(?x) <- reachable(1, ?x)", R"(satisfied {"?x":2} / {"?x":3} / {"?x":4})"},
      {"edge(1, 2)",
       "rejected because expected a goal form as query: `% <- ...`, `%name <- ...` or "
       "`%name(?x) <- ...`"},
  };
  for (const auto& c : kCases) {
    INFO(c.query);
    CHECK(Said(engine.Query(c.query)) == c.said);
  }
  CHECK(engine.Query("% <- edge(9, 9)").status == Status::kUnsatisfied);
  CHECK(engine.Query("% <- edge(").findings.size() == 1);
}

TEST_CASE("what is asserted and retracted holds from then on") {
  Engine engine = With(kGraph);
  CHECK(Said(engine.Assert("edge(3, 4)\n")) == "nothing");
  CHECK(Said(engine.Query("% <- reachable(1, 4)")) == "satisfied");
  CHECK(Said(engine.Assert("edge(3, 4) -> false")) == "nothing");
  CHECK(engine.Query("% <- reachable(1, 4)").status == Status::kUnsatisfied);
  CHECK(engine.Assert("edge(?x, ?y) -> ?x < 3").status == Status::kNothing);
  CHECK(engine.Assert("edge(5, 6)").status == Status::kFailed);
}

TEST_CASE("a goal at the end of an asserted text is the program's, and no query") {
  Engine engine = With(kGraph);
  CHECK(Said(engine.Run()) == "nothing");
  CHECK(Said(engine.Assert("%done(?x) <- edge(?x, 3)\n\n")) == "nothing");
  CHECK(Said(engine.Run()) == R"(satisfied {"?x":2})");
}

TEST_CASE("wrong text that is asserted is described, and the rest of it stands") {
  Engine engine = With(kGraph);
  const Engine::Outcome outcome = engine.Assert("edge(3, 4)\nedge(\n");
  CHECK(outcome.status == Status::kRejected);
  REQUIRE(outcome.findings.size() == 1);
  CHECK(outcome.findings.front().line == 2);
  CHECK(Said(engine.Query("% <- reachable(1, 4)")) == "satisfied");
}

TEST_CASE("questions come one at a time, and an answer is taken by the next run") {
  Engine engine = With(kTwoQuestions);
  CHECK(engine.Run().status == Status::kWaiting);
  REQUIRE(engine.Pending().size() == 1);
  const Engine::Question question = engine.Pending().front();
  CHECK(question.kind == Kind::kAsk);
  CHECK(question.id == "$ask(\"First?\")");
  CHECK(question.name == "ask");
  CHECK(question.args == R"(["First?"])");
  CHECK(AnswerAll(engine, "7") == "First?");
  CHECK(engine.Pending().empty());
  CHECK(engine.Run().status == Status::kWaiting);
  CHECK(AnswerAll(engine, "seven") == "Second?");
  CHECK(Said(engine.Run()) == R"(satisfied {"?x":7,"?y":"seven"})");
  CHECK(engine.Pending().empty());
}

TEST_CASE("a query leaves what the run waits for") {
  Engine engine = With(std::string(kTwoQuestions) + "f(1)\n");
  CHECK(engine.Run().status == Status::kWaiting);
  CHECK(Said(engine.Query("% <- f(1)")) == "satisfied");
  CHECK(engine.Query("% <- $ask(\"Third?\") ^ ~ {:result 3}").status == Status::kWaiting);
  CHECK(AnswerAll(engine, "3") == "First? / Third?");
  CHECK(Said(engine.Query("% <- $ask(\"Third?\") ^ ~ {:result 3}")) == "satisfied");
}

TEST_CASE("the arguments of one heading are questions of their own") {
  Engine engine;
  REQUIRE(
      engine
          .Load("p.md",
                "# Trip - trip(?from, ?to)\n\nWhere to?\n\n# Go - %go(?a, ?b) <- trip(?a, ?b)\n")
          .empty());
  CHECK(engine.Run().status == Status::kWaiting);
  REQUIRE(engine.Pending().size() == 1);
  CHECK(engine.Pending().front().relation == "trip");
  CHECK(engine.Pending().front().name == "from");
  AnswerAll(engine, "Holm");
  CHECK(engine.Run().status == Status::kWaiting);
  REQUIRE(engine.Pending().size() == 1);
  CHECK(engine.Pending().front().name == "to");
  AnswerAll(engine, "Sund");
  CHECK(Said(engine.Run()) == R"(satisfied {"?a":"Holm","?b":"Sund"})");
}

TEST_CASE("a choice takes one of its options, by text, number or JSON") {
  struct {
    Reply reply;
    const char* said;
  } const kCases[] = {
      {Reply::Text("rain"), R"(satisfied {"?x":"rain"})"},
      {Reply::Text("2"), R"(satisfied {"?x":"snow"})"},
      {Reply::Json("\"snow\""), R"(satisfied {"?x":"snow"})"},
      {Reply::Json(":7"), "expected JSON"},
      {Reply::Text("hail"), "expected one of the options, got `hail`"},
      {Reply::Json("7"), "expected one of the options, got `7`"},
      {Reply::Error("busy", ""), "only a tool can fail: decline the question"},
      {Reply::Metadata("{}"), "only the result of a tool has metadata"},
      {Reply::Later(), "expected a reply"},
  };
  for (const auto& c : kCases) {
    Engine engine = With("%w(?x) <- $choose(\"Sky?\", [\"rain\" snow]) ^ ~ {:result ?x}\n");
    CHECK(engine.Run().status == Status::kWaiting);
    REQUIRE(engine.Pending().size() == 1);
    const Engine::Question question = engine.Pending().front();
    REQUIRE(question.options.size() == 2);
    CHECK(question.kind == Kind::kChoose);
    CHECK(question.options[0].text == "rain");
    CHECK(question.options[1].json == "\"snow\"");
    const std::string error = engine.Answer(question.id, c.reply);
    const std::string said = error.empty() ? Said(engine.Run()) : error;
    INFO(said);
    CHECK(said.starts_with(c.said));
    CHECK(engine.Pending().size() == (error.empty() ? 0 : 1));
  }
}

TEST_CASE("only what is pending is answered") {
  Engine engine = With(kTwoQuestions);
  CHECK(engine.Answer("$ask(\"First?\")", Reply::Text("x")) ==
        "nothing waits for `$ask(\"First?\")`");
  engine.Run();
  CHECK(engine.Answer("$ask(\"Second?\")", Reply::Text("x")) != "");
  CHECK(engine.Answer("$ask(\"First?\")", Reply::Text("\xff")) == "expected UTF-8");
  CHECK(engine.Answer("$ask(\"First?\")", Reply::Json(std::string(1000, '['))) != "");
  CHECK(engine.Pending().size() == 1);
}

TEST_CASE("what is declined stays so until it is answered") {
  const char* const kProgram =
      "%price(?x) <- $ask(\"Price?\") ^ ~ {:result ?x}\n"
      "%price(?x) <- $ask(\"Guess?\") ^ ~ {:result ?x}\n";
  Engine engine = With(kProgram);
  CHECK(engine.Run().status == Status::kWaiting);
  CHECK(engine.Answer("$ask(\"Price?\")", Reply::Decline()) == "");
  CHECK(engine.Run().status == Status::kWaiting);
  CHECK(AnswerAll(engine, "9") == "Guess?");
  CHECK(Said(engine.Run()) == R"(satisfied {"?x":9})");

  Engine other = With(kProgram);
  other.Run();
  other.Answer("$ask(\"Price?\")", Reply::Decline());
  other.Run();
  other.Answer("$ask(\"Guess?\")", Reply::Decline());
  CHECK(other.Run().status == Status::kFailed);
  CHECK(other.Run().status == Status::kFailed);
  CHECK(other.Answer("$ask(\"Price?\")", Reply::Text("8")) == "");
  CHECK(Said(other.Run()) == R"(satisfied {"?x":8})");
}

TEST_CASE("a heading that is counted takes rows, and the prose of the goal says what to do") {
  Engine engine;
  engine.Load("p.md",
              "# Party - %party(?n) <- ?n = |guest(_)|\n\nSet the table for __n__.\n\n"
              "## Guest - guest(?name)\n\nWho comes?\n");
  CHECK(engine.Run().status == Status::kWaiting);
  REQUIRE(engine.Pending().size() == 1);
  CHECK(engine.Pending()[0].row == std::vector<std::string>{"name"});
  CHECK(engine.Answer("guest(?name)", Reply::Json(R"(["Ada", "Grace"])")) == "");
  const Engine::Outcome outcome = engine.Run();
  CHECK(Said(outcome) == R"(satisfied {"?n":2})");
  REQUIRE(outcome.now.size() == 1);
  CHECK(outcome.now[0].heading == "Party");
  CHECK(outcome.now[0].text == "Set the table for 2.");
}

TEST_CASE("steps are the timesteps of a run") {
  Engine engine = With(kTwoQuestions);
  CHECK(engine.Step().status == Status::kWaiting);
  AnswerAll(engine, "1");
  CHECK(engine.Step().status == Status::kRunning);
  CHECK(engine.Pending().empty());
  CHECK(engine.Step().status == Status::kWaiting);
  AnswerAll(engine, "2");
  CHECK(engine.Step().status == Status::kRunning);
  CHECK(Said(engine.Step()) == R"(satisfied {"?x":1,"?y":2})");

  // Another turn executes the remaining timesteps first.
  Engine other = With(kTwoQuestions);
  other.Step();
  AnswerAll(other, "1");
  CHECK(other.Step().status == Status::kRunning);
  CHECK(Said(other.Query("% <- $ask(\"First?\") ^ ~ {:result 1}")) == "satisfied");
  CHECK(other.Step().status == Status::kWaiting);
}

TEST_CASE("a tool is called with JSON and replies with JSON") {
  std::vector<std::string> calls;
  const std::map<std::string, Reply> replies = {
      {"[1,[\"a\"]]", Reply::Json(R"({"pieces": [1, 2]})")},
      {"[2,[\"a\"]]", Reply::Metadata(R"({"result": 5, "age": 1})")},
      {"[3,[\"a\"]]", Reply::Error("timeout", "too slow")},
      {"[4,[\"a\"]]", Reply::Json("{")},
      {"[5,[\"a\"]]", Reply::Text("plain text")},
  };
  Engine::Options options;
  options.tool = [&](const std::string& tool, const std::string& args) {
    calls.push_back(tool + args);
    if (!replies.contains(args)) throw std::runtime_error("no such part");
    return replies.at(args);
  };
  Engine engine = With("", std::move(options));
  struct {
    const char* query;
    const char* said;
  } const kCases[] = {
      {"$stock(1, [\"a\"]) ^ ~ {:result ?x}", R"(satisfied {"?x":{"pieces":[1,2]}})"},
      {"$stock(1, [\"a\"]) ^ ~ {:result ?x}", R"(satisfied {"?x":{"pieces":[1,2]}})"},
      {"$stock(2, [\"a\"]) ^ ~ {:result 5 :age ?x}", R"(satisfied {"?x":1})"},
      {"$stock(3, [\"a\"]) ^ ~ {:code \"timeout\" :message ?x}", R"(satisfied {"?x":"too slow"})"},
      {"$stock(4, [\"a\"]) ^ ~ {:status :error :code ?x}", R"(satisfied {"?x":"bad-reply"})"},
      {"$stock(5, [\"a\"]) ^ ~ {:result ?x}", R"(satisfied {"?x":"plain text"})"},
      {"$stock(6, []) ^ ~ {:code \"exception\" :message ?x}", R"(satisfied {"?x":"no such part"})"},
  };
  for (const auto& c : kCases) {
    INFO(c.query);
    CHECK(Said(engine.Query(std::string("%q(?x) <- ") + c.query)) == c.said);
  }
  CHECK(calls.size() == 6);
  CHECK(calls.front() == "stock[1,[\"a\"]]");
  CHECK(engine.Query("% <- $stock(7, [])").status == Status::kToolFailed);
}

TEST_CASE("a tool that replies later is not called again, but answered") {
  int calls = 0;
  Engine::Options options;
  options.tool = [&](const std::string&, const std::string&) {
    ++calls;
    return Reply::Later();
  };
  Engine engine = With("%n(?x) <- $count(1) ^ ~ {:result ?x}\n", std::move(options));
  CHECK(engine.Run().status == Status::kWaiting);
  CHECK(engine.Run().status == Status::kWaiting);
  CHECK(calls == 1);
  REQUIRE(engine.Pending().size() == 1);
  CHECK(engine.Pending().front().kind == Kind::kTool);
  CHECK_FALSE(engine.Pending().front().in_doubt);
  CHECK(engine.Retry("$count(1)"));
  CHECK_FALSE(engine.Retry("$count(1)"));
  CHECK(engine.Run().status == Status::kWaiting);
  CHECK(calls == 2);
  CHECK(engine.Answer("$count(1)", Reply::Json("4")) == "");
  CHECK(Said(engine.Run()) == R"(satisfied {"?x":4})");
}

TEST_CASE("chat and log are lines") {
  std::vector<std::string> chat, log;
  Engine::Options options;
  options.chat = [&](const std::string& line) { chat.push_back(line); };
  options.log = [&](const std::string& line) { log.push_back(line); };
  Engine engine = With("% <- ?x = {:a 1}, $json(?x)\n", std::move(options));
  CHECK(Said(engine.Run()) == "satisfied");
  CHECK(Join(chat) == R"({":a":1})");
  REQUIRE(!log.empty());
  CHECK(log.front() == "1.1 assert new avars");
}

TEST_CASE("files are read by the callback") {
  Engine::Options options;
  options.file = [](const std::string& name) -> std::optional<std::string> {
    if (name != "prices.rpl") return std::nullopt;
    return "price(3)\n";
  };
  Engine engine = With("%p(?x) <- prices.rpl#price(?x)\n", std::move(options));
  CHECK(Said(engine.Run()) == R"(satisfied {"?x":3})");
}

TEST_CASE("a proof and an absence have text and reasons") {
  Engine engine = With(kGraph);
  const Engine::Explanation why = engine.Explain("reachable(1, 3)");
  CHECK(why.holds);
  REQUIRE(why.proofs.size() == 1);
  CHECK(why.proofs[0].text ==
        "reachable(1, 3)  program.rpl:4: reachable(?a, ?c) <- reachable(?a, ?b), edge(?b, ?c)\n"
        "  reachable(1, 2)  program.rpl:3: reachable(?a, ?b) <- edge(?a, ?b)\n"
        "    edge(1, 2)  program.rpl:1\n"
        "  edge(2, 3)  program.rpl:2\n");
  REQUIRE(why.proofs[0].reasons.size() == 4);
  const Engine::Reason& root = why.proofs[0].reasons[0];
  CHECK(root.kind == "derived");
  CHECK(root.file == "program.rpl");
  CHECK(root.line == 4);
  CHECK(root.premises.size() == 2);

  const Engine::Explanation why_not = engine.Explain("reachable(3, 1)");
  CHECK_FALSE(why_not.holds);
  REQUIRE(why_not.proofs.size() == 1);
  CHECK(why_not.proofs[0].reasons[0].kind == "missing");
  CHECK(why_not.proofs[0].text.starts_with("no reachable(3, 1)\n"));

  CHECK(engine.Explain("edge(?x, ?y)", 1).more == 1);
  CHECK(engine.Explain("edge(").findings.size() == 1);
  CHECK(engine.Trace().empty());
}

TEST_CASE("a trace restores what stood beside its documents") {
  Engine engine = With(kTwoQuestions);
  for (int i = 0; i < 2; ++i) {
    engine.Run();
    AnswerAll(engine, "1");
  }
  engine.Run();
  engine.Assert("paid(7) -> true");
  const std::vector<Engine::TraceEntry> trace = engine.Trace();
  REQUIRE(trace.size() == 4);
  CHECK(trace[0].kind == "reply");
  CHECK(trace[0].timestep == 3);
  CHECK(trace[0].phase == 1);
  CHECK(trace[0].text == "$ask(\"First?\") ^ ~ {:result 1} -> true");
  CHECK(trace[2].kind == "goal");

  Engine other = With(kTwoQuestions);
  REQUIRE(other.Load("trace.rpl", engine.Export()).empty());
  CHECK(Said(other.Run()) == R"(satisfied {"?x":1,"?y":1})");
  CHECK(Said(other.Query("% <- paid(7)")) == "satisfied");
}

TEST_CASE("limits, interrupts and callbacks that throw are outcomes") {
  Engine::Options options;
  options.limits.max_rounds = 20;
  Engine limited = With("n(0)\nn(?y) <- n(?x), ?y = ?x + 1\n% <- n(-1)\n", std::move(options));
  CHECK(limited.Run().status == Status::kLimit);

  bool stop = true;
  options = {};
  options.interrupted = [&] { return stop; };
  Engine stopped = With(kManyRows, std::move(options));
  CHECK(stopped.Run().status == Status::kInterrupted);
  stop = false;
  CHECK(Said(stopped.Run()) == "satisfied");

  options = {};
  options.chat = [](const std::string&) { throw std::runtime_error("the line is gone"); };
  Engine broken = With("% <- ?x = 1, $json(?x)\n", std::move(options));
  CHECK(Said(broken.Run()) == "broken because an exception: the line is gone");
  CHECK(Said(broken.Query("% <- f(1)")) == "broken because an exception: the line is gone");
}

TEST_CASE("an engine that its callbacks call says so, and the turn goes on") {
  Engine engine;
  std::vector<std::string> said;
  Engine::Options options;
  options.tool = [&](const std::string&, const std::string&) {
    for (const Engine::Outcome& outcome :
         {engine.Run(), engine.Step(), engine.Query("% <- p(1)"), engine.Assert("p(2)")}) {
      CHECK(outcome.status == Status::kBusy);
      said.push_back(outcome.reason);
    }
    const auto found = engine.Load("b.rpl", "p(3)\n");
    CHECK((found.size() == 1 && found[0].message == said[0]));
    CHECK(engine.Answer("x", Reply::Text("1")) == said[0]);
    CHECK_FALSE(engine.Retry("x"));
    CHECK(engine.Explain("p(1)").findings.at(0).message == said[0]);
    CHECK((engine.Trace().empty() && engine.Export().empty() && engine.Pending().empty()));
    return Reply::Json("1");
  };
  engine = With("p(1)\n% <- p(?x), $t(?x) ^ ~ {:result ?r}, ?r = 1\n", std::move(options));
  CHECK(Said(engine.Run()) == "satisfied");
  CHECK(said == std::vector<std::string>(4, "a callback must not call its own engine"));
  CHECK(Said(engine.Query("% <- p(2)")) == "unsatisfied because no fact matches `p(2)`");
}

TEST_CASE("an engine may be destroyed, moved or replaced by its callbacks") {
  const std::string text = "% <- $t(0) ^ ~ {:result ?r}, $t(?r) ^ ~ {:result ?s}, ?s = 1\n";
  int calls = 0;
  std::function<void()> act;
  const auto make = [&] {
    Engine::Options options;
    options.tool = [&](const std::string&, const std::string&) {
      if (++calls == 1) act();
      return Reply::Json("1");
    };
    return std::make_unique<Engine>(With(text, std::move(options)));
  };
  std::unique_ptr<Engine> engine = make();
  act = [&] { engine.reset(); };
  CHECK(Said(engine->Run()) == "broken because a callback destroyed the engine");
  CHECK(calls == 1);

  calls = 0;
  engine = make();
  act = [&] { *engine = Engine(); };
  CHECK(Said(engine->Run()) == "broken because a callback destroyed the engine");
  CHECK(calls == 1);
  CHECK(engine->Run().status == Status::kNothing);

  calls = 0;
  engine = make();
  Engine other;
  act = [&] { other = std::move(*engine); };
  CHECK(Said(engine->Run()) == "satisfied");
  CHECK(Said(engine->Run()) == "broken because the engine was moved from");
  CHECK(Said(other.Run()) == "satisfied");
  CHECK(calls == 2);
}

TEST_CASE("an engine that was moved from says so") {
  Engine engine = With("p(1)\n% <- p(1)\n");
  Engine other = std::move(engine);
  for (const Engine::Outcome& outcome :
       {engine.Run(), engine.Step(), engine.Query("% <- p(1)"), engine.Assert("p(2)")})
    CHECK(Said(outcome) == "broken because the engine was moved from");
  CHECK(engine.Load("b.rpl", "p(3)\n").at(0).message == "the engine was moved from");
  CHECK(engine.Answer("x", Reply::Text("1")) == "the engine was moved from");
  CHECK_FALSE(engine.Retry("x"));
  CHECK(engine.Explain("p(1)").findings.size() == 1);
  CHECK((engine.Trace().empty() && engine.Export().empty() && engine.Pending().empty()));
  CHECK(Said(other.Run()) == "satisfied");
  engine = std::move(other);
  CHECK(Said(engine.Run()) == "satisfied");
}

// Deeper than the thread sanitizer can count frames.
TEST_CASE("evaluation that goes deep ends at a limit, on any thread", "[deep]") {
  std::string said;
  std::thread([&] {
    Engine engine = With("len(?n, $x) <- ?n > 0, ?m = ?n - 1, len(?m, $x)\n");
    said = Said(engine.Query("% <- len(10000000, 1)"));
  }).join();
  INFO(said);
  CHECK(said.starts_with("limit because %fail(\"limit reached: 20000 nested calls\""));
}

TEST_CASE("engines are independent, and may run side by side") {
  const auto count = [](int edges) {  // no assertions: Catch is single-threaded
    Engine engine{Engine::Options{}};
    engine.Load("program.rpl", "r(?a, ?b) <- e(?a, ?b)\nr(?a, ?c) <- r(?a, ?b), e(?b, ?c)\n");
    for (int i = 0; i < edges; ++i)
      engine.Assert("e(" + std::to_string(i) + ", " + std::to_string(i + 1) + ")");
    return Said(engine.Query("%n(?n) <- ?n = |r(_, _)|"));
  };
  std::string first, second;
  std::thread one([&] { first = count(40); });
  std::thread two([&] { second = count(30); });
  one.join();
  two.join();
  CHECK(first == R"(satisfied {"?n":820})");
  CHECK(second == R"(satisfied {"?n":465})");

  Engine moved = With(kGraph);
  Engine engine = std::move(moved);
  CHECK(Said(engine.Query("% <- reachable(1, 3)")) == "satisfied");
}

TEST_CASE("a time that is none is an error") {
  Engine::Options options;
  options.now = "tomorrow";
  Engine engine(options);
  const std::vector<Engine::Finding> found = engine.Load("p.rpl", "% <- p(1)\n");
  REQUIRE(found.size() == 1);
  CHECK(found.front().message ==
        "Options::now: expected a time like 2026-01-02T00:00:00Z, got `tomorrow`");
  const Engine::Outcome outcome = engine.Run();
  CHECK(outcome.status == Engine::Status::kBroken);
  CHECK(outcome.reason == found.front().message);
  options.now = "2026-01-02T00:00:00+01:00";
  CHECK(Engine(options).Run().status == Engine::Status::kNothing);
}

TEST_CASE("a session in a file goes on in another engine") {
  const Folder folder;
  const auto begin = [&](const std::string& more = "") {
    Engine::Options options;
    options.session_file = folder / "run.session";
    return With(std::string(kTwoQuestions) + more, std::move(options));
  };
  {
    Engine engine = begin();
    CHECK(engine.Run().status == Status::kWaiting);
    AnswerAll(engine, "1");
    CHECK(engine.Run().status == Status::kWaiting);
    CHECK(Said(engine.Assert("paid(7)")) == "nothing");
    CHECK(Said(engine.Assert("paid(8) -> true")) == "nothing");
    CHECK(engine.Load("late.rpl", "f(1)\n").size() == 1);

    Engine second = begin();
    CHECK(second.Run().status == Status::kBroken);
  }
  {
    Engine engine = begin();
    CHECK(Said(engine.Query("% <- paid(7)")) == "satisfied");
    CHECK(engine.Run().status == Status::kWaiting);
    CHECK(AnswerAll(engine, "2") == "Second?");
    CHECK(engine.Step().status == Status::kRunning);  // the engine is destroyed here
  }
  {
    Engine engine = begin();
    CHECK(Said(engine.Run()) == R"(satisfied {"?x":1,"?y":2})");
    CHECK(Said(engine.Run()) == R"(satisfied {"?x":1,"?y":2})");
  }
  {
    Engine engine = begin("f(1)\n");
    CHECK(Said(engine.Run()) == R"(satisfied {"?x":1,"?y":2})");
    CHECK(Said(engine.Query("% <- paid(8)")) == "satisfied");
  }
}

TEST_CASE("a session in a database goes on in another engine") {
  rpl::testing::TestCluster* const cluster = rpl::testing::TestCluster::Get();
  if (cluster == nullptr) return;
  const std::string database = cluster->NewDatabase();
  const auto begin = [&](const std::string& user = "postgres") {
    Engine::Options options;
    options.session_file = cluster->SessionUrl(database, "run", user);
    return With(kTwoQuestions, std::move(options));
  };
  {
    Engine engine = begin();
    CHECK(engine.Run().status == Status::kWaiting);
    AnswerAll(engine, "1");
    CHECK(engine.Run().status == Status::kWaiting);
    Engine second = begin();
    CHECK(second.Run().status == Status::kBroken);
    Engine wrong = begin("locked:wr0ng");
    const auto refused = wrong.Run();
    CHECK(refused.status == Status::kBroken);
    CHECK(refused.reason.find("locked:***@") != std::string::npos);
    CHECK(refused.reason.find("wr0ng") == std::string::npos);
  }
  Engine engine = begin();
  CHECK(engine.Run().status == Status::kWaiting);
  CHECK(AnswerAll(engine, "2") == "Second?");
  CHECK(Said(engine.Run()) == R"(satisfied {"?x":1,"?y":2})");
}

TEST_CASE("a tool that was cut off is in doubt, and called again on demand") {
  const Folder folder;
  int calls = 0;
  const auto begin = [&](bool works) {
    Engine::Options options;
    options.session_file = folder / "run.session";
    options.tool = [&calls, works](const std::string&, const std::string&) {
      ++calls;
      return works ? Reply::Json("5") : Reply::Later();
    };
    return With("%n(?x) <- $count(1) ^ ~ {:result ?x}\n", std::move(options));
  };
  {
    Engine engine = begin(false);
    CHECK(engine.Run().status == Status::kWaiting);
    CHECK_FALSE(engine.Pending().front().in_doubt);
  }
  Engine engine = begin(true);
  CHECK(engine.Run().status == Status::kWaiting);
  REQUIRE(engine.Pending().size() == 1);
  CHECK(engine.Pending().front().in_doubt);
  CHECK(calls == 1);
  CHECK(engine.Retry("$count(1)"));
  CHECK_FALSE(engine.Pending().front().in_doubt);
  CHECK(Said(engine.Run()) == R"(satisfied {"?x":5})");
  CHECK(calls == 2);
}

TEST_CASE("an interrupted session goes on from its file") {
  const Folder folder;
  bool stop = false;
  Engine::Options options;
  options.session_file = folder / "run.session";
  options.interrupted = [&] { return stop; };
  Engine engine = With(kTwoQuestions, std::move(options));
  CHECK(engine.Run().status == Status::kWaiting);
  AnswerAll(engine, "1");
  CHECK(engine.Run().status == Status::kWaiting);
  stop = true;
  CHECK(engine.Query(kManyRows).status == Status::kInterrupted);
  stop = false;
  CHECK(engine.Run().status == Status::kWaiting);
  CHECK(AnswerAll(engine, "2") == "Second?");
  CHECK(Said(engine.Run()) == R"(satisfied {"?x":1,"?y":2})");
}

TEST_CASE("a run that is interrupted after a tool replied is finished first") {
  const Folder folder;
  bool stop = false;
  int calls = 0;
  Engine::Options options;
  options.session_file = folder / "run.session";
  options.interrupted = [&] { return stop; };
  options.tool = [&](const std::string&, const std::string&) {
    ++calls;
    stop = true;
    return Reply::Json("[1,2,3,4,5,6,7,8,9,10]");
  };
  Engine engine = With(
      "a(?x) <- $digits() ^ ~ {:result ?l}, ?x in ?l\n"
      "b(?x, ?y, ?z, ?u) <- a(?x), a(?y), a(?z), a(?u)\n% <- b(10, 10, 10, ?u), ?u > 9\n",
      std::move(options));
  CHECK(engine.Run().status == Status::kInterrupted);
  CHECK(engine.Query("% <- a(1)").status == Status::kInterrupted);
  stop = false;
  CHECK(Said(engine.Query("% <- a(1)")) == "satisfied");
  CHECK(Said(engine.Run()) == "satisfied");
  CHECK(calls == 1);
}

TEST_CASE("a session file that is none is an outcome") {
  Engine::Options options;
  options.session_file = std::filesystem::temp_directory_path().string();
  Engine engine = With(kGraph, std::move(options));
  CHECK(Said(engine.Run()) ==
        "broken because " + std::filesystem::temp_directory_path().string() + ": not a file");
}

// A policy with one rule for the tool `mail`, whose condition always holds.
std::string MailPolicy(const std::string& effect, const std::string& phase = "tool.before") {
  return R"({"rules":[{"priority":1,"enabled":true,"name":"mail-rule","selector":{"phase":")" +
         phase +
         R"(","tool":{"name":"mail"}},"condition":{"kind":"toolName","op":"eq","value":"mail"},)" +
         R"("effect":{"type":")" + effect + R"(","reason":"nothing is mailed"}}]})";
}

constexpr const char* kMails =
    "% <- $note(1) ^ ~ {:result ?n}, $mail(\"a@b\") ^ ~ {:result ?r}, $json(?r)\n";

std::string Contents(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Host {
  Engine::Options options;
  std::vector<std::string> called, shown;

  explicit Host(std::string policy) {
    options.policy = std::move(policy);
    options.tool = [this](const std::string& tool, const std::string& args) {
      called.push_back(tool + args);
      return Reply::Json("\"done\"");
    };
    options.chat = [this](const std::string& line) { shown.push_back(line); };
  }
};

TEST_CASE("a policy decides about calls before they go out") {
  SECTION("block") {
    Host host(MailPolicy("block"));
    Engine engine = With(kMails, host.options);
    const Engine::Outcome outcome = engine.Run();
    CHECK(outcome.status == Status::kFailed);
    CHECK(outcome.reason.find("nothing is mailed") != std::string::npos);
    CHECK(Join(host.called) == "note[1]");
    CHECK(Said(engine.Query("%d(?t, ?e, ?r) <- guard-decision(?t, _, ?e, ?r)")) ==
          R"(satisfied {"?t":"note","?e":":allow","?r":null} / )"
          R"({"?t":"mail","?e":":block","?r":"mail-rule"})");
  }
  SECTION("allow") {
    Host host(MailPolicy("allow"));
    CHECK(With(kMails, host.options).Run().status == Status::kSatisfied);
    CHECK(Join(host.called) == "note[1] / mail[\"a@b\"]");
  }
  SECTION("a result that may not come in") {
    Host host(MailPolicy("block", "tool.after"));
    CHECK(With(kMails, host.options).Run().status != Status::kSatisfied);
    CHECK(Join(host.called) == "note[1] / mail[\"a@b\"]");
    CHECK(host.shown.empty());
  }
  SECTION("a call that is answered from outside is decided about, too") {
    Host host(MailPolicy("block"));
    host.options.tool = nullptr;
    Engine engine = With(kMails, host.options);
    CHECK(engine.Run().status == Status::kWaiting);
    REQUIRE(engine.Pending().size() == 1);
    CHECK(engine.Pending().front().name == "note");
    CHECK(engine.Answer(engine.Pending().front().id, Reply::Json("1")) == "");
    CHECK(engine.Run().status != Status::kWaiting);
    CHECK(engine.Pending().empty());
  }
}

TEST_CASE("a call that a person must approve is held until then") {
  const Folder folder;
  Host host(MailPolicy("hitl"));
  host.options.guard_store = folder / "guard.db";
  host.options.audit_file = folder / "audit.jsonl";
  host.options.session_file = folder / "session";
  {
    Engine engine = With(kMails, host.options);
    const Engine::Outcome outcome = engine.Run();
    CHECK(outcome.status == Status::kReview);
    CHECK(Engine::Name(outcome.status) == "review");
    CHECK(outcome.reason.find("nothing is mailed") != std::string::npos);
  }
  CHECK(Join(host.called) == "note[1]");
  rpl::GuardStore store(host.options.guard_store);
  const auto reviews = store.Reviews().value;
  REQUIRE(reviews);
  REQUIRE(reviews->size() == 1);
  constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();
  REQUIRE(store.Answer(reviews->front().review.id, {true, "", "", 0, kForever, 1}).empty());
  CHECK(With(kMails, host.options).Run().status == Status::kSatisfied);
  CHECK(Join(host.called) == "note[1] / mail[\"a@b\"]");
  CHECK(Contents(host.options.audit_file).find("\"verdict\":\"ALLOW\"") != std::string::npos);
}

TEST_CASE("with a mistake in the policy nothing is called") {
  Host host(MailPolicy("deny"));
  Engine engine = With(kMails, host.options);
  const Engine::Outcome outcome = engine.Run();
  CHECK(outcome.status == Status::kRejected);
  CHECK(outcome.reason == "the policy has errors");
  REQUIRE(outcome.findings.size() == 1);
  CHECK(outcome.findings[0].file == "policy.json");
  CHECK(outcome.findings[0].code == "RPL7007");
  CHECK(engine.Assert("p(1)").status == Status::kRejected);
  CHECK(host.called.empty());
  CHECK(With(kMails, Host("{").options).Run().status == Status::kRejected);
}

TEST_CASE("an audit log that cannot be written lets nothing go out") {
  Host host(MailPolicy("allow"));
  host.options.audit_file = "/nowhere/audit.jsonl";
  CHECK(With(kMails, host.options).Run().status != Status::kSatisfied);
  CHECK(host.called.empty());
}

// A command that replies `blue` to every question.
std::string SettingsWith(const std::string& answers) {
  return "version: 1\nmodel:\n  provider: command\n  answers: [" + answers +
         R"(]
  command: [sh, -c, 'i=$(cut -d "\"" -f 6); printf "{\"id\":\"%s\",\"result\":\"blue\"}" "$i"']
)";
}

constexpr const char* kColour =
    "# Go - %go(?colour)\n\n```rpl\npaint(?colour)\n```\n\n# Paint - paint(?colour)\n\n"
    "Which colour?\n";

TEST_CASE("the model of the settings answers what its scope names and no reply does") {
  Engine::Options options;
  options.settings = SettingsWith("paint");
  Engine engine(options);
  CHECK(engine.Load("p.md", kColour).empty());
  const Engine::Outcome outcome = engine.Run();
  CHECK(outcome.status == Status::kSatisfied);
  CHECK(outcome.answers == std::vector<std::string>{R"({"?colour":"blue"})"});
  CHECK(engine.Query("% <- paint(?c) ^ ~ {:by :model}").status == Status::kSatisfied);

  options.settings = SettingsWith("other");
  Engine without(options);
  without.Load("p.md", kColour);
  CHECK(without.Run().status == Status::kWaiting);

  options.settings = "version: 1\nmodel: {provider: telepathy}\n";
  Engine wrong(options);
  wrong.Load("p.md", kColour);
  const Engine::Outcome rejected = wrong.Run();
  CHECK(rejected.status == Status::kRejected);
  CHECK(rejected.reason == "the settings have errors");
  REQUIRE(rejected.findings.size() == 1);
  CHECK(rejected.findings[0].file == "rpl.yaml");
}

}  // namespace
