// SPDX-License-Identifier: Apache-2.0
//
// The public interface of checks as an embedding program uses it: only rpl/checks.h is included.
#include "rpl/checks.h"

#include <catch2/catch.hpp>
#include <memory>
#include <stdexcept>

namespace {

using rpl::Checks;
using Severity = Checks::Severity;

constexpr const char* kHouseRules = R"(severity("short-text", :warning)

# No PII

No number of a card stands in the text.

content-text(?t), ?t = ~ /(?P<ssn>[0-9]{3}-[0-9]{2}-[0-9]{4})/ -> false

# Short text

content(["facts" "words"], ?n) -> ?n < 100
)";

constexpr const char* kRulespec = R"({"claims": [{"name": "c", "selector": "words"}],
 "predicates": [{"claim": "c", "rule": "less_than", "value": 50, "source": "memory"}]})";

Checks::Rule HostRule(const std::string& name, bool passed, const std::string& metadata = "{}") {
  return {name, "says so", Severity::kInfo, [=](const std::string&) {
            return Checks::Result{"?", passed, Severity::kError, "because", metadata};
          }};
}

// `name passed severity message metadata`, a line each; findings as they are rendered.
std::string Shown(const Checks::Results& results) {
  std::string out;
  for (const Checks::Finding& f : results.findings) out += f.rendered;
  for (const Checks::Result& r : results.results)
    out += r.rule_name + (r.passed ? " passed " : " failed ") +
           (r.severity == Severity::kError     ? "error"
            : r.severity == Severity::kWarning ? "warning"
                                               : "info") +
           " | " + r.message + " | " + r.metadata + "\n";
  return out;
}

TEST_CASE("predicates, constraints and functions are one set, in the order they were added") {
  Checks checks;
  CHECK(checks.AddProgram("house.md", kHouseRules).empty());
  CHECK(checks.Add(HostRule("host", false, R"({"n":1,"path":["a",0]})")));
  CHECK(checks.AddRulespec("r.json", kRulespec).empty());
  std::string list;
  for (const Checks::Info& info : checks.List()) list += info.name + ": " + info.description + "\n";
  CHECK(list ==
        "no-pii: No number of a card stands in the text.\n"
        "short-text: content([\"facts\" \"words\"], ?n) -> ?n < 100\n"
        "host: says so\n"
        "c less_than #0: c less_than 50\n");
  CHECK(checks.Get("short-text")->severity == Severity::kWarning);
  CHECK_FALSE(checks.Get("zzz"));

  const Checks::Results all =
      checks.Evaluate(R"({"facts": {"words": 120, "text": "id 123-45-6789"}})");
  REQUIRE(all.results.size() == 4);
  const std::string shown = Shown(all);
  CHECK_THAT(shown, Catch::Contains("no-pii failed error | violated by ?t = "));
  CHECK_THAT(shown, Catch::Contains("?ssn = \"123-45-6789\""));
  CHECK_THAT(shown, Catch::Contains("short-text failed warning | violated by ?n = 120 | "));
  CHECK_THAT(shown, Catch::Contains("host failed info | because | {\"n\":1,\"path\":[\"a\",0]}\n"));
  CHECK_THAT(shown, Catch::Contains("c less_than #0 failed error | c less_than 50 does not hold: "
                                    "found \"120\" | {\"kind\":\"rulespec\""));

  // A rule alone gives the same result.
  for (const Checks::Result& one : all.results) {
    const Checks::Results alone =
        checks.Evaluate(R"({"facts": {"words": 120, "text": "id 123-45-6789"}})", one.rule_name);
    REQUIRE(alone.results.size() == 1);
    CHECK(Shown(alone) == Shown({{one}, {}}));
  }
  CHECK(checks.Evaluate("{}", "zzz").results.empty());
  // The previous content leaves no trace.
  CHECK_THAT(Shown(checks.Evaluate(R"({"facts": {"words": 1}})")),
             Catch::Contains("no-pii passed error | nothing was found that violates it"));
}

