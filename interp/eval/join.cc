// SPDX-License-Identifier: Apache-2.0
#include "interp/eval/join.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "interp/program/operators.h"

namespace rpl {

std::size_t JoinRun::Outer(const Join& join, const std::vector<Marks>& marks) {
  const JoinStep& first = join.steps.front();
  if (first.probe != 0) return 0;
  const Marks& m = marks[first.relation];
  const RowId begin = first.range == Range::kDelta ? m.old_end : 0;
  const RowId end = first.range == Range::kOld ? m.old_end : m.end;
  return end > begin ? end - begin : 0;
}

void JoinRun::AddIndexes(const Join& join, Store& store, const std::vector<Marks>& marks,
                         std::vector<IndexExtension::Growth>& growths) {
  const auto add = [&](RelationId id, Index& index) {
    const bool known =
        std::any_of(growths.begin(), growths.end(),
                    [&](const IndexExtension::Growth& g) { return g.index == &index; });
    const RowSet& rows = store.at(id).stored();
    if (!known) growths.push_back({&index, &rows, std::min(marks[id].end, rows.size())});
  };
  for (std::size_t i = 0; i < join.steps.size(); ++i) {
    const JoinStep& step = join.steps[i];
    if (step.probe != 0 && !step.all_bound)
      add(step.relation, store.at(step.relation).OpenIndex(step.probe));
    if (!step.intersection) continue;
    const RelationId next = join.steps[i + 1].relation;
    if (store.at(next).IsLookedUp(step.intersection->probe))
      add(next, store.at(next).OpenIndex(step.intersection->probe));
  }
}

JoinRun::JoinRun(const Join& join, Store& store, const std::vector<Marks>& marks,
                 const KeepOn* keep_on, ThreadPool* workers)
    : join_(join), pool_(store.pool()), head_(store.at(join.head).rows()), slots_(join.slots) {
  sources_.reserve(join.steps.size());
  for (const JoinStep& step : join.steps) {
    Source& source = sources_.emplace_back();
    if (!step.ReadsRows()) continue;
    Relation& relation = store.at(step.relation);
    const Marks& m = marks[step.relation];
    source.relation = &relation;
    source.begin = step.range == Range::kDelta ? m.old_end : 0;
    source.end = step.range == Range::kOld ? m.old_end : m.end;
    source.new_begin = m.old_end;
    if (step.all_bound) continue;
    if (step.probe == 0 && sources_.size() > 1) relation.rows();  // all rows, again and again
    const RowId stored = relation.stored().size();
    if (source.end > stored) {
      source.classes = relation.classes();
      source.kept_end = std::exchange(source.end, stored);
    }
    if (step.probe == 0) continue;
    // The second step looks for rows at most once for each outer row.
    const bool scans = sources_.size() == 2 && step.kind == JoinStep::Kind::kRows &&
                       join.steps.front().probe == 0 && source.classes == nullptr &&
                       relation.MayScanInstead(step.probe, m.end, Outer(join, marks));
    if (!scans) {
      const RowId end = std::min(m.end, stored);
      source.index = &relation.IndexOn(step.probe, end, keep_on, workers);
    }
  }
  const Source& first = sources_.front();
  if (first.index != nullptr) FindPartners(0);
  outer_ = join.steps.front().all_bound ? 1
           : first.index != nullptr     ? Listed(0).size() + first.partners.size()
                                        : Outer(join, marks);
  if (join.steps.size() > 1 && first.index == nullptr && !join.steps.front().all_bound &&
      join.steps[1].kind == JoinStep::Kind::kRows && sources_[1].index != nullptr &&
      sources_[1].classes == nullptr)
    for (const SlotId slot : join.steps[1].keys) {
      Ahead& ahead = ahead_.emplace_back(Ahead{std::nullopt, slot});
      for (const auto& [column, bound] : join.steps.front().binds)
        if (bound == slot) ahead.column = column;
    }
  std::size_t bound_last = 0;
  for (std::size_t i = 0; i < join.columns.size(); ++i)
    for (const auto& [column, slot] : join.steps.back().binds)
      if (slot == join.columns[i]) {
        varying_ = {i, column};
        ++bound_last;
      }
  if (bound_last != 1) varying_ = std::nullopt;
  const JoinStep& last = join.steps.back();
  RowSet& head = store.at(join.head).rows();
  if (varying_ && sources_.back().index != nullptr && sources_.back().classes == nullptr &&
      last.checks.empty() && last.binds.size() == 1 &&
      last.keys.size() + 1 == sources_.back().relation->arity()) {
    RowSet& read = store.at(last.relation).rows();
    has_strips_ = !head.bits().empty() && !read.bits().empty();
    if (has_strips_) {
      head.OpenStrips(varying_->head);
      read.OpenStrips(varying_->column);
    }
  }
  // An index that serves intersections alone must repay being built.
  for (std::size_t i = 0; i < join.steps.size(); ++i) {
    if (!join.steps[i].intersection || sources_[i].classes != nullptr ||
        sources_[i + 1].classes != nullptr)
      continue;
    const JoinStep& next = join.steps[i + 1];
    Relation& relation = store.at(next.relation);
    const RowId end = marks[next.relation].end;
    const Columns probe = join.steps[i].intersection->probe;
    if (relation.IsLookedUp(probe) || outer_ >= end / 4)
      sources_[i].intersection = &relation.IndexOn(probe, end, keep_on, workers);
  }
}

std::span<const RowId> JoinRun::Within(const Source& source, std::span<const RowId> rows) {
  if (source.begin > 0)
    rows = {std::lower_bound(rows.begin(), rows.end(), source.begin), rows.end()};
  if (!rows.empty() && rows.back() >= source.end)
    rows = {rows.begin(), std::lower_bound(rows.begin(), rows.end(), source.end)};
  return rows;
}

// The rows that a step's index lists for its current key, within its range.
std::span<const RowId> JoinRun::Listed(std::size_t at) {
  const Source& source = sources_[at];
  return Within(source, source.index->Rows(Key(join_.steps[at].keys), source.relation->stored()));
}

// Finds the partners of a step's current key, if some of its rows are kept as classes.
void JoinRun::FindPartners(std::size_t at) {
  Source& source = sources_[at];
  if (source.classes == nullptr) return;
  const JoinStep& step = join_.steps[at];
  source.partners.clear();
  source.classes->AddPartners(step.probe == 1 ? 0 : 1, slots_[step.keys.front()],
                              std::max(source.begin, source.end), source.kept_end, source.partners);
}

std::uint64_t JoinRun::work() const {
  std::uint64_t out = 0;
  for (const Source& source : sources_) out += source.did.times + source.did.rows;
  return out;
}

void JoinRun::AddTo(JoinCounts& counts) const {
  counts.steps.resize(sources_.size());
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const JoinCounts::Step& did = sources_[i].did;
    counts.steps[i].times += did.times;
    counts.steps[i].rows += did.rows;
    counts.steps[i].intersected += did.intersected;
  }
  counts.steps.front().times = 1;
  counts.answers += answers_;
}

