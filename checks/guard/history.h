// SPDX-License-Identifier: Apache-2.0
//
// What was called before: a view that conditions read.
//
// A call counts when it has ended, also when it failed; one that a guard refused never
// was. Calls of this run say what sequence, maxCalls and executionTime need; metrics are of
// all runs of the agent. Calls that are allowed and have not ended count for maxCalls only:
// three that go out together must not pass a limit of one, and one that may yet fail proves
// nothing.
//
// Calls are kept by tool, so that asking costs time in proportion to the number of tools,
// and a window that of the metric's values in it.
#ifndef RPL_CHECKS_GUARD_HISTORY_H_
#define RPL_CHECKS_GUARD_HISTORY_H_

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "checks/guard/condition.h"
#include "checks/guard/zone.h"

namespace rpl {

/// A call that ended.
struct PastCall {
  std::string tool;
  std::vector<std::string> tags;
  bool failed = false;
  double took_ms = 0;
  Moment at = 0;                          // when it ended
  std::optional<std::string> user;        // the end user's id
  std::map<std::string, double> metrics;  // bytes_out, records_in, …, and custom ones
};

/// bytes_in, records_in of arguments, bytes_out, records_out of a result, and duration_ms.
/// `result` null: there is none.
std::map<std::string, double> InbuiltMetrics(const nlohmann::ordered_json& args,
                                             const nlohmann::ordered_json* result, double took_ms);

class History {
 public:
  void Add(const PastCall& call, bool this_run);
  /// Metrics that were learned later, of a call that was added.
  void AddMetrics(const PastCall& call);
  /// A call is allowed; it has ended when Add is told of it.
  void Begin(const std::string& tool, const std::vector<std::string>& tags);
  /// One that was begun will not end.
  void GiveUp(const std::string& tool, const std::vector<std::string>& tags);

  /// Whether a tool that matches was called in this run, as far as calls have ended.
  bool Called(std::string_view glob) const;
  /// Calls of this run, also those that have not ended.
  std::size_t Calls(const MaxCallsLeaf& of) const;
  /// Milliseconds that calls of this run took; of one tool, or of all.
  double TookMs(std::string_view tool) const;
  double TookMs() const { return took_ms_; }
  /// The aggregate, or nullopt when it has none.
  std::optional<double> Metric(const MetricWindowLeaf& of, const std::optional<std::string>& user,
                               Moment now) const;

 private:
  struct Sample {
    Moment at;
    double value;
    std::uint32_t user;  // its number, or kNobody
  };
  struct Tool {
    std::string name;
    std::vector<std::string> tags;
    std::size_t ended = 0;  // in this run
    std::size_t open = 0;
    double took_ms = 0;                                  // in this run
    std::map<std::string, std::vector<Sample>> metrics;  // by time
  };
  static constexpr std::uint32_t kNobody = UINT32_MAX;

  Tool& At(const std::string& name, const std::vector<std::string>& tags);

  std::vector<Tool> tools_;  // in the order first met
  std::unordered_map<std::string, std::size_t> by_name_and_tags_;
  std::unordered_map<std::string, std::uint32_t> users_;
  double took_ms_ = 0;
};

}  // namespace rpl

#endif  // RPL_CHECKS_GUARD_HISTORY_H_
