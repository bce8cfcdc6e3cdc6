// SPDX-License-Identifier: Apache-2.0
#include "runtime/facts/budget.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <utility>

#include "interp/eval/fixpoint.h"
#include "interp/eval/solver.h"
#include "interp/eval/stack_room.h"
#include "interp/program/program.h"
#include "interp/store/pages.h"
#include "runtime/record/journal.h"

namespace rpl {
namespace {

// A limit of 0 as one that is never reached, and to which one can be added.
std::size_t OrNone(std::size_t limit) { return limit == 0 ? SIZE_MAX - 1 : limit; }

}  // namespace

Budget::Budget(interp::Engine& engine, const SessionOptions& options)
    : engine_(engine), options_(options) {
  Set(options.limits);
  engine_.limits.watch = [this](std::size_t bytes) { return Poll(bytes); };
}

Budget::~Budget() { engine_.limits.watch = nullptr; }

bool Budget::Count(const SessionLimits& limits) {
  max_timesteps_ = OrNone(limits.max_timesteps);
  Limits& to = engine_.limits;
  const auto counted = [&to] {
    return std::array{to.max_rows, to.max_rounds, to.max_depth, to.max_iterations};
  };
  const auto before = counted();
  to.max_rows = OrNone(limits.max_rows);
  to.max_rounds = OrNone(limits.max_rounds);
  to.max_depth = limits.max_depth == 0 ? kMostDepth : limits.max_depth;
  to.max_iterations = limits.max_iterations;
  return counted() != before;
}

void Budget::Begin() {
  started_ = std::chrono::steady_clock::now();
  reached_ = {};
}

Budget::Reached Budget::BeginAside(bool still_reached) {
  started_ = std::chrono::steady_clock::now();
  Reached before = reached_;
  if (!still_reached) reached_.stop = Stop::kGoesOn;
  return before;
}

Stop Budget::Poll(std::size_t bytes) {
  constexpr double kBytesPerSecond = 2e9;
  if (options_.interrupted && options_.interrupted()) return Stop::kInterrupted;
  const auto now = std::chrono::steady_clock::now();
  if (options_.journal != nullptr && options_.journal->Next() != nullptr) {
    started_ = now;
    return Stop::kGoesOn;
  }
  const std::chrono::duration<double> spent = now - started_;
  if (options_.progress) {
    const Definition* rule = engine_.solver.rule();
    const Progress progress{engine_.fixpoint.rounds(), engine_.solver.new_rows(),
                            rule != nullptr ? std::string_view(rule->text) : "", spent.count()};
    options_.progress(&progress);
  }
  const double seconds = spent.count() + static_cast<double>(bytes) / kBytesPerSecond;
  if (limits_.max_seconds > 0 && seconds > limits_.max_seconds) return Stop::kTime;
  if (limits_.max_megabytes == 0) return Stop::kGoesOn;
  // Querying the system takes longer than the work between two polls.
  if (now >= measured_next_) {
    resident_ = ResidentMegabytes();
    measured_next_ = now + std::chrono::milliseconds(2);
  }
  return resident_ + (bytes >> 20) > limits_.max_megabytes ? Stop::kMemory : Stop::kGoesOn;
}

bool Budget::Stopped(Stop stop, std::string at, std::string overflow) {
  if (reached_.stop != Stop::kGoesOn) return false;
  reached_.stop = stop;
  reached_.at = std::move(at);
  reached_.overflow = std::move(overflow);
  return true;
}

bool Budget::Take(Stop stop, std::string at) {
  const bool first = Stopped(stop, std::move(at), engine_.pool.overflow());
  engine_.pool.ClearOverflow();
  engine_.solver.Take();
  return first;
}

bool Budget::IsCutOff() const {
  const Stop stop = reached_.stop;
  return stop == Stop::kTime || stop == Stop::kMemory || stop == Stop::kStack ||
         stop == Stop::kInterrupted;
}

std::string Budget::LimitText() const {
  const Limits& counted = engine_.limits;
  switch (reached_.stop) {
    case Stop::kRows: return fmt::format("{} rows", counted.max_rows);
    case Stop::kRounds: return fmt::format("{} rounds", counted.max_rounds);
    case Stop::kDepth: return fmt::format("{} nested calls", counted.max_depth);
    case Stop::kIterations: return fmt::format("{} iterations", counted.max_iterations);
    case Stop::kPlan: return "too many clauses and alternatives in one rule";
    case Stop::kValue: return reached_.overflow;
    case Stop::kTime: return fmt::format("{} seconds", limits_.max_seconds);
    case Stop::kMemory: return fmt::format("{} MB of memory", limits_.max_megabytes);
    case Stop::kStack: return fmt::format("{} kB of stack", StackKilobytes());
    case Stop::kGoesOn:
    case Stop::kInterrupted: break;
  }
  return "";
}

std::string Budget::StoppedText() const {
  std::string out = fmt::format("evaluation stopped while `{}` was still growing", reached_.at);
  if (!reached_.newest.empty()) out += "; its newest row is " + reached_.newest;
  return out;
}

std::string Budget::CutOffText() const {
  if (reached_.stop == Stop::kInterrupted) return "interrupted";
  const std::string limit = LimitText();
  return limit.empty() ? "a fact is taken in only in part" : "limit reached: " + limit;
}

}  // namespace rpl
