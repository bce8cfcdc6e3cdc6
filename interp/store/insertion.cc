// SPDX-License-Identifier: Apache-2.0
#include "interp/store/insertion.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace rpl {
namespace {

// Largest batch, in bytes, whose memory Trim keeps.
constexpr std::size_t kKept = std::size_t{1} << 20;
// Words of a huge page.
constexpr std::size_t kWords = kHugePage / sizeof(std::uint32_t);

}  // namespace

RowBatch& Insertion::Begin(std::size_t k, RowSet& rows) {
  waiting_[k].rows.Clear(rows.arity());
  waiting_[k].to = &rows;
  return waiting_[k].rows;
}

// Groups the batches by RowSet.
std::size_t Insertion::Close(std::size_t count) {
  batches_ = std::span(waiting_).first(count);
  std::size_t heads = 0;
  for (Waiting& batch : batches_) {
    batch.head = 0;
    while (batch.head < heads && all_heads_[batch.head].rows != batch.to) ++batch.head;
    if (batch.head == all_heads_.size()) all_heads_.emplace_back();
    Head& head = all_heads_[batch.head];
    if (batch.head == heads) {
      head.rows = batch.to;
      head.batches.clear();
      head.found = 0;
      ++heads;
    }
    batch.at = head.batches.size();
    head.batches.push_back(&batch);
    head.found += batch.rows.size;
  }
  heads_ = std::span(all_heads_).first(heads);
  std::size_t bytes = 0;
  for (const Head& head : heads_) bytes += head.rows->GrowthFor(head.found);
  return bytes;
}

std::size_t Insertion::Insert(std::size_t most) {
  std::size_t found = 0;
  for (const Head& head : heads_) found += head.found;
  return found < few_ || found > most ? InsertAlone(most) : InsertTogether();
}

std::size_t Insertion::InsertAlone(std::size_t most) {
  std::size_t added = 0;
  for (Waiting& batch : batches_) {
    batch.to->Reserve(batch.rows.size, &workers_);
    batch.added = 0;
    batch.rows.ForEach([&](const Value* row) {
      if (added == most || !batch.to->Insert(row, WaitingRows::HashOf(row)).is_new) return;
      ++batch.added;
      ++added;
    });
  }
  return added;
}

std::size_t Insertion::InsertTogether() {
  std::size_t pages = 0;
  for (Head& head : heads_) {
    RowSet& rows = *head.rows;
    rows.Reserve(std::max(head.found, kParts), &workers_);  // each part has slots
    rows.words_.Extend(head.found * rows.stride_);
    head.pages = PagesToTouch(rows);
    pages += head.pages;
  }
  workers_.ParallelFor(pages + heads_.size() * kParts, [&](std::size_t k) {
    if (k >= pages) return ReservePart(heads_[(k - pages) / kParts], (k - pages) % kParts);
    Head* head = heads_.data();
    for (; k >= head->pages; ++head) k -= head->pages;
    const std::size_t begin = (head->rows->touched_ + k) * kWords;
    head->rows->words_.Touch(begin, begin + kWords);
  });
  std::size_t added = 0;
  for (Head& head : heads_) {
    head.rows->touched_ += head.pages;
    if (std::ranges::any_of(head.parts, &Part::wide)) {
      head.rows->Widen();
      head.rows->words_.Extend(head.found * head.rows->stride_);
    }
    ReserveBeyond(head);
    added += Number(head);
  }
  workers_.ParallelFor(batches_.size(), [&](std::size_t k) { Settle(batches_[k]); });
  workers_.ParallelFor(heads_.size() * (kParts + 1), [&](std::size_t k) {
    Head& head = heads_[k / (kParts + 1)];
    for (const Reservation& reservation : head.parts[k % (kParts + 1)].reservations)
      head.rows->table_.Replace(reservation.slot, reservation.number);
  });
  return added;
}

// The number of huge pages of the words, from `touched_` on, to touch before the new rows are
// written. For a large relation some more than needed, by several threads at once: a page fault may
// take longer than all other work of a thread on these rows.
std::size_t Insertion::PagesToTouch(RowSet& rows) const {
  const std::size_t written = std::size_t{rows.size()} * rows.stride_;
  rows.touched_ = std::max(rows.touched_, (written + kWords - 1) / kWords);
  const std::size_t needed = (rows.words_.size() + kWords - 1) / kWords;
  if (needed <= rows.touched_) return 0;
  const std::size_t ahead = std::min(needed / 4, workers_.size() - 1);
  const std::size_t there = rows.words_.capacity() / kWords;
  return std::max(std::min(needed + ahead, there), rows.touched_) - rows.touched_;
}

// Reserves slots for the rows of a part, in blocks, with prefetching: first the slots in the table,
// then the rows found there.
void Insertion::ReservePart(Head& head, std::size_t part) {
  constexpr std::size_t kBlock = 64;
  Next block[kBlock];
  std::size_t waiting = 0;
  Part& mine = head.parts[part];
  mine.reservations.Shrink(0);
  mine.ends.assign(head.batches.size(), 0);
  mine.beyond.clear();
  mine.wide = false;
  for (std::uint32_t k = 0; k < head.batches.size(); ++k) {
    const WaitingRows& from = head.batches[k]->rows.parts[part];
    for (std::size_t i = 0; i < from.size(); ++i) {
      const Value* const row = from.Row(i);
      const std::uint64_t hash = WaitingRows::HashOf(row);
      block[waiting++] = {row, hash, 0, k, WaitingRows::NumberOf(row)};
      head.rows->Prefetch(hash);
      if (waiting == kBlock) ReserveBlock(head, part, {block, std::exchange(waiting, 0)});
    }
  }
  ReserveBlock(head, part, {block, waiting});
  std::partial_sum(mine.ends.begin(), mine.ends.end(), mine.ends.begin());
}

