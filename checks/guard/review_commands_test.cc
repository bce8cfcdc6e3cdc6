// SPDX-License-Identifier: Apache-2.0
#include "checks/guard/review_commands.h"

#include <catch2/catch.hpp>

namespace rpl {

TEST_CASE("a command that answers a review is found however it is spaced and quoted") {
  for (const char* command :
       {"rpl guard approve 12", "rpl\tguard\tapprove 12", "rpl guard \\\n  deny 12",
        "rpl guard 'approve' 12", "rpl g\"ua\"rd app\\rove 12", "rpl guard${IFS}approve 12",
        "rpl guard$IFS approve", "true && /usr/bin/rpl guard --store x approve 12",
        "(rpl guard secret)", "sh -c 'rpl guard approve 12'", "x=$(rpl guard deny 1)"})
    CHECK(AnswersReviews(command));
  for (const char* command :
       {"", "rpl guard pending", "rpl guard pending; echo approve", "echo approve | rpl guard",
        "rpl guard pending\napprove", "ls guards approve", "cat guard.md approved.md"})
    CHECK_FALSE(AnswersReviews(command));
}

TEST_CASE("a command is looked for in texts, lists of words and lists of commands") {
  GuardCall call;
  const auto finds = [&](const char* args) {
    call.args = nlohmann::ordered_json::parse(args);
    return !FindReviewCommands(call).empty();
  };
  CHECK(finds(R"({"command": "rpl guard approve 1"})"));
  CHECK(finds(R"({"command": ["rpl", "guard", "approve", "1"]})"));
  CHECK(finds(R"({"args": ["-c", "rpl guard approve 1"]})"));
  CHECK(finds(R"({"commands": [{"run": "ls"}, {"run": "rpl guard deny 1"}]})"));
  CHECK(finds(R"({"cmd": {"argv": ["rpl", "guard", "deny"]}})"));
  CHECK_FALSE(finds(R"({"command": "ls"})"));
  CHECK_FALSE(finds(R"({"text": "rpl guard approve 1"})"));
  CHECK_FALSE(finds(R"(["rpl guard approve 1"])"));
  CHECK_FALSE(finds("{}"));
}

}  // namespace rpl
