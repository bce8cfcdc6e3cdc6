// SPDX-License-Identifier: Apache-2.0
#include "shell/gateway/call_text.h"

#include <catch2/catch.hpp>

namespace rpl {
namespace {

using nlohmann::ordered_json;

TEST_CASE("a person sees every argument of a call, each on its line") {
  CHECK(CallText("pay", {{"to", "Ann"}, {"amount", 10.5}, {"lines", {1, "a"}}}) ==
        "Tool: pay\nArguments:\n  to: \"Ann\"\n  amount: 10.5\n  lines: [1,\"a\"]");
  CHECK(CallText("ping", ordered_json::object()) == "Tool: ping\nNo arguments");
}

TEST_CASE("no argument passes for another line of a call") {
  CHECK(CallText("pay", {{"note", "x\n  to: \"Bob\"\xE2\x80\xAE"}, {"a\nb", 1}}) ==
        "Tool: pay\nArguments:\n  note: \"x\\n  to: \\\"Bob\\\"\\u202e\"\n  \"a\\nb\": 1");
}

TEST_CASE("a run of a character is told by its length") {
  CHECK(CallText("pay", {{"note", "Chairs." + std::string(3000, ' ') + "!"}, {"to", "mallory"}}) ==
        "Tool: pay\nArguments:\n  note: \"Chairs.\" + 3000 × \" \" + \"!\"\n  to: \"mallory\"");
  CHECK(CallText("pay", {{"note", "\\" + std::string(20, 'n')}}) ==
        "Tool: pay\nArguments:\n  note: \"\\\\nnnnnnnnnnnnnnnnnnnn\"");
}

TEST_CASE("a call that is too long to be read is not shown at all") {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "word ";
  CHECK_FALSE(CallText("pay", {{"note", text}, {"to", "mallory"}}));
  CHECK_FALSE(CallText("pay", {{text, 1}}));
}

}  // namespace
}  // namespace rpl
