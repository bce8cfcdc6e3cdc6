// SPDX-License-Identifier: Apache-2.0
#include "shell/gateway/gateway_output.h"

#include <catch2/catch.hpp>

namespace rpl {
namespace {

TEST_CASE("answers of a gateway wait until they are flushed, one by one or as a batch") {
  GatewayOutput output;
  output.Answer("a");
  output.Answer("b");
  output.LineToHost("line");
  CHECK(output.TakeForHost() == "line\n");
  output.FlushAnswers(false);
  CHECK(output.TakeForHost() == "\"a\"\n\"b\"\n");
  output.Answer("a");
  output.Answer("b");
  output.FlushAnswers(true);
  CHECK(output.TakeForHost() == "[\"a\",\"b\"]\n");
  output.FlushAnswers(true);
  CHECK(output.TakeForHost().empty());
  CHECK(output.TakeForServer().empty());
}

TEST_CASE("answers of a gateway may become a part of another message") {
  GatewayOutput output;
  output.Refuse(1, false, "no");
  const std::vector<GatewayOutput::Json> answers = output.PopAnswers();
  REQUIRE(answers.size() == 1);
  CHECK(answers.front().at("id") == 1);
  CHECK(answers.front().at("result") == CallRefusal(false, "no"));
  output.FlushAnswers(false);
  CHECK(output.TakeForHost().empty());
}

}  // namespace
}  // namespace rpl
