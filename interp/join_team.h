// SPDX-License-Identifier: Apache-2.0
//
// Joins run by several threads: the same rows, in the same order, as by one.
//
// The rows that the first step goes over are taken in waves. In each, threads take contiguous
// ranges of them and collect what these derive in a batch for each; then the team inserts the
// batches (interp/insertion.h), in the order of the ranges, which is the order that one thread
// would have found the rows in.
//
// Values are only copied and compared meanwhile, never made. Owns its threads.
#ifndef RPL_INTERP_JOIN_TEAM_H_
#define RPL_INTERP_JOIN_TEAM_H_

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "interp/insertion.h"
#include "interp/join.h"
#include "interp/team.h"

namespace rpl {

class JoinTeam {
 public:
  explicit JoinTeam(std::size_t threads)
      : team_(threads), insertion_(team_, threads * kSharesPerThread) {}

  Team& team() { return team_; }

  /// Runs the join and inserts at most `most` new rows; returns how many. `yield` is the number
  /// of rows found lately for one that the first step goes over, if that is known. `keep_on` is
  /// called on this thread, also before indexes are made; when it says no, the wave is left out;
  /// so when `has_room` does, which is asked before a table grows by so many bytes. `counts` may
  /// be null.
  std::size_t Run(const Join& join, Store& store, const std::vector<Marks>& marks, std::size_t most,
                  std::optional<double>& yield, const KeepOn& keep_on,
                  const std::function<bool(std::size_t bytes)>& has_room, JoinCounts* counts);

 private:
  static constexpr std::size_t kSharesPerThread = 4;
  /// What one range of a wave gives.
  struct Share;

  Team team_;
  Insertion insertion_;
};

}  // namespace rpl

#endif  // RPL_INTERP_JOIN_TEAM_H_
