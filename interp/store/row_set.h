// SPDX-License-Identifier: Apache-2.0
//
// RowSet: distinct rows of words, flat, numbered from 0 in order of insertion.
//
// The storage of relations, and of groups and answers that are counted. Adding a row allocates
// nothing but room in arrays that grow by doubling. Cells have 32 bits until a value comes that
// needs 64; then all of them do. Views of rows are valid until the next row is added.
#ifndef RPL_INTERP_STORE_ROW_SET_H_
#define RPL_INTERP_STORE_ROW_SET_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "interp/store/gaps.h"
#include "interp/store/pages.h"
#include "interp/store/row_batch.h"
#include "interp/store/row_bits.h"
#include "interp/store/row_table.h"
#include "interp/store/row_view.h"
#include "interp/store/value.h"

namespace rpl {

class RowSet {
 public:
  explicit RowSet(std::size_t arity) : arity_(static_cast<std::uint32_t>(arity)), stride_(arity_) {}

  std::uint32_t arity() const { return arity_; }
  RowId size() const { return size_; }
  RowView Row(RowId row) const {
    return {words_.data() + std::size_t{row} * stride_, arity_, narrow()};
  }
  /// The row's cells, copied.
  std::vector<Value> Cells(RowId row) const { return Row(row).Copy(); }

  static std::uint64_t HashOf(std::span<const Value> row) {
    std::uint64_t hash = 0;
    for (const Value v : row) hash = MixHash(hash, v.bits());
    return hash;
  }

  struct Inserted {
    RowId row;
    bool is_new;
  };
  /// Adds a row unless present. Only the upper half of the hash matters.
  Inserted Insert(std::span<const Value> row) { return Insert(row.data(), HashOf(row)); }
  Inserted Insert(const Value* row, std::uint64_t hash) {
    Reserve(1);
    const RowId id = table_.FindOrInsert(hash, size_, [&](RowId o) { return Row(o).Equals(row); });
    if (id != size_) return {id, false};
    if (narrow() && Excess(row) != 0) Widen();
    words_.Extend(stride_);
    Write(size_, row);
    return {size_++, true};
  }
  /// Adds the rows not present, in order, and stops after `most` new ones; returns how many were
  /// new. Faster if their hashes were prefetched.
  std::size_t InsertEach(const WaitingRows& rows, std::size_t most);
  /// Makes the table large enough for the next `count` rows, with `workers` unless null.
  void Reserve(std::size_t count, ThreadPool* workers = nullptr) {
    const auto hash_of = [this](RowId row) { return HashAt(row); };
    table_.Reserve(size_, size_ + count, hash_of, workers);
  }
  void Prefetch(std::uint64_t hash) const { table_.Prefetch(hash); }
  RowId Find(std::span<const Value> row) const {
    return table_.Find(HashOf(row), [&](RowId o) { return Row(o).Equals(row.data()); });
  }

  /// The first of the rows [begin, end) with this value in the column; `end` if there is none.
  RowId FindNext(std::size_t column, Value value, RowId begin, RowId end) const {
    if (!narrow()) {
      while (begin < end && Row(begin)[column] != value) ++begin;
      return begin;
    }
    if (Narrow(value) != value) return end;
    const auto word = static_cast<std::uint32_t>(value.bits());
    const std::uint32_t* at = words_.data() + std::size_t{begin} * stride_ + column;
    for (; begin < end && *at != word; at += stride_) ++begin;
    return begin;
  }

  bool Has(const Value* row, std::uint64_t hash) const {
    return table_.Find(hash, [&](RowId o) { return Row(o).Equals(row); }) != kNoId;
  }

