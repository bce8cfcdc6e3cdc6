// SPDX-License-Identifier: Apache-2.0
#include "checks/guard/guard.h"
#include "checks/guard/policy_image.h"
#include "checks/guard/policy_program.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <stdexcept>

#include "checks/guard/audit.h"
#include "checks/guard/policy_outlook.h"
#include "checks/guard/zone.h"
#include "checks/guard/zone_rule.h"
#include "formats/data/json_lines.h"
#include "formats/data/json_tree.h"
#include "formats/glob.h"
#include "interp/program/operators.h"
#include "interp/testing/testing_folder.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

// Each error as `line:column code message`, with its hint.
std::string ErrorsOf(const std::string& text) {
  Sources sources;
  Diagnostics found;
  const bool read = ReadPolicy(sources, sources.Add("policy.json", text), found).has_value();
  CHECK(read == !found.has_errors());
  std::string out;
  for (const Diagnostic& d : found.all()) {
    const Sources::Place place = sources.PlaceOf(d.span.file, d.span.begin);
    if (!out.empty()) out += '\n';
    out += std::to_string(place.line) + ":" + std::to_string(place.column) + " " +
           CodeText(d.code) + " " + d.message + (d.hint.empty() ? "" : " (" + d.hint + ")");
  }
  return out;
}

std::string WithCondition(const std::string& condition) {
  return R"([{"priority":1,"enabled":true,"name":"n",
"selector":{"phase":"tool.before","tool":{}},
"condition":)" +
         condition + R"(,
"effect":{"type":"block"}}])";
}

Guard GuardOf(const std::string& text, std::optional<Effect> unmatched = {}) {
  Sources sources;
  Diagnostics found;
  auto policy = ReadPolicy(sources, sources.Add("policy.json", text), found);
  if (policy) policy = PolicyOfImage(PolicyImage(*policy));  // as a hook reads it again
  REQUIRE(policy);
  GuardAgent agent;
  agent.unmatched = unmatched;
  return Guard(std::move(*policy), agent);
}

TEST_CASE("rules that depend on earlier calls are refused where nothing keeps them") {
  const auto errors = [](const std::string& text) {
    Sources sources;
    Diagnostics found;
    const bool read =
        ReadPolicy(sources, sources.Add("policy.json", text), found, false).has_value();
    CHECK(read == found.all().empty());
    std::string out;
    for (const Diagnostic& d : found.all()) out += CodeText(d.code) + " " + d.message + "\n";
    return out;
  };
  const std::string refused =
      "RPL7202 `rules[0].condition`: it depends on earlier calls, and nothing keeps them\n";
  const std::string calls =
      R"({"kind":"maxCalls","selector":{"by":"toolName","patterns":["*"]},"max":1})";
  for (const std::string& condition :
       {calls, R"({"kind":"not","not":)" + calls + "}",
        std::string(R"({"kind":"executionTime","scope":"total","op":"gt","ms":1})"),
        std::string(R"({"kind":"sequence","mustHaveCalled":["a"]})"),
        std::string(
            R"({"kind":"metricWindow","scope":"agent","metric":{"kind":"inbuilt",)"
            R"("key":"bytes_in"},"aggregate":"sum","windowSeconds":1,"op":"gt","value":1})")}) {
    INFO(condition);
    CHECK(errors(WithCondition(condition)) == refused);
  }
  CHECK(errors(WithCondition(R"({"kind":"toolName","op":"eq","value":"a"})")).empty());
  CHECK(errors(R"({"policy":{"enabled":false},"rules":)" + WithCondition(calls) + "}").empty());
}

struct NoSources : GuardSources {
  Sourced<ordered_json> Signal(const std::string&, const ordered_json&) override {
    return {std::nullopt, "none here"};
  }
  Sourced<std::vector<Subject>> Subjects(const GuardCall&) override {
    return {std::vector<Subject>(), ""};
  }
  Sourced<Review> FindReview(const ReviewRequest&) override { return {Review{}, ""}; }
  Sourced<bool> SpendReview(const Review&) override { return {true, ""}; }
  Sourced<Review> AskForReview(const ReviewRequest&) override {
    return {Review{Review::State::kPending, "1", ""}, ""};
  }
};

const char* const kAlways =
    R"({"kind":"maxCalls","selector":{"by":"toolName","patterns":["*"]},"max":0})";

std::string Hitl() {
  std::string text = WithCondition(kAlways);
  return text.replace(text.find("block"), 5, "hitl");
}

GuardCall CallOf(const std::string& tool) {
  GuardCall call;
  call.tool = tool;
  call.args = ordered_json::object();
  return call;
}

TEST_CASE("an approval that another call spent, or that cannot be spent, does not admit a call") {
  struct Approved : NoSources {
    Sourced<Review> FindReview(const ReviewRequest&) override {
      return {Review{Review::State::kApproved, "1", ""}, ""};
    }
    Sourced<bool> SpendReview(const Review&) override { return spent; }
    Sourced<bool> spent;
  } sources;
  Sources files;
  Diagnostics found;
  const auto policy = ReadPolicy(files, files.Add("policy.json", Hitl()), found);
  REQUIRE(policy);
  const Guard guard(*policy, {});
  History history;
  history.Begin("a", {});
  sources.spent = {true, ""};
  CHECK(guard.Decide(CallOf("a"), history, sources, 0).effect == Effect::kAllow);
  sources.spent = {false, ""};
  const Decision again = guard.Decide(CallOf("a"), history, sources, 0);
  CHECK(again.effect == Effect::kHitl);
  CHECK(again.review == "1");
  sources.spent = {std::nullopt, "the disk is full"};
  const Decision failed = guard.Decide(CallOf("a"), history, sources, 0);
  CHECK(failed.effect == Effect::kBlock);
  CHECK(failed.message.find("the disk is full") != std::string::npos);
}

TEST_CASE("the image of a policy that is cut off or longer is none") {
  Sources sources;
  Diagnostics found;
  const auto policy = ReadPolicy(sources, sources.Add("p.json", R"([
      {"priority": 1.5, "enabled": true, "name": "n", "onMissing": "hitl",
       "selector": {"phase": "tool.after", "tool": {"name": ["a", "b"], "tagsAny": ["t"]}},
       "condition": {"kind": "and", "all": [
         {"kind": "timeGate", "timezone": {"source": "enduserTag", "tag": "tz"},
          "windows": [{"days": ["sun"], "start": "22:00", "end": "05:00"}]},
         {"kind": "signal", "key": "risk", "op": "in", "value": "[1, 2]",
          "args": {"who": {"from": "enduserId"}, "c": {"from": "const", "value": {"x": [1]}}}},
         {"kind": "not", "not": {"kind": "toolTag", "op": "has", "tag": "x"}}]},
       "effect": {"type": "block", "reason": "r"}}])"),
                                 found);
  REQUIRE(policy);
  const std::string image = PolicyImage(*policy);
  const auto again = PolicyOfImage(image);
  REQUIRE(again);
  CHECK(PolicyImage(*again) == image);
  CHECK(again->rules.at(0).condition.size() == 5);
  CHECK_FALSE(PolicyOfImage(image + " "));
  for (std::size_t size = 0; size < image.size(); ++size)
    CHECK_FALSE(PolicyOfImage(std::string_view(image).substr(0, size)));
}

}  // namespace

