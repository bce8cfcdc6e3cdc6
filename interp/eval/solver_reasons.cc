// SPDX-License-Identifier: Apache-2.0
//
// Reasons in words why a table has no answers.
#include <algorithm>
#include <set>
#include <utility>

#include "interp/eval/machine.h"
#include "interp/eval/solver.h"
#include "interp/program/library_reasons.h"

namespace rpl {

std::string Solver::ReasonOf(const Frame& frame) {
  if (!frame.note.empty()) return frame.note;
  if (frame.deepest == nullptr) return "";
  const Clause& clause = *frame.deepest->clause;
  const std::string with = machine_->BoundIn(clause, frame.snapshot, *frame.names);
  const std::string reason = clause.As<Atom>() ? "no fact matches `" + clause.text + "`" + with
                                               : "`" + clause.text + "` does not hold" + with;
  const std::string& undefined = UndefinedBelow(clause);
  return undefined.empty() ? reason : reason + "; " + undefined;
}

// The first undefined clause among the rules that derive what the clause reads, or "". Rows of
// theirs are absent for that.
const std::string& Solver::UndefinedBelow(const Clause& clause) {
  const auto [at, is_new] = undefined_below_.try_emplace(&clause);
  if (is_new && !machine_->undefined.empty()) at->second = FindUndefined(clause);
  return at->second;
}

std::string Solver::FindUndefined(const Clause& clause) const {
  std::vector<RelationId> left;
  std::set<RelationId> known;
  const auto read = [&](const Clause& c) {
    const Atom* const atom = AtomIn(c);
    if (atom == nullptr) return;
    const RelationId base = store_.BaseOf(atom->relation);
    if (known.insert(base).second) left.push_back(base);
  };
  read(clause);
  ForEachBody(clause, [&](const Clauses& body) { ForEachClause(body, read); });
  for (std::size_t i = 0; i < left.size(); ++i)
    for (const int number : analysis_.RulesOf(left[i])) {
      const Definition& def = program_.definitions()[static_cast<std::size_t>(number)];
      if (const auto at = machine_->undefined.find(&def); at != machine_->undefined.end())
        return at->second;
      std::ranges::for_each(ClausesOf(def), [&](const Clause* c) { read(*c); });
    }
  return "";
}

std::string Solver::NoMatchText(const Table& table) const {
  OpenCall asked;
  asked.relation = table.relation;
  asked.args = table.key;
  return "no fact matches `" + machine_->CallText(asked, kToldBytes) + "`";
}

// Of a relation of the library that is rules: what these do is not told.
std::string Solver::WhyNothingInLibrary(const Table& table) const {
  const Table::Details& more = table.more();
  if (!more.undefined.empty()) return "it is undefined: " + more.undefined;
  const Relation& rel = store_.at(store_.BaseOf(table.relation));
  const std::string why = WhyLibraryEmpty(pool_, rel.name(), table.key);
  if (!why.empty()) return NoMatchText(table) + ": " + why;
  return table.lacking != 0 && !more.reason.empty() ? more.reason : NoMatchText(table);
}

// Few tables without answers are ever asked for the reason, so it is found by evaluating the rules
// once more, over tables that are complete.
const std::string& Solver::WhyEmpty(Table& table) {
  if (table.explains || !table.complete || !table.rows.empty() || !table.more().reason.empty())
    return table.more().reason;
  table.explains = true;
  Table again;
  again.relation = table.relation;
  again.key = table.key;
  again.explains = true;
  EvaluateTable(again);
  return table.more().reason = std::move(again.more().reason);
}

}  // namespace rpl
