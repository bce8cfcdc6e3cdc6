// SPDX-License-Identifier: Apache-2.0
//
// Hash indexes: from the values of some columns to the rows of a RowSet that have them.
//
// Each key has a list of row ids, ascending, since rows are indexed in id order: a delta is the end
// of a list. An index that a thread pool extends is partitioned into shards by the hash of the key,
// and one thread extends each shard:
//
//   rows     | ........ | ........ |        slices: one thread splits the keys of each by shard
//   keys     | a  b  a  | b  c     |
//   shard 0  | a     a  |    c     |        then each shard appends its keys of all slices, in
//   order shard 1  |    b     | b        |
//
// An index of many rows that come at once, without a pool, is built in parts of their hashes, so
// that the keys of each part are compared within the cache.
//
// An index stores row ids only; callers pass the rows.
#ifndef RPL_INTERP_STORE_INDEX_H_
#define RPL_INTERP_STORE_INDEX_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "interp/store/id_table.h"
#include "interp/store/relation_id.h"
#include "interp/store/row_set.h"
#include "interp/store/thread_pool.h"
#include "interp/store/value.h"

namespace rpl {

class Index {
 public:
  /// REQUIRES: columns is not 0.
  explicit Index(Columns columns, std::size_t shards = 1)
      : columns_(columns), shards_(shards), mask_(shards - 1) {}

  Columns columns() const { return columns_; }
  /// The indexed rows whose columns equal `key` (in column order), ids ascending. Valid
  /// until the index grows.
  std::span<const RowId> Rows(std::span<const Value> key, const RowSet& rows) const;
  /// The same for `count` consecutive keys, at most kEach, with prefetching so that their cache
  /// misses overlap.
  static constexpr std::size_t kEach = 32;
  void RowsOfEach(const Value* keys, std::size_t count, const RowSet& rows,
                  std::span<const RowId>* out) const;
  /// The number of indexed rows, and of their distinct keys.
  RowId size() const { return size_; }
  std::size_t keys() const;

  void Clear() { *this = Index(columns_, shards_.size()); }
  /// Takes out the rows that are about to leave `rows`, and gives the others their new ids.
  /// O(gone), without the lists that they are in, and for each other row the change of an id.
  void Remove(const Gaps& gaps, const RowSet& rows);
  std::size_t bytes() const;

 private:
  friend class IndexExtension;

  // The rows of one key: `first` alone, or `size` ids from ids[at] on, in a space whose capacity is
  // a power of two.
  struct List {
    RowId first;
    RowId size;
    std::uint32_t at;
  };
  // One, or several for a thread pool.
  struct alignas(64) Shard {
    IdTable heads;  // of lists
    PageArray<List> lists;
    PageArray<RowId> ids;
    std::uint32_t free[32] = {};  // free lists by log2 of size: offset in ids plus one, or 0

    std::span<const RowId> Ids(std::uint32_t list) const;
    void Append(List& list, RowId row);
    void Remove(List& list, std::span<const RowId> gone);
  };
  // A row, and the upper half of its key's hash, which tables use.
  struct Keyed {
    RowId row;
    std::uint32_t hash;
  };

  std::size_t ShardOf(std::uint64_t hash) const { return hash & mask_; }
  bool HasKey(RowView row, std::span<const Value> key) const;
  bool SameKey(RowView a, RowView b) const;
  std::uint64_t KeyHash(RowView row) const;
  void Add(Shard& shard, const RowSet& rows, RowId row, std::uint64_t hash);
  void Take(Shard& shard, const RowSet& rows, std::span<const Keyed> keys);
  void Drop(Shard& shard, const RowSet& rows, std::uint32_t list);

  Columns columns_;
  RowId size_ = 0;
  std::vector<Shard> shards_;
  std::size_t mask_;  // Invariant: shards_.size() - 1; the size is a power of two.
};

/// Adds rows to indexes. Reuses its buffers from run to run.
class IndexExtension {
 public:
  /// An index to extend by the rows before `end`.
  struct Growth {
    Index* index;
    const RowSet* rows;
    RowId end;
  };
  /// Adds the missing rows to the indexes, which must be distinct; if there are many, with
  /// `workers` (null: this thread alone). Polls `keep_on` unless null; when it returns false,
  /// indexes keep only the rows added so far; one that is built anew keeps none.
  void Run(std::span<const Growth> growths, const KeepOn* keep_on, ThreadPool* workers);

 private:
  /// A range of rows of one index, and their keys by shard, in row order.
  struct Slice {
    RowId begin, end;
    std::vector<std::vector<Index::Keyed>> keys;
  };

  bool Cut(std::span<const Growth> growths, std::size_t threads);
  static void Split(const Growth& growth, Slice& slice);
  static bool IsBulk(const Growth& growth);
  static bool Build(const Growth& growth, const KeepOn* keep_on);

  // Per thread, one slice of each index.
  std::vector<Slice> slices_;
};

}  // namespace rpl

#endif  // RPL_INTERP_STORE_INDEX_H_
