// SPDX-License-Identifier: Apache-2.0
#include "interp/plan/order_search.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

namespace rpl {
namespace {

constexpr std::size_t kFew = 4;     // atoms, of which all orders are considered
constexpr std::size_t kSome = 8;    // atoms, of which the best order may have cross products
constexpr std::size_t kMany = 12;   // atoms, of which sets are compared
constexpr std::size_t kFirsts = 8;  // first atoms that are considered among more of them

/// An order of atoms, and what it costs.
struct Walk {
  std::vector<std::size_t> atoms;
  double cost = 0;
  double flow = 1;  // answers so far

  void Take(std::size_t atom, double matching, double left) {
    atoms.push_back(atom);
    cost += flow * (1 + matching);
    flow *= matching * left;
  }
};

void TakeNext(JoinEstimate& estimate, JoinEstimate::Slots& known, Walk& walk, std::size_t atom) {
  walk.Take(atom, estimate.Matching(known, atom), estimate.Left(known, atom));
  estimate.Take(known, atom);
}

// All orders.
std::vector<Walk> AllWalks(JoinEstimate& estimate) {
  std::vector<Walk> out;
  std::vector<std::size_t> order(estimate.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  do {
    Walk& walk = out.emplace_back();
    JoinEstimate::Slots known = estimate.Begin();
    for (const std::size_t atom : order) TakeNext(estimate, known, walk, atom);
  } while (std::next_permutation(order.begin(), order.end()));
  return out;
}

// The order that goes on with the cheapest atom after the first one.
Walk GreedyWalk(JoinEstimate& estimate, std::size_t first) {
  Walk out;
  JoinEstimate::Slots known = estimate.Begin();
  std::vector<bool> taken(estimate.size());
  for (std::size_t next = first; out.atoms.size() < estimate.size();) {
    TakeNext(estimate, known, out, next);
    taken[next] = true;
    std::optional<std::pair<bool, double>> least;
    for (std::size_t atom = 0; atom < estimate.size(); ++atom) {
      if (taken[atom]) continue;
      const std::pair<bool, double> of = {!estimate.IsConnected(known, atom),
                                          estimate.Matching(known, atom)};
      if (least && of >= *least) continue;
      least = of;
      next = atom;
    }
  }
  return out;
}

// Of many atoms.
std::vector<Walk> GreedyWalks(JoinEstimate& estimate) {
  std::vector<std::size_t> firsts(estimate.size());
  std::iota(firsts.begin(), firsts.end(), std::size_t{0});
  std::ranges::stable_sort(
      firsts, {}, [&](std::size_t atom) { return estimate.Matching(estimate.Begin(), atom); });
  firsts.resize(std::min(firsts.size(), kFirsts));
  std::vector<Walk> out;
  for (const std::size_t first : firsts) out.push_back(GreedyWalk(estimate, first));
  return out;
}

/// Dynamic programming: the cheapest order of each set of atoms, from those of its subsets.
class SetSearch {
 public:
  using Set = std::uint32_t;
  explicit SetSearch(JoinEstimate& estimate)
      : estimate_(estimate), full_((Set{1} << estimate.size()) - 1), sets_(full_ + 1) {}

  /// The cheapest order that begins with one of the atoms. `connected`: an atom of which nothing is
  /// known follows only where there is no other.
  Walk Best(Set firsts, bool connected) {
    for (Reached& reached : sets_) reached.cost = std::numeric_limits<double>::infinity();
    for (std::size_t atom = 0; atom < estimate_.size(); ++atom)
      if ((firsts >> atom & 1) != 0) Reach({0, 1}, 0, atom);
    for (Set set = 1; set < full_; ++set) {
      const Reached from = sets_[set];
      if (from.cost == std::numeric_limits<double>::infinity()) continue;
      const Facts& facts = FactsOf(set);
      const Set others = full_ & ~set;
      const Set next = connected && (facts.connected & others) != 0 ? facts.connected : others;
      for (std::size_t atom = 0; atom < estimate_.size(); ++atom)
        if ((others & next & Set{1} << atom) != 0) Reach(from, set, atom);
    }
    return WalkTo(full_);
  }

 private:
  struct Reached {
    double cost, flow;
    std::size_t last = 0;
  };
  /// What holds after the atoms of a set, in whatever order they were read.
  struct Facts {
    JoinEstimate::Slots known;
    Set connected = 0;
    std::vector<std::pair<double, double>> steps;  // by atom: matching, left
  };

  const Facts& FactsOf(Set set) {
    std::optional<Facts>& facts = facts_[set];
    if (facts) return *facts;
    facts.emplace();
    facts->known = estimate_.Begin();
    for (std::size_t atom = 0; atom < estimate_.size(); ++atom)
      if ((set >> atom & 1) != 0) estimate_.Take(facts->known, atom);
    for (std::size_t atom = 0; atom < estimate_.size(); ++atom) {
      std::pair<double, double>& step = facts->steps.emplace_back();
      if ((set >> atom & 1) != 0) continue;
      step = {estimate_.Matching(facts->known, atom), estimate_.Left(facts->known, atom)};
      if (estimate_.IsConnected(facts->known, atom)) facts->connected |= Set{1} << atom;
    }
    return *facts;
  }

  void Reach(const Reached& from, Set set, std::size_t atom) {
    const auto [matching, left] = FactsOf(set).steps[atom];
    const double cost = from.cost + from.flow * (1 + matching);
    Reached& to = sets_[set | Set{1} << atom];
    if (cost < to.cost) to = {cost, from.flow * matching * left, atom};
  }

  Walk WalkTo(Set set) const {
    Walk out;
    out.cost = sets_[set].cost;
    out.flow = sets_[set].flow;
    for (; set != 0; set &= ~(Set{1} << sets_[set].last)) out.atoms.push_back(sets_[set].last);
    std::ranges::reverse(out.atoms);
    return out;
  }

  JoinEstimate& estimate_;
  const Set full_;
  std::vector<Reached> sets_;
  std::vector<std::optional<Facts>> facts_ = std::vector<std::optional<Facts>>(full_ + 1);
};

// The cheapest order that begins with each atom, and the cheapest of all.
std::vector<Walk> BestWalks(JoinEstimate& estimate) {
  SetSearch search(estimate);
  std::vector<Walk> out;
  for (std::size_t first = 0; first < estimate.size(); ++first)
    out.push_back(search.Best(SetSearch::Set{1} << first, true));
  if (estimate.size() > kSome) return out;
  Walk best = search.Best((SetSearch::Set{1} << estimate.size()) - 1, false);
  if (std::ranges::find(out, best.atoms, &Walk::atoms) == out.end()) out.push_back(std::move(best));
  return out;
}

std::vector<Walk> Walks(JoinEstimate& estimate) {
  if (estimate.size() <= kFew) return AllWalks(estimate);
  return estimate.size() <= kMany ? BestWalks(estimate) : GreedyWalks(estimate);
}

}  // namespace

std::vector<AtomOrder> CheapOrders(const std::vector<const Clause*>& clauses,
                                   JoinEstimate& estimate) {
  std::vector<AtomOrder> out;
  for (const Walk& walk : Walks(estimate)) {
    AtomOrder& to =
        out.emplace_back(AtomOrder{std::vector<std::size_t>(clauses.size()), walk.cost});
    std::iota(to.positions.begin(), to.positions.end(), std::size_t{0});
    for (std::size_t k = 0; k < walk.atoms.size(); ++k)
      to.positions[estimate.position(k)] = estimate.position(walk.atoms[k]);
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const AtomOrder& a, const AtomOrder& b) { return a.cost < b.cost; });
  return out;
}

double EstimatedCost(const Plan& plan, const std::vector<const Clause*>& clauses,
                     JoinEstimate& estimate) {
  Walk walk;
  JoinEstimate::Slots known = estimate.Begin();
  for (const Step* step = plan.first; step != nullptr; step = step->next)
    for (std::size_t atom = 0; atom < estimate.size(); ++atom)
      if (step->clause == clauses[estimate.position(atom)]) TakeNext(estimate, known, walk, atom);
  return walk.cost;
}

}  // namespace rpl
