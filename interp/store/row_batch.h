// SPDX-License-Identifier: Apache-2.0
//
// Rows that wait to be inserted into a relation.
//
// They stand side by side in one array, each behind a word of its own:
//
//   | hash, number | cell | cell |   | hash, number | cell | cell |   ...
//
// The word has the upper half of the row's hash, which is the one that tables go by
// (interp/store/row_table.h), and the row's number in its batch. Pointers to rows are to their
// first cells, and are valid until the next row is added.
#ifndef RPL_INTERP_STORE_ROW_BATCH_H_
#define RPL_INTERP_STORE_ROW_BATCH_H_

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "interp/store/pages.h"
#include "interp/store/value.h"

namespace rpl {

class WaitingRows {
 public:
  /// Leaves no rows; those that come have so many cells.
  void Clear(std::size_t arity) {
    stride_ = arity + 1;
    Shrink(0);
  }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return words_.bytes(); }
  /// Adds a row, whose cells the caller writes.
  Value* Add(std::uint64_t hash, std::uint32_t number) {
    Value* const word = words_.Extend(stride_);
    *word = Value::FromBits((hash & kUpper) | number);
    ++size_;
    return word + 1;
  }
  const Value* Row(std::size_t i) const { return words_.data() + i * stride_ + 1; }
  static std::uint64_t HashOf(const Value* row) { return row[-1].bits() & kUpper; }
  static std::uint32_t NumberOf(const Value* row) {
    return static_cast<std::uint32_t>(row[-1].bits());
  }
  void Renumber(std::size_t i, std::uint32_t number) {
    Value& word = words_[i * stride_];
    word = Value::FromBits((word.bits() & kUpper) | number);
  }
  /// Row `to` becomes a copy of row `from`.
  void Copy(std::size_t from, std::size_t to) {
    std::copy_n(words_.data() + from * stride_, stride_, words_.data() + to * stride_);
  }
  /// Leaves the first `size` rows.
  void Shrink(std::size_t size) {
    words_.Shrink(size * stride_);
    size_ = size;
  }

 private:
  static constexpr std::uint64_t kUpper = 0xffffffff00000000u;

  PageArray<Value> words_;
  std::size_t stride_ = 1;
  std::size_t size_ = 0;
};

/// Which of numbered things are marked, and how many marked ones are in front of each.
class Ranks {
 public:
  /// For things below `count`, none of which is marked.
  void Reset(std::size_t count) { before_.assign(count, 0); }
  void Mark(std::size_t i) { before_[i] = 1; }
  /// To be called when all are marked, and before Before.
  void Count() { std::exclusive_scan(before_.begin(), before_.end(), before_.begin(), 0u); }
  std::uint32_t Before(std::size_t i) const { return before_[i]; }

 private:
  std::vector<std::uint32_t> before_;
};

/// Rows of one relation, in one part or in several, each of which has its rows in order. A row's
/// number is how many of the batch are in front of it.
struct RowBatch {
  std::vector<WaitingRows> parts;
  std::size_t size = 0;

  explicit RowBatch(std::size_t count = 1) : parts(count) {}
  void Clear(std::size_t arity) {
    for (WaitingRows& part : parts) part.Clear(arity);
    size = 0;
  }
  /// Adds a row, whose cells the caller writes.
  Value* Add(std::size_t part, std::uint64_t hash) {
    return parts[part].Add(hash, static_cast<std::uint32_t>(size++));
  }
  std::size_t bytes() const {
    std::size_t out = 0;
    for (const WaitingRows& part : parts) out += part.bytes();
    return out;
  }
  /// Leaves the rows for which `keep(row)` holds; it is asked part by part.
  template <typename Keep>
  void Filter(Keep&& keep);
  /// Calls fn(row) for each row, in order.
  template <typename Fn>
  void ForEach(Fn&& fn) const;
};

template <typename Keep>
void RowBatch::Filter(Keep&& keep) {
  Ranks ranks;
  ranks.Reset(size);
  size = 0;
  for (WaitingRows& part : parts) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (!keep(part.Row(i))) continue;
      ranks.Mark(WaitingRows::NumberOf(part.Row(i)));
      part.Copy(i, kept++);
    }
    part.Shrink(kept);
    size += kept;
  }
  ranks.Count();
  for (WaitingRows& part : parts)
    for (std::size_t i = 0; i < part.size(); ++i)
      part.Renumber(i, ranks.Before(WaitingRows::NumberOf(part.Row(i))));
}

template <typename Fn>
void RowBatch::ForEach(Fn&& fn) const {
  std::vector<const Value*> rows(size);
  for (const WaitingRows& part : parts)
    for (std::size_t i = 0; i < part.size(); ++i)
      rows[WaitingRows::NumberOf(part.Row(i))] = part.Row(i);
  for (const Value* row : rows) fn(row);
}

}  // namespace rpl

#endif  // RPL_INTERP_STORE_ROW_BATCH_H_
