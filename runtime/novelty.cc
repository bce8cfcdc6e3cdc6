// SPDX-License-Identifier: Apache-2.0
//
// Phases 1 and 2: novelty becomes facts. Replies, decisions and texts wait in queues; these phases
// take them in order, assert or retract them, and record those that are not stated in the program.
//
// The entry of a reply is determined before its timestep (EntriesToCome), because a session may end
// in between.
#include <algorithm>
#include <utility>

#include "grammar/namespaces.h"
#include "interp/eval/constraint_watch.h"
#include "interp/eval/fixpoint.h"
#include "interp/eval/solver.h"
#include "interp/plan/analysis.h"
#include "interp/program/metadata.h"
#include "runtime/door.h"
#include "runtime/journal.h"
#include "runtime/timestep.h"

namespace rpl {
namespace {

// The fact that a call with these arguments has a reply. A set that a call has as an argument stays
// whole (decision 27), and a set in a fact has instances: a set of it alone has it as its instance.
std::vector<Value> FactOfCall(Pool& pool, std::span<const Value> args) {
  std::vector<Value> out(args.begin(), args.end());
  for (Value& v : out)
    if (v.kind() == Kind::kSet) v = pool.Set({&v, 1});
  return out;
}

// The same of a heading's row of which the caller knew these arguments; what was answered is a
// fact's.
std::vector<Value> FactOfRow(Pool& pool, std::span<const Value> args, std::span<const Value> row) {
  std::vector<Value> out = FactOfCall(pool, row);
  for (std::size_t i = 0; i < out.size(); ++i)
    if (args[i].is_none()) out[i] = row[i];
  return out;
}

// The metadata of a result.
Value MetaOf(Pool& pool, const Answer& answer) {
  if (answer.kind == Answer::Kind::kValue) {
    const Value entry[] = {pool.Keyword("result"), answer.value};
    return pool.Map(entry);
  }
  const Value by = pool.Keyword(kBy);  // a reply does not say who gave it
  if (answer.value.kind() != Kind::kMap || pool.Lookup(answer.value, by).is_none())
    return answer.value;
  std::vector<Value> entries;
  const std::span<const Value> given = pool.ItemsOf(answer.value);
  for (std::size_t i = 0; i < given.size(); i += 2)
    if (given[i] != by) entries.insert(entries.end(), {given[i], given[i + 1]});
  return pool.Map(entries);
}

}  // namespace

// --- phase 1: resolved calls enter as ground facts (§13.3) ---------------------------

void Runtime::AssertNewAvars() {
  Begin(1, "assert new avars");
  calls_.refused.merge(std::exchange(calls_.refusals, {}));
  for (const Way& way : std::exchange(decisions_, {})) {
    recorder_.Log(Verb::kDecided, way.name);
    Assertion does = way.does;
    if (does.relation == kNoId) continue;
    if (Value& first = does.row.front(); first.is_none()) first = engine_.pool.Map({});
    novelty_.push_back({{}, From::kDecision, way.by});
    novelty_.back().what.assertions.push_back(std::move(does));
  }
  while (!calls_.replies.empty()) {
    const CallBook::Reply reply = std::move(calls_.replies.front());
    calls_.replies.pop_front();
    if (!permission_.TakesIn(reply)) continue;
    const std::string text = engine_.solver.CallText(reply.call);
    TraceEntry entry = EntryToCome(reply.call, reply.answer);
    if (reply.answer.kind == Answer::Kind::kDecline) {
      calls_.declined.insert(engine_.solver.IdOf(reply.call));
      recorder_.Log(Verb::kDeclined, text, reply.call.place);
      recorder_.Entry(std::move(entry));
      continue;
    }
    if (TakesRows(reply.call)) {
      TakeRows(reply.call.relation, reply.call.args, reply.answer.value, true, reply.answer.by);
      recorder_.Log(Verb::kResolved, text + " = " + Text(engine_.pool, reply.answer.value),
                    reply.call.place);
      recorder_.Entry(std::move(entry));
      continue;
    }
    if (reply.call.space == Space::kRelation) {
      // One argument of a collected heading; the fact is asserted when all are known.
      const auto column = static_cast<std::size_t>(reply.call.column);
      const By by = CallBook::NoteHalf(calls_.halves, reply);
      TakeAvar(*engine_.program.FindCollected(reply.call.relation), column, reply.answer.value,
               reply.answer.by);
      const std::vector<Value> row = engine_.solver.TakeArgument(reply.call, reply.answer.value);
      recorder_.Log(Verb::kResolved, text + " = " + Text(engine_.pool, reply.answer.value),
                    reply.call.place);
      if (row.empty()) continue;
      facts_.Insert(reply.call.relation, FactOfRow(engine_.pool, reply.call.args, row),
                    {.by = RowsBy::Bit(by)});
      calls_.halves.erase({reply.call.relation, reply.call.args});
      recorder_.Log(Verb::kAsserted, RowText(reply.call.relation, row), reply.call.place);
      recorder_.Entry(std::move(entry));
      continue;
    }
    const Value meta = MetaOf(engine_.pool, reply.answer);
    facts_.Insert(reply.call.relation, FactOfCall(engine_.pool, reply.call.args),
                  {.meta = meta, .by = RowsBy::Bit(reply.answer.by)});
    recorder_.Log(Verb::kAsserted, text + " ^ ~ " + Text(engine_.pool, meta) + " -> true",
                  reply.call.place);
    source_feed_.TakeReply(reply.call);
    if (reply.answer.kind == Answer::Kind::kNotRun) calls_.not_run.push_back(reply.call);
    else recorder_.Entry(std::move(entry));
  }
}

// An argument of a heading that is an avar has its value for the whole run (decision 53).
void Runtime::TakeAvar(const Collected& collected, std::size_t column, Value value, By by) {
  const Question& q = engine_.program.QuestionOf(collected, column);
  if (!q.subject.starts_with('$')) return;
  facts_.Insert(
      engine_.store.Declare(Space::kAvar, q.name, 0), {},
      {.meta = MetaOf(engine_.pool, {Answer::Kind::kValue, value}), .by = RowsBy::Bit(by)});
}

// Whether the call asks for rows of a heading.
bool Runtime::TakesRows(const OpenCall& call) const {
  return call.space == Space::kRelation && engine_.analysis.UseOf(call.relation).many;
}

// Asserts or retracts the rows that answer a question about a heading called with `key`.
void Runtime::TakeRows(RelationId relation, std::span<const Value> key, Value rows, bool truth,
                       By by) {
  for (const std::vector<Value>& row :
       RowsOfAnswer(engine_.pool, FactOfCall(engine_.pool, key), rows)) {
    if (truth) {
      facts_.Insert(relation, row, {.by = RowsBy::Bit(by)});
      facts_.NoteAsserted(relation, row);
    } else {
      facts_.TakeBack(relation, row, by);
    }
    recorder_.Log(truth ? Verb::kAsserted : Verb::kRetracted, RowText(relation, row));
  }
  engine_.solver.Settle(relation, {key.begin(), key.end()}, truth);
}

// The future entry of a reply; without text if it makes none, or none yet.
TraceEntry Runtime::EntryToCome(const OpenCall& call, const Answer& answer) {
  TraceEntry out{.kind = TraceEntry::Kind::kReply,
                 .timestep = recorder_.timestep() + 1,
                 .phase = 1,
                 .by = answer.by};
  if (call.place.end != 0) out.place = call.place;
  const bool declined = answer.kind == Answer::Kind::kDecline;
  if (!declined && answer.kind != Answer::Kind::kValue && answer.kind != Answer::Kind::kMeta)
    return out;
  if (declined || TakesRows(call)) {
    const Value entry[] = {engine_.pool.Keyword(declined ? "status" : "rows"),
                           declined ? engine_.pool.Keyword("declined") : answer.value};
    out.answered = Answered(call.relation, call.args, kNone);
    out.answered->call = engine_.solver.CallText(call);
    out.answered->declined = declined;
    out.text = out.answered->call + " ^ ~ " + Text(engine_.pool, engine_.pool.Map(entry));
  } else if (call.space == Space::kRelation) {
    const std::vector<Value> row = engine_.solver.RowWith(call, answer.value);
    if (row.empty()) return out;
    out.text = derivations_.CollectedText(*engine_.program.FindCollected(call.relation),
                                          FactOfRow(engine_.pool, call.args, row), false);
    out.answered = Answered(call.relation, row, kNone);
  } else {
    const Value meta = MetaOf(engine_.pool, answer);
    OpenCall whole = call;
    whole.args = FactOfCall(engine_.pool, call.args);
    out.text = engine_.solver.CallText(whole) + " ^ ~ " + Text(engine_.pool, meta);
    out.answered = Answered(call.relation, call.args, meta);
  }
  out.text += kIsTrue;
  return out;
}

// A row of a tool, an avar or a collected heading as the answer to a call.
AnsweredCall Runtime::Answered(RelationId relation, std::span<const Value> row, Value meta) {
  const Relation& of = engine_.store.at(relation);
  AnsweredCall out;
  out.keys.emplace_back(engine_.pool.TextOf(of.label()));
  out.call = of.space() == Space::kAvar ? of.name() : RowText(relation, row);
  if (of.space() == Space::kTool) out.tool = out.keys.front();
  if (const Collected* heading = engine_.program.FindCollected(relation))
    for (const int question : heading->questions)
      if (question >= 0) out.keys.push_back(engine_.program.QuestionAt(question).name);
  out.failed = SaysFailed(engine_.pool, meta);
  return out;
}

Trace Runtime::EntriesToCome() {
  Trace out;
  for (const Way& way : decisions_) out.push_back(EntryToCome(way));
  for (const CallBook::Reply& reply : calls_.replies)
    if (TraceEntry entry = EntryToCome(reply.call, reply.answer); !entry.text.empty())
      out.push_back(std::move(entry));
  return out;
}

// The argument that the call asks for, if its heading asks for others as well.
HeadingPart Runtime::PartOf(const OpenCall& call) const {
  if (call.space != Space::kRelation ||
      std::ranges::count_if(call.args, [](Value v) { return v.is_none(); }) < 2)
    return {};
  const Collected& heading = *engine_.program.FindCollected(call.relation);
  const int question = heading.questions[static_cast<std::size_t>(call.column)];
  OpenCall whole = call;
  whole.question = -1;
  return {engine_.solver.CallText(whole), "?" + engine_.program.QuestionAt(question).name};
}

Trace Runtime::HalfAnswers() {
  Solver::Arguments known = engine_.solver.arguments();
  std::map<CallId, By> parties = calls_.halves;
  for (const CallBook::Reply& reply : calls_.replies) {
    if (reply.call.space != Space::kRelation || reply.answer.kind != Answer::Kind::kValue) continue;
    CallBook::NoteHalf(parties, reply);
    const auto at = known.try_emplace({reply.call.relation, reply.call.args}, reply.call.args);
    at.first->second[static_cast<std::size_t>(reply.call.column)] = reply.answer.value;
  }
  Trace out;
  for (const auto& [of, row] : known) {
    const Collected* heading = engine_.program.FindCollected(of.first);
    if (heading == nullptr || std::ranges::none_of(row, [](Value v) { return v.is_none(); }))
      continue;
    OpenCall call;
    call.space = Space::kRelation;
    call.relation = of.first;
    call.args = of.second;
    std::vector<Value> bindings;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i].is_none() || !call.args[i].is_none()) continue;
      const Question& q = engine_.program.QuestionOf(*heading, i);
      bindings.push_back(engine_.pool.Slot(q.name));
      bindings.push_back(row[i]);
    }
    out.push_back(HalfAnswered(engine_.solver.CallText(call), derivations_.BindingsText(bindings)));
    const auto by = parties.find(CallId{of.first, of.second});
    if (by != parties.end()) out.back().by = by->second;
  }
  return out;
}

