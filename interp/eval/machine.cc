// SPDX-License-Identifier: Apache-2.0
//
// A plan runs by recursion along its steps: a step calls the next one for each of its answers and
// returns when it has no more. Returning false unwinds the whole run: a continuation needs no more
// answers, or a limit was reached (`stop`). There is no trail: a plan fixes which step binds which
// slot, so the next answer overwrites a slot.
//
// Example, deriving t(?x, ?z) <- t(?x, ?y), e(?y, ?z) from a delta of t:
//
//   kAtom t [delta]  binds s0 s1     for each row of the delta
//   kAtom e          probes column 0 with s1, binds s2      for each row of a chain
//   kEmit            builds (s0, s2), inserts it
#include "interp/eval/machine.h"

#include <algorithm>
#include <cassert>

#include "formats/character.h"
#include "interp/eval/profile.h"
#include "interp/eval/stack_room.h"
#include "interp/plan/analysis.h"
#include "interp/program/operators.h"

namespace rpl {
namespace {

// The scalars other than the text itself that a template prints as that text.
std::vector<Value> ReadingsOf(Pool& pool, Value text) {
  const std::string shown(pool.TextOf(text));
  std::vector<Value> out;
  if (shown.empty()) return out;
  const auto take = [&](Value v) {
    if (PlainText(pool, v) == shown) out.push_back(v);
  };
  const char first = shown.front();
  if (first == '-' || IsDigit(first)) {
    if (const NumberText read = ReadNumber(shown); read.problem == NumberText::Problem::kNone)
      take(pool.Number(read.value));
  } else if (first == ':') {
    take(pool.Keyword(std::string_view(shown).substr(1)));
  } else if (shown == "true" || shown == "false") {
    take(Pool::Bool(shown == "true"));
  } else if (IsLower(first)) {
    take(shown == "nil" ? kNil : pool.Symbol(shown));
  }
  return out;
}

}  // namespace

Machine::Use::Use(Machine& machine, Frame& frame, Mode mode)
    : machine_(machine),
      frame_(machine.frame_),
      slots_(machine.slots_),
      found_(machine.found_),
      doubted_(machine.doubted_),
      tuple_(machine.tuple_),
      mode_(machine.mode_),
      watched_(machine.pool_, machine.within_limits) {
  frame.caller = frame_;
  machine.frame_ = &frame;
  machine.slots_ = frame.slots.data();
  machine.found_ = nullptr;
  machine.doubted_ = nullptr;
  machine.tuple_ = nullptr;
  machine.mode_ = mode;
}

Machine::Use::~Use() {
  machine_.frame_ = frame_;
  machine_.slots_ = slots_;
  machine_.found_ = found_;
  machine_.doubted_ = doubted_;
  machine_.tuple_ = tuple_;
  machine_.mode_ = mode_;
}

void Machine::Note(std::string why) {
  if (mode_ == Mode::kSolve && frame_->explains && frame_->note.empty() && !why.empty())
    frame_->note = std::move(why);
}

void Machine::Poll() {
  if ((++ticks_ & 0xfff) == 0) Watch(0);
}

// The first limit that is met is the one that is told, with the rule that grew.
void Machine::StopAt(Stop why) {
  if (why == Stop::kGoesOn || evaluation.stop != Stop::kGoesOn) return;
  evaluation.stop = why;
  const Definition* growing = Growing();
  evaluation.stopped_at = growing != nullptr ? growing->text : "";
}

void Machine::Watch(std::size_t bytes) {
  if (limits_.watch && evaluation.stop == Stop::kGoesOn) StopAt(limits_.watch(bytes));
}

// Returns a built value; one that exceeded a limit of the Pool stops the run.
Value Machine::Made(Value v) {
  if (v.is_none() && !pool_.overflow().empty()) StopAt(Stop::kValue);
  return v;
}

void Machine::Waits(const Table& table) {
  const bool pending = table.pending || table.was_pending;
  const std::uint8_t lacking = table.lacking | table.was_lacking;
  const bool undecided = table.undecided || table.was_undecided;
  if (pending || lacking != 0 || undecided) Disturb();
  if ((lacking & kMeaning) != 0 && frame_->doubt.empty()) frame_->doubt = table.more().doubt;
  if (pending) {
    const std::uint8_t kinds = table.more().waits.has() | table.was_waiting;
    frame_->waits.Add({&table, 0, Meant(), kinds});
  }
  frame_->lacking |= lacking;
  frame_->undecided |= undecided;
}

std::string Machine::BoundIn(const Clause& clause, std::span<const Value> slots,
                             const std::vector<std::string>& names) const {
  std::vector<bool> seen(slots.size());
  CollectSlots(clause, seen);
  std::string out;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const Value v = slots[i];
    if (!seen[i] || names[i].empty() || v.is_none() || v == kUnknown) continue;
    out += (out.empty() ? " for ?" : ", ?") + names[i] + " = " + Text(pool_, v, kToldBytes);
  }
  return out;
}

