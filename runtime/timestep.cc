// SPDX-License-Identifier: Apache-2.0
//
// Step() is the eight phases and nothing else.
#include "runtime/timestep.h"

#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "interp/eval/fixpoint.h"
#include "interp/eval/profile.h"
#include "interp/eval/solver.h"
#include "runtime/door.h"
#include "runtime/explaining.h"
#include "runtime/gate_setup.h"
#include "runtime/journal.h"

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

Runtime::Runtime(Agent& agent, SessionOptions options)
    : agent_(agent),
      options_(std::move(options)),
      permission_(engine_, options_, calls_, recorder_, derivations_,
                  {.state = [this](Assertion fact) { inbox_.Put(std::move(fact)); },
                   .fail =
                       [this](const std::string& reason, const std::string& explanation) {
                         return RecordFailure(goals_, recorder_, reason, explanation);
                       }}),
      door_(std::make_unique<Door>(engine_, recorder_.trace(),
                                   options_.gate != nullptr && options_.gate->guard != nullptr)),
      source_feed_({engine_, options_, agent_, recorder_, calls_, facts_, novelty_, *door_,
                    [this](const OpenCall& call) { return requests_.For(call); }}),
      inbox_({engine_, options_, recorder_, derivations_, calls_, permission_, facts_, source_feed_,
              goals_, novelty_, *door_}),
      requests_(engine_, options_, budget_, *door_, source_feed_, agent_),
      pursuit_({engine_, options_, recorder_, budget_, derivations_, goals_, calls_, source_feed_,
                answers_}),
      dispatch_(agent_,
                {engine_, options_, agent_, agent_, recorder_, budget_, calls_, permission_,
                 source_feed_, inbox_, requests_},
                {engine_, options_, agent_, recorder_, budget_, goals_, calls_, permission_, inbox_,
                 *door_, requests_, violations_}),
      judge_({engine_, options_, recorder_, goals_, budget_, calls_, permission_, requests_,
              violations_}) {
  engine_.limits.threads = options_.threads;
  engine_.limits.profile = options_.profile;
  engine_.solver.Resume(options_.long_loop);
}

Runtime::~Runtime() = default;

StepState Runtime::Step(StepState last) {
  StepState step;
  // Outcomes of timesteps without a goal name the last one; recorded sessions have it so.
  step.goal_name = std::move(last.goal_name);
  step.rules = std::move(last.rules);
  recorder_.BeginTimestep();
  engine_.solver.Suspend();
  Renew();
  source_feed_.ReadAgain(false);
  Begin(1, "assert new avars");
  inbox_.TakeReplies();
  source_feed_.ReadAgain(true);
  Begin(2, "assert input novelty");
  inbox_.TakeNovelty();
  PutIntoEffect();
  step.awaits_sources = source_feed_.Awaits();
  recorder_.SetPhase(3);
  QuiesceRelations(step);
  Begin(4, "activate goals");
  pursuit_.Activate();
  Begin(5, "update plans");
  pursuit_.Choose(step);
  Begin(6, "progress plan");
  pursuit_.Record(step);
  recorder_.SetPhase(7);
  QuiesceRelations(step);
  Begin(8, "dispatch asyncs");
  dispatch_.Run(step);
  return step;
}

// Puts into effect what phase 2 added to the program, and the goal that reads it.
void Runtime::PutIntoEffect() {
  if (engine_.IsStale()) {
    pursuit_.DropOvertaken();
    PrepareProgram();
  }
  const Definition* const query = pursuit_.query();
  if (query != nullptr && engine_.AddReader(*query)) PrepareProgram();
  if (source_feed_.PushDown(query)) {
    pursuit_.DropOvertaken();
    PrepareProgram();
  }
}

// Puts the program into effect as it is now; its findings are told again.
void Runtime::PrepareProgram() {
  engine_.Prepare();
  goals_.standing.clear();
  bad_heads_known_ = 0;
}

// --- phases 3 and 7: derive, then check constraints ------------------------------------

void Runtime::QuiesceRelations(StepState& step) {
  step.checked = {};
  Begin(recorder_.phase(), "quiesce relations");
  engine_.solver.Begin({now_, calls_.declined, calls_.refused});
  if (facts_.has_unfinished()) {  // nothing rests on a fact of which a part is missing
    step.unchecked = true;
    engine_.solver.Truncate();
    return;
  }
  Stop stop = engine_.Derive();
  if (recorder_.phase() == 3 && stop == Stop::kGoesOn) stop = pursuit_.Recheck();
  if (stop != Stop::kGoesOn) {
    if (budget_.Take(stop, engine_.fixpoint.stopped_at()))
      if (const RelationId r = engine_.fixpoint.growing();
          r != kNoId && !engine_.store.at(r).empty())
        budget_.Grew(derivations_.RowText(
            r, engine_.store.at(r).Cells(engine_.store.at(r).size() - 1), kToldBytes));
    recorder_.Log(Verb::kStopped, budget_.stopped_at());
    engine_.solver.Truncate();
  }
  recorder_.Derived(engine_, derivations_);
  if (options_.profile != nullptr) options_.profile->Enter(Profile::Part::kChecking);
  if (step.awaits_sources) return;  // absent rows prove nothing
  TakeChecked(step, recorder_.phase() == 3
                        ? constraints_.Live()
                        : constraints_.Settle(step.standing, step.goal_violations));
}

