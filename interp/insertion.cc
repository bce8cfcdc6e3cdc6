// SPDX-License-Identifier: Apache-2.0
#include "interp/insertion.h"

#include <algorithm>
#include <bit>

namespace rpl {
namespace {

// Fewer rows than these one thread inserts sooner alone.
constexpr std::size_t kFew = 2'048;
// Bytes of a batch whose memory is kept.
constexpr std::size_t kKept = std::size_t{1} << 22;
constexpr std::size_t kAhead = 16;

}  // namespace

void Insertion::Waiting::Sort(const RowSet& table) {
  const std::size_t arity = table.arity();
  const std::size_t count = rows.size();
  slots = table.slots();
  begin.fill(0);
  for (std::size_t i = 0; i < count; ++i) ++begin[table.PartOf(rows.hashes[i]) + 1];
  for (std::size_t p = 0; p < kParts; ++p) begin[p + 1] += begin[p];
  std::array<std::size_t, kParts + 1> next = begin;
  sorted.Clear();
  order.Shrink(0);
  std::uint64_t* const hashes = sorted.hashes.Extend(count);
  Value* const cells = sorted.cells.Extend(count * arity);
  std::uint32_t* const from = order.Extend(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t to = next[table.PartOf(rows.hashes[i])]++;
    hashes[to] = rows.hashes[i];
    from[to] = static_cast<std::uint32_t>(i);
    const Value* const row = rows.Row(i, arity);
    for (std::size_t c = 0; c < arity; ++c) cells[to * arity + c] = row[c];
  }
}

std::size_t Insertion::Insert(RowSet& rows, std::size_t count, std::size_t most) {
  const RowId base = rows.size();
  std::size_t found = 0;
  for (std::size_t k = 0; k < count; ++k) {
    waiting_[k].ticket = base + static_cast<RowId>(found);
    found += waiting_[k].rows.size();
  }
  rows.Reserve(found, [&](std::size_t n, const auto& fn) { team_.Each(n, fn); });
  if (found < kFew) return InsertAlone(rows, count, most);
  rows.BeginTogether(found);
  if (std::any_of(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(count),
                  [&](const Waiting& w) { return w.slots != rows.slots(); }))
    team_.Each(count, [&](std::size_t k) { waiting_[k].Sort(rows); });
  team_.Each(1 + kParts, [&](std::size_t k) {
    if (k == 0) rows.TouchRoom();
    else ClaimPart(rows, k - 1, count);
  });
  ClaimBeyond(rows, count);
  std::size_t added = 0;
  for (std::size_t k = 0; k < count; ++k) {
    waiting_[k].first = base + static_cast<RowId>(added);
    for (const Part& part : parts_) added += part.ends[k] - (k == 0 ? 0 : part.ends[k - 1]);
  }
  rows.AddTogether(added);
  if (added == 0) return 0;
  team_.Each(count, [&](std::size_t k) { Settle(rows, k); });
  team_.Each(kParts + 1, [&](std::size_t part) {
    for (const Claim& claim : parts_[part].claims) {
      const Waiting& batch = waiting_[claim.batch];
      const Waiting::Rank& rank = batch.ranks[claim.row / 64];
      const std::uint64_t before = rank.bits & ((std::uint64_t{1} << claim.row % 64) - 1);
      rows.Name(claim.slot, batch.first + rank.before + static_cast<RowId>(std::popcount(before)));
    }
  });
  if (added <= most) return added;
  rows.Truncate(base + static_cast<RowId>(most));
  return most;
}

const Value* Insertion::RowOf(const RowSet& rows, RowId ticket, std::size_t count) const {
  if (ticket < waiting_.front().ticket) return rows.Row(ticket);
  const auto after =
      std::upper_bound(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(count),
                       ticket, [](RowId t, const Waiting& batch) { return t < batch.ticket; });
  const Waiting& batch = *(after - 1);
  return batch.rows.Row(ticket - batch.ticket, rows.arity());
}

// Claims slots for the rows of a part. What a row needs of the memory is asked for some rows
// before: first its place in the table, then the row found there.
void Insertion::ClaimPart(RowSet& rows, std::size_t part, std::size_t count) {
  Part& mine = parts_[part];
  mine.claims.clear();
  mine.ends.clear();
  mine.beyond.clear();
  const RowId base = waiting_.front().ticket;
  // Goes over the hashes of the part's rows, batch by batch.
  struct Cursor {
    const std::vector<Waiting>& waiting;
    std::size_t part, count;
    std::size_t batch = 0, at, end;
    Cursor(const std::vector<Waiting>& w, std::size_t p, std::size_t n)
        : waiting(w), part(p), count(n), at(w[0].begin[p]), end(w[0].begin[p + 1]) {}
    const std::uint64_t* Next() {
      while (at == end) {
        if (++batch >= count) {
          batch = count;
          return nullptr;
        }
        at = waiting[batch].begin[part];
        end = waiting[batch].begin[part + 1];
      }
      return &waiting[batch].sorted.hashes[at++];
    }
  };
  Cursor places(waiting_, part, count), equals(waiting_, part, count);
  for (std::size_t i = 0; i < 2 * kAhead; ++i)
    if (const std::uint64_t* hash = places.Next()) rows.Prefetch(*hash);
  for (std::size_t i = 0; i < kAhead; ++i)
    if (const std::uint64_t* hash = equals.Next()) rows.PrefetchEqual(*hash, part, base);
  const auto row_of = [&](RowId id) { return RowOf(rows, id, count); };
  for (std::size_t k = 0; k < count; ++k) {
    const Waiting& batch = waiting_[k];
    for (std::size_t i = batch.begin[part]; i < batch.begin[part + 1]; ++i) {
      if (const std::uint64_t* hash = places.Next()) rows.Prefetch(*hash);
      if (const std::uint64_t* hash = equals.Next()) rows.PrefetchEqual(*hash, part, base);
      const std::uint32_t row = batch.order[i];
      const std::size_t slot = rows.Claim(batch.sorted.Row(i, rows.arity()), batch.sorted.hashes[i],
                                          batch.ticket + row, part, row_of);
      if (slot == RowSet::kTaken) continue;
      auto& list = slot == RowSet::kBeyond ? mine.beyond : mine.claims;
      list.push_back({static_cast<std::uint32_t>(k), row, slot});
    }
    mine.ends.push_back(mine.claims.size());
  }
}

// The rows that found no place in their part, in order; few, as tables are not full.
void Insertion::ClaimBeyond(RowSet& rows, std::size_t count) {
  Part& all = parts_[kParts];
  all.claims.clear();
  all.ends.clear();
  for (std::size_t part = 0; part < kParts; ++part)
    all.claims.insert(all.claims.end(), parts_[part].beyond.begin(), parts_[part].beyond.end());
  std::sort(all.claims.begin(), all.claims.end(), [](const Claim& a, const Claim& b) {
    return a.batch != b.batch ? a.batch < b.batch : a.row < b.row;
  });
  std::size_t kept = 0;
  std::size_t next = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const Waiting& batch = waiting_[k];
    for (; next < all.claims.size() && all.claims[next].batch == k; ++next) {
      Claim claim = all.claims[next];
      claim.slot = rows.Claim(batch.rows.Row(claim.row, rows.arity()), batch.rows.hashes[claim.row],
                              batch.ticket + claim.row, kParts,
                              [&](RowId id) { return RowOf(rows, id, count); });
      if (claim.slot != RowSet::kTaken) all.claims[kept++] = claim;
    }
    all.ends.push_back(kept);
  }
  all.claims.resize(kept);
}

