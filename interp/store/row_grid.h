// SPDX-License-Identifier: Apache-2.0
//
// RowGrid: a place for each row that could be, given the ranges of the columns.
//
// Where the values of a column lie close together, as numbered things do and the nodes of one load,
// a row is a number in mixed radix, with a digit for each column:
//
//   columns   7 .. 9, 20 .. 29        3 · 10 places
//   row       (8, 24)                 place 1 · 10 + 4
//
// So an array can hold a flag or a number for each row of a dense relation. It is smaller than a
// hash table, and reading it takes no search.
#ifndef RPL_INTERP_STORE_ROW_GRID_H_
#define RPL_INTERP_STORE_ROW_GRID_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "interp/store/value.h"

namespace rpl {

class RowGrid {
  struct Column {
    Value least;
    std::uint64_t count = 0;  // of the values from `least` on, of its kind
    /// Another kind, or a value less than `least`, gives a large number.
    std::uint64_t DigitOf(Value v) const { return std::rotr(v.bits() - least.bits(), kKindBits); }
  };

 public:
  static constexpr std::uint64_t kNowhere = UINT64_MAX;
  static constexpr int kKindBits = 4;  // of a word (value.h)

  /// 0 until ranges are chosen.
  std::uint64_t places() const { return places_; }
  /// The place of the row with the cells cell(0), cell(1), …, or kNowhere.
  template <typename Cell>
  std::uint64_t PlaceOf(Cell&& cell) const {
    std::uint64_t at = 0;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::uint64_t digit = columns_[i].DigitOf(cell(i));
      if (digit >= columns_[i].count) return kNowhere;
      at = at * columns_[i].count + digit;
    }
    return places_ == 0 ? kNowhere : at;
  }

  /// The places of the rows that differ in one column only.
  class Line {
   public:
    /// The place of the row with this cell there, or kNowhere.
    std::uint64_t PlaceOf(Value cell) const {
      const std::uint64_t digit = column_.DigitOf(cell);
      return digit < column_.count ? first_ + digit * step_ : kNowhere;
    }

   private:
    friend class RowGrid;
    Column column_;
    std::uint64_t first_ = 0, step_ = 0;
  };
  /// The line along a column from the row with the cells cell(0), …; that column's is not asked
  /// for.
  template <typename Cell>
  Line Along(std::size_t column, Cell&& cell) const {
    Line out;
    std::uint64_t step = 1;
    for (std::size_t i = columns_.size(); i-- > 0; step *= columns_[i].count) {
      if (i == column) {
        out.step_ = step;
        continue;
      }
      const std::uint64_t digit = columns_[i].DigitOf(cell(i));
      if (digit >= columns_[i].count) return {};
      out.first_ += digit * step;
    }
    if (places_ > 0) out.column_ = columns_[column];
    return out;
  }

  /// The values of a column that have places: `count` of them from `least` on.
  Value least(std::size_t column) const { return columns_[column].least; }
  std::uint64_t count(std::size_t column) const { return columns_[column].count; }
  /// The position of a value in the column; a large number if it has none.
  std::uint64_t DigitOf(std::size_t column, Value v) const { return columns_[column].DigitOf(v); }
  /// The place of the row on a line through the row with the cells cell(0), … whose cell in the
  /// column is the least one, if the column came last: then the places of a line are consecutive.
  /// kNowhere if the line has no places. That column's cell is not asked for.
  template <typename Cell>
  std::uint64_t FirstAlong(std::size_t column, Cell&& cell) const {
    std::uint64_t at = 0;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (i == column) continue;
      const std::uint64_t digit = columns_[i].DigitOf(cell(i));
      if (digit >= columns_[i].count) return kNowhere;
      at = at * columns_[i].count + digit;
    }
    return places_ == 0 ? kNowhere : at * columns_[column].count;
  }

  /// Takes a row into account when ranges are chosen, its cells indexed from 0. A row that has a
  /// place need not be met.
  template <typename Row>
  void Meet(const Row& cells, std::size_t arity) {
    if (met_.empty())
      for (std::size_t i = 0; i < arity; ++i) met_.push_back({cells[i], cells[i]});
    for (std::size_t i = 0; i < arity; ++i) met_[i].Add(cells[i]);
  }
  /// The places that the rows met need; kNowhere if those are too many to count, none was met, or a
  /// column has values of several kinds.
  std::uint64_t Needed() const {
    std::uint64_t places = met_.empty() ? kNowhere : 1;
    for (const Met& met : met_) {
      const std::uint64_t last = Column{met.least, 0}.DigitOf(met.greatest);
      if (met.mixed || last >= kNowhere / places) return kNowhere;
      places *= last + 1;
    }
    return places;
  }
  /// Chooses ranges such that all rows met have a place. False, and there are no places, if they
  /// need more than `most`.
  bool Choose(std::uint64_t most) {
    const std::uint64_t needed = Needed();
    places_ = needed > most ? 0 : needed;
    columns_.clear();
    for (const Met& met : met_)
      columns_.push_back({met.least, Column{met.least, 0}.DigitOf(met.greatest) + 1});
    return places_ > 0;
  }

 private:
  /// The values of a column of the rows met.
  struct Met {
    Value least, greatest;
    bool mixed = false;  // of several kinds

    static std::int64_t Payload(Value v) {
      return static_cast<std::int64_t>(v.bits()) >> kKindBits;
    }
    void Add(Value v) {
      mixed |= v.kind() != least.kind();
      if (Payload(v) < Payload(least)) least = v;
      if (Payload(v) > Payload(greatest)) greatest = v;
    }
  };

  std::vector<Column> columns_;
  std::uint64_t places_ = 0;
  std::vector<Met> met_;
};

}  // namespace rpl

#endif  // RPL_INTERP_STORE_ROW_GRID_H_
