// SPDX-License-Identifier: Apache-2.0
#include "shell/pages/answer_origin.h"

#include <algorithm>
#include <vector>

#include "interp/program/program.h"
#include "interp/store/store.h"
#include "runtime/run/session.h"

namespace rpl {
namespace {

constexpr RowId kMostRows = 100'000;

using Captured = std::map<SlotId, Value>;

// An answer has no place in a text; what a person states in a message has one.
AnswerOrigin::Kind KindOf(Parties parties, bool placed) {
  const auto has = [&](By by) { return (parties & PartyBit(by)) != 0; };
  if (parties == 0) return AnswerOrigin::Kind::kDerived;
  if (placed && !has(By::kFile) && !has(By::kTool)) return AnswerOrigin::Kind::kStated;
  if (has(By::kPerson) || has(By::kHost) || has(By::kModel)) return AnswerOrigin::Kind::kAnswered;
  if (has(By::kTool)) return AnswerOrigin::Kind::kTool;
  return has(By::kFile) ? AnswerOrigin::Kind::kFile : AnswerOrigin::Kind::kStated;
}

bool Matches(const Relation& relation, RowId row, const Atom& atom, const Captured& captured) {
  for (std::size_t i = 0; i < atom.args.size(); ++i) {
    const Pattern& arg = atom.args[i];
    if (arg.kind == Pattern::Kind::kConstant && relation.Row(row)[i] != arg.constant) return false;
    if (arg.kind != Pattern::Kind::kSlot) continue;
    const auto value = captured.find(arg.slot);
    if (value != captured.end() && relation.Row(row)[i] != value->second) return false;
  }
  return true;
}

bool HasRules(const Program& program, RelationId relation) {
  return std::ranges::any_of(program.definitions(),
                             [&](const Definition& def) { return def.head == relation; });
}

// The origin of the rows that the atom matches; nullopt if there is none, or they differ. Of a
// relation with rules the store may have a part: there a row that somebody stated proves nothing.
std::optional<AnswerOrigin> OriginIn(const Program& program, const Relation& relation,
                                     const Atom& atom, const Captured& captured) {
  if (relation.space() != Space::kRelation || relation.size() > kMostRows ||
      relation.arity() != atom.args.size())
    return std::nullopt;
  const bool has_rules = HasRules(program, relation.id());
  std::optional<AnswerOrigin> out;
  for (RowId row = 0; row < relation.size(); ++row) {
    if (!Matches(relation, row, atom, captured)) continue;
    const std::optional<Span> place = relation.Origin(row);
    AnswerOrigin origin{KindOf(relation.SaidBy(row), place.has_value()), std::nullopt};
    if (origin.kind == AnswerOrigin::Kind::kStated) origin.place = place;
    if (out && out->kind != origin.kind) return std::nullopt;
    if (origin.kind != AnswerOrigin::Kind::kDerived && has_rules) return std::nullopt;
    if (!out) out = origin;
    else if (out->place != origin.place) out->place = std::nullopt;
  }
  return out;
}

}  // namespace

std::map<std::string, AnswerOrigin> OriginsOf(const Outcome& outcome, const Session& session) {
  std::map<std::string, AnswerOrigin> out;
  if (outcome.columns.empty() || outcome.cells.size() != outcome.columns.size() ||
      !outcome.goal.starts_with('%'))
    return out;
  const Goal* goal = session.program().FindGoal(outcome.goal.substr(1));
  if (goal == nullptr || goal->rules.size() != 1) return out;
  const Definition& def =
      session.program().definitions()[static_cast<std::size_t>(goal->rules.front())];
  Captured captured;
  for (std::size_t i = 0; i < outcome.columns.size(); ++i)
    for (std::size_t slot = 0; slot < def.slots.size(); ++slot)
      if ("?" + def.slots[slot] == outcome.columns[i])
        captured.emplace(static_cast<SlotId>(slot), outcome.cells[i]);
  for (const auto& [position, clause, atom] : OwnAtoms(def.body)) {
    const std::optional<AnswerOrigin> origin =
        OriginIn(session.program(), session.store().at(atom.relation), atom, captured);
    if (!origin) continue;
    for (const Pattern& arg : atom.args) {
      if (arg.kind != Pattern::Kind::kSlot || !captured.contains(arg.slot)) continue;
      const auto [at, is_new] =
          out.emplace("?" + def.slots[static_cast<std::size_t>(arg.slot)], *origin);
      if (!is_new && at->second.kind < origin->kind) at->second = *origin;
    }
  }
  return out;
}

}  // namespace rpl