std::string Machine::UndefinedText(std::string_view what, const std::string& with, Span at,
                                   const std::string& why) const {
  const Sources& sources = program_.sources();
  return "`" + std::string(what) + "` is undefined" + with + " (" + sources.at(at.file).name + ":" +
         std::to_string(sources.PlaceOf(at.file, at.begin).line) + "): " + why;
}

// An operator that has no value for its operands: the clause does not hold (decision 89).
void Machine::Undefined(const Step& s, const std::string& why) {
  const Definition* const def = frame_->def;
  if (mode_ == Mode::kDerive ? def == nullptr || undefined.contains(def)
                             : !frame_->note.empty() && !frame_->doubt.empty())
    return;
  if (!pool_.overflow().empty()) return Note(why);  // a limit says so itself
  // What the clause binds is not bound by it, but may still be from an earlier answer.
  std::vector<Value> slots(slots_, slots_ + frame_->slots.size());
  for (const SlotId w : s.writes) slots[static_cast<std::size_t>(w)] = kNone;
  std::string text =
      UndefinedText(s.clause->text, BoundIn(*s.clause, slots, *frame_->names), s.clause->span, why);
  if (mode_ == Mode::kDerive) {
    undefined.emplace(def, std::move(text));
    return;
  }
  if (frame_->doubt.empty()) {
    frame_->doubt = text;
    frame_->why = why;
    for (const RowUsed& used : frame_->path) {
      Premise premise = PremiseOf(used);
      OpenCall as_call;
      as_call.relation = premise.relation;
      as_call.args = std::move(premise.row);
      frame_->doubt +=
          (&used == frame_->path.data() ? "; it rests on " : ", ") + CallText(as_call, kToldBytes);
    }
  }
  Note(std::move(text));
}

bool Machine::DoubtFor(const Step& s, const std::string& why) {
  Undefined(s, why);
  return Doubt(s);
}

// Goes on behind a clause without a meaning: if one of the others is false, all of them are,
// whatever their order. Nothing is asked or called on the way.
bool Machine::Doubt(const Step& s) {
  if (!pool_.overflow().empty()) return true;
  Disturb();
  for (const SlotId w : s.writes) slots_[w] = kUnknown;
  const bool was_doubtful = std::exchange(frame_->doubtful, true);
  const bool go_on = Run(s.next);
  frame_->doubtful = was_doubtful;
  return go_on;
}

// The same behind a clause that needs to know what is absent, unless that is open for other
// reasons.
bool Machine::DoubtAbsence(const Step& s, const Undecided& why) {
  if (why.lacks != kMeaning || !why.waits.empty()) return Leave(why), true;
  if (why.unfinished != kNoId) frame_->unfinished = why.unfinished;
  const bool was_by_absence = std::exchange(frame_->by_absence, true);
  const bool go_on = Doubt(s);
  frame_->by_absence = was_by_absence;
  return go_on;
}

bool Machine::ReadsUnknown(const Step& s) const {
  return std::ranges::any_of(s.reads, [&](SlotId r) { return slots_[r] == kUnknown; });
}

// All that a clause without a meaning was with holds: whether the whole does is not known.
bool Machine::TakeDoubt() {
  frame_->lacking |= kMeaning;
  frame_->undecided |= frame_->by_absence;
  const Definition* const def = frame_->def;
  if (mode_ != Mode::kDerive || def == nullptr) return true;
  partial.insert(def);
  if (def->head_expansion < 0) return true;
  const Value form = slots_[def->head_expansion];
  const bool known = form.kind() == Kind::kTerm && pool_.NamespaceOf(form) == Namespace::kRelation;
  const RelationId fed =
      known ? store_.Declare(Space::kRelation, pool_.TextOf(form),
                             static_cast<std::uint32_t>(pool_.ItemsOf(form).size()))
            : kNoId;
  unfed.emplace(fed, undefined.contains(def) ? undefined.at(def) : def->text);
  return true;
}

Value Machine::Evaluate(const Step& s, const Expr& e) {
  switch (e.kind) {
    case Expr::Kind::kTerm:
      if (e.term.kind == Pattern::Kind::kSlot) return slots_[e.term.slot];
      return Made(Build(pool_, e.term, slots_, frame_->names));
    case Expr::Kind::kNow: Disturb(); return given.now;
    case Expr::Kind::kOperator: {
      const Value a = Evaluate(s, e.sides[0]);
      const Value b = Evaluate(s, e.sides[1]);
      if (a.is_none() || b.is_none()) return kNone;
      std::string why;
      const Value out = Apply(pool_, e.op, a, b, why);
      if (out.is_none()) Undefined(s, why);
      return Made(out);
    }
  }
  return kNone;
}

