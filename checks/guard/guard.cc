// SPDX-License-Identifier: Apache-2.0
#include "checks/guard/guard.h"

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <utility>
#include <vector>

#include "formats/glob.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

bool IsFor(const Policy& policy, const GuardAgent& agent) {
  if (policy.agent_slugs.empty() && policy.agent_tags.empty()) return true;
  const auto has = [&](const std::string& tag) { return HasTag(agent.tags, tag); };
  return std::find(policy.agent_slugs.begin(), policy.agent_slugs.end(), agent.slug) !=
             policy.agent_slugs.end() ||
         std::any_of(policy.agent_tags.begin(), policy.agent_tags.end(), has);
}

std::string BlockMessage(const GuardRule& rule) {
  return rule.reason.empty() ? "blocked by the rule `" + rule.name + "`" : rule.reason;
}

std::string HoldMessage(const GuardRule& rule) {
  return rule.reason.empty() ? "the rule `" + rule.name + "` asks for a review" : rule.reason;
}

bool InPlay(const GuardRule& rule, CallPhase phase, const GuardCall& call) {
  return rule.phase == phase && rule.tool && Selects(*rule.tool, call.tool, call.tags);
}

// The request for a review by a rule, or, with null, by the host's default.
ReviewRequest RequestOf(const GuardRule* rule, const GuardCall& call) {
  return {
      rule != nullptr ? rule->id : kUnmatchedRule, call.tool, call.args,
      call.user ? call.user->id : std::nullopt,
      rule != nullptr ? HoldMessage(*rule) : "no rule of the policy allows `" + call.tool + "`"};
}

// The state of a review. Throws if it cannot be read.
Review ReviewOf(const ReviewRequest& request, GuardSources& sources) {
  const Sourced<Review> known = sources.FindReview(request);
  if (!known.value) throw std::runtime_error("the reviews cannot be read: " + known.why);
  return *known.value;
}

std::string DenialMessage(const Review& review, const ReviewRequest& request) {
  return "denied: " + (review.reason.empty() ? request.message : review.reason);
}

// An approval that a decision relies on.
struct Approval {
  const GuardRule* rule;  // null: of the host's default
  Review review;
};

// The effect of the host on a call that no rule allows or stops.
void TakeUnmatched(Effect unmatched, const GuardCall& call, GuardSources& sources, Decision& out,
                   std::vector<Approval>& approvals) {
  const ReviewRequest request = RequestOf(nullptr, call);
  Review review;
  if (unmatched == Effect::kHitl) review = ReviewOf(request, sources);
  out.review = review.state == Review::State::kPending ? "" : review.id;
  if (review.state == Review::State::kApproved) approvals.push_back({nullptr, review});
  out.granted = unmatched == Effect::kAllow || review.state == Review::State::kApproved;
  if (out.granted) return;
  const bool denied = review.state == Review::State::kDenied;
  out.effect = denied ? Effect::kBlock : unmatched;
  out.cause = denied                        ? Decision::Cause::kDenied
              : out.effect == Effect::kHitl ? Decision::Cause::kPending
                                            : Decision::Cause::kNoRule;
  out.rule.clear();
  out.message = denied ? DenialMessage(review, request) : request.message;
}

// The program's own constraints come first, and are enforced even in shadow mode. True if one of
// them blocks.
bool TakeNative(const std::vector<NativeFinding>& native, Decision& out) {
  bool blocks = false;
  for (const NativeFinding& finding : native) {
    out.rules.push_back({finding.rule, true, true, true, finding.blocks, false, ""});
    if (out.rule.empty()) out.rule = finding.rule;
    if (!finding.blocks || blocks) continue;
    blocks = true;
    out.enforced = true;
    out.effect = Effect::kBlock;
    out.cause = Decision::Cause::kRule;
    out.rule = finding.rule;
    out.message = finding.message;
    out.premises = finding.premises;
  }
  return blocks;
}

// The effect of a rule whose condition is unknown: that of the condition's parts, else the rule's;
// nullopt if it does not apply.
std::optional<Effect> EffectOfUnknown(const Evaluated& evaluated,
                                      const std::optional<Effect>& by_default,
                                      EvaluatedRule& entry) {
  const std::optional<Effect> effect = evaluated.on_missing ? evaluated.on_missing : by_default;
  entry.matched = effect.has_value();
  entry.note = effect ? "unknown: onMissing is " + std::string(EffectName(*effect))
                      : "unknown: what it needs is missing";
  return effect;
}

}  // namespace

