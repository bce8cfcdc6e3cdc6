// SPDX-License-Identifier: Apache-2.0
#include "interp/plan/equivalence.h"

#include <optional>
#include <utility>
#include <vector>

namespace rpl {
namespace {

using Pair = std::pair<SlotId, SlotId>;

// The two lvars that the arguments are; nullopt if they are something else, or one lvar twice.
std::optional<Pair> PairOf(const std::vector<Pattern>& args) {
  if (args.size() != 2) return std::nullopt;
  for (const Pattern& p : args)
    if (p.kind != Pattern::Kind::kSlot) return std::nullopt;
  if (args[0].slot == args[1].slot) return std::nullopt;
  return Pair(args[0].slot, args[1].slot);
}

// The lvar that stands beside this one; -1 if there is none.
SlotId Beside(const Pair& pair, SlotId slot) {
  return pair.first == slot ? pair.second : pair.second == slot ? pair.first : -1;
}

}  // namespace

OwnRule OwnRuleOf(const Definition& def, std::span<const Clause* const> clauses) {
  const std::optional<Pair> head = PairOf(def.args);
  if (!head || def.head == kNoId || !def.gathered.empty() || def.extremum || def.choice)
    return OwnRule::kOther;
  std::vector<Pair> pairs;
  for (const Clause* clause : clauses) {
    const auto* atom = clause->As<Atom>();
    if (atom == nullptr || atom->relation != def.head || atom->row >= 0 || atom->whole ||
        !atom->avars.empty())
      return OwnRule::kOther;
    const std::optional<Pair> pair = PairOf(atom->args);
    if (!pair) return OwnRule::kOther;
    pairs.push_back(*pair);
  }
  if (pairs.size() == 1)
    return pairs[0] == Pair(head->second, head->first) ? OwnRule::kSymmetric : OwnRule::kOther;
  if (pairs.size() != 2) return OwnRule::kOther;
  const bool swapped = Beside(pairs[0], head->first) < 0;
  const SlotId middle = Beside(pairs[swapped ? 1 : 0], head->first);
  return middle >= 0 && middle != head->second &&
                 Beside(pairs[swapped ? 0 : 1], head->second) == middle
             ? OwnRule::kTransitive
             : OwnRule::kOther;
}

}  // namespace rpl
