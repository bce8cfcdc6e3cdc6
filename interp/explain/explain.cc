// SPDX-License-Identifier: Apache-2.0
//
// Finding the derivation of one fact. The head of each rule is matched with the fact and
// the rule's body is run top-down; the first answer whose premises are usable is taken.
//
// Usable, for a row of the store, are rows of the relations below it, and of its own
// component those with a smaller *stamp*. In a component of one relation the row id is the
// stamp: a row was derived from rows that were there, and they have smaller ids.
//
//   t(1, 2) #0   t(2, 1) #1   t(1, 1) #2 from #0 and #1   t(1, 2) again: not from #2
//
// In a component of several relations Replay() finds such an order again: each relation's
// rows are taken in id order, and the next row of some relation always follows from the
// rows taken before.
#include "interp/explain/explain.h"
#include "interp/eval/engine.h"
#include "interp/eval/machine.h"
#include "interp/eval/solver.h"
#include "interp/plan/analysis.h"
#include "interp/program/library_reasons.h"
#include "interp/program/program.h"
#include "interp/store/store.h"

#include <algorithm>

namespace rpl {
namespace {

constexpr std::size_t kFirstDerivations = 64;  // derivations tried at first for a row of a table
constexpr std::size_t kMaxGathered = 20;       // answers shown for an aggregate head

// The alternatives of a step that tests only whether one of them holds: `not (not (… | …))`, as
// the planner writes those that are combined in too many ways. Null for other steps.
const Clause* TestedAsAWhole(const Step& step) {
  const auto within = [](const Clause* clause) -> const Clause* {
    const auto* negation = clause == nullptr ? nullptr : clause->As<Negation>();
    return negation == nullptr || negation->body.size() != 1 ? nullptr : &negation->body.front();
  };
  const Clause* const inner = step.kind == Step::Kind::kNot ? within(within(step.clause)) : nullptr;
  return inner != nullptr && !BranchesOf(*inner).empty() ? inner : nullptr;
}

// Whether binding the head to a row finds all answers that give it. Templates are matched
// as text, and `#{?a ?a}` is built from one value but matches no set of one.
bool IsPrecise(const Pattern& p) {
  switch (p.kind) {
    case Pattern::Kind::kConstant:
    case Pattern::Kind::kSlot: return true;
    case Pattern::Kind::kList:
    case Pattern::Kind::kTerm:
      return p.rest.empty() && std::all_of(p.parts.begin(), p.parts.end(), IsPrecise);
    default: return false;
  }
}

bool IsPrecise(const Clauses& clauses) {
  const auto term = [](const Expr& e) { return e.kind != Expr::Kind::kTerm || IsPrecise(e.term); };
  return std::all_of(clauses.begin(), clauses.end(), [&](const Clause& clause) {
    bool precise = Visit(
        clause, [](const MatchWith&) { return false; },
        [&](const Compare& c) { return term(c.left) && term(c.right); },
        [&](const Member& c) { return term(c.element); },
        [](const Among<Atom, Temporal, CountOf, Negation, Alternatives, Expand, Metadata, Aggregate,
                       ReadAvar, ShowJson, GoalIsFalse, First, Loop, Distinct, Check,
                       Truth> auto&) { return true; });
    ForEachBody(clause, [&](const Clauses& body) { precise = precise && IsPrecise(body); });
    return precise;
  });
}

bool IsPrecise(const Definition& def) {
  return !def.choice && IsPrecise(def.activation) && IsPrecise(def.body) &&
         std::all_of(def.args.begin(), def.args.end(),
                     [](const Pattern& p) { return IsPrecise(p); });
}

// Whether an argument of the head is bound by a count alone: then it ranges over the
// existing groups (decision 25), and a value bound beforehand may not be one of them.
bool IsGrouped(const Definition& def) {
  std::vector<bool> counted(def.slots.size());
  std::vector<bool> supplied(def.slots.size());
  for (const Clause* clause : ClausesOf(def)) {
    if (clause->As<CountOf>()) CollectSlots(*clause, counted);
    if (clause->As<Atom>()) CollectSlots(*clause, supplied);
  }
  const std::vector<bool> head = HeadSlots(def);
  for (std::size_t s = 0; s < head.size(); ++s)
    if (head[s] && counted[s] && !supplied[s]) return true;
  return false;
}

// The priority of a clause when `bound` is known, higher first; negative: it cannot run yet.
int Urgency(const Clause& clause, bool first, const std::vector<bool>& bound) {
  const auto known = [&](const auto& part) {
    bool all = true;
    ForEachSlot(part, [&](SlotId s) { all &= bound[static_cast<std::size_t>(s)]; });
    return all;
  };
  const auto at_once_if = [&](bool can_run) { return can_run ? 1000 : first ? 0 : -1; };
  return Visit(
      clause,
      [&](const Atom& c) {
        return static_cast<int>(std::ranges::count_if(
            c.args, [&](const Pattern& p) { return p.kind != Pattern::Kind::kAny && known(p); }));
      },
      [&](const Compare& c) { return at_once_if(known(c.left) || known(c.right)); },
      [&](const MatchWith& c) { return at_once_if(known(c.value)); },
      [&](const Member& c) { return at_once_if(known(c.collection)); },
      [&](const Among<Temporal, CountOf, Negation, Alternatives, Expand, Metadata, Aggregate,
                      ReadAvar, ShowJson, GoalIsFalse, First, Loop, Distinct, Check, Truth> auto&) {
        return at_once_if(false);
      });
}

// The clauses of a pure rule, those with the most known slots first: with its head bound, a rule
// runs best from the head's side. The order of pure clauses changes no answer.
std::vector<const Clause*> FromTheHead(const Definition& def, std::vector<const Clause*> clauses,
                                       const Catalog& catalog) {
  if (def.choice || clauses.size() < 2 ||
      std::any_of(clauses.begin(), clauses.end(),
                  [&](const Clause* c) { return catalog.ReachesOutside(*c); }))
    return clauses;
  std::vector<bool> bound = HeadSlots(def);
  std::vector<const Clause*> out;
  while (!clauses.empty()) {
    std::size_t best = 0;
    int most = -1;
    for (std::size_t i = 0; i < clauses.size(); ++i)
      if (const int urgency = Urgency(*clauses[i], i == 0, bound); urgency > most)
        most = urgency, best = i;
    out.push_back(clauses[best]);
    CollectSlots(*clauses[best], bound);
    clauses.erase(clauses.begin() + static_cast<std::ptrdiff_t>(best));
  }
  return out;
}

}  // namespace

std::vector<const Step*> PathTo(const Step* at, const Step* end,
                                const std::vector<const Step*>& ways) {
  std::vector<const Step*> out;
  while (at != nullptr) {
    out.push_back(at);
    if (at == end) return out;
    const auto way = std::ranges::find_first_of(at->branches, ways);
    at = way == at->branches.end() ? at->next : *way;
  }
  return {};
}

void MarkWrites(const Step& step, std::vector<bool>& bound) {
  for (SlotId s : step.writes) bound[static_cast<std::size_t>(s)] = true;
  if (step.kind != Step::Kind::kFirst && step.kind != Step::Kind::kLoop) return;
  // Slots that their bodies bind stay bound.
  std::vector<const Step*> inner = {step.body, step.body2};
  while (!inner.empty()) {
    const Step* at = inner.back();
    inner.pop_back();
    for (; at != nullptr; at = at->next) {
      MarkWrites(*at, bound);
      inner.insert(inner.end(), at->branches.begin(), at->branches.end());
    }
  }
}

Explainer::Explainer(interp::Engine& engine, std::string cut_off)
    : engine_(engine), facts_(engine), cut_off_(std::move(cut_off)) {}

Explainer::Settled::Settled(interp::Engine& engine)
    : machine_(engine.solver.machine()), truncated_(std::exchange(machine_.truncated, false)) {}

Explainer::Settled::~Settled() { machine_.truncated = truncated_; }

std::optional<std::size_t> Explainer::StampOf(const Fact& fact) {
  const int component = facts_.ComponentOf(fact.first);
  const std::optional<RowId> row = component < 0 ? std::nullopt : facts_.StoredRow(fact);
  if (!row) return std::nullopt;
  const std::vector<RelationId>& members =
      engine_.analysis.strata()[static_cast<std::size_t>(component)].relations;
  if (members.size() == 1 && engine_.store.WholeIfAny(members.front()) == kNoId) return *row;
  Replay(component);
  return stamps_.at(fact.first)[*row];
}

// --- finding answers -------------------------------------------------------------------------

const Plan& Explainer::PlanFor(const Definition& def, const std::vector<const Clause*>& clauses,
                               const std::vector<bool>& bound, bool head) {
  std::vector<const void*> owner = {&def, head ? &def : nullptr};
  owner.insert(owner.end(), clauses.begin(), clauses.end());
  auto& plan = plans_[{std::move(owner), bound}];
  if (plan == nullptr)
    plan =
        Planner(engine_.analysis, engine_.store, Mode::kSolve)
            .Make(head ? WithTexts(def, bound, clauses) : clauses, bound,
                  head ? HeadSlots(def) : std::vector<bool>(def.slots.size()), def.slots, def.avar);
  return *plan;
}

// Calls `take` for each answer of `clauses`, with the head bound to `key`, or with the bindings of
// `from` unless null. Returns why there may be more answers.
Undecided Explainer::Each(const Definition& def, const std::vector<const Clause*>& clauses,
                          std::span<const Value> key, const Instance* from, const Take& take) {
  Machine& machine = engine_.solver.machine();
  Frame frame(&def, def.slots);
  std::vector<bool> bound(def.slots.size());
  std::vector<bool> at_start;
  const Plan* plan = nullptr;
  const auto emit = [&] {
    Instance found;
    found.def = &def;
    found.slots = frame.slots;
    found.bound = at_start;
    found.steps = PathTo(plan->first, frame.end, frame.ways);
    std::size_t matched = 0;
    for (const Step* step : found.steps) {
      MarkWrites(*step, found.bound);
      if (step->kind != Step::Kind::kAtom || step->access == Access::kExternal) continue;
      const Premise premise = machine.PremiseOf(frame.path[matched++]);
      found.facts.push_back(facts_.Normal(
          step->access == Access::kGoal ? premise.relation : step->relation, premise.row));
    }
    return take(std::move(found)) && machine.evaluation.stop == Stop::kGoesOn;
  };
  const Continuation answer(emit);
  frame.answer = &answer;
  const Machine::Use use(machine, frame, Mode::kSolve);
  const auto run = [&] {
    at_start = bound;
    plan = &PlanFor(def, clauses, bound, from == nullptr);
    return machine.Run(plan->first);
  };
  if (from == nullptr) {
    engine_.solver.BindHead(def, key, 0, bound, run);
  } else {
    std::copy(from->slots.begin(), from->slots.end(), frame.slots.begin());
    bound = from->bound;
    run();
  }
  return OpenOf(frame);
}

// What the evaluation left open. What lacks a meaning does not hold; what rests on that is not
// known (decision 93).
Undecided Explainer::OpenOf(Frame& frame) {
  std::uint8_t lacks = frame.lacking;
  if (!frame.undecided) lacks &= ~kMeaning;
  if ((lacks & kMeaning) != 0) engine_.solver.machine().evaluation.undefined = frame.doubt;
  return {std::move(frame.waits), lacks, frame.unfinished};
}

bool Explainer::Gives(const Instance& instance, const Fact& fact) {
  const Definition& def = *instance.def;
  const Relation& rel = engine_.store.at(fact.first);
  std::vector<Value> row;
  if (def.head_expansion >= 0) {
    const Value form = instance.slots[static_cast<std::size_t>(def.head_expansion)];
    if (form.kind() != Kind::kTerm || engine_.pool.NamespaceOf(form) != Namespace::kRelation ||
        engine_.pool.TextOf(form) != engine_.pool.TextOf(rel.label()))
      return false;
    row.assign(engine_.pool.ItemsOf(form).begin(), engine_.pool.ItemsOf(form).end());
  } else {
    for (const Pattern& p : def.args)
      row.push_back(Build(engine_.pool, p, instance.slots.data(), &def.slots));
  }
  if (rel.space() == Space::kGoal) row.resize(std::max(row.size(), fact.second.size()), kAbsent);
  if (row.size() != fact.second.size()) return false;
  const bool instances = rel.space() != Space::kGoal && !engine_.store.IsWhole(fact.first);
  for (std::size_t i = 0; i < row.size(); ++i)
    if (row[i] != fact.second[i] && !(instances && row[i].kind() == Kind::kSet &&
                                      engine_.pool.Contains(row[i], fact.second[i])))
      return false;
  return true;
}

// The clauses that hold for a fact. The guards of a goal that is true held before it was (decision
// 62).
std::vector<const Clause*> Explainer::ClausesFor(const Definition& def, const Fact& fact) const {
  const bool is_truth =
      engine_.store.at(fact.first).space() == Space::kGoal && facts_.StoredRow(fact);
  return is_truth ? engine_.analysis.WithoutGuards(def) : ClausesOf(def);
}

// Whether the fact was derived with nothing bound, and binding its values would change a count.
bool Explainer::IsFree(const Definition& def, const Fact& fact) {
  return StampOf(fact) && IsGrouped(def);
}

// Calls `take` for usable answers of rules that give the fact, except rules with aggregate heads:
// with the fact's values bound in the head, or with `nothing` bound, where that may find more. A
// rule that needs its caller may not end then, so this comes second. False when `take` stopped it.
bool Explainer::Candidates(const Fact& fact, bool nothing, const Take& take) {
  bool done = false;
  const Take check = [&](Instance i) {
    if (Gives(i, fact)) done = !EachWay(std::move(i), fact, take);
    return !done;
  };
  const auto bound = [&](const Definition& def, const std::vector<const Clause*>& clauses) {
    if (def.choice) return;
    if (!IsFree(def, fact)) {
      const std::vector<const Clause*> order = FromTheHead(def, clauses, engine_.analysis);
      for (const std::vector<Value>& key : facts_.KeysFor(fact)) {
        Each(def, order, key, nullptr, check);
        if (done) return;
      }
    }
    // As a table does, without the arguments that may be sets in the rule's answers.
    std::vector<Value> changed;
    const std::span<const Value> given =
        engine_.solver.GivenTo(def, fact.first, fact.second, changed);
    if (!changed.empty()) Each(def, clauses, given, nullptr, check);
  };
  const auto free = [&](const Definition& def, const std::vector<const Clause*>& clauses) {
    if (IsFree(def, fact) || !IsPrecise(def)) Each(def, clauses, {}, nullptr, check);
    // In a table, a choice is made for the caller's arguments.
    if (def.choice && !done) Each(def, clauses, fact.second, nullptr, check);
  };
  for (int number : facts_.RulesOf(fact.first)) {
    const Definition& def = engine_.program.definitions()[static_cast<std::size_t>(number)];
    if (!def.gathered.empty()) continue;
    if (nothing) free(def, ClausesFor(def, fact));
    else bound(def, ClausesFor(def, fact));
    if (done) return false;
  }
  if (!nothing || engine_.store.at(fact.first).space() != Space::kRelation) return true;
  for (const Definition& def : engine_.program.definitions()) {
    if (def.head_expansion >= 0) Each(def, ClausesOf(def), {}, nullptr, check);
    if (done) return false;
  }
  return true;
}

// The rows with whole collections that a rule with an aggregate head gives in a table, of which the
// fact is an instance. The store has none of them.
std::vector<std::vector<Value>> Explainer::WholesOf(const Definition& def, const Fact& fact) {
  std::vector<std::vector<Value>> out;
  std::vector<Value> changed;
  std::vector<bool> bound(def.slots.size());
  Frame frame(&def, def.slots);
  const Machine::Use use(engine_.solver.machine(), frame, Mode::kSolve);
  const auto gather = [&] {
    engine_.solver.Gather(def, bound, [&](rpl::Gathered group) {
      if (facts_.Covers(group.row, fact.second)) out.push_back(std::move(group.row));
    });
    return true;
  };
  engine_.solver.BindHead(def, engine_.solver.GivenTo(def, fact.first, fact.second, changed), 0,
                          bound, gather);
  return out;
}

std::optional<Explainer::Choice> Explainer::Gathering(const Definition& def, const Fact& fact) {
  for (const std::vector<Value>& row : facts_.KeysFor(fact))
    if (std::optional<Choice> out = GatheringOf(def, fact, row)) return out;
  if (StampOf(fact)) return std::nullopt;
  for (const std::vector<Value>& row : WholesOf(def, fact))
    if (std::optional<Choice> out = GatheringOf(def, fact, row)) return out;
  return std::nullopt;
}

// All answers of a rule with an aggregate head for the group of a row, of which the fact is an
// instance; nullopt if they do not make up its lists or sets.
std::optional<Explainer::Choice> Explainer::GatheringOf(const Definition& def, const Fact& fact,
                                                        const std::vector<Value>& row) {
  const AggregateHead head(def);
  const std::size_t gathers = head.collections.size();
  std::vector<Value> key = row;
  std::vector<Value> wholes(head.first + gathers);  // by slot
  std::vector<bool> bound(wholes.size());
  bool fits = true;
  for (std::size_t i : def.gathered) {
    key[i] = kNone;
    bool found = false;
    Unify(engine_.pool, WithBinds(head.args[i], bound), row[i], wholes.data(),
          [&] { return found = true, false; });
    fits = fits && found;
  }
  // A row was gathered from the groups that have members, whatever its keys are.
  const Columns keys = StampOf(fact) ? engine_.analysis.KeysOf(fact.first) : 0;
  const auto is_key = [&](std::size_t i) { return (keys >> i & 1) != 0; };
  for (std::size_t i = 0; i < key.size(); ++i)
    if (is_key(i)) key[i] = kNone;
  for (std::size_t g = 0; g < gathers && fits; ++g)
    fits = wholes[head.first + g].kind() ==
           (head.collections[g]->kind == Pattern::Kind::kSet ? Kind::kSet : Kind::kList);
  if (!fits) return std::nullopt;
  Choice choice{&def, {}, 0};
  std::vector<std::set<Value>> members(gathers);
  std::set<std::vector<Value>> seen;
  Each(def, ClausesOf(def), key, nullptr, [&](Instance instance) {
    std::vector<Value> all;
    std::vector<Value> slots = wholes;
    std::copy(instance.slots.begin(), instance.slots.end(), slots.begin());
    for (std::size_t i = 0; i < row.size(); ++i)
      if ((is_key(i) || std::ranges::count(def.gathered, i) > 0) &&
          Build(engine_.pool, head.args[i], slots.data(), &def.slots) != row[i])
        return true;
    for (std::size_t g = 0; g < gathers; ++g) {
      const Pattern& p = *head.collections[g];
      const Value whole = wholes[head.first + g];
      const std::span<const Value> items = engine_.pool.ItemsOf(whole);
      for (std::size_t i = 0; i < p.parts.size(); ++i) {
        const Value v = Build(engine_.pool, p.parts[i], instance.slots.data(), &def.slots);
        const bool here = whole.kind() == Kind::kSet ? engine_.pool.Contains(whole, v)
                                                     : i < items.size() && items[i] == v;
        if (!here) return true;
      }
      std::vector<Value> member;
      for (const Pattern& rest : p.rest)
        member.push_back(Build(engine_.pool, rest, instance.slots.data(), &def.slots));
      if (std::any_of(member.begin(), member.end(), [](Value v) { return v.is_none(); }))
        return true;
      all.push_back(member.size() == 1 ? member.front() : engine_.pool.List(member));
    }
    for (std::size_t g = 0; g < all.size(); ++g) members[g].insert(all[g]);
    if (!seen.insert(all).second) return true;
    if (choice.instances.size() >= kMaxGathered) return ++choice.more, true;
    EachWay(std::move(instance), fact, [&](Instance way) {
      choice.instances.push_back(std::move(way));
      return false;
    });
    return true;
  });
  bool complete = !choice.instances.empty();
  for (std::size_t g = 0; g < gathers && complete; ++g) {
    const std::span<const Value> items = engine_.pool.ItemsOf(wholes[head.first + g]);
    std::set<Value> wanted(items.begin(), items.end());
    const Pattern& p = *head.collections[g];
    if (p.kind == Pattern::Kind::kList) {
      wanted.clear();
      for (std::size_t i = p.parts.size(); i < items.size(); ++i) wanted.insert(items[i]);
    } else {
      members[g].insert(items.begin(), items.end());  // leading elements were checked
    }
    complete = members[g] == wanted;
  }
  return complete ? std::optional(std::move(choice)) : std::nullopt;
}

// --- choosing one derivation -------------------------------------------------------------------

bool Explainer::Usable(const Instance& instance, const Fact& fact) {
  const std::optional<std::size_t> stamp = StampOf(fact);
  return std::ranges::all_of(instance.facts, [&](const Fact& premise) {
    if (facts_.IsAsserted(premise)) return true;
    if (premise == fact) return false;
    if (!stamp || facts_.ComponentOf(premise.first) < 0) return true;
    const bool below = facts_.ComponentOf(premise.first) != facts_.ComponentOf(fact.first);
    // No row, but an answer for a group key that is bound.
    if (!facts_.StoredRow(premise)) return below && engine_.analysis.KeysOf(premise.first) != 0;
    return below || *StampOf(premise) < *stamp;
  });
}

// Calls `take` for an instance if it is usable for the fact: with each usable way through the
// alternatives that its plan tested as a whole. False when `take` stopped it.
bool Explainer::EachWay(Instance instance, const Fact& fact, const Take& take) {
  if (!Usable(instance, fact)) return true;
  const auto whole = std::ranges::find_if(
      instance.steps, [](const Step* step) { return TestedAsAWhole(*step) != nullptr; });
  if (whole == instance.steps.end()) return take(std::move(instance));
  const Clause* const alternatives = TestedAsAWhole(**whole);
  instance.steps.erase(whole);
  bool go_on = true;
  Each(*instance.def, {alternatives}, {}, &instance, [&](Instance way) {
    way.steps.insert(way.steps.begin(), instance.steps.begin(), instance.steps.end());
    way.facts.insert(way.facts.begin(), instance.facts.begin(), instance.facts.end());
    return go_on = EachWay(std::move(way), fact, take);
  });
  return go_on;
}

// Whether a row follows from rows that Replay has stamped.
bool Explainer::IsReady(const Fact& fact) {
  if (facts_.IsAsserted(fact)) return true;
  const auto take = [](const Instance&) { return false; };
  if (!Candidates(fact, false, take) || !Candidates(fact, true, take)) return true;
  return Gathered(fact).has_value();
}

void Explainer::Replay(int component) {
  if (!replayed_.insert(component).second) return;
  const Settled settled(engine_);
  std::vector<RelationId> members;
  for (RelationId r : engine_.analysis.strata()[static_cast<std::size_t>(component)].relations) {
    members.push_back(r);
    if (const RelationId whole = engine_.store.WholeIfAny(r); whole != kNoId)
      members.push_back(whole);
  }
  for (RelationId r : members) stamps_[r].assign(engine_.store.at(r).size(), SIZE_MAX);
  std::vector<RowId> next(members.size());
  std::size_t stamp = 0;
  for (bool more = true; more;) {
    more = false;
    bool advanced = false;
    for (std::size_t i = 0; i < members.size(); ++i) {
      const Relation& rel = engine_.store.at(members[i]);
      while (next[i] < rel.size()) {
        const std::vector<Value> cells = rel.Cells(next[i]);
        if (!IsReady({members[i], {cells.begin(), cells.end()}})) {
          more = true;
          break;
        }
        stamps_[members[i]][next[i]++] = stamp++;
        advanced = true;
      }
    }
    // Never true for rows that rules of the component derived; a #?h head may have added one.
    for (std::size_t i = 0; i < members.size() && more && !advanced; ++i)
      if (next[i] < engine_.store.at(members[i]).size()) {
        stamps_[members[i]][next[i]++] = stamp++;
        advanced = true;
      }
  }
}

Explainer::Choice Explainer::ChoiceOf(Instance instance) {
  Choice out{instance.def, {}, 0};
  out.instances.push_back(std::move(instance));
  return out;
}

std::optional<Explainer::Choice> Explainer::Gathered(const Fact& fact) {
  for (const int number : facts_.RulesOf(fact.first)) {
    const Definition& def = engine_.program.definitions()[static_cast<std::size_t>(number)];
    if (def.gathered.empty()) continue;
    if (std::optional<Choice> out = Gathering(def, fact)) return out;
  }
  return std::nullopt;
}

// Rows of tables have no stamps. A fact of theirs is settled once all premises of one of its
// instances are, so no fact rests on itself. They are tried depth first, and those with the fewest
// doubts before others: what rests on a fact that is being tried waits for it.
class Explainer::Settling {
 public:
  Settling(Explainer& explainer, std::size_t most) : explainer_(explainer), most_(most) {}

