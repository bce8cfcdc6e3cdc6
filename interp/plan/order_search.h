// SPDX-License-Identifier: Apache-2.0
//
// The search for cheap orders of a rule's atoms, by an estimate of what they take. See
// interp/plan/atom_order.h.
#ifndef RPL_INTERP_PLAN_ORDER_SEARCH_H_
#define RPL_INTERP_PLAN_ORDER_SEARCH_H_

#include <vector>

#include "interp/plan/atom_order.h"
#include "interp/plan/join_estimate.h"
#include "interp/plan/plan.h"

namespace rpl {

/// As OrdersByCost.
std::vector<AtomOrder> CheapOrders(const std::vector<const Clause*>& clauses,
                                   JoinEstimate& estimate);

/// What reading the atoms in the order of the plan is estimated to take.
double EstimatedCost(const Plan& plan, const std::vector<const Clause*>& clauses,
                     JoinEstimate& estimate);

}  // namespace rpl

#endif  // RPL_INTERP_PLAN_ORDER_SEARCH_H_
