// SPDX-License-Identifier: Apache-2.0
#include "interp/explain/known_facts.h"

#include <algorithm>

#include "interp/eval/engine.h"
#include "interp/plan/analysis.h"
#include "interp/program/library_reasons.h"
#include "interp/program/program.h"
#include "interp/store/store.h"

namespace rpl {
namespace {

using NodeKind = ExplainNode::Kind;

bool HasSet(std::span<const Value> row) {
  return std::any_of(row.begin(), row.end(), [](Value v) { return v.kind() == Kind::kSet; });
}

}  // namespace

KnownFacts::KnownFacts(const interp::Engine& engine) : engine_(engine) {
  const std::vector<Stratum>& strata = engine_.analysis.strata();
  for (std::size_t i = 0; i < strata.size(); ++i)
    for (RelationId r : strata[i].relations) component_[r] = static_cast<int>(i);
}

KnownFacts::Fact KnownFacts::Normal(RelationId relation, std::vector<Value> row) const {
  if (!HasSet(row)) return {engine_.store.BaseOf(relation), std::move(row)};
  if (const RelationId whole = engine_.store.WholeIfAny(relation); !engine_.store.IsWhole(relation))
    if (whole != kNoId && engine_.store.at(whole).Find(row) != kNoId)
      return {whole, std::move(row)};
  return {relation, std::move(row)};
}

std::optional<RowId> KnownFacts::StoredRow(const Fact& fact) const {
  const Relation& rel = engine_.store.at(fact.first);
  if (rel.space() != Space::kGoal) {
    const RowId row = rel.arity() == fact.second.size() ? rel.Find(fact.second) : kNoId;
    return row == kNoId ? std::nullopt : std::optional(row);
  }
  // A recorded truth of a goal: its map has the cells.
  const Goal* goal = engine_.program.FindGoal(engine_.pool.TextOf(rel.label()));
  for (RowId row = 0; row < rel.size(); ++row)
    if (CapturedCells(engine_.pool, goal, rel.Row(row)[0], fact.second.size()) == fact.second)
      return row;
  return std::nullopt;
}

bool KnownFacts::IsAsserted(const Fact& fact) const {
  const std::optional<RowId> row = StoredRow(fact);
  return row && engine_.store.at(fact.first).asserted(*row);
}

bool KnownFacts::IsComputed(RelationId relation) const {
  const RelationId base = engine_.store.BaseOf(relation);
  return engine_.program.FindBuiltin(base) != nullptr ||
         (IsOfLibrary(engine_.store.at(base).name()) && engine_.program.HasRules(base));
}

int KnownFacts::ComponentOf(RelationId relation) const {
  const auto it = component_.find(engine_.store.BaseOf(relation));
  return it == component_.end() ? -1 : it->second;
}

std::vector<int> KnownFacts::RulesOf(RelationId relation) const {
  const Relation& rel = engine_.store.at(relation);
  if (IsComputed(relation)) return {};  // what the library does by rules is not told
  if (rel.space() != Space::kGoal) return engine_.analysis.RulesOf(engine_.store.BaseOf(relation));
  const Goal* goal = engine_.program.FindGoal(engine_.pool.TextOf(rel.label()));
  return goal == nullptr ? std::vector<int>{} : goal->rules;
}

bool KnownFacts::Covers(std::span<const Value> row, std::span<const Value> instance) const {
  return std::ranges::equal(row, instance, [&](Value of, Value v) {
    return of == v || (of.kind() == Kind::kSet && engine_.pool.Contains(of, v));
  });
}

std::vector<std::vector<Value>> KnownFacts::KeysFor(const Fact& fact) const {
  std::vector<std::vector<Value>> out = {fact.second};
  const RelationId whole =
      engine_.store.IsWhole(fact.first) ? kNoId : engine_.store.WholeIfAny(fact.first);
  if (whole == kNoId) return out;
  const Relation& rows = engine_.store.at(whole);
  for (RowId r = 0; r < rows.size(); ++r) {
    if (const auto row = rows.Cells(r); HasSet(row) && Covers(row, fact.second)) out.push_back(row);
  }
  return out;
}

std::string KnownFacts::FactText(const Fact& fact) const {
  const Relation& rel = engine_.store.at(fact.first);
  std::string out = rel.name();
  std::vector<Value> cells = fact.second;
  if (rel.space() == Space::kGoal) {
    while (!cells.empty() && cells.back() == kAbsent) cells.pop_back();
    if (cells.empty()) return out;
  }
  if (rel.space() != Space::kAvar) {
    out += "(";
    for (std::size_t i = 0; i < cells.size(); ++i)
      out += (i > 0 ? ", " : "") +
             (cells[i] == kAbsent ? "_" : Text(engine_.pool, cells[i], kDerivationBytes));
    out += ")";
  }
  if (rel.space() != Space::kTool && rel.space() != Space::kAvar) return out;
  const std::optional<RowId> row = StoredRow(fact);
  const Value meta = row ? rel.Meta(*row) : kNone;
  if (meta.is_none()) return out;
  const Value result = engine_.pool.Lookup(meta, engine_.store.pool().Keyword("result"));
  return out + (result.is_none() ? " ^ ~ " + Text(engine_.pool, meta, kDerivationBytes)
                                 : " = " + Text(engine_.pool, result, kDerivationBytes));
}

void KnownFacts::Leaf(ExplainNode& node, const Fact& fact) const {
  const Relation& rel = engine_.store.at(fact.first);
  const std::optional<Span> origin = rel.Origin(*StoredRow(fact));
  const bool outside = rel.space() == Space::kTool || rel.space() == Space::kAvar;
  node.kind = !origin || outside ? NodeKind::kReply : NodeKind::kAsserted;
  if (!origin) node.note = "answered";
  if (!origin) return;
  node.placed = true;
  node.place = *origin;
}

}  // namespace rpl
