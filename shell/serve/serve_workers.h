// SPDX-License-Identifier: Apache-2.0
//
// The workers of a process: each takes a run from the queue, opens its session, does one turn, and
// closes it. They keep nothing between turns, so any worker of any process can do the next one.
//
// Tools run in the process of the worker, one batch at a time. A worker that is killed leaves its
// run ready; whoever takes it replays the session, and a call of which nobody knows whether it ran
// is not made again unless a client says so (an input with `retry`).
#ifndef RPL_SHELL_SERVE_SERVE_WORKERS_H_
#define RPL_SHELL_SERVE_SERVE_WORKERS_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "shell/program/options.h"
#include "shell/serve/run_queue.h"
#include "shell/serve/serve_metrics.h"
#include "shell/serve/serve_settings.h"
#include "shell/serving/protocol_folder.h"
#include "shell/serving/worker_pool.h"

namespace rpl {

class ServeWorkers {
 public:
  /// Borrows all but the settings.
  ServeWorkers(ServeSettings settings, const EngineOptions& engine, const ProtocolFolder& protocols,
               ServeMetrics& metrics);

  /// Starts the workers, on threads of the pool that they keep: settings.workers + kMoreThreads of
  /// them. `done` is told of each run that a worker has left, on the thread of that worker.
  void Start(WorkerPool& pool, std::function<void(const std::string& session)> done);
  static constexpr std::size_t kMoreThreads = 2;
  /// A run has become ready: wakes a worker that is idle. False if none is: then others are to hear
  /// of it (RunQueue::Announce). Any thread.
  bool Wake();
  /// No further runs are taken. Any thread.
  void Drain();
  /// Whether no worker has a run, after Drain.
  bool IsDrained() const { return busy_ == 0 && draining_; }

 private:
  void Work(std::size_t number);
  void RenewClaims();
  void Listen();
  bool Hears(SqlConnection& database);
  void WaitForWork(RunQueue& queue);
  RunQueue::Turn Do(const RunQueue::Claim& claim);
  void WriteSpans(const std::string& line);
  void Report(const SqlError& error);

  const ServeSettings settings_;
  const EngineOptions& engine_;
  const ProtocolFolder& protocols_;
  ServeMetrics& metrics_;
  const std::string owner_;  // of all claims of this process, with the number of the worker
  std::atomic<bool> draining_ = false;
  std::atomic<std::size_t> busy_ = 0;
  std::mutex mutex_;
  std::condition_variable ready_;
  std::size_t idle_ = 0;             // workers that wait
  std::size_t woken_ = 0;            // of them, those that are to look again
  bool again_ = false;               // the next one that would wait is to look again
  std::atomic<bool> hears_ = false;  // the process hears what is announced
  std::function<void(const std::string&)> done_;
  std::mutex spans_;
};

}  // namespace rpl

#endif  // RPL_SHELL_SERVE_SERVE_WORKERS_H_
