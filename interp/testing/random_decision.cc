// SPDX-License-Identifier: Apache-2.0
#include "interp/testing/random_decision.h"

#include <fmt/format.h>

#include <map>
#include <random>

#include "checks/guard/policy_program.h"
#include "interp/program/operators.h"
#include "runtime/nobody.h"
#include "runtime/run/session.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

// What a random decision reads, with reviews and signals that are there or not.
struct World : GuardSources {
  std::map<std::string, ordered_json> signals;
  std::optional<std::vector<Subject>> subjects;
  std::map<std::string, Review::State> reviews;

  Sourced<ordered_json> Signal(const std::string& key, const ordered_json&) override {
    const auto found = signals.find(key);
    if (found == signals.end()) return {std::nullopt, "none"};
    return {found->second, ""};
  }
  Sourced<std::vector<Subject>> Subjects(const GuardCall&) override { return {subjects, "none"}; }
  Sourced<Review> FindReview(const ReviewRequest& request) override {
    const auto found = reviews.find(request.rule);
    return {Review{found == reviews.end() ? Review::State::kUnasked : found->second, "id", ""}, ""};
  }
  Sourced<Review> AskForReview(const ReviewRequest&) override {
    return {Review{Review::State::kPending, "id", ""}, ""};
  }
  Sourced<bool> SpendReview(const Review&) override { return {true, ""}; }
};

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  // Mostly small conditions, of all kinds of leaves.
  ordered_json Condition(int depth) {
    const std::size_t kind = Below(depth > 0 ? 16 : 11);
    ordered_json out;
    if (kind >= 14) {
      out = {{"kind", "not"}, {"not", Condition(depth - 1)}};
    } else if (kind >= 11) {
      ordered_json parts = ordered_json::array();
      for (std::size_t i = Below(3) + 1; i > 0; --i) parts.push_back(Condition(depth - 1));
      out = kind == 11 ? ordered_json{{"kind", "or"}, {"any", parts}}
                       : ordered_json{{"kind", "and"}, {"all", parts}};
    } else {
      out = Leaf(kind);
    }
    if (Below(6) == 0) out["onMissing"] = Effect();
    return out;
  }

  ordered_json Policy() {
    ordered_json rules = ordered_json::array();
    for (std::size_t i = Below(4) + 1; i > 0; --i) {
      ordered_json tool = ordered_json::object();
      if (Below(3) == 0) tool["name"] = Globs();
      if (Below(5) == 0) tool["tagsAny"] = {Tag(), Tag()};
      if (Below(8) == 0) tool["tagsAll"] = {Tag()};
      ordered_json rule = {
          {"priority", Below(8) == 0 ? Wide() : ordered_json(Below(3))},
          {"enabled", Below(8) != 0},
          {"name", "rule \"" + std::to_string(i) + "\""},
          {"selector",
           {{"phase", Below(6) == 0 ? "tool.after" : "tool.before"}, {"tool", std::move(tool)}}},
          {"condition", Condition(3)},
          {"effect", {{"type", Effect()}}}};
      if (Below(4) == 0) rule["onMissing"] = Effect();
      rules.push_back(std::move(rule));
    }
    ordered_json policy = ordered_json::object();
    if (Below(3) == 0) policy["onMissingDefault"] = Effect();
    if (Below(16) == 0) policy["enabled"] = false;
    if (Below(16) == 0) policy["agentSelector"] = {{"anyOfSlugs", {Pick({"desk", "other"})}}};
    return {{"policy", std::move(policy)}, {"rules", std::move(rules)}};
  }

  GuardCall Call() {
    GuardCall call;
    call.tool = Pick({"Pay", "pay_out", "mail"});
    for (std::size_t i = Below(3); i > 0; --i) call.tags.push_back(Tag());
    call.args = {{"n", Value()}, {"deep", {{"c", Value()}, {"l", {Value(), 2}}}}};
    if (Below(3) != 0) call.args["c"] = Pick({"rm -rf", "a{b}\\\"c", "", "eu"});
    if (Below(8) == 0) call.args["n"] = Wide();
    if (Below(8) == 0) call.args[""] = {{"c", Value()}};
    call.phase = Below(4) == 0 ? CallPhase::kAfter : CallPhase::kBefore;
    call.took_ms = static_cast<double>(Below(100));
    if (Below(4) != 0) {
      call.user.emplace();
      if (Below(3) != 0) call.user->id = Pick({"u1", "u2"});
      if (Below(2) == 0) call.user->tags["tier"] = Value();
      if (Below(2) == 0) call.user->tags["tz"] = Pick({"UTC", "Asia/Tokyo", "Mars/Base"});
      if (Below(6) == 0) call.user->disputed.insert("tier");
    }
    return call;
  }

  void Past(History& history, Moment now) {
    for (std::size_t i = Below(6); i > 0; --i) {
      PastCall past;
      past.tool = Pick({"Pay", "pay_out", "mail", "auth"});
      if (Below(2) == 0) past.tags = {Tag()};
      past.took_ms = static_cast<double>(Below(60));
      past.at = now - static_cast<Moment>(Below(200)) * kSecond;
      if (Below(2) == 0) past.user = Pick({"u1", "u2"});
      past.metrics["cost"] = static_cast<double>(Below(5));
      const bool this_run = Below(3) != 0;
      history.Add(past, this_run);
      if (Below(3) == 0) history.Begin(past.tool, past.tags);
    }
  }

  World Outside() {
    World world;
    if (Below(2) == 0) world.signals["s"] = Value();
    if (Below(2) == 0) world.signals["t"] = ordered_json{{"a", {1, "x"}}};
    if (Below(3) != 0) {
      world.subjects.emplace();
      if (Below(2) == 0) world.subjects->push_back({"customer", "c1", "source", "crm"});
      if (Below(2) == 0) world.subjects->push_back({"order", "o1", std::nullopt, std::nullopt});
    }
    for (int i = 1; i <= 4; ++i)
      if (Below(3) == 0)
        world.reviews["rule \"" + std::to_string(i) + "\""] =
            Below(2) == 0 ? Review::State::kApproved : Review::State::kDenied;
    return world;
  }

  std::size_t Below(std::size_t most) { return random_() % most; }

 private:
  std::string Pick(std::initializer_list<const char*> texts) {
    return *(texts.begin() + Below(texts.size()));
  }
  std::string Tag() { return Pick({"Finance", "finance", "pii"}); }
  std::string Effect() { return Pick({"allow", "hitl", "block"}); }
  std::string Compare() { return Pick({"eq", "neq", "gt", "gte", "lt", "lte"}); }
  std::string Glob() { return Pick({"pay*", "PAY", "*", "m*l", "auth", "none"}); }
  ordered_json Globs() { return {Glob(), Glob()}; }
  // Integers that have no float of their own, and their neighbours.
  ordered_json Wide() {
    const auto near = static_cast<std::int64_t>(Below(3));
    switch (Below(4)) {
      case 0: return 0x1p53;
      case 1: return INT64_MAX - near;
      case 2: return UINT64_MAX - static_cast<std::uint64_t>(near);
      default: return (std::int64_t{1} << 53) + near;
    }
  }

  ordered_json Value() {
    switch (Below(7)) {
      case 0: return true;
      case 1: return "5";
      case 2: return 5.5;
      case 3: return nullptr;
      case 4: return "";
      case 5: return Below(4) == 0 ? Wide() : ordered_json(Below(8));
      default: return Below(8);
    }
  }
  std::string Clock() {
    const std::size_t minute = Below(24 * 60);
    char text[8];
    std::snprintf(text, sizeof text, "%02d:%02d", static_cast<int>(minute / 60),
                  static_cast<int>(minute % 60));
    return text;
  }

  ordered_json Leaf(std::size_t kind) {
    switch (kind) {
      case 0: {
        const std::size_t op = Below(3);
        ordered_json out = {{"kind", "enduserTag"}, {"tag", "tier"}};
        out["op"] = op == 0 ? "has" : op == 1 ? "hasValue" : "hasValueAny";
        if (op == 1) out["value"] = "5";
        if (op == 2) out["values"] = {"5", "x"};
        return out;
      }
      case 1:
        return {{"kind", "executionTime"},
                {"scope", Pick({"tool", "total"})},
                {"op", Compare()},
                {"ms", Below(100)}};
      case 2: {
        ordered_json out = {{"kind", "sequence"}};
        if (Below(2) == 0) out["mustHaveCalled"] = Globs();
        if (Below(2) == 0 || out.size() == 1) out["mustNotHaveCalled"] = Globs();
        return out;
      }
      case 3:
        return {{"kind", "maxCalls"},
                {"selector", Below(2) == 0
                                 ? ordered_json{{"by", "toolName"}, {"patterns", Globs()}}
                                 : ordered_json{{"by", "toolTag"}, {"tags", {"fin*", "pii"}}}},
                {"max", Below(5)}};
      case 4: {
        ordered_json out = {{"kind", "metricWindow"},
                            {"scope", Pick({"agent", "agent_user"})},
                            {"metric", {{"kind", "custom"}, {"key", "cost"}}},
                            {"aggregate", Pick({"sum", "avg", "max", "min", "count"})},
                            {"windowSeconds", 100},
                            {"op", Compare()},
                            {"value", Below(16) == 0 ? Wide() : ordered_json(Below(8))}};
        if (Below(3) == 0) out["filter"] = {{"toolName", "pay*"}, {"toolTag", Tag()}};
        return out;
      }
      case 5: {
        ordered_json zone = {{"source", "enduserTag"}, {"tag", "tz"}};
        if (Below(2) == 0) zone["fallback"] = "org";
        return {{"kind", "timeGate"},
                {"timezone", std::move(zone)},
                {"windows",
                 {{{"days", {"mon", "tue", "sun"}}, {"start", Clock()}, {"end", Clock()}},
                  {{"days", {"fri"}}, {"start", Clock()}, {"end", Clock()}}}}};
      }
      case 6: {
        const std::string op = Pick({"eq", "neq", "gt", "lte", "in", "nin"});
        ordered_json value = Value();
        if (op == "in" || op == "nin") value = {Value(), "x", {{"a", {1, "x"}}}};
        else if (Below(4) == 0) value = {{"a", {1.0, "x"}}};
        else if (Below(4) == 0) value = "5";
        ordered_json args = {{"tool", {{"from", "toolName"}}},
                             {"user", {{"from", "enduserId"}}},
                             {"who", {{"from", "subject"}, {"subjectType", "customer"}}}};
        return {{"kind", "signal"},
                {"key", Pick({"s", "t"})},
                {"args", std::move(args)},
                {"op", op},
                {"value", std::move(value)}};
      }
      case 7: {
        const std::string op =
            Pick({"eq", "neq", "contains", "startsWith", "endsWith", "glob", "in"});
        ordered_json out = {{"kind", "toolName"}, {"op", op}};
        if (op == "in") out["value"] = Globs();
        else out["value"] = Pick({"PAY", "p", "ay", "out", "m*l"});
        return out;
      }
      case 8:
        if (Below(2) == 0) return {{"kind", "toolTag"}, {"op", "has"}, {"tag", Tag()}};
        return {{"kind", "toolTag"}, {"op", Pick({"anyOf", "allOf"})}, {"tags", {Tag(), "x"}}};
      case 9: return Argument();
      default: {
        ordered_json out = {{"kind", "requireSubject"},
                            {"subjectType", Pick({"customer", "order"})}};
        if (Below(2) == 0) out["idSystem"] = "crm";
        return out;
      }
    }
  }

  ordered_json Argument() {
    ordered_json out = {{"kind", "toolArg"},
                        {"path", Pick({"n", "c", ".c", "deep.c", "deep.l.0", "deep.l.00", "x"})}};
    switch (Below(3)) {
      case 0:
        out["type"] = "number";
        out["op"] = Compare();
        out["value"] = Below(8);
        if (Below(4) == 0) out["value"] = Wide();
        break;
      case 1:
        out["type"] = "boolean";
        out["op"] = Pick({"eq", "neq"});
        out["value"] = Below(2) == 0;
        break;
      default: {
        out["type"] = "string";
        const std::string op = Pick({"eq", "neq", "contains", "startsWith", "endsWith", "in"});
        out["op"] = op;
        out["value"] = Pick({"rm", "eu", "5", "{b}\\\"", "-rf", "eu,uk", ""});
        if (op == "in" && Below(2) == 0) out["value"] = {"eu", "5", "rm -rf"};
      }
    }
    return out;
  }

  std::mt19937 random_;
};

}  // namespace

