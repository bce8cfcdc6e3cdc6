// SPDX-License-Identifier: Apache-2.0
//
// The evaluator of joins (interp/plan/join_plan.h): a loop over words that neither allocates nor
// compares structures per row. Most rules with many answers are joins; the Machine runs all other
// plans (interp/eval/machine.h). Both give the same rows in the same order.
//
// A step that is undefined (decision 93) does not hold. Whether a row may be absent for that, which
// is so if all other clauses of the rule hold, is found out by going on behind it
// (join_undefined.cc), until that has happened once.
//
// A JoinRun borrows the join and the store. Rows may be appended to relations while it runs; any
// other change is forbidden. Copies of a run may run on different threads.
#ifndef RPL_INTERP_EVAL_JOIN_H_
#define RPL_INTERP_EVAL_JOIN_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "interp/eval/seen.h"
#include "interp/eval/unifier.h"
#include "interp/plan/join_plan.h"
#include "interp/store/insertion.h"
#include "interp/store/row_set.h"
#include "interp/store/store.h"

namespace rpl {

/// Work done by the runs of one join, for interp/eval/profile.h.
struct JoinCounts {
  struct Step {
    std::uint64_t times = 0;        // scans and probes
    std::uint64_t rows = 0;         // rows read
    std::uint64_t intersected = 0;  // of `times`, those that scanned the next step's list
  };
  std::vector<Step> steps;
  std::uint64_t answers = 0;
};

class JoinRun {
 public:
  /// What the runs of a join in the rounds of a fixpoint have seen, by step.
  using Memory = std::vector<Seen>;

  /// `marks`, by relation, give the ranges. Missing indexes are built now, by `workers` unless
  /// null; if `keep_on` stopped that, Run must not be called.
  JoinRun(const Join& join, Store& store, const std::vector<Marks>& marks, const KeepOn* keep_on,
          ThreadPool* workers);

  /// Adds the indexes that a run needs to `growths`. Extending the indexes of several joins
  /// together is faster than one by one in the constructor.
  static void AddIndexes(const Join& join, Store& store, const std::vector<Marks>& marks,
                         std::vector<IndexExtension::Growth>& growths);

  /// Rows found so far, duplicates included.
  std::size_t answers() const { return answers_; }
  /// Those of them that went to no batch, since the head's relation is known to have them.
  std::size_t known() const { return known_; }
  /// Probes, scans, and rows read so far.
  std::uint64_t work() const;
  /// A step that was undefined while all others of the join may hold: a row may be absent for that.
  struct UndefinedStep {
    int place;                 // of the plan's step, see JoinStep
    std::vector<Value> slots;  // of the rule
    std::string why;
  };
  /// The first one that Run has found.
  const std::optional<UndefinedStep>& undefined() const { return undefined_; }
  /// The share of its last outer row that Run had scanned when it stopped, as far as the lists of
  /// rows tell.
  double scanned() const { return scanned_; }
  /// Outer rows: those that the first step reads.
  std::size_t outer() const { return outer_; }
  /// The outer rows of a join whose first step is a scan, else 0; needs no run.
  static std::size_t Outer(const Join& join, const std::vector<Marks>& marks);
  /// Runs for the outer rows [begin, end). Found rows go to `batch`, into the part that
  /// RowSet::PartOf gives if it has several, except those that the head's relation is known to have
  /// (RowSet::bits). `pause` is called whenever the batch has `full` rows or more, and about every
  /// 4,000 rows read; if it returns false, Run stops and returns false.
  bool Run(std::size_t begin, std::size_t end, RowBatch& batch, std::size_t full,
           Continuation pause);
  /// For a join that remembers (Join), in the rounds of a fixpoint that adds all rows that it
  /// finds: what earlier rounds have seen, and what the next one may know. A combination of an
  /// earlier round goes on with new rows only: what it gives with the others was found then. So a
  /// run with a memory finds fewer duplicates, and the same new rows in the same order.
  void TakeUp(Memory&& memory);
  Memory Leave();
  /// The run is a trial. All rows go to the batch, also those that the head's relation is known to
  /// have: then it does not matter what is known, which depends on the number of threads. Undefined
  /// steps are not followed.
  void BeTrial() {
    asks_bits_ = false;
    follows_undefined_ = false;
  }
  /// Adds the work done so far; the first step counts as one scan, however often Run was called.
  void AddTo(JoinCounts& counts) const;

 private:
  static constexpr std::size_t kAhead = 8;    // rows that are prefetched before they are read
  static constexpr std::size_t kTick = 4096;  // rows read between two pauses

  /// The rows that a step reads.
  struct Source {
    const Relation* relation = nullptr;
    const Index* index = nullptr;  // null: a scan, or a look-up of the whole row
    RowId begin = 0, end = 0;
    RowId new_begin = 0;  // of the rows that the last round added
    /// Rows of the range are kept as classes: those behind `end`, which is that of the stored ones.
    std::shared_ptr<const Classes> classes;
    RowId kept_end = 0;
    std::vector<Value> partners;          // of them, with the current key, in the other column
    const Index* intersection = nullptr;  // of the next step's relation; null: not used
    std::vector<Value> key;               // that Search looks for
    std::vector<RowId> common;            // the current intersection
    JoinCounts::Step did;
    Seen seen;  // before this step, see JoinStep::distinct
    /// Where a combination that came in an earlier run goes on: nowhere, with the new rows of one
    /// step, or, if several steps from this one on read new rows, with all.
    enum class Again : std::uint8_t { kNot, kWithNew, kWithAll } again = Again::kWithAll;
    std::size_t with_new = 0;  // that step
  };

