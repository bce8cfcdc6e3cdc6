// SPDX-License-Identifier: Apache-2.0
//
// Evaluation behind a step of a join that is undefined: whether the other steps may hold (decision
// 93). A limit of values counts as undefined here, and stops the run only where a row would have
// it: so the order of the steps makes no difference.
#include <algorithm>
#include <bit>
#include <utility>

#include "interp/eval/join.h"
#include "interp/program/operators.h"

namespace rpl {

// The step has no value, or no truth. False when the run is to stop.
bool JoinRun::Undefined(std::size_t at, std::string why) {
  const std::string limit = pool_.overflow();
  if (!limit.empty()) pool_.ClearOverflow();  // joins on threads make no values
  if (!follows_undefined_ || (undefined_ && limit.empty())) return true;
  const JoinStep& step = join_.steps[at];
  std::vector<Value> slots = slots_;
  for (const auto& [slot, value] : join_.equal) slots[slot] = slots_[value];
  if (step.kind == JoinStep::Kind::kCompute) slots_[step.result] = kUnknown;
  const bool may_hold = MayHold(at + 1);
  if (stopped_ || (may_hold && !limit.empty())) {
    if (!stopped_) pool_.Overflow(limit);
    return stopped_ = false;
  }
  if (may_hold) undefined_ = {step.place, std::move(slots), std::move(why)};
  return true;
}

bool JoinRun::ReadsUnknown(const JoinStep& step) const {
  if (!step.ReadsRows()) return slots_[step.left] == kUnknown || slots_[step.right] == kUnknown;
  return std::ranges::any_of(step.keys, [&](SlotId slot) { return slots_[slot] == kUnknown; });
}

// Whether the steps from this one on hold for some rows, as far as what is known tells. Also true
// when the run is to stop, which `stopped_` says.
bool JoinRun::MayHold(std::size_t at) {
  if (at == join_.steps.size()) return true;
  const JoinStep& step = join_.steps[at];
  if (ReadsUnknown(step)) {
    if (step.kind == JoinStep::Kind::kCompute) slots_[step.result] = kUnknown;
    for (const auto& [column, slot] : step.binds) slots_[slot] = kUnknown;
    return MayHold(at + 1);
  }
  std::string why;
  switch (step.kind) {
    case JoinStep::Kind::kRows: return MayHoldForSome(at);
    case JoinStep::Kind::kWithout: return !Exists(at) && MayHold(at + 1);
    case JoinStep::Kind::kCompare:
      return (Holds(pool_, step.op, slots_[step.left], slots_[step.right], why) || !why.empty()) &&
             MayHold(at + 1);
    case JoinStep::Kind::kCompute: {
      const Value value = Apply(pool_, step.op, slots_[step.left], slots_[step.right], why);
      pool_.ClearOverflow();
      slots_[step.result] = value.is_none() ? kUnknown : value;
      return MayHold(at + 1);
    }
  }
  return false;
}

// The same from a step whose keys are known.
bool JoinRun::MayHoldForSome(std::size_t at) {
  const JoinStep& step = join_.steps[at];
  const Source& source = sources_[at];
  const auto goes_on = [&](RowId row) {
    if (!Tick()) return stopped_ = true;
    return Binds(at, row) && MayHold(at + 1);
  };
  const auto goes_on_with = [&](Value partner) {
    if (!Tick()) return stopped_ = true;
    return BindsPartner(at, partner) && MayHold(at + 1);
  };
  if (step.all_bound) {
    const RowId row = source.relation->Find(Key(step.keys));
    if (row == kNoId || row < source.begin || row >= source.end) return false;
    if (!Tick()) return stopped_ = true;
    return MayHold(at + 1);
  }
  if (source.index != nullptr) {
    FindPartners(at);
    return std::ranges::any_of(Listed(at), goes_on) ||
           std::ranges::any_of(source.partners, goes_on_with);
  }
  const std::span<const Value> found = Key(step.keys);
  const std::vector<Value> key(found.begin(), found.end());
  for (RowId row = source.begin; row < source.end; ++row) {
    const RowView cells = source.relation->stored().Row(row);
    std::size_t k = 0;
    bool agrees = true;
    for (Columns rest = step.probe; rest != 0; rest &= rest - 1)
      agrees = agrees && cells[static_cast<std::size_t>(std::countr_zero(rest))] == key[k++];
    if (agrees && goes_on(row)) return true;
  }
  return false;
}

}  // namespace rpl
