// SPDX-License-Identifier: Apache-2.0
//
// The rows that a violation rests on and its bindings do not tell (decision 95: a decision about it
// holds for the rows that it was shown). Of `pay(?p, _), |order(?p, _)| > 3 -> false` with ?p = 1
// these are the rows of pay and order that begin with 1.
#ifndef RPL_RUNTIME_FACTS_HIDDEN_ROWS_H_
#define RPL_RUNTIME_FACTS_HIDDEN_ROWS_H_

#include <functional>
#include <span>
#include <vector>

#include "interp/store/relation_id.h"
#include "interp/store/value.h"

namespace rpl {

class Solver;
class Store;
struct Constraint;

/// Calls fn(relation, row) for those of an atom with an argument that is not bound, and for all
/// within `not`, counts and the like; some of them more than once. `slots`: of the constraint,
/// kNone where it is not bound.
void ForEachHiddenRow(Solver& solver, const Store& store, const Constraint& c,
                      const std::vector<Value>& slots,
                      const std::function<void(RelationId, std::span<const Value>)>& fn);

}  // namespace rpl

#endif  // RPL_RUNTIME_FACTS_HIDDEN_ROWS_H_