Guard::Guard(Policy policy, GuardAgent agent)
    : policy_(std::move(policy)), agent_(std::move(agent)) {
  active_ = policy_.enabled && IsFor(policy_, agent_);
  std::vector<std::pair<long double, const GuardRule*>> rules;
  for (const GuardRule& rule : policy_.rules) rules.emplace_back(NumberOf(rule.priority), &rule);
  std::stable_sort(rules.begin(), rules.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [priority, rule] : rules) by_priority_.push_back(rule);
}

bool Guard::ReadsHistory() const {
  return active_ && std::any_of(policy_.rules.begin(), policy_.rules.end(), [](const GuardRule& r) {
           return r.enabled && r.tool && rpl::ReadsHistory(r.condition);
         });
}

std::optional<Effect> Guard::OnMissing(const GuardRule& rule) const {
  if (rule.on_missing) return rule.on_missing;
  return policy_.on_missing ? policy_.on_missing : agent_.on_missing;
}

const GuardRule* Guard::Find(const std::string& id) const {
  for (const GuardRule& rule : policy_.rules)
    if (rule.id == id) return &rule;
  return nullptr;
}

std::vector<ReviewRequest> Guard::ReviewsBefore(const GuardCall& call) const {
  std::vector<ReviewRequest> out;
  for (const GuardRule* rule : by_priority_)
    if (active_ && rule->enabled && InPlay(*rule, CallPhase::kBefore, call))
      out.push_back(RequestOf(rule, call));
  if (agent_.unmatched == Effect::kHitl) out.push_back(RequestOf(nullptr, call));
  return out;
}

Decision Guard::Decide(const GuardCall& call, const History& history, GuardSources& sources,
                       Moment now, const std::vector<NativeFinding>& native) const {
  std::string why;
  try {
    Decision out;
    out.enforced = policy_.enforced;
    DecideInto(out, call, history, sources, now, native);
    return out;
  } catch (const std::exception& e) {
    why = e.what();
  } catch (...) {
    why = "an unknown error";
  }
  // The outcome of the rules is unknown, so that shadow mode cannot apply.
  Decision out;
  out.effect = Effect::kBlock;
  out.cause = Decision::Cause::kFailure;
  out.message = "the guard failed: " + why;
  out.problems = {out.message};
  return out;
}

