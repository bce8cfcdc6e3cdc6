// SPDX-License-Identifier: Apache-2.0
//
// Step() is the eight phases and nothing else.
#include "runtime/step/timestep.h"

#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "formats/diagnostic.h"
#include "interp/eval/engine.h"
#include "interp/eval/fixpoint.h"
#include "interp/eval/profile.h"
#include "interp/eval/solver.h"
#include "interp/program/builtins.h"
#include "interp/program/program.h"
#include "runtime/facts/budget.h"
#include "runtime/facts/call_book.h"
#include "runtime/facts/derivation.h"
#include "runtime/facts/door.h"
#include "runtime/facts/fact_writer.h"
#include "runtime/facts/goal_record.h"
#include "runtime/facts/recorder.h"
#include "runtime/facts/said.h"
#include "runtime/facts/source_feed.h"
#include "runtime/gate_setup.h"
#include "runtime/outcome.h"
#include "runtime/ports.h"
#include "runtime/record/journal.h"
#include "runtime/session_options.h"
#include "runtime/step/answer_writer.h"
#include "runtime/step/call_permission.h"
#include "runtime/step/constraint_check.h"
#include "runtime/step/dispatch.h"
#include "runtime/step/explaining.h"
#include "runtime/step/goal_pursuit.h"
#include "runtime/step/host_check.h"
#include "runtime/step/inbox.h"
#include "runtime/step/judge.h"
#include "runtime/step/request_writer.h"
#include "runtime/step/run_parts.h"
#include "runtime/step/step_state.h"
#include "runtime/step/violations.h"

namespace rpl {

namespace {

// The part of the profile for the time of a phase, except for constraints.
Profile::Part ProfiledPart(int phase) {
  switch (phase) {
    case 1:
    case 2: return Profile::Part::kReading;
    case 3:
    case 7: return Profile::Part::kDeriving;
    case 6: return Profile::Part::kAnswering;
    case 8: return Profile::Part::kCalling;
    default: return Profile::Part::kSolving;
  }
}

}  // namespace

struct Runtime::State : RunParts {
  using RunParts::RunParts;

