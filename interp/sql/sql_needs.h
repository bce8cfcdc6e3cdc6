// SPDX-License-Identifier: Apache-2.0
//
// The needs of a question: the relations that its rules read, directly or through other
// rules; and the parts of these that SQL cannot say, by the forms of their clauses.
#ifndef RPL_INTERP_SQL_SQL_NEEDS_H_
#define RPL_INTERP_SQL_SQL_NEEDS_H_

#include <set>

#include "interp/sql/sql_script.h"

namespace rpl {

/// Columns of a primary key in PostgreSQL, at most.
inline constexpr std::uint32_t kMostSqlColumns = 32;

/// The relations that the request needs. Adds a finding for each clause, relation and constraint
/// that is refused.
std::set<RelationId> SqlNeeds(const Program& program, const Analysis& analysis,
                              const SqlRequest& request, Diagnostics& refused);

}  // namespace rpl

#endif  // RPL_INTERP_SQL_SQL_NEEDS_H_