std::string DecisionOf(const std::string& program) {
  Nobody nobody;
  SessionOptions options;
  options.now = "2026-01-02T00:00:00Z";
  Session session(nobody, std::move(options));
  std::string out;
  for (const Diagnostic& d : session.Load("policy.rpl", program))
    if (d.severity == Severity::kError) out += d.message + "\n";
  const Outcome outcome =
      session.Say("query", "%decide(?effect, ?rule) <- decision(?effect, ?rule)");
  for (const std::string& line : Session::Reply(outcome)) out += line + "\n";
  return out;
}

std::optional<std::string> CompareDecision(unsigned seed) {
  Generator generate(seed);
  const std::string text = generate.Policy().dump();
  Sources sources;
  Diagnostics found;
  std::optional<Policy> policy = ReadPolicy(sources, sources.Add("p.json", text), found);
  if (!policy) return "not a policy: " + text;
  GuardAgent agent;
  if (generate.Below(2) == 0) agent.organisation_zone = "Europe/Berlin";
  if (generate.Below(4) == 0) agent.on_missing = Effect::kHitl;
  agent.slug = "desk";
  const Guard guard(std::move(*policy), std::move(agent));
  const Moment now = *ParseInstant("2026-11-22T00:00:00Z") +
                     static_cast<Moment>(generate.Below(7 * 24 * 60)) * 60 * kSecond;
  const GuardCall call = generate.Call();
  History history;
  generate.Past(history, now);
  World world = generate.Outside();
  const Decision decided = guard.Decide(call, history, world, now);
  const ordered_json expected = {
      {"?effect", ":" + std::string(EffectName(decided.effect))},
      {"?rule", decided.rule.empty() ? ordered_json(nullptr) : ordered_json(decided.rule)}};
  const std::string program =
      PolicyAsRpl(guard) + FactsOfCall(guard, call, history, now, decided, world.reviews);
  const std::string got = DecisionOf(program);
  if (got == expected.dump() + "\n") return std::nullopt;
  return fmt::format("seed {}\n{}\n{}\nexpected {}\ngot {}\n", seed, text, program, expected.dump(),
                     got);
}

}  // namespace rpl
