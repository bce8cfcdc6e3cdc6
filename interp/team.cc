// SPDX-License-Identifier: Apache-2.0
#include "interp/team.h"

#include <utility>

namespace rpl {

Team::Team(std::size_t threads) {
  for (std::size_t i = 1; i < threads; ++i) others_.emplace_back([this] { Work(); });
}

Team::~Team() {
  ends_ = true;
  ++call_;
  call_.notify_all();
  for (std::thread& other : others_) other.join();
}

void Team::Each(std::size_t count, const std::function<void(std::size_t)>& task) {
  task_ = &task;
  count_ = count;
  next_ = 0;
  busy_ = others_.size();
  ++call_;
  call_.notify_all();
  Take();
  for (std::size_t left = busy_; left != 0; left = busy_) busy_.wait(left);
  if (failed_) std::rethrow_exception(std::exchange(failed_, nullptr));
}

void Team::Work() {
  for (std::uint32_t seen = 0;;) {
    call_.wait(seen);
    ++seen;
    if (ends_) return;
    Take();
    if (--busy_ == 0) busy_.notify_all();
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
