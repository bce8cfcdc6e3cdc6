// SPDX-License-Identifier: Apache-2.0
//
// Withdrawal: delete and rederive (DRed) after a retraction. It removes the derived rows of a
// stratum that lost all proofs, and no others.
//
// For a stratum with t(?x, ?z) <- t(?x, ?y), e(?y, ?z), additional rules derive the rows in doubt,
// which have a relation for each relation of the stratum:
//
//   below   doubt(?x, ?z) <- t(?x, ?y), e(?y, ?z)    from the rows that are gone from e
//   within  doubt(?x, ?z) <- doubt(?x, ?y), e(?y, ?z)
//   again   t(?x, ?z) <- doubt(?x, ?z), t(?x, ?y), e(?y, ?z)
//
// The first two read the rows as they were before, so each row that they give has lost a proof, is
// in doubt, and leaves t. The last gives back the rows with another proof; those that rest on them
// follow as from other new rows. So each row still comes after those that it rests on: one that
// stays has lost no proof, one that was in doubt comes last. interp/eval/fixpoint.h runs the rules.
//
// Only for strata whose rules are joins (interp/plan/join_plan.h) with atoms, comparisons and
// arithmetic, where a row has no parts but its cells: no sets, no extremum, no classes, and
// relations that are needed complete only if they have not changed.
#ifndef RPL_INTERP_PLAN_WITHDRAWAL_H_
#define RPL_INTERP_PLAN_WITHDRAWAL_H_

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "interp/plan/analysis.h"

namespace rpl {

/// Does not move. Borrows the clauses of the stratum's rules, which must be those of the analysis
/// as it is.
class Withdrawal {
 public:
  /// Makes a relation with this name and so many columns.
  using NewRelation = std::function<RelationId(const std::string& name, std::uint32_t arity)>;
  Withdrawal(const Stratum& stratum, const Store& store, const NewRelation& make);
  Withdrawal(const Withdrawal&) = delete;

  /// Whether the rules of the stratum are of the kind. It may depend on the rows whether they are:
  /// see MeetsSets.
  static bool IsFor(Stratum& stratum, const Analysis& analysis, const Store& store);
  /// Whether a relation that the stratum reads or derives has rows with sets by now.
  static bool MeetsSets(const Stratum& stratum, const Store& store);

  /// By relation of the stratum: the one with its rows in doubt.
  const std::map<RelationId, RelationId>& doubts() const { return doubts_; }

  /// A rule, to be run from the rows of one atom.
  struct Run {
    DerivedRule rule;
    std::size_t atom;     // position among its clauses
    RelationId relation;  // of the atom
  };
  std::deque<Run>& below() { return below_; }
  std::deque<Run>& within() { return within_; }
  std::deque<Run>& again() { return again_; }
  /// The plan of a run, by the present sizes of relations: the others of its atoms follow as they
  /// have known columns, those of small relations first.
  const Plan& PlanFor(Run& run, const Analysis& analysis, const Store& store) const;

  /// The rule of the program that one of these was made of; null if it was made of none.
  const Definition* WrittenAs(const Definition* made) const;
  const std::deque<Definition>& definitions() const { return definitions_; }

 private:
  void Add(std::deque<Run>& to, const Definition& def, std::vector<const Clause*> clauses,
           std::size_t atom);

  std::map<RelationId, RelationId> doubts_;
  std::deque<Definition> definitions_;  // of below and within
  std::map<const Definition*, const Definition*> written_as_;
  std::deque<Clause> atoms_;  // of rows in doubt
  std::deque<Run> below_, within_, again_;
};

}  // namespace rpl

#endif  // RPL_INTERP_PLAN_WITHDRAWAL_H_
