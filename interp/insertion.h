// SPDX-License-Identifier: Apache-2.0
//
// Insertion of many rows by a team: they get the ids that one thread would have given them.
//
// The rows come in batches, whose order is the order of the rows. The table of the relation
// lies in parts (interp/id_table.h), and who fills a batch sorts it by them. Then each part is
// looked after by one thread, which goes over its rows of all batches in order: so of equal
// rows the first is the one that is new, and nothing is shared but what is only read.
//
//   batches    a b a | b c | a d        in order
//   part 0     a   a |     | a          new: the first a, of batch 0
//   part 1       b   | b c |   d        new: b of batch 0, c of batch 1, d of batch 2
//   ids        n n+1 | n+2 | n+3        batch by batch, by rank among the new rows of it
#ifndef RPL_INTERP_INSERTION_H_
#define RPL_INTERP_INSERTION_H_

#include <array>
#include <vector>

#include "interp/row_set.h"
#include "interp/team.h"

namespace rpl {

/// Rows of one relation that wait to be inserted, side by side.
struct RowBatch {
  PageArray<Value> cells;
  PageArray<std::uint64_t> hashes;
  /// Whether who fills it inserts the rows at once: then their places are asked for early.
  bool at_once = true;

  std::size_t size() const { return hashes.size(); }
  const Value* Row(std::size_t i, std::size_t arity) const { return cells.data() + i * arity; }
  /// Leaves the first `rows` of them.
  void Shrink(std::size_t rows, std::size_t arity) {
    cells.Shrink(rows * arity);
    hashes.Shrink(rows);
  }
  void Clear() { Shrink(0, 0); }
};

class Insertion {
 public:
  /// Inserts what is in at most `batches` batches. Borrows the team.
  Insertion(Team& team, std::size_t batches) : team_(team), waiting_(batches) {}

  std::size_t batches() const { return waiting_.size(); }
  RowBatch& batch(std::size_t k) { return waiting_[k].rows; }
  /// To be called when batch k is full, by the thread that filled it.
  void Sort(std::size_t k, const RowSet& rows) { waiting_[k].Sort(rows); }
  /// Inserts the first `count` batches, which were sorted; at most `most` new rows. Returns how
  /// many were new.
  std::size_t Insert(RowSet& rows, std::size_t count, std::size_t most);
  /// Gives back the memory of large batches.
  void Trim();

 private:
  static constexpr std::size_t kParts = IdTable::kParts;

  /// A batch, and its rows sorted by part.
  struct Waiting {
    RowBatch rows;
    RowBatch sorted;
    PageArray<std::uint32_t> order;               // of each sorted row: which it was
    std::array<std::size_t, kParts + 1> begin{};  // of each part
    std::size_t slots = 0;                        // of the table that it is sorted for
    RowId ticket = 0;                             // of its first row
    RowId first = 0;                              // id of its first new row
    struct Rank {
      std::uint64_t bits;    // which of 64 rows are new
      std::uint32_t before;  // how many are in front of them
    };
    std::vector<Rank> ranks;

    Waiting() { rows.at_once = false; }
    void Sort(const RowSet& rows);
  };
  /// A row that seems new, and the slot that it took.
  struct Claim {
    std::uint32_t batch;
    std::uint32_t row;
    std::size_t slot;
  };
  struct Part {
    std::vector<Claim> claims;      // batch by batch
    std::vector<std::size_t> ends;  // of those of each batch
    std::vector<Claim> beyond;      // rows whose place is behind the part
  };

  void ClaimPart(RowSet& rows, std::size_t part, std::size_t count);
  void ClaimBeyond(RowSet& rows, std::size_t count);
  void Settle(RowSet& rows, std::size_t batch);
  std::size_t InsertAlone(RowSet& rows, std::size_t count, std::size_t most);
  const Value* RowOf(const RowSet& rows, RowId ticket, std::size_t count) const;

  Team& team_;
  std::vector<Waiting> waiting_;
  std::array<Part, kParts + 1> parts_;  // and what was beyond them
};

}  // namespace rpl

#endif  // RPL_INTERP_INSERTION_H_
