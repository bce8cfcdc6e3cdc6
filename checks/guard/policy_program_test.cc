// SPDX-License-Identifier: Apache-2.0
#include "checks/guard/policy_program.h"

#include <catch2/catch.hpp>

#include "interp/testing/random_decision.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

// Nothing is known outside.
struct Empty : GuardSources {
  Sourced<ordered_json> Signal(const std::string&, const ordered_json&) override {
    return {std::nullopt, "none"};
  }
  Sourced<std::vector<Subject>> Subjects(const GuardCall&) override {
    return {std::nullopt, "none"};
  }
  Sourced<Review> FindReview(const ReviewRequest&) override { return {Review{}, ""}; }
  Sourced<Review> AskForReview(const ReviewRequest&) override { return {Review{}, ""}; }
  Sourced<bool> SpendReview(const Review&) override { return {true, ""}; }
};

TEST_CASE("a policy printed as RPL decides as the policy does") {
  for (unsigned seed = 0; seed < 400; ++seed) CHECK(CompareDecision(seed).value_or("") == "");
}

TEST_CASE("a policy nested as deep as it may be is a program") {
  ordered_json condition = {
      {"kind", "toolArg"}, {"type", "number"}, {"op", "gt"}, {"path", "n"}, {"value", 1}};
  for (int i = 0; i < 200; ++i) condition = {{"kind", "not"}, {"not", condition}};
  const ordered_json rule = {
      {"priority", 1},
      {"enabled", true},
      {"name", "deep"},
      {"selector", {{"phase", "tool.before"}, {"tool", ordered_json::object()}}},
      {"condition", condition},
      {"onMissing", "hitl"},
      {"effect", {{"type", "block"}}}};
  Sources sources;
  Diagnostics found;
  std::optional<Policy> policy = ReadPolicy(sources, sources.Add("p.json", rule.dump()), found);
  REQUIRE(policy);
  const Guard guard(std::move(*policy), {});
  Empty world;
  GuardCall call;
  call.tool = "t";
  for (const auto& [args, expected] :
       {std::pair<const char*, const char*>(R"({"n":2})", R"({"?effect":":block","?rule":"deep"})"),
        {R"({"n":0})", R"({"?effect":":allow","?rule":null})"},
        {R"({})", R"({"?effect":":hitl","?rule":"deep"})"}}) {
    call.args = ordered_json::parse(args);
    const Decision decided = guard.Decide(call, {}, world, 0);
    CHECK(DecisionOf(PolicyAsRpl(guard) + FactsOfCall(guard, call, {}, 0, decided)) ==
          std::string(expected) + "\n");
  }
}

}  // namespace
}  // namespace rpl
