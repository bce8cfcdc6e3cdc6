// SPDX-License-Identifier: Apache-2.0
//
// The condition of a guard rule: a tree of leaves under `and`, `or` and `not`.
//
// The tree is one list of nodes in preorder, so that neither reading nor evaluating recurses. Truth
// is three-valued (Kleene): a leaf is unknown if it depends on missing information, such as the
// value of a signal whose provider failed. Parts are evaluated from left to right; an `and` stops
// at its first false part, an `or` at its first true one, and parts that are not evaluated request
// nothing from the sources.
//
//   leaf           unknown when
//   enduserTag     the tag has two different values
//   metricWindow   avg, min or max of no values; scope agent_user without an end user
//   timeGate       the zone is missing or unknown to the system
//   signal         there is no provider, or it failed
//   requireSubject the subjects are not available
//   toolArg        the argument is missing or of another type, and somebody says what follows from
//                  that: `onMissing` of the leaf, a connective above it, the rule, the policy or
//                  the host. Otherwise it does not match, as in the published engine.
//
// A call that was let pass and has not ended, or was cut off, may have been made or not. Each leaf
// over earlier calls takes it as what makes its rule more severe: for a rule that blocks or holds
// the leaf holds if it may hold, for one that allows it must hold for certain; under `not` the
// other way round. So mustNotHaveCalled counts an open call, and mustHaveCalled does not.
#ifndef RPL_CHECKS_GUARD_CONDITION_H_
#define RPL_CHECKS_GUARD_CONDITION_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "checks/guard/guard_call.h"
#include "checks/guard/zone.h"

namespace rpl {

class History;

/// Truth values, ordered so that `and` is the minimum and `or` the maximum of its parts.
enum class Ternary { kNo, kMaybe, kYes };

/// A comparison of numbers.
enum class CompareOp { kEq, kNeq, kGt, kGte, kLt, kLte };
/// `a op b`; false for NaN, except for kNeq. A long double holds all integers of 64 bits.
bool CompareNumbers(long double a, CompareOp op, long double b);

/// A tag of the end user: present (kHas: not null, false, 0 or ""), or equal to one of `values`.
struct EnduserTagLeaf {
  /// kHasValue has exactly one value; kHasValueAny holds for any of several.
  enum class Op { kHas, kHasValue, kHasValueAny };
  Op op = Op::kHas;
  std::string tag;
  std::vector<std::string> values;
};

/// An execution time in milliseconds. After a call, `tool` is its duration and `total` that of all
/// calls of the run including it; before a call, `tool` is the sum of the earlier calls of the tool
/// and `total` that of all earlier calls.
struct ExecutionTimeLeaf {
  bool total = false;
  CompareOp op = CompareOp::kGt;
  std::int64_t ms = 0;
};

/// Holds as long as one of `must` has not been called in this run, or once one of `must_not` has.
/// Globs of tool names.
struct SequenceLeaf {
  std::vector<std::string> must;
  std::vector<std::string> must_not;
};

/// Holds once `max` calls of this run match a glob, of names or of tags.
struct MaxCallsLeaf {
  bool by_tag = false;
  std::vector<std::string> globs;
  std::size_t max = 0;
};

/// The longest window, in seconds.
inline constexpr std::int64_t kMaxWindowSeconds = 10'000'000'000;

/// Compares an aggregate of a metric over the window before the decision with `value`.
struct MetricWindowLeaf {
  /// kAvg, kMax and kMin have no value in an empty window.
  enum class Aggregate { kSum, kAvg, kMax, kMin, kCount };
  bool of_user = false;  // only calls of the same end user
  std::string key;       // of the metric, inbuilt or custom
  Aggregate aggregate = Aggregate::kSum;
  std::int64_t window_seconds = 0;  // at most kMaxWindowSeconds
  CompareOp op = CompareOp::kGt;
  nlohmann::ordered_json value = 0;     // a number
  std::vector<std::string> tool_names;  // globs; empty: any tool
  std::vector<std::string> tool_tags;   // at least one of them; empty: any tool
};

/// Holds if the local time is in one of the windows. The zone is the end user's `tag` or, if that
/// is missing or unknown and `or_organisation` is set, the organisation's.
struct TimeGateLeaf {
  /// A range of minutes on some days of the week. A window that ends before its start continues
  /// after midnight, on the following day.
  struct Window {
    std::uint8_t days = 0;  // bit 0 is Monday
    int start = 0;          // minutes of the day, both ends inside
    int end = 0;            // before the start: over midnight
  };
  std::string tag;
  bool or_organisation = false;
  std::vector<Window> windows;
};

/// The origin of an argument of a signal. A binding without a value leaves the argument out.
struct SignalBinding {
  /// kSubject gives the value of the first subject of the type and role, or its id system.
  enum class From { kEnduserId, kEnduserTag, kToolName, kToolTag, kToolArg, kSubject, kConst };
  From from = From::kConst;
  std::string of;  // the tag, path or subject type
  std::optional<std::string> role;
  bool id_system = false;
  nlohmann::ordered_json value;  // kConst
};

/// Compares the value of a signal, which GuardSources provides for the bound arguments.
struct SignalLeaf {
  /// The orders hold only between numbers, kIn and kNin only for a list of values.
  enum class Op { kEq, kNeq, kGt, kGte, kLt, kLte, kIn, kNin };
  std::string key;
  std::vector<std::pair<std::string, SignalBinding>> args;
  Op op = Op::kEq;
  nlohmann::ordered_json value;    // parsed as JSON
  std::optional<std::string> raw;  // the text, if the policy has a text
};

/// Compares the tool's name, ignoring case.
struct ToolNameLeaf {
  /// kIn matches any of several globs.
  enum class Op { kEq, kNeq, kContains, kStartsWith, kEndsWith, kGlob, kIn };
  Op op = Op::kEq;
  std::vector<std::string> values;  // exactly one unless kIn, where they are globs
};

/// Compares the tool's tags, ignoring case.
struct ToolTagLeaf {
  /// kHas has exactly one tag.
  enum class Op { kHas, kAnyOf, kAllOf };
  Op op = Op::kHas;
  std::vector<std::string> tags;
};

/// Compares the argument at a dot path. For a missing argument, or one of another type than
/// `value`, no comparison holds, kNeq included; see above for when it is unknown.
struct ToolArgLeaf {
  /// The orders are for numbers, kEq and kNeq for all types, the others for strings.
  enum class Op { kEq, kNeq, kContains, kStartsWith, kEndsWith, kIn, kGt, kGte, kLt, kLte };
  std::string path;
  Op op = Op::kEq;
  /// A string, number or boolean. For kIn a list of strings, one of which is the argument, or a
  /// string that contains it, as in the published engine.
  nlohmann::ordered_json value;
};

/// Holds if the call has a subject of this type and, if given, of this id system.
struct RequireSubjectLeaf {
  std::string type;
  std::optional<std::string> id_system;
};

/// Holds if all of its parts do. The parts of a connective are the nodes up to ConditionNode::end.
struct AndParts {};
/// Holds if one of its parts does.
struct OrParts {};
/// The negation of its part; unknown if the part is.
struct NotPart {};

/// A node of a condition.
struct ConditionNode {
  std::variant<EnduserTagLeaf, ExecutionTimeLeaf, SequenceLeaf, MaxCallsLeaf, MetricWindowLeaf,
               TimeGateLeaf, SignalLeaf, ToolNameLeaf, ToolTagLeaf, ToolArgLeaf, RequireSubjectLeaf,
               AndParts, OrParts, NotPart>
      is;
  /// The effect of the rule if this part is unknown.
  std::optional<Effect> on_missing;
  std::uint32_t end = 0;  // one past the last node of its subtree

