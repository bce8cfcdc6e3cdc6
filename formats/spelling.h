// SPDX-License-Identifier: Apache-2.0
//
// Spelling of names: edit distance for "did you mean" hints, conversion to kebab-case, and the
// reserved operator words.
#ifndef RPL_FORMATS_SPELLING_H_
#define RPL_FORMATS_SPELLING_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace rpl {

/// The Levenshtein distance in bytes. O(a.size() · b.size()) time, O(b.size()) space.
std::size_t EditDistance(std::string_view a, std::string_view b);

/// A search for the offered name that `got` most likely misspells: the first of those with the
/// least edit distance, provided that the distance is at most a third of `got` or 2 bytes,
/// whichever is more, and less than the length of the name.
class NearestName {
 public:
  explicit NearestName(std::string_view got);
  /// Offers a candidate; true if it is the nearest so far. O(name.size()), because only the first
  /// 100 bytes of `got` are compared.
  bool Offer(std::string_view name);
  /// The nearest name; empty if none was near enough.
  const std::string& name() const { return name_; }

 private:
  std::string got_;    // its first 100 bytes
  std::size_t least_;  // a nearer name has a smaller distance than this
  std::string name_;
};

/// The kebab-case of a name, which may have a namespace: cookMode, step_no and Foo become
/// cook-mode, step-no and foo.
std::string Kebab(std::string_view name);

/// True for a word that is reserved as an operator, in places where an operator may stand (decision
/// 15).
bool IsOperatorWord(std::string_view word);

/// The digits of an English number word below a hundred, in any case: "Three" becomes "3",
/// "twenty-one" "21". "" for other words.
std::string DigitsOf(std::string_view word);

/// The name derived from a heading's title (§17.2): "Draft reviewed!" becomes draft-reviewed. Bytes
/// outside ASCII are kept; the result may be empty.
std::string KebabTitle(std::string_view title);

}  // namespace rpl

#endif  // RPL_FORMATS_SPELLING_H_
