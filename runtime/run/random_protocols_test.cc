// SPDX-License-Identifier: Apache-2.0
//
// Random protocols: whatever is answered, in whatever order, and whatever is declined, a run ends
// satisfied, or with a reason, or it waits for something that can be answered; and what it
// concludes before an answer holds after it (decisions 56, 80 to 83).
#include <catch2/catch.hpp>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "interp/testing/testing.h"
#include "runtime/run/session.h"

namespace rpl {
namespace {

class Random {
 public:
  explicit Random(unsigned seed) : bits_(seed) {}
  int Below(int n) { return static_cast<int>(bits_() % static_cast<unsigned>(n)); }
  bool Chance(int percent) { return Below(100) < percent; }

 private:
  std::mt19937 bits_;
};

// Headings that ask, some with spans, relations over their answers, goals over both, whose rules
// capture differently, iterate and guard themselves, and a root that chooses among the goals by
// what holds and what does not.
std::string RandomProtocol(Random& random, bool constraints) {
  const int headings = 2 + random.Below(4);
  const int relations = 1 + random.Below(4);
  const int goals = 1 + random.Below(3);
  const std::string values[] = {"a", "b", "c"};
  const auto heading = [&](const std::string& arg) {
    return "h" + std::to_string(random.Below(headings)) + "(" + arg + ")";
  };
  const auto value = [&] { return "\"" + values[random.Below(3)] + "\""; };
  const auto test = [&](int below) -> std::string {
    switch (random.Below(below > 0 ? 6 : 4)) {
      case 0: return heading(value());
      case 1: return heading("?v" + std::to_string(random.Below(3)));
      case 2: return "not " + heading(value());
      case 3: return "|" + heading("_") + "| = " + std::to_string(random.Below(3));
      case 4: return "not r" + std::to_string(random.Below(below)) + "()";
      default: return "r" + std::to_string(random.Below(below)) + "()";
    }
  };
  const auto tests = [&](int below, int most) {
    std::string out = test(below);
    for (int i = random.Below(most); i > 0; --i) {
      const bool either = random.Chance(25);
      out += either ? ", (" + test(below) + " | " + test(below) + ")" : ", " + test(below);
    }
    return out;
  };
  std::string out;
  for (int g = 0; g < goals; ++g) {
    out += "# M - % <- %g" + std::to_string(g) + (random.Chance(70) ? "(_)" : "");
    const bool guards = random.Chance(20);
    if (guards) out += " ; @when(!%)";
    if (!guards && random.Chance(60)) out += " ; @when(" + tests(relations, 2) + ")";
    out += "\n\n";
  }
  for (int h = 0; h < headings; ++h) {
    const std::string name = random.Chance(30) ? "$s" : "?x";
    const std::string spans[] = {"Say", "Say __x__", "Say __kind__"};
    out += "## H - h" + std::to_string(h) + "(" + name + ")\n\n" + spans[random.Below(3)] + ".\n\n";
  }
  out += "```rpl\nkind(\"a\")\nkind(\"b\")\nkind(\"c\")\n";
  for (int r = 0; r < relations; ++r)
    for (int rule = 1 + random.Below(2); rule > 0; --rule)
      out += "r" + std::to_string(r) + "() <- " + tests(r, 2) + "\n";
  for (int g = 0; g < goals; ++g) {
    const std::string name = "%g" + std::to_string(g);
    out += name + "(?x) <- " + heading("?x") + ", " + tests(relations, 2);
    if (random.Chance(20)) out += " ; @each(?e, kind(?e))";
    else if (random.Chance(20)) out += " ; @when(!" + name + ")";
    out += "\n";
    if (random.Chance(40)) out += name + "(?x, ?y) <- " + heading("?x") + ", kind(?y)\n";
    if (random.Chance(30)) out += name + " <- " + tests(relations, 2) + "\n";
  }
  if (constraints && random.Chance(50)) out += heading("?x") + " -> " + heading("?x") + "\n";
  if (constraints && random.Chance(30)) out += tests(relations, 1) + " -> false\n";
  return out + "```\n";
}

// Gives the answer that belongs to a question, if it may be given now.
struct Answerer : testing::Silent {
  rpl::Answer AnswerTo(const Request& request, Pool& pool, std::string_view refused) override {
    if (!refused.empty() || request.name == "what-now" || !(all || request.id == now)) return {};
    const std::size_t hash = std::hash<std::string>()(request.id + std::to_string(seed));
    if (declines && hash % 5 == 0) return {rpl::Answer::Kind::kDecline, kNone};
    if (!request.row.empty() && hash % 3 == 0) return {rpl::Answer::Kind::kValue, pool.List({})};
    const char* const values[] = {"a", "b", "c"};
    return {rpl::Answer::Kind::kValue, pool.String(values[hash / 16 % 3])};
  }

