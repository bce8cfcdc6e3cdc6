// SPDX-License-Identifier: Apache-2.0
//
// Joins: deriving plans that only read rows, compare words and find absence, run by a loop
// over words. Most rules with many answers are joins; what else a plan does, the Machine
// runs (interp/machine.h). Both give the same rows in the same order.
//
// For t(?x, ?z) <- t(?x, ?y), e(?y, ?z) from a delta of t:
//
//   rows t [delta]  binds s0 s1             for each row of the delta
//   rows e          key s1, binds s2        for each id in the index's list for s1
//   head            s0 s2                   copied to the batch of derived rows
//
// Nothing is allocated and no structure is compared for a row. Constants of the rule stand
// in slots of their own, so that every key, operand and column of the head is a slot.
//
// A Join borrows nothing but relation ids. A JoinRun borrows the join and the store, whose
// relations must not change while it runs, but for rows that are appended. Its copies run on any
// threads.
#ifndef RPL_INTERP_JOIN_H_
#define RPL_INTERP_JOIN_H_

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "interp/insertion.h"
#include "interp/plan.h"
#include "interp/store.h"
#include "interp/unifier.h"

namespace rpl {

struct JoinStep {
  enum class Kind : std::uint8_t {
    kRows,     // for each row that agrees with the keys
    kWithout,  // goes on when there is none
    kCompare,  // goes on when it holds
  };
  Kind kind = Kind::kRows;
  RelationId relation = kNoId;
  Range range = Range::kAll;
  Columns probe = 0;
  bool all_bound = false;                                // every column is a key
  std::vector<SlotId> keys;                              // in column order
  std::vector<std::pair<std::uint32_t, SlotId>> binds;   // column, slot
  std::vector<std::pair<std::uint32_t, SlotId>> checks;  // columns equal to one bound here
  Operator op = Operator::kEqual;                        // kCompare
  SlotId left = -1, right = -1;

  /// e(?y, ?z) before e(?x, ?z), with ?x and ?y known: the rows for which both hold can be
  /// found from either list, so the shorter one is gone over. The order stays this step's.
  struct Meeting {
    Columns probe = 0;  // of the next step's relation
    std::vector<SlotId> keys;
    std::vector<std::pair<std::uint32_t, SlotId>> binds;
    std::vector<SlotId> row;  // this step's whole row
  };
  std::optional<Meeting> meeting;
};

struct Join {
  /// The plan as a join, or null when it is none.
  static std::unique_ptr<const Join> Of(const Plan& plan, const Definition& def,
                                        const Store& store);

  RelationId head = kNoId;
  std::vector<JoinStep> steps;  // the first is kRows
  std::vector<SlotId> columns;  // of the head
  std::vector<Value> slots;     // constants in place, else kNone
  /// The last step that binds a column of the head: behind it, one answer is as good as all.
  std::size_t deciding = 0;
};

/// What runs of one join did, for interp/profile.h.
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
  /// now, by `team` if there is one (null: none); when `keep_on` stopped that, the run must not
  /// begin.
  JoinRun(const Join& join, Store& store, const std::vector<Marks>& marks, const KeepOn* keep_on,
          Team* team);

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

#endif  // RPL_INTERP_JOIN_H_