TEST_CASE("content may be any JSON") {
  Checks checks;
  REQUIRE(checks.AddProgram("house.md", kHouseRules).empty());
  for (const std::string content :
       {"\"abc\"", "7", "null", "[1]", R"({"a":{"b":1}})", "\"\"", "[[], {}]", "1e99"})
    CHECK_THAT(Shown(checks.Evaluate(content)), Catch::Contains("no-pii passed"));
  CHECK_THAT(Shown(checks.Evaluate(R"({"a":"123-45-6789"})")), Catch::Contains("no-pii failed"));
  CHECK_THAT(Shown(checks.Evaluate(R"("id 123-45-6789")")),
             Catch::Contains("violated by ?t = \"id 123-45-6789\", ?ssn"));
  CHECK(Shown(checks.Evaluate("abc")) == "content: expected JSON\n");
  CHECK(checks.AddRulespec("r.json", kRulespec).empty());
  CHECK_THAT(Shown(checks.Evaluate("7")),
             Catch::Contains("error RPL7007: expected a map, got `7`"));
}

TEST_CASE("a rule that cannot be evaluated fails, and the others go on") {
  Checks checks;
  CHECK(checks.Add({"throws", "", Severity::kWarning, [](const std::string&) -> Checks::Result {
                      throw std::runtime_error("the linter ended with 1");
                    }}));
  CHECK(checks.Add(HostRule("bad metadata", true, "[1]")));
  CHECK(checks.AddProgram("p.rpl", "content-text(?t), $lint(?t) ^ ~ {:result ?r} -> ?r = 1\n")
            .size() == 1);  // the tool is not declared
  CHECK(checks.Add(HostRule("fine", true)));
  CHECK(Shown(checks.Evaluate("1")) ==
        "throws failed warning | it cannot be evaluated: the linter ended with 1 | "
        "{\"error\":true}\n"
        "bad metadata failed info | it cannot be evaluated: its metadata is no JSON object | "
        "{\"error\":true}\n"
        "p.rpl:1 failed error | it cannot be evaluated: `$lint(\"1\")` has no answer | "
        "{\"error\":true,\"kind\":\"rpl\",\"rule\":\"content-text(?t), $lint(?t) ^ ~ {:result ?r} "
        "-> ?r = 1\",\"location\":{\"file\":\"p.rpl\",\"line\":1}}\n"
        "fine passed info | because | {}\n");
}

TEST_CASE("what has an error is not added") {
  Checks checks;
  CHECK(checks.Add(HostRule("a", true)));
  CHECK_FALSE(checks.Add(HostRule("a", false)));
  CHECK(checks.AddRulespec("r.yaml", "claims: [").size() == 1);
  CHECK(checks.AddProgram("p.rpl", "p(\"").size() == 1);
  CHECK(checks.AddProgram("p.md", "severity(\"a\", :fatal)\n\n# A\n\np(?x) -> q(?x)\n").size() > 1);
  CHECK(checks.List().size() == 1);
  const std::vector<Checks::Finding> findings =
      checks.AddProgram("p.md", "p(1)\n\n# A\n\np(?x) -> p(?x)\n");
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].message == "duplicate rule `a`");
  CHECK(checks.AddProgram("q.md", "p(1)\n\n# B\n\np(?x) -> p(?x)\n").empty());
  CHECK(checks.List().size() == 2);
}

TEST_CASE("a rule of the host may do anything with its set but evaluate it") {
  auto set = std::make_unique<Checks>();
  std::string said;
  CHECK(set->Add({"own", "", Severity::kError, [&](const std::string& content) {
                    said = set->Evaluate(content).findings.at(0).message;
                    CHECK(set->Add(HostRule("late", true)));
                    set.reset();
                    return Checks::Result{"", true, Severity::kError, "ok", "{}"};
                  }}));
  CHECK(set->Add(HostRule("second", true)));
  Checks* const before = set.get();
  CHECK(before->Evaluate("{}").results.size() == 2);
  CHECK(set == nullptr);
  CHECK(said == "a rule must not evaluate its own set");
}

TEST_CASE("a set that was moved from has no rules") {
  Checks set;
  CHECK(set.Add(HostRule("one", true)));
  Checks other = std::move(set);
  CHECK(set.List().empty());
  CHECK_FALSE(set.Add(HostRule("two", true)));
  CHECK(set.AddProgram("p.rpl", "p(1)\n").at(0).message == "the set was moved from");
  CHECK(set.Evaluate("{}").findings.at(0).message == "the set was moved from");
  CHECK(other.Evaluate("{}").results.size() == 1);
}

}  // namespace
