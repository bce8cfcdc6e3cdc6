// SPDX-License-Identifier: Apache-2.0
#include "interp/eval/plan_choice.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "interp/eval/join.h"
#include "interp/eval/profile.h"
#include "interp/plan/join_estimate.h"
#include "interp/plan/order_search.h"

namespace rpl {
namespace {

constexpr std::size_t kTried = 64;            // outer rows of a trial
constexpr std::size_t kFewTried = 16;         // outer rows that tell little
constexpr std::uint64_t kTrialWork = 20'000;  // probes and rows of a trial, at most about
constexpr std::size_t kCandidates = 4;        // that are tried beside the plan as written
constexpr std::size_t kMoreCandidates = 12;   // as long as the best is far from what is estimated
constexpr double kFar = 10;                   // times as much
constexpr double kFewerThanEstimated = 3;     // probes and rows of a plan, at best

// The cost of building an index, in probes: one for each row as long as it stays in the cache, and
// up to four where each row is a miss.
double CostOfIndex(RowId rows) {
  constexpr double kCached = 1 << 20, kMisses = 1 << 24;
  const auto n = static_cast<double>(rows);
  const double misses =
      std::log2(std::clamp(n, kCached, kMisses) / kCached) / std::log2(kMisses / kCached);
  return n * (1 + 3 * misses);
}

// The number below kTried whose bits are those of another, the last one first.
std::size_t ReversedBits(std::size_t number) {
  std::size_t out = 0;
  for (std::size_t bit = 1; bit < kTried; bit *= 2, number /= 2) out = 2 * out + number % 2;
  return out;
}

int MagnitudeOf(RowId rows) { return static_cast<int>(std::bit_width(rows)) / 2; }

}  // namespace

RowId PlanChoice::Task::DeltaRows() const {
  if (delta < 0) return 0;
  const Marks& m = marks[rule.clauses[static_cast<std::size_t>(delta)]->As<Atom>()->relation];
  return m.end - m.old_end;
}

Derivation PlanChoice::Choose(const Task& task) {
  DerivedRule& rule = task.rule;
  const Plan& written = analysis_.PlanFor(rule, task.plans, task.delta, {});
  const Derivation as_written = {rule.def, &written};
  if (rule.as_written) return as_written;
  // Joins only: other clauses may depend on the order of answers.
  if (analysis_.PlanFor(rule, rule.full, -1, {}).join == nullptr || written.join == nullptr)
    return as_written;
  Chosen& chosen = task.plans.chosen[MagnitudeOf(task.DeltaRows())];
  if (HaveGrown(rule.clauses, store_, limits_, chosen.seen)) {
    chosen.plan = &Cheapest(task, chosen);
    chosen.ran = false;
  }
  if (chosen.plan == nullptr) return as_written;
  if (task.delta >= 0) rule.cost += CostOf(task, chosen);
  return Watched(task, chosen);
}

// What the next run of the chosen plan takes by its trial; 0 without one.
double PlanChoice::CostOf(const Task& task, const Chosen& chosen) {
  if (chosen.expected.empty()) return 0;
  double each = 1;
  for (std::size_t i = 1; i < chosen.expected.size(); ++i)
    each += chosen.expected[i].times + chosen.expected[i].rows;
  return each * static_cast<double>(JoinRun::Outer(*chosen.plan->join, task.marks));
}

// The chosen plan, watched in its first run.
Derivation PlanChoice::Watched(const Task& task, Chosen& chosen) {
  Derivation out = {task.rule.def, chosen.plan};
  if (chosen.expected.empty()) return out;
  const std::size_t outer = JoinRun::Outer(*chosen.plan->join, task.marks);
  if (limits_.profile != nullptr) limits_.profile->Expect(*chosen.plan, chosen.expected, outer);
  if (std::exchange(chosen.ran, true) || chosen.overrun.contains(chosen.plan)) return out;
  out.expected = CostOf(task, chosen);
  out.instead = [this, task, &chosen](double cost) { return Instead(task, chosen, cost); };
  return out;
}

// The chosen plan takes so many probes and rows.
std::optional<Derivation> PlanChoice::Instead(const Task& task, Chosen& chosen, double cost) {
  const Plan* const left = chosen.plan;
  const std::size_t outer = JoinRun::Outer(*left->join, task.marks);
  chosen.overrun[left] = cost / static_cast<double>(std::max<std::size_t>(outer, 1));
  chosen.plan = &Cheapest(task, chosen);
  if (chosen.plan == left) return std::nullopt;
  chosen.ran = false;
  return Watched(task, chosen);
}

// The plan as written and the orders that are estimated to be the cheapest, tried in the order of
// what they promise to take with indexes, as a trial builds those that are missing. Where all rows
// are read at once, those of a tried plan cost no more, so another one is tried only if it promises
// less with its own. From a delta, the plan as written is tried first, and indexes go on to count,
// as rounds add to them.
const Plan& PlanChoice::Cheapest(const Task& task, Chosen& chosen) {
  chosen.expected.clear();
  const std::vector<const Clause*>& clauses = task.rule.clauses;
  const auto plan_for = [&](const std::vector<std::size_t>& order) -> const Plan& {
    return analysis_.PlanFor(task.rule, task.plans, task.delta, order);
  };
  const Plan& written = plan_for({});
  JoinEstimate estimate(clauses, task.delta, task.DeltaRows(), store_, {});
  if (estimate.size() < 2) return written;
  const Probes in_use = probed_;
  // Indexes of the plan as written count when all rows are read at once. While rounds add to them,
  // they cost less than what they replace.
  const auto missing = [&](const Plan& plan) {
    return &plan == &written && task.delta >= 0 ? 0 : MissingIndexes(plan, task.marks);
  };
  // What the plan as written takes counts as so much less.
  const auto weighted = [&](const Plan& plan, double cost) {
    return &plan == &written ? cost / std::max(limits_.min_gain, 1e-9) : cost;
  };
  struct Candidate {
    const Plan* plan;
    double estimated;
    double promised;  // with indexes
  };
  const auto candidate_of = [&](const Plan& plan, double estimated) {
    return Candidate{&plan, estimated, weighted(plan, estimated + missing(plan))};
  };
  const auto least_ordered = static_cast<double>(limits_.min_ordered);
  // Where a few outer rows take all the work that a trial may do, or none of them reaches the last
  // atoms, what it has seen is the beginning of a plan, and not what the first atoms multiply.
  const auto cost_of = [&](const Plan& plan, const Trial& trial) {
    constexpr auto kMost = static_cast<double>(kTrialWork);
    const double outer = trial.steps.empty() ? 1 : trial.steps.front().rows;
    const bool finished = trial.cost < kMost || trial.cost / outer < kMost / kFewTried;
    const bool reached = trial.steps.empty() || trial.steps.back().times > 0;
    if (finished && reached) return trial.cost;
    const double estimated = EstimatedCost(plan, clauses, estimate);
    return finished && estimated < kFar * trial.cost ? trial.cost : std::max(trial.cost, estimated);
  };
  const Plan* best = nullptr;
  double least = std::numeric_limits<double>::infinity();
  std::size_t tried = 0;
  // Errors of estimates multiply from atom to atom: so what a plan takes may be a fraction of them.
  // Where the best one takes far more than a trial, or a plan took far more than was expected,
  // trials are cheap in comparison, and need not be promising.
  const auto at_best = [&](double estimated) {
    const bool estimates = chosen.overrun.empty() && least < kFar * kTrialWork;
    return estimates ? estimated / kFewerThanEstimated : 0;
  };
  // False: no other one is to be tried.
  const auto consider = [&](const Candidate& candidate) {
    const Plan& plan = *candidate.plan;
    const double cost = at_best(candidate.estimated);
    const bool far = cost == 0 || least > kFar * candidate.estimated;
    const double indexes = missing(plan);
    if (best != nullptr && (weighted(plan, cost + indexes) > least ||
                            (&plan != &written && tried >= (far ? kMoreCandidates : kCandidates))))
      return true;
    if (&plan != &written) ++tried;
    std::optional<Trial> trial = Try(plan, task, chosen, least);
    if (!trial) return false;
    if (task.delta < 0 || &plan == &written) Use(plan);
    trial->cost = cost_of(plan, *trial);
    if (best != nullptr && weighted(plan, trial->cost + indexes) >= least) return true;
    best = &plan;
    least = weighted(plan, trial->cost) + (task.delta < 0 ? 0 : indexes);
    chosen.expected = std::move(trial->steps);
    return &plan != &written || trial->cost >= least_ordered;
  };
  // Where the plan as written takes little, no other is estimated, far less planned.
  const double estimated = task.delta < 0 ? EstimatedCost(written, clauses, estimate) : 0;
  const bool first = task.delta >= 0 || estimated < least_ordered;
  bool go_on = !first || consider(candidate_of(written, estimated));
  std::vector<Candidate> candidates;
  if (!first) candidates.push_back(candidate_of(written, estimated));
  std::vector<AtomOrder> orders;
  if (go_on) orders = CheapOrders(clauses, estimate);
  for (std::size_t i = 0; i < std::min(orders.size(), kMoreCandidates); ++i) {
    if (best != nullptr && at_best(orders[i].cost) > least) continue;  // it cannot be better
    const Plan& plan = plan_for(orders[i].positions);
    if (plan.join != nullptr) candidates.push_back(candidate_of(plan, orders[i].cost));
  }
  std::ranges::stable_sort(candidates, {}, &Candidate::promised);
  for (const Candidate& other : candidates) go_on = go_on && consider(other);
  if (best == nullptr) best = &written;
  probed_ = in_use;
  if (task.delta >= 0) Use(written);
  Use(*best);
  return *best;
}

// As below, unless the plan is known to take more.
std::optional<PlanChoice::Trial> PlanChoice::Try(const Plan& plan, const Task& task,
                                                 const Chosen& chosen, double most) {
  std::optional<Trial> out = Try(plan, task.marks, most);
  const auto known = chosen.overrun.find(&plan);
  if (out && known != chosen.overrun.end()) {
    const auto outer = static_cast<double>(JoinRun::Outer(*plan.join, task.marks));
    out->cost = std::max(out->cost, known->second * outer);
  }
  return out;
}

// The probes and rows that the plan takes for all its outer rows, from those for some of them,
// spread over all, each of which may be followed in part. No more than about `most` is looked for.
// nullopt: it was stopped.
std::optional<PlanChoice::Trial> PlanChoice::Try(const Plan& plan, const std::vector<Marks>& marks,
                                                 double most) {
  JoinRun run(*plan.join, store_, marks, &keep_on_, nullptr);
  run.BeTrial();
  const std::size_t outer = run.outer();
  const std::size_t count = std::min(outer, kTried);
  const std::uint64_t share = kTrialWork / std::max<std::size_t>(std::min(count, kFewTried), 1);
  std::uint64_t before = 0;  // the work of earlier rows
  bool stopped = false;
  RowBatch found;
  const auto pause = [&] {
    found.Clear(plan.join->columns.size());
    stopped = !keep_on_();
    return !stopped && run.work() - before < share;
  };
  found.Clear(plan.join->columns.size());
  JoinCounts counted, now;
  run.AddTo(counted);
  Trial out{0, std::vector<ExpectedReads>(counted.steps.size())};
  std::size_t tried = 0;
  // In the order of reversed bits, those before a stop are spread as well.
  for (std::size_t i = 0; tried < count; ++i) {
    const std::size_t row = ReversedBits(i);
    if (row >= count) continue;
    const std::size_t at = row * outer / count;
    // What is followed in part stands for the whole of it.
    double times = 1;
    if (!run.Run(at, at + 1, found, share, pause)) {
      if (stopped) return std::nullopt;
      times = 1 / std::max(run.scanned(), 1e-9);
    }
    now.steps.clear();
    run.AddTo(now);
    for (std::size_t step = 0; step < now.steps.size(); ++step) {
      const JoinCounts::Step &to = now.steps[step], &from = counted.steps[step];
      out.steps[step].times += times * static_cast<double>(to.times - from.times);
      out.steps[step].rows += times * static_cast<double>(to.rows - from.rows);
    }
    std::swap(counted, now);
    out.cost += times * static_cast<double>(run.work() - before);
    before = run.work();
    ++tried;
    const double all = out.cost / static_cast<double>(tried) * static_cast<double>(outer);
    if (before >= kTrialWork || (tried > kFewTried && all > 2 * most)) break;
  }
  const auto rows = static_cast<double>(std::max<std::size_t>(tried, 1));
  out.cost *= static_cast<double>(outer) / rows;
  for (ExpectedReads& step : out.steps) step = {step.times / rows, step.rows / rows};
  if (!out.steps.empty()) out.steps.front() = {1, static_cast<double>(outer)};
  return out;
}

// The cost of the indexes that the plan would need and no plan in use does, nor one that was tried
// for this choice; a trial has it, too. Those that exist count as well: which ones do may depend on
// what was asked about the rows.
double PlanChoice::MissingIndexes(const Plan& plan, const std::vector<Marks>& marks) const {
  double out = 0;
  for (const JoinStep& step : plan.join->steps)
    if (step.ReadsRows() && step.probe != 0 && !step.all_bound &&
        !probed_.contains({step.relation, step.probe}))
      out += CostOfIndex(marks[step.relation].end);
  return out;
}

void PlanChoice::Use(const Plan& plan) {
  for (const JoinStep& step : plan.join->steps)
    if (step.ReadsRows() && step.probe != 0 && !step.all_bound)
      probed_.emplace(step.relation, step.probe);
}

}  // namespace rpl
