// SPDX-License-Identifier: Apache-2.0
//
// Sets of code points, for the classes of a regex: RE2 has no operations on classes.
#ifndef RPL_CHECKS_VERIFY_CODE_POINTS_H_
#define RPL_CHECKS_VERIFY_CODE_POINTS_H_

#include <optional>
#include <string>
#include <vector>

namespace rpl {

class CodePoints {
 public:
  static constexpr char32_t kLast = 0x10FFFF;

  CodePoints() = default;
  CodePoints(char32_t first, char32_t last) { Add(first, last); }

  /// Those that a class matches, "[\p{Greek}_]" in RE2's syntax; nullopt if RE2 does not accept it.
  /// Takes some 10 ms: all code points are searched.
  static std::optional<CodePoints> OfClass(const std::string& re2);

  /// `\w`, `\d` and `\s` as Unicode Technical Standard 18 defines them; computed once.
  static const CodePoints& Word();
  static const CodePoints& Digit();
  static const CodePoints& Space();

  void Add(char32_t first, char32_t last);
  void Add(const CodePoints& other);

  CodePoints Complement() const;
  CodePoints And(const CodePoints& other) const;
  CodePoints Minus(const CodePoints& other) const { return And(other.Complement()); }

  /// With the other cases of each letter, by Unicode's simple case folding.
  CodePoints WithOtherCases() const;

  bool Contains(char32_t c) const;
  bool empty() const { return ranges_.empty(); }

  /// The set as a class of RE2, "[\x{61}-\x{7a}]".
  std::string Re2() const;

 private:
  struct Range {
    char32_t first, last;
  };

  std::vector<Range> ranges_;  // in order, apart from each other
};

}  // namespace rpl

#endif  // RPL_CHECKS_VERIFY_CODE_POINTS_H_