TEST_CASE("mistakes in a policy are told with place, path and hint, all at once") {
  struct Case {
    std::string text;
    std::string errors;
  };
  const Case cases[] = {
      {"{",
       "1:2 RPL7001 this is not YAML: end of map flow not found (look here and above for a bracket "
       "or a quote that is not closed, or a `:` without blank)"},
      {"[1]", "1:2 RPL7007 `rules[0]`: expected a map, got `1` (write keys, each with a value)"},
      {"5", "1:1 RPL7007 expected a map, got `5` (write keys, each with a value)"},
      {R"({"policy":{"mode":"loud"},"rules":[]})",
       "1:19 RPL7007 `policy.mode`: expected `enforce`, `shadow` or `monitor`, got `loud` (write "
       "one of these words)"},
      {R"({"policy":{"combin":1},"rules":[]})",
       "1:12 RPL7004 `policy.combin`: unknown key (did you mean `combine`?)"},
      {R"({"rule":[],"policy":{}})",
       "1:1 RPL7006 `rules`: this is required (`[]` for none)\n"
       "1:2 RPL7004 `rule`: unknown key (did you mean `rules`?)"},
      {R"({"priority":"high","enabled":1,"name":"","selector":{},"condition":{"kind":"or"},"effect":{}})",
       "1:13 RPL7007 `rules[0].priority`: expected a number, got a string (write digits)\n"
       "1:30 RPL7007 `rules[0].enabled`: expected `true` or `false`, got `1` (write `true` or "
       "`false`)\n"
       "1:39 RPL7007 `rules[0].name`: expected a text, got an empty one (write one)\n"
       "1:53 RPL7006 `rules[0].selector.phase`: this is required (one of `tool.before` or "
       "`tool.after`)\n"
       "1:53 RPL7201 `rules[0].selector`: without `tool` the rule is never evaluated (write "
       "`\"tool\": {}` for every tool)\n"
       "1:68 RPL7006 `rules[0].condition.any`: this is required (add `any`)\n"
       "1:91 RPL7006 `rules[0].effect.type`: this is required (one of `allow`, `hitl` or "
       "`block`)"},
      {WithCondition(R"({"kind":"maxCall"})"),
       "3:21 RPL7007 `rules[0].condition.kind`: expected `enduserTag`, `executionTime`, "
       "`sequence`, `maxCalls`, `metricWindow`, `timeGate`, `signal`, `toolName`, `toolTag`, "
       "`toolArg`, `requireSubject`, `and`, `or` or `not`, got `maxCall` (did you mean "
       "`maxCalls`?)"},
      {WithCondition(
           R"({"kind":"toolArg","type":"number","op":"contains","path":"a","value":"5"})"),
       "3:52 RPL7007 `rules[0].condition.op`: expected `eq`, `neq`, `gt`, `gte`, `lt` or `lte`, "
       "got `contains` (write one of these words)\n"
       "3:82 RPL7007 `rules[0].condition.value`: expected a number, got a string (write digits, "
       "without quotes)"},
      {WithCondition(R"({"kind":"and","all":[{"kind":"not","not":{"kind":"sequence"}}]})"),
       "3:54 RPL7006 `rules[0].condition.all[0].not`: `mustHaveCalled` or `mustNotHaveCalled` is "
       "needed"},
      {WithCondition(
           R"({"kind":"timeGate","timezone":{"source":"enduserTag"},"windows":[{"days":["mon"],"start":"25:00","end":5}]})"),
       "3:43 RPL7006 `rules[0].condition.timezone.tag`: this is required (add `tag`)\n"
       "3:102 RPL7007 `rules[0].condition.windows[0].start`: expected a time from `00:00` to "
       "`23:59`, got `25:00`\n"
       "3:116 RPL7007 `rules[0].condition.windows[0].end`: expected a time from `00:00` to "
       "`23:59`, got `5`"},
      {WithCondition(R"({"kind":"signal","key":"k","args":{"a":{"from":"subject"}},"op":"eq"})"),
       "3:13 RPL7006 `rules[0].condition.value`: this is required (add `value`)\n"
       "3:52 RPL7006 `rules[0].condition.args.a.subjectType`: this is required (add "
       "`subjectType`)"},
      {WithCondition(R"({"kind":"sensitiveData"})"),
       "3:21 RPL7007 `rules[0].condition.kind`: sensitiveData is not supported: only the "
       "platform evaluates it"},
      {WithCondition(R"({"kind":"enduserTag","op":"has","tag":"a","onMissing":"ask"})"),
       "3:67 RPL7007 `rules[0].condition.onMissing`: expected `allow`, `hitl` or `block`, got "
       "`ask` (write one of these words)"},
      {WithCondition(R"({"kind":"toolName","op":"in","value":"a"})"),
       "3:50 RPL7007 `rules[0].condition.value`: expected a list, got a string (write its entries "
       "in brackets)"},
      {R"({"rules":[{"priority":1,"priority":2}]})",
       "1:11 RPL7006 `rules[0].condition`: this is required (add `condition`)\n"
       "1:11 RPL7006 `rules[0].effect`: this is required (add `effect`)\n"
       "1:11 RPL7006 `rules[0].enabled`: this is required (add `enabled`)\n"
       "1:11 RPL7006 `rules[0].name`: this is required (add `name`)\n"
       "1:11 RPL7006 `rules[0].selector`: this is required (add `selector`)\n"
       "1:25 RPL7005 `rules[0].priority` stands here for the second time (leave one of them out)"},
  };
  for (const Case& bad : cases) {
    INFO(bad.text);
    std::istringstream got(ErrorsOf(bad.text)), wanted(bad.errors);
    std::multiset<std::string> got_lines, wanted_lines;
    for (std::string line; std::getline(got, line);) got_lines.insert(line);
    for (std::string line; std::getline(wanted, line);) wanted_lines.insert(line);
    CHECK(got_lines == wanted_lines);
  }
}

