// SPDX-License-Identifier: Apache-2.0
//
// Distinct rows of words, flat, numbered from 0 in the order in which they were added.
//
// What relations keep their rows in, and what groups and sets of answers are counted with:
// adding a row allocates nothing but room in arrays that grow by doubling. Pointers to rows
// are valid until the next row is added.
#ifndef RPL_INTERP_ROW_SET_H_
#define RPL_INTERP_ROW_SET_H_

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
  /// been prefetched. Returns how many were new.
  std::size_t InsertEach(const Value* rows, const std::uint64_t* hashes, std::size_t count);
  void Prefetch(std::uint64_t hash) const { table_.Prefetch(hash); }
  RowId Find(std::span<const Value> row) const {
    return table_.Find(HashOf(row), [&](RowId o) { return Same(row.data(), Row(o)); });
  }

  std::size_t bytes() const { return cells_.bytes() + table_.bytes(); }
  /// The bytes that adding `more` rows would take at once: cells grow in place.
  std::size_t GrowthFor(std::size_t more) const { return table_.GrowthFor(more); }

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

// Two passes: the first asks for the rows that the new ones will be compared with.
inline std::size_t RowSet::InsertEach(const Value* rows, const std::uint64_t* hashes,
                                      std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    if (const RowId known = table_.Candidate(hashes[i]); known != kNoId)
      __builtin_prefetch(Row(known));
  const RowId before = size_;
  for (std::size_t i = 0; i < count; ++i) Insert(rows + i * arity_, hashes[i]);
  return size_ - before;
}

}  // namespace rpl

#endif  // RPL_INTERP_ROW_SET_H_
