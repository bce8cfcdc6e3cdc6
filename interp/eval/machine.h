// SPDX-License-Identifier: Apache-2.0
//
// Running plans (interp/plan/plan.h): the one evaluator that deriving and solving share.
//
// Clause order is the plan's, so answers appear in the author's nested-loop order. A set
// splits into instances where a relation's rows were distributed or `~` meets it (§7),
// nowhere else. `not` holds when its body has no answer, waits for nothing and lacks nothing;
// otherwise it is undecided, and so is what stands on it (decisions 56, 80). Counts, choices
// and checks treat both alike.
//
// A body waits for a call without a reply. It lacks a call that failed, was refused or was
// declined, or rows that a limit kept out. A clause that reads the status of a failed call
// knows what became of it, and lacks nothing.
//
// A call that has no reply gives no answer and is noted in Evaluation::calls. Behind a call to a
// tool the plan is read on, so that independent calls go out together, until a clause
// needs the missing value; behind a question to a person it is not.
//
// Borrows everything. One thread; re-entrant through Use: evaluating a demanded table
// runs another rule's plan while the first one waits.
#ifndef RPL_INTERP_EVAL_MACHINE_H_
#define RPL_INTERP_EVAL_MACHINE_H_

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "interp/eval/evaluation.h"
#include "interp/eval/parallel_join.h"
#include "interp/eval/table.h"
#include "interp/eval/unifier.h"
#include "interp/plan/limits.h"
#include "interp/plan/plan.h"
#include "interp/program/metadata.h"

namespace rpl {

/// The bindings of one rule while one of its plans runs, and what the run gave.
struct Frame {
  const Definition* def = nullptr;
  const std::vector<std::string>* names = nullptr;
  std::vector<Value> slots;
  Table* table = nullptr;                // solving: where answers go
  const Continuation* answer = nullptr;  // or who is told of them
  bool unknown = false;                  // some slot awaits a call
  bool pending = false;
  bool lacking = false;    // what failed, was refused, declined or cut off might have answered
  bool undecided = false;  // for that reason an answer was withheld that rests on absence
  bool pending_question = false;
  bool pending_call = false;
  std::size_t answers = 0;  // emitted so far, and ends of nested plans reached
  std::size_t emitted = 0;
  std::size_t repeated = 0;   // of them, those that gave no new row
  const Step* end = nullptr;  // where the plan ended with the answer emitted last
  // Why there is no answer: the step that got furthest, with what was bound there, or the
  // first operator that said why it cannot hold.
  const Step* deepest = nullptr;
  std::vector<Value> snapshot;
  std::string note;
  RelationId ineligible = kNoId;  // see Table
  std::vector<RowUsed> path;      // what the current answer rests on, in the plan's order
  std::vector<std::pair<const Clause*, Value>> shown;
  std::map<const Clause*, std::set<std::vector<Value>>> distinct;

  Frame(const Definition* definition, const std::vector<std::string>& slot_names)
      : def(definition), names(&slot_names), slots(slot_names.size()) {}
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

  /// How many derived rows are inserted at a time.
  static constexpr std::size_t kStaged = 64;
  /// Before a relation grows by as many bytes the limits are asked.
  static constexpr std::size_t kMuch = std::size_t{1} << 25;

  /// Makes `frame` the current one for a time.
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
    std::vector<Value>* tuple_;
    Mode mode_;
  };

  /// Runs a plan from `step` in the current frame; false when someone stopped it.
  bool Run(const Step* step);

  /// Runs the first of these deriving plans, which is of the current frame's rule, and those after
  /// it that a thread pool does at once with it. Returns how many. When a limit was reached,
  /// the frame is of the rule that reached it.
  std::size_t Derive(std::span<const Derivation> work);

  /// The values of the head's arguments in the current frame; empty when one has none.
  std::vector<Value> HeadRow(const Definition& def);

  /// Adds a row of the head to the current frame's table, with what it rests on and shows:
  /// the frame's `path` and `shown`.
  void TakeAnswer(std::vector<Value> row);

  /// Whether the row agrees with what the table's call binds.
  bool Means(const Table& table, std::span<const Value> row) const;

  Premise PremiseOf(const RowUsed& used) const;

  /// Notes a call to make, unless it was declined or refused (then false, with the reason).
  bool Open(const OpenCall& call, std::string* why);
  std::string CallText(const OpenCall& call) const;
  CallId IdOf(const OpenCall& call) const;
  /// "$check(1) failed: no route to host"
  std::string FailureText(const OpenCall& call, const std::string& message) const;

  // What runs read and leave; the solver clears and passes it on.
  Given given;
  const std::vector<Marks>* marks = nullptr;  // by relation; deriving only
  std::size_t new_rows = 0;                   // rows derived so far
  Evaluation evaluation;
  std::vector<BadHead> bad_heads;  // what #?h heads met that is no head
  bool truncated = false;          // a limit stopped the fixpoint: absence proves nothing

