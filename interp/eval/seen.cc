// SPDX-License-Identifier: Apache-2.0
#include "interp/eval/seen.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace rpl {

Seen::When Seen::Came(std::span<const Value> values) {
  constexpr std::uint64_t kLook = 2048;
  constexpr std::uint64_t kLongest = std::uint64_t{1} << 22;
  if (away_ > 0) {
    --away_;
    return When::kNever;
  }
  // What passed unseen is not known to come again, so it looks for an eighth of the time: long
  // enough to meet again what comes again after many others.
  if (++asked_ >= std::max(kLook, longer_ / 8)) {
    longer_ = repeated_ < asked_ / 4 ? std::clamp(4 * longer_, kLook, kLongest) : 0;
    away_ = longer_;
    asked_ = repeated_ = 0;
  }
  const std::uint64_t place = grid_.PlaceOf([&](std::size_t i) { return values[i]; });
  const bool placed = place != RowGrid::kNowhere;
  if (placed && run_at_[place] != 0) return Note(run_at_[place]);
  if (rows_ == nullptr) rows_ = std::make_unique<RowSet>(values.size());
  if (rows_->size() == kMost) {
    const RowId row = placed ? kNoId : rows_->Find(values);
    return row == kNoId ? When::kNever : Note(run_of_[row]);
  }
  const auto [row, is_new] = rows_->Insert(values);
  if (!is_new) return Note(run_of_[row]);
  run_of_.push_back(run_);
  if (placed) run_at_[place] = run_;
  if (const RowId size = rows_->size(); size >= kFirstGrid && std::has_single_bit(size))
    ChooseGrid();
  return When::kNever;
}

Seen::When Seen::Note(std::uint32_t& last) {
  ++repeated_;
  return std::exchange(last, run_) == run_ ? When::kInThisRun : When::kBefore;
}

// Gives the rows places, if they are dense enough and some have none.
void Seen::ChooseGrid() {
  const auto row_at = [this](RowId row) { return rows_->Row(row); };
  const auto place_of = [&](RowId row) {
    return grid_.PlaceOf([&, cells = row_at(row)](std::size_t i) { return cells[i]; });
  };
  bool beyond = false;
  for (RowId row = 0; row < rows_->size(); ++row) {
    if (const std::uint64_t at = place_of(row); at != RowGrid::kNowhere) {
      run_of_[row] = run_at_[at];
      continue;
    }
    grid_.Meet(row_at(row), rows_->arity());
    beyond = true;
  }
  if (!beyond) return;
  run_at_.clear();
  if (!grid_.Choose(kPlacesEach * rows_->size())) return;
  run_at_.resize(grid_.places());
  for (RowId row = 0; row < rows_->size(); ++row) run_at_[place_of(row)] = run_of_[row];
}

void Seen::EndRun() {
  if (rows_ == nullptr || (longer_ == 0 && rows_->size() < kMost)) return;
  rows_ = nullptr;
  run_of_ = {};
  run_at_ = {};
  grid_ = {};
}

}  // namespace rpl
