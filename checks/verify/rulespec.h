// SPDX-License-Identifier: Apache-2.0
//
// A rulespec (Rulespec YAML Schema): claims, which select values of an envelope, and predicates,
// which state conditions on them.
//
// Reading is all or nothing: all errors are found at once, each with the path of its field, and a
// file with an error gives no rulespec. An invalid regex is not such an error: its predicate exists
// and fails. A valid one that rpl cannot search for is.
//
// The meaning of the rules, where v ranges over the values of the claim (checks/verify/envelope.h):
//
//   exists          a node is selected, possibly an empty list
//   equals x        x is the only value; a list or map is compared with whole selected nodes
//   contains x      x is a value, or part of a selected string
//   any_of [x …]    one of these is a value
//   greater_than n  there are values, and each is a number above n
//   min_length n    each selected list has n elements or more; other nodes have no length
//   matches p       the regex matches a part of a value
//
// not_exists, not_contains and none_of are the exact opposites; less_than and max_length mirror
// their counterparts, except that max_length holds when nothing is selected.
#ifndef RPL_CHECKS_VERIFY_RULESPEC_H_
#define RPL_CHECKS_VERIFY_RULESPEC_H_

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checks/verify/envelope.h"
#include "checks/verify/rulespec_regex.h"
#include "formats/decimal.h"
#include "formats/diagnostic.h"

namespace rpl {

/// The rules, in the order of the Rulespec schema.
enum class RuleKind {
  kExists,
  kNotExists,
  kEquals,
  kContains,
  kNotContains,
  kAnyOf,
  kNoneOf,
  kGreaterThan,
  kLessThan,
  kMinLength,
  kMaxLength,
  kMatches,
};

/// "not_exists".
std::string_view RuleKindName(RuleKind kind);

/// A named selector.
struct Claim {
  std::string name;
  std::string text;  // the selector as written
  Selector selector;
  Span span;  // of the selector
};

/// An expected value: the row text of a scalar, or a list or map as canonical JSON.
struct Expected {
  bool whole = false;
  std::string text;
};

/// A rule with its value, in a predicate or in its `when`.
struct ClaimRule {
  std::size_t claim = 0;  // index into Rulespec::claims
  RuleKind rule = RuleKind::kExists;
  nlohmann::ordered_json value;        // as written; null if the rule takes none
  std::vector<Expected> expected;      // equals, contains: one; any_of and none_of: each
  Decimal bound;                       // greater_than, less_than
  std::int64_t length = 0;             // min_length, max_length; at most kMaxLength
  std::string pattern;                 // matches; the regex as written
  std::optional<RulespecRegex> regex;  // the same; nullopt if it is invalid
  std::string pattern_error;           // the reason why it is invalid, or ""
  Span span;                           // of the value; of the whole rule if it takes none

  /// True for the rules about lengths, whose values are those of `length`.
  bool counts_elements() const {
    return rule == RuleKind::kMinLength || rule == RuleKind::kMaxLength;
  }
  /// True for the rules that may be there to keep a value out of the envelope; messages do not
  /// repeat the values of their claims.
  bool may_hide() const {
    return rule == RuleKind::kNotExists || rule == RuleKind::kNotContains ||
           rule == RuleKind::kNoneOf || rule == RuleKind::kMatches;
  }
  /// True for the rules about numbers, whose value is `bound`.
  bool compares_numbers() const {
    return rule == RuleKind::kGreaterThan || rule == RuleKind::kLessThan;
  }
};

/// The longest length that is distinguished; a larger one in a rulespec becomes this one.
inline constexpr std::int64_t kMaxLength = 2'147'483'647;

/// A rule, which applies only if `when` is absent or holds.
struct Predicate {
  ClaimRule is;
  std::optional<ClaimRule> when;
  std::string source;  // "task_prompt" or "memory"
  std::string notes;
  Span span;
};

/// A rulespec without errors: it may lack `claims` or `predicates`, and every claim that a rule
/// refers to exists.
struct Rulespec {
  std::vector<Claim> claims;
  std::vector<Predicate> predicates;  // the id of one is its position
};

/// Reads a file of `sources`, which is untrusted. nullopt if it has errors. Errors and warnings are
/// added to `found`.
std::optional<Rulespec> ReadRulespec(const Sources& sources, std::uint32_t file,
                                     Diagnostics& found);

/// The condition as messages show it, "breaking equals true"; long values are cut.
std::string ClaimRuleText(const Rulespec& rulespec, const ClaimRule& condition);

}  // namespace rpl

#endif  // RPL_CHECKS_VERIFY_RULESPEC_H_
