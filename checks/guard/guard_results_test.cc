// SPDX-License-Identifier: Apache-2.0
#include "checks/guard/guard_results.h"

#include <catch2/catch.hpp>

namespace rpl {
namespace {

GuardRule RuleOf(const std::string& name, Effect effect) {
  GuardRule rule;
  rule.id = rule.name = name;
  rule.effect = effect;
  return rule;
}

EvaluatedRule Entry(const std::string& id, bool matched, bool violated) {
  EvaluatedRule entry;
  entry.id = id;
  entry.evaluated = true;
  entry.matched = matched;
  entry.violated = violated;
  return entry;
}

TEST_CASE("a decision is one record for each rule in play") {
  Policy policy;
  policy.rules = {RuleOf("blocks", Effect::kBlock), RuleOf("holds", Effect::kHitl),
                  RuleOf("allows", Effect::kAllow), RuleOf("later", Effect::kBlock)};
  policy.rules[0].reason = "too much";
  const Guard guard(policy, {});
  GuardCall call;
  call.tool = "refund";
  call.args = {{"amount", 20}};
  Decision decision;
  decision.cause = Decision::Cause::kPending;
  decision.rules = {Entry("blocks", true, true),  Entry("holds", true, true),
                    Entry("allows", true, false), Entry("allows", false, false),
                    Entry("later", false, false), Entry("of-the-program", true, true)};
  decision.rules[4].evaluated = false;
  decision.rules[4].note = "a block came before it";
  std::string shape;
  for (const CheckResult& r : ResultsOf(decision, call, guard))
    shape += r.rule_name + (r.passed ? " + " : " - ") + std::string(SeverityName(r.severity)) +
             " | " + r.message + " | " + r.metadata.dump() + "\n";
  const std::string of_call = R"("tool":"refund","call":{"amount":20},"evaluated":)";
  CHECK(shape == "blocks - error | too much | {\"kind\":\"guard\",\"effect\":\"block\"," + of_call +
                     "true}\n"
                     "holds - error | it holds the call for a review | "
                     "{\"kind\":\"guard\",\"effect\":\"hitl\"," +
                     of_call +
                     "true,\"pending\":true}\n"
                     "allows + info | it allows the call | "
                     "{\"kind\":\"guard\",\"effect\":\"allow\"," +
                     of_call +
                     "true}\n"
                     "allows + info | its condition does not hold | "
                     "{\"kind\":\"guard\",\"effect\":\"allow\"," +
                     of_call +
                     "true}\n"
                     "later + error | a block came before it | "
                     "{\"kind\":\"guard\",\"effect\":\"block\"," +
                     of_call +
                     "false,\"skipped\":true}\n"
                     "of-the-program - error | it blocks the call | "
                     "{\"kind\":\"guard\",\"effect\":\"block\"," +
                     of_call + "true}\n");
}

}  // namespace
}  // namespace rpl
