// SPDX-License-Identifier: Apache-2.0
#include "interp/store/thread_pool.h"

#include <chrono>
#include <utility>

namespace rpl {
namespace {

// How long a thread spins before it sleeps: waking is slow, but spinning occupies a core.
constexpr auto kPatience = std::chrono::milliseconds(1);

void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Spins until ready(), for kPatience at most.
template <typename Ready>
void Linger(Ready&& ready) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  do {
    for (int i = 0; i < 64; ++i) {
      if (ready()) return;
      Pause();
    }
  } while (std::chrono::steady_clock::now() < end);
}

}  // namespace

ThreadPool::ThreadPool(std::size_t threads) : stretches_(threads) {
  for (std::size_t me = 1; me < threads; ++me) others_.emplace_back([this, me] { Work(me); });
}

ThreadPool::~ThreadPool() {
  ends_ = true;
  ++call_;
  call_.notify_all();
  for (std::thread& other : others_) other.join();
}

// Threads that arrive before the loop ends take part; it does not wait for the others.
void ThreadPool::ParallelFor(std::size_t count, const std::function<void(std::size_t)>& task) {
  task_ = &task;
  for (std::size_t i = 0; i < size(); ++i) {
    stretches_[i].next = count * i / size();
    stretches_[i].end = count * (i + 1) / size();
  }
  inside_ = 0;
  ++call_;
  call_.notify_all();
  Take(0);
  inside_ += kClosed;
  Linger([&] { return inside_ == kClosed; });
  for (std::uint32_t now = inside_; now != kClosed; now = inside_) inside_.wait(now);
  if (failed_) std::rethrow_exception(std::exchange(failed_, nullptr));
}

void ThreadPool::Work(std::size_t me) {
  for (std::uint32_t seen = 0;;) {
    // Loops come in quick succession, so spin before sleeping.
    Linger([&] { return call_ != seen; });
    call_.wait(seen);
    seen = call_;
    if (ends_) return;
    std::uint32_t now = inside_;
    while (now < kClosed && !inside_.compare_exchange_weak(now, now + 1)) {
    }
    if (now >= kClosed) continue;
    Take(me);
    if (--inside_ == kClosed) inside_.notify_all();
  }
}

void ThreadPool::Take(std::size_t me) {
  try {
    for (std::size_t i = 0; i < size(); ++i) {
      Stretch& stretch = stretches_[(me + i) % size()];
      for (std::size_t k = stretch.next++; k < stretch.end; k = stretch.next++) (*task_)(k);
    }
  } catch (...) {
    const std::lock_guard lock(failing_);
    failed_ = std::current_exception();
    for (Stretch& stretch : stretches_) stretch.next = stretch.end;
  }
}

}  // namespace rpl