// --- phase 2: facts and rules of the user --------------------------------------------

// Not where a session is replayed: what it recorded was taken.
bool Runtime::FiltersGuardData() const {
  const bool live = options_.journal == nullptr || options_.journal->live();
  return live && options_.door && !options_.of_library;
}

void Runtime::TakeIn(const Document& document, From from, By by, Diagnostics& out) {
  novelty_.push_back({engine_.program.Load(document, out, from == From::kDocument), from, by});
  Said& said = novelty_.back();
  if (from == From::kMessage && FiltersGuardData()) door_->FilterGuardData(said.what, out);
  const auto who = [&](Span span) { return ByOf(said, span); };
  if (from == From::kTrace && options_.door) door_->FilterTrace(said.what, who, out);
  door_->Note(said.what,
              [&](Span span) { return from == From::kDocument || who(span) == By::kProgram; });
}

void Runtime::TakeIn(Novelty facts) {
  if (facts.given) engine_.store.Give(facts.given->first, facts.given->second);
  door_->Note(facts, [](Span) { return true; });
  novelty_.push_back({std::move(facts), From::kFacts, By::kProgram});
}

std::optional<Refused> Runtime::TakeInSaid(const Document& document, By by, bool live,
                                           Diagnostics& out) {
  for (std::size_t i = 0; live && i < document.sentences.size(); ++i)
    if (auto refused = door_->RefusalOf(document.sentences[i].sentence, by)) return refused;
  Novelty said = engine_.program.Load(document, out, false);
  if (live)
    if (auto refused = door_->RefusalOf(said, by)) return refused;
  novelty_.push_back({std::move(said), From::kMessage, by});
  return std::nullopt;
}

