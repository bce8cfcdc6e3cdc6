// SPDX-License-Identifier: Apache-2.0
//
// The table of a `VERIFY:` directive: one predicate and one envelope a case, and what must
// come out. Cases stand on lines of their own or behind ` ;; `; a rule is written with its
// value behind it.
//
//   contains x :: [a, x] | x1 | (missing) => pass
//       for each value v between the bars, in an envelope with the fact v alone
//   facts: {v: [1], w: a} ; c = v[0] ; equals 1 when w exists => skipped
//       the claim c with this selector; the claim w selects the fact w
//
// The outcome is pass, fail or skipped.
#ifndef RPL_SHELL_SCRIPT_VERIFY_TABLE_H_
#define RPL_SHELL_SCRIPT_VERIFY_TABLE_H_

#include <optional>
#include <string>
#include <vector>

namespace rpl {

/// The cases with another outcome, or that are malformed; nullopt when there are none.
std::optional<std::string> CheckVerifyTable(const std::vector<std::string>& lines);

}  // namespace rpl

#endif  // RPL_SHELL_SCRIPT_VERIFY_TABLE_H_
