// SPDX-License-Identifier: Apache-2.0
#include "interp/plan/atom_order.h"

#include "interp/plan/join_estimate.h"
#include "interp/plan/order_search.h"
#include "interp/store/store.h"

namespace rpl {
namespace {

constexpr RowId kGrowth = 4;  // growth of a relation that makes an order obsolete
/// By how much smaller a relation may be if the rows of all atoms have many combinations, which are
/// so many times those of three large relations.
constexpr double kOfMany = 16, kMany = 10;

}  // namespace

bool HaveGrown(const std::vector<const Clause*>& clauses, const Store& store, const Limits& limits,
               SizesSeen& seen) {
  const auto least = static_cast<double>(limits.min_ordered);
  double product = 1;
  std::size_t at = 0;
  const auto for_each_size = [&](const auto& fn) {
    at = 0;
    for (const auto& own : OwnAtoms(clauses)) fn(store.at(own.atom.relation).size());
  };
  for_each_size([&](RowId size) { product *= static_cast<double>(size); });
  const double enough = product < kMany * least * least * least ? least : least / kOfMany;
  bool grown = false;
  for_each_size([&](RowId size) {
    if (at == seen.size()) seen.push_back(0);
    grown |= static_cast<double>(size) >= enough && size / kGrowth >= seen[at];
    ++at;
  });
  if (grown) for_each_size([&](RowId size) { seen[at++] = size; });
  return grown;
}

std::vector<AtomOrder> OrdersByCost(const std::vector<const Clause*>& clauses, int delta,
                                    RowId delta_rows, const Store& store,
                                    const std::vector<bool>& bound) {
  JoinEstimate estimate(clauses, delta, delta_rows, store, bound);
  return CheapOrders(clauses, estimate);
}

}  // namespace rpl
