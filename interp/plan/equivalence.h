// SPDX-License-Identifier: Apache-2.0
//
// Relations that two of their rules declare to be equivalences:
//
//   same(?y, ?x) <- same(?x, ?y)
//   same(?x, ?z) <- same(?x, ?y), same(?y, ?z)
//
// What these rules give is known without joining: all pairs of each class
// (interp/store/classes.h). Other rules of the relation may add pairs, in recursion, too.
#ifndef RPL_INTERP_PLAN_EQUIVALENCE_H_
#define RPL_INTERP_PLAN_EQUIVALENCE_H_

#include <cstdint>
#include <span>

#include "interp/program/clause.h"

namespace rpl {

/// What a rule says of its relation, if the relation is all that it reads. In a relation that is
/// symmetric as well, each atom of a kTransitive rule may have its arguments the other way round.
enum class OwnRule : std::uint8_t { kOther, kSymmetric, kTransitive };

/// `clauses`: all of the rule's.
OwnRule OwnRuleOf(const Definition& def, std::span<const Clause* const> clauses);

}  // namespace rpl

#endif  // RPL_INTERP_PLAN_EQUIVALENCE_H_
