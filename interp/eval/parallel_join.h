// SPDX-License-Identifier: Apache-2.0
//
// Joins run by several threads: the same rows, in the same order, as by one.
//
// What the first steps of the joins go over is cut into pieces, and the pieces are taken in
// batches. In each, threads run pieces and collect what these derive in a batch for each; then the
// thread pool inserts the batches (interp/store/insertion.h), in the order of the pieces, which is
// the order that one thread would have found the rows in.
//
//   joins    aaaaaaaaaaaaaaaa | bbbb | cccccccccc        rows that their first steps go over
//   pieces   aaaaaa aaaaaa aaaa bbbb cc | cccccccc       cut by what is expected of a row
//
// Values are only copied and compared meanwhile, never made. Owns its threads.
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
  /// `min_shared` is how many rows are worth sharing (Limits).
  ParallelJoin(std::size_t threads, std::size_t min_shared)
      : least_(static_cast<double>(min_shared) / 4),
        workers_(threads),
        insertion_(workers_, threads * (kPieces + 2), min_shared / 2) {}

  ThreadPool& workers() { return workers_; }

  struct Job {
    const Join* join;
    /// Rows found lately for one that the first step goes over, if that is known.
    std::optional<double>* yield;
    JoinCounts* counts;     // may be null
    std::size_t added = 0;  // what came of it: new rows
  };
  /// Runs the joins as if one after another, and inserts at most `most` new rows. `keep_on` is
  /// called on this thread, also before indexes are made; when it says no, the batch is left out;
  /// so when `has_room` does, which is asked before a table grows by so many bytes.
  void Run(std::span<Job> jobs, Store& store, const std::vector<Marks>& marks, std::size_t most,
           const KeepOn& keep_on, const std::function<bool(std::size_t bytes)>& has_room);

 private:
  static constexpr std::size_t kPieces = 8;  // of a batch, for each thread; some are cut short
  /// Rows that the first step of a job goes over.
  struct Piece {
    std::size_t job;
    std::size_t begin, end;
  };
  /// What waits of a piece while it is run.
  class Share;

  void Cut(std::span<const Job> jobs, std::span<const JoinRun> runs, Piece from);
  void LearnYields(std::span<const Job> jobs);

  const double least_;  // that a piece costs
  ThreadPool workers_;
  IndexExtension indexes_;
  Insertion insertion_;
  std::vector<Piece> batch_;
  std::mutex counting_;
};

}  // namespace rpl

#endif  // RPL_INTERP_EVAL_PARALLEL_JOIN_H_
