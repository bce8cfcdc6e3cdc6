// SPDX-License-Identifier: Apache-2.0
//
// The queues of a process (run_queue.h), each for one thread at a time, for threads that need one
// now and then.
#ifndef RPL_SHELL_SERVE_QUEUE_POOL_H_
#define RPL_SHELL_SERVE_QUEUE_POOL_H_

#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "shell/serve/run_queue.h"

namespace rpl {

class QueuePool {
 public:
  /// A queue that no other thread uses as long as this is there.
  class Borrowed {
   public:
    explicit Borrowed(QueuePool& pool) : pool_(pool), queue_(pool.Take()) {}
    ~Borrowed() { pool_.GiveBack(std::move(queue_)); }
    Borrowed(const Borrowed&) = delete;
    RunQueue* operator->() { return queue_.get(); }

   private:
    QueuePool& pool_;
    std::unique_ptr<RunQueue> queue_;
  };

  /// `make` makes one; any thread.
  explicit QueuePool(std::function<std::unique_ptr<RunQueue>()> make) : make_(std::move(make)) {}

 private:
  std::unique_ptr<RunQueue> Take() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        std::unique_ptr<RunQueue> queue = std::move(idle_.back());
        idle_.pop_back();
        return queue;
      }
    }
    return make_();
  }
  void GiveBack(std::unique_ptr<RunQueue> queue) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(queue));
  }

  const std::function<std::unique_ptr<RunQueue>()> make_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<RunQueue>> idle_;
};

}  // namespace rpl

#endif  // RPL_SHELL_SERVE_QUEUE_POOL_H_