  /// Adds choices for the fact and all that it rests on to those that are settled, if it has any.
  /// False if there were too many tries to know.
  bool Settle(const Fact& fact) {
    Tried& root = *trials_.try_emplace(fact).first;
    Try(root);
    Descend(root);
    // Only where that does not suffice, what may not end, and then more derivations of each fact.
    for (bool goes_on = true; std::exchange(goes_on, false);)
      for (std::size_t next = 0; next < order_.size() && !Ends(root); ++next) {
        if (!TryMore(*order_[next])) continue;
        goes_on = true;
        stack_.push_back(order_[next]);
        Descend(root);
      }
    return root.second.is_settled || found_ < most_;
  }

 private:
  struct Trial;
  using Tried = std::pair<const Fact, Trial>;
  struct Way {
    Instance instance;
    std::vector<Tried*> missing;  // premises that were not settled when it was found
    std::size_t open = 0;         // how many of them are not yet
  };
  // One of the two searches of Candidates.
  struct Search {
    std::size_t found = 0;  // derivations so far
    bool is_cut = false;    // there may be more
  };
  struct Trial {
    bool is_tried = false;
    bool is_wide = false;
    bool is_settled = false;
    Search bound, nothing;
    std::vector<Way> ways;
    std::vector<std::pair<Tried*, std::size_t>> readers;  // ways of facts that miss it
  };

