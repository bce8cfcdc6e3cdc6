// SPDX-License-Identifier: Apache-2.0
#include "interp/join_team.h"

#include <algorithm>
#include <atomic>
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

}  // namespace

struct JoinTeam::Share {
  Share(const Join& join, Store& store, const std::vector<Marks>& marks, const KeepOn& keep_on,
        std::atomic<bool>& stopped, RowBatch& rows, Team& team)
      : keep_on_(keep_on),
        stopped_(stopped),
        owner_(std::this_thread::get_id()),
        head_(store.at(join.head).rows()),
        batch(rows),
        run(join, store, marks, batch, SIZE_MAX, *this, &keep_on, &team) {}

  // Polled by the run.
  bool operator()() {
    if (std::this_thread::get_id() == owner_ && !keep_on_()) stopped_ = true;
    if (batch.size >= waits_) {
      Thin();
      waits_ = std::max(kWaiting, 2 * batch.size);
    }
    return !stopped_;
  }

 private:
  // Leaves the rows that may be new, once each.
  void Thin() {
    RowSet seen(head_.arity());
    batch.Filter([&](const Value* row) {
      const std::uint64_t hash = WaitingRows::HashOf(row);
      return !head_.Has(row, hash) && seen.Insert(row, hash).is_new;
    });
  }

  const KeepOn& keep_on_;
  std::atomic<bool>& stopped_;
  const std::thread::id owner_;
  const RowSet& head_;
  std::size_t waits_ = kWaiting;

 public:
  RowBatch& batch;
  JoinRun run;
};

std::size_t JoinTeam::Run(const Join& join, Store& store, const std::vector<Marks>& marks,
                          std::size_t most, std::optional<double>& yield, const KeepOn& keep_on,
                          const std::function<bool(std::size_t bytes)>& has_room,
                          JoinCounts* counts) {
  RowSet& rows = store.at(join.head).rows();
  std::atomic<bool> stopped = false;
  std::vector<std::unique_ptr<Share>> shares;
  for (std::size_t k = 0; k < insertion_.batches(); ++k) {
    shares.push_back(
        std::make_unique<Share>(join, store, marks, keep_on, stopped, insertion_.batch(k), team_));
    if (!keep_on()) return 0;
  }
  const std::size_t outer = shares.front()->run.outer();
  std::size_t added = 0;
  // From what a row gave the last time, as many rows as fill a wave.
  const double filling = static_cast<double>(kWave) / static_cast<double>(shares.size());
  std::size_t range = std::clamp<std::size_t>(
      static_cast<std::size_t>(filling / (yield.value_or(kYield) + 1.0 / 64)), 1,
      std::clamp<std::size_t>(outer / shares.size(), 1, kRange));
  for (std::size_t begin = 0; begin < outer && added < most;) {
    const std::size_t count = std::min(shares.size(), (outer - begin + range - 1) / range);
    team_.Each(count, [&](std::size_t k) {
      Share& share = *shares[k];
      insertion_.Begin(k, rows);
      const std::size_t from = begin + k * range;
      if (!stopped) share.run.Run(from, std::min(from + range, outer));
    });
    std::size_t found = 0;
    for (std::size_t k = 0; k < count; ++k) found += shares[k]->batch.size;
    if (stopped || !keep_on() || !has_room(rows.GrowthFor(found))) break;
    added += insertion_.Insert(rows, count, most - added);
    begin += count * range;
    yield = static_cast<double>(found) / static_cast<double>(count * range);
    if (found < kWave / 2) range *= 2;
    else if (found > kWave * 2 && range > 1) range /= 2;
  }
  insertion_.Trim();
  if (counts != nullptr)
    for (const auto& share : shares) share->run.AddTo(*counts);
  return added;
}

}  // namespace rpl
