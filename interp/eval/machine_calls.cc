// SPDX-License-Identifier: Apache-2.0
//
// Steps that reach beyond stored rows: replies of tools and people, tabled relations, and the truth
// of goals.
#include <algorithm>

#include "interp/eval/machine.h"
#include "interp/eval/profile.h"
#include "interp/plan/analysis.h"
#include "interp/program/operators.h"
#include "interp/program/program.h"

namespace rpl {
namespace {

bool HasOptions(const Pool& pool, Value options) {
  return (options.kind() == Kind::kList || options.kind() == Kind::kSet) &&
         !pool.ItemsOf(options).empty();
}

// Whether the clause, or one within it, reads a relation or goal for which `fn` holds.
bool Mentions(const Clause& clause, const std::function<bool(RelationId)>& fn) {
  if (const auto* atom = clause.As<Atom>()) return fn(atom->relation);
  bool reads = false;
  ForEachBody(clause, [&](const Clauses& body) {
    reads = reads || std::ranges::any_of(body, [&](const Clause& c) { return Mentions(c, fn); });
  });
  return reads;
}

}  // namespace

// --- calls ---------------------------------------------------------------------------

std::string Machine::CallText(const OpenCall& call, std::size_t most) const {
  const Relation& rel = store_.at(call.relation);
  if (call.space == Space::kAvar) return rel.name();
  const Collected* collected = program_.FindCollected(call.relation);
  std::string out = rel.name() + "(";
  for (std::size_t i = 0; i < call.args.size(); ++i) {
    if (i > 0) out += ", ";
    if (!call.args[i].is_none()) {
      out += Text(pool_, call.args[i], most);
    } else if (collected != nullptr && i < collected->questions.size()) {
      const ArgumentQuestion& q = program_.QuestionOf(*collected, i);
      out += (q.subject.starts_with('$') ? "$" : "?") + q.name;
    } else {
      out += "_";
    }
  }
  return out + ")";
}

CallId Machine::IdOf(const OpenCall& call) const { return {call.relation, call.args}; }

std::string Machine::FailureText(const OpenCall& call, const std::string& failure) const {
  return CallText(call, kToldBytes) + " " + failure;
}

Waiting::Of Machine::KindsOf(const OpenCall& call) const {
  return IsQuestion(store_.at(call.relation)) ? Waiting::kQuestions : Waiting::kTools;
}

bool Machine::Open(const OpenCall& call, Waiting& to, std::string* why, Waiting::Of of) {
  DisturbByWaiting(call, of);
  if (!given.declined.empty() || !given.refused.empty()) {
    const CallId id = IdOf(call);
    if (given.declined.contains(id)) {
      evaluation.declined = call;
      *why = CallText(call, kToldBytes) + " was declined";
      return false;
    }
    if (const auto refused = given.refused.find(id); refused != given.refused.end()) {
      evaluation.refused = call;
      *why = CallText(call, kToldBytes) + " was refused: " + refused->second;
      return false;
    }
  }
  if (limits_.profile != nullptr) limits_.profile->CountAsked(call.relation);
  to.Add({nullptr, opened.Add(call).number, of, KindsOf(call)});
  return true;
}

RelationId Machine::ChoicesOf(const OpenCall& call) const {
  if (call.question < 0) return kNoId;
  // What the prose offers is for the one argument that is asked for (decision 96).
  const bool alone = std::ranges::count_if(call.args, [](Value v) { return v.is_none(); }) < 2;
  RelationId options = alone ? program_.OptionsOf(program_.QuestionAt(call.question)) : kNoId;
  if (options == kNoId && call.column >= 0) {
    const HeadingUse& use = catalog_.UseOf(call.relation);
    const auto column = static_cast<std::size_t>(call.column);
    if (column < use.arguments.size()) options = use.arguments[column].choices;
  }
  return options != kNoId && catalog_.ModesOf(options).Meets(0) ? options : kNoId;
}

const Table* Machine::OpenChoices(const OpenCall& call) {
  const RelationId options = ChoicesOf(call);
  if (options == kNoId || catalog_.AccessOf(options, Mode::kSolve) != Access::kTable)
    return nullptr;
  const Table* table = DemandNested(options, {kNone});
  return table != nullptr && (table->pending || table->lacking != 0) ? table : nullptr;
}

// Continues with the step's outputs unknown.
bool Machine::ReadOn(const Step& s, bool asked) {
  for (SlotId w : s.writes) slots_[w] = kUnknown;
  const bool was_unknown = std::exchange(frame_->unknown, true);
  const bool was_asked = std::exchange(frame_->asked, frame_->asked || asked);
  from_ = &s;
  const bool go_on = Run(s.next);
  frame_->asked = was_asked;
  frame_->unknown = was_unknown;
  return go_on;
}

// The clauses that do not need the reply are tried: other tools are called at the same time, and
// all questions are known. After a question no tool is called.
bool Machine::WaitFor(const Step& s, OpenCall call) {
  if (s.clause != nullptr) call.place = s.clause->span;
  if (const Table* choices = OpenChoices(call)) return Waits(*choices), true;
  std::string why;
  if (!Open(call, frame_->waits, &why, Meant())) {
    frame_->lacking |= kReply;
    Note(std::move(why));
    return true;
  }
  return ReadOn(s, IsQuestion(store_.at(call.relation)));
}

// A call that failed has a reply, but holds only for clauses that read its metadata.
bool Machine::Failed(const Relation& tool, RowId row) const {
  return tool.space() == Space::kTool && SaysFailed(pool_, tool.Meta(row));
}

// Records that the reply of a failed call is lacking (decision 80).
void Machine::LackReply(RelationId tool, RowId row) {
  if (mode_ == Mode::kDerive) return;
  Disturb();
  const Relation& rel = store_.at(tool);
  OpenCall call;
  call.space = rel.space();
  call.relation = tool;
  call.args = rel.Cells(row);
  const Value message = pool_.Lookup(rel.Meta(row), pool_.Keyword("message"));
  const Value code = pool_.Lookup(rel.Meta(row), pool_.Keyword("code"));
  evaluation.failure = code == pool_.String("denied") ? "was not permitted" : "failed";
  if (!message.is_none()) evaluation.failure += ": " + PlainText(pool_, message);
  frame_->lacking |= kReply;
  Note(FailureText(call, evaluation.failure));
  evaluation.failed = std::move(call);
}

void Machine::LackField(const Metadata& field) {
  const auto at = metadata_.RowOf(slots_[field.rows.front()]);
  if (at && !field.knows_failure && Failed(store_.at(at->first), at->second))
    LackReply(at->first, at->second);
}

bool Machine::RunExternal(const Step& s) {
  Relation& rel = store_.at(s.relation);
  std::vector<Value> key;
  if (!Keys(s, key)) return true;
  const RowId row = rel.Find(key);
  OpenCall call;
  call.space = rel.space();
  call.relation = s.relation;
  call.args = std::move(key);
  if (row != kNoId) {
    if (reads != nullptr) reads->Found(s.relation);
    if (s.row < 0 && Failed(rel, row)) return LackReply(s.relation, row), true;
    return TakeCells(s, rel.Row(row), RowReference(pool_, s.relation, row), {});
  }
  if (reads != nullptr) {
    Columns all = 0;
    for (std::size_t i = 0; i < call.args.size(); ++i) all |= Columns{1} << i;
    reads->Probe(s.relation, all, call.args);
  }
  if (rel.name() == "$choose" && call.args.size() > 1 && !HasOptions(pool_, call.args[1])) {
    Disturb();
    Note(CallText(call, kToldBytes) + " has no options to choose from");
    return true;
  }
  return WaitFor(s, std::move(call));
}

Value Machine::AvarValue(RelationId channel) const {
  const Relation& rel = store_.at(channel);
  if (rel.empty() || rel.Meta(0).is_none()) return kNone;
  return pool_.Lookup(rel.Meta(0), pool_.Keyword("result"));
}

bool Machine::RunAvar(const Step& s) {
  const auto* clause = s.clause->As<ReadAvar>();
  if (const Value v = AvarValue(clause->channel); !v.is_none()) {
    if (reads != nullptr) reads->Found(clause->channel);
    slots_[clause->slot] = v;
    return Run(s.next);
  }
  if (mode_ == Mode::kDerive) return true;
  OpenCall call;
  call.space = Space::kAvar;
  call.relation = clause->channel;
  call.question = clause->question;
  return WaitFor(s, call);
}

// --- tabled relations and goals ------------------------------------------------------

// `activation`: for an activation clause.
Table* Machine::DemandNested(RelationId relation, std::vector<Value> key, bool activation,
                             Extent extent) {
  if (depth_ >= limits_.max_depth) {
    StopAt(Stop::kDepth);
    return nullptr;
  }
  ++depth_;
  const Definition* const def = frame_->def;
  const bool reads_before = (frame_->table != nullptr && frame_->table->extent.before) ||
                            (activation && def != nullptr && catalog_.GuardsItself(*def));
  extent.before = reads_before && store_.at(relation).space() == Space::kRelation &&
                  catalog_.RestOnEachOther(def->head, store_.BaseOf(relation));
  extent.all = extent.all || (frame_->table != nullptr && frame_->table->extent.all);
  Table& table = demands_.Demand(relation, std::move(key), extent);
  deepest = std::max(deepest, depth_ + table.depth);
  --depth_;
  if (!table.complete) frame_->unfinished = store_.BaseOf(relation);
  return evaluation.stop == Stop::kGoesOn ? &table : nullptr;
}

bool Machine::TakeTable(const Step& s, Table& table) {
  if (limits_.profile != nullptr) limits_.profile->Count(s, table.rows.size());
  if (counting_.step == &s) {
    *counting_.rows += static_cast<std::int64_t>(table.rows.size());
    frame_->answers += table.rows.size();
    table.least_read = std::min(table.least_read, table.rows.size());
    return true;
  }
  RuleLoop* loop = table.lasting() == nullptr ? nullptr : LoopAt(s, table.lasting()->rows, &table);
  // Rows that are added meanwhile are read, too: what an incomplete table gives is often complete
  // after one evaluation.
  const std::size_t from = loop == nullptr ? 0 : loop->next;
  const BestSoFar* const best = table.best();
  std::size_t r = from;
  for (; r < table.rows.size(); ++r) {
    if (best != nullptr && best->IsBeaten(static_cast<std::uint32_t>(r))) continue;
    Value ref = kNil;
    if (s.access == Access::kGoal) {
      if (s.atom->rule >= 0 && s.atom->rule != table.more().rules[r]) {
        Note(store_.at(s.relation).name() + " was satisfied by another rule");
        continue;
      }
      ref = table.more().maps[r];
    } else if (s.row >= 0) {
      const RowId stored = store_.at(s.relation).Find(table.rows[r]);
      if (stored == kNoId) Disturb();
      else if (reads != nullptr) reads->Found(s.relation);
      if (stored != kNoId) ref = RowReference(pool_, s.relation, stored);
    }
    const auto take = [&] {
      RowUsed used;  // a candidate is no row that an answer rests on
      if (s.loose == 0) used = {&table, s.relation, static_cast<RowId>(r)};
      return TakeCells(s, table.rows[r], ref, used);
    };
    if (loop == nullptr ? !take() : !RunSettling(*loop, r, take)) return false;
  }
  table.least_read = std::min(table.least_read, r);
  if (r - from >= long_loop && frame_->table != nullptr) {
    Outlast(table);
    Outlast(*frame_->table);
  }
  return true;
}

bool Machine::LacksMeaningAlone(const Table& table) {
  return !table.pending && !table.was_pending && (table.lacking | table.was_lacking) == kMeaning;
}

// Tries the rows that may be answers, or one that is not known.
bool Machine::DoubtTable(const Step& s, Table& table) {
  if (frame_->doubt.empty()) frame_->doubt = table.more().doubt;
  const bool was_by_absence = frame_->by_absence;
  bool go_on = true;
  const bool by_rule = s.access == Access::kGoal && s.atom->rule >= 0;
  if (table.vague || table.was_vague || s.row >= 0 || by_rule) {
    frame_->by_absence = was_by_absence || table.undecided || table.was_undecided;
    go_on = Doubt(s);
  } else if (table.details != nullptr) {
    Disturb();
    const bool was_doubtful = std::exchange(frame_->doubtful, true);
    for (std::size_t i = 0; go_on && i < table.details->doubted.size(); ++i) {
      const std::vector<Value> row = RowView(table.details->doubted[i]).Copy();
      if (table.rows.Has(row)) continue;
      frame_->by_absence = was_by_absence || table.details->withheld[i];
      go_on = TakeCells(s, row, kNil, {});
    }
    frame_->doubtful = was_doubtful;
  }
  frame_->by_absence = was_by_absence;
  return go_on;
}

// A heading without rules needs no table, unless that has more to say than its rows and the
// question for them.
bool Machine::RunCollected(const Step& s) {
  if (s.loose != 0 || s.asked >= 0 || !unfed.empty() || store_.IsWhole(s.relation) ||
      program_.HasRules(s.relation))
    return RunTable(s);
  const Relation& rel = store_.at(s.relation);
  if (!rel.empty()) {
    const std::optional<Rows> rows = RowsOf(s, 0);
    if (!rows) return false;
    if (rows->size() > 0) return RunRows(s);
  }
  std::vector<Value> values, key(rel.arity());
  if (!Keys(s, values)) return true;
  for (std::size_t i = 0; i < s.keys.size(); ++i) key[s.keys[i].first] = values[i];
  const std::optional<OpenCall> call = demands_.Asked(s.relation, key);
  std::string why;
  if (!call || ChoicesOf(*call) != kNoId || !Open(*call, frame_->waits, &why, Meant()))
    return RunTable(s);
  // What is only tested may not hold: then nobody needs what comes after it.
  return s.writes.empty() || ReadOn(s, true);
}

bool Machine::RunTable(const Step& s) {
  const std::size_t arity =
      s.access == Access::kGoal ? s.atom->args.size() : store_.at(s.relation).arity();
  std::vector<Value> key(arity);
  std::vector<Value> values;
  if (!Keys(s, values)) return true;
  for (std::size_t i = 0; i < s.keys.size(); ++i) key[s.keys[i].first] = values[i];
  for (std::size_t i = 0; s.loose != 0 && i < arity; ++i)
    if ((s.loose >> i & 1) == 0) key[i] = kNil;  // nothing reads it
  const std::size_t answers = frame_->answers, ends = frame_->unknown_ends;
  const std::uint8_t lacking = frame_->lacking;
  const bool waits = !frame_->waits.empty();
  bool chose = false;
  Extent extent = {.input_free = s.input_free, .loose = s.loose};
  if (!RunTable(s, key, extent, &chose)) return false;
  if (chose && s.restricted && waits) Disturb();  // what follows depends on other rows
  // What was read of a plan that is taken did not lead to an answer, so the next one is tried, as
  // with alternatives that stand here (decision 85).
  const bool go_on = chose && s.restricted && frame_->table != nullptr && found_ == nullptr &&
                     frame_->answers == answers && frame_->unknown_ends == ends &&
                     frame_->lacking == lacking && frame_->waits.empty() && !waits;
  extent.all = true;
  return !go_on || RunTable(s, key, extent, &chose);
}

bool Machine::RunTable(const Step& s, std::vector<Value> key, Extent extent, bool* chose) {
  Table* table =
      DemandNested(s.relation, s.asked < 0 ? std::move(key) : key, s.clause->activation, extent);
  if (table == nullptr) return false;
  *chose = table->chose && !table->extent.all;
  if (table->chose && frame_->table != nullptr) frame_->table->chose = true;
  if (s.access == Access::kGoal) Disturb();
  else ReadTable(*table);
  if (table->forced && frame_->table != nullptr) frame_->table->forced = true;
  if (table->details != nullptr && !table->details->undefined.empty() && table->rows.empty())
    return DoubtFor(s, table->details->undefined);
  // Before its rows: an unknown one could precede them.
  if (LacksMeaningAlone(*table)) {
    if (!DoubtTable(s, *table)) return false;
  } else {
    Waits(*table);
  }
  if (!TakeTable(s, *table)) return false;
  if (table->pending) {
    if (!table->rows.empty()) return frame_->waits.Postpone(table), true;
    const bool asks = (table->more().waits.has() & Waiting::kQuestions) != 0;
    // What is only tested may not hold: then nobody needs what comes after it.
    return (asks && s.writes.empty()) || ReadOn(s, asks);
  }
  if (!table->rows.empty()) return true;
  if (s.loose == 0) NoteEmpty(*table);
  if (frame_->ineligible == kNoId) frame_->ineligible = table->ineligible;
  return s.asked < 0 || AskForArgument(s, std::move(key));
}

// Notes why the table has no answers, where that is asked.
void Machine::NoteEmpty(Table& table) {
  if (!frame_->explains || !frame_->note.empty() || depth_ >= limits_.max_depth) return;
  ++depth_;
  Note(demands_.WhyEmpty(table));
  --depth_;
}

// Asks for an avar argument that nothing supplies, and tries the call with the reply (§18.4.5,
// decision 53).
bool Machine::AskForArgument(const Step& s, std::vector<Value> key) {
  Disturb();
  const std::string& name = (*frame_->names)[static_cast<std::size_t>(s.asked)];
  const RelationId channel = store_.Declare(Space::kAvar, name, 0);
  const Value held = AvarValue(channel);
  if (held.is_none()) {
    OpenCall call;
    call.space = Space::kAvar;
    call.relation = channel;
    return WaitFor(s, call);
  }
  for (const auto& [column, slot] : s.binds)
    if (slot == s.asked) key[column] = held;
  Table* table = DemandNested(s.relation, std::move(key));
  if (table == nullptr) return false;
  Waits(*table);
  if (table->rows.empty()) NoteEmpty(*table);
  return TakeTable(s, *table);
}

// --- what grew -------------------------------------------------------------------------------

// Of the suspended rules that wait for what rests on them, the innermost one of the circle that
// nests deepest. If there is none, the rule at hand; but where it is the base of a recursion that
// reads its own table, and other rules gave rows of this, one of these.
const Definition* Machine::Growing() const {
  struct Circle {
    const Definition* innermost;
    std::size_t depth = 0;
  };
  std::vector<Circle> circles;
  for (const Frame* f = frame_; f != nullptr && f->caller != nullptr; f = f->caller) {
    const Definition* def = f->caller->def;
    if (def == nullptr || f->def == nullptr || !catalog_.RestOnEachOther(def->head, f->def->head))
      continue;
    auto circle = std::ranges::find_if(circles, [&](const Circle& c) {
      return catalog_.RestOnEachOther(c.innermost->head, def->head);
    });
    if (circle == circles.end()) circle = circles.insert(circle, {def});
    ++circle->depth;
  }
  const auto most = std::ranges::max_element(circles, {}, &Circle::depth);
  if (most != circles.end()) return most->innermost;
  const Definition* const here = frame_ != nullptr ? frame_->def : nullptr;
  if (here == nullptr || frame_->table == nullptr || frame_->table->rows.size() <= frame_->emitted)
    return here;
  const auto recurs = [&](const Definition& def) {
    return def.head != kNoId && catalog_.RestOnEachOther(def.head, here->head) &&
           std::ranges::any_of(ClausesOf(def), [&](const Clause* c) {
             return Mentions(*c,
                             [&](RelationId r) { return catalog_.RestOnEachOther(r, here->head); });
           });
  };
  if (recurs(*here)) return here;
  const auto other = std::ranges::find_if(program_.definitions(), recurs);
  return other != program_.definitions().end() ? &*other : here;
}

// --- the truth of goals ----------------------------------------------------------------------

// What a guard reads of its goal: the recorded truths, and the answers so far of its other rules,
// because the rules of a goal that guard against it are alternatives.
bool Machine::RunStanding(const Step& s) {
  const auto captured = [](const std::vector<Value>& cells) {
    return static_cast<std::size_t>(std::ranges::find(cells, kAbsent) - cells.begin());
  };
  if (!RunTruth(s)) return false;
  std::vector<Value> key;
  if (!Keys(s, key)) return true;
  for (const Table* table : demands_.Running(s.relation))
    for (std::size_t r = 0; r < table->rows.size(); ++r) {
      if (table->more().rules[r] == frame_->def->number) continue;
      std::vector<Value> cells = RowView(table->rows[r]).Copy();
      const std::size_t wanted = s.atom->args.size();
      if (wanted != 0 && wanted != captured(cells)) continue;
      bool same = true;
      for (std::size_t k = 0; k < s.keys.size(); ++k) same &= cells[s.keys[k].first] == key[k];
      if (same && !TakeCells(s, cells, kNil, {})) return false;
    }
  return true;
}

bool Machine::RunGoalFalse(const Step& s) {
  Disturb();
  const Definition* def = frame_->def;
  if (def == nullptr || !catalog_.IsGuard(*s.clause, def->head)) return RunNot(s);
  if (def == again) return Run(s.next);
  bool found = false;
  guards_ = true;
  RunBody(s.body, [&] { return found = true, false; });
  guards_ = false;
  return found || Run(s.next);
}

}  // namespace rpl