void Runtime::AssertInputNovelty(StepState& step) {
  Begin(2, "assert input novelty");
  const Sources& sources = engine_.program.sources();
  for (; rules_known_ < engine_.program.definitions().size(); ++rules_known_)
    if (const Definition& def = engine_.program.definitions()[rules_known_];
        sources.at(def.span.file).name != kLibrary)
      recorder_.Log(Verb::kRule, def);
  for (; constraints_known_ < engine_.program.constraints().size(); ++constraints_known_)
    if (!engine_.program.constraints()[constraints_known_].left.empty())
      recorder_.Log(Verb::kConstraint, engine_.program.constraints()[constraints_known_]);
  facts_.Finish();
  while (!novelty_.empty()) {
    Said& said = novelty_.front();
    if (said.from == From::kFacts && options_.door)
      door_->FilterFacts(said.what, source_feed_.findings());
    const bool of_push = source_feed_.IsPushed(said);
    said.what.ForEach(
        engine_.store,
        [&](RelationId relation, std::span<const Value> row, Span span) {
          if (!of_push) source_feed_.NoteStated(relation);
          AssertFact(relation, row, span, said);
        },
        [&](const Assertion& a) {
          if (!of_push) source_feed_.NoteStated(a.relation);
          Assert(a, said);
        },
        [&](const HalfAnswer& half) { TakeHalf(half, said); },
        [&](const QuestionEntry& entry) { TakeQuestion(entry, said); });
    for (const SourceSentence& sentence : said.what.sources)
      source_feed_.TakeSentence(sentence, said.from, said.by);
    novelty_.pop_front();
  }
  if (engine_.IsStale()) {
    DropOvertakenTruths();
    PrepareProgram();
  }
  if (query_ != nullptr && engine_.AddReader(*query_)) PrepareProgram();
  if (source_feed_.PushDown(query_)) {
    DropOvertakenTruths();
    PrepareProgram();
  }
  step.awaits_sources = source_feed_.Awaits();
}

