// SPDX-License-Identifier: Apache-2.0
//
// A plan runs by recursion along its steps: a step that finds an answer calls the next
// one, and returns when it has no more. Returning false unwinds everything: someone has
// seen enough, or a limit was reached (stop_). There is no trail: a plan fixes which step
// binds which slot, so a slot is simply overwritten by the next answer.
//
// Example, deriving t(?x, ?z) <- t(?x, ?y), e(?y, ?z) from a delta of t:
//
//   kAtom t [delta]  binds s0 s1     for each row of the delta
//   kAtom e          probes column 0 with s1, binds s2      for each row of a chain
//   kEmit            builds (s0, s2), inserts it
#include "interp/solver.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "grammar/printer.h"
#include "interp/operators.h"

namespace rpl {

// The bindings of one rule while one of its plans runs.
struct Solver::Frame {
  const Definition* def = nullptr;
  const std::vector<std::string>* names = nullptr;
  std::vector<Value> slots;
  Table* table = nullptr;                    // solving: where answers go
  const Continuation* answer = nullptr;      // or who is told of them
  bool unknown = false;                      // some slot awaits a call
  bool pending = false;
  bool pending_question = false;
  std::size_t answers = 0;                   // emitted or found so far
  // Why there is no answer: the step that got furthest, with what was bound there.
  const Step* deepest = nullptr;
  std::vector<Value> snapshot;
  std::string note;
  std::string ineligible;
  // The rows the current answer rests on.
  std::vector<std::pair<Table*, Premise>> path;
  std::vector<std::pair<const Clause*, Value>> shown;
  std::map<const Clause*, std::set<std::vector<Value>>> distinct;
};

namespace {

Value RowRef(Pool& pool, RelationId relation, RowId row) {
  return pool.Int(static_cast<std::int64_t>(relation) << 32 | row);
}

Pattern WithBinds(const Pattern& p, std::vector<bool>& bound) {
  Pattern out = p;
  if (p.kind == Pattern::Kind::kSlot) {
    out.binds = !bound[static_cast<std::size_t>(p.slot)];
    bound[static_cast<std::size_t>(p.slot)] = true;
  }
  for (Pattern& part : out.parts) part = WithBinds(part, bound);
  for (Pattern& part : out.rest) part = WithBinds(part, bound);
  return out;
}

std::uint64_t HashOf(std::span<const Value> row) {
  std::uint64_t hash = 0;
  for (Value v : row) hash = MixHash(hash, v.bits());
  return hash;
}

}  // namespace

Solver::Solver(const Program& program, Store& store, const Analysis& analysis, Limits limits)
    : program_(program), store_(store), pool_(store.pool()), analysis_(analysis),
      limits_(std::move(limits)) {}

void Solver::Forget() {
  tables_.clear();
  query_tables_.clear();
  plans_.clear();
  calls_.clear();
  running_.clear();
  unfinished_.clear();
  met_declined_ = false;
  circular_.clear();
  declined_call_.clear();
}

void Solver::Note(std::string why) {
  if (mode_ == Mode::kSolve && frame_->note.empty() && !why.empty()) frame_->note = std::move(why);
}

void Solver::Polled() {
  if ((++ticks_ & 0xfff) == 0 && limits_.interrupted && limits_.interrupted())
    stop_ = Stop::kInterrupted;
}

Value Solver::Evaluate(const Expr& e) {
  switch (e.kind) {
    case Expr::Kind::kTerm:
      if (e.term.kind == Pattern::Kind::kSlot) return slots_[e.term.slot];
      return Build(pool_, e.term, slots_, frame_->names);
    case Expr::Kind::kNow:
      return moment_.now;
    case Expr::Kind::kOperator: {
      const Value a = Evaluate(e.sides[0]);
      const Value b = Evaluate(e.sides[1]);
      if (a.is_none() || b.is_none()) return kNone;
      std::string why;
      const Value out = Apply(pool_, e.op, a, b, why);
      if (out.is_none()) Note(std::move(why));
      return out;
    }
  }
  return kNone;
}

bool Solver::Run(const Step* step) {
  const Step& s = *step;
  if (mode_ == Mode::kSolve) {
    Polled();
    if (stop_ != Stop::kGoesOn) return false;
    if (frame_->unknown)
      for (SlotId r : s.reads)
        if (slots_[r] == kUnknown) return true;  // the clause waits for a pending call
    if (s.clause != nullptr && (frame_->deepest == nullptr || s.depth >= frame_->deepest->depth)) {
      frame_->deepest = &s;
      frame_->snapshot.assign(slots_, slots_ + frame_->slots.size());
    }
  }
  switch (s.kind) {
    case Step::Kind::kAtom:
      return RunAtom(s);
    case Step::Kind::kCompare: {
      const Value a = Evaluate(s.operands[0]);
      const Value b = Evaluate(s.operands[1]);
      if (a.is_none() || b.is_none()) return true;
      std::string why;
      if (!Holds(pool_, s.clause->As<Compare>() ? s.clause->As<Compare>()->op : Operator::kEqual, a,
                 b, why)) {
        Note(std::move(why));
        return true;
      }
      return Run(s.next);
    }
    case Step::Kind::kBind: {
      const Value v = Evaluate(s.operands[0]);
      if (v.is_none()) return true;
      if (s.pattern.kind == Pattern::Kind::kSlot && s.pattern.binds) {
        slots_[s.pattern.slot] = v;
        return Run(s.next);
      }
      return Unify(pool_, s.pattern, v, slots_, [&] { return Run(s.next); });
    }
    case Step::Kind::kMatch: {
      const Value v = Evaluate(s.operands[0]);
      if (v.is_none()) return true;
      return UnifyEach(pool_, s.pattern, v, slots_, [&] { return Run(s.next); });
    }
    case Step::Kind::kMember: {
      const auto* clause = s.clause->As<Member>();
      const Value collection = Evaluate(s.operands[0]);
      if (collection.is_none()) return true;
      if (s.operands.size() == 2) {
        const Value element = Evaluate(s.operands[1]);
        if (element.is_none()) return true;
        std::string why;
        const bool in = IsMember(pool_, element, collection, why);
        if (!why.empty()) {
          Note(std::move(why));
          return true;
        }
        return in == clause->negated || Run(s.next);
      }
      if (collection.kind() != Kind::kList && collection.kind() != Kind::kSet) {
        Note("`in` takes a list or a set, got " + std::string(KindName(collection)));
        return true;
      }
      std::set<Value> seen;
      for (Value item : pool_.ItemsOf(collection)) {
        if (!seen.insert(item).second) continue;
        if (!Unify(pool_, s.pattern, item, slots_, [&] { return Run(s.next); })) return false;
      }
      return true;
    }
    case Step::Kind::kTemporal: {
      std::vector<Value> operands;
      for (const Expr& e : s.operands) {
        operands.push_back(Evaluate(e));
        if (operands.back().is_none()) return true;
      }
      std::string why;
      if (!TemporalHolds(pool_, s.clause->As<Temporal>()->kind, operands, why)) {
        Note(std::move(why));
        return true;
      }
      return Run(s.next);
    }
    case Step::Kind::kCountAtom:
      return RunCountAtom(s);
    case Step::Kind::kCountValue: {
      const Value v = Evaluate(s.operands[0]);
      if (v.is_none()) return true;
      std::string why;
      const auto size = SizeOf(pool_, v, why);
      if (!size) {
        Note(std::move(why));
        return true;
      }
      return RunCount(s, *size);
    }
    case Step::Kind::kCountForm: {
      std::int64_t count = 0;
      const bool was_pending = frame_->pending;
      frame_->pending = false;
      const Value form = slots_[s.clause->As<CountOf>()->expansion];
      if (form.kind() != Kind::kTerm) {
        Note("#" + std::string("?") +
             (*frame_->names)[static_cast<std::size_t>(s.clause->As<CountOf>()->expansion)] +
             " needs the shape of a relation call, got " + Text(pool_, form));
        frame_->pending = was_pending;
        return true;
      }
      Value ref;
      ForEachOfForm(form, [&] { return ++count, true; }, &ref);
      if (stop_ != Stop::kGoesOn) return false;
      const bool waits = frame_->pending;
      frame_->pending = waits || was_pending;
      return waits || RunCount(s, count);
    }
    case Step::Kind::kNot:
      return RunNot(s);
    case Step::Kind::kBranch:
      return RunBranch(s);
    case Step::Kind::kExpand:
      return RunExpand(s);
    case Step::Kind::kMetadata:
      return RunMetadata(s);
    case Step::Kind::kAggregate:
      return RunAggregate(s);
    case Step::Kind::kReadAvar:
      return RunAvar(s);
    case Step::Kind::kShow: {
      frame_->shown.emplace_back(s.clause, slots_[s.clause->As<ShowJson>()->slot]);
      const bool go_on = Run(s.next);
      frame_->shown.pop_back();
      return go_on;
    }
    case Step::Kind::kGoalFalse:
      return RunGoalFalse(s);
    case Step::Kind::kFirst: {
      bool found = false;
      const bool was_pending = frame_->pending;
      frame_->pending = false;
      RunBody(s.body, [&] { return found = true, false; });
      if (stop_ != Stop::kGoesOn) return false;
      const bool waits = frame_->pending;
      frame_->pending = waits || was_pending;
      return !found || Run(s.next);
    }
    case Step::Kind::kLoop:
      return RunLoop(s);
    case Step::Kind::kDistinct: {
      std::vector<Value> key;
      for (SlotId slot : s.clause->As<Distinct>()->slots) key.push_back(slots_[slot]);
      return !frame_->distinct[s.clause].insert(std::move(key)).second || Run(s.next);
    }
    case Step::Kind::kCheck:
      return RunCheck(s);
    case Step::Kind::kTruth: {
      const auto* truth = s.clause->As<Truth>();
      return (truth != nullptr && !truth->holds) || Run(s.next);
    }
    case Step::Kind::kEmit:
      return Emit();
    case Step::Kind::kFound:
      ++frame_->answers;
      return frame_->unknown || (*found_)();
    case Step::Kind::kStuck:
      if (mode_ == Mode::kSolve) Note(s.problem);
      return true;
  }
  return true;
}

bool Solver::RunBody(const Step* body, Continuation fn) {
  const Continuation* outer = found_;
  found_ = &fn;
  const bool go_on = Run(body);
  found_ = outer;
  return go_on;
}

bool Solver::RunCount(const Step& s, std::int64_t count) {
  const Value result = pool_.Int(count);
  if (s.result_bound) return slots_[s.pattern.slot] != result || Run(s.next);
  slots_[s.pattern.slot] = result;
  return Run(s.next);
}

// --- atoms -------------------------------------------------------------------------

bool Solver::RunAtom(const Step& s) {
  switch (s.access) {
    case Access::kRows: return RunRows(s);
    case Access::kTable:
    case Access::kCollect:
    case Access::kGoal: return RunTable(s);
    case Access::kTruth: return RunTruth(s);
    case Access::kExternal: return RunExternal(s);
  }
  return true;
}

bool Solver::Keys(const Step& s, std::vector<Value>& out) {
  for (const auto& [column, p] : s.keys) {
    out.push_back(p.kind == Pattern::Kind::kSlot ? slots_[p.slot]
                                                 : Build(pool_, p, slots_, frame_->names));
    if (out.back().is_none()) return false;
  }
  return true;
}

bool Solver::RunRows(const Step& s) {
  Relation& rel = store_.at(s.relation);
  RowId begin = 0;
  RowId end = rel.size();
  if (mode_ == Mode::kDerive) {
    const Marks& m = (*marks_)[s.relation];
    begin = s.range == Range::kDelta ? m.old_end : 0;
    end = s.range == Range::kOld ? m.old_end : m.end;
  }
  if (begin >= end) return true;
  if (s.probe == 0) {
    for (RowId row = begin; row < end; ++row) {
      Polled();
      if (stop_ != Stop::kGoesOn) return false;
      if (!TakeCells(s, rel.Cells(row), s.row < 0 ? kNone : RowRef(pool_, s.relation, row)))
        return false;
    }
    return true;
  }
  Value small[8];
  std::vector<Value> large;
  std::span<const Value> key;
  if (s.keys.size() <= 8) {
    std::size_t n = 0;
    for (const auto& [column, p] : s.keys) {
      small[n] = p.kind == Pattern::Kind::kSlot       ? slots_[p.slot]
                 : p.kind == Pattern::Kind::kConstant ? p.constant
                                                      : Build(pool_, p, slots_, frame_->names);
      if (small[n++].is_none()) return true;
    }
    key = {small, n};
  } else {
    if (!Keys(s, large)) return true;
    key = large;
  }
  if (s.all_bound) {
    const RowId row = rel.Find(key);
    if (row == kNoId || row < begin || row >= end) return true;
    return TakeCells(s, rel.Cells(row), s.row < 0 ? kNone : RowRef(pool_, s.relation, row));
  }
  const Index& index = rel.IndexOn(s.probe);
  for (RowId row = index.First(key, rel); row != kNoId && row < end; row = index.Next(row)) {
    if (row < begin) continue;
    if (!TakeCells(s, rel.Cells(row), s.row < 0 ? kNone : RowRef(pool_, s.relation, row)))
      return false;
  }
  return true;
}

// Binds what the row gives and goes on. `cells` may move once the next step runs, so
// everything is copied into slots first; patterns that match in several ways copy the row.
bool Solver::TakeCells(const Step& s, std::span<const Value> cells, Value row_ref) {
  for (const auto& [column, slot] : s.binds) slots_[slot] = cells[column];
  for (const auto& [column, slot] : s.checks)
    if (cells[column] != slots_[slot]) return true;
  if (s.row >= 0) slots_[s.row] = row_ref;
  if (mode_ == Mode::kSolve && s.access == Access::kRows) {
    frame_->path.push_back({nullptr, {store_.BaseOf(s.relation), {cells.begin(), cells.end()}}});
    const bool go_on = s.matches.empty() ? Run(s.next) : MatchCells(s, cells, 0);
    frame_->path.pop_back();
    return go_on;
  }
  return s.matches.empty() ? Run(s.next) : MatchCells(s, cells, 0);
}

bool Solver::MatchCells(const Step& s, std::span<const Value> cells, std::size_t at) {
  if (at == s.matches.size()) return Run(s.next);
  const std::vector<Value> copy(cells.begin(), cells.end());
  const auto& [column, pattern] = s.matches[at];
  return Unify(pool_, pattern, copy[column], slots_, [&] { return MatchCells(s, copy, at + 1); });
}

// The recorded truths of a goal: one column, a bindings map.
bool Solver::RunTruth(const Step& s) {
  const Relation& rel = store_.at(s.relation);
  const Goal* goal = program_.FindGoal(pool_.TextOf(rel.label()));
  const Marks m = mode_ == Mode::kDerive ? (*marks_)[s.relation] : Marks{0, rel.size()};
  const RowId begin = s.range == Range::kDelta ? m.old_end : 0;
  const RowId end = s.range == Range::kOld ? m.old_end : m.end;
  const auto* atom = s.clause->As<Atom>();
  const std::size_t arity = atom == nullptr ? 0 : atom->args.size();
  std::vector<Value> key;
  if (!Keys(s, key)) return true;
  for (RowId row = begin; row < end; ++row) {
    const Value map = rel.Row(row)[0];
    std::vector<Value> cells;
    for (std::size_t i = 0; i < arity; ++i) {
      Value v;
      if (goal != nullptr && i < goal->captures.size()) v = pool_.Lookup(map, goal->captures[i]);
      if (v.is_none()) v = pool_.Lookup(map, pool_.Slot(std::to_string(i + 1)));
      cells.push_back(v.is_none() ? kAbsent : v);
    }
    bool same = true;
    for (std::size_t k = 0; k < s.keys.size(); ++k) same &= cells[s.keys[k].first] == key[k];
    if (same && !TakeCells(s, cells, map)) return false;
  }
  return true;
}

// Notes the call. Behind a question the plan stops; behind a call it goes on with what
// the call would bind unknown.
bool Solver::WaitFor(const Step& s, OpenCall call, bool question) {
  const std::string text = CallText(call);
  if (moment_.declined.contains(text)) {
    met_declined_ = true;
    declined_call_ = text;
    Note(text + " was declined");
    return true;
  }
  if (std::find(calls_.begin(), calls_.end(), call) == calls_.end()) calls_.push_back(call);
  frame_->pending = true;
  if (question) {
    frame_->pending_question = true;
    return true;
  }
  for (SlotId w : s.writes) slots_[w] = kUnknown;
  const bool was_unknown = frame_->unknown;
  frame_->unknown = true;
  const bool go_on = Run(s.next);
  frame_->unknown = was_unknown;
  return go_on;
}

bool Solver::RunExternal(const Step& s) {
  Relation& rel = store_.at(s.relation);
  std::vector<Value> key;
  if (!Keys(s, key)) return true;
  const RowId row = rel.Find(key);
  if (row != kNoId) return TakeCells(s, rel.Cells(row), RowRef(pool_, s.relation, row));
  OpenCall call;
  call.space = rel.space();
  call.relation = s.relation;
  call.args = std::move(key);
  const bool question =
      rel.space() == Space::kAvar || rel.name() == "$ask" || rel.name() == "$choose";
  return WaitFor(s, std::move(call), question);
}

bool Solver::RunAvar(const Step& s) {
  const auto* clause = s.clause->As<ReadAvar>();
  Relation& rel = store_.at(clause->channel);
  const Value result = pool_.Keyword("result");
  if (rel.size() > 0 && !rel.Meta(0).is_none()) {
    const Value v = pool_.Lookup(rel.Meta(0), result);
    if (!v.is_none()) {
      slots_[clause->slot] = v;
      return Run(s.next);
    }
  }
  if (mode_ == Mode::kDerive) return true;
  OpenCall call;
  call.space = Space::kAvar;
  call.relation = clause->channel;
  call.question = clause->question;
  return WaitFor(s, std::move(call), true);
}

// Demanded relations and goals: the table's rows, then what it waits for.
bool Solver::RunTable(const Step& s) {
  const std::size_t arity = s.access == Access::kGoal
                                ? s.clause->As<Atom>()->args.size()
                                : store_.at(s.relation).arity();
  std::vector<Value> key(arity);
  std::vector<Value> values;
  if (!Keys(s, values)) return true;
  for (std::size_t i = 0; i < s.keys.size(); ++i) key[s.keys[i].first] = values[i];
  if (++depth_ > limits_.max_depth) {
    --depth_;
    stop_ = Stop::kDepth;
    stopped_at_ = s.clause->text;
    return false;
  }
  Table& table = Demand(s.relation, key);
  --depth_;
  if (stop_ != Stop::kGoesOn) return false;
  for (std::size_t r = 0, n = table.rows.size(); r < n; ++r) {
    Value ref = kNil;
    if (s.access == Access::kGoal) {
      ref = table.maps[r];
    } else if (s.row >= 0) {
      const RowId stored = store_.at(s.relation).Find(table.rows[r]);
      if (stored != kNoId) ref = RowRef(pool_, s.relation, stored);
    }
    frame_->path.push_back({&table, {s.relation, table.rows[r]}});
    const bool go_on = TakeCells(s, table.rows[r], ref);
    frame_->path.pop_back();
    if (!go_on) return false;
  }
  if (table.rows.empty() && !table.pending) {
    Note(table.reason);
    if (frame_->ineligible.empty()) frame_->ineligible = table.ineligible;
  }
  if (table.rows.empty() && !table.pending && s.asked >= 0) {
    // Nothing supplies the avar: it is asked for, and the call is tried with it (§18.4.5).
    const std::string& name = (*frame_->names)[static_cast<std::size_t>(s.asked)];
    const RelationId channel = store_.Declare(Space::kAvar, name, 0);
    Relation& rel = store_.at(channel);
    Value held;
    if (rel.size() > 0 && !rel.Meta(0).is_none())
      held = pool_.Lookup(rel.Meta(0), pool_.Keyword("result"));
    if (held.is_none()) {
      OpenCall call;
      call.space = Space::kAvar;
      call.relation = channel;
      return WaitFor(s, std::move(call), true);
    }
    for (const auto& [column, slot] : s.binds)
      if (slot == s.asked) key[column] = held;
    Table& again = Demand(s.relation, key);
    if (stop_ != Stop::kGoesOn) return false;
    for (std::size_t r = 0, n = again.rows.size(); r < n; ++r)
      if (!TakeCells(s, again.rows[r], s.access == Access::kGoal ? again.maps[r] : kNil))
        return false;
    if (again.rows.empty()) Note(again.reason);
    if (again.pending) frame_->pending = true;
    return true;
  }
  if (table.pending) {
    frame_->pending = true;
    frame_->pending_question |= table.pending_question;
    if (table.rows.empty() && !table.pending_question) {
      for (SlotId w : s.writes) slots_[w] = kUnknown;
      const bool was_unknown = frame_->unknown;
      frame_->unknown = true;
      const bool go_on = Run(s.next);
      frame_->unknown = was_unknown;
      return go_on;
    }
  }
  return true;
}

// --- other clauses -----------------------------------------------------------------

bool Solver::RunNot(const Step& s) {
  bool found = false;
  const bool was_pending = frame_->pending;
  const std::size_t calls = calls_.size();
  frame_->pending = false;
  std::string note = std::move(frame_->note);
  RunBody(s.body, [&] { return found = true, false; });
  frame_->note = std::move(note);
  if (stop_ != Stop::kGoesOn) return false;
  const bool waits = frame_->pending;
  frame_->pending = was_pending;
  if (found) {
    calls_.resize(calls);
    return true;
  }
  if (waits) {
    frame_->pending = true;
    return true;
  }
  return Run(s.next);
}

bool Solver::RunBranch(const Step& s) {
  if (!s.ordered) {
    for (const Step* branch : s.branches)
      if (!Run(branch)) return false;
    return true;
  }
  for (const Step* branch : s.branches) {
    const std::size_t before = frame_->answers;
    const bool was_pending = frame_->pending;
    frame_->pending = false;
    const bool go_on = Run(branch);
    const bool waits = frame_->pending;
    frame_->pending = waits || was_pending;
    if (!go_on) return false;
    if (waits || frame_->answers > before) return true;
  }
  return true;
}

bool Solver::RunCountAtom(const Step& s) {
  const bool was_pending = frame_->pending;
  frame_->pending = false;
  std::vector<std::vector<Value>> groups;
  std::vector<std::int64_t> counts;
  std::map<std::vector<Value>, std::size_t> group_of;
  std::int64_t total = 0;
  std::set<std::vector<Value>> seen;  // only patterns that match a row twice need it
  const Step& atom = *s.body;
  std::vector<SlotId> own = atom.writes;
  const bool dedupe = !atom.matches.empty();
  RunBody(s.body, [&] {
    if (dedupe) {
      std::vector<Value> key;
      for (SlotId slot : own) key.push_back(slots_[slot]);
      if (!seen.insert(std::move(key)).second) return true;
    }
    ++total;
    if (!s.groups.empty()) {
      std::vector<Value> key;
      for (SlotId slot : s.groups) key.push_back(slots_[slot]);
      const auto [it, is_new] = group_of.emplace(key, groups.size());
      if (is_new) {
        groups.push_back(std::move(key));
        counts.push_back(0);
      }
      ++counts[it->second];
    }
    return true;
  });
  if (stop_ != Stop::kGoesOn) return false;
  const bool waits = frame_->pending;
  frame_->pending = waits || was_pending;
  if (waits) return true;
  if (s.groups.empty()) return RunCount(s, total);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (std::size_t k = 0; k < s.groups.size(); ++k) slots_[s.groups[k]] = groups[g][k];
    if (!RunCount(s, counts[g])) return false;
  }
  return true;
}

