// SPDX-License-Identifier: Apache-2.0
//
// The audit events of a guarded run, in the format handlebar.audit.v1, and the history of calls
// that earlier events record.
//
//   run.started, then for each call tool.decision and, if it was made, tool.result, then
//   run.ended; error if a source failed; and at any time review.answered, by whom and when.
//   docs/schemas/audit.json has the fields.
//
// Timestamps never decrease within a run. Long lists and texts are cut in the events only.
#ifndef RPL_CHECKS_GUARD_AUDIT_H_
#define RPL_CHECKS_GUARD_AUDIT_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "checks/guard/guard.h"
#include "checks/guard/guard_store.h"
#include "checks/guard/history.h"
#include "checks/guard/zone.h"

namespace rpl {

/// The events of one run. Each function returns the event as one JSON object; the caller writes it.
class AuditRun {
 public:
  /// `user`: the end user's id, if there is one.
  AuditRun(std::string run, std::optional<std::string> user)
      : run_(std::move(run)), user_(std::move(user)) {}

  nlohmann::ordered_json Started(const GuardAgent& agent, const std::string& policy, Moment now);
  /// `step` is the number of the call in the run, from 0.
  nlohmann::ordered_json Decided(std::size_t step, const Decision& decision, const GuardCall& call,
                                 double latency_ms, Moment now);
  /// `error`: the message of a call that failed. The metrics are those of `past`.
  nlohmann::ordered_json Result(std::size_t step, const PastCall& past,
                                const std::optional<std::string>& error, Moment now);
  /// A person's answer to the request of `request` (GuardStore::Reviews).
  nlohmann::ordered_json Reviewed(const nlohmann::ordered_json& request,
                                  const ReviewAnswer& answer);
  /// `status`: "success", "interrupted" or "error".
  nlohmann::ordered_json Ended(std::string_view status, std::size_t steps, Moment now);
  /// An error event about a source of the guard or about its log.
  nlohmann::ordered_json Failed(const std::string& message, Moment now);

 private:
  nlohmann::ordered_json Event(std::string_view kind, nlohmann::ordered_json data, Moment now,
                               std::optional<std::size_t> step = std::nullopt);

  std::string run_;
  std::optional<std::string> user_;
  Moment last_ = 0;  // the latest timestamp so far
};

/// Adds the calls recorded by `events` to `to`. Results of `run` count as this run's, others only
/// if their agent has the same slug. Events are untrusted; malformed ones are skipped.
void ReadHistory(const std::vector<nlohmann::ordered_json>& events, const std::string& run,
                 const std::string& agent_slug, History& to);

}  // namespace rpl

#endif  // RPL_CHECKS_GUARD_AUDIT_H_
