// SPDX-License-Identifier: Apache-2.0
#include "interp/sql/sql_absence.h"

#include <map>
#include <vector>

#include "interp/sql/sql_push.h"
#include "interp/store/store.h"

namespace rpl {
namespace {

// Whether all that the definition reads stands where its absence counts.
bool AllInside(const Definition& def) {
  return def.choice || !def.gathered.empty() || def.extremum.has_value();
}

// Calls fn(atom) for each atom, of `!%goal` as well, whose absence counts. Nested as deep as the
// parser allows.
template <typename Fn>
void ForEachInside(const Clauses& clauses, bool inside, Fn&& fn) {
  for (const Clause& clause : clauses) {
    ForEachPart(
        clause,
        [&](Sense sense, const ClauseRead& read) {
          if (read.atom != nullptr && (inside || sense != Sense::kHolds)) fn(*read.atom);
        },
        [&](Sense sense, const Clauses& body) {
          ForEachInside(body, inside || sense != Sense::kHolds, fn);
        });
  }
}

template <typename Fn>
void ForEachInside(const Definition& def, Fn&& fn) {
  ForEachInside(def.activation, true, fn);
  ForEachInside(def.body, AllInside(def), fn);
}

}  // namespace

std::set<RelationId> NeededWhole(const Program& program,
                                 std::span<const Definition* const> questions) {
  const Store& store = program.store();
  std::set<RelationId> out;
  std::vector<RelationId> open;
  const auto need = [&](RelationId relation) {
    if (out.insert(relation).second) open.push_back(relation);
  };
  const auto take = [&](const Atom& atom) { need(store.BaseOf(atom.relation)); };
  std::map<RelationId, std::vector<const Definition*>> rules;
  for (const Definition& def : program.definitions()) {
    ForEachInside(def, take);
    if (def.head != kNoId) rules[def.head].push_back(&def);
  }
  // The rules of a goal capture as many values as they like.
  for (const Goal& goal : program.goals())
    for (const int number : goal.rules)
      rules[goal.relation].push_back(&program.definitions()[static_cast<std::size_t>(number)]);
  for (const Definition* question : questions) ForEachInside(*question, take);
  const auto take_constraint = [&](const Constraint& c) {
    ForEachInside(c.left, true, take);
    ForEachInside(c.right, false, take);
  };
  for (const Constraint& c : program.constraints()) take_constraint(c);
  for (const CallGuard& guard : program.guards())
    for (const CallGuard::Reading& reading : guard.readings) take_constraint(reading.form);
  while (!open.empty()) {
    const RelationId relation = open.back();
    open.pop_back();
    if (const auto of = rules.find(relation); of != rules.end())
      for (const Definition* def : of->second)
        for (const RelationId read : Mentioned(*def, store)) need(read);
  }
  return out;
}

}  // namespace rpl