// Calls fn for each answer of a call that a value spells; `_` and names are open.
bool Solver::ForEachOfForm(Value form, Continuation fn, Value* row_ref) {
  const std::span<const Value> args = pool_.ItemsOf(form);
  const Space space = pool_.NamespaceOf(form) == Namespace::kGoal   ? Space::kGoal
                      : pool_.NamespaceOf(form) == Namespace::kTool ? Space::kTool
                                                                    : Space::kRelation;
  const RelationId relation =
      store_.Find(space, pool_.TextOf(form),
                  space == Space::kGoal ? 1 : static_cast<std::uint32_t>(args.size()));
  if (relation == kNoId) return true;
  // A name that occurs twice must be the same value both times.
  const auto agrees = [&](std::span<const Value> cells) {
    std::map<Value, Value> names;
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (args[i] == kWild) continue;
      if (args[i].kind() == Kind::kSlot) {
        if (names.emplace(args[i], cells[i]).first->second != cells[i]) return false;
      } else if (args[i] != cells[i]) {
        return false;
      }
    }
    return true;
  };
  if (mode_ == Mode::kSolve && analysis_.AccessOf(relation, mode_) != Access::kRows) {
    std::vector<Value> key;
    for (Value v : args) key.push_back(v == kWild || v.kind() == Kind::kSlot ? kNone : v);
    if (++depth_ > limits_.max_depth) {
      --depth_;
      stop_ = Stop::kDepth;
      stopped_at_ = Text(pool_, form);
      return false;
    }
    Table& table = Demand(relation, key);
    --depth_;
    for (std::size_t r = 0, n = table.rows.size(); r < n; ++r)
      if (agrees(table.rows[r]) && !fn()) return false;
    frame_->pending |= table.pending;
    return true;
  }
  Relation& rel = store_.at(relation);
  Columns probe = 0;
  std::vector<Value> key;
  for (std::size_t i = 0; i < args.size(); ++i)
    if (args[i] != kWild && args[i].kind() != Kind::kSlot) {
      probe |= Columns{1} << i;
      key.push_back(args[i]);
    }
  const auto take = [&](RowId row) {
    *row_ref = RowRef(pool_, relation, row);
    const std::vector<Value> cells(rel.Cells(row).begin(), rel.Cells(row).end());
    return !agrees(cells) || fn();
  };
  if (probe == 0) {
    for (RowId row = 0, n = rel.size(); row < n; ++row)
      if (!take(row)) return false;
    return true;
  }
  if (key.size() == args.size()) {
    const RowId row = rel.Find(key);
    return row == kNoId || take(row);
  }
  const Index& index = rel.IndexOn(probe);
  for (RowId row = index.First(key, rel); row != kNoId; row = index.Next(row))
    if (!take(row)) return false;
  return true;
}

