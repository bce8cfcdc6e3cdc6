// SPDX-License-Identifier: Apache-2.0
//
// Two fixpoints over the rules, then a sort. The first finds the tabled relations and the
// arguments that their callers must bind; a rule can need its caller because a relation
// it calls does, so a rule is examined again when a relation that it mentions has changed.
// The second finds the rules that can run bottom-up. The strongly connected components of the
// derived relations, each after those it reads, are the strata.
#include "interp/plan/analysis.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <iterator>
#include <set>
#include <span>
#include <utility>

#include "interp/plan/components.h"
#include "interp/plan/equivalence.h"
#include "interp/plan/join_plan.h"
#include "interp/plan/plain_rule.h"
#include "interp/plan/worklist.h"
#include "interp/program/builtins.h"
#include "interp/store/store.h"

namespace rpl {
namespace {

using Lists = std::vector<std::vector<const Clause*>>;

// Appends to each list what it goes on with, by clause; false if the lists are too many.
bool Append(const Clause& clause, Lists& lists) {
  const std::span<const Clauses> branches = BranchesOf(clause);
  if (branches.empty()) {
    for (auto& list : lists) list.push_back(&clause);
    return true;
  }
  Lists out;
  for (const Clauses& branch : branches) {
    Lists copy = lists;
    for (const Clause& inner : branch)
      if (!Append(inner, copy)) return false;
    if (out.size() + copy.size() > kMostWays) return false;
    std::ranges::move(copy, std::back_inserter(out));
  }
  lists = std::move(out);
  return true;
}

// Adds the relations that a clause reads; also to `wholes` those that it needs complete. A set at
// the top of a rule reads instances one by one, which nothing takes back.
void Reads(const Clause& clause, const Store& store, bool whole, std::set<RelationId>& reads,
           std::set<RelationId>& wholes, bool nested = false) {
  const auto is_set = [](const Pattern& p) {
    return (p.kind == Pattern::Kind::kSet && p.rest.empty()) ||
           (p.kind == Pattern::Kind::kConstant && p.constant.kind() == Kind::kSet);
  };
  ForEachPart(
      clause,
      [&](Sense sense, const ClauseRead& read) {
        if (read.relation == kNoId) return;
        RelationId r = read.relation;
        bool complete = sense != Sense::kHolds;
        if (!complete && read.atom != nullptr) {
          if (read.atom->whole) r = store.WholeIfAny(store.BaseOf(r));
          complete = whole || (nested && std::ranges::any_of(read.atom->args, is_set));
        }
        reads.insert(r);
        if (complete) wholes.insert(r);
      },
      [&](Sense sense, const Clauses& body) {
        const bool complete = whole || sense != Sense::kHolds;
        for (const Clause& inner : body) Reads(inner, store, complete, reads, wholes, true);
      });
}

bool HoldsSet(const Pattern& p) {
  return p.kind == Pattern::Kind::kSet ||
         (p.kind == Pattern::Kind::kConstant && p.constant.kind() == Kind::kSet);
}

bool HoldsSet(const Expr& e) {
  const bool gives =
      e.op == Operator::kUnion || e.op == Operator::kIntersect || e.op == Operator::kDifference;
  return (e.kind == Expr::Kind::kTerm && HoldsSet(e.term)) ||
         (e.kind == Expr::Kind::kOperator && gives);
}

// Whether a clause may bind a slot to a set. Rows of relations are instances.
bool MayBindSets(const Clause& clause, const Store& store) {
  if (const auto* atom = clause.As<Atom>()) {
    const bool goal = store.at(atom->relation).space() == Space::kGoal;
    return atom->whole || (goal && atom->rule < 0 && !atom->args.empty());
  }
  bool found = false;
  ForEachPart(
      clause, [&](PartUse use, const Pattern&) { found |= use == PartUse::kBinds; },
      [&](PartUse use, const Expr& e) { found |= use == PartUse::kEither && HoldsSet(e); },
      [&](Sense, const Clauses& body) {
        found |= std::ranges::any_of(body, [&](const Clause& c) { return MayBindSets(c, store); });
      });
  return found;
}

// The arguments that a clause of the rule may bind to a set. What a match takes apart, others bind.
Columns SetColumns(const Definition& def, const Store& store) {
  std::vector<bool> sets(def.slots.size());
  const auto is_set = [&](SlotId s) { return sets[static_cast<std::size_t>(s)]; };
  const auto mark = [&](SlotId s) { sets[static_cast<std::size_t>(s)] = true; };
  const auto touches = [&](const auto& part) {
    bool found = false;
    ForEachSlot(part, [&](SlotId s) { found = found || is_set(s); });
    return found;
  };
  for (std::vector<bool> before; before != sets;) {
    before = sets;
    for (const Clause* clause : ClausesOf(def)) {
      if (const auto* match = clause->As<MatchWith>()) ForEachSlot(match->pattern, mark);
      else if (MayBindSets(*clause, store) || (EqualityIn(*clause) != nullptr && touches(*clause)))
        CollectSlots(*clause, sets);
    }
  }
  Columns out = 0;
  for (std::size_t i = 0; i < def.args.size(); ++i)
    if (HoldsSet(def.args[i]) || touches(def.args[i])) out |= Columns{1} << i;
  return out;
}

// The arguments whose value metadata gives, such as a reply, and no other clause mentions.
Columns RepliedColumns(const Definition& def) {
  std::vector<bool> replied(def.slots.size()), others(def.slots.size());
  for (const Clause& clause : def.body) {
    const auto* metadata = clause.As<Metadata>();
    if (metadata == nullptr) CollectSlots(clause, others);
    else
      ForEachSlot(metadata->pattern,
                  [&](SlotId s) { replied[static_cast<std::size_t>(s)] = true; });
  }
  Columns out = 0;
  for (std::size_t i = 0; i < def.args.size(); ++i) {
    const Pattern& p = def.args[i];
    const auto slot = static_cast<std::size_t>(p.slot);
    if (p.kind == Pattern::Kind::kSlot && replied[slot] && !others[slot]) out |= Columns{1} << i;
  }
  return out;
}

bool IsEndless(const Plan& plan) {
  return std::ranges::any_of(plan.steps, [](const Step& s) { return s.endless; });
}

bool IsTooLarge(const Plan& plan) {
  return std::any_of(plan.steps.begin(), plan.steps.end(),
                     [](const Step& s) { return s.too_large; });
}

}  // namespace

bool HasStuck(const Plan& plan) {
  return std::any_of(plan.steps.begin(), plan.steps.end(), [](const Step& s) {
    return (s.kind == Step::Kind::kStuck && !s.too_large) || s.open_input;
  });
}

void Mentions(const Clauses& clauses, const Store& store, std::vector<RelationId>& out) {
  ForEachClause(clauses, [&](const Clause& clause) {
    if (const Atom* atom = AtomIn(clause)) out.push_back(store.BaseOf(atom->relation));
  });
}

std::vector<const Clause*> ClausesOf(const Definition& def) {
  std::vector<const Clause*> out = PointersTo(def.activation);
  for (const Clause& c : def.body) out.push_back(&c);
  return out;
}

std::vector<std::vector<const Clause*>> AlternativesOf(const std::vector<const Clause*>& clauses) {
  Lists out(1);
  for (const Clause* clause : clauses)
    if (!Append(*clause, out)) return {clauses};
  return out;
}

std::vector<const Clause*> WithTexts(const Definition& def, const std::vector<bool>& bound,
                                     std::vector<const Clause*> clauses) {
  std::vector<const Clause*> out;
  for (const TextArgument& text : def.texts)
    if (bound[static_cast<std::size_t>(text.slot)]) out.push_back(&text.match);
  out.insert(out.end(), clauses.begin(), clauses.end());
  return out;
}

bool IsChecked(const Definition& def) {
  return def.choice &&
         std::ranges::any_of(def.body, [](const Clause& c) { return c.As<Check>() != nullptr; });
}

bool Chooses(const Definition& def) {
  const auto chooses = [](const Clause& c) { return c.As<First>() || c.As<Distinct>(); };
  return std::ranges::any_of(def.activation, chooses) || std::ranges::any_of(def.body, chooses);
}

Columns MayBeGiven(const Definition& def) {
  Columns out = 0;
  for (std::size_t i = 0; i < def.args.size(); ++i)
    if (std::ranges::count(def.gathered, i) == 0 && !(def.extremum && def.extremum->column == i))
      out |= Columns{1} << i;
  return out;
}

std::vector<bool> HeadSlots(const Definition& def) {
  std::vector<bool> out(def.slots.size());
  const auto mark = [&](SlotId s) { out[static_cast<std::size_t>(s)] = true; };
  for (const Pattern& p : def.args) ForEachSlot(p, mark);
  if (def.head_expansion >= 0) mark(def.head_expansion);
  return out;
}

Access Analysis::AccessOf(RelationId relation, Mode mode) const {
  const Relation& rel = store_->at(relation);
  if (mode == Mode::kDerive) return rel.space() == Space::kGoal ? Access::kTruth : Access::kRows;
  const RelationId base = store_->BaseOf(relation);
  const Info& info = At(base);
  switch (rel.space()) {
    case Space::kGoal: return Access::kGoal;
    case Space::kAvar: return Access::kExternal;
    case Space::kTool: return info.rules.empty() ? Access::kExternal : Access::kTable;
    case Space::kRelation:
    case Space::kIntermediate: break;
  }
  if (info.collected) return Access::kCollect;
  return info.demanded || info.broken ? Access::kTable : Access::kRows;
}

std::vector<const Clause*> Analysis::WithoutGuards(const Definition& def) const {
  std::vector<const Clause*> out = ClausesOf(def);
  std::erase_if(out, [&](const Clause* clause) { return IsGuard(*clause, def.head); });
  return out;
}

const ModeSet& Analysis::ModesOf(RelationId relation) const {
  return At(store_->BaseOf(relation)).modes;
}

const ModeSet& Analysis::FiniteModesOf(RelationId relation) const {
  return At(store_->BaseOf(relation)).finite;
}

const Plan& Analysis::PlanFor(const DerivedRule& rule, DerivedRule::Plans& plans, int delta,
                              const std::vector<std::size_t>& order) const {
  std::unique_ptr<Plan>& plan = plans.by_order[order];
  if (plan != nullptr) return *plan;
  const Definition& def = *rule.def;
  plan = deriving_->Make(rule.clauses, std::vector<bool>(def.slots.size()), HeadSlots(def),
                         def.slots, def.avar, delta, order);
  plan->join = Join::Of(*plan, def, *store_);
  return *plan;
}

void Analysis::Select(RelationId relation, std::size_t column, Value value) {
  const auto side = [](Pattern pattern) {
    Expr out;
    out.term = std::move(pattern);
    return out;
  };
  for (DerivedRule& rule : strata_[static_cast<std::size_t>(At(relation).component)].rules) {
    if (rule.def->head != relation) continue;
    const Pattern& arg = rule.def->args[column];
    if (arg.kind != Pattern::Kind::kSlot) continue;
    Clause& clause = selections_.emplace_back();
    clause.is = Boxed<Compare>({.op = Operator::kEqual,
                                .left = side(Pattern::Slot(arg.slot)),
                                .right = side(Pattern::Constant(value))});
    clause.span = rule.def->span;
    clause.text = "?" + rule.def->slots[static_cast<std::size_t>(arg.slot)] + " = " +
                  Text(store_->pool(), value);
    rule.clauses.push_back(&clause);
    rule.full = {};
    for (DerivedRule::Delta& delta : rule.deltas) delta.plans = {};
  }
}

bool Analysis::ReachesOutside(const Clause& clause) const {
  if (const Atom* atom = AtomIn(clause)) {
    const Relation& rel = store_->at(atom->relation);
    return rel.space() != Space::kRelation || At(store_->BaseOf(atom->relation)).outside;
  }
  if (const auto* read = clause.As<ReadAvar>()) return !read->last;
  bool found = false;
  ForEachBody(clause, [&](const Clauses& body) {
    for (const Clause& inner : body) found |= ReachesOutside(inner);
  });
  return found;
}

Analysis::Needs Analysis::NeedsOf(const Definition& def, Planner& planner) const {
  Needs needs;
  if (IsPlain(def, *this, *store_)) return needs;
  const std::vector<const Clause*> clauses = ClausesOf(def);
  const std::vector<bool> wanted = HeadSlots(def);
  const Columns all = MayBeGiven(def);
  struct Found {
    bool stuck, endless, acts;
    std::vector<bool> grouped;
  };
  std::map<Columns, Found> plans;
  const auto plan_for = [&](Columns known) {
    if (const auto at = plans.find(known); at != plans.end()) return at->second;
    std::vector<bool> bound(def.slots.size());
    for (std::size_t i = 0; i < def.args.size(); ++i)
      if ((known >> i & 1) != 0)
        ForEachSlot(def.args[i], [&](SlotId s) { bound[static_cast<std::size_t>(s)] = true; });
    const std::unique_ptr<Plan> plan = planner.Make(clauses, bound, wanted, def.slots, def.avar);
    for (const Step& step : plan->steps) {
      if (!step.endless || (known != 0 && known != all)) continue;
      const std::set<std::size_t>& open = At(store_->BaseOf(step.relation)).growing;
      needs.growing.insert(open.begin(), open.end());
      if (known == all) needs.always.insert(open.begin(), open.end());
    }
    if (known == 0)
      needs.asks = std::any_of(plan->steps.begin(), plan->steps.end(), [](const Step& s) {
        return s.kind == Step::Kind::kReadAvar && s.clause->As<ReadAvar>()->last;
      });
    return plans[known] = {HasStuck(*plan), IsEndless(*plan), plan->acts, plan->grouped};
  };
  needs.modes = ModeSet::Of(all, [&](Columns known) { return !plan_for(known).stuck; });
  needs.stuck = plan_for(all).stuck;
  needs.finite = needs.modes;
  if (growing_known_) {
    const auto ends = [&](Columns known) {
      const Found found = plan_for(known);
      return !found.stuck && !found.endless;
    };
    needs.finite = ModeSet::Of(all, ends);
  }
  // A rule that chooses does so among the rows for all groups, whatever its caller binds.
  const std::vector<bool> groups = plan_for(0).grouped;
  if (!Chooses(def) && std::ranges::find(groups, true) != groups.end()) {
    const std::vector<bool> left = plan_for(all).grouped;
    for (std::size_t i = 0; left != groups && i < def.args.size(); ++i) {
      const Columns column = Columns{1} << i;
      if ((all & column) != 0 &&
          (plan_for(column).grouped != groups || plan_for(all & ~column).grouped != left))
        needs.keys |= column;
    }
  }
  if (!needs.asks && !MayAct(def.activation) && !MayAct(def.body)) return needs;
  // A plan that is stuck does not tell what comes after.
  const auto is_quiet = [&](Columns known) {
    const Found found = plan_for(known);
    return !found.stuck && !found.acts;
  };
  needs.quiet.reset();
  if (is_quiet(all)) needs.quiet = ModeSet::Of(all, is_quiet);
  return needs;
}

bool Analysis::Acts(const Step& step) const {
  if (step.kind != Step::Kind::kAtom) return TraitsOf(step.kind).acts;
  const Info& info = At(store_->BaseOf(step.relation));
  switch (step.access) {
    case Access::kExternal:
    case Access::kCollect: return true;
    case Access::kTable: return IsActing(info.quiet, step.probe);
    case Access::kGoal: return IsActing(info.quiet, 0);
    case Access::kRows:
    case Access::kTruth: break;
  }
  return false;
}

// Whether a plan for the clauses may act, whatever it binds first.
bool Analysis::MayAct(const Clauses& clauses) const {
  return AnyOf(clauses, [&](const Clause& clause) {
    return Visit(
        clause,
        [&](const Atom& c) {
          const Space space = store_->at(c.relation).space();
          const Info& info = At(store_->BaseOf(c.relation));
          return space == Space::kAvar || IsActing(info.quiet, 0) || info.collected ||
                 (space == Space::kTool && info.rules.empty());
        },
        [&](const GoalIsFalse& c) {
          return !c.activation && IsActing(At(c.goal.relation).quiet, 0);
        },
        [](const ReadAvar& c) { return !c.last; }, [](const ShowJson&) { return true; },
        [](const Among<Compare, MatchWith, Member, Temporal, CountOf, Negation, Alternatives,
                       Expand, Metadata, Aggregate, First, Loop, Distinct, Check, Truth> auto&) {
          return false;
        });
  });
}

// Whether a disjunction has a branch that is taken only where others gave nothing.
bool Analysis::HasActingBranch(const Clause& clause) const {
  bool found = false;
  ForEachPart(clause, [&](Sense sense, const Clauses& body) {
    found |= sense == Sense::kHolds && MayAct(body);
    for (const Clause& inner : body) found |= HasActingBranch(inner);
  });
  return found;
}

bool Analysis::UsesDemand(const Clauses& clauses, bool* outside) const {
  bool demand = false;
  for (const Clause& clause : clauses) {
    if (const auto* atom = clause.As<Atom>()) {
      const Relation& rel = store_->at(atom->relation);
      const Info& info = At(store_->BaseOf(atom->relation));
      demand |= rel.space() != Space::kRelation || info.demanded || info.collected;
    }
    if (ReachesOutside(clause)) *outside = demand = true;
    demand |= clause.As<ShowJson>() != nullptr;
    ForEachBody(clause, [&](const Clauses& body) { demand |= UsesDemand(body, outside); });
  }
  return demand;
}

// A relation with a rule that guards itself is tabled, so that what holds without such rules can be
// told from its rows.
void Analysis::FindGuards(const std::deque<Definition>& definitions) {
  for (const Definition& def : definitions) {
    if (def.activation.empty() || def.head == kNoId ||
        store_->at(def.head).space() != Space::kRelation)
      continue;
    std::set<RelationId> reads, wholes;
    for (const Clause& clause : def.activation) Reads(clause, *store_, false, reads, wholes);
    const auto rests_on_it = [&](RelationId r) {
      const RelationId base = store_->BaseOf(r);
      return store_->at(base).space() == Space::kRelation && RestOnEachOther(base, def.head);
    };
    if (std::ranges::none_of(wholes, rests_on_it)) continue;
    guards_itself_[static_cast<std::size_t>(def.number)] = true;
    info_[def.head].demanded = true;
  }
}

void Analysis::Make(const Program& program, const Store& store) {
  ++version_;
  growing_.clear();
  selections_.clear();
  endless_.clear();
  growing_known_ = false;
  MakeOnce(program, store);
  AnswerFromCallers(program, store);
}

// Notes the rules from `first` on, and what they mention.
void Analysis::TakeRules(std::size_t first) {
  const auto& definitions = program_->definitions();
  info_.resize(store_->size());
  mentioned_by_.resize(store_->size());
  mentions_.resize(definitions.size());
  asks_.resize(definitions.size());
  guards_itself_.resize(definitions.size());
  quiet_.resize(definitions.size(), ModeSet());
  keys_.resize(definitions.size());
  gives_sets_.resize(definitions.size());
  for (std::size_t i = first; i < definitions.size(); ++i) {
    const Definition& def = definitions[i];
    if (def.head == kNoId || elsewhere_.contains(def.number)) continue;
    info_[def.head].rules.push_back(def.number);
    info_[def.head].extremum = def.extremum;
    info_[def.head].checked |= IsChecked(def);
    Mentions(def.activation, *store_, mentions_[i]);
    Mentions(def.body, *store_, mentions_[i]);
    for (const RelationId r : mentions_[i])
      if (mentioned_by_[r].empty() || mentioned_by_[r].back() != i) mentioned_by_[r].push_back(i);
  }
}

// For the relations of which it is known that they are answered from their callers.
void Analysis::MakeOnce(const Program& program, const Store& store) {
  program_ = &program;
  store_ = &store;
  strata_.clear();
  distributed_.clear();
  expanding_.clear();
  cycles_.clear();
  bad_extrema_.clear();
  open_rules_.clear();
  info_.clear();
  mentions_.clear();
  mentioned_by_.clear();
  asks_.clear();
  guards_itself_.clear();
  quiet_.clear();
  keys_.clear();
  gives_sets_.clear();
  circles_ = 0;
  TakeRules(0);
  for (RelationId r = 0; r < store.size(); ++r)
    info_[r].collected = info_[r].outside = program.FindCollected(r) != nullptr;
  for (RelationId r = 0; r < store.size(); ++r)
    if (const Builtin* builtin = program.FindBuiltin(r)) {
      info_[r].built_in = info_[r].demanded = true;
      info_[r].finite = info_[r].modes = ModeSet::Either(builtin->modes);
    }
  for (std::size_t i = 0; i < growing_.size(); ++i)
    for (const auto& [r, modes] : growing_[i].modes) {
      if (!growing_[i].from_callers) continue;
      info_[r].demanded = info_[r].from_callers = true;
      info_[r].finite = modes;
      info_[r].growing = {i};
    }

  const auto& definitions = program.definitions();
  for (const RelationId r : partial_) info_[r].demanded = true;
  MakeCircles(0, 0);
  FindGuards(definitions);
  Worklist rounds;
  for (std::size_t i = 0; i < definitions.size(); ++i)
    if (definitions[i].head != kNoId && !elsewhere_.contains(definitions[i].number)) rounds.Add(i);
  headings_ = HeadingUses(program);
  input_free_.clear();
  without_rows_.clear();
  making_ = true;
  Planner planner(*this, store, Mode::kSolve);
  while (!rounds.empty()) {
    const std::size_t number = rounds.Next();
    const Definition& def = definitions[number];
    Info& info = info_[def.head];
    bool outside = false;
    const bool in_activation = UsesDemand(def.activation, &outside);
    const bool in_body = UsesDemand(def.body, &outside);
    bool demanded = in_activation || in_body || MayReadAny(def.activation) || MayReadAny(def.body);
    const Needs needs = NeedsOf(def, planner);
    ModeSet modes = info.modes;
    modes.Require(needs.modes);
    ModeSet finite = info.finite;
    finite.Require(needs.finite);
    demanded = demanded || needs.asks || needs.stuck || needs.finite != ModeSet();
    outside = outside || needs.asks;
    if (needs.asks) asks_[number] = true;
    keys_[number] |= needs.keys;
    if (!needs.growing.empty()) open_rules_[def.number] = needs;
    Quiet& own = quiet_[number];
    Quiet quiet = info.quiet;
    for (Quiet* const of : {&own, &quiet})
      if (*of && needs.quiet) (*of)->Require(*needs.quiet);
      else of->reset();
    std::set<std::size_t> growing = info.growing;
    growing.insert(needs.growing.begin(), needs.growing.end());
    if ((demanded && !info.demanded) || (outside && !info.outside) || quiet != info.quiet ||
        modes != info.modes || finite != info.finite || growing != info.growing ||
        (needs.keys & ~info.keys) != 0) {
      info.keys |= needs.keys;
      info.quiet = std::move(quiet);
      info.demanded |= demanded;
      info.outside |= outside;
      info.modes = std::move(modes);
      info.finite = std::move(finite);
      info.growing = std::move(growing);
      for (const std::size_t other : mentioned_by_[def.head]) rounds.Add(other);
    }
  }
  making_ = false;
  if (info_.size() < store.size()) info_.resize(store.size());
  SpreadPartial();
  MarkMonotone(0);
  MarkFounded(0);
  for (std::size_t i = 0; i < definitions.size(); ++i) {
    const Definition& def = definitions[i];
    if (def.head == kNoId || store.at(def.head).space() == Space::kGoal) continue;
    const Info& info = info_[def.head];
    const bool has_tables =
        info.demanded || info.keys != 0 || store.at(def.head).space() == Space::kTool;
    if (!has_tables) continue;
    gives_sets_[i] =
        SetColumns(def, store) & (Acts(def) ? RepliedColumns(def) : ~Columns{0}) & ~keys_[i];
  }
  MakeStrata(program, store);
}

// The clauses with an atom for each instance that a set reads, so that each has a delta of its own.
std::vector<const Clause*> Analysis::Distributed(const std::vector<const Clause*>& clauses) {
  std::vector<const Clause*> out;
  for (const Clause* clause : clauses) {
    std::vector<Clause> instances = InstancesOf(*clause, 0, store_->pool());
    if (instances.empty()) out.push_back(clause);
    for (Clause& instance : instances)
      out.push_back(&distributed_.emplace_back(std::move(instance)));
  }
  return out;
}

// A rule, if it can be derived as far as its own clauses are concerned. The plans that tell so are
// kept.
std::optional<Analysis::Candidate> Analysis::CandidateOf(const Definition& def, Planner& planner) {
  if (def.head != kNoId && store_->at(def.head).space() == Space::kGoal) return std::nullopt;
  if (elsewhere_.contains(def.number) || GuardsItself(def)) return std::nullopt;
  if (def.head != kNoId && info_[def.head].from_callers) return std::nullopt;
  if (MayReadAny(def.activation) || MayReadAny(def.body)) return std::nullopt;
  Candidate c;
  c.def = &def;
  const std::vector<const Clause*> clauses = ClausesOf(def);
  for (const Clause* clause : clauses) {
    const auto* read = clause->As<ReadAvar>();
    if (read != nullptr && read->last && !asks_[static_cast<std::size_t>(def.number)]) continue;
    Reads(*clause, *store_, false, c.reads, c.wholes);
  }
  const bool whole = !def.gathered.empty() || def.choice;
  if (whole) c.wholes = c.reads;
  c.alternatives = whole ? Lists{clauses} : AlternativesOf(clauses);
  if (!whole)
    for (std::vector<const Clause*>& list : c.alternatives) list = Distributed(list);
  bool waits = false;  // reads something whose absence proves nothing yet
  for (RelationId r : def.extremum ? c.reads : c.wholes) {
    const RelationId base = store_->BaseOf(r);
    waits |= store_->at(base).space() != Space::kRelation || info_[base].outside ||
             (info_[base].partial && !def.extremum);
  }
  for (const Clause* clause : clauses)
    waits |= clause->As<GoalIsFalse>() != nullptr || HasActingBranch(*clause);
  if (waits) return std::nullopt;
  if (IsPlain(def, *this, *store_)) {
    c.plans.emplace_back();
    return c;
  }
  const std::vector<bool> nothing(def.slots.size());
  const std::vector<bool> wanted = HeadSlots(def);
  for (const auto& list : c.alternatives) {
    c.plans.push_back(planner.Make(list, nothing, wanted, def.slots, def.avar));
    c.ok = c.ok && !c.plans.back()->problem;
    // Whoever reads its rows meets the limit.
    if (def.head != kNoId && IsTooLarge(*c.plans.back())) info_[def.head].demanded = true;
  }
  if (!c.ok || !TakeDemands(c)) return std::nullopt;
  return c;
}

// What the answers of a relation rest on whose group keys are bound.
void Analysis::AddRests(RelationId keyed, std::set<RelationId>& out) const {
  for (const int number : At(keyed).rules)
    for (const RelationId r : mentions_[static_cast<std::size_t>(number)])
      if (out.insert(r).second && At(r).keys != 0) AddRests(r, out);
}

// Adds to what the candidate needs complete what the answers rest on that its plans demand. False
// if these are not settled before its rows are: some rest on these, or on a caller.
bool Analysis::TakeDemands(Candidate& c) {
  const RelationId head = c.def->head;
  for (const std::unique_ptr<Plan>& plan : c.plans)
    for (const Step& step : plan->steps) {
      if (step.kind != Step::Kind::kAtom || step.access != Access::kTable) continue;
      const RelationId keyed = store_->BaseOf(step.relation);
      if (RestOnEachOther(keyed, head) ||
          (At(keyed).demanded && (head != kNoId || At(keyed).outside))) {
        if (head != kNoId) info_[head].demanded = true;
        return false;
      }
      c.demands = true;
      c.wholes.insert(step.relation);
      AddRests(keyed, c.wholes);
    }
  c.reads.insert(c.wholes.begin(), c.wholes.end());
  return true;
}

// Rejects candidates that would read half of a relation: a rule is not derived if some rule of a
// relation that it reads is not. A rule whose head is an expansion has no caller, so it reads the
// rows there are, except where it needs a relation complete.
class Analysis::Halves {
 public:
  Halves(Analysis& analysis, const Store& store, std::vector<Candidate>& candidates)
      : analysis_(analysis),
        store_(store),
        candidates_(candidates),
        rules_left_(analysis.info_.size()),
        read_by_(analysis.info_.size()) {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const Candidate& c = candidates[i];
      if (c.def->head != kNoId) ++rules_left_[c.def->head];
      for (const RelationId r : c.reads) read_by_[store.BaseOf(r)].push_back(i);
    }
  }