  static std::span<const RowId> Within(const Source& source, std::span<const RowId> rows);
  std::span<const RowId> Listed(std::size_t at);
  void FindPartners(std::size_t at);
  bool Scan(RowId row, RowId end);
  bool ScanAhead(RowId row, RowId end);
  bool ScanKept(RowId row, RowId end);
  bool Search(std::size_t at);
  bool Over(std::size_t at, std::span<const RowId> rows);
  bool OverKept(std::size_t at);
  bool EmitEach(const JoinStep& step, Source& source, std::span<const RowId> rows);
  bool FindUnknown(const JoinStep& step, const Source& source, std::size_t listed);
  bool EmitUnknown(const JoinStep& step, Source& source, std::size_t listed);
  bool SkipKnown(const RowSet& relation, std::span<const RowId> rows, std::size_t& k);
  std::size_t CountKnown(const RowSet& relation, std::span<const RowId> rows) const;
  bool Intersect(std::size_t at, std::span<const RowId> others);
  bool Next(std::size_t at);
  template <typename GoOn>
  bool Unseen(std::size_t at, GoOn&& go_on);
  bool Step(std::size_t at);
  /// Binds the step's slots; false if the row contradicts itself where a slot occurs twice.
  bool Binds(std::size_t at, RowId row) {
    return Binds(at, sources_[at].relation->stored().Row(row));
  }
  bool Binds(std::size_t at, RowView cells) {
    const JoinStep& step = join_.steps[at];
    for (const auto& [column, slot] : step.binds) slots_[slot] = cells[column];
    for (const auto& [column, slot] : step.checks)
      if (cells[column] != slots_[slot]) return false;
    return true;
  }
  bool BindsPartner(std::size_t at, Value partner) {
    const JoinStep& step = join_.steps[at];
    const Value key = slots_[step.keys.front()];
    const Value cells[] = {step.probe == 1 ? key : partner, step.probe == 1 ? partner : key};
    return Binds(at, RowView(std::span<const Value>(cells)));
  }
  bool Take(std::size_t at, RowId row);
  bool Exists(std::size_t at);
  bool Compute(std::size_t at);
  bool Undefined(std::size_t at, std::string why);
  bool MayHold(std::size_t at);
  bool MayHoldForSome(std::size_t at);
  bool ReadsUnknown(const JoinStep& step) const;
  bool Emit();
  bool Add();
  /// It stops behind `done` of so many rows, and a share of the next.
  bool StoppedAt(std::size_t done, std::size_t rows) {
    scanned_ = (static_cast<double>(done) + scanned_) / static_cast<double>(rows);
    return false;
  }
  /// The same, of rows that are not counted yet.
  bool StoppedIn(Source& source, std::size_t done, std::size_t rows) {
    source.did.rows += done;
    return StoppedAt(done, rows);
  }
  bool Tick(std::size_t rows = 1) {
    ticks_ += static_cast<std::uint32_t>(rows);
    return ticks_ < kTick || (ticks_ = 0, (*pause_)());
  }
  std::span<const Value> Key(const std::vector<SlotId>& slots) {
    for (std::size_t k = 0; k < slots.size(); ++k) key_[k] = slots_[slots[k]];
    return {key_, slots.size()};
  }

  const Join& join_;
  Pool& pool_;
  const RowSet& head_;
  std::vector<Source> sources_;  // per step
  std::vector<Value> slots_;
  RowBatch* batch_ = nullptr;  // arguments of Run
  std::size_t full_ = 0;
  const Continuation* pause_ = nullptr;
  std::size_t outer_ = 0;
  std::size_t answers_ = 0;
  std::size_t known_ = 0;
  double scanned_ = 0;
  std::uint32_t ticks_ = 0;
  Value key_[kMaxArity];
  /// For each key of the second step: the column of the first step that it equals, else its slot.
  struct Ahead {
    std::optional<std::uint32_t> column;
    SlotId slot;
  };
  std::vector<Ahead> ahead_;  // empty unless the first step scans and the second has an index
  /// The column of the head that the last step binds, and that of the step's relation; nullopt if
  /// it binds none or several.
  struct Varying {
    std::size_t head;
    std::uint32_t column;
  };
  std::optional<Varying> varying_;
  /// The last step's rows can be compared with the head's by strips of bits.
  bool has_strips_ = false;
  std::vector<RowId> unknown_;  // FindUnknown
  bool asks_bits_ = true;
  bool follows_undefined_ = true;
  bool stopped_ = false;  // while it followed an undefined step
  std::optional<UndefinedStep> undefined_;
};

}  // namespace rpl

#endif  // RPL_INTERP_EVAL_JOIN_H_