bool Solver::RunExpand(const Step& s) {
  const SlotId slot = s.clause->As<Expand>()->slot;
  const Value form = slots_[slot];
  if (form.kind() != Kind::kTerm) {
    Note("#?" + (*frame_->names)[static_cast<std::size_t>(slot)] +
         " needs the shape of a relation call, got " + Text(pool_, form));
    return true;
  }
  Value ref = kNil;
  return ForEachOfForm(
      form,
      [&] {
        if (s.row >= 0) slots_[s.row] = ref;
        return Run(s.next);
      },
      &ref);
}

// --- metadata ----------------------------------------------------------------------

Value Solver::FieldOf(Value row_ref, Value key, Value primary) {
  if (!Pool::IsInt(row_ref)) return kNone;
  const std::int64_t packed = pool_.AsInt(row_ref);
  const Relation& rel = store_.at(static_cast<RelationId>(packed >> 32));
  const auto row = static_cast<RowId>(packed & 0xffffffff);
  const Value map = rel.Meta(row);
  if (!map.is_none()) {
    if (const Value v = pool_.Lookup(map, key); !v.is_none()) return v;
    if (key == primary)
      if (const Value v = pool_.Lookup(map, pool_.Keyword(pool_.TextOf(key))); !v.is_none())
        return v;
  }
  if (key.kind() != Kind::kKeyword) return kNone;
  // Provenance is found by key and is not part of the map (decision 49).
  const std::string_view name = pool_.TextOf(key);
  if (name == "relation") return pool_.Term(Namespace::kRelation, rel.name(), rel.Cells(row));
  const Span* origin = rel.Origin(row);
  if (origin == nullptr) return kNone;
  const Sources& sources = program_.sources();
  if (name == "file") return pool_.String(sources.at(origin->file).name);
  if (name == "line") return pool_.Int(sources.PlaceOf(origin->file, origin->begin).line);
  if (name == "heading") {
    const std::string title = program_.HeadingAt(*origin);
    return title.empty() ? kNone : pool_.String(title);
  }
  return kNone;
}