TEST_CASE("a condition that lacks a part, or has one of another kind, is refused") {
  struct Case {
    std::string condition;
    std::multiset<std::string> errors;  // below the condition
  };
  const Case cases[] = {
      {"5", {"expected a map, got `5`"}},
      {R"({"kind":5})",
       {"kind: expected `enduserTag`, `executionTime`, `sequence`, `maxCalls`, `metricWindow`, "
        "`timeGate`, `signal`, `toolName`, `toolTag`, `toolArg`, `requireSubject`, `and`, `or` or "
        "`not`, got `5`"}},
      {R"({"kind":"not"})", {"not: this is required"}},
      {R"({"kind":"and","all":5})", {"all: expected a list, got `5`"}},
      {R"({"kind":"or","any":[]})", {"any: expected at least one condition, got an empty list"}},
      {R"({"kind":"enduserTag","tag":"a"})", {"op: this is required"}},
      {R"({"kind":"enduserTag","op":7,"tag":""})",
       {"op: expected `has`, `hasValue` or `hasValueAny`, got `7`",
        "tag: expected a text, got an empty one"}},
      {R"({"kind":"enduserTag","op":"hasValue","tag":"a"})", {"value: this is required"}},
      {R"({"kind":"enduserTag","op":"hasValue","tag":"a","value":5})",
       {"value: expected a string, got `5`"}},
      {R"({"kind":"enduserTag","op":"hasValueAny","tag":"a"})", {"values: this is required"}},
      {R"({"kind":"enduserTag","op":"hasValueAny","tag":"a","values":["b",5,""]})",
       {"values[1]: expected a string, got `5`", "values[2]: expected a text, got an empty one"}},
      {R"({"kind":"enduserTag","op":"hasValueAny","tag":"a","values":[]})",
       {"values: expected at least one entry, got an empty list"}},
      {R"({"kind":"executionTime","scope":"tool","op":"gt"})", {"ms: this is required"}},
      {R"({"kind":"executionTime","scope":"tool","op":"gt","ms":"5"})",
       {"ms: expected a whole number from 0 to 9007199254740992, got a string"}},
      {R"({"kind":"executionTime","scope":"tool","op":"gt","ms":1.5})",
       {"ms: expected a whole number from 0 to 9007199254740992, got `1.5`"}},
      {R"({"kind":"executionTime","scope":"tool","op":"gt","ms":1e300})",
       {"ms: expected a whole number from 0 to 9007199254740992, got `1e+300`"}},
      {R"({"kind":"sequence","mustNotHaveCalled":[{"by":"toolTag","tag":"x"}]})",
       {"mustNotHaveCalled[0]: an entry with `by` is not supported: it is newer than the published "
        "rules"}},
      {R"({"kind":"maxCalls","max":1})", {"selector: this is required"}},
      {R"({"kind":"maxCalls","max":1,"selector":["a"]})", {"selector: expected a map, got a list"}},
      {R"({"kind":"maxCalls","max":1,"selector":{"by":"toolTag","patterns":["a"]}})",
       {"selector.tags: this is required", "selector.patterns: unknown key"}},
      {R"({"kind":"metricWindow","scope":"agent","aggregate":"sum","windowSeconds":0,"op":"gt","value":1})",
       {"metric: this is required",
        "windowSeconds: expected a whole number from 1 to 10000000000, got `0`"}},
      {R"({"kind":"metricWindow","scope":"agent","metric":"cost","aggregate":"sum","windowSeconds":5,"op":"gt"})",
       {"value: this is required", "metric: expected a map, got a string"}},
      {R"({"kind":"metricWindow","scope":"run","metric":{"kind":"inbuilt","key":"cost"},"aggregate":"sum","windowSeconds":5,"op":"gt","value":1,"filter":"a"})",
       {"scope: run is not supported: it is newer than the published rules, expected `agent` or "
        "`agent_user`",
        "metric.key: expected `bytes_in`, `bytes_out`, `duration_ms`, `records_in` or "
        "`records_out`, got `cost`",
        "filter: expected a map, got a string"}},
      {R"({"kind":"timeGate"})", {"timezone: this is required", "windows: this is required"}},
      {R"({"kind":"timeGate","timezone":"UTC","windows":{}})",
       {"timezone: expected a map, got a string", "windows: expected a list, got a map"}},
      {R"({"kind":"timeGate","timezone":{"tag":"tz","fallback":"host"},"windows":[]})",
       {"timezone.source: this is required", "timezone.fallback: expected `org`, got `host`",
        "windows: expected at least one window, got an empty list"}},
      {R"({"kind":"timeGate","timezone":{"source":"enduserTag","tag":"tz"},"windows":["mon",{"days":"mon","start":"00:00"},{"days":[],"start":"24:00","end":"00:60"},{"days":["Mon"],"start":"0:00","end":"00:00"},{"end":"12:00"}]})",
       {"windows[0]: expected a map, got a string", "windows[1].end: this is required",
        "windows[1].days: expected a list, got a string",
        "windows[2].days: expected at least one day, got an empty list",
        "windows[2].start: expected a time from `00:00` to `23:59`, got `24:00`",
        "windows[2].end: expected a time from `00:00` to `23:59`, got `00:60`",
        "windows[3].days[0]: expected `mon`, `tue`, `wed`, `thu`, `fri`, `sat` or `sun`, got `Mon`",
        "windows[3].start: expected a time from `00:00` to `23:59`, got `0:00`",
        "windows[4].days: this is required", "windows[4].start: this is required"}},
      {R"({"kind":"signal","op":"eq","value":1})",
       {"key: this is required", "args: this is required"}},
      {R"({"kind":"signal","key":"k","op":"eq","value":1,"args":[]})",
       {"args: expected a map, got a list"}},
      {R"({"kind":"signal","key":"k","op":"eq","value":1,"args":{"a":5,"b":{},"c":{"from":"const"},"d":{"from":"enduserId","tag":"x"}}})",
       {"args.a: expected a map, got `5`", "args.b.from: this is required",
        "args.c.value: this is required", "args.d.tag: unknown key"}},
      {R"({"kind":"toolName","op":"eq"})", {"value: this is required"}},
      {R"({"kind":"toolTag","op":"anyOf","tag":"x"})",
       {"tags: this is required", "tag: unknown key"}},
      {R"({"kind":"toolArg","type":"string","op":"eq","path":"a"})", {"value: this is required"}},
      {R"({"kind":"toolArg","type":"boolean","op":"gt","path":"a","value":"true"})",
       {"op: expected `eq` or `neq`, got `gt`", "value: expected `true` or `false`, got a string"}},
      {R"({"kind":"toolArg","type":"string","op":"in","path":"a","value":5})",
       {"value: expected a list, got `5`"}},
      {R"({"kind":"toolArg","type":"string","op":"eq","path":"a","value":["b"]})",
       {"value: expected a string, got a list"}},
      {R"({"kind":"toolArg","type":"string","op":"regex","path":"","value":"b"})",
       {"op: regex is not supported: it is newer than the published rules, expected `eq`, `neq`, "
        "`contains`, `startsWith`, `endsWith` or `in`",
        "path: expected a text, got an empty one"}},
      {R"({"kind":"requireSubject","idSystem":""})",
       {"subjectType: this is required", "idSystem: expected a text, got an empty one"}},
  };
  for (const Case& bad : cases) {
    INFO(bad.condition);
    Sources sources;
    Diagnostics found;
    const std::string text = WithCondition(bad.condition);
    CHECK_FALSE(ReadPolicy(sources, sources.Add("policy.json", text), found));
    std::multiset<std::string> got;
    for (const Diagnostic& d : found.all()) {
      static const std::string kAt = "`rules[0].condition";
      REQUIRE(d.message.starts_with(kAt));
      const std::size_t end = d.message.find('`', kAt.size());
      const std::size_t begin = kAt.size() + (d.message[kAt.size()] == '.' ? 1 : 0);
      got.insert(end == begin ? d.message.substr(end + 3)
                              : d.message.substr(begin, end - begin) + d.message.substr(end + 1));
    }
    CHECK(got == bad.errors);
  }
}

