// SPDX-License-Identifier: Apache-2.0
//
// Turns of a session with a scripted agent: what is answered, logged, and waited for.
#include "runtime/run/session.h"

#include <catch2/catch.hpp>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "interp/testing/testing.h"
#include "runtime/explained.h"

namespace rpl {
namespace {

using testing::Join;

// Answers by request id; "decline" declines, what is not listed stays pending.
struct Scripted : testing::Silent {
  rpl::Answer AnswerTo(const Request& request, Pool& pool, std::string_view refused) override {
    rpl::Answer out;
    asked.push_back(request.id + (refused.empty() ? "" : " again"));
    const auto it = replies.find(request.id);
    if (!refused.empty() || it == replies.end()) return out;
    out.kind = it->second == "decline" ? rpl::Answer::Kind::kDecline : rpl::Answer::Kind::kValue;
    if (out.kind == rpl::Answer::Kind::kValue) out.value = testing::Read(pool, it->second);
    return out;
  }

  std::map<std::string, std::string> replies;
  std::vector<std::string> asked;
};

// A session with its log.
struct Talk {
  using Replies = std::map<std::string, std::string>;

  Talk() : Talk(Replies{}) {}
  explicit Talk(Replies replies) {
    agent.replies = std::move(replies);
    SessionOptions options;
    options.now = "2024-02-29T12:00:00Z";
    options.log = [this](const LogLine& line) { log.push_back(LogText(line)); };
    session.emplace(agent, options);
  }

  /// What the shell prints for a message, lines joined by " / "; chat in front, after "> ".
  std::string Say(const std::string& text) {
    agent.said.clear();
    outcome = session->Say("message", text);
    std::vector<std::string> lines;
    for (const std::string& line : agent.said) lines.push_back("> " + line);
    for (const std::string& line : Session::Reply(outcome)) lines.push_back(line);
    return Join(lines, " / ");
  }

  /// Where the log has a line that contains `text`, from `at`; npos when it has none.
  std::size_t Logged(const std::string& text, std::size_t at = 0) const {
    for (; at < log.size(); ++at)
      if (log[at].find(text) != std::string::npos) return at;
    return std::string::npos;
  }

