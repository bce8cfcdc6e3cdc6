// SPDX-License-Identifier: Apache-2.0
//
// Seen: the combinations of values that have reached a step of a join.
//
// The rest of the join depends on the combination alone, so joining it once is enough. While few
// combinations are repeated, it does not record them, for longer and longer. Dense ones are kept in
// an array (interp/store/row_grid.h), others in a hash table.
#ifndef RPL_INTERP_EVAL_SEEN_H_
#define RPL_INTERP_EVAL_SEEN_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "interp/store/row_grid.h"
#include "interp/store/row_set.h"

namespace rpl {

class Seen {
 public:
  enum class When : std::uint8_t { kNever, kBefore, kInThisRun };

  Seen() = default;
  /// A copy has seen nothing.
  Seen(const Seen&) {}
  Seen(Seen&&) = default;
  Seen& operator=(Seen&&) = default;

  /// When the combination came last, as far as that is known.
  When Came(std::span<const Value> values);
  /// What is seen from now on belongs to another run.
  void BeginRun() { ++run_; }
  /// Frees what would not be looked at, or is full.
  void EndRun();
  bool looks_away() const { return longer_ > 0; }

 private:
  static constexpr RowId kMost = RowId{1} << 23;
  static constexpr RowId kFirstGrid = 4096;        // combinations, for a grid to pay
  static constexpr std::uint64_t kPlacesEach = 4;  // of the grid, for a combination

  When Note(std::uint32_t& last);
  void ChooseGrid();

  std::unique_ptr<RowSet> rows_;
  std::vector<std::uint32_t> run_of_;  // by row: the last run in which it came, if it has no place
  RowGrid grid_;
  std::vector<std::uint32_t> run_at_;  // by place of the grid: the same; 0: it did not come
  std::uint32_t run_ = 1;
  std::uint32_t asked_ = 0, repeated_ = 0;  // since it looked last at how many come again
  std::uint64_t away_ = 0;                  // combinations that it still lets pass
  std::uint64_t longer_ = 0;                // how many it lets pass the next time
};

}  // namespace rpl

#endif  // RPL_INTERP_EVAL_SEEN_H_
