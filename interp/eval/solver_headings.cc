// SPDX-License-Identifier: Apache-2.0
//
// Collected headings: the argument to ask for, and replies for arguments of incomplete rows
// (decisions 56, 70).
#include <algorithm>
#include <utility>

#include "interp/eval/machine.h"
#include "interp/eval/solver.h"

namespace rpl {

// Existing rows answer; otherwise the first free argument without a reply is asked for (decision
// 70), or, of a heading that takes rows, all of them at once (decision 81). A call with all
// arguments bound is decided by the answer to an open question, which is asked unless it was
// answered before (decision 56): for the last of several arguments, which the others identify, or
// for the only one; of a heading that takes rows, for all.
void Solver::EvaluateCollected(Table& table, const Collected& collected) {
  if (!table.rows.empty()) return;
  OpenCall call;
  call.space = Space::kRelation;
  call.relation = table.relation;
  call.args = table.key;
  call.place = collected.span;
  const std::string missing = "no fact matches `" + machine_->CallText(call, kToldBytes) + "`";
  Relation& rel = store_.at(table.relation);
  if (std::none_of(table.key.begin(), table.key.end(), [](Value v) { return v.is_none(); })) {
    if (table.key.size() > 1 && !analysis_.UseOf(table.relation).many) {
      const std::span<const Value> key = std::span(table.key).first(table.key.size() - 1);
      const Columns probe = (Columns{1} << key.size()) - 1;
      if (!rel.IndexOn(probe, &machine_->within_limits).Rows(key, rel.rows()).empty()) {
        table.more().reason = missing;
        return;
      }
      call.args.back() = kNone;
    } else if (rel.empty()) {
      std::fill(call.args.begin(), call.args.end(), kNone);
    }
  }
  for (RowId row = 0; row < rel.size(); ++row)
    if (rel.Origin(row) != nullptr) {  // facts of the program suppress asking
      table.more().reason = missing;
      return;
    }
  const std::vector<Value> free(call.args.size());
  if (settled_.contains({table.relation, call.args}) || settled_.contains({table.relation, free})) {
    table.more().reason = missing;
    return;
  }
  const auto known = arguments_.find({table.relation, call.args});
  for (std::size_t i = 0; i < call.args.size() && call.column < 0; ++i) {
    const bool answered = known != arguments_.end() && !known->second[i].is_none();
    if (!call.args[i].is_none() || answered) continue;
    call.column = static_cast<int>(i);
    call.question = collected.questions[i];
  }
  if (call.column < 0) {
    table.more().reason = missing;
  } else if (const Table* choices = machine_->OpenChoices(call)) {
    table.Wait(choices->more().waits);
    table.lacking = choices->lacking;
    table.undecided = choices->undecided;
  } else if (Waiting on; machine_->Open(call, on, &table.more().reason)) {
    table.Wait(on);
  } else {
    table.lacking = true;
  }
}

std::vector<Value> Solver::Choices(const OpenCall& question) {
  std::vector<Value> out;
  if (const RelationId choices = machine_->ChoicesOf(question); choices != kNoId)
    ForEachRow(choices, {kNone}, [&](std::span<const Value> row) { out.push_back(row[0]); });
  return out;
}

std::vector<Value> Solver::RowWith(const OpenCall& call, Value reply) const {
  const auto known = arguments_.find({call.relation, call.args});
  std::vector<Value> row = known == arguments_.end() ? call.args : known->second;
  row[static_cast<std::size_t>(call.column)] = reply;
  const bool open = std::any_of(row.begin(), row.end(), [](Value v) { return v.is_none(); });
  return open ? std::vector<Value>{} : row;
}

std::vector<Value> Solver::TakeArgument(const OpenCall& call, Value reply) {
  std::vector<Value> row = RowWith(call, reply);
  if (!row.empty()) {
    arguments_.erase({call.relation, call.args});
    return row;
  }
  const auto at = arguments_.try_emplace({call.relation, call.args}, call.args).first;
  at->second[static_cast<std::size_t>(call.column)] = reply;
  return {};
}

void Solver::TakeArguments(RelationId relation, std::vector<Value> key, std::vector<Value> row) {
  arguments_.insert_or_assign({relation, std::move(key)}, std::move(row));
}

void Solver::ForgetArguments(RelationId relation, std::span<const Value> row) {
  std::erase_if(arguments_, [&](const auto& known) {
    return known.first.first == relation &&
           std::ranges::equal(known.second, row,
                              [](Value k, Value v) { return k.is_none() || k == v; });
  });
}

}  // namespace rpl
