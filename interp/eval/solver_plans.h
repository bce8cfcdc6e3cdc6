// SPDX-License-Identifier: Apache-2.0
//
// The plans that a solver keeps: internal to solver*.cc.
#ifndef RPL_INTERP_EVAL_SOLVER_PLANS_H_
#define RPL_INTERP_EVAL_SOLVER_PLANS_H_

#include <algorithm>
#include <vector>

#include "interp/eval/machine.h"
#include "interp/eval/profile.h"
#include "interp/eval/solver.h"

namespace rpl {

inline std::vector<const Clause*> Pointers(const Clauses& clauses) {
  std::vector<const Clause*> out;
  for (const Clause& c : clauses) out.push_back(&c);
  return out;
}

inline Profile::Kind KindOf(const Relation& relation) {
  return relation.space() == Space::kGoal ? Profile::Kind::kGoal : Profile::Kind::kDemanded;
}

// The plan under this key, made by `make` if there is none. `lasts`: kept until the analysis is
// remade, as for rules of the program; else, as for queries, until Forget.
template <typename Make>
const Plan& Solver::PlanOf(const void* owner, bool lasts, int part, const std::vector<bool>& bound,
                           Make&& make) {
  const Plan& plan = KeptPlan(owner, lasts, part, bound, make);
  CountRun(plan, bound, part);
  return plan;
}

template <typename Make>
const Plan& Solver::KeptPlan(const void* owner, bool lasts, int part,
                             const std::vector<bool>& bound, Make&& make) {
  const Mode mode = machine_->mode();
  std::vector<Planned>& known = (lasts ? plans_ : query_plans_)[owner];
  auto at = std::find_if(known.begin(), known.end(), [&](const Planned& p) {
    return p.part == part && p.mode == mode && p.bound == bound;
  });
  if (at == known.end()) {
    known.push_back({part, mode, bound, make(Planner(analysis_, store_, mode))});
    at = known.end() - 1;
  }
  return *at->plan;
}

// Runs the rule's plan under `part`, which `make` makes of what the call binds, up to its first
// answer with the `wanted` row.
template <typename Make>
Solver::FirstAnswer Solver::FindFirst(const Definition& def, std::span<const Value> key, int part,
                                      Make&& make, std::span<const Value> wanted) {
  FirstAnswer out;
  Frame frame(&def, def.slots);
  const auto first = [&] {
    if (!wanted.empty() && !std::ranges::equal(machine_->HeadRow(def), wanted)) return true;
    return out.found = true, false;
  };
  const Continuation answer(first);
  frame.answer = &answer;
  const Machine::Use use(*machine_, frame, Mode::kSolve);
  const Profile::Evaluation evaluation(machine_->profile(), def, KindOf(store_.at(def.head)));
  std::vector<bool> bound(def.slots.size());
  std::vector<Value> changed;
  BindHead(def, GivenTo(def, def.head, key, changed), 0, bound, [&] {
    out.meant = true;
    return machine_->Run(PlanOf(&def, program_.Has(def), part, bound, [&](Planner planner) {
                           return make(planner, bound);
                         }).first);
  });
  out.open = {std::move(frame.waits), frame.lacking};
  return out;
}

}  // namespace rpl

#endif  // RPL_INTERP_EVAL_SOLVER_PLANS_H_
