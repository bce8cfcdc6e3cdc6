// SPDX-License-Identifier: Apache-2.0
//
// RowBits: a bit for each row that a dense RowSet could have (interp/store/row_grid.h), set for
// those that it has.
//
// A fixpoint over dense relations finds most rows many times; a bit tells that a row is there for a
// small part of what a search of the table costs. Rows beyond the ranges have no bit, and rows that
// were added since the last Extend have none yet: no bit means "not known".
//
// Rows that differ in one column only can be compared 64 at a time: their bits are a strip, which
// is consecutive once OpenStrips was called for the column.
#ifndef RPL_INTERP_STORE_ROW_BITS_H_
#define RPL_INTERP_STORE_ROW_BITS_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "interp/store/pages.h"
#include "interp/store/row_grid.h"
#include "interp/store/row_table.h"

namespace rpl {

class RowBits {
 public:
  bool empty() const { return words_.empty(); }
  std::size_t bytes() const {
    std::size_t out = words_.bytes();
    for (const Strips& strips : strips_) out += strips.words.bytes();
    return out;
  }
  /// Whether the row with the cells cell(0), cell(1), … has a bit.
  template <typename Cell>
  bool Has(Cell&& cell) const {
    return HasAt(grid_.PlaceOf(cell));
  }
  /// Whether a row on a line has a bit. REQUIRES: no Extend since the grid gave the line.
  bool Has(const RowGrid::Line& line, Value cell) const { return HasAt(line.PlaceOf(cell)); }
  const RowGrid& grid() const { return grid_; }

  /// Whether all rows before `size` have a bit.
  bool Cover(RowId size) const { return !empty() && !beyond_ && extended_ >= size; }

  /// The bits along a column. Valid until the next Extend or OpenStrips.
  class Strip {
   public:
    /// 0 if the other cells have no place.
    std::uint64_t count() const { return count_; }
    Value At(std::uint64_t i) const {
      return Value::FromBits(least_.bits() + (i << RowGrid::kKindBits));
    }
    /// The position of the value, which may be beyond the strip. REQUIRES: it is of its kind.
    std::int64_t PositionOf(Value v) const {
      return static_cast<std::int64_t>(v.bits() - least_.bits()) >> RowGrid::kKindBits;
    }
    bool HasKindOf(Value v) const { return v.kind() == least_.kind(); }
    /// The bits of 64 positions from this one on; 0 for those beyond the strip.
    [[gnu::always_inline]] std::uint64_t From(std::int64_t at) const {
      const auto count = static_cast<std::int64_t>(count_);
      if (at >= count || at <= -64) return 0;
      if (at < 0) return From(0) << -at;
      const std::uint64_t place = first_ + static_cast<std::uint64_t>(at);
      const std::uint64_t* const word = words_ + place / 64;
      const unsigned shift = place % 64;
      const std::uint64_t bits = shift == 0 ? *word : *word >> shift | word[1] << (64 - shift);
      return count - at >= 64 ? bits : bits & ((std::uint64_t{1} << (count - at)) - 1);
    }

   private:
    friend class RowBits;
    const std::uint64_t* words_ = nullptr;
    std::uint64_t first_ = 0, count_ = 0;
    Value least_;
  };
  /// From now on, Along may be called for the column. `row` as for Extend. O(rows) at first.
  template <typename Row>
  void OpenStrips(std::size_t column, Row&& row) {
    if (IsOpen(column)) return;
    Strips& strips = strips_.emplace_back(Strips{column, {}});
    if (empty()) return;
    strips.words.Resize(words_.size());
    for (RowId r = 0; r < extended_; ++r) strips.Mark(grid_, row(r));
  }
  /// The strip through the row with the cells cell(0), …; that column's is not asked for.
  /// REQUIRES: not empty, and OpenStrips was called, unless the column is the last.
  template <typename Cell>
  Strip Along(std::size_t column, Cell&& cell) const {
    Strip out;
    const std::uint64_t first = grid_.FirstAlong(column, cell);
    if (first == RowGrid::kNowhere) return out;
    const auto strips = std::ranges::find(strips_, column, &Strips::column);
    out.words_ = (strips == strips_.end() ? words_ : strips->words).data();
    out.first_ = first;
    out.count_ = grid_.count(column);
    out.least_ = grid_.least(column);
    return out;
  }
  bool IsOpen(std::size_t column) const {
    return std::ranges::find(strips_, column, &Strips::column) != strips_.end();
  }

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

  /// Takes away the bit of a row. REQUIRES: Forget follows with it among the gone.
  template <typename Row>
  void Clear(const Row& cells) {
    const std::uint64_t at = grid_.PlaceOf([&](std::size_t i) { return cells[i]; });
    if (empty() || at == RowGrid::kNowhere) return;
    words_[at / 64] &= ~(std::uint64_t{1} << at % 64);
    for (Strips& strips : strips_) strips.Mark(grid_, cells, false);
  }
  /// These rows are gone, and those behind them have moved down.
  void Forget(std::span<const RowId> gone) {
    extended_ -= static_cast<RowId>(std::ranges::lower_bound(gone, extended_) - gone.begin());
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
    // Strip::From reads a word behind the last.
    if (grid_.Choose(most)) words_.Resize(grid_.places() / 64 + 2);
    for (Strips& strips : strips_) {
      strips.words.Clear();
      strips.words.Resize(words_.size());
    }
    due_ = size + size / 2;
    extended_ = 0;
    beyond_ = false;
  }
  template <typename Row>
  bool Mark(const Row& cells) {
    const std::uint64_t at = grid_.PlaceOf([&](std::size_t i) { return cells[i]; });
    if (at == RowGrid::kNowhere) return false;
    words_[at / 64] |= std::uint64_t{1} << at % 64;
    for (Strips& strips : strips_) strips.Mark(grid_, cells);
    return true;
  }

  /// The same bits in another order: rows that differ in this column only are consecutive.
  struct Strips {
    std::size_t column;
    PageArray<std::uint64_t> words;

    /// Rows without a place have no bit here either.
    template <typename Row>
    void Mark(const RowGrid& grid, const Row& cells, bool there = true) {
      const std::uint64_t first = grid.FirstAlong(column, [&](std::size_t i) { return cells[i]; });
      const std::uint64_t digit = grid.DigitOf(column, cells[column]);
      if (first == RowGrid::kNowhere || digit >= grid.count(column)) return;
      const std::uint64_t bit = std::uint64_t{1} << (first + digit) % 64;
      if (there) words[(first + digit) / 64] |= bit;
      else words[(first + digit) / 64] &= ~bit;
    }
  };

  PageArray<std::uint64_t> words_;
  std::vector<Strips> strips_;
  RowGrid grid_;
  std::uint64_t needed_ = 0;  // bits, when ranges were chosen last
  RowId due_ = 0;             // the rows at which ranges are chosen next, if need be
  RowId extended_ = 0;        // rows that have a bit or no place
  bool beyond_ = false;       // some of them have no place
};

}  // namespace rpl

#endif  // RPL_INTERP_STORE_ROW_BITS_H_
