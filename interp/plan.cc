// SPDX-License-Identifier: Apache-2.0
//
// Chain() takes the clauses that are left and the slots that are bound, and repeats: pick
// a clause that can run, make its step, mark what it binds. Which one:
//
//   1. a pure test whose inputs are bound, wherever it stands;
//   2. else the first clause in written order that can run, except that a clause which
//      reaches outside waits for the ones like it before it, and the closing clauses
//      ($json, checks, @distinct) wait for all others;
//   3. else, when nothing can run, what can run in a weaker sense: an equality taken
//      apart, a term read as a form with its unbound lvars as names, a call whose caller
//      left an input open.
//
// Why 1 and 2 are safe: tests bind nothing, so running one earlier drops bindings that it
// would have dropped later, and the nested-loop order of what remains is the same.
#include "interp/plan.h"

#include <algorithm>
#include <cassert>

namespace rpl {
namespace {

constexpr std::size_t kMaxSteps = 20000;

bool IsClosing(const Clause& clause) {
  return clause.As<ShowJson>() || clause.As<Check>() || clause.As<Distinct>();
}

bool HasSet(const Pattern& p) {
  return p.kind == Pattern::Kind::kSet || std::any_of(p.parts.begin(), p.parts.end(), HasSet);
}

int ClosingRank(const Clause& clause) {
  if (clause.As<Check>()) return 1;
  if (clause.As<Distinct>()) return 2;
  return clause.As<ShowJson>() ? 3 : 0;
}

}  // namespace

Step* Planner::New(Step::Kind kind, const Clause* clause) {
  Step& step = plan_->steps.emplace_back();
  step.kind = kind;
  step.clause = clause;
  return &step;
}

bool Planner::Bound(const Pattern& p, const std::vector<bool>& bound) const {
  bool all = true;
  ForEachSlot(p, [&](SlotId s) { all &= bound[static_cast<std::size_t>(s)]; });
  return all;
}

bool Planner::Bound(const Expr& e, const std::vector<bool>& bound) const {
  bool all = true;
  ForEachSlot(e, [&](SlotId s) { all &= bound[static_cast<std::size_t>(s)]; });
  return all;
}

// Whether Build gives a value. `quote`: the term is read by form, so that `_` and an
// unbound lvar inside it stand for themselves (§3).
bool Planner::Buildable(const Pattern& p, const std::vector<bool>& bound, bool quote) const {
  const auto all = [&](bool inner) {
    const auto each = [&](const Pattern& part) { return Buildable(part, bound, inner); };
    return std::all_of(p.parts.begin(), p.parts.end(), each) &&
           std::all_of(p.rest.begin(), p.rest.end(), each);
  };
  switch (p.kind) {
    case Pattern::Kind::kConstant: return true;
    case Pattern::Kind::kSlot: return quote || bound[static_cast<std::size_t>(p.slot)];
    case Pattern::Kind::kAny: return false;
    case Pattern::Kind::kList:
    case Pattern::Kind::kSet:
    case Pattern::Kind::kMap: return !p.open && p.rest.size() <= 1 && all(false);
    case Pattern::Kind::kTerm:
      return std::all_of(p.parts.begin(), p.parts.end(), [&](const Pattern& part) {
        return (quote && part.kind == Pattern::Kind::kAny) || Buildable(part, bound, quote);
      });
    case Pattern::Kind::kTemplate: return all(false);
    case Pattern::Kind::kRegex: return false;
    case Pattern::Kind::kEach: return false;
  }
  return false;
}

bool Planner::Buildable(const Expr& e, const std::vector<bool>& bound, bool quote) const {
  if (e.kind == Expr::Kind::kTerm)
    return Buildable(e.term, bound, quote && e.term.kind == Pattern::Kind::kTerm);
  return std::all_of(e.sides.begin(), e.sides.end(),
                     [&](const Expr& side) { return Buildable(side, bound, false); });
}

std::vector<SlotId> Planner::Unbound(const Clause& clause, const std::vector<bool>& bound) const {
  std::vector<bool> seen(slots_);
  CollectSlots(clause, seen);
  std::vector<SlotId> out;
  for (std::size_t s = 0; s < slots_; ++s)
    if (seen[s] && !bound[s]) out.push_back(static_cast<SlotId>(s));
  return out;
}

// A clause that only tests (not, counts, !%) needs the lvars that its `inner` part shares
// with the rest.
bool Planner::WaitsForOthers(const Clause& clause, const Clause& inner, const Context& context,
                             const std::vector<Item>& rest) const {
  const std::vector<SlotId> unbound = Unbound(inner, context.bound);
  return std::any_of(unbound.begin(), unbound.end(),
                     [&](SlotId s) { return IsShared(s, clause, context, rest); });
}

// Whether another clause than `clause`, or what stands outside `rest`, mentions `slot`.
bool Planner::IsShared(SlotId slot, const Clause& clause, const Context& context,
                       const std::vector<Item>& rest) const {
  const auto at = static_cast<std::size_t>(slot);
  if (context.outside[at]) return true;
  return std::any_of(rest.begin(), rest.end(), [&](const Item& other) {
    if (other.clause == &clause) return false;
    std::vector<bool> seen(slots_);
    CollectSlots(*other.clause, seen);
    return bool{seen[at]};
  });
}

bool Planner::IsTest(const Clause& clause, const Context& context) const {
  if (const auto* c = clause.As<Compare>())
    return Buildable(c->left, context.bound, false) || Buildable(c->right, context.bound, false);
  return clause.As<Temporal>() || clause.As<Truth>() || clause.As<Metadata>() ||
         (clause.As<Member>() && clause.As<Member>()->negated) || clause.As<Negation>();
}

bool Planner::Ready(const Clause& clause, const Context& context, const std::vector<Item>& rest,
                    bool desperate) {
  const std::vector<bool>& bound = context.bound;
  if (const auto* c = clause.As<Atom>()) {
    const Access access = catalog_.AccessOf(c->relation, mode_);
    if (access == Access::kExternal)
      return std::all_of(c->args.begin(), c->args.end(), [&](const Pattern& p) {
        return Buildable(p, bound, desperate && p.kind == Pattern::Kind::kTerm);
      });
    if (access == Access::kTable || access == Access::kGoal) {
      if (desperate) return true;
      const Columns inputs = catalog_.InputsOf(c->relation);
      for (std::size_t i = 0; i < c->args.size(); ++i) {
        if ((inputs >> i & 1) == 0) continue;
        const Pattern& p = c->args[i];
        if (p.kind == Pattern::Kind::kSlot &&
            std::find(c->avars.begin(), c->avars.end(), p.slot) != c->avars.end())
          continue;
        // A term with `_` is read by form; it waits for its lvars only.
        if (!Buildable(p, bound, Bound(p, bound))) return false;
      }
    }
    return true;
  }
  if (const auto* c = clause.As<Compare>()) {
    const bool left = Buildable(c->left, bound, desperate);
    const bool right = Buildable(c->right, bound, desperate);
    if (left && right) return true;
    if (c->op != Operator::kEqual) return false;
    // `$l = |#?x|` resolves an avar; `$focus = "unknown"` and `?v = $x` read it (decisions
    // 54, 55).
    const auto is_avar = [&](const Expr& e) {
      return e.term.kind == Pattern::Kind::kSlot && (*avar_)[static_cast<std::size_t>(e.term.slot)];
    };
    // `?z = #{?n ?m}` builds the set if other clauses bind its parts: two equal parts make
    // one element, where matching a known set would want two.
    const auto bindable = [&](const Expr& e) {
      return e.kind == Expr::Kind::kTerm && !(HasSet(e.term) && !desperate);
    };
    const bool binds_right = left && bindable(c->right) && !is_avar(c->right);
    const bool binds_left = right && bindable(c->left) &&
                            !(is_avar(c->left) && c->right.kind == Expr::Kind::kTerm &&
                              c->right.term.kind == Pattern::Kind::kConstant);
    return binds_left || binds_right;
  }
  if (const auto* c = clause.As<MatchWith>())
    return Buildable(c->value, bound, desperate) ||
           (desperate && c->value.kind == Expr::Kind::kTerm && Bound(c->pattern, bound) &&
            Buildable(c->pattern, bound, false));
  if (const auto* c = clause.As<Member>())
    return Buildable(c->collection, bound, false) &&
           (Buildable(c->element, bound, false) ||
            (!c->negated && c->element.kind == Expr::Kind::kTerm));
  if (const auto* c = clause.As<Temporal>())
    return std::all_of(c->operands.begin(), c->operands.end(),
                       [&](const Expr& e) { return Buildable(e, bound, false); });
  if (const auto* c = clause.As<CountOf>()) {
    if (c->expansion >= 0) return bound[static_cast<std::size_t>(c->expansion)];
    if (!c->value.empty()) return Buildable(c->value.front(), bound, false);
    // Slots that another clause could still bind are waited for; in despair they group.
    return desperate || !WaitsForOthers(clause, c->atom.front(), context, rest);
  }
  if (clause.As<Negation>() || clause.As<GoalIsFalse>())
    return !WaitsForOthers(clause, clause, context, rest);
  if (const auto* c = clause.As<Alternatives>()) {
    if (desperate) return true;
    for (const Clauses& branch : c->branches) {  // can every branch run from here?
      std::vector<Item> items;
      for (const Clause& b : branch) items.push_back({&b});
      Context inner = context;
      while (!items.empty()) {
        const auto at = std::find_if(items.begin(), items.end(), [&](const Item& item) {
          return Ready(*item.clause, inner, items, false);
        });
        if (at == items.end()) return false;
        std::vector<bool> seen(slots_);
        CollectSlots(*at->clause, seen);
        for (std::size_t s = 0; s < slots_; ++s)
          if (seen[s]) inner.bound[s] = true;
        items.erase(at);
      }
    }
    return true;
  }
  if (const auto* c = clause.As<Expand>()) return bound[static_cast<std::size_t>(c->slot)];
  if (const auto* c = clause.As<Metadata>()) {
    const auto known = [&](SlotId s) { return bound[static_cast<std::size_t>(s)]; };
    return std::all_of(c->rows.begin(), c->rows.end(), known) &&
           (desperate || !c->bindings ||
            std::all_of(c->own.slots.begin(), c->own.slots.end(), known));
  }
  if (const auto* c = clause.As<ShowJson>()) return bound[static_cast<std::size_t>(c->slot)];
  if (const auto* c = clause.As<Check>())
    return !WaitsForOthers(clause, clause, context, rest) || c->body.empty();
  if (const auto* c = clause.As<Distinct>())
    return std::all_of(c->slots.begin(), c->slots.end(),
                       [&](SlotId s) { return bound[static_cast<std::size_t>(s)]; });
  return true;  // Aggregate, ReadAvar, First, Loop, Truth
}

void Planner::AtomStep(Step& step, const Atom& atom, Context& context) {
  step.relation = atom.relation;
  step.access = catalog_.AccessOf(atom.relation, mode_);
  if (atom.whole && step.access == Access::kRows)
    step.relation = store_.Whole(store_.BaseOf(atom.relation));
  step.row = atom.row;
  std::vector<bool>& bound = context.bound;
  const bool by_form = step.access == Access::kTable || step.access == Access::kExternal;
  const Columns inputs = by_form ? catalog_.InputsOf(atom.relation) : 0;
  // Keys first: they must be known before any row is looked at. A companion keeps sets
  // whole, so there every argument that is no set pattern is matched per element (§7).
  const bool whole = atom.whole && step.access == Access::kRows;
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < atom.args.size(); ++i) {
    const Pattern& p = atom.args[i];
    const bool quote = by_form && p.kind == Pattern::Kind::kTerm &&
                       (step.access == Access::kExternal || (inputs >> i & 1) != 0);
    const bool set_pattern = atom.whole && p.kind == Pattern::Kind::kSet;
    if (!whole && !set_pattern && Buildable(p, bound, quote)) {
      step.probe |= Columns{1} << i;
      step.keys.emplace_back(static_cast<std::uint32_t>(i), p);
      ForEachSlot(p, [&](SlotId s) { step.reads.push_back(s); });
    } else {
      open.push_back(i);
    }
  }
  step.all_bound = open.empty();
  for (std::size_t i : open) {
    const bool needed = (catalog_.InputsOf(atom.relation) >> i & 1) != 0;
    const Pattern& p = atom.args[i];
    const bool asked = p.kind == Pattern::Kind::kSlot &&
                       std::find(atom.avars.begin(), atom.avars.end(), p.slot) != atom.avars.end();
    step.open_input |= needed && !asked && step.access != Access::kRows;
  }
  std::vector<bool> here(slots_);  // bound by this very atom
  for (std::size_t i : open) {
    const Pattern& p = atom.args[i];
    const auto column = static_cast<std::uint32_t>(i);
    if (p.kind == Pattern::Kind::kAny) continue;
    if (p.kind == Pattern::Kind::kSlot && !whole) {
      const auto s = static_cast<std::size_t>(p.slot);
      if (here[s]) {
        step.checks.emplace_back(column, p.slot);
      } else {
        step.binds.emplace_back(column, p.slot);
        here[s] = true;
        step.writes.push_back(p.slot);
      }
      if (std::find(atom.avars.begin(), atom.avars.end(), p.slot) != atom.avars.end())
        step.asked = p.slot;
    }
  }
  for (std::size_t s = 0; s < slots_; ++s)
    if (here[s]) bound[s] = true;
  for (std::size_t i : open) {
    const Pattern& p = atom.args[i];
    if (p.kind == Pattern::Kind::kAny || (p.kind == Pattern::Kind::kSlot && !whole)) continue;
    ForEachSlot(p, [&](SlotId s) {
      (bound[static_cast<std::size_t>(s)] ? step.reads : step.writes).push_back(s);
    });
    Pattern match = WithBinds(p, bound);
    if (whole && p.kind != Pattern::Kind::kSet) {
      Pattern each;
      each.kind = Pattern::Kind::kEach;
      each.parts.push_back(std::move(match));
      match = std::move(each);
    }
    step.matches.emplace_back(static_cast<std::uint32_t>(i), std::move(match));
  }
  if (step.row >= 0) {
    step.writes.push_back(step.row);
    bound[static_cast<std::size_t>(step.row)] = true;
  }
}