// What the check of constraints says about the goal. A goal is not satisfied while a constraint is
// undecided (decision 80), and a run is when its constraints are decided: what they wait for is
// called and asked after everything that the goal needs (decision 83).
void Runtime::TakeChecked(StepState& step, Findings found) {
  step.unchecked = step.unchecked || found.unchecked;
  if (found.undecided_by != nullptr) {
    step.standing = GoalStanding::kUnsatisfied;
    step.undecided = true;
    step.undecided_by = found.undecided_by;
    step.reason = "undecided: " + found.undecided_by->text;
    if (!found.blame.undefined.empty()) step.reason += ": " + found.blame.undefined;
    step.found.declined = found.blame.declined;
    step.found.refused = found.blame.refused;
    step.found.failed = found.blame.failed;
    step.found.failure = found.blame.failure;
    step.shown.clear();
  } else if (!found.needed.empty() && pursuit_.query() == nullptr &&
             step.standing == GoalStanding::kSatisfied) {
    step.standing = GoalStanding::kPending;
    step.shown.clear();
    // A goal that is satisfied otherwise may have the same calls open: each goes out once.
    std::set<CallId> known;
    for (const OpenCall& call : step.found.calls) known.insert(engine_.solver.IdOf(call));
    for (OpenCall& call : std::exchange(found.needed, {})) {
      if (!known.insert(engine_.solver.IdOf(call)).second) continue;
      if (calls_.created.insert(engine_.solver.IdOf(call)).second)
        recorder_.Log(Verb::kCreated, engine_.solver.CallText(call), call.place);
      step.found.calls.push_back(std::move(call));
    }
  }
  step.checked = std::move(found);
}

// --- between the phases ------------------------------------------------------------------

void Runtime::Begin(int phase, const char* name) {
  recorder_.SetPhase(phase);
  if (options_.profile != nullptr) options_.profile->Enter(ProfiledPart(phase));
  if (options_.progress) options_.progress(nullptr);
  recorder_.Log(Verb::kPhase, name);
  recorder_.Event("phase", {{"name", name}});
}

void Runtime::SetLog(LogSink log) {
  if (log && !recorder_.Logs()) {
    recorder_.SetLog([](const LogLine&) {});
    recorder_.Derived(engine_, derivations_);
  }
  recorder_.SetLog(std::move(log));
}

void Runtime::SetLimits(const SessionLimits& limits) {
  if (budget_.Set(limits)) ForgetEvaluated();
}

// What was evaluated within other limits might not be within these.
void Runtime::ForgetEvaluated() {
  engine_.solver.Resume(SIZE_MAX);
  engine_.solver.Resume(options_.long_loop);
  goals_.standing.clear();
}

void Runtime::Renew() {
  budget_.Begin();
  const auto clock = [&] {
    if (!options_.now.empty()) return options_.now;
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}Z", fmt::gmtime(std::time(nullptr)));
  };
  std::string now;
  if (Journal* const journal = options_.journal; journal != nullptr) {
    const Journal::StepInput moment = journal->Step(recorder_.timestep(), clock, budget_.limits());
    now = moment.now;
    if (budget_.Count(moment.limits)) ForgetEvaluated();
  } else {
    now = clock();
  }
  now_ = engine_.pool.String(now);
  recorder_.SetPhase(0);
  recorder_.Event("timestep", {{"now", now}});
  permission_.SetTime(now);
  if (std::exchange(run_begins_, false)) permission_.BeginRun();
}

void Runtime::TakeFindings(Diagnostics& out) {
  const Diagnostics of_sources = std::exchange(source_feed_.findings(), {});
  for (const Diagnostic& d : of_sources.all()) out.Add(d);
  const std::vector<BadHead>& bad = engine_.fixpoint.bad_heads();
  for (; bad_heads_known_ < bad.size(); ++bad_heads_known_)
    out.Add(Code::kBadHead, bad[bad_heads_known_].first->span,
            "expected a relation call as head, got `" + bad[bad_heads_known_].second + "` from `" +
                bad[bad_heads_known_].first->text + "`");
}

Outcome Runtime::Report(StepState& step) {
  Outcome out = judge_.Of(step, pursuit_.query());
  out.chat = dispatch_.chat();
  return out;
}

Outcome Runtime::ReportTimesteps(const StepState& step) {
  Outcome out = judge_.OfTimesteps(step);
  out.chat = dispatch_.chat();
  return out;
}

void Runtime::Explain(const Definition& form, const ExplainLimits& limits,
                      std::size_t absence_depth, Explained& to) {
  Explaining({engine_, options_, budget_, source_feed_, requests_, judge_})
      .Explain(form, limits, absence_depth, to);
}

void Runtime::OfferToContinue(const std::string& goal) {
  recorder_.Log(Verb::kOffered, goal);
  agent_.OfferToContinue(goal);
}

void Runtime::SetGoal(const Definition* query, bool pursue) {
  pursuit_.SetGoal(query, pursue);
  dispatch_.BeginTurn();
  for (const OpenCall& call : calls_.not_run) engine_.store.Retract(call.relation, call.args);
  calls_.BeginTurn();
  run_begins_ = pursue;
}

}  // namespace rpl