// Whether the step may wait for a call, or lack an answer.
static bool MayWait(const Step& s) {
  if (s.kind == Step::Kind::kAtom) return s.access != Access::kRows && s.access != Access::kTruth;
  return TraitsOf(s.kind).may_wait;
}

// Keeps the bindings here, at the furthest step. `from`: the step before, if nothing but what that
// step binds has changed since it was reached; it need not copy the slots of a long chain then.
void Machine::TakeSnapshot(const Step& s, const Step* from) {
  const Step* const before = std::exchange(frame_->deepest, &s);
  if (from == nullptr || from != before) {
    frame_->snapshot.assign(slots_, slots_ + frame_->slots.size());
    frame_->ways_there = frame_->ways;
    return;
  }
  const auto take = [&](SlotId slot) {
    frame_->snapshot[static_cast<std::size_t>(slot)] = slots_[slot];
  };
  for (const SlotId slot : from->writes) take(slot);
  for (const auto& [column, slot] : from->binds) take(slot);
  if (from->row >= 0) take(from->row);
}

bool Machine::Run(const Step* step) {
  const Step& s = *step;
  const Step* const from = std::exchange(from_, nullptr);
  if (IsStackShort()) return StopAt(Stop::kStack), false;
  if (mode_ == Mode::kSolve) {
    Poll();
    if (evaluation.stop == Stop::kGoesOn && !pool_.overflow().empty()) Made(kNone);
    if (evaluation.stop != Stop::kGoesOn) return false;
    if (frame_->unknown && !frame_->doubtful && ReadsUnknown(s))
      return true;  // the clause waits for an open call
    if (frame_->explains && found_ == nullptr && s.clause != nullptr && !s.clause->of_head &&
        (frame_->deepest == nullptr || s.depth >= frame_->deepest->depth)) {
      TakeSnapshot(s, from);
    }
  }
  if (frame_->doubtful && s.next != nullptr && (ReadsUnknown(s) || catalog_.Acts(s)))
    return Doubt(s);
  const bool of_constraint = frame_->def == nullptr && frame_->excuse != nullptr;
  return of_constraint && found_ == nullptr && MayWait(s) ? RunExcusing(s) : RunStep(s);
}

// Runs a step of a constraint's left side. What that waits for, or lacks, makes no difference where
// the right side holds with what was known before it (decision 93).
bool Machine::RunExcusing(const Step& s) {
  Waiting waits = std::exchange(frame_->waits, {});
  const std::uint8_t lacking = std::exchange(frame_->lacking, 0);
  const bool undecided = frame_->undecided;
  const Blame blame(evaluation);
  const bool go_on = RunStep(s);
  const bool open = !frame_->waits.empty() || (frame_->lacking & kReply) != 0;
  if (open && evaluation.stop == Stop::kGoesOn && IsExcusedBefore(s)) {
    frame_->waits = {};
    frame_->lacking &= ~kReply;
    frame_->undecided = undecided;
    blame.Restore(evaluation);
  }
  waits.Add(frame_->waits);
  frame_->waits = std::move(waits);
  frame_->lacking |= lacking;
  return go_on;
}

// Whether the frame's excuse holds with what the steps before this one bound.
bool Machine::IsExcusedBefore(const Step& s) {
  const std::vector<Value> here = frame_->slots;
  std::vector<const Step*> later = {&s};
  while (!later.empty()) {
    const Step* const step = later.back();
    later.pop_back();
    if (step == nullptr) continue;
    for (const SlotId w : step->writes) slots_[w] = kUnknown;
    later.insert(later.end(), {step->next, step->body, step->body2});
    later.insert(later.end(), step->branches.begin(), step->branches.end());
  }
  const bool holds = (*frame_->excuse)();
  std::ranges::copy(here, frame_->slots.begin());
  return holds;
}

