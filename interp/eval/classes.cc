// SPDX-License-Identifier: Apache-2.0
#include "interp/eval/classes.h"

#include <algorithm>
#include <utility>

namespace rpl {

std::uint32_t Classes::ElementOf(Value value) {
  const auto [element, is_new] = values_.Insert({&value, 1});
  if (is_new) {
    class_of_.push_back(element);
    members_.push_back({element});
  }
  return element;
}

void Classes::Close(const Add& add) {
  if (epoch_ != relation_.epoch()) Settle(false);
  for (const RowId end = relation_.size(); taken_ < end; ++taken_) {
    const RowView row = relation_.Row(taken_);
    const std::uint32_t one = ElementOf(row[0]);
    const std::uint32_t other = ElementOf(row[1]);
    if (class_of_[one] != class_of_[other] && !Merge(one, other, add)) return;
  }
}

void Classes::Settle(bool complete) {
  if (complete) {
    taken_ = relation_.size();
    return;
  }
  values_ = RowSet(1);
  class_of_.clear();
  members_.clear();
  taken_ = 0;
  epoch_ = relation_.epoch();
}

// Makes one class of those of two elements, of which a row says that they are the same. Each row
// comes after those that prove it: (a, q) follows from (a, p) and (p, q), and (a, b) from (a, q)
// and (q, b).
bool Classes::Merge(std::uint32_t p, std::uint32_t q, const Add& add) {
  std::vector<std::uint32_t>& left = members_[class_of_[p]];
  std::vector<std::uint32_t>& right = members_[class_of_[q]];
  const auto value = [&](std::uint32_t element) { return values_.Row(element)[0]; };
  const auto both = [&](std::uint32_t a, std::uint32_t b) {
    return add(value(a), value(b), OwnRule::kTransitive) &&
           add(value(b), value(a), OwnRule::kSymmetric);
  };
  const auto itself = [&](std::uint32_t a) {
    return add(value(a), value(a), OwnRule::kTransitive);
  };
  if (!add(value(q), value(p), OwnRule::kSymmetric) || (left.size() == 1 && !itself(p)) ||
      (right.size() == 1 && !itself(q)))
    return false;
  for (const std::uint32_t a : left)
    if (a != p && !both(a, q)) return false;
  for (const std::uint32_t b : right)
    if (b != q && !std::ranges::all_of(left, [&](std::uint32_t a) { return both(a, b); }))
      return false;
  const bool left_stays = left.size() >= right.size();
  std::vector<std::uint32_t>& to = left_stays ? left : right;
  std::vector<std::uint32_t>& from = left_stays ? right : left;
  for (const std::uint32_t element : from) class_of_[element] = class_of_[to.front()];
  to.insert(to.end(), from.begin(), from.end());
  std::exchange(from, {});
  return true;
}

}  // namespace rpl
