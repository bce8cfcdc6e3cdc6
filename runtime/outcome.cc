// SPDX-License-Identifier: Apache-2.0
//
// How a run stands: answers, reasons and %fail reports, and what a person decides after a
// failure of §18.6.
//
// A failure is put to the agent in phase 8, as a choice named "what-now". What is chosen is
// done in the next timestep; nobody, or "stop", leaves the failure as the outcome.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "grammar/printer.h"
#include "interp/eval/constraint_watch.h"
#include "interp/eval/fixpoint.h"
#include "interp/eval/solver.h"
#include "interp/plan/analysis.h"
#include "runtime/gate.h"
#include "runtime/journal.h"
#include "runtime/timestep.h"

namespace rpl {

std::string OneLine(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

// The captures that are shown; constant arguments are not.
Runtime::CapturedColumns Runtime::ColumnsOf(const Table& table) const {
  CapturedColumns out;
  if (plan_rule_ == nullptr) {  // a truth that was recorded before satisfies it
    for (std::size_t i = 0; i < table.captures.size(); ++i)
      out.emplace_back(i, Text(engine_.pool, table.captures[i]));
    return out;
  }
  for (std::size_t i = 0; i < plan_rule_->args.size(); ++i) {
    const Pattern& p = plan_rule_->args[i];
    if (p.kind == Pattern::Kind::kSlot)
      out.emplace_back(i, "?" + plan_rule_->slots[static_cast<std::size_t>(p.slot)]);
    else if (p.kind != Pattern::Kind::kConstant)
      out.emplace_back(i, Text(engine_.pool, plan_rule_->captures[i]));
  }
  return out;
}

void Runtime::TakeAnswers(const Table& table) {
  const CapturedColumns columns = ColumnsOf(table);
  if (columns.empty()) return;
  for (const auto& [column, name] : columns) columns_.push_back(name);
  unchecked_ = IsCutOff();  // some answers may be missing: which, the machine decides
  RowSet seen(columns.size());
  std::vector<Value> cells;
  for (std::size_t row = 0; row < table.rows.size() && GoesOn(row); ++row) {
    cells.clear();
    for (const auto& [column, name] : columns)
      cells.push_back(column < table.rows[row].size() ? table.rows[row][column] : kAbsent);
    if (!CanBeShown(cells)) return;
    if (seen.Insert(cells).is_new) cells_.insert(cells_.end(), cells.begin(), cells.end());
  }
  if (options_.answer_forms.text || options_.journal != nullptr)
    answers_ = AnswersOf(table, columns, false);
  if (options_.answer_forms.json) json_answers_ = AnswersOf(table, columns, true);
}

// One line per distinct answer (decision 63).
std::vector<std::string> Runtime::AnswersOf(const Table& table, const CapturedColumns& columns,
                                            bool json) {
  std::vector<std::string> out;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < table.rows.size() && GoesOn(i); ++i) {
    const std::vector<Value>& row = table.rows[i];
    if (!CanBeShown(row)) break;
    std::vector<Value> entries;
    for (const auto& [column, name] : columns) {
      entries.push_back(engine_.pool.String(name));
      entries.push_back(column < row.size() ? row[column] : kAbsent);
    }
    const bool bare = columns.size() == 1 && !json;
    const Value shown = bare ? entries[1] : engine_.pool.Map(entries);
    std::string text;
    if (bare && shown.kind() == Kind::kString) text = PlainText(engine_.pool, shown);
    else text = Json(engine_.pool, shown).value_or(Text(engine_.pool, shown));
    if (seen.insert(text).second) out.push_back(std::move(text));
  }
  return out;
}

// Polls the limits now and then while the answers of phase 6 are printed and recorded. The rest
// of them is missing then, so the limit is the outcome.
bool Runtime::GoesOn(std::size_t answers) {
  if (unchecked_) return false;
  if (answers % 256 != 255) return true;
  return !CutAnswers(Watch(0));
}

// Likewise for an answer that is too long to be printed, and before one that takes long.
bool Runtime::CanBeShown(std::span<const Value> cells) {
  constexpr std::uint64_t kLong = std::uint64_t{1} << 16;
  std::uint64_t bytes = 0;
  for (const Value v : cells) bytes = std::min(bytes + engine_.pool.TextBytes(v), Pool::kManyBytes);
  if (bytes > kMaxTextBytes) {
    overflow_ = "an answer longer than 64 MiB";
    return !CutAnswers(Stop::kValue);
  }
  return bytes < kLong || !CutAnswers(Watch(bytes));
}

bool Runtime::CutAnswers(Stop why) {
  if (why == Stop::kGoesOn) return false;
  stop_ = why;
  stopped_at_ = plan_rule_ != nullptr ? plan_rule_->text : goal_name_;
  newest_.clear();
  unchecked_ = true;
  return true;
}

std::string Runtime::FailText(const std::string& reason, const std::string& explanation) {
  Tell("fail", {{"reason", reason}, {"explanation", explanation}});
  const std::string text =
      "%fail(" + Quote(OneLine(reason)) + ", " + Quote(OneLine(explanation)) + ")";
  ++voids_;
  const bool same = !trace_.empty() && trace_.back().kind == TraceEntry::Kind::kFailure &&
                    trace_.back().text == text;
  if (!same)  // it failed so before: no news
    Record({.kind = TraceEntry::Kind::kFailure, .text = text});
  return text;
}

// The author's %fail rules (§15.7): the first that holds is the report.
std::string Runtime::LimitText() const {
  switch (stop_) {
    case Stop::kRows: return fmt::format("{} rows", engine_.limits.max_rows);
    case Stop::kRounds: return fmt::format("{} rounds", engine_.limits.max_rounds);
    case Stop::kDepth: return fmt::format("{} nested calls", engine_.limits.max_depth);
    case Stop::kIterations: return fmt::format("{} iterations", engine_.limits.max_iterations);
    case Stop::kValue: return overflow_;
    case Stop::kTime: return fmt::format("{} seconds", options_.limits.max_seconds);
    case Stop::kMemory: return fmt::format("{} MB of memory", options_.limits.max_megabytes);
    case Stop::kGoesOn:
    case Stop::kInterrupted: break;
  }
  return "";
}

std::optional<std::string> Runtime::AuthorFailure() {
  const Goal* fail = engine_.program.FindGoal("fail");
  if (fail == nullptr) return std::nullopt;
  const Table& table = engine_.solver.SolveGoal(*fail);
  if (options_.progress) options_.progress(nullptr);
  if (table.rows.empty() || table.pending) return std::nullopt;
  const std::vector<Value>& row = table.rows.front();
  if (row.size() < 2) return std::nullopt;
  return FailText(PlainText(engine_.pool, row[0]), PlainText(engine_.pool, row[1]));
}

Outcome Runtime::ReportTimesteps() {
  Outcome out;
  out.goal = goal_name_;
  out.chat = chat_;
  out.status = Status::kLimit;
  const std::string last = found_.calls.empty() ? "" : RequestFor(found_.calls.front()).id;
  out.reason = FailText(fmt::format("limit reached: {} timesteps", max_timesteps_),
                        fmt::format("{} was still waiting for {}", goal_name_, last));
  return out;
}

Outcome Runtime::Report() {
  Outcome out = Judge();
  out.repeatable = !IsCutOff();
  out.not_run = out.status != Status::kSatisfied && !not_run_.empty();
  if (out.status != Status::kSatisfied) return out;
  for (auto& [truth, entry] : std::exchange(standing_again_, {})) {
    truths_[truth] = voids_;
    Record(std::move(entry));
  }
  return out;
}

// A call that was refused or whose tool failed, and why; "" for none.
std::string Runtime::LackingCall() const {
  const Solver& solver = engine_.solver;
  if (found_.refused)
    if (const auto refused = refused_.find(solver.IdOf(*found_.refused)); refused != refused_.end())
      return OneLine(solver.CallText(*found_.refused) + " was refused: " + refused->second);
  return found_.failed ? OneLine(solver.FailureText(*found_.failed, found_.failure)) : "";
}

// What is waited for: all tool calls, and of the questions to a person the first.
void Runtime::TakePending(Outcome& out) {
  out.status = Status::kWaiting;
  bool asked = false;
  for (const OpenCall& call : found_.calls) {
    Request r = RequestFor(call);
    r.in_doubt = options_.journal != nullptr && options_.journal->InDoubt(r.id);
    const bool question = r.kind != Request::Kind::kTool;
    if (question && asked) continue;
    asked |= question;
    out.pending.push_back(std::move(r));
  }
  if (!out.pending.empty()) {
    const Request& first = out.pending.front();
    out.reason = "waiting for " + first.id;
    if (first.prompt != first.id) out.reason += ": " + OneLine(first.prompt);
  } else {
    out.reason = "waiting for an answer from outside";
  }
}

Outcome Runtime::Judge() {
  Outcome out;
  out.goal = goal_name_;
  out.chat = chat_;
  const auto fail = [&](const std::string& reason, const std::string& explanation) {
    out.status = Status::kFailed;
    out.reason = FailText(reason, explanation);
    return out;
  };
  if (stop_ == Stop::kInterrupted) {
    out.status = Status::kInterrupted;
    out.reason = "interrupted";
    return out;
  }
  if (!gate_->broken().empty()) {
    out.status = Status::kRejected;
    out.reason = gate_->broken();
    out.repeatable = false;
    return out;
  }
  if (!held_.empty()) {
    out.status = Status::kReview;
    out.reason = held_;
    return out;
  }
  if (violated_) {
    const Violated& v = *violated_;
    if (v.constraint == nullptr)
      return fail("retracted but still derived: " + v.bindings,
                  v.bindings + " retracts what a rule derives");
    return fail(
        "constraint violated: " + v.constraint->text,
        v.constraint->text + " at " + sources_.Where(v.constraint->span) + " with " + v.bindings);
  }
  if (const auto report = AuthorFailure()) {
    out.status = Status::kFailed;
    out.reason = *report;
    return out;
  }
  const bool certain = standing_ == Standing::kSatisfied && !unchecked_;
  if (stop_ != Stop::kGoesOn) {
    const std::string limit = "limit reached: " + LimitText();
    std::string where = fmt::format("evaluation stopped while `{}` was still growing", stopped_at_);
    if (!newest_.empty()) where += "; its newest row is " + newest_;
    if (!certain) {
      out = fail(limit, where);
      out.status = Status::kLimit;
      return out;
    }
    if (!columns_.empty()) out.cut_off = OneLine(limit + ", " + where);
  } else if (incomplete_ && !columns_.empty()) {
    out.cut_off = LackingCall();
  }
  switch (standing_) {
    case Standing::kNoGoal: return out;
    case Standing::kSatisfied:
      out.status = Status::kSatisfied;
      out.answers = std::exchange(answers_, {});
      out.json_answers = std::exchange(json_answers_, {});
      out.columns = std::exchange(columns_, {});
      out.cells = std::exchange(cells_, {});
      return out;
    case Standing::kPending: TakePending(out); return out;
    case Standing::kUnsatisfied: break;
  }
  if (found_.declined) {
    const std::string call = engine_.solver.CallText(*found_.declined);
    return fail("declined: " + call, goal_name_ + " needs " + call + ", which was declined");
  }
  const auto refused =
      found_.refused ? reports_.find(engine_.solver.IdOf(*found_.refused)) : reports_.end();
  if (refused != reports_.end() && !undecided_) {
    out.status = Status::kFailed;
    out.reason = refused->second;
    return out;
  }
  if (std::string call = LackingCall(); !call.empty()) {
    out.status = Status::kToolFailed;
    out.reason = std::move(call);
    return out;
  }
  if (found_.circle)
    return fail("circular dependency: " + found_.circle->text,
                goal_name_ + " rests on " + found_.circle->text + ": " + reason_);
  if (ineligible_ != kNoId) {
    const std::string& name = engine_.store.at(ineligible_).name();
    const bool known =
        (query_ != nullptr && ineligible_ == query_->head) || GoalOf(ineligible_) != nullptr;
    return fail((known ? "no eligible rule for " : "no rule for ") + name,
                known ? "no activation clause of " + name + " holds" : "nothing defines " + name);
  }
  out.status = Status::kUnsatisfied;
  out.reason = OneLine(reason_.empty() ? goal_name_ + " is not satisfied" : reason_);
  return out;
}

// --- what the user decides (§18.6) -------------------------------------------------------

std::string Runtime::WhatOf(const Violated& v) const {
  return OneLine(v.constraint == nullptr
                     ? "retracted but still derived: " + v.bindings
                     : "constraint violated: " + v.constraint->text + " with " + v.bindings);
}

// Whether a person decided to go on with it.
bool Runtime::IsAccepted(const Violated& v) {
  const Relation& decided = engine_.store.at(what_now_);
  if (decided.empty()) return false;
  const Value what = engine_.pool.String(WhatOf(v));
  const RowId row = decided.Find({&what, 1});
  return row != kNoId && !decided.Meta(row).is_none() &&
         engine_.pool.Lookup(decided.Meta(row), engine_.pool.Keyword("result")) ==
             engine_.pool.String("continue");
}

const Goal* Runtime::GoalOf(RelationId relation) const {
  const Relation& of = engine_.store.at(relation);
  return of.space() == Space::kGoal ? engine_.program.FindGoal(engine_.pool.TextOf(of.label()))
                                    : nullptr;
}

// What went wrong, in one line, and what can be done about it besides to stop.
Runtime::Failing Runtime::FailingNow() {
  Failing out;
  if (violated_) {
    const Violated& v = *violated_;
    out.what = WhatOf(v);
    // The decision is the reply to a call, and a fact as such.
    const Value entry[] = {engine_.pool.Keyword("result"), engine_.pool.String("continue")};
    Assertion goes_on;
    goes_on.relation = what_now_;
    goes_on.row = {engine_.pool.String(out.what)};
    goes_on.trace = true;
    goes_on.meta = engine_.pool.Map(entry);
    goes_on.text =
        RowText(what_now_, goes_on.row) + " ^ ~ " + Text(engine_.pool, goes_on.meta) + " -> true";
    out.ways.push_back({"continue", std::move(goes_on)});
    for (const Assertion& fact : v.asserted)
      out.ways.push_back({"retract " + RowText(fact.relation, fact.row), fact});
    return out;
  }
  if (stop_ != Stop::kGoesOn || found_.declined || found_.refused || found_.failed) return out;
  const RelationId goal = found_.circle ? found_.circle->first : ineligible_;
  if (found_.circle) out.what = "circular dependency: " + found_.circle->text;
  else if (goal != kNoId) out.what = "no eligible rule for " + engine_.store.at(goal).name();
  const Goal* known = goal != kNoId ? GoalOf(goal) : nullptr;
  if (known == nullptr) return out;
  Assertion truth;
  truth.relation = known->relation;
  truth.row = {kNone};  // the empty map, made when it is asserted
  truth.trace = truth.assumed = true;
  const std::string& name = engine_.store.at(goal).name();
  truth.text = name + " ^ true";
  out.ways.push_back({"assume " + name, truth});
  return out;
}

TraceEntry Runtime::EntryToCome(const Failing::Way& way) const {
  return {.kind = way.does.truth ? TraceEntry::Kind::kFact : TraceEntry::Kind::kRetraction,
          .timestep = timestep_ + 1,
          .phase = 2,
          .text = way.does.text};
}

void Runtime::AskWhatNow() {
  if (IsCutOff()) return;
  const Failing failing = FailingNow();
  if (failing.ways.empty()) return;
  const Value what = engine_.pool.String(OneLine(failing.what));
  Request request;
  request.kind = Request::Kind::kChoose;
  request.id = RowText(what_now_, {&what, 1});
  request.name = "what-now";
  request.prompt = OneLine(failing.what) + ". What now?";
  for (const Failing::Way& way : failing.ways)
    request.options.push_back(engine_.pool.String(way.name));
  request.options.push_back(engine_.pool.String("stop"));
  const auto chosen = [&](const Answer& answer) {
    return std::find_if(failing.ways.begin(), failing.ways.end(), [&](const Failing::Way& way) {
      return engine_.pool.String(way.name) == answer.value;
    });
  };
  const auto answer = Put(request, std::nullopt, [&](const Answer& given) {
    const auto way = chosen(given);
    return way == failing.ways.end() ? TraceEntry{} : EntryToCome(*way);
  });
  if (!answer || answer->kind != Answer::Kind::kValue) return;
  const auto way = chosen(*answer);
  if (way == failing.ways.end()) return;
  FailText(failing.what, "the user decides: " + way->name);
  decisions_.push_back(*way);
}

}  // namespace rpl
