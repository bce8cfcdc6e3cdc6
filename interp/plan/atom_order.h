// SPDX-License-Identifier: Apache-2.0
//
// In which order the atoms of a joining rule are read, from the sizes of their relations.
//
// The written order stays, since rows come in it, unless the estimates say that another one
// looks at far fewer rows: then the atoms are taken one by one, each time the one of which
// fewest rows agree with what is bound by then. How many do is estimated from a sample of the
// relation, the same rows of it each time: an order depends on the program and the rows that
// are there, and on nothing else.
#ifndef RPL_INTERP_PLAN_ATOM_ORDER_H_
#define RPL_INTERP_PLAN_ATOM_ORDER_H_

#include <vector>

#include "interp/plan/limits.h"
#include "interp/plan/plan.h"
#include "interp/store/store.h"

namespace rpl {

/// The sizes of the relations that the clauses' atoms read, when an order was chosen.
using SizesSeen = std::vector<RowId>;

/// Whether some relation is so much larger than `seen`, empty at first, that an order should
/// be chosen; then `seen` is what they are now. No order is worth choosing for small ones.
bool HaveGrown(const std::vector<const Clause*>& clauses, const Store& store, const Limits& limits,
               SizesSeen& seen);

/// Positions of the clauses, in the order in which a plan should list them; those that are no
/// atoms stay where they are. `delta` is as for Planner::Make.
std::vector<std::size_t> OrderBySizes(const std::vector<const Clause*>& clauses, int delta,
                                      const Store& store, const Limits& limits);

}  // namespace rpl

#endif  // RPL_INTERP_PLAN_ATOM_ORDER_H_
