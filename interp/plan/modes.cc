// SPDX-License-Identifier: Apache-2.0
//
// The smallest sets that suffice are found one from another, as the candidate keys of a relation
// are: whatever suffices without some argument of one that is known holds another. So for
//
//   app(?a, ?l, ?r) <- ?a = [], ?r = ?l
//
//   {a l r} suffices, shrinks to {l}; without l, {a r} suffices, shrinks to {r}; without both,
//   {a} does not: the modes are {l} and {r}.
#include "interp/plan/modes.h"

#include <algorithm>
#include <bit>
#include <set>
#include <utility>

namespace rpl {
namespace {

template <typename Fn>
void ForEachColumn(Columns columns, Fn&& fn) {
  for (; columns != 0; columns &= columns - 1) fn(columns & -columns);
}

}  // namespace

ModeSet ModeSet::Of(Columns all, const std::function<bool(Columns)>& works) {
  if (works(0)) return ModeSet();
  if (all == 0 || !works(all)) return ModeSet(all);
  const auto shrunk = [&](Columns from) {
    for (int i = std::bit_width(from); i-- > 0;)
      if (const Columns less = from & ~(Columns{1} << i); less != from && works(less)) from = less;
    return from;
  };
  std::vector<Columns> found;
  std::set<Columns> tried = {0};
  std::vector<Columns> without = {0};  // sets of arguments to do without
  for (std::size_t i = 0; i < without.size() && found.size() < kMost; ++i) {
    const auto known = std::ranges::find_if(found, [&](Columns m) { return !(m & without[i]); });
    if (known == found.end() && !works(all & ~without[i])) continue;
    const Columns mode = known != found.end() ? *known : shrunk(all & ~without[i]);
    if (known == found.end()) found.push_back(mode);
    ForEachColumn(mode, [&](Columns column) {
      if (tried.insert(without[i] | column).second) without.push_back(without[i] | column);
    });
  }
  ModeSet out;
  out.Take(std::move(found));
  return out;
}

ModeSet ModeSet::Either(std::vector<Columns> modes) {
  ModeSet out;
  out.Take(std::move(modes));
  return out;
}

bool ModeSet::Meets(Columns known) const {
  return std::ranges::any_of(modes_, [&](Columns mode) { return (mode & ~known) == 0; });
}

void ModeSet::Require(const ModeSet& other) {
  if (other.modes_.size() == 1 && other.modes_.front() == 0) return;
  std::vector<Columns> both;
  for (const Columns mine : modes_)
    for (const Columns theirs : other.modes_) both.push_back(mine | theirs);
  Take(std::move(both));
}

Columns ModeSet::Missing(Columns known) const {
  const auto missing = [&](Columns mode) { return mode & ~known; };
  return missing(*std::ranges::min_element(
      modes_, {}, [&](Columns mode) { return std::popcount(missing(mode)); }));
}

Columns ModeSet::AnyOf() const {
  Columns out = 0;
  for (const Columns mode : modes_) out |= mode;
  return out;
}

std::string ModeSet::Text(const std::function<std::string(std::size_t)>& argument) const {
  const bool single = std::ranges::all_of(modes_, [](Columns m) { return std::has_single_bit(m); });
  std::string out;
  for (const Columns mode : modes_) {
    if (!out.empty()) out += single ? " or " : ", or ";
    std::string all;
    ForEachColumn(mode, [&](Columns column) {
      all += (all.empty() ? "" : " and ") +
             argument(static_cast<std::size_t>(std::countr_zero(column)));
    });
    out += all;
  }
  return out;
}

// Keeps the smallest, and of two of which one contains the other, the smaller one.
void ModeSet::Take(std::vector<Columns> modes) {
  std::ranges::sort(modes, {}, [](Columns m) { return std::pair(std::popcount(m), m); });
  modes_.clear();
  for (const Columns mode : modes)
    if (modes_.size() < kMost && !Meets(mode)) modes_.push_back(mode);
}

}  // namespace rpl
