// SPDX-License-Identifier: Apache-2.0
//
// Sources of facts: the replies of `$index`, and its calls as sentences.
//
// A source that the program states is awaited: until its call has a reply, and when that is a
// failure, no goal and no constraint is decided, because an absent row proves nothing.
#include <algorithm>
#include <set>
#include <utility>

#include "interp/eval/fixpoint.h"
#include "interp/eval/solver.h"
#include "interp/program/metadata.h"
#include "runtime/source_facts.h"
#include "runtime/timestep.h"

namespace rpl {

// A new reply as it is recorded, and taken in the next timestep.
Answer Runtime::Received(const OpenCall& call, Answer given) {
  return WithSource(call, WhoseAnswer(std::move(given)), options_.strict_facts);
}

// Reads the source of a reply. A source that is refused is a failure of the call.
Answer Runtime::WithSource(const OpenCall& call, Answer answer, bool strict) {
  if (!answer.source) return answer;
  Pool& pool = engine_.pool;
  const bool hinted = call.args.size() > 1 && call.args[1].kind() == Kind::kString;
  const std::uint32_t file = sources_.Add(answer.source->name, answer.source->text);
  Diagnostics found;
  Novelty facts = ReadSource(sources_, file, hinted ? pool.TextOf(call.args[1]) : "", strict,
                             engine_.store, found);
  for (const Diagnostic& d : found.all()) sources_read_.findings.Add(d);
  if (found.has_errors()) {
    const auto first = std::ranges::find(found.all(), Severity::kError, &Diagnostic::severity);
    return NotRunCall(pool, "bad-source", sources_.Where(first->span) + ": " + first->message);
  }
  const Value rows = pool.Keyword("rows");
  if (pool.Lookup(answer.value, rows).is_none()) {
    const std::span<const Value> known = pool.ItemsOf(answer.value);
    std::vector<Value> entries(known.begin(), known.end());
    const std::size_t count = facts.facts.size() + facts.assertions.size();
    entries.insert(entries.end(), {rows, pool.Int(static_cast<std::int64_t>(count))});
    answer.value = pool.Map(entries);
  }
  sources_read_.coming.insert_or_assign(engine_.solver.IdOf(call), std::move(facts));
  return answer;
}

// Takes the facts of a source with the reply of its call.
void Runtime::TakeSource(const OpenCall& call) {
  const auto coming = sources_read_.coming.extract(engine_.solver.IdOf(call));
  if (coming.empty()) return;
  novelty_.push_back({coming.mapped(), From::kSource, By::kFile});
  sources_read_.stated.insert_or_assign(coming.key(), std::move(coming.mapped()));
}

void Runtime::TakeSentence(const SourceSentence& sentence, const Said& said) {
  OpenCall call;
  call.relation = sentence.relation;
  call.args = sentence.row;
  call.place = sentence.span;
  std::vector<OpenCall>& known = sources_read_.sentences;
  const auto same = [&](const OpenCall& other) { return !(other < call) && !(call < other); };
  if (std::ranges::any_of(known, same)) return;
  const std::string text = engine_.solver.CallText(call);
  Log(Verb::kAsserted, text, sentence.span);
  known.push_back(std::move(call));
  if (said.from == From::kMessage)
    Record({.kind = TraceEntry::Kind::kFact, .text = text, .by = said.by, .place = sentence.span});
}

// Whether a source of the program was not read.
bool Runtime::AwaitsSources() const {
  return std::ranges::any_of(sources_read_.sentences, [&](const OpenCall& call) {
    const Relation& calls = engine_.store.at(call.relation);
    const RowId row = calls.Find(call.args);
    return row == kNoId || SaysFailed(engine_.pool, calls.Meta(row));
  });
}

// In place of the plan, while a source of the program was not read: its open calls.
bool Runtime::AwaitSources() {
  if (!step_.awaits_sources) return false;
  Pool& pool = engine_.pool;
  Evaluation found;
  for (const OpenCall& call : sources_read_.sentences) {
    const Relation& calls = engine_.store.at(call.relation);
    const RowId row = calls.Find(call.args);
    if (row == kNoId) {
      if (calls_.refused.contains(engine_.solver.IdOf(call))) found.refused = call;
      else found.calls.push_back(call);
    } else if (SaysFailed(pool, calls.Meta(row))) {
      const Value message = pool.Lookup(calls.Meta(row), pool.Keyword("message"));
      found.failed = call;
      found.failure = "failed";
      if (!message.is_none()) found.failure += ": " + PlainText(pool, message);
    }
  }
  step_.goal_name = query_ != nullptr ? engine_.store.at(query_->head).name() : "%" + named_;
  step_.standing = found.calls.empty() || found.refused || found.failed ? GoalStanding::kUnsatisfied
                                                                        : GoalStanding::kPending;
  TakeEvaluation(std::move(found));
  return true;
}

}  // namespace rpl