bool JoinRun::Run(std::size_t begin, std::size_t end, RowBatch& batch, std::size_t full,
                  Continuation pause) {
  batch_ = &batch;
  full_ = full;
  pause_ = &pause;
  scanned_ = 0;
  const Source& first = sources_.front();
  sources_.front().did.rows += end - begin;
  if (join_.steps.front().all_bound) return begin >= end || Next(0);
  if (first.index == nullptr)
    return Scan(first.begin + static_cast<RowId>(begin), first.begin + static_cast<RowId>(end));
  const std::span<const RowId> listed = Listed(0);
  for (std::size_t i = begin; i < end; ++i) {
    if (i < listed.size()
            ? !Take(0, listed[i])
            : BindsPartner(0, first.partners[i - listed.size()]) && !(Tick() && Next(1)))
      return false;
  }
  return true;
}

// Runs the join for outer rows of a scan.
bool JoinRun::Scan(RowId row, RowId end) {
  const Source& first = sources_.front();
  if (first.classes != nullptr && end > first.end) {
    const RowId stored = std::max(row, first.end);
    return (row >= stored || Scan(row, stored)) && ScanKept(stored, end);
  }
  if (!ahead_.empty()) return ScanAhead(row, end);
  for (; row < end; ++row)
    if (!Take(0, row)) return false;
  return true;
}