TEST_CASE("two rules of one id are refused, of one name numbered; nesting has a limit") {
  const std::string rule = WithCondition(kAlways);
  const std::string one = rule.substr(1, rule.size() - 2);
  const std::string with_id = R"({"id":"r",)" + one.substr(1);
  CHECK_THAT(ErrorsOf("[" + with_id + "," + with_id + "]"),
             Catch::Contains("`rules[1].id`: `r` is the id of an earlier rule"));
  std::string ids;
  const std::string numbered = std::string(one).replace(one.find(R"("n")"), 3, R"("n#1")");
  const Guard guard = GuardOf("[" + one + "," + one + "," + numbered + "," + with_id + "]");
  for (const GuardRule& each : guard.policy().rules) ids += each.id + " ";
  CHECK(ids == "n#2 n#3 n#1 r ");
  std::string deep = kAlways;
  for (int i = 0; i < 440; ++i) deep = R"({"kind":"not","not":)" + deep + "}";
  CHECK(ErrorsOf(WithCondition(deep)) == "");
  for (int i = 0; i < 10; ++i) deep = R"({"kind":"not","not":)" + deep + "}";
  CHECK_THAT(
      ErrorsOf(WithCondition(deep)),
      Catch::Contains("RPL7003 nested deeper than 450 (write it with fewer brackets or levels)"));
  CHECK_THAT(ErrorsOf(WithCondition(std::string(20'000, '[') + std::string(20'000, ']'))),
             Catch::Contains("RPL7003"));
}

TEST_CASE("a guard that fails blocks and says so") {
  History history;
  SECTION("a source throws") {
    struct Throws : NoSources {
      Sourced<std::vector<Subject>> Subjects(const GuardCall&) override {
        throw std::runtime_error("no memory");
      }
    } sources;
    const Decision decision =
        GuardOf(WithCondition(kAlways)).Decide(CallOf("t"), history, sources, 0);
    CHECK(decision.effect == Effect::kBlock);
    CHECK(decision.Stops());
    CHECK(decision.cause == Decision::Cause::kFailure);
    CHECK(decision.message == "the guard failed: no memory");
  }
  SECTION("reviews cannot be read") {
    struct Unreadable : NoSources {
      Sourced<Review> FindReview(const ReviewRequest&) override { return {std::nullopt, "gone"}; }
    } sources;
    const Decision decision = GuardOf(Hitl()).Decide(CallOf("t"), history, sources, 0);
    CHECK(decision.effect == Effect::kBlock);
    CHECK(decision.message == "the guard failed: the reviews cannot be read: gone");
  }
  SECTION("a review cannot be kept") {
    struct Full : NoSources {
      Sourced<Review> AskForReview(const ReviewRequest&) override { return {std::nullopt, "full"}; }
    } sources;
    const Decision decision = GuardOf(Hitl()).Decide(CallOf("t"), history, sources, 0);
    CHECK(decision.effect == Effect::kBlock);
    CHECK(decision.message == "the guard failed: the review cannot be kept: full");
  }
}

TEST_CASE("whatever a source throws, the guard blocks") {
  struct Throws : NoSources {
    Sourced<std::vector<Subject>> Subjects(const GuardCall&) override { throw 5; }
  } sources;
  const Decision decision =
      GuardOf(WithCondition(kAlways)).Decide(CallOf("t"), History(), sources, 0);
  CHECK(decision.effect == Effect::kBlock);
  CHECK(decision.message == "the guard failed: an unknown error");
}

TEST_CASE("in shadow mode no review is asked for, and no approval is spent") {
  struct Reviews : NoSources {
    Sourced<Review> FindReview(const ReviewRequest&) override { return {known, ""}; }
    Sourced<bool> SpendReview(const Review&) override { return ++used, Sourced<bool>{true, ""}; }
    Sourced<Review> AskForReview(const ReviewRequest&) override {
      return ++used, Sourced<Review>{Review{Review::State::kPending, "1", ""}, ""};
    }
    Review known;
    int used = 0;
  } sources;
  const Guard guard = GuardOf(R"({"policy":{"mode":"shadow"},"rules":)" + Hitl() + "}");
  const Decision held = guard.Decide(CallOf("t"), History(), sources, 0);
  CHECK(held.effect == Effect::kHitl);
  CHECK_FALSE(held.Holds());
  CHECK(held.review == "");
  sources.known = {Review::State::kApproved, "1", ""};
  const Decision approved = guard.Decide(CallOf("t"), History(), sources, 0);
  CHECK(approved.effect == Effect::kAllow);
  CHECK(approved.review == "1");
  CHECK(sources.used == 0);
}

TEST_CASE("what the host does with unmatched calls") {
  struct Reviews : NoSources {
    Sourced<Review> FindReview(const ReviewRequest& request) override {
      found.push_back(request.rule);
      return {known, ""};
    }
    Sourced<bool> SpendReview(const Review&) override { return ++spent, Sourced<bool>{left, ""}; }
    Sourced<Review> AskForReview(const ReviewRequest& request) override {
      asked.push_back(request.rule + ": " + request.message);
      return {Review{Review::State::kPending, "1", ""}, ""};
    }
    Review known;
    bool left = true;
    int spent = 0;
    std::vector<std::string> found, asked;
  } sources;
  const auto decided = [&](const std::string& policy, Effect unmatched,
                           CallPhase phase = CallPhase::kBefore) {
    GuardCall call = CallOf("t");
    call.phase = phase;
    return GuardOf(policy, unmatched).Decide(call, History(), sources, 0);
  };
  CHECK(decided("[]", Effect::kAllow).granted);
  const Decision blocked = decided("[]", Effect::kBlock);
  CHECK(blocked.cause == Decision::Cause::kNoRule);
  CHECK(blocked.message == "no rule of the policy allows `t`");
  CHECK(sources.found.empty());

  const std::string request = "--default: no rule of the policy allows `t`";
  const Decision held = decided("[]", Effect::kHitl);
  CHECK(held.Holds());
  CHECK(held.cause == Decision::Cause::kPending);
  CHECK(held.review == "1");
  CHECK(sources.found == std::vector<std::string>{"--default"});
  CHECK(sources.asked == std::vector<std::string>{request});
  sources.known = {Review::State::kApproved, "1", ""};
  const Decision approved = decided("[]", Effect::kHitl);
  CHECK_FALSE(approved.Stops());
  CHECK(approved.granted);
  CHECK(approved.review == "1");
  CHECK(sources.spent == 1);
  sources.left = false;
  CHECK(decided("[]", Effect::kHitl).Holds());
  CHECK(sources.asked == std::vector<std::string>{request, request});
  sources.known = {Review::State::kDenied, "1", "no"};
  const Decision denied = decided("[]", Effect::kHitl);
  CHECK(denied.effect == Effect::kBlock);
  CHECK(denied.cause == Decision::Cause::kDenied);
  CHECK(denied.message == "denied: no");
  sources.known = {};

  sources.found.clear();
  for (const Effect unmatched : {Effect::kAllow, Effect::kHitl, Effect::kBlock}) {
    CHECK_FALSE(decided(R"({"policy":{"mode":"shadow"},"rules":[]})", unmatched).Stops());
    CHECK_FALSE(decided("[]", unmatched, CallPhase::kAfter).Stops());
    CHECK(decided(WithCondition(kAlways), unmatched).cause == Decision::Cause::kRule);
  }
  CHECK(sources.found.empty());
  const std::vector<ReviewRequest> open = GuardOf(Hitl(), Effect::kHitl).ReviewsBefore(CallOf("t"));
  REQUIRE(open.size() == 2);
  CHECK(open[1].rule == "--default");
}

TEST_CASE("the first constraint of a program that blocks decides, before all rules") {
  struct Counts : NoSources {
    int asked = 0;
    Sourced<std::vector<Subject>> Subjects(const GuardCall&) override {
      return ++asked, Sourced<std::vector<Subject>>{std::vector<Subject>(), ""};
    }
  } sources;
  const Guard guard =
      GuardOf(R"({"policy":{"mode":"shadow"},"rules":)" + WithCondition(kAlways) + "}");
  const std::vector<NativeFinding> found = {{"told", false, "no matter", {}},
                                            {"first", true, "not so", {"?x is 1"}},
                                            {"second", true, "nor so", {"?x is 2"}}};
  const Decision decision = guard.Decide(CallOf("t"), History(), sources, 0, found);
  CHECK(decision.Stops());
  CHECK(decision.rule == "first");
  CHECK(decision.message == "not so");
  CHECK(decision.premises == std::vector<std::string>{"?x is 1"});
  REQUIRE(decision.rules.size() == 4);
  CHECK_FALSE(decision.rules[0].violated);
  CHECK(decision.rules[2].violated);
  CHECK_FALSE(decision.rules[3].evaluated);
  CHECK(decision.rules[3].note == "a block came before it");
  CHECK(sources.asked == 0);
  const Decision passes = guard.Decide(CallOf("t"), History(), sources, 0, {found[0]});
  CHECK_FALSE(passes.Stops());
}

TEST_CASE("a tag that has two values gives neither a zone nor an argument of a signal") {
  struct Asked : NoSources {
    std::string args;
    Sourced<ordered_json> Signal(const std::string&, const ordered_json& given) override {
      args = given.dump();
      return {ordered_json(1), ""};
    }
  } sources;
  GuardCall call = CallOf("t");
  call.user.emplace();  // without an id
  call.user->tags = {{"tz", "UTC"}, {"tier", "pro"}};
  const Guard gate = GuardOf(WithCondition(
      R"({"kind":"timeGate","timezone":{"source":"enduserTag","tag":"tz"},"windows":[)"
      R"({"days":["mon","tue","wed","thu","fri","sat","sun"],"start":"00:00","end":"23:59"}]})"));
  const Guard signal = GuardOf(WithCondition(
      R"({"kind":"signal","key":"s","op":"eq","value":1,"args":{"id":{"from":"enduserId"},)"
      R"("tz":{"from":"enduserTag","tag":"tz"},"tier":{"from":"enduserTag","tag":"tier"}}})"));
  CHECK(gate.Decide(call, History(), sources, 0).effect == Effect::kBlock);
  CHECK(signal.Decide(call, History(), sources, 0).effect == Effect::kBlock);
  CHECK(sources.args == R"({"tz":"UTC","tier":"pro"})");
  call.user->disputed = {"tz"};
  const Decision decision = gate.Decide(call, History(), sources, 0);
  CHECK(decision.effect == Effect::kAllow);
  CHECK(decision.rules.at(0).unknown);
  signal.Decide(call, History(), sources, 0);
  CHECK(sources.args == R"({"tier":"pro"})");
}

TEST_CASE("subjects that are not available are no argument of a signal, and are told") {
  struct Down : NoSources {
    Sourced<ordered_json> Signal(const std::string&, const ordered_json& args) override {
      return {args, ""};
    }
    Sourced<std::vector<Subject>> Subjects(const GuardCall&) override {
      return {std::nullopt, "it is down"};
    }
  } sources;
  const Guard guard =
      GuardOf(WithCondition(R"({"kind":"signal","key":"s","op":"eq","value":{},)"
                            R"("args":{"who":{"from":"subject","subjectType":"customer"}}})"));
  const Decision decision = guard.Decide(CallOf("t"), History(), sources, 0);
  CHECK(decision.effect == Effect::kBlock);
  CHECK(decision.premises == std::vector<std::string>{"signal s is {}: true"});
  CHECK(decision.problems ==
        std::vector<std::string>{"the subjects of t are not available: it is down"});
}

TEST_CASE("rules that are switched off or for other agents are not in play") {
  const std::string off = R"({"policy":{"enabled":false},"rules":)" + Hitl() + "}";
  std::string disabled = Hitl(), toolless = Hitl();
  disabled.replace(disabled.find("\"enabled\":true"), 14, "\"enabled\":false");
  toolless.replace(toolless.find(",\"tool\":{}"), 10, "");
  const GuardCall call = CallOf("t");
  CHECK(GuardOf(Hitl()).ReviewsBefore(call).size() == 1);
  CHECK(GuardOf(Hitl()).ReadsHistory());
  for (const std::string& text : {off, disabled, toolless}) {
    INFO(text);
    NoSources sources;
    const Guard guard = GuardOf(text);
    CHECK(guard.ReviewsBefore(call).empty());
    CHECK_FALSE(guard.ReadsHistory());
    CHECK(guard.Decide(call, History(), sources, 0).effect == Effect::kAllow);
  }
  CHECK(GuardOf(Hitl()).Find("none") == nullptr);
}

TEST_CASE("an effect has one name") {
  for (const Effect effect : {Effect::kAllow, Effect::kHitl, Effect::kBlock})
    CHECK(EffectNamed(EffectName(effect)) == effect);
  CHECK_FALSE(EffectNamed("deny"));
}

TEST_CASE("a rule asks for the subjects only when one is in play") {
  struct Counts : NoSources {
    int asked = 0;
    Sourced<std::vector<Subject>> Subjects(const GuardCall&) override {
      ++asked;
      return {std::vector<Subject>(), ""};
    }
  } sources;
  History history;
  std::string text = WithCondition(kAlways);
  text.replace(text.find("\"tool\":{}"), 9, R"("tool":{"name":"u"})");
  const Guard guard = GuardOf(text);
  guard.Decide(CallOf("t"), history, sources, 0);
  CHECK(sources.asked == 0);
  guard.Decide(CallOf("U"), history, sources, 0);
  CHECK(sources.asked == 1);
}

TEST_CASE("globs are whole, without case, and linear") {
  CHECK(GlobMatches("*", ""));
  CHECK(GlobMatches("a*b*c", "AxxBxxC"));
  CHECK(GlobMatches("*Ä*", "xäx"));
  CHECK(GlobMatches("Ж?\xFF*", "ж?\xFFy"));  // not UTF-8
  CHECK_FALSE(GlobMatches("Ж", "\xD0"));
  CHECK_FALSE(GlobMatches("k", "\u212A"));  // the sign of the kelvin
  CHECK(GlobMatches("**a**", "xax"));
  CHECK_FALSE(GlobMatches("a", "ab"));
  CHECK_FALSE(GlobMatches("a*b", "ac"));
  CHECK_FALSE(GlobMatches("", "a"));
  const std::string many(50'000, 'a');
  CHECK_FALSE(GlobMatches("*a*a*a*a*a*b", many));
}

TEST_CASE("zones know daylight saving, whatever the case of their names") {
  const auto at = [](const char* time, const char* zone) {
    const auto local = LocalTimeAt(*ParseInstant(time), zone);
    return local ? local->day * 1440 + local->minute : -1;
  };
  CHECK(at("2024-03-31T00:59:00Z", "europe/berlin") == 6 * 1440 + 60 + 59);
  CHECK(at("2024-03-31T01:00:00Z", "Europe/Berlin") == 6 * 1440 + 3 * 60);
  CHECK(at("1969-12-31T23:59:59Z", "utc") == 2 * 1440 + 23 * 60 + 59);
  CHECK(at("2024-01-01T00:00:00Z", "../etc/passwd") == -1);
  CHECK(at("2024-01-01T00:00:00Z", "") == -1);
  CHECK(at("2024-01-01T00:00:00Z", "localtime") == -1);
  CHECK(MomentText(*ParseInstant("2024-02-29T01:02:03.456Z")) == "2024-02-29T01:02:03.456Z");
}

// The rule at the end of the data says what the data list for years before: so it is read as the
// library that made them does. Debian's data list the changes up to 2037.
TEST_CASE("the rule at the end of a zone's data gives the daylight saving time of later years") {
  const std::filesystem::path folder = "/usr/share/zoneinfo";
  const std::int64_t begin = *ParseInstant("2030-01-01T00:00:00Z") / kSecond;
  const std::int64_t end = *ParseInstant("2037-12-01T00:00:00Z") / kSecond;
  // Their data list changes by the calendar of the moon for further years.
  const std::set<std::string> listed = {"Asia/Gaza", "Asia/Hebron", "Africa/Casablanca",
                                        "Africa/El_Aaiun"};
  std::size_t compared = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string zone = entry.path().lexically_relative(folder);
    if (!entry.is_regular_file() || zone.starts_with("posix/") || zone.starts_with("right/") ||
        listed.contains(zone) || !LocalTimeAt(begin * kSecond, zone))
      continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string data(std::istreambuf_iterator<char>(file), {});
    const std::size_t last = data.rfind('\n');
    if (!data.starts_with("TZif") || last == data.npos) continue;
    const std::size_t before = data.rfind('\n', last - 1);
    const std::string text = data.substr(before + 1, last - before - 1);
    const auto rule = ZoneRule::Parse(text);
    INFO(zone << " " << text);
    REQUIRE(rule);
    for (std::int64_t at = begin; at < end; at += 31 * 3600, ++compared) {
      const auto local = LocalTimeAt(at * kSecond, zone);
      const std::int64_t own = at + rule->OffsetAt(at);
      if (local && local->day == (own / 86'400 + 3) % 7 && local->minute == own % 86'400 / 60)
        continue;
      FAIL(MomentText(at * kSecond));
    }
  }
  CHECK(compared > 100'000);
  const auto minute = [](const char* time, const char* zone) {
    return LocalTimeAt(*ParseInstant(time), zone)->minute;
  };
  CHECK(minute("2037-07-06T12:00:00Z", "Europe/Berlin") == 14 * 60);
  CHECK(minute("2038-07-05T12:00:00Z", "Europe/Berlin") == 14 * 60);
  CHECK(minute("2038-01-05T12:00:00Z", "Europe/Berlin") == 13 * 60);
  CHECK(minute("2099-01-05T12:00:00Z", "Australia/Lord_Howe") == 23 * 60);
  CHECK(minute("2099-07-05T12:00:00Z", "Australia/Lord_Howe") == 22 * 60 + 30);
}

TEST_CASE("a zone rule is read as far as it is one") {
  const auto offset = [](const char* rule, const char* time) {
    const auto read = ZoneRule::Parse(rule);
    REQUIRE(read);
    return read->OffsetAt(*ParseInstant(time) / kSecond);
  };
  CHECK(offset("<+0330>-3:30", "2050-01-01T00:00:00Z") == 12'600);
  CHECK(offset("XXX3EDT4,0/0,J365/23", "2050-07-01T00:00:00Z") == -4 * 3600);
  CHECK(offset("EST5EDT,M3.2.0,M11.1.0", "2050-03-13T06:59:59Z") == -5 * 3600);
  CHECK(offset("EST5EDT,M3.2.0,M11.1.0", "2050-03-13T07:00:00Z") == -4 * 3600);
  CHECK(offset("AAA0BBB,J60/0,J61/0", "2048-03-01T00:00:00Z") == 3600);  // in a leap year, too
  CHECK(offset("AAA0BBB,59/0,60/0", "2048-02-29T00:00:00Z") == 3600);
  for (const char* wrong :
       {"", "CET", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0",
        "CET-1CEST,M3.6.0,M1.1.0", "CET-1CEST,M3.5.7,M10.5.0", "CET-1CEST,J0,J5", "CET-1CEST,366,5",
        "<CET-1", "CET-1CEST,M3.5.0,M10.5.0x", "CET99999999999", "CET-1:CEST"})
    CHECK_FALSE(ZoneRule::Parse(wrong));
}

TEST_CASE("content is the same whatever the order of keys and the spelling of numbers") {
  const auto json = [](const char* text) { return ordered_json::parse(text); };
  CHECK(SameContent(json(R"({"a":1,"b":[2.0]})"), json(R"({"b":[2],"a":1.0})")));
  CHECK_FALSE(SameContent(json("\"1\""), json("1")));
  CHECK(CanonicalText(json(R"({"b":null,"a":{"d":1e3,"c":0.5}})")) ==
        R"({"a":{"c":0.5,"d":1000},"b":null})");
  CHECK(*AtPath(json(R"({"a":[{"b":7}]})"), "a.0.b") == 7);
  CHECK(AtPath(json(R"({"a":[1]})"), "a.1") == nullptr);
  CHECK(AtPath(json(R"({"a":[1]})"), "a.-1") == nullptr);
}

TEST_CASE("audit: times never go back, and a log gives back the history it was written from") {
  AuditRun run("r1", "u1");
  const Moment noon = *ParseInstant("2024-01-15T12:00:00Z");
  std::vector<ordered_json> events = {run.Started({"support", {}, ""}, "p.json", noon)};
  PastCall past{"t", {"x"}, true, 20, noon, "u1", {{"bytes_out", 5}, {"cost", 2.5}}};
  events.push_back(run.Result(0, past, "it broke", noon - kSecond));
  CHECK(events[1]["ts"] == "2024-01-15T12:00:00.000Z");
  CHECK(events[1]["data"]["durationMs"].is_number_integer());
  MetricWindowLeaf cost;
  cost.key = "cost";
  cost.window_seconds = 60;
  const auto sum = [&](const std::string& this_run, const std::string& agent) {
    History history;
    ReadHistory(events, this_run, agent, history);
    return std::pair(*history.Metric(cost, "u1", noon), history.Called("T", false));
  };
  CHECK(sum("r1", "support") == std::pair(2.5, true));
  CHECK(sum("r2", "support") == std::pair(2.5, false));
  CHECK(sum("r2", "sales") == std::pair(0.0, false));
}

TEST_CASE("a rule reads as RPL") {
  const std::string text = WithCondition(
      R"({"kind":"or","any":[{"kind":"not","not":{"kind":"enduserTag","op":"hasValue","tag":"p","value":"a\"b"}},{"kind":"and","all":[{"kind":"toolArg","type":"number","op":"gt","path":"n","value":5},{"kind":"toolTag","op":"has","tag":"PII"}]}]})");
  CHECK(PolicyAsRpl(GuardOf(text), "n") ==
        "-- n: block, priority 1\n"
        "guards(\"n\", :block) <-\n"
        "    call(?tool, :before),\n"
        "    (not (((end-user-tag(\"p\", ?v2), ?v2 in [\"a\\\"b\"]) | disputed-tag(\"p\"))) | "
        "((argument(\"n\", :number, ?v1), ?v1 > 5), tag(\"pii\")))\n");
}

TEST_CASE("the numbers of a policy are exact") {
  struct Case {
    const char* test;  // op and value
    const char* args;
    Effect effect;
  };
  const Case cases[] = {
      {R"("op":"eq","value":9007199254740993)", R"({"a":9007199254740993})", Effect::kBlock},
      {R"("op":"eq","value":9007199254740993)", R"({"a":9007199254740992})", Effect::kAllow},
      {R"("op":"eq","value":9007199254740993)", R"({"a":9007199254740992.0})", Effect::kAllow},
      {R"("op":"neq","value":-9007199254740993)", R"({"a":-9007199254740992})", Effect::kBlock},
      {R"("op":"gte","value":9223372036854775807)", R"({"a":9223372036854775807})", Effect::kBlock},
      {R"("op":"gt","value":9223372036854775807)", R"({"a":9223372036854775808})", Effect::kBlock},
      {R"("op":"eq","value":18446744073709551615)", R"({"a":18446744073709551615})",
       Effect::kBlock},
      {R"("op":"lt","value":18446744073709551615)", R"({"a":18446744073709551614})",
       Effect::kBlock},
      {R"("op":"eq","value":0.1)", R"({"a":0.1})", Effect::kBlock},
  };
  NoSources sources;
  for (const auto& [test, args, effect] : cases) {
    INFO(test << " " << args);
    const std::string condition =
        R"({"kind":"toolArg","type":"number","path":"a",)" + std::string(test) + "}";
    GuardCall call = CallOf("t");
    call.args = ordered_json::parse(args);
    for (const char* blank : {"", "# YAML\n"}) {
      const Guard guard = GuardOf(blank + WithCondition(condition));
      CHECK(guard.Decide(call, {}, sources, 0).effect == effect);
    }
  }
  const auto metric = [&](const std::string& value, double sum) {
    PastCall past;
    past.metrics["cost"] = sum;
    History history;
    history.Add(past, true);
    const Guard guard = GuardOf(WithCondition(
        R"({"kind":"metricWindow","scope":"agent","metric":{"kind":"custom","key":"cost"},)"
        R"("aggregate":"sum","windowSeconds":9,"op":"gte","value":)" +
        value + "}"));
    return guard.Decide(CallOf("t"), history, sources, 0).effect;
  };
  CHECK(metric("9007199254740993", 9007199254740992) == Effect::kAllow);
  CHECK(metric("9007199254740993", 9007199254740994) == Effect::kBlock);
  CHECK_THAT(ErrorsOf(WithCondition(R"({"kind":"executionTime","scope":"total","op":"gt",)"
                                    R"("ms":9007199254740993})")),
             Catch::Contains("expected a whole number from 0 to 9007199254740992"));

  // Of two rules the one with the higher priority decides, though their floats are the same.
  std::string low = WithCondition(kAlways), high = low;
  low.replace(low.find(":1,"), 3, ":9007199254740992,").replace(low.find("\"n\""), 3, "\"low\"");
  high.replace(high.find(":1,"), 3, ":9007199254740993,")
      .replace(high.find("\"n\""), 3, "\"high\"");
  const Guard both = GuardOf(low.substr(0, low.size() - 1) + "," + high.substr(1));
  CHECK(both.Decide(CallOf("t"), {}, sources, 0).rule == "high");
  CHECK_THAT(PolicyAsRpl(both), Catch::Contains("priority 9007199254740993"));
  CHECK_THAT(
      PolicyAsRpl(GuardOf(WithCondition(
          R"({"kind":"toolArg","type":"number","path":"a","op":"gt","value":9007199254740993})"))),
      Catch::Contains("> 9007199254740993"));
  CHECK_FALSE(SameContent(9007199254740993, 9007199254740992.0));
  CHECK(SameContent(ordered_json::array({9007199254740992}),
                    ordered_json::array({9007199254740992.0})));
  CHECK_FALSE(SameContent(UINT64_MAX, -1));
}

// Kinds, values and places, a line each.
std::string TreeText(const YamlNode& node, int depth = 0) {
  std::string out = std::string(static_cast<std::size_t>(depth), ' ') +
                    std::to_string(node.span.begin) + "-" + std::to_string(node.span.end) + " " +
                    node.scalar.dump() + "\n";
  for (const YamlNode& item : node.items) out += TreeText(item, depth + 1);
  for (const auto& [key, value] : node.entries)
    out += TreeText(key, depth + 1) + TreeText(value, depth + 1);
  return out;
}

TEST_CASE("what a policy says about a tool before there is a call") {
  const auto rule = [](const std::string& condition, const std::string& effect,
                       const std::string& phase = "tool.before", const std::string& more = "") {
    static int number = 0;
    return R"({"priority":1,"enabled":true,"name":"n)" + std::to_string(++number) +
           R"(","selector":{"phase":")" + phase + R"(","tool":{"name":"write*"}},"condition":)" +
           condition + R"(,"effect":{"type":")" + effect + "\"}" + more + "}";
  };
  const auto guard = [](const std::string& rules, const std::string& policy = "{}",
                        std::optional<Effect> unmatched = {}) {
    return GuardOf(R"({"policy":)" + policy + R"(,"rules":[)" + rules + "]}", unmatched);
  };
  const auto strict = [&](const std::string& rules) { return guard(rules, "{}", Effect::kBlock); };
  const GuardedTool write{"write_file", {"fs"}}, read{"read_file", {}};
  const std::string name = R"({"kind":"toolName","op":"contains","value":"file"})";
  const std::string arg =
      R"({"kind":"toolArg","type":"string","op":"eq","path":"to.path","value":"x"})";
  CHECK(NeverAllows(guard(rule(name, "block")), write));
  CHECK_FALSE(NeverAllows(guard(rule(name, "block")), read));
  CHECK_FALSE(NeverAllows(guard(rule(name, "hitl")), write));
  CHECK_FALSE(NeverAllows(guard(rule(arg, "block")), write));
  CHECK_FALSE(NeverAllows(guard(rule(R"({"kind":"not","not":)" + arg + "}", "block")), write));
  CHECK(NeverAllows(guard(rule(R"({"kind":"or","any":[)" + arg + "," + name + "]}", "block")),
                    write));
  CHECK_FALSE(NeverAllows(
      guard(rule(R"({"kind":"and","all":[)" + arg + "," + name + "]}", "block")), write));
  CHECK_FALSE(NeverAllows(guard(rule(name, "block"), R"({"mode":"shadow"})"), write));
  CHECK_FALSE(NeverAllows(guard(rule(name, "block"), R"({"enabled":false})"), write));
  CHECK_FALSE(NeverAllows(guard(rule(name, "block", "tool.after")), write));

  CHECK(NeverAllows(strict(""), write));
  CHECK_FALSE(NeverAllows(strict(rule(arg, "allow")), write));
  CHECK_FALSE(NeverAllows(strict(rule(arg, "hitl")), write));
  CHECK(NeverAllows(strict(rule(arg, "allow")), read));
  CHECK_FALSE(
      NeverAllows(strict(rule(arg, "block", "tool.before", R"(,"onMissing":"allow")")), write));

  const Guard both = guard(rule(arg, "block") + "," + rule(name, "block", "tool.after"));
  CHECK(ReadArguments(both, write) == std::set<std::string>{"path", "to"});
  CHECK(ReadArguments(both, read).empty());
  CHECK(MayWithhold(both, write));
  CHECK_FALSE(MayWithhold(both, read));
}

