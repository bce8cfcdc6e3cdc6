// SPDX-License-Identifier: Apache-2.0
#include "runtime/step/violations.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "formats/text_hash.h"
#include "interp/eval/engine.h"
#include "interp/eval/solver.h"
#include "interp/program/program.h"
#include "interp/store/store.h"
#include "runtime/facts/derivation.h"
#include "runtime/facts/hidden_rows.h"
#include "runtime/facts/recorder.h"
#include "runtime/step/step_state.h"
#include "runtime/step/to_do.h"

namespace rpl {
namespace {

std::string InstanceOf(const Violated& v) {
  return "constraint violated: " + v.constraint->text + " with " + v.bindings;
}

}  // namespace

Violations::Violations(interp::Engine& engine, const Recorder& recorder,
                       const Derivations& derivations)
    : engine_(engine),
      recorder_(recorder),
      derivations_(derivations),
      what_now_(engine.store.Declare(Space::kTool, kWhatNow, 1)) {}

std::string Violations::CallOf(std::string_view what) const {
  const Value text = engine_.pool.String(what);
  return derivations_.RowText(what_now_, {&text, 1});
}

std::string Violations::WhatOf(const Violated& v) const {
  if (v.constraint == nullptr) return OneLine("retracted but still derived: " + v.bindings);
  return OneLine(InstanceOf(v) + HiddenOf(v));
}

// The slots of its constraint, kNone where they are not bound.
std::vector<Value> Violations::SlotsOf(const Violated& v) const {
  const Constraint& c = *v.constraint;
  std::vector<Value> slots(c.slots.size(), kNone);
  for (std::size_t i = 0; i + 1 < v.bound.size(); i += 2) {
    const auto at = std::ranges::find(c.slots, engine_.pool.TextOf(v.bound[i]));
    if (at != c.slots.end()) slots[static_cast<std::size_t>(at - c.slots.begin())] = v.bound[i + 1];
  }
  return slots;
}

std::vector<std::pair<RelationId, std::vector<Value>>> Violations::RowsOf(const Violated& v) const {
  auto out = v.facts;
  if (v.constraint == nullptr) return out;
  ForEachHiddenRow(engine_.solver, engine_.store, *v.constraint, SlotsOf(v),
                   [&](RelationId relation, std::span<const Value> row) {
                     out.emplace_back(engine_.store.BaseOf(relation),
                                      std::vector<Value>(row.begin(), row.end()));
                   });
  return out;
}

std::string Violations::HiddenOf(const Violated& v) const {
  constexpr std::size_t kMostTold = 8;
  std::set<std::string> rows;
  ForEachHiddenRow(engine_.solver, engine_.store, *v.constraint, SlotsOf(v),
                   [&](RelationId relation, std::span<const Value> row) {
                     rows.insert(derivations_.RowText(relation, row));
                   });
  std::string told, all;
  std::size_t count = 0;
  for (const std::string& row : rows) {
    if (count++ < kMostTold) told += (told.empty() ? " by " : ", ") + row;
    all += row + "\n";
  }
  if (rows.size() > kMostTold)
    told += fmt::format(" and {} others ({})", rows.size() - kMostTold, HashOfText(all));
  return told;
}

std::optional<ToDo> Violations::WordsOf(const Violated& v) const {
  const HeadingProse* words = v.constraint == nullptr ? nullptr : v.constraint->words.get();
  if (words == nullptr) return std::nullopt;
  Bound bound;
  for (std::size_t i = 0; i + 1 < v.bound.size(); i += 2)
    bound.emplace(engine_.pool.TextOf(v.bound[i]), v.bound[i + 1]);
  return Filled(engine_.pool, *words, bound, v.constraint->span);
}

std::vector<std::string> Violations::ValuesOf(const Violated& v) const {
  std::vector<std::string> out;
  for (std::size_t i = 0; i + 1 < v.bound.size(); i += 2)
    out.push_back("?" + std::string(engine_.pool.TextOf(v.bound[i])) + " = " +
                  Text(engine_.pool, v.bound[i + 1], kToldBytes));
  return out;
}

Overridden Violations::OverriddenOf(const Violated& v) const {
  Overridden out{v.constraint == nullptr ? v.bindings : v.constraint->text, WordsOf(v),
                 ValuesOf(v)};
  const Relation& decided = engine_.store.at(what_now_);
  const Value what = engine_.pool.String(WhatOf(v));
  const Parties by = decided.SaidBy(decided.Find({&what, 1}));
  while (out.by < By::kFile && (by & PartyBit(out.by)) == 0)
    out.by = static_cast<By>(static_cast<int>(out.by) + 1);
  const std::string decision = derivations_.RowText(what_now_, {&what, 1});
  for (const TraceEntry& entry : recorder_.trace())
    if (entry.text.starts_with(decision)) out.timestep = entry.timestep;
  return out;
}

bool Violations::IsAccepted(const Violated& v) const {
  const Relation& decided = engine_.store.at(what_now_);
  // What is hidden is looked for only if there is a decision about these bindings.
  const std::string begin = v.constraint == nullptr ? "" : OneLine(InstanceOf(v));
  bool known = false;
  engine_.solver.ForEachRow(what_now_, {kNone}, [&](std::span<const Value> row) {
    known =
        known || (row[0].kind() == Kind::kString && engine_.pool.TextOf(row[0]).starts_with(begin));
  });
  if (!known) return false;
  const Value what = engine_.pool.String(WhatOf(v));
  const RowId row = decided.Find({&what, 1});
  return row != kNoId && !decided.Meta(row).is_none() &&
         engine_.pool.Lookup(decided.Meta(row), engine_.pool.Keyword("result")) ==
             engine_.pool.String("continue");
}

std::vector<Way> Violations::WaysOut(const Violated& v) const {
  // The decision is the reply to a call, and a fact as such.
  const Value entry[] = {engine_.pool.Keyword("result"), engine_.pool.String("continue")};
  Assertion goes_on;
  goes_on.relation = what_now_;
  goes_on.row = {engine_.pool.String(WhatOf(v))};
  goes_on.trace = true;
  goes_on.meta = engine_.pool.Map(entry);
  goes_on.text = derivations_.RowText(what_now_, goes_on.row) + " ^ ~ " +
                 Text(engine_.pool, goes_on.meta) + " -> true";
  std::vector<Way> out;
  out.push_back({"continue", std::move(goes_on)});
  for (const Assertion& fact : v.asserted)
    out.push_back({"retract " + derivations_.RowText(fact.relation, fact.row), fact});
  return out;
}

}  // namespace rpl
