// SPDX-License-Identifier: Apache-2.0
#include "runtime/step/revision.h"

#include <algorithm>
#include <utility>

#include "grammar/parser.h"
#include "interp/program/program.h"
#include "interp/store/store.h"

namespace rpl {
namespace {

constexpr Parties kModel = PartyBit(By::kModel);

// Whether the call of a heading that was answered with rows, `claim(1, ?x)`, asked for this row.
bool AsksFor(Pool& pool, const std::string& call, std::string_view label,
             std::span<const Value> row) {
  Sources sources;
  Diagnostics ignored;
  const Span whole{sources.Add("call", call), 0, static_cast<std::uint32_t>(call.size())};
  const auto term = ParseTerm(sources, whole, ignored);
  const auto* heading = term ? term->As<Call>() : nullptr;
  if (heading == nullptr || heading->label != label || heading->args.size() != row.size())
    return false;
  for (std::size_t i = 0; i < row.size(); ++i)
    if (const Value known = GroundValue(pool, heading->args[i]);
        !known.is_none() && known != row[i])
      return false;
  return true;
}

// The last reply that gave the fact; null if none did.
const TraceEntry* ReplyOf(interp::Engine& engine, const Derivations& derivations,
                          const Trace& trace, const Derivations::Fact& fact) {
  const Relation& relation = engine.store.at(fact.first);
  const std::string text = relation.space() == Space::kAvar
                               ? relation.name()
                               : derivations.RowText(fact.first, fact.second);
  const std::string_view label = engine.pool.TextOf(relation.label());
  for (auto entry = trace.rbegin(); entry != trace.rend(); ++entry) {
    if (entry->kind != TraceEntry::Kind::kReply || !entry->answered) continue;
    const std::string& call = entry->answered->call;
    const bool rows = entry->text.starts_with(call + " ^ ~ {:rows ");
    if (call == text || (rows && AsksFor(engine.pool, call, label, fact.second))) return &*entry;
  }
  return nullptr;
}

// Whether a person or a host may change what was stated so: it is the answer to a question.
bool IsAnswer(const interp::Engine& engine, RelationId relation) {
  return engine.program.FindCollected(relation) != nullptr ||
         (engine.store.at(relation).space() != Space::kRelation &&
          IsQuestion(engine.store.at(relation)));
}

}  // namespace

std::vector<std::string> RetractionsFor(const std::set<std::string>& calls, const Trace& trace,
                                        const AttemptBook& attempts) {
  std::vector<std::string> out;
  for (const Attempt& attempt : attempts.all()) {
    if (attempt.gate != Attempt::Gate::kTaken || !calls.contains(attempt.call)) continue;
    for (auto entry = trace.rbegin(); entry != trace.rend(); ++entry) {
      if (entry->kind != TraceEntry::Kind::kReply || !entry->answered ||
          entry->answered->call != attempt.of)
        continue;
      std::string retraction = RetractionOf(*entry);
      const bool gone = std::any_of(trace.rbegin(), entry, [&](const TraceEntry& later) {
        return later.kind == TraceEntry::Kind::kRetraction && later.text == retraction;
      });
      if (!gone && std::ranges::find(out, retraction) == out.end())
        out.push_back(std::move(retraction));
      break;
    }
  }
  return out;
}

Revision RevisionOf(interp::Engine& engine, const Derivations& derivations, const Trace& trace,
                    const AttemptBook& attempts, const std::vector<Derivations::Fact>& rows) {
  std::set<std::string> answered;  // as the trace has them
  for (const Derivations::Fact& fact : derivations.GroundsOf(rows)) {
    const Relation& relation = engine.store.at(fact.first);
    const RowId row = relation.Find(fact.second);
    if (row == kNoId || !IsAnswer(engine, fact.first)) continue;
    const Parties by = relation.SaidBy(row);
    if (by == 0 || by == PartyBit(By::kProgram)) continue;
    const TraceEntry* const reply =
        by == kModel ? ReplyOf(engine, derivations, trace, fact) : nullptr;
    if (reply == nullptr) return {};
    answered.insert(reply->answered->call);
  }
  Revision out;
  std::set<std::string> calls, found;
  for (auto attempt = attempts.all().rbegin(); attempt != attempts.all().rend(); ++attempt) {
    if (attempt->gate != Attempt::Gate::kTaken || !answered.contains(attempt->of)) continue;
    found.insert(attempt->of);
    if (!calls.insert(attempt->call).second) continue;
    out.refused.insert(out.refused.begin(), {.call = attempt->call,
                                             .gate = Attempt::Gate::kConstraints,
                                             .value = attempt->value,
                                             .provider = attempt->provider,
                                             .model = attempt->model});
  }
  if (found.size() != answered.size()) return {};  // a host's own model gave one of them
  out.retractions = RetractionsFor(calls, trace, attempts);
  if (out.retractions.empty()) out.refused.clear();
  return out;
}

}  // namespace rpl
