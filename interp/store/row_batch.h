// SPDX-License-Identifier: Apache-2.0
//
// Rows to be inserted into a relation.
//
// They are consecutive in one array, each preceded by a header word:
//
//   | hash, number | cell | cell |   | hash, number | cell | cell |   ...
//
// The header has the upper half of the row's hash, which tables use (interp/store/row_table.h), and
// the row's number in its batch. Pointers to rows point to the first cell and are valid until the
// next row is added.
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
  /// Removes all rows, and sets the number of cells of those to come.
  void Clear(std::size_t arity) {
    stride_ = arity + 1;
    Shrink(0);
  }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return words_.bytes(); }
  /// Adds a row and returns its cells, to be written by the caller.
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
  /// Keeps the first `size` rows.
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

/// Ranks of marked numbers: how many marked ones are smaller. Mark all, then Count, then Before.
class Ranks {
 public:
  /// For the numbers below `count`, with none marked.
  void Reset(std::size_t count) { before_.assign(count, 0); }
  void Mark(std::size_t i) { before_[i] = 1; }
  void Count() { std::exclusive_scan(before_.begin(), before_.end(), before_.begin(), 0u); }
  std::uint32_t Before(std::size_t i) const { return before_[i]; }

 private:
  std::vector<std::uint32_t> before_;
};

/// Rows of one relation, in one part or several; the rows of a part are in order. A row's number is
/// its position in the whole batch.
struct RowBatch {
  std::vector<WaitingRows> parts;
  std::size_t size = 0;

  explicit RowBatch(std::size_t count = 1) : parts(count) {}
  void Clear(std::size_t arity) {
    for (WaitingRows& part : parts) part.Clear(arity);
    size = 0;
  }
  /// Adds a row and returns its cells, to be written by the caller.
  Value* Add(std::size_t part, std::uint64_t hash) {
    return parts[part].Add(hash, static_cast<std::uint32_t>(size++));
  }
  std::size_t bytes() const {
    std::size_t out = 0;
    for (const WaitingRows& part : parts) out += part.bytes();
    return out;
  }
  /// Keeps the rows for which `keep(row)` holds; calls it part by part.
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