bool Machine::RunStep(const Step& s) {
  switch (s.kind) {
    case Step::Kind::kAtom: return RunAtom(s);
    case Step::Kind::kCompare: return RunCompare(s);
    case Step::Kind::kBind: {
      const Value v = Evaluate(s, s.operands[0]);
      if (v.is_none()) return Doubt(s);
      if (s.pattern.kind == Pattern::Kind::kSlot && s.pattern.binds) {
        slots_[s.pattern.slot] = v;
        return Run(s.next);
      }
      return Unify(
          pool_, s.pattern, v, slots_, [&] { return Run(s.next); }, s.operands[0].term.written());
    }
    case Step::Kind::kMatch: {
      const Value v = Evaluate(s, s.operands[0]);
      if (v.is_none()) return Doubt(s);
      return UnifyEach(
          pool_, s.pattern, v, slots_, [&] { return Run(s.next); }, s.operands[0].term.written());
    }
    case Step::Kind::kMember: return RunMember(s);
    case Step::Kind::kTemporal: return RunTemporal(s);
    case Step::Kind::kCountAtom: return RunCountAtom(s);
    case Step::Kind::kCountValue: {
      const Value v = Evaluate(s, s.operands[0]);
      if (v.is_none()) return Doubt(s);
      std::string why;
      const auto size = SizeOf(pool_, v, why);
      return size ? RunCount(s, *size) : DoubtFor(s, why);
    }
    case Step::Kind::kCountForm: return RunCountForm(s);
    case Step::Kind::kNot: return RunNot(s);
    case Step::Kind::kBranch: return RunBranch(s);
    case Step::Kind::kExpand: return RunExpand(s);
    case Step::Kind::kMetadata: return RunMetadata(s);
    case Step::Kind::kAggregate: return RunAggregate(s);
    case Step::Kind::kReadAvar: return RunAvar(s);
    case Step::Kind::kShow: return RunShow(s);
    case Step::Kind::kReadText: return RunReadText(s);
    case Step::Kind::kGoalFalse: return RunGoalFalse(s);
    case Step::Kind::kFirst: return RunFirst(s);
    case Step::Kind::kLoop: return RunLoop(s);
    case Step::Kind::kDistinct: return RunDistinct(s);
    case Step::Kind::kCheck: return RunCheck(s);
    case Step::Kind::kTruth: return s.negated || Run(s.next);
    case Step::Kind::kEmit: frame_->end = &s; return Emit();
    case Step::Kind::kFound:
      if (frame_->doubtful) return (doubted_ != nullptr && (*doubted_)()) || TakeDoubt();
      ++frame_->answers;
      return frame_->unknown || (*found_)();
    case Step::Kind::kStuck:
      Note(s.problem);
      if (s.too_large) return StopAt(Stop::kPlan), false;
      if (!s.open_input) return true;
      if (frame_->doubt.empty()) frame_->doubt = s.problem;
      return TakeDoubt();
  }
  return true;
}

void Machine::Leave(const Undecided& why) {
  if (why) Disturb();
  frame_->waits.Add(why.waits);
  frame_->lacking |= why.lacks;
  frame_->undecided |= why.lacks != 0;
  if (why.unfinished == kNoId) return;
  frame_->unfinished = why.unfinished;
  if (!why.circular) return;
  const std::string& name = store_.at(why.unfinished).name();
  evaluation.circle = {why.unfinished, name, true};
  if (frame_->table != nullptr) frame_->table->more().reason = name + " " + kNeedsItself;
}

// Where no expansion is read, the analysis sees that a relation needs itself to be complete.
Undecided Machine::Absent(Undecided open) const {
  open.circular = open.unfinished != kNoId;
  if (truncated || open.circular) open.lacks |= kReply;
  return open;
}

Undecided Machine::RunBody(const Step* body, Continuation fn) { return RunBody(body, fn, nullptr); }

Undecided Machine::RunBody(const Step* body, Continuation fn, const Continuation* doubted) {
  const Continuation* outer = std::exchange(found_, &fn);
  const Continuation* outer_doubted = std::exchange(doubted_, doubted);
  const Undecided out = Apart([&] { Run(body); });
  found_ = outer;
  doubted_ = outer_doubted;
  return out;
}

// --- operators -----------------------------------------------------------------------

bool Machine::RunCompare(const Step& s) {
  const Value a = Evaluate(s, s.operands[0]);
  const Value b = Evaluate(s, s.operands[1]);
  if (a.is_none() || b.is_none()) return Doubt(s);
  std::string why;
  if (Holds(pool_, s.op, a, b, why)) return Run(s.next);
  return why.empty() || DoubtFor(s, why);
}

bool Machine::RunTemporal(const Step& s) {
  std::vector<Value> operands;
  for (const Expr& e : s.operands) {
    operands.push_back(Evaluate(s, e));
    if (operands.back().is_none()) return Doubt(s);
  }
  std::string why;
  if (TemporalHolds(pool_, s.clause->As<Temporal>()->kind, operands, why)) return Run(s.next);
  return why.empty() || DoubtFor(s, why);
}

bool Machine::RunMember(const Step& s) {
  const Value collection = Evaluate(s, s.operands[0]);
  if (collection.is_none()) return Doubt(s);
  if (s.operands.size() == 2) {
    const Value element = Evaluate(s, s.operands[1]);
    if (element.is_none()) return Doubt(s);
    if (collection.kind() == Kind::kList && !pool_.Work(pool_.ItemsOf(collection).size() / 16))
      return false;
    std::string why;
    const bool in = IsMember(pool_, element, collection, why);
    Note(why);
    return !why.empty() || in == s.negated || Run(s.next);
  }
  if (collection.kind() != Kind::kList && collection.kind() != Kind::kSet) {
    Note("`in` takes a list or a set, got " + std::string(KindName(collection)));
    return true;
  }
  if (s.negated) {
    bool found = false;
    for (const Value item : pool_.ItemsOf(collection)) {
      if (!pool_.Work(8)) return false;
      if (!Unify(pool_, s.pattern, item, slots_, [&] { return !(found = true); })) break;
    }
    return found || Run(s.next);
  }
  std::set<Value> seen;
  const std::vector<Value>& written = s.operands[0].term.written();
  for (Value item : written.empty() ? pool_.ItemsOf(collection) : written)
    if (!pool_.Work(8) || (seen.insert(item).second &&
                           !Unify(pool_, s.pattern, item, slots_, [&] { return Run(s.next); })))
      return false;
  return true;
}

