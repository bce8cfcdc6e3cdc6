// SPDX-License-Identifier: Apache-2.0
//
// Tables of relations with `std#least` or `std#greatest` in their heads: those that need a caller,
// or reach a call or a question. The others are derived (interp/eval/best_rows.h).
#include <algorithm>
#include <map>
#include <utility>

#include "interp/eval/best_rows.h"
#include "interp/eval/machine.h"
#include "interp/eval/solver.h"

namespace rpl {

/// The best answer of each group so far, in the order of the groups.
class Solver::BestAnswers {
 public:
  /// `def`: the rule that gave it, or null.
  struct Answer {
    const Definition* def;
    Gathered gathered;
  };

  BestAnswers(const Pool& pool, const Extremum& extremum) : pool_(pool), extremum_(extremum) {}

  /// Of the first row among which it cannot choose; "" without one.
  std::string undefined;

  const Extremum& extremum() const { return extremum_; }
  const std::vector<Answer>& answers() const { return answers_; }

  /// REQUIRES: the value of the row has an order.
  void Offer(const Definition* def, Gathered gathered) {
    std::vector<Value> group = gathered.row;
    const std::size_t column = extremum_.column;
    const Value value = std::exchange(group[column], kNone);
    const auto [at, is_new] = number_of_.emplace(std::move(group), answers_.size());
    if (is_new) {
      answers_.push_back({def, std::move(gathered)});
      return;
    }
    Answer& best = answers_[at->second];
    if (BestRows::IsBetter(pool_, extremum_, value, best.gathered.row[column]))
      best = {def, std::move(gathered)};
  }

 private:
  const Pool& pool_;
  Extremum extremum_;
  std::vector<Answer> answers_;
  std::map<std::vector<Value>, std::size_t> number_of_;  // by group
};

// Offers the answers of the current frame's rule.
bool Solver::OfferAnswer(BestAnswers& best) {
  const Frame& frame = machine_->frame();
  std::vector<Value> row = machine_->HeadRow(*frame.def);
  if (row.empty()) return machine_->evaluation.stop == Stop::kGoesOn;
  if (Machine::MayBeBest(best.extremum(), row))
    best.Offer(frame.def, {std::move(row), frame.path, frame.shown});
  else if (best.undefined.empty()) best.undefined = machine_->NotBestText(best.extremum(), row);
  return machine_->evaluation.stop == Stop::kGoesOn;
}

// The best answers are known when no rule waits for a reply or lacks one, as with a gathering head.
// Stated rows hold in any case, and their values count.
void Solver::EvaluateBest(Table& table, const Extremum& extremum) {
  const RelationId base = store_.BaseOf(table.relation);
  const Relation& stated = store_.at(table.relation);
  ForEachStored(table.relation, table.key, 0, [&](RowId row) {
    if (stated.asserted(row) && machine_->Means(table, stated.Cells(row)))
      table.rows.Add(stated.Cells(row));
  });
  const bool ground = std::ranges::none_of(table.key, &Value::is_none);
  if (ground && !table.rows.empty()) return;

  std::vector<Value> group = table.key;
  group[extremum.column] = kNone;
  BestAnswers best(pool_, extremum);
  const Relation& stored = store_.at(base);
  ForEachStored(base, group, 0, [&](RowId row) {
    if (BestRows::HasOrder(stored.Row(row)[extremum.column]))
      best.Offer(nullptr, {stored.Cells(row), {}, {}});
  });
  for (const int number : analysis_.RulesOf(base)) {
    EvaluateRule(table, program_.definitions()[static_cast<std::size_t>(number)], &best);
    if (machine_->evaluation.stop != Stop::kGoesOn) return;
  }
  if (table.lowest != nullptr) {  // reached through an expansion, which no analysis sees
    machine_->evaluation.circle = {table.relation, stated.name()};
    table.lacking |= kReply;
  }
  if (machine_->truncated) table.lacking |= kReply;
  table.undecided = table.undecided || table.lacking != 0;
  if (table.lacking != 0 || table.pending) return;
  for (const BestAnswers::Answer& answer : best.answers()) {
    if (answer.def == nullptr) {
      if (machine_->Means(table, answer.gathered.row)) table.rows.Add(answer.gathered.row);
      continue;
    }
    Frame frame(answer.def, answer.def->slots);
    frame.table = &table;
    frame.path = answer.gathered.path;
    frame.shown = answer.gathered.shown;
    const Machine::Use use(*machine_, frame, Mode::kSolve);
    machine_->TakeAnswer(answer.gathered.row);
  }
  if (table.explains && table.rows.empty() && !best.undefined.empty())
    table.more().reason = NoMatchText(table) + "; " + best.undefined;
}

}  // namespace rpl
