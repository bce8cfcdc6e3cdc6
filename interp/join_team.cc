// SPDX-License-Identifier: Apache-2.0
#include "interp/join_team.h"

#include <algorithm>
#include <thread>

namespace rpl {
namespace {

// A wave should find about so many rows: enough to be worth its steps, few enough to stay in
// the cache.
constexpr std::size_t kWave = std::size_t{1} << 16;
constexpr double kYield = 64;  // rows found for one that is gone over, as long as none was
// Rows that a range of the first wave goes over at most: yields differ.
constexpr std::size_t kRange = std::size_t{1} << 13;
// Found rows of one range that wait at most, unless they all are new.
constexpr std::size_t kWaiting = std::size_t{1} << 20;
// Bytes of a range's rows whose memory is kept for the next run.
constexpr std::size_t kKept = std::size_t{1} << 22;
constexpr std::size_t kAhead = 16;

}  // namespace

struct JoinTeam::Share {
  Share(const Join& join, Store& store, const std::vector<Marks>& marks, const KeepOn& keep_on,
        std::atomic<bool>& stopped, Room& room)
      : keep_on_(keep_on),
        stopped_(stopped),
        owner_(std::this_thread::get_id()),
        head_(store.at(join.head).rows()),
        batch(room.batch),
        claims(room.claims),
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
    batch.Shrink(kept, head_.arity());
  }

  const KeepOn& keep_on_;
  std::atomic<bool>& stopped_;
  const std::thread::id owner_;
  const RowSet& head_;
  std::size_t waits_ = kWaiting;

 public:
  RowBatch& batch;
  std::vector<Room::Claim>& claims;
  JoinRun run;
  std::uint32_t first = 0;     // the ticket of its first row
  std::size_t new_before = 0;  // in the shares before
};

std::size_t JoinTeam::Run(const Join& join, Store& store, const std::vector<Marks>& marks,
                          std::size_t most, const KeepOn& keep_on,
                          const std::function<bool(std::size_t bytes)>& has_room,
                          JoinCounts* counts) {
  std::atomic<bool> stopped = false;
  std::vector<std::unique_ptr<Share>> shares;
  for (Room& room : rooms_) {
    shares.push_back(std::make_unique<Share>(join, store, marks, keep_on, stopped, room));
    if (!keep_on()) return 0;
  }
  RowSet& rows = store.at(join.head).rows();
  const std::size_t outer = shares.front()->run.outer();
  std::size_t added = 0;
  // From what a row gave the last time, as many rows as fill a wave.
  double& yield = yields_.try_emplace(&join, kYield).first->second;
  const double filling = static_cast<double>(kWave) / static_cast<double>(shares.size());
  std::size_t range =
      std::clamp<std::size_t>(static_cast<std::size_t>(filling / (yield + 1.0 / 64)), 1,
                              std::clamp<std::size_t>(outer / shares.size(), 1, kRange));
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
    yield = static_cast<double>(found) / static_cast<double>(count * range);
    if (found < kWave / 2) range *= 2;
    else if (found > kWave * 2 && range > 1) range /= 2;
  }
  for (Room& room : rooms_)
    if (room.batch.cells.bytes() > kKept) room = Room();
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
  rows.BeginTogether(found, [&](std::size_t n, const auto& fn) { team_.Each(n, fn); });
  team_.Each(count, [&](std::size_t k) {
    Share& share = *shares[k];
    const PageArray<std::uint64_t>& hashes = share.batch.hashes;
    share.claims.clear();
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      if (i + 2 * kAhead < hashes.size()) rows.Prefetch(hashes[i + 2 * kAhead]);
      if (i + kAhead < hashes.size()) rows.PrefetchEqual(hashes[i + kAhead]);
      const std::size_t slot =
          rows.Claim(share.Row(i), hashes[i], share.first + static_cast<RowId>(i), row_of);
      if (slot != RowSet::kTaken) share.claims.push_back({i, slot});
    }
  });
  // A claim may have been taken over since by an equal row that comes before.
  team_.Each(count, [&](std::size_t k) {
    Share& share = *shares[k];
    std::vector<Room::Claim>& claims = share.claims;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < claims.size(); ++i) {
      if (i + kAhead < claims.size()) rows.PrefetchSlot(claims[i + kAhead].slot);
      if (rows.IdAt(claims[i].slot) == share.first + claims[i].row) claims[kept++] = claims[i];
    }
    claims.resize(kept);
  });
  std::size_t added = 0;
  for (std::size_t k = 0; k < count; ++k) {
    shares[k]->new_before = added;
    added += shares[k]->claims.size();
  }
  rows.AddTogether(added);
  team_.Each(count, [&](std::size_t k) {
    const Share& share = *shares[k];
    auto id = base + static_cast<RowId>(share.new_before);
    for (std::size_t i = 0; i < share.claims.size(); ++i) {
      if (i + kAhead < share.claims.size()) rows.PrefetchSlot(share.claims[i + kAhead].slot);
      rows.Settle(share.claims[i].slot, share.Row(share.claims[i].row), id++);
    }
  });
  if (added <= most) return added;
  rows.Truncate(base + static_cast<RowId>(most));
  return most;
}

}  // namespace rpl
