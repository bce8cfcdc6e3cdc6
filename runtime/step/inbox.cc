// SPDX-License-Identifier: Apache-2.0
#include "runtime/step/inbox.h"

#include <algorithm>
#include <utility>

#include "grammar/namespaces.h"
#include "interp/eval/engine.h"
#include "interp/eval/solver.h"
#include "interp/plan/analysis.h"
#include "interp/program/metadata.h"
#include "interp/program/novelty_walk.h"
#include "interp/program/program.h"
#include "interp/store/store.h"
#include "runtime/facts/call_book.h"
#include "runtime/facts/derivation.h"
#include "runtime/facts/door.h"
#include "runtime/facts/fact_writer.h"
#include "runtime/facts/goal_record.h"
#include "runtime/facts/recorder.h"
#include "runtime/facts/said.h"
#include "runtime/facts/source_feed.h"
#include "runtime/record/journal.h"
#include "runtime/step/call_permission.h"

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

// What the metadata say of an answer that a model gave: `:generated true` and its name.
void AddGenerated(Pool& pool, const Answer& answer, std::vector<Value>& to) {
  if (answer.model.empty()) return;
  to.insert(to.end(),
            {pool.Keyword("generated"), kTrue, pool.Keyword("model"), pool.String(answer.model)});
}

// The metadata of a row that an answer states; kNone without any.
Value GeneratedMeta(Pool& pool, const Answer& answer) {
  std::vector<Value> entries;
  AddGenerated(pool, answer, entries);
  return entries.empty() ? kNone : pool.Map(entries);
}

