// SPDX-License-Identifier: Apache-2.0
#include "interp/plan/join_estimate.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "interp/program/operators.h"
#include "interp/store/store.h"

namespace rpl {
namespace {

constexpr std::size_t kSample = 1 << 12;    // rows in which distinct values are counted
constexpr std::size_t kCompared = 64;       // values of a column that are compared with others
constexpr double kOfOrder = 1.0 / 3;        // a comparison leaves if nothing is known of its sides
constexpr double kLeastShare = 1.0 / 4096;  // of what no sample shows

// The row of a sample of `count` rows, evenly spread.
RowId SampleRow(const Relation& rel, std::size_t i, std::size_t count) {
  return static_cast<RowId>(i * rel.size() / count);
}

/// A set of hashes as bits. With fewer than a quarter as many hashes, few of them share a bit.
class HashBits {
 public:
  explicit HashBits(std::size_t hashes)
      : shift_(64 - std::bit_width(std::max<std::size_t>(hashes, 16) * 4 - 1)),
        words_(((std::uint64_t{1} << 63 >> shift_) >> 5) + 1) {}

  /// Adds a hash; false if its bit was there.
  bool Add(std::uint64_t hash) {
    const std::uint64_t at = hash >> shift_;
    std::uint64_t& word = words_[at >> 6];
    const std::uint64_t bit = std::uint64_t{1} << (at & 63);
    return (word & bit) != 0 ? false : (word |= bit, true);
  }
  /// About how many different hashes set so many bits.
  double HashesOf(std::size_t bits) const {
    const double size = std::ldexp(1.0, 64 - shift_);
    return -size * std::log(1 - std::min(static_cast<double>(bits) / size, 0.99));
  }