Value Solver::ContextOf(Value row_ref) {
  if (row_ref.kind() == Kind::kMap) return row_ref;  // a goal's captures
  if (!Pool::IsInt(row_ref)) return kNone;
  const std::int64_t packed = pool_.AsInt(row_ref);
  const Value map = store_.at(static_cast<RelationId>(packed >> 32))
                        .Meta(static_cast<RowId>(packed & 0xffffffff));
  if (map.is_none()) return kNone;
  const Value context = pool_.Lookup(map, pool_.Keyword("bindings"));
  return context.kind() == Kind::kMap ? context : kNone;
}

Value Solver::BindingsOf(const OwnSlots& own, const std::vector<SlotId>& rows) {
  std::vector<Value> entries;
  for (std::size_t i = 0; i < own.slots.size(); ++i) {
    const Value v = slots_[own.slots[i]];
    if (v.is_none() || v == kUnknown) continue;
    entries.push_back(own.names[i]);
    entries.push_back(v);
  }
  for (SlotId row : rows) {
    const Value context = ContextOf(slots_[row]);
    if (context.is_none()) continue;
    const std::span<const Value> more = pool_.ItemsOf(context);
    entries.insert(entries.end(), more.begin(), more.end());
  }
  return pool_.Map(entries);
}

bool Solver::RunMetadata(const Step& s) {
  const auto* clause = s.clause->As<Metadata>();
  if (clause->bindings) {
    const Value map = BindingsOf(clause->own, clause->rows);
    return UnifyEach(pool_, s.pattern, map, slots_, [&] { return Run(s.next); });
  }
  // One field: the pattern is a map of one entry with a literal key.
  const Pattern& key = s.pattern.parts[0];
  if (key.kind != Pattern::Kind::kConstant) return true;
  const Value v = FieldOf(slots_[clause->rows.front()], key.constant, clause->primary);
  if (v.is_none()) {
    Note("no metadata " + Text(pool_, key.constant) + " for `" + s.clause->text + "`");
    return true;
  }
  return UnifyEach(pool_, s.pattern.parts[1], v, slots_, [&] { return Run(s.next); });
}

