// SPDX-License-Identifier: Apache-2.0
#include "interp/plan/join_plan.h"

#include <algorithm>
#include <bit>

#include "interp/program/operators.h"

namespace rpl {
namespace {

/// Translates the steps of a plan; false as soon as one has no counterpart in a join.
class Compiler {
 public:
  Compiler(const Store& store, Join& join) : store_(store), join_(join) {}

  bool Chain(const Step* step) {
    for (; step != nullptr; step = step->next) {
      if (step->kind == Step::Kind::kEmit) return true;
      if (!Add(*step)) return false;
    }
    return false;
  }

  SlotId Constant(Value v) {
    join_.slots.push_back(v);
    return static_cast<SlotId>(join_.slots.size() - 1);
  }

 private:
  bool Add(const Step& step) {
    if (step.kind == Step::Kind::kAtom) return Rows(step, JoinStep::Kind::kRows);
    if (step.kind == Step::Kind::kNot)
      return step.body->kind == Step::Kind::kAtom && step.body->next->kind == Step::Kind::kFound &&
             Rows(*step.body, JoinStep::Kind::kWithout);
    const auto* compare = step.clause != nullptr ? step.clause->As<Compare>() : nullptr;
    if (step.kind != Step::Kind::kCompare || compare == nullptr) return false;
    JoinStep& out = join_.steps.emplace_back();
    out.kind = JoinStep::Kind::kCompare;
    out.op = compare->op;
    return Operand(step.operands[0], &out.left) && Operand(step.operands[1], &out.right);
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
    JoinStep& out = join_.steps.emplace_back();
    out.kind = kind;
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
    if (p.kind == Pattern::Kind::kSlot) *slot = p.slot;
    else if (p.kind == Pattern::Kind::kConstant) *slot = Constant(p.constant);
    else return false;
    return true;
  }

  bool Operand(const Expr& e, SlotId* slot) {
    return e.kind == Expr::Kind::kTerm && Word(e.term, slot);
  }

  const Store& store_;
  Join& join_;
};

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
  const auto slots = join.slots.size();
  std::vector<bool> read(slots);  // by a later step or the head
  for (const SlotId slot : join.columns) read[static_cast<std::size_t>(slot)] = true;
  std::vector<std::vector<bool>> reads(join.steps.size());  // by this step or what follows
  bool dear = false;                                        // some step from here on reads a list
  std::vector<bool> worth(join.steps.size());
  for (std::size_t i = join.steps.size(); i-- > 0;) {
    const JoinStep& step = join.steps[i];
    for (const SlotId slot : step.keys) read[static_cast<std::size_t>(slot)] = true;
    if (step.kind == JoinStep::Kind::kCompare)
      read[static_cast<std::size_t>(step.left)] = read[static_cast<std::size_t>(step.right)] = true;
    reads[i] = read;
    dear |= step.kind == JoinStep::Kind::kRows && !step.all_bound;
    worth[i] = dear && step.kind == JoinStep::Kind::kRows;
  }
  std::vector<SlotId> bound;
  for (std::size_t i = 0; i < join.steps.size(); ++i) {
    JoinStep& step = join.steps[i];
    if (i > 0 && worth[i]) {
      for (const SlotId slot : bound)
        if (reads[i][static_cast<std::size_t>(slot)]) step.distinct.push_back(slot);
      if (step.distinct.size() == bound.size()) step.distinct.clear();
    }
    if (step.kind == JoinStep::Kind::kRows)
      for (const auto& [column, slot] : step.binds) bound.push_back(slot);
  }
}

}  // namespace

std::unique_ptr<const Join> Join::Of(const Plan& plan, const Definition& def, const Store& store) {
  if (plan.problem || def.head_expansion >= 0 || !def.gathered.empty() || def.extremum)
    return nullptr;
  auto join = std::make_unique<Join>();
  join->head = def.head;
  join->slots.resize(def.slots.size());
  Compiler compiler(store, *join);
  if (!compiler.Chain(plan.first)) return nullptr;
  if (join->steps.empty() || join->steps.front().kind != JoinStep::Kind::kRows) return nullptr;
  for (const Pattern& p : def.args) {
    if (p.kind == Pattern::Kind::kSlot) join->columns.push_back(p.slot);
    else if (p.kind == Pattern::Kind::kConstant && p.constant.kind() != Kind::kSet)
      join->columns.push_back(compiler.Constant(p.constant));
    else return nullptr;
  }
  for (std::size_t i = 1; i + 1 < join->steps.size(); ++i)
    join->steps[i].intersection = IntersectionOf(join->steps[i], join->steps[i + 1], store);
  for (std::size_t i = 0; i < join->steps.size(); ++i)
    for (const auto& [column, slot] : join->steps[i].binds)
      if (std::find(join->columns.begin(), join->columns.end(), slot) != join->columns.end())
        join->deciding = i;
  FindDistinct(*join);
  const auto any = [&](auto&& has) { return std::ranges::any_of(join->steps, has); };
  join->remembers = any([](const JoinStep& step) { return step.range == Range::kDelta; }) &&
                    any([](const JoinStep& step) { return !step.distinct.empty(); });
  return join;
}

}  // namespace rpl
