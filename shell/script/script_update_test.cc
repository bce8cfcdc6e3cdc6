// SPDX-License-Identifier: Apache-2.0
#include "shell/script/script_update.h"

#include <catch2/catch.hpp>

namespace rpl {
namespace {

// The text with these expectations of the first case, or "refused".
std::string With(const std::string& text, const std::vector<NewExpectation>& expected) {
  Sources sources;
  const auto cases = ReadTestCases(sources, sources.Add("t.md", text));
  return WithExpectations("t.md", text, cases.at(0), 0, expected).value_or("refused");
}

const std::string kBefore = "# C\n\nProse.\n\n```rpl-test\nUSER:\np(1)\n\nAGENT:\n";

TEST_CASE("only the body of the expectation changes") {
  const std::string after = "\nSTATUS: satisfied\n```\n\nAGENT:\nnot here\n";
  CHECK(With(kBefore + "old\nold\n" + after, {{9, false, {"new"}}}) == kBefore + "new\n" + after);
  CHECK(With(kBefore + "\nold\n" + after, {{9, false, {"a", "", "b"}}}) ==
        kBefore + "a\n\nb\n" + after);
  CHECK(With(kBefore + after, {{9, false, {"new"}}}) == kBefore + "new\n" + after);
  CHECK(With(kBefore + "old\n" + after, {{9, false, {}}}) == kBefore + after);
  CHECK(
      With(kBefore + "old\n" + after, {{9, false, {"1", "2", "3"}}, {12, true, {"unsatisfied"}}}) ==
      kBefore + "1\n2\n3\n\nSTATUS: unsatisfied\n```\n\nAGENT:\nnot here\n");
}

TEST_CASE("line ends stay what they are") {
  CHECK(With("# C\r\n```rpl-test\r\nUSER:\r\np(1)\r\nAGENT:\r\nold\r\n```\r\n",
             {{5, false, {"a", "b"}}}) ==
        "# C\r\n```rpl-test\r\nUSER:\r\np(1)\r\nAGENT:\r\na\r\nb\r\n```\r\n");
}

TEST_CASE("what a script cannot say is refused") {
  for (const char* const line : {"```", "AGENT:", "NO LOG: x", "UNKNOWN: x", "", "a\nb"})
    CHECK(With(kBefore + "old\n```\n", {{9, false, {line}}}) == "refused");
  CHECK(With(kBefore + "old\n```\n", {{9, false, {"`` `", "Agent:", "# D"}}}) ==
        kBefore + "`` `\nAgent:\n# D\n```\n");
}

TEST_CASE("another script of the case moves") {
  CHECK(With("# C\n```rpl-test\nRUN:\nAGENT:\nx\n```\n```rpl-test\nRUN:\nAGENT:\ny\n```\n",
             {{4, false, {"1", "2"}}, {9, false, {"3"}}}) ==
        "# C\n```rpl-test\nRUN:\nAGENT:\n1\n2\n```\n```rpl-test\nRUN:\nAGENT:\n3\n```\n");
}

}  // namespace
}  // namespace rpl
