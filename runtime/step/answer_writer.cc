// SPDX-License-Identifier: Apache-2.0
#include "runtime/step/answer_writer.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "interp/eval/engine.h"
#include "interp/eval/table.h"
#include "interp/program/program.h"
#include "interp/store/store.h"
#include "runtime/facts/budget.h"
#include "runtime/session_options.h"
#include "runtime/step/step_state.h"

namespace rpl {
namespace {

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
struct AnswerWriter::Captures {
  std::vector<std::string> names;
  std::vector<std::size_t> from, to;

  // The cell of the i-th of them.
  Value CellOf(std::span<const Value> row, std::size_t i) const {
    return from[i] < row.size() ? row[from[i]] : kAbsent;
  }
};

AnswerWriter::Captures AnswerWriter::CapturesOf(const Table& table, const Definition* rule) const {
  Captures out;
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

void AnswerWriter::Take(StepState& step, const Table& table, const Definition* query) {
  std::map<int, Captures> of_rules;
  std::vector<const Captures*> of_rows;
  const auto captures_of = [&](int rule) {
    const auto [at, is_new] = of_rules.try_emplace(rule);
    Captures& captures = at->second;
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
  const bool named = step.plan_rule != nullptr && step.plan_rule != query;
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
    const Captures& shown = *of_rows[row];
    for (std::size_t i = 0; i < shown.to.size(); ++i)
      cells[shown.to[i]] = shown.CellOf(table.rows[row], i);
    if (CapturesNothing(cells)) continue;
    if (!CanBeShown(step, cells)) return;
    if (seen.Insert(cells).is_new) step.cells.insert(step.cells.end(), cells.begin(), cells.end());
  }
  if (options_.answer_forms.text || options_.journal != nullptr)
    step.answers = LinesOf(step, table, of_rows, false);
  if (options_.answer_forms.json) step.json_answers = LinesOf(step, table, of_rows, true);
}

// One line per distinct answer (decision 63).
std::vector<std::string> AnswerWriter::LinesOf(StepState& step, const Table& table,
                                               const std::vector<const Captures*>& of_rows,
                                               bool json) {
  std::vector<std::string> out;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < table.rows.size() && GoesOn(step, i); ++i) {
    const std::span<const Value> row = table.rows[i];
    if (!CanBeShown(step, row)) break;
    const Captures& shown = *of_rows[i];
    std::vector<Value> cells;
    for (std::size_t k = 0; k < shown.from.size(); ++k) cells.push_back(shown.CellOf(row, k));
    if (CapturesNothing(cells)) continue;
    std::string text = AnswerText(engine_.pool, shown.names, cells, json);
    if (seen.insert(text).second) out.push_back(std::move(text));
  }
  return out;
}

bool AnswerWriter::GoesOn(StepState& step, std::size_t answers) {
  if (step.unchecked) return false;
  if (answers % 256 != 255) return true;
  return !Cut(step, budget_.Poll(0));
}

bool AnswerWriter::CanBeShown(StepState& step, std::span<const Value> cells) {
  constexpr std::uint64_t kLong = std::uint64_t{1} << 16;
  std::uint64_t bytes = 0;
  for (const Value v : cells) bytes = std::min(bytes + engine_.pool.TextBytes(v), Pool::kManyBytes);
  if (bytes > kMaxTextBytes) {
    return !Cut(step, Stop::kValue, "an answer longer than 64 MiB");
  }
  if ((step.unpolled += bytes) < kLong) return true;
  step.unpolled = 0;
  return !Cut(step, budget_.Poll(bytes));
}

bool AnswerWriter::Cut(StepState& step, Stop why, std::string overflow) {
  if (why == Stop::kGoesOn) return false;
  budget_.Stopped(why, step.plan_rule != nullptr ? step.plan_rule->text : step.goal_name,
                  std::move(overflow));
  step.unchecked = true;
  return true;
}

}  // namespace rpl
