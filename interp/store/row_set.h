// SPDX-License-Identifier: Apache-2.0
//
// RowSet: distinct rows of words, flat, numbered from 0 in order of insertion.
//
// The storage of relations, and of groups and answers that are counted. Adding a row allocates
// nothing but room in arrays that grow by doubling. Pointers to rows are valid until the next
// row is added.
#ifndef RPL_INTERP_STORE_ROW_SET_H_
#define RPL_INTERP_STORE_ROW_SET_H_

#include <algorithm>
#include <cstdint>
#include <span>

#include "interp/store/pages.h"
#include "interp/store/row_batch.h"
#include "interp/store/row_table.h"
#include "interp/store/value.h"

namespace rpl {

class RowSet {
 public:
  explicit RowSet(std::size_t arity) : arity_(static_cast<std::uint32_t>(arity)) {}

  std::uint32_t arity() const { return arity_; }
  RowId size() const { return size_; }
  const Value* Row(RowId row) const { return cells_.data() + std::size_t{row} * arity_; }
  std::span<const Value> Cells(RowId row) const { return {Row(row), arity_}; }

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
    const RowId id = table_.FindOrInsert(hash, size_, [&](RowId o) { return Same(row, Row(o)); });
    if (id != size_) return {id, false};
    cells_.Extend(arity_);
    Write(size_, row);
    return {size_++, true};
  }
  /// Adds the rows not present, in order, and stops after `most` new ones; returns how many were
  /// new. Faster if their hashes were prefetched.
  std::size_t InsertEach(const WaitingRows& rows, std::size_t most);
  /// Makes the table large enough for the next `count` rows, with `workers` unless null.
  void Reserve(std::size_t count, ThreadPool* workers = nullptr) {
    const auto hash_of = [this](RowId row) { return HashOf(Cells(row)); };
    table_.Reserve(size_, size_ + count, hash_of, workers);
  }
  void Prefetch(std::uint64_t hash) const { table_.Prefetch(hash); }
  RowId Find(std::span<const Value> row) const {
    return table_.Find(HashOf(row), [&](RowId o) { return Same(row.data(), Row(o)); });
  }

  bool Has(const Value* row, std::uint64_t hash) const {
    return table_.Find(hash, [&](RowId o) { return Same(row, Row(o)); }) != kNoId;
  }

  /// The part of the table for rows of this hash (interp/store/row_table.h).
  static std::size_t PartOf(std::uint64_t hash) { return RowTable::PartOf(hash); }
  /// The bytes that the table would allocate at once for `more` rows; memory for cells is taken
  /// page by page.
  std::size_t GrowthFor(std::size_t more) const { return table_.GrowthFor(size_ + more); }
  std::size_t bytes() const { return cells_.bytes() + table_.bytes(); }

 private:
  friend class Insertion;  // adds rows by several threads

  void Write(RowId id, const Value* row) {
    Value* to = cells_.data() + std::size_t{id} * arity_;
    for (std::uint32_t i = 0; i < arity_; ++i) to[i] = row[i];
  }
  bool Same(const Value* a, const Value* b) const {
    for (std::uint32_t i = 0; i < arity_; ++i)
      if (a[i] != b[i]) return false;
    return true;
  }

  std::uint32_t arity_;
  RowId size_ = 0;
  PageArray<Value> cells_;
  std::size_t touched_ = 0;  // huge pages of the cells, from the first, that an Insertion touched
  RowTable table_;
};

// In blocks of two passes: the first prefetches the rows to compare with. Whether a row is new is
// unpredictable, so no branch depends on it: each row is written after the last one, and a new row
// is compared with itself.
inline std::size_t RowSet::InsertEach(const WaitingRows& rows, std::size_t most) {
  constexpr std::size_t kBlock = 64;
  std::size_t slots[kBlock];
  const RowId before = size_;
  for (std::size_t begin = 0; begin < rows.size(); begin += kBlock) {
    const std::size_t end = std::min(rows.size(), begin + kBlock);
    Reserve(end - begin);
    cells_.Extend((end - begin + 1) * arity_);
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint64_t hash = WaitingRows::HashOf(rows.Row(i));
      slots[i - begin] = table_.Seek(hash, table_.Home(hash));
      const RowId known = table_.IdAt(slots[i - begin]);
      rpl::Prefetch(Row(known == kNoId ? size_ : known));
    }
    for (std::size_t i = begin; i < end && size_ - before < most; ++i) {
      const Value* const row = rows.Row(i);
      const std::uint64_t hash = WaitingRows::HashOf(row);
      Write(size_, row);
      const std::size_t slot = table_.Seek(hash, slots[i - begin]);
      const RowId known = table_.IdAt(slot);
      const RowId is_new = known == kNoId ? 1 : 0;
      const RowId id = is_new == 1 ? size_ : known;
      if (Same(row, Row(id))) {
        table_.Put(slot, hash, id);
        size_ += is_new;
      } else {  // two rows with the same tag
        const auto same = [&](RowId other) { return Same(row, Row(other)); };
        if (table_.FindOrInsert(hash, size_, same) == size_) ++size_;
      }
    }
    cells_.Shrink(std::size_t{size_} * arity_);
  }
  return size_ - before;
}

}  // namespace rpl

#endif  // RPL_INTERP_STORE_ROW_SET_H_
