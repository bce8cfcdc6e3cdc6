// SPDX-License-Identifier: Apache-2.0
//
// The choice of a rule's plan: the orders of its atoms that promise to be cheap are tried on a few
// of their outer rows.
//
// The plan as written stays, since it determines the order of rows, unless another one is cheaper
// by `Limits::min_gain`. A trial runs the join of a plan for some of its outer rows, evenly spread,
// and counts its probes and the rows that it reads; so values that are in many rows of several
// relations count as often as they are met, which no estimate from sizes alone knows. A delta of
// another magnitude has a choice of its own, and when relations have grown much the choice is made
// again. A profile gets the costs expected from the trial of the chosen plan.
//
// Few outer rows may find so many others that a plan costs a multiple of what its trial lets
// expect, and the trial may miss all of them. So the first run of a chosen plan is watched
// (Derivation::instead): where it takes far more, what it takes counts from then on in place of the
// trial, and the plan that is now the cheapest runs from its first row on. Each plan is given up
// at most once.
//
// All of it is a function of the program and its rows, so the same rows are derived in the same
// order by any number of threads, and by a replay.
#ifndef RPL_INTERP_EVAL_PLAN_CHOICE_H_
#define RPL_INTERP_EVAL_PLAN_CHOICE_H_

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "interp/plan/analysis.h"
#include "interp/store/thread_pool.h"

namespace rpl {

class PlanChoice {
 public:
  /// Borrows all of them. `keep_on` stops trials.
  PlanChoice(Store& store, const Analysis& analysis, const Limits& limits, const KeepOn& keep_on)
      : store_(store), analysis_(analysis), limits_(limits), keep_on_(keep_on) {}

  /// The plan over all rows, which runs next. Valid, as those from deltas, until the next
  /// Analysis::Make. Borrows the rule and the marks.
  Derivation Full(DerivedRule& rule, const std::vector<Marks>& marks) {
    return Choose({rule, rule.full, -1, marks});
  }
  /// The plan that reads the delta of an atom.
  Derivation FromDelta(DerivedRule& rule, DerivedRule::Delta& delta,
                       const std::vector<Marks>& marks) {
    return Choose({rule, delta.plans, delta.position, marks});
  }

  /// Forgets which indexes the chosen plans use. REQUIRED after every Analysis::Make.
  void Forget() { probed_.clear(); }

 private:
  using Probes = std::set<std::pair<RelationId, Columns>>;
  using Chosen = DerivedRule::Plans::Chosen;

  /// What a plan is to do.
  struct Task {
    DerivedRule& rule;
    DerivedRule::Plans& plans;
    int delta;  // the position of its atom, or -1
    const std::vector<Marks>& marks;

    RowId DeltaRows() const;
  };
  Derivation Choose(const Task& task);
  static double CostOf(const Task& task, const Chosen& chosen);
  Derivation Watched(const Task& task, Chosen& chosen);
  std::optional<Derivation> Instead(const Task& task, Chosen& chosen, double cost);
  struct Trial {
    double cost;  // probes and rows
    std::vector<ExpectedReads> steps;
  };
  const Plan& Cheapest(const Task& task, Chosen& chosen);
  std::optional<Trial> Try(const Plan& plan, const Task& task, const Chosen& chosen, double most);
  std::optional<Trial> Try(const Plan& plan, const std::vector<Marks>& marks, double most);
  double MissingIndexes(const Plan& plan, const std::vector<Marks>& marks) const;
  void Use(const Plan& plan);

  Store& store_;
  const Analysis& analysis_;
  const Limits& limits_;
  const KeepOn& keep_on_;
  Probes probed_;  // by the plans in use
};

}  // namespace rpl

#endif  // RPL_INTERP_EVAL_PLAN_CHOICE_H_
