// SPDX-License-Identifier: Apache-2.0
//
// Outcomes of a run: answers, reasons and %fail reports, and decisions of a person after a
// failure of §18.6.
//
// A failure is put to the agent in phase 8, as a choice named "what-now". The choice takes effect
// in the next timestep; without an answer, or with "stop", the failure is the outcome.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "formats/spelling.h"
#include "formats/terminal_text.h"
#include "grammar/printer.h"
#include "interp/eval/constraint_watch.h"
#include "interp/eval/fixpoint.h"
#include "interp/eval/solver.h"
#include "interp/plan/analysis.h"
#include "runtime/hidden_rows.h"
#include "runtime/journal.h"
#include "runtime/text_hash.h"
#include "runtime/timestep.h"

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

// Whether an answer is of a rule without captures, beside others that have some (decision 97).
bool CapturesNothing(const std::vector<Value>& cells) {
  return std::ranges::all_of(cells, [](Value v) { return v == kAbsent; });
}

}  // namespace

std::string AnswerText(Pool& pool, const std::vector<std::string>& columns,
                       std::span<const Value> cells, bool json) {
  std::vector<Value> entries;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (cells[i] == kAbsent) continue;
    entries.push_back(pool.String(columns[i]));
    entries.push_back(cells[i]);
  }
  const bool bare = columns.size() == 1 && !json && !entries.empty();
  const Value shown = bare ? entries[1] : pool.Map(entries);
  if (bare && shown.kind() == Kind::kString) return PlainText(pool, shown);
  return Json(pool, shown).value_or(Text(pool, shown));
}

// The captures of a rule that are shown, which constant arguments are not: their names, and the
// columns of them in the table and in the outcome.
struct Runtime::ShownCaptures {
  std::vector<std::string> names;
  std::vector<std::size_t> from, to;

  // The cell of the i-th of them.
  Value CellOf(std::span<const Value> row, std::size_t i) const {
    return from[i] < row.size() ? row[from[i]] : kAbsent;
  }
};

Runtime::ShownCaptures Runtime::CapturesOf(const Table& table, const Definition* rule) const {
  ShownCaptures out;
  const auto add = [&](std::size_t column, std::string name) {
    out.names.push_back(std::move(name));
    out.from.push_back(column);
  };
  if (rule == nullptr) {  // a truth that was recorded before satisfies it
    for (std::size_t i = 0; i < table.more().captures.size(); ++i)
      add(i, Text(engine_.pool, table.more().captures[i]));
    return out;
  }
  for (std::size_t i = 0; i < rule->args.size(); ++i) {
    const Pattern& p = rule->args[i];
    if (p.kind == Pattern::Kind::kSlot) add(i, "?" + rule->slots[static_cast<std::size_t>(p.slot)]);
    else if (p.kind != Pattern::Kind::kConstant) add(i, Text(engine_.pool, rule->captures[i]));
  }
  return out;
}

// Each rule of a goal names its own captures (decisions 61, 97), so an answer has a cell for what
// its rule captures, and is absent from the columns of others.
void Runtime::TakeAnswers(StepState& step, const Table& table) {
  std::map<int, ShownCaptures> of_rules;
  std::vector<const ShownCaptures*> of_rows;
  const auto captures_of = [&](int rule) {
    const auto [at, is_new] = of_rules.try_emplace(rule);
    ShownCaptures& captures = at->second;
    if (!is_new) return &captures;
    captures = CapturesOf(
        table,
        rule < 0 ? step.plan_rule : &engine_.program.definitions()[static_cast<std::size_t>(rule)]);
    for (const std::string& name : captures.names) {
      const auto known = std::ranges::find(step.columns, name);
      captures.to.push_back(static_cast<std::size_t>(known - step.columns.begin()));
      if (known == step.columns.end()) step.columns.push_back(name);
    }
    return &captures;
  };
  const bool named = step.plan_rule != nullptr && step.plan_rule != query_;
  for (std::size_t row = 0; row < table.rows.size(); ++row)
    of_rows.push_back(captures_of(named ? table.more().rules[row] : -1));
  if (of_rows.empty()) captures_of(-1);
  if (step.columns.empty()) return;
  step.unchecked =
      budget_.IsCutOff();  // some answers may be missing, and which ones is not reproducible
  RowSet seen(step.columns.size());
  std::vector<Value> cells;
  for (std::size_t row = 0; row < table.rows.size() && GoesOn(step, row); ++row) {
    cells.assign(step.columns.size(), kAbsent);
    const ShownCaptures& shown = *of_rows[row];
    for (std::size_t i = 0; i < shown.to.size(); ++i)
      cells[shown.to[i]] = shown.CellOf(table.rows[row], i);
    if (CapturesNothing(cells)) continue;
    if (!CanBeShown(step, cells)) return;
    if (seen.Insert(cells).is_new) step.cells.insert(step.cells.end(), cells.begin(), cells.end());
  }
  if (options_.answer_forms.text || options_.journal != nullptr)
    step.answers = AnswersOf(step, table, of_rows, false);
  if (options_.answer_forms.json) step.json_answers = AnswersOf(step, table, of_rows, true);
}

