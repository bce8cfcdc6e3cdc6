// SPDX-License-Identifier: Apache-2.0
#include "interp/plan/atom_order.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rpl {
namespace {

constexpr RowId kGrowth = 8;  // growth of a relation that makes an order obsolete
constexpr std::size_t kSample = 1024;

// Estimated number of distinct values in the columns, by the GEE estimator: values that occur once
// in a sample are scaled by the square root of the ratio of the sizes, which has the least worst-
// case error when the distribution is unknown.
double DistinctIn(const Relation& rel, Columns columns) {
  if (rel.empty()) return 1;
  const std::size_t taken = std::min<std::size_t>(rel.size(), kSample);
  std::vector<std::uint64_t> hashes;
  for (std::size_t i = 0; i < taken; ++i) {
    const Value* cells = rel.Row(static_cast<RowId>(i * rel.size() / taken));
    std::uint64_t hash = 0;
    for (std::uint32_t c = 0; c < rel.arity(); ++c)
      if ((columns >> c & 1) != 0) hash = MixHash(hash, cells[c].bits());
    hashes.push_back(hash);
  }
  std::sort(hashes.begin(), hashes.end());
  double once = 0, more = 0;
  for (std::size_t i = 0; i < taken;) {
    std::size_t end = i + 1;
    while (end < taken && hashes[end] == hashes[i]) ++end;
    ++(end == i + 1 ? once : more);
    i = end;
  }
  return once * std::sqrt(static_cast<double>(rel.size()) / static_cast<double>(taken)) + more;
}

/// The cost of reading atoms in some order, atom by atom, with the slots known so far.
class OrderWalk {
 public:
  OrderWalk(const Store& store, std::size_t slots) : store_(store), known_(slots) {}

  /// Estimated number of rows of the atom that agree with the known slots.
  double Matching(const Atom& atom) const {
    const Relation& rel = store_.at(atom.relation);
    Columns columns = 0;
    bool all = true;
    for (std::size_t i = 0; i < atom.args.size(); ++i) {
      const Pattern& p = atom.args[i];
      if (p.kind == Pattern::Kind::kConstant || (p.kind == Pattern::Kind::kSlot && IsKnown(p.slot)))
        columns |= Columns{1} << i;
      else all = false;
    }
    const auto size = static_cast<double>(rel.size());
    if (columns == 0) return size;
    return all ? std::min(size, 1.0) : size / std::max(1.0, DistinctIn(rel, columns));
  }

  void Take(const Atom& atom, double matching) {
    looked_ += flow_ * (1 + matching);
    flow_ *= matching;
    Bind(atom);
  }
  void Bind(const Atom& atom) {
    for (const Pattern& p : atom.args)
      ForEachSlot(p, [&](SlotId s) { known_[static_cast<std::size_t>(s)] = true; });
  }
  double looked() const { return looked_; }

 private:
  bool IsKnown(SlotId slot) const { return known_[static_cast<std::size_t>(slot)]; }

  const Store& store_;
  std::vector<bool> known_;
  double flow_ = 1;    // answers so far
  double looked_ = 0;  // rows read for them
};

}  // namespace

bool HaveGrown(const std::vector<const Clause*>& clauses, const Store& store, const Limits& limits,
               SizesSeen& seen) {
  std::size_t at = 0;
  bool grown = false;
  for (const Clause* clause : clauses) {
    const auto* atom = clause->As<Atom>();
    if (atom == nullptr) continue;
    if (at == seen.size()) seen.push_back(0);
    const RowId size = store.at(atom->relation).size();
    grown |= size >= limits.min_ordered && size / kGrowth >= seen[at];
    ++at;
  }
  if (!grown) return false;
  at = 0;
  for (const Clause* clause : clauses)
    if (const auto* atom = clause->As<Atom>()) seen[at++] = store.at(atom->relation).size();
  return true;
}

std::vector<std::size_t> OrderBySizes(const std::vector<const Clause*>& clauses, int delta,
                                      const Store& store, const Limits& limits) {
  std::vector<std::size_t> written(clauses.size());
  std::iota(written.begin(), written.end(), std::size_t{0});
  std::vector<std::size_t> atoms;  // positions of the atoms to be ordered
  std::size_t slots = 0;
  for (const std::size_t i : written) {
    const auto* atom = clauses[i]->As<Atom>();
    if (atom == nullptr) continue;
    ForEachSlot(*clauses[i],
                [&](SlotId s) { slots = std::max(slots, static_cast<std::size_t>(s) + 1); });
    if (static_cast<int>(i) != delta) atoms.push_back(i);
  }
  const auto atom_at = [&](std::size_t i) -> const Atom& { return *clauses[i]->As<Atom>(); };
  OrderWalk as_written(store, slots), best(store, slots);
  if (delta >= 0) {
    as_written.Bind(atom_at(static_cast<std::size_t>(delta)));
    best.Bind(atom_at(static_cast<std::size_t>(delta)));
  }
  for (const std::size_t i : atoms) as_written.Take(atom_at(i), as_written.Matching(atom_at(i)));
  if (as_written.looked() < static_cast<double>(limits.min_ordered)) return written;
  std::vector<std::size_t> left = atoms, chosen;
  while (!left.empty()) {
    std::vector<double> matching;
    for (const std::size_t i : left) matching.push_back(best.Matching(atom_at(i)));
    const auto least = std::min_element(matching.begin(), matching.end());
    const auto at = left.begin() + (least - matching.begin());
    best.Take(atom_at(*at), *least);
    chosen.push_back(*at);
    left.erase(at);
  }
  if (best.looked() * limits.min_gain > as_written.looked()) return written;
  std::vector<std::size_t> out = written;
  for (std::size_t k = 0; k < atoms.size(); ++k) out[atoms[k]] = chosen[k];
  return out;
}

}  // namespace rpl
