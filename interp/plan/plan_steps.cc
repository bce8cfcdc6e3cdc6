// SPDX-License-Identifier: Apache-2.0
//
// From clauses to steps: one function per type of clause, so that a new type does not compile until
// it has one. A step lists the slots that it reads and writes; making it binds the latter.
#include <utility>

#include "interp/plan/plan.h"
#include "interp/plan/ready_queue.h"

namespace rpl {

class Planner::Steps {
 public:
  Steps(Planner& planner, const Listed& item)
      : planner_(planner), ready_(*planner.ready_), clause_(*item.clause), range_(item.range) {}

  Step* operator()(const Atom& atom) {
    Step* step = New(Step::Kind::kAtom);
    planner_.AtomStep(*step, atom);
    step->range = range_;
    return step;
  }

  Step* operator()(const Compare& c) {
    const bool left = planner_.Buildable(c.left, false);
    const bool right = planner_.Buildable(c.right, false);
    const bool equal = c.op == Operator::kEqual;
    const bool match_left = equal && right && TakesLists(c.left.term);
    const bool match_right = equal && left && TakesLists(c.right.term);
    if (left && right && !match_left && !match_right) {
      Step* step = New(Step::Kind::kCompare);
      step->op = c.op;
      step->operands = {c.left, c.right};
      Reads(*step, c.left);
      Reads(*step, c.right);
      return step;
    }
    const bool from_left =
        left ? match_right || !match_left : !right && planner_.Buildable(c.left, true);
    return BindStep(from_left ? c.left : c.right, (from_left ? c.right : c.left).term);
  }

  Step* operator()(const MatchWith& c) {
    if (!planner_.Buildable(c.value, true)) {  // ?x ~ [1 2] with ?x open
      Expr e;
      e.term = c.pattern;
      return BindStep(e, c.value.term);
    }
    Step* step = New(Step::Kind::kMatch);
    step->operands = {c.value};
    Reads(*step, c.value);
    Binds(*step, c.pattern);
    return step;
  }

  Step* operator()(const Member& c) {
    Step* step = New(Step::Kind::kMember);
    step->operands = {c.collection};
    step->negated = c.negated;
    Reads(*step, c.collection);
    if (planner_.Buildable(c.element, false) && !TakesLists(c.element.term)) {
      step->operands.push_back(c.element);
      Reads(*step, c.element);
    } else {
      Binds(*step, c.element.term);
    }
    return step;
  }

  Step* operator()(const Temporal& c) {
    Step* step = New(Step::Kind::kTemporal);
    step->operands = c.operands;
    for (const Expr& e : c.operands) Reads(*step, e);
    return step;
  }

  Step* operator()(const CountOf& c) {
    if (c.expansion >= 0) {
      Step* step = New(Step::Kind::kCountForm);
      step->reads.push_back(c.expansion);
      Result(*step, c.result);
      return step;
    }
    if (!c.value.empty()) {
      Step* step = New(Step::Kind::kCountValue);
      step->operands = c.value;
      Reads(*step, c.value.front());
      Result(*step, c.result);
      return step;
    }
    return CountAtomStep(c);
  }

  Step* operator()(const Negation& c) {
    Step* step = New(Step::Kind::kNot);
    for (const SlotId s : planner_.SlotsOf(clause_))
      if (ready_.IsBound(s)) step->reads.push_back(s);
    step->body = planner_.Body(c.body, nullptr);
    return step;
  }

  Step* operator()(const GoalIsFalse& c) {
    Clause goal = clause_;
    goal.is = c.goal;
    Clause& made = planner_.plan_->made.emplace_back();
    const auto& absent = made.is.emplace<Negation>(Negation{{std::move(goal)}});
    Step* step = New(Step::Kind::kGoalFalse);
    step->relation = c.goal.relation;
    for (const SlotId s : planner_.SlotsOf(clause_))
      if (ready_.IsBound(s)) step->reads.push_back(s);
    if (c.activation) planner_.branch_ = kNoBranch;  // it reads the state before the body
    step->body = planner_.Body(absent.body, nullptr);
    return step;
  }

  Step* operator()(const Expand& c) {
    Step* step = New(Step::Kind::kExpand);
    step->reads.push_back(c.slot);
    step->row = c.row;
    if (c.row >= 0) {
      step->writes.push_back(c.row);
      ready_.Bind(c.row);
    }
    return step;
  }

  Step* operator()(const Metadata& c) {
    Step* step = New(Step::Kind::kMetadata);
    for (const SlotId s : c.rows) step->reads.push_back(s);
    for (const SlotId s : c.own.slots)
      if (ready_.IsBound(s)) step->reads.push_back(s);
    Binds(*step, c.pattern);
    return step;
  }

  Step* operator()(const Aggregate& c) {
    Step* step = New(Step::Kind::kAggregate);
    step->body = planner_.Body(c.body, nullptr, true);
    Binds(*step, c.pattern);
    return step;
  }