// The plan of a sub-list that ends in kFound; what it binds is local unless the caller
// takes `bound_after`.
Step* Planner::Body(const Clauses& clauses, const Context& context,
                    const std::vector<Item>& siblings, const Clause* self,
                    std::vector<bool>* bound_after) {
  std::vector<Item> items;
  for (const Clause& c : clauses) items.push_back({&c});
  Context inner = context;
  for (const Item& sibling : siblings)
    if (sibling.clause != self) CollectSlots(*sibling.clause, inner.outside);
  return Chain(Prepare(items), std::move(inner), Terminal::kFound, 0, bound_after);
}

Step* Planner::StepFor(const Item& item, Context& context, const std::vector<Item>& rest) {
  const Clause& clause = *item.clause;
  std::vector<bool>& bound = context.bound;
  const auto reads = [&](Step& step, const Expr& e) {
    ForEachSlot(e, [&](SlotId s) {
      if (bound[static_cast<std::size_t>(s)]) step.reads.push_back(s);
    });
  };
  const auto binds = [&](Step& step, const Pattern& p) {
    ForEachSlot(p, [&](SlotId s) {
      (bound[static_cast<std::size_t>(s)] ? step.reads : step.writes).push_back(s);
    });
    step.pattern = WithBinds(p, bound);
  };
  const auto result = [&](Step& step, SlotId slot) {
    const auto at = static_cast<std::size_t>(slot);
    step.result_bound = bound[at];
    step.pattern = Pattern::Slot(slot);
    (bound[at] ? step.reads : step.writes).push_back(slot);
    bound[at] = true;
  };

  if (const auto* c = clause.As<Atom>()) {
    Step* step = New(Step::Kind::kAtom, &clause);
    AtomStep(*step, *c, context);
    step->range = item.range;
    return step;
  }
  if (const auto* c = clause.As<Compare>()) {
    const bool left = Buildable(c->left, bound, false);
    const bool right = Buildable(c->right, bound, false);
    if (left && right) {
      Step* step = New(Step::Kind::kCompare, &clause);
      step->operands = {c->left, c->right};
      reads(*step, c->left);
      reads(*step, c->right);
      return step;
    }
    const bool from_left = left || (!right && Buildable(c->left, bound, true));
    Step* step = New(Step::Kind::kBind, &clause);
    step->operands = {from_left ? c->left : c->right};
    reads(*step, step->operands.front());
    binds(*step, (from_left ? c->right : c->left).term);
    return step;
  }
  if (const auto* c = clause.As<MatchWith>()) {
    if (!Buildable(c->value, bound, true)) {  // ?x ~ [1 2] with ?x open
      Step* step = New(Step::Kind::kBind, &clause);
      Expr e;
      e.term = c->pattern;
      step->operands = {e};
      reads(*step, e);
      binds(*step, c->value.term);
      return step;
    }
    Step* step = New(Step::Kind::kMatch, &clause);
    step->operands = {c->value};
    reads(*step, c->value);
    binds(*step, c->pattern);
    return step;
  }
  if (const auto* c = clause.As<Member>()) {
    Step* step = New(Step::Kind::kMember, &clause);
    step->operands = {c->collection};
    reads(*step, c->collection);
    if (Buildable(c->element, bound, false)) {
      step->operands.push_back(c->element);
      reads(*step, c->element);
    } else {
      binds(*step, c->element.term);
    }
    return step;
  }
  if (const auto* c = clause.As<Temporal>()) {
    Step* step = New(Step::Kind::kTemporal, &clause);
    step->operands = c->operands;
    for (const Expr& e : c->operands) reads(*step, e);
    return step;
  }
  if (const auto* c = clause.As<CountOf>()) {
    if (c->expansion >= 0) {
      Step* step = New(Step::Kind::kCountForm, &clause);
      step->reads.push_back(c->expansion);
      result(*step, c->result);
      return step;
    }
    if (!c->value.empty()) {
      Step* step = New(Step::Kind::kCountValue, &clause);
      step->operands = c->value;
      reads(*step, c->value.front());
      result(*step, c->result);
      return step;
    }
    Step* step = New(Step::Kind::kCountAtom, &clause);
    // Unbound slots that stand outside too are group keys (decision 25).
    for (SlotId s : Unbound(c->atom.front(), bound)) {
      const auto at = static_cast<std::size_t>(s);
      bool shared = context.outside[at];
      for (const Item& other : rest) {
        std::vector<bool> seen(slots_);
        CollectSlots(*other.clause, seen);
        shared = shared || (other.clause != &clause && seen[at]);
      }
      if (shared) step->groups.push_back(s);
    }
    std::vector<bool> seen(slots_);
    CollectSlots(c->atom.front(), seen);
    for (std::size_t s = 0; s < slots_; ++s)
      if (seen[s] && bound[s]) step->reads.push_back(static_cast<SlotId>(s));
    step->body = Body(c->atom, context, rest, &clause, nullptr);
    for (SlotId s : step->groups) {
      step->writes.push_back(s);
      bound[static_cast<std::size_t>(s)] = true;
    }
    result(*step, c->result);
    return step;
  }
  if (const auto* c = clause.As<Negation>()) {
    Step* step = New(Step::Kind::kNot, &clause);
    std::vector<bool> seen(slots_);
    CollectSlots(clause, seen);
    for (std::size_t s = 0; s < slots_; ++s)
      if (seen[s] && bound[s]) step->reads.push_back(static_cast<SlotId>(s));
    step->body = Body(c->body, context, rest, &clause, nullptr);
    return step;
  }
  if (const auto* c = clause.As<GoalIsFalse>()) {
    Step* step = New(Step::Kind::kGoalFalse, &clause);
    Context inner = context;
    AtomStep(*step, c->goal, inner);
    return step;
  }
  if (const auto* c = clause.As<Expand>()) {
    Step* step = New(Step::Kind::kExpand, &clause);
    step->reads.push_back(c->slot);
    step->row = c->row;
    if (c->row >= 0) {
      step->writes.push_back(c->row);
      bound[static_cast<std::size_t>(c->row)] = true;
    }
    return step;
  }
  if (const auto* c = clause.As<Metadata>()) {
    Step* step = New(Step::Kind::kMetadata, &clause);
    for (SlotId s : c->rows) step->reads.push_back(s);
    for (SlotId s : c->own.slots)
      if (bound[static_cast<std::size_t>(s)]) step->reads.push_back(s);
    binds(*step, c->pattern);
    return step;
  }
  if (const auto* c = clause.As<Aggregate>()) {
    Step* step = New(Step::Kind::kAggregate, &clause);
    Context alone{std::vector<bool>(slots_), std::vector<bool>(slots_)};
    step->body = Body(c->body, alone, {}, &clause, nullptr);
    binds(*step, c->pattern);
    return step;
  }
  if (const auto* c = clause.As<ReadAvar>()) {
    const auto at = static_cast<std::size_t>(c->slot);
    Step* step = New(bound[at] ? Step::Kind::kTruth : Step::Kind::kReadAvar, &clause);
    if (!bound[at]) step->writes.push_back(c->slot);
    bound[at] = true;
    return step;
  }
  if (const auto* c = clause.As<ShowJson>()) {
    Step* step = New(Step::Kind::kShow, &clause);
    step->reads.push_back(c->slot);
    return step;
  }
  if (const auto* c = clause.As<First>()) {
    Step* step = New(Step::Kind::kFirst, &clause);
    step->body = Body(c->body, context, rest, &clause, &bound);
    return step;
  }
  if (const auto* c = clause.As<Loop>()) {
    Step* step = New(Step::Kind::kLoop, &clause);
    Context inner = context;
    step->body = Body(c->start, inner, rest, &clause, &inner.bound);
    inner.bound[static_cast<std::size_t>(c->value)] = true;
    std::vector<bool> after_condition = inner.bound;
    step->body2 = Body(c->condition, inner, rest, &clause, &after_condition);
    Context stepping{inner.bound, inner.outside};
    stepping.bound[static_cast<std::size_t>(c->next)] = false;
    step->body3 = Body(c->step, stepping, rest, &clause, nullptr);
    bound = after_condition;
    return step;
  }
  if (const auto* c = clause.As<Distinct>()) {
    Step* step = New(Step::Kind::kDistinct, &clause);
    step->reads = c->slots;
    return step;
  }
  if (const auto* c = clause.As<Check>()) {
    Step* step = New(Step::Kind::kCheck, &clause);
    step->body = Body(c->body, context, rest, &clause, nullptr);
    return step;
  }
  return New(Step::Kind::kTruth, &clause);
}

