// SPDX-License-Identifier: Apache-2.0
//
// Tables of relations with `std#least` or `std#greatest` in their heads: those that need a caller,
// reach a call or a question, or are answered from their callers since they grow. The others are
// derived (interp/eval/best_rows.h).
//
// A table chooses when all rules have answered. If a recursion lets better values improve all that
// rests on them, it is read meanwhile: each answer that is the best of its group when it comes is a
// row at once, so that a call may rest on itself. Otherwise one that does has no rows.
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

  BestAnswers(const Pool& pool, const Extremum& extremum, bool comes_at_once)
      : at_once(comes_at_once), pool_(pool), extremum_(extremum) {}

  /// Whether answers become rows as they come, and are not offered here.
  const bool at_once;

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
  if (Machine::MayBeBest(best.extremum(), row)) {
    if (!best.at_once) best.Offer(frame.def, {std::move(row), frame.path, frame.shown});
    else if (BeatsOthers(*frame.table, best.extremum(), row,
                         static_cast<std::uint32_t>(frame.table->rows.size())))
      machine_->TakeAnswer(std::move(row));
  } else if (best.undefined.empty()) {
    best.undefined = machine_->NotBestText(best.extremum(), row);
  }
  return machine_->evaluation.stop == Stop::kGoesOn;
}

// Whether the row, which has this number or is about to be added with it, is better than those of
// its group.
bool Solver::BeatsOthers(Table& table, const Extremum& extremum, std::span<const Value> row,
                         std::uint32_t number) {
  if (!machine_->Means(table, row)) return false;
  BestSoFar& best = *table.more().best;
  std::vector<Value> group(row.begin(), row.end());
  const Value value = std::exchange(group[extremum.column], kNone);
  const auto [at, is_new] = best.rows.try_emplace(std::move(group), number);
  if (is_new) return true;
  if (!BestRows::IsBetter(pool_, extremum, value, table.rows[at->second][extremum.column]))
    return false;
  best.beaten.resize(std::max<std::size_t>(best.beaten.size(), at->second + 1));
  best.beaten[at->second] = true;
  at->second = number;
  return true;
}

// Leaves the best rows and those stated, or these alone if others may be missing.
void Solver::SettleBest(Table& table) {
  if (table.best() == nullptr) return;
  const std::unique_ptr<BestSoFar> best = std::move(table.details->best);
  const Relation& relation = store_.at(table.relation);
  const bool chooses = !table.pending && table.lacking == 0;
  AnswerRows kept;
  for (std::uint32_t row = 0; row < table.rows.size(); ++row) {
    const RowId stored = relation.Find(table.rows[row]);
    const bool stated = stored != kNoId && relation.asserted(stored);
    if (stated || (chooses && !best->IsBeaten(row))) kept.Add(table.rows[row]);
  }
  table.rows = std::move(kept);
}

// A call that knows the value: whether it is the best of its group.
void Solver::TakeBest(Table& table, const std::vector<Value>& group) {
  const Table& all = Demand(table.relation, group);
  if (machine_->evaluation.stop != Stop::kGoesOn) return;
  if (all.pending) table.Wait(all.more().waits);
  table.lacking |= all.lacking;
  table.undecided |= all.undecided;
  if (!all.complete) table.lacking |= kReply;
  if (all.details != nullptr && table.rows.empty()) table.more().reason = all.details->reason;
  for (std::size_t row = 0; row < all.rows.size(); ++row)
    if (machine_->Means(table, all.rows[row])) table.rows.Add(all.rows[row]);
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
  const bool calls_itself = analysis_.CallsItself(base);
  if (calls_itself && group != table.key) return TakeBest(table, group);
  BestAnswers best(pool_, extremum, calls_itself && analysis_.ExactUseOf(base).empty());
  const Relation& stored = store_.at(base);
  const bool begins = best.at_once && table.best() == nullptr;
  if (begins) table.more().best = std::make_unique<BestSoFar>();
  ForEachStored(base, group, 0, [&](RowId row) {
    std::vector<Value> cells = stored.Cells(row);
    if (!BestRows::HasOrder(cells[extremum.column])) return;
    if (!best.at_once) return best.Offer(nullptr, {std::move(cells), {}, {}});
    if (!begins) return;
    const std::uint32_t known = table.rows.Find(cells);
    const std::uint32_t number =
        known != kNoId ? known : static_cast<std::uint32_t>(table.rows.size());
    if (BeatsOthers(table, extremum, cells, number) && known == kNoId) table.rows.Add(cells);
  });
  for (const int number : analysis_.RulesOf(base)) {
    EvaluateRule(table, program_.definitions()[static_cast<std::size_t>(number)], &best);
    if (machine_->evaluation.stop != Stop::kGoesOn) return;
  }
  if (table.lowest != nullptr && !best.at_once) {
    table.lacking |= kReply;
    if (calls_itself)
      table.more().reason =
          stated.name() + " rests on itself here, and " + analysis_.ExactUseOf(base);
    else  // through an expansion, which no analysis sees
      machine_->evaluation.circle = {table.relation, stated.name()};
  }
  if (machine_->truncated) table.lacking |= kReply;
  table.undecided = table.undecided || table.lacking != 0;
  if (best.at_once || table.lacking != 0 || table.pending) return;
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
