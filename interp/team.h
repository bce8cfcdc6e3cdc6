// SPDX-License-Identifier: Apache-2.0
//
// A few threads that do one thing together, again and again.
//
// The thread that made the team belongs to it and takes its share. Between two calls of Each
// everything that one of them wrote is seen by all.
#ifndef RPL_INTERP_TEAM_H_
#define RPL_INTERP_TEAM_H_

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace rpl {

class Team {
 public:
  explicit Team(std::size_t threads);
  Team(const Team&) = delete;
  ~Team();

  std::size_t size() const { return others_.size() + 1; }

  /// Calls task(k) for each k below `count`, on any of the threads, and returns when all have
  /// ended. An exception of one of them is thrown again here; then some may not have begun.
  void Each(std::size_t count, const std::function<void(std::size_t)>& task);

 private:
  void Work();
  void Take();

  std::vector<std::thread> others_;
  const std::function<void(std::size_t)>* task_ = nullptr;
  std::size_t count_ = 0;
  std::atomic<std::size_t> next_ = 0;
  static constexpr std::uint32_t kClosed = 1u << 31;
  std::atomic<std::uint32_t> inside_ = kClosed;  // how many others take part; closed to more
  std::atomic<std::uint32_t> call_ = 0;          // counts calls of Each
  std::atomic<bool> ends_ = false;
  std::mutex failing_;
  std::exception_ptr failed_;
};

}  // namespace rpl

#endif  // RPL_INTERP_TEAM_H_
