// SPDX-License-Identifier: Apache-2.0
//
// Collected headings: the argument to ask for, and replies for arguments of incomplete rows
// (decisions 56, 70).
#include <algorithm>
#include <utility>

#include "interp/eval/machine.h"
#include "interp/eval/solver.h"

namespace rpl {
namespace {

// The arguments of a call that are free.
Columns FreeIn(std::span<const Value> args) {
  Columns out = 0;
  for (std::size_t i = 0; i < args.size(); ++i)
    if (args[i].is_none()) out |= Columns{1} << i;
  return out;
}

// The values of the others.
std::vector<Value> BoundIn(std::span<const Value> args, Columns free) {
  std::vector<Value> out;
  for (std::size_t i = 0; i < args.size(); ++i)
    if ((free >> i & 1) == 0) out.push_back(args[i]);
  return out;
}

}  // namespace

// Existing rows answer; otherwise the first free argument without a reply is asked for (decision
// 70), or, of a heading that takes rows, all of them at once (decision 81). A call with all
// arguments bound is decided by the answer to a question that covers it, which is asked unless it
// was answered before (decision 56): for the last of several arguments, which the others identify;
// for the only one; or for all, of a heading that takes rows and that the program reads for all
// rows there are.
std::optional<OpenCall> Solver::Asked(RelationId heading, const std::vector<Value>& key) {
  const Collected& collected = *program_.FindCollected(heading);
  OpenCall call;
  call.space = Space::kRelation;
  call.relation = heading;
  call.args = key;
  call.place = collected.span;
  if (std::ranges::none_of(key, &Value::is_none)) {
    const HeadingUse& use = analysis_.UseOf(heading);
    if (key.size() > 1 && !(use.many && use.open)) call.args.back() = kNone;
    else std::ranges::fill(call.args, kNone);
  }
  // Facts of the program suppress asking.
  if (store_.IsGiven(heading) || store_.at(heading).HasOrigins() || IsSettled(heading, key) ||
      (call.args != key && HasOwnRow(heading, call.args)))
    return std::nullopt;
  const auto known = arguments_.empty() ? arguments_.end() : arguments_.find({heading, call.args});
  for (std::size_t i = 0; i < call.args.size(); ++i) {
    const bool answered = known != arguments_.end() && !known->second[i].is_none();
    if (!call.args[i].is_none() || answered) continue;
    call.column = static_cast<int>(i);
    call.question = collected.questions[i];
    return call;
  }
  return std::nullopt;
}

void Solver::EvaluateCollected(Table& table) {
  if (!table.rows.empty()) return;
  const std::optional<OpenCall> call = Asked(table.relation, table.key);
  if (!call) {
    table.more().reason = NoMatchText(table);
  } else if (const Table* choices = machine_->OpenChoices(*call)) {
    table.Wait(choices->more().waits);
    table.lacking = choices->lacking;
    table.undecided = choices->undecided;
  } else if (Waiting on; machine_->Open(*call, on, &table.more().reason)) {
    table.Wait(on);
  } else {
    table.lacking |= kReply;
  }
}

void Solver::Settle(RelationId relation, const std::vector<Value>& key, bool settled) {
  const Columns free = FreeIn(key);
  std::set<std::vector<Value>>& known = settled_[{relation, free}];
  if (settled) known.insert(BoundIn(key, free));
  else known.erase(BoundIn(key, free));
}

// Whether a question was answered with rows that covers the call or row: whatever is not among the
// rows is absent.
bool Solver::IsSettled(RelationId relation, std::span<const Value> args) const {
  const Columns free = FreeIn(args);
  for (auto at = settled_.lower_bound({relation, 0});
       at != settled_.end() && at->first.first == relation; ++at)
    if ((free & ~at->first.second) == 0 && at->second.contains(BoundIn(args, at->first.second)))
      return true;
  return false;
}

// Whether a row answers the question that is not merely an answer to another one.
bool Solver::HasOwnRow(RelationId relation, const std::vector<Value>& question) {
  bool found = false;
  ForEachStored(relation, question, 0, [&](RowId row) {
    found = found || !IsSettled(relation, store_.at(relation).Cells(row));
  });
  return found;
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