// [?a 1] = [2 ?b] and f(?x) = f(1): equalities of the parts. False when it is none.
bool Planner::Decompose(const Clause& clause, std::vector<Item>& rest) {
  const auto* c = clause.As<Compare>();
  if (c == nullptr || c->op != Operator::kEqual) return false;
  if (c->left.kind != Expr::Kind::kTerm || c->right.kind != Expr::Kind::kTerm) return false;
  const Pattern& a = c->left.term;
  const Pattern& b = c->right.term;
  if (a.kind != b.kind || !a.rest.empty() || !b.rest.empty() || a.parts.size() != b.parts.size() ||
      a.parts.empty())
    return false;
  if (a.kind != Pattern::Kind::kList && a.kind != Pattern::Kind::kTerm) return false;
  if (a.kind == Pattern::Kind::kTerm && (a.ns != b.ns || a.label != b.label)) return false;
  std::erase_if(rest, [&](const Item& item) { return item.clause == &clause; });
  for (std::size_t i = 0; i < a.parts.size(); ++i) {
    if (a.parts[i].kind == Pattern::Kind::kAny || b.parts[i].kind == Pattern::Kind::kAny) continue;
    Compare part{Operator::kEqual, {}, {}};
    part.left.term = a.parts[i];
    part.right.term = b.parts[i];
    Clause& made = plan_->made.emplace_back();
    made.is = std::move(part);
    made.span = clause.span;
    made.text = clause.text;
    rest.push_back({&made});
  }
  return true;
}