// The metadata of a result.
Value MetaOf(Pool& pool, const Answer& answer) {
  if (answer.kind == Answer::Kind::kValue) {
    std::vector<Value> entries = {pool.Keyword("result"), answer.value};
    AddGenerated(pool, answer, entries);
    return pool.Map(entries);
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

// Whether what comes from there gets an entry in the trace: a trace has its own, and a source that
// of its call.
bool IsRecorded(From from) { return from != From::kTrace && from != From::kSource; }

}  // namespace

// --- phase 1: resolved calls enter as ground facts (§13.3) ---------------------------

void Inbox::TakeReplies() {
  run_.calls.refused.merge(std::exchange(run_.calls.refusals, {}));
  for (const Way& way : std::exchange(decisions_, {})) {
    run_.recorder.Log(Verb::kDecided, way.name);
    Assertion does = way.does;
    if (does.relation == kNoId) continue;
    if (Value& first = does.row.front(); first.is_none()) first = engine_.pool.Map({});
    run_.said.push_back({{}, From::kDecision, way.by});
    run_.said.back().what.assertions.push_back(std::move(does));
  }
  while (!run_.calls.replies.empty()) {
    CallReply reply = std::move(run_.calls.replies.front());
    run_.calls.replies.pop_front();
    if (run_.permission.TakesIn(reply)) TakeReply(std::move(reply));
  }
}

std::string Inbox::RowText(RelationId relation, std::span<const Value> row) const {
  return run_.derivations.RowText(relation, row);
}

void Inbox::TakeReply(CallReply reply) {
  const OpenCall& call = reply.call;
  TraceEntry entry = EntryToCome(call, reply.answer);
  const std::string text = engine_.solver.CallText(call);
  if (reply.answer.kind == Answer::Kind::kDecline) {
    run_.calls.declined.insert(engine_.solver.IdOf(call));
    run_.recorder.Log(Verb::kDeclined, text, call.place);
    return run_.recorder.Entry(std::move(entry));
  }
  if (call.space == Space::kRelation && !TakesRows(call))
    return TakeArgument(reply, std::move(entry));
  if (call.space == Space::kRelation) {
    TakeRows(call.relation, call.args, reply.answer.value, true,
             {GeneratedMeta(engine_.pool, reply.answer), reply.answer.by});
    run_.recorder.Log(Verb::kResolved, text + " = " + Text(engine_.pool, reply.answer.value),
                      call.place);
    return run_.recorder.Entry(std::move(entry));
  }
  const Value meta = MetaOf(engine_.pool, reply.answer);
  run_.facts.Insert(call.relation, FactOfCall(engine_.pool, call.args),
                    {.meta = meta, .by = PartyBit(reply.answer.by)});
  run_.recorder.Log(Verb::kAsserted, text + " ^ ~ " + Text(engine_.pool, meta) + " -> true",
                    call.place);
  run_.sources.TakeReply(call);
  if (reply.answer.kind == Answer::Kind::kNotRun) run_.calls.not_run.push_back(call);
  else run_.recorder.Entry(std::move(entry));
}

// One argument of a collected heading; the fact is asserted when all are known.
void Inbox::TakeArgument(const CallReply& reply, TraceEntry entry) {
  const OpenCall& call = reply.call;
  const By by = CallBook::NoteHalf(run_.calls.halves, reply);
  TakeAvar(*engine_.program.FindCollected(call.relation), static_cast<std::size_t>(call.column),
           reply.answer.value, reply.answer.by);
  const std::string text = engine_.solver.CallText(call);
  const std::vector<Value> row = engine_.solver.TakeArgument(call, reply.answer.value);
  run_.recorder.Log(Verb::kResolved, text + " = " + Text(engine_.pool, reply.answer.value),
                    call.place);
  if (row.empty()) return;
  run_.facts.Insert(call.relation, FactOfRow(engine_.pool, call.args, row),
                    {.meta = GeneratedMeta(engine_.pool, reply.answer), .by = PartyBit(by)});
  run_.calls.halves.erase({call.relation, call.args});
  run_.recorder.Log(Verb::kAsserted, RowText(call.relation, row), call.place);
  run_.recorder.Entry(std::move(entry));
}

// An argument of a heading that is an avar has its value for the whole run (decision 53).
void Inbox::TakeAvar(const Collected& collected, std::size_t column, Value value, By by) {
  const ArgumentQuestion& q = engine_.program.QuestionOf(collected, column);
  if (!q.subject.starts_with('$')) return;
  run_.facts.Insert(
      engine_.store.Declare(Space::kAvar, q.name, 0), {},
      {.meta = MetaOf(engine_.pool, {Answer::Kind::kValue, value}), .by = PartyBit(by)});
}

// Whether the call asks for rows of a heading.
bool Inbox::TakesRows(const OpenCall& call) const {
  return call.space == Space::kRelation && engine_.analysis.UseOf(call.relation).many;
}

// Asserts or retracts the rows that answer a question about a heading called with `key`.
void Inbox::TakeRows(RelationId relation, std::span<const Value> key, Value rows, bool truth,
                     Origin from) {
  for (const std::vector<Value>& row :
       RowsOfAnswer(engine_.pool, FactOfCall(engine_.pool, key), rows)) {
    if (truth) {
      run_.facts.Insert(relation, row, {.meta = from.meta, .by = PartyBit(from.by)});
      run_.facts.NoteAsserted(relation, row);
    } else {
      run_.facts.TakeBack(relation, row, from.by);
    }
    run_.recorder.Log(truth ? Verb::kAsserted : Verb::kRetracted, RowText(relation, row));
  }
  engine_.solver.Settle(relation, {key.begin(), key.end()}, truth);
}

TraceEntry Inbox::EntryToCome(const OpenCall& call, const Answer& answer) const {
  TraceEntry out{.kind = TraceEntry::Kind::kReply,
                 .timestep = run_.recorder.timestep() + 1,
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
    out.text = run_.derivations.CollectedText(*engine_.program.FindCollected(call.relation),
                                              FactOfRow(engine_.pool, call.args, row), false);
    if (const Value meta = GeneratedMeta(engine_.pool, answer); !meta.is_none())
      out.text += " ^ ~ " + Text(engine_.pool, meta);
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
AnsweredCall Inbox::Answered(RelationId relation, std::span<const Value> row, Value meta) const {
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

TraceEntry Inbox::EntryToCome(const Way& way) const {
  return {.kind = way.does.truth ? TraceEntry::Kind::kFact : TraceEntry::Kind::kRetraction,
          .timestep = run_.recorder.timestep() + 1,
          .phase = 2,
          .text = way.does.text,
          .by = way.by};
}

Trace Inbox::EntriesToCome() const {
  Trace out;
  for (const Way& way : decisions_)
    if (!way.does.text.empty()) out.push_back(EntryToCome(way));
  for (const CallReply& reply : run_.calls.replies)
    if (TraceEntry entry = EntryToCome(reply.call, reply.answer); !entry.text.empty())
      out.push_back(std::move(entry));
  return out;
}

HeadingPart Inbox::PartOf(const OpenCall& call) const {
  if (call.space != Space::kRelation ||
      std::ranges::count_if(call.args, [](Value v) { return v.is_none(); }) < 2)
    return {};
  const Collected& heading = *engine_.program.FindCollected(call.relation);
  const int question = heading.questions[static_cast<std::size_t>(call.column)];
  OpenCall whole = call;
  whole.question = -1;
  return {engine_.solver.CallText(whole), "?" + engine_.program.QuestionAt(question).name};
}

Trace Inbox::HalfAnswers() const {
  Solver::Arguments known = engine_.solver.arguments();
  std::map<CallId, By> parties = run_.calls.halves;
  for (const CallReply& reply : run_.calls.replies) {
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
      const ArgumentQuestion& q = engine_.program.QuestionOf(*heading, i);
      bindings.push_back(engine_.pool.Slot(q.name));
      bindings.push_back(row[i]);
    }
    out.push_back(
        HalfAnswered(engine_.solver.CallText(call), run_.derivations.BindingsText(bindings)));
    const auto by = parties.find(CallId{of.first, of.second});
    if (by != parties.end()) out.back().by = by->second;
  }
  return out;
}

// --- phase 2: facts and rules of the user --------------------------------------------

bool Inbox::FiltersGuardData() const {
  const bool live = run_.options.journal == nullptr || run_.options.journal->live();
  return live && run_.options.door && !run_.options.of_library;
}

void Inbox::Put(const Document& document, From from, By by, Diagnostics& out) {
  run_.said.push_back({engine_.program.Load(document, out, from == From::kDocument), from, by});
  Said& said = run_.said.back();
  if (from == From::kMessage && FiltersGuardData()) run_.door.FilterGuardData(said.what, out);
  const auto who = [&](Span span) { return ByOf(said, span); };
  if (from == From::kTrace && run_.options.door) run_.door.FilterTrace(said.what, who, out);
  run_.door.Note(said.what,
                 [&](Span span) { return from == From::kDocument || who(span) == By::kProgram; });
}

void Inbox::Put(Assertion fact) {
  run_.said.push_back({{}, From::kDecision, By::kHost});
  run_.said.back().what.assertions.push_back(std::move(fact));
}

void Inbox::Put(Novelty facts) {
  if (facts.given) engine_.store.Give(facts.given->first, facts.given->second);
  run_.door.Note(facts, [](Span) { return true; });
  run_.said.push_back({std::move(facts), From::kFacts, By::kProgram});
}

std::optional<Refused> Inbox::PutSaid(const Document& document, By by, bool live,
                                      Diagnostics& out) {
  for (std::size_t i = 0; live && i < document.sentences.size(); ++i)
    if (auto refused = run_.door.RefusalOf(document.sentences[i].sentence, by)) return refused;
  Novelty said = engine_.program.Load(document, out, false);
  if (live)
    if (auto refused = run_.door.RefusalOf(said, by)) return refused;
  run_.said.push_back({std::move(said), From::kMessage, by});
  return std::nullopt;
}

void Inbox::TakeNovelty() {
  LogRules();
  run_.facts.Finish();
  while (!run_.said.empty()) {
    Said& said = run_.said.front();
    if (said.from == From::kFacts && run_.options.door)
      run_.door.FilterFacts(said.what, run_.sources.findings());
    const bool pushed = run_.sources.IsPushed(said);
    said.what.Take(
        engine_.store,
        [&](RelationId relation, std::span<const Value> row, Span span) {
          if (!pushed) run_.sources.NoteStated(relation);
          AssertFact(relation, row, span, said);
        },
        [&](const Assertion& a) {
          if (!pushed) run_.sources.NoteStated(a.relation);
          if (a.truth) Assert(a, said);
          else Retract(a, said);
        },
        [&](const HalfAnswer& half) { TakeHalf(half, said); },
        [&](const QuestionEntry& entry) { TakeQuestion(entry, said); });
    for (const SourceSentence& sentence : said.what.sources)
      run_.sources.TakeSentence(sentence, said.from, said.by);
    run_.said.pop_front();
  }
}

// Logs the rules and constraints that joined the program since.
void Inbox::LogRules() {
  const Sources& texts = engine_.program.sources();
  for (; rules_known_ < engine_.program.definitions().size(); ++rules_known_)
    if (const Definition& def = engine_.program.definitions()[rules_known_];
        texts.at(def.span.file).name != kLibrary)
      run_.recorder.Log(Verb::kRule, def);
  for (; constraints_known_ < engine_.program.constraints().size(); ++constraints_known_)
    if (!engine_.program.constraints()[constraints_known_].left.empty())
      run_.recorder.Log(Verb::kConstraint, engine_.program.constraints()[constraints_known_]);
}

// Who states a sentence. A trace of the session says so by line (LoadTrace).
By Inbox::ByOf(const Said& said, Span span) const {
  if (said.from != From::kTrace) return said.by;
  const auto line = static_cast<std::size_t>(engine_.sources.PlaceOf(span.file, span.begin).line);
  return line <= trace_by_.size() ? trace_by_[line - 1] : By::kHost;
}

// Asserts a plain fact: like an Assertion without metadata that is not from a trace.
void Inbox::AssertFact(RelationId relation, std::span<const Value> row, Span span,
                       const Said& said) {
  const By by = ByOf(said, span);
  run_.facts.InsertPlain(relation, row, {.origin = &span, .by = PartyBit(by)});  // it has no sets
  run_.facts.NoteAsserted(relation, row);
  if (run_.recorder.Logs()) run_.recorder.Log(Verb::kAsserted, RowText(relation, row), span);
  if (said.from == From::kMessage)
    run_.recorder.Entry({.kind = TraceEntry::Kind::kFact,
                         .text = RowText(relation, row) + " -> true",
                         .by = by,
                         .place = span});
}

// Whether the fact says that a call was declined: `$ask("Q") ^ ~ {:status :declined}`.
bool Inbox::SaysDeclined(const Assertion& a) const {
  const Space space = engine_.store.at(a.relation).space();
  const Pool& pool = engine_.pool;
  return (space == Space::kTool || space == Space::kAvar) && !a.meta.is_none() &&
         pool.Lookup(a.meta, engine_.pool.Keyword("status")) == engine_.pool.Keyword("declined");
}

void Inbox::Assert(const Assertion& a, const Said& said) {
  const Relation& rel = engine_.store.at(a.relation);
  const bool stated = said.from == From::kDocument;
  const By by = ByOf(said, a.span);
  // A trace records that a goal was satisfied; its rules decide whether it is now.
  const bool told = rel.space() == Space::kGoal && a.trace && !a.assumed;
  if (told && HasRules(engine_, a.relation))
    return run_.recorder.Log(Verb::kLeftToRules, a.text, a.span);
  if (told) run_.goals.told_truths.push_back(a);
  const Collected* collected = a.trace ? engine_.program.FindCollected(a.relation) : nullptr;
  // The trace of a reply is no fact of the program, which would suppress asking. That of an
  // earlier epoch is in no file, so the reply of a call has no place either.
  const bool of_call = rel.space() == Space::kTool || rel.space() == Space::kAvar;
  const bool reply = collected != nullptr || (of_call && said.from == From::kTrace);
  if (SaysDeclined(a)) run_.calls.declined.insert({a.relation, a.row});
  else
    run_.facts.Insert(a.relation, a.row,
                      {a.meta, reply ? nullptr : &a.span, a.orders, PartyBit(by)});
  if (rel.space() == Space::kTool && said.from == From::kTrace)
    run_.permission.CountEarlier(a.relation, a.row);
  if (collected != nullptr) {
    for (std::size_t i = 0; i < a.row.size(); ++i) TakeAvar(*collected, i, a.row[i], by);
    engine_.solver.ForgetArguments(a.relation, a.row);
  }
  run_.facts.NoteAsserted(a.relation, a.row);
  if (run_.recorder.Logs())
    run_.recorder.Log(Verb::kAsserted, a.text.empty() ? RowText(a.relation, a.row) : a.text,
                      a.span);
  if (said.from == From::kSource) return;
  if (said.from != From::kTrace) {
    const bool told_now = said.from == From::kMessage && rel.space() == Space::kRelation;
    TraceEntry entry{.kind = TraceEntry::Kind::kFact, .stated = stated, .by = by, .place = a.span};
    if (rel.space() == Space::kTool) entry.answered = Answered(a.relation, a.row, a.meta);
    if (a.trace || (told_now && !a.text.empty())) entry.text = a.text;
    else if (told_now) entry.text = RowText(a.relation, a.row) + " -> true";
    if (!entry.text.empty()) run_.recorder.Entry(std::move(entry));
  } else if (told) {
    run_.recorder.Add({.kind = TraceEntry::Kind::kGoal,
                       .timestep = run_.recorder.timestep(),
                       .phase = run_.recorder.phase(),
                       .text = a.text,
                       .again = true,
                       .place = a.span});
  }
}

void Inbox::Retract(const Assertion& a, const Said& said) {
  const Relation& rel = engine_.store.at(a.relation);
  const bool stated = said.from == From::kDocument;
  const By by = ByOf(said, a.span);
  run_.facts.MayHaveFallen();
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
    run_.facts.TakeBack(a.relation, a.row,
                        said.from == From::kDecision || failure ? By::kProgram : by);
    if (run_.calls.declined.erase({a.relation, a.row}) == 0) run_.facts.NoteRetracted(a);
  }
  run_.recorder.Log(Verb::kRetracted, a.text, a.span);
  if (!IsRecorded(said.from)) return;
  TraceEntry entry{.kind = TraceEntry::Kind::kRetraction,
                   .text = a.text,
                   .stated = stated,
                   .by = by,
                   .place = a.span};
  const bool of_call = rel.space() != Space::kRelation && rel.space() != Space::kGoal;
  if (of_call || engine_.program.FindCollected(a.relation) != nullptr)
    entry.answered = Answered(a.relation, a.row, kNone);
  run_.recorder.Entry(std::move(entry));
}

// A question that was declined or answered with rows, or for which that is taken back.
void Inbox::TakeQuestion(const QuestionEntry& entry, const Said& said) {
  const CallId id = {entry.relation, entry.key};
  const By by = ByOf(said, entry.span);
  if (!entry.declined) TakeRows(entry.relation, entry.key, entry.rows, entry.truth, {kNone, by});
  else if (entry.truth) run_.calls.declined.insert(id);
  else run_.calls.declined.erase(id);
  run_.recorder.Log(entry.truth ? Verb::kAsserted : Verb::kRetracted, entry.text, entry.span);
  if (!entry.truth) run_.facts.MayHaveFallen();
  if (!IsRecorded(said.from)) return;
  TraceEntry out{.kind = entry.truth ? TraceEntry::Kind::kFact : TraceEntry::Kind::kRetraction,
                 .text = entry.text,
                 .stated = said.from == From::kDocument,
                 .by = by,
                 .place = entry.span};
  out.answered = Answered(entry.relation, entry.key, kNone);
  run_.recorder.Entry(std::move(out));
}

void Inbox::TakeHalf(const HalfAnswer& half, const Said& said) {
  const By by = ByOf(said, half.span);
  run_.calls.halves.insert_or_assign({half.relation, half.key}, by);
  if (const Collected* collected = engine_.program.FindCollected(half.relation))
    for (std::size_t i = 0; i < half.row.size(); ++i)
      if (half.key[i].is_none() && !half.row[i].is_none()) TakeAvar(*collected, i, half.row[i], by);
  engine_.solver.TakeArguments(half.relation, half.key, half.row);
  run_.recorder.Log(Verb::kAsserted, half.text, half.span);
  if (IsRecorded(said.from))
    run_.recorder.Entry({.kind = TraceEntry::Kind::kFact,
                         .text = half.text,
                         .stated = said.from == From::kDocument,
                         .by = by,
                         .place = half.span});
}

}  // namespace rpl
