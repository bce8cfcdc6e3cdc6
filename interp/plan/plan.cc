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
//      left an input open, and last a question for what no clause binds.
//
// Why 1 and 2 are safe: tests bind nothing, so running one earlier drops bindings that it
// would have dropped later, and the nested-loop order of what remains is the same.
#include "interp/plan/plan.h"

#include <algorithm>
#include <span>

#include "interp/plan/ready_queue.h"
#include "interp/program/bindings.h"
#include "interp/store/store.h"

namespace rpl {
namespace {

constexpr std::size_t kMaxSteps = 20000;
/// Limit on the clauses in all lists: branches that soon get stuck list many clauses for few steps.
constexpr std::size_t kMaxListed = 20 * kMaxSteps;

// A clause that the planner makes of a written one is told as that one.
void LikeWritten(const Clause& written, Clause& made) {
  made.span = written.span;
  made.text = written.text;
  made.variables = written.variables;
}

// Whether matching the pattern determines the value of the slot, and not only its text.
bool HasValueOf(const Pattern& p, SlotId slot) {
  const auto has = [&](const Pattern& part) { return HasValueOf(part, slot); };
  if (p.kind == Pattern::Kind::kTemplate || p.kind == Pattern::Kind::kRegex) return false;
  return (p.kind == Pattern::Kind::kSlot && p.slot == slot) ||
         std::any_of(p.parts.begin(), p.parts.end(), has) ||
         std::any_of(p.rest.begin(), p.rest.end(), has);
}

bool CompareHolds(Operator op, double a, double b) {
  switch (op) {
    case Operator::kEqual: return a == b;
    case Operator::kNotEqual: return a != b;
    case Operator::kLess: return a < b;
    case Operator::kGreater: return a > b;
    case Operator::kLessEqual: return a <= b;
    case Operator::kGreaterEqual: return a >= b;
    default: return true;
  }
}

// The slots that the holes of templates bind.
void HolesOf(const Pattern& p, std::vector<SlotId>& out) {
  for (const Pattern& part : p.parts) {
    HolesOf(part, out);
    if (p.kind == Pattern::Kind::kTemplate && part.kind == Pattern::Kind::kSlot && part.binds)
      out.push_back(part.slot);
  }
}

// Makes the hole that binds the slot take every possible text.
void TakeEvery(Pattern& p, SlotId slot) {
  for (Pattern& part : p.parts) {
    TakeEvery(part, slot);
    if (p.kind == Pattern::Kind::kTemplate && part.binds && part.slot == slot) part.every = true;
  }
}

// What tells the instance that a part of role(#{…}) takes from the others: it is built, or in the
// slot of the part.
Pattern ValueOf(const Pattern& part) { return part.slot >= 0 ? Pattern::Slot(part.slot) : part; }

// The pattern of an instance of role(#{… part …}).
Pattern InstanceOf(const Pattern& part) {
  const bool is_set = part.kind == Pattern::Kind::kSet ||
                      (part.kind == Pattern::Kind::kConstant && part.constant.kind() == Kind::kSet);
  if (part.kind == Pattern::Kind::kAny && part.slot >= 0) return Pattern::Slot(part.slot);
  if (part.kind == Pattern::Kind::kSlot || (part.slot < 0 && !is_set)) return part;
  Pattern out;
  out.kind = Pattern::Kind::kInstance;
  out.slot = part.slot;
  out.parts.push_back(part);
  return out;
}

std::vector<SlotId> HolesOf(const Step& step) {
  std::vector<SlotId> out;
  HolesOf(step.pattern, out);
  for (const auto& [column, pattern] : step.matches) HolesOf(pattern, out);
  return out;
}

// `ways` through a list, and through the alternatives of one more clause; at most one beyond
// kMostWays.
std::size_t WaysWith(const Clause& clause, std::size_t ways) {
  const std::span<const Clauses> branches = BranchesOf(clause);
  if (branches.empty()) return ways;
  std::size_t own = 0;
  for (const Clauses& branch : branches) {
    std::size_t through = 1;
    for (const Clause& inner : branch) through = WaysWith(inner, through);
    own = std::min(own + through, kMostWays + 1);
  }
  return std::min(ways * own, kMostWays + 1);
}

// The first column from `at` on whose set is distributed, and the parts of that.
std::vector<Pattern> DistributedParts(const Atom& atom, Columns whole, const Pool& pool,
                                      std::size_t& at) {
  for (; at < atom.args.size(); ++at) {
    if ((whole >> at & 1) != 0) continue;
    const Pattern& p = atom.args[at];
    if (p.kind == Pattern::Kind::kSet && p.rest.empty() && !p.parts.empty()) return p.parts;
    if (p.kind != Pattern::Kind::kConstant || p.constant.kind() != Kind::kSet) continue;
    std::vector<Pattern> parts;
    for (Value v : p.written().empty() ? pool.ItemsOf(p.constant) : p.written())
      parts.push_back(Pattern::Constant(v));
    if (!parts.empty()) return parts;
  }
  return {};
}

}  // namespace

std::vector<Clause> InstancesOf(const Clause& clause, Columns whole, const Pool& pool) {
  std::vector<Clause> out;
  std::size_t column = 0;
  const auto* atom = clause.As<Atom>();
  if (atom == nullptr) return out;
  const std::vector<Pattern> parts = DistributedParts(*atom, whole, pool, column);
  for (const Pattern& part : parts) {
    Atom one = *atom;
    one.args[column] = InstanceOf(part);
    Clause made;
    made.is = std::move(one);
    LikeWritten(clause, made);
    // The columns behind this one, as there are few.
    std::vector<Clause> further = InstancesOf(made, whole, pool);
    if (further.empty()) further.push_back(std::move(made));
    std::ranges::move(further, std::back_inserter(out));
  }
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (std::size_t k = i + 1; k < parts.size(); ++k) {
      Compare differ{Operator::kNotEqual, {}, {}};
      differ.left.term = ValueOf(parts[i]);
      differ.right.term = ValueOf(parts[k]);
      differ.split = true;
      Clause made;
      made.is = std::move(differ);
      LikeWritten(clause, made);
      out.push_back(std::move(made));
    }
  return out;
}

std::vector<bool> Catalog::BoundBy(const std::vector<const Clause*>& clauses,
                                   std::vector<bool> known, Mode mode) const {
  const auto needed = [&](const Atom& atom) {
    const Access access = AccessOf(atom.relation, mode);
    if (access != Access::kTable) return access == Access::kExternal ? ~Columns{0} : Columns{0};
    Columns all = ~Columns{0};
    for (const Columns way : ModesOf(atom.relation).modes()) all &= way;
    return all;
  };
  return rpl::BoundBy(clauses, std::move(known), needed);
}

Planner::Planner(const Catalog& catalog, const Store& store, Mode mode)
    : catalog_(catalog),
      store_(store),
      mode_(mode),
      ready_(std::make_unique<ReadyQueue>(catalog, mode)) {}

Planner::~Planner() = default;

Step* Planner::New(Step::Kind kind, const Clause* clause) {
  Step& step = plan_->steps.emplace_back();
  step.kind = kind;
  step.clause = clause;
  return &step;
}

// Whether Build gives a value. `quote`: the term is read by form, so `_` and unbound lvars inside
// it stand for themselves (§3).
bool Planner::Buildable(const Pattern& p, bool quote) const {
  const auto all = [&](bool inner) {
    const auto each = [&](const Pattern& part) { return Buildable(part, inner); };
    return std::all_of(p.parts.begin(), p.parts.end(), each) &&
           std::all_of(p.rest.begin(), p.rest.end(), each);
  };
  switch (p.kind) {
    case Pattern::Kind::kConstant: return true;
    case Pattern::Kind::kSlot: return quote || ready_->IsBound(p.slot);
    case Pattern::Kind::kAny: return false;
    case Pattern::Kind::kList:
    case Pattern::Kind::kSet:
    case Pattern::Kind::kMap: return !p.open && p.rest.size() <= 1 && all(false);
    case Pattern::Kind::kTerm:
      return std::all_of(p.parts.begin(), p.parts.end(), [&](const Pattern& part) {
        return (quote && part.kind == Pattern::Kind::kAny) || Buildable(part, quote);
      });
    case Pattern::Kind::kTemplate: return all(false);
    case Pattern::Kind::kRegex: return false;
    case Pattern::Kind::kEach: return false;
    case Pattern::Kind::kInstance: return false;
  }
  return false;
}

bool Planner::Buildable(const Expr& e, bool quote) const {
  if (e.kind == Expr::Kind::kTerm)
    return Buildable(e.term, quote && e.term.kind == Pattern::Kind::kTerm);
  return std::all_of(e.sides.begin(), e.sides.end(),
                     [&](const Expr& side) { return Buildable(side, false); });
}

// The distinct slots of a clause, ascending.
std::vector<SlotId> Planner::SlotsOf(const Clause& clause) const {
  std::vector<SlotId> out;
  ForEachSlot(clause, [&](SlotId s) { out.push_back(s); });
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

void Planner::AtomStep(Step& step, const Atom& atom) {
  step.atom = &atom;
  step.relation = atom.relation;
  step.access = catalog_.AccessOf(atom.relation, mode_);
  // An argument that ranges over groups unless it is known.
  const Columns keys = step.access == Access::kTruth ? 0 : catalog_.KeysOf(atom.relation);
  for (std::size_t i = 0; keys != 0 && i < atom.args.size(); ++i) {
    if ((keys >> i & 1) == 0) continue;
    if (!Buildable(atom.args[i], false))
      ForEachSlot(atom.args[i], [&](SlotId s) {
        if (!ready_->IsBound(s)) MarkGrouped(s);
      });
    else if (step.access == Access::kRows) step.access = Access::kTable;
  }
  const bool whole = atom.whole && (step.access == Access::kRows || step.access == Access::kTable);
  if (whole) step.relation = store_.WholeIfAny(store_.BaseOf(atom.relation));
  step.row = atom.row;
  const bool by_form = step.access == Access::kTable || step.access == Access::kExternal;
  const ModeSet& modes = catalog_.ModesOf(atom.relation);
  // Whose terms are read by form, and whose sets after ~ are built, if what is known otherwise does
  // not suffice.
  Columns inputs = 0;
  if (step.access != Access::kRows) {
    Columns values = 0;
    for (std::size_t i = 0; i < atom.args.size(); ++i)
      if (Buildable(atom.args[i], false) && !TakesLists(atom.args[i])) values |= Columns{1} << i;
    if (!modes.Meets(values)) inputs = modes.AnyOf();
  }
  // Keys first: they must be known before any row is read. A companion keeps sets whole, so there
  // every argument other than a set pattern is matched per element (§7); tabled relations get all
  // known arguments.
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < atom.args.size(); ++i) {
    const Pattern& p = atom.args[i];
    const bool needed = step.access == Access::kExternal || (inputs >> i & 1) != 0;
    const bool quote = by_form && p.kind == Pattern::Kind::kTerm && needed;
    const bool set_pattern = atom.whole && p.kind == Pattern::Kind::kSet &&
                             step.access != Access::kExternal;  // what is passed stays whole
    const bool key = !whole || step.access == Access::kTable;
    if (key && (needed || !TakesLists(p)) && !set_pattern && Buildable(p, quote)) {
      step.probe |= Columns{1} << i;
      step.keys.emplace_back(static_cast<std::uint32_t>(i), p);
      ForEachSlot(p, [&](SlotId s) { step.reads.push_back(s); });
    } else {
      open.push_back(i);
    }
  }
  step.all_bound = open.empty();
  if (step.access != Access::kRows) {
    Columns known = step.probe;
    for (std::size_t i : open) {
      const Pattern& p = atom.args[i];
      if (p.kind == Pattern::Kind::kSlot &&
          std::find(atom.avars.begin(), atom.avars.end(), p.slot) != atom.avars.end())
        known |= Columns{1} << i;  // it is asked for
    }
    step.open_input = !modes.Meets(known);
    step.endless = !catalog_.FiniteModesOf(atom.relation).Meets(known);
  }
  for (std::size_t i : open) {
    const Pattern& p = atom.args[i];
    const auto column = static_cast<std::uint32_t>(i);
    if (p.kind == Pattern::Kind::kAny) continue;
    if (p.kind == Pattern::Kind::kSlot && !whole) {
      if (ready_->Bind(p.slot)) {
        step.binds.emplace_back(column, p.slot);
        step.writes.push_back(p.slot);
      } else {  // bound by an earlier argument of this atom
        step.checks.emplace_back(column, p.slot);
      }
      if (std::find(atom.avars.begin(), atom.avars.end(), p.slot) != atom.avars.end())
        step.asked = p.slot;
    }
  }
  for (std::size_t i : open) {
    const Pattern& p = atom.args[i];
    if (!whole && (p.kind == Pattern::Kind::kAny || p.kind == Pattern::Kind::kSlot)) continue;
    ForEachSlot(p, [&](SlotId s) { (ready_->IsBound(s) ? step.reads : step.writes).push_back(s); });
    Pattern match = WithBinds(p, [&](SlotId s) { return ready_->Bind(s); });
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
    ready_->Bind(step.row);
  }
}

// Reads the candidates of a call for these columns. The call itself is still to be run.
Step* Planner::LooseStep(const Clause& call, Columns gives) {
  const Atom& atom = *call.As<Atom>();
  Step* const step = New(Step::Kind::kAtom, &call);
  step->atom = &atom;
  step->relation = store_.BaseOf(atom.relation);
  step->access = Access::kTable;
  step->loose = gives;
  const auto in = [&](std::size_t i) { return (gives >> i & 1) != 0; };
  for (std::size_t i = 0; i < atom.args.size(); ++i)
    if (in(i) && Buildable(atom.args[i], false) && !TakesLists(atom.args[i])) {
      step->probe |= Columns{1} << i;
      step->keys.emplace_back(static_cast<std::uint32_t>(i), atom.args[i]);
      ForEachSlot(atom.args[i], [&](SlotId s) { step->reads.push_back(s); });
    }
  for (std::size_t i = 0; i < atom.args.size(); ++i) {
    const Pattern& p = atom.args[i];
    const auto column = static_cast<std::uint32_t>(i);
    if (!in(i) || (step->probe >> i & 1) != 0 || p.kind == Pattern::Kind::kAny) continue;
    ForEachSlot(p,
                [&](SlotId s) { (ready_->IsBound(s) ? step->reads : step->writes).push_back(s); });
    if (p.kind != Pattern::Kind::kSlot)
      step->matches.emplace_back(column, WithBinds(p, [&](SlotId s) { return ready_->Bind(s); }));
    else if (ready_->Bind(p.slot)) step->binds.emplace_back(column, p.slot);
    else step->checks.emplace_back(column, p.slot);
  }
  return step;
}

// The plan of a sub-list, ending in kFound. Its bindings are local, and listed in `taken`. `alone`:
// no slot bound outside is bound in it.
Step* Planner::Body(const Clauses& clauses, std::vector<SlotId>* taken, bool alone) {
  std::vector<Listed> items;
  std::size_t ways = 1;
  for (const Clause& c : clauses) {
    items.push_back({&c, Range::kAll, branch_});
    ways = WaysWith(c, ways);
  }
  const bool outer = std::exchange(many_ways_, many_ways_ || ways > kMostWays);
  ready_->Enter(clauses, alone);
  Taken bound{ready_->Mark(), {}};
  Step* first = Chain(Prepare(items), Terminal::kFound, 0, taken == nullptr ? nullptr : &bound);
  ready_->Undo(bound.since);
  ready_->Leave();
  many_ways_ = outer;
  if (taken != nullptr) *taken = std::move(bound.slots);
  return first;
}

// Finds the slots in holes of texts in the head that would be group keys of a count without them.
// The caller's text does not tell the value of such a slot, so it selects one of the existing
// groups (decision 25). A count inside another clause has no such groups.
void Planner::FindGroupKeys(const std::vector<const Clause*>& clauses,
                            const std::vector<bool>& bound) {
  counts_.clear();
  group_keys_.assign(outside_.size(), false);
  const auto counts = [](const Clause* clause) { return clause->As<CountOf>() != nullptr; };
  if (std::ranges::none_of(clauses, counts)) return;
  std::vector<bool> given(outside_.size()), counted(outside_.size());
  for (const Clause* clause : clauses) {
    if (clause->of_head) CollectSlots(*clause, given);
    if (!counts(clause)) continue;
    if (!clause->activation) counts_.insert(clause);
    CollectSlots(*clause, counted);
  }
  std::vector<bool> others = bound;
  others.resize(outside_.size());
  for (std::size_t s = 0; s < given.size(); ++s)
    group_keys_[s] = given[s] && outside_[s] && counted[s] && !others[s];
  if (std::ranges::find(group_keys_, true) == group_keys_.end()) return;
  const std::vector<bool> without = catalog_.BoundBy(clauses, std::move(others), mode_);
  for (std::size_t s = 0; s < given.size(); ++s) group_keys_[s] = group_keys_[s] && !without[s];
}

// Finds the counts that clauses beside them compare with constants so that 0 does not hold: whether
// their groups are those that have members makes no difference.
void Planner::FindNeverZero(const std::vector<const Clause*>& clauses) {
  const auto slot_of = [](const Expr& e) {
    return e.kind == Expr::Kind::kTerm && e.term.kind == Pattern::Kind::kSlot ? e.term.slot : -1;
  };
  const auto number_of = [&](const Expr& e) {
    return e.kind == Expr::Kind::kTerm && e.term.kind == Pattern::Kind::kConstant
               ? store_.pool().AsDouble(e.term.constant)
               : std::nullopt;
  };
  const auto fails_for_zero = [&](const Compare& c, SlotId slot) {
    if (slot_of(c.left) == slot)
      if (const auto number = number_of(c.right)) return !CompareHolds(c.op, 0, *number);
    if (slot_of(c.right) == slot)
      if (const auto number = number_of(c.left)) return !CompareHolds(c.op, *number, 0);
    return false;
  };
  for (const Clause* clause : clauses) {
    const CountOf* count = RowCountIn(*clause);
    if (count == nullptr) {
      ForEachBody(*clause, [&](const Clauses& body) { FindNeverZero(PointersTo(body)); });
      continue;
    }
    std::vector<SlotId> results = {count->result};  // and the slots that are equal to it
    for (std::size_t i = 0; i < results.size(); ++i)
      for (const Clause* other : clauses) {
        const auto* c = other->As<Compare>();
        if (c == nullptr) continue;
        if (fails_for_zero(*c, results[i])) never_zero_.insert(clause);
        if (c->op != Operator::kEqual || slot_of(c->left) < 0 || slot_of(c->right) < 0) continue;
        const SlotId equal = slot_of(c->left) == results[i]    ? slot_of(c->right)
                             : slot_of(c->right) == results[i] ? slot_of(c->left)
                                                               : results[i];
        if (std::ranges::find(results, equal) == results.end()) results.push_back(equal);
      }
  }
}

// Whether the clause alone restricts the slot to the values in its rows, its collection, or its
// computed result; of a disjunction, some clause of each branch.
bool Planner::Gives(const Clause& clause, SlotId slot) const {
  const auto mentions = [&](const Expr& e) {
    bool found = false;
    ForEachSlot(e, [&](SlotId s) { found |= s == slot; });
    return found;
  };
  return Visit(
      clause,
      [&](const Atom& c) {
        const Access access = catalog_.AccessOf(c.relation, mode_);
        if (access != Access::kRows &&
            (access != Access::kTable || catalog_.ReachesOutside(clause)))
          return false;
        const Columns inputs =
            catalog_.KeysOf(c.relation) |
            (access == Access::kTable ? catalog_.ModesOf(c.relation).AnyOf() : 0);
        for (std::size_t i = 0; i < c.args.size(); ++i)
          if ((inputs >> i & 1) == 0 && HasValueOf(c.args[i], slot)) return true;
        return false;
      },
      [&](const Member& c) {
        return !c.negated && c.element.kind == Expr::Kind::kTerm &&
               HasValueOf(c.element.term, slot) && !mentions(c.collection);
      },
      [&](const Compare& c) {
        const auto computes = [&](const Expr& from, const Expr& to) {
          const bool count = from.kind == Expr::Kind::kTerm &&
                             from.term.kind == Pattern::Kind::kSlot &&
                             (*names_)[static_cast<std::size_t>(from.term.slot)].empty();
          return (count || from.kind == Expr::Kind::kOperator) && !mentions(from) &&
                 to.kind == Expr::Kind::kTerm && HasValueOf(to.term, slot);
        };
        return c.op == Operator::kEqual && (computes(c.left, c.right) || computes(c.right, c.left));
      },
      [&](const Alternatives& c) {
        return std::ranges::all_of(c.branches, [&](const Clauses& branch) {
          return std::ranges::any_of(branch, [&](const Clause& b) { return Gives(b, slot); });
        });
      },
      [](const Among<MatchWith, Temporal, CountOf, Negation, Expand, Metadata, Aggregate, ReadAvar,
                     ShowJson, GoalIsFalse, First, Loop, Distinct, Check, Truth> auto&) {
        return false;
      });
}

// The kReadText steps after a step whose templates bind lvars that a clause of `left` gives. Their
// values decide how the text is split, so the holes of these lvars take every possible text.
std::vector<Step*> Planner::TextsOf(Step& step, const std::vector<Listed>& left) {
  std::vector<Step*> out;
  const std::vector<SlotId> holes = HolesOf(step);
  std::vector<SlotId> asked;
  // An equality gives a slot the value of its other side, if this has one without the holes.
  const std::function<bool(SlotId)> is_given = [&](SlotId slot) {
    if (std::ranges::count(asked, slot) > 0) return false;
    asked.push_back(slot);
    const auto is_known = [&](const Expr& e) {
      bool known = e.kind == Expr::Kind::kTerm;
      ForEachSlot(e, [&](SlotId s) {
        const bool is_hole = std::ranges::count(holes, s) > 0;
        known = known && ((!is_hole && ready_->IsBound(s)) || is_given(s));
      });
      return known;
    };
    return std::ranges::any_of(left, [&](const Listed& item) {
      if (Gives(*item.clause, slot)) return true;
      const Compare* c = EqualityIn(*item.clause);
      if (c == nullptr) return false;
      const auto has = [&](const Expr& e) {
        return e.kind == Expr::Kind::kTerm && HasValueOf(e.term, slot);
      };
      return (has(c->left) && is_known(c->right)) || (has(c->right) && is_known(c->left));
    });
  };
  for (const SlotId slot : holes) {
    asked.clear();
    const bool groups = step.clause->of_head && group_keys_[static_cast<std::size_t>(slot)];
    if (!groups && !is_given(slot)) continue;
    TakeEvery(step.pattern, slot);
    for (auto& [column, pattern] : step.matches) TakeEvery(pattern, slot);
    out.push_back(New(Step::Kind::kReadText, step.clause));
    out.back()->reads.push_back(slot);
  }
  return out;
}

// The equalities between the parts of the two sides, as in [?a 1] = [2 ?b] or f(?x) = f(1).
std::vector<Listed> Planner::Decomposed(const Listed& item) {
  const Clause& clause = *item.clause;
  const Compare& equality = *clause.As<Compare>();
  const Pattern& a = equality.left.term;
  const Pattern& b = equality.right.term;
  std::vector<Listed> out;
  for (std::size_t i = 0; i < a.parts.size(); ++i) {
    if (a.parts[i].kind == Pattern::Kind::kAny || b.parts[i].kind == Pattern::Kind::kAny) continue;
    Compare part{Operator::kEqual, {}, {}};
    part.left.term = a.parts[i];
    part.right.term = b.parts[i];
    Clause& made = plan_->made.emplace_back();
    made.is = std::move(part);
    LikeWritten(clause, made);
    out.push_back({&made, Range::kAll, item.branch});
  }
  return out;
}

// role(#{?a ?b}) as the instances that it reads (decision 28), and what tells them apart.
std::vector<Listed> Planner::Prepare(const std::vector<Listed>& items) {
  std::vector<Listed> out;
  for (const Listed& item : items) {
    Columns whole = 0;  // columns that take a set undistributed (decision 27)
    if (const auto* atom = item.clause->As<Atom>()) {
      const Access access = catalog_.AccessOf(atom->relation, mode_);
      if (access == Access::kTable) whole = catalog_.ModesOf(atom->relation).AnyOf();
      if (access == Access::kExternal) whole = ~Columns{0};  // what is passed stays as it is
    }
    std::vector<Clause> instances = InstancesOf(*item.clause, whole, store_.pool());
    if (instances.empty()) out.push_back(item);
    for (Clause& instance : instances) {
      const Range range = instance.As<Atom>() != nullptr ? item.range : Range::kAll;
      out.push_back({&plan_->made.emplace_back(std::move(instance)), range, item.branch});
    }
  }
  return out;
}

std::string Planner::ProblemOf(const std::vector<Listed>& clauses) const {
  // A `not` that waits says what the others do not: that it binds nothing (decision 39).
  std::vector<Listed> left = clauses;
  std::stable_partition(left.begin(), left.end(),
                        [](const Listed& item) { return item.clause->As<Negation>() != nullptr; });
  for (const Listed& item : left) {
    std::vector<SlotId> lacking = SlotsOf(*item.clause);
    std::erase_if(lacking, [&](SlotId s) { return ready_->IsBound(s); });
    const auto first_those_of = [&](const Expr& e, bool there) {
      std::vector<SlotId> of;
      ForEachSlot(e, [&](SlotId s) { of.push_back(s); });
      std::sort(of.begin(), of.end());
      const auto is_of = [&](SlotId s) { return std::binary_search(of.begin(), of.end(), s); };
      if (there) std::stable_partition(lacking.begin(), lacking.end(), is_of);
      else std::erase_if(lacking, is_of);
    };
    // `?a = ?b + 1` lacks ?b alone: the equality would bind ?a.
    if (const Compare* c = EqualityIn(*item.clause)) {
      const bool term = c->left.kind == Expr::Kind::kTerm;
      if (term != (c->right.kind == Expr::Kind::kTerm))
        first_those_of(term ? c->left : c->right, false);
    }
    // `?x in ?list` would bind ?x, and slots that only a `not` mentions are local to it.
    if (const auto* m = item.clause->As<Member>(); m != nullptr && !m->negated)
      first_those_of(m->collection, true);
    if (item.clause->As<Negation>())
      std::stable_partition(lacking.begin(), lacking.end(),
                            [&](SlotId s) { return ready_->IsShared(s); });
    for (const SlotId s : lacking) {
      const auto at = static_cast<std::size_t>(s);
      if ((*names_)[at].empty()) continue;
      return ((*avar_)[at] ? "$" : "?") + (*names_)[at] + " is never bound in `" +
             item.clause->text + "`";
    }
  }
  return "`" + left.front().clause->text + "` can never be evaluated";
}

// The free slots of a clause that others need.
std::vector<SlotId> Planner::FreeShared(const Clause& clause) const {
  std::vector<SlotId> out = SlotsOf(clause);
  std::erase_if(out, [&](SlotId s) { return ready_->IsBound(s) || !ready_->IsShared(s); });
  return out;
}

// Plans each branch by itself, with its `ends`. False, and nothing planned, unless each can run so
// and binds what others need.
bool Planner::BranchesAlone(Step& step, const Listed& item, int depth, std::vector<Join>& ends) {
  const std::vector<SlotId> needed = FreeShared(*item.clause);
  const std::size_t mark = ready_->Mark();
  const auto problem = plan_->problem;
  std::vector<Join> outer = std::exchange(joins_, {});
  bool alone = true;
  for (const Clauses& branch : BranchesOf(*item.clause)) {
    const auto id = static_cast<int>(branches_.size());
    branches_.push_back({item.branch});
    std::vector<Listed> own;
    for (const Clause& b : branch) own.push_back({&b, Range::kAll, id});
    joins_.clear();
    ready_->Enter(branch, false);
    step.written.push_back(static_cast<std::uint32_t>(step.branches.size()));
    step.branches.push_back(Chain(Prepare(own), Terminal::kJoin, depth, nullptr));
    alone = !joins_.empty() && plan_->problem == problem &&
            std::ranges::all_of(needed, [&](SlotId s) { return ready_->IsBound(s); });
    ready_->Undo(mark);
    ready_->Leave();
    ends.insert(ends.end(), joins_.begin(), joins_.end());
    if (!alone) break;
  }
  joins_ = std::move(outer);
  step.deriving = step.branches.size();
  if (alone) return true;
  plan_->problem = problem;
  step.branches.clear();
  step.written.clear();
  return false;
}

// Plans each branch with the clauses after it.
void Planner::BranchesWithRest(Step& step, const Listed& item, const std::vector<Listed>& others,
                               Terminal terminal, int depth, Taken* taken) {
  const std::size_t mark = ready_->Mark();
  std::vector<Step*> acting;
  std::vector<std::uint32_t> acting_at;
  std::uint32_t at = 0;
  for (const Clauses& branch : BranchesOf(*item.clause)) {
    std::vector<Listed> all;
    const auto id = static_cast<int>(branches_.size());
    branches_.push_back({item.branch});
    for (const Clause& b : branch) all.push_back({&b, Range::kAll, id});
    all = Prepare(all);
    all.insert(all.end(), others.begin(), others.end());
    Step* const chain = Chain(all, terminal, depth, taken);
    const bool acts = branches_[static_cast<std::size_t>(id)].acts;
    (acts ? acting_at : step.written).push_back(at++);
    (acts ? acting : step.branches).push_back(chain);
    ready_->Undo(mark);
  }
  step.deriving = step.branches.size();
  step.branches.insert(step.branches.end(), acting.begin(), acting.end());
  step.written.insert(step.written.end(), acting_at.begin(), acting_at.end());
}

// Several calls have answers for what another one binds: the rows of each bind the keys, and the
// inputs, of the others in turn. A call that lacks an input leads with its input-free rows. Its
// other rows are left to the branch of a clause that binds the input or, if none does, to the
// branch of the first such call, which leaves them undecided.
Step* Planner::LedByEach(const std::vector<Listed>& calls, const std::vector<Listed>& others,
                         Terminal terminal, int depth, Taken* taken) {
  Alternatives leaders;
  for (const Listed& call : calls) leaders.branches.push_back({*call.clause});
  Clause& made = plan_->made.emplace_back();
  made.is = std::move(leaders);
  LikeWritten(*calls.front().clause, made);
  Step* const step = New(Step::Kind::kBranch, &made);
  step->depth = depth;
  for (const SlotId s : SlotsOf(made))
    if (!ready_->IsBound(s)) step->clears.push_back(s);
  const std::size_t mark = ready_->Mark();
  const auto binds_input = [&](const Listed& from, const Listed& of) {
    if (from.clause == of.clause || !ready_->OpenInputs(*from.clause).empty()) return false;
    std::vector<const Clause*> between;
    for (const std::vector<Listed>* list : {&calls, &others})
      for (const Listed& item : *list)
        if (item.clause != of.clause) between.push_back(item.clause);
    const std::vector<bool> known = ready_->BoundAfter(*from.clause, between);
    return std::ranges::all_of(ready_->OpenInputs(*of.clause),
                               [&](SlotId s) { return known[static_cast<std::size_t>(s)]; });
  };
  bool undecided = false;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    std::vector<Listed> all = {calls[i]};
    for (std::size_t k = 0; k < calls.size(); ++k)
      if (k != i) all.push_back(calls[k]);
    all.insert(all.end(), others.begin(), others.end());
    step->written.push_back(static_cast<std::uint32_t>(i));
    const bool elsewhere =
        std::ranges::any_of(calls, [&](const Listed& from) { return binds_input(from, calls[i]); });
    Lead lead = Lead::kInputFree;
    if (!elsewhere && !undecided && !ready_->OpenInputs(*calls[i].clause).empty()) {
      lead = Lead::kFirst;
      undecided = true;
    }
    step->branches.push_back(Chain(all, terminal, depth + 1, taken, lead));
    ready_->Undo(mark);
  }
  step->deriving = step->branches.size();
  return step;
}