  bool IsSettled(const Fact& fact) {
    return explainer_.settled_.contains(fact) || explainer_.facts_.IsAsserted(fact) ||
           explainer_.facts_.IsComputed(fact.first) || explainer_.StampOf(fact);
  }

  bool Ends(const Tried& root) const {
    return root.second.is_settled || found_ >= most_ ||
           explainer_.engine_.solver.machine().evaluation.stop != Stop::kGoesOn;
  }

  void Try(Tried& tried) {
    tried.second.is_tried = true;
    ++found_;
    order_.push_back(&tried);
    stack_.push_back(&tried);
    Find(tried, false);
    if (tried.second.ways.empty() && !tried.second.is_settled) Widen(tried);
  }

  // False if that cannot find anything else.
  bool TryMore(Tried& tried) {
    Trial& trial = tried.second;
    if (trial.is_settled) return false;
    if (!trial.is_wide) return Widen(tried), true;
    const bool more = trial.bound.is_cut || trial.nothing.is_cut;
    if (trial.bound.is_cut) Find(tried, false);
    if (trial.nothing.is_cut && !trial.is_settled) Find(tried, true);
    return more;
  }

  void Widen(Tried& tried) {
    tried.second.is_wide = true;
    Find(tried, true);
    if (tried.second.is_settled) return;
    if (std::optional<Choice> gathered = explainer_.Gathered(tried.first))
      Adopt(tried, *std::move(gathered));
  }

