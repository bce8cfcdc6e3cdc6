// SPDX-License-Identifier: Apache-2.0
//
// The rows that a violation rests on and its bindings do not tell (decision 95: a decision about it
// holds for the rows that it was shown). Of `pay(?p, _), |order(?p, _)| > 3 -> false` with ?p = 1
// these are the rows of pay and order that begin with 1.
#ifndef RPL_RUNTIME_HIDDEN_ROWS_H_
#define RPL_RUNTIME_HIDDEN_ROWS_H_

#include <set>
#include <utility>
#include <vector>

#include "interp/program/program.h"

namespace rpl {

/// Those of an atom with an argument that is not bound, and of all within `not`, counts and the
/// like. `slots`: of the constraint, kNone where it is not bound. Rows that only the bindings of a
/// caller derive are not among them. Reads each of the relations once.
std::set<std::pair<RelationId, RowId>> HiddenRows(const Store& store, const Constraint& c,
                                                  const std::vector<Value>& slots);

}  // namespace rpl

#endif  // RPL_RUNTIME_HIDDEN_ROWS_H_
