// SPDX-License-Identifier: Apache-2.0
#include "interp/plan/atom_order.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

namespace rpl {
namespace {

constexpr RowId kGrowth = 4;  // growth of a relation that makes an order obsolete
constexpr std::size_t kSample = 1024;

// Estimated number of distinct values in the columns, by the GEE estimator: values that occur once
// in a sample are scaled by the square root of the ratio of the sizes, which has the least worst-
// case error when the distribution is unknown.
double DistinctIn(const Relation& rel, Columns columns) {
  if (rel.empty()) return 1;
  const std::size_t taken = std::min<std::size_t>(rel.size(), kSample);
  std::vector<std::uint64_t> hashes;
  for (std::size_t i = 0; i < taken; ++i) {
    const RowView cells = rel.Row(static_cast<RowId>(i * rel.size() / taken));
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

/// Numbers of distinct values in columns, each estimated once.
class ValueCounts {
 public:
  explicit ValueCounts(const Store& store) : store_(store) {}
  double In(RelationId relation, Columns columns) {
    const auto [at, added] = known_.try_emplace({relation, columns});
    if (added) at->second = std::max(1.0, DistinctIn(store_.at(relation), columns));
    return at->second;
  }

 private:
  const Store& store_;
  std::map<std::pair<RelationId, Columns>, double> known_;
};

/// The atoms of a rule, and what it costs to read them one after the other.
class Atoms {
 public:
  Atoms(const std::vector<const Clause*>& clauses, int delta, RowId delta_rows, const Store& store,
        const std::vector<bool>& bound)
      : store_(store), distinct_(store), delta_(delta), delta_rows_(delta_rows), bound_(bound) {
    slots_ = bound.size();
    for (std::size_t i = 0; i < clauses.size(); ++i) {
      if (clauses[i]->As<Atom>() == nullptr) continue;
      atoms_.push_back({i, clauses[i]->As<Atom>()});
      ForEachSlot(*clauses[i],
                  [&](SlotId s) { slots_ = std::max(slots_, static_cast<std::size_t>(s) + 1); });
    }
  }

  std::size_t size() const { return atoms_.size(); }
  std::size_t position(std::size_t atom) const { return atoms_[atom].position; }

  /// The state after some atoms: the slots known, the answers so far, the work for them.
  struct Walk {
    std::vector<bool> known;
    double flow = 1;
    double cost = 0;
  };
  Walk Begin() const {
    Walk walk = {bound_};
    walk.known.resize(slots_);
    return walk;
  }
  void Take(Walk& walk, std::size_t atom) {
    const double matching = Matching(walk, atom);
    walk.cost += walk.flow * (1 + matching);
    walk.flow *= matching;
    for (const Pattern& p : atoms_[atom].atom->args)
      ForEachSlot(p, [&](SlotId s) { walk.known[static_cast<std::size_t>(s)] = true; });
  }

  /// Estimated number of rows of the atom that agree with the known slots.
  double Matching(const Walk& walk, std::size_t number) {
    const auto& [position, atom] = atoms_[number];
    const Relation& rel = store_.at(atom->relation);
    Columns columns = 0;
    for (std::size_t i = 0; i < atom->args.size(); ++i) {
      const Pattern& p = atom->args[i];
      if (p.kind == Pattern::Kind::kConstant ||
          (p.kind == Pattern::Kind::kSlot && walk.known[static_cast<std::size_t>(p.slot)]))
        columns |= Columns{1} << i;
    }
    const bool is_delta = static_cast<int>(position) == delta_;
    const auto rows = static_cast<double>(is_delta ? delta_rows_ : rel.size());
    if (columns == 0) return rows;
    // No two rows are the same.
    if (static_cast<std::size_t>(std::popcount(columns)) == atom->args.size())
      return rows / std::max<double>(rel.size(), 1);
    return rows / distinct_.In(atom->relation, columns);
  }

 private:
  struct Placed {
    std::size_t position;
    const Atom* atom;
  };
  const Store& store_;
  ValueCounts distinct_;
  const int delta_;
  const RowId delta_rows_;
  const std::vector<bool>& bound_;
  std::vector<Placed> atoms_;
  std::size_t slots_ = 0;
};

constexpr std::size_t kFew = 4;  // atoms, of which all orders are considered

// Calls fn(order, cost) for each order of the atoms.
template <typename Fn>
void ForEachOrder(Atoms& atoms, const Fn& fn) {
  std::vector<std::size_t> order(atoms.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (atoms.size() > kFew) {
    for (std::size_t first = 0; first < atoms.size(); ++first) {
      Atoms::Walk walk = atoms.Begin();
      std::swap(order[0], *std::find(order.begin(), order.end(), first));
      for (std::size_t k = 0; k < order.size(); ++k) {
        if (k > 0)
          std::iter_swap(order.begin() + static_cast<std::ptrdiff_t>(k),
                         std::min_element(order.begin() + static_cast<std::ptrdiff_t>(k),
                                          order.end(), [&](std::size_t a, std::size_t b) {
                                            return std::pair(atoms.Matching(walk, a), a) <
                                                   std::pair(atoms.Matching(walk, b), b);
                                          }));
        atoms.Take(walk, order[k]);
      }
      fn(order, walk.cost);
    }
    return;
  }
  do {
    Atoms::Walk walk = atoms.Begin();
    for (const std::size_t atom : order) atoms.Take(walk, atom);
    fn(order, walk.cost);
  } while (std::next_permutation(order.begin(), order.end()));
}

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

std::vector<AtomOrder> OrdersByCost(const std::vector<const Clause*>& clauses, int delta,
                                    RowId delta_rows, const Store& store,
                                    const std::vector<bool>& bound) {
  Atoms atoms(clauses, delta, delta_rows, store, bound);
  std::vector<AtomOrder> out;
  ForEachOrder(atoms, [&](const std::vector<std::size_t>& order, double cost) {
    AtomOrder& to = out.emplace_back(AtomOrder{std::vector<std::size_t>(clauses.size()), cost});
    std::iota(to.positions.begin(), to.positions.end(), std::size_t{0});
    for (std::size_t k = 0; k < order.size(); ++k)
      to.positions[atoms.position(k)] = atoms.position(order[k]);
  });
  std::stable_sort(out.begin(), out.end(),
                   [](const AtomOrder& a, const AtomOrder& b) { return a.cost < b.cost; });
  return out;
}

}  // namespace rpl
