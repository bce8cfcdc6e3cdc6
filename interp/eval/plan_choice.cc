// SPDX-License-Identifier: Apache-2.0
#include "interp/eval/plan_choice.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "interp/eval/join.h"
#include "interp/eval/profile.h"

namespace rpl {
namespace {

constexpr std::size_t kTried = 64;            // outer rows of a trial
constexpr std::uint64_t kTrialWork = 20'000;  // probes and rows of a trial, at most about
constexpr std::size_t kCandidates = 4;        // that are tried beside the plan as written
constexpr double kIndexed = 4;                // cost of a row of an index that must be built

int MagnitudeOf(RowId rows) { return static_cast<int>(std::bit_width(rows)) / 2; }

}  // namespace

const Plan& PlanChoice::Choose(DerivedRule& rule, DerivedRule::Plans& plans, int delta,
                               const std::vector<Marks>& marks) {
  if (version_ != analysis_.version()) probed_.clear();
  version_ = analysis_.version();
  const Plan& written = analysis_.PlanFor(rule, plans, delta, {});
  if (rule.as_written) return written;
  // Joins only: other clauses may depend on the order of answers.
  if (analysis_.PlanFor(rule, rule.full, -1, {}).join == nullptr || written.join == nullptr)
    return written;
  RowId delta_rows = 0;
  if (delta >= 0) {
    const Marks& m = marks[rule.clauses[static_cast<std::size_t>(delta)]->As<Atom>()->relation];
    delta_rows = m.end - m.old_end;
  }
  DerivedRule::Plans::Chosen& chosen = plans.chosen[MagnitudeOf(delta_rows)];
  if (HaveGrown(rule.clauses, store_, limits_, chosen.seen))
    chosen.plan = &Cheapest(rule, plans, delta, delta_rows, marks, chosen.expected);
  if (chosen.plan == nullptr) return written;
  if (limits_.profile != nullptr && !chosen.expected.empty())
    limits_.profile->Expect(*chosen.plan, chosen.expected,
                            JoinRun::Outer(*chosen.plan->join, marks));
  return *chosen.plan;
}

const Plan& PlanChoice::Cheapest(DerivedRule& rule, DerivedRule::Plans& plans, int delta,
                                 RowId delta_rows, const std::vector<Marks>& marks,
                                 std::vector<ExpectedReads>& expected) {
  expected.clear();
  const Plan& written = analysis_.PlanFor(rule, plans, delta, {});
  std::vector<AtomOrder> orders = OrdersByCost(rule.clauses, delta, delta_rows, store_);
  if (orders.size() < 2) return written;
  std::optional<Trial> as_written = Try(written, marks, std::numeric_limits<double>::infinity());
  Use(written);
  if (!as_written) return written;
  expected = std::move(as_written->steps);
  if (as_written->cost < static_cast<double>(limits_.min_ordered)) return written;
  const Plan* best = &written;
  double least = as_written->cost / std::max(limits_.min_gain, 1e-9);
  std::size_t tried = 0;
  for (const AtomOrder& order : orders) {
    if (order.cost > least || tried == kCandidates) break;
    const Plan& plan = analysis_.PlanFor(rule, plans, delta, order.positions);
    if (plan.join == nullptr) continue;  // in that order, an equality binds a slot
    const double indexes = MissingIndexes(plan, marks);
    if (order.cost + indexes > least) continue;
    ++tried;
    std::optional<Trial> trial = Try(plan, marks, least);
    if (!trial) break;
    if (trial->cost + indexes >= least) continue;
    best = &plan;
    least = trial->cost + indexes;
    expected = std::move(trial->steps);
  }
  Use(*best);
  return *best;
}

// The probes and rows that the plan takes for all its outer rows, from those for some of them, the
// last of which may be scanned in part; no more than about `most` is looked for. nullopt: it
// was stopped.
std::optional<PlanChoice::Trial> PlanChoice::Try(const Plan& plan, const std::vector<Marks>& marks,
                                                 double most) {
  JoinRun run(*plan.join, store_, marks, &keep_on_, nullptr);
  const std::size_t outer = run.outer();
  const std::size_t count = std::min(outer, kTried);
  RowBatch found;
  found.Clear(plan.join->columns.size());
  const auto pause = [&] {
    found.Clear(plan.join->columns.size());
    return run.work() < kTrialWork && keep_on_();
  };
  const auto cost_after = [&](double rows) {
    return static_cast<double>(run.work()) / rows * static_cast<double>(outer);
  };
  const auto trial = [&](double rows) {
    rows = std::max(rows, 1e-9);
    Trial out = {cost_after(rows), {}};
    JoinCounts counts;
    run.AddTo(counts);
    for (const JoinCounts::Step& step : counts.steps)
      out.steps.push_back(
          {static_cast<double>(step.times) / rows, static_cast<double>(step.rows) / rows});
    if (!out.steps.empty()) out.steps.front() = {1, static_cast<double>(outer)};
    return out;
  };
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = i * outer / count;
    const auto done = static_cast<double>(i);
    if (!run.Run(at, at + 1, found, kTrialWork, pause)) {
      if (run.work() < kTrialWork) return std::nullopt;
      return trial(done + run.gone_through());
    }
    if (run.work() >= kTrialWork || (i >= kTried / 4 && cost_after(done + 1) > 2 * most))
      return trial(done + 1);
  }
  return trial(static_cast<double>(count));
}

// The cost of the indexes that the plan would need and no plan in use does; a trial has it, too.
// Those that exist count as well: which ones do may depend on what was asked about the rows.
double PlanChoice::MissingIndexes(const Plan& plan, const std::vector<Marks>& marks) const {
  double out = 0;
  for (const JoinStep& step : plan.join->steps)
    if (step.kind != JoinStep::Kind::kCompare && step.probe != 0 && !step.all_bound &&
        !probed_.contains({step.relation, step.probe}))
      out += kIndexed * marks[step.relation].end;
  return out;
}

void PlanChoice::Use(const Plan& plan) {
  for (const JoinStep& step : plan.join->steps)
    if (step.kind != JoinStep::Kind::kCompare && step.probe != 0 && !step.all_bound)
      probed_.emplace(step.relation, step.probe);
}

}  // namespace rpl