bool Solver::RunAggregate(const Step& s) {
  const auto* clause = s.clause->As<Aggregate>();
  const bool was_pending = frame_->pending;
  frame_->pending = false;
  std::vector<Value> instances;
  std::vector<Value> keys;
  std::map<Value, std::vector<Value>> values;
  std::vector<Value> outer(slots_, slots_ + frame_->slots.size());
  std::fill(slots_, slots_ + frame_->slots.size(), kNone);
  const Value bindings = pool_.Keyword("bindings");
  RunBody(s.body, [&] {
    instances.push_back(BindingsOf(clause->own, clause->rows));
    for (SlotId row : clause->rows) {
      const Value ref = slots_[row];
      if (!Pool::IsInt(ref)) continue;
      const std::int64_t packed = pool_.AsInt(ref);
      const Value map = store_.at(static_cast<RelationId>(packed >> 32))
                            .Meta(static_cast<RowId>(packed & 0xffffffff));
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
  });
  std::copy(outer.begin(), outer.end(), slots_);
  if (stop_ != Stop::kGoesOn) return false;
  const bool waits = frame_->pending;
  frame_->pending = waits || was_pending;
  if (waits || instances.empty()) return true;
  std::vector<Value> entries = {bindings, pool_.Set(instances)};
  for (Value key : keys) {
    const Value all = pool_.Set(values[key]);
    entries.push_back(key);
    entries.push_back(pool_.ItemsOf(all).size() == 1 ? pool_.ItemsOf(all).front() : all);
  }
  return Unify(pool_, s.pattern, pool_.Map(entries), slots_, [&] { return Run(s.next); });
}

// --- goals' truth, loops, checks -----------------------------------------------------

bool Solver::RunGoalFalse(const Step& s) {
  const auto* clause = s.clause->As<GoalIsFalse>();
  const Relation& rel = store_.at(s.relation);
  const auto recorded = [&] {
    const Goal* goal = program_.FindGoal(pool_.TextOf(rel.label()));
    std::vector<Value> key;
    if (!Keys(s, key)) return false;
    for (RowId row = 0; row < rel.size(); ++row) {
      bool same = true;
      for (std::size_t k = 0; k < s.keys.size(); ++k) {
        const std::size_t column = s.keys[k].first;
        Value v;
        if (goal != nullptr && column < goal->captures.size())
          v = pool_.Lookup(rel.Row(row)[0], goal->captures[column]);
        same &= v == key[k];
      }
      if (same) return true;
    }
    return false;
  };
  // An activation clause reads the state before the body (decision 40).
  if (clause->activation || mode_ == Mode::kDerive) return recorded() || Run(s.next);
  std::vector<Value> key(clause->goal.args.size());
  std::vector<Value> values;
  if (!Keys(s, values)) return true;
  for (std::size_t i = 0; i < s.keys.size(); ++i) key[s.keys[i].first] = values[i];
  const std::size_t calls = calls_.size();
  Table& table = Demand(s.relation, key);
  if (stop_ != Stop::kGoesOn) return false;
  if (table.running) {
    circular_ = rel.name();
    return true;
  }
  if (!table.rows.empty()) {
    calls_.resize(std::min(calls, calls_.size()));
    return true;
  }
  if (table.pending) {
    frame_->pending = true;
    return true;
  }
  return Run(s.next);
}

// Depth first from each start; a value seen before ends its branch (decision 69).
bool Solver::RunLoop(const Step& s) {
  const auto* loop = s.clause->As<Loop>();
  std::vector<Value> starts;
  RunBody(s.body, [&] { return starts.push_back(slots_[loop->value]), true; });
  if (stop_ != Stop::kGoesOn) return false;
  std::set<Value> seen;
  std::vector<Value> stack(starts.rbegin(), starts.rend());
  std::size_t iterations = 0;
  while (!stack.empty()) {
    const Value at = stack.back();
    stack.pop_back();
    if (!seen.insert(at).second) continue;
    if (++iterations > limits_.max_iterations) {
      stop_ = Stop::kIterations;
      stopped_at_ = "@for of `" + (frame_->def != nullptr ? frame_->def->text : s.clause->text) + "`";
      return false;
    }
    slots_[loop->value] = at;
    bool holds = false;
    RunBody(s.body2, [&] { return holds = true, false; });
    if (stop_ != Stop::kGoesOn) return false;
    if (!holds) continue;
    std::vector<Value> next;
    slots_[loop->value] = at;
    const std::vector<Value> here(slots_, slots_ + frame_->slots.size());
    RunBody(s.body3, [&] { return next.push_back(slots_[loop->next]), true; });
    if (stop_ != Stop::kGoesOn) return false;
    std::copy(here.begin(), here.end(), slots_);
    if (!Run(s.next)) return false;
    stack.insert(stack.end(), next.rbegin(), next.rend());
  }
  return true;
}

bool Solver::RunCheck(const Step& s) {
  bool found = false;
  const bool was_pending = frame_->pending;
  frame_->pending = false;
  const auto* check = s.clause->As<Check>();
  RunBody(s.body, [&] { return found = true, false; });
  if (stop_ != Stop::kGoesOn) return false;
  const bool waits = frame_->pending;
  frame_->pending = waits || was_pending;
  if (waits) return true;
  if (found) return Run(s.next);
  Violation v;
  v.constraint = check->constraint;
  for (std::size_t i = 0; i < frame_->slots.size(); ++i) {
    if (frame_->names == nullptr || (*frame_->names)[i].empty() || slots_[i].is_none()) continue;
    v.bindings.push_back(pool_.Slot((*frame_->names)[i]));
    v.bindings.push_back(slots_[i]);
  }
  const bool known = std::any_of(violations_.begin(), violations_.end(), [&](const Violation& o) {
    return o.constraint == v.constraint && o.bindings == v.bindings;
  });
  if (!known) violations_.push_back(std::move(v));
  return true;
}

// --- answers -------------------------------------------------------------------------

bool Solver::Emit() {
  if (frame_->unknown) return true;
  ++frame_->answers;
  if (frame_->answer != nullptr) return (*frame_->answer)();
  return mode_ == Mode::kDerive ? EmitRow() : EmitAnswer();
}

std::vector<Value> Solver::HeadRow(const Definition& def) {
  std::vector<Value> row;
  for (const Pattern& p : def.args) {
    row.push_back(p.kind == Pattern::Kind::kSlot ? slots_[p.slot]
                                                 : Build(pool_, p, slots_, frame_->names));
    if (row.back().is_none()) return {};
  }
  return row;
}

bool Solver::EmitRow() {
  const Definition& def = *frame_->def;
  Value cells[kMaxArity];
  RelationId head = def.head;
  std::size_t arity = def.args.size();
  bool plain = true;
  if (def.head_expansion >= 0) {
    const Value form = slots_[def.head_expansion];
    if (form.kind() != Kind::kTerm || pool_.NamespaceOf(form) != Namespace::kRelation) {
      bad_heads_.emplace_back(&def, Text(pool_, form));  // other cases go on (decision 36)
      return true;
    }
    const std::span<const Value> args = pool_.ItemsOf(form);
    arity = args.size();
    head = store_.Declare(Space::kRelation, pool_.TextOf(form), static_cast<std::uint32_t>(arity));
    std::copy(args.begin(), args.end(), cells);
    plain = false;
  } else {
    for (std::size_t i = 0; i < arity; ++i) {
      const Pattern& p = def.args[i];
      cells[i] = p.kind == Pattern::Kind::kSlot ? slots_[p.slot]
                                                : Build(pool_, p, slots_, frame_->names);
      if (cells[i].is_none()) return true;
      plain &= cells[i].kind() != Kind::kSet;
    }
  }
  const std::span<const Value> row(cells, arity);
  std::uint32_t added = 0;
  if (plain && store_.WholeIfAny(head) == kNoId)
    added = store_.at(head).Insert(row, false).is_new ? 1 : 0;
  else
    added = store_.Insert(head, row, false);
  if (added > 0) {
    new_rows_ += added;
    if (new_rows_ > limits_.max_rows) {
      stop_ = Stop::kRows;
      stopped_at_ = def.text;
      return false;
    }
  }
  Polled();
  return stop_ == Stop::kGoesOn;
}

bool Solver::AddRow(Table& table, std::vector<Value> row) {
  const auto next = static_cast<std::uint32_t>(table.rows.size());
  if (table.index.FindOrInsert(HashOf(row), next,
                               [&](std::uint32_t id) { return table.rows[id] == row; }) != next)
    return false;
  table.rows.push_back(std::move(row));
  return true;
}

bool Solver::EmitAnswer() {
  Table& table = *frame_->table;
  const Definition& def = *frame_->def;
  std::vector<Value> row = HeadRow(def);
  if (row.empty() && !def.args.empty()) return true;
  const bool goal = !table.captures.empty() || store_.at(table.relation).space() == Space::kGoal;
  Value map;
  if (goal) {
    std::vector<Value> entries;
    for (std::size_t i = 0; i < row.size() && i < def.captures.size(); ++i) {
      entries.push_back(def.captures[i]);
      entries.push_back(row[i]);
    }
    map = pool_.Map(entries);
    row.resize(std::max(row.size(), table.key.size()), kAbsent);
  }
  if (AddRow(table, std::move(row)) && goal) {
    table.maps.push_back(map);
    std::vector<Premise> premises;
    for (const auto& [from, premise] : frame_->path) premises.push_back(premise);
    table.premises.push_back(std::move(premises));
  }
  for (const auto& [from, premise] : frame_->path)
    if (from != nullptr && std::find(table.used.begin(), table.used.end(), from) == table.used.end())
      table.used.push_back(from);
  for (const auto& shown : frame_->shown)
    if (std::find(table.shown.begin(), table.shown.end(), shown) == table.shown.end())
      table.shown.push_back(shown);
  return stop_ == Stop::kGoesOn;
}

// Groups the answers of a gathering rule by its other arguments (§8, decision 32).
void Solver::Gather(const Definition& def, const std::function<void(std::vector<Value>)>& add) {
  const Pattern& gathered = def.args[static_cast<std::size_t>(def.gathered)];
  const auto lists = static_cast<std::size_t>(def.gathered);
  std::map<std::vector<Value>, std::size_t> group_of;
  std::vector<std::vector<Value>> groups;
  std::vector<std::vector<Value>> members;
  std::vector<std::set<Value>> seen;
  const Continuation* outer = frame_->answer;
  const auto collect = [&] {
    std::vector<Value> key;
    for (std::size_t i = 0; i < def.args.size(); ++i) {
      if (i == lists) continue;
      key.push_back(Build(pool_, def.args[i], slots_, frame_->names));
      if (key.back().is_none()) return true;
    }
    for (const Pattern& p : gathered.parts) key.push_back(Build(pool_, p, slots_, frame_->names));
    Value one;
    if (gathered.rest.size() == 1) {
      one = Build(pool_, gathered.rest.front(), slots_, frame_->names);
    } else {
      std::vector<Value> parts;
      for (const Pattern& p : gathered.rest)
        parts.push_back(Build(pool_, p, slots_, frame_->names));
      one = pool_.List(parts);
    }
    const auto [it, is_new] = group_of.emplace(key, groups.size());
    if (is_new) {
      groups.push_back(std::move(key));
      members.emplace_back();
      seen.emplace_back();
    }
    if (seen[it->second].insert(one).second) members[it->second].push_back(one);
    return true;
  };
  const Continuation each(collect);
  frame_->answer = &each;
  const std::vector<bool> nothing(def.slots.size());
  Run(PlanFor(def, nothing, false).first);
  frame_->answer = outer;
  if (stop_ != Stop::kGoesOn) return;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    std::vector<Value> all(groups[g].begin() + static_cast<std::ptrdiff_t>(def.args.size() - 1),
                           groups[g].end());
    all.insert(all.end(), members[g].begin(), members[g].end());
    const Value list =
        gathered.kind == Pattern::Kind::kSet ? pool_.Set(all) : pool_.List(all);
    std::vector<Value> row(groups[g].begin(),
                           groups[g].begin() + static_cast<std::ptrdiff_t>(def.args.size() - 1));
    row.insert(row.begin() + def.gathered, list);
    add(std::move(row));
  }
}

