// SPDX-License-Identifier: Apache-2.0
//
// The clauses that may bind slots, and the slots that those of a rule bind, apart from counts,
// which group by slots that nothing else binds (decision 25).
#ifndef RPL_INTERP_PROGRAM_BINDINGS_H_
#define RPL_INTERP_PROGRAM_BINDINGS_H_

#include <functional>
#include <vector>

#include "interp/program/clause.h"
#include "interp/store/relation_id.h"

namespace rpl {

/// The arguments of a call that it does not bind, but needs.
using NeededBy = std::function<Columns(const Atom&)>;

/// Whether a clause may bind slots that it mentions; tests and $json do not.
bool MayBind(const Clause& clause);

/// The slots that are bound once the clauses have run, in whatever order they can, from those that
/// are `known` before. Results of counts are among them, and what counts group by is not.
std::vector<bool> BoundBy(const std::vector<const Clause*>& clauses, std::vector<bool> known,
                          const NeededBy& needed);

}  // namespace rpl

#endif  // RPL_INTERP_PROGRAM_BINDINGS_H_
