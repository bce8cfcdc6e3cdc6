// SPDX-License-Identifier: Apache-2.0
#include "interp/join.h"

#include <algorithm>

#include "interp/operators.h"

namespace rpl {
namespace {

/// Makes a Join of a plan, step by step.
class Compiler {
 public:
  Compiler(const Store& store, Join& join) : store_(store), join_(join) {}

  bool Chain(const Step* step) {
    for (; step != nullptr; step = step->next) {
      if (step->kind == Step::Kind::kEmit) return true;
      if (!Add(*step)) return false;
    }
    return false;
  }

  SlotId Constant(Value v) {
    join_.slots.push_back(v);
    return static_cast<SlotId>(join_.slots.size() - 1);
  }

 private:
  bool Add(const Step& step) {
    if (step.kind == Step::Kind::kAtom) return Rows(step, JoinStep::Kind::kRows);
    if (step.kind == Step::Kind::kNot)
      return step.body->kind == Step::Kind::kAtom && step.body->next->kind == Step::Kind::kFound &&
             Rows(*step.body, JoinStep::Kind::kWithout);
    const auto* compare = step.clause != nullptr ? step.clause->As<Compare>() : nullptr;
    if (step.kind != Step::Kind::kCompare || compare == nullptr) return false;
    JoinStep& out = join_.steps.emplace_back();
    out.kind = JoinStep::Kind::kCompare;
    out.op = compare->op;
    return Operand(step.operands[0], &out.left) && Operand(step.operands[1], &out.right);
  }

  bool Rows(const Step& step, JoinStep::Kind kind) {
    // A tool's failed replies and rows with sets whole are the Machine's business.
    if (step.access != Access::kRows || step.row >= 0 || !step.matches.empty() ||
        store_.at(step.relation).space() != Space::kRelation || store_.IsWhole(step.relation))
      return false;
    JoinStep& out = join_.steps.emplace_back();
    out.kind = kind;
    out.relation = step.relation;
    out.range = step.range;
    out.probe = step.probe;
    out.all_bound = step.all_bound;
    out.binds = step.binds;
    out.checks = step.checks;
    for (const auto& [column, pattern] : step.keys)
      if (!Word(pattern, &out.keys.emplace_back())) return false;
    return true;
  }

  bool Word(const Pattern& p, SlotId* slot) {
    if (p.kind == Pattern::Kind::kSlot) *slot = p.slot;
    else if (p.kind == Pattern::Kind::kConstant) *slot = Constant(p.constant);
    else return false;
    return true;
  }

  bool Operand(const Expr& e, SlotId* slot) {
    return e.kind == Expr::Kind::kTerm && Word(e.term, slot);
  }