TEST_CASE("JSON read fast is the tree that the YAML reader makes of it") {
  std::vector<std::string> texts = {"[]",
                                    "{}",
                                    " [ 1 ,-2.5e3,\"a\\\"b\", true,false ]\n",
                                    "{\"a\" : {\"b\":[ [ ] , { } ,12]} ,\"c\":\"\xc3\xa4\"}",
                                    "[1,2\n,3]",
                                    "[ 0 , 5]"};
  for (const char* name : {"support-policy.json", "refund-policy.json"}) {
    std::ifstream in(std::string(RPL_EXAMPLES) + "/guard/" + name);
    std::stringstream text;
    text << in.rdbuf();
    REQUIRE_FALSE(text.str().empty());
    texts.push_back(text.str());
  }
  for (const std::string& text : texts) {
    INFO(text);
    Sources sources;
    Diagnostics found;
    const std::uint32_t file = sources.Add("a.json", text);
    const auto fast = ReadJsonTree(sources, file, kPolicyLimits);
    const auto slow = ReadYaml(sources, file, found, kPolicyLimits);
    REQUIRE(fast);
    REQUIRE(slow);
    CHECK(TreeText(*fast) == TreeText(*slow));
  }
  for (const char* bad : {"", "a: 1", "{\"a\":1,\"a\":2}", "[1", "[1] [2]", "[1,]"}) {
    Sources sources;
    CHECK_FALSE(ReadJsonTree(sources, sources.Add("a.json", bad), kPolicyLimits));
  }
}

}  // namespace rpl
