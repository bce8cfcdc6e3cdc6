// SPDX-License-Identifier: Apache-2.0
#include "shell/program/sql_run.h"

#include <unistd.h>

#include <fmt/format.h>
#include <algorithm>
#include <chrono>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "formats/sql_text.h"
#include "interp/sql/sql_script.h"
#include "runtime/postgres/connection.h"
#include "runtime/postgres/database_url.h"
#include "shell/terminal/input.h"
#include "shell/terminal/report.h"

namespace rpl {
namespace {

using Row = std::vector<Value>;

// A place in the order of answers: numbers, texts, then all else by its text.
int RankOf(Value v) {
  if (Pool::IsNumber(v)) return 0;
  return v.kind() == Kind::kString || v.kind() == Kind::kSymbol || v.kind() == Kind::kKeyword ? 1
                                                                                              : 2;
}

bool IsBefore(const Pool& pool, const Row& a, const Row& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    const int left = RankOf(a[i]), right = RankOf(b[i]);
    if (left != right) return left < right;
    if (left == 0) return pool.CompareNumbers(a[i], b[i]) < 0;
    if (left == 1 && pool.TextOf(a[i]) != pool.TextOf(b[i]))
      return pool.TextOf(a[i]) < pool.TextOf(b[i]);
    return Text(pool, a[i]) < Text(pool, b[i]);
  }
  return false;
}

// The server's limits on memory, on sizes and on the time of a statement, and results that its
// numbers do not hold.
bool IsLimit(const std::string& state) {
  return state.starts_with("53") || state.starts_with("54") || state.starts_with("22") ||
         state == "57014";
}

class ScriptRun {
 public:
  /// `most`: the time of a statement.
  ScriptRun(SqlConnection& connection, const SqlScript& script, Pool& pool,
            std::chrono::milliseconds most)
      : connection_(connection), script_(script), pool_(pool), most_(most) {
    std::random_device random;
    schema_ = SqlName(fmt::format("rpl query {:08x}{:08x}", random(), random()));
  }

  SqlError Run() {
    rows_.clear();
    at_ = nullptr;
    return connection_.InTransaction("BEGIN", [&] { return Statements(); });
  }

  const std::vector<Row>& rows() const { return rows_; }
  /// The statement that failed, or null.
  const SqlStatement* at() const { return at_; }
  const std::string& unreadable() const { return unreadable_; }

 private:
  SqlError Statements() {
    for (const std::string& sql :
         {"CREATE SCHEMA " + schema_, "SET LOCAL search_path TO " + schema_,
          std::string("SET LOCAL standard_conforming_strings TO on"),
          std::string("SET LOCAL extra_float_digits TO 1"),
          "SET LOCAL statement_timeout TO " + std::to_string(most_.count())})
      if (SqlError error = connection_.Execute(sql).error) return error;
    for (const SqlStatement& statement : script_.statements) {
      at_ = &statement;
      if (SqlError error = connection_.Execute(statement.text).error) return error;
    }
    at_ = nullptr;
    const SqlAnswers& answers = script_.answers.front();
    if (SqlError error = connection_.ForEachRow(
            answers.select, {}, [&](const SqlRows& row) { return Take(answers, row); }))
      return error;
    return connection_.Execute("DROP SCHEMA " + schema_ + " CASCADE").error;
  }

  bool Take(const SqlAnswers& answers, const SqlRows& row) {
    Row cells;
    if (answers.columns.empty()) {
      if (row.Text(0, 0) == "t") rows_.emplace_back();
      return true;
    }
    for (std::size_t c = 0; c < answers.columns.size(); ++c) {
      cells.push_back(ValueOfSql(pool_, row.Text(0, c), answers.types[c]));
      if (cells.back().is_none()) unreadable_ = row.Text(0, c);
    }
    rows_.push_back(std::move(cells));
    return unreadable_.empty();
  }

  SqlConnection& connection_;
  const SqlScript& script_;
  Pool& pool_;
  std::chrono::milliseconds most_;
  std::string schema_;
  std::vector<Row> rows_;
  const SqlStatement* at_ = nullptr;
  std::string unreadable_;
};

Outcome OutcomeOf(const SqlAnswers& answers, std::vector<Row> rows, Pool& pool) {
  std::sort(rows.begin(), rows.end(),
            [&](const Row& a, const Row& b) { return IsBefore(pool, a, b); });
  Outcome out;
  out.goal = "%" + answers.label;
  out.status = rows.empty() ? Status::kUnsatisfied : Status::kSatisfied;
  if (rows.empty()) out.reason = out.goal + " has no answer in the database";
  out.columns = answers.columns;
  if (answers.columns.empty()) return out;
  std::set<std::string> seen;
  for (const Row& row : rows) {
    out.cells.insert(out.cells.end(), row.begin(), row.end());
    std::string text = AnswerText(pool, answers.columns, row, false);
    if (seen.insert(text).second) out.answers.push_back(std::move(text));
    out.json_answers.push_back(AnswerText(pool, answers.columns, row, true));
  }
  return out;
}

}  // namespace

SqlRun RunSql(const std::string& url, const SqlScript& script, const Sources& sources, Pool& pool,
              const EngineOptions& options) {
  using std::chrono::milliseconds;
  constexpr double kForever = 1e6;       // seconds
  constexpr milliseconds kToSay{5'000};  // that the time is over
  constexpr milliseconds kToRetry{60'000};
  const double seconds = options.limits.max_seconds > 0 ? options.limits.max_seconds : kForever;
  const milliseconds most(static_cast<std::int64_t>(seconds * 1000));
  // A server that is not there now is an error, one that goes away is waited for.
  const SqlConnection::Opened opened =
      SqlConnection::Open({.url = url, .answer_most = most + kToSay, .interrupted = Interrupted});
  if (opened.error) {
    Complain(WithoutPassword(url), opened.error.message);
    return {std::nullopt, Interrupted() ? kExitInterrupted : kExitFile};
  }
  SqlConnection& connection = *opened.connection;
  ScriptRun run(connection, script, pool, most);
  const SqlError error =
      connection.WithRetry({.most = std::min(most, kToRetry)}, [&] { return run.Run(); });
  if (Interrupted()) return {std::nullopt, kExitInterrupted};
  if (!run.unreadable().empty()) {
    Complain(connection.shown(), "a cell is no value: `" + run.unreadable().substr(0, 100) + "`");
    return {std::nullopt, kExitFile};
  }
  if (!error) return {OutcomeOf(script.answers.front(), run.rows(), pool), kExitOk};
  std::string where = connection.shown();
  if (run.at() != nullptr && !run.at()->rules.empty())
    where = sources.Where(run.at()->rules.front());
  Complain(where,
           "the database refuses" +
               std::string(error.state.empty() ? "" : " (" + error.state + ")") + ": " +
               error.message,
           run.at() != nullptr && run.at()->rules.size() > 1
               ? "the statement evaluates all rules that depend on each other"
               : "");
  return {std::nullopt, IsLimit(error.state) ? kExitLimit : kExitFile};
}

}  // namespace rpl