// Removes the clauses of which each is to lead in turn. If there is only one, it stays, and is to
// run in place of `pick`.
static std::vector<Listed> RemoveRivals(ReadyQueue& ready, ReadyQueue::Place& pick) {
  std::vector<Listed> out;
  if (pick == ReadyQueue::kNobody) return out;
  const std::vector<ReadyQueue::Place> rivals = ready.Rivals(pick);
  if (rivals.size() == 1) pick = rivals.front();
  if (rivals.size() < 2) return out;
  for (const ReadyQueue::Place at : rivals) {
    out.push_back(ready.at(at));
    ready.Remove(at);
  }
  return out;
}

Step* Planner::Chain(const std::vector<Listed>& items, Terminal terminal, int depth, Taken* taken,
                     Lead lead) {
  Step* first = nullptr;
  Step** link = &first;
  const auto append = [&](Step* step) {
    step->depth = depth++;
    *link = step;
    link = &step->next;
  };
  const auto stuck = [&](std::string problem, bool wants_caller) {
    if (mode_ == Mode::kDerive && !plan_->problem) plan_->problem = problem;
    Step* step = New(Step::Kind::kStuck, ready_->First());
    step->problem = std::move(problem);
    step->open_input = wants_caller;
    append(step);
    ready_->Close();
    return first;
  };
  // Whether the clauses could be evaluated if a caller bound more: one of them reads a relation, or
  // has a free slot of the head (decision 94). Others have no meaning for anybody, and are an error
  // of the program.
  const auto want_caller = [&](const std::vector<Listed>& left) {
    return std::ranges::any_of(left, [&](const Listed& item) {
      const std::vector<SlotId> slots = SlotsOf(*item.clause);
      return item.clause->As<Atom>() != nullptr || std::ranges::any_of(slots, [&](SlotId s) {
               return !ready_->IsBound(s) && std::ranges::find(wanted_, s) != wanted_.end();
             });
    });
  };
  ready_->Open(items);
  listed_ += items.size();
  while (!ready_->empty()) {
    if (plan_->steps.size() > kMaxSteps || listed_ > kMaxListed + items.size()) {
      stuck("the rule has too many clauses and alternatives", false);
      plan_->steps.back().too_large = true;
      return first;
    }
    const Lead leads = std::exchange(lead, Lead::kByNone);
    ReadyQueue::Place pick = leads == Lead::kByNone ? ready_->Next() : 0;
    if (pick == ReadyQueue::kNobody) {
      const ReadyQueue::Place whole = ready_->NextToDecompose();
      if (whole != ReadyQueue::kNobody) {
        for (const Listed& part : Decomposed(Listed(ready_->at(whole)))) ready_->Add(part);
        ready_->Remove(whole);
        continue;
      }
      if (const auto [call, gives] = ready_->LooseCall(); call != ReadyQueue::kNobody) {
        append(LooseStep(*ready_->at(call).clause, gives));
        continue;
      }
      pick = ready_->NextInDespair();
      const std::vector<Listed> calls = RemoveRivals(*ready_, pick);
      if (!calls.empty()) {
        const std::vector<Listed> others = ready_->Left();
        ready_->Close();
        append(LedByEach(calls, others, terminal, depth, taken));
        return first;
      }
    }
    if (pick == ReadyQueue::kNobody) {
      const std::vector<Listed> left = ready_->Left();
      return stuck(ProblemOf(left), want_caller(left));
    }
    const Listed item = ready_->at(pick);
    if (!BranchesOf(*item.clause).empty()) {
      const std::vector<SlotId> needed = FreeShared(*item.clause);
      const bool apart = many_ways_ && !catalog_.ReachesOutside(*item.clause);
      if (apart && needed.empty() && ready_->Left().size() > 1) {
        // One way suffices, so those of other alternatives are not repeated for each.
        Clause none, some;
        LikeWritten(*item.clause, none);
        LikeWritten(*item.clause, some);
        none.is = Negation{{*item.clause}};
        some.is = Negation{{std::move(none)}};
        append(StepFor({&plan_->made.emplace_back(std::move(some)), item.range, item.branch}));
        ready_->Remove(pick);
        continue;
      }
      Step* step = New(Step::Kind::kBranch, item.clause);
      for (const SlotId s : SlotsOf(*item.clause))
        if (!ready_->IsBound(s)) step->clears.push_back(s);
      append(step);
      std::vector<Join> ends;
      const bool alone = apart && BranchesAlone(*step, item, depth, ends);
      ready_->Remove(pick);
      const std::vector<Listed> others = ready_->Left();
      ready_->Close();
      if (!alone) {
        BranchesWithRest(*step, item, others, terminal, depth, taken);
        return first;
      }
      for (const SlotId s : needed) ready_->Bind(s);
      for (const Join& end : ends) depth = std::max(depth, end.depth);
      Step* const rest = Chain(others, terminal, depth, taken);
      // Without a rest, the list ends where its last alternatives do.
      if (rest == nullptr) joins_.insert(joins_.end(), ends.begin(), ends.end());
      for (const Join& end : ends) *end.link = rest;
      return first;
    }
    const auto* read = item.clause->As<ReadAvar>();
    const bool known = read != nullptr && read->last && ready_->IsBound(read->slot);
    Step* step = known ? nullptr : StepFor(item);
    if (step != nullptr) append(step);
    ready_->Remove(pick);
    if (step == nullptr) continue;
    if (leads == Lead::kInputFree && step->open_input) {
      step->input_free = true;
      step->open_input = step->endless = false;
    }
    if (!HolesOf(*step).empty()) {
      std::vector<Listed> left = ready_->Left();
      if (terminal == Terminal::kBody) left.insert(left.end(), body_.begin(), body_.end());
      for (Step* text : TextsOf(*step, left)) append(text);
    }
  }
  if (terminal == Terminal::kJoin) {
    ready_->Close();
    if (first != nullptr) joins_.push_back({link, depth});
    return first;
  }
  if (terminal == Terminal::kBody) {
    ready_->Close();
    ready_->SetOutside(outside_);
    *link = Chain(body_, Terminal::kEmit, depth, taken);
    ready_->SetOutside(before_body_);
    return first;
  }
  if (terminal == Terminal::kEmit)
    for (const SlotId s : wanted_)
      if (!ready_->IsBound(s)) {
        const auto at = static_cast<std::size_t>(s);
        const std::string& name = (*names_)[at];
        if (name == kAnyInput) return stuck("nothing binds the `_` of the head", true);
        return stuck(((*avar_)[at] ? "$" : "?") + name + " is an argument that nothing binds",
                     true);
      }
  if (taken != nullptr) taken->slots = ready_->Since(taken->since);
  append(New(terminal == Terminal::kEmit ? Step::Kind::kEmit : Step::Kind::kFound, nullptr));
  ready_->Close();
  return first;
}

