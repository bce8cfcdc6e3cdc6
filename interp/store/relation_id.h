// SPDX-License-Identifier: Apache-2.0
//
// The names of relations, of their rows and of their columns, for those who do not read the rows:
// they are in interp/store/store.h. No id is kNoId (interp/store/id_table.h).
#ifndef RPL_INTERP_STORE_RELATION_ID_H_
#define RPL_INTERP_STORE_RELATION_ID_H_

#include <cstddef>
#include <cstdint>

namespace rpl {

using RelationId = std::uint32_t;
using RowId = std::uint32_t;

/// The namespace of a relation's label. Each avar is a channel, a relation of its own (§13). No
/// program can name an intermediate (interp/plan/intermediate.h).
enum class Space : std::uint8_t { kRelation, kGoal, kTool, kAvar, kIntermediate };

/// A set of columns, one bit each; a relation has at most 64 columns.
using Columns = std::uint64_t;
inline constexpr std::size_t kMaxArity = 64;

}  // namespace rpl

#endif  // RPL_INTERP_STORE_RELATION_ID_H_
