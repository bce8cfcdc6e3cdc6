// SPDX-License-Identifier: Apache-2.0
#include "interp/plan/intermediate.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "interp/store/store.h"

namespace rpl {
namespace {

constexpr double kRepeats = 4;       // combinations for each row of an intermediate, at least
constexpr double kMostRows = 2;      // rows of an intermediate for each row of the atoms, at most
constexpr double kCounting = 16;     // probes in the time that counting the rows of the atoms takes
constexpr RowId kCounted = 1 << 18;  // rows of a relation that are counted, at most about

/// An atom whose columns are slots, constants or wilds.
struct JoinAtom {
  std::size_t position;
  const Atom* atom;
  const Relation* relation;
  RowId end;                  // of its rows
  std::vector<SlotId> slots;  // by column; -1: no slot
  std::vector<SlotId> all;    // without repetition

  bool Has(SlotId slot) const { return std::ranges::find(all, slot) != all.end(); }
};

// Of rows, those with one key of so many are counted; a power of two.
std::uint64_t OneOf(RowId rows) { return std::bit_ceil(std::uint64_t{rows / kCounted} + 1); }

// Calls fn(hash) for each row's values of the slots, as far as the key is counted.
template <typename Fn>
void ForEachKey(const JoinAtom& atom, const std::vector<SlotId>& slots, std::uint64_t one_of,
                const Fn& fn) {
  std::vector<std::size_t> columns;
  for (const SlotId slot : slots)
    columns.push_back(
        static_cast<std::size_t>(std::ranges::find(atom.slots, slot) - atom.slots.begin()));
  for (RowId row = 0; row < atom.end; ++row) {
    const RowCells cells = atom.relation->CellsOf(row);
    std::uint64_t hash = 0;
    for (const std::size_t column : columns) hash = MixHash(hash, cells[column].bits());
    if ((hash & (one_of - 1)) == 0) fn(hash);
  }
}

// How many different values the slots have in the atom's rows.
double DistinctIn(const JoinAtom& atom, const std::vector<SlotId>& slots) {
  if (slots.empty()) return 1;
  const std::uint64_t one_of = OneOf(atom.end);
  std::unordered_set<std::uint64_t> seen;
  ForEachKey(atom, slots, one_of, [&](std::uint64_t hash) { seen.insert(hash); });
  return static_cast<double>(seen.size() * one_of);
}

// How many pairs of rows agree in the slots.
double JoinSize(const JoinAtom& a, const JoinAtom& b, const std::vector<SlotId>& shared) {
  const std::uint64_t one_of = OneOf(std::max(a.end, b.end));
  std::unordered_map<std::uint64_t, double> rows;
  ForEachKey(a, shared, one_of, [&](std::uint64_t hash) { ++rows[hash]; });
  double pairs = 0;
  ForEachKey(b, shared, one_of, [&](std::uint64_t hash) {
    if (const auto at = rows.find(hash); at != rows.end()) pairs += at->second;
  });
  return pairs * static_cast<double>(one_of);
}

std::vector<SlotId> Shared(const std::vector<SlotId>& slots, const JoinAtom& with) {
  std::vector<SlotId> out;
  std::ranges::copy_if(slots, std::back_inserter(out), [&](SlotId s) { return with.Has(s); });
  return out;
}

// The atoms of the rule; none if one of them has to be where it is.
std::vector<JoinAtom> AtomsOf(const DerivedRule& rule, const Store& store,
                              const std::vector<Marks>& marks) {
  std::vector<JoinAtom> out;
  for (const auto& [i, clause, atom] : OwnAtoms(rule.clauses)) {
    const Relation& relation = store.at(atom.relation);
    if (atom.whole || atom.row >= 0 || store.WholeIfAny(atom.relation) != kNoId) return {};
    JoinAtom& to =
        out.emplace_back(JoinAtom{i, &atom, &relation, marks[atom.relation].end, {}, {}});
    for (const Pattern& p : atom.args) {
      const bool is_slot = p.kind == Pattern::Kind::kSlot;
      if (!is_slot && p.kind != Pattern::Kind::kConstant && p.kind != Pattern::Kind::kAny)
        return {};
      to.slots.push_back(is_slot ? p.slot : -1);
      if (is_slot && !to.Has(p.slot)) to.all.push_back(p.slot);
    }
  }
  return out;
}

// What is read of two atoms by the head and the other clauses.
std::vector<SlotId> ColumnsOf(const DerivedRule& rule, const JoinAtom& a, const JoinAtom& b) {
  std::vector<bool> read = HeadSlots(*rule.def);
  for (std::size_t i = 0; i < rule.clauses.size(); ++i)
    if (i != a.position && i != b.position) CollectSlots(*rule.clauses[i], read);
  std::vector<SlotId> out;
  for (const JoinAtom* atom : {&a, &b})
    for (const SlotId slot : atom->all)
      if (read[static_cast<std::size_t>(slot)] && std::ranges::find(out, slot) == out.end())
        out.push_back(slot);
  return out;
}

// Rows of the cheapest of the other atoms, for a row of the intermediate.
double LeastFollowing(const std::vector<JoinAtom>& atoms, const JoinAtom& a, const JoinAtom& b,
                      const std::vector<SlotId>& columns) {
  std::optional<double> least;
  for (const JoinAtom& other : atoms) {
    if (&other == &a || &other == &b) continue;
    const std::vector<SlotId> known = Shared(columns, other);
    if (known.empty()) continue;
    const double rows = static_cast<double>(other.end) / std::max(1.0, DistinctIn(other, known));
    least = std::min(least.value_or(rows), rows);
  }
  return least.value_or(static_cast<double>(kNoId));
}

// A rule with these clauses, some of those of `whole`, which reads the deltas of its atoms.
DerivedRule RuleWith(const DerivedRule& whole, const Definition& def,
                     std::vector<const Clause*> clauses) {
  DerivedRule out;
  out.def = &def;
  out.clauses = std::move(clauses);
  out.whole_reads = whole.whole_reads;
  for (const auto& [i, clause, atom] : OwnAtoms(out.clauses)) {
    if (std::ranges::find(out.reads, atom.relation) == out.reads.end())
      out.reads.push_back(atom.relation);
    if (std::ranges::find(whole.whole_reads, atom.relation) == whole.whole_reads.end())
      out.deltas.push_back({atom.relation, static_cast<int>(i), {}});
  }
  return out;
}

std::string ArgumentsText(const std::vector<SlotId>& slots, const std::vector<std::string>& names) {
  std::string out;
  for (const SlotId slot : slots)
    out += (out.empty() ? "(?" : ", ?") + names[static_cast<std::size_t>(slot)];
  return out + ")";
}

}  // namespace

std::optional<Intermediate> FindIntermediate(const DerivedRule& rule, const Store& store,
                                             const std::vector<Marks>& marks, double cost,
                                             const Limits& limits) {
  const bool always = limits.min_split == 0;
  if (!always && cost < static_cast<double>(limits.min_split)) return std::nullopt;
  if (rule.as_written || IsChecked(*rule.def)) return std::nullopt;  // violations tell all lvars
  const std::vector<JoinAtom> atoms = AtomsOf(rule, store, marks);
  if (atoms.size() < 3) return std::nullopt;
  double all_rows = 0;
  for (const JoinAtom& atom : atoms) all_rows += static_cast<double>(atom.end);
  if (!always && cost < kCounting * all_rows) return std::nullopt;
  if (always) cost = std::numeric_limits<double>::infinity();
  std::optional<Intermediate> best;
  for (const JoinAtom& a : atoms)
    for (const JoinAtom& b : atoms) {
      if (a.position >= b.position) continue;
      const std::vector<SlotId> shared = Shared(a.all, b);
      if (shared.empty()) continue;
      const std::vector<SlotId> columns = ColumnsOf(rule, a, b);
      if (columns.empty() || columns.size() >= a.all.size() + b.all.size() - shared.size())
        continue;  // nothing is left out
      const double joined = JoinSize(a, b, shared);
      if (joined > cost) continue;
      std::vector<SlotId> of_b = Shared(columns, b);
      std::erase_if(of_b, [&](SlotId slot) { return a.Has(slot); });
      const double rows = std::min(joined, DistinctIn(a, Shared(columns, a)) * DistinctIn(b, of_b));
      if (!always && (joined < kRepeats * rows || rows > kMostRows * all_rows)) continue;
      const double all = joined + rows * (1 + LeastFollowing(atoms, a, b, columns));
      if (all >= cost) continue;
      cost = all;
      best = {a.position, b.position, columns};
    }
  return best;
}

SplitRule::SplitRule(const DerivedRule& rule, const Intermediate& intermediate, RelationId relation,
                     const Store& store) {
  const Definition& def = *rule.def;
  const auto& [first, second, columns] = intermediate;
  const std::string arguments = ArgumentsText(columns, def.slots);
  std::vector<Pattern> args;
  for (const SlotId slot : columns) args.push_back(Pattern::Slot(slot));
  definition.number = def.number;
  definition.head = relation;
  definition.args = args;
  definition.slots = def.slots;
  definition.avar = def.avar;
  definition.span = def.span;
  definition.text = store.at(relation).name() + arguments + " <- " + rule.clauses[first]->text +
                    ", " + rule.clauses[second]->text;
  definition.heading = def.heading;
  atom = Clause{Atom{relation, args, -1, {}, false, -1}, rule.clauses[first]->span,
                store.at(relation).name() + arguments};
  part = RuleWith(rule, definition, {rule.clauses[first], rule.clauses[second]});
  std::vector<const Clause*> clauses = {&atom};
  for (std::size_t i = 0; i < rule.clauses.size(); ++i)
    if (i != first && i != second) clauses.push_back(rule.clauses[i]);
  rest = RuleWith(rule, def, std::move(clauses));
  // Also what it reads under `not`.
  for (const RelationId r : rule.whole_reads)
    if (std::ranges::find(rest.reads, r) == rest.reads.end()) rest.reads.push_back(r);
}

bool SplitRule::MeetsSets(const Store& store) const {
  const auto has_sets = [&](const auto& own) {
    return store.WholeIfAny(own.atom.relation) != kNoId;
  };
  return std::ranges::any_of(OwnAtoms(part.clauses), has_sets) ||
         std::ranges::any_of(OwnAtoms(rest.clauses), has_sets);
}

}  // namespace rpl
