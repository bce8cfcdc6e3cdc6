// SPDX-License-Identifier: Apache-2.0
#include "interp/store/classes.h"

#include <algorithm>
#include <cassert>
#include <span>
#include <utility>

namespace rpl {

Classes::Element Classes::ElementOf(Value value) {
  const auto [element, is_new] = values_.Insert({&value, 1});
  if (is_new) {
    class_of_.push_back(element);
    position_.push_back(0);
    members_.push_back({element});
    first_merge_.push_back(kNoId);
    up_.emplace_back(element, kNoId);
    last_merge_.push_back(kNoId);
    ++pairs_;
  }
  return element;
}

bool Classes::Take(const RowSet& rows, std::uint32_t epoch, const KeepOn& keep_on) {
  constexpr RowId kEach = 4'096;
  if (epoch_ != epoch) {
    Settle(false, 0);
    epoch_ = epoch;
  }
  open_ = static_cast<Merged>(merges_.size());
  fresh_ = taken_;
  begin_ = end_ = 0;
  for (const RowId end = rows.size(); taken_ < end; ++taken_) {
    if (taken_ % kEach == kEach - 1 && !keep_on()) return false;
    const RowView row = rows.Row(taken_);
    const Element one = ElementOf(row[0]);
    const Element other = ElementOf(row[1]);
    if (class_of_[one] != class_of_[other]) Join(one, other);
  }
  return true;
}

void Classes::Settle(bool complete, RowId size) {
  if (complete) {
    taken_ = size;
    return;
  }
  *this = Classes();
  epoch_ = ~std::uint32_t{0};
}

// Makes one class of those of two elements.
void Classes::Join(Element p, Element q) {
  const auto number = static_cast<Merged>(merges_.size());
  const auto side = [&](Element joint) {
    const Element founder = class_of_[joint];
    return Side{founder, joint, static_cast<std::uint32_t>(members_[founder].size())};
  };
  const Merge& merge = merges_.emplace_back(Merge{side(p), side(q)});
  for (const Side& of : {merge.left, merge.right}) {
    Merged& last = last_merge_[of.founder];
    (last == kNoId ? first_merge_[of.founder] : merges_[last].next) = number;
    last = number;
  }
  const bool left_stays = merge.left.size >= merge.right.size;
  const Side& stays = left_stays ? merge.left : merge.right;
  const Side& goes = left_stays ? merge.right : merge.left;
  pairs_ += std::uint64_t{2} * stays.size * goes.size;
  up_[goes.founder] = {stays.founder, number};
  for (const Element element : members_[goes.founder]) {
    class_of_[element] = stays.founder;
    position_[element] += stays.size;
  }
  std::vector<Element>& to = members_[stays.founder];
  to.insert(to.end(), members_[goes.founder].begin(), members_[goes.founder].end());
  std::exchange(members_[goes.founder], {});
}

// The one that brought two elements of a class together, or, of an element and itself, in whose
// block that pair is; kNoId if there is none. A class goes up later than those that went up to it.
Classes::Merged Classes::MergeOf(Element a, Element b) const {
  if (a == b) return first_merge_[a];
  Merged out = kNoId;
  while (a != b) {
    Element& first = up_[a].second <= up_[b].second ? a : b;
    out = up_[first].second;
    first = up_[first].first;
  }
  return out;
}

// kNowhere for (p, q), which is what the block follows from.
std::uint64_t Classes::PlaceOf(const Merge& merge, Element a, Element b) const {
  if (a == b) return a == merge.left.joint ? 1 : merge.left_alone() ? 2 : 1;
  const bool turned = !IsLeft(merge, a);
  if (turned) std::swap(a, b);
  const std::uint32_t back = turned ? 1 : 0;
  const std::uint64_t i = PositionIn(merge.left, a);
  if (b == merge.right.joint) {
    if (a == merge.left.joint) return turned ? 0 : kNowhere;
    const std::uint64_t before = i - (PositionIn(merge.left, merge.left.joint) < i ? 1 : 0);
    return merge.joints() + 2 * before + back;
  }
  const std::uint64_t k = PositionIn(merge.right, b);
  const std::uint64_t before = k - (PositionIn(merge.right, merge.right.joint) < k ? 1 : 0);
  return merge.others() + 2 * (before * merge.left.size + i) + back;
}

Classes::Pair Classes::PairAt(const Merge& merge, std::uint64_t place) const {
  const Side& left = merge.left;
  const Side& right = merge.right;
  if (place == 0) return {right.joint, left.joint, By::kSymmetry};
  if (place < merge.joints()) {
    const Element itself = place == 1 && merge.left_alone() ? left.joint : right.joint;
    return {itself, itself, By::kTransitivity};
  }
  const auto other = [&](const Side& side, std::uint64_t i) {
    return Member(side, i + (PositionIn(side, side.joint) <= i ? 1 : 0));
  };
  const bool joins = place < merge.others();
  place -= joins ? merge.joints() : merge.others();
  const std::uint64_t at = place / 2;
  const Element a = joins ? other(left, at) : Member(left, at % left.size);
  const Element b = joins ? right.joint : other(right, at / left.size);
  if (place % 2 == 0) return {a, b, By::kTransitivity};
  return {b, a, By::kSymmetry};
}

// Calls fn(a, b, by) for the pairs of a block, in order, until it returns false.
template <typename Fn>
bool Classes::ForEachPair(const Merge& merge, Fn&& fn) const {
  const Side& left = merge.left;
  const Side& right = merge.right;
  const Element p = left.joint, q = right.joint;
  const Element* const as = &members_[class_of_[left.founder]][position_[left.founder]];
  const Element* const bs = &members_[class_of_[right.founder]][position_[right.founder]];
  const auto both = [&](Element a, Element b) {
    return fn(a, b, By::kTransitivity) && fn(b, a, By::kSymmetry);
  };
  if (!fn(q, p, By::kSymmetry) || (merge.left_alone() && !fn(p, p, By::kTransitivity)) ||
      (merge.right_alone() && !fn(q, q, By::kTransitivity)))
    return false;
  for (std::uint32_t i = 0; i < left.size; ++i)
    if (as[i] != p && !both(as[i], q)) return false;
  for (std::uint32_t k = 0; k < right.size; ++k)
    for (std::uint32_t i = 0; bs[k] != q && i < left.size; ++i)
      if (!both(as[i], bs[k])) return false;
  return true;
}

void Classes::ForEachFollowing(const Add& add) const {
  for (Merged number = open_; number < merges_.size(); ++number)
    if (!ForEachPair(merges_[number],
                     [&](Element a, Element b, By by) { return add(ValueOf(a), ValueOf(b), by); }))
      return;
}

// A stored row is in at most one block: that of the merge that brought its values together. Those
// of rows that were taken in before are not open, except where an element was alone with itself.
void Classes::Number(const RowSet& rows) {
  std::vector<std::pair<Merged, std::uint32_t>> found;  // in which block, and where
  const auto take = [&](Element a, Element b) {
    const Merged number = MergeOf(a, b);
    if (number == kNoId || number < open_) return;
    const std::uint64_t place = PlaceOf(merges_[number], a, b);
    if (place != kNowhere) found.emplace_back(number, static_cast<std::uint32_t>(place));
  };
  for (RowId row = fresh_; row < rows.size(); ++row) {
    const RowView cells = rows.Row(row);
    const Value a = cells[0], b = cells[1];
    take(values_.Find({&a, 1}), values_.Find({&b, 1}));
  }
  for (Merged number = open_; fresh_ > 0 && number < merges_.size(); ++number)
    for (const Side& side : {merges_[number].left, merges_[number].right}) {
      const Value itself[] = {ValueOf(side.joint), ValueOf(side.joint)};
      if (side.size == 1 && rows.Find(itself) < fresh_) take(side.joint, side.joint);
    }
  // By block. While they are put there, `holes` of a merge is where the next one goes.
  const std::span<Merge> open = std::span(merges_).subspan(open_);
  for (Merge& merge : open) merge.holes = 0;
  for (const auto& [number, place] : found) ++merges_[number].holes;
  std::uint32_t hole = 0;
  for (Merge& merge : open) hole += std::exchange(merge.holes, hole);
  holes_.resize(hole);
  for (const auto& [number, place] : found) holes_[merges_[number].holes++] = place;
  begin_ = end_ = rows.size();
  hole = 0;
  for (Merge& merge : open) {
    const std::uint32_t end = std::exchange(merge.holes, hole);
    std::sort(holes_.begin() + hole, holes_.begin() + end);
    merge.first = end_;
    end_ += static_cast<RowId>(merge.size()) - (end - hole);
    hole = end;
  }
}

// The id of the row at a place of a block; kNoId for a hole.
RowId Classes::RowAt(Merged number, std::uint64_t place) const {
  if (place == kNowhere) return kNoId;
  const Merge& merge = merges_[number];
  const auto begin = holes_.begin() + merge.holes;
  const auto end = holes_.begin() + HolesEnd(number);
  const auto hole = std::lower_bound(begin, end, place);
  if (hole != end && *hole == place) return kNoId;
  return merge.first + static_cast<RowId>(place) - static_cast<RowId>(hole - begin);
}

RowId Classes::Find(Value a, Value b) const {
  const Element one = values_.Find({&a, 1});
  const Element other = values_.Find({&b, 1});
  if (one == kNoId || other == kNoId || class_of_[one] != class_of_[other]) return kNoId;
  const Merged number = MergeOf(one, other);
  if (number == kNoId || number < open_) return kNoId;
  return RowAt(number, PlaceOf(merges_[number], one, other));
}

// The number of the block of a row.
Classes::Merged Classes::BlockOf(RowId row) const {
  const auto after = std::upper_bound(merges_.begin() + open_, merges_.end(), row,
                                      [](RowId r, const Merge& m) { return r < m.first; });
  return static_cast<Merged>(after - merges_.begin() - 1);
}

// The first hole behind a row of a block. The row's place in the block is its number among those
// that are no holes, and the holes before it.
std::uint32_t Classes::HoleBehind(Merged number, RowId row) const {
  const Merge& merge = merges_[number];
  std::uint32_t low = merge.holes, high = HolesEnd(number);
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (holes_[middle] - (middle - merge.holes) <= row - merge.first) low = middle + 1;
    else high = middle;
  }
  return low;
}