bool Machine::RunCount(const Step& s, std::int64_t count) {
  const Value result = pool_.Int(count);
  if (s.result_bound) return slots_[s.pattern.slot] != result || Run(s.next);
  slots_[s.pattern.slot] = result;
  return Run(s.next);
}

// Counts all groups in one pass: a group for each value of the slots that nothing else binds
// (decision 25).
bool Machine::RunCountAtom(const Step& s) {
  RowSet groups(s.groups.size());
  std::vector<std::int64_t> counts;
  // A pattern may match a row in several ways; the row then counts once in each group.
  std::size_t width = 0;
  bool dedupe = false;
  for (const Step* step = s.body; step != nullptr; step = step->next)
    if (step->kind == Step::Kind::kAtom) {
      width += step->atom->args.size();
      dedupe |= !step->matches.empty();
    }
  RowSet seen(width + s.groups.size());
  std::vector<Value> tuple;
  std::vector<Value> key;
  std::int64_t total = 0;
  const auto count = [&] {
    key.clear();
    for (SlotId slot : s.groups) key.push_back(slots_[slot]);
    if (dedupe) {
      tuple.insert(tuple.end(), key.begin(), key.end());
      const bool is_new = seen.Insert(tuple).is_new;
      tuple.resize(width);
      if (!is_new) return true;
    }
    ++total;
    if (s.groups.empty()) return true;
    const auto [group, is_new] = groups.Insert(key);
    if (is_new) counts.push_back(0);
    ++counts[group];
    return true;
  };
  Undecided open;
  if (!CountsRows(*s.body)) {
    std::vector<Value>* outer = std::exchange(tuple_, dedupe ? &tuple : nullptr);
    const Counting counting = CountsTable(s) ? Counting{s.body, &total} : Counting{};
    const Counting outer_counting = std::exchange(counting_, counting);
    open = RunBody(s.body, count);
    counting_ = outer_counting;
    tuple_ = outer;
  } else if (s.groups.empty() && s.body->checks.empty() && BestOf(s.body->relation) == nullptr) {
    const std::optional<Rows> rows = RowsOf(*s.body, 0);
    total = rows ? rows->size() : 0;
    if (limits_.profile != nullptr) limits_.profile->Count(*s.body, static_cast<RowId>(total));
  } else {
    const Relation& rel = store_.at(s.body->relation);
    ForEachRow(*s.body,
               [&](RowId row) { return !BindCells(*s.body, rel.CellsOf(row)) || count(); });
  }
  if (evaluation.stop != Stop::kGoesOn) return false;
  open = Absent(open);
  if (open) return DoubtAbsence(s, open);
  Leave(open);
  if (s.groups.empty()) return (s.of_group && total == 0) || RunCount(s, total);
  for (RowId g = 0; g < groups.size(); ++g) {
    for (std::size_t k = 0; k < s.groups.size(); ++k) slots_[s.groups[k]] = groups.Row(g)[k];
    if (!RunCount(s, counts[g])) return false;
  }
  return true;
}

// --- atoms ---------------------------------------------------------------------------

bool Machine::RunAtom(const Step& s) {
  switch (s.access) {
    case Access::kRows: return RunRows(s);
    case Access::kTable: return RunTable(s);
    case Access::kCollect: return RunCollected(s);
    case Access::kGoal: return guards_ ? RunStanding(s) : RunTable(s);
    case Access::kTruth: return RunTruth(s);
    case Access::kExternal: return RunExternal(s);
  }
  return true;
}

bool Machine::Keys(const Step& s, std::vector<Value>& out) {
  for (const auto& [column, p] : s.keys) {
    out.push_back(Build(pool_, p, slots_, frame_->names));
    if (out.back().is_none()) return false;
  }
  return true;
}

// Whether the body of a count is one atom over stored rows without patterns, so that its answers
// are its rows.
bool Machine::CountsRows(const Step& atom) const {
  return atom.kind == Step::Kind::kAtom && atom.access == Access::kRows && atom.matches.empty() &&
         atom.row < 0 && atom.next->kind == Step::Kind::kFound && !frame_->unknown &&
         store_.at(atom.relation).space() == Space::kRelation;
}

// Whether the count is that of the rows of one table.
bool Machine::CountsTable(const Step& s) const {
  const Step& atom = *s.body;
  return s.groups.empty() && atom.kind == Step::Kind::kAtom && atom.access == Access::kTable &&
         atom.matches.empty() && atom.checks.empty() && atom.row < 0 &&
         atom.next->kind == Step::Kind::kFound && !frame_->unknown;
}

