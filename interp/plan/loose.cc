// SPDX-License-Identifier: Apache-2.0
//
// Candidates of a relation with arguments that range over groups (Catalog::LooseOf): what its rules
// give for the other arguments without what counts. A superset of the rows, which is enough to find
// what the groups are where other clauses tell them of the candidates.
//
// Which calls have rows although they lack an input (Catalog::HasInputFreeRows): in
//
//   fits(3)
//   fits(?n) <- small(?n)
//   fits(?n) <- ?n > 10
//
// `fits(?n)` needs ?n, since its last rule does, and yet has the rows that its fact and its other
// rule give: the input-free ones.
#include <algorithm>
#include <set>

#include "interp/plan/analysis.h"

#include "interp/store/store.h"

namespace rpl {
namespace {

template <typename Part>
bool AllIn(const Part& part, const std::vector<bool>& slots) {
  bool all = true;
  ForEachSlot(part, [&](SlotId s) { all = all && slots[static_cast<std::size_t>(s)]; });
  return all;
}

template <typename Part>
bool Meets(const Part& part, const std::vector<bool>& slots) {
  bool found = false;
  ForEachSlot(part, [&](SlotId s) { found = found || slots[static_cast<std::size_t>(s)]; });
  return found;
}

// Whether a step of the plans within this one lacks an input.
bool LacksInputWithin(const Step& outer) {
  std::set<const Step*> seen;
  std::vector<const Step*> left = {outer.body, outer.body2, outer.body3};
  while (!left.empty()) {
    const Step* const step = left.back();
    left.pop_back();
    if (step == nullptr || !seen.insert(step).second) continue;
    if (step->kind == Step::Kind::kStuck || step->open_input) return true;
    left.insert(left.end(), {step->next, step->body, step->body2, step->body3});
    left.insert(left.end(), step->branches.begin(), step->branches.end());
  }
  return false;
}

void GiveNothing(Step& step) {
  step.kind = Step::Kind::kStuck;
  step.problem.clear();
  step.open_input = step.endless = false;
}

// Whether some way leads from the step to the end of the plan.
bool Ends(const Step* step, std::set<const Step*>& seen) {
  for (; step != nullptr && seen.insert(step).second; step = step->next) {
    if (step->kind == Step::Kind::kEmit) return true;
    if (step->kind == Step::Kind::kStuck) return false;
    for (const Step* branch : step->branches)
      if (Ends(branch, seen)) return true;
    if (step->kind == Step::Kind::kBranch) return false;
  }
  return false;
}

}  // namespace

// What can be left out is left out: a condition less gives more candidates.
Analysis::Loose Analysis::LooseIn(const Definition& def, Columns without,
                                  std::vector<RelationId>& within) const {
  std::vector<bool> open(def.slots.size());
  const auto mark = [](std::vector<bool>& in, const auto& part) {
    ForEachSlot(part, [&](SlotId s) { in[static_cast<std::size_t>(s)] = true; });
  };
  for (std::size_t i = 0; i < def.args.size(); ++i)
    if ((without >> i & 1) != 0) mark(open, def.args[i]);
  Loose out;
  for (const Clause& clause : def.body) {
    const auto keep_if = [&](bool keep) {
      if (keep) out.clauses.push_back(&clause);
    };
    Visit(
        clause,
        [&](const Atom& c) {
          if (ReachesOutside(clause) || c.whole || c.row >= 0) return;
          Columns groups = KeysOf(c.relation);
          for (std::size_t i = 0; i < c.args.size(); ++i)
            if (!Meets(c.args[i], open)) groups &= ~(Columns{1} << i);
          if (groups == 0) return keep_if(true);
          const Columns gives = LooseOf(store_->BaseOf(c.relation), groups, within);
          if (gives != 0) out.calls.emplace_back(&clause, gives);
        },
        [&](const CountOf& c) { keep_if(!c.atom.empty() && !Meets(clause, open)); },
        [&](const Among<MatchWith, Member> auto&) { keep_if(true); },
        [&](const Compare& c) { keep_if(c.op == Operator::kEqual); },
        [](const Among<Temporal, Negation, Alternatives, Expand, Metadata, Aggregate, ReadAvar,
                       ShowJson, GoalIsFalse, First, Loop, Distinct, Check, Truth> auto&) {});
  }
  out.bound.assign(def.slots.size(), false);
  for (const auto& [clause, gives] : out.calls) {
    const std::vector<Pattern>& args = clause->As<Atom>()->args;
    for (std::size_t i = 0; i < args.size(); ++i)
      if ((gives >> i & 1) != 0) mark(out.bound, args[i]);
  }
  for (const Clause* clause : out.clauses)
    if (RowCountIn(*clause) != nullptr) mark(out.bound, *clause);  // it groups by what is free
  out.bound = BoundBy(out.clauses, out.bound, Mode::kSolve);
  std::erase_if(out.clauses, [&](const Clause* clause) { return !AllIn(*clause, out.bound); });
  return out;
}

Columns Analysis::LooseOf(RelationId relation, Columns without,
                          std::vector<RelationId>& within) const {
  constexpr std::uint32_t kMostColumns = 24;
  const Info& info = At(relation);
  const std::uint32_t arity = store_->at(relation).arity();
  if (info.outside || info.broken || info.built_in || info.extremum || !info.modes.Meets(0) ||
      store_->at(relation).space() != Space::kRelation || arity > kMostColumns ||
      store_->WholeIfAny(relation) != kNoId || std::ranges::find(within, relation) != within.end())
    return 0;
  within.push_back(relation);
  Columns out = ~without & ((Columns{1} << arity) - 1);
  std::vector<std::pair<const Definition*, Loose>> rules;
  for (const int number : info.rules) {
    const Definition& def = program_->definitions()[static_cast<std::size_t>(number)];
    if (!def.gathered.empty() || def.choice || !def.activation.empty()) out = 0;
    if (out == 0) break;
    const Loose& loose = rules.emplace_back(&def, LooseIn(def, without, within)).second;
    for (std::size_t i = 0; i < def.args.size(); ++i)
      if (!AllIn(def.args[i], loose.bound)) out &= ~(Columns{1} << i);
  }
  within.pop_back();
  // The other arguments get a value that no clause may read.
  for (const auto& [def, loose] : rules) {
    std::vector<SlotId> others;
    for (std::size_t i = 0; i < def->args.size(); ++i) {
      const Pattern& p = def->args[i];
      if ((out >> i & 1) != 0) continue;
      if (p.kind != Pattern::Kind::kSlot || loose.bound[static_cast<std::size_t>(p.slot)] ||
          std::ranges::find(others, p.slot) != others.end())
        return 0;
      others.push_back(p.slot);
    }
  }
  return out;
}

Columns Analysis::LooseOf(RelationId relation, Columns without) const {
  std::vector<RelationId> within;
  return LooseOf(store_->BaseOf(relation), without, within);
}

Analysis::Loose Analysis::LooseIn(const Definition& def, Columns without) const {
  std::vector<RelationId> within = {def.head};
  return LooseIn(def, without, within);
}

// Relations that ask, call or show something are left out: that follows from the order of clauses.
bool Analysis::HasInputFreeRows(RelationId relation, Columns known) const {
  const RelationId base = store_->BaseOf(relation);
  const Info& info = At(base);
  if (making_ || info.built_in || info.collected || info.broken || info.extremum ||
      store_->at(base).space() != Space::kRelation || IsActing(info.quiet, known) ||
      info.modes != info.finite || info.modes.Meets(known))
    return false;
  if (!store_->at(base).empty() || expected_.contains(base)) return true;
  without_rows_.insert(base);
  const auto [at, is_new] = input_free_.try_emplace({base, known}, InputFree::kAsked);
  if (!is_new) return at->second == InputFree::kYes;  // a recursive call gives no first row
  bool found = false;
  for (std::size_t i = 0; i < info.rules.size() && !found; ++i) {
    const Definition& def = program_->definitions()[static_cast<std::size_t>(info.rules[i])];
    std::vector<bool> bound(def.slots.size());
    for (std::size_t k = 0; k < def.args.size(); ++k)
      if (((known & MayBeGiven(def)) >> k & 1) != 0)
        ForEachSlot(def.args[k], [&](SlotId s) { bound[static_cast<std::size_t>(s)] = true; });
    Planner planner(*this, *store_, Mode::kSolve);
    std::set<const Step*> seen;
    found = Ends(InputFreePlan(def, bound, planner)->first, seen);
  }
  at->second = found ? InputFree::kYes : InputFree::kNo;
  if (found) std::erase_if(input_free_, [](const auto& of) { return of.second == InputFree::kNo; });
  return found;
}

// A step without its input gives nothing, or input-free rows. A rule that gathers or chooses has
// to see all rows.
std::unique_ptr<Plan> Analysis::InputFreePlan(const Definition& def, const std::vector<bool>& bound,
                                              Planner& planner) const {
  std::unique_ptr<Plan> plan = planner.Make(WithTexts(def, bound, ClausesOf(def)), bound,
                                            HeadSlots(def), def.slots, def.avar);
  if (!HasStuck(*plan)) return plan;
  if (def.choice || !def.gathered.empty()) {
    GiveNothing(*plan->first);
    return plan;
  }
  std::set<Step*> seen;
  std::vector<Step*> left = {plan->first};
  while (!left.empty()) {
    Step* const step = left.back();
    left.pop_back();
    if (step == nullptr || !seen.insert(step).second) continue;
    left.push_back(step->next);
    left.insert(left.end(), step->branches.begin(), step->branches.end());
    const bool reads = step->kind == Step::Kind::kAtom && step->access == Access::kTable;
    if (step->open_input && reads && HasInputFreeRows(step->relation, step->probe)) {
      step->input_free = true;
      step->open_input = step->endless = false;
    } else if ((step->kind == Step::Kind::kStuck && !step->too_large) || step->open_input ||
               LacksInputWithin(*step)) {
      GiveNothing(*step);
    }
  }
  return plan;
}

}  // namespace rpl
