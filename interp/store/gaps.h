// SPDX-License-Identifier: Apache-2.0
//
// The gaps that rows leave which are taken out of their relation: the rows behind a gap move down,
// so that the others keep their order.
#ifndef RPL_INTERP_STORE_GAPS_H_
#define RPL_INTERP_STORE_GAPS_H_

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "interp/store/row_table.h"

namespace rpl {

class Gaps {
 public:
  /// `gone`: ids below `size`, ascending, each once; not empty. Borrows them. O(gone + size / 256).
  Gaps(std::span<const RowId> gone, RowId size) : gone_(gone), before_(size / kBlock + 2) {
    std::size_t next = 0;
    for (std::size_t block = 0; block < before_.size(); ++block) {
      before_[block] = static_cast<RowId>(next) << 1;
      const std::size_t begin = next;
      while (next < gone.size() && gone[next] < (block + 1) * kBlock) ++next;
      before_[block] |= next > begin ? 1 : 0;
    }
  }

  std::span<const RowId> rows() const { return gone_; }
  RowId first() const { return gone_.front(); }
  /// How many of the rows before this one are gone. Most are in blocks without a gap.
  RowId Before(RowId row) const {
    const RowId before = before_[row / kBlock];
    if ((before & 1) == 0) [[likely]]
      return before >> 1;
    const auto from = gone_.begin() + (before >> 1);
    const auto to = gone_.begin() + (before_[row / kBlock + 1] >> 1);
    return static_cast<RowId>(std::lower_bound(from, to, row) - gone_.begin());
  }
  bool Has(RowId row) const {
    const RowId at = Before(row);
    return at < gone_.size() && gone_[at] == row;
  }
  /// The id that a row has from now on; of one that is gone, that of the next that stays.
  RowId Moved(RowId row) const { return row - Before(row); }
  /// Calls fn(begin, end) for the rows that stay, from the first gap up to `size`, in ranges.
  template <typename Fn>
  void ForEachRange(RowId size, Fn&& fn) const {
    for (std::size_t i = 0; i < gone_.size() && gone_[i] < size; ++i) {
      const RowId begin = gone_[i] + 1;
      const RowId end = i + 1 < gone_.size() ? std::min(gone_[i + 1], size) : size;
      if (begin < end) fn(begin, end);
    }
  }

 private:
  static constexpr RowId kBlock = 1 << 8;

  std::span<const RowId> gone_;
  /// By block: how many are gone before it; the lowest bit tells whether some of its own are.
  std::vector<RowId> before_;
};

}  // namespace rpl

#endif  // RPL_INTERP_STORE_GAPS_H_
