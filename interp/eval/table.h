// SPDX-License-Identifier: Apache-2.0
//
// Tables of answers: the memo of top-down evaluation. Plain data, shared by interp/eval/machine.h,
// which fills it, and interp/eval/solver.h, which decides what to fill.
#ifndef RPL_INTERP_EVAL_TABLE_H_
#define RPL_INTERP_EVAL_TABLE_H_

#include <bit>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "interp/eval/evaluation.h"
#include "interp/eval/resumption.h"
#include "interp/eval/waiting.h"
#include "interp/program/clause.h"
#include "interp/store/relation_id.h"

namespace rpl {

/// A row that an answer rests on.
struct Premise {
  RelationId relation = kNoId;
  std::vector<Value> row;
};

/// Position of a row that an answer rests on: in a table, or in the store if `from` is null.
/// Valid until the tables are dropped or the relation loses rows.
struct RowUsed {
  struct Table* from = nullptr;
  RelationId relation = kNoId;
  RowId row = 0;
};

/// Distinct rows in answer order, one after another. A program may have millions of tables with a
/// row or two: a search goes through the cells until there are many.
class AnswerRows {
 public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// Good until a row is added.
  std::span<const Value> operator[](std::size_t row) const {
    if (ends_ == nullptr) return {cells_.data() + row * width_, width_};
    const std::size_t begin = row == 0 ? 0 : (*ends_)[row - 1];
    return {cells_.data() + begin, (*ends_)[row] - begin};
  }
  std::span<const Value> front() const { return (*this)[0]; }
  /// Adds a row unless it is there; true when it was new.
  bool Add(std::span<const Value> row);
  /// Its position, or kNoId.
  std::uint32_t Find(std::span<const Value> row) const;
  bool Has(std::span<const Value> row) const { return Find(row) != kNoId; }

 private:
  static constexpr std::size_t kFew = 16;

  std::vector<Value> cells_;
  std::unique_ptr<std::vector<std::size_t>> ends_;  // of rows, when these differ in width
  std::unique_ptr<IdTable> index_;                  // when there are many
  std::uint32_t size_ = 0;
  std::uint32_t width_ = 0;
};

/// The best row of each group so far, of a table with an extremum that may be read while it is
/// evaluated. Like derived rows (interp/eval/best_rows.h), those that a better one followed stay
/// until the table is complete, and nothing reads them any more.
struct BestSoFar {
  std::map<std::vector<Value>, std::uint32_t> rows;  // by group: a row, without its value
  std::vector<bool> beaten;                          // by row; those beyond its size are not

  bool IsBeaten(std::uint32_t row) const { return row < beaten.size() && beaten[row]; }
};

/// What of a call a table has.
struct Extent {
  bool before = false;      // what holds without rules that guard themselves (Catalog)
  bool all = false;         // also what plans give behind the first that is not unsatisfied
  bool input_free = false;  // only rows that need no argument but those of the key
  Columns loose = 0;        // candidates for these columns (Catalog::LooseOf); the others are nil

  bool operator==(const Extent&) const = default;
};

/// Answers of one tabled call: of a relation with some arguments bound, or of a goal.
struct Table {
  RelationId relation = kNoId;
  int rule = -1;           // goals: the definition that answered, or that is pending
  std::vector<Value> key;  // per argument: its value, or kNone while free
  Extent extent = {};
  AnswerRows rows;
  bool pending = false;      // it waits for calls, see Details
  std::uint8_t lacking = 0;  // of Lack: some row may be missing
  bool undecided = false;    // an answer that rests on absence was withheld (decision 80)
  bool vague = false;        // a meaning is lacking for other rows than Details::doubted
  bool eligible = false;     // goals: some rule's activation holds or is pending
  bool forced = false;       // @each stands in a rule of it or below: all its answers are pursued
  bool chose = false;        // a plan of it or below is taken, and others are left