// Puts the program into effect as it is now; its findings are told again.
void Runtime::PrepareProgram() {
  engine_.Prepare();
  goals_.standing.clear();
  bad_heads_known_ = 0;
}

// Who states a sentence. A trace of the session says so by line (LoadTrace).
By Runtime::ByOf(const Said& said, Span span) const {
  if (said.from != From::kTrace) return said.by;
  const auto line = static_cast<std::size_t>(sources_.PlaceOf(span.file, span.begin).line);
  return line <= trace_by_.size() ? trace_by_[line - 1] : By::kHost;
}

// Asserts a plain fact: like an Assertion without metadata that is not from a trace.
void Runtime::AssertFact(RelationId relation, std::span<const Value> row, Span span,
                         const Said& said) {
  const By by = ByOf(said, span);
  facts_.InsertPlain(relation, row, {.origin = &span, .by = RowsBy::Bit(by)});  // it has no sets
  facts_.NoteAsserted(relation, row);
  if (recorder_.Logs()) recorder_.Log(Verb::kAsserted, RowText(relation, row), span);
  if (said.from == From::kMessage)
    recorder_.Entry({.kind = TraceEntry::Kind::kFact,
                     .text = RowText(relation, row) + " -> true",
                     .by = by,
                     .place = span});
}

// Whether the fact says that a call was declined: `$ask("Q") ^ ~ {:status :declined}`.
bool Runtime::SaysDeclined(const Assertion& a) const {
  const Space space = engine_.store.at(a.relation).space();
  const Pool& pool = engine_.pool;
  return (space == Space::kTool || space == Space::kAvar) && !a.meta.is_none() &&
         pool.Lookup(a.meta, engine_.pool.Keyword("status")) == engine_.pool.Keyword("declined");
}