// role(#{?a ?b}) on a stored relation: two instances that differ (decision 28).
std::vector<Planner::Item> Planner::Prepare(const std::vector<Item>& items) {
  std::vector<Item> out;
  for (const Item& item : items) {
    const auto* atom = item.clause->As<Atom>();
    std::size_t column = 0;
    std::vector<Pattern> parts;
    if (atom != nullptr && catalog_.AccessOf(atom->relation, mode_) != Access::kTable)
      for (; column < atom->args.size(); ++column) {
        const Pattern& p = atom->args[column];
        if (p.kind == Pattern::Kind::kSet && p.rest.empty()) parts = p.parts;
        if (p.kind == Pattern::Kind::kConstant && p.constant.kind() == Kind::kSet)
          for (Value v : store_.pool().ItemsOf(p.constant)) parts.push_back(Pattern::Constant(v));
        if (!parts.empty()) break;
      }
    if (parts.empty()) {
      out.push_back(item);
      continue;
    }
    std::vector<Item> instances;
    for (const Pattern& part : parts) {
      Atom one = *atom;
      one.args[column] = part;
      Clause& made = plan_->made.emplace_back();
      made.is = std::move(one);
      made.span = item.clause->span;
      made.text = item.clause->text;
      instances.push_back({&made, item.range});
    }
    for (std::size_t i = 0; i < parts.size(); ++i)
      for (std::size_t k = i + 1; k < parts.size(); ++k) {
        if (parts[i].kind == Pattern::Kind::kAny || parts[k].kind == Pattern::Kind::kAny) continue;
        Compare differ{Operator::kNotEqual, {}, {}};
        differ.left.term = parts[i];
        differ.right.term = parts[k];
        Clause& made = plan_->made.emplace_back();
        made.is = std::move(differ);
        made.span = item.clause->span;
        made.text = item.clause->text;
        instances.push_back({&made});
      }
    for (const Item& instance : Prepare(instances)) out.push_back(instance);
  }
  return out;
}

