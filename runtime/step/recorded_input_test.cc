// SPDX-License-Identifier: Apache-2.0
#include "runtime/step/recorded_input.h"

#include <catch2/catch.hpp>

namespace rpl {
namespace {

TEST_CASE("without a journal, input from outside is asked for, within a decision once") {
  RecordedInput input(nullptr);
  CHECK(input.live());
  int asked = 0;
  const auto ask = [&] { return nlohmann::ordered_json(++asked); };
  CHECK(input.Outside("q", ask) == 1);
  CHECK(input.Outside("q", ask) == 2);
  CHECK(input.OncePerDecision("q", ask) == 3);
  CHECK(input.OncePerDecision("q", ask) == 3);
  CHECK(input.OncePerDecision("other", ask) == 4);
  input.BeginDecision();
  CHECK(input.OncePerDecision("q", ask) == 5);
}

}  // namespace
}  // namespace rpl