  /// Takes these rows out; those behind them move down. O(gone), and for each row behind the first
  /// of them the copy of its cells and the change of an id.
  void Remove(const Gaps& gaps) {
    const auto hash_of = [this](RowId row) { return HashAt(row); };
    for (const RowId row : gaps.rows()) {
      if (!bits_.empty()) bits_.Clear(Row(row));
      table_.Erase(HashAt(row), row, hash_of);
    }
    if (!bits_.empty()) bits_.Forget(gaps.rows());
    const auto gone = static_cast<RowId>(gaps.rows().size());
    if (gaps.first() + gone < size_) {
      table_.Renumber([&](RowId row) { return gaps.Before(row); });
      std::uint32_t* to = words_.data() + std::size_t{gaps.first()} * stride_;
      gaps.ForEachRange(size_, [&](RowId begin, RowId end) {
        // In short pieces: memmove of much that overlaps closely is slow.
        constexpr std::size_t kPiece = 1'024;
        const std::uint32_t* from = words_.data() + std::size_t{begin} * stride_;
        for (std::size_t left = std::size_t{end - begin} * stride_; left > 0;) {
          const std::size_t count = std::min(left, kPiece);
          std::memmove(to, from, count * sizeof(std::uint32_t));
          to += count;
          from += count;
          left -= count;
        }
      });
    }
    size_ -= gone;
    words_.Shrink(std::size_t{size_} * stride_);
  }

  /// Bits that tell of a row that it is there, where TellFound had reason to make them.
  const RowBits& bits() const { return bits_; }
  /// See RowBits; for the column that comes last, the bits are strips as they are.
  void OpenStrips(std::size_t column) {
    if (column + 1 == arity_) return;
    bits_.OpenStrips(column, [this](RowId row) { return Row(row); });
  }
  /// To be told how many rows were found to be inserted, and how many of them were new. Once more
  /// were there than the set has, and most still are, bits are made, the sparser the more were;
  /// those that there are, are extended.
  void TellFound(std::size_t found, std::size_t added) {
    constexpr std::size_t kEnough = std::size_t{1} << 14;
    constexpr std::size_t kManyAgain = 3;
    found_ += found;
    added_ += added;
    again_ += found - added;
    const bool enough = found_ >= kEnough;
    const bool makes = enough && found_ > kManyAgain * added_ && again_ > size_;
    if (!bits_.empty() || makes) {
      const std::size_t most_each = std::clamp<std::size_t>(found_ / (added_ + 1), 8, 64);
      bits_.Extend(size_, arity_, most_each, [this](RowId row) { return Row(row); });
    }
    if (enough) found_ = added_ = 0;
  }

  /// The part of the table for rows of this hash (interp/store/row_table.h).
  static std::size_t PartOf(std::uint64_t hash) { return RowTable::PartOf(hash); }
  /// The bytes that the table would allocate at once for `more` rows; memory for cells is taken
  /// page by page.
  std::size_t GrowthFor(std::size_t more) const { return table_.GrowthFor(size_ + more); }
  std::size_t bytes() const { return words_.bytes() + table_.bytes() + bits_.bytes(); }

 private:
  friend class Insertion;  // adds rows by several threads

  bool narrow() const { return stride_ == arity_; }
  std::uint64_t HashAt(RowId row) const {
    const RowView cells = Row(row);
    std::uint64_t hash = 0;
    for (std::uint32_t i = 0; i < arity_; ++i) hash = MixHash(hash, cells[i].bits());
    return hash;
  }
  /// Not 0 if a value of the row needs 64 bits.
  std::uint64_t Excess(const Value* row) const {
    std::uint64_t excess = 0;
    for (std::uint32_t i = 0; i < arity_; ++i) excess |= row[i].bits() ^ Narrow(row[i]).bits();
    return excess;
  }
  template <bool kNarrow>
  void Write(std::uint32_t* to, const Value* row) const {
    for (std::uint32_t i = 0; i < arity_; ++i)
      if (kNarrow) to[i] = static_cast<std::uint32_t>(row[i].bits());
      else std::memcpy(to + 2 * std::size_t{i}, row + i, sizeof(Value));
  }
  void Write(RowId id, const Value* row) {
    std::uint32_t* const to = words_.data() + std::size_t{id} * stride_;
    if (narrow()) Write<true>(to, row);
    else Write<false>(to, row);
  }
  template <bool kNarrow>
  void InsertBlock(const WaitingRows& rows, std::size_t begin, std::size_t end,
                   const std::size_t* slots, std::size_t most);
  void Widen();