  void Settle() {
    for (std::size_t i = 0; i < candidates_.size(); ++i) rounds_.Add(i);
    while (!rounds_.empty())
      if (Candidate& c = candidates_[rounds_.Next()]; c.ok && ReadsHalf(c)) GiveUp(c);
    for (RelationId r = 0; r < rules_left_.size(); ++r)
      analysis_.info_[r].derived = rules_left_[r] > 0;
  }

 private:
  bool ReadsHalf(const Candidate& c) const {
    const bool has_caller = c.def->head != kNoId;
    return std::any_of(c.reads.begin(), c.reads.end(), [&](RelationId r) {
      const RelationId base = store_.BaseOf(r);
      return IsHalf(base) && (has_caller || c.wholes.contains(r) || rules_left_[base] == 0);
    });
  }

  bool IsHalf(RelationId base) const {
    const Info& info = analysis_.info_[base];
    if (store_.at(base).space() == Space::kGoal) return false;
    return info.broken || info.built_in || (info.demanded && rules_left_[base] < info.rules.size());
  }

  void GiveUp(Candidate& c) {
    c.ok = false;
    if (c.def->head == kNoId) return;
    analysis_.info_[c.def->head].demanded = true;
    --rules_left_[c.def->head];
    for (const std::size_t other : read_by_[c.def->head]) rounds_.Add(other);
  }

