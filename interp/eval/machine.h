// SPDX-License-Identifier: Apache-2.0
//
// The machine: the evaluator of plans (interp/plan/plan.h), bottom-up and top-down.
//
// Clause order is the plan's, so answers appear in the author's nested-loop order. A set
// splits into instances where a relation's rows were distributed or `~` meets it (§7),
// nowhere else. `not` holds when its body has no answer, waits for nothing and lacks nothing;
// otherwise it is undecided, and so is every answer that depends on it (decisions 56, 80). Counts,
// choices and checks follow the same rule.
//
// A body waits if a call has no reply. It lacks the reply of a call that failed, was refused or
// was declined, and the rows that a limit cut off. A clause that reads the status of a failed
// call lacks nothing.
//
// A clause that is undefined for its values, or that wants a caller, does not hold, and the body
// lacks a meaning (decisions 93, 94), unless a clause after it is false: so these are tried.
//
// A call without a reply gives no answer and is recorded in Evaluation::calls. After a call to a
// tool the plan continues, with the reply unknown, until a clause needs it, so that independent
// calls go out together; after a question to a person it does not.
//
// Borrows everything. One thread; re-entrant through Use: evaluating a table runs another rule's
// plan while the first is suspended.
#ifndef RPL_INTERP_EVAL_MACHINE_H_
#define RPL_INTERP_EVAL_MACHINE_H_

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "interp/eval/best_rows.h"
#include "interp/eval/call_table.h"
#include "interp/eval/evaluation.h"
#include "interp/eval/parallel_join.h"
#include "interp/eval/table.h"
#include "interp/eval/unifier.h"
#include "interp/plan/limits.h"
#include "interp/plan/plan.h"
#include "interp/program/metadata.h"
#include "interp/store/classes.h"

namespace rpl {

/// The bindings of one rule while one of its plans runs, and the state and results of the run.
struct Frame {
  const Definition* def = nullptr;
  const std::vector<std::string>* names = nullptr;
  std::vector<Value> slots;
  Table* table = nullptr;                // solving: receives the answers
  const Continuation* answer = nullptr;  // or is called for each
  // Of an answer that is not decided, whether it makes no difference.
  const Continuation* excuse = nullptr;
  bool unknown = false;          // some slot is kUnknown
  std::size_t unknown_ends = 0;  // ends reached with such a slot, which may become answers
  bool explains = true;          // `deepest`, `snapshot` and `note` are kept
  bool one_is_all = false;       // the first row ends the run: the table can have no other
  bool asked = false;            // a question comes before what is read on
  bool doubtful = false;         // some clause before is undefined, see Doubt
  bool by_absence = false;       // or rests on what is not known to be absent
  Waiting waits;
  std::uint8_t lacking = 0;  // of Lack
  std::string doubt;         // the clause to blame, where a meaning is lacking
  std::string why;           // the last part of that: why it has none
  bool undecided = false;
  RelationId unfinished = kNoId;  // see Undecided
  std::size_t answers = 0;        // emitted so far, and ends of nested plans reached
  std::size_t emitted = 0;
  std::size_t repeated = 0;   // of `emitted`, those that gave no new row
  const Step* end = nullptr;  // the end of the plan that emitted the last answer
  // Reasons for the lack of an answer: the furthest step reached, with the bindings there, and the
  // first reason that an operator gave.
  const Step* deepest = nullptr;
  std::vector<Value> snapshot;
  std::vector<const Step*> ways_there;
  std::string note;
  RelationId ineligible = kNoId;  // see Table
  std::vector<RowUsed> path;      // premises of the current answer, in the plan's order
  std::vector<const Step*> ways;  // first steps of the alternatives that are taken, likewise
  std::vector<std::pair<const Clause*, Value>> shown;
  std::map<const Clause*, std::set<std::vector<Value>>> distinct;
  const Frame* caller = nullptr;  // suspended while this one runs
  RuleLoop* loop = nullptr;       // the loop of the plan that is about to run, to be resumed
  std::size_t used = 0;           // answers that agreed with the call and rest on some row

  Frame(const Definition* definition, const std::vector<std::string>& slot_names)
      : def(definition), names(&slot_names), slots(slot_names.size()) {}
};

/// The calls that an evaluation blames, to be put back.
class Blame {
 public:
  explicit Blame(const Evaluation& of)
      : declined_(of.declined), refused_(of.refused), failed_(of.failed), failure_(of.failure) {}
  void Restore(Evaluation& to) const {
    to.declined = declined_;
    to.refused = refused_;
    to.failed = failed_;
    to.failure = failure_;
  }