std::string Planner::ProblemOf(const std::vector<Item>& rest, const Context& context) const {
  std::string name;
  std::string text;
  for (const Item& item : rest) {
    // `?a = ?b + 1` lacks ?b; it would bind ?a itself.
    std::vector<bool> given = context.bound;
    if (const auto* c = item.clause->As<Compare>(); c != nullptr && c->op == Operator::kEqual) {
      const bool left = c->left.kind == Expr::Kind::kTerm;
      const bool right = c->right.kind == Expr::Kind::kTerm;
      if (left != right)
        ForEachSlot(left ? c->left : c->right,
                    [&](SlotId s) { given[static_cast<std::size_t>(s)] = true; });
    }
    std::vector<SlotId> lacking = Unbound(*item.clause, given);
    // `?x in ?list` would bind ?x itself, and what only a `not` mentions is its own.
    if (const auto* m = item.clause->As<Member>(); m != nullptr && !m->negated)
      std::stable_partition(lacking.begin(), lacking.end(), [&](SlotId s) {
        std::vector<bool> seen(slots_);
        ForEachSlot(m->collection, [&](SlotId c) { seen[static_cast<std::size_t>(c)] = true; });
        return bool{seen[static_cast<std::size_t>(s)]};
      });
    if (item.clause->As<Negation>())
      std::stable_partition(lacking.begin(), lacking.end(),
                            [&](SlotId s) { return IsShared(s, *item.clause, context, rest); });
    for (SlotId s : lacking) {
      const auto at = static_cast<std::size_t>(s);
      if ((*names_)[at].empty()) continue;
      name = ((*avar_)[at] ? "$" : "?") + (*names_)[at];
      text = item.clause->text;
      break;
    }
    if (!name.empty()) break;
  }
  if (name.empty()) return "`" + rest.front().clause->text + "` can never be evaluated";
  return name + " is never bound in `" + text + "`";
}

