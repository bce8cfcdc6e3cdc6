// SPDX-License-Identifier: Apache-2.0
//
// Insertion of many rows by a thread pool, with the ids that one thread would have assigned.
//
// The rows come in batches, each for one RowSet, in the order of their ids. The hash table of a
// RowSet is divided into parts (interp/store/row_table.h), and batches are filled part by part.
// One thread per part goes through its rows of all batches in order, so of equal rows the first is
// the new one, and threads share nothing that is written. Batches for several RowSets are inserted
// together.
//
//   batches    a b a | b c | a d        in order
//   part 0     a   a |     | a          new: the first a, of batch 0
//   part 1       b   | b c |   d        new: b of batch 0, c of batch 1, d of batch 2
//   ids        n n+1 | n+2 | n+3        batch by batch, by rank among the new rows of it
#ifndef RPL_INTERP_STORE_INSERTION_H_
#define RPL_INTERP_STORE_INSERTION_H_

#include <array>
#include <span>
#include <vector>

#include "interp/store/row_batch.h"
#include "interp/store/row_set.h"
#include "interp/store/thread_pool.h"

namespace rpl {

class Insertion {
 public:
  /// For at most `batches` batches at a time. Fewer than `few` rows are inserted by one thread,
  /// which is faster. Borrows the thread pool.
  Insertion(ThreadPool& workers, std::size_t batches, std::size_t few)
      : workers_(workers), few_(few), waiting_(batches) {}

  std::size_t batches() const { return waiting_.size(); }
  /// Empties batch k, to be filled with rows for `rows`, each in its part (RowSet::PartOf).
  RowBatch& Begin(std::size_t k, RowSet& rows);
  const RowBatch& batch(std::size_t k) const { return waiting_[k].rows; }
  /// Ends the filling of the first `count` batches. Returns the bytes that Insert will allocate at
  /// once.
  std::size_t Close(std::size_t count);
  /// Inserts the batches of the last Close, up to `most` new rows. Returns the number of new rows.
  std::size_t Insert(std::size_t most);
  /// The number of new rows of batch k.
  std::size_t added(std::size_t k) const { return waiting_[k].added; }
  /// Frees the memory of large batches.
  void Trim();

 private:
  static constexpr std::size_t kParts = RowTable::kParts;

  struct Waiting {
    RowBatch rows{kParts};
    RowSet* to = nullptr;
    std::size_t head = 0;   // index of the Head with these rows; set by Close
    std::size_t at = 0;     // position among the head's batches
    RowId first = 0;        // id of its first new row
    std::size_t added = 0;  // new rows
    Ranks ranks;            // of its new rows
  };
  /// A new row, with the slot reserved for it.
  struct Reservation {
    const Value* row;
    std::uint32_t slot;
    std::uint32_t number;  // in its batch; later its id
  };
  /// A row of the current block, and the slot that its search has reached.
  struct Next {
    const Value* row;
    std::uint64_t hash;
    std::size_t slot;
    std::uint32_t batch;
    std::uint32_t number;  // in its batch
  };
  /// A row whose search ran past the end of its part.
  struct Beyond {
    std::size_t batch;
    const Value* row;
  };
  struct Part {
    PageArray<Reservation> reservations;  // batch by batch
    std::vector<std::size_t> ends;        // of each batch, in `reservations`
    std::vector<Beyond> beyond;
    bool wide = false;  // a row does not fit the narrow cells of the set

    std::size_t BeginOf(std::size_t batch) const { return batch == 0 ? 0 : ends[batch - 1]; }
  };
  /// The batches for one RowSet.
  struct Head {
    RowSet* rows = nullptr;
    std::vector<Waiting*> batches;       // in order
    std::size_t found = 0;               // rows in them, new or not
    std::size_t pages = 0;               // huge pages to touch
    std::array<Part, kParts + 1> parts;  // the last: rows beyond their parts
  };

  std::size_t InsertAlone(std::size_t most);
  std::size_t InsertTogether();
  std::size_t PagesToTouch(RowSet& rows) const;
  void ReservePart(Head& head, std::size_t part);
  void ReserveBlock(Head& head, std::size_t part, std::span<Next> block);
  void ReserveBeyond(Head& head);
  std::size_t Number(Head& head);
  void Settle(Waiting& batch);

  ThreadPool& workers_;
  const std::size_t few_;
  std::vector<Waiting> waiting_;
  // Closed batches, and their heads: a prefix of all_heads_, whose buffers are reused.
  std::span<Waiting> batches_;
  std::span<Head> heads_;
  std::vector<Head> all_heads_;
};

}  // namespace rpl

#endif  // RPL_INTERP_STORE_INSERTION_H_