 private:
  std::optional<OpenCall> declined_, refused_, failed_;
  std::string failure_;
};

class Machine {
 public:
  Machine(const Program& program, Store& store, const Catalog& catalog, Demands& demands,
          const Limits& limits)
      : program_(program),
        store_(store),
        pool_(store.pool()),
        catalog_(catalog),
        demands_(demands),
        limits_(limits),
        metadata_(program, store) {}

  Machine(const Machine&) = delete;

  /// Derived rows inserted at a time.
  static constexpr std::size_t kStaged = 64;
  /// Growth of a relation, in bytes, before which the limits are polled.
  static constexpr std::size_t kMuch = std::size_t{1} << 25;

  /// Scope in which `frame` is the current one.
  class Use {
   public:
    Use(Machine& machine, Frame& frame, Mode mode);
    ~Use();
    Use(const Use&) = delete;

   private:
    Machine& machine_;
    Frame* frame_;
    Value* slots_;
    const Continuation* found_;
    const Continuation* doubted_;
    std::vector<Value>* tuple_;
    Mode mode_;
    Pool::Watched watched_;
  };

  /// Scope of the evaluation of a table, in which what it reads and how deep it nests is recorded.
  class Recording {
   public:
    Recording(Machine& machine, Table& table, bool reads)
        : machine_(machine),
          table_(table),
          outer_(std::exchange(machine.reads, reads ? &table.recorded().reads : nullptr)),
          deepest_(std::exchange(machine.deepest, machine.depth_)) {
      if (reads) *machine.reads = {};
    }
    ~Recording() {
      machine_.reads = outer_;
      table_.depth = static_cast<std::uint32_t>(machine_.deepest - machine_.depth_);
      machine_.deepest = std::max(machine_.deepest, deepest_);
    }
    Recording(const Recording&) = delete;

   private:
    Machine& machine_;
    Table& table_;
    Reads* outer_;
    std::size_t deepest_;
  };

  /// Runs a plan from `step` in the current frame; false when a continuation or a limit stopped it.
  bool Run(const Step* step);

  /// The rounds of a stratum: in between, relations only gain rows, and the joins remember what
  /// they have seen (JoinRun::TakeUp).
  class Rounds {
   public:
    explicit Rounds(Machine& machine) : machine_(machine) { machine_.seen_.clear(); }
    ~Rounds() { machine_.seen_.clear(); }
    Rounds(const Rounds&) = delete;

   private:
    Machine& machine_;
  };

  /// Runs the first of these deriving plans, which belongs to the current frame's rule, and as many
  /// after it as the thread pool runs in parallel with it. Returns how many. When a limit was
  /// reached, the frame belongs to the rule that reached it.
  std::size_t Derive(std::span<const Derivation> work);

  /// Adds the rows that follow from what joined an equivalence; many are kept as its classes.
  /// `followed`, unless null, takes each of them: what gives it, and whether it is new.
  void Close(const std::shared_ptr<Classes>& classes, Relation& relation,
             const std::function<void(Classes::By by, bool is_new)>& followed);

  /// The values of the head's arguments in the current frame; empty when one has none.
  std::vector<Value> HeadRow(const Definition& def);

  /// Adds a row of the head to the current frame's table, with the frame's `path` and `shown`.
  void TakeAnswer(std::vector<Value> row);

  /// Whether the row agrees with the bound arguments of the table's call.
  bool Means(const Table& table, std::span<const Value> row) const;

  Premise PremiseOf(const RowUsed& used) const;

  /// Reasons why the absence of answers of a body proves nothing. `open`: those of the body itself.
  Undecided Absent(Undecided open) const;
  /// Records in the current frame that an answer which rests on absence is withheld.
  void Leave(const Undecided& why);