  Scripted agent;
  std::vector<std::string> log;
  std::optional<Session> session;
  Outcome outcome;
};

TEST_CASE("a fact that the limits cut off is unknown until it is whole or taken back") {
  Scripted agent;
  SessionOptions options;
  options.limits.max_seconds = 0.2;
  Session session(agent, options);
  const std::string ten = "#{0 1 2 3 4 5 6 7 8 9}";
  std::string fact = "s(" + ten;
  for (int i = 0; i < 7; ++i) fact += ", " + ten;
  fact += ")";
  const auto say = [&](const std::string& text) { return session.Say("message", text); };
  const Outcome cut = say("t(1)\n" + fact + "\n% <- not s(0, 0, 0, 0, 0, 0, 0, 10)\n");
  CHECK(cut.status == Status::kLimit);
  CHECK(cut.reason.find("limit reached: 0.2 seconds") != std::string::npos);
  CHECK(cut.reason.find("while `s(#{0 1 2") != std::string::npos);
  CHECK(say("% <- t(1)\n").status == Status::kLimit);
  CHECK(say(fact + " -> false\n% <- t(1), not s(0, 0, 0, 0, 0, 0, 0, 0)\n").status ==
        Status::kSatisfied);
}

TEST_CASE("a guard counts a call whose reply is older than the guard") {
  Scripted agent;
  agent.replies = {{"$t(1)", "7"}, {"$v(7)", "8"}, {"$u(2)", "9"}};
  SessionOptions options;
  options.limits.max_timesteps = 2;
  Session session(agent, options);
  const auto say = [&](const std::string& text) { return session.Say("message", text); };
  const Outcome open = say("% <- $t(1) ^ ~ {:result ?r}, $v(?r) ^ ~ {:result _}\n");
  CHECK(open.status == Status::kLimit);  // the reply of $v comes in at the next turn
  const Outcome blocked = say("$u(_), $v(?x) -> false\n% <- $u(2) ^ ~ {:result _}\n");
  CHECK(blocked.status == Status::kFailed);
  CHECK(blocked.reason.find("forbidden: $u(_), $v(?x) -> false") != std::string::npos);
  CHECK(blocked.reason.find("?x is 7") != std::string::npos);
  CHECK(agent.asked == std::vector<std::string>{"$t(1)", "$v(7)"});
}

TEST_CASE("turns accumulate, a query does not stay") {
  Talk talk;
  CHECK(talk.Say("p(1)\n") == "");
  CHECK(talk.outcome.status == Status::kNothing);
  CHECK(talk.Say("q(?x) <- p(?x)\n%g(?x) <- q(?x)\n") == "1");
  CHECK(talk.Say("p(2)\n%g(?x) <- q(?x)\n") == "1 / 2");
  CHECK(talk.Say("p(1) -> false\n%g(?x) <- q(?x)\n") == "2");
  CHECK(talk.session->Definitions() == std::vector<std::string>{"q/1"});
  CHECK_FALSE(talk.session->HasGoals());
  CHECK(talk.Say("%g\n") != "true");
}

TEST_CASE("what a query prints (decisions 63 to 66)") {
  struct {
    const char* text;
    const char* reply;
  } const kCases[] = {
      {"% <- p(1)", "true"},
      {"% <- p(9)", "*"},
      {"%q(?x) <- p(?x)", "1 / 2"},
      {"%q(?x, ?s) <- p(?x), s(?s)", R"({"?x":1,"?s":"lock"} / {"?x":2,"?s":"lock"})"},
      {"%q(?s) <- s(?s)", "lock"},
      {"%q(?s) <- ?s = [1 \"a\"]", R"([1,"a"])"},
      {"%q(1, ?x) <- p(?x)", "1 / 2"},
      {"% <- p(?x), $json(?x)", "> 1 / > 2"},
      {"% <- p(?x), ?x > 5, $json(?x)", "*"},
      {"% <- p(", "*"},
      {"% p(1)", "*"},
      {"%nobody", "*"},
  };
  for (const auto& c : kCases) {
    Talk talk;
    talk.session->Load("x.rpl", "p(1)\np(2)\ns(\"lock\")\n");
    INFO(c.text);
    const std::string reply = talk.Say(std::string(c.text) + "\n");
    INFO(reply);
    if (std::string(c.reply) != "*") {
      CHECK(reply == c.reply);
      CHECK(talk.outcome.status == Status::kSatisfied);
    } else {
      CHECK(!reply.empty());
      CHECK(reply != "true");
      CHECK(talk.agent.said.empty());
      CHECK(talk.outcome.status != Status::kSatisfied);
    }
  }
}

TEST_CASE("the log has the eight phases of a timestep in order") {
  Talk talk(Talk::Replies{{"$ask(\"Q\")", "\"A\""}});
  talk.session->Load("x.rpl", "f(1)\nd(?x) <- f(?x)\nr(?x) <- $ask(\"Q\") ^ ~ {:result ?x}\n");
  CHECK(talk.Say("% <- d(_), r(?x), $json(?x)\n") == "> \"A\"");
  // "T.P text": timesteps and phases never go back.
  int timestep = 1, phase = 0;
  for (const std::string& line : talk.log) {
    INFO(line);
    int t = 0, p = 0;
    REQUIRE(std::sscanf(line.c_str(), "%d.%d ", &t, &p) == 2);
    CHECK((t > timestep || (t == timestep && p >= phase)));
    CHECK(p >= 1);
    CHECK(p <= 8);
    timestep = t;
    phase = p;
  }
  CHECK(timestep == 2);
  const char* const kInOrder[] = {
      "1.2 rule d(?x) <- f(?x)",  "1.2 asserted f(1)", "1.3 derived d(1)",
      "1.5 created $ask(\"Q\")",  "1.6 waiting %",     "1.8 dispatched $ask(\"Q\")",
      "2.1 asserted $ask(\"Q\")", "2.6 satisfied %",   "2.8 chat \"A\""};
  std::size_t at = 0;
  for (const char* line : kInOrder) {
    INFO(line << " in\n" << Join(talk.log));
    at = talk.Logged(line, at);
    REQUIRE(at != std::string::npos);
  }
}

TEST_CASE("derived rows are events unless they are not wanted") {
  for (const bool wanted : {true, false}) {
    CAPTURE(wanted);
    Scripted agent;
    std::map<std::string, int> events;
    SessionOptions options;
    options.event = [&](const nlohmann::ordered_json& event) {
      ++events[event["type"].get<std::string>()];
    };
    options.tell_derived = wanted;
    Session session(agent, options);
    session.Load("x.rpl", "f(1)\nf(2)\nd(?x) <- f(?x)\n%g <- d(_)\n");
    CHECK(session.Run().status == Status::kSatisfied);
    CHECK(events["derived"] == (wanted ? 2 : 0));
    CHECK(events["timestep"] > 0);
  }
}

TEST_CASE("a call that nobody answers waits, and is answered in a later turn") {
  Talk talk;
  talk.session->Load("x.rpl", "r(?x) <- $ask(\"Q\") ^ ~ {:result ?x}\n");
  CHECK(talk.Say("% <- r(?x), $json(?x)\n").find("$ask(\"Q\")") != std::string::npos);
  CHECK(talk.outcome.status == Status::kWaiting);
  REQUIRE(talk.outcome.pending.size() == 1);
  CHECK(talk.outcome.pending.front()->id == "$ask(\"Q\")");
  CHECK(talk.outcome.pending.front()->prompt == "Q");
  CHECK(talk.agent.said.empty());
  talk.agent.replies["$ask(\"Q\")"] = "\"A\"";
  CHECK(talk.Say("% <- r(?x), $json(?x)\n") == "> \"A\"");
  // One dispatch and one result per run: the reply is a fact now.
  talk.agent.asked.clear();
  CHECK(talk.Say("%q(?x) <- r(?x)\n") == "A");
  CHECK(talk.agent.asked.empty());
  // As a fact it can also be asserted by the author.
  Talk other;
  other.session->Load("x.rpl", "r(?x) <- $ask(\"Q\") ^ ~ {:result ?x}\n");
  other.Say("% <- r(?x), $json(?x)\n");
  CHECK(other.Say("$ask(\"Q\") ^ ~ {:result \"B\"} -> true\n% <- r(?x), $json(?x)\n") == "> \"B\"");
}

TEST_CASE("a declined call fails the goal, and another rule may still satisfy it") {
  Talk talk(Talk::Replies{{"$ask(\"Q\")", "decline"}});
  talk.session->Load("x.rpl", "r(?x) <- $ask(\"Q\") ^ ~ {:result ?x}\n");
  const std::string reply = talk.Say("% <- r(?x), $json(?x)\n");
  CHECK(talk.outcome.status == Status::kFailed);
  CHECK(reply.starts_with("%fail("));
  CHECK(talk.Logged("declined $ask(\"Q\")") != std::string::npos);

  Talk two(Talk::Replies{{"$ask(\"Q\")", "decline"}});
  two.session->Load("x.rpl", "% <- $ask(\"Q\") ^ ~ {:result ?x}\n% <- f(1)\nf(1)\n");
  CHECK(two.session->Run().status == Status::kSatisfied);
}

TEST_CASE("a choice outside the options is asked again") {
  Talk talk(Talk::Replies{{"$choose(\"pick\", [\"a\" \"b\"])", "\"c\""}});
  CHECK(talk.Say("% <- $choose(\"pick\", [\"a\" \"b\"]) ^ ~ {:result ?x}, $json(?x)\n").empty() ==
        false);
  CHECK(talk.outcome.status == Status::kWaiting);
  CHECK(talk.agent.asked.size() == 2);
}

TEST_CASE("negation over a pending call is undecided (decision 56)") {
  Talk talk;
  talk.session->Load("x.rpl", "r(?x) <- $ask(\"Q\") ^ ~ {:result ?x}\n");
  talk.Say("% <- not r(\"A\")\n");
  CHECK(talk.outcome.status == Status::kWaiting);
  talk.agent.replies["$ask(\"Q\")"] = "\"A\"";
  talk.Say("% <- not r(\"A\")\n");
  CHECK(talk.outcome.status == Status::kUnsatisfied);
  CHECK(talk.Say("% <- not r(\"B\")\n") == "true");
}

TEST_CASE("a violated constraint is a failure, also of a query that does not touch it") {
  Talk talk;
  CHECK(talk.Say("p(1)\np(?x) -> q(?x)\n% <- p(1)\n").starts_with("%fail("));
  CHECK(talk.outcome.status == Status::kFailed);
  CHECK(talk.Say("q(1)\n% <- p(1)\n") == "true");
}

TEST_CASE("a limit is reported with its rule") {
  Scripted agent;
  SessionOptions options;
  options.limits.max_rounds = 20;
  Session session(agent, options);
  session.Load("x.rpl", "n(0)\nn(?y) <- n(?x), ?y = ?x + 1\n");
  const Outcome outcome = session.Say("q", "% <- n(-1)\n");
  CHECK(outcome.status == Status::kLimit);
  CHECK(outcome.reason.find("n(?y) <- n(?x), ?y = ?x + 1") != std::string::npos);
  CHECK(outcome.reason.find("20") != std::string::npos);
  // What was derived stays, and satisfies (decision 78).
  CHECK(session.Say("q", "% <- n(3)\n").status == Status::kSatisfied);
}

TEST_CASE("an interrupt ends the turn and leaves the session usable") {
  Scripted agent;
  bool stop = true;
  SessionOptions options;
  options.interrupted = [&] { return stop; };
  Session session(agent, options);
  session.Load("x.rpl",
               "a(?x) <- ?x in [1 2 3 4 5 6 7 8 9 10]\n"
               "b(?x, ?y, ?z, ?u) <- a(?x), a(?y), a(?z), a(?u)\n");
  CHECK(session.Say("q", "% <- b(1, 2, 3, 4)\n").status == Status::kInterrupted);
  stop = false;
  CHECK(session.Say("q", "% <- b(10, 10, 10, 10)\n").status == Status::kSatisfied);
}

TEST_CASE("wrong text is reported and the rest of the turn stands") {
  Talk talk;
  CHECK(talk.session->Load("x.rpl", "p(1)\nq(\n").size() == 1);
  CHECK(talk.Say("% <- p(1)\n") == "true");
  CHECK(talk.session->Load("bad.rpl", "p(\"\xff\")\n").size() == 1);
  CHECK(talk.Say("% <- p(1)\n") == "true");
}

TEST_CASE("a derivation explains each row once, where it comes up first") {
  Talk talk;
  talk.session->Load("x.rpl",
                     "e(1)\nb(?x) <- e(?x)\nc(?x) <- b(?x), e(?x)\nd(?x) <- b(?x), c(?x), b(?x)\n"
                     "%first(?x) <- d(?x)\n%second(?x) <- c(?x)\n% <- %first(_), %second(_)\n");
  REQUIRE(talk.session->Run().status == Status::kSatisfied);
  CHECK(Join(talk.session->Trace()) ==
        Join({"(d(?x) <- (b(?x) <- e(1)) ^^ {?x 1}, (c(?x) <- b(1), e(1)) ^^ {?x 1}, b(1)) ^^ "
              "{?x 1} -> true",
              "%first ^^ {?x 1} -> true", "(c(?x) <- b(1), e(1)) ^^ {?x 1} -> true",
              "%second ^^ {?x 1} -> true", "% -> true"}));
}

TEST_CASE("what a derivation leaves out is counted") {
  Talk talk;
  std::string chain = "n(0)\nn(?y) <- n(?x), ?x < 300, ?y = ?x + 1\n";
  talk.session->Load("x.rpl", chain + "% <- n(300)\n");
  REQUIRE(talk.session->Run().status == Status::kSatisfied);
  const std::string text = talk.session->Trace().front();
  CHECK(text.ends_with("-> true  -- … 1 more"));
  CHECK(text.find("<- n(200))") != std::string::npos);
  CHECK(text.size() < 10'000);
}

TEST_CASE("a retracted fact takes truths of goals out of the export until they hold again") {
  Talk talk;
  talk.session->Load("x.rpl", "q(1)\n%g(?x) <- p(?x)\n%h(?x) <- q(?x)\n% <- %g(_) | %h(_)\n");
  talk.Say("p(1)\n");
  REQUIRE(talk.session->Run().status == Status::kSatisfied);
  const std::string all = talk.session->Export();
  CHECK(all.find("\np(1) -> true\n") == std::string::npos);
  CHECK(all.starts_with("p(1) -> true\n"));
  CHECK(all.find("\n%g ^^ {?x 1} -> true\n") != std::string::npos);
  talk.Say("p(1) -> false\n");
  REQUIRE(talk.session->Run().status == Status::kSatisfied);
  const std::string left = talk.session->Export();
  CHECK(left.find("\n-- %g ^^ {?x 1} -> true\n") != std::string::npos);
  CHECK(left.find("\n%g") == std::string::npos);
  CHECK(left.find("\n%h ^^ {?x 1} -> true\n") != std::string::npos);
  CHECK(left.ends_with("\n% -> true\n"));
}

TEST_CASE("a truth told by a trace yields to the rules of its goal, a statement does not") {
  Talk told;
  CHECK(told.Say("%g ^^ {?x 1} -> true\n% <- %g\n") == "true");
  CHECK(told.Say("%g(?x) <- p(?x)\n% <- %g\n") != "true");
  CHECK(told.Say("%g ^^ {?x 1} -> true\n% <- %g\n") != "true");
  CHECK(told.Logged("left to its rules %g ^^ {?x 1} -> true") != std::string::npos);
  CHECK(told.Say("%g ^ true\n% <- %g\n") == "true");
}

// One session over everything the log can show.
std::string Transcript() {
  Talk talk(Talk::Replies{{"$ask(\"Q\")", "\"A\""},
                          {"$ask(\"R\")", "decline"},
                          {"$fetch(1)", "{:b 1, :a 2}"},
                          {"draft(?draft-id)", "\"d-1\""}});
  std::string out;
  talk.session->Load("doc.md",
                     "# Draft - draft(?draft-id)\nConfirm the document.\n"
                     "# Path - path(?x, ?y) <- edge(?x, ?y)\n"
                     "```rpl\nedge(a, b)\nedge(b, #{c d})\nn(?k, ?n) <- ?n = |edge(?k, _)|\n"
                     "g(#{& ?x}) <- edge(?x, _)\npath(?x, ?z) -> n(?x, _)\n```\n"
                     "# Root - % <- %work(?d)\n"
                     "# Work - %work(?d) <- draft(?d), $fetch(1) ^ ~ {:result ?m}, path(a, _)\n");
  out += std::to_string(static_cast<int>(talk.session->Run().status)) + "\n";
  out += talk.Say("edge(d, e)\n% <- path(?x, ?y) ^^ ?b, $json(?b)\n") + "\n";
  out += talk.Say("%q(?x, ?s) <- n(?x, _), g(#{& ?s}), $ask(\"Q\") ^ ~ {:result ?a}\n") + "\n";
  out += talk.Say("% <- $ask(\"R\") ^ ~ {:result ?a}\n") + "\n";
  out += talk.Say("edge(a, b) -> false\n% <- path(a, b)\n") + "\n";
  return out + Join(talk.log) + "\n" + Join(talk.session->Trace());
}

TEST_CASE("the same program and replies give the same bytes") {
  const std::string first = Transcript();
  CHECK(first == Transcript());
  CHECK(first.find("dispatched") != std::string::npos);
  CHECK(first.find("declined") != std::string::npos);
  CHECK(first.find("retracted") != std::string::npos);
}

TEST_CASE("answers have the texts that are asked for, and their cells always") {
  for (const AnswerForms forms : {AnswerForms{true, true}, {false, false}, {false, true}}) {
    Scripted agent;
    SessionOptions options;
    options.answer_forms = forms;
    Session session(agent, options);
    const Outcome outcome =
        session.Say("message", "p(1, a)\np(2, b)\np(3, a)\n%q(?y) <- p(_, ?y)\n");
    CHECK(outcome.status == Status::kSatisfied);
    CHECK(Join(outcome.answers) == (forms.text ? "\"a\"\n\"b\"" : ""));
    CHECK(Join(outcome.json_answers) == (forms.json ? "{\"?y\":\"a\"}\n{\"?y\":\"b\"}" : ""));
    CHECK(testing::RowText(session.pool(), outcome.cells) == "(a, b)");
  }
}

TEST_CASE("limits are asked while answers are collected and their truths recorded") {
  for (const bool at_once : {true, false}) {
    Scripted agent;
    bool collects = false;
    int polls = 0;
    SessionOptions options;
    options.log = [&](const LogLine& line) {
      collects = collects || (line.verb == LogLine::Verb::kPhase && line.phase == 6);
    };
    // At once, or when all texts are made: 2,000 answers are gone over four times.
    options.interrupted = [&] { return collects && ++polls > (at_once ? 0 : 24); };
    Session session(agent, options);
    std::string program = "%g(?x) <- p(?x)\n";
    for (int i = 0; i < 2000; ++i) program += "p(" + std::to_string(i) + ")\n";
    session.Load("p.rpl", program);
    const Outcome outcome = session.Run();
    CHECK(outcome.status == Status::kInterrupted);
    CHECK(outcome.answers.empty());
    CHECK(session.Entries().size() < 2000);
  }
}

TEST_CASE("a document that no timestep has taken in can be explained") {
  Talk talk;
  CHECK(talk.session->Load("p.rpl", "p(1)\nq(?x) <- p(?x)\n%go(?x) <- q(?x)\n").empty());
  const Explained before = talk.session->Explain("%go(?x)", {10, 8}, 3);
  CHECK(!before.rejected);
  CHECK(before.why.proofs.empty());
  CHECK(talk.session->Run().answers == std::vector<std::string>{"1"});
  CHECK(talk.session->Explain("%go(?x)", {10, 8}, 3).why.proofs.size() == 1);
}

}  // namespace
}  // namespace rpl
