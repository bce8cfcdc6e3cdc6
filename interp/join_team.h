// SPDX-License-Identifier: Apache-2.0
//
// Joins run by several threads: the same rows, in the same order, as by one.
//
// The rows that the first step goes over are taken in waves. In each, threads take contiguous
// ranges of them and collect what these derive. Then the rows found are numbered in the order
// of ranges, which is the order that one thread would have found them in, and all threads
// insert them at once: of equal rows the first stays. What is new gets its ids by counting
// range after range.
//
//   ranges       |  0..  |  256.. |  512.. |        one thread's order is left to right
//   rows found   | a b a |  b c   |  a d   |
//   the first    | a b   |    c   |    d   |   ->   ids n, n+1 | n+2 | n+3
//
// Values are only copied and compared meanwhile, never made. Owns its threads.
#ifndef RPL_INTERP_JOIN_TEAM_H_
#define RPL_INTERP_JOIN_TEAM_H_

#include <atomic>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "interp/join.h"
#include "interp/team.h"

namespace rpl {

class JoinTeam {
 public:
  explicit JoinTeam(std::size_t threads) : team_(threads), rooms_(threads * kSharesPerThread) {}

  /// Runs the join and inserts at most `most` new rows; returns how many. `keep_on` is called
  /// on this thread, also before indexes are made; when it says no, the wave is left out; so
  /// when `has_room` does, which is asked before a table grows by so many bytes. `counts` may
  /// be null.
  std::size_t Run(const Join& join, Store& store, const std::vector<Marks>& marks, std::size_t most,
                  const KeepOn& keep_on, const std::function<bool(std::size_t bytes)>& has_room,
                  JoinCounts* counts);

 private:
  static constexpr std::size_t kSharesPerThread = 4;
  /// Where the rows of a range wait, and those of them that seem new: which, in which slots.
  struct Room {
    RowBatch batch;
    struct Claim {
      std::size_t row;
      std::size_t slot;
    };
    std::vector<Claim> claims;
  };
  /// What one range of a wave gives.
  struct Share;
  /// Inserts what the shares of a wave found; at most `most` new rows.
  std::size_t Insert(RowSet& rows, std::vector<std::unique_ptr<Share>>& shares, std::size_t count,
                     std::size_t most);

  Team team_;
  std::vector<Room> rooms_;                         // of ranges
  std::unordered_map<const Join*, double> yields_;  // rows found lately for one gone over
};

}  // namespace rpl

#endif  // RPL_INTERP_JOIN_TEAM_H_
