// SPDX-License-Identifier: Apache-2.0
//
// A watch over the database of a process, which tells whether it answers.
//
// While it is away, requests are not to wait for it one after the other: the first ones find out,
// and until it answers again one in half a second tries, and all others fail at once. Safe for use
// by several threads.
#ifndef RPL_SHELL_SERVE_DATABASE_WATCH_H_
#define RPL_SHELL_SERVE_DATABASE_WATCH_H_

#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include "runtime/postgres/connection.h"

namespace rpl {

class DatabaseWatch {
 public:
  /// `log` gets a line for people when the database goes away and when it is back.
  explicit DatabaseWatch(std::function<void(const std::string&)> log) : log_(std::move(log)) {}

  /// False: it did not answer a moment ago, and this caller is not the one that tries.
  bool MayTry() {
    const std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    if (away_ && now < next_) return false;
    next_ = now + kPause;
    return true;
  }
  /// What a try led to.
  void Saw(const SqlError& error) {
    const std::lock_guard lock(mutex_);
    if (error.lost != away_) log_(error.lost ? error.message : "the database answers again");
    away_ = error.lost;
    // Time ran out, without another word of the database: it may only be slow.
    if (away_) next_ = std::chrono::steady_clock::now() + (error.retry ? kPause : kPause.zero());
  }

 private:
  static constexpr std::chrono::milliseconds kPause{500};

  const std::function<void(const std::string&)> log_;
  std::mutex mutex_;
  bool away_ = false;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace rpl

#endif  // RPL_SHELL_SERVE_DATABASE_WATCH_H_
