// SPDX-License-Identifier: Apache-2.0
//
// Insertion of many rows by a team: they get the ids that one thread would have given them.
//
// The rows come in batches, whose order is the order of the rows. The table of the relation
// lies in parts (interp/row_table.h), and who fills a batch puts each row to those of its part.
// Then each part is looked after by one thread, which goes over its rows of all batches in order:
// so of equal rows the first is the one that is new, and nothing is shared but what is only read.
//
//   batches    a b a | b c | a d        in order
//   part 0     a   a |     | a          new: the first a, of batch 0
//   part 1       b   | b c |   d        new: b of batch 0, c of batch 1, d of batch 2
//   ids        n n+1 | n+2 | n+3        batch by batch, by rank among the new rows of it
#ifndef RPL_INTERP_INSERTION_H_
#define RPL_INTERP_INSERTION_H_

#include <array>
#include <span>
#include <vector>

#include "interp/row_batch.h"
#include "interp/row_set.h"
#include "interp/team.h"

namespace rpl {

class Insertion {
 public:
  /// Inserts what is in at most `batches` batches; fewer than `few` rows by one thread, which is
  /// sooner. Borrows the team.
  Insertion(Team& team, std::size_t batches, std::size_t few)
      : team_(team), few_(few), waiting_(batches) {}

  std::size_t batches() const { return waiting_.size(); }
  /// Batch k, empty, to be filled with rows of so many columns, in parts (RowSet::PartOf).
  RowBatch& Begin(std::size_t k, std::size_t arity);
  RowBatch& batch(std::size_t k) { return waiting_[k].rows; }
  /// Inserts `count` batches from the first on; at most `most` new rows. Returns how many were new.
  std::size_t Insert(RowSet& rows, std::size_t first, std::size_t count, std::size_t most);
  /// How many rows of batch k were.
  std::size_t added(std::size_t k) const { return waiting_[k].added; }
  /// Gives back the memory of large batches.
  void Trim();

 private:
  static constexpr std::size_t kParts = RowTable::kParts;

  struct Waiting {
    RowBatch rows{kParts};
    RowId first = 0;        // id of its first new row
    std::size_t added = 0;  // new rows
    Ranks ranks;            // of its new rows
  };
  /// A row that is new, and the slot that it took.
  struct Claim {
    const Value* row;
    std::size_t slot;
    RowId id;
  };
  /// A row whose turn comes soon, and the slot where its search got to.
  struct Next {
    const Value* row;
    std::uint64_t hash;
    std::size_t slot;
    std::size_t batch;
  };
  /// A row that found no place in its part.
  struct Beyond {
    std::size_t batch;
    const Value* row;
  };
  struct Part {
    PageArray<Claim> claims;        // batch by batch
    std::vector<std::size_t> ends;  // of those of each batch
    std::vector<Beyond> beyond;
  };

  std::size_t PagesToTouch(RowSet& rows) const;
  void ClaimPart(RowSet& rows, std::size_t part);
  void ClaimBlock(RowSet& rows, std::size_t part, std::span<Next> block);
  void ClaimBeyond(RowSet& rows);
  void Settle(RowSet& rows, std::size_t k);
  std::size_t InsertAlone(RowSet& rows, std::size_t most);

  Team& team_;
  const std::size_t few_;
  std::vector<Waiting> waiting_;
  std::span<Waiting> inserted_;         // those of them that are inserted now
  std::array<Part, kParts + 1> parts_;  // and what was beyond them
};

}  // namespace rpl

#endif  // RPL_INTERP_INSERTION_H_
