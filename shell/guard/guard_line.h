// SPDX-License-Identifier: Apache-2.0
//
// A tool call of another runtime, submitted to the guard as JSON, with the inputs of its decision.
//
//   {"tool": "send_email", "args": {…}, "tags": ["pii"], "phase": "tool.before",
//    "user": {"externalId": "u1", "metadata": {…}}, "now": "2026-01-02T00:00:00Z",
//    "history": ["auth", {"tool": "search", "durationMs": 40, …}],
//    "signals": {"risk": 0.9}, "subjects": [{"subjectType": "customer", "value": "c1"}]}
//
// Only `tool` is required. A call of the history is a name, or {"tool", "tags", "failed",
// "durationMs", "at", "user", "metrics", "args", "result", "run"}, where "run": "other" marks a
// call of another run.
#ifndef RPL_SHELL_GUARD_GUARD_LINE_H_
#define RPL_SHELL_GUARD_GUARD_LINE_H_

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "checks/guard/guard.h"
#include "checks/guard/guard_config.h"
#include "checks/guard/guard_store.h"

namespace rpl {

/// The call and its inputs, with the names and tags of the configuration.
struct GuardLine {
  GuardCall call;
  std::vector<std::pair<PastCall, bool>> history;  // true: of this run
  std::optional<Moment> now;
  std::map<std::string, nlohmann::ordered_json> signals;
  std::optional<std::vector<Subject>> subjects;
};

/// Reads such an object, which is untrusted; unknown keys are errors. No value if it has another
/// shape. Calls of the history without a time ended at `now`.
Sourced<GuardLine> ReadGuardLine(const nlohmann::ordered_json& json, const GuardConfig& config,
                                 Moment now);

/// The same of a text; no value either if it is not one JSON value, or has an integer of more than
/// 64 bits, of which two readers may read two numbers.
Sourced<GuardLine> ReadGuardText(std::string_view text, const GuardConfig& config, Moment now);

/// The sources of a decision outside a run: the line's own values, then commands. Borrows the line,
/// the configuration and the store.
class LineSources : public GuardSources {
 public:
  /// Runs a command with one JSON value and gives its output.
  using Run = std::function<Sourced<nlohmann::ordered_json>(const GuardCommand&,
                                                            const nlohmann::ordered_json&)>;
  /// `by`: the call, for its own approval; "" for none.
  LineSources(const GuardLine& line, const GuardConfig& config, GuardStore& store, Run run,
              std::string run_id, std::string by, Moment now)
      : line_(line),
        config_(config),
        store_(store),
        run_(std::move(run)),
        run_id_(std::move(run_id)),
        by_(std::move(by)),
        now_(now) {}

  Sourced<nlohmann::ordered_json> Signal(const std::string& key,
                                         const nlohmann::ordered_json& args) override;
  Sourced<std::vector<Subject>> Subjects(const GuardCall& call) override;
  Sourced<Review> FindReview(const ReviewRequest& request) override;
  Sourced<Review> AskForReview(const ReviewRequest& request) override;
  Sourced<bool> SpendReview(const Review& review) override;

 private:
  const GuardLine& line_;
  const GuardConfig& config_;
  GuardStore& store_;
  Run run_;
  std::string run_id_;
  std::string by_;
  Moment now_;
};

}  // namespace rpl

#endif  // RPL_SHELL_GUARD_GUARD_LINE_H_
