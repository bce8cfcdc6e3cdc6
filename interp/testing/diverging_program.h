// SPDX-License-Identifier: Apache-2.0
//
// Random programs that do not end, for tests only.
//
// A program has one to three *growths*, each a relation or goal that gains rows without end, or a
// join of so many rows that none of the limits of a test lets it end: by arithmetic, by lists,
// sets, maps, terms and texts, through one rule or several that call each other, from below, on
// demand or through goals. Beside them are innocent relations, and above them readers: a `not`, a
// count, a gathering head, a constraint, `@for`. The clauses of rules and the sentences come in any
// order.
//
// The same seed gives the same program with the same compiler.
#ifndef RPL_INTERP_TESTING_DIVERGING_PROGRAM_H_
#define RPL_INTERP_TESTING_DIVERGING_PROGRAM_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace rpl {

struct DivergingProgram {
  std::string text;
  std::string query;  // needs a growth
  /// The rules that grow, as in `text`: whatever stops the program names one of them.
  std::vector<std::string> growing;
  std::size_t threads = 1;
};

DivergingProgram MakeDiverging(std::uint32_t seed);

}  // namespace rpl

#endif  // RPL_INTERP_TESTING_DIVERGING_PROGRAM_H_
