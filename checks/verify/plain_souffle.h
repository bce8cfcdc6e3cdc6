// SPDX-License-Identifier: Apache-2.0
//
// A small reader and evaluator of Souffle programs, for tests only. It confirms that the output of
// `rpl verify` is complete, well-typed, and gives the engine's results.
//
// It accepts declarations of symbols and numbers, outputs, facts, and rules of atoms, negated
// atoms, comparisons and `1 = count : { atom }`, without recursion. It is strict: an undeclared
// relation, a wrong type, a number beyond 32 bits, an ungrounded variable, or a raw line break or
// tab in a symbol is an error.
#ifndef RPL_CHECKS_VERIFY_PLAIN_SOUFFLE_H_
#define RPL_CHECKS_VERIFY_PLAIN_SOUFFLE_H_

#include <map>
#include <set>
#include <string>
#include <vector>

namespace rpl::plain {

/// A row: symbols as `s` and their text, numbers as `n` and their digits.
using SouffleRow = std::vector<std::string>;

/// All rows by relation, and the names of the relations declared as output.
struct SouffleResult {
  std::map<std::string, std::set<SouffleRow>> relations;
  std::set<std::string> outputs;
};

/// Evaluates a program. Throws std::runtime_error, with the place, if the text is not such a
/// program.
SouffleResult RunSouffle(const std::string& text);

}  // namespace rpl::plain

#endif  // RPL_CHECKS_VERIFY_PLAIN_SOUFFLE_H_
