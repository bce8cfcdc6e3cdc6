// SPDX-License-Identifier: Apache-2.0
//
// Join ordering: the orders of a rule's atoms that promise to be cheap, from estimates
// (interp/plan/join_estimate.h).
//
// Those are a function of the program and the rows alone. They know nothing of values that are in
// many rows of both relations; what the best orders really cost is found by trying them
// (interp/eval/plan_choice.h).
#ifndef RPL_INTERP_PLAN_ATOM_ORDER_H_
#define RPL_INTERP_PLAN_ATOM_ORDER_H_

#include <vector>

#include "interp/plan/limits.h"
#include "interp/plan/plan.h"
#include "interp/store/relation_id.h"

namespace rpl {

class Store;

/// Sizes of the relations that the clauses' atoms read, at the time when an order was chosen.
using SizesSeen = std::vector<RowId>;

/// Whether some relation has outgrown `seen` (initially empty) so much that an order should be
/// chosen again; then updates `seen`. False while all are small, with few combinations of rows.
bool HaveGrown(const std::vector<const Clause*>& clauses, const Store& store, const Limits& limits,
               SizesSeen& seen);

/// Positions of the clauses, and the number of probes and rows read that running them in this order
/// is estimated to take. Clauses other than atoms keep their positions.
struct AtomOrder {
  std::vector<std::size_t> positions;
  double cost;
};

/// The orders to consider, the cheapest first: of up to four atoms all; of up to twelve the
/// cheapest one that begins with each atom, by dynamic programming over sets of atoms; of more
/// those that go on with the cheapest atom after some first ones. An atom of which nothing is known
/// follows only where there is no other, unless so few atoms are there that all their orders can be
/// compared. `delta`: the position of the atom that reads the last `delta_rows` rows of its
/// relation, or -1. `bound`, per slot: what is known before; empty: nothing.
std::vector<AtomOrder> OrdersByCost(const std::vector<const Clause*>& clauses, int delta,
                                    RowId delta_rows, const Store& store,
                                    const std::vector<bool>& bound = {});

}  // namespace rpl

#endif  // RPL_INTERP_PLAN_ATOM_ORDER_H_
