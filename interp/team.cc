// SPDX-License-Identifier: Apache-2.0
#include "interp/team.h"

#include <utility>

namespace rpl {
namespace {

constexpr int kSpins = 2000;  // some 20 microseconds

void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

Team::Team(std::size_t threads) {
  for (std::size_t i = 1; i < threads; ++i) others_.emplace_back([this] { Work(); });
}

Team::~Team() {
  ends_ = true;
  ++call_;
  call_.notify_all();
  for (std::thread& other : others_) other.join();
}

// Whoever comes before the work is done takes part in it; the call ends without the others.
void Team::Each(std::size_t count, const std::function<void(std::size_t)>& task) {
  task_ = &task;
  count_ = count;
  next_ = 0;
  inside_ = 0;
  ++call_;
  call_.notify_all();
  Take();
  inside_ += kClosed;
  for (int i = 0; i < kSpins && inside_ != kClosed; ++i) Pause();
  for (std::uint32_t now = inside_; now != kClosed; now = inside_) inside_.wait(now);
  if (failed_) std::rethrow_exception(std::exchange(failed_, nullptr));
}

void Team::Work() {
  for (std::uint32_t seen = 0;;) {
    // Calls come one after another: the next one is soon there, or not for long.
    for (int i = 0; i < kSpins && call_ == seen; ++i) Pause();
    call_.wait(seen);
    seen = call_;
    if (ends_) return;
    std::uint32_t now = inside_;
    while (now < kClosed && !inside_.compare_exchange_weak(now, now + 1)) {
    }
    if (now >= kClosed) continue;
    Take();
    if (--inside_ == kClosed) inside_.notify_all();
  }
}

void Team::Take() {
  try {
    for (std::size_t k = next_++; k < count_; k = next_++) (*task_)(k);
  } catch (...) {
    const std::lock_guard lock(failing_);
    failed_ = std::current_exception();
    next_ = count_;
  }
}

}  // namespace rpl