// Calls fn(row) for each row from `from` on that agrees with the keys, in order, until it returns
// false.
template <typename Fn>
bool Machine::ForEachRow(const Step& s, Fn&& fn, RowId from) {
  if (limits_.profile == nullptr) return VisitRows(s, from, fn);
  std::uint64_t rows = 0;
  const bool go_on = VisitRows(s, from, [&](RowId row) { return ++rows, fn(row); });
  limits_.profile->Count(s, rows);
  return go_on;
}

// The rows in the range of an atom.
Machine::Rows Machine::Scanned(const Step& s) const {
  if (mode_ != Mode::kDerive) return {0, store_.at(s.relation).size()};
  const Marks& m = (*marks)[s.relation];
  return {s.range == Range::kDelta ? m.old_end : 0, s.range == Range::kOld ? m.old_end : m.end};
}

// The rows in that range, from `from` on, that agree with the keys; nullopt at a limit.
std::optional<Machine::Rows> Machine::RowsOf(const Step& s, RowId from) {
  Relation& rel = store_.at(s.relation);
  Rows rows = Scanned(s);
  rows.begin = std::max(from, rows.begin);
  if (reads != nullptr && s.probe == 0) reads->All(s.relation);
  if (s.probe == 0 || (rows.size() == 0 && reads == nullptr)) return rows;
  Value key_words[kMaxArity];
  std::size_t n = 0;
  for (const auto& [column, p] : s.keys) {
    key_words[n] = p.kind == Pattern::Kind::kSlot       ? slots_[p.slot]
                   : p.kind == Pattern::Kind::kConstant ? p.constant
                                                        : Build(pool_, p, slots_, frame_->names);
    if (key_words[n++].is_none()) return Rows{};
  }
  const std::span<const Value> key(key_words, n);
  if (reads != nullptr) reads->Probe(s.relation, s.probe, key);
  if (s.all_bound) {
    const RowId row = rel.Find(key);
    return row == kNoId || row < rows.begin || row >= rows.end ? Rows{} : Rows{row, row + 1};
  }
  // Deriving only appends rows after the mark, so an index up to the mark is complete.
  const RowId settled = mode_ == Mode::kDerive ? (*marks)[s.relation].end : rel.size();
  std::vector<RowId> own;
  const std::span<const RowId> listed = rel.RowsWith(s.probe, key, settled, &within_limits, own);
  if (evaluation.stop != Stop::kGoesOn) return std::nullopt;
  const auto place_of = [&](RowId row) {  // of the first one that is no less
    if (listed.empty() || listed.front() >= row) return RowId{0};
    if (listed.back() < row) return static_cast<RowId>(listed.size());
    return static_cast<RowId>(std::ranges::lower_bound(listed, row) - listed.begin());
  };
  return Rows{place_of(rows.begin), place_of(rows.end), listed.data(), std::move(own)};
}

template <typename Fn>
bool Machine::VisitRows(const Step& s, RowId from, Fn&& fn) {
  const std::optional<Rows> rows = RowsOf(s, from);
  if (!rows) return false;
  const BestRows* const best = mode_ == Mode::kDerive ? BestOf(s.relation) : nullptr;
  for (RowId at = rows->begin; at < rows->end; ++at) {
    const RowId row = rows->listed == nullptr ? at : rows->listed[at];
    if (!Polled() || !((best != nullptr && best->IsBeaten(row)) || fn(row))) return false;
  }
  return true;
}

bool Machine::RunRows(const Step& s) {
  const Relation& rel = store_.at(s.relation);
  const bool results_only = rel.space() == Space::kTool && s.row < 0;
  const auto take = [&](RowId row) {
    if (results_only && Failed(rel, row)) return true;
    return TakeCells(s, rel.CellsOf(row), s.row < 0 ? kNone : RowReference(pool_, s.relation, row),
                     {nullptr, s.relation, row});
  };
  if (mode_ == Mode::kDerive || (frame_->table == nullptr && frame_->loop == nullptr))
    return ForEachRow(s, take);
  RuleLoop* loop = LoopAt(s, rel.epoch(), nullptr);
  std::size_t rows = 0;
  const bool go_on = ForEachRow(
      s,
      [&](RowId row) {
        ++rows;
        return loop == nullptr ? take(row) : RunSettling(*loop, row, [&] { return take(row); });
      },
      loop == nullptr ? 0 : static_cast<RowId>(loop->next));
  if (rows >= long_loop && frame_->table != nullptr) Outlast(*frame_->table);
  return go_on;
}

