// SPDX-License-Identifier: Apache-2.0
#include "runtime/step/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "formats/spelling.h"
#include "formats/terminal_text.h"
#include "interp/eval/engine.h"
#include "interp/eval/evaluation.h"
#include "interp/eval/solver.h"
#include "interp/program/program.h"
#include "interp/store/store.h"
#include "runtime/facts/budget.h"
#include "runtime/facts/call_book.h"
#include "runtime/facts/goal_record.h"
#include "runtime/facts/recorder.h"
#include "runtime/outcome.h"
#include "runtime/record/journal.h"
#include "runtime/step/call_permission.h"
#include "runtime/step/request_writer.h"
#include "runtime/step/step_state.h"
#include "runtime/step/violations.h"

namespace rpl {
namespace {

// ", did you mean %trip?", or "".
std::string GoalLike(const interp::Engine& engine, const std::string& name) {
  NearestName nearest(name);
  for (RelationId r = 0; r < engine.store.size(); ++r) {
    const Relation& known = engine.store.at(r);
    if (known.space() == Space::kGoal &&
        engine.program.FindGoal(engine.pool.TextOf(known.label())) != nullptr)
      nearest.Offer(known.name());
  }
  return nearest.name().empty() ? "" : ", did you mean " + nearest.name() + "?";
}

}  // namespace

Outcome Judge::Begun(const StepState& step) const {
  Outcome out;
  out.goal = step.goal_name;
  out.rule = step.rules;
  return out;
}

Outcome Judge::Failed(const std::string& reason, const std::string& explanation,
                      Outcome out) const {
  out.status = Status::kFailed;
  out.reason = RecordFailure(run_.goals, run_.recorder, reason, explanation);
  return out;
}

std::string Judge::LackingCall(const Evaluation& found) const {
  const Solver& solver = engine_.solver;
  if (found.refused)
    if (const auto refused = run_.calls.refused.find(solver.IdOf(*found.refused));
        refused != run_.calls.refused.end())
      return OneLine(solver.CallText(*found.refused) + " was refused: " + refused->second);
  return found.failed ? OneLine(solver.FailureText(*found.failed, found.failure)) : "";
}

void Judge::TakePending(const StepState& step, Outcome& out) const {
  out.status = Status::kWaiting;
  for (const OpenCall& call : step.found.calls) {
    if (IsQuestion(engine_.store.at(call.relation))) {
      out.pending.emplace_back(run_.requests.QuestionFor(call));
      continue;
    }
    ToolCall of_tool = run_.requests.CallFor(call);
    of_tool.in_doubt = run_.options.journal != nullptr && run_.options.journal->InDoubt(of_tool.id);
    out.pending.emplace_back(std::move(of_tool));
  }
  const Request& first = *out.pending.front();
  out.reason = "waiting for " + first.id;
  if (first.prompt != first.id) out.reason += ": " + OneLine(first.prompt);
}

Outcome Judge::Decided(StepState& step, const Definition* query) const {
  Outcome out = Begun(step);
  const auto fail = [&](const std::string& reason, const std::string& explanation) {
    return Failed(reason, explanation, std::move(out));
  };
  if (run_.budget.stop() == Stop::kInterrupted) {
    out.status = Status::kInterrupted;
    out.reason = "interrupted";
    return out;
  }
  if (!run_.permission.broken().empty()) {
    out.status = Status::kRejected;
    out.reason = run_.permission.broken();
    return out;
  }
  if (!run_.calls.held.empty()) {
    out.status = Status::kReview;
    out.reason = run_.calls.held;
    return out;
  }
  for (const Violated& v : step.checked.overridden)
    out.overridden.push_back(run_.violations.OverriddenOf(v));
  if (step.checked.violated) {
    const Violated& v = *step.checked.violated;
    if (v.constraint == nullptr)
      return fail("retracted but still derived: " + v.bindings,
                  v.bindings + " retracts what a rule derives");
    out.violated_with = run_.violations.ValuesOf(v);
    out.violated = run_.violations.WordsOf(v);
    out.violated_by = v.rows;
    return fail("constraint violated: " + v.constraint->text,
                v.constraint->text + " at " + engine_.sources.Where(v.constraint->span) + " with " +
                    v.bindings + run_.violations.HiddenOf(v) +
                    (v.undefined.empty() ? "" : ": " + v.undefined));
  }
  if (const auto report = AuthorFailure(step)) {
    out.status = Status::kFailed;
    out.reason = *report;
    return out;
  }
  const bool certain = step.standing == GoalStanding::kSatisfied && !step.unchecked;
  if (run_.budget.stop() != Stop::kGoesOn) {
    const std::string limit = "limit reached: " + run_.budget.LimitText();
    const std::string where = run_.budget.StoppedText();
    if (!certain) {
      out = fail(limit, where);
      out.status = Status::kLimit;
      return out;
    }
    if (!step.columns.empty()) out.cut_off = OneLine(limit + ", " + where);
  } else if (step.incomplete && !step.columns.empty()) {
    out.cut_off = LackingCall(step.found);
  }
  switch (step.standing) {
    case GoalStanding::kNoGoal: return out;
    case GoalStanding::kSatisfied:
      out.status = Status::kSatisfied;
      out.now = std::move(step.words.to_do);
      for (const auto& [name, value] : step.words.with)
        out.with.push_back("?" + name + " = " + Text(engine_.pool, value, kToldBytes));
      out.answers = std::exchange(step.answers, {});
      out.json_answers = std::exchange(step.json_answers, {});
      out.columns = std::exchange(step.columns, {});
      out.cells = std::exchange(step.cells, {});
      return out;
    case GoalStanding::kPending:
      TakePending(step, out);
      if (const std::string& limit = run_.calls.attempts.limit(); !limit.empty()) {
        std::string explanation = std::exchange(out.reason, "");
        out = fail("limit reached: " + limit, explanation);
        out.status = Status::kLimit;
      }
      return out;
    case GoalStanding::kUnsatisfied: break;
  }
  return Unsatisfied(step, query, std::move(out));
}

// Why the goal is not satisfied.
Outcome Judge::Unsatisfied(StepState& step, const Definition* query, Outcome out) const {
  const auto fail = [&](const std::string& reason, const std::string& explanation) {
    return Failed(reason, explanation, std::move(out));
  };
  if (step.found.declined) {
    const std::string call = engine_.solver.CallText(*step.found.declined);
    out.declined = call;
    const std::string& by =
        step.checked.undecided_by == nullptr ? step.goal_name : step.checked.undecided_by->text;
    return fail("declined: " + call, by + " needs " + call + ", which was declined");
  }
  const auto refused = step.found.refused
                           ? run_.calls.reports.find(engine_.solver.IdOf(*step.found.refused))
                           : run_.calls.reports.end();
  if (refused != run_.calls.reports.end() && !step.undecided) {
    out.status = Status::kFailed;
    out.reason = refused->second;
    return out;
  }
  if (std::string call = LackingCall(step.found); !call.empty()) {
    out.status = Status::kToolFailed;
    out.reason = std::move(call);
    return out;
  }
  if (step.found.circle)
    // The name of a query says nothing: it may be one that the shell gave.
    return fail("circular dependency: " + step.found.circle->text,
                query != nullptr
                    ? step.reason
                    : step.goal_name + " rests on " + step.found.circle->text + ": " + step.reason);
  if (step.ineligible != kNoId) {
    const std::string& name = engine_.store.at(step.ineligible).name();
    const bool known = (query != nullptr && step.ineligible == query->head) ||
                       GoalOf(engine_, step.ineligible) != nullptr;
    return fail((known ? "no eligible rule for " : "no rule for ") + name,
                known ? "no activation clause of " + name + " holds"
                      : "nothing defines " + name + GoalLike(engine_, name));
  }
  if (step.undecided && step.checked.undecided_by == nullptr && !step.found.undefined.empty())
    step.reason = "undecided: " + step.found.undefined;
  out.status = Status::kUnsatisfied;
  out.reason = OneLine(step.reason.empty() ? step.goal_name + " is not satisfied" : step.reason);
  return out;
}

// The author's %fail rules (§15.7): the first that holds is the report.
std::optional<std::string> Judge::AuthorFailure(const StepState& step) const {
  const Goal* fail = engine_.program.FindGoal("fail");
  if (fail == nullptr || step.awaits_sources) return std::nullopt;
  const Table& table = engine_.solver.SolveGoal(*fail);
  if (run_.options.progress) run_.options.progress(nullptr);
  if (table.rows.empty() || table.pending) return std::nullopt;
  const std::span<const Value> row = table.rows.front();
  if (row.size() < 2) return std::nullopt;
  return RecordFailure(run_.goals, run_.recorder, PlainText(engine_.pool, row[0]),
                       PlainText(engine_.pool, row[1]));
}

Outcome Judge::OfTimesteps(const StepState& step) const {
  Outcome out = Begun(step);
  out.status = Status::kLimit;
  const std::string last =
      step.found.calls.empty() ? "" : run_.requests.For(step.found.calls.front())->id;
  out.reason =
      RecordFailure(run_.goals, run_.recorder,
                    fmt::format("limit reached: {} timesteps", run_.budget.max_timesteps()),
                    fmt::format("{} was still waiting for {}", step.goal_name, last));
  return out;
}

Outcome Judge::Of(StepState& step, const Definition* query) const {
  Outcome out = Decided(step, query);
  out.repeatable = !run_.budget.IsCutOff();
  out.not_run = out.status != Status::kSatisfied && !run_.calls.not_run.empty();
  if (out.status != Status::kSatisfied) return out;
  for (auto& [truth, entry] : std::exchange(step.standing_again, {})) {
    run_.goals.truths[truth] = run_.goals.voids;
    run_.recorder.Entry(std::move(entry));
  }
  return out;
}

}  // namespace rpl
