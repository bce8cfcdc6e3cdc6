// SPDX-License-Identifier: Apache-2.0
#include "interp/plan/plain_rule.h"

#include <algorithm>

#include "interp/store/store.h"

namespace rpl {
namespace {

constexpr std::size_t kMostClauses = 64;  // far from what is too large for a plan

bool IsPlain(const Pattern& p) {
  return p.kind == Pattern::Kind::kSlot || p.kind == Pattern::Kind::kAny ||
         (p.kind == Pattern::Kind::kConstant && p.constant.kind() != Kind::kSet);
}

bool ReadsRows(const Clause& clause, const Catalog& catalog, const Store& store) {
  const auto* atom = clause.As<Atom>();
  return atom != nullptr && atom->row < 0 && !atom->whole && atom->avars.empty() &&
         store.at(atom->relation).space() == Space::kRelation &&
         catalog.AccessOf(atom->relation, Mode::kSolve) == Access::kRows &&
         catalog.KeysOf(atom->relation) == 0 &&
         std::ranges::all_of(atom->args, [](const Pattern& p) { return IsPlain(p); });
}

// Whether computing it needs no more than its slots.
bool IsPlain(const Expr& e) {
  if (e.kind == Expr::Kind::kTerm) return IsPlain(e.term) && e.term.kind != Pattern::Kind::kAny;
  return e.kind == Expr::Kind::kOperator &&
         std::ranges::all_of(e.sides, [](const Expr& side) { return IsPlain(side); });
}

}  // namespace

bool IsPlain(const Definition& def, const Catalog& catalog, const Store& store) {
  if (def.head_expansion >= 0 || !def.activation.empty() || !def.gathered.empty() ||
      !def.texts.empty() || def.extremum || def.choice || def.force ||
      def.body.size() > kMostClauses)
    return false;
  std::vector<bool> bound(def.slots.size());
  const auto reads_rows = [&](const Clause& clause) { return ReadsRows(clause, catalog, store); };
  for (const Clause& clause : def.body)
    if (reads_rows(clause)) CollectSlots(clause, bound);
  const auto is_bound = [&](const auto& part) {
    bool all = true;
    ForEachSlot(part, [&](SlotId s) { all = all && bound[static_cast<std::size_t>(s)]; });
    return all;
  };
  const auto can_run = [&](const Clause& clause) {
    if (const auto* negation = clause.As<Negation>())
      return negation->body.size() == 1 && reads_rows(negation->body.front()) && is_bound(clause);
    if (const auto* compare = clause.As<Compare>())
      return !compare->split && IsPlain(compare->left) && IsPlain(compare->right) &&
             is_bound(clause);
    return reads_rows(clause);
  };
  return std::ranges::all_of(def.args,
                             [&](const Pattern& p) {
                               return p.kind != Pattern::Kind::kAny && IsPlain(p) && is_bound(p);
                             }) &&
         std::ranges::all_of(def.body, can_run);
}

}  // namespace rpl
