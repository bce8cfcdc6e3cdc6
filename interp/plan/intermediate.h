// SPDX-License-Identifier: Apache-2.0
//
// Intermediates: two atoms of a recursive rule, joined once into a relation of their own.
//
// In rounds of a fixpoint, a join of three atoms is run from the delta of each of them. Where many
// of its combinations differ only in lvars that nothing else reads, each of these runs follows the
// same few values again:
//
//   alias(?x, ?y) <- memory(?z, ?w), flow(?w, ?y), flow(?z, ?x)
//
// Of memory and flow, say, 400 million combinations leave half a million pairs of ?z and ?y. As a
// relation, the pairs are derived once, and go on once:
//
//   part(?z, ?y)  <- memory(?z, ?w), flow(?w, ?y)
//   alias(?x, ?y) <- part(?z, ?y), flow(?z, ?x)
//
// The relation is an intermediate (Space::kIntermediate): no program can name it. Sizes are those
// of the relations' rows, so the choice is a function of the program and the rows.
#ifndef RPL_INTERP_PLAN_INTERMEDIATE_H_
#define RPL_INTERP_PLAN_INTERMEDIATE_H_

#include <memory>
#include <optional>
#include <vector>

#include "interp/plan/analysis.h"

namespace rpl {

/// What is to be an intermediate of a rule.
struct Intermediate {
  std::size_t first, second;    // positions of its atoms among the rule's clauses
  std::vector<SlotId> columns;  // slots of these atoms that the head or another clause reads
};

/// The two atoms of a rule that are worth an intermediate; nullopt if none are. They are if a round
/// of the rule, which takes so many probes and rows (`cost`), takes more than deriving all that
/// follows from the present rows by an intermediate.
std::optional<Intermediate> FindIntermediate(const DerivedRule& rule, const Store& store,
                                             const std::vector<Marks>& marks, double cost,
                                             const Limits& limits);

/// A rule as two: `part` derives the intermediate, and `rest` the head from it. Neither moves.
struct SplitRule {
  /// REQUIRES: `relation` has as many columns as the intermediate. Borrows the rule's clauses.
  SplitRule(const DerivedRule& rule, const Intermediate& intermediate, RelationId relation,
            const Store& store);
  SplitRule(const SplitRule&) = delete;
  /// Whether an atom reads rows with sets by now. The rule must not be split then: an intermediate
  /// has a value for each element of a set, and the head would have (§7).
  bool MeetsSets(const Store& store) const;

  Definition definition;  // of the part
  Clause atom;            // of the rest: the intermediate
  DerivedRule part, rest;
};

}  // namespace rpl

#endif  // RPL_INTERP_PLAN_INTERMEDIATE_H_
