// SPDX-License-Identifier: Apache-2.0
#include "runtime/step/explaining.h"

#include <fmt/format.h>

#include <algorithm>

#include "interp/eval/engine.h"
#include "interp/eval/evaluation.h"
#include "interp/eval/machine.h"
#include "interp/eval/solver.h"
#include "interp/explain/explain.h"
#include "interp/plan/analysis.h"
#include "runtime/explained.h"
#include "runtime/facts/budget.h"
#include "runtime/facts/goal_record.h"
#include "runtime/facts/source_feed.h"
#include "runtime/session_options.h"
#include "runtime/step/judge.h"
#include "runtime/step/request_writer.h"

namespace rpl {
namespace {

using NodeKind = ExplainNode::Kind;

// Whether the fact needs no rule.
bool IsStated(const Explanation& proof) {
  const NodeKind kind = proof.nodes.front().kind;
  return kind == NodeKind::kAsserted || kind == NodeKind::kReply;
}

// In place of the reasons for an absence, when nothing below the form can be judged.
Explanation NotKnown(const Definition& form, std::string why) {
  Explanation out;
  ExplainNode& root = out.nodes.emplace_back();
  root.kind = NodeKind::kNotKnown;
  root.text = form.body.front().text;
  root.note = std::move(why);
  return out;
}

}  // namespace

// Whether at most one fact can match.
bool Explaining::IsOneFact(const Definition& form) const {
  const auto* atom = form.body.front().As<Atom>();
  if (atom == nullptr) return false;
  const Goal* goal = GoalOf(engine_, atom->relation);
  return (goal == nullptr || goal->captures.size() <= atom->args.size()) &&
         std::ranges::all_of(atom->args,
                             [](const Pattern& p) { return p.kind == Pattern::Kind::kConstant; });
}

// Fills in why there may be more facts than were found. `calls`: those that are open.
void Explaining::TakeDoubt(const Evaluation& found, const std::vector<OpenCall>& calls, bool lacks,
                           Explained& to) const {
  const auto doubt = [&](Status status, std::string reason) {
    to.doubt = status;
    to.reason = OneLine(std::move(reason));
  };
  if (!calls.empty()) {
    for (const OpenCall& call : calls) to.pending.push_back(run_.requests.For(call));
    return doubt(Status::kWaiting, "waiting for " + to.pending.front()->id);
  }
  if (!lacks) return;
  if (found.declined)
    return doubt(Status::kFailed, "declined: " + engine_.solver.CallText(*found.declined));
  if (std::string call = run_.judge.LackingCall(found); !call.empty())
    return doubt(Status::kToolFailed, std::move(call));
  doubt(Status::kFailed,
        found.circle ? "circular dependency: " + found.circle->text : "an answer is lacking");
}

// The same for a limit.
void Explaining::TakeCutOff(Explained& to) const {
  to.doubt = run_.budget.stop() == Stop::kInterrupted ? Status::kInterrupted : Status::kLimit;
  to.reason = run_.budget.CutOffText();
  if (to.doubt == Status::kLimit && !run_.budget.stopped_at().empty())
    to.reason += ", " + run_.budget.StoppedText();
  to.reason = OneLine(to.reason);
}

void Explaining::ExplainHere(const Definition& form, const ExplainLimits& limits,
                             std::size_t absence_depth, Explained& to) {
  const Solver& solver = engine_.solver;
  const bool cut_off = engine_.solver.machine().truncated;
  bool stopped = false;
  const auto stops = [&] {
    const Evaluation& found = solver.found();
    if (found.stop == Stop::kGoesOn) return false;
    run_.budget.Take(found.stop,
                     found.stopped_at.empty() ? form.body.front().text : found.stopped_at);
    TakeCutOff(to);
    return stopped = true;
  };
  Explainer explainer(engine_, run_.budget.CutOffText());
  to.why = explainer.Why(form, limits);
  if (run_.sources.Awaits()) {
    // As for a run: rules say nothing yet, and a source may state anything.
    std::erase_if(to.why.proofs, [](const Explanation& proof) { return !IsStated(proof); });
    to.why.more = 0;
    const Evaluation sources = run_.sources.Open();
    const bool lacks = sources.refused || sources.failed;
    TakeDoubt(sources, lacks ? std::vector<OpenCall>() : sources.calls, lacks, to);
    if (to.why.proofs.empty()) to.why_not = NotKnown(form, to.reason);
  } else if (stops()) {
    if (to.why.proofs.empty()) to.why_not = NotKnown(form, run_.budget.CutOffText());
  } else {
    const Undecided& open = explainer.open();
    const std::vector<OpenCall> calls = solver.CallsOf(open.waits);
    const Evaluation found = solver.found();
    if (to.why.proofs.empty()) to.why_not = explainer.WhyNot(form, absence_depth);
    if (stops()) {
      // What was told is true; the rest is missing.
    } else if (cut_off) {
      TakeCutOff(to);
    } else {
      TakeDoubt(found, calls, (open.lacks & kReply) != 0, to);
    }
  }
  if (!to.why.proofs.empty() && IsOneFact(form) && !stopped) {
    to.doubt = Status::kNothing;
    to.reason.clear();
    to.pending.clear();
  }
}

void Explaining::Explain(const Definition& form, const ExplainLimits& limits,
                         std::size_t absence_depth, Explained& to) {
  engine_.solver.Take();
  engine_.solver.Resume(SIZE_MAX);  // values that only it knows are forgotten
  Budget::Reached before = run_.budget.BeginAside(engine_.solver.machine().truncated);
  engine_.limits.profile = nullptr;
  // For rules that no timestep has put into effect yet; the next one prepares the engine for them.
  if (engine_.IsStale()) engine_.analysis.Make(engine_.program, engine_.store);
  engine_.solver.Forget();
  ExplainHere(form, limits, absence_depth, to);
  engine_.solver.Forget();
  engine_.limits.profile = run_.options.profile;
  if (run_.options.progress) run_.options.progress(nullptr);
  engine_.pool.ClearOverflow();
  engine_.solver.Take();
  engine_.solver.Resume(run_.options.long_loop);
  run_.budget.EndAside(std::move(before));
}

}  // namespace rpl
