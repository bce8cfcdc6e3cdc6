// SPDX-License-Identifier: Apache-2.0
//
// A pool of threads for parallel loops.
//
// The thread that created the pool is one of them and takes its share of the work. Writes of any
// thread are visible to all in the next loop.
#ifndef RPL_INTERP_STORE_THREAD_POOL_H_
#define RPL_INTERP_STORE_THREAD_POOL_H_

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace rpl {

class ThreadPool {
 public:
  explicit ThreadPool(std::size_t threads);
  ThreadPool(const ThreadPool&) = delete;
  ~ThreadPool();

  std::size_t size() const { return stretches_.size(); }

  /// Calls task(k) for each k below `count`, on any of the threads, and returns when all calls have
  /// returned. Each thread begins with a stretch of its own, which depends only on `count`, so a
  /// task mostly finds its data in the cache of the thread that ran the previous one with the same
  /// k. Rethrows an exception of a task; then some tasks may not have run.
  void ParallelFor(std::size_t count, const std::function<void(std::size_t)>& task);
  /// The same on `workers`; if null, on this thread, in order.
  template <typename Task>
  static void ParallelFor(ThreadPool* workers, std::size_t count, const Task& task) {
    if (workers != nullptr) return workers->ParallelFor(count, task);
    for (std::size_t k = 0; k < count; ++k) task(k);
  }

 private:
  void Work(std::size_t me);
  void Take(std::size_t me);

  std::vector<std::thread> others_;
  const std::function<void(std::size_t)>* task_ = nullptr;
  /// A thread's own tasks not taken yet. A thread that has finished its own steals from others.
  struct alignas(64) Stretch {
    std::atomic<std::size_t> next = 0;
    std::size_t end = 0;
  };
  std::vector<Stretch> stretches_;
  static constexpr std::uint32_t kClosed = 1u << 31;
  std::atomic<std::uint32_t> inside_ =
      kClosed;                           // other threads in the loop; kClosed: none may join
  std::atomic<std::uint32_t> call_ = 0;  // counts calls of ParallelFor
  std::atomic<bool> ends_ = false;
  std::mutex failing_;
  std::exception_ptr failed_;
};

}  // namespace rpl

#endif  // RPL_INTERP_STORE_THREAD_POOL_H_