// Until the ids are known, a slot holds a ticket: the number of earlier reservations of the part.
// As in RowSet::InsertEach, no branch depends on whether a row is new.
void Insertion::ReserveBlock(Head& head, std::size_t part, std::span<Next> block) {
  Part& mine = head.parts[part];
  RowSet& rows = *head.rows;
  RowTable& table = rows.table_;
  const RowId base = rows.size();
  std::size_t reserved = mine.reservations.size();
  mine.reservations.Extend(block.size() + 1);
  for (Next& next : block) {
    mine.wide |= rows.narrow() && rows.Excess(next.row) != 0;
    next.slot = table.Seek(next.hash, table.Home(next.hash), part);
    if (next.slot == RowTable::kBeyond) continue;
    const RowId known = table.IdAt(next.slot);
    Prefetch(rows.Row(known < base ? known : 0).data());
  }
  for (const Next& next : block) {
    for (std::size_t slot = next.slot;; ++slot) {
      if (slot != RowTable::kBeyond) slot = table.Seek(next.hash, slot, part);
      if (slot == RowTable::kBeyond) {
        mine.beyond.push_back({next.batch, next.row});
        break;
      }
      const RowId known = table.IdAt(slot);
      const RowId is_new = known == kNoId ? 1 : 0;
      const RowId id = is_new == 1 ? base + static_cast<RowId>(reserved) : known;
      mine.reservations[reserved] = {next.row, static_cast<std::uint32_t>(slot), next.number};
      const Value* const ours = mine.reservations[id < base ? reserved : id - base].row;
      const RowView other = id < base ? rows.Row(id) : RowView({ours, rows.arity()});
      if (!other.Equals(next.row)) continue;  // a different row with this tag
      table.Put(slot, next.hash, id);
      reserved += is_new;
      mine.ends[next.batch] += is_new;
      break;
    }
  }
  mine.reservations.Shrink(reserved);
}

// Reserves slots for the rows beyond their parts, in order: few, since tables are never full. Their
// tickets come after those of all parts.
void Insertion::ReserveBeyond(Head& head) {
  RowSet& rows = *head.rows;
  std::vector<Beyond> beyond;
  for (std::size_t part = 0; part < kParts; ++part)
    beyond.insert(beyond.end(), head.parts[part].beyond.begin(), head.parts[part].beyond.end());
  std::sort(beyond.begin(), beyond.end(), [](const Beyond& a, const Beyond& b) {
    return a.batch != b.batch ? a.batch < b.batch
                              : WaitingRows::NumberOf(a.row) < WaitingRows::NumberOf(b.row);
  });
  Part& all = head.parts[kParts];
  all.reservations.Shrink(0);
  all.ends.assign(head.batches.size(), 0);
  const RowId base = rows.size();
  std::size_t most = 0;
  for (std::size_t part = 0; part < kParts; ++part)
    most = std::max(most, head.parts[part].reservations.size());
  const RowId tickets = base + static_cast<RowId>(most);
  const auto row_at = [&](std::size_t slot) {
    const RowId id = rows.table_.IdAt(slot);
    if (id < base) return rows.Row(id);
    const Value* const ours = id < tickets
                                  ? head.parts[rows.table_.PartAt(slot)].reservations[id - base].row
                                  : all.reservations[id - tickets].row;
    return RowView({ours, rows.arity()});
  };
  for (const Beyond& next : beyond) {
    const std::uint64_t hash = WaitingRows::HashOf(next.row);
    for (std::size_t slot = rows.table_.Home(hash);; ++slot) {
      slot = rows.table_.Seek(hash, slot);
      const bool is_free = rows.table_.IdAt(slot) == kNoId;
      if (!is_free && !row_at(slot).Equals(next.row)) continue;
      if (is_free) {
        rows.table_.Put(slot, hash, tickets + static_cast<RowId>(all.reservations.size()));
        all.reservations.push_back(
            {next.row, static_cast<std::uint32_t>(slot), WaitingRows::NumberOf(next.row)});
        ++all.ends[next.batch];
      }
      break;
    }
  }
  std::partial_sum(all.ends.begin(), all.ends.end(), all.ends.begin());
}

// Assigns the first id of each batch's new rows; returns the number of new rows.
std::size_t Insertion::Number(Head& head) {
  RowSet& rows = *head.rows;
  const RowId before = rows.size_;
  for (Waiting* const batch : head.batches) {
    batch->first = rows.size_;
    batch->added = 0;
    for (const Part& part : head.parts)
      batch->added += part.ends[batch->at] - part.BeginOf(batch->at);
    rows.size_ += static_cast<RowId>(batch->added);
  }
  rows.words_.Shrink(std::size_t{rows.size_} * rows.stride_);
  return rows.size_ - before;
}

// Writes the new rows of a batch, and their ids into the table.
void Insertion::Settle(Waiting& batch) {
  const auto each_claim = [&](auto&& fn) {
    for (Part& part : heads_[batch.head].parts)
      for (std::size_t i = part.BeginOf(batch.at); i < part.ends[batch.at]; ++i)
        fn(part.reservations[i]);
  };
  batch.ranks.Reset(batch.rows.size);
  each_claim([&](const Reservation& reservation) { batch.ranks.Mark(reservation.number); });
  batch.ranks.Count();
  each_claim([&](Reservation& reservation) {
    const RowId id = batch.first + batch.ranks.Before(reservation.number);
    batch.to->Write(id, reservation.row);
    reservation.number = id;
  });
}

void Insertion::Trim() {
  for (Waiting& batch : waiting_)
    if (batch.rows.bytes() > kKept) batch = Waiting();
}

}  // namespace rpl
