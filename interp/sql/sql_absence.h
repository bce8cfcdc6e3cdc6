// SPDX-License-Identifier: Apache-2.0
//
// Relations that are read for what they do not hold. A selection of SQL takes a clause without
// meaning (decision 93) for one that does not hold; it may stand where nothing rests on that.
#ifndef RPL_INTERP_SQL_SQL_ABSENCE_H_
#define RPL_INTERP_SQL_SQL_ABSENCE_H_

#include <set>
#include <span>

#include "interp/program/program.h"

namespace rpl {

/// Why such a relation is none of a database.
inline constexpr const char* kRestsOnAbsence =
    "a value may have no meaning in it, and something rests on its absence";

/// The relations on whose absence something rests in the program or in `questions`, which are no
/// part of it; with those below them.
std::set<RelationId> NeededWhole(const Program& program,
                                 std::span<const Definition* const> questions);

}  // namespace rpl

#endif  // RPL_INTERP_SQL_SQL_ABSENCE_H_