  unsigned seed = 0;
  bool declines = false;
  bool all = false;
  std::string now;  // else the only question that is answered
};

// Runs to the end; with `random`, one answer at a time to any of the open questions.
Outcome RunToTheEnd(const std::string& protocol, unsigned seed, bool declines, Random* random) {
  Answerer answerer;
  answerer.seed = seed;
  answerer.declines = declines;
  answerer.all = random == nullptr;
  SessionOptions options;
  options.now = "2026-01-02T00:00:00Z";
  Session session(answerer, options);
  for (const Diagnostic& d : session.Load("p.md", protocol))
    REQUIRE(d.severity != Severity::kError);
  Outcome outcome = session.Run();
  for (int runs = 0; outcome.status == Status::kWaiting; ++runs) {
    REQUIRE(runs < 50);
    REQUIRE(!outcome.pending.empty());
    if (random == nullptr) break;
    answerer.now = outcome
                       .pending[static_cast<std::size_t>(
                           random->Below(static_cast<int>(outcome.pending.size())))]
                       ->id;
    outcome = session.Run();
    for (const OpenRequest& request : outcome.pending) REQUIRE(request->id != answerer.now);
  }
  return outcome;
}

TEST_CASE("random protocols never wait for nothing, and end in any order of answers") {
  for (unsigned seed = 0; seed < 600; ++seed) {
    Random random(seed);
    const bool plain = seed % 2 == 0;  // without declines and constraints
    const std::string protocol = RandomProtocol(random, !plain);
    INFO(seed << "\n" << protocol);
    const Outcome at_once = RunToTheEnd(protocol, seed, !plain, nullptr);
    CHECK(at_once.status != Status::kWaiting);
    const Outcome one_by_one = RunToTheEnd(protocol, seed, !plain, &random);
    CHECK(one_by_one.status != Status::kWaiting);
    for (const Outcome* end : {&at_once, &one_by_one})
      CHECK((end->status == Status::kSatisfied || !end->reason.empty()));
    if (plain) CHECK(StatusName(at_once.status) == StatusName(one_by_one.status));
  }
}

// Relations that rest on each other and on answers, relations above that read their absence, and a
// goal over these.
std::string RandomRecursion(Random& random) {
  const auto p = [&] { return "p" + std::to_string(random.Below(3)); };
  const auto q = [&] { return "q" + std::to_string(random.Below(2)); };
  std::vector<std::string> rules;
  for (int i = 0; i < 3; ++i)
    for (int n = 1 + random.Below(2); n > 0; --n)
      rules.push_back("p" + std::to_string(i) + "(?x) <- " +
                      (random.Chance(70) ? p() + "(?x)" : "m(?x, ?y), " + p() + "(?y)"));
  for (int n = 1 + random.Below(2); n > 0; --n)
    rules.push_back(p() + "(?x) <- f(?x), answer(?x, \"yes\")");
  for (int i = 0; i < 2; ++i) {
    const std::string head = "q" + std::to_string(i) + "(?x) <- f(?x), ";
    rules.push_back(head + p() + "(?x), large(?x)");
    rules.push_back(head + (random.Chance(70) ? "not " + p() + "(?x)" : "0 = |" + p() + "(?x)|"));
    if (random.Chance(50)) rules.push_back(head + q() + "(?x), " + p() + "(?x)");
  }
  std::string out =
      "# Answer - answer(?x, $r)\n\nSay.\n\n# Rules\n\n```rpl\n"
      "f(1)\nf(2)\nm(1, 2)\nm(2, 1)\nlarge(?x) <- ?x > 9\n";
  for (; !rules.empty(); rules.pop_back()) {
    std::swap(rules[static_cast<std::size_t>(random.Below(static_cast<int>(rules.size())))],
              rules.back());
    out += rules.back() + "\n";
  }
  const std::string call =
      (random.Chance(70) ? q() : p()) + "(" + (random.Chance(50) ? "1" : "2") + ")";
  return out + "% <- " + (random.Chance(30) ? "not " : "") + call + "\n```\n";
}

// Says yes to those questions of which `world` has the bit.
struct World : testing::Silent {
  World(unsigned bits, bool answers) : world(bits), speaks(answers) {}
  rpl::Answer AnswerTo(const Request& request, Pool& pool, std::string_view) override {
    if (!speaks || request.name == "what-now") return {};
    const bool second = request.id.find('2') != std::string::npos;
    const bool yes = (world >> (second ? 1 : 0) & 1) != 0;
    return {rpl::Answer::Kind::kValue, pool.String(yes ? "yes" : "no")};
  }

  unsigned world;
  bool speaks;
};

Status StatusIn(World world, const std::string& protocol) {
  SessionOptions options;
  options.now = "2026-01-02T00:00:00Z";
  Session session(world, options);
  for (const Diagnostic& d : session.Load("p.md", protocol))
    REQUIRE(d.severity != Severity::kError);
  return session.Run().status;
}

TEST_CASE("what a recursion concludes before the answers holds whatever they are") {
  int concluded = 0;
  for (unsigned seed = 0; seed < 800; ++seed) {
    Random random(seed);
    const std::string protocol = RandomRecursion(random);
    INFO(seed << "\n" << protocol);
    const Status before = StatusIn({0, false}, protocol);
    if (before == Status::kWaiting) continue;
    ++concluded;
    for (unsigned world = 0; world < 4; ++world)
      CHECK(StatusName(StatusIn({world, true}, protocol)) == StatusName(before));
  }
  CHECK(concluded > 50);
}

}  // namespace
}  // namespace rpl