  Analysis& analysis_;
  const Store& store_;
  std::vector<Candidate>& candidates_;
  std::vector<std::size_t> rules_left_;            // by relation
  std::vector<std::vector<std::size_t>> read_by_;  // candidates, by relation
  Worklist rounds_;
};

// Adds the rules, with their plans, to their strata.
void Analysis::MakeRules(std::vector<Candidate>& candidates, const Store& store) {
  for (Candidate& c : candidates) {
    if (!c.ok) continue;
    const Definition& def = *c.def;
    if (def.head != kNoId && info_[def.head].broken) continue;
    std::vector<DerivedRule>& rules =
        def.head == kNoId ? expanding_
                          : strata_[static_cast<std::size_t>(info_[def.head].component)].rules;
    for (std::size_t k = 0; k < c.alternatives.size(); ++k) {
      const auto& list = c.alternatives[k];
      DerivedRule rule;
      rule.def = &def;
      rule.whole = !def.gathered.empty() || def.choice;
      rule.demands = c.demands;
      rule.as_written = as_written_.contains(def.number);
      rule.reads.assign(c.reads.begin(), c.reads.end());
      rule.whole_reads.assign(c.wholes.begin(), c.wholes.end());
      rule.clauses = list;
      if (c.plans[k] != nullptr) {
        c.plans[k]->join = Join::Of(*c.plans[k], def, store);
        rule.full.by_order[{}] = std::move(c.plans[k]);
      }
      for (const auto& [i, clause, atom] : OwnAtoms(list)) {
        if (rule.whole) break;
        const RelationId r =
            atom.whole ? store.WholeIfAny(store.BaseOf(atom.relation)) : atom.relation;
        assert(r != kNoId);
        if (c.wholes.contains(r)) continue;
        rule.deltas.push_back({r, static_cast<int>(i), {}});
      }
      rules.push_back(std::move(rule));
    }
  }
}

