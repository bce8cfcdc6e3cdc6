// SPDX-License-Identifier: Apache-2.0
#include "formats/list_text.h"

#include <catch2/catch.hpp>
#include <functional>
#include <vector>

namespace rpl {
namespace {

TEST_CASE("the last element of a list has a word before it") {
  const auto text = [](const std::vector<std::string>& list) {
    return ListText(list, " or ", std::identity());
  };
  CHECK(text({}) == "");
  CHECK(text({"a"}) == "a");
  CHECK(text({"a", "b"}) == "a or b");
  CHECK(text({"a", "b", "c"}) == "a, b or c");
}

}  // namespace
}  // namespace rpl
