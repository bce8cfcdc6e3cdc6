// SPDX-License-Identifier: Apache-2.0
//
// The counters of a worker process, in the text format of Prometheus: a tenant's, for that tenant.
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
  /// A turn of the tenant ended with this status ("satisfied", …, "refused", "postponed").
  void Turn(const std::string& tenant, const std::string& status, double seconds,
            std::size_t timesteps, std::size_t calls);
  /// A request of the tenant was answered with this status.
  void Request(const std::string& tenant, unsigned status);
  void DatabaseError();

  /// The metrics of the tenant, with the gauges of its runs.
  std::string Text(const std::string& tenant, const std::vector<RunQueue::Count>& runs);

 private:
  static constexpr std::array<double, 9> kBounds = {0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5, 30};

  struct Counters {
    std::map<std::string, std::uint64_t> turns;
    std::map<unsigned, std::uint64_t> requests;
    std::array<std::uint64_t, kBounds.size()> within = {};  // of the turns, not summed up
    double seconds = 0;
    std::uint64_t timesteps = 0;
    std::uint64_t calls = 0;
  };

  std::mutex mutex_;
  std::map<std::string, Counters> of_;  // by tenant
  std::uint64_t database_errors_ = 0;
};

}  // namespace rpl

#endif  // RPL_SHELL_SERVE_SERVE_METRICS_H_
