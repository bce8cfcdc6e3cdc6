// SPDX-License-Identifier: Apache-2.0
//
// Phases 1 and 2: what is new since the last timestep becomes facts. Replies, decisions and
// texts wait in queues; here they are taken from them, in order, asserted or retracted, and
// those that the program did not say itself are recorded.
//
// What a reply will be in the trace is known before its timestep (EntriesToCome), because a
// session may end in between.
#include <algorithm>
#include <utility>

#include "runtime/timestep.h"

namespace rpl {
namespace {

// The metadata of a result.
Value MetaOf(Pool& pool, const Answer& answer) {
  if (answer.kind != Answer::Kind::kValue) return answer.value;
  const Value entry[] = {pool.Keyword("result"), answer.value};
  return pool.Map(entry);
}

}  // namespace

// --- phase 1: resolved calls enter as ground facts (§13.3) ---------------------------

void Runtime::AssertNewAvars() {
  Begin(1, "assert new avars");
  refused_.merge(std::exchange(refusals_, {}));
  for (const Failing::Way& way : std::exchange(decisions_, {})) {
    Log("decided " + way.name);
    Assertion does = way.does;
    if (does.relation == kNoId) continue;
    if (Value& first = does.row.front(); first.is_none()) first = engine_.pool.Map({});
    novelty_.push_back({{}, From::kDecision});
    novelty_.back().what.assertions.push_back(std::move(does));
  }
  while (!replies_.empty()) {
    const Reply reply = std::move(replies_.front());
    replies_.pop_front();
    if (!TakesIn(reply)) continue;
    const std::string text = engine_.solver.machine().CallText(reply.call);
    const std::string sentence = EntryToCome(reply.call, reply.answer).text;
    if (reply.answer.kind == Answer::Kind::kDecline) {
      declined_.insert(text);
      Log("declined " + text);
      continue;
    }
    if (reply.call.space == Space::kRelation) {
      // One argument of a collected heading; the fact is asserted once all are there.
      const auto column = static_cast<std::size_t>(reply.call.column);
      TakeAvar(*engine_.program.FindCollected(reply.call.relation), column, reply.answer.value);
      const std::vector<Value> row = engine_.solver.TakeArgument(reply.call, reply.answer.value);
      Log("resolved " + text + " = " + Text(engine_.pool, reply.answer.value));
      if (row.empty()) continue;
      engine_.store.Insert(reply.call.relation, row, true);
      Log("asserted " + RowText(reply.call.relation, row));
      Record(TraceEntry::Kind::kReply, sentence);
      continue;
    }
    const Value meta = MetaOf(engine_.pool, reply.answer);
    engine_.store.Insert(reply.call.relation, reply.call.args, true, meta);
    Log("asserted " + text + " ^ ~ " + Text(engine_.pool, meta) + " -> true");
    if (reply.answer.kind == Answer::Kind::kNotRun) not_run_.push_back(reply.call);
    else Record(TraceEntry::Kind::kReply, sentence);
  }
}

// An argument of a heading that is an avar has its value for the whole run (decision 53).
void Runtime::TakeAvar(const Collected& collected, std::size_t column, Value value) {
  const Question& q =
      engine_.program.questions()[static_cast<std::size_t>(collected.questions[column])];
  if (!q.subject.starts_with('$')) return;
  engine_.store.Insert(engine_.store.Declare(Space::kAvar, q.name, 0), {}, true,
                       MetaOf(engine_.pool, {Answer::Kind::kValue, value}));
}

// What a reply will be in the trace; without text when it makes no entry, or none yet.
TraceEntry Runtime::EntryToCome(const OpenCall& call, const Answer& answer) {
  TraceEntry out{TraceEntry::Kind::kReply, timestep_ + 1, 1, ""};
  if (answer.kind != Answer::Kind::kValue && answer.kind != Answer::Kind::kMeta) return out;
  if (call.space == Space::kRelation) {
    const std::vector<Value> row = engine_.solver.RowWith(call, answer.value);
    if (!row.empty())
      out.text =
          derivations_.CollectedText(*engine_.program.FindCollected(call.relation), row, false) +
          " -> true";
    return out;
  }
  out.text = engine_.solver.machine().CallText(call) + " ^ ~ " +
             Text(engine_.pool, MetaOf(engine_.pool, answer)) + " -> true";
  return out;
}

Trace Runtime::EntriesToCome() {
  Trace out;
  for (const Failing::Way& way : decisions_) out.push_back(EntryToCome(way));
  for (const Reply& reply : replies_)
    if (TraceEntry entry = EntryToCome(reply.call, reply.answer); !entry.text.empty())
      out.push_back(std::move(entry));
  return out;
}

// The argument that the call asks for, when its heading asks for others, too.
HeadingPart Runtime::PartOf(const OpenCall& call) const {
  if (call.space != Space::kRelation ||
      std::ranges::count_if(call.args, [](Value v) { return v.is_none(); }) < 2)
    return {};
  const Collected& heading = *engine_.program.FindCollected(call.relation);
  const int question = heading.questions[static_cast<std::size_t>(call.column)];
  OpenCall whole = call;
  whole.question = -1;
  return {engine_.solver.machine().CallText(whole),
          "?" + engine_.program.questions()[static_cast<std::size_t>(question)].name};
}

Trace Runtime::HalfAnswers() {
  Solver::Arguments known = engine_.solver.arguments();
  for (const Reply& reply : replies_) {
    if (reply.call.space != Space::kRelation || reply.answer.kind != Answer::Kind::kValue) continue;
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
      const Question& q =
          engine_.program.questions()[static_cast<std::size_t>(heading->questions[i])];
      bindings.push_back(engine_.pool.Slot(q.name));
      bindings.push_back(row[i]);
    }
    out.push_back(
        HalfAnswered(engine_.solver.machine().CallText(call), derivations_.BindingsText(bindings)));
  }
  return out;
}