  // Twice as many derivations as before.
  void Find(Tried& tried, bool nothing) {
    Search& search = nothing ? tried.second.nothing : tried.second.bound;
    const std::size_t most = std::max(kFirstDerivations, 2 * search.found);
    std::size_t at = 0;
    const bool all = explainer_.Candidates(tried.first, nothing, [&](Instance instance) {
      ++found_;
      if (at++ < search.found) return found_ < most_;
      Way way;
      for (const Fact& premise : std::set(instance.facts.begin(), instance.facts.end()))
        if (!IsSettled(premise)) way.missing.push_back(&*trials_.try_emplace(premise).first);
      way.open = way.missing.size();
      if (way.open == 0) return Adopt(tried, ChoiceOf(std::move(instance))), false;
      for (Tried* premise : way.missing)
        premise->second.readers.emplace_back(&tried, tried.second.ways.size());
      way.instance = std::move(instance);
      tried.second.ways.push_back(std::move(way));
      return at < most && found_ < most_;
    });
    search = {std::max(at, search.found), !all};
  }

  // Settles the fact, and what waited for it alone.
  void Adopt(Tried& tried, Choice choice) {
    std::vector<const Tried*> settled;
    const auto settle = [&](Tried& fact, Choice by) {
      fact.second.is_settled = true;
      explainer_.settled_.emplace(fact.first, std::move(by));
      settled.push_back(&fact);
    };
    settle(tried, std::move(choice));
    while (!settled.empty()) {
      const Tried& last = *settled.back();
      settled.pop_back();
      for (const auto& [reader, number] : last.second.readers) {
        Way& way = reader->second.ways[number];
        if (--way.open == 0 && !reader->second.is_settled)
          settle(*reader, ChoiceOf(std::move(way.instance)));
      }
    }
  }