Step* Planner::Chain(std::vector<Item> rest, Context context, Terminal terminal, int depth,
                     std::vector<bool>* bound_after) {
  Step* first = nullptr;
  Step** link = &first;
  const auto append = [&](Step* step) {
    step->depth = depth++;
    *link = step;
    link = &step->next;
  };
  const auto stuck = [&](std::string problem) {
    if (mode_ == Mode::kDerive && !plan_->problem) plan_->problem = problem;
    Step* step = New(Step::Kind::kStuck, rest.empty() ? nullptr : rest.front().clause);
    step->problem = std::move(problem);
    append(step);
  };
  while (!rest.empty()) {
    if (plan_->steps.size() > kMaxSteps) {
      stuck("the rule has too many alternatives: more than " + std::to_string(kMaxSteps) +
            " steps");
      return first;
    }
    std::size_t pick = rest.size();
    bool open_clause = false;  // a clause that is not a closing one is left
    int closing = 4;
    for (const Item& item : rest) {
      if (IsClosing(*item.clause)) closing = std::min(closing, ClosingRank(*item.clause));
      else open_clause = true;
    }
    for (int round = 0; round < 3 && pick == rest.size(); ++round) {
      const bool desperate = round == 2;
      bool outside_waits = false;
      Columns best_bound = 0;
      for (std::size_t i = 0; i < rest.size(); ++i) {
        const Clause& clause = *rest[i].clause;
        const bool outside = mode_ == Mode::kSolve && catalog_.ReachesOutside(clause);
        if (IsClosing(clause)) {
          if (open_clause || ClosingRank(clause) > closing) continue;
        } else if (round == 0 && (outside || !IsTest(clause, context))) {
          outside_waits = outside_waits || outside;
          continue;
        } else if (outside && outside_waits && !desperate) {
          continue;
        }
        if (outside) outside_waits = true;
        if (!Ready(clause, context, rest, desperate)) continue;
        if (greedy_ && round == 1) {  // the atom with most bound columns
          const auto* atom = clause.As<Atom>();
          Columns bound_columns = 1;
          if (atom != nullptr)
            for (const Pattern& p : atom->args)
              if (Buildable(p, context.bound, false)) ++bound_columns;
          if (pick != rest.size() && bound_columns <= best_bound) continue;
          best_bound = bound_columns;
          pick = i;
          continue;
        }
        pick = i;
        break;
      }
      if (round == 1 && pick == rest.size()) {
        for (const Item& item : std::vector<Item>(rest))
          if (Decompose(*item.clause, rest)) {
            round = -1;
            break;
          }
        if (rest.empty()) break;
      }
    }
    if (rest.empty()) break;
    if (pick == rest.size()) {
      stuck(ProblemOf(rest, context));
      return first;
    }
    const Item item = rest[pick];
    if (const auto* c = item.clause->As<Alternatives>()) {
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(pick));
      Step* step = New(Step::Kind::kBranch, item.clause);
      step->ordered = c->ordered && mode_ == Mode::kSolve;
      append(step);
      for (const Clauses& branch : c->branches) {
        std::vector<Item> all;
        for (const Clause& b : branch) all.push_back({&b});
        all = Prepare(all);
        all.insert(all.end(), rest.begin(), rest.end());
        step->branches.push_back(Chain(std::move(all), context, terminal, depth, bound_after));
      }
      return first;
    }
    Step* step = StepFor(item, context, rest);
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(pick));
    append(step);
  }
  if (terminal == Terminal::kEmit) {
    for (std::size_t s = 0; s < slots_; ++s)
      if (wanted_[s] && !context.bound[s]) {
        const std::string name = ((*avar_)[s] ? "$" : "?") + (*names_)[s];
        stuck(name + " is an argument that nothing binds");
        return first;
      }
  }
  if (bound_after != nullptr) *bound_after = context.bound;
  append(New(terminal == Terminal::kEmit ? Step::Kind::kEmit : Step::Kind::kFound, nullptr));
  return first;
}

