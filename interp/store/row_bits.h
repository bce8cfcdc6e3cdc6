// SPDX-License-Identifier: Apache-2.0
//
// RowBits: a bit for each row that a dense RowSet could have (interp/store/row_grid.h), set for
// those that it has.
//
// A fixpoint over dense relations finds most rows many times; a bit tells that a row is there for a
// small part of what a search of the table costs. Rows beyond the ranges have no bit, and rows that
// were added since the last Extend have none yet: no bit means "not known".
#ifndef RPL_INTERP_STORE_ROW_BITS_H_
#define RPL_INTERP_STORE_ROW_BITS_H_

#include <algorithm>
#include <cstdint>

#include "interp/store/pages.h"
#include "interp/store/row_grid.h"
#include "interp/store/row_table.h"

namespace rpl {

class RowBits {
 public:
  bool empty() const { return words_.empty(); }
  std::size_t bytes() const { return words_.bytes(); }
  /// Whether the row with the cells cell(0), cell(1), … has a bit.
  template <typename Cell>
  bool Has(Cell&& cell) const {
    return HasAt(grid_.PlaceOf(cell));
  }
  /// Whether a row on a line has a bit. REQUIRES: no Extend since the grid gave the line.
  bool Has(const RowGrid::Line& line, Value cell) const { return HasAt(line.PlaceOf(cell)); }
  const RowGrid& grid() const { return grid_; }

  /// Sets the bits of the rows before `size`, row(0), row(1), …, of which earlier calls had the
  /// first. If that takes more than `most_each` bits for a row, or the values of a column are of
  /// several kinds, there are no bits. O(new rows), amortised.
  template <typename Row>
  void Extend(RowId size, std::size_t arity, std::uint64_t most_each, Row&& row) {
    const std::uint64_t most = std::max(kAlways, most_each * size);
    // Ranges that grow little by little are chosen anew for half as many rows more.
    if (empty() ? size >= due_ || needed_ <= most : beyond_ && size >= due_) {
      if (empty())
        for (std::size_t i = 0; i < size; i += size / kSampled + 1)
          grid_.Meet(row(static_cast<RowId>(i)), arity);
      Choose(size, most);
    }
    if (empty()) return;
    for (; extended_ < size; ++extended_)
      if (!Mark(row(extended_))) {
        grid_.Meet(row(extended_), arity);
        beyond_ = true;
      }
  }

 private:
  static constexpr std::uint64_t kAlways = std::uint64_t{1} << 19;  // bits for however few rows
  static constexpr std::size_t kSampled = 4096;                     // rows for the first ranges

  bool HasAt(std::uint64_t at) const {
    return at != RowGrid::kNowhere && (words_[at / 64] >> at % 64 & 1) != 0;
  }

  void Choose(RowId size, std::uint64_t most) {
    words_.Clear();
    needed_ = grid_.Needed();
    if (grid_.Choose(most)) words_.Resize(grid_.places() / 64 + 1);
    due_ = size + size / 2;
    extended_ = 0;
    beyond_ = false;
  }
  template <typename Row>
  bool Mark(const Row& cells) {
    const std::uint64_t at = grid_.PlaceOf([&](std::size_t i) { return cells[i]; });
    if (at == RowGrid::kNowhere) return false;
    words_[at / 64] |= std::uint64_t{1} << at % 64;
    return true;
  }

  PageArray<std::uint64_t> words_;
  RowGrid grid_;
  std::uint64_t needed_ = 0;  // bits, when ranges were chosen last
  RowId due_ = 0;             // the rows at which ranges are chosen next, if need be
  RowId extended_ = 0;        // rows that have a bit or no place
  bool beyond_ = false;       // some of them have no place
};

}  // namespace rpl

#endif  // RPL_INTERP_STORE_ROW_BITS_H_
