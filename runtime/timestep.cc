// SPDX-License-Identifier: Apache-2.0
//
// Step() is the eight phases and nothing else; each phase is one function below, in order
// (the first two in inbox.h), followed by their common functions.
// Begin, Log and Record write the log.
#include "runtime/timestep.h"

#include <algorithm>
#include <ctime>
#include <functional>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "interp/eval/constraint_watch.h"
#include "interp/eval/fixpoint.h"
#include "interp/eval/profile.h"
#include "interp/eval/solver.h"
#include "interp/eval/unifier.h"
#include "interp/plan/analysis.h"
#include "interp/store/json_value.h"
#include "runtime/door.h"
#include "runtime/gate_setup.h"
#include "runtime/journal.h"

namespace rpl {

using nlohmann::ordered_json;

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
      tool_calls_({engine_, options_, agent_, recorder_, budget_, calls_, permission_, source_feed_,
                   inbox_, requests_}),
      questions_({engine_, options_, agent_, recorder_, budget_, goals_, calls_, permission_,
                  inbox_, *door_, requests_, violations_}) {
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
  ActivateGoals();
  UpdatePlans(step);
  ProgressPlan(step);
  recorder_.SetPhase(7);
  QuiesceRelations(step);
  DispatchAsyncs(step);
  return step;
}

// Puts into effect what phase 2 added to the program, and the goal that reads it.
void Runtime::PutIntoEffect() {
  if (engine_.IsStale()) {
    DropOvertakenTruths();
    PrepareProgram();
  }
  if (query_ != nullptr && engine_.AddReader(*query_)) PrepareProgram();
  if (source_feed_.PushDown(query_)) {
    DropOvertakenTruths();
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
  if (recorder_.phase() == 3 && stop == Stop::kGoesOn) stop = RecheckTruths();
  if (stop != Stop::kGoesOn) {
    if (budget_.Take(stop, engine_.fixpoint.stopped_at()))
      if (const RelationId r = engine_.fixpoint.growing();
          r != kNoId && !engine_.store.at(r).empty())
        budget_.Grew(
            RowText(r, engine_.store.at(r).Cells(engine_.store.at(r).size() - 1), kToldBytes));
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
  } else if (!found.needed.empty() && query_ == nullptr &&
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

// --- phase 4: which rules may be pursued -----------------------------------------------

void Runtime::ActivateGoals() {
  Begin(4, "activate goals");
  engine_.solver.Forget();
  if (!recorder_.Logs()) return;
  const auto standing = [&](const Definition& def) {
    const Solver::Active active = engine_.solver.Activated(def);
    recorder_.Log(active == Solver::Active::kYes  ? Verb::kEligible
                  : active == Solver::Active::kNo ? Verb::kIneligible
                                                  : Verb::kUndecided,
                  def);
  };
  std::vector<const Definition*> rules = pursue_ ? Candidates() : std::vector<const Definition*>{};
  for (const Goal& goal : engine_.program.goals())
    for (int number : goal.rules)
      if (const auto* def = &engine_.program.definitions()[static_cast<std::size_t>(number)];
          std::find(rules.begin(), rules.end(), def) == rules.end())
        rules.push_back(def);
  for (const Definition* def : rules) {
    recorder_.Log(Verb::kConsidered, *def);
    standing(*def);
  }
  for (const Definition& def : engine_.program.definitions())
    if (def.head != kNoId && engine_.store.at(def.head).space() != Space::kGoal &&
        !def.activation.empty())
      standing(def);
}

// The root goal's rules, else those of the named goals, in written order (§18.4).
std::vector<const Definition*> Runtime::Candidates() const {
  if (query_ != nullptr) return {query_};
  std::vector<const Definition*> out;
  const auto add = [&](const Goal& goal) {
    for (int number : goal.rules)
      out.push_back(&engine_.program.definitions()[static_cast<std::size_t>(number)]);
  };
  if (const Goal* root = engine_.program.FindGoal(named_)) {
    add(*root);
    return out;
  }
  for (const Goal& goal : engine_.program.goals())
    if (goal.IsPursued()) add(goal);
  return out;
}

// --- phase 5: the plan is the first rule that is not unsatisfied ------------------------

void Runtime::UpdatePlans(StepState& step) {
  Begin(5, "update plans");
  engine_.solver.Forget();
  engine_.solver.Take();  // of phase 4, which only logs
  if (!pursue_ || AwaitSources(step)) return;
  const auto take = [&](const Table& table, const std::string& name) {
    step.plan = &table;
    step.goal_name = name;
    // If answers are shown, all must be: a pending answer is waited for, and a withheld one leaves
    // the goal undecided. A goal that shows none is satisfied by its first answer.
    const bool shows = !table.more().captures.empty() || !table.more().shown.empty();
    const bool whole = table.rows.empty() || shows || table.forced;
    step.undecided = table.undecided && whole;
    step.incomplete = (table.lacking & kReply) != 0;
    step.standing = table.pending && whole                 ? GoalStanding::kPending
                    : table.rows.empty() || step.undecided ? GoalStanding::kUnsatisfied
                                                           : GoalStanding::kSatisfied;
    if (step.reason.empty()) step.reason = table.more().reason;
    if (step.ineligible == kNoId) step.ineligible = table.ineligible;
    return step.standing != GoalStanding::kUnsatisfied;
  };
  if (query_ != nullptr) {
    take(engine_.solver.SolveQuery(*query_), "the query");
    step.plan_rule = query_;
    step.goal_name = engine_.store.at(query_->head).name();
    if (!step.plan->eligible) step.ineligible = query_->head;
  } else if (const Goal* root = engine_.program.FindGoal(named_)) {
    take(engine_.solver.SolveGoal(*root), "%" + named_);
  } else {
    for (const Goal& goal : engine_.program.goals())
      if (goal.IsPursued() && take(engine_.solver.SolveGoal(goal), "%" + goal.label)) break;
  }
  if (step.plan != nullptr && step.plan_rule == nullptr && step.plan->rule >= 0)
    step.plan_rule = &engine_.program.definitions()[static_cast<std::size_t>(step.plan->rule)];
  const bool stands = step.standing != GoalStanding::kUnsatisfied;
  step.rules = step.plan != nullptr && query_ == nullptr && stands ? RulesOf(*step.plan) : "";
  if (step.plan_rule != nullptr && stands) recorder_.Log(Verb::kPlan, *step.plan_rule);
  TakeEvaluation(step, engine_.solver.Take());
}

// In place of the plan, while a source of the program was not read: its open calls.
bool Runtime::AwaitSources(StepState& step) {
  if (!step.awaits_sources) return false;
  Evaluation found = source_feed_.Open();
  step.goal_name = query_ != nullptr ? engine_.store.at(query_->head).name() : "%" + named_;
  step.standing = found.calls.empty() || found.refused || found.failed ? GoalStanding::kUnsatisfied
                                                                       : GoalStanding::kPending;
  TakeEvaluation(step, std::move(found));
  return true;
}

void Runtime::TakeEvaluation(StepState& step, Evaluation found) {
  for (const OpenCall& call : found.calls)
    if (calls_.created.insert(engine_.solver.IdOf(call)).second)
      recorder_.Log(Verb::kCreated, engine_.solver.CallText(call), call.place);
  if (found.stop != Stop::kGoesOn) {
    budget_.Take(found.stop, found.stopped_at);
    if (step.standing != GoalStanding::kSatisfied) step.standing = GoalStanding::kUnsatisfied;
  }
  if (step.standing == GoalStanding::kPending && found.calls.empty())
    step.standing = GoalStanding::kUnsatisfied;  // nothing waits for nothing
  step.goal_violations = std::exchange(found.violations, {});
  step.found = std::move(found);
}

// --- phase 6: what the plan established becomes novelty ---------------------------------

void Runtime::ProgressPlan(StepState& step) {
  Begin(6, "progress plan");
  if (step.plan == nullptr) return;
  switch (step.standing) {
    case GoalStanding::kSatisfied: {
      TakeAnswers(step, *step.plan);
      std::set<const Table*> done;
      RecordGoal(step, *step.plan, done);
      done.clear();
      if (!step.unchecked) Show(step, *step.plan, done);
      if (query_ == nullptr) step.words = WordsOf(engine_, *step.plan);
      LogRulesPassedOver(step);
      break;
    }
    case GoalStanding::kPending: LogGoal(step, Verb::kWaiting); break;
    case GoalStanding::kUnsatisfied: LogGoal(step, Verb::kUnsatisfied); break;
    case GoalStanding::kNoGoal: break;
  }
  if (recorder_.Tells())
    recorder_.Event("goal",
                    {{"goal", step.goal_name},
                     {"standing", step.standing == GoalStanding::kSatisfied ? "satisfied"
                                  : step.standing == GoalStanding::kPending ? "waiting"
                                                                            : "unsatisfied"}});
  step.plan = nullptr;  // the next phase forgets the tables
}

// Logs the later rules of a satisfied goal, with their status now that it is true (§15.4).
void Runtime::LogRulesPassedOver(const StepState& step) {
  if (!recorder_.Logs() || step.plan_rule == nullptr) return;
  bool later = false;
  for (const Definition* def : Candidates()) {
    if (later && def->head == step.plan_rule->head && !def->activation.empty())
      recorder_.Log(engine_.solver.Activated(*def) == Solver::Active::kNo ? Verb::kIneligible
                                                                          : Verb::kPassedOver,
                    *def);
    later |= def == step.plan_rule;
  }
}

// --- phase 8: output, calls and questions, and the replies that come back at once --------

void Runtime::DispatchAsyncs(StepState& step) {
  Begin(8, "dispatch asyncs");
  calls_.awaited.clear();
  if (!calls_.held.empty() || !permission_.broken().empty()) return;
  if (step.checked.violated) return questions_.AskWhatNow(step);
  Journal* const journal = budget_.IsCutOff() ? nullptr : options_.journal;
  const bool live = options_.journal == nullptr || options_.journal->live();
  std::set<std::string> traced;
  for (const auto& [clause, value] : step.shown) {
    const std::string json = Json(engine_.pool, value).value();  // else the clause did not hold
    if (!permission_.AdmitsShown(value)) continue;
    chat_ = true;
    if (journal != nullptr ? journal->Chat(json) : live) agent_.Chat(json);
    recorder_.Log(Verb::kChat, json);
    recorder_.Event("chat", {{"line", json}});
    if (traced.insert(clause->text).second)
      recorder_.Entry(
          {.kind = TraceEntry::Kind::kReply,
           .text = clause->text + " ^ ~ {:tool :json} -> true",
           .answered = AnsweredCall{.call = clause->text, .tool = "json", .shown = true},
           .place = clause->span});
  }
  if (step.standing == GoalStanding::kUnsatisfied) return questions_.AskWhatNow(step);
  if (step.standing != GoalStanding::kPending || budget_.IsCutOff()) return;
  std::vector<const OpenCall*> tools;
  for (const OpenCall& call : step.found.calls)
    if (!IsQuestion(engine_.store.at(call.relation))) tools.push_back(&call);
  if (!tools.empty()) tool_calls_.Make(tools);
  TakeAwaited(step);
  std::vector<OpenCall> questions;
  std::ranges::copy_if(step.found.calls, std::back_inserter(questions), [&](const OpenCall& call) {
    return IsQuestion(engine_.store.at(call.relation));
  });
  if (questions.empty()) return;
  std::vector<Request> open;
  for (const OpenCall& question : questions) open.push_back(requests_.For(question));
  agent_.Open(open);
  // In order, until one has an answer: it may make others superfluous.
  for (const OpenCall& question : questions)
    if (questions_.Ask(question)) return;
  for (const OpenCall& question : TakeAwaited(step))
    if (questions_.Ask(question)) return;
}

// The headings that guards wait for and nothing else asks for. They are asked for with the plan's.
std::vector<OpenCall> Runtime::TakeAwaited(StepState& step) {
  std::set<CallId> known;
  for (const OpenCall& call : step.found.calls) known.insert(engine_.solver.IdOf(call));
  std::vector<OpenCall> out;
  for (OpenCall& call : std::exchange(calls_.awaited, {}))
    if (known.insert(engine_.solver.IdOf(call)).second) out.push_back(std::move(call));
  step.found.calls.insert(step.found.calls.begin(), out.begin(), out.end());
  return out;
}

// Shows $json lines: those of the goals below first, then clause by clause in written order.
void Runtime::Show(StepState& step, const Table& table, std::set<const Table*>& done) {
  if (!done.insert(&table).second) return;
  for (const Table* used : table.more().used) Show(step, *used, done);
  std::vector<std::pair<const Clause*, Value>> shown = table.more().shown;
  std::stable_sort(shown.begin(), shown.end(), [](const auto& a, const auto& b) {
    return a.first->span.begin < b.first->span.begin;
  });
  step.shown.insert(step.shown.end(), shown.begin(), shown.end());
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

void Runtime::LogGoal(const StepState& step, Verb verb) {
  recorder_.Log(verb, step.goal_name,
                step.plan_rule != nullptr ? std::optional(step.plan_rule->span) : std::nullopt);
}

// The rule that answered a goal.
std::optional<Span> Runtime::PlaceOf(const Table& goal) const {
  if (goal.rule < 0) return std::nullopt;
  return engine_.program.definitions()[static_cast<std::size_t>(goal.rule)].span;
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

void Runtime::OfferToContinue(const std::string& goal) {
  recorder_.Log(Verb::kOffered, goal);
  agent_.OfferToContinue(goal);
}

void Runtime::SetGoal(const Definition* query, bool pursue) {
  query_ = query;
  pursue_ = pursue;
  chat_ = false;
  for (const OpenCall& call : calls_.not_run) engine_.store.Retract(call.relation, call.args);
  calls_.BeginTurn();
  run_begins_ = pursue;
}

}  // namespace rpl
