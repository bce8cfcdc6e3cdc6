// SPDX-License-Identifier: Apache-2.0
#include "interp/clause.h"

namespace rpl {

Pattern Pattern::Constant(rpl::Value v) {
  Pattern p;
  p.kind = Kind::kConstant;
  p.constant = v;
  return p;
}

Pattern Pattern::Slot(SlotId s) {
  Pattern p;
  p.kind = Kind::kSlot;
  p.slot = s;
  return p;
}

Pattern WithBinds(const Pattern& p, std::vector<bool>& bound) {
  Pattern out = p;
  if (p.kind == Pattern::Kind::kSlot) {
    out.binds = !bound[static_cast<std::size_t>(p.slot)];
    bound[static_cast<std::size_t>(p.slot)] = true;
  }
  for (Pattern& part : out.parts) part = WithBinds(part, bound);
  for (Pattern& part : out.rest) part = WithBinds(part, bound);
  return out;
}

void CollectSlots(const Clause& clause, std::vector<bool>& out) {
  const auto mark = [&](SlotId s) {
    if (s >= 0) out[static_cast<std::size_t>(s)] = true;
  };
  const auto marks = [&](const std::vector<SlotId>& slots) {
    for (SlotId s : slots) mark(s);
  };
  const auto exprs = [&](const std::vector<Expr>& es) {
    for (const Expr& e : es) ForEachSlot(e, mark);
  };
  if (const auto* c = clause.As<Atom>()) {
    for (const Pattern& p : c->args) ForEachSlot(p, mark);
    mark(c->row);
  }
  if (const auto* c = clause.As<Compare>()) ForEachSlot(c->left, mark), ForEachSlot(c->right, mark);
  if (const auto* c = clause.As<MatchWith>())
    ForEachSlot(c->value, mark), ForEachSlot(c->pattern, mark);
  if (const auto* c = clause.As<Member>())
    ForEachSlot(c->element, mark), ForEachSlot(c->collection, mark);
  if (const auto* c = clause.As<Temporal>()) exprs(c->operands);
  if (const auto* c = clause.As<CountOf>()) {
    mark(c->result), mark(c->expansion), exprs(c->value);
  }
  if (const auto* c = clause.As<Expand>()) mark(c->slot), mark(c->row);
  if (const auto* c = clause.As<Metadata>())
    marks(c->rows), marks(c->own.slots), ForEachSlot(c->pattern, mark);
  if (const auto* c = clause.As<Aggregate>()) ForEachSlot(c->pattern, mark);
  if (const auto* c = clause.As<ReadAvar>()) mark(c->slot);
  if (const auto* c = clause.As<ShowJson>()) mark(c->slot);
  if (const auto* c = clause.As<GoalIsFalse>())
    for (const Pattern& p : c->goal.args) ForEachSlot(p, mark);
  if (const auto* c = clause.As<Loop>()) mark(c->value), mark(c->next);
  if (const auto* c = clause.As<Distinct>()) marks(c->slots);
  if (clause.As<Aggregate>()) return;  // its body has bindings of its own (decision 48)
  ForEachBody(clause, [&](const Clauses& body) {
    for (const Clause& b : body) CollectSlots(b, out);
  });
}

}  // namespace rpl