  // State of its evaluation; see Solver::Complete.
  bool acts = false;      // evaluating it may reach a goal or show something
  bool explains = false;  // so that `reason` says why there is no answer
  bool complete = false;
  bool running = false;
  bool visited = false;
  bool recursive = false;  // it read tables that were being evaluated
  // What was open after earlier evaluations, which gave the same rows.
  bool was_pending = false;
  std::uint8_t was_lacking = 0;
  bool was_undecided = false;
  bool was_vague = false;
  std::uint8_t was_waiting = 0;   // for these kinds of calls
  RelationId ineligible = kNoId;  // the goal without an eligible rule that prevented an answer
  std::uint32_t position = 0;     // among the running tables
  std::uint32_t depth = 0;        // of the calls nested in its evaluation
  Table* lowest = nullptr;        // outermost of the running tables that this one read, or null
  /// The fewest rows that a reader had taken when it was done, while the table was incomplete.
  std::size_t least_read = SIZE_MAX;

  /// Few tables have any of this.
  struct Details {
    std::vector<std::vector<Premise>> premises;  // goals only, per row
    std::vector<Value> maps;                     // goals only, per row: its bindings map
    std::vector<int> rules;                      // goals only, per row: its definition, or -1
    std::vector<Value> captures;                 // goals: slot names of the columns
    std::vector<Table*> used;  // tables with goals or $json that answers rest on, in order
    std::unordered_set<const Table*> known_used;
    std::vector<std::pair<const Clause*, Value>> shown;  // $json: clause, value
    std::string undefined;                               // built-in relations: see BuiltinCall
    std::string doubt;                                   // the clause that lacks a meaning
    AnswerRows doubted;               // rows of which it is not known whether they are answers
    std::vector<bool> withheld;       // of these, per row: one that rests on absence
    Waiting waits;                    // pending tables only
    std::string reason;               // for the lack of answers; "": unknown
    std::unique_ptr<BestSoFar> best;  // see there
  };
  Details& more() {
    if (details == nullptr) details = std::make_unique<Details>();
    return *details;
  }
  const Details& more() const {
    static const Details kNothing;
    return details == nullptr ? kNothing : *details;
  }
  std::unique_ptr<Details> details;

  std::unique_ptr<TableRecord> record;
  TableRecord& recorded() {
    if (record == nullptr) record = std::make_unique<TableRecord>();
    return *record;
  }
  /// What the next table for this call begins with, or null.
  Lasting* lasting() const { return record == nullptr ? nullptr : record->lasting.get(); }

  void Wait(const Waiting& for_calls) {
    if (for_calls.empty()) return;
    more().waits.Add(for_calls);
    pending = true;
  }
  /// Keeps what is open for those that read the table while it is evaluated once more. Returns how
  /// much that is.
  int KeepOpen() {
    was_pending |= pending;
    was_lacking |= lacking;
    was_undecided |= undecided;
    was_vague |= vague;
    if (pending) was_waiting |= more().waits.has();
    return int{was_pending} + std::popcount(was_lacking) + int{was_undecided} + int{was_vague} +
           std::popcount(was_waiting);
  }
  const BestSoFar* best() const { return details == nullptr ? nullptr : details->best.get(); }
  /// Rows of either kind.
  std::size_t AllRows() const {
    return rows.size() + (details == nullptr ? 0 : details->doubted.size());
  }
  /// Counts what is doubted as lacking, unless it is an answer as well.
  void SettleDoubts();
  /// Keeps only what an answer cannot do without.
  void KeepTools() {
    if (!pending) return;
    more().waits.KeepTools();
    pending = !more().waits.empty();
  }
  void ClearWaits() {
    if (std::exchange(pending, false)) more().waits = {};
  }
};

/// Source of tables: the Machine, which runs plans, calls it for tabled relations; the Solver
/// implements it.
class Demands {
 public:
  virtual ~Demands() = default;
  /// The table of a call, evaluated as far as possible now. It is incomplete if the call is part of
  /// its own evaluation.
  virtual Table& Demand(RelationId relation, std::vector<Value> key, Extent extent = {}) = 0;
  /// What a call of a heading asks for that has no rows; nullopt where it is known that there are
  /// none.
  virtual std::optional<OpenCall> Asked(RelationId heading, const std::vector<Value>& key) = 0;
  /// The reason why a complete table has no answers; "" when unknown.
  virtual const std::string& WhyEmpty(Table& table) = 0;
  /// The tables of a goal that are being evaluated.
  virtual std::vector<const Table*> Running(RelationId goal) const = 0;
};

}  // namespace rpl

#endif  // RPL_INTERP_EVAL_TABLE_H_
