// SPDX-License-Identifier: Apache-2.0
#include "interp/plan/join_plan.h"

#include <algorithm>
#include <bit>
#include <iterator>

#include "interp/program/operators.h"
#include "interp/store/store.h"

namespace rpl {
namespace {

/// Translates the steps of a plan; false as soon as one has no counterpart in a join.
class Compiler {
 public:
  Compiler(const Store& store, Join& join) : store_(store), join_(join) {
    for (SlotId s = 0; s < static_cast<SlotId>(join.slots.size()); ++s) same_as_.push_back(s);
  }

  bool Chain(const Step* step) {
    for (; step != nullptr; step = step->next) {
      if (step->kind == Step::Kind::kEmit) return true;
      place_ = step->depth;
      if (!Add(*step)) return false;
    }
    return false;
  }

  SlotId Constant(Value v) { return NewSlot(v); }
  /// The slot of the join with the value of one of the rule.
  SlotId At(SlotId slot) const { return same_as_[static_cast<std::size_t>(slot)]; }

 private:
  bool Add(const Step& step) {
    if (step.kind == Step::Kind::kAtom) return Rows(step, JoinStep::Kind::kRows);
    if (step.kind == Step::Kind::kNot)
      return step.body->kind == Step::Kind::kAtom && step.body->next->kind == Step::Kind::kFound &&
             Rows(*step.body, JoinStep::Kind::kWithout);
    if (step.kind == Step::Kind::kBind) return EqualityIn(*step.clause) != nullptr && Bind(step);
    if (step.kind != Step::Kind::kCompare) return false;
    SlotId left = -1, right = -1;
    if (!Operand(step.operands[0], &left) || !Operand(step.operands[1], &right)) return false;
    JoinStep& out = NewStep(JoinStep::Kind::kCompare);
    out.op = step.op;
    out.left = left;
    out.right = right;
    return true;
  }

  // An equality that binds a slot.
  bool Bind(const Step& step) {
    const Pattern& p = step.pattern;
    if (p.kind != Pattern::Kind::kSlot || !p.binds || p.lists) return false;
    SlotId value = -1;
    // A set would have to be distributed where the slot is used.
    if (!Operand(step.operands[0], &value) ||
        join_.slots[static_cast<std::size_t>(value)].kind() == Kind::kSet)
      return false;
    same_as_[static_cast<std::size_t>(p.slot)] = value;
    join_.equal.emplace_back(p.slot, value);
    return true;
  }

  bool IsPlain(RelationId relation) const {
    const Space space = store_.at(relation).space();
    return (space == Space::kRelation || space == Space::kIntermediate) &&
           !store_.IsWhole(relation);
  }

  bool Rows(const Step& step, JoinStep::Kind kind) {
    // The Machine handles replies of tools, which may be failures, and companions (§7).
    if (step.access != Access::kRows || step.row >= 0 || !step.matches.empty() ||
        !IsPlain(step.relation))
      return false;
    JoinStep& out = NewStep(kind);
    out.relation = step.relation;
    out.range = step.range;
    out.probe = step.probe;
    out.all_bound = step.all_bound;
    out.binds = step.binds;
    out.checks = step.checks;
    for (const auto& [column, pattern] : step.keys)
      if (!Word(pattern, &out.keys.emplace_back())) return false;
    return true;
  }

  bool Word(const Pattern& p, SlotId* slot) {
    if (p.kind == Pattern::Kind::kSlot) *slot = At(p.slot);
    else if (p.kind == Pattern::Kind::kConstant) *slot = Constant(p.constant);
    else return false;
    return true;
  }

  // The slot with the value of the expression, which steps before it compute.
  bool Operand(const Expr& e, SlotId* slot) {
    if (e.kind == Expr::Kind::kTerm) return Word(e.term, slot);
    if (e.kind != Expr::Kind::kOperator || !IsArithmetic(e.op)) return false;
    SlotId left = -1, right = -1;
    if (!Operand(e.sides[0], &left) || !Operand(e.sides[1], &right)) return false;
    *slot = NewSlot(kNone);
    JoinStep& out = NewStep(JoinStep::Kind::kCompute);
    out.op = e.op;
    out.left = left;
    out.right = right;
    out.result = *slot;
    join_.computes = true;
    return true;
  }

  static bool IsArithmetic(Operator op) {
    return op == Operator::kAdd || op == Operator::kSubtract || op == Operator::kMultiply ||
           op == Operator::kDivide;
  }

  JoinStep& NewStep(JoinStep::Kind kind) {
    JoinStep& out = join_.steps.emplace_back();
    out.kind = kind;
    out.place = place_;
    return out;
  }

  SlotId NewSlot(Value v) {
    join_.slots.push_back(v);
    return static_cast<SlotId>(join_.slots.size() - 1);
  }

