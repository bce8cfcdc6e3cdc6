// SPDX-License-Identifier: Apache-2.0
//
// The needs of a query when nothing else is asked: the relations that it, the
// constraints, the rules of %fail and the choices of questions rest on; and of these, the arguments
// that all readers bind to one value.
//
// `t(17, ?y)` over t(?x, ?z) <- t(?x, ?y), e(?y, ?z) reads rows that begin with 17 alone, because
// the recursive call passes the first argument on unchanged. So no others are derived: the rules
// select by these values (Analysis::Select).
#ifndef RPL_INTERP_PLAN_QUERY_NEEDS_H_
#define RPL_INTERP_PLAN_QUERY_NEEDS_H_

#include <cstddef>
#include <map>
#include <optional>
#include <set>

#include "interp/plan/analysis.h"

namespace rpl {

struct QueryNeeds {
  /// Values by argument; symbols, keywords, strings and integers.
  using Known = std::map<std::size_t, Value>;
  std::set<RelationId> relations;
  std::map<RelationId, Known> known;  // of derived relations, not empty
};

/// The needs of a query that is no part of the program; nullopt if it may need any relation, as a
/// form is expanded (§5.7). REQUIRES: `analysis` is of the program.
std::optional<QueryNeeds> NeedsOfQuery(const Program& program, const Analysis& analysis,
                                       const Definition& query);

}  // namespace rpl

#endif  // RPL_INTERP_PLAN_QUERY_NEEDS_H_
