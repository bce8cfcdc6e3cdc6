// SPDX-License-Identifier: Apache-2.0
//
// Incremental checking of constraints (§10) from one timestep to the next.
//
// A constraint that reads only rows is checked completely once. After that, by what changed:
//
//   nothing that it reads               the violated instances are reported again
//   only rows were added, none of them  the left side is joined from the new rows; violated
//   under `not`, a count or the like    instances are judged again if the right side may hold
//                                       by now
//   anything else                       it is checked completely: rows were removed, or their
//                                       absence counts
//
// Every check reports all violated instances, in the order of a complete check: that of the left
// side's nested loop. An instance that holds is reported when it is new or no longer violated;
// those that held before may be omitted.
//
// A constraint that reaches goals, calls, avars, tabled relations, metadata or the clock is
// checked completely each time, and so is every constraint while a limit has cut off the fixpoint.
//
// Borrows store, analysis and solver. REQUIRES: one Check per constraint and state of the store.
#ifndef RPL_INTERP_EVAL_CONSTRAINT_WATCH_H_
#define RPL_INTERP_EVAL_CONSTRAINT_WATCH_H_

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "interp/eval/solver.h"
#include "interp/plan/analysis.h"

namespace rpl {

class ConstraintWatch {
 public:
  ConstraintWatch(Store& store, const Analysis& analysis, Solver& solver)
      : store_(store), analysis_(analysis), solver_(solver) {}

  using Tell = std::function<void(const std::vector<Value>& slots, Solver::Judgement)>;

  /// Like Solver::CheckConstraint. If a limit stops it, Evaluation::stop says so and the reports
  /// are incomplete.
  Undecided Check(const Constraint& c, const Tell& tell);

  /// Checks so far, by kind, and instances judged.
  struct Counts {
    std::size_t whole = 0;
    std::size_t unchanged = 0;
    std::size_t from_new_rows = 0;
    std::size_t judged = 0;
  };
  const Counts& counts() const { return counts_; }

 private:
  /// A violated instance. `rows`: for each atom of the left side, in plan order, the first row that
  /// agrees with the slots. Instances are reported in the lexicographic order of `rows`.
  struct Instance {
    std::vector<RowId> rows;
    std::vector<Value> slots;
  };
  /// A relation that the constraint reads, with its state at the last check.
  struct Read {
    RelationId relation;
    bool on_left = false;   // by an atom of the left side
    bool on_right = false;  // by an atom of the right side
    bool whole = false;     // the absence of rows may count
    RowId size = 0;
    std::uint32_t epoch = 0;
  };
  struct Delta {
    RelationId relation;
    std::unique_ptr<Plan> plan;
  };
  struct Kept {
    bool known = false;
    bool only_rows = false;  // reads nothing but rows
    bool joins = false;      // the left side is a join, with a plan from each delta in `deltas`
    std::vector<Read> reads;
    std::vector<const Step*> atoms;  // of the left side's plan
    std::vector<Delta> deltas;
    std::vector<Instance> violated;
  };

  Kept Look(const Constraint& c) const;
  Undecided CheckWhole(const Constraint& c, Kept& kept, const Tell& tell);
  bool CheckNew(const Constraint& c, Kept& kept, const Tell& tell);
  std::vector<RowId> FirstRows(const Kept& kept, const std::vector<Value>& slots);
  void Remember(Kept& kept) const;
  bool GoesOn() const { return solver_.found().stop == Stop::kGoesOn; }

  Store& store_;
  const Analysis& analysis_;
  Solver& solver_;
  std::uint64_t analysis_known_ = 0;
  std::map<int, Kept> kept_;  // by the constraint's number
  std::vector<Marks> marks_;  // by relation
  Counts counts_;
};

}  // namespace rpl

#endif  // RPL_INTERP_EVAL_CONSTRAINT_WATCH_H_