  /// Waits for a call; false, with the reason, if it was declined or refused.
  bool Open(const OpenCall& call, Waiting& to, std::string* why, Waiting::Of of = Waiting::kAll);
  /// The relation whose rows are the choices on offer for a question (decision 75); kNoId where
  /// there is none, or it needs a caller.
  RelationId ChoicesOf(const OpenCall& call) const;
  /// The table of these choices while some of them are not known: a call that gives them comes
  /// before the question. Null when all are known.
  const Table* OpenChoices(const OpenCall& call);
  /// Of each argument at most so many bytes; all of them where the text tells calls apart.
  std::string CallText(const OpenCall& call, std::size_t most = kMaxTextBytes) const;
  CallId IdOf(const OpenCall& call) const;
  /// "$check(1) failed: no route to host"; `failure` as in Evaluation.
  std::string FailureText(const OpenCall& call, const std::string& failure) const;

  // Inputs and results of runs; the solver resets them and hands them out.
  Given given;
  const std::vector<Marks>* marks = nullptr;  // by relation; deriving only
  std::size_t new_rows = 0;                   // rows derived so far
  Evaluation evaluation;
  CallTable opened{CallTable::Same::kArgument};  // calls by their number in Waiting::On
  std::vector<BadHead> bad_heads;                // values of #?h that cannot be heads
  bool truncated = false;  // a limit stopped the fixpoint: absence proves nothing

  // The resumption of tables (interp/eval/resumption.h).
  std::size_t long_loop = SIZE_MAX;  // iterations from which on a loop is resumed
  Reads* reads = nullptr;            // takes what is read of the store; null: it is not recorded
  std::uint64_t last_rows = 0;       // the last number for the rows of a table
  std::size_t deepest = 0;           // depth of nested calls reached since it was last set
  /// Notes that what is evaluated rests on more than recorded reads.
  void Disturb() {
    ++disturbed_;
    if (reads != nullptr) reads->known = false;
  }
  /// Makes a table leave something to the next one for its call.
  void Outlast(Table& table);

  /// Polls the limits once in many calls; false when one stopped the run.
  bool Polled() {
    Poll();
    return evaluation.stop == Stop::kGoesOn;
  }
  /// Whether a row is one among which an extremum chooses. If it is not, the current frame's rule
  /// is undefined for it, as the text says.
  static bool MayBeBest(const Extremum& extremum, std::span<const Value> row);
  std::string NotBestText(const Extremum& extremum, std::span<const Value> row) const;

  /// Polls the limits at once; for use during long work. False when one stopped it.
  const KeepOn within_limits = [this] {
    Watch(0);
    return evaluation.stop == Stop::kGoesOn;
  };

  /// Stops the run if a limit of values was met; for what does not pass the values on itself.
  void TakeOverflow() { Made(kNone); }
  bool HasRoomFor(std::span<const Value> row);
  bool HasTimeFor(std::size_t values);

  /// Of the rules that derive, the first clause each that was undefined since the rule's rows were
  /// dropped: its row is absent, and so is a word about it elsewhere.
  std::map<const Definition*, std::string> undefined;
  /// Of the rules that derive, those of which a row may be absent because a clause is undefined.
  std::set<const Definition*> partial;
  /// Relations that a rule whose head is an expansion may feed and did not because a clause of it
  /// is undefined, as the text says; kNoId: any relation.
  std::map<RelationId, std::string> unfed;
  /// The rule that answers what it established before: its guards hold, and only recorded truths
  /// come out (decision 99). Null for none.
  const Definition* again = nullptr;
  /// " for ?a = 1, ?z = 0": what the variables of a clause are bound to, "" for none.
  std::string BoundIn(const Clause& clause, std::span<const Value> slots,
                      const std::vector<std::string>& names) const;

  /// The best rows of a relation with an extremum that is derived now or was before; null for
  /// others.
  BestRows* BestOf(RelationId relation) const {
    return relation < best_rows_.size() ? best_rows_[relation].get() : nullptr;
  }
  /// The same, made if missing.
  BestRows& KeepBest(RelationId relation, Extremum extremum);
  void ForgetBest() { best_rows_.clear(); }

  Frame& frame() { return *frame_; }
  /// The rule whose plan runs now, or null.
  const Definition* rule() const { return frame_ != nullptr ? frame_->def : nullptr; }
  Mode mode() const { return mode_; }
  /// The counters of this evaluation, or null.
  Profile* profile() const { return limits_.profile; }
  const Limits& limits() const { return limits_; }