// The same for rows that are kept as classes.
bool JoinRun::ScanKept(RowId row, RowId end) {
  constexpr RowId kEach = 256;
  std::vector<Value> cells;
  while (row < end) {
    const RowId next = std::min(end - row, kEach) + row;
    cells.clear();
    sources_.front().classes->AddCells(row, next, cells);
    for (std::size_t i = 0; row < next; ++row, i += 2)
      if (Binds(0, RowView(std::span<const Value>(&cells[i], 2))) && !(Tick() && Next(1)))
        return false;
  }
  return true;
}

// The same for stored rows; probes the second step's index for many outer rows at once, so that
// misses overlap.
bool JoinRun::ScanAhead(RowId row, RowId end) {
  const Source& first = sources_[0];
  const Source& second = sources_[1];
  std::vector<Value> keys(Index::kEach * ahead_.size());
  std::span<const RowId> lists[Index::kEach];
  while (row < end) {
    const std::size_t count = std::min<std::size_t>(end - row, Index::kEach);
    Value* key = keys.data();
    for (std::size_t i = 0; i < count; ++i) {
      const RowView cells = first.relation->stored().Row(row + static_cast<RowId>(i));
      for (const Ahead& ahead : ahead_)
        *key++ = ahead.column ? cells[*ahead.column] : slots_[ahead.slot];
    }
    second.index->RowsOfEach(keys.data(), count, second.relation->stored(), lists);
    for (std::size_t i = 0; i < count; ++i, ++row) {
      if (!Binds(0, row)) continue;
      if (!Tick() || !Unseen(1, [&] { return Over(1, Within(second, lists[i])); })) return false;
    }
  }
  return true;
}

[[gnu::always_inline]] inline bool JoinRun::Emit() {
  ++answers_;
  if (const RowBits& bits = head_.bits();
      asks_bits_ && !bits.empty() &&
      bits.Has([&](std::size_t i) { return slots_[join_.columns[i]]; })) {
    ++known_;
    return true;
  }
  return Add();
}

// Adds the answer to the batch.
[[gnu::always_inline]] inline bool JoinRun::Add() {
  const std::size_t arity = join_.columns.size();
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < arity; ++i) hash = MixHash(hash, slots_[join_.columns[i]].bits());
  const bool alone = batch_->parts.size() == 1;
  if (alone) head_.Prefetch(hash);
  Value* const row = batch_->Add(alone ? 0 : RowSet::PartOf(hash), hash);
  for (std::size_t i = 0; i < arity; ++i) row[i] = slots_[join_.columns[i]];
  return batch_->size < full_ || (*pause_)();
}

void JoinRun::TakeUp(Memory&& memory) {
  memory.resize(sources_.size());
  for (std::size_t at = sources_.size(); at-- > 0;) {
    Source& source = sources_[at];
    source.seen = std::move(memory[at]);
    source.seen.BeginRun();
    const JoinStep& step = join_.steps[at];
    const Source* const next = at + 1 < sources_.size() ? &sources_[at + 1] : nullptr;
    source.again = next == nullptr ? Source::Again::kNot : next->again;
    source.with_new = next == nullptr ? 0 : next->with_new;
    const RowId end = std::max(source.end, source.kept_end);
    if (step.kind != JoinStep::Kind::kRows || source.new_begin >= end) continue;
    source.again =
        source.again == Source::Again::kNot ? Source::Again::kWithNew : Source::Again::kWithAll;
    source.with_new = at;
  }
}

JoinRun::Memory JoinRun::Leave() {
  Memory out;
  for (Source& source : sources_) {
    source.seen.EndRun();
    out.push_back(std::move(source.seen));
  }
  return out;
}

// Goes on at a step unless what it would find is known from the combination of values so far.
template <typename GoOn>
inline bool JoinRun::Unseen(std::size_t at, GoOn&& go_on) {
  const std::vector<SlotId>& slots = join_.steps[at].distinct;
  if (slots.empty()) return go_on();
  Source& source = sources_[at];
  const Seen::When when = source.seen.Came(Key(slots));
  if (when == Seen::When::kInThisRun) return true;
  if (when == Seen::When::kNever || source.again == Source::Again::kWithAll) return go_on();
  if (source.again == Source::Again::kNot) return true;
  Source& with_new = sources_[source.with_new];
  const RowId begin = std::exchange(with_new.begin, with_new.new_begin);
  const bool goes = go_on();
  with_new.begin = begin;
  return goes;
}