// One line per distinct answer (decision 63).
std::vector<std::string> Runtime::AnswersOf(StepState& step, const Table& table,
                                            const std::vector<const ShownCaptures*>& of_rows,
                                            bool json) {
  std::vector<std::string> out;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < table.rows.size() && GoesOn(step, i); ++i) {
    const std::span<const Value> row = table.rows[i];
    if (!CanBeShown(step, row)) break;
    const ShownCaptures& shown = *of_rows[i];
    std::vector<Value> cells;
    for (std::size_t k = 0; k < shown.from.size(); ++k) cells.push_back(shown.CellOf(row, k));
    if (CapturesNothing(cells)) continue;
    std::string text = AnswerText(engine_.pool, shown.names, cells, json);
    if (seen.insert(text).second) out.push_back(std::move(text));
  }
  return out;
}

// Polls the limits now and then while the answers of phase 6 are printed and recorded. If one is
// reached, the remaining answers are missing, so the limit is the outcome.
bool Runtime::GoesOn(StepState& step, std::size_t answers) {
  if (step.unchecked) return false;
  if (answers % 256 != 255) return true;
  return !CutAnswers(step, budget_.Poll(0));
}

// Likewise for an answer that is too long to be printed, and before long ones.
bool Runtime::CanBeShown(StepState& step, std::span<const Value> cells) {
  constexpr std::uint64_t kLong = std::uint64_t{1} << 16;
  std::uint64_t bytes = 0;
  for (const Value v : cells) bytes = std::min(bytes + engine_.pool.TextBytes(v), Pool::kManyBytes);
  if (bytes > kMaxTextBytes) {
    return !CutAnswers(step, Stop::kValue, "an answer longer than 64 MiB");
  }
  if ((step.unpolled += bytes) < kLong) return true;
  step.unpolled = 0;
  return !CutAnswers(step, budget_.Poll(bytes));
}

bool Runtime::CutAnswers(StepState& step, Stop why, std::string overflow) {
  if (why == Stop::kGoesOn) return false;
  budget_.Stopped(why, step.plan_rule != nullptr ? step.plan_rule->text : step.goal_name,
                  std::move(overflow));
  step.unchecked = true;
  return true;
}

// The author's %fail rules (§15.7): the first that holds is the report.
std::optional<std::string> Runtime::AuthorFailure(const StepState& step) {
  const Goal* fail = engine_.program.FindGoal("fail");
  if (fail == nullptr || step.awaits_sources) return std::nullopt;
  const Table& table = engine_.solver.SolveGoal(*fail);
  if (options_.progress) options_.progress(nullptr);
  if (table.rows.empty() || table.pending) return std::nullopt;
  const std::span<const Value> row = table.rows.front();
  if (row.size() < 2) return std::nullopt;
  return RecordFailure(goals_, recorder_, PlainText(engine_.pool, row[0]),
                       PlainText(engine_.pool, row[1]));
}

Outcome Runtime::ReportTimesteps(const StepState& step) {
  Outcome out;
  out.goal = step.goal_name;
  out.rule = step.rules;
  out.chat = chat_;
  out.status = Status::kLimit;
  const std::string last =
      step.found.calls.empty() ? "" : requests_.For(step.found.calls.front()).id;
  out.reason = RecordFailure(goals_, recorder_,
                             fmt::format("limit reached: {} timesteps", budget_.max_timesteps()),
                             fmt::format("{} was still waiting for {}", step.goal_name, last));
  return out;
}

Outcome Runtime::Report(StepState& step) {
  Outcome out = Judge(step);
  out.repeatable = !budget_.IsCutOff();
  out.not_run = out.status != Status::kSatisfied && !calls_.not_run.empty();
  if (out.status != Status::kSatisfied) return out;
  for (auto& [truth, entry] : std::exchange(step.standing_again, {})) {
    goals_.truths[truth] = goals_.voids;
    recorder_.Entry(std::move(entry));
  }
  return out;
}

// A call that was refused or whose tool failed, with the reason; "" for none.
std::string Runtime::LackingCall(const Evaluation& found) const {
  const Solver& solver = engine_.solver;
  if (found.refused)
    if (const auto refused = calls_.refused.find(solver.IdOf(*found.refused));
        refused != calls_.refused.end())
      return OneLine(solver.CallText(*found.refused) + " was refused: " + refused->second);
  return found.failed ? OneLine(solver.FailureText(*found.failed, found.failure)) : "";
}

