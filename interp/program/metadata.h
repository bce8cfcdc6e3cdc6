// SPDX-License-Identifier: Apache-2.0
//
// The metadata of rows (§11), reached through a row reference: a value that a plan keeps
// in a slot beside the row's columns.
//
// A reference is an integer (relation and row id) for rows of the store, a bindings map
// for answers of goals, nil for rows without metadata.
#ifndef RPL_INTERP_PROGRAM_METADATA_H_
#define RPL_INTERP_PROGRAM_METADATA_H_

#include <optional>
#include <string_view>
#include <utility>

#include "interp/program/program.h"
#include "interp/store/relation_id.h"

namespace rpl {

class Store;

/// The key of who stated a fact, which the engine alone sets (§11).
inline constexpr std::string_view kBy = "by";

Value RowReference(Pool& pool, RelationId relation, RowId row);

/// Whether the metadata of a reply is that of a failure: {:status :error …}.
bool SaysFailed(Pool& pool, Value meta);

class RowMetadata {
 public:
  RowMetadata(const Program& program, Store& store) : program_(program), store_(store) {}

  /// The row of the store; nullopt for other references.
  std::optional<std::pair<RelationId, RowId>> RowOf(Value reference) const;

  /// The author's map; kNone if there is none.
  Value Map(Value reference) const;

  /// The value under `key`: the author's, or, for keys the engine attaches itself (:file,
  /// :line, :heading, :relation, :by), provenance (decision 49). A bare symbol equal to
  /// `primary` also reads the keyword of that name (decision 47). kNone when absent.
  Value Field(Value reference, Value key, Value primary) const;

  /// The bindings map stored with the fact, or of the goal's answer; kNone if there is none.
  Value Context(Value reference) const;

 private:
  const Program& program_;
  Store& store_;
};

}  // namespace rpl

#endif  // RPL_INTERP_PROGRAM_METADATA_H_