  const Store& store_;
  Join& join_;
};

}  // namespace

std::unique_ptr<const Join> Join::Of(const Plan& plan, const Definition& def, const Store& store) {
  if (plan.problem || def.head_expansion >= 0 || !def.gathered.empty()) return nullptr;
  auto join = std::make_unique<Join>();
  join->head = def.head;
  join->slots.resize(def.slots.size());
  Compiler compiler(store, *join);
  if (!compiler.Chain(plan.first)) return nullptr;
  if (join->steps.empty() || join->steps.front().kind != JoinStep::Kind::kRows) return nullptr;
  for (const Pattern& p : def.args) {
    if (p.kind == Pattern::Kind::kSlot) join->columns.push_back(p.slot);
    else if (p.kind == Pattern::Kind::kConstant && p.constant.kind() != Kind::kSet)
      join->columns.push_back(compiler.Constant(p.constant));
    else return nullptr;
  }
  for (std::size_t i = 0; i < join->steps.size(); ++i)
    for (const auto& [column, slot] : join->steps[i].binds)
      if (std::find(join->columns.begin(), join->columns.end(), slot) != join->columns.end())
        join->deciding = i;
  return join;
}

JoinRun::JoinRun(const Join& join, Store& store, const std::vector<Marks>& marks, RowBatch& batch,
                 std::size_t full, Continuation pause, const KeepOn* keep_on)
    : join_(join),
      pool_(store.pool()),
      head_(store.at(join.head)),
      slots_(join.slots),
      batch_(batch),
      full_(full),
      pause_(pause) {
  for (const JoinStep& step : join.steps) {
    Source& source = sources_.emplace_back();
    if (step.kind == JoinStep::Kind::kCompare) continue;
    Relation& relation = store.at(step.relation);
    const Marks& m = marks[step.relation];
    source.relation = &relation;
    source.begin = step.range == Range::kDelta ? m.old_end : 0;
    source.end = step.range == Range::kOld ? m.old_end : m.end;
    if (step.probe != 0 && !step.all_bound)
      source.index = &relation.IndexOn(step.probe, m.end, keep_on);
  }
  const Source& first = sources_.front();
  if (first.index != nullptr || join.steps.front().all_bound) Key(join.steps.front());
  outer_ = join.steps.front().all_bound ? 1
           : first.index != nullptr     ? Listed(0).size()
           : first.begin < first.end    ? first.end - first.begin
                                        : 0;
}

// The ids that the index of a step has for the key, within its range.
std::span<const RowId> JoinRun::Listed(std::size_t at) {
  const JoinStep& step = join_.steps[at];
  const Source& source = sources_[at];
  std::span<const RowId> rows = source.index->Rows({key_, step.keys.size()}, *source.relation);
  if (source.begin > 0)
    rows = {std::lower_bound(rows.begin(), rows.end(), source.begin), rows.end()};
  if (!rows.empty() && rows.back() >= source.end)
    rows = {rows.begin(), std::lower_bound(rows.begin(), rows.end(), source.end)};
  return rows;
}

bool JoinRun::Run(std::size_t begin, std::size_t end) {
  if (sources_.front().index == nullptr && !join_.steps.front().all_bound) {
    const RowId first = sources_.front().begin;
    for (std::size_t k = begin; k < end; ++k)
      if (!Take(0, first + static_cast<RowId>(k))) return false;
    return true;
  }
  if (join_.steps.front().all_bound) return begin >= end || Next(0);
  Key(join_.steps.front());
  for (const RowId row : Listed(0).subspan(begin, end - begin))
    if (!Take(0, row)) return false;
  return true;
}

bool JoinRun::Next(std::size_t at) {
  if (at == join_.steps.size()) return Emit();
  const JoinStep& step = join_.steps[at];
  if (step.kind == JoinStep::Kind::kCompare) {
    std::string why;
    return !Holds(pool_, step.op, slots_[step.left], slots_[step.right], why) || Next(at + 1);
  }
  if (step.kind == JoinStep::Kind::kWithout) return Exists(at) || Next(at + 1);
  const Source& source = sources_[at];
  const std::size_t before = answers_;
  const bool one = at > join_.deciding;
  if (step.all_bound) {
    Key(step);
    const RowId row = source.relation->Find({key_, step.keys.size()});
    return row == kNoId || row < source.begin || row >= source.end || Next(at + 1);
  }
  if (source.index == nullptr) {
    for (RowId row = source.begin; row < source.end; ++row) {
      if (!Take(at, row)) return false;
      if (one && answers_ != before) break;
    }
    return true;
  }
  Key(step);
  const std::span<const RowId> rows = Listed(at);
  constexpr std::size_t kAhead = 8;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (k + kAhead < rows.size()) __builtin_prefetch(source.relation->Row(rows[k + kAhead]));
    if (!Take(at, rows[k])) return false;
    if (one && answers_ != before) break;
  }
  return true;
}

bool JoinRun::Take(std::size_t at, RowId row) {
  const JoinStep& step = join_.steps[at];
  const Value* cells = sources_[at].relation->Row(row);
  for (const auto& [column, slot] : step.binds) slots_[slot] = cells[column];
  for (const auto& [column, slot] : step.checks)
    if (cells[column] != slots_[slot]) return true;
  return Tick() && Next(at + 1);
}

bool JoinRun::Exists(std::size_t at) {
  const JoinStep& step = join_.steps[at];
  const Source& source = sources_[at];
  Key(step);
  const auto agrees = [&](RowId row) {
    const Value* cells = source.relation->Row(row);
    for (const auto& [column, slot] : step.binds) slots_[slot] = cells[column];
    return std::all_of(step.checks.begin(), step.checks.end(), [&](const auto& check) {
      return cells[check.first] == slots_[check.second];
    });
  };
  if (step.all_bound) {
    const RowId row = source.relation->Find({key_, step.keys.size()});
    return row != kNoId && row >= source.begin && row < source.end;
  }
  if (source.index != nullptr) {
    const std::span<const RowId> rows = Listed(at);
    return std::any_of(rows.begin(), rows.end(), agrees);
  }
  for (RowId row = source.begin; row < source.end; ++row)
    if (agrees(row)) return true;
  return false;
}

bool JoinRun::Emit() {
  ++answers_;
  const std::size_t arity = join_.columns.size();
  const std::size_t at = batch_.cells.size();
  batch_.cells.resize(at + arity);
  Value* row = batch_.cells.data() + at;
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < arity; ++i) {
    row[i] = slots_[join_.columns[i]];
    hash = MixHash(hash, row[i].bits());
  }
  head_.Prefetch(hash);
  batch_.hashes.push_back(hash);
  return batch_.size() < full_ || pause_();
}

}  // namespace rpl
