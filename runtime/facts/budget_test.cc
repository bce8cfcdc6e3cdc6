// SPDX-License-Identifier: Apache-2.0
#include "runtime/facts/budget.h"

#include <catch2/catch.hpp>

#include "formats/diagnostic.h"

namespace rpl {
namespace {

struct BoundedRun {
  explicit BoundedRun(SessionOptions with) : options(std::move(with)) {}
  Sources sources;
  interp::Engine engine{sources};
  SessionOptions options;
  Budget budget{engine, options};
};

TEST_CASE("a budget tells the first limit that was reached") {
  BoundedRun run({});
  Budget& budget = run.budget;
  budget.Begin();
  CHECK(budget.stop() == Stop::kGoesOn);
  CHECK(budget.LimitText().empty());
  CHECK(budget.Stopped(Stop::kValue, "f(?x) <- g(?x)", "a text of 65 MiB"));
  CHECK_FALSE(budget.Stopped(Stop::kTime, "later"));
  CHECK(budget.LimitText() == "a text of 65 MiB");
  CHECK(budget.StoppedText() == "evaluation stopped while `f(?x) <- g(?x)` was still growing");
  budget.Grew("f(7)");
  CHECK(budget.StoppedText().ends_with("; its newest row is f(7)"));
  CHECK_FALSE(budget.IsCutOff());
  budget.Begin();
  CHECK(budget.stop() == Stop::kGoesOn);
  CHECK(budget.CutOffText() == "a fact is taken in only in part");
}

TEST_CASE("time, memory and interrupts cut a timestep off, work does not") {
  BoundedRun run({});
  for (const Stop stop : {Stop::kTime, Stop::kMemory, Stop::kInterrupted}) {
    run.budget.Begin();
    run.budget.Stopped(stop, "f");
    CHECK(run.budget.IsCutOff());
  }
  CHECK(run.budget.CutOffText() == "interrupted");
  for (const Stop stop : {Stop::kRows, Stop::kRounds, Stop::kDepth, Stop::kIterations}) {
    run.budget.Begin();
    run.budget.Stopped(stop, "f");
    CHECK_FALSE(run.budget.IsCutOff());
  }
}

TEST_CASE("limits on work are the engine's; 0 is none") {
  SessionOptions options;
  options.limits.max_rows = 10;
  options.limits.max_timesteps = 0;
  BoundedRun run(options);
  CHECK(run.engine.limits.max_rows == 10);
  CHECK(run.budget.max_timesteps() > 1'000'000'000);
  SessionLimits limits = run.budget.limits();
  CHECK_FALSE(run.budget.Set(limits));
  limits.max_seconds = 1;
  CHECK_FALSE(run.budget.Set(limits));
  limits.max_depth = 0;
  CHECK(run.budget.Set(limits));
  CHECK(run.engine.limits.max_depth == kMostDepth);
  limits.max_rows = 0;
  CHECK(run.budget.Count(limits));  // of a recorded timestep
  CHECK(run.budget.limits().max_rows == 10);
  CHECK(run.engine.limits.max_rows > 1'000'000'000);
}

TEST_CASE("a budget polls the interrupt, the clock and the memory") {
  SessionOptions options;
  bool stop = false;
  options.interrupted = [&] { return stop; };
  options.limits.max_seconds = 5;
  BoundedRun run(options);
  run.budget.Begin();
  CHECK(run.budget.Poll(0) == Stop::kGoesOn);
  CHECK(run.budget.Poll(std::size_t{1} << 40) == Stop::kTime);  // as long as that takes to fill
  stop = true;
  CHECK(run.engine.limits.watch(0) == Stop::kInterrupted);
  stop = false;
  SessionLimits limits = run.budget.limits();
  limits.max_seconds = 0;
  limits.max_megabytes = 1'000'000;
  run.budget.Set(limits);
  CHECK(run.budget.Poll(std::size_t{1} << 50) == Stop::kMemory);
  limits.max_megabytes = 0;
  run.budget.Set(limits);
  CHECK(run.budget.Poll(std::size_t{1} << 50) == Stop::kGoesOn);
}

TEST_CASE("a side evaluation leaves what was reached") {
  BoundedRun run({});
  run.budget.Begin();
  run.budget.Stopped(Stop::kRows, "f");
  for (const bool still : {false, true}) {
    Budget::Reached before = run.budget.BeginAside(still);
    CHECK((run.budget.stop() == Stop::kRows) == still);
    run.budget.Stopped(Stop::kDepth, "g");
    run.budget.EndAside(std::move(before));
    CHECK(run.budget.stop() == Stop::kRows);
    CHECK(run.budget.stopped_at() == "f");
  }
}

}  // namespace
}  // namespace rpl
