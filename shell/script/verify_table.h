// SPDX-License-Identifier: Apache-2.0
//
// The table of a `VERIFY:` directive: each case is one predicate and one envelope with the expected
// outcome. Cases stand on separate lines or are separated by ` ;; `; a rule is followed by its
// value.
//
//   contains x :: [a, x] | x1 | (missing) => pass
//       for each value v between the bars, in an envelope with only the fact v
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

/// Evaluates all cases: nullopt if each has its outcome, else those that differ or are malformed. A
/// table without cases is malformed.
std::optional<std::string> CheckVerifyTable(const std::vector<std::string>& lines);

}  // namespace rpl

#endif  // RPL_SHELL_SCRIPT_VERIFY_TABLE_H_
