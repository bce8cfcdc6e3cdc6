// SPDX-License-Identifier: Apache-2.0
//
// Joins run: a loop over words, which allocates nothing and compares no structure for a row
// (interp/plan/join_plan.h). Most rules with many answers are joins; what else a plan does, the
// Machine runs (interp/eval/machine.h). Both give the same rows in the same order.
//
// A JoinRun borrows the join and the store, whose relations must not change while it runs, but for
// rows that are appended. Its copies run on any threads.
#ifndef RPL_INTERP_EVAL_JOIN_H_
#define RPL_INTERP_EVAL_JOIN_H_

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "interp/eval/unifier.h"
#include "interp/plan/join_plan.h"
#include "interp/store/insertion.h"
#include "interp/store/store.h"

namespace rpl {

/// What runs of one join did, for interp/eval/profile.h.
struct JoinCounts {
  struct Step {
    std::uint64_t times = 0;  // it was read, or looked up
    std::uint64_t rows = 0;   // that were looked at
    std::uint64_t met = 0;    // of these times, those that went over the next step's list
  };
  std::vector<Step> steps;
  std::uint64_t answers = 0;
};

class JoinRun {
 public:
  /// `marks`, by relation, say which rows the ranges are; indexes that are missing are made
  /// now, by `workers` if there is one (null: none); when `keep_on` stopped that, the run must not
  /// begin.
  JoinRun(const Join& join, Store& store, const std::vector<Marks>& marks, const KeepOn* keep_on,
          ThreadPool* workers);

  /// Adds the indexes that a run needs: to extend them together is sooner than one by one, which
  /// making the run does.
  static void AddIndexes(const Join& join, Store& store, const std::vector<Marks>& marks,
                         std::vector<IndexExtension::Growth>& growths);

  /// How many rows were found so far, equal ones counted.
  std::size_t answers() const { return answers_; }
  /// How many rows the first step goes over.
  std::size_t outer() const { return outer_; }
  /// The same where it scans, without a run; 0 where it does not.
  static std::size_t Outer(const Join& join, const std::vector<Marks>& marks);
  /// Runs for those from `begin` to `end` of them; false when it was stopped. What is found goes to
  /// `batch`, by RowSet::PartOf if that has parts. `pause` is called when it has `full` rows, and
  /// about every 4,000 rows that were looked at; false stops the run.
  bool Run(std::size_t begin, std::size_t end, RowBatch& batch, std::size_t full,
           Continuation pause);
  /// Adds what was done so far; the first step counts as read once however often Run was called.
  void AddTo(JoinCounts& counts) const;

 private:
  /// What a step reads.
  struct Source {
    const Relation* relation = nullptr;
    const Index* index = nullptr;  // null: a scan, or a look-up of the whole row
    RowId begin = 0, end = 0;
    const Index* meeting = nullptr;  // of the next step's relation
    std::vector<RowId> met;          // rows for which both hold
    JoinCounts::Step did;
  };

  static std::span<const RowId> Within(const Source& source, std::span<const RowId> rows);
  std::span<const RowId> Listed(std::size_t at);
  bool Scan(RowId row, RowId end);
  bool ScanAhead(RowId row, RowId end);
  bool Over(std::size_t at, std::span<const RowId> rows);
  bool Meet(std::size_t at, std::span<const RowId> others);
  bool Next(std::size_t at);
  bool Binds(std::size_t at, RowId row);
  bool Take(std::size_t at, RowId row);
  bool Exists(std::size_t at);
  bool Emit();
  bool Tick() { return (++ticks_ & 0xfff) != 0 || (*pause_)(); }
  std::span<const Value> Key(const std::vector<SlotId>& slots) {
    for (std::size_t k = 0; k < slots.size(); ++k) key_[k] = slots_[slots[k]];
    return {key_, slots.size()};
  }

  const Join& join_;
  const Pool& pool_;
  const RowSet& head_;
  std::vector<Source> sources_;  // per step
  std::vector<Value> slots_;
  RowBatch* batch_ = nullptr;  // as Run was told
  std::size_t full_ = 0;
  const Continuation* pause_ = nullptr;
  std::size_t outer_ = 0;
  std::size_t answers_ = 0;
  std::uint32_t ticks_ = 0;
  Value key_[kMaxArity];
  /// For each key of the second step the column of the first one's rows that it is, or its slot.
  struct Ahead {
    std::optional<std::uint32_t> column;
    SlotId slot;
  };
  std::vector<Ahead> ahead_;  // empty unless the first step scans and the second has an index
};

}  // namespace rpl

#endif  // RPL_INTERP_EVAL_JOIN_H_