// Binds slots to columns; false if the row contradicts itself where the atom names a slot twice.
bool Machine::BindCells(const Step& s, RowView cells) {
  for (const auto& [column, slot] : s.binds) slots_[slot] = cells[column];
  return std::all_of(s.checks.begin(), s.checks.end(),
                     [&](const auto& check) { return cells[check.first] == slots_[check.second]; });
}

// Binds the slots of a row and continues. `cells` may move once the next step runs, so all columns
// are copied into slots first; patterns that match in several ways copy the row.
bool Machine::TakeCells(const Step& s, RowView cells, Value row_ref, RowUsed used) {
  if (!BindCells(s, cells)) return true;
  if (s.row >= 0) slots_[s.row] = row_ref;
  const bool keeps = mode_ == Mode::kSolve && used.relation != kNoId;
  if (keeps) frame_->path.push_back(used);
  const std::size_t taken = tuple_ == nullptr ? 0 : tuple_->size();
  if (tuple_ != nullptr)
    for (std::size_t i = 0; i < s.atom->args.size(); ++i) tuple_->push_back(cells[i]);
  bool go_on = true;
  if (s.matches.empty()) {
    from_ = &s;
    go_on = Run(s.next);
  } else {
    std::span<const SetOrder> orders;
    if (store_.IsWhole(s.relation))
      if (const RowId row = store_.at(s.relation).Find(cells.Copy()); row != kNoId)
        orders = store_.at(s.relation).OrdersOf(row);
    go_on = MatchCells(s, cells, orders, 0);
  }
  if (tuple_ != nullptr) tuple_->resize(taken);
  if (keeps) frame_->path.pop_back();
  return go_on;
}

Premise Machine::PremiseOf(const RowUsed& used) const {
  if (used.from != nullptr) {
    const std::span<const Value> answer = used.from->rows[used.row];
    return {store_.BaseOf(used.relation), {answer.begin(), answer.end()}};
  }
  return {store_.BaseOf(used.relation), store_.at(used.relation).Cells(used.row)};
}

bool Machine::MatchCells(const Step& s, RowView cells, std::span<const SetOrder> orders,
                         std::size_t at) {
  if (at == s.matches.size()) return Run(s.next);
  const std::vector<Value> copy = cells.Copy();
  const auto& [column, pattern] = s.matches[at];
  Value v = copy[column];
  // In a column, a single value equals its singleton set (decision 33).
  if (pattern.kind == Pattern::Kind::kSet && v.kind() != Kind::kSet) v = pool_.Set({&v, 1});
  std::span<const Value> written;
  for (const SetOrder& order : orders)
    if (order.column == column) written = order.elements;
  return Unify(
      pool_, pattern, v, slots_, [&] { return MatchCells(s, copy, orders, at + 1); }, written);
}

// Matches the recorded truths of a goal: rows of one column, a bindings map.
bool Machine::RunTruth(const Step& s) {
  Disturb();
  const Relation& rel = store_.at(s.relation);
  const Goal* goal = program_.FindGoal(pool_.TextOf(rel.label()));
  const Marks m = mode_ == Mode::kDerive ? (*marks)[s.relation] : Marks{0, rel.size()};
  const RowId begin = s.range == Range::kDelta ? m.old_end : 0;
  const RowId end = s.range == Range::kOld ? m.old_end : m.end;
  const std::size_t wanted = s.atom->args.size();
  std::vector<Value> key;
  if (!Keys(s, key)) return true;
  for (RowId row = begin; row < end; ++row) {
    const Value map = rel.Row(row)[0];
    std::optional<std::vector<Value>> cells = std::vector<Value>();
    if (wanted != 0) cells = CapturedExactly(pool_, goal, map, wanted);
    bool same = cells.has_value();
    for (std::size_t k = 0; same && k < s.keys.size(); ++k)
      same = (*cells)[s.keys[k].first] == key[k];
    if (same && !TakeCells(s, *cells, map, {})) return false;
  }
  return true;
}

// --- clauses with a body -----------------------------------------------------------------

bool Machine::RunReadText(const Step& s) {
  const SlotId slot = s.reads.front();
  const Value text = slots_[slot];
  if (!Run(s.next)) return false;
  for (const Value v : ReadingsOf(pool_, text)) {
    slots_[slot] = v;
    if (!Run(s.next)) return false;
  }
  slots_[slot] = text;
  return true;
}

bool Machine::RunNot(const Step& s) {
  bool found = false;
  std::string note = std::move(frame_->note);
  const RelationId ineligible = std::exchange(frame_->ineligible, kNoId);
  const Undecided undecided = Absent(RunBody(s.body, [&] { return found = true, false; }));
  if (found || !undecided.lacks) frame_->note = std::move(note);
  const RelationId missing = std::exchange(frame_->ineligible, ineligible);
  if (evaluation.stop != Stop::kGoesOn) return false;
  if (found) return true;  // no reply could change the outcome
  // That nobody defines a goal is a failure, no absence (decision 100).
  if (missing != kNoId && !program_.IsDefinedGoal(missing)) {
    if (ineligible == kNoId) frame_->ineligible = missing;
    return true;
  }
  if (undecided) return DoubtAbsence(s, undecided);
  Leave(undecided);
  return Run(s.next);
}