std::unique_ptr<Plan> Planner::Make(const std::vector<const Clause*>& clauses,
                                    const std::vector<bool>& bound, const std::vector<bool>& wanted,
                                    const std::vector<std::string>& names,
                                    const std::vector<bool>& avar, int delta) {
  auto plan = std::make_unique<Plan>();
  plan_ = plan.get();
  slots_ = names.size();
  names_ = &names;
  avar_ = &avar;
  wanted_ = wanted;
  greedy_ = delta >= 0;

  std::vector<Item> items;
  for (std::size_t i = 0; i < clauses.size(); ++i) {
    Range range = Range::kAll;
    if (delta >= 0) {
      if (static_cast<int>(i) < delta) range = Range::kOld;
      if (static_cast<int>(i) == delta) range = Range::kDelta;
    }
    items.push_back({clauses[i], range});
  }
  Context context{bound, wanted};
  context.bound.resize(slots_);
  context.outside.resize(slots_);
  if (delta >= 0) {
    const Item first = items[static_cast<std::size_t>(delta)];
    items.erase(items.begin() + delta);
    Step* step = StepFor(first, context, items);
    plan->first = step;
    step->next = Chain(Prepare(items), std::move(context), Terminal::kEmit, 1, nullptr);
  } else {
    plan->first = Chain(Prepare(items), std::move(context), Terminal::kEmit, 0, nullptr);
  }
  plan_ = nullptr;
  return plan;
}

}  // namespace rpl