void Runtime::TakePending(const StepState& step, Outcome& out) {
  out.status = Status::kWaiting;
  for (const OpenCall& call : step.found.calls) {
    out.pending.push_back(requests_.For(call));
    Request& r = out.pending.back();
    r.in_doubt = options_.journal != nullptr && options_.journal->InDoubt(r.id);
  }
  const Request& first = out.pending.front();
  out.reason = "waiting for " + first.id;
  if (first.prompt != first.id) out.reason += ": " + OneLine(first.prompt);
}

Outcome Runtime::Judge(StepState& step) {
  Outcome out;
  out.goal = step.goal_name;
  out.rule = step.rules;
  out.chat = chat_;
  const auto fail = [&](const std::string& reason, const std::string& explanation) {
    out.status = Status::kFailed;
    out.reason = RecordFailure(goals_, recorder_, reason, explanation);
    return out;
  };
  if (budget_.stop() == Stop::kInterrupted) {
    out.status = Status::kInterrupted;
    out.reason = "interrupted";
    return out;
  }
  if (!permission_.broken().empty()) {
    out.status = Status::kRejected;
    out.reason = permission_.broken();
    out.repeatable = false;
    return out;
  }
  if (!calls_.held.empty()) {
    out.status = Status::kReview;
    out.reason = calls_.held;
    return out;
  }
  for (const Violated& v : step.checked.overridden)
    out.overridden.push_back(violations_.OverriddenOf(v));
  if (step.checked.violated) {
    const Violated& v = *step.checked.violated;
    if (v.constraint == nullptr)
      return fail("retracted but still derived: " + v.bindings,
                  v.bindings + " retracts what a rule derives");
    out.violated_with = violations_.ValuesOf(v);
    out.violated = violations_.WordsOf(v);
    out.violated_by = v.rows;
    return fail("constraint violated: " + v.constraint->text,
                v.constraint->text + " at " + sources_.Where(v.constraint->span) + " with " +
                    v.bindings + violations_.HiddenOf(v) +
                    (v.undefined.empty() ? "" : ": " + v.undefined));
  }
  if (const auto report = AuthorFailure(step)) {
    out.status = Status::kFailed;
    out.reason = *report;
    return out;
  }
  const bool certain = step.standing == GoalStanding::kSatisfied && !step.unchecked;
  if (budget_.stop() != Stop::kGoesOn) {
    const std::string limit = "limit reached: " + budget_.LimitText();
    const std::string where = budget_.StoppedText();
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
    case GoalStanding::kPending: TakePending(step, out); return out;
    case GoalStanding::kUnsatisfied: break;
  }
  if (step.found.declined) {
    const std::string call = engine_.solver.CallText(*step.found.declined);
    out.declined = call;
    const std::string& by = step.undecided_by == nullptr ? step.goal_name : step.undecided_by->text;
    return fail("declined: " + call, by + " needs " + call + ", which was declined");
  }
  const auto refused = step.found.refused
                           ? calls_.reports.find(engine_.solver.IdOf(*step.found.refused))
                           : calls_.reports.end();
  if (refused != calls_.reports.end() && !step.undecided) {
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
    return fail("circular dependency: " + step.found.circle->text,
                step.goal_name + " rests on " + step.found.circle->text + ": " + step.reason);
  if (step.ineligible != kNoId) {
    const std::string& name = engine_.store.at(step.ineligible).name();
    const bool known = (query_ != nullptr && step.ineligible == query_->head) ||
                       GoalOf(engine_, step.ineligible) != nullptr;
    return fail((known ? "no eligible rule for " : "no rule for ") + name,
                known ? "no activation clause of " + name + " holds"
                      : "nothing defines " + name + GoalLike(engine_, name));
  }
  if (step.undecided && step.undecided_by == nullptr && !step.found.undefined.empty())
    step.reason = "undecided: " + step.found.undefined;
  out.status = Status::kUnsatisfied;
  out.reason = OneLine(step.reason.empty() ? step.goal_name + " is not satisfied" : step.reason);
  return out;
}

std::string Runtime::RulesOf(const Table& plan) const {
  const Goal* const goal = GoalOf(engine_, plan.relation);
  if (goal == nullptr || goal->rules.size() < 2) return "";
  constexpr std::size_t kMostRows = 100;
  std::set<int> rules;
  for (std::size_t row = 0; row < std::min(plan.rows.size(), kMostRows); ++row)
    rules.insert(plan.more().rules[row]);
  if (rules.empty()) rules.insert(plan.rule);
  std::string out;
  for (const int number : rules) {
    if (number < 0) continue;
    const Definition& rule = engine_.program.definitions()[static_cast<std::size_t>(number)];
    out += out.empty() ? "" : "; ";
    out += rule.heading.empty() ? sources_.Where(rule.span) : rule.heading;
  }
  return out;
}

}  // namespace rpl