// A choice is undecided while an unknown answer might precede the first known one (decision 80),
// and is not the same.
bool Machine::RunFirst(const Step& s) {
  const auto values = [&] {
    std::vector<Value> out;
    for (const SlotId slot : s.writes) out.push_back(slots_[slot]);
    return out;
  };
  std::optional<std::vector<Value>> might_precede;
  bool others = false, found = false;
  const auto keep = [&] {
    std::vector<Value> here = values();
    others = others || (might_precede && *might_precede != here);
    might_precede = std::move(here);
    return true;
  };
  const Continuation doubted(keep);
  const bool acts = catalog_.ReachesOutside(*s.clause);  // then a doubt ends its alternatives
  Undecided open = RunBody(
      s.body, [&] { return found = true, false; }, acts ? nullptr : &doubted);
  if (might_precede && (others || !found || *might_precede != values())) open.lacks |= kMeaning;
  open = Absent(open);
  if (evaluation.stop != Stop::kGoesOn) return false;
  if (open) return DoubtAbsence(s, open);
  Leave(open);
  return !found || Run(s.next);
}

// Likewise @distinct, while an unknown answer might have the same values.
bool Machine::RunDistinct(const Step& s) {
  Disturb();
  if (frame_->unknown || frame_->doubtful) return Run(s.next);
  Leave(Absent({{}, frame_->lacking, frame_->unfinished}));
  if (frame_->lacking != 0 || !frame_->waits.empty()) return true;
  std::vector<Value> key;
  for (SlotId slot : s.reads) key.push_back(slots_[slot]);
  return !frame_->distinct[s.clause].insert(std::move(key)).second || Run(s.next);
}

// Branches that only derive give all their answers. Those that act are plans: unless some branch
// before gave an answer, or may give one, the first that is not unsatisfied is taken (decision 85).
bool Machine::RunBranch(const Step& s) {
  const std::uint8_t lacking = std::exchange(frame_->lacking, 0);
  const bool undecided = frame_->undecided;
  const std::size_t before = frame_->answers, before_unknown = frame_->unknown_ends;
  Waiting waits = std::exchange(frame_->waits, {});
  bool go_on = true;
  std::size_t done = 0;
  while (go_on && done < s.branches.size()) {
    for (const SlotId slot : s.clears) slots_[slot] = kNone;
    const std::size_t so_far = frame_->answers;
    frame_->ways.push_back(s.branches[done++]);
    go_on = Run(frame_->ways.back());
    frame_->ways.pop_back();
    if (limits_.profile != nullptr && frame_->answers > so_far)
      limits_.profile->CountBranch(*s.clause, s.written[done - 1]);
    if (done < s.deriving) continue;
    if (!frame_->waits.empty() || (frame_->lacking & kMeaning) != 0 ||
        frame_->unknown_ends > before_unknown)
      break;
    if (frame_->answers == before) continue;
    if (frame_->table == nullptr) break;
    if (frame_->table->extent.all) continue;
    if (found_ == nullptr && done < s.branches.size()) frame_->table->chose = true;
    break;
  }
  const bool waited = !frame_->waits.empty();
  waits.Add(frame_->waits);
  frame_->waits = std::move(waits);
  if (done > s.deriving && done > 1 && frame_->answers > before && !waited) {
    frame_->lacking = 0;  // the plans before it failed and are not taken
    frame_->undecided = undecided;
  }
  frame_->lacking |= lacking;
  return go_on;
}

// A row of which a part is not known yet is no answer that could violate anything (decision 42).
bool Machine::RunCheck(const Step& s) {
  if (frame_->unknown || frame_->doubtful) return Run(s.next);
  Disturb();
  bool found = false;
  const Undecided open = Absent(RunBody(s.body, [&] { return found = true, false; }));
  if (evaluation.stop != Stop::kGoesOn) return false;
  if (found) return Run(s.next);
  if (!open.waits.empty() || (open.lacks & kReply) != 0) return Leave(open), true;
  Violation v;
  v.constraint = s.clause->As<Check>()->constraint;
  for (std::size_t i = 0; i < frame_->slots.size(); ++i) {
    if ((*frame_->names)[i].empty() || slots_[i].is_none()) continue;
    v.bindings.push_back(pool_.Slot((*frame_->names)[i]));
    v.bindings.push_back(slots_[i]);
  }
  pool_.Work(evaluation.violations.size());
  const bool known = std::any_of(
      evaluation.violations.begin(), evaluation.violations.end(),
      [&](const Violation& o) { return o.constraint == v.constraint && o.bindings == v.bindings; });
  if (!known) evaluation.violations.push_back(std::move(v));
  return true;
}

}  // namespace rpl
