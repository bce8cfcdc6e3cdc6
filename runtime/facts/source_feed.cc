// SPDX-License-Identifier: Apache-2.0
#include "runtime/facts/source_feed.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "formats/data/json_fields.h"
#include "formats/diagnostic.h"
#include "formats/file_name.h"
#include "formats/utf8.h"
#include "interp/eval/engine.h"
#include "interp/eval/fixpoint.h"
#include "interp/eval/solver.h"
#include "interp/program/metadata.h"
#include "interp/program/novelty_walk.h"
#include "runtime/facts/call_book.h"
#include "runtime/facts/door.h"
#include "runtime/facts/fact_writer.h"
#include "runtime/facts/recorder.h"
#include "runtime/facts/said.h"
#include "runtime/facts/source_facts.h"
#include "runtime/ports.h"
#include "runtime/record/journal.h"
#include "runtime/replies.h"

namespace rpl {

using nlohmann::ordered_json;

namespace {

std::size_t StatedBy(const Novelty& facts) { return facts.facts.size() + facts.assertions.size(); }

// How many rows a source states, as `:rows` says.
Value RowCount(Pool& pool, const Novelty& facts) {
  return pool.Int(static_cast<std::int64_t>(StatedBy(facts)));
}

}  // namespace

SourceFeed::SourceFeed(Parts run) : run_(std::move(run)), engine_(run_.engine) {}

Answer SourceFeed::Received(const OpenCall& call, Answer given) {
  Answer answer = Read(call, std::move(given), run_.options.strict_facts);
  if (!answer.source || !ExceedsLimit(engine_.solver.IdOf(call))) return answer;
  coming_.erase(engine_.solver.IdOf(call));
  return NotRunCall(engine_.pool, "changed", "it has more rows than a run may derive");
}

// Whether the rows that a database evaluated, with those of this call among them, and those that
// were derived here are more than may be derived. Then the sources are read, and the limit stops
// the run.
bool SourceFeed::ExceedsLimit(const CallId& call, const Stated* again) const {
  if (!push_.calls.contains(call)) return false;
  std::size_t rows = engine_.solver.new_rows();
  for (const auto& [id, pushed] : push_.calls) {
    const auto coming = coming_.find(id);
    const auto stated = stated_.find(id);
    if (id == call && again != nullptr) rows += StatedBy(again->facts);
    else if (coming != coming_.end()) rows += StatedBy(coming->second.facts);
    else if (stated != stated_.end()) rows += StatedBy(stated->second.facts);
  }
  return rows > engine_.limits.max_rows;
}

// The facts of a source; nullopt if it is refused, with the reason in `why`.
std::optional<SourceFeed::Stated> SourceFeed::FactsOf(const OpenCall& call,
                                                      const SourceText& source, bool strict,
                                                      std::string* why) {
  const Pool& pool = engine_.pool;
  const Value named = call.args.front().kind() == Kind::kTerm ? call.args.front()
                      : call.args.size() > 1                  ? call.args[1]
                                                              : kNone;
  const bool hinted = named.kind() == Kind::kString || named.kind() == Kind::kTerm;
  const std::uint32_t file = engine_.sources.Add(source.name, source.text);
  Diagnostics found;
  const std::string_view hint = hinted ? pool.TextOf(named) : "";
  Novelty facts = source.by == By::kFile
                      ? ReadSource(engine_.sources, file, hint, strict, engine_.store, found)
                      : ReadFactsText(engine_.sources, file, hint, strict, engine_.store, found);
  // What a database evaluates for the engine are rows of the program's own rules.
  if (run_.options.door && !push_.calls.contains(engine_.solver.IdOf(call)))
    run_.door.Filter(facts, source.by, hint, StemOf(source.name), strict, found);
  for (const Diagnostic& d : found.all()) findings_.Add(d);
  if (!found.has_errors()) {
    if (facts.given) engine_.store.Give(facts.given->first, facts.given->second);
    return Stated{std::move(facts), source.by};
  }
  const auto first = std::ranges::find(found.all(), Severity::kError, &Diagnostic::severity);
  *why = engine_.sources.Where(first->span) + ": " + first->message;
  return std::nullopt;
}

Answer SourceFeed::Recorded(const OpenCall& call, Answer answer) {
  return Read(call, std::move(answer), false);
}

Answer SourceFeed::Read(const OpenCall& call, Answer answer, bool strict) {
  const bool of_index = engine_.store.at(call.relation).name() == "$index" && !call.args.empty();
  if (!answer.source || answer.kind != Answer::Kind::kMeta || !of_index) return answer;
  Pool& pool = engine_.pool;
  std::string why;
  std::optional<Stated> stated = FactsOf(call, *answer.source, strict, &why);
  if (!stated) return NotRunCall(pool, "bad-source", why);
  const Value rows = pool.Keyword("rows");
  if (pool.Lookup(answer.value, rows).is_none()) {
    const std::span<const Value> known = pool.ItemsOf(answer.value);
    std::vector<Value> entries(known.begin(), known.end());
    entries.insert(entries.end(), {rows, RowCount(pool, stated->facts)});
    answer.value = pool.Map(entries);
  }
  coming_.insert_or_assign(engine_.solver.IdOf(call), *std::move(stated));
  return answer;
}

void SourceFeed::TakeReply(const OpenCall& call) {
  auto coming = coming_.extract(engine_.solver.IdOf(call));
  if (!coming.empty()) Exchange(coming.key(), std::move(coming.mapped()));
}

// Retracts what the source of a call stated, as far as nobody else states it, and takes the facts
// that it states now.
void SourceFeed::Exchange(const CallId& call, Stated now) {
  Store& store = engine_.store;
  const bool known = stated_.contains(call);
  Stated& stated = stated_[call];
  const std::uint32_t file = stated.facts.file;
  const Parties alone = PartyBit(stated.by);
  if (known)  // what it stated may not be asserted yet
    std::erase_if(run_.said, [&](const Said& said) {
      return said.from == From::kSource && said.what.file == file;
    });
  std::set<RelationId> changed;
  const auto relation_of = [&](RelationId relation, std::span<const Value> row) {
    const Relation& of = store.at(relation);
    if (of.space() != Space::kRelation) return;
    const RowId at = of.Find(row);
    const bool others = at != kNoId && of.SaidBy(at) != alone;
    if (store.WholeIfAny(relation) != kNoId && !others) store.Retract(relation, row);
    changed.insert(relation);
  };
  stated.facts.ForEach(
      store,
      [&](RelationId relation, std::span<const Value> row, Span) { relation_of(relation, row); },
      [&](const Assertion& a) {
        if (a.truth) relation_of(a.relation, a.row);
      });
  const auto is_its = [&](const std::optional<Span>& at) { return at && at->file == file; };
  for (const RelationId relation : changed) {
    Relation& of = store.at(relation);
    of.Rebuild([&](RowId row) { return !is_its(of.Origin(row)) || of.SaidBy(row) != alone; });
  }
  run_.facts.DropUnfinished([&](const Span& at) { return at.file == file; });
  if (!changed.empty()) run_.facts.MayHaveFallen();
  for (const auto& [other, also] : stated_) {
    if (other == call || changed.empty()) continue;
    const Parties by = PartyBit(also.by);
    const auto again = [&](RelationId relation, std::span<const Value> row, Span span, Value meta) {
      if (changed.contains(relation))
        run_.facts.Insert(relation, row, {.meta = meta, .origin = &span, .by = by});
    };
    also.facts.ForEach(
        store,
        [&](RelationId relation, std::span<const Value> row, Span span) {
          again(relation, row, span, kNone);
        },
        [&](const Assertion& a) {
          if (a.truth) again(a.relation, a.row, a.span, a.meta);
        });
  }
  run_.said.push_back({now.facts, From::kSource, now.by});
  stated = std::move(now);
}

std::vector<SourceFeed::Known> SourceFeed::KnownSources() const {
  Pool& pool = engine_.pool;
  std::vector<Known> out;
  for (const auto& [id, stated] : stated_) {
    if (stated.by != By::kFile) continue;
    const Relation& of = engine_.store.at(id.relation);
    const RowId row = of.Find(id.args);
    const Value hash = row == kNoId ? kNone : pool.Lookup(of.Meta(row), pool.Keyword("hash"));
    if (hash.kind() != Kind::kString) continue;  // taken back, or answered by somebody
    Known& source = out.emplace_back();
    source.call.relation = id.relation;
    source.call.args = id.args;
    source.hash = pool.TextOf(hash);
    source.question = {{"index", engine_.solver.CallText(source.call)}};
  }
  return out;
}

void SourceFeed::ReadAgain(bool live) {
  Journal* const journal = run_.options.journal;
  Pool& pool = engine_.pool;
  const std::vector<Known> known = KnownSources();
  if (journal != nullptr)
    for (const Known& source : known)
      if (journal->Answers(source.question)) {
        const ordered_json answer = journal->Outside(source.question, nullptr);
        if (answer.is_object() && answer.contains("changed")) {
          push_.changed = TextAt(source.question, "index");
          continue;
        }
        Retake(source, answer, FactsIn(source, answer, false));
      }
  if (!live || known.empty() || (journal != nullptr && !journal->live())) return;
  std::vector<Reread> calls;
  for (const Known& source : known) calls.push_back({run_.call_for(source.call), source.hash});
  const std::vector<Answer> read = run_.access.ReadAgain(calls, pool);
  const auto end_push = [&](std::size_t i) {
    const ordered_json answer = {{"changed", true}};
    if (journal != nullptr) journal->Outside(known[i].question, [&] { return answer; });
    push_.changed = calls[i].call.id;
  };
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (calls[i].call.pushed && read[i].kind == Answer::Kind::kNotRun) {
      end_push(i);
      continue;
    }
    if (!read[i].source || FindBadByte(read[i].source->text) != std::string::npos) continue;
    const std::string hash(pool.TextOf(pool.Lookup(read[i].value, pool.Keyword("hash"))));
    if (refused_.contains(hash)) continue;
    const ordered_json answer = {
        {"name", read[i].source->name}, {"text", read[i].source->text}, {"hash", hash}};
    std::optional<Stated> facts = FactsIn(known[i], answer, run_.options.strict_facts);
    if (facts && ExceedsLimit(engine_.solver.IdOf(known[i].call), &*facts)) {
      end_push(i);
      continue;
    }
    if (!facts) refused_.insert(hash);
    else if (journal != nullptr) journal->Outside(known[i].question, [&] { return answer; });
    Retake(known[i], answer, std::move(facts));
  }
}

