// SPDX-License-Identifier: Apache-2.0
#include "shell/serving/worker_pool.h"

namespace rpl {
namespace {

// As that of the program (shell/main.cc): counted limits end a deep evaluation, not the stack.
constexpr std::size_t kWorkerStackBytes = std::size_t{512} << 20;

}  // namespace

WithoutSignals::WithoutSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCONT, SIGWINCH}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, &before_);
}

WithoutSignals::~WithoutSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

WorkerPool::WorkerPool(std::size_t threads) {
  const WithoutSignals none;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kWorkerStackBytes);
  for (std::size_t i = 0; i < threads; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, &attributes, Work, this) == 0) workers_.push_back(thread);
  }
  pthread_attr_destroy(&attributes);
  clock_ = std::thread([this] { Tick(); });
}

WorkerPool::~WorkerPool() { Stop(); }

void WorkerPool::Stop() {
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) return;
    stopped_ = true;
    tasks_.clear();
    timed_.clear();
  }
  posted_.notify_all();
  ticked_.notify_all();
  for (const pthread_t worker : workers_) pthread_join(worker, nullptr);
  clock_.join();
}

void WorkerPool::Post(Task task) {
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) return;
    tasks_.push_back(std::move(task));
  }
  posted_.notify_one();
}

std::size_t WorkerPool::waiting() {
  const std::lock_guard lock(mutex_);
  return tasks_.size() + behind_;
}

std::uint64_t WorkerPool::At(Clock::time_point time, Task task) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t number = ++last_;
  timed_.emplace(std::pair(time, number), std::move(task));
  times_.emplace(number, time);
  ticked_.notify_one();
  return number;
}

void WorkerPool::Forget(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  const auto at = times_.find(number);
  if (at == times_.end()) return;
  timed_.erase({at->second, number});
  times_.erase(at);
}

void* WorkerPool::Work(void* pool) {
  static_cast<WorkerPool*>(pool)->Work();
  return nullptr;
}

void WorkerPool::Work() {
  for (;;) {
    Task task;
    {
      std::unique_lock lock(mutex_);
      posted_.wait(lock, [this] { return stopped_ || !tasks_.empty(); });
      if (stopped_) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task();
  }
}

void WorkerPool::Tick() {
  std::unique_lock lock(mutex_);
  while (!stopped_) {
    if (timed_.empty()) {
      ticked_.wait(lock);
      continue;
    }
    const auto next = timed_.begin();
    if (next->first.first > Clock::now()) {
      ticked_.wait_until(lock, Clock::time_point(next->first.first));
      continue;
    }
    const Task task = std::move(next->second);
    times_.erase(next->first.second);
    timed_.erase(next);
    lock.unlock();
    task();
    lock.lock();
  }
}

void Strand::Post(WorkerPool::Task task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    if (tasks_.size() > 1) {
      ++pool_.behind_;
      return;
    }
  }
  pool_.Post([self = shared_from_this()] { self->RunOne(); });
}

bool Strand::busy() {
  const std::lock_guard lock(mutex_);
  return !tasks_.empty();
}

void Strand::RunOne() {
  WorkerPool::Task task;
  {
    const std::lock_guard lock(mutex_);
    task = tasks_.front();
  }
  task();
  task = nullptr;
  {
    const std::lock_guard lock(mutex_);
    tasks_.pop_front();
    if (tasks_.empty()) return;
  }
  --pool_.behind_;
  pool_.Post([self = shared_from_this()] { self->RunOne(); });
}

}  // namespace rpl
