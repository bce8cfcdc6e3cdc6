// SPDX-License-Identifier: Apache-2.0
//
// The threads of a server: workers with a large stack, on which everything evaluates, and a clock.
//
// Tasks are run in the order of Post, several at a time. Those of one Strand run one after the
// other. The clock calls back on a thread of its own; what it calls must be short, and may Post.
//
// All functions may be called from any thread.
#ifndef RPL_SHELL_SERVING_WORKER_POOL_H_
#define RPL_SHELL_SERVING_WORKER_POOL_H_

#include <pthread.h>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace rpl {

/// A scope in which threads are started that no signal is for: those end the thread's waiting that
/// reads the input.
class WithoutSignals {
 public:
  WithoutSignals();
  ~WithoutSignals();
  WithoutSignals(const WithoutSignals&) = delete;

 private:
  sigset_t before_;
};

class WorkerPool {
 public:
  using Task = std::function<void()>;
  using Clock = std::chrono::steady_clock;

  explicit WorkerPool(std::size_t threads);
  /// Ends as Stop does.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;

  /// Tasks that are left are dropped, running ones are waited for.
  void Stop();
  void Post(Task task);
  /// The tasks that do not run yet, also those behind others on a strand.
  std::size_t waiting();
  /// Calls back at `time`; the number is for Forget.
  std::uint64_t At(Clock::time_point time, Task task);
  /// It is not called any more, unless it is being called now.
  void Forget(std::uint64_t number);

 private:
  friend class Strand;
  static void* Work(void* pool);
  void Work();
  void Tick();

  std::mutex mutex_;
  std::condition_variable posted_;
  std::condition_variable ticked_;
  std::deque<Task> tasks_;
  std::atomic<std::size_t> behind_ = 0;  // tasks behind others on their strands
  std::map<std::pair<Clock::time_point, std::uint64_t>, Task> timed_;
  std::map<std::uint64_t, Clock::time_point> times_;  // of those
  std::uint64_t last_ = 0;
  bool stopped_ = false;
  std::vector<pthread_t> workers_;
  std::thread clock_;
};

/// A queue of tasks, of which one runs at a time. The pool must outlive them.
class Strand : public std::enable_shared_from_this<Strand> {
 public:
  explicit Strand(WorkerPool& pool) : pool_(pool) {}
  void Post(WorkerPool::Task task);
  /// Whether a task runs or waits.
  bool busy();

 private:
  void RunOne();

  WorkerPool& pool_;
  std::mutex mutex_;
  std::deque<WorkerPool::Task> tasks_;  // the first one runs
};

}  // namespace rpl

#endif  // RPL_SHELL_SERVING_WORKER_POOL_H_