  std::uint32_t arity_;
  std::uint32_t stride_;  // words of a row
  RowId size_ = 0;
  PageArray<std::uint32_t> words_;
  std::size_t touched_ = 0;  // huge pages of the words, from the first, that an Insertion touched
  RowTable table_;
  RowBits bits_;
  std::size_t found_ = 0, added_ = 0;  // since TellFound last judged
  std::size_t again_ = 0;              // rows found that were there
};

// In blocks of two passes: the first prefetches the rows to compare with. Whether a row is new is
// unpredictable, so no branch depends on it: each row is written after the last one, and a new row
// is compared with itself.
inline std::size_t RowSet::InsertEach(const WaitingRows& rows, std::size_t most) {
  constexpr std::size_t kBlock = 64;
  std::size_t slots[kBlock];
  const RowId before = size_;
  for (std::size_t begin = 0; begin < rows.size() && size_ - before < most; begin += kBlock) {
    const std::size_t end = std::min(rows.size(), begin + kBlock);
    Reserve(end - begin);
    std::uint64_t wide = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const Value* const row = rows.Row(i);
      const std::uint64_t hash = WaitingRows::HashOf(row);
      slots[i - begin] = table_.Seek(hash, table_.Home(hash));
      const RowId known = table_.IdAt(slots[i - begin]);
      rpl::Prefetch(words_.data() + std::size_t{known == kNoId ? size_ : known} * stride_);
      wide |= Excess(row);
    }
    if (narrow() && wide != 0) Widen();
    words_.Extend((end - begin + 1) * stride_);
    const std::size_t left = most - (size_ - before);
    if (narrow()) InsertBlock<true>(rows, begin, end, slots, left);
    else InsertBlock<false>(rows, begin, end, slots, left);
    words_.Shrink(std::size_t{size_} * stride_);
  }
  return size_ - before;
}

// The rows [begin, end), whose searches have reached `slots`.
template <bool kNarrow>
void RowSet::InsertBlock(const WaitingRows& rows, std::size_t begin, std::size_t end,
                         const std::size_t* slots, std::size_t most) {
  const std::size_t stride = kNarrow ? arity_ : 2 * arity_;
  std::uint32_t* const words = words_.data();
  const RowId last = most < kNoId - size_ ? size_ + static_cast<RowId>(most) : kNoId;
  RowId size = size_;
  for (std::size_t i = begin; i < end && size < last; ++i) {
    const Value* const row = rows.Row(i);
    const std::uint64_t hash = WaitingRows::HashOf(row);
    std::uint32_t* const written = words + size * stride;
    Write<kNarrow>(written, row);
    const std::size_t slot = table_.Seek(hash, *slots++);
    const RowId known = table_.IdAt(slot);
    const RowId is_new = known == kNoId ? 1 : 0;
    const RowId id = is_new == 1 ? size : known;
    const std::uint32_t* const there = words + id * stride;
    std::uint32_t differ = 0;
    for (std::size_t w = 0; w < stride; ++w) differ |= written[w] ^ there[w];
    if (differ == 0) {
      table_.Put(slot, hash, id);
      size += is_new;
    } else {  // two rows with the same tag
      const auto same = [&](RowId other) { return Row(other).Equals(row); };
      if (table_.FindOrInsert(hash, size, same) == size) ++size;
    }
  }
  size_ = size;
}

// From the last row to the first, so that no word is overwritten before it was read.
inline void RowSet::Widen() {
  const std::size_t count = std::size_t{size_} * arity_;
  words_.Shrink(count);
  words_.Extend(count);
  for (std::size_t i = count; i-- > 0;) {
    const auto word = static_cast<std::int32_t>(words_[i]);
    const auto wide = static_cast<std::uint64_t>(std::int64_t{word});
    std::memcpy(&words_[2 * i], &wide, sizeof wide);
  }
  stride_ = 2 * arity_;
}

}  // namespace rpl

#endif  // RPL_INTERP_STORE_ROW_SET_H_