// --- phase 2: facts and rules of the user --------------------------------------------

void Runtime::TakeIn(const Document& document, From from, Diagnostics& out) {
  novelty_.push_back({engine_.program.Load(document, out), from});
}

void Runtime::AssertInputNovelty() {
  Begin(2, "assert input novelty");
  for (; rules_known_ < engine_.program.definitions().size(); ++rules_known_)
    Log("rule " + engine_.program.definitions()[rules_known_].text);
  for (; constraints_known_ < engine_.program.constraints().size(); ++constraints_known_)
    if (!engine_.program.constraints()[constraints_known_].left.empty())
      Log("constraint " + engine_.program.constraints()[constraints_known_].text);
  while (!novelty_.empty()) {
    const Said& said = novelty_.front();
    said.what.ForEach(
        engine_.store,
        [&](RelationId relation, std::span<const Value> row, Span span) {
          AssertFact(relation, row, span, said.from);
        },
        [&](const Assertion& a) { Assert(a, said.from); });
    for (const HalfAnswer& half : said.what.half_answers) TakeHalf(half, said.from);
    novelty_.pop_front();
  }
  if (!engine_.IsStale()) return;
  DropOvertakenTruths();
  engine_.Prepare();
  bad_heads_known_ = 0;
}

// A plain fact: like an assertion without metadata that is no trace.
void Runtime::AssertFact(RelationId relation, std::span<const Value> row, Span span, From from) {
  engine_.store.Insert(relation, row, true, kNone, &span);
  NoLongerRetracted(relation, row);
  if (options_.log) Log("asserted " + RowText(relation, row));
  if (from == From::kMessage) Record(TraceEntry::Kind::kFact, RowText(relation, row) + " -> true");
}

void Runtime::NoLongerRetracted(RelationId relation, std::span<const Value> row) {
  std::erase_if(retracted_, [&](const Assertion& r) {
    return r.relation == relation && std::ranges::equal(r.row, row);
  });
}

void Runtime::Assert(const Assertion& a, From from) {
  const Relation& rel = engine_.store.at(a.relation);
  const bool stated = from == From::kDocument;
  if (a.truth) {
    // A trace tells of a goal that it was satisfied; whether it is, its rules decide.
    const bool told = rel.space() == Space::kGoal && a.trace && !a.assumed;
    if (told && HasRules(a.relation)) return Log("left to its rules " + a.text);
    if (told) told_truths_.push_back(a);
    const Collected* collected = a.trace ? engine_.program.FindCollected(a.relation) : nullptr;
    // The trace of a reply is no fact of the program, which would suppress asking.
    engine_.store.Insert(a.relation, a.row, true, a.meta, collected == nullptr ? &a.span : nullptr,
                         a.orders);
    if (collected != nullptr) {
      for (std::size_t i = 0; i < a.row.size(); ++i) TakeAvar(*collected, i, a.row[i]);
      engine_.solver.ForgetArguments(a.relation, a.row);
    }
    NoLongerRetracted(a.relation, a.row);
    if (options_.log) Log("asserted " + (a.text.empty() ? RowText(a.relation, a.row) : a.text));
    if (from != From::kTrace) {
      const bool said = from == From::kMessage && rel.space() == Space::kRelation;
      if (a.trace || (said && !a.text.empty())) Record(TraceEntry::Kind::kFact, a.text, stated);
      else if (said) Record(TraceEntry::Kind::kFact, RowText(a.relation, a.row) + " -> true");
    } else if (told) {
      Add({TraceEntry::Kind::kGoal, timestep_, phase_, a.text, false, true});
    }
    return;
  }
  ++voids_;
  derivations_.Forget();
  if (rel.space() == Space::kGoal) {
    // %goal ^ false: every recorded truth with these captures is taken back.
    Relation& truths = engine_.store.at(a.relation);
    const std::span<const Value> wanted = engine_.pool.ItemsOf(a.row.front());
    truths.Rebuild([&](RowId row) {
      for (std::size_t i = 0; i < wanted.size(); i += 2)
        if (engine_.pool.Lookup(truths.Row(row)[0], wanted[i]) != wanted[i + 1]) return true;
      return false;
    });
  } else {
    engine_.store.Retract(a.relation, a.row);
    retracted_.push_back(a);
  }
  Log("retracted " + a.text);
  if (from != From::kTrace) Record(TraceEntry::Kind::kRetraction, a.text, stated);
}

void Runtime::TakeHalf(const HalfAnswer& half, From from) {
  if (const Collected* collected = engine_.program.FindCollected(half.relation))
    for (std::size_t i = 0; i < half.row.size(); ++i)
      if (half.key[i].is_none() && !half.row[i].is_none()) TakeAvar(*collected, i, half.row[i]);
  engine_.solver.TakeArguments(half.relation, half.key, half.row);
  Log("asserted " + half.text);
  if (from != From::kTrace) Record(TraceEntry::Kind::kFact, half.text, from == From::kDocument);
}

bool Runtime::HasRules(RelationId goal) const {
  const Goal* known = engine_.program.FindGoal(engine_.pool.TextOf(engine_.store.at(goal).label()));
  return known != nullptr && !known->rules.empty();
}

// Truths of goals that have got rules.
void Runtime::DropOvertakenTruths() {
  std::erase_if(told_truths_, [&](const Assertion& a) {
    if (!HasRules(a.relation)) return false;
    Relation& truths = engine_.store.at(a.relation);
    truths.Rebuild([&](RowId row) { return truths.Row(row)[0] != a.row.front(); });
    return true;
  });
}

}  // namespace rpl
