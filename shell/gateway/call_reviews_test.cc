// SPDX-License-Identifier: Apache-2.0
#include "shell/gateway/call_reviews.h"

#include <catch2/catch.hpp>

#include "formats/data/json_fields.h"
#include "formats/data/json_text.h"

namespace rpl {
namespace {

using namespace std::chrono_literals;

// Keeps what people said, and decides nothing.
class AnswerKeeper : public McpDecider {
 public:
  Ruling Before(const GatewayCall&, std::optional<std::size_t>) override { return {}; }
  Ruling After(const GatewayCall&, CallEnd&, const nlohmann::ordered_json&) override { return {}; }
  std::string Answer(const std::string& review, bool approved) override {
    said.push_back(review + (approved ? " yes" : " no"));
    return "";
  }
  bool Hides(const std::string&) override { return false; }
  std::vector<std::string> Pin(const std::vector<McpToolDefinition>&) override { return {}; }
  void ListedAll() override {}
  std::set<std::string> ArgumentKeys(const std::string&) override { return {}; }
  bool MayWithhold(const std::string&) override { return false; }
  void Note(const std::string&) override {}

  std::vector<std::string> said;
};

struct ReviewFixture {
  AnswerKeeper decider;
  GatewayIds ids;
  GatewayOutput output;
  CallReviews reviews{decider, ids, output, {45s, [](const std::string&) {}, ""}};
  CallReviews::Time now{};

  // Asks about a call with this id. True if it waits.
  bool Ask(int id) {
    RpcMessage message;
    message.id = id;
    message.params = nlohmann::ordered_json::object();
    GatewayCall call;
    call.tool = "pay";
    call.args = nlohmann::ordered_json::object();
    McpDecider::Ruling ruling;
    ruling.reason = "look first";
    ruling.review = "r1";
    return reviews.Ask(message, call, "the line", ruling, now);
  }
  // The id of the form that was written last.
  std::string Form() {
    std::string line = output.TakeForHost();
    line.pop_back();
    return TextAt(ParseExactJson(line).json, "id");
  }
};

TEST_CASE("a host without forms is not asked about a call, which is refused") {
  ReviewFixture f;
  CHECK_FALSE(f.Ask(1));
  CHECK(f.output.TakeForHost().empty());
  CHECK(f.output.PopAnswers().size() == 1);
  CHECK_FALSE(f.reviews.Due());
}

TEST_CASE("a call waits for its form, whose answer is taken once") {
  ReviewFixture f;
  f.reviews.Initialize({{"elicitation", nlohmann::ordered_json::object()}});
  f.reviews.Agree("2025-11-25");
  REQUIRE(f.Ask(1));
  CHECK(f.reviews.Due() == f.now + 45s);
  const std::string form = f.Form();
  CHECK(GatewayIds::IsOwn(form));
  const auto asked = f.reviews.PopAsked(form);
  REQUIRE(asked);
  CHECK(asked->line == "the line");
  CHECK_FALSE(f.reviews.PopAsked(form));
  CHECK(f.reviews.KeepAnswer({{"action", "decline"}}, asked->review).empty());
  CHECK(f.decider.said == std::vector<std::string>{"r1 no"});
  // The same call is not asked about again.
  CHECK_FALSE(f.Ask(2));
}

TEST_CASE("a form that nobody answers is taken back, and its call refused") {
  ReviewFixture f;
  f.reviews.Initialize({{"elicitation", nlohmann::ordered_json::object()}});
  f.reviews.Agree("2025-11-25");
  REQUIRE(f.Ask(7));
  CHECK(f.reviews.GiveUp(f.now + 44s).empty());
  CHECK(f.reviews.GiveUp(f.now + 45s) == std::vector<CallReviews::Json>{7});
  CHECK(f.output.PopAnswers().size() == 1);
  CHECK_FALSE(f.reviews.Due());
}

}  // namespace
}  // namespace rpl