 private:
  bool RunCompare(const Step& s);
  bool RunMember(const Step& s);
  bool RunTemporal(const Step& s);
  bool RunStep(const Step& s);
  bool RunExcusing(const Step& s);
  bool IsExcusedBefore(const Step& s);
  bool RunAtom(const Step& s);
  bool RunRows(const Step& s);
  bool CountsRows(const Step& atom) const;
  bool CountsTable(const Step& count) const;
  struct Rows {
    RowId begin = 0, end = 0;
    const RowId* listed = nullptr;  // by an index: these are places in it; null: row ids
    std::vector<RowId> own = {};    // where they are, unless in the index
    RowId size() const { return end > begin ? end - begin : 0; }
  };
  Rows Scanned(const Step& s) const;
  std::optional<Rows> RowsOf(const Step& s, RowId from);
  template <typename Fn>
  bool ForEachRow(const Step& s, Fn&& fn, RowId from = 0);
  template <typename Fn>
  bool VisitRows(const Step& s, RowId from, Fn&& fn);
  RuleLoop* LoopAt(const Step& s, std::uint64_t source, Table* table);
  bool RunSettling(RuleLoop& loop, std::size_t at, Continuation run);
  bool WaitAgain(WaitingRow& row);
  void DisturbByWaiting(const OpenCall& call, Waiting::Of of);
  Waiting::Of KindsOf(const OpenCall& call) const;
  void ReadTable(const Table& table);
  bool RunCollected(const Step& s);
  bool RunTable(const Step& s);
  bool RunTable(const Step& s, std::vector<Value> key, Extent extent, bool* chose);
  static bool LacksMeaningAlone(const Table& table);
  bool DoubtTable(const Step& s, Table& table);
  bool TakeTable(const Step& s, Table& table);
  bool RunExternal(const Step& s);
  bool Failed(const Relation& tool, RowId row) const;
  void LackReply(RelationId tool, RowId row);
  void LackField(const Metadata& field);
  bool RunTruth(const Step& s);
  bool RunAvar(const Step& s);
  bool WaitFor(const Step& s, OpenCall call);
  bool ReadOn(const Step& s, bool asked);
  bool AskForArgument(const Step& s, std::vector<Value> key);
  Table* DemandNested(RelationId relation, std::vector<Value> key, bool activation = false,
                      Extent extent = {});
  bool Keys(const Step& s, std::vector<Value>& out);
  bool BindCells(const Step& s, RowView cells);
  bool TakeCells(const Step& s, RowView cells, Value row_ref, RowUsed used);
  bool MatchCells(const Step& s, RowView cells, std::span<const SetOrder> orders, std::size_t at);
  bool RunNot(const Step& s);
  bool RunBranch(const Step& s);
  bool RunCount(const Step& s, std::int64_t count);
  bool RunCountAtom(const Step& s);
  bool RunCountForm(const Step& s);
  bool RunFirst(const Step& s);
  bool RunDistinct(const Step& s);
  bool RunExpand(const Step& s);
  Value FormIn(SlotId slot);
  bool ForEachOfForm(Value form, Continuation fn, Value* row_ref);
  bool RunShow(const Step& s);
  bool RunReadText(const Step& s);
  bool RunMetadata(const Step& s);
  bool RunAggregate(const Step& s);
  bool RunGoalFalse(const Step& s);
  bool RunStanding(const Step& s);
  bool RunLoop(const Step& s);
  bool RunCheck(const Step& s);
  /// Runs a nested plan, calling `fn` at its end.
  Undecided RunBody(const Step* body, Continuation fn);
  /// The same; `doubted` is called at an end that is not decided, and returns whether that makes no
  /// difference.
  Undecided RunBody(const Step* body, Continuation fn, const Continuation* doubted);
  template <typename Fn>
  Undecided Apart(Fn&& run);
  bool Emit();
  bool EmitRow();
  bool EmitBetter(BestRows& best, RelationId head, std::span<const Value> row);
  bool CountNew(std::size_t added);
  bool IsJoin(const Plan& plan) const;
  bool IsBetterAlone(const Join& join) const;
  bool IsWatched(const Derivation& derivation) const;
  void DeriveWatched(Derivation derivation);
  struct OuterRows {
    std::size_t begin = 0, end = SIZE_MAX;
  };
  std::uint64_t DeriveAlone(const Plan& plan, OuterRows rows, JoinCounts& counts);
  std::size_t Shared(std::span<const Derivation> work);
  std::uint64_t DeriveShared(std::span<const Derivation> work, OuterRows rows, JoinCounts& counts);
  void Count(const Plan& plan, const JoinCounts& counts);
  bool Stage(Relation& head, std::span<const Value> row);
  void StageFor(Relation& head);
  void Flush();
  std::size_t MostNew() const;
  bool HasRoom(std::size_t bytes);
  bool HasRoomToStore(const Relation& relation);
  bool EmitAnswer();
  void TakeRow(std::vector<Value> row);
  Value Evaluate(const Step& s, const Expr& e);
  void Undefined(const Step& s, const std::string& why);
  void TakeUndefined(const Definition& def, const Plan& plan,
                     const std::optional<JoinRun::UndefinedStep>& undefined);
  bool Doubt(const Step& s);
  bool DoubtFor(const Step& s, const std::string& why);
  bool DoubtAbsence(const Step& s, const Undecided& why);
  bool ReadsUnknown(const Step& s) const;
  bool TakeDoubt();
  std::string UndefinedText(std::string_view what, const std::string& with, Span at,
                            const std::string& why) const;
  Value BindingsOf(const OwnSlots& own, const std::vector<SlotId>& rows);
  Value AvarValue(RelationId channel) const;
  void TakeSnapshot(const Step& s, const Step* from);
  void Note(std::string why);
  void NoteEmpty(Table& table);
  void Poll();
  void Watch(std::size_t bytes);
  void StopAt(Stop why);
  const Definition* Growing() const;
  void Waits(const Table& table);
  /// The calls that may be made for what is tried now.
  Waiting::Of Meant() const { return frame_->asked ? Waiting::kQuestions : Waiting::kAll; }
  Value Made(Value v);

