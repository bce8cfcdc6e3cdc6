// SPDX-License-Identifier: Apache-2.0
//
// The condition of a guard rule: a tree of leaves under `and`, `or` and `not`.
//
// The tree is one list of nodes, each before its parts, so that neither reading nor
// evaluating recurses. Ternary has three values (Kleene): unknown is what rests on something
// nobody knows, as the value of a signal whose provider failed. Parts are evaluated from
// left to right; an `and` stops at its first false part, an `or` at its first true one, and
// what is not evaluated is not asked for.
//
//   leaf           unknown when
//   enduserTag     the tag has two different values
//   metricWindow   avg, min or max of nothing; scope agent_user without an end user
//   timeGate       the zone is missing, or its name is not known
//   signal         there is no provider, or it failed
//   requireSubject the subjects could not be had
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

/// In this order `and` is the least and `or` the greatest of its parts.
enum class Ternary { kNo, kMaybe, kYes };

enum class CompareOp { kEq, kNeq, kGt, kGte, kLt, kLte };
bool CompareNumbers(double a, CompareOp op, double b);

/// {"kind": "enduserTag", …}
struct EnduserTagLeaf {
  enum class Op { kHas, kHasValue, kHasValueAny };
  Op op = Op::kHas;
  std::string tag;
  std::vector<std::string> values;
};

/// After a call, `tool` is its duration and `total` that of all calls of the run; before it,
/// `tool` is what earlier calls of the tool used and `total` what all earlier calls did.
struct ExecutionTimeLeaf {
  bool total = false;
  CompareOp op = CompareOp::kGt;
  double ms = 0;
};

/// Holds while one of `must` was not called, or once one of `must_not` was.
struct SequenceLeaf {
  std::vector<std::string> must;
  std::vector<std::string> must_not;
};

/// Holds once `max` calls that match a glob (of names or of tags) are made.
struct MaxCallsLeaf {
  bool by_tag = false;
  std::vector<std::string> globs;
  std::size_t max = 0;
};

inline constexpr std::int64_t kMaxWindowSeconds = 10'000'000'000;

struct MetricWindowLeaf {
  enum class Aggregate { kSum, kAvg, kMax, kMin, kCount };
  bool of_user = false;
  std::string key;  // of the metric, inbuilt or custom
  Aggregate aggregate = Aggregate::kSum;
  std::int64_t window_seconds = 0;  // at most kMaxWindowSeconds
  CompareOp op = CompareOp::kGt;
  double value = 0;
  std::vector<std::string> tool_names;  // globs; none: any
  std::vector<std::string> tool_tags;
};

struct TimeGateLeaf {
  struct Window {
    std::uint8_t days = 0;  // bit 0 is Monday
    int start = 0;          // minutes of the day, both ends inside
    int end = 0;            // before the start: over midnight
  };
  std::string tag;
  bool or_organisation = false;
  std::vector<Window> windows;
};

struct SignalBinding {
  enum class From { kEnduserId, kEnduserTag, kToolName, kToolTag, kToolArg, kSubject, kConst };
  From from = From::kConst;
  std::string of;  // the tag, path or subject type
  std::optional<std::string> role;
  bool id_system = false;
  nlohmann::ordered_json value;  // kConst
};

struct SignalLeaf {
  enum class Op { kEq, kNeq, kGt, kGte, kLt, kLte, kIn, kNin };
  std::string key;
  std::vector<std::pair<std::string, SignalBinding>> args;
  Op op = Op::kEq;
  nlohmann::ordered_json value;    // as JSON text means it
  std::optional<std::string> raw;  // the text, when a text was given
};

struct ToolNameLeaf {
  enum class Op { kEq, kNeq, kContains, kStartsWith, kEndsWith, kGlob, kIn };
  Op op = Op::kEq;
  std::vector<std::string> values;  // one but for kIn
};

struct ToolTagLeaf {
  enum class Op { kHas, kAnyOf, kAllOf };
  Op op = Op::kHas;
  std::vector<std::string> tags;
};

/// An argument of another type than `value` matches nothing, by kNeq neither.
struct ToolArgLeaf {
  enum class Op { kEq, kNeq, kContains, kStartsWith, kEndsWith, kIn, kGt, kGte, kLt, kLte };
  std::string path;
  Op op = Op::kEq;
  nlohmann::ordered_json value;  // a string, number or truth; a list of strings for kIn
};

struct RequireSubjectLeaf {
  std::string type;
  std::optional<std::string> id_system;
};

struct AndParts {};
struct OrParts {};
struct NotPart {};

struct ConditionNode {
  std::variant<EnduserTagLeaf, ExecutionTimeLeaf, SequenceLeaf, MaxCallsLeaf, MetricWindowLeaf,
               TimeGateLeaf, SignalLeaf, ToolNameLeaf, ToolTagLeaf, ToolArgLeaf, RequireSubjectLeaf,
               AndParts, OrParts, NotPart>
      is;
  /// What to do where this part stays unknown.
  std::optional<Effect> on_missing;
  std::uint32_t end = 0;  // one past the last node of its subtree

  template <typename T>
  const T* As() const {
    return std::get_if<T>(&is);
  }
};

/// Node 0 is the root; an `and` or `or` has parts, a `not` has one.
using GuardCondition = std::vector<ConditionNode>;

/// Whether it depends on the calls made before.
bool ReadsHistory(const GuardCondition& condition);

/// What a decision has asked for so far; asked once for a key and its arguments.
struct AskedSignal {
  std::string key;
  nlohmann::ordered_json args;
  Sourced<nlohmann::ordered_json> answer;
};

/// Everything that the leaves of one decision read. Borrows all of it.
struct Surroundings {
  const GuardCall& call;
  const History& history;
  GuardSources& sources;
  Moment now = 0;
  std::string organisation_zone;  // "": none
  Sourced<std::vector<Subject>> subjects;
  std::vector<AskedSignal> signals = {};        // in the order asked
  std::vector<std::string> unknown_zones = {};  // as they were named, once each
};

/// The outcome of a condition.
struct Evaluated {
  Ternary truth = Ternary::kNo;
  /// kMaybe: the most severe `on_missing` of the parts that are, nearest first.
  std::optional<Effect> on_missing;
  /// With `explain`: what each leaf found, "toolArg amount is 250, gt 200: true".
  std::vector<std::string> premises;
};
Evaluated Evaluate(const GuardCondition& condition, Surroundings& around, bool explain);

/// "eq", "gte", …
std::string_view CompareName(CompareOp op);

}  // namespace rpl

#endif  // RPL_CHECKS_GUARD_CONDITION_H_
