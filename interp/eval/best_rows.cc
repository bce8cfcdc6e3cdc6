// SPDX-License-Identifier: Apache-2.0
#include "interp/eval/best_rows.h"

#include <utility>

namespace rpl {

BestRows::BestRows(const Relation& relation, Extremum extremum, const Pool& pool)
    : relation_(relation),
      extremum_(extremum),
      pool_(pool),
      groups_(relation.arity() - 1),
      epoch_(relation.epoch()) {}

bool BestRows::HasOrder(Value value) {
  return Pool::IsNumber(value) || value.kind() == Kind::kString;
}

// Numbers before texts, so that a group of both has one best row in whatever order they come.
bool BestRows::IsBetter(const Pool& pool, const Extremum& extremum, Value a, Value b) {
  const bool number = Pool::IsNumber(a);
  int order = number ? -1 : 1;
  if (number == Pool::IsNumber(b))
    order = number ? pool.CompareNumbers(a, b) : pool.TextOf(a).compare(pool.TextOf(b));
  return extremum.greatest ? order > 0 : order < 0;
}

std::span<const Value> BestRows::GroupOf(std::span<const Value> row) {
  group_.clear();
  for (std::size_t i = 0; i < row.size(); ++i)
    if (i != extremum_.column) group_.push_back(row[i]);
  return group_;
}

bool BestRows::IsBetter(std::span<const Value> row) {
  const RowId group = groups_.Find(GroupOf(row));
  if (group == kNoId) return true;
  const std::size_t at = extremum_.column;
  return IsBetter(pool_, extremum_, row[at], relation_.Row(best_[group])[at]);
}

void BestRows::Take(RowId row) {
  relation_.Row(row).CopyTo(cells_);
  const std::vector<Value>& cells = cells_;
  if (!HasOrder(cells[extremum_.column])) return;
  RowId beaten = row;
  if (IsBetter(cells)) {
    const auto [group, is_new] = groups_.Insert(GroupOf(cells));
    if (is_new) {
      best_.push_back(row);
      return;
    }
    beaten = std::exchange(best_[group], row);
  }
  if (beaten_.size() <= beaten) beaten_.resize(beaten + 1);
  beaten_[beaten] = true;
}

void BestRows::Sync() {
  if (epoch_ != relation_.epoch()) {
    groups_ = RowSet(groups_.arity());
    best_.clear();
    beaten_.clear();
    taken_ = 0;
    epoch_ = relation_.epoch();
  }
  for (; taken_ < relation_.size(); ++taken_) Take(taken_);
}

}  // namespace rpl