bool JoinRun::Next(std::size_t at) {
  if (at == join_.steps.size()) return Emit();
  return Unseen(at, [&] { return Step(at); });
}

bool JoinRun::Step(std::size_t at) {
  const JoinStep& step = join_.steps[at];
  if (step.kind == JoinStep::Kind::kCompare) {
    std::string why;
    if (Holds(pool_, step.op, slots_[step.left], slots_[step.right], why)) return Next(at + 1);
    return why.empty() || Undefined(at, std::move(why));
  }
  if (step.kind == JoinStep::Kind::kCompute) return Compute(at);
  if (step.kind == JoinStep::Kind::kWithout) return Exists(at) || Next(at + 1);
  Source& source = sources_[at];
  if (step.all_bound) {
    ++source.did.times;
    const RowId row = source.relation->Find(Key(step.keys));
    if (row == kNoId || row < source.begin || row >= source.end) return true;
    ++source.did.rows;
    return Next(at + 1);
  }
  if (source.classes != nullptr) return OverKept(at);
  return source.index == nullptr ? Search(at) : Over(at, Listed(at));
}

// Continues with each of the step's rows that agree with its keys, of which there may be none:
// those that an index would list, in the same order.
bool JoinRun::Search(std::size_t at) {
  const JoinStep& step = join_.steps[at];
  Source& source = sources_[at];
  const std::size_t before = answers_;
  const std::span<const Value> wanted = Key(step.keys);
  source.key.assign(wanted.begin(), wanted.end());
  const std::vector<Value>& key = source.key;
  const auto agrees = [&](RowView cells) {
    std::size_t k = 0;
    for (Columns rest = step.probe; rest != 0; rest &= rest - 1)
      if (cells[static_cast<std::size_t>(std::countr_zero(rest))] != key[k++]) return false;
    return true;
  };
  ++source.did.times;
  const RowSet& rows = source.relation->stored();
  const auto first = static_cast<std::size_t>(std::countr_zero(step.probe));
  for (RowId row = source.begin; row < source.end; ++row) {
    // The next row with the first value of the key, in steps between which to pause.
    const RowId end = std::min(source.end, row + static_cast<RowId>(kTick) / 4);
    const RowId next = key.empty() ? row : rows.FindNext(first, key.front(), row, end);
    if (!Tick(next - row)) return StoppedAt(row - source.begin, source.end - source.begin);
    row = next;
    if (row == source.end) break;
    if (!agrees(rows.Row(row))) {
      if (!Tick()) return StoppedAt(row - source.begin, source.end - source.begin);
      continue;
    }
    ++source.did.rows;
    if (!Take(at, row)) return StoppedAt(row - source.begin, source.end - source.begin);
    if (at > join_.deciding && answers_ != before) break;
  }
  return true;
}

// Emits an answer for each of these rows of the last step.
[[gnu::always_inline]] inline bool JoinRun::EmitEach(const JoinStep& step, Source& source,
                                                     std::span<const RowId> rows) {
  const RowSet& relation = source.relation->stored();
  const bool asks = varying_ && asks_bits_ && !head_.bits().empty();
  if (asks && has_strips_ && FindUnknown(step, source, rows.size()))
    return EmitUnknown(step, source, rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (asks) {
      if (!SkipKnown(relation, rows, k)) return StoppedIn(source, k, rows.size());
      if (k == rows.size()) break;
    }
    if (k + kAhead < rows.size()) Prefetch(relation.Row(rows[k + kAhead]).data());
    const RowView cells = relation.Row(rows[k]);
    for (const auto& [column, slot] : step.binds) slots_[slot] = cells[column];
    ++answers_;
    if (!Tick() || !Add()) return StoppedIn(source, k, rows.size());
  }
  source.did.rows += rows.size();
  return true;
}

