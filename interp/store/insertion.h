// SPDX-License-Identifier: Apache-2.0
//
// Insertion of many rows by a thread pool: they get the ids that one thread would have given them.
//
// The rows come in batches, each for one set of rows, in the order in which they are to stand
// there. The table of a set lies in parts (interp/store/row_table.h), and who fills a batch puts
// each row to those of its part. Then each part is looked after by one thread, which goes over its
// rows of all batches in order: so of equal rows the first is the one that is new, and nothing is
// shared but what is only read. Several sets are inserted into at once.
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
  /// Inserts what is in at most `batches` batches; fewer than `few` rows by one thread, which is
  /// sooner. Borrows the thread pool.
  Insertion(ThreadPool& workers, std::size_t batches, std::size_t few)
      : workers_(workers), few_(few), waiting_(batches) {}

  std::size_t batches() const { return waiting_.size(); }
  /// Batch k, empty, to be filled with rows for `rows`, in parts (RowSet::PartOf).
  RowBatch& Begin(std::size_t k, RowSet& rows);
  const RowBatch& batch(std::size_t k) const { return waiting_[k].rows; }
  /// The first `count` batches are filled. The bytes that inserting them will take at once.
  std::size_t Close(std::size_t count);
  /// Inserts the batches of the last Close; at most `most` new rows. Returns how many were new.
  std::size_t Insert(std::size_t most);
  /// How many rows of batch k were.
  std::size_t added(std::size_t k) const { return waiting_[k].added; }
  /// Gives back the memory of large batches.
  void Trim();

 private:
  static constexpr std::size_t kParts = RowTable::kParts;

  struct Waiting {
    RowBatch rows{kParts};
    RowSet* to = nullptr;
    std::size_t head = 0;   // whose rows are `to`; when closed
    std::size_t at = 0;     // which of the head's batches it is
    RowId first = 0;        // id of its first new row
    std::size_t added = 0;  // new rows
    Ranks ranks;            // of its new rows
  };
  /// A row that is new, and the slot that it took.
  struct Reservation {
    const Value* row;
    std::uint32_t slot;
    std::uint32_t number;  // in its batch; then its id
  };
  /// A row whose turn comes soon, and the slot where its search got to.
  struct Next {
    const Value* row;
    std::uint64_t hash;
    std::size_t slot;
    std::uint32_t batch;
    std::uint32_t number;  // in it
  };
  /// A row that found no place in its part.
  struct Beyond {
    std::size_t batch;
    const Value* row;
  };
  struct Part {
    PageArray<Reservation> reservations;  // batch by batch
    std::vector<std::size_t> ends;        // of those of each batch
    std::vector<Beyond> beyond;

    std::size_t BeginOf(std::size_t batch) const { return batch == 0 ? 0 : ends[batch - 1]; }
  };
  /// What is inserted into one set of rows.
  struct Head {
    RowSet* rows = nullptr;
    std::vector<Waiting*> batches;       // in order
    std::size_t found = 0;               // rows of them
    std::size_t pages = 0;               // to be touched
    std::array<Part, kParts + 1> parts;  // and what was beyond them
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
  // Closed, and what they are inserted into: the first of all heads, which have the memory of
  // earlier ones.
  std::span<Waiting> batches_;
  std::span<Head> heads_;
  std::vector<Head> all_heads_;
};

}  // namespace rpl

#endif  // RPL_INTERP_STORE_INSERTION_H_
