// SPDX-License-Identifier: Apache-2.0
//
// Constraints from one timestep to the next: only what changed is checked again.
//
// A constraint that reads nothing but rows is checked whole once. After that
//
//   nothing that it reads changed       what it forbids is told again, nothing is read
//   only rows were added, none of them  the left side is joined from the new rows; instances
//   under `not`, a count or the like    that were violated are judged again where the right
//                                       side may hold by now
//   anything else                       it is checked whole: rows went, or their absence counts
//
// What stands violated is told every time, in the order in which checking it whole tells it:
// that of the left side's nested loop. An instance that holds is told when it is new, or no
// longer violated; those that held before may be left out.
//
// A constraint that reaches goals, calls, avars, tabled relations, metadata or the clock is
// checked whole each time, and so is every one while a limit has cut off the fixpoint.
//
// Borrows store, analysis and solver. To be asked once per state of the store.
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

  /// Like Solver::CheckConstraint. A limit that stopped it is the machine's `stop`, and
  /// nothing is known of the constraint then.
  Undecided Check(const Constraint& c, const Tell& tell);

  /// How often constraints were checked in each way, and instances judged.
  struct Counts {
    std::size_t whole = 0;
    std::size_t unchanged = 0;
    std::size_t from_new_rows = 0;
    std::size_t judged = 0;
  };
  const Counts& counts() const { return counts_; }

 private:
  /// An instance that is violated, and the first rows of the left side's atoms that it rests
  /// on, in the order of its plan: instances are told in the order of these.
  struct Instance {
    std::vector<RowId> rows;
    std::vector<Value> slots;
  };
  /// A relation that the constraint reads, and how it stood when it was checked last.
  struct Read {
    RelationId relation;
    bool on_left = false;   // by an atom of the left side
    bool on_right = false;  // by an atom of the right side
    bool whole = false;     // its rows' absence may count
    RowId size = 0;
    std::uint32_t epoch = 0;
  };
  struct Delta {
    RelationId relation;
    std::unique_ptr<Plan> plan;
  };
  struct Kept {
    bool known = false;
    bool only_rows = false;  // it reads nothing else
    bool joins = false;      // its left side is a join, that `deltas` start
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