// Of the strata from `first` on.
void Analysis::FindEquivalences(std::size_t first) {
  for (Stratum& stratum : std::span(strata_).subspan(first)) {
    std::map<RelationId, std::pair<DerivedRule*, DerivedRule*>> pairs;  // symmetric, transitive
    for (DerivedRule& rule : stratum.rules) {
      if (rule.as_written) continue;
      const OwnRule kind = OwnRuleOf(*rule.def, rule.clauses);
      if (kind == OwnRule::kOther) continue;
      auto& [symmetric, transitive] = pairs[rule.def->head];
      (kind == OwnRule::kSymmetric ? symmetric : transitive) = &rule;
    }
    for (const auto& [relation, pair] : pairs) {
      const auto& [symmetric, transitive] = pair;
      if (symmetric == nullptr || transitive == nullptr) continue;
      symmetric->of_equivalence = transitive->of_equivalence = true;
      stratum.equivalences.push_back({symmetric->def, transitive->def});
    }
  }
}

void Analysis::MakeStrata(const Program& program, const Store& store) {
  std::vector<Candidate> candidates;
  deriving_ = std::make_unique<Planner>(*this, store, Mode::kDerive);
  for (const Definition& def : program.definitions())
    if (std::optional<Candidate> c = CandidateOf(def, *deriving_))
      candidates.push_back(*std::move(c));
  Halves halves(*this, store, candidates);
  halves.Settle();
  Edges edges(info_.size());
  for (const Candidate& c : candidates) {
    if (!c.ok || c.def->head == kNoId) continue;
    for (RelationId r : c.reads)
      edges[c.def->head].emplace_back(store.BaseOf(r), c.wholes.contains(r));
  }
  std::vector<std::vector<RelationId>> to(info_.size());
  std::vector<bool> derived(info_.size());
  for (RelationId r = 0; r < info_.size(); ++r) {
    derived[r] = info_[r].derived;
    for (const auto& [other, whole] : edges[r]) to[r].push_back(other);
  }
  const Components found = StronglyConnected(to, derived);
  for (RelationId r = 0; r < info_.size(); ++r) info_[r].component = found.of[r];
  const std::vector<std::vector<RelationId>>& components = found.members;
  MarkBroken(edges, components, store);
  MarkNotMonotone(candidates, components, store);
  MarkCalled(program, store);
  // Readers of a broken relation are tabled, so that their callers learn of the cycle (decision
  // 40).
  halves.Settle();
  if (!growing_known_) FindGrowing(candidates, components, store);
  strata_.resize(components.size());
  for (std::size_t i = 0; i < components.size(); ++i) strata_[i].relations = components[i];
  MakeRules(candidates, store);
  FindEquivalences(0);
}

}  // namespace rpl
