// SPDX-License-Identifier: Apache-2.0
//
// Distinct rows of words, flat, numbered from 0 in the order in which they were added.
//
// What relations keep their rows in, and what groups and sets of answers are counted with:
// adding a row allocates nothing but room in arrays that grow by doubling. Pointers to rows
// are valid until the next row is added.
#ifndef RPL_INTERP_ROW_SET_H_
#define RPL_INTERP_ROW_SET_H_

#include <algorithm>
#include <cstdint>
#include <span>

#include "interp/id_table.h"
#include "interp/pages.h"
#include "interp/value.h"

namespace rpl {

using RowId = std::uint32_t;

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
  /// Adds a row unless it is there.
  Inserted Insert(std::span<const Value> row) { return Insert(row.data(), HashOf(row)); }
  Inserted Insert(const Value* row, std::uint64_t hash) {
    const RowId id = table_.FindOrInsert(hash, size_, [&](RowId o) { return Same(row, Row(o)); });
    if (id != size_) return {id, false};
    Value* to = cells_.Extend(arity_);
    for (std::uint32_t i = 0; i < arity_; ++i) to[i] = row[i];
    return {size_++, true};
  }
  /// The same for `count` rows that stand side by side; `hashes` are theirs, and should have
  /// been prefetched. Stops when `most` were new; returns how many were.
  std::size_t InsertEach(const Value* rows, const std::uint64_t* hashes, std::size_t count,
                         std::size_t most);
  /// The table will not grow for the next `count` rows; `each` as for IdTable::Reserve.
  template <typename Each>
  void Reserve(std::size_t count, Each&& each) {
    table_.Reserve(count, each);
  }
  void Prefetch(std::uint64_t hash) const { table_.Prefetch(hash); }
  RowId Find(std::span<const Value> row) const {
    return table_.Find(HashOf(row), [&](RowId o) { return Same(row.data(), Row(o)); });
  }

  bool Has(const Value* row, std::uint64_t hash) const {
    return table_.Find(hash, [&](RowId o) { return Same(row, Row(o)); }) != kNoId;
  }

  // Adding by several threads (interp/insertion.h): BeginTogether makes room for `count` rows,
  // which the table must have. Then rows claim slots, as IdTable says, with tickets of their own,
  // numbered from size() on in the order of the rows; `row_of` gives the row of a ticket or id.
  // AddTogether adds as many rows as were new, Write writes each, and Name tells its slot its id.
  void BeginTogether(std::size_t count) { cells_.Extend(count * arity_); }
  /// Has the system give memory for the rows; one thread does, while others claim.
  void TouchRoom() { cells_.Touch(std::size_t{size_} * arity_, cells_.size()); }
  std::size_t slots() const { return table_.slots(); }
  std::size_t PartOf(std::uint64_t hash) const { return table_.PartOf(hash); }
  template <typename RowOf>
  std::size_t Claim(const Value* row, std::uint64_t hash, RowId ticket, std::size_t part,
                    RowOf&& row_of) {
    return table_.Claim(hash, ticket, part, [&](RowId o) { return Same(row, row_of(o)); });
  }
  static constexpr std::size_t kTaken = IdTable::kTaken;
  static constexpr std::size_t kBeyond = IdTable::kBeyond;
  /// Asks for the row that a row with that hash may equal, if it was there before the tickets.
  void PrefetchEqual(std::uint64_t hash, std::size_t part, RowId tickets) const {
    if (const RowId known = table_.CandidateIn(part, hash); known < tickets)
      rpl::Prefetch(Row(known));
  }
  void AddTogether(std::size_t count) {
    table_.Settle(count);
    size_ += static_cast<RowId>(count);
    cells_.Shrink(std::size_t{size_} * arity_);
  }
  void Write(RowId id, const Value* row) {
    Value* to = cells_.data() + std::size_t{id} * arity_;
    for (std::uint32_t i = 0; i < arity_; ++i) to[i] = row[i];
  }
  void Name(std::size_t slot, RowId id) { table_.Replace(slot, id); }
  /// Drops the rows from `size` on. O(rows).
  void Truncate(RowId size);

  /// The bytes that adding `more` rows would take at once; cells take theirs one by one.
  std::size_t GrowthFor(std::size_t more) const { return table_.GrowthFor(more); }
  std::size_t bytes() const { return cells_.bytes() + table_.bytes(); }

 private:
  bool Same(const Value* a, const Value* b) const {
    for (std::uint32_t i = 0; i < arity_; ++i)
      if (a[i] != b[i]) return false;
    return true;
  }

  std::uint32_t arity_;
  RowId size_ = 0;
  PageArray<Value> cells_;
  IdTable table_;
};

inline void RowSet::Truncate(RowId size) {
  RowSet kept(arity_);
  for (RowId row = 0; row < size; ++row) kept.Insert(Cells(row));
  *this = std::move(kept);
}

// Block by block, in two passes: the first asks for the rows that the new ones will be compared
// with. Nobody can foretell whether a row is new, so that decides no branch: the row is written
// behind the others, and compared with itself when it is new.
inline std::size_t RowSet::InsertEach(const Value* rows, const std::uint64_t* hashes,
                                      std::size_t count, std::size_t most) {
  constexpr std::size_t kBlock = 64;
  std::size_t slots[kBlock];
  const RowId before = size_;
  for (; count > 0 && size_ - before < most;) {
    const std::size_t block = std::min(count, kBlock);
    table_.Reserve(block);
    cells_.Extend((block + 1) * arity_);
    for (std::size_t i = 0; i < block; ++i) {
      slots[i] = table_.Seek(hashes[i]);
      const RowId known = table_.IdAt(slots[i]);
      rpl::Prefetch(Row(known == kNoId ? size_ : known));
    }
    for (std::size_t i = 0; i < block && size_ - before < most; ++i, rows += arity_) {
      Write(size_, rows);
      const std::size_t slot = table_.Seek(slots[i], hashes[i]);
      const RowId known = table_.IdAt(slot);
      const RowId is_new = known == kNoId ? 1 : 0;
      const RowId id = is_new == 1 ? size_ : known;
      if (Same(rows, Row(id))) {
        table_.Put(slot, hashes[i], id, is_new);
        size_ += is_new;
      } else {  // two rows have that tag
        const auto same = [&](RowId other) { return Same(rows, Row(other)); };
        if (table_.FindOrInsert(hashes[i], size_, same) == size_) ++size_;
      }
    }
    cells_.Shrink(std::size_t{size_} * arity_);
    hashes += block;
    count -= block;
  }
  return size_ - before;
}

}  // namespace rpl

#endif  // RPL_INTERP_ROW_SET_H_
