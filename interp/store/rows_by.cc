// SPDX-License-Identifier: Apache-2.0
#include "interp/store/rows_by.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace rpl {

Parties RowsBy::At(RowId row) const {
  if (row >= end_) return 0;
  if (const auto other = others_.find(row); other != others_.end()) return other->second;
  const auto after = std::upper_bound(runs_.begin(), runs_.end(), row,
                                      [](RowId r, const Run& run) { return r < run.first; });
  return std::prev(after)->parties;
}

void RowsBy::Remove(const Gaps& gaps) {
  std::vector<Run> runs;
  for (const Run& run : runs_) {
    const RowId first = gaps.Moved(run.first);
    if (!runs.empty() && runs.back().first == first) runs.pop_back();  // all of its rows are gone
    if (runs.empty() || runs.back().parties != run.parties) runs.push_back({first, run.parties});
  }
  end_ = gaps.Moved(end_);
  if (!runs.empty() && runs.back().first == end_) runs.pop_back();
  runs_ = std::move(runs);
  std::unordered_map<RowId, Parties> others;
  for (const auto& [row, parties] : others_)
    if (!gaps.Has(row)) others[gaps.Moved(row)] = parties;
  others_ = std::move(others);
}

bool RowsBy::AddOther(RowId row, Parties parties) {
  if (row < end_) {
    const Parties before = At(row);
    if ((before | parties) == before) return false;
    others_[row] = before | parties;
    return true;
  }
  const auto append = [&](RowId first, Parties of) {
    if (runs_.empty() || runs_.back().parties != of) runs_.push_back({first, of});
  };
  if (row > end_) append(end_, 0);
  append(row, parties);
  end_ = row + 1;
  return true;
}

}  // namespace rpl
