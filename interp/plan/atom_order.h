// SPDX-License-Identifier: Apache-2.0
//
// Join ordering: the order of a rule's atoms, from the sizes of their relations.
//
// The written order stays, since it determines the order of rows, unless another one is estimated
// to read far fewer rows: then the order is greedy, each time the atom with the fewest rows that
// agree with the slots bound so far. The estimate comes from a sample of the relation, always the
// same rows of it, so an order is a function of the program and the rows alone.
#ifndef RPL_INTERP_PLAN_ATOM_ORDER_H_
#define RPL_INTERP_PLAN_ATOM_ORDER_H_

#include <vector>

#include "interp/plan/limits.h"
#include "interp/plan/plan.h"
#include "interp/store/store.h"

namespace rpl {

/// Sizes of the relations that the clauses' atoms read, at the time when an order was chosen.
using SizesSeen = std::vector<RowId>;

/// Whether some relation has outgrown `seen` (initially empty) so much that an order should be
/// chosen again; then updates `seen`. False while all relations are small.
bool HaveGrown(const std::vector<const Clause*>& clauses, const Store& store, const Limits& limits,
               SizesSeen& seen);

/// Positions of the clauses, in the order in which a plan should list them. Clauses other than
/// atoms keep their positions. `delta`: see Planner::Make.
std::vector<std::size_t> OrderBySizes(const std::vector<const Clause*>& clauses, int delta,
                                      const Store& store, const Limits& limits);

}  // namespace rpl

#endif  // RPL_INTERP_PLAN_ATOM_ORDER_H_
