// SPDX-License-Identifier: Apache-2.0
#include "checks/verify/rules.h"

#include <catch2/catch.hpp>

namespace rpl {
namespace {

// A set with one program, and its results for a content.
struct Set {
  explicit Set(const std::string& program, const std::string& name = "rules.md") {
    set.AddProgram(name, program, found);
    set.Settle(found);
  }

  std::string Findings() const {
    std::string out;
    for (const Diagnostic& d : found.all())
      out += CodeText(d.code) + " " + sources.Where(d.span) + " " + d.message + "\n";
    return out;
  }

  // `+name message` and `-name message`.
  std::string Say(const std::string& content, const RuleSet::Options& options = {}) {
    std::string out;
    for (const CheckResult& r : set.Evaluate({"c.json", content, true}, options).results)
      out += (r.passed ? "+" : "-") + r.rule_name + " " + r.message + "\n";
    return out;
  }

  Sources sources;
  Diagnostics found;
  RuleSet set{sources};
};

const char* const kFine = "nothing was found that violates it\n";

TEST_CASE("a rule is named by its heading, or by its place") {
  const Set set(
      "a(1)\na(?x) -> a(1)\n\n# Größe & Form: 2 rules!\n\na(?x) -> a(?x)\n\n## Inner\n\n"
      "It says why.\n\na(?x) -> ?x = 1\n");
  CHECK(set.Findings() == "");
  std::string names;
  for (const RuleInfo& info : set.set.List()) names += info.name + " | " + info.description + "\n";
  CHECK(names ==
        "rules.md:2 | a(?x) -> a(1)\n"
        "größe-form-2-rules | a(?x) -> a(?x)\n"
        "inner | It says why.\n");
}

TEST_CASE("severities that are wrong") {
  const std::string rule = "\n# A\n\np(?x) -> q(?x)\n\n# B\n\nq(?x) -> p(?x)\np(1)\nq(1)\n";
  CHECK(Set("severity(\"a\", :warning)\n" + rule).Findings() == "");
  CHECK(Set("severity(\"a\", :fatal)\nseverity(:a, :error)\n" + rule).Findings() ==
        "RPL7109 rules.md:1:1 expected the name of a rule and `:error`, `:warning` or `:info`\n"
        "RPL7109 rules.md:2:1 expected the name of a rule and `:error`, `:warning` or `:info`\n");
  CHECK(Set("severity(\"a\", :warning)\nseverity(\"a\", :info)\n" + rule).Findings() ==
        "RPL7109 rules.md:2:1 the rule `a` has two severities\n");
  CHECK(Set("severity(\"aa\", :warning)\n" + rule).Findings() ==
        "RPL7110 rules.md:1:1 no constraint makes a rule `aa`\n");
}

TEST_CASE("content is facts") {
  const std::string rules =
      "# Paths\n\ncontent([\"a\" 1 \"b.c\"], ?v) -> ?v = nil\n\n"
      "# Text\n\ncontent-text(?t) -> ?t = \"abc\"\n\n# Scalar\n\ncontent([], ?v) -> ?v = 7\n";
  CHECK(Set(rules).Say(R"({"a": [0, {"b.c": null}]})") ==
        std::string("+paths ") + kFine +
            "-text violated by ?t = \"{\\\"a\\\":[0,{\\\"b.c\\\":null}]}\"\n+scalar " + kFine);
  CHECK(Set(rules).Say("\"abc\"") ==
        std::string("+paths ") + kFine + "+text " + kFine + "-scalar violated by ?v = \"abc\"\n");
  CHECK(Set(rules).Say("7") ==
        std::string("+paths ") + kFine + "-text violated by ?t = \"7\"\n+scalar " + kFine);
}

TEST_CASE("a constraint on a rule is a rule, too") {
  const std::string program = "# Small\n\nbig(?x) <- content(_, ?x), ?x > 5 -> ?x < 10\n";
  CHECK(Set(program).Say("[1, 7]") == std::string("+small ") + kFine);
  CHECK(Set(program).Say("[1, 7, 12, 13]") == "-small violated by ?x = 12; ?x = 13\n");
}

TEST_CASE("many violations are counted") {
  CHECK(Set("# None\n\ncontent(_, ?x) -> false\n").Say("[1, 2, 3, 4, 5]") ==
        "-none violated by ?x = 1; ?x = 2; ?x = 3 and 2 more\n");
}

TEST_CASE("a rule may call tools, each call once") {
  Set set(
      "# Lint\n\ncontent(_, ?v), $lint(?v) ^ ~ {:result ?r} -> ?r = \"ok\"\n\n"
      "# Again\n\ncontent(_, ?v), $lint(?v) ^ ~ {:result ?r} -> ?r = \"ok\"\n");
  RuleSet::Options options;
  int calls = 0;
  options.tools = [&](Pool& pool, const std::string& tool, const std::vector<Value>& args) {
    ++calls;
    CHECK(tool == "lint");
    const Value ok[] = {pool.Keyword("result"), pool.String("ok")};
    const Value bad[] = {pool.Keyword("status"), pool.Keyword("error"), pool.Keyword("message"),
                         pool.String("it ended with 1")};
    return pool.AsInt(args.at(0)) == 3 ? pool.Map(bad) : pool.Map(ok);
  };
  CHECK(set.Say("[1, 2]", options) == std::string("+lint ") + kFine + "+again " + kFine);
  CHECK(calls == 2);
  CHECK_THAT(set.Say("[1, 3]", options), Catch::Contains("-lint it cannot be evaluated: ") &&
                                             Catch::Contains("it ended with 1"));
  options.tools = [](Pool&, const std::string&, const std::vector<Value>&) { return kNone; };
  CHECK(set.Say("[1]", options) ==
        "-lint it cannot be evaluated: `$lint(1)` has no answer\n"
        "-again it cannot be evaluated: `$lint(1)` has no answer\n");
}

TEST_CASE("a limit that is reached fails every rule, and says which it was") {
  Set set(
      "# Endless\n\nn(?x) -> ?x < 100\n\nn(1)\n\nn(?y) <- n(?x), ?y = ?x + 1\n\n"
      "# Fine\n\nn(?x) -> n(?x)\n");
  RuleSet::Options options;
  options.limits.max_rounds = 50;
  CHECK_THAT(set.Say("1", options),
             Catch::Contains("-endless it cannot be evaluated: the limit of rounds was reached") &&
                 Catch::Contains("-fine it cannot be evaluated: "));
}

TEST_CASE("now is what the caller says") {
  RuleSet::Options options;
  options.now = "2026-01-02T00:00:00Z";
  Set set("# Fresh\n\ncontent(_, ?t) -> ?t after now\n");
  CHECK(set.Say("\"2026-02-01T00:00:00Z\"", options) == std::string("+fresh ") + kFine);
  CHECK_THAT(set.Say("\"2025-02-01T00:00:00Z\"", options), Catch::Contains("-fresh violated"));
}

TEST_CASE("a goal that nobody asked for, and recursion through negation, are told") {
  CHECK_THAT(Set("# Odd\n\np(?x) <- content(_, ?x), not p(?x)\n\np(?x) -> false\n").Findings(),
             Catch::Contains("RPL3001"));
}

}  // namespace
}  // namespace rpl
