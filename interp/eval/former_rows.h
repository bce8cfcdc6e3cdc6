// SPDX-License-Identifier: Apache-2.0
//
// The rows that relations have before they are derived again. If the new rows are the same, the
// strata that read them are not derived again.
//
// Few rows alone are kept, as each costs a copy and a comparison.
#ifndef RPL_INTERP_EVAL_FORMER_ROWS_H_
#define RPL_INTERP_EVAL_FORMER_ROWS_H_

#include <cstdint>
#include <vector>

#include "interp/store/store.h"

namespace rpl {

class FormerRows {
 public:
  /// Keeps nothing.
  FormerRows() = default;
  /// Keeps the rows of the relations, unless they are many.
  FormerRows(const std::vector<RelationId>& relations, const Store& store) {
    constexpr std::size_t kMost = std::size_t{1} << 16;
    std::size_t rows = 0;
    for (const RelationId r : relations) rows += store.at(r).size();
    if (rows > kMost) return;
    for (const RelationId r : relations) {
      const Relation& rel = store.at(r);
      kept_.push_back({r, rel.epoch(), rel.size(), {}});
      for (RowId row = 0; row < rel.size(); ++row) {
        const RowCells cells = rel.CellsOf(row);
        for (std::uint32_t i = 0; i < rel.arity(); ++i) kept_.back().cells.push_back(cells[i]);
      }
    }
  }

  /// Calls `fn(relation, epoch)` with the former epoch of each relation that was derived again and
  /// has the same rows, in the same order.
  template <typename Fn>
  void ForEachAgain(const Store& store, Fn&& fn) const {
    for (const Kept& then : kept_) {
      const Relation& rel = store.at(then.relation);
      bool same = rel.epoch() != then.epoch && rel.size() == then.size;
      for (RowId row = 0; row < rel.size() && same; ++row)
        same = RowView(rel.CellsOf(row)).Equals(then.cells.data() + std::size_t{row} * rel.arity());
      if (same) fn(then.relation, then.epoch);
    }
  }

 private:
  struct Kept {
    RelationId relation;
    std::uint32_t epoch;
    RowId size;
    std::vector<Value> cells;  // row by row
  };
  std::vector<Kept> kept_;
};

}  // namespace rpl

#endif  // RPL_INTERP_EVAL_FORMER_ROWS_H_