// Finds the rows of the last step, `listed` in number, whose answers the head's relation is not
// known to have, by comparing strips of bits; false if that does not pay, or a row has no bit.
bool JoinRun::FindUnknown(const JoinStep& step, const Source& source, std::size_t listed) {
  constexpr std::size_t kLeast = 64;      // rows
  constexpr std::size_t kPlacesEach = 8;  // of the strip, for a row
  constexpr std::size_t kKnownEach = 8;   // rows for one that is not known
  const RowBits& bits = source.relation->stored().bits();
  if (listed < kLeast || !bits.Cover(source.end)) return false;
  const std::uint32_t column = varying_->column;
  for (std::size_t i = 0; i < step.keys.size(); ++i)
    key_[i < column ? i : i + 1] = slots_[step.keys[i]];
  const RowBits::Strip read = bits.Along(column, [&](std::size_t i) { return key_[i]; });
  if (read.count() == 0 || read.count() > kPlacesEach * listed) return false;
  const RowBits::Strip known =
      head_.bits().Along(varying_->head, [&](std::size_t i) { return slots_[join_.columns[i]]; });
  if (known.count() == 0 || !known.HasKindOf(read.At(0))) return false;
  const std::int64_t shift = known.PositionOf(read.At(0));
  const auto count = static_cast<std::int64_t>(read.count());
  unknown_.clear();  // positions on the strip first, then rows
  for (std::int64_t at = 0; at < count; at += 64) {
    std::uint64_t left = read.From(at) & ~known.From(at + shift);
    for (; left != 0; left &= left - 1)
      unknown_.push_back(static_cast<RowId>(at + std::countr_zero(left)));
    if (unknown_.size() * kKnownEach > listed) return false;
  }
  std::size_t rows = 0;
  for (const RowId position : unknown_) {
    key_[column] = read.At(position);
    const RowId row = source.relation->Find({key_, source.relation->arity()});
    if (row != kNoId && row >= source.begin && row < source.end) unknown_[rows++] = row;
  }
  unknown_.resize(rows);
  std::sort(unknown_.begin(), unknown_.end());
  return true;
}

// Emits answers for the rows found, in order.
bool JoinRun::EmitUnknown(const JoinStep& step, Source& source, std::size_t listed) {
  const std::size_t known = listed - unknown_.size();
  answers_ += known;
  known_ += known;
  const auto& [column, slot] = step.binds.front();
  for (const RowId& row : unknown_) {
    slots_[slot] = source.relation->stored().Row(row)[column];
    ++answers_;
    if (!Tick() || !Add())
      return StoppedIn(source, known + static_cast<std::size_t>(&row - unknown_.data()), listed);
  }
  source.did.rows += listed;
  return Tick(known);
}

// Takes k on to the next row of the last step whose answer the head's relation is not known to
// have.
bool JoinRun::SkipKnown(const RowSet& relation, std::span<const RowId> rows, std::size_t& k) {
  const std::size_t known = CountKnown(relation, rows.subspan(k));
  k += known;
  answers_ += known;
  known_ += known;
  return Tick(known);
}

// How many of these rows of the last step, from the first on, give answers that the head's relation
// is known to have; kTick at most.
std::size_t JoinRun::CountKnown(const RowSet& relation, std::span<const RowId> rows) const {
  const RowBits& bits = head_.bits();
  const RowGrid::Line line =
      bits.grid().Along(varying_->head, [&](std::size_t i) { return slots_[join_.columns[i]]; });
  const std::uint32_t column = varying_->column;
  const std::size_t end = std::min(rows.size(), kTick);
  std::size_t k = 0;
  for (; k < end; ++k) {
    if (k + kAhead < rows.size()) Prefetch(relation.Row(rows[k + kAhead]).data());
    if (!bits.Has(line, relation.Row(rows[k])[column])) break;
  }
  return k;
}

// Continues with each of these rows of a step's index.
bool JoinRun::Over(std::size_t at, std::span<const RowId> rows) {
  const JoinStep& step = join_.steps[at];
  Source& source = sources_[at];
  const std::size_t before = answers_;
  const bool one = at > join_.deciding;
  ++source.did.times;
  if (source.intersection != nullptr && rows.size() > 4) {
    const Source& next = sources_[at + 1];
    const std::span<const RowId> others = Within(
        next, source.intersection->Rows(Key(step.intersection->keys), next.relation->stored()));
    if (others.size() < rows.size() / 2) return Intersect(at, others);
  }
  if (at + 1 == join_.steps.size() && step.checks.empty() && !one)
    return EmitEach(step, source, rows);
  std::size_t k = 0;
  while (k < rows.size()) {
    if (k + kAhead < rows.size()) Prefetch(source.relation->stored().Row(rows[k + kAhead]).data());
    if (!Take(at, rows[k])) return StoppedIn(source, k, rows.size());
    ++k;
    if (one && answers_ != before) break;
  }
  source.did.rows += k;
  return true;
}