  const Store& store_;
  Join& join_;
  int place_ = 0;
  std::vector<SlotId> same_as_;  // by slot of the rule
};

// Puts the first step that reads rows in front of the tests of constants before it. False if there
// is none, or those compute something that it may need.
bool BeginWithRows(std::vector<JoinStep>& steps) {
  const auto first = std::ranges::find(steps, JoinStep::Kind::kRows, &JoinStep::kind);
  const auto computes = [](const JoinStep& step) { return step.kind == JoinStep::Kind::kCompute; };
  if (first == steps.end() || std::any_of(steps.begin(), first, computes)) return false;
  std::rotate(steps.begin(), first, first + 1);
  return true;
}

// The intersection of a step with the next one, if every slot that the step binds occurs exactly
// once in the next step's row; else nullopt.
std::optional<JoinStep::Intersection> IntersectionOf(const JoinStep& step, const JoinStep& next,
                                                     const Store& store) {
  if (step.kind != JoinStep::Kind::kRows || next.kind != JoinStep::Kind::kRows || !next.all_bound ||
      step.probe == 0 || !step.checks.empty() ||
      step.keys.size() + step.binds.size() != store.at(step.relation).arity())
    return std::nullopt;
  JoinStep::Intersection out;
  for (std::uint32_t column = 0; column < next.keys.size(); ++column) {
    const SlotId slot = next.keys[column];
    const bool here = std::any_of(step.binds.begin(), step.binds.end(),
                                  [&](const auto& bind) { return bind.second == slot; });
    if (here) {
      out.binds.emplace_back(column, slot);
    } else {
      out.probe |= Columns{1} << column;
      out.keys.push_back(slot);
    }
  }
  // Both counts match, so each slot occurs once if none is missing.
  if (out.probe == 0 || out.binds.size() != step.binds.size()) return std::nullopt;
  for (const auto& [column, slot] : step.binds)
    if (std::none_of(out.binds.begin(), out.binds.end(),
                     [&, &bound = slot](const auto& bind) { return bind.second == bound; }))
      return std::nullopt;
  out.row.resize(step.keys.size() + step.binds.size());
  for (const auto& [column, slot] : step.binds) out.row[column] = slot;
  std::size_t k = 0;
  for (Columns rest = step.probe; rest != 0; rest &= rest - 1)
    out.row[static_cast<std::size_t>(std::countr_zero(rest))] = step.keys[k++];
  return out;
}

// Finds the combinations of slots that decide the rest of a join (JoinStep::distinct).
void FindDistinct(Join& join) {
  const auto reads_list = [](const JoinStep& step) {
    return step.kind == JoinStep::Kind::kRows && !step.all_bound;
  };
  if (std::none_of(join.steps.begin() + 1, join.steps.end(), reads_list)) return;
  const auto slots = join.slots.size();
  std::vector<bool> read(slots);  // by a later step or the head
  for (const SlotId slot : join.columns) read[static_cast<std::size_t>(slot)] = true;
  std::vector<std::vector<bool>> reads(join.steps.size());  // by this step or what follows
  bool dear = false;                                        // some step from here on reads a list
  std::vector<bool> worth(join.steps.size());
  for (std::size_t i = join.steps.size(); i-- > 0;) {
    const JoinStep& step = join.steps[i];
    for (const SlotId slot : step.keys) read[static_cast<std::size_t>(slot)] = true;
    if (!step.ReadsRows())
      read[static_cast<std::size_t>(step.left)] = read[static_cast<std::size_t>(step.right)] = true;
    reads[i] = read;
    dear |= reads_list(step);
    worth[i] = dear && step.kind == JoinStep::Kind::kRows;
  }
  std::vector<SlotId> bound;
  std::vector<bool> computed(slots);
  for (std::size_t i = 0; i < join.steps.size(); ++i) {
    JoinStep& step = join.steps[i];
    const auto is_read = [&](SlotId slot) { return reads[i][static_cast<std::size_t>(slot)]; };
    // What is computed follows from the others.
    const auto decides = [&](SlotId slot) {
      return is_read(slot) || computed[static_cast<std::size_t>(slot)];
    };
    if (i > 0 && worth[i] && !std::ranges::all_of(bound, decides))
      std::ranges::copy_if(bound, std::back_inserter(step.distinct), is_read);
    if (step.distinct.size() > kMaxArity) step.distinct.clear();  // of no use as a key
    if (step.kind == JoinStep::Kind::kRows)
      for (const auto& [column, slot] : step.binds) bound.push_back(slot);
    if (step.kind != JoinStep::Kind::kCompute) continue;
    bound.push_back(step.result);
    computed[static_cast<std::size_t>(step.result)] = true;
  }
}

}  // namespace

std::unique_ptr<const Join> Join::Of(const Plan& plan, const Definition& def, const Store& store) {
  if (plan.problem || def.head_expansion >= 0 || !def.gathered.empty() || def.extremum)
    return nullptr;
  auto join = std::make_unique<Join>();
  join->head = def.head;
  join->slots.resize(def.slots.size());
  join->steps.reserve(plan.steps.size());
  Compiler compiler(store, *join);
  if (!compiler.Chain(plan.first) || !BeginWithRows(join->steps)) return nullptr;
  for (const Pattern& p : def.args) {
    if (p.kind == Pattern::Kind::kSlot) join->columns.push_back(compiler.At(p.slot));
    else if (p.kind == Pattern::Kind::kConstant && p.constant.kind() != Kind::kSet)
      join->columns.push_back(compiler.Constant(p.constant));
    else return nullptr;
  }
  for (std::size_t i = 1; i + 1 < join->steps.size(); ++i)
    join->steps[i].intersection = IntersectionOf(join->steps[i], join->steps[i + 1], store);
  for (std::size_t i = 0; i < join->steps.size(); ++i) {
    const JoinStep& step = join->steps[i];
    const auto is_column = [&](SlotId slot) {
      return std::ranges::find(join->columns, slot) != join->columns.end();
    };
    if (is_column(step.result) ||
        std::ranges::any_of(step.binds, [&](const auto& bind) { return is_column(bind.second); }))
      join->deciding = i;
  }
  FindDistinct(*join);
  const auto any = [&](auto&& has) { return std::ranges::any_of(join->steps, has); };
  join->remembers = any([](const JoinStep& step) { return step.range == Range::kDelta; }) &&
                    any([](const JoinStep& step) { return !step.distinct.empty(); });
  return join;
}

}  // namespace rpl
