// SPDX-License-Identifier: Apache-2.0
//
// The results of checks: one record for each predicate of a rulespec, rule or guard rule, and the
// one place that turns records into a verdict, an exit code, JSON, SARIF and text.
//
// A record has the five fields of OS Protocol's RuleResult and no others. Everything else is in
// `metadata`, an object that is passed on unchanged. These of its keys have a meaning here:
//
//   location  {"file", "line"}: the place of the rule
//   skipped   true for a record that passed because its rule does not apply
//   pending   true for one that did not pass and awaits a person's review
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
// The verdict of several records is the first of invalid, review, rejected, accepted that one of
// them has.
#ifndef RPL_CHECKS_VERIFY_RESULT_H_
#define RPL_CHECKS_VERIFY_RESULT_H_

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "formats/diagnostic.h"

namespace rpl {

/// A record.
struct CheckResult {
  std::string rule_name;
  bool passed = true;
  Severity severity = Severity::kError;  // of the rule, whether it passed or not
  std::string message;                   // a sentence for people, never empty
  nlohmann::ordered_json metadata = nlohmann::ordered_json::object();
};

/// The state of a record, as its fields `passed` and `metadata` determine it.
enum class Standing { kPassed, kSkipped, kFailed, kPending };
/// The state of a record; malformed `skipped` and `pending` count as false.
Standing StandingOf(const CheckResult& result);

/// The outcome of a run of checks. The numbers are exit codes of `rpl`.
enum class Verdict { kAccepted = 0, kRejected = 1, kInvalid = 2, kReview = 3 };

/// "accepted", "rejected", "invalid", "review".
std::string_view VerdictName(Verdict verdict);

/// Counts of records.
struct CheckSummary {
  std::size_t passed = 0;    // including skipped ones
  std::size_t failed = 0;    // including pending ones; passed + failed is the number of records
  std::size_t skipped = 0;   // of those that passed
  std::size_t errors = 0;    // of those that failed
  std::size_t warnings = 0;  // of those that failed
};

/// The result of a run of checks.
struct CheckReport {
  std::vector<CheckResult> results;  // in the order of their rules
  /// Findings about the inputs; if one is an error there are no results.
  std::vector<Diagnostic> findings;
  /// The least severity that rejects: kError or kWarning.
  Severity fail_on = Severity::kError;

  /// The verdict by the table above.
  Verdict verdict() const;
  CheckSummary summary() const;
};

/// {"ruleName", "passed", "severity", "message", "metadata"}
nlohmann::ordered_json ResultJson(const CheckResult& result);

/// {"schema": "rpl.checks/1", "results", "summary", "verdict", "findings"}, as in
/// docs/schemas/checks.json. `sources` are those of the findings.
nlohmann::ordered_json ReportJson(const CheckReport& report, const Sources& sources);

/// A SARIF 2.1.0 log; `version` is the version of rpl. A malformed `location` is left out.
nlohmann::ordered_json ReportSarif(const CheckReport& report, const Sources& sources,
                                   std::string_view version);

/// One line for each record that did not pass: `rules.md:3: warning draft-reviewed: …`. Messages
/// may quote content; the caller escapes them for a terminal.
std::string ReportText(const CheckReport& report);

}  // namespace rpl

#endif  // RPL_CHECKS_VERIFY_RESULT_H_
