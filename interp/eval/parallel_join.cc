// SPDX-License-Identifier: Apache-2.0
#include "interp/eval/parallel_join.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>
#include <utility>

namespace rpl {
namespace {

// Costs are in rows found. A pass must repay its synchronisation, and its rows must stay in the
// cache until they are inserted.
constexpr double kPassCost = 1 << 16;
constexpr double kScanned = 0.25;  // cost of reading an outer row
constexpr double kYield = 64;      // rows found per outer row, as long as that is unknown
// Costs of pieces relative to the average: of those that make up the first kEarlyShare of a
// thread's share, and of the rest.
constexpr double kEarly = 1.5, kLate = 0.6, kEarlyShare = 0.6;
// Outer rows of a piece, at most: yields vary, so the expected cost may be far off.
constexpr std::size_t kRange = std::size_t{1} << 13;
// Rows that a piece finds before it first drops those that are not new.
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
  // Drops duplicates, and rows that the relation has.
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
    const Piece& piece = pass_[k];
    RowSet& rows = store.at(jobs[piece.job].join->head).rows();
    RowBatch& found = insertion_.Begin(k, rows);
    if (stopped) return;
    JoinRun run = runs[piece.job];
    run.Run(piece.begin, piece.end, found, SIZE_MAX, Share(rows, found, keep_on, owner, stopped));
    undefined_[k] = run.undefined();
    const std::lock_guard lock(counting_);
    Job& job = jobs[piece.job];
    job.found += run.answers();
    job.work += run.work();
    if (job.counts != nullptr) run.AddTo(*job.counts);
  };
  std::size_t added = 0;
  for (Piece next = {0, jobs.front().begin, 0}; added < most;
       next = {pass_.back().job, pass_.back().end, 0}) {
    Cut(jobs, runs, next);
    if (pass_.empty()) break;
    undefined_.assign(pass_.size(), std::nullopt);
    workers_.ParallelFor(pass_.size(), run_piece);
    for (std::size_t k = 0; k < pass_.size(); ++k)
      if (Job& job = jobs[pass_[k].job]; !job.undefined) job.undefined = std::move(undefined_[k]);
    if (stopped || !keep_on()) break;
    LearnYields(jobs);
    if (!has_room(insertion_.Close(pass_.size()))) break;
    added += insertion_.Insert(most - added);
    for (std::size_t k = 0; k < pass_.size(); ++k) {
      Job& job = jobs[pass_[k].job];
      job.added += insertion_.added(k);
      store.at(job.join->head).rows().TellFound(insertion_.batch(k).size, insertion_.added(k));
    }
  }
  insertion_.Trim();
}

// Fills pass_ with pieces from the first row of `from` on; none extends over two jobs. A thread's
// share begins with large pieces and ends with small ones, so that all threads finish at about the
// same time.
void ParallelJoin::Cut(std::span<const Job> jobs, std::span<const JoinRun> runs, Piece from) {
  const auto each = [&](std::size_t job) { return jobs[job].yield->value_or(kYield) + kScanned; };
  const auto cost = [&](std::size_t job, std::size_t rows) {
    return each(job) * static_cast<double>(rows);
  };
  const auto end = [&](std::size_t job) { return std::min(jobs[job].end, runs[job].outer()); };
  const auto begin = [&](std::size_t job) { return job < jobs.size() ? jobs[job].begin : 0; };
  double all = 0;
  for (std::size_t job = from.job; job < jobs.size(); ++job)
    all += cost(job, end(job) - (job == from.job ? from.begin : begin(job)));
  const double share = std::min(all, kPassCost) / static_cast<double>(workers_.size());
  const double early = std::max(kEarly * share / kPieces, least_);
  const double late = std::max(kLate * share / kPieces, least_);
  double cut = 0;
  pass_.clear();
  for (Piece next = from; next.job < jobs.size(); next = {next.job + 1, begin(next.job + 1), 0}) {
    for (; next.begin < end(next.job); next.begin = next.end) {
      if (pass_.size() == insertion_.batches() ||
          (cut >= kPassCost && pass_.size() >= workers_.size()))
        return;
      const double piece = std::fmod(cut, share) < kEarlyShare * share ? early : late;
      const auto range = static_cast<std::size_t>(std::ceil(piece / each(next.job)));
      next.end = std::min(next.begin + std::min(range, kRange), end(next.job));
      cut += cost(next.job, next.end - next.begin);
      pass_.push_back(next);
    }
  }
}

void ParallelJoin::LearnYields(std::span<const Job> jobs) {
  for (std::size_t k = 0; k < pass_.size();) {
    const std::size_t job = pass_[k].job;
    std::size_t outer = 0, found = 0;
    for (; k < pass_.size() && pass_[k].job == job; ++k) {
      outer += pass_[k].end - pass_[k].begin;
      found += insertion_.batch(k).size;
    }
    *jobs[job].yield = static_cast<double>(found) / static_cast<double>(outer);
  }
}

}  // namespace rpl
