// SPDX-License-Identifier: Apache-2.0
#include "runtime/facts/hidden_rows.h"

#include <algorithm>

#include "interp/eval/solver.h"
#include "interp/program/program.h"
#include "interp/store/store.h"

namespace rpl {
namespace {

// The value that an argument has for certain; kNone for one that is free, or more than a slot.
Value Known(const Pattern& p, const std::vector<Value>& slots) {
  if (p.kind == Pattern::Kind::kConstant) return p.constant;
  if (p.kind != Pattern::Kind::kSlot) return kNone;
  const Value value = slots[static_cast<std::size_t>(p.slot)];
  return value == kUnknown ? kNone : value;
}

struct HiddenRowFinder {
  Solver& solver;
  const Store& store;
  const std::vector<Value>& slots;
  const std::function<void(RelationId, std::span<const Value>)>& fn;

  // Nested as deep as the parser allows.
  void Find(const Clauses& clauses, bool inside) const {
    for (const Clause& clause : clauses) {
      if (const auto* atom = clause.As<Atom>()) Rows(*atom, inside);
      ForEachBody(clause, [&](const Clauses& body) { Find(body, true); });
    }
  }

  void Rows(const Atom& atom, bool inside) const {
    const RelationId relation = store.BaseOf(atom.relation);
    const Space space = store.at(relation).space();
    if (space != Space::kRelation && space != Space::kTool) return;
    std::vector<Value> known;
    for (const Pattern& p : atom.args) known.push_back(Known(p, slots));
    if (inside || std::ranges::any_of(known, [](Value v) { return v.is_none(); }))
      solver.ForEachRow(relation, known, [&](std::span<const Value> row) { fn(relation, row); });
  }
};

}  // namespace

void ForEachHiddenRow(Solver& solver, const Store& store, const Constraint& c,
                      const std::vector<Value>& slots,
                      const std::function<void(RelationId, std::span<const Value>)>& fn) {
  HiddenRowFinder{solver, store, slots, fn}.Find(c.left, false);
}

}  // namespace rpl