// Writes the new rows of a batch, and counts how many are in front of each.
void Insertion::Settle(RowSet& rows, std::size_t k) {
  Waiting& batch = waiting_[k];
  batch.ranks.assign(batch.rows.size() / 64 + 1, {0, 0});
  for (const Part& part : parts_)
    for (std::size_t i = k == 0 ? 0 : part.ends[k - 1]; i < part.ends[k]; ++i) {
      const std::uint32_t row = part.claims[i].row;
      batch.ranks[row / 64].bits |= std::uint64_t{1} << row % 64;
    }
  std::uint32_t before = 0;
  for (std::size_t word = 0; word < batch.ranks.size(); ++word) {
    batch.ranks[word].before = before;
    for (std::uint64_t bits = batch.ranks[word].bits; bits != 0; bits &= bits - 1) {
      const std::size_t row = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
      rows.Write(batch.first + before++, batch.rows.Row(row, rows.arity()));
    }
  }
}

std::size_t Insertion::InsertAlone(RowSet& rows, std::size_t count, std::size_t most) {
  std::size_t added = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const RowBatch& batch = waiting_[k].rows;
    for (std::size_t i = 0; i < batch.size(); ++i) rows.Prefetch(batch.hashes[i]);
    added += rows.InsertEach(batch.cells.data(), batch.hashes.data(), batch.size(), most - added);
  }
  return added;
}

void Insertion::Trim() {
  for (Waiting& batch : waiting_)
    if (batch.rows.cells.bytes() > kKept) batch = Waiting();
}

}  // namespace rpl
