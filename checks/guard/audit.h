// SPDX-License-Identifier: Apache-2.0
//
// Audit events of a guarded run, in the shape handlebar.audit.v1, and what earlier runs
// left of them.
//
//   run.started, then for each call tool.decision and, when it was made, tool.result, then
//   run.ended; error where something could not be had. docs/schemas/audit.json has the fields.
//
// Times never go back within a run. Long lists and texts are cut in the events only.
#ifndef RPL_CHECKS_GUARD_AUDIT_H_
#define RPL_CHECKS_GUARD_AUDIT_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "checks/guard/guard.h"
#include "checks/guard/history.h"
#include "checks/guard/zone.h"

namespace rpl {

class AuditRun {
 public:
  /// `user`: the end user's id, when there is one.
  AuditRun(std::string run, std::optional<std::string> user)
      : run_(std::move(run)), user_(std::move(user)) {}

  nlohmann::ordered_json Started(const GuardAgent& agent, const std::string& policy, Moment now);
  /// `step` counts the calls of the run from 0.
  nlohmann::ordered_json Decided(std::size_t step, const Decision& decision, const GuardCall& call,
                                 double latency_ms, Moment now);
  /// `error`: of a call that failed. `metrics` are those of `past`.
  nlohmann::ordered_json Result(std::size_t step, const PastCall& past,
                                const std::optional<std::string>& error, Moment now);
  /// `status`: "success", "interrupted" or "error".
  nlohmann::ordered_json Ended(std::string_view status, std::size_t steps, Moment now);
  nlohmann::ordered_json Failed(const std::string& message, Moment now);

 private:
  nlohmann::ordered_json Event(std::string_view kind, nlohmann::ordered_json data, Moment now,
                               std::optional<std::size_t> step = std::nullopt);

  std::string run_;
  std::optional<std::string> user_;
  Moment last_ = 0;
};

/// Adds the calls that the events tell of. Those of `run` are of this run; the others count
/// when the agent is the same. With `open`, calls of this run that were decided and have no
/// result count as begun.
void ReadHistory(const std::vector<nlohmann::ordered_json>& events, const std::string& run,
                 const std::string& agent_slug, bool open, History& to);

/// A call that was decided about, and may have gone out.
struct BegunCall {
  std::size_t step = 0;
  Moment at = 0;  // when it was decided
};
/// The last call of `run` with this tool and id that has no result yet and was not blocked.
/// Without ids and with calls side by side that may be another one; their durations add up all
/// the same.
std::optional<BegunCall> FindBegun(const std::vector<nlohmann::ordered_json>& events,
                                   const std::string& run, const GuardCall& call);

}  // namespace rpl

#endif  // RPL_CHECKS_GUARD_AUDIT_H_
