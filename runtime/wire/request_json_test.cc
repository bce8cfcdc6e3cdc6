// SPDX-License-Identifier: Apache-2.0
#include "runtime/wire/request_json.h"

#include <catch2/catch.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/wire/given_answers.h"
#include "runtime/wire/request_fields.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

TEST_CASE("a question in an outcome and in an event") {
  Pool pool;
  Question question(Question::Kind::kChoose);
  question.id = "place(?where)";
  question.name = "where";
  question.prompt = "Where?";
  question.place = "p.md:3:1";
  question.options = {pool.String("Lucca"), pool.Int(7)};
  CHECK(RequestJson(question, pool).dump() ==
        R"x({"id":"place(?where)","kind":"choose","key":"where","prompt":"Where?",)x"
        R"x("options":["Lucca",7],"place":"p.md:3:1"})x");
  CHECK(QuestionFields(question, pool).dump() ==
        R"x({"id":"place(?where)","key":"where","kind":"choose","prompt":"Where?",)x"
        R"x("options":["Lucca",7],"place":"p.md:3:1"})x");
  question.row = {"where", "when"};
  question.takes = Takes::kTime;
  CHECK(RequestJson(question, pool)["takes"] == "time");
  CHECK(RequestJson(question, pool)["row"].dump() == R"x(["where","when"])x");
  CHECK(QuestionFields(question, pool)["row"].dump() == R"x(["where","when"])x");
  CHECK_FALSE(QuestionFields(question, pool).contains("takes"));
}

TEST_CASE("a call and its reply in events") {
  Pool pool;
  ToolCall call;
  call.id = "$stock(7)";
  call.tool = "stock";
  call.args = {pool.Int(7)};
  CHECK(ToolCallFields(call, pool).dump() == R"x({"id":"$stock(7)","tool":"stock","args":[7]})x");
  CHECK(ReplyFields("a", {Answer::Kind::kValue, pool.Int(1)}, pool).dump() ==
        R"x({"id":"a","value":1})x");
  CHECK(ReplyFields("a", {Answer::Kind::kMeta, kNil}, pool).dump() ==
        R"x({"id":"a","metadata":null})x");
  CHECK(ReplyFields("a", {Answer::Kind::kDecline, kNone}, pool).dump() ==
        R"x({"id":"a","declined":true})x");
}

TEST_CASE("the answers in an input, and what is none") {
  const std::vector<GivenAnswer> given = GivenIn(
      {{"answers", {{"place", "Lucca"}}}, {"errors", {{"stock", "gone"}}}, {"declines", {"n"}}},
      By::kModel);
  REQUIRE(given.size() == 3);
  CHECK(given[0].kind == GivenAnswer::Kind::kJson);
  CHECK(given[0].key == "place");
  CHECK(given[0].value == "Lucca");
  CHECK(given[0].by == By::kModel);
  CHECK(given[1].kind == GivenAnswer::Kind::kFailed);
  CHECK(given[1].value == "gone");
  CHECK(given[2].kind == GivenAnswer::Kind::kDecline);
  CHECK(given[2].key == "n");
  CHECK(GivenIn(ordered_json::object(), By::kHost).empty());
  CHECK(GivenIn({{"answers", nullptr}, {"declines", nullptr}}, By::kHost).empty());
  const auto fault = [](const ordered_json& input) -> std::string {
    try {
      GivenIn(input, By::kHost);
      return "";
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
  };
  CHECK(fault({{"answers", "x"}}) == "expected an object as `answers`");
  CHECK(fault({{"errors", {{"stock", 1}}}}) == "expected a string for the error of `stock`");
  CHECK(fault({{"declines", "x"}}) == "expected a list as `declines`");
  CHECK(fault({{"declines", ordered_json::array({1})}}) == "expected strings in `declines`");
  CHECK(PartyIn({{"by", "person"}}) == By::kPerson);
  CHECK(PartyIn(ordered_json::object()) == By::kHost);
  CHECK_THROWS_AS(PartyIn({{"by", "me"}}), std::invalid_argument);
}

TEST_CASE("a reason for a refusal goes back to who gave the answer") {
  Pool pool;
  Question question(Question::Kind::kAsk);
  question.name = question.id = "place";
  GivenAnswers given;
  given.Give({GivenAnswer::Kind::kJson, "place", "Lucca"});
  std::string_view refused;
  CHECK(given.AnswerTo(question, pool, refused));
  refused = "there is no room";
  CHECK(!given.AnswerTo(question, pool, refused));
  CHECK(refused.empty());
  refused = "a model's answer";
  CHECK(!given.AnswerTo(question, pool, refused));
  CHECK(refused == "a model's answer");
  const std::vector<UnusedAnswer> unused = given.TakeUnused();
  REQUIRE(unused.size() == 1);
  CHECK(unused[0].key == "place");
  CHECK(unused[0].why == "there is no room");
}

}  // namespace
}  // namespace rpl
