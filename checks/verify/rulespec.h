// SPDX-License-Identifier: Apache-2.0
//
// A rulespec (Rulespec YAML Schema): claims, which select values of an envelope, and
// predicates, which say what must hold of them.
//
// Reading is all or nothing: everything that is wrong is found at once, each error with the
// path of its field, and a file with an error gives no rulespec. A pattern that is no regex
// is not among these: its predicate is there, and fails.
//
// What a rule means, where v stands for the values of its claim (checks/verify/envelope.h):
//
//   exists          something is selected, an empty list too
//   equals x        x is the only value; a list or map is compared as a whole
//   contains x      x is a value, or part of a selected string
//   any_of [x …]    one of these is a value
//   greater_than n  there are values, and each is a number above n
//   min_length n    each selected list has n elements or more; what is no list has none
//   matches p       a value has a part that the regex matches
//
// not_exists, not_contains and none_of are the exact opposites; less_than and max_length are
// like their counterparts, but max_length holds when there is no list.
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
#include "formats/decimal.h"
#include "formats/diagnostic.h"

namespace rpl {

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

struct Claim {
  std::string name;
  std::string text;  // the selector as written
  Selector selector;
};

/// An expected value: the row text of a scalar, or a list or map as canonical JSON.
struct Expected {
  bool whole = false;
  std::string text;
};

/// A rule and its value: of a predicate, or of a `when`.
struct ClaimRule {
  std::size_t claim = 0;  // index into Rulespec::claims
  RuleKind rule = RuleKind::kExists;
  nlohmann::ordered_json value;    // as written; null when the rule takes none
  std::vector<Expected> expected;  // equals, contains: one; any_of and none_of: each
  Decimal bound;                   // greater_than, less_than
  std::int64_t length = 0;         // min_length, max_length; at most kMaxLength
  std::string pattern;             // matches
  std::string pattern_error;       // why the pattern is no regex, or ""

  bool counts_elements() const {
    return rule == RuleKind::kMinLength || rule == RuleKind::kMaxLength;
  }
  bool compares_numbers() const {
    return rule == RuleKind::kGreaterThan || rule == RuleKind::kLessThan;
  }
};

/// Longer lists there are not; what is larger stands for this.
inline constexpr std::int64_t kMaxLength = 2'147'483'647;

struct Predicate {
  ClaimRule is;
  std::optional<ClaimRule> when;
  std::string source;  // "task_prompt" or "memory"
  std::string notes;
  Span span;
};

struct Rulespec {
  std::vector<Claim> claims;
  std::vector<Predicate> predicates;  // the id of one is its position
};

/// Reads a file of `sources`. nullopt when it has errors, which go to `found`.
std::optional<Rulespec> ReadRulespec(const Sources& sources, std::uint32_t file,
                                     Diagnostics& found);

/// `breaking equals true`
std::string ClaimRuleText(const Rulespec& rulespec, const ClaimRule& condition);

}  // namespace rpl

#endif  // RPL_CHECKS_VERIFY_RULESPEC_H_
