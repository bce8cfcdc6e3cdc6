// SPDX-License-Identifier: Apache-2.0
//
// The counters of a worker process, in the text format of Prometheus.
#ifndef RPL_SHELL_SERVE_SERVE_METRICS_H_
#define RPL_SHELL_SERVE_SERVE_METRICS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "shell/serve/run_queue.h"

namespace rpl {

/// All functions may be called from any thread.
class ServeMetrics {
 public:
  /// A turn ended with this status ("satisfied", …, "refused", "postponed").
  void Turn(const std::string& status, double seconds, std::size_t timesteps, std::size_t calls);
  /// A request was answered with this status.
  void Request(unsigned status);
  void DatabaseError();

  /// The metrics, with the gauges of the queue.
  std::string Text(const std::vector<RunQueue::Count>& runs);

 private:
  static constexpr std::array<double, 9> kBounds = {0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5, 30};

  std::mutex mutex_;
  std::map<std::string, std::uint64_t> turns_;
  std::map<unsigned, std::uint64_t> requests_;
  std::array<std::uint64_t, kBounds.size()> within_ = {};  // of the turns, not summed up
  double seconds_ = 0;
  std::uint64_t timesteps_ = 0;
  std::uint64_t calls_ = 0;
  std::uint64_t database_errors_ = 0;
};

}  // namespace rpl

#endif  // RPL_SHELL_SERVE_SERVE_METRICS_H_
