// SPDX-License-Identifier: Apache-2.0
#include "checks/guard/policy_outlook.h"

#include <algorithm>

namespace rpl {
namespace {

// Provides nothing: what a condition asks for is unknown.
struct NothingKnown : GuardSources {
  Sourced<nlohmann::ordered_json> Signal(const std::string&,
                                         const nlohmann::ordered_json&) override {
    return {std::nullopt, "unknown"};
  }
  Sourced<std::vector<Subject>> Subjects(const GuardCall&) override {
    return {std::nullopt, "unknown"};
  }
  Sourced<Review> FindReview(const ReviewRequest&) override { return {std::nullopt, "unknown"}; }
  Sourced<Review> AskForReview(const ReviewRequest&) override { return {std::nullopt, "unknown"}; }
  Sourced<bool> SpendReview(const Review&) override { return {std::nullopt, "unknown"}; }
};

bool IsAboutTheTool(const ConditionNode& node) {
  return node.As<ToolNameLeaf>() != nullptr || node.As<ToolTagLeaf>() != nullptr;
}

// The condition with every leaf that is not about the tool replaced by one that is unknown.
GuardCondition OfToolOnly(const GuardCondition& condition) {
  GuardCondition out = condition;
  for (ConditionNode& node : out) {
    const bool connects = node.As<AndParts>() || node.As<OrParts>() || node.As<NotPart>();
    if (!connects && !IsAboutTheTool(node)) node.is = SignalLeaf{};
  }
  return out;
}

Ternary Holds(const GuardRule& rule, const GuardedTool& tool) {
  GuardCall call;
  call.tool = tool.name;
  call.tags = tool.tags;
  const History history;
  NothingKnown nothing;
  Surroundings around{call, history, nothing, 0, "", {}};
  return Evaluate(OfToolOnly(rule.condition), rule.effect, around, true, false).truth;
}

template <typename Visit>
void EachInPlay(const Guard& guard, CallPhase phase, const GuardedTool& tool, Visit visit) {
  if (!guard.IsActive()) return;
  for (const GuardRule& rule : guard.policy().rules)
    if (rule.enabled && rule.phase == phase && rule.tool &&
        Selects(*rule.tool, tool.name, tool.tags))
      visit(rule);
}

void AddPath(const std::string& path, std::set<std::string>& to) {
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    to.insert(path.substr(begin, end - begin));
    begin = end + 1;
  }
}

}  // namespace

bool NeverAllows(const Guard& guard, const GuardedTool& tool) {
  if (!guard.policy().enforced) return false;
  bool blocked = false, allowed = guard.agent().unmatched != Effect::kBlock;
  EachInPlay(guard, CallPhase::kBefore, tool, [&](const GuardRule& rule) {
    const Ternary holds = Holds(rule, tool);
    if (rule.effect == Effect::kBlock && holds == Ternary::kYes) blocked = true;
    // Of a condition that stays unknown, onMissing decides, which may be an allow.
    if (holds != Ternary::kNo) allowed = allowed || rule.effect != Effect::kBlock;
    const bool defaulted =
        guard.OnMissing(rule) ||
        std::any_of(rule.condition.begin(), rule.condition.end(),
                    [](const ConditionNode& node) { return node.on_missing.has_value(); });
    allowed = allowed || defaulted;
  });
  return blocked || !allowed;
}

std::set<std::string> ReadArguments(const Guard& guard, const GuardedTool& tool) {
  std::set<std::string> out;
  for (const CallPhase phase : {CallPhase::kBefore, CallPhase::kAfter})
    EachInPlay(guard, phase, tool, [&](const GuardRule& rule) {
      for (const ConditionNode& node : rule.condition) {
        if (const auto* leaf = node.As<ToolArgLeaf>()) AddPath(leaf->path, out);
        if (const auto* leaf = node.As<SignalLeaf>())
          for (const auto& [name, binding] : leaf->args)
            if (binding.from == SignalBinding::From::kToolArg) AddPath(binding.of, out);
      }
    });
  return out;
}

bool MayWithhold(const Guard& guard, const GuardedTool& tool) {
  bool out = false;
  if (!guard.policy().enforced) return out;
  EachInPlay(guard, CallPhase::kAfter, tool, [&](const GuardRule&) { out = true; });
  return out;
}

}  // namespace rpl
