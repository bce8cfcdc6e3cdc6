// SPDX-License-Identifier: Apache-2.0
//
// The history of calls that conditions read.
//
// A call counts once it has ended, whether it succeeded or failed; a call that a guard refused does
// not count. The decision about a result reads a history that includes its call: the host adds the
// call first. sequence, maxCalls and executionTime read the calls of this run, metrics those of all
// runs of the agent. A call that was allowed and has not ended is open, also if it was cut off:
// whether it was made is not known, and conditions take it as what makes their rule more severe
// (condition.h).
//
// Calls are grouped by tool, so that a query is linear in the number of tools, and a window in the
// number of its samples.
#ifndef RPL_CHECKS_GUARD_HISTORY_H_
#define RPL_CHECKS_GUARD_HISTORY_H_

#include <cstddef>
#include <functional>
#include <limits>
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

/// The names of InbuiltMetrics. Nobody reports a metric of such a name: it is measured.
inline constexpr std::string_view kInbuiltMetrics[] = {"bytes_in", "bytes_out", "duration_ms",
                                                       "records_in", "records_out"};
bool IsInbuiltMetric(std::string_view name);

/// The metrics of every call: bytes_in and records_in of its arguments, bytes_out and records_out
/// of its result, and duration_ms. `result` is null if there is none.
std::map<std::string, double> InbuiltMetrics(const nlohmann::ordered_json& args,
                                             const nlohmann::ordered_json* result, double took_ms);

/// A call of phase kAfter as one that ended at `at`; `result` as for InbuiltMetrics.
PastCall EndedCall(const GuardCall& call, const nlohmann::ordered_json* result, Moment at);

/// The values of a metric in a window.
struct MetricTotals {
  std::size_t count = 0;
  double sum = 0;
  double most = -std::numeric_limits<double>::infinity();
  double least = std::numeric_limits<double>::infinity();

  void Add(const MetricTotals& more);
  void Add(double value) { Add({1, value, value, value}); }
};

/// True if the filter of the window admits the tool.
bool Selects(const MetricWindowLeaf& of, std::string_view tool,
             const std::vector<std::string>& tags);

/// Single-threaded. Names are matched ignoring case, tags likewise.
class History {
 public:
  /// Calls of a tool: those that ended, with their duration, and those that have not.
  struct Counts {
    std::size_t ended = 0;
    std::size_t open = 0;
    double took_ms = 0;

    std::size_t Number(bool with_open) const { return ended + (with_open ? open : 0); }
  };
  /// Gives the values of a metric, for of_user those of that user. Throws if they cannot be read.
  using MetricSource = std::function<MetricTotals(
      const MetricWindowLeaf&, const std::optional<std::string>& user, Moment now)>;

  /// Adds a call that ended. In this run it closes one that was begun, if any.
  void Add(const PastCall& call, bool this_run);
  /// Adds calls of this run, of which only their number is known.
  void AddCounts(const std::string& tool, const std::vector<std::string>& tags,
                 const Counts& counts);
  /// Gives the number of open calls that a window may come to count. Throws like MetricSource.
  using OpenSource = std::function<std::size_t(const MetricWindowLeaf&,
                                               const std::optional<std::string>& user, Moment now)>;
  /// Metrics are read from there instead of from the calls that were added.
  void ReadMetrics(MetricSource from) { metrics_from_ = std::move(from); }
  /// The same of open calls.
  void ReadOpenCalls(OpenSource from) { open_from_ = std::move(from); }
  /// Adds metrics that became known after the call was added.
  void AddMetrics(const PastCall& call);
  /// Records that a call was allowed; Add or GiveUp ends it.
  void Begin(const std::string& tool, const std::vector<std::string>& tags);
  /// A call that was begun will not end. REQUIRES: there is one with this tool and these tags.
  void GiveUp(const std::string& tool, const std::vector<std::string>& tags);

  /// True if a tool that matches was called in this run: a call has ended or, `with_open`, is open.
  bool Called(std::string_view glob, bool with_open) const;
  /// The number of matching calls of this run, with or without the open ones.
  std::size_t Calls(const MaxCallsLeaf& of, bool with_open) const;
  /// The number of open calls that the window may come to count: without an OpenSource, those of
  /// this run, whoever the user and whenever they began.
  std::size_t OpenCalls(const MetricWindowLeaf& of, const std::optional<std::string>& user,
                        Moment now) const;
  /// The duration of the calls of this run in milliseconds, of one tool or of all.
  double TookMs(std::string_view tool) const;
  double TookMs() const { return took_ms_; }
  /// The aggregate over the window that ends at `now`, or nullopt: of no values unless kSum or
  /// kCount, or of_user without a user.
  std::optional<double> Metric(const MetricWindowLeaf& of, const std::optional<std::string>& user,
                               Moment now) const;

  /// The calls of this run, by tool, in order of first occurrence.
  struct ToolCalls {
    const std::string& name;
    const std::vector<std::string>& tags;
    const Counts& calls;
  };
  void ForEachTool(const std::function<void(const ToolCalls&)>& take) const;
  /// The values of metrics of all calls that were added; not those of a MetricSource.
  struct MetricValue {
    const std::string& key;
    const std::string& tool;
    const std::vector<std::string>& tags;
    Moment at;
    std::optional<std::string> user;
    double value;
  };
  void ForEachMetric(const std::function<void(const MetricValue&)>& take) const;

 private:
  /// A value of a metric.
  struct Sample {
    Moment at;
    double value;
    std::uint32_t user;  // its index in users_, or kNobody
  };
  /// The calls of tools with the same name and tags.
  struct Tool {
    std::string name;
    std::vector<std::string> tags;
    Counts calls;                                        // of this run
    std::map<std::string, std::vector<Sample>> metrics;  // samples by time
  };
  static constexpr std::uint32_t kNobody = UINT32_MAX;

  /// The entry for a tool, created on first use.
  Tool& At(const std::string& name, const std::vector<std::string>& tags);
  MetricTotals Totals(const MetricWindowLeaf& of, const std::optional<std::string>& user,
                      Moment now) const;

  std::vector<Tool> tools_;  // in order of first occurrence
  // Indexes into tools_, by name and tags; and numbers of end users.
  std::unordered_map<std::string, std::size_t> by_name_and_tags_;
  std::unordered_map<std::string, std::uint32_t> users_;
  double took_ms_ = 0;
  MetricSource metrics_from_;
  OpenSource open_from_;
};

}  // namespace rpl

#endif  // RPL_CHECKS_GUARD_HISTORY_H_
