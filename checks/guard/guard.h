// SPDX-License-Identifier: Apache-2.0
//
// The guard: whether a tool call may go out, or its result come in.
//
// A decision looks at one call. The rules in play are those that are enabled, of its phase,
// and whose selector matches; they are evaluated from high to low priority, ties in the
// order of the file. The most severe effect of those whose condition holds wins; the first
// rule that has it gives the reason. After a block no further rule is evaluated.
//
//   effect  before the call                         after it
//   allow   the call goes out                       the result comes in
//   block   the call does not, the run goes on      the result does not, the run goes on
//   hitl    the call is held, the run ends          the result is held, the run ends
//
// A hitl rule asks a person once for a call (checks/guard/approvals.h). Approved, it asks for
// nothing any more; denied, it blocks. It lifts nothing that another rule asks for.
//
// A condition that stays unknown is decided by `onMissing`, nearest first: of the part that
// is unknown, of its rule, of the policy; without one the rule does not apply, and the
// decision says that it was not evaluated.
//
// A guard that itself fails, out of memory or with a review that cannot be kept, blocks and
// says so. Decide does not throw.
#ifndef RPL_CHECKS_GUARD_GUARD_H_
#define RPL_CHECKS_GUARD_GUARD_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "checks/guard/condition.h"
#include "checks/guard/guard_call.h"
#include "checks/guard/history.h"
#include "checks/guard/policy.h"

namespace rpl {

/// Who the guard works for.
struct GuardAgent {
  std::string slug;
  std::vector<std::string> tags;
  std::string organisation_zone;  // "": none
};

/// A rule whose selector matched.
struct EvaluatedRule {
  std::string id;
  bool enabled = true;
  bool evaluated = false;  // false: a block came before it, or its condition stayed unknown
  bool matched = false;    // its condition holds, or is unknown and onMissing says so
  bool violated = false;   // matched, and it asks for a block or a review
  bool unknown = false;
  std::string note;  // why it was not evaluated, or ""
};

/// A rule that the program itself states (K: a constraint over tool calls), as the caller found it.
struct NativeFinding {
  std::string rule;
  bool blocks = true;  // else it is only recorded
  std::string message;
  std::vector<std::string> premises;
};

struct Decision {
  enum class Cause {
    kAllow,
    kRule,     // a rule blocks
    kPending,  // a person has yet to say
    kDenied,   // a person said no
    kFailure,  // the guard failed
    kNoRule,   // no rule speaks for the call, and whoever runs the guard wants one
  };
  Effect effect = Effect::kAllow;
  /// False in shadow mode: the call goes on as if it were allowed.
  bool enforced = true;
  Cause cause = Cause::kAllow;
  /// Something speaks for the call: a rule of effect allow that matched, or a review that was
  /// approved. Without it kAllow only means that nothing stops the call.
  bool granted = false;
  std::string rule;     // id of the deciding rule; of an allow: the first that matched, or ""
  std::string message;  // the rule's reason, or one that names it; "" for an allow
  std::string review;   // id of the review that decided or is awaited, or that let it pass
  std::vector<EvaluatedRule> rules;
  std::vector<std::string> premises;  // what the conditions of the deciding rule found
  Sourced<std::vector<Subject>> subjects;
  std::vector<AskedSignal> signals;
  std::vector<std::string> problems;  // one line each: unknown zones, sources that failed

  /// Takes `effect` where nothing speaks for or against the call. In shadow mode nothing changes.
  void Default(Effect effect, const GuardCall& call);

  /// Whether the call must not go on.
  bool Stops() const { return enforced && effect != Effect::kAllow; }
  bool Holds() const { return enforced && effect == Effect::kHitl; }
};

class Guard {
 public:
  Guard(Policy policy, GuardAgent agent);

  const Policy& policy() const { return policy_; }
  const GuardAgent& agent() const { return agent_; }
  /// Whether a rule that is enabled reads the calls made before.
  bool ReadsHistory() const;
  /// Whether one reads metrics of other runs.
  bool ReadsOtherRuns() const;
  /// The rule of that id or name, or null.
  const GuardRule* Find(const std::string& id) const;
  /// The reviews that rules before the call may have asked for.
  std::vector<ReviewRequest> ReviewsBefore(const GuardCall& call) const;

  Decision Decide(const GuardCall& call, const History& history, GuardSources& sources, Moment now,
                  const std::vector<NativeFinding>& native = {}) const;

 private:
  void DecideInto(Decision& out, const GuardCall& call, const History& history,
                  GuardSources& sources, Moment now,
                  const std::vector<NativeFinding>& native) const;

  Policy policy_;
  GuardAgent agent_;
  bool active_ = true;  // the policy is for this agent, and on
  std::vector<const GuardRule*> by_priority_;
};

/// {"schema": "rpl.decision/1", "effect", …}, see docs/schemas/decision.json.
nlohmann::ordered_json DecisionJson(const Decision& decision, const GuardCall& call);

/// The same rule as RPL: what would have to hold, clause by clause.
std::string RuleAsRpl(const GuardRule& rule);

}  // namespace rpl

#endif  // RPL_CHECKS_GUARD_GUARD_H_
