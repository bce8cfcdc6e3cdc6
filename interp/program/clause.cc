// SPDX-License-Identifier: Apache-2.0
#include "interp/program/clause.h"

#include <algorithm>

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
  return WithBinds(p, [&](SlotId s) {
    const auto at = static_cast<std::size_t>(s);
    const bool first = !bound[at];
    bound[at] = true;
    return first;
  });
}

bool ReadsClock(const Expr& e) {
  return e.kind == Expr::Kind::kNow || std::any_of(e.sides.begin(), e.sides.end(), ReadsClock);
}

std::string_view ExtremumName(const Extremum& extremum) {
  return extremum.greatest ? "std#greatest" : "std#least";
}

void CollectSlots(const Clause& clause, std::vector<bool>& out) {
  ForEachSlot(clause, [&](SlotId s) { out[static_cast<std::size_t>(s)] = true; });
}

}  // namespace rpl
