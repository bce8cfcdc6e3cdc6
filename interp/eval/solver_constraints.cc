// SPDX-License-Identifier: Apache-2.0
//
// Constraints (§12.2), checked instance by instance, and premises of derived rows.
#include <algorithm>

#include "interp/eval/machine.h"
#include "interp/eval/profile.h"
#include "interp/eval/solver.h"
#include "interp/eval/solver_plans.h"
#include "interp/plan/atom_order.h"

namespace rpl {

Solver::Sides Solver::SidesOf(const Constraint& c) {
  Frame frame(nullptr, c.slots);
  const Machine::Use use(*machine_, frame, Mode::kSolve);
  const std::vector<bool> nothing(c.slots.size());
  const auto plan = [&](int part, const Clauses& clauses, const std::vector<bool>& known) -> auto& {
    return KeptPlan(&c, true, part, known, [&](Planner planner) {
      return planner.Make(Pointers(clauses), known, nothing, c.slots, c.avar);
    });
  };
  const Plan& left = plan(0, c.left, nothing);
  std::vector<bool> bound(c.slots.size());  // what the left side binds
  for (const Step& step : left.steps)
    for (SlotId w : step.writes) bound[static_cast<std::size_t>(w)] = true;
  return {&left, &plan(1, c.right, bound), bound};
}

// Judges the instance given by the current frame's slots, and leaves them unchanged.
// Adds to `waits` what an undecided one waits for.
Solver::Judgement Solver::JudgeHere(const Constraint& c, const Plan& right, Waiting& waits) {
  const Judgement otherwise = c.forbids ? Judgement::kViolated : Judgement::kHolds;
  if (c.right.empty()) return otherwise;
  Frame& frame = machine_->frame();
  const std::vector<Value> here = frame.slots;
  bool found = false;
  Waiting outside = std::exchange(frame.waits, {});
  const std::uint8_t was_lacking = std::exchange(frame.lacking, machine_->truncated ? kReply : 0);
  std::string doubt = std::exchange(frame.doubt, "");
  const bool was_undecided = frame.undecided;
  const auto first = [&] { return found = true, false; };
  const Continuation answer(first);
  const Continuation* outer = std::exchange(frame.answer, &answer);
  machine_->Run(right.first);
  frame.answer = outer;
  const Waiting inside = std::exchange(frame.waits, std::move(outside));
  const std::uint8_t lacks = std::exchange(frame.lacking, was_lacking);
  machine_->evaluation.undefined = std::exchange(frame.doubt, std::move(doubt));
  frame.undecided = was_undecided;
  std::copy(here.begin(), here.end(), frame.slots.begin());
  if (found) return otherwise;
  waits.Add(inside);
  // A right side without a meaning does not hold (decision 93).
  return !inside.empty()         ? Judgement::kUndecided
         : (lacks & kReply) != 0 ? Judgement::kLacks
                                 : Judgement::kViolated;
}

// Whether the instance given by the current frame's slots holds although its left side is
// undecided: its right side does. Nothing is asked or called for that.
bool Solver::HoldsAnyway(const Constraint& c, const Sides& sides) {
  Frame& frame = machine_->frame();
  std::vector<bool> of_right(frame.slots.size());
  for (const Clause& clause : c.right) CollectSlots(clause, of_right);
  for (std::size_t i = 0; i < of_right.size(); ++i)
    if (of_right[i] && sides.bound[i] && frame.slots[i] == kUnknown) return false;
  const bool doubtful = std::exchange(frame.doubtful, false);
  const bool unknown = std::exchange(frame.unknown, false);
  const bool by_absence = std::exchange(frame.by_absence, false);
  const Continuation* const excuse = std::exchange(frame.excuse, nullptr);
  Waiting waits;
  const Blame blame(machine_->evaluation);
  std::string undefined = machine_->evaluation.undefined;
  const bool holds = JudgeHere(c, *sides.right, waits) == Judgement::kHolds;
  machine_->evaluation.undefined = std::move(undefined);
  blame.Restore(machine_->evaluation);
  frame.doubtful = doubtful;
  frame.unknown = unknown;
  frame.by_absence = by_absence;
  frame.excuse = excuse;
  return holds;
}

Solver::Judgement Solver::Judge(const Constraint& c, const Sides& sides,
                                const std::vector<Value>& slots) {
  Frame frame(nullptr, c.slots);
  frame.slots = slots;
  const Machine::Use use(*machine_, frame, Mode::kSolve);
  Waiting waits;
  const Judgement verdict = JudgeHere(c, *sides.right, waits);
  Collect(waits);
  return verdict;
}

bool Solver::LeftAnswers(const Constraint& c, const Plan& plan, const std::vector<Marks>& marks,
                         const std::function<bool(const std::vector<Value>& slots)>& fn) {
  Frame frame(nullptr, c.slots);
  const Machine::Use use(*machine_, frame, Mode::kDerive);
  CountRun(plan, std::vector<bool>(c.slots.size()), 0);
  machine_->marks = &marks;
  const auto each = [&] { return machine_->Polled() && fn(frame.slots); };
  const Continuation answer(each);
  frame.answer = &answer;
  machine_->Run(plan.first);
  return frame.lacking == 0;
}

Undecided Solver::CheckConstraint(
    const Constraint& c, const std::function<void(const std::vector<Value>&, Judgement)>& fn) {
  const Sides sides = SidesOf(c);
  Frame frame(nullptr, c.slots);
  const Machine::Use use(*machine_, frame, Mode::kSolve);
  Profile::Evaluation evaluation(machine_->profile(), c);
  CountRun(*sides.left, std::vector<bool>(c.slots.size()), 0);
  if (!c.right.empty()) CountRun(*sides.right, sides.bound, 1);
  // Instances of settled rows hold, and were told.
  Reads reads;
  if (resuming_ && !c.guards) {
    machine_->reads = &reads;
    frame.loop = LoopOf(constraint_loops_, &c, *sides.left);
  }
  RowSet seen(c.slots.size());
  std::size_t repeated = 0;
  Waiting of_instances;
  const auto each = [&] {
    if (!seen.Insert(frame.slots).is_new) return ++repeated, true;
    const Judgement verdict = JudgeHere(c, *sides.right, of_instances);
    if (verdict != Judgement::kHolds) machine_->Disturb();
    if (machine_->evaluation.stop == Stop::kGoesOn) fn(frame.slots, verdict);
    return machine_->evaluation.stop == Stop::kGoesOn;
  };
  const Continuation answer(each);
  frame.answer = &answer;
  const auto holds_anyway = [&] { return HoldsAnyway(c, sides); };
  const Continuation excuse(holds_anyway);
  frame.excuse = &excuse;
  machine_->Run(sides.left->first);
  machine_->reads = nullptr;
  evaluation.Gave(seen.size(), repeated);
  Undecided more = {std::move(frame.waits), frame.lacking};
  if (machine_->truncated) more.lacks |= kReply;
  if ((more.lacks & kMeaning) != 0) machine_->evaluation.undefined = frame.doubt;
  of_instances.Add(more.waits);
  Collect(of_instances);
  return more;
}

namespace {

// The premises, found in the order of the plan's atoms, in the order of the rule's.
void SortByClause(std::vector<Premise>& premises, const Plan& plan,
                  const std::vector<const Clause*>& clauses) {
  std::vector<std::pair<std::ptrdiff_t, Premise>> placed;
  const Step* step = plan.first;
  for (Premise& premise : premises) {
    while (step->kind != Step::Kind::kAtom) step = step->next;
    placed.emplace_back(std::ranges::find(clauses, step->clause) - clauses.begin(),
                        std::move(premise));
    step = step->next;
  }
  std::ranges::stable_sort(placed, {}, &std::pair<std::ptrdiff_t, Premise>::first);
  for (std::size_t i = 0; i < placed.size(); ++i) premises[i] = std::move(placed[i].second);
}

}  // namespace

// Whether a proof by this rule is sought in another order than the author's: the rule only compares
// and reads stored rows, so any order of its atoms finds a proof if there is one, and some relation
// is large.
bool Solver::MayReorder(const Definition& def, const std::vector<const Clause*>& clauses) const {
  SizesSeen seen;
  return clauses.size() > 1 && def.texts.empty() &&
         HaveGrown(clauses, store_, machine_->limits(), seen) &&
         std::ranges::all_of(clauses, [&](const Clause* clause) {
           if (clause->As<Compare>() != nullptr) return true;
           const auto* atom = clause->As<Atom>();
           return atom != nullptr && !atom->whole && atom->row < 0 && atom->avars.empty() &&
                  analysis_.AccessOf(atom->relation, Mode::kSolve) == Access::kRows &&
                  analysis_.KeysOf(atom->relation) == 0;
         });
}

// The plan with the cheapest order of atoms.
const Plan& Solver::ReorderedPlan(const Definition& def, const std::vector<const Clause*>& clauses,
                                  const std::vector<bool>& bound) {
  constexpr int kReordered = 3;  // a part of its own
  const Plan& plan = KeptPlan(&def, program_.Has(def), kReordered, bound, [&](Planner planner) {
    const std::vector<AtomOrder> orders = OrdersByCost(clauses, -1, 0, store_, bound);
    return planner.Make(clauses, bound, HeadSlots(def), def.slots, def.avar, -1,
                        orders.front().positions);
  });
  CountRun(plan, bound, 0);
  return plan;
}

std::optional<std::vector<Premise>> Solver::Prove(
    RelationId relation, std::span<const Value> row, int* def_number,
    const std::function<bool(const Premise&)>& usable) {
  for (int number : analysis_.RulesOf(relation)) {
    const Definition& def = program_.definitions()[static_cast<std::size_t>(number)];
    if (!def.gathered.empty()) continue;
    const std::vector<const Clause*> clauses = ClausesOf(def);
    const bool reorders = MayReorder(def, clauses);
    Frame frame(&def, def.slots);
    std::optional<std::vector<Premise>> found;
    const Plan* plan = nullptr;
    const auto take = [&] {
      std::vector<Premise> premises;
      for (const RowUsed& used : frame.path) {
        premises.push_back(machine_->PremiseOf(used));
        if (!usable(premises.back())) return true;
      }
      found = std::move(premises);
      return false;
    };
    const Continuation answer(take);
    frame.answer = &answer;
    const Machine::Use use(*machine_, frame, Mode::kSolve);
    Profile::Evaluation evaluation(machine_->profile(), def, Profile::Kind::kProof);
    std::vector<bool> bound(def.slots.size());
    BindHead(def, row, 0, bound, [&] {
      plan = reorders ? &ReorderedPlan(def, clauses, bound) : &RulePlan(def, bound);
      return machine_->Run(plan->first);
    });
    evaluation.Gave(found ? 1 : 0, 0);
    if (!found) continue;
    if (reorders) SortByClause(*found, *plan, clauses);
    *def_number = number;
    return found;
  }
  return std::nullopt;
}

}  // namespace rpl