  /// Asks the limits once in many calls; false when one stopped the run.
  bool Polled() {
    Poll();
    return evaluation.stop == Stop::kGoesOn;
  }
  /// Polls the limits in the course of long work; false when one stopped it.
  const KeepOn within_limits = [this] {
    Watch(0);
    return evaluation.stop == Stop::kGoesOn;
  };

  Frame& frame() { return *frame_; }
  /// The rule whose plan runs now, or null.
  const Definition* rule() const { return frame_ != nullptr ? frame_->def : nullptr; }
  Mode mode() const { return mode_; }
  /// What evaluation is counted by, or null.
  Profile* profile() const { return limits_.profile; }

 private:
  std::string AvarOf(const OpenCall& call) const;
  bool RunCompare(const Step& s);
  bool RunMember(const Step& s);
  bool RunTemporal(const Step& s);
  bool RunAtom(const Step& s);
  bool RunRows(const Step& s);
  bool CountsRows(const Step& atom) const;
  struct Rows {
    RowId begin, end;
    RowId size() const { return end > begin ? end - begin : 0; }
  };
  Rows Scanned(const Step& s) const;
  template <typename Fn>
  bool ForEachRow(const Step& s, Fn&& fn);
  template <typename Fn>
  bool VisitRows(const Step& s, Fn&& fn);
  bool RunTable(const Step& s);
  bool TakeTable(const Step& s, Table& table);
  bool RunExternal(const Step& s);
  bool Failed(const Relation& tool, RowId row) const;
  void LackReply(RelationId tool, RowId row);
  void LackField(const Metadata& field);
  bool RunTruth(const Step& s);
  bool RunAvar(const Step& s);
  bool WaitFor(const Step& s, OpenCall call, bool question);
  bool ReadOn(const Step& s);
  bool AskForArgument(const Step& s, std::vector<Value> key);
  Table* DemandNested(RelationId relation, std::vector<Value> key, const std::string& what);
  bool Keys(const Step& s, std::vector<Value>& out);
  bool BindCells(const Step& s, const Value* cells);
  bool TakeCells(const Step& s, std::span<const Value> cells, Value row_ref, RowUsed used);
  bool MatchCells(const Step& s, std::span<const Value> cells, std::size_t at);
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
  bool IsRecorded(const Step& s);
  bool RunLoop(const Step& s);
  bool RunCheck(const Step& s);
  /// Runs a nested plan, calling `fn` at its end.
  Undecided RunBody(const Step* body, Continuation fn);
  template <typename Fn>
  Undecided Apart(Fn&& run);
  void Leave(Undecided why);
  Undecided Absent(Undecided open) const;
  bool Emit();
  bool EmitRow();
  bool CountNew(std::size_t added);
  bool IsJoin(const Plan& plan) const;
  std::size_t Shared(std::span<const Derivation> work);
  void DeriveShared(std::span<const Derivation> work);
  bool Stage(Relation& head, std::span<const Value> row);
  void StageFor(Relation& head);
  void Flush();
  std::size_t MostNew() const;
  bool HasRoom(std::size_t bytes);
  bool EmitAnswer();
  void TakeRow(std::vector<Value> row);
  Value Evaluate(const Expr& e);
  Value BindingsOf(const OwnSlots& own, const std::vector<SlotId>& rows);
  Value AvarValue(RelationId channel) const;
  void Note(std::string why);
  void Poll();
  void Watch(std::size_t bytes);
  void Waits(const Table& table);
  Value Made(Value v);

  const Program& program_;
  Store& store_;
  Pool& pool_;
  const Catalog& catalog_;
  Demands& demands_;
  const Limits& limits_;
  RowMetadata metadata_;

  Frame* frame_ = nullptr;
  Value* slots_ = nullptr;
  Mode mode_ = Mode::kDerive;
  const Continuation* found_ = nullptr;  // what a nested plan's end calls
  std::vector<Value>* tuple_ = nullptr;  // counting: the cells of the rows that are taken
  // Derived rows wait here, so that their places in the table are in the cache when they
  // are inserted. Rows derived in a round are not read before the next one.
  Relation* staged_head_ = nullptr;
  RowBatch staged_;
  std::unique_ptr<ParallelJoin> workers_;  // made when a join is large enough
  std::unordered_map<const Join*, std::optional<double>> yields_;  // of joins, as ParallelJoin says
  std::uint32_t ticks_ = 0;
  std::size_t depth_ = 0;
};

// What `run` leaves undecided, which does not count for the frame.
template <typename Fn>
Undecided Machine::Apart(Fn&& run) {
  const bool pending = std::exchange(frame_->pending, false);
  const bool lacking = std::exchange(frame_->lacking, false);
  const bool undecided = frame_->undecided;
  run();
  frame_->undecided = undecided;
  return {std::exchange(frame_->pending, pending), std::exchange(frame_->lacking, lacking)};
}

}  // namespace rpl

#endif  // RPL_INTERP_EVAL_MACHINE_H_
