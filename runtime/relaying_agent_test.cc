// SPDX-License-Identifier: Apache-2.0
#include "runtime/relaying_agent.h"

#include <catch2/catch.hpp>

#include "formats/text_hash.h"
#include "runtime/nobody.h"
#include "runtime/tools/file_tools.h"

namespace rpl {
namespace {

// Answers what is named "own".
struct OwnAnswers {
  static std::optional<Answer> AnswerTo(const Request& request, Pool& pool,
                                        std::string_view& refused) {
    if (request.name == "cleared") refused = "";
    if (request.name != "own") return std::nullopt;
    return Answer{Answer::Kind::kValue, pool.String("own")};
  }
};

// Notes what it is asked, and answers calls with their number.
struct AskedNext : Nobody {
  rpl::Answer Ask(const Question& question, Pool&, std::string_view refused) override {
    asked.push_back(question.name + " " + std::string(refused));
    return {};
  }
  std::vector<rpl::Answer> Call(const std::vector<ToolCall>& calls, Pool& pool) override {
    asked.emplace_back();
    std::vector<rpl::Answer> out;
    for (const ToolCall& call : calls) {
      asked.back() += call.name;
      out.push_back({rpl::Answer::Kind::kValue, pool.Int(static_cast<std::int64_t>(calls.size()))});
    }
    return out;
  }
  std::vector<std::string> asked;
};

ToolCall CallNamed(const std::string& name) {
  ToolCall call;
  call.name = call.tool = name;
  return call;
}

TEST_CASE("what has no answer goes on: a question with its refusal, calls together") {
  Pool pool;
  OwnAnswers own;
  AskedNext next;
  RelayingAgent agent(next, next, own);
  Question question;
  question.name = "own";
  CHECK(Text(pool, agent.Ask(question, pool, "").value) == "\"own\"");
  CHECK_FALSE(agent.unanswered().has_value());
  for (const char* name : {"other", "cleared"}) {
    question.name = name;
    CHECK(agent.Ask(question, pool, "no").kind == Answer::Kind::kNobody);
    CHECK(agent.unanswered()->name == name);
  }
  std::string replies;
  for (const Answer& answer : agent.Call({CallNamed("a"), CallNamed("own"), CallNamed("b")}, pool))
    replies += Text(pool, answer.value) + " ";
  CHECK(replies == "2 \"own\" 2 ");
  CHECK(next.asked == std::vector<std::string>{"other no", "cleared ", "ab"});
}

TEST_CASE("nobody reads sources where they are held, and again what has changed") {
  Pool pool;
  std::string text = "x\n1\n";
  Nobody nobody([&](const ToolCall& call, Pool& to) {
    return call.tool == "index" ? IndexAnswer(to, {"a.csv", text}) : Answer();
  });
  const ToolCall index = CallNamed("index");
  const std::vector<Answer> answers = nobody.Call({index, CallNamed("other")}, pool);
  REQUIRE(answers[0].source.has_value());
  CHECK(answers[0].source->text == text);
  CHECK(answers[1].kind == Answer::Kind::kNobody);
  const std::string hash = HashOfText(text);
  CHECK_FALSE(nobody.ReadAgain({{index, hash}}, pool).front().source.has_value());
  text += "2\n";
  CHECK(nobody.ReadAgain({{index, hash}}, pool).front().source.has_value());
  CHECK_FALSE(Nobody().ReadAgain({{index, hash}}, pool).front().source.has_value());
}

}  // namespace
}  // namespace rpl
