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

#include "shell/host/options.h"
#include "shell/mcp/protocol_folder.h"
#include "shell/mcp/worker_pool.h"
#include "shell/serve/run_queue.h"
#include "shell/serve/serve_metrics.h"
#include "shell/serve/serve_settings.h"

namespace rpl {

class ServeWorkers {
 public:
  /// Borrows all but the settings.
  ServeWorkers(ServeSettings settings, const EngineOptions& engine, const ProtocolFolder& protocols,
               ServeMetrics& metrics);

  /// Starts the workers, on threads of the pool that they keep: settings.workers + 1 of them.
  void Start(WorkerPool& pool);
  /// A run has become ready. Any thread.
  void Wake();
  /// No further runs are taken. Any thread.
  void Drain();
  /// Whether no worker has a run, after Drain.
  bool IsDrained() const { return busy_ == 0 && draining_; }

 private:
  void Work(std::size_t number);
  void RenewClaims();
  void WaitForWork(std::chrono::milliseconds most);
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
  bool woken_ = false;
  std::mutex spans_;
};

}  // namespace rpl

#endif  // RPL_SHELL_SERVE_SERVE_WORKERS_H_