void Classes::CellsOf(RowId row, Value* out) const {
  assert(begin_ <= row && row < end_);
  const Merged number = BlockOf(row);
  const Merge& merge = merges_[number];
  const std::uint32_t holes = HoleBehind(number, row) - merge.holes;
  const Pair pair = PairAt(merge, std::uint64_t{row - merge.first} + holes);
  out[0] = ValueOf(pair.a);
  out[1] = ValueOf(pair.b);
}

void Classes::AddCells(RowId begin, RowId end, std::vector<Value>& out) const {
  if (begin >= end) return;
  for (Merged number = BlockOf(begin); begin < end; ++number) {
    const Merge& merge = merges_[number];
    std::uint32_t hole = HoleBehind(number, begin);
    std::uint64_t place = std::uint64_t{begin - merge.first} + (hole - merge.holes);
    for (const RowId last = std::min(end, EndOf(number)); begin < last; ++place) {
      if (hole < HolesEnd(number) && holes_[hole] == place) {
        ++hole;
        continue;
      }
      const Pair pair = PairAt(merge, place);
      out.push_back(ValueOf(pair.a));
      out.push_back(ValueOf(pair.b));
      ++begin;
    }
  }
}

// Calls fn(other element, row) for the rows that have the value in a column. Those of a block
// follow one another as the blocks do, through which the element's class went.
template <typename Fn>
void Classes::ForEachWith(std::size_t column, Value value, RowId begin, RowId end, Fn&& fn) const {
  const Element own = values_.Find({&value, 1});
  if (own == kNoId) return;
  for (Merged number = first_merge_[own]; number != kNoId; number = merges_[number].next) {
    const Merge& merge = merges_[number];
    if (number < open_ || EndOf(number) <= begin) continue;
    if (merge.first >= end) return;
    const bool is_whole =
        merge.holes == HolesEnd(number) && merge.first >= begin && EndOf(number) <= end;
    const auto give = [&](Element other) {
      const auto row = [&] {
        return RowAt(number, column == 0 ? PlaceOf(merge, own, other) : PlaceOf(merge, other, own));
      };
      if (!is_whole)
        if (const RowId known = row(); known == kNoId || known < begin || known >= end) return;
      fn(other, row);
    };
    const Element p = merge.left.joint, q = merge.right.joint;
    const bool is_left = IsLeft(merge, own);
    const Side& others = is_left ? merge.right : merge.left;
    // (q, p) is in the block, (p, q) is not.
    if (is_left && !(own == p && column == 0)) give(q);
    if (own == q && column == 0) give(p);
    if (own == (is_left ? p : q) && (is_left ? merge.left_alone() : merge.right_alone())) give(own);
    const Element skipped = is_left ? q : own == q ? p : kNoId;
    const Element* const first = &members_[class_of_[others.founder]][position_[others.founder]];
    for (std::uint32_t i = 0; i < others.size; ++i)
      if (first[i] != skipped) give(first[i]);
  }
}