  template <typename T>
  const T* As() const {
    return std::get_if<T>(&is);
  }
};

/// Node 0 is the root. An `and` or `or` has at least one part, a `not` exactly one.
using GuardCondition = std::vector<ConditionNode>;

/// True if the condition depends on earlier calls.
bool ReadsHistory(const GuardCondition& condition);

/// A signal that the decision has requested; each key and arguments are requested once.
struct AskedSignal {
  std::string key;
  nlohmann::ordered_json args;
  Sourced<nlohmann::ordered_json> answer;
};

/// The arguments for which a signal is requested; those without a value are left out.
nlohmann::ordered_json SignalArgs(const SignalLeaf& leaf, const GuardCall& call,
                                  const Sourced<std::vector<Subject>>& subjects);

/// All inputs of the leaves in one decision, and the requests made so far. Borrows its references.
struct Surroundings {
  const GuardCall& call;
  const History& history;
  GuardSources& sources;
  Moment now = 0;
  std::string organisation_zone;  // "" for none
  Sourced<std::vector<Subject>> subjects;
  std::vector<AskedSignal> signals = {};        // in the order of the requests
  std::vector<std::string> unknown_zones = {};  // as written, without repetitions
};

/// The outcome of a condition.
struct Evaluated {
  Ternary truth = Ternary::kNo;
  /// For kMaybe: the most severe `on_missing` of the unknown leaves, each with that of its nearest
  /// ancestor if it has none of its own.
  std::optional<Effect> on_missing;
  /// With `explain`: the finding of each leaf, "toolArg amount is 250, gt 200: true".
  std::vector<std::string> premises;
};
/// Evaluates the condition of a rule with this effect. Requests signals from around.sources and
/// records them there. `missing_decides`: the rule, the policy or the host gives an effect to what
/// is unknown. REQUIRES: the condition is not empty.
Evaluated Evaluate(const GuardCondition& condition, Effect effect, Surroundings& around,
                   bool missing_decides, bool explain);

/// Whether a node, if it holds rather than not, makes a rule of this effect more severe.
bool IsSevere(const GuardCondition& condition, Effect effect, std::size_t node);
/// Whether open calls are added to what a window counts. `severe`: IsSevere of its leaf.
bool CountsOpenCalls(const MetricWindowLeaf& leaf, bool severe);

/// The name of the comparison in policies: "eq", "gte".
std::string_view CompareName(CompareOp op);

}  // namespace rpl

#endif  // RPL_CHECKS_GUARD_CONDITION_H_
