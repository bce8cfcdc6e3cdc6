// SPDX-License-Identifier: Apache-2.0
#include "interp/plan/withdrawal.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "interp/plan/join_plan.h"
#include "interp/store/store.h"

namespace rpl {
namespace {

bool Contains(const std::vector<RelationId>& relations, RelationId r) {
  return std::ranges::find(relations, r) != relations.end();
}

// A row of the head gives the values of all its slots, by comparing words.
bool IsPlainHead(const Definition& def) {
  return def.head != kNoId && def.head_expansion < 0 && def.gathered.empty() && !def.extremum &&
         !def.choice && std::ranges::all_of(def.args, [](const Pattern& p) {
           return p.kind == Pattern::Kind::kSlot ||
                  (p.kind == Pattern::Kind::kConstant && p.constant.kind() != Kind::kSet);
         });
}

}  // namespace

bool Withdrawal::IsFor(Stratum& stratum, const Analysis& analysis, const Store& store) {
  if (!stratum.equivalences.empty()) return false;
  for (const RelationId r : stratum.relations)
    if (store.at(r).space() != Space::kRelation || store.at(r).arity() == 0 ||
        analysis.ExtremumOf(r) || analysis.IsBroken(r))
      return false;
  return std::ranges::all_of(stratum.rules, [&](DerivedRule& rule) {
    return !rule.whole && !rule.as_written && !rule.of_equivalence && !rule.demands &&
           IsPlainHead(*rule.def) && !IsChecked(*rule.def) &&
           analysis.PlanFor(rule, rule.full, -1, {}).join != nullptr;
  });
}

bool Withdrawal::MeetsSets(const Stratum& stratum, const Store& store) {
  const auto has_sets = [&](RelationId r) { return store.WholeIfAny(r) != kNoId; };
  return std::ranges::any_of(stratum.relations, has_sets) ||
         std::ranges::any_of(stratum.rules, [&](const DerivedRule& rule) {
           return std::ranges::any_of(rule.reads, has_sets);
         });
}

Withdrawal::Withdrawal(const Stratum& stratum, const Store& store, const NewRelation& make) {
  for (const RelationId r : stratum.relations)
    doubts_[r] = make("doubt of " + store.at(r).name(), store.at(r).arity());
  const auto in_doubt = [&](RelationId r, std::vector<Pattern> args, Span span) {
    const RelationId doubt = doubts_.at(r);
    return &atoms_.emplace_back(
        Clause{Atom{doubt, std::move(args), -1, {}, false, -1}, span, store.at(doubt).name()});
  };
  for (const DerivedRule& rule : stratum.rules) {
    const Definition& def = *rule.def;
    Definition& doubted = definitions_.emplace_back();
    doubted.number = def.number;
    doubted.head = doubts_.at(def.head);
    doubted.args = def.args;
    doubted.slots = def.slots;
    doubted.avar = def.avar;
    doubted.span = def.span;
    doubted.text = store.at(doubted.head).name() + ": " + def.text;
    doubted.heading = def.heading;
    written_as_[&doubted] = &def;
    for (const DerivedRule::Delta& delta : rule.deltas) {
      const auto at = static_cast<std::size_t>(delta.position);
      std::vector<const Clause*> clauses = rule.clauses;
      if (!Contains(stratum.relations, delta.relation)) {
        Add(below_, doubted, std::move(clauses), at);
        continue;
      }
      clauses[at] = in_doubt(delta.relation, clauses[at]->As<Atom>()->args, clauses[at]->span);
      Add(within_, doubted, std::move(clauses), at);
    }
    std::vector<const Clause*> clauses = {in_doubt(def.head, def.args, def.span)};
    clauses.insert(clauses.end(), rule.clauses.begin(), rule.clauses.end());
    Add(again_, def, std::move(clauses), 0);
  }
}

void Withdrawal::Add(std::deque<Run>& to, const Definition& def, std::vector<const Clause*> clauses,
                     std::size_t atom) {
  Run& run = to.emplace_back();
  run.rule.def = &def;
  run.rule.clauses = std::move(clauses);
  run.atom = atom;
  run.relation = run.rule.clauses[atom]->As<Atom>()->relation;
  run.rule.deltas.push_back({run.relation, static_cast<int>(atom), {}});
}

const Plan& Withdrawal::PlanFor(Run& run, const Analysis& analysis, const Store& store) const {
  const std::vector<const Clause*>& clauses = run.rule.clauses;
  std::vector<bool> known(run.rule.def->slots.size());
  std::vector<std::size_t> atoms, order(clauses.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (const auto& own : OwnAtoms(clauses)) atoms.push_back(own.position);
  std::vector<std::size_t> left = atoms;
  std::size_t next = run.atom;
  using Rank = std::pair<int, RowId>;
  Rank second = {3, 0};  // by which the second atom was chosen
  for (const std::size_t position : atoms) {
    order[position] = next;
    std::erase(left, next);
    CollectSlots(*clauses[next], known);
    // All columns known, some of them, or none; then by size.
    Rank least = {3, 0};
    for (const std::size_t other : left) {
      const auto& atom = *clauses[other]->As<Atom>();
      const auto is_known = [&](const Pattern& p) {
        return p.kind == Pattern::Kind::kConstant ||
               (p.kind == Pattern::Kind::kSlot && known[static_cast<std::size_t>(p.slot)]);
      };
      const int rank = std::ranges::all_of(atom.args, is_known)   ? 0
                       : std::ranges::any_of(atom.args, is_known) ? 1
                                                                  : 2;
      const Rank cost = {rank, store.at(atom.relation).size()};
      if (least <= cost) continue;
      least = cost;
      next = other;
    }
    if (position == atoms.front()) second = least;
  }
  // If the second atom's rows are not many more than those in doubt, these are looked up from them:
  // for the other way round its relation would need an index, which costs more.
  constexpr RowId kFar = 512;
  if (WrittenAs(run.rule.def) == nullptr && second.first == 1 &&
      second.second / kFar <= store.at(run.relation).size())
    std::swap(order[atoms[0]], order[atoms[1]]);
  DerivedRule::Plans& plans = run.rule.deltas.front().plans;
  analysis.PlanFor(run.rule, plans, static_cast<int>(run.atom), order);
  Plan& plan = *plans.by_order.at(order);
  // An index that exists is extended for an intersection, however few rows it has.
  if (plan.join != nullptr && std::ranges::any_of(plan.join->steps, [](const JoinStep& step) {
        return step.intersection.has_value();
      })) {
    const auto join = std::make_shared<Join>(*plan.join);
    for (JoinStep& step : join->steps) step.intersection.reset();
    plan.join = join;
  }
  return plan;
}

const Definition* Withdrawal::WrittenAs(const Definition* made) const {
  const auto at = written_as_.find(made);
  return at == written_as_.end() ? nullptr : at->second;
}

}  // namespace rpl