  Step* operator()(const ReadAvar& c) {
    const bool read = ready_.Bind(c.slot);
    Step* step = New(read ? Step::Kind::kReadAvar : Step::Kind::kTruth);
    if (read) step->writes.push_back(c.slot);
    return step;
  }

  Step* operator()(const ShowJson& c) {
    Step* step = New(Step::Kind::kShow);
    step->reads.push_back(c.slot);
    return step;
  }

  Step* operator()(const First& c) {
    Step* step = New(Step::Kind::kFirst);
    std::vector<SlotId> taken;
    step->body = planner_.Body(c.body, &taken);
    for (const SlotId s : taken) ready_.Bind(s);
    step->writes = std::move(taken);
    return step;
  }

  Step* operator()(const Loop& c) {
    Step* step = New(Step::Kind::kLoop);
    std::vector<SlotId> taken;
    // All values are gone through, also where one is known before, from a delta or a caller.
    step->result_bound = ready_.SetBound(c.value, false);
    step->body = planner_.Body(c.start, &taken);
    if (step->result_bound) {
      ready_.SetBound(c.value, true);
      step->reads.push_back(c.value);
    }
    for (const SlotId s : taken) ready_.Bind(s);
    ready_.Bind(c.value);
    step->body2 = planner_.Body(c.condition, &taken);
    const bool next = ready_.SetBound(c.next, false);
    step->body3 = planner_.Body(c.step, nullptr);
    ready_.SetBound(c.next, next);
    for (const SlotId s : taken) ready_.Bind(s);
    return step;
  }

  Step* operator()(const Distinct& c) {
    Step* step = New(Step::Kind::kDistinct);
    step->reads = c.slots;
    return step;
  }

  Step* operator()(const Check& c) {
    Step* step = New(Step::Kind::kCheck);
    step->body = planner_.Body(c.body, nullptr);
    return step;
  }

  Step* operator()(const Truth& c) {
    Step* step = New(Step::Kind::kTruth);
    step->negated = !c.holds;
    return step;
  }
  /// A placeholder: Chain makes the branches.
  Step* operator()(const Alternatives&) { return New(Step::Kind::kTruth); }

 private:
  Step* New(Step::Kind kind) { return planner_.New(kind, &clause_); }

  void Reads(Step& step, const Expr& e) {
    ForEachSlot(e, [&](SlotId s) {
      if (ready_.IsBound(s)) step.reads.push_back(s);
    });
  }

  void Binds(Step& step, const Pattern& p) {
    ForEachSlot(p, [&](SlotId s) { (ready_.IsBound(s) ? step.reads : step.writes).push_back(s); });
    step.pattern = WithBinds(p, [&](SlotId s) { return ready_.Bind(s); });
  }

  void Result(Step& step, SlotId slot) {
    step.result_bound = !ready_.Bind(slot);
    step.pattern = Pattern::Slot(slot);
    (step.result_bound ? step.reads : step.writes).push_back(slot);
  }

  Step* BindStep(const Expr& value, const Pattern& pattern) {
    Step* step = New(Step::Kind::kBind);
    step->operands = {value};
    Reads(*step, value);
    Binds(*step, pattern);
    return step;
  }

  Step* CountAtomStep(const CountOf& c) {
    Step* step = New(Step::Kind::kCountAtom);
    // Unbound slots that occur outside the count are group keys (decision 25).
    const bool groups = planner_.counts_.contains(&clause_);
    const bool may_be_zero = !planner_.never_zero_.contains(&clause_);
    for (const SlotId s : planner_.SlotsOf(c.atom.front())) {
      bool of_group = false;
      if (ready_.IsBound(s)) {
        step->reads.push_back(s);
        of_group = ready_.IsGroup(s);
        step->of_group |= of_group || (groups && planner_.group_keys_[static_cast<std::size_t>(s)]);
      } else if (ready_.IsShared(s)) {
        step->groups.push_back(s);
        of_group = true;
      }
      if (of_group && may_be_zero) planner_.MarkGrouped(s);
    }
    step->body = planner_.Body(c.atom, nullptr);
    for (const SlotId s : step->groups) {
      step->writes.push_back(s);
      ready_.BindGroup(s);
    }
    Result(*step, c.result);
    return step;
  }

  Planner& planner_;
  ReadyQueue& ready_;
  const Clause& clause_;
  const Range range_;
};

Step* Planner::StepFor(const Listed& item) {
  const int outer = std::exchange(branch_, item.branch);
  Step* const step = std::visit(Steps(*this, item), item.clause->is);
  branch_ = outer;
  if (mode_ == Mode::kSolve && catalog_.Acts(*step)) MarkActing(item.branch);
  return step;
}

void Planner::MarkActing(int branch) {
  while (branch != kNoBranch) {
    Branch& at = branches_[static_cast<std::size_t>(branch)];
    if (std::exchange(at.acts, true)) return;
    branch = at.outer;
  }
}

}  // namespace rpl
