// SPDX-License-Identifier: Apache-2.0
#include "interp/insertion.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace rpl {
namespace {

// Bytes of a batch whose memory is kept.
constexpr std::size_t kKept = std::size_t{1} << 20;
// Cells of a huge page.
constexpr std::size_t kCells = kHugePage / sizeof(Value);

}  // namespace

RowBatch& Insertion::Begin(std::size_t k, std::size_t arity) {
  waiting_[k].rows.Clear(arity);
  return waiting_[k].rows;
}

std::size_t Insertion::Insert(RowSet& rows, std::size_t first, std::size_t count,
                              std::size_t most) {
  inserted_ = std::span(waiting_).subspan(first, count);
  const RowId base = rows.size();
  std::size_t found = 0;
  for (std::size_t k = 0; k < count; ++k) found += inserted_[k].rows.size;
  rows.Reserve(std::max(found, kParts), &team_);  // each part has slots
  if (found < few_) return InsertAlone(rows, most);
  rows.cells_.Extend(found * rows.arity());
  const std::size_t pages = PagesToTouch(rows);
  team_.Each(pages + kParts, [&](std::size_t k) {
    if (k >= pages) return ClaimPart(rows, k - pages);
    const std::size_t begin = (rows.touched_ + k) * kCells;
    rows.cells_.Touch(begin, begin + kCells);
  });
  rows.touched_ += pages;
  ClaimBeyond(rows);
  std::size_t added = 0;
  for (std::size_t k = 0; k < count; ++k) {
    inserted_[k].first = base + static_cast<RowId>(added);
    inserted_[k].added = 0;
    for (const Part& part : parts_)
      inserted_[k].added += part.ends[k] - (k == 0 ? 0 : part.ends[k - 1]);
    added += inserted_[k].added;
  }
  team_.Each(count, [&](std::size_t k) { Settle(rows, k); });
  team_.Each(kParts + 1, [&](std::size_t part) {
    for (const Claim& claim : parts_[part].claims) rows.table_.Replace(claim.slot, claim.id);
  });
  rows.size_ += static_cast<RowId>(added);
  rows.cells_.Shrink(std::size_t{rows.size_} * rows.arity());
  if (added <= most) return added;
  rows.Truncate(base + static_cast<RowId>(most));
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t before = inserted_[k].first - base;
    inserted_[k].added = std::min(inserted_[k].added, most - std::min(most, before));
  }
  return most;
}

// How many huge pages of the cells, from `touched_` on, the system is to give before the new rows
// are written. If it is any, then some more of a large relation: by several threads at once, as
// getting one may take longer than all else that a thread does for these rows.
std::size_t Insertion::PagesToTouch(RowSet& rows) const {
  const std::size_t written = std::size_t{rows.size()} * rows.arity();
  rows.touched_ = std::max(rows.touched_, (written + kCells - 1) / kCells);
  const std::size_t needed = (rows.cells_.size() + kCells - 1) / kCells;
  if (needed <= rows.touched_) return 0;
  const std::size_t ahead = std::min(needed / 4, team_.size() - 1);
  const std::size_t there = rows.cells_.capacity() / kCells;
  return std::max(std::min(needed + ahead, there), rows.touched_) - rows.touched_;
}

// Claims slots for the rows of a part, block by block: what a row needs of the memory is asked for
// before its turn comes, first its place in the table, then the row found there.
void Insertion::ClaimPart(RowSet& rows, std::size_t part) {
  constexpr std::size_t kBlock = 64;
  Next block[kBlock];
  std::size_t waiting = 0;
  Part& mine = parts_[part];
  mine.claims.Shrink(0);
  mine.ends.assign(inserted_.size(), 0);
  mine.beyond.clear();
  for (std::size_t k = 0; k < inserted_.size(); ++k) {
    const WaitingRows& from = inserted_[k].rows.parts[part];
    for (std::size_t i = 0; i < from.size(); ++i) {
      const std::uint64_t hash = WaitingRows::HashOf(from.Row(i));
      block[waiting++] = {from.Row(i), hash, 0, k};
      rows.Prefetch(hash);
      if (waiting == kBlock) ClaimBlock(rows, part, {block, std::exchange(waiting, 0)});
    }
  }
  ClaimBlock(rows, part, {block, waiting});
  std::partial_sum(mine.ends.begin(), mine.ends.end(), mine.ends.begin());
}

