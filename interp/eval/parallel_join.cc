// SPDX-License-Identifier: Apache-2.0
#include "interp/eval/parallel_join.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>

namespace rpl {
namespace {

// What a batch should cost, in rows that are found: enough to be worth its steps, few enough rows
// to stay in the cache.
constexpr double kBatch = 1 << 16;
constexpr double kScanned = 0.25;  // what a row costs that is gone over
constexpr double kYield = 64;      // rows found for each of them, as long as nothing is known
// What pieces cost, in average ones: those that a thread runs first, up to a part of its share, and
// those that it runs last.
constexpr double kEarly = 1.5, kLate = 0.6, kEarlyShare = 0.6;
// Rows that a piece goes over at most: yields differ.
constexpr std::size_t kRange = std::size_t{1} << 13;
// Found rows of a piece that wait at most, unless they all are new.
constexpr std::size_t kWaiting = std::size_t{1} << 20;

}  // namespace

class ParallelJoin::Share {
 public:
  Share(const RowSet& head, RowBatch& found, const KeepOn& keep_on, std::thread::id owner,
        std::atomic<bool>& stopped)
      : head_(head), found_(found), keep_on_(keep_on), owner_(owner), stopped_(stopped) {}

  // Polled by the run.
  bool operator()() {
    if (std::this_thread::get_id() == owner_ && !keep_on_()) stopped_ = true;
    if (found_.size >= waits_) {
      Thin();
      waits_ = std::max(kWaiting, 2 * found_.size);
    }
    return !stopped_;
  }

 private:
  // Leaves the rows that may be new, once each.
  void Thin() {
    RowSet seen(head_.arity());
    found_.Filter([&](const Value* row) {
      const std::uint64_t hash = WaitingRows::HashOf(row);
      return !head_.Has(row, hash) && seen.Insert(row, hash).is_new;
    });
  }

  const RowSet& head_;
  RowBatch& found_;
  const KeepOn& keep_on_;
  const std::thread::id owner_;
  std::atomic<bool>& stopped_;
  std::size_t waits_ = kWaiting;
};

void ParallelJoin::Run(std::span<Job> jobs, Store& store, const std::vector<Marks>& marks,
                       std::size_t most, const KeepOn& keep_on,
                       const std::function<bool(std::size_t bytes)>& has_room) {
  std::vector<IndexExtension::Growth> growths;
  for (const Job& job : jobs) JoinRun::AddIndexes(*job.join, store, marks, growths);
  indexes_.Run(growths, &keep_on, &workers_);
  if (!keep_on()) return;
  std::vector<JoinRun> runs;
  for (const Job& job : jobs) {
    runs.emplace_back(*job.join, store, marks, &keep_on, &workers_);
    if (!keep_on()) return;
  }
  std::atomic<bool> stopped = false;
  const auto run_piece = [&, owner = std::this_thread::get_id()](std::size_t k) {
    const Piece& piece = batch_[k];
    RowSet& rows = store.at(jobs[piece.job].join->head).rows();
    RowBatch& found = insertion_.Begin(k, rows);
    if (stopped) return;
    JoinRun run = runs[piece.job];
    run.Run(piece.begin, piece.end, found, SIZE_MAX, Share(rows, found, keep_on, owner, stopped));
    if (JoinCounts* const counts = jobs[piece.job].counts) {
      const std::lock_guard lock(counting_);
      run.AddTo(*counts);
    }
  };
  std::size_t added = 0;
  for (Piece next = {0, 0, 0}; added < most; next = {batch_.back().job, batch_.back().end, 0}) {
    Cut(jobs, runs, next);
    if (batch_.empty()) break;
    workers_.ParallelFor(batch_.size(), run_piece);
    if (stopped || !keep_on()) break;
    LearnYields(jobs);
    if (!has_room(insertion_.Close(batch_.size()))) break;
    added += insertion_.Insert(most - added);
    for (std::size_t k = 0; k < batch_.size(); ++k)
      jobs[batch_[k].job].added += insertion_.added(k);
  }
  insertion_.Trim();
}

// Makes the next batch, from the first row of `from` on: pieces which end where their job does. Of
// a thread's share the first pieces are large and the last ones small, so that all threads end at
// about the same time.
void ParallelJoin::Cut(std::span<const Job> jobs, std::span<const JoinRun> runs, Piece from) {
  const auto each = [&](std::size_t job) { return jobs[job].yield->value_or(kYield) + kScanned; };
  const auto cost = [&](std::size_t job, std::size_t rows) {
    return each(job) * static_cast<double>(rows);
  };
  double all = 0;
  for (std::size_t job = from.job; job < jobs.size(); ++job)
    all += cost(job, runs[job].outer() - (job == from.job ? from.begin : 0));
  const double share = std::min(all, kBatch) / static_cast<double>(workers_.size());
  const double early = std::max(kEarly * share / kPieces, least_);
  const double late = std::max(kLate * share / kPieces, least_);
  double batch = 0;
  batch_.clear();
  for (Piece next = from; next.job < jobs.size(); next = {next.job + 1, 0, 0}) {
    for (; next.begin < runs[next.job].outer(); next.begin = next.end) {
      if (batch_.size() == insertion_.batches() ||
          (batch >= kBatch && batch_.size() >= workers_.size()))
        return;
      const double piece = std::fmod(batch, share) < kEarlyShare * share ? early : late;
      const auto range = static_cast<std::size_t>(std::ceil(piece / each(next.job)));
      next.end = std::min(next.begin + std::min(range, kRange), runs[next.job].outer());
      batch += cost(next.job, next.end - next.begin);
      batch_.push_back(next);
    }
  }
}

void ParallelJoin::LearnYields(std::span<const Job> jobs) {
  for (std::size_t k = 0; k < batch_.size();) {
    const std::size_t job = batch_[k].job;
    std::size_t outer = 0, found = 0;
    for (; k < batch_.size() && batch_[k].job == job; ++k) {
      outer += batch_[k].end - batch_[k].begin;
      found += insertion_.batch(k).size;
    }
    *jobs[job].yield = static_cast<double>(found) / static_cast<double>(outer);
  }
}

}  // namespace rpl