// Continues with each of the rows that agree with the step's key, of which some are kept as
// classes: these come last.
bool JoinRun::OverKept(std::size_t at) {
  Source& source = sources_[at];
  const std::size_t before = answers_;
  const bool one = at > join_.deciding;
  const std::span<const RowId> stored = Listed(at);
  FindPartners(at);
  const std::size_t rows = stored.size() + source.partners.size();
  if (!Over(at, stored)) {
    scanned_ *= static_cast<double>(stored.size()) / static_cast<double>(rows);
    return false;
  }
  if (one && answers_ != before) return true;
  for (std::size_t k = 0; k < source.partners.size(); ++k) {
    if (BindsPartner(at, source.partners[k]) && !(Tick() && Next(at + 1))) {
      source.did.rows += k;
      return StoppedAt(stored.size() + k, rows);
    }
    ++source.did.rows;
    if (one && answers_ != before) break;
  }
  return true;
}

// Runs a step and the next one together, from the rows of the next. Sorting restores the order of
// the step's own list.
bool JoinRun::Intersect(std::size_t at, std::span<const RowId> others) {
  const JoinStep& step = join_.steps[at];
  Source& source = sources_[at];
  source.common.clear();
  ++source.did.intersected;
  source.did.rows += others.size();
  for (const RowId other : others) {
    const RowView cells = sources_[at + 1].relation->stored().Row(other);
    for (const auto& [column, slot] : step.intersection->binds) slots_[slot] = cells[column];
    const RowId row = source.relation->Find(Key(step.intersection->row));
    if (row != kNoId && row >= source.begin && row < source.end) source.common.push_back(row);
    if (!Tick()) return false;
  }
  std::sort(source.common.begin(), source.common.end());
  const std::size_t before = answers_;
  for (const RowId& row : source.common) {
    const RowView cells = source.relation->stored().Row(row);
    for (const auto& [column, slot] : step.binds) slots_[slot] = cells[column];
    if (!Next(at + 2)) return StoppedAt(&row - source.common.data(), source.common.size());
    if (at > join_.deciding && answers_ != before) break;
  }
  return true;
}

bool JoinRun::Take(std::size_t at, RowId row) {
  return !Binds(at, row) || (Tick() && Next(at + 1));
}

bool JoinRun::Compute(std::size_t at) {
  const JoinStep& step = join_.steps[at];
  std::string why;
  const Value value = Apply(pool_, step.op, slots_[step.left], slots_[step.right], why);
  if (value.is_none()) return Undefined(at, std::move(why));
  slots_[step.result] = value;
  return Next(at + 1);
}

bool JoinRun::Exists(std::size_t at) {
  const JoinStep& step = join_.steps[at];
  Source& source = sources_[at];
  ++source.did.times;
  const auto agrees = [&](RowView cells) {
    ++source.did.rows;
    for (const auto& [column, slot] : step.binds) slots_[slot] = cells[column];
    return std::all_of(step.checks.begin(), step.checks.end(), [&](const auto& check) {
      return cells[check.first] == slots_[check.second];
    });
  };
  if (step.all_bound) {
    const RowId row = source.relation->Find(Key(step.keys));
    const bool found = row != kNoId && row >= source.begin && row < source.end;
    source.did.rows += found ? 1 : 0;
    return found;
  }
  if (source.index != nullptr) {
    FindPartners(at);
    return std::ranges::any_of(
               Listed(at), [&](RowId row) { return agrees(source.relation->stored().Row(row)); }) ||
           std::ranges::any_of(source.partners, [&](Value partner) {
             return ++source.did.rows, BindsPartner(at, partner);
           });
  }
  for (RowId row = source.begin; row < source.end; ++row)
    if (agrees(source.relation->stored().Row(row))) return true;
  return false;
}

}  // namespace rpl
