// SPDX-License-Identifier: Apache-2.0
//
// Heads with `std#least` or `std#greatest` in recursion: whether a rule goes on with values of such
// a relation that may still be replaced by better ones, less or greater.
//
// That is sound where a better value can only give the rule more, or better values of its own: its
// answers for the worse value are then a part of the others, or replaced with it. So in the
// recursion a value of the relation may be passed over (`_`), compared so that a better one passes
// as well, and carried to the same argument of the head through `+`, `-` of something, and `*` and
// `/` by what is not negative. An argument that holds another value, a join over the value, a
// second equality for it or any other use needs the relation to be complete.
#ifndef RPL_INTERP_PLAN_EXTREMA_H_
#define RPL_INTERP_PLAN_EXTREMA_H_

#include <functional>
#include <optional>
#include <span>

#include "interp/program/clause.h"

namespace rpl {

/// A use of a relation's values that needs the relation to be complete.
struct ExactUse {
  RelationId relation;
  const Clause* clause;
};

/// The first such use among the clauses of a rule, which are one alternative of its tail. What may
/// still get better are values of the relations of which `extremum_of` gives one: those that rest
/// on the rule's head.
std::optional<ExactUse> FindExactUse(
    const Definition& def, std::span<const Clause* const> clauses, const Pool& pool,
    const std::function<std::optional<Extremum>(RelationId)>& extremum_of);

}  // namespace rpl

#endif  // RPL_INTERP_PLAN_EXTREMA_H_