std::optional<SourceFeed::Stated> SourceFeed::FactsIn(const Known& source,
                                                      const ordered_json& answer, bool strict) {
  std::string why;
  return FactsOf(source.call, {TextAt(answer, "name"), TextAt(answer, "text")}, strict, &why);
}

// Takes the facts of a source that was read again; without any, it keeps those that it has.
void SourceFeed::Retake(const Known& source, const ordered_json& answer,
                        std::optional<Stated> stated) {
  if (!stated) return;
  Pool& pool = engine_.pool;
  const CallId id = engine_.solver.IdOf(source.call);
  const Value entries[] = {pool.Keyword("hash"), pool.String(TextAt(answer, "hash")),
                           pool.Keyword("rows"), RowCount(pool, stated->facts)};
  const Relation& of = engine_.store.at(id.relation);
  const Parties by = of.SaidBy(of.Find(id.args));
  run_.facts.Insert(id.relation, id.args, {.meta = pool.Map(entries), .by = by});
  run_.recorder.Log(Verb::kResolved, engine_.solver.CallText(source.call) + " again");
  Exchange(id, *std::move(stated));
}

void SourceFeed::TakeSentence(const SourceSentence& sentence, From from, By by) {
  OpenCall call;
  call.relation = sentence.relation;
  call.args = sentence.row;
  call.place = sentence.span;
  const auto same = [&](const OpenCall& other) { return !(other < call) && !(call < other); };
  if (std::ranges::any_of(sentences_, same)) return;
  const std::string text = engine_.solver.CallText(call);
  run_.recorder.Log(Verb::kAsserted, text, sentence.span);
  sentences_.push_back(std::move(call));
  if (from == From::kMessage)
    run_.recorder.Entry(
        {.kind = TraceEntry::Kind::kFact, .text = text, .by = by, .place = sentence.span});
}

bool SourceFeed::Awaits() const {
  return std::ranges::any_of(sentences_, [&](const OpenCall& call) {
    const Relation& calls = engine_.store.at(call.relation);
    const RowId row = calls.Find(call.args);
    return row == kNoId || SaysFailed(engine_.pool, calls.Meta(row));
  });
}

Evaluation SourceFeed::Open() const {
  Pool& pool = engine_.pool;
  Evaluation found;
  for (const OpenCall& call : sentences_) {
    const Relation& calls = engine_.store.at(call.relation);
    const RowId row = calls.Find(call.args);
    if (row == kNoId) {
      if (run_.calls.refused.contains(engine_.solver.IdOf(call))) found.refused = call;
      else found.calls.push_back(call);
    } else if (SaysFailed(pool, calls.Meta(row))) {
      const Value message = pool.Lookup(calls.Meta(row), pool.Keyword("message"));
      found.failed = call;
      found.failure = "failed";
      if (!message.is_none()) found.failure += ": " + PlainText(pool, message);
    }
  }
  return found;
}

}  // namespace rpl