// Until the ids are known a slot has a ticket: how many claims of the part are in front of its
// own. As in RowSet::InsertEach, it decides no branch whether a row is new.
void Insertion::ClaimBlock(RowSet& rows, std::size_t part, std::span<Next> block) {
  Part& mine = parts_[part];
  RowTable& table = rows.table_;
  const RowId base = rows.size();
  std::size_t claimed = mine.claims.size();
  mine.claims.Extend(block.size() + 1);
  for (Next& next : block) {
    next.slot = table.Seek(next.hash, table.Home(next.hash), part);
    if (next.slot == RowTable::kBeyond) continue;
    const RowId known = table.IdAt(next.slot);
    Prefetch(rows.Row(known < base ? known : 0));
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
      const RowId id = is_new == 1 ? base + static_cast<RowId>(claimed) : known;
      mine.claims[claimed] = {next.row, slot, 0};
      const Value* const old = rows.Row(id < base ? id : 0);
      const Value* const ours = mine.claims[id < base ? claimed : id - base].row;
      if (!rows.Same(next.row, id < base ? old : ours)) continue;  // another row has that tag
      table.Put(slot, next.hash, id);
      claimed += is_new;
      mine.ends[next.batch] += is_new;
      break;
    }
  }
  mine.claims.Shrink(claimed);
}

// The rows that found no place in their part, in order; few, as tables are not full. Their tickets
// come after those that any part gave out.
void Insertion::ClaimBeyond(RowSet& rows) {
  std::vector<Beyond> beyond;
  for (std::size_t part = 0; part < kParts; ++part)
    beyond.insert(beyond.end(), parts_[part].beyond.begin(), parts_[part].beyond.end());
  std::sort(beyond.begin(), beyond.end(), [](const Beyond& a, const Beyond& b) {
    return a.batch != b.batch ? a.batch < b.batch
                              : WaitingRows::NumberOf(a.row) < WaitingRows::NumberOf(b.row);
  });
  Part& all = parts_[kParts];
  all.claims.Shrink(0);
  all.ends.assign(inserted_.size(), 0);
  const RowId base = rows.size();
  std::size_t most = 0;
  for (std::size_t part = 0; part < kParts; ++part)
    most = std::max(most, parts_[part].claims.size());
  const RowId tickets = base + static_cast<RowId>(most);
  const auto row_at = [&](std::size_t slot) {
    const RowId id = rows.table_.IdAt(slot);
    if (id < base) return rows.Row(id);
    return id < tickets ? parts_[rows.table_.PartAt(slot)].claims[id - base].row
                        : all.claims[id - tickets].row;
  };
  for (const Beyond& next : beyond) {
    const std::uint64_t hash = WaitingRows::HashOf(next.row);
    for (std::size_t slot = rows.table_.Home(hash);; ++slot) {
      slot = rows.table_.Seek(hash, slot);
      const bool is_free = rows.table_.IdAt(slot) == kNoId;
      if (!is_free && !rows.Same(next.row, row_at(slot))) continue;
      if (is_free) {
        rows.table_.Put(slot, hash, tickets + static_cast<RowId>(all.claims.size()));
        all.claims.push_back({next.row, slot, 0});
        ++all.ends[next.batch];
      }
      break;
    }
  }
  std::partial_sum(all.ends.begin(), all.ends.end(), all.ends.begin());
}

// Gives the new rows of a batch their ids, and writes them.
void Insertion::Settle(RowSet& rows, std::size_t k) {
  Waiting& batch = inserted_[k];
  const auto each_claim = [&](auto&& fn) {
    for (Part& part : parts_)
      for (std::size_t i = k == 0 ? 0 : part.ends[k - 1]; i < part.ends[k]; ++i) fn(part.claims[i]);
  };
  batch.ranks.Reset(batch.rows.size);
  each_claim([&](const Claim& claim) { batch.ranks.Mark(WaitingRows::NumberOf(claim.row)); });
  batch.ranks.Count();
  each_claim([&](Claim& claim) {
    claim.id = batch.first + batch.ranks.Before(WaitingRows::NumberOf(claim.row));
    rows.Write(claim.id, claim.row);
  });
}

std::size_t Insertion::InsertAlone(RowSet& rows, std::size_t most) {
  const RowId base = rows.size();
  for (std::size_t k = 0; k < inserted_.size(); ++k) {
    const RowId before = rows.size();
    inserted_[k].rows.ForEach([&](const Value* row) {
      if (rows.size() - base < most) rows.Insert(row, WaitingRows::HashOf(row));
    });
    inserted_[k].added = rows.size() - before;
  }
  return rows.size() - base;
}

void Insertion::Trim() {
  for (Waiting& batch : waiting_)
    if (batch.rows.bytes() > kKept) batch = Waiting();
}

}  // namespace rpl
