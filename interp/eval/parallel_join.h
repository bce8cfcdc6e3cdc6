// SPDX-License-Identifier: Apache-2.0
//
// Joins on a thread pool: the same rows, in the same order, as on one thread.
//
// The outer rows of the joins, those that their first steps read, are cut into pieces, and the
// pieces run in passes. In a pass, threads run the pieces, each into a RowBatch of its own; then
// the pool inserts the batches (interp/store/insertion.h) in the order of the pieces, which is the
// order in which one thread would have found the rows.
//
//   joins    aaaaaaaaaaaaaaaa | bbbb | cccccccccc        outer rows
//   pieces   aaaaaa aaaaaa aaaa bbbb cc | cccccccc       cut by expected cost; | ends a pass
//
// Threads copy and compare values but never make one, so the Pool needs no lock. Owns its threads.
#ifndef RPL_INTERP_EVAL_PARALLEL_JOIN_H_
#define RPL_INTERP_EVAL_PARALLEL_JOIN_H_

#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "interp/eval/join.h"
#include "interp/store/insertion.h"
#include "interp/store/thread_pool.h"

namespace rpl {

class ParallelJoin {
 public:
  /// `min_shared`: see Limits.
  ParallelJoin(std::size_t threads, std::size_t min_shared)
      : least_(static_cast<double>(min_shared) / 4),
        workers_(threads),
        insertion_(workers_, threads * (kPieces + 2), min_shared / 2) {}

  ThreadPool& workers() { return workers_; }

  struct Job {
    const Join* join;
    /// Rows found per outer row in the last pass; nullopt while unknown. Run updates it.
    std::optional<double>* yield;
    JoinCounts* counts;     // may be null
    std::size_t begin = 0;  // outer rows
    std::size_t end = SIZE_MAX;
    std::size_t found = 0;   // result: rows found, duplicates included
    std::size_t added = 0;   // result: new rows
    std::uint64_t work = 0;  // result: JoinRun::work
    std::optional<JoinRun::UndefinedStep> undefined = {};  // result: the first of its pieces
  };
  /// Runs the joins as if one after another and inserts at most `most` new rows. Calls `keep_on` on
  /// this thread, also while indexes are built, and `has_room` before tables grow by that many
  /// bytes. If either returns false, the rows of the current pass are dropped and Run returns.
  void Run(std::span<Job> jobs, Store& store, const std::vector<Marks>& marks, std::size_t most,
           const KeepOn& keep_on, const std::function<bool(std::size_t bytes)>& has_room);

 private:
  static constexpr std::size_t kPieces = 8;  // per pass and thread, on average
  /// A range of outer rows of one job.
  struct Piece {
    std::size_t job;
    std::size_t begin, end;
  };
  /// The continuation that a running piece polls: stops it, and drops rows that are not new.
  class Share;

  void Cut(std::span<const Job> jobs, std::span<const JoinRun> runs, Piece from);
  void LearnYields(std::span<const Job> jobs);

  const double least_;  // least cost of a piece
  ThreadPool workers_;
  IndexExtension indexes_;
  Insertion insertion_;
  std::vector<Piece> pass_;                                       // the current one
  std::vector<std::optional<JoinRun::UndefinedStep>> undefined_;  // of its pieces
  std::mutex counting_;
};

}  // namespace rpl

#endif  // RPL_INTERP_EVAL_PARALLEL_JOIN_H_
