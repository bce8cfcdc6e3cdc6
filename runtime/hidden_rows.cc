// SPDX-License-Identifier: Apache-2.0
#include "runtime/hidden_rows.h"

#include <algorithm>

namespace rpl {
namespace {

// The value that an argument has for certain; kNone for one that is free, or more than a slot.
Value Known(const Pattern& p, const std::vector<Value>& slots) {
  if (p.kind == Pattern::Kind::kConstant) return p.constant;
  if (p.kind != Pattern::Kind::kSlot) return kNone;
  const Value value = slots[static_cast<std::size_t>(p.slot)];
  return value == kUnknown ? kNone : value;
}

class HiddenRowFinder {
 public:
  HiddenRowFinder(const Store& store, const std::vector<Value>& slots)
      : store_(store), slots_(slots) {}

  // Nested as deep as the parser allows.
  void Find(const Clauses& clauses, bool inside) {
    for (const Clause& clause : clauses) {
      if (const auto* atom = clause.As<Atom>()) AddRows(*atom, inside);
      ForEachBody(clause, [&](const Clauses& body) { Find(body, true); });
    }
  }

  std::set<std::pair<RelationId, RowId>> found;

 private:
  void AddRows(const Atom& atom, bool inside) {
    const Relation& rel = store_.at(store_.BaseOf(atom.relation));
    if (rel.space() != Space::kRelation && rel.space() != Space::kTool) return;
    std::vector<Value> known;
    for (const Pattern& p : atom.args) known.push_back(Known(p, slots_));
    const bool free = std::ranges::any_of(known, [](Value v) { return v.is_none(); });
    if (!free && !inside) return;
    for (RowId row = 0; row < rel.size(); ++row) {
      const RowView cells = rel.Row(row);
      bool matches = true;
      for (std::size_t i = 0; i < known.size() && matches; ++i)
        matches = known[i].is_none() || known[i] == cells[i];
      if (matches) found.emplace(rel.id(), row);
    }
  }

  const Store& store_;
  const std::vector<Value>& slots_;
};

}  // namespace

std::set<std::pair<RelationId, RowId>> HiddenRows(const Store& store, const Constraint& c,
                                                  const std::vector<Value>& slots) {
  HiddenRowFinder finder(store, slots);
  finder.Find(c.left, false);
  return std::move(finder.found);
}

}  // namespace rpl