  // Tries the premises of what is on the stack, until the root is settled or nothing is left to
  // try.
  void Descend(const Tried& root) {
    while (!stack_.empty() && !Ends(root)) {
      Tried* const premise = Untried(stack_.back()->second);
      if (premise != nullptr) Try(*premise);
      else stack_.pop_back();
    }
  }

  // A premise to try next, if the fact is not settled: of a way whose other premises are settled or
  // untried, where there is one.
  static Tried* Untried(const Trial& trial) {
    Tried* out = nullptr;
    if (trial.is_settled) return out;
    for (const Way& way : trial.ways) {
      Tried* untried = nullptr;
      bool waits = false;
      for (Tried* const premise : way.missing)
        if (!premise->second.is_tried) untried = premise;
        else waits = waits || !premise->second.is_settled;
      if (untried != nullptr && !waits) return untried;
      if (out == nullptr) out = untried;
    }
    return out;
  }

  Explainer& explainer_;
  const std::size_t most_;  // of `found_`
  std::map<Fact, Trial> trials_;
  std::vector<Tried*> order_;  // tried, in this order
  std::vector<Tried*> stack_;
  std::size_t found_ = 0;  // facts and derivations
};

std::optional<Explainer::Choice> Explainer::Choose(const Fact& fact, std::size_t tries,
                                                   std::string& why_not) {
  why_not = "no derivation found";
  if (!StampOf(fact)) {
    if (!settled_.contains(fact) && !Settling(*this, tries).Settle(fact))
      why_not = "limit reached: " + std::to_string(tries) + " tries to find its derivation";
    else if (engine_.solver.machine().evaluation.stop != Stop::kGoesOn)
      why_not = "the search for its derivation was stopped";
    const auto it = settled_.find(fact);
    return it == settled_.end() ? std::nullopt : std::optional(it->second);
  }
  const Settled settled(engine_);
  std::optional<Choice> out;
  const Take take = [&](Instance instance) {
    out = ChoiceOf(std::move(instance));
    return false;
  };
  if (Candidates(fact, false, take) && Candidates(fact, true, take)) out = Gathered(fact);
  return out;
}

}  // namespace rpl