void Classes::AddPartners(std::size_t column, Value value, RowId begin, RowId end,
                          std::vector<Value>& out) const {
  ForEachWith(column, value, begin, end,
              [&](Element other, const auto&) { out.push_back(ValueOf(other)); });
}

void Classes::AddRows(std::size_t column, Value value, RowId begin, RowId end,
                      std::vector<RowId>& out) const {
  ForEachWith(column, value, begin, end, [&](Element, const auto& row) { out.push_back(row()); });
}

void Classes::AppendTo(RowSet& rows) const {
  constexpr std::size_t kBlock = 64;
  WaitingRows waiting;
  waiting.Clear(2);
  rows.Reserve(end_ - begin_);
  const auto flush = [&] {
    rows.InsertEach(waiting, SIZE_MAX);
    waiting.Clear(2);
  };
  for (Merged number = open_; number < merges_.size(); ++number)
    ForEachPair(merges_[number], [&](Element a, Element b, By) {
      const Value row[] = {ValueOf(a), ValueOf(b)};
      const std::uint64_t hash = RowSet::HashOf(row);
      rows.Prefetch(hash);
      std::ranges::copy(row, waiting.Add(hash, 0));
      if (waiting.size() == kBlock) flush();
      return true;
    });
  flush();
}

}  // namespace rpl
