// SPDX-License-Identifier: Apache-2.0
//
// The cost, in library calls, of one more thing when much is known already. Lines
// `LABEL VALUE UNIT`:
//
//   bench_step step    one new fact asserted into bases of three sizes, then one goal
//   bench_step checked the same, with a constraint over all those facts
//   bench_step turns   queries of text, one by one, against a derived relation
//   bench_step goals   a million calls on demand, each answered from a derived relation,
//                      in one goal
//
// Linked as a program of yours would be, with the allocator of the system.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "rpl/rpl.h"

namespace {

using rpl::Engine;

double Since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// CPU seconds, of all threads.
double Processor() {
  timespec now = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

std::string ReadFile(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(name).rdbuf();
  return text.str();
}

bool Fail(const Engine::Outcome& outcome) {
  std::fprintf(stderr, "bench_step: %s %s\n", std::string(Engine::Name(outcome.status)).c_str(),
               outcome.reason.c_str());
  for (const Engine::Finding& finding : outcome.findings)
    std::fprintf(stderr, "%s", finding.rendered.c_str());
  return false;
}

bool Holds(Engine& engine, const std::string& query) {
  const Engine::Outcome outcome = engine.Query(query);
  return outcome.status == Engine::Status::kSatisfied || Fail(outcome);
}

/// Chains of ten edges, so that a new edge at the end of one has ten consequences.
bool Step(const std::string& constraint) {
  constexpr int kChain = 10;
  constexpr int kSteps = 200;
  for (const int base : {10'000, 100'000, 1'000'000}) {
    std::string program = constraint +
                          "path(?x, ?y) <- edge(?x, ?y)\n"
                          "path(?x, ?z) <- path(?x, ?y), edge(?y, ?z)\n";
    for (int i = 0; i < base; ++i) {
      const int node = i / kChain * 2 * kChain + i % kChain;
      program += "edge(" + std::to_string(node) + ", " + std::to_string(node + 1) + ")\n";
    }
    Engine engine;
    engine.Load("base.rpl", program);
    if (!Holds(engine, "% <- path(0, 10)\n")) return false;
    std::vector<double> asserts, goals, both;
    for (int i = 0; i < kSteps; ++i) {
      const int chain = i * (base / kChain / kSteps) * 2 * kChain;
      const std::string fact = "edge(" + std::to_string(chain + kChain) + ", " +
                               std::to_string(chain + kChain + 1) + ")\n";
      const std::string goal =
          "% <- path(" + std::to_string(chain) + ", " + std::to_string(chain + kChain + 1) + ")\n";
      const auto start = std::chrono::steady_clock::now();
      const Engine::Outcome outcome = engine.Assert(fact);
      asserts.push_back(Since(start));
      if (outcome.status != Engine::Status::kNothing) return Fail(outcome);
      const auto middle = std::chrono::steady_clock::now();
      if (!Holds(engine, goal)) return false;
      goals.push_back(Since(middle));
      both.push_back(Since(start));
    }
    std::printf("%d-both %.2f us\n%d-assert %.2f us\n%d-goal %.2f us\n%d-first %.2f us\n", base,
                Median(both) * 1e6, base, Median(asserts) * 1e6, base, Median(goals) * 1e6, base,
                both[0] * 1e6);
  }
  return true;
}

std::string Program() {
  return ReadFile("bench/programs/goals.rpl") + ReadFile("build/bench-data/goals.rpl");
}

bool Turns() {
  constexpr int kTurns = 5000;
  Engine engine;
  engine.Load("goals.rpl", Program());
  if (!Holds(engine, "% <- above(9999, 0)\n")) return false;
  const auto start = std::chrono::steady_clock::now();
  const double before = Processor();
  for (int i = 0; i < kTurns; ++i)
    if (!Holds(engine, "% <- above(" + std::to_string(1 + i) + ", 0)\n")) return false;
  std::printf("queries %.0f a second\ncpu %.2f us a query\n", kTurns / Since(start),
              (Processor() - before) / kTurns * 1e6);
  return true;
}

/// 10,000 nodes by 100 steps.
bool Goals() {
  constexpr int kSteps = 100;
  Engine engine;
  std::string program = Program();
  for (int i = 0; i < kSteps; ++i) program += "step(" + std::to_string(i) + ")\n";
  program += "found(?x, ?s) <- node(?x), step(?s), senior(?x, ?s, 0)\n";
  engine.Load("goals.rpl", program);
  if (!Holds(engine, "% <- above(9999, 0)\n")) return false;
  const auto start = std::chrono::steady_clock::now();
  const double before = Processor();
  const Engine::Outcome outcome = engine.Query("%answer(?n) <- ?n = |found(_, _)|\n");
  const double seconds = Since(start);
  const double cpu = Processor() - before;
  if (outcome.status != Engine::Status::kSatisfied) return Fail(outcome);
  constexpr double kCalls = 9'999.0 * kSteps;
  std::printf("calls %.0f a second\ncpu %.2f us a call\n", kCalls / seconds, cpu / kCalls * 1e6);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && !std::strcmp(argv[1], "step")) return Step("") ? 0 : 1;
  if (argc == 2 && !std::strcmp(argv[1], "checked"))
    return Step("edge(?x, ?y), ?x > ?y -> false\n") ? 0 : 1;
  if (argc == 2 && !std::strcmp(argv[1], "turns")) return Turns() ? 0 : 1;
  if (argc == 2 && !std::strcmp(argv[1], "goals")) return Goals() ? 0 : 1;
  std::fprintf(stderr, "usage: bench_step step|checked|turns|goals\n");
  return 2;
}