// --- deriving ------------------------------------------------------------------------

std::size_t Solver::Derive(const Definition& def, const Plan& plan,
                           const std::vector<Marks>& marks) {
  Frame frame;
  frame.def = &def;
  frame.names = &def.slots;
  frame.slots.resize(def.slots.size());
  Frame* outer = frame_;
  Value* outer_slots = slots_;
  frame_ = &frame;
  slots_ = frame.slots.data();
  mode_ = Mode::kDerive;
  marks_ = &marks;
  const std::size_t before = new_rows_;
  if (def.gathered >= 0) {
    Gather(def, [&](std::vector<Value> row) { new_rows_ += store_.Insert(def.head, row, false); });
  } else {
    Run(plan.first);
  }
  frame_ = outer;
  slots_ = outer_slots;
  return new_rows_ - before;
}

std::vector<Violation> Solver::TakeViolations() { return std::exchange(violations_, {}); }

// --- solving -------------------------------------------------------------------------

const Plan& Solver::PlanFor(const Definition& def, const std::vector<bool>& bound,
                            bool activation) {
  auto& plan = plans_[{&def, bound, (activation ? 1 : 0) + (mode_ == Mode::kDerive ? 2 : 0)}];
  if (plan == nullptr) {
    Planner planner(analysis_, store_, mode_);
    if (activation) {
      std::vector<const Clause*> clauses;
      for (const Clause& c : def.activation) clauses.push_back(&c);
      plan = planner.Make(clauses, bound, std::vector<bool>(def.slots.size()), def.slots, def.avar);
    } else {
      plan = planner.Make(ClausesOf(def), bound, HeadSlots(def), def.slots, def.avar);
    }
  }
  return *plan;
}

// Matches the head with the bound arguments of a call; `then` runs for each way.
bool Solver::BindHead(const Definition& def, std::span<const Value> key, std::size_t at,
                      std::vector<bool>& bound, Continuation then) {
  while (at < def.args.size() && (at >= key.size() || key[at].is_none())) ++at;
  if (at == def.args.size()) return then();
  std::vector<bool> after = bound;
  const Pattern p = WithBinds(def.args[at], after);
  return Unify(pool_, p, key[at], slots_, [&] {
    std::vector<bool> inner = after;
    std::swap(bound, inner);
    const bool go_on = BindHead(def, key, at + 1, bound, then);
    std::swap(bound, inner);
    return go_on;
  });
}

std::string Solver::WithBindings(const Clause& clause, const Frame& frame) const {
  std::vector<bool> seen(frame.slots.size());
  CollectSlots(clause, seen);
  std::string out;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const Value v = frame.snapshot[i];
    if (!seen[i] || (*frame.names)[i].empty() || v.is_none() || v == kUnknown) continue;
    out += (out.empty() ? " for ?" : ", ?") + (*frame.names)[i] + " = " + Text(pool_, v);
  }
  return out;
}

std::string Solver::ReasonOf(const Frame& frame) const {
  if (!frame.note.empty()) return frame.note;
  if (frame.deepest == nullptr) return "";
  const Clause& clause = *frame.deepest->clause;
  const std::string with = WithBindings(clause, frame);
  if (clause.As<Atom>()) return "no fact matches `" + clause.text + "`" + with;
  return "`" + clause.text + "` does not hold" + with;
}

