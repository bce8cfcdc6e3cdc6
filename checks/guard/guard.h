// SPDX-License-Identifier: Apache-2.0
//
// The guard: it decides whether a tool call may go out, or its result come in.
//
// A decision is about one call. The rules in play are those that are enabled, belong to the call's
// phase, and have a matching selector; they are evaluated in descending priority, ties in the order
// of the file. The most severe effect among the rules whose condition holds wins; the first rule
// with that effect gives the reason. After a block no further rule is evaluated.
//
//   effect  before the call                         after it
//   allow   the call goes out                       the result comes in
//   block   the call does not, the run goes on      the result does not, the run goes on
//   hitl    the call is held, the run ends          the result is held, the run ends
//
// A hitl rule requests a person's review once per call (checks/guard/guard_store.h). An approval
// cancels the effect of that rule alone, and is spent if the call proceeds; a denial turns it into
// a block.
//
// A host may have an effect for calls that no rule allows or stops (GuardAgent::unmatched). Its
// hitl is a review like that of a rule, under the name kUnmatchedRule.
//
// The effect of a condition that stays unknown is `onMissing`, of the nearest of: the unknown part,
// its rule, the policy, the host (GuardAgent). Without any, the rule does not apply, and the
// decision records that it was not evaluated.
//
// A guard that fails itself, for example for lack of memory or because a review cannot be stored,
// blocks and gives the reason. Decide does not throw.
#ifndef RPL_CHECKS_GUARD_GUARD_H_
#define RPL_CHECKS_GUARD_GUARD_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "checks/guard/condition.h"
#include "checks/guard/guard_call.h"
#include "checks/guard/history.h"
#include "checks/guard/policy.h"

namespace rpl {

/// The agent that the guard works for.
struct GuardAgent {
  std::string slug;
  std::vector<std::string> tags;
  std::string organisation_zone;          // "": none
  std::optional<Effect> on_missing = {};  // where neither rule nor policy has one
  /// Before a call that no rule allows or stops; kAllow then counts as granted. Without effect in
  /// shadow mode. nullopt: the call proceeds, and nothing has granted it.
  std::optional<Effect> unmatched = {};
};

/// What requests for reviews have in place of a rule if it is GuardAgent::unmatched that holds the
/// call.
inline constexpr const char* kUnmatchedRule = "--default";

/// A rule whose selector matched, and the result of its evaluation.
struct EvaluatedRule {
  std::string id;
  bool enabled = true;
  bool evaluated = false;  // false: disabled, after a block, or unknown
  bool matched = false;    // its condition holds, or is unknown with onMissing
  bool violated = false;   // matched, and its effect is block or hitl
  bool unknown = false;
  std::string note;  // the reason why it was not evaluated, or ""
};

/// A violated constraint of the program over tool calls, as the caller found it.
struct NativeFinding {
  std::string rule;    // id of the deciding rule; of an allow: the first that matched, or ""
  bool blocks = true;  // false: it is only recorded
  std::string message;
  std::vector<std::string> premises;  // findings of the deciding rule's condition
};

/// The outcome for one call.
struct Decision {
  /// The reason for the effect.
  enum class Cause {
    kAllow,
    kRule,     // a rule blocks
    kPending,  // a person's review is awaited
    kDenied,   // a person denied it
    kFailure,  // the guard failed
    kNoRule,   // no rule allows the call, and the host requires one: GuardAgent::unmatched blocks
  };
  Effect effect = Effect::kAllow;
  /// False in shadow mode: the call proceeds as if it were allowed.
  bool enforced = true;
  Cause cause = Cause::kAllow;
  /// True if a rule of effect allow matched, a review was approved, or GuardAgent::unmatched
  /// allows. Without it, kAllow means only that nothing stops the call.
  bool granted = false;
  std::string rule;     // id of the deciding rule, or ""; of an allow: the first that matched
  std::string message;  // the rule's reason, or one that names it; "" for an allow
  std::string review;   // id of the review that decided, is awaited, or admitted the call
  std::vector<EvaluatedRule> rules;
  std::vector<std::string> premises;  // what the conditions of the deciding rule found
  Sourced<std::vector<Subject>> subjects;
  std::vector<AskedSignal> signals;
  std::vector<std::string> problems;  // one line each: unknown zones, sources that failed

  /// Stops: the call must not proceed. Holds: it awaits a review.
  bool Stops() const { return enforced && effect != Effect::kAllow; }
  bool Holds() const { return enforced && effect == Effect::kHitl; }
};

/// A policy applied for one agent. Immutable, so that decisions may run concurrently if their
/// sources allow it. REQUIRES: not copied, because it points into its own policy; moves are safe.
class Guard {
 public:
  Guard(Policy policy, GuardAgent agent);

  const Policy& policy() const { return policy_; }
  const GuardAgent& agent() const { return agent_; }
  /// True if the policy is enabled and meant for this agent; else no rule is ever in play.
  bool IsActive() const { return active_; }
  /// True if an enabled rule reads earlier calls.
  bool ReadsHistory() const;
  /// All rules, in the order of their evaluation.
  const std::vector<const GuardRule*>& InOrder() const { return by_priority_; }
  /// The effect of a rule whose condition is unknown, unless a part of it says another one.
  std::optional<Effect> OnMissing(const GuardRule& rule) const;
  /// The rule with that id; null if there is none.
  const GuardRule* Find(const std::string& id) const;
  /// The review requests that decisions before the call may have made.
  std::vector<ReviewRequest> ReviewsBefore(const GuardCall& call) const;

  /// Decides about a call; after it, `history` includes the call. `now` is the time for windows and
  /// gates; a blocking native finding blocks even in shadow mode. Requests a review from `sources`
  /// if the decision is kPending and enforced.
  Decision Decide(const GuardCall& call, const History& history, GuardSources& sources, Moment now,
                  const std::vector<NativeFinding>& native = {}) const;

 private:
  /// Decide without its handling of exceptions; `out` is partly filled after one.
  void DecideInto(Decision& out, const GuardCall& call, const History& history,
                  GuardSources& sources, Moment now,
                  const std::vector<NativeFinding>& native) const;

  Policy policy_;
  GuardAgent agent_;
  bool active_ = true;  // the policy is enabled and meant for this agent
  std::vector<const GuardRule*> by_priority_;
};

/// {"schema": "rpl.decision/1", "effect", …}, as in docs/schemas/decision.json.
nlohmann::ordered_json DecisionJson(const Decision& decision, const GuardCall& call);

}  // namespace rpl

#endif  // RPL_CHECKS_GUARD_GUARD_H_
