// SPDX-License-Identifier: Apache-2.0
//
// JoinEstimate: how many probes and rows the atoms of a rule take in some order, from the sizes of
// their relations, the number of distinct values in their columns, and what comparisons leave of a
// sample of these.
//
// A slot is known once an atom that has it is read, or an equality gives it a value: `?b2 = ?b` and
// `?k = ?l + 1` run as soon as one side is known. An equality between slots that are known both,
// and any other comparison, leaves a share of the rows.
//
// Samples are always the same rows of a relation, so an estimate is a function of the program and
// the rows alone.
#ifndef RPL_INTERP_PLAN_JOIN_ESTIMATE_H_
#define RPL_INTERP_PLAN_JOIN_ESTIMATE_H_

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "interp/plan/plan.h"
#include "interp/store/relation_id.h"

namespace rpl {

class Relation;
class Store;

class JoinEstimate {
 public:
  /// Borrows clauses and store. `delta`: the position of the atom that reads the last `delta_rows`
  /// rows of its relation, or -1. `bound`, per slot: what is known before; empty: nothing.
  JoinEstimate(const std::vector<const Clause*>& clauses, int delta, RowId delta_rows,
               const Store& store, const std::vector<bool>& bound);

  std::size_t size() const { return atoms_.size(); }
  /// Of an atom among the clauses.
  std::size_t position(std::size_t atom) const { return atoms_[atom].position; }

  /// Slots, as numbered here: those that several clauses mention.
  using Slots = std::vector<bool>;
  /// What is known before any atom is read.
  const Slots& Begin() const { return begin_; }
  /// What is known after another atom.
  void Take(Slots& known, std::size_t atom) const;
  /// The number of rows of the atom that agree with what is known.
  double Matching(const Slots& known, std::size_t atom);
  /// The share of rows that comparisons leave which are known after the atom and were not before.
  double Left(const Slots& known, std::size_t atom);
  /// Whether some column of the atom has a known value, or it reads the delta.
  bool IsConnected(const Slots& known, std::size_t atom) const;

 private:
  struct PlacedAtom {
    std::size_t position;
    const Atom* atom;
    const Relation* relation;
    double rows;
    Columns constants = 0;
    std::vector<int> slots;  // by column: as numbered here, or -1
    std::map<Columns, double> distinct;
  };
  struct Comparison {
    const Compare* compare;
    std::vector<int> left, right;           // slots of the sides, as numbered here
    int gives_left = -1, gives_right = -1;  // the slot that the side is, if the other may give it
    double share = -1;                      // that it leaves; negative: not estimated yet
  };

  void Number(const std::vector<const Clause*>& clauses);
  int NumberOf(SlotId slot) const { return number_[static_cast<std::size_t>(slot)]; }
  Columns KnownColumns(const Slots& known, const PlacedAtom& atom) const;
  void Close(Slots& known) const;
  double DistinctOf(PlacedAtom& atom, Columns columns);
  double ShareOf(const Comparison& comparison);
  double EqualShare(const Comparison& comparison);
  struct Sample {
    const PlacedAtom* atom = nullptr;  // null: one constant
    std::vector<Value> values;
  };
  Sample SampleOf(const Expr& e) const;

  const Store& store_;
  std::vector<PlacedAtom> atoms_;
  std::vector<Comparison> comparisons_;
  std::vector<int> number_;  // by slot of the rule
  std::size_t slots_ = 0;
  Slots begin_;
};

}  // namespace rpl

#endif  // RPL_INTERP_PLAN_JOIN_ESTIMATE_H_
