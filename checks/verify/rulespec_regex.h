// SPDX-License-Identifier: Apache-2.0
//
// The regexes of rulespecs, which are written for the crate `regex` of Rust: `\w \d \s \b` are
// Unicode's, classes have operations (`[a-z&&[^aeiou]]`), `(?x)` allows comments, and the number of
// repetitions has no limit of its own. RE2 searches, in linear time; what it cannot search for is
// refused here rather than read differently.
//
// RE2's `\b` knows the letters of ASCII alone. A text with others is searched in a form in which
// each of these has an ASCII letter on both sides, so that the boundaries are where Unicode has
// them.
#ifndef RPL_CHECKS_VERIFY_RULESPEC_REGEX_H_
#define RPL_CHECKS_VERIFY_RULESPEC_REGEX_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace rpl {

class RulespecRegex {
 public:
  struct Problem {
    std::string why;        // "missing `]`"
    std::size_t at = 0;     // the number of a character, from 1
    bool is_limit = false;  // the regex is valid, and rpl cannot search for it
  };

  /// Reads a regex, valid UTF-8 of any size. nullopt, with the problem, if it is invalid or cannot
  /// be searched for.
  static std::optional<RulespecRegex> Read(std::string_view regex, Problem* problem);

  /// True if the regex matches some part of a text, which is valid UTF-8.
  bool Matches(std::string_view text) const;

 private:
  std::shared_ptr<const re2::RE2> plain_;
  std::shared_ptr<const re2::RE2> marked_;  // for texts with letters beyond ASCII; null without \b
};

}  // namespace rpl

#endif  // RPL_CHECKS_VERIFY_RULESPEC_REGEX_H_