void Guard::DecideInto(Decision& out, const GuardCall& call, const History& history,
                       GuardSources& sources, Moment now,
                       const std::vector<NativeFinding>& native) const {
  Surroundings around{call, history, sources, now, agent_.organisation_zone, {}};
  const GuardRule* deciding = nullptr;     // the first with the winning effect; null: the host's
  bool stopped = TakeNative(native, out);  // by a block
  std::vector<Approval> approvals;
  const auto in_play = [&](const GuardRule& rule) { return InPlay(rule, call.phase, call); };
  const bool any = active_ && std::any_of(by_priority_.begin(), by_priority_.end(),
                                          [&](const GuardRule* r) { return in_play(*r); });
  if (any && !stopped) {
    around.subjects = sources.Subjects(call);
    if (!around.subjects.value)
      out.problems.push_back("the subjects of " + call.tool +
                             " are not available: " + around.subjects.why);
  }
  for (const GuardRule* rule : by_priority_) {
    if (!active_ || !in_play(*rule)) continue;
    EvaluatedRule entry;
    entry.id = rule->id;
    entry.enabled = rule->enabled;
    if (!rule->enabled || stopped) {
      entry.note = rule->enabled ? "a block came before it" : "it is not enabled";
      out.rules.push_back(std::move(entry));
      continue;
    }
    const std::optional<Effect> on_missing = OnMissing(*rule);
    const Evaluated evaluated =
        Evaluate(rule->condition, rule->effect, around, on_missing.has_value(), false);
    Effect effect = rule->effect;
    entry.unknown = evaluated.truth == Ternary::kMaybe;
    entry.evaluated = !entry.unknown;
    entry.matched = evaluated.truth == Ternary::kYes;
    if (entry.unknown) effect = EffectOfUnknown(evaluated, on_missing, entry).value_or(effect);
    if (!entry.matched) {
      out.rules.push_back(std::move(entry));
      continue;
    }
    Review review;
    if (effect == Effect::kHitl) review = ReviewOf(RequestOf(rule, call), sources);
    const bool lifted = review.state == Review::State::kApproved;
    const bool denied = review.state == Review::State::kDenied;
    if (lifted && out.review.empty()) out.review = review.id;
    if (lifted) approvals.push_back({rule, review});
    if (lifted) entry.note = "approved by the review " + review.id;
    entry.violated = effect != Effect::kAllow && !lifted;
    out.rules.push_back(std::move(entry));
    if (denied) effect = Effect::kBlock;
    if (lifted) effect = Effect::kAllow;
    if (lifted || (effect == Effect::kAllow && rule->effect == Effect::kAllow)) out.granted = true;
    if (deciding != nullptr && effect <= out.effect) continue;
    deciding = rule;
    out.effect = effect;
    out.rule = rule->id;
    if (effect == Effect::kBlock) {
      stopped = true;
      out.cause = denied ? Decision::Cause::kDenied : Decision::Cause::kRule;
      out.message = BlockMessage(*rule);
      if (denied) {
        out.review = review.id;
        out.message = DenialMessage(review, RequestOf(rule, call));
      }
    } else if (effect == Effect::kHitl) {
      out.cause = Decision::Cause::kPending;
      out.message = HoldMessage(*rule);
    }
  }
  if (agent_.unmatched && call.phase == CallPhase::kBefore && out.enforced && !out.granted &&
      out.effect == Effect::kAllow) {
    deciding = nullptr;
    TakeUnmatched(*agent_.unmatched, call, sources, out, approvals);
  }
  // Approvals are spent only on a call that proceeds, and only if nothing else spent them before.
  for (const auto& [rule, review] : approvals) {
    if (!out.enforced || out.effect != Effect::kAllow) break;
    const Sourced<bool> spent = sources.SpendReview(review);
    if (!spent.value) throw std::runtime_error("the reviews cannot be kept: " + spent.why);
    if (*spent.value) continue;
    deciding = rule;
    out.effect = Effect::kHitl;
    out.granted = false;
    out.rule = rule != nullptr ? rule->id : "";
    out.cause = Decision::Cause::kPending;
    out.message = RequestOf(rule, call).message;
  }
  if (out.cause == Decision::Cause::kPending && out.enforced) {
    const Sourced<Review> asked = sources.AskForReview(RequestOf(deciding, call));
    if (asked.value) {
      out.review = asked.value->id;
    } else {
      out.effect = Effect::kBlock;
      out.cause = Decision::Cause::kFailure;
      out.message = "the guard failed: the review cannot be kept: " + asked.why;
      out.problems.push_back(out.message);
    }
  }
  // The same condition again, with the recorded answers, for its premises.
  if (deciding != nullptr && out.effect != Effect::kAllow)
    out.premises = Evaluate(deciding->condition, deciding->effect, around,
                            OnMissing(*deciding).has_value(), true)
                       .premises;
  for (const AskedSignal& asked : around.signals)
    if (!asked.answer.value)
      out.problems.push_back("the signal " + asked.key + " is not available: " + asked.answer.why);
  for (const std::string& zone : around.unknown_zones)
    out.problems.push_back("there is no time zone `" + zone + "`");
  out.subjects = std::move(around.subjects);
  out.signals = std::move(around.signals);
}

ordered_json DecisionJson(const Decision& decision, const GuardCall& call) {
  static constexpr const char* kCauses[] = {"ALLOW",       "RULE_VIOLATION", "HITL_PENDING",
                                            "HITL_DENIED", "GUARD_FAILURE",  "NO_RULE"};
  ordered_json rules = ordered_json::array();
  for (const EvaluatedRule& rule : decision.rules) {
    ordered_json entry = {{"ruleId", rule.id},
                          {"enabled", rule.enabled},
                          {"evaluated", rule.evaluated},
                          {"matched", rule.matched},
                          {"violated", rule.violated}};
    if (!rule.note.empty()) entry["note"] = rule.note;
    rules.push_back(std::move(entry));
  }
  ordered_json cause = {{"kind", kCauses[static_cast<std::size_t>(decision.cause)]}};
  if (!decision.review.empty()) cause["approvalId"] = decision.review;
  if (!decision.rule.empty()) cause["ruleId"] = decision.rule;
  const Effect effect = decision.effect;
  ordered_json out = {{"schema", "rpl.decision/1"},
                      {"effect", EffectName(effect)},
                      {"enforced", decision.enforced},
                      {"verdict", effect == Effect::kAllow ? "ALLOW" : "BLOCK"},
                      {"control", effect == Effect::kHitl ? "TERMINATE" : "CONTINUE"},
                      {"cause", std::move(cause)},
                      {"message", decision.message},
                      {"tool", {{"name", call.tool}, {"tags", call.tags}}},
                      {"evaluatedRules", std::move(rules)},
                      {"premises", decision.premises},
                      {"problems", decision.problems}};
  return out;
}

}  // namespace rpl
