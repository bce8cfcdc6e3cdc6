// SPDX-License-Identifier: Apache-2.0
//
// How names are spelled: how far apart two are, for "did you mean", kebab-case, and the words
// that are operators.
#ifndef RPL_FORMATS_SPELLING_H_
#define RPL_FORMATS_SPELLING_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace rpl {

/// The least number of bytes to insert, drop or replace that turns `a` into `b`.
/// O(a.size() * b.size()).
std::size_t EditDistance(std::string_view a, std::string_view b);

/// Of names offered one after the other, the one that `got` was most likely meant to be: the
/// first of those that differ least, by a third of its bytes or by two, and not altogether.
class NearestName {
 public:
  explicit NearestName(std::string_view got);
  /// Whether it is the nearest so far. Takes O(name.size()), however long `got` is.
  bool Offer(std::string_view name);
  /// Empty when no name was near.
  const std::string& name() const { return name_; }

 private:
  std::string got_;  // no more of it than any name is compared with
  std::size_t least_;
  std::string name_;
};

/// The kebab-case of a name, which may have a namespace: cookMode, step_no and Foo become
/// cook-mode, step-no and foo.
std::string Kebab(std::string_view name);

/// Whether the word is an operator where an operator may stand (decision 15).
bool IsOperatorWord(std::string_view word);

/// The name that a heading gives: "Draft reviewed!" as draft-reviewed.
std::string KebabTitle(std::string_view title);

}  // namespace rpl

#endif  // RPL_FORMATS_SPELLING_H_
