// SPDX-License-Identifier: Apache-2.0
//
// The parties that stated the rows of a relation.
#ifndef RPL_INTERP_STORE_ROWS_BY_H_
#define RPL_INTERP_STORE_ROWS_BY_H_

#include <unordered_map>
#include <vector>

#include "interp/store/gaps.h"
#include "interp/store/parties.h"
#include "interp/store/row_table.h"

namespace rpl {

/// Of each row, any number of parties. Rows stated one after another by one party take no memory.
class RowsBy {
 public:
  /// 0 for a row that nobody stated.
  Parties At(RowId row) const;
  /// Adds parties to those of a row. True if it did not have all of them.
  bool Add(RowId row, Parties parties) {
    if (row != end_ || runs_.empty() || runs_.back().parties != parties)
      return AddOther(row, parties);
    ++end_;
    return true;
  }

  /// Leaves a row to these parties alone. REQUIRES: it has them.
  void Leave(RowId row, Parties parties) { others_[row] = parties; }
  /// These rows are gone, and those behind them have moved down.
  void Remove(const Gaps& gaps);

 private:
  bool AddOther(RowId row, Parties parties);

  struct Run {
    RowId first;
    Parties parties;
  };
  std::vector<Run> runs_;  // of the rows before end_, ascending
  RowId end_ = 0;
  std::unordered_map<RowId, Parties> others_;  // rows that differ from their run
};

}  // namespace rpl

#endif  // RPL_INTERP_STORE_ROWS_BY_H_
