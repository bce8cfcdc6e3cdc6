// SPDX-License-Identifier: Apache-2.0
#include "runtime/facts/recorder.h"

#include "grammar/printer.h"
#include "interp/eval/engine.h"
#include "interp/plan/analysis.h"
#include "interp/program/program.h"
#include "interp/store/store.h"
#include "runtime/facts/derivation.h"
#include "runtime/ports.h"
#include "runtime/record/journal.h"
#include "runtime/wire/request_json.h"

namespace rpl {

using nlohmann::ordered_json;

Recorder::Recorder(const SessionOptions& options) : options_(options), log_(options.log) {
  const Journal* const journal = options.journal;
  if (journal == nullptr) return;
  trace_ = journal->earlier();
  timestep_ = journal->last_timestep();
  for (const TraceEntry& entry : trace_) known_.insert(entry.text);
}

bool Recorder::IsNews() const {
  return options_.tell_replayed || options_.journal == nullptr || options_.journal->live();
}

void Recorder::Entry(TraceEntry entry) {
  entry.timestep = timestep_;
  entry.phase = phase_;
  const bool comes_anew = entry.stated || entry.kind == TraceEntry::Kind::kConstraint ||
                          entry.kind == TraceEntry::Kind::kDerivation ||
                          entry.kind == TraceEntry::Kind::kGoal;
  entry.again = comes_anew && known_.contains(entry.text);
  Add(std::move(entry));
}

void Recorder::Add(TraceEntry entry) {
  if (!entry.again) {
    if (Logs())
      Log({.verb = LogLine::Verb::kTrace,
           .text = entry.text,
           .place = entry.place,
           .entry = &entry});
    Event("trace", [&]() -> ordered_json {
      return {{"kind", EntryName(entry.kind)}, {"text", entry.text}};
    });
  }
  trace_.push_back(std::move(entry));
  if (options_.journal != nullptr) options_.journal->Entry(trace_.back());
}

std::string Recorder::Failure(const std::string& reason, const std::string& explanation) {
  Event("fail", [&]() -> ordered_json {
    return {{"reason", reason}, {"explanation", explanation}};
  });
  const std::string text =
      "%fail(" + Quote(OneLine(reason)) + ", " + Quote(OneLine(explanation)) + ")";
  const bool same = !trace_.empty() && trace_.back().kind == TraceEntry::Kind::kFailure &&
                    trace_.back().text == text;
  if (!same) Entry({.kind = TraceEntry::Kind::kFailure, .text = text});
  return text;
}

void Recorder::Log(LogLine line) {
  if (!log_ || !IsNews()) return;
  line.timestep = timestep_;
  line.phase = phase_;
  if (line.place && line.place->end == 0) line.place.reset();
  log_(line);
}

void Recorder::Log(LogLine::Verb verb, const Definition& def) { Log(verb, def.text, def.span); }

void Recorder::Log(LogLine::Verb verb, const Constraint& c) { Log(verb, c.text, c.span); }

void Recorder::Dispatched(const Request& request, std::optional<Span> place) {
  Log({.verb = LogLine::Verb::kDispatched,
       .text = request.id,
       .place = place,
       .request = &request});
}

void Recorder::Derived(interp::Engine& engine, const Derivations& derivations) {
  const bool tells = Tells() && options_.tell_derived;
  if (!log_ && !tells) return;
  const auto place_of = [&](RelationId relation) -> std::optional<Span> {
    const std::vector<int>& rules = engine.analysis.RulesOf(relation);
    if (rules.empty()) return std::nullopt;
    return engine.program.definitions()[static_cast<std::size_t>(rules.front())].span;
  };
  for (const Stratum& stratum : engine.analysis.strata())
    for (RelationId r : stratum.relations) {
      const Relation& rel = engine.store.at(r);
      Rows& reported = derived_[r];
      if (reported.epoch != rel.epoch() || reported.rows > rel.size()) reported = {rel.epoch(), 0};
      for (RowId& row = reported.rows; row < rel.size(); ++row) {
        if (rel.asserted(row)) continue;
        const std::vector<Value> cells = rel.Cells(row);
        if (!derived_known_.emplace(r, cells).second) continue;
        const std::string text = derivations.RowText(r, cells, kDerivationBytes);
        Log(LogLine::Verb::kDerived, text, place_of(r));
        if (tells) Tell("derived", {{"fact", text}});
      }
    }
}

void Recorder::Tell(std::string_view type, const ordered_json& fields) {
  ordered_json object = {
      {"schema", "rpl.event/1"}, {"type", type}, {"timestep", timestep_}, {"phase", phase_}};
  object.update(fields);
  options_.event(object);
}

void Recorder::Reply(std::string_view type, const std::string& call, const Answer& answer,
                     const Pool& pool) {
  Event(type, [&] { return ReplyFields(call, answer, pool); });
}

}  // namespace rpl
