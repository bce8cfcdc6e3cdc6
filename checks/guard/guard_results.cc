// SPDX-License-Identifier: Apache-2.0
#include "checks/guard/guard_results.h"

#include <string>
#include <utility>

namespace rpl {
namespace {

// The stand-in for a rule of the program, which the policy does not contain.
const GuardRule& OfProgram() {
  static const GuardRule rule;
  return rule;
}

std::string MessageOf(const EvaluatedRule& evaluated, const GuardRule& rule,
                      const Decision& decision) {
  if (evaluated.violated) {
    if (decision.rule == evaluated.id && !decision.message.empty()) return decision.message;
    if (!rule.reason.empty()) return rule.reason;
    return rule.effect == Effect::kHitl ? "it holds the call for a review" : "it blocks the call";
  }
  if (!evaluated.note.empty()) return evaluated.note;
  if (evaluated.matched) return "it allows the call";
  return "its condition does not hold";
}

}  // namespace

std::vector<CheckResult> ResultsOf(const Decision& decision, const GuardCall& call,
                                   const Guard& guard) {
  std::vector<CheckResult> results;
  for (const EvaluatedRule& evaluated : decision.rules) {
    const GuardRule* found = guard.Find(evaluated.id);
    const GuardRule& rule = found != nullptr ? *found : OfProgram();
    CheckResult result;
    result.rule_name = found != nullptr ? rule.name : evaluated.id;
    result.passed = !evaluated.violated;
    result.severity = rule.effect == Effect::kAllow ? Severity::kInfo : Severity::kError;
    result.message = MessageOf(evaluated, rule, decision);
    result.metadata = {{"kind", "guard"},
                       {"effect", EffectName(rule.effect)},
                       {"tool", call.tool},
                       {"call", call.args},
                       {"evaluated", evaluated.evaluated}};
    if (!evaluated.evaluated) result.metadata["skipped"] = true;
    if (evaluated.violated && rule.effect == Effect::kHitl &&
        decision.cause == Decision::Cause::kPending)
      result.metadata["pending"] = true;
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace rpl
