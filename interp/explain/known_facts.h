// SPDX-License-Identifier: Apache-2.0
//
// Facts as the store and the program have them, without a search for derivations: the row of a
// fact, the parties that stated it, the rules that may give it, and its text.
//
// A fact is a row with the relation that holds it. Reads only; answers hold as long as no row is
// added.
#ifndef RPL_INTERP_EXPLAIN_KNOWN_FACTS_H_
#define RPL_INTERP_EXPLAIN_KNOWN_FACTS_H_

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "interp/explain/explanation.h"
#include "interp/store/relation_id.h"
#include "interp/store/value.h"

namespace rpl {

namespace interp {
class Engine;
}

class KnownFacts {
 public:
  /// A row with the relation that holds it: a companion when its sets are whole (§7), a
  /// goal when it is an answer of one.
  using Fact = std::pair<RelationId, std::vector<Value>>;

  /// Borrows the engine, whose analysis is made.
  explicit KnownFacts(const interp::Engine& engine);

  /// The fact of a row that a relation, or one with whole sets beside it, holds.
  Fact Normal(RelationId relation, std::vector<Value> row) const;
  std::optional<RowId> StoredRow(const Fact& fact) const;
  bool IsAsserted(const Fact& fact) const;
  /// Whether the relation is the library's: its rows have no premises.
  bool IsComputed(RelationId relation) const;
  /// The number of its stratum; -1 for a relation that none derives.
  int ComponentOf(RelationId relation) const;
  /// The rules that may give rows of it; what the library does by rules is not told.
  std::vector<int> RulesOf(RelationId relation) const;

  /// Whether a row is the other one, but for sets that have an element in its place.
  bool Covers(std::span<const Value> row, std::span<const Value> instance) const;
  /// The row itself, and, for an instance of a set, the rows with their sets whole.
  std::vector<std::vector<Value>> KeysFor(const Fact& fact) const;

  /// The fact as RPL; a reply with its result.
  std::string FactText(const Fact& fact) const;
  /// Says of a node that somebody stated or answered the fact, and where. REQUIRES: IsAsserted, or
  /// a reply.
  void Leaf(ExplainNode& node, const Fact& fact) const;

 private:
  const interp::Engine& engine_;
  std::map<RelationId, int> component_;
};

}  // namespace rpl

#endif  // RPL_INTERP_EXPLAIN_KNOWN_FACTS_H_