void Solver::EvaluateRule(Table& table, const Definition& def) {
  Frame frame;
  frame.def = &def;
  frame.names = &def.slots;
  frame.slots.resize(def.slots.size());
  frame.table = &table;
  Frame* outer = std::exchange(frame_, &frame);
  Value* outer_slots = std::exchange(slots_, frame.slots.data());
  const Continuation* outer_found = std::exchange(found_, nullptr);
  const Mode outer_mode = std::exchange(mode_, Mode::kSolve);
  if (def.gathered >= 0) {
    Gather(def, [&](std::vector<Value> row) {
      if (frame.pending) return;
      for (std::size_t i = 0; i < row.size(); ++i)
        if (!table.key[i].is_none() && table.key[i] != row[i]) return;
      AddRow(table, std::move(row));
    });
  } else {
    std::vector<bool> bound(def.slots.size());
    BindHead(def, table.key, 0, bound, [&] {
      const Plan& plan = PlanFor(def, bound, false);
      return Run(plan.first);
    });
  }
  table.pending |= frame.pending;
  table.pending_question |= frame.pending_question;
  if (frame.answers == 0 && !frame.pending) {
    if (table.reason.empty()) table.reason = ReasonOf(frame);
    if (table.ineligible.empty()) table.ineligible = frame.ineligible;
  }
  frame_ = outer;
  slots_ = outer_slots;
  found_ = outer_found;
  mode_ = outer_mode;
}

// A heading that collects: rows that are there answer; else the first free argument that
// has no reply yet is asked for (decision 70).
void Solver::EvaluateCollected(Table& table, const struct Collected& collected) {
  if (!table.rows.empty()) return;
  const Relation& rel = store_.at(table.relation);
  for (RowId row = 0; row < rel.size(); ++row)
    if (rel.Origin(row) != nullptr) {  // facts of the program suppress asking
      table.reason = "no fact matches `" + CallText({Space::kRelation, table.relation, table.key,
                                                     -1, -1}) + "`";
      return;
    }
  OpenCall call;
  call.space = Space::kRelation;
  call.relation = table.relation;
  call.args = table.key;
  const auto known = partial_.find({table.relation, table.key});
  for (std::size_t i = 0; i < table.key.size(); ++i) {
    const bool answered = known != partial_.end() && !known->second[i].is_none();
    if (!table.key[i].is_none() || answered) continue;
    call.column = static_cast<int>(i);
    call.question = collected.questions[i];
    break;
  }
  if (call.column < 0) {
    table.reason = "no fact matches `" + CallText(call) + "`";
    return;
  }
  const std::string text = CallText(call);
  if (moment_.declined.contains(text)) {
    met_declined_ = true;
    declined_call_ = text;
    table.reason = text + " was declined";
    return;
  }
  if (std::find(calls_.begin(), calls_.end(), call) == calls_.end()) calls_.push_back(call);
  table.pending = table.pending_question = true;
}

void Solver::Collected(const OpenCall& call, Value reply, std::vector<Value>* complete) {
  auto& row = partial_.emplace(std::make_pair(call.relation, call.args), call.args).first->second;
  row[static_cast<std::size_t>(call.column)] = reply;
  if (std::any_of(row.begin(), row.end(), [](Value v) { return v.is_none(); })) return;
  *complete = row;
  partial_.erase(std::make_pair(call.relation, call.args));
}

std::string Solver::CallText(const OpenCall& call) const {
  const Relation& rel = store_.at(call.relation);
  if (call.space == Space::kAvar) return rel.name();
  if (call.question >= 0) {
    const std::string& subject =
        program_.questions()[static_cast<std::size_t>(call.question)].subject;
    if (subject.starts_with('$')) return subject;
  }
  std::string out = rel.name() + "(";
  for (std::size_t i = 0; i < call.args.size(); ++i) {
    if (i > 0) out += ", ";
    std::string name = "_";
    if (const auto* collected = program_.FindCollected(call.relation);
        collected != nullptr && i < collected->questions.size())
      name = "?" + program_.questions()[static_cast<std::size_t>(collected->questions[i])].name;
    out += call.args[i].is_none() ? name : Text(pool_, call.args[i]);
  }
  return out + ")";
}

void Solver::EvaluateTable(Table& table) {
  table.pending = table.pending_question = false;
  table.shown.clear();
  table.used.clear();
  const Relation& rel = store_.at(table.relation);
  if (rel.space() == Space::kGoal) return EvaluateGoal(table);
  if (analysis_.IsBroken(table.relation)) {
    circular_ = rel.name();
    table.reason = rel.name() + " depends on its own negation";
    return;
  }
  // Rows that are there: facts, replies, and what was derived.
  Columns probe = 0;
  std::vector<Value> key;
  for (std::size_t i = 0; i < table.key.size(); ++i)
    if (!table.key[i].is_none()) {
      probe |= Columns{1} << i;
      key.push_back(table.key[i]);
    }
  const auto add = [&](RowId row) {
    AddRow(table, {rel.Cells(row).begin(), rel.Cells(row).end()});
  };
  if (probe == 0) {
    for (RowId row = 0; row < rel.size(); ++row) add(row);
  } else if (key.size() == table.key.size()) {
    if (const RowId row = rel.Find(key); row != kNoId) add(row);
  } else {
    const Index& index = store_.at(table.relation).IndexOn(probe);
    for (RowId row = index.First(key, rel); row != kNoId; row = index.Next(row)) add(row);
  }
  if (const auto* collected = program_.FindCollected(table.relation))
    EvaluateCollected(table, *collected);
  for (int number : analysis_.RulesOf(table.relation)) {
    EvaluateRule(table, program_.definitions()[static_cast<std::size_t>(number)]);
    if (stop_ != Stop::kGoesOn) return;
  }
  if (table.rows.empty() && table.reason.empty())
    table.reason = "no fact matches `" +
                   CallText({Space::kRelation, table.relation, table.key, -1, -1}) + "`";
}

int Solver::Activated(const Definition& def) {
  if (def.activation.empty()) return 1;
  Frame frame;
  frame.def = &def;
  frame.names = &def.slots;
  frame.slots.resize(def.slots.size());
  bool found = false;
  const auto stop = [&] { return found = true, false; };
  const Continuation answer(stop);
  frame.answer = &answer;
  Frame* outer = std::exchange(frame_, &frame);
  Value* outer_slots = std::exchange(slots_, frame.slots.data());
  const Continuation* outer_found = std::exchange(found_, nullptr);
  const Mode outer_mode = std::exchange(mode_, Mode::kSolve);
  Run(PlanFor(def, std::vector<bool>(def.slots.size()), true).first);
  frame_ = outer;
  slots_ = outer_slots;
  found_ = outer_found;
  mode_ = outer_mode;
  return found ? 1 : frame.pending ? -1 : 0;
}

void Solver::EvaluateGoalRule(Table& table, const Definition& def) {
  table.rule = def.number;
  const int active = Activated(def);
  if (active == 0) return;
  table.eligible = true;
  if (active < 0) {
    table.pending = true;
    return;
  }
  EvaluateRule(table, def);
}

