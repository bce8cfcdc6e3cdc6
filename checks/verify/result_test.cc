// SPDX-License-Identifier: Apache-2.0
#include "checks/verify/result.h"

#include <catch2/catch.hpp>

namespace rpl {
namespace {

using nlohmann::ordered_json;

CheckResult Result(std::string name, bool passed, Severity severity, ordered_json metadata = {}) {
  if (metadata.is_null()) metadata = ordered_json::object();
  return {std::move(name), passed, severity, "because", std::move(metadata)};
}

const CheckResult kPass = Result("pass", true, Severity::kError);
const CheckResult kSkip = Result("skip", true, Severity::kError, {{"skipped", true}});
const CheckResult kError =
    Result("error", false, Severity::kError, {{"location", {{"file", "a b.md"}, {"line", 3u}}}});
const CheckResult kWarning = Result("warning", false, Severity::kWarning);
const CheckResult kInfo = Result("info", false, Severity::kInfo);
const CheckResult kPending = Result("pending", false, Severity::kError, {{"pending", true}});

struct Row {
  std::vector<CheckResult> results;
  Verdict verdict;
  Verdict with_warnings;
};

TEST_CASE("the verdict of some records is the worst of theirs") {
  const std::vector<Row> table = {
      {{}, Verdict::kAccepted, Verdict::kAccepted},
      {{kPass, kSkip, kInfo}, Verdict::kAccepted, Verdict::kAccepted},
      {{kWarning, kPass}, Verdict::kAccepted, Verdict::kRejected},
      {{kError, kPass}, Verdict::kRejected, Verdict::kRejected},
      {{kError, kPending, kPass}, Verdict::kReview, Verdict::kReview},
  };
  for (const Row& row : table) {
    CheckReport report{row.results, {}, Severity::kError};
    CHECK(report.verdict() == row.verdict);
    report.fail_on = Severity::kWarning;
    CHECK(report.verdict() == row.with_warnings);
  }
  const CheckReport invalid{
      {}, {{Code::kConfigSyntax, Severity::kError, {}, "m", ""}}, Severity::kError};
  CHECK(invalid.verdict() == Verdict::kInvalid);
}

TEST_CASE("what the metadata of a host says does not make a failure a pass") {
  CHECK(StandingOf(Result("r", false, Severity::kError, {{"skipped", true}})) == Standing::kFailed);
  CHECK(StandingOf(Result("r", true, Severity::kError, {{"pending", true}})) == Standing::kPassed);
  CHECK(StandingOf(Result("r", true, Severity::kError, {{"skipped", "yes"}})) == Standing::kPassed);
  CheckReport report{{Result("r", false, Severity::kError, {{"location", "here"}})}, {}};
  CHECK(ReportText(report) == "error r: because\n");
  report.results[0].metadata = {{"location", {{"file", "f"}, {"line", -1}}}};
  CHECK(ReportText(report) == "error r: because\n");
}

TEST_CASE("a report as JSON") {
  const CheckReport report{{kPass, kSkip, kError, kWarning, kInfo, kPending}, {}};
  const ordered_json json = ReportJson(report, {});
  CHECK(json["summary"].dump() == R"({"passed":2,"failed":4,"skipped":1,"errors":2,"warnings":1})");
  CHECK(json["verdict"] == "review");
  CHECK(json["results"][2].dump() ==
        R"({"ruleName":"error","passed":false,"severity":"error","message":"because",)"
        R"("metadata":{"location":{"file":"a b.md","line":3}}})");
}

TEST_CASE("a report as SARIF: level and kind of each standing") {
  const CheckReport report{{kPass, kSkip, kError, kWarning, kInfo, kPending, kPass}, {}};
  const ordered_json log = ReportSarif(report, {}, "1.2.3");
  std::string shape;
  for (const ordered_json& r : log["runs"][0]["results"])
    shape += r["ruleId"].get<std::string>() + " " + r["level"].get<std::string>() + " " +
             r["kind"].get<std::string>() + " " + r["ruleIndex"].dump() + "\n";
  CHECK(shape ==
        "pass none pass 0\nskip none notApplicable 1\nerror error fail 2\n"
        "warning warning fail 3\ninfo note fail 4\npending none review 5\npass none pass 0\n");
  CHECK(log["runs"][0]["tool"]["driver"]["rules"].size() == 6);
  CHECK(
      log["runs"][0]["results"][2]["locations"].dump() ==
      R"([{"physicalLocation":{"artifactLocation":{"uri":"a%20b.md"},"region":{"startLine":3}}}])");
}

TEST_CASE("wrong inputs are notifications of SARIF, without results") {
  Sources sources;
  sources.Add("x.yaml", "claims: [\n");
  const CheckReport report{{},
                           {{Code::kConfigSyntax, Severity::kError, {0, 8, 9}, "not YAML", ""}}};
  const ordered_json run = ReportSarif(report, sources, "1")["runs"][0];
  CHECK(run["results"].empty());
  CHECK(run["invocations"][0]["executionSuccessful"] == false);
  CHECK(run["invocations"][0]["exitCode"] == 2);
  CHECK(run["invocations"][0]["toolExecutionNotifications"][0]["descriptor"]["id"] == "RPL7001");
}

TEST_CASE("a report as text has the records that did not pass") {
  const CheckReport report{{kPass, kSkip, kError, kWarning, kInfo, kPending}, {}};
  CHECK(ReportText(report) ==
        "a b.md:3: error error: because\nwarning warning: because\ninfo info: because\n"
        "review pending: because\n");
}

}  // namespace
}  // namespace rpl