void Runtime::Assert(const Assertion& a, const Said& said) {
  const Relation& rel = engine_.store.at(a.relation);
  const bool stated = said.from == From::kDocument;
  const By by = ByOf(said, a.span);
  if (a.truth) {
    // A trace records that a goal was satisfied; its rules decide whether it is now.
    const bool told = rel.space() == Space::kGoal && a.trace && !a.assumed;
    if (told && HasRules(a.relation)) return recorder_.Log(Verb::kLeftToRules, a.text, a.span);
    if (told) goals_.told_truths.push_back(a);
    const Collected* collected = a.trace ? engine_.program.FindCollected(a.relation) : nullptr;
    // The trace of a reply is no fact of the program, which would suppress asking. That of an
    // earlier epoch is in no file, so the reply of a call has no place either.
    const bool of_call = rel.space() == Space::kTool || rel.space() == Space::kAvar;
    const bool reply = collected != nullptr || (of_call && said.from == From::kTrace);
    if (SaysDeclined(a)) calls_.declined.insert({a.relation, a.row});
    else
      facts_.Insert(a.relation, a.row,
                    {a.meta, reply ? nullptr : &a.span, a.orders, RowsBy::Bit(by)});
    if (rel.space() == Space::kTool && said.from == From::kTrace)
      permission_.CountEarlier(a.relation, a.row);
    if (collected != nullptr) {
      for (std::size_t i = 0; i < a.row.size(); ++i) TakeAvar(*collected, i, a.row[i], by);
      engine_.solver.ForgetArguments(a.relation, a.row);
    }
    facts_.NoteAsserted(a.relation, a.row);
    if (recorder_.Logs())
      recorder_.Log(Verb::kAsserted, a.text.empty() ? RowText(a.relation, a.row) : a.text, a.span);
    if (said.from == From::kSource) return;
    if (said.from != From::kTrace) {
      const bool told_now = said.from == From::kMessage && rel.space() == Space::kRelation;
      TraceEntry entry{
          .kind = TraceEntry::Kind::kFact, .stated = stated, .by = by, .place = a.span};
      if (rel.space() == Space::kTool) entry.answered = Answered(a.relation, a.row, a.meta);
      if (a.trace || (told_now && !a.text.empty())) entry.text = a.text;
      else if (told_now) entry.text = RowText(a.relation, a.row) + " -> true";
      if (!entry.text.empty()) recorder_.Entry(std::move(entry));
    } else if (told) {
      recorder_.Add({.kind = TraceEntry::Kind::kGoal,
                     .timestep = recorder_.timestep(),
                     .phase = recorder_.phase(),
                     .text = a.text,
                     .again = true,
                     .place = a.span});
    }
    return;
  }
  facts_.MayHaveFallen();
  if (rel.space() == Space::kGoal) {
    // %goal ^ false: retracts every recorded truth with these captures.
    Relation& truths = engine_.store.at(a.relation);
    const std::span<const Value> wanted = engine_.pool.ItemsOf(a.row.front());
    truths.Rebuild([&](RowId row) {
      for (std::size_t i = 0; i < wanted.size(); i += 2)
        if (engine_.pool.Lookup(truths.Row(row)[0], wanted[i]) != wanted[i + 1]) return true;
      return false;
    });
  } else {
    const bool failure = rel.space() == Space::kTool && rel.Find(a.row) != kNoId &&
                         SaysFailed(engine_.pool, rel.Meta(rel.Find(a.row)));
    facts_.TakeBack(a.relation, a.row, said.from == From::kDecision || failure ? By::kProgram : by);
    if (calls_.declined.erase({a.relation, a.row}) == 0) facts_.NoteRetracted(a);
  }
  recorder_.Log(Verb::kRetracted, a.text, a.span);
  if (!IsRecorded(said.from)) return;
  TraceEntry entry{.kind = TraceEntry::Kind::kRetraction,
                   .text = a.text,
                   .stated = stated,
                   .by = by,
                   .place = a.span};
  const bool of_call = rel.space() != Space::kRelation && rel.space() != Space::kGoal;
  if (of_call || engine_.program.FindCollected(a.relation) != nullptr)
    entry.answered = Answered(a.relation, a.row, kNone);
  recorder_.Entry(std::move(entry));
}

