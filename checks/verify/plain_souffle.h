// SPDX-License-Identifier: Apache-2.0
//
// A small reader and evaluator of Souffle programs, for tests only: what rpl verify writes is
// complete, well-typed, and says what the engine said.
//
// Takes declarations of symbols and numbers, outputs, facts, and rules of atoms, negated
// atoms, comparisons and `1 = count : { atom }`, without recursion. It is strict: an
// undeclared relation, a wrong type, a number beyond 32 bits, an ungrounded variable, or a raw
// line break or tab in a symbol are errors.
#ifndef RPL_CHECKS_VERIFY_PLAIN_SOUFFLE_H_
#define RPL_CHECKS_VERIFY_PLAIN_SOUFFLE_H_

#include <map>
#include <set>
#include <string>
#include <vector>

namespace rpl::plain {

/// A row: symbols as their text behind `s`, numbers as digits behind `n`.
using SouffleRow = std::vector<std::string>;

struct SouffleResult {
  std::map<std::string, std::set<SouffleRow>> relations;
  std::set<std::string> outputs;
};

/// Throws std::runtime_error, with the place, when the text is no such program.
SouffleResult RunSouffle(const std::string& text);

}  // namespace rpl::plain

#endif  // RPL_CHECKS_VERIFY_PLAIN_SOUFFLE_H_
