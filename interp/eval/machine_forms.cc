// SPDX-License-Identifier: Apache-2.0
//
// Steps over forms (§5.7), shown values (§14.2) and metadata (§11), and loops (decision 69).
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "interp/eval/machine.h"
#include "interp/eval/profile.h"
#include "interp/program/operators.h"

namespace rpl {
namespace {

// Whether the value contains `_` or a name, also inside terms. Parts may be shared, so each is
// visited once.
bool IsOpenForm(const Pool& pool, Value form) {
  std::set<Value> seen;
  std::vector<Value> left = {form};
  while (!left.empty()) {
    const Value v = left.back();
    left.pop_back();
    if (v == kWild || v.kind() == Kind::kSlot) return true;
    if (v.kind() != Kind::kTerm || !seen.insert(v).second) continue;
    const std::span<const Value> args = pool.ItemsOf(v);
    left.insert(left.end(), args.begin(), args.end());
  }
  return false;
}

// Whether a value has the form; all occurrences of a name must have one value.
bool HasForm(const Pool& pool, Value form, Value value, std::map<Value, Value>& names) {
  std::set<std::pair<Value, Value>> seen;
  std::vector<std::pair<Value, Value>> left = {{form, value}};
  while (!left.empty()) {
    const auto [f, v] = left.back();
    left.pop_back();
    if (f.kind() == Kind::kSlot) {
      if (names.emplace(f, v).first->second != v) return false;
    } else if (f.kind() != Kind::kTerm) {
      if (f != kWild && f != v) return false;
    } else if (seen.insert({f, v}).second) {
      if (v.kind() != Kind::kTerm || pool.NamespaceOf(f) != pool.NamespaceOf(v) ||
          pool.TextOf(f) != pool.TextOf(v))
        return false;
      const std::span<const Value> args = pool.ItemsOf(f);
      const std::span<const Value> values = pool.ItemsOf(v);
      if (args.size() != values.size()) return false;
      for (std::size_t i = 0; i < args.size(); ++i) left.emplace_back(args[i], values[i]);
    }
  }
  return true;
}

}  // namespace

// --- forms (§5.7) ------------------------------------------------------------------------

// Calls fn for each answer of a call that a value spells; `_` and names are open.
bool Machine::ForEachOfForm(Value form, Continuation fn, Value* row_ref) {
  Disturb();
  const std::span<const Value> args = pool_.ItemsOf(form);
  const Namespace ns = pool_.NamespaceOf(form);
  const Space space = ns == Namespace::kGoal   ? Space::kGoal
                      : ns == Namespace::kTool ? Space::kTool
                                               : Space::kRelation;
  const RelationId relation =
      store_.Find(space, pool_.TextOf(form),
                  space == Space::kGoal ? 1 : static_cast<std::uint32_t>(args.size()));
  if (relation == kNoId) return true;
  std::vector<Value> key;  // per argument, kNone where open
  std::vector<bool> open;
  std::vector<Value> fixed;
  Columns probe = 0;
  for (std::size_t i = 0; i < args.size(); ++i) {
    open.push_back(IsOpenForm(pool_, args[i]));
    key.push_back(open[i] ? kNone : args[i]);
    if (open[i]) continue;
    probe |= Columns{1} << i;
    fixed.push_back(args[i]);
  }
  const auto agrees = [&](RowView cells) {
    std::map<Value, Value> names;
    for (std::size_t i = 0; i < args.size(); ++i)
      if (open[i] ? !HasForm(pool_, args[i], cells[i], names) : args[i] != cells[i]) return false;
    return true;
  };
  if (mode_ == Mode::kSolve && catalog_.AccessWith(relation, key) != Access::kRows) {
    Table* table = DemandNested(relation, std::move(key));
    if (table == nullptr) return false;
    std::size_t r = 0;
    for (; r < table->rows.size(); ++r)
      if (agrees(table->rows[r]) && !fn()) return false;
    table->least_read = std::min(table->least_read, r);
    Waits(*table);
    if (table->lacking != 0 && table->rows.empty()) NoteEmpty(*table);
    return true;
  }
  Relation& rel = store_.at(relation);
  const auto take = [&](RowId row) {
    *row_ref = RowReference(pool_, relation, row);
    return !agrees(rel.CellsOf(row)) || fn();
  };
  if (probe == 0) {
    for (RowId row = 0, n = rel.size(); row < n; ++row)
      if (!take(row)) return false;
    return true;
  }
  if (fixed.size() == args.size()) {
    const RowId row = rel.Find(fixed);
    return row == kNoId || take(row);
  }
  std::vector<RowId> own;
  const auto rows = rel.RowsWith(probe, fixed, rel.size(), &within_limits, own);
  if (evaluation.stop != Stop::kGoesOn) return false;
  for (const RowId row : rows)
    if (!take(row)) return false;
  return true;
}

// The call that the slot of #?x holds; kNone, with a note, for any other value.
Value Machine::FormIn(SlotId slot) {
  const Value form = slots_[slot];
  if (form.kind() == Kind::kTerm) return form;
  Note("#?" + (*frame_->names)[static_cast<std::size_t>(slot)] +
       " needs the shape of a relation call, got " + Text(pool_, form, kToldBytes));
  return kNone;
}

bool Machine::RunExpand(const Step& s) {
  const Value form = FormIn(s.reads.front());
  if (form.is_none()) return true;
  Value ref = kNil;
  return ForEachOfForm(
      form,
      [&] {
        if (s.row >= 0) slots_[s.row] = ref;
        return Run(s.next);
      },
      &ref);
}

bool Machine::RunCountForm(const Step& s) {
  const Value form = slots_[s.reads.front()];
  if (form.kind() != Kind::kTerm) {  // bars take a collection, too (§5.7)
    std::string why;
    const auto size = SizeOf(pool_, form, why);
    return size ? RunCount(s, *size) : DoubtFor(s, why);
  }
  std::int64_t count = 0;
  Value ref;
  const Undecided open = Absent(Apart([&] {
    ForEachOfForm(
        form, [&] { return ++count, true; }, &ref);
  }));
  if (evaluation.stop != Stop::kGoesOn) return false;
  if (open) return DoubtAbsence(s, open);
  Leave(open);
  return RunCount(s, count);
}

// --- what is shown (§14.2) -----------------------------------------------------------------

bool Machine::RunShow(const Step& s) {
  Disturb();
  const Value v = slots_[s.reads.front()];
  if (!pool_.Work(std::min<std::uint64_t>(pool_.TextBytes(v), kMaxTextBytes) / 16)) return false;
  if (!Json(pool_, v)) {  // decision 59
    Note("`" + s.clause->text + "` has no JSON to show: two keys of a map are the same text, or " +
         "the text is too long");
    return true;
  }
  frame_->shown.emplace_back(s.clause, v);
  const bool go_on = Run(s.next);
  frame_->shown.pop_back();
  return go_on;
}

// --- metadata (§11) ------------------------------------------------------------------------

Value Machine::BindingsOf(const OwnSlots& own, const std::vector<SlotId>& rows) {
  std::vector<Value> entries;
  for (std::size_t i = 0; i < own.slots.size(); ++i) {
    const Value v = slots_[own.slots[i]];
    if (v.is_none() || v == kUnknown) continue;
    entries.push_back(own.names[i]);
    entries.push_back(v);
  }
  for (SlotId row : rows) {
    const Value context = metadata_.Context(slots_[row]);
    if (context.is_none()) continue;
    const std::span<const Value> more = pool_.ItemsOf(context);
    entries.insert(entries.end(), more.begin(), more.end());
  }
  return pool_.Map(entries);
}

bool Machine::RunMetadata(const Step& s) {
  const auto* clause = s.clause->As<Metadata>();
  if (clause->bindings) {
    const Value map = BindingsOf(clause->own, clause->rows);
    return UnifyEach(pool_, s.pattern, map, slots_, [&] { return Run(s.next); });
  }
  // One field: the pattern is a map of one entry with a literal key.
  const Pattern& key = s.pattern.parts[0];
  if (key.kind != Pattern::Kind::kConstant) return true;
  // Where a row was stated may become known later.
  if (reads != nullptr)
    if (const auto at = metadata_.RowOf(slots_[clause->rows.front()]);
        !at || store_.at(at->first).space() != Space::kTool)
      Disturb();
  const Value v = metadata_.Field(slots_[clause->rows.front()], key.constant, clause->primary);
  if (v.is_none()) {
    LackField(*clause);
    Note("no metadata " + Text(pool_, key.constant, kToldBytes) + " for `" + s.clause->text + "`");
    return true;
  }
  return UnifyEach(pool_, s.pattern.parts[1], v, slots_, [&] { return Run(s.next); });
}

bool Machine::RunAggregate(const Step& s) {
  const auto* clause = s.clause->As<Aggregate>();
  const Value bindings = pool_.Keyword("bindings");
  std::vector<Value> instances;
  std::vector<Value> keys;  // the author's, in order of first occurrence
  std::map<Value, std::vector<Value>> values;
  const std::vector<Value> outer(slots_, slots_ + frame_->slots.size());
  std::fill(slots_, slots_ + frame_->slots.size(), kNone);
  const Undecided open = Absent(RunBody(s.body, [&] {
    instances.push_back(BindingsOf(clause->own, clause->rows));
    for (SlotId row : clause->rows) {
      const Value map = metadata_.Map(slots_[row]);
      if (map.is_none()) continue;
      const std::span<const Value> entries = pool_.ItemsOf(map);
      for (std::size_t i = 0; i < entries.size(); i += 2) {
        if (entries[i] == bindings) continue;
        auto& held = values[entries[i]];
        if (held.empty()) keys.push_back(entries[i]);
        held.push_back(entries[i + 1]);
      }
    }
    return true;
  }));
  std::copy(outer.begin(), outer.end(), slots_);
  if (evaluation.stop != Stop::kGoesOn) return false;
  if (open) return DoubtAbsence(s, open);
  Leave(open);
  if (instances.empty()) return true;
  if (!HasTimeFor(instances.size())) return false;
  std::vector<Value> entries = {bindings, pool_.Set(instances)};
  for (Value key : keys) {
    const Value all = pool_.Set(values[key]);
    entries.push_back(key);
    entries.push_back(pool_.ItemsOf(all).size() == 1 ? pool_.ItemsOf(all).front() : all);
  }
  return Unify(pool_, s.pattern, pool_.Map(entries), slots_, [&] { return Run(s.next); });
}

// Depth first from each start value; a repeated value ends its branch (decision 69).
bool Machine::RunLoop(const Step& s) {
  const auto* loop = s.clause->As<Loop>();
  const auto gather = [&](const Step* body, SlotId slot, std::vector<Value>& out) {
    Leave(RunBody(body, [&] { return out.push_back(slots_[slot]), true; }));
    return evaluation.stop == Stop::kGoesOn;
  };
  const Value wanted = s.result_bound ? slots_[loop->value] : kNone;
  std::vector<Value> starts;
  if (!gather(s.body, loop->value, starts)) return false;
  std::set<Value> seen;
  std::vector<Value> stack(starts.rbegin(), starts.rend());
  while (!stack.empty()) {
    const Value at = stack.back();
    stack.pop_back();
    if (!seen.insert(at).second) continue;
    if (seen.size() > limits_.max_iterations) {
      StopAt(Stop::kIterations);
      return false;
    }
    slots_[loop->value] = at;
    bool holds = false;
    Leave(RunBody(s.body2, [&] { return holds = true, false; }));
    if (evaluation.stop != Stop::kGoesOn) return false;
    if (!holds) continue;
    const std::vector<Value> here(slots_, slots_ + frame_->slots.size());
    std::vector<Value> next;
    if (!gather(s.body3, loop->next, next)) return false;
    std::copy(here.begin(), here.end(), slots_);
    if ((!s.result_bound || at == wanted) && !Run(s.next)) return false;
    stack.insert(stack.end(), next.rbegin(), next.rend());
  }
  if (s.result_bound) slots_[loop->value] = wanted;
  return true;
}

}  // namespace rpl
