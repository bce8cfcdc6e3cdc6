// SPDX-License-Identifier: Apache-2.0
//
// What a check says: one record for a predicate of a rulespec, a rule or a guard, and the
// one place that turns records into a verdict, an exit code, JSON, SARIF and text.
//
// A record has the five fields of OS Protocol's RuleResult and no others. What else there is
// to say stands in `metadata`, an object that is passed on as it is. These keys mean
// something here:
//
//   location  {"file", "line"}: where the rule stands
//   skipped   true of a record that passed because its rule does not apply
//   pending   true of one that did not pass and waits for a person's review
//
//   record                       SARIF level, kind                 verdict
//   passed                       none, pass                        accepted
//   skipped                      none, notApplicable               accepted
//   failed, error                error, fail                       rejected
//   failed, warning              warning, fail                     accepted, or rejected when
//                                                                  warnings fail
//   failed, info                 note, fail                        accepted
//   pending                      none, review                      review
//   (none: an input is wrong)    a tool execution notification     invalid
//
// Of several, invalid beats review beats rejected beats accepted.
#ifndef RPL_CHECKS_VERIFY_RESULT_H_
#define RPL_CHECKS_VERIFY_RESULT_H_

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "formats/diagnostic.h"

namespace rpl {

struct CheckResult {
  std::string rule_name;
  bool passed = true;
  Severity severity = Severity::kError;  // of the rule, also when it passed
  std::string message;                   // a sentence for people, never empty
  nlohmann::ordered_json metadata = nlohmann::ordered_json::object();
};

enum class Standing { kPassed, kSkipped, kFailed, kPending };
Standing StandingOf(const CheckResult& result);

/// The numbers are exit codes of `rpl`.
enum class Verdict { kAccepted = 0, kRejected = 1, kInvalid = 2, kReview = 3 };

/// "accepted", "rejected", "invalid", "review".
std::string_view VerdictName(Verdict verdict);

struct CheckSummary {
  std::size_t passed = 0;    // with those that were skipped
  std::size_t failed = 0;    // with those that are pending; passed + failed is all
  std::size_t skipped = 0;   // of those that passed
  std::size_t errors = 0;    // of those that failed
  std::size_t warnings = 0;  // of those that failed
};

/// What a run of checks came to.
struct CheckReport {
  std::vector<CheckResult> results;  // in the order of their rules
  /// What is wrong with the inputs; with an error among them there are no results.
  std::vector<Diagnostic> findings;
  /// The least severity that rejects: kError or kWarning.
  Severity fail_on = Severity::kError;

  Verdict verdict() const;
  CheckSummary summary() const;
};

/// {"ruleName", "passed", "severity", "message", "metadata"}
nlohmann::ordered_json ResultJson(const CheckResult& result);

/// {"schema": "rpl.checks/1", "results", "summary", "verdict", "findings"}, see
/// docs/schemas/checks.json. `sources` are those of the findings.
nlohmann::ordered_json ReportJson(const CheckReport& report, const Sources& sources);

/// A SARIF 2.1.0 log; `version` is that of rpl.
nlohmann::ordered_json ReportSarif(const CheckReport& report, const Sources& sources,
                                   std::string_view version);

/// A line for each record that did not pass: `rules.md:3: warning draft-reviewed: …`.
std::string ReportText(const CheckReport& report);

}  // namespace rpl

#endif  // RPL_CHECKS_VERIFY_RESULT_H_