  const Program& program_;
  Store& store_;
  Pool& pool_;
  const Catalog& catalog_;
  Demands& demands_;
  const Limits& limits_;
  RowMetadata metadata_;

  Frame* frame_ = nullptr;
  const Step* from_ = nullptr;  // for the next Run: see TakeSnapshot
  Value* slots_ = nullptr;
  Mode mode_ = Mode::kDerive;
  const Continuation* found_ = nullptr;    // called at the end of a nested plan
  const Continuation* doubted_ = nullptr;  // likewise, if it is not decided; null: it is lacking
  std::vector<Value>* tuple_ = nullptr;    // counting: the cells of the current rows
  // Counting the rows of one table, of which nothing else is asked: the step that reads them.
  struct Counting {
    const Step* step = nullptr;
    std::int64_t* rows = nullptr;
  };
  Counting counting_;
  bool guards_ = false;  // within the body of a guard, which reads its goal as it stands
  // Derived rows are staged until their slots in the hash table have been prefetched. That is safe:
  // rows derived in a round are not read before the next one.
  Relation* staged_head_ = nullptr;
  RowBatch staged_;
  std::unique_ptr<ParallelJoin> workers_;  // made when a join is large enough
  std::unordered_map<const Join*, std::optional<double>> yields_;  // see ParallelJoin::Job
  std::unordered_map<const Join*, JoinRun::Memory> seen_;          // during Rounds
  std::vector<std::unique_ptr<BestRows>> best_rows_;               // by relation
  std::uint32_t ticks_ = 0;
  std::uint64_t disturbed_ = 0;
  std::uint64_t disturbed_by_waiting_ = 0;  // of these, by a call that is in `waits_for_`
  std::vector<WaitingRow::For>* waits_for_ = nullptr;  // of the row of a loop, or null
  std::size_t depth_ = 0;
};

// Calls `run` and returns what it left undecided; the frame's own state is as before.
template <typename Fn>
Undecided Machine::Apart(Fn&& run) {
  Waiting waits = std::exchange(frame_->waits, {});
  const std::uint8_t lacking = std::exchange(frame_->lacking, 0);
  const bool undecided = frame_->undecided;
  const bool doubtful = std::exchange(frame_->doubtful, false);
  const bool by_absence = std::exchange(frame_->by_absence, false);
  const RelationId unfinished = std::exchange(frame_->unfinished, kNoId);
  const std::size_t answers = frame_->answers;
  run();
  frame_->answers = answers;
  frame_->undecided = undecided;
  frame_->doubtful = doubtful;
  frame_->by_absence = by_absence;
  return {std::exchange(frame_->waits, std::move(waits)), std::exchange(frame_->lacking, lacking),
          std::exchange(frame_->unfinished, unfinished)};
}

}  // namespace rpl

#endif  // RPL_INTERP_EVAL_MACHINE_H_
