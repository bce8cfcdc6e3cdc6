// SPDX-License-Identifier: Apache-2.0
//
// Indexes: the rows of a RowSet that agree on some columns.
//
// The rows of each key are a list of ids, ascending, since rows are taken in as they are numbered:
// what is new of a key is the end of its list. An index that a thread pool extends lies in shards
// by the hash of the key, each of which is looked after by one thread:
//
//   rows     | ........ | ........ |        slices: each thread puts the keys of one to shards
//   keys     | a  b  a  | b  c     |
//   shard 0  | a     a  |    c     |        then each shard takes its keys of all slices, in order
//   shard 1  |    b     | b        |
//
// Of the rows that it indexes an index knows the ids only: whoever asks it brings them.
#ifndef RPL_INTERP_STORE_INDEX_H_
#define RPL_INTERP_STORE_INDEX_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "interp/store/id_table.h"
#include "interp/store/row_set.h"
#include "interp/store/thread_pool.h"
#include "interp/store/value.h"

namespace rpl {

/// A set of columns, one bit each; a relation has at most 64 columns.
using Columns = std::uint64_t;
inline constexpr std::size_t kMaxArity = 64;

/// Asked in the course of long work; false stops it.
using KeepOn = std::function<bool()>;

class Index {
 public:
  /// REQUIRES: columns is not 0.
  explicit Index(Columns columns, std::size_t shards = 1)
      : columns_(columns), shards_(shards), mask_(shards - 1) {}

  Columns columns() const { return columns_; }
  /// The indexed rows whose columns equal `key` (in column order), ids ascending. Valid
  /// until the index grows.
  std::span<const RowId> Rows(std::span<const Value> key, const RowSet& rows) const;
  /// The same for `count` keys that stand side by side, at most kEach: what they need of the
  /// memory is asked for before their turns come.
  static constexpr std::size_t kEach = 32;
  void RowsOfEach(const Value* keys, std::size_t count, const RowSet& rows,
                  std::span<const RowId>* out) const;
  /// How many rows are indexed, and how many different keys they have.
  RowId size() const { return size_; }
  std::size_t keys() const;

  void Clear() { *this = Index(columns_, shards_.size()); }
  std::size_t bytes() const;

 private:
  friend class IndexExtension;

  // The rows of one key: `first` alone, or `size` ids from ids[at] on, in space for a
  // power of two of them.
  struct List {
    RowId first;
    RowId size;
    std::uint32_t at;
  };
  // One, or as many as a thread pool shares out.
  struct alignas(64) Shard {
    IdTable heads;  // of lists
    PageArray<List> lists;
    PageArray<RowId> ids;
    std::uint32_t free[32] = {};  // by size: the first unused space in ids, and one

    std::span<const RowId> Ids(std::uint32_t list) const;
    void Append(List& list, RowId row);
  };
  // A row, and the upper half of its key's hash, which is the one that tables go by.
  struct Keyed {
    RowId row;
    std::uint32_t hash;
  };

  std::size_t ShardOf(std::uint64_t hash) const { return hash & mask_; }
  bool HasKey(const Value* cells, std::span<const Value> key) const;
  void Add(Shard& shard, const RowSet& rows, RowId row, std::uint64_t hash);
  void Take(Shard& shard, const RowSet& rows, std::span<const Keyed> keys);

  Columns columns_;
  RowId size_ = 0;
  std::vector<Shard> shards_;
  std::size_t mask_;  // Invariant: there is one shard more, and they are a power of two
};

/// Takes rows into indexes. What it needs meanwhile is kept for the next time.
class IndexExtension {
 public:
  /// An index, and the rows that it is to have: those before `end`.
  struct Growth {
    Index* index;
    const RowSet* rows;
    RowId end;
  };
  /// Takes in the rows that the indexes, all different, do not have; many of them by `workers`, if
  /// there is one (null: none). From time to time `keep_on` (may be null) is called: when it says
  /// no, the rest of the rows is left out.
  void Run(std::span<const Growth> growths, const KeepOn* keep_on, ThreadPool* workers);

 private:
  /// Rows of an index, and their keys by shard, in order.
  struct Slice {
    RowId begin, end;
    std::vector<std::vector<Index::Keyed>> keys;
  };

  bool Cut(std::span<const Growth> growths, std::size_t threads);
  static void Split(const Growth& growth, Slice& slice);

  // For each thread one of each index: it gets the same shard of all of them.
  std::vector<Slice> slices_;
};

}  // namespace rpl

#endif  // RPL_INTERP_STORE_INDEX_H_
