// SPDX-License-Identifier: Apache-2.0
#include "interp/join_team.h"

#include <algorithm>
#include <thread>

namespace rpl {
namespace {

constexpr std::size_t kSharesPerThread = 4;
// A wave should find about so many rows: enough to be worth its steps, few enough to stay in
// the cache.
constexpr std::size_t kWave = std::size_t{1} << 18;
// Found rows of one range that wait at most, unless they all are new.
constexpr std::size_t kWaiting = std::size_t{1} << 20;
constexpr std::size_t kAhead = 16;
constexpr std::size_t kNotNew = SIZE_MAX;  // for a slot

}  // namespace

struct JoinTeam::Share {
  Share(const Join& join, Store& store, const std::vector<Marks>& marks, const KeepOn& keep_on,
        std::atomic<bool>& stopped)
      : keep_on_(keep_on),
        stopped_(stopped),
        owner_(std::this_thread::get_id()),
        head_(store.at(join.head).rows()),
        run(join, store, marks, batch, SIZE_MAX, *this, &keep_on) {}

  // Polled by the run.
  bool operator()() {
    if (std::this_thread::get_id() == owner_ && !keep_on_()) stopped_ = true;
    if (batch.size() >= waits_) {
      Thin();
      waits_ = std::max(kWaiting, 2 * batch.size());
    }
    return !stopped_;
  }

  const Value* Row(std::size_t i) const { return batch.cells.data() + i * head_.arity(); }

 private:
  // Leaves the rows that may be new, once each.
  void Thin() {
    RowSet seen(head_.arity());
    std::size_t kept = 0;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (head_.Has(Row(i), batch.hashes[i]) || !seen.Insert(Row(i), batch.hashes[i]).is_new)
        continue;
      std::copy_n(Row(i), head_.arity(), batch.cells.begin() + kept * head_.arity());
      batch.hashes[kept++] = batch.hashes[i];
    }
    batch.hashes.resize(kept);
    batch.cells.resize(kept * head_.arity());
  }

  const KeepOn& keep_on_;
  std::atomic<bool>& stopped_;
  const std::thread::id owner_;
  const RowSet& head_;
  std::size_t waits_ = kWaiting;

 public:
  RowBatch batch;
  JoinRun run;
  std::vector<std::size_t> slots;  // per row of the batch
  std::uint32_t first = 0;         // the ticket of its first row
  std::size_t new_rows = 0;
  std::size_t new_before = 0;  // in the shares before
};

std::size_t JoinTeam::Run(const Join& join, Store& store, const std::vector<Marks>& marks,
                          std::size_t most, const KeepOn& keep_on,
                          const std::function<bool(std::size_t bytes)>& has_room,
                          JoinCounts* counts) {
  std::atomic<bool> stopped = false;
  std::vector<std::unique_ptr<Share>> shares;
  for (std::size_t i = 0; i < team_.size() * kSharesPerThread; ++i) {
    shares.push_back(std::make_unique<Share>(join, store, marks, keep_on, stopped));
    if (!keep_on()) return 0;
  }
  RowSet& rows = store.at(join.head).rows();
  const std::size_t outer = shares.front()->run.outer();
  std::size_t added = 0;
  std::size_t range = std::clamp<std::size_t>(outer / shares.size(), 1, 256);
  for (std::size_t begin = 0; begin < outer && added < most;) {
    const std::size_t count = std::min(shares.size(), (outer - begin + range - 1) / range);
    team_.Each(count, [&](std::size_t k) {
      Share& share = *shares[k];
      share.batch.Clear();
      const std::size_t from = begin + k * range;
      if (!stopped) share.run.Run(from, std::min(from + range, outer));
    });
    std::size_t found = 0;
    for (std::size_t k = 0; k < count; ++k) found += shares[k]->batch.size();
    if (stopped || !keep_on() || !has_room(rows.GrowthFor(found))) break;
    added += Insert(rows, shares, count, most - added);
    begin += count * range;
    if (found < kWave / 2) range *= 2;
    else if (found > kWave * 2 && range > 1) range /= 2;
  }
  if (counts != nullptr)
    for (const auto& share : shares) share->run.AddTo(*counts);
  return added;
}

std::size_t JoinTeam::Insert(RowSet& rows, std::vector<std::unique_ptr<Share>>& shares,
                             std::size_t count, std::size_t most) {
  const RowId base = rows.size();
  std::size_t found = 0;
  for (std::size_t k = 0; k < count; ++k) {
    shares[k]->first = base + static_cast<RowId>(found);
    found += shares[k]->batch.size();
  }
  const auto row_of = [&](RowId id) {
    if (id < base) return rows.Row(id);
    const auto after =
        std::upper_bound(shares.begin(), shares.begin() + static_cast<std::ptrdiff_t>(count), id,
                         [](RowId ticket, const auto& share) { return ticket < share->first; });
    const Share& share = **(after - 1);
    return share.Row(id - share.first);
  };
  rows.BeginTogether(found);
  team_.Each(count, [&](std::size_t k) {
    Share& share = *shares[k];
    const std::vector<std::uint64_t>& hashes = share.batch.hashes;
    share.slots.resize(hashes.size());
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      if (i + kAhead < hashes.size()) rows.Prefetch(hashes[i + kAhead]);
      share.slots[i] =
          rows.Claim(share.Row(i), hashes[i], share.first + static_cast<RowId>(i), row_of);
    }
  });
  team_.Each(count, [&](std::size_t k) {
    Share& share = *shares[k];
    share.new_rows = 0;
    for (std::size_t i = 0; i < share.slots.size(); ++i) {
      if (rows.IdAt(share.slots[i]) == share.first + i) ++share.new_rows;
      else share.slots[i] = kNotNew;
    }
  });
  std::size_t added = 0;
  for (std::size_t k = 0; k < count; ++k) {
    shares[k]->new_before = added;
    added += shares[k]->new_rows;
  }
  rows.AddTogether(added);
  team_.Each(count, [&](std::size_t k) {
    Share& share = *shares[k];
    auto id = base + static_cast<RowId>(share.new_before);
    for (std::size_t i = 0; i < share.slots.size(); ++i)
      if (share.slots[i] != kNotNew) rows.Settle(share.slots[i], share.Row(i), id++);
  });
  if (added <= most) return added;
  rows.Truncate(base + static_cast<RowId>(most));
  return most;
}

}  // namespace rpl