// The rules in written order; the first that is not unsatisfied is the plan (design 4).
void Solver::EvaluateGoal(Table& table) {
  const Relation& rel = store_.at(table.relation);
  const Goal* goal = program_.FindGoal(pool_.TextOf(rel.label()));
  table.captures = goal == nullptr ? std::vector<Value>{} : goal->captures;
  // Truths that a trace brought in (§12.3).
  for (RowId row = 0; row < rel.size(); ++row) {
    if (!rel.asserted(row)) continue;
    const Value map = rel.Row(row)[0];
    std::vector<Value> cells;
    bool same = true;
    const std::size_t arity = std::max(table.key.size(), table.captures.size());
    for (std::size_t i = 0; i < arity; ++i) {
      Value v;
      if (i < table.captures.size()) v = pool_.Lookup(map, table.captures[i]);
      if (v.is_none()) v = pool_.Lookup(map, pool_.Slot(std::to_string(i + 1)));
      cells.push_back(v.is_none() ? kAbsent : v);
      same &= i >= table.key.size() || table.key[i].is_none() || table.key[i] == cells[i];
    }
    if (!same) continue;
    // Two truths may differ in context slots only, so the map tells them apart.
    std::vector<Value> distinct = cells;
    distinct.push_back(map);
    if (AddRow(table, std::move(distinct))) {
      table.maps.push_back(map);
      table.premises.emplace_back();
    }
    table.eligible = true;
  }
  const auto explain = [&] {
    if (table.eligible || !table.rows.empty()) return;
    table.ineligible = rel.name();
    table.reason = goal == nullptr ? "no rule for " + rel.name() : "no rule of " + rel.name() + " is eligible";
  };
  if (goal == nullptr) return explain();
  for (int number : goal->rules) {
    const Definition& def = program_.definitions()[static_cast<std::size_t>(number)];
    const std::size_t before = table.rows.size();
    const bool was_pending = std::exchange(table.pending, false);
    EvaluateGoalRule(table, def);
    if (stop_ != Stop::kGoesOn) return;
    const bool waits = table.pending;
    table.pending |= was_pending;
    if (waits && (def.force || table.rows.size() == before)) return;
    if (table.rows.size() > before) {
      table.pending = false;
      return;
    }
  }
  explain();
}

// Finishes a table and, when it is the first of a group that call each other, the group:
// the group is evaluated again until it gives nothing new.
void Solver::Complete(Table& table) {
  if (table.complete) return;
  Table* caller = running_.empty() ? nullptr : running_.back();
  const auto depend = [&](std::size_t position) {
    if (caller != nullptr) caller->depends_on = std::min(caller->depends_on, position);
  };
  if (table.running || table.visited) {
    const auto at = std::find(running_.begin(), running_.end(), &table);
    depend(table.running ? static_cast<std::size_t>(at - running_.begin()) : table.depends_on);
    if (table.running && store_.at(table.relation).space() == Space::kGoal)
      circular_ = store_.at(table.relation).name();
    return;
  }
  const std::size_t position = running_.size();
  const std::size_t group = unfinished_.size();
  running_.push_back(&table);
  table.running = true;
  const auto rows = [&] {
    std::size_t n = table.rows.size();
    for (std::size_t i = group; i < unfinished_.size(); ++i) n += unfinished_[i]->rows.size();
    return n;
  };
  for (std::size_t before = SIZE_MAX;;) {
    table.depends_on = SIZE_MAX;
    EvaluateTable(table);
    if (stop_ != Stop::kGoesOn) break;
    if (table.depends_on < position) {  // an outer table leads the group
      table.visited = true;
      unfinished_.push_back(&table);
      depend(table.depends_on);
      break;
    }
    const std::size_t after = rows();
    if (table.depends_on == SIZE_MAX || after == before) {
      table.complete = true;
      for (std::size_t i = group; i < unfinished_.size(); ++i) unfinished_[i]->complete = true;
      unfinished_.resize(group);
      break;
    }
    before = after;
    for (std::size_t i = group; i < unfinished_.size(); ++i) unfinished_[i]->visited = false;
    unfinished_.resize(group);
  }
  table.running = false;
  running_.pop_back();
}

Table& Solver::Demand(RelationId relation, std::vector<Value> key) {
  auto& table = tables_[{relation, key}];
  if (table == nullptr) {
    table = std::make_unique<Table>();
    table->relation = relation;
    table->key = std::move(key);
  }
  Complete(*table);
  return *table;
}

const Table& Solver::SolveGoal(const Goal& goal) {
  return Demand(goal.relation, std::vector<Value>(0));
}

const Table& Solver::SolveQuery(const Definition& query) {
  query_tables_.push_back(std::make_unique<Table>());
  Table& table = *query_tables_.back();
  table.relation = query.head;
  table.captures = query.captures;
  table.running = true;
  running_.push_back(&table);
  EvaluateGoalRule(table, query);
  if (!table.rows.empty() && !query.force) table.pending = false;
  running_.pop_back();
  table.running = false;
  table.complete = true;
  return table;
}

void Solver::CheckConstraint(
    const Constraint& c, const std::function<void(const std::vector<Value>&, Verdict)>& fn) {
  if (c.left.empty()) return;
  Frame frame;
  frame.names = &c.slots;
  frame.slots.resize(c.slots.size());
  Frame* outer = std::exchange(frame_, &frame);
  Value* outer_slots = std::exchange(slots_, frame.slots.data());
  const Mode outer_mode = std::exchange(mode_, Mode::kSolve);
  const std::vector<bool> nothing(c.slots.size());
  auto& left = plans_[{&c, nothing, 0}];
  if (left == nullptr) {
    std::vector<const Clause*> clauses;
    for (const Clause& clause : c.left) clauses.push_back(&clause);
    Planner planner(analysis_, store_, mode_);
    left = planner.Make(clauses, nothing, nothing, c.slots, c.avar);
  }
  // What the left side binds: every slot it mentions.
  std::vector<bool> bound(c.slots.size());
  for (const Step& step : left->steps)
    for (SlotId w : step.writes) bound[static_cast<std::size_t>(w)] = true;
  auto& right = plans_[{&c, bound, 1}];
  if (right == nullptr && !c.right.empty()) {
    std::vector<const Clause*> clauses;
    for (const Clause& clause : c.right) clauses.push_back(&clause);
    Planner planner(analysis_, store_, mode_);
    right = planner.Make(clauses, bound, nothing, c.slots, c.avar);
  }
  std::set<std::vector<Value>> seen;
  const auto each = [&] {
    const std::vector<Value> here(slots_, slots_ + frame.slots.size());
    if (!seen.insert(here).second) return true;
    Verdict verdict = c.forbids ? Verdict::kViolated : Verdict::kHolds;
    if (!c.right.empty()) {
      bool found = false;
      const bool was_pending = std::exchange(frame.pending, false);
      const auto stop = [&] { return found = true, false; };
      const Continuation answer(stop);
      const Continuation* left_answer = std::exchange(frame.answer, &answer);
      Run(right->first);
      frame.answer = left_answer;
      if (!found) verdict = frame.pending ? Verdict::kUndecided : Verdict::kViolated;
      frame.pending = was_pending;
      std::copy(here.begin(), here.end(), slots_);
    }
    if (stop_ == Stop::kGoesOn) fn(here, verdict);
    return stop_ == Stop::kGoesOn;
  };
  const Continuation answer(each);
  frame.answer = &answer;
  Run(left->first);
  frame_ = outer;
  slots_ = outer_slots;
  mode_ = outer_mode;
}

std::optional<std::vector<Premise>> Solver::Prove(RelationId relation, std::span<const Value> row,
                                                  int* def_number) {
  for (int number : analysis_.RulesOf(relation)) {
    const Definition& def = program_.definitions()[static_cast<std::size_t>(number)];
    if (def.gathered >= 0) continue;
    Frame frame;
    frame.def = &def;
    frame.names = &def.slots;
    frame.slots.resize(def.slots.size());
    std::optional<std::vector<Premise>> found;
    const auto take = [&] {
      found.emplace();
      for (const auto& [from, premise] : frame.path) found->push_back(premise);
      return false;
    };
    const Continuation answer(take);
    frame.answer = &answer;
    Frame* outer = std::exchange(frame_, &frame);
    Value* outer_slots = std::exchange(slots_, frame.slots.data());
    const Mode outer_mode = std::exchange(mode_, Mode::kSolve);
    std::vector<bool> bound(def.slots.size());
    BindHead(def, row, 0, bound, [&] { return Run(PlanFor(def, bound, false).first); });
    frame_ = outer;
    slots_ = outer_slots;
    mode_ = outer_mode;
    if (found) {
      *def_number = number;
      return found;
    }
  }
  return std::nullopt;
}

}  // namespace rpl
