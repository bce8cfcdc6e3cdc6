// SPDX-License-Identifier: Apache-2.0
//
// Rules that need no plan to know that they can run.
//
//   link(?from, ?to) <- edge(?from, ?via), link(?via, ?to), not closed(?via), ?from != ?to
//
// Its atoms read rows, and bind all that its head, its negations and its comparisons mention. So it
// runs in any order of its atoms, whatever its caller knows, and asks nothing. Most rules of large
// programs are like this one.
#ifndef RPL_INTERP_PLAN_PLAIN_RULE_H_
#define RPL_INTERP_PLAN_PLAIN_RULE_H_

#include "interp/plan/plan.h"

namespace rpl {

class Store;

/// Whether the rule is plain, as far as the catalog knows its relations. If so, a plan of all its
/// clauses is never stuck, in either mode and from any known arguments, and all its atoms read
/// rows.
bool IsPlain(const Definition& def, const Catalog& catalog, const Store& store);

}  // namespace rpl

#endif  // RPL_INTERP_PLAN_PLAIN_RULE_H_
