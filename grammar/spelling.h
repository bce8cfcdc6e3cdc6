// SPDX-License-Identifier: Apache-2.0
//
// How far apart two names are, for "did you mean".
#ifndef RPL_GRAMMAR_SPELLING_H_
#define RPL_GRAMMAR_SPELLING_H_

#include <cstddef>
#include <string_view>

namespace rpl {

/// The least number of bytes to insert, drop or replace that turns `a` into `b`.
/// O(a.size() * b.size()).
std::size_t EditDistance(std::string_view a, std::string_view b);

}  // namespace rpl

#endif  // RPL_GRAMMAR_SPELLING_H_