  Value now;  // of the current or last timestep
  std::size_t bad_heads_known = 0;
  bool run_begins = false;  // with the next timestep
};

Runtime::Runtime(Ports ports, SessionOptions options)
    : run_(std::make_unique<State>(ports, std::move(options))) {}

Runtime::~Runtime() = default;

RunParts& Runtime::parts() { return *run_; }

void Runtime::EndRun(Status status) {
  if (run_->pursuit.pursues()) run_->permission.EndRun(status);
}

bool Runtime::has_replies() const {
  const CallBook& calls = run_->calls;
  return !calls.replies.empty() || run_->inbox.has_decisions() || run_->source_feed.ends_push() ||
         (!calls.refusals.empty() && calls.held.empty());
}

StepState Runtime::Step(StepState last) {
  StepState step;
  // Outcomes of timesteps without a goal name the last one; recorded sessions have it so.
  step.goal_name = std::move(last.goal_name);
  step.rules = std::move(last.rules);
  run_->recorder.BeginTimestep();
  run_->engine.solver.Suspend();
  Renew();
  run_->source_feed.ReadAgain(false);
  Begin(1, "assert new avars");
  run_->inbox.TakeReplies();
  run_->source_feed.ReadAgain(true);
  Begin(2, "assert input novelty");
  run_->inbox.TakeNovelty();
  PutIntoEffect();
  step.awaits_sources = run_->source_feed.Awaits();
  run_->recorder.SetPhase(3);
  QuiesceRelations(step);
  Begin(4, "activate goals");
  run_->pursuit.Activate();
  Begin(5, "update plans");
  run_->pursuit.Choose(step);
  Begin(6, "progress plan");
  run_->pursuit.Record(step);
  run_->recorder.SetPhase(7);
  QuiesceRelations(step);
  Begin(8, "dispatch asyncs");
  run_->dispatch.Run(step);
  return step;
}

// Puts into effect what phase 2 added to the program, and the goal that reads it.
void Runtime::PutIntoEffect() {
  if (run_->engine.IsStale()) {
    run_->pursuit.DropOvertaken();
    PrepareProgram();
  }
  const Definition* const query = run_->pursuit.query();
  if (query != nullptr && run_->engine.AddReader(*query)) PrepareProgram();
  if (run_->source_feed.PushDown(query)) {
    run_->pursuit.DropOvertaken();
    PrepareProgram();
  }
  if (run_->options.answers_only && run_->source_feed.pushed().empty())
    run_->engine.DeriveFor(query);
}

// Puts the program into effect as it is now; its findings are told again.
void Runtime::PrepareProgram() {
  run_->engine.Prepare();
  run_->goals.standing.clear();
  run_->bad_heads_known = 0;
}

// --- phases 3 and 7: derive, then check constraints ------------------------------------

void Runtime::QuiesceRelations(StepState& step) {
  step.checked = {};
  Begin(run_->recorder.phase(), "quiesce relations");
  run_->engine.solver.Begin({.now = run_->now,
                             .declined = run_->calls.declined,
                             .refused = run_->calls.refused,
                             .host = run_->options.host});
  if (run_->facts.has_unfinished()) {  // nothing rests on a fact of which a part is missing
    step.unchecked = true;
    run_->engine.solver.Truncate();
    return;
  }
  Stop stop = run_->engine.Derive();
  if (run_->recorder.phase() == 3 && stop == Stop::kGoesOn) stop = run_->pursuit.Recheck();
  if (stop != Stop::kGoesOn) {
    if (run_->budget.Take(stop, run_->engine.fixpoint.stopped_at()))
      if (const RelationId r = run_->engine.fixpoint.growing();
          r != kNoId && !run_->engine.store.at(r).empty())
        run_->budget.Grew(run_->derivations.RowText(
            r, run_->engine.store.at(r).Cells(run_->engine.store.at(r).size() - 1), kToldBytes));
    run_->recorder.Log(LogLine::Verb::kStopped, run_->budget.stopped_at());
    run_->engine.solver.Truncate();
  }
  run_->recorder.Derived(run_->engine, run_->derivations);
  if (run_->options.profile != nullptr) run_->options.profile->Enter(Profile::Part::kChecking);
  if (step.awaits_sources) return;  // absent rows prove nothing
  run_->pursuit.TakeFindings(
      step,
      run_->recorder.phase() == 3
          ? run_->constraints.Live()
          : run_->constraints.Settle(step.standing, step.goal_violations, run_->pursuit.query()));
}

// --- between the phases ------------------------------------------------------------------

void Runtime::Begin(int phase, const char* name) {
  run_->recorder.SetPhase(phase);
  if (run_->options.profile != nullptr) run_->options.profile->Enter(ProfiledPart(phase));
  if (run_->options.progress) run_->options.progress(nullptr);
  run_->recorder.Log(LogLine::Verb::kPhase, name);
  run_->recorder.Event("phase", [&]() -> nlohmann::ordered_json { return {{"name", name}}; });
}

void Runtime::SetLog(LogSink log) {
  if (log && !run_->recorder.Logs()) {
    run_->recorder.SetLog([](const LogLine&) {});
    run_->recorder.Derived(run_->engine, run_->derivations);
  }
  run_->recorder.SetLog(std::move(log));
}

void Runtime::SetLimits(const SessionLimits& limits) {
  if (run_->budget.Set(limits)) ForgetEvaluated();
}

// What was evaluated within other limits might not be within these.
void Runtime::ForgetEvaluated() {
  run_->engine.solver.Resume(SIZE_MAX);
  run_->engine.solver.Resume(run_->options.long_loop);
  run_->goals.standing.clear();
}

void Runtime::Renew() {
  run_->budget.Begin();
  const auto clock = [&] {
    if (!run_->options.now.empty()) return run_->options.now;
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}Z", fmt::gmtime(std::time(nullptr)));
  };
  std::string now;
  if (Journal* const journal = run_->options.journal; journal != nullptr) {
    HostDescription* const host = run_->options.host;
    const Journal::StepInput moment =
        journal->Step(run_->recorder.timestep(), clock, run_->budget.limits(),
                      host != nullptr ? host->last() : 0);
    now = moment.now;
    if (host != nullptr) host->ReadAt(moment.host);
    if (run_->budget.Count(moment.limits)) ForgetEvaluated();
  } else {
    now = clock();
  }
  run_->now = run_->engine.pool.String(now);
  run_->recorder.SetPhase(0);
  run_->recorder.Event("timestep", [&]() -> nlohmann::ordered_json { return {{"now", now}}; });
  run_->permission.SetTime(now);
  if (std::exchange(run_->run_begins, false)) run_->permission.BeginRun();
}

void Runtime::TakeFindings(Diagnostics& out) {
  const Diagnostics of_sources = std::exchange(run_->source_feed.findings(), {});
  for (const Diagnostic& d : of_sources.all()) out.Add(d);
  const std::vector<BadHead>& bad = run_->engine.fixpoint.bad_heads();
  for (; run_->bad_heads_known < bad.size(); ++run_->bad_heads_known)
    out.Add(Code::kBadHead, bad[run_->bad_heads_known].first->span,
            "expected a relation call as head, got `" + bad[run_->bad_heads_known].second +
                "` from `" + bad[run_->bad_heads_known].first->text + "`");
}

Outcome Runtime::Report(StepState& step, bool cut_off) {
  Outcome out =
      cut_off ? run_->judge.OfTimesteps(step) : run_->judge.Of(step, run_->pursuit.query());
  out.chat = run_->dispatch.chat();
  return out;
}

void Runtime::Explain(const Definition& form, const ExplainLimits& limits,
                      std::size_t absence_depth, Explained& to) {
  Explaining(
      {run_->engine, run_->options, run_->budget, run_->source_feed, run_->requests, run_->judge})
      .Explain(form, limits, absence_depth, to);
}

HostCheck Runtime::OnHost() {
  return HostCheck({run_->engine, run_->options, run_->derivations, run_->violations,
                    run_->requests, run_->calls, run_->now});
}

void Runtime::SetGoal(const Definition* query, bool pursue) {
  if (run_->options.answers_only) run_->engine.DeriveFor(nullptr);
  run_->pursuit.SetGoal(query, pursue);
  run_->dispatch.BeginTurn();
  for (const OpenCall& call : run_->calls.not_run)
    run_->engine.store.Retract(call.relation, call.args);
  run_->calls.BeginTurn();
  run_->run_begins = pursue;
}

}  // namespace rpl
