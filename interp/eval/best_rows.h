// SPDX-License-Identifier: Apache-2.0
//
// The best rows of a relation with `std#least` or `std#greatest` in its heads: one for each group,
// that is, for the arguments besides the extremum.
//
// While its stratum is derived, the relation keeps each row that was the best one when it came.
// Rows that a better one followed are *beaten*; rules need not read them, since the rows that they
// give are beaten too (interp/plan/extrema.h). The fixpoint drops them when the stratum is quiet. A
// stated row stays, whatever beats it, and its value counts.
#ifndef RPL_INTERP_EVAL_BEST_ROWS_H_
#define RPL_INTERP_EVAL_BEST_ROWS_H_

#include <span>
#include <vector>

#include "interp/program/clause.h"
#include "interp/store/store.h"

namespace rpl {

class BestRows {
 public:
  /// Borrows both.
  BestRows(const Relation& relation, Extremum extremum, const Pool& pool);

  const Extremum& extremum() const { return extremum_; }

  /// Whether values of this kind have an order.
  static bool HasOrder(Value value);
  /// Whether `a` is better than `b`. REQUIRES: both have an order.
  static bool IsBetter(const Pool& pool, const Extremum& extremum, Value a, Value b);

  /// Takes in the rows that joined the relation since; all of them after a Relation::Rebuild.
  void Sync();

  /// Whether the row is better than those of its group. REQUIRES: its value has an order; synced.
  bool IsBetter(std::span<const Value> row);

  /// Rows that a better one followed, except those without an order.
  bool IsBeaten(RowId row) const { return row < beaten_.size() && beaten_[row]; }
  bool HasBeaten() const { return !beaten_.empty(); }
  /// Forgets which rows are beaten.
  void Settle() { beaten_.clear(); }

 private:
  std::span<const Value> GroupOf(std::span<const Value> row);
  void Take(RowId row);

  const Relation& relation_;
  Extremum extremum_;
  const Pool& pool_;
  RowSet groups_;
  std::vector<RowId> best_;   // by group
  std::vector<bool> beaten_;  // by row; those beyond its size are not
  std::vector<Value> group_;  // of the row in question
  std::vector<Value> cells_;  // of the row that is taken
  RowId taken_ = 0;
  std::uint32_t epoch_ = 0;
};

}  // namespace rpl

#endif  // RPL_INTERP_EVAL_BEST_ROWS_H_