 private:
  int shift_;
  std::vector<std::uint64_t> words_;
};

// Estimated number of distinct values in the columns, by the GEE estimator: values that occur once
// in a sample are scaled by the square root of the ratio of the sizes, which has the least worst-
// case error when the distribution is unknown.
double DistinctIn(const Relation& rel, Columns columns) {
  if (rel.empty()) return 1;
  const std::size_t taken = std::min<std::size_t>(rel.size(), kSample);
  HashBits seen(taken), again(taken);
  std::size_t distinct = 0, more = 0;
  for (std::size_t i = 0; i < taken; ++i) {
    const RowCells cells = rel.CellsOf(SampleRow(rel, i, taken));
    std::uint64_t hash = 0;
    for (Columns rest = columns; rest != 0; rest &= rest - 1)
      hash = MixHash(hash, cells[static_cast<std::size_t>(std::countr_zero(rest))].bits());
    if (seen.Add(hash)) ++distinct;
    else more += again.Add(hash) ? 1 : 0;
  }
  const double scale = std::sqrt(static_cast<double>(rel.size()) / static_cast<double>(taken)) - 1;
  return std::min(seen.HashesOf(distinct), static_cast<double>(taken)) +
         static_cast<double>(distinct - more) * scale;
}

std::vector<SlotId> SlotsIn(const Expr& e) {
  std::vector<SlotId> out;
  ForEachSlot(e, [&](SlotId s) { out.push_back(s); });
  return out;
}

bool IsBareSlot(const Expr& e) {
  return e.kind == Expr::Kind::kTerm && e.term.kind == Pattern::Kind::kSlot;
}

}  // namespace

JoinEstimate::JoinEstimate(const std::vector<const Clause*>& clauses, int delta, RowId delta_rows,
                           const Store& store, const std::vector<bool>& bound)
    : store_(store) {
  Number(clauses);
  for (const auto& [i, clause, atom] : OwnAtoms(clauses)) {
    const Relation& rel = store.at(atom.relation);
    const RowId rows = static_cast<int>(i) == delta ? delta_rows : rel.size();
    PlacedAtom& to =
        atoms_.emplace_back(PlacedAtom{i, &atom, &rel, static_cast<double>(rows), 0, {}, {}});
    for (std::size_t c = 0; c < atom.args.size(); ++c) {
      const Pattern& p = atom.args[c];
      if (p.kind == Pattern::Kind::kConstant) to.constants |= Columns{1} << c;
      to.slots.push_back(p.kind == Pattern::Kind::kSlot ? NumberOf(p.slot) : -1);
    }
  }
  for (const Clause* clause : clauses) {
    const auto* compare = clause->As<Compare>();
    if (compare == nullptr) continue;
    Comparison& to = comparisons_.emplace_back(Comparison{compare, {}, {}});
    for (const SlotId s : SlotsIn(compare->left)) to.left.push_back(NumberOf(s));
    for (const SlotId s : SlotsIn(compare->right)) to.right.push_back(NumberOf(s));
    if (compare->op != Operator::kEqual) continue;
    if (IsBareSlot(compare->left)) to.gives_left = to.left.front();
    if (IsBareSlot(compare->right)) to.gives_right = to.right.front();
  }
  begin_.resize(slots_);
  for (std::size_t s = 0; s < std::min(bound.size(), number_.size()); ++s)
    if (bound[s] && number_[s] >= 0) begin_[static_cast<std::size_t>(number_[s])] = true;
  Close(begin_);
}

// Numbers the slots of atoms and comparisons.
void JoinEstimate::Number(const std::vector<const Clause*>& clauses) {
  for (const Clause* clause : clauses) {
    if (clause->As<Atom>() == nullptr && clause->As<Compare>() == nullptr) continue;
    ForEachSlot(*clause, [&](SlotId slot) {
      const auto s = static_cast<std::size_t>(slot);
      if (s >= number_.size()) number_.resize(s + 1, -1);
      if (number_[s] < 0) number_[s] = static_cast<int>(slots_++);
    });
  }
}

// Adds what equalities give.
void JoinEstimate::Close(Slots& known) const {
  const auto is_known = [&](int s) { return known[static_cast<std::size_t>(s)]; };
  for (bool again = true; std::exchange(again, false);)
    for (const Comparison& c : comparisons_) {
      const auto give = [&](int slot, const std::vector<int>& from) {
        if (slot < 0 || is_known(slot) || !std::ranges::all_of(from, is_known)) return;
        known[static_cast<std::size_t>(slot)] = again = true;
      };
      give(c.gives_left, c.right);
      give(c.gives_right, c.left);
    }
}

void JoinEstimate::Take(Slots& known, std::size_t atom) const {
  for (const Pattern& p : atoms_[atom].atom->args)
    ForEachSlot(p, [&](SlotId s) { known[static_cast<std::size_t>(NumberOf(s))] = true; });
  if (!comparisons_.empty()) Close(known);
}

Columns JoinEstimate::KnownColumns(const Slots& known, const PlacedAtom& atom) const {
  Columns out = atom.constants;
  for (std::size_t c = 0; c < atom.slots.size(); ++c)
    if (atom.slots[c] >= 0 && known[static_cast<std::size_t>(atom.slots[c])])
      out |= Columns{1} << c;
  return out;
}

bool JoinEstimate::IsConnected(const Slots& known, std::size_t atom) const {
  return KnownColumns(known, atoms_[atom]) != 0;
}

double JoinEstimate::DistinctOf(PlacedAtom& atom, Columns columns) {
  const auto [at, added] = atom.distinct.try_emplace(columns);
  if (added) at->second = std::max(1.0, DistinctIn(*atom.relation, columns));
  return at->second;
}

double JoinEstimate::Matching(const Slots& known, std::size_t number) {
  PlacedAtom& atom = atoms_[number];
  const Columns columns = KnownColumns(known, atom);
  if (columns == 0) return atom.rows;
  // No two rows are the same.
  if (static_cast<std::size_t>(std::popcount(columns)) == atom.atom->args.size())
    return atom.rows / std::max<double>(atom.relation->size(), 1);
  return atom.rows / DistinctOf(atom, columns);
}

double JoinEstimate::Left(const Slots& known, std::size_t number) {
  if (comparisons_.empty()) return 1;
  // What the atom itself tells; an equality that gives something more is no test.
  Slots after = known;
  for (const int s : atoms_[number].slots)
    if (s >= 0) after[static_cast<std::size_t>(s)] = true;
  double out = 1;
  for (Comparison& c : comparisons_) {
    const auto within = [&](const Slots& slots) {
      const auto has = [&](int s) { return slots[static_cast<std::size_t>(s)]; };
      return std::ranges::all_of(c.left, has) && std::ranges::all_of(c.right, has);
    };
    if (within(known) || !within(after)) continue;
    if (c.share < 0) c.share = std::clamp(ShareOf(c), kLeastShare, 1.0);
    out *= c.share;
  }
  return out;
}

// Values that the expression may have, if it is a constant or a slot of an atom.
JoinEstimate::Sample JoinEstimate::SampleOf(const Expr& e) const {
  Sample out;
  if (e.kind != Expr::Kind::kTerm) return out;
  if (e.term.kind == Pattern::Kind::kConstant) out.values.push_back(e.term.constant);
  if (e.term.kind != Pattern::Kind::kSlot) return out;
  const int slot = NumberOf(e.term.slot);
  for (const PlacedAtom& atom : atoms_) {
    const auto at = std::ranges::find(atom.slots, slot);
    if (at == atom.slots.end() || atom.relation->empty()) continue;
    out.atom = &atom;
    const std::size_t taken = std::min<std::size_t>(atom.relation->size(), kCompared);
    for (std::size_t i = 0; i < taken; ++i)
      out.values.push_back(atom.relation->CellsOf(
          SampleRow(*atom.relation, i, taken))[static_cast<std::size_t>(at - atom.slots.begin())]);
    return out;
  }
  return out;
}

// An equality of two known sides holds for one of the values of a side that is a slot.
double JoinEstimate::EqualShare(const Comparison& c) {
  double most = 1;
  for (const int slot : {c.gives_left, c.gives_right})
    for (PlacedAtom& atom : atoms_)
      for (std::size_t column = 0; column < atom.slots.size(); ++column)
        if (slot >= 0 && atom.slots[column] == slot)
          most = std::max(most, DistinctOf(atom, Columns{1} << column));
  return 1 / most;
}

// The share of rows that a comparison of known sides leaves, by samples of their values.
double JoinEstimate::ShareOf(const Comparison& c) {
  const Operator op = c.compare->op;
  if (op == Operator::kEqual) return EqualShare(c);
  const Sample left = SampleOf(c.compare->left);
  const Sample right = SampleOf(c.compare->right);
  if (left.values.empty() || right.values.empty()) return op == Operator::kNotEqual ? 1 : kOfOrder;
  const bool together = left.atom != nullptr && left.atom == right.atom;  // of the same rows
  double pairs = 0, held = 0;
  for (std::size_t i = 0; i < left.values.size(); ++i)
    for (std::size_t k = together ? i : 0; k < (together ? i + 1 : right.values.size()); ++k) {
      std::string why;
      ++pairs;
      held += Holds(store_.pool(), op, left.values[i], right.values[k], why) ? 1 : 0;
    }
  // As if one more had been seen that holds by half.
  return (held + 0.5) / (pairs + 1);
}

}  // namespace rpl
