// SPDX-License-Identifier: Apache-2.0
#include "runtime/step/call_permission.h"

#include <catch2/catch.hpp>

#include "runtime/testing/run_parts.h"

namespace rpl {
namespace {

// A program whose constraints guard its calls.
struct GuardedRun : testing::RunParts {
  explicit GuardedRun(const std::string& program) : testing::RunParts(nobody) {
    Load(program, "p.rpl");
    REQUIRE(findings.all().empty());
    permission.SetTime("2026-01-01T00:00:00Z");
    permission.BeginRun();
  }
  OpenCall Call(const std::string& tool, const std::string& argument) {
    return Tool(tool, {Text(argument)});
  }
  // Facts of the guard that the next timestep takes.
  std::vector<std::string> Decisions() const {
    std::vector<std::string> out;
    for (const Said& each : novelty)
      for (const Assertion& fact : each.what.assertions) out.push_back(fact.text);
    return out;
  }
  static inline testing::Silent nobody;
};

TEST_CASE("a program without guards lets its calls go out, and decides nothing") {
  GuardedRun run("p(1)\n");
  CHECK(run.permission.Admits(run.Call("touch", "secret")));
  CHECK(run.permission.AdmitsShown(run.engine.pool.Int(1)));
  CHECK(run.calls.admitted.empty());
  CHECK(run.Decisions().empty());
}

TEST_CASE("a call that is refused is not made in this turn, and says why once") {
  GuardedRun run("$touch(\"secret\") -> false\n");
  const OpenCall call = run.Call("touch", "secret");
  CHECK_FALSE(run.permission.Admits(call));
  CHECK_FALSE(run.permission.Admits(call));
  CHECK(run.calls.refusals.contains(run.engine.solver.IdOf(call)));
  REQUIRE(run.calls.reports.size() == 1);
  CHECK(run.TraceText().find("is blocked by") != std::string::npos);
  REQUIRE(run.Decisions().size() == 1);
  CHECK(run.Decisions().front().starts_with("guard-decision(\"touch\", [\"secret\"], :block, "));
  run.calls.BeginTurn();
  CHECK_FALSE(run.permission.Admits(call));
  CHECK(run.Decisions().size() == 2);
}

TEST_CASE("a call that may go out is decided once in a turn") {
  GuardedRun run("$touch(\"secret\") -> false\n");
  const OpenCall call = run.Call("touch", "open");
  CHECK(run.permission.Admits(call));
  CHECK(run.permission.Admits(call));
  CHECK(run.calls.admitted.contains(run.engine.solver.IdOf(call)));
  CHECK(run.Decisions().size() == 1);
  CHECK(run.calls.reports.empty());
  const Answer done{.kind = Answer::Kind::kValue, .value = run.engine.pool.Int(1)};
  CHECK(run.permission.TakesIn({call, done}));
}

TEST_CASE("nothing goes out while a call is held") {
  GuardedRun run("$touch(\"secret\") -> false\n");
  run.calls.held = "held for a review";
  CHECK_FALSE(run.permission.Admits(run.Call("touch", "open")));
  CHECK(run.Decisions().empty());
}

TEST_CASE("a guard admits what its right side allows") {
  GuardedRun run("$send(?to) -> may-send(?to)\nmay-send(\"ann\")\n");
  CHECK(run.permission.Admits(run.Call("send", "ann")));
  CHECK_FALSE(run.permission.Admits(run.Call("send", "bob")));
  CHECK(run.calls.reports.size() == 1);
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
