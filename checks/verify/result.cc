// SPDX-License-Identifier: Apache-2.0
#include "checks/verify/result.h"

#include <fmt/format.h>

#include <unordered_map>
#include <utility>

#include "formats/data/diagnostic_json.h"
#include "formats/data/sarif.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

bool IsTrue(const ordered_json& metadata, const char* key) {
  const auto found = metadata.find(key);
  return found != metadata.end() && found->is_boolean() && found->get<bool>();
}

struct Location {
  std::string file;
  std::uint32_t line;
};

// Metadata is unrestricted: a malformed location counts as absent.
std::optional<Location> LocationOf(const CheckResult& result) {
  const auto location = result.metadata.find("location");
  if (location == result.metadata.end() || !location->is_object()) return std::nullopt;
  const auto file = location->find("file");
  const auto line = location->find("line");
  if (file == location->end() || !file->is_string() || line == location->end() ||
      !line->is_number_unsigned() || line->get<std::uint64_t>() == 0)
    return std::nullopt;
  return Location{file->get<std::string>(), line->get<std::uint32_t>()};
}

std::string_view SarifKind(Standing standing) {
  switch (standing) {
    case Standing::kPassed: return "pass";
    case Standing::kSkipped: return "notApplicable";
    case Standing::kFailed: return "fail";
    case Standing::kPending: return "review";
  }
  return "";
}

// The findings about the inputs, and the outcome of the run.
ordered_json Invocation(const CheckReport& report, const Sources& sources) {
  ordered_json notifications = ordered_json::array();
  for (const Diagnostic& d : report.findings) {
    const std::string text = d.hint.empty() ? d.message : d.message + "; " + d.hint;
    notifications.push_back({{"descriptor", {{"id", CodeText(d.code)}}},
                             {"level", SarifLevel(d.severity)},
                             {"message", {{"text", text}}},
                             {"locations", ordered_json::array({SarifLocation(d.span, sources)})}});
  }
  const Verdict verdict = report.verdict();
  return {{"executionSuccessful", verdict != Verdict::kInvalid},
          {"exitCode", static_cast<int>(verdict)},
          {"toolExecutionNotifications", std::move(notifications)}};
}

}  // namespace

Standing StandingOf(const CheckResult& result) {
  if (result.passed)
    return IsTrue(result.metadata, "skipped") ? Standing::kSkipped : Standing::kPassed;
  return IsTrue(result.metadata, "pending") ? Standing::kPending : Standing::kFailed;
}

std::string_view VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kAccepted: return "accepted";
    case Verdict::kRejected: return "rejected";
    case Verdict::kInvalid: return "invalid";
    case Verdict::kReview: return "review";
  }
  return "";
}

Verdict CheckReport::verdict() const {
  if (HasErrors(findings)) return Verdict::kInvalid;
  Verdict verdict = Verdict::kAccepted;
  for (const CheckResult& result : results) {
    const Standing standing = StandingOf(result);
    if (standing == Standing::kPending) return Verdict::kReview;
    if (standing == Standing::kFailed && result.severity <= fail_on) verdict = Verdict::kRejected;
  }
  return verdict;
}

CheckSummary CheckReport::summary() const {
  CheckSummary summary;
  for (const CheckResult& result : results) {
    ++(result.passed ? summary.passed : summary.failed);
    if (StandingOf(result) == Standing::kSkipped) ++summary.skipped;
    if (result.passed) continue;
    if (result.severity == Severity::kError) ++summary.errors;
    if (result.severity == Severity::kWarning) ++summary.warnings;
  }
  return summary;
}

ordered_json ResultJson(const CheckResult& result) {
  return {{"ruleName", result.rule_name},
          {"passed", result.passed},
          {"severity", SeverityName(result.severity)},
          {"message", result.message},
          {"metadata", result.metadata}};
}

ordered_json ReportJson(const CheckReport& report, const Sources& sources) {
  ordered_json results = ordered_json::array();
  for (const CheckResult& result : report.results) results.push_back(ResultJson(result));
  ordered_json findings = ordered_json::array();
  for (const Diagnostic& d : report.findings) findings.push_back(DiagnosticJson(d, sources));
  const CheckSummary summary = report.summary();
  return {{"schema", "rpl.checks/1"},
          {"results", std::move(results)},
          {"summary",
           {{"passed", summary.passed},
            {"failed", summary.failed},
            {"skipped", summary.skipped},
            {"errors", summary.errors},
            {"warnings", summary.warnings}}},
          {"verdict", VerdictName(report.verdict())},
          {"findings", std::move(findings)}};
}

ordered_json ReportSarif(const CheckReport& report, const Sources& sources,
                         std::string_view version) {
  ordered_json rules = ordered_json::array();
  ordered_json results = ordered_json::array();
  std::unordered_map<std::string, std::size_t> index;
  for (const CheckResult& result : report.results) {
    const auto [at, is_new] = index.emplace(result.rule_name, rules.size());
    if (is_new)
      rules.push_back({{"id", result.rule_name},
                       {"defaultConfiguration", {{"level", SarifLevel(result.severity)}}}});
    const Standing standing = StandingOf(result);
    ordered_json one = {
        {"ruleId", result.rule_name},
        {"ruleIndex", at->second},
        {"kind", SarifKind(standing)},
        {"level", standing == Standing::kFailed ? SarifLevel(result.severity) : "none"},
        {"message", {{"text", result.message}}}};
    if (const auto location = LocationOf(result))
      one["locations"] = ordered_json::array({SarifLocation(location->file, location->line)});
    one["properties"] = result.metadata;
    results.push_back(std::move(one));
  }
  return SarifLog(version, std::move(rules), std::move(results), Invocation(report, sources));
}

std::string ReportText(const CheckReport& report) {
  std::string text;
  for (const CheckResult& result : report.results) {
    if (result.passed) continue;
    if (const auto location = LocationOf(result))
      text += fmt::format("{}:{}: ", location->file, location->line);
    const bool pending = StandingOf(result) == Standing::kPending;
    text += fmt::format("{} {}: {}\n", pending ? "review" : SeverityName(result.severity),
                        result.rule_name, result.message);
  }
  return text;
}

}  // namespace rpl
