// SPDX-License-Identifier: Apache-2.0
//
// Generators of random texts and trees for tests, for use inside rc::check.
#ifndef RPL_GRAMMAR_TESTING_RANDOM_H_
#define RPL_GRAMMAR_TESTING_RANDOM_H_

#include <rapidcheck.h>

#include <string>
#include <vector>

namespace rpl::testing {

/// A random number from 0 to below - 1. REQUIRES: below > 0.
inline int Pick(int below) { return *rc::gen::inRange(0, below); }

template <typename T>
/// A random element. REQUIRES: !values.empty().
const T& Of(const std::vector<T>& values) {
  return values[static_cast<std::size_t>(Pick(static_cast<int>(values.size())))];
}
inline std::string Of(const std::vector<std::string>& texts) { return Of<std::string>(texts); }

}  // namespace rpl::testing

#endif  // RPL_GRAMMAR_TESTING_RANDOM_H_