void Planner::MarkRestricted() {
  std::vector<bool> read(outside_.size());
  for (const Step& step : plan_->steps)
    if (step.kind != Step::Kind::kEmit)
      for (const SlotId s : step.reads) read[static_cast<std::size_t>(s)] = true;
  for (Step& step : plan_->steps)
    step.restricted = !step.checks.empty() || !step.matches.empty() ||
                      std::ranges::any_of(
                          step.writes, [&](SlotId s) { return read[static_cast<std::size_t>(s)]; });
}

std::unique_ptr<Plan> Planner::Make(const std::vector<const Clause*>& clauses,
                                    const std::vector<bool>& bound, const std::vector<bool>& wanted,
                                    const std::vector<std::string>& names,
                                    const std::vector<bool>& avar, int delta,
                                    const std::vector<std::size_t>& order) {
  auto plan = std::make_unique<Plan>();
  plan_ = plan.get();
  names_ = &names;
  avar_ = &avar;
  branches_.assign(1, {kNoBranch});
  listed_ = 0;
  wanted_.clear();
  for (std::size_t s = 0; s < wanted.size(); ++s)
    if (wanted[s]) wanted_.push_back(static_cast<SlotId>(s));
  outside_ = wanted;
  outside_.resize(names.size());
  if (!flows_on_.empty())
    for (std::size_t s = 0; s < outside_.size(); ++s) outside_[s] = outside_[s] || flows_on_[s];
  plan->grouped.assign(outside_.size(), false);
  FindGroupKeys(clauses, bound);
  never_zero_.clear();
  FindNeverZero(clauses);
  std::size_t ways = 1;
  for (const Clause* clause : clauses) ways = WaysWith(*clause, ways);
  many_ways_ = ways > kMostWays;
  const bool from_delta = delta >= 0 && order.empty();
  ready_->Begin(bound, outside_, avar, from_delta);

  std::vector<Listed> items;
  for (std::size_t k = 0; k < clauses.size(); ++k) {
    const std::size_t i = order.empty() ? k : order[k];
    const auto at = static_cast<int>(i);  // as written, whatever the order is
    if (at != delta) items.push_back({clauses[i], at < delta ? Range::kOld : Range::kAll});
    else if (!from_delta) items.push_back({clauses[i], Range::kDelta});
  }
  if (from_delta) {
    const Listed first = {clauses[static_cast<std::size_t>(delta)], Range::kDelta};
    Step* last = plan->first = StepFor(first);
    for (Step* text : TextsOf(*last, items)) {
      text->depth = last->depth + 1;
      last = last->next = text;
    }
    last->next = Chain(Prepare(items), Terminal::kEmit, last->depth + 1, nullptr);
  } else {
    const auto body =
        order.empty()
            ? std::stable_partition(items.begin(), items.end(),
                                    [](const Listed& item) { return item.clause->activation; })
            : items.begin();
    body_.assign(body, items.end());
    items.erase(body, items.end());
    items = Prepare(items);
    body_ = Prepare(body_);
    if (items.empty()) {
      Step** link = &plan->first;
      int depth = 0;
      for (const auto& [call, gives] : loose_calls_) {
        *link = LooseStep(*call, gives);
        (*link)->depth = depth++;
        link = &(*link)->next;
      }
      *link = Chain(body_, Terminal::kEmit, depth, nullptr);
    } else {
      before_body_ = outside_;
      for (const Listed& item : body_) CollectSlots(*item.clause, before_body_);
      ready_->SetOutside(before_body_);
      plan->first = Chain(items, Terminal::kBody, 0, nullptr);
    }
  }
  plan->acts = branches_.front().acts;
  MarkRestricted();
  plan_ = nullptr;
  return plan;
}

bool CanDecompose(const Compare& c) {
  if (c.op != Operator::kEqual) return false;
  if (c.left.kind != Expr::Kind::kTerm || c.right.kind != Expr::Kind::kTerm) return false;
  const Pattern& a = c.left.term;
  const Pattern& b = c.right.term;
  if (a.kind != b.kind || !a.rest.empty() || !b.rest.empty() || a.parts.size() != b.parts.size() ||
      a.parts.empty())
    return false;
  if (a.kind == Pattern::Kind::kTerm) return a.ns == b.ns && a.label() == b.label();
  return a.kind == Pattern::Kind::kList;
}

}  // namespace rpl
