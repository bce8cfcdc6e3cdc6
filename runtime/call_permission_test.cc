// SPDX-License-Identifier: Apache-2.0
#include "runtime/call_permission.h"

#include <catch2/catch.hpp>

#include "interp/eval/solver.h"
#include "interp/testing/testing.h"
#include "runtime/derivation.h"

namespace rpl {
namespace {

// A program whose constraints guard its calls, and no session.
struct GuardedRun {
  explicit GuardedRun(const std::string& program) {
    engine.Take(program);
    REQUIRE(engine.Findings().empty());
    engine.Quiesce();
    permission.SetTime("2026-01-01T00:00:00Z");
    permission.BeginRun();
  }

  OpenCall Call(const std::string& tool, const std::string& argument) {
    OpenCall out;
    out.relation = engine.store.Declare(Space::kTool, tool, 1);
    out.args = {engine.pool.String(argument)};
    return out;
  }

  testing::Engine engine;
  SessionOptions options;
  Derivations derivations{engine};
  Recorder recorder{options};
  CallBook calls;
  std::vector<std::string> facts, failures;
  CallPermission permission{engine,
                            options,
                            calls,
                            recorder,
                            derivations,
                            {.state = [this](Assertion fact) { facts.push_back(fact.text); },
                             .fail =
                                 [this](const std::string& reason, const std::string& explanation) {
                                   failures.push_back(reason + ": " + explanation);
                                   return failures.back();
                                 }}};
};

TEST_CASE("a program without guards lets its calls go out, and decides nothing") {
  GuardedRun run("p(1)\n");
  CHECK(run.permission.Admits(run.Call("touch", "secret")));
  CHECK(run.permission.AdmitsShown(run.engine.pool.Int(1)));
  CHECK(run.calls.admitted.empty());
  CHECK(run.facts.empty());
}

TEST_CASE("a call that is refused is not made in this turn, and says why once") {
  GuardedRun run("$touch(\"secret\") -> false\n");
  const OpenCall call = run.Call("touch", "secret");
  CHECK_FALSE(run.permission.Admits(call));
  CHECK_FALSE(run.permission.Admits(call));
  CHECK(run.calls.refusals.contains(run.engine.solver.IdOf(call)));
  REQUIRE(run.failures.size() == 1);
  CHECK(run.failures.front().find("$touch(\"secret\") is blocked by") != std::string::npos);
  REQUIRE(run.facts.size() == 1);
  CHECK(run.facts.front().starts_with("guard-decision(\"touch\", [\"secret\"], :block, "));
  run.calls.BeginTurn();
  CHECK_FALSE(run.permission.Admits(call));
  CHECK(run.failures.size() == 2);
}

TEST_CASE("a call that may go out is decided once in a turn") {
  GuardedRun run("$touch(\"secret\") -> false\n");
  const OpenCall call = run.Call("touch", "open");
  CHECK(run.permission.Admits(call));
  CHECK(run.permission.Admits(call));
  CHECK(run.calls.admitted.contains(run.engine.solver.IdOf(call)));
  CHECK(run.facts.size() == 1);
  CHECK(run.failures.empty());
  const Answer done{.kind = Answer::Kind::kValue, .value = run.engine.pool.Int(1)};
  CHECK(run.permission.TakesIn({call, done}));
}

TEST_CASE("nothing goes out while a call is held") {
  GuardedRun run("$touch(\"secret\") -> false\n");
  run.calls.held = "held for a review";
  CHECK_FALSE(run.permission.Admits(run.Call("touch", "open")));
  CHECK(run.facts.empty());
}

TEST_CASE("a guard admits what its right side allows") {
  GuardedRun run("$send(?to) -> may-send(?to)\nmay-send(\"ann\")\n");
  CHECK(run.permission.Admits(run.Call("send", "ann")));
  CHECK_FALSE(run.permission.Admits(run.Call("send", "bob")));
  CHECK(run.failures.size() == 1);
}

TEST_CASE("a reply of before the program changed counts as a call") {
  GuardedRun run("$send(?a), $send(?b) -> ?a = ?b\n");
  const OpenCall first = run.Call("send", "ann");
  run.permission.CountEarlier(first.relation, first.args);
  CHECK_FALSE(run.permission.Admits(run.Call("send", "bob")));
  CHECK(run.permission.Admits(first));
}

}  // namespace
}  // namespace rpl