// A question that was declined or answered with rows, or for which that is taken back.
void Runtime::TakeQuestion(const QuestionEntry& entry, const Said& said) {
  const CallId id = {entry.relation, entry.key};
  const By by = ByOf(said, entry.span);
  if (!entry.declined) TakeRows(entry.relation, entry.key, entry.rows, entry.truth, by);
  else if (entry.truth) calls_.declined.insert(id);
  else calls_.declined.erase(id);
  recorder_.Log(entry.truth ? Verb::kAsserted : Verb::kRetracted, entry.text, entry.span);
  if (!entry.truth) facts_.MayHaveFallen();
  if (!IsRecorded(said.from)) return;
  TraceEntry out{.kind = entry.truth ? TraceEntry::Kind::kFact : TraceEntry::Kind::kRetraction,
                 .text = entry.text,
                 .stated = said.from == From::kDocument,
                 .by = by,
                 .place = entry.span};
  out.answered = Answered(entry.relation, entry.key, kNone);
  recorder_.Entry(std::move(out));
}

void Runtime::TakeHalf(const HalfAnswer& half, const Said& said) {
  const By by = ByOf(said, half.span);
  calls_.halves.insert_or_assign({half.relation, half.key}, by);
  if (const Collected* collected = engine_.program.FindCollected(half.relation))
    for (std::size_t i = 0; i < half.row.size(); ++i)
      if (half.key[i].is_none() && !half.row[i].is_none()) TakeAvar(*collected, i, half.row[i], by);
  engine_.solver.TakeArguments(half.relation, half.key, half.row);
  recorder_.Log(Verb::kAsserted, half.text, half.span);
  if (IsRecorded(said.from))
    recorder_.Entry({.kind = TraceEntry::Kind::kFact,
                     .text = half.text,
                     .stated = said.from == From::kDocument,
                     .by = by,
                     .place = half.span});
}

}  // namespace rpl
