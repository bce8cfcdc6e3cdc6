// SPDX-License-Identifier: Apache-2.0
//
// A clause waits for a Need: a number of occurrences of free slots. Binding a slot decrements each
// need that it occurs in; at zero the clause can run. A clause with two ways to run has two needs.
// Where a clause waits for slots that others share (not, counts, !%), a slot also stops counting
// when no other clause of the list mentions it any more.
//
// Planner::Buildable decides whether a pattern can be built, in either sense of `quote`; BuiltFrom
// lists the slots that it tests.
#include "interp/plan/ready_queue.h"

#include <algorithm>
#include <cassert>
#include <span>

namespace rpl {
namespace {

// A negation comes after the other tests: it may need what its own rule gives, and where one of
// them fails, that does not matter.
enum Class : std::uint64_t {
  kTest = 0,
  kNegation = 1,
  kOrdinary = 100,
  kShowing = 150,
  kClosing = 200
};

// Whether building a value and matching it can disagree: sets of equal parts, and templates, which
// print a number as text. A set after ~ is matched in any case.
bool BuildsOtherwise(const Pattern& p) {
  return (p.kind == Pattern::Kind::kSet && !p.lists) || p.kind == Pattern::Kind::kTemplate ||
         std::any_of(p.parts.begin(), p.parts.end(), BuildsOtherwise);
}

// When clauses of a kind take their turn.
struct Turn {
  bool test = false;         // it binds nothing, so that it runs as soon as it can
  bool negates = false;      // a test that comes after the others
  std::uint8_t despair = 1;  // 2: it leaves slots open; 3: it asks
  std::uint8_t closing = 0;  // the order of those that come after all others
};

Turn TurnOf(const Clause& clause) {
  return Visit(
      clause,
      [](const Among<Compare, Temporal, Truth, Metadata> auto&) { return Turn{.test = true}; },
      [](const Negation&) { return Turn{.test = true, .negates = true}; },
      [](const Member& c) { return Turn{.test = c.negated}; },
      [](const Among<Atom, Alternatives> auto&) { return Turn{.despair = 2}; },
      [](const ReadAvar&) { return Turn{.despair = 3}; },
      [](const Check&) { return Turn{.closing = 1}; },
      [](const Distinct&) { return Turn{.closing = 2}; },
      [](const ShowJson&) { return Turn{.closing = 3}; },
      [](const Among<MatchWith, CountOf, Expand, Aggregate, GoalIsFalse, First, Loop> auto&) {
        return Turn{};
      });
}

// Order in despair: first a clause that is ready and only waits its turn, then one that binds slots
// by itself (a count's groups, a form), then one that leaves slots open, then a question.
std::uint64_t DespairRank(const Clause& clause, bool ready) {
  return ready ? 0 : TurnOf(clause).despair;
}

std::uint64_t TestClass(const Clause& clause) { return TurnOf(clause).negates ? kNegation : kTest; }

// Whether the clause is a disjunction that shows something in some branch. Which branch is taken is
// decided for the answers of all other clauses (decisions 58, 85), so it waits for those that can
// run without it.
bool IsShowing(const Clause& clause) {
  const auto shows = [](const Clause& c) { return c.As<ShowJson>() || IsShowing(c); };
  return std::ranges::any_of(BranchesOf(clause), [&](const Clauses& branch) {
    return std::ranges::any_of(branch, shows);
  });
}

bool IsEquality(const Clause& clause) {
  const auto* c = clause.As<Compare>();
  return c != nullptr && CanDecompose(*c);
}

// The slots that must be bound so that a value can be built; false when it never can.
bool BuiltFrom(const Pattern& p, bool quote, std::vector<SlotId>& out) {
  const auto all = [&](bool inner) {
    const auto each = [&](const Pattern& part) { return BuiltFrom(part, inner, out); };
    return std::all_of(p.parts.begin(), p.parts.end(), each) &&
           std::all_of(p.rest.begin(), p.rest.end(), each);
  };
  switch (p.kind) {
    case Pattern::Kind::kConstant: return true;
    case Pattern::Kind::kSlot:
      if (!quote) out.push_back(p.slot);
      return true;
    case Pattern::Kind::kList:
    case Pattern::Kind::kSet:
    case Pattern::Kind::kMap: return !p.open && p.rest.size() <= 1 && all(false);
    case Pattern::Kind::kTerm:
      return std::all_of(p.parts.begin(), p.parts.end(), [&](const Pattern& part) {
        return (quote && part.kind == Pattern::Kind::kAny) || BuiltFrom(part, quote, out);
      });
    case Pattern::Kind::kTemplate: return all(false);
    case Pattern::Kind::kAny:
    case Pattern::Kind::kRegex:
    case Pattern::Kind::kEach:
    case Pattern::Kind::kInstance: return false;
  }
  return false;
}

bool BuiltFrom(const Expr& e, bool quote, std::vector<SlotId>& out) {
  if (e.kind == Expr::Kind::kTerm)
    return BuiltFrom(e.term, quote && e.term.kind == Pattern::Kind::kTerm, out);
  return std::all_of(e.sides.begin(), e.sides.end(),
                     [&](const Expr& side) { return BuiltFrom(side, false, out); });
}

}  // namespace

bool TakesLists(const Pattern& p) {
  return p.lists || std::ranges::any_of(p.parts, TakesLists) ||
         std::ranges::any_of(p.rest, TakesLists);
}

void ReadyQueue::Begin(const std::vector<bool>& bound, const std::vector<bool>& outside,
                       const std::vector<bool>& avar, bool greedy) {
  const std::size_t slots = avar.size();
  bound_ = bound;
  bound_.resize(slots);
  outside_ = outside;
  outside_.resize(slots);
  avar_ = avar;
  group_in_.assign(slots, 0);
  here_.assign(slots, 0);
  head_.assign(slots, 0);
  seen_.assign(slots, 0);
  round_ = 0;
  greedy_ = greedy;
  trail_.clear();
  needs_.clear();
  occurrences_.clear();
  slots_.clear();
  saved_.clear();
  scopes_.clear();
  depth_ = 0;
}

bool ReadyQueue::Bind(SlotId slot) {
  const auto s = static_cast<std::size_t>(slot);
  if (bound_[s]) return false;
  bound_[s] = true;
  group_in_[s] = 0;
  trail_.push_back(slot);
  if (depth_ == 0) return true;
  const std::uint32_t from = List().occurrences;
  for (std::uint32_t at = head_[s]; at > from; at = occurrences_[at - 1].next) {
    Need& need = needs_[occurrences_[at - 1].need];
    if (occurrences_[at - 1].shared && !IsShared(slot)) continue;  // had already stopped counting
    if (--need.open == 0) Satisfied(need);
  }
  return true;
}

void ReadyQueue::BindGroup(SlotId slot) {
  Bind(slot);
  group_in_[static_cast<std::size_t>(slot)] = scopes_.size() + 1;
}

void ReadyQueue::Undo(std::size_t mark) {
  for (; trail_.size() > mark; trail_.pop_back())
    bound_[static_cast<std::size_t>(trail_.back())] = false;
}

bool ReadyQueue::SetBound(SlotId slot, bool bound) {
  const auto s = static_cast<std::size_t>(slot);
  const bool before = bound_[s];
  bound_[s] = bound;
  return before;
}

// The distinct slots of `clause`.
void ReadyQueue::Distinct(const Clause& clause, std::vector<SlotId>& out) {
  ForEachSlot(clause, [&](SlotId slot) {
    std::uint32_t& seen = seen_[static_cast<std::size_t>(slot)];
    if (seen == round_) return;
    seen = round_;
    out.push_back(slot);
  });
}

void ReadyQueue::Enter(const Clauses& inner, bool alone) {
  scopes_.push_back(saved_.size());
  ++round_;
  more_.clear();
  for (const Clause& clause : inner) Distinct(clause, more_);
  for (const SlotId slot : more_) {
    const auto s = static_cast<std::size_t>(slot);
    saved_.push_back({slot, here_[s], outside_[s], bound_[s]});
    outside_[s] = !alone && IsShared(slot);
    if (alone) bound_[s] = false;
    here_[s] = 0;
  }
}

void ReadyQueue::Leave() {
  for (; saved_.size() > scopes_.back(); saved_.pop_back()) {
    const Saved& saved = saved_.back();
    const auto s = static_cast<std::size_t>(saved.slot);
    here_[s] = saved.here;
    outside_[s] = saved.outside;
    bound_[s] = saved.bound;
  }
  scopes_.pop_back();
}

void ReadyQueue::Push(bool plain) {
  if (levels_.size() == depth_) levels_.push_back(std::make_unique<Level>());
  Level& list = *levels_[depth_++];
  list.entries.clear();
  list.ready.clear();
  list.despair.clear();
  list.outside.clear();
  list.equalities.clear();
  list.counts.clear();
  list.classes.clear();
  list.givers.clear();
  list.next_outside = list.next_equality = list.first = 0;
  list.left = list.open = 0;
  std::fill(std::begin(list.closing), std::end(list.closing), 0);
  list.needs = static_cast<std::uint32_t>(needs_.size());
  list.occurrences = static_cast<std::uint32_t>(occurrences_.size());
  list.slots = static_cast<std::uint32_t>(slots_.size());
  list.plain = plain;
  list.desperate = list.negates = false;
}

void ReadyQueue::Open(const std::vector<Item>& items) {
  Push(false);
  for (const Item& item : items) Append(item);
  for (Place place = 0; place < items.size(); ++place) Start(place);
}

void ReadyQueue::Close() {
  Level& list = List();
  for (std::size_t at = list.slots; at < slots_.size(); ++at)
    here_[static_cast<std::size_t>(slots_[at])] = 0;
  slots_.resize(list.slots);
  for (; occurrences_.size() > list.occurrences; occurrences_.pop_back())
    head_[static_cast<std::size_t>(occurrences_.back().slot)] = occurrences_.back().next;
  needs_.resize(list.needs);
  --depth_;
}

ReadyQueue::Place ReadyQueue::Append(const Item& item) {
  Level& list = List();
  const auto place = static_cast<Place>(list.entries.size());
  Entry& e = list.entries.emplace_back();
  const Clause& clause = *item.clause;
  e.item = item;
  e.atom = clause.As<Atom>();
  e.slots = static_cast<std::uint32_t>(slots_.size());
  ++round_;
  Distinct(clause, slots_);
  for (std::size_t at = e.slots; at < slots_.size(); ++at)
    ++here_[static_cast<std::size_t>(slots_[at])];
  ++list.left;
  list.classes.clear();  // it may be an equality
  list.givers.clear();
  if (list.plain) return place;
  const Turn turn = TurnOf(clause);
  e.closing = turn.closing;
  e.outside = mode_ == Mode::kSolve && catalog_.ReachesOutside(clause);
  e.test = !e.outside && turn.test;
  e.showing = IsShowing(clause);
  list.negates = list.negates || turn.negates;
  if (e.closing > 0) ++list.closing[e.closing];
  else ++list.open;
  if (e.outside && e.closing == 0) list.outside.push_back(place);
  if (IsEquality(clause)) list.equalities.push_back(place);
  if (RowCountIn(clause) != nullptr) list.counts.push_back(place);
  return place;
}

void ReadyQueue::Start(Place place) {
  if (greedy_ && !List().plain) WatchColumns(place);
  if (mode_ == Mode::kSolve && (!List().outside.empty() || List().negates)) WatchKnown(place);
  Watch(place);
  if (List().desperate) WatchInDespair(place);
}

void ReadyQueue::Add(const Item& item) { Start(Append(item)); }

void ReadyQueue::Remove(Place place) {
  Level& list = List();
  Entry& e = list.entries[place];
  assert(e.left);
  e.left = false;
  --list.left;
  if (e.closing > 0) --list.closing[e.closing];
  else if (!list.plain) --list.open;
  const std::size_t end =
      place + 1 < list.entries.size() ? list.entries[place + 1].slots : slots_.size();
  for (std::size_t k = e.slots; k < end; ++k) {
    const SlotId slot = slots_[k];
    const auto s = static_cast<std::size_t>(slot);
    if (--here_[s] != 1 || outside_[s] || bound_[s]) continue;
    // The last clause that mentions the slot need not wait for it any more.
    for (std::uint32_t at = head_[s]; at > list.occurrences; at = occurrences_[at - 1].next) {
      Need& need = needs_[occurrences_[at - 1].need];
      if (occurrences_[at - 1].shared && list.entries[need.entry].left && --need.open == 0)
        Satisfied(need);
    }
  }
}

std::vector<ReadyQueue::Item> ReadyQueue::Left() const {
  std::vector<Item> out;
  for (const Entry& e : List().entries)
    if (e.left) out.push_back(e.item);
  return out;
}

const Clause* ReadyQueue::First() {
  Level& list = List();
  while (list.first < list.entries.size() && !list.entries[list.first].left) ++list.first;
  return list.first == list.entries.size() ? nullptr : list.entries[list.first].item.clause;
}

// --- Waiting --------------------------------------------------------------------------------

// Adds a need of all `slots`, and of those in `shared` as long as they are shared. Each occurrence
// counts.
void ReadyQueue::Require(Place place, Wait wait, const std::vector<SlotId>& slots,
                         const std::vector<SlotId>& shared) {
  const auto number = static_cast<std::uint32_t>(needs_.size());
  Need need{place, 0, wait};
  const auto require = [&](SlotId slot, bool while_shared) {
    const auto s = static_cast<std::size_t>(slot);
    if (bound_[s] || (while_shared && !IsShared(slot))) return;
    ++need.open;
    occurrences_.push_back({slot, number, head_[s], while_shared});
    head_[s] = static_cast<std::uint32_t>(occurrences_.size());
  };
  for (const SlotId slot : slots) require(slot, false);
  for (const SlotId slot : shared) require(slot, true);
  if (need.open == 0) Satisfied(need);
  else needs_.push_back(need);
}

void ReadyQueue::Satisfied(Need need) {
  Level& list = List();
  Entry& e = list.entries[need.entry];
  if (!e.left) return;
  switch (need.wait) {
    case Wait::kReady:
    case Wait::kBranch: return Ready(need.entry);
    case Wait::kColumn:
    case Wait::kKnown:
      if (need.wait == Wait::kKnown) e.test = true;
      else ++e.score;
      if (e.ready) {
        list.ready.push_back(Key(e, need.entry));
        std::push_heap(list.ready.begin(), list.ready.end(), std::greater<>());
      }
      return;
    case Wait::kDespair:
      if (e.desperate && !e.ready) return;
      e.desperate = true;
      list.despair.push_back(DespairRank(*e.item.clause, e.ready) << 32 | need.entry);
      std::push_heap(list.despair.begin(), list.despair.end(), std::greater<>());
  }
}

void ReadyQueue::Ready(Place place) {
  Level& list = List();
  Entry& e = list.entries[place];
  if (e.ready) return;
  e.ready = true;
  if (list.plain || !e.outside || e.closing > 0) {
    list.ready.push_back(Key(e, place));
    std::push_heap(list.ready.begin(), list.ready.end(), std::greater<>());
  }
  if (list.desperate && e.closing == 0) Satisfied({place, 0, Wait::kDespair});
}

std::uint64_t ReadyQueue::Key(const Entry& e, Place place) const {
  const std::uint64_t order = List().plain    ? std::uint64_t{kOrdinary}
                              : e.closing > 0 ? kClosing + e.closing
                              : e.test        ? TestClass(*e.item.clause)
                              : e.showing     ? std::uint64_t{kShowing}
                                              : kOrdinary - e.score;
  return order << 32 | place;
}

bool ReadyQueue::IsAvar(const Expr& e) const {
  return e.term.kind == Pattern::Kind::kSlot && avar_[static_cast<std::size_t>(e.term.slot)];
}

// An atom over rows that binds nothing is a test: where it fails, what others would ask for, or
// deny, does not matter. So is a count of rows, which is ready when its atom is known and has one
// value; what others ask for may be a part of a collection that is counted.
void ReadyQueue::WatchKnown(Place place) {
  Entry& e = List().entries[place];
  if (e.outside) return;
  e.test = e.test || RowCountIn(*e.item.clause) != nullptr;
  if (e.atom == nullptr) return;
  scratch_.clear();
  ++round_;
  Distinct(*e.item.clause, scratch_);
  Require(place, Wait::kKnown, scratch_);
}

// One need per argument, to count known columns.
void ReadyQueue::WatchColumns(Place place) {
  const Atom* const atom = List().entries[place].atom;
  if (atom == nullptr) return;
  for (const Pattern& p : atom->args) {
    scratch_.clear();
    if (BuiltFrom(p, false, scratch_) && !TakesLists(p)) Require(place, Wait::kColumn, scratch_);
  }
}

void ReadyQueue::Watch(Place place) {
  const Clause& clause = *List().entries[place].item.clause;
  scratch_.clear();
  const auto needs = [&](bool possible) {
    if (possible) Require(place, Wait::kReady, scratch_);
  };
  const auto shared = [&](const Clause& inner) {
    ++round_;
    Distinct(inner, scratch_);
    Require(place, Wait::kReady, {}, scratch_);
  };
  Visit(
      clause, [&](const Atom& c) { WatchCall(place, c); },
      [&](const Compare& c) { WatchComparison(place, c); },
      [&](const MatchWith& c) { needs(BuiltFrom(c.value, false, scratch_)); },
      [&](const Member& c) {
        const bool binds = !c.negated && c.element.kind == Expr::Kind::kTerm;
        needs(BuiltFrom(c.collection, false, scratch_) &&
              (binds || BuiltFrom(c.element, false, scratch_)));
      },
      [&](const Temporal& c) {
        needs(std::ranges::all_of(c.operands,
                                  [&](const Expr& e) { return BuiltFrom(e, false, scratch_); }));
      },
      [&](const CountOf& c) {
        // Waits for slots that another clause could still bind; in despair they become group keys.
        if (c.expansion < 0 && c.value.empty()) return shared(c.atom.front());
        if (c.expansion >= 0) scratch_.push_back(c.expansion);
        needs(c.expansion >= 0 || BuiltFrom(c.value.front(), false, scratch_));
      },
      [&](const Among<Negation, GoalIsFalse> auto&) { shared(clause); },
      [&](const Check& c) {
        if (c.body.empty()) needs(true);
        else shared(clause);
      },
      [&](const ReadAvar& c) {
        if (c.last) scratch_.push_back(c.slot);
        needs(true);
      },
      [&](const Metadata& c) {
        scratch_ = c.rows;
        if (c.bindings) scratch_.insert(scratch_.end(), c.own.slots.begin(), c.own.slots.end());
        needs(true);
      },
      [&](const Among<Expand, ShowJson> auto& c) {
        scratch_.push_back(c.slot);
        needs(true);
      },
      [&](const rpl::Distinct& c) {
        scratch_ = c.slots;
        needs(true);
      },
      // Alternatives are examined in their turn, by CanRun.
      [&](const Among<Alternatives, Aggregate, rpl::First, Loop, Truth> auto&) { needs(true); });
}

void ReadyQueue::WatchCall(Place place, const Atom& c) {
  const std::vector<SlotId> keys =  // as long as another clause could bind them
      OpenKeys(List().entries[place]);
  const auto needs = [&](bool possible) {
    if (possible) Require(place, Wait::kReady, scratch_, keys);
    scratch_.clear();
  };
  const Access access = catalog_.AccessOf(c.relation, mode_);
  if (access == Access::kTable || access == Access::kGoal) {
    for (const Columns mode : catalog_.FiniteModesOf(c.relation).modes()) {
      bool possible = true;
      for (std::size_t i = 0; i < c.args.size(); ++i) {
        if ((mode >> i & 1) == 0) continue;
        const Pattern& p = c.args[i];
        if (p.kind == Pattern::Kind::kSlot &&
            std::find(c.avars.begin(), c.avars.end(), p.slot) != c.avars.end())
          continue;
        // A term with `_` is read by form; it waits for its lvars only.
        more_.clear();
        possible = possible && BuiltFrom(p, true, more_) && !TakesLists(p);
        ForEachSlot(p, [&](SlotId s) { scratch_.push_back(s); });
      }
      needs(possible);
    }
    return;
  }
  const auto is_built = [&](const Pattern& p) { return BuiltFrom(p, false, scratch_); };
  needs(access != Access::kExternal || std::ranges::all_of(c.args, is_built));
}

void ReadyQueue::WatchComparison(Place place, const Compare& c) {
  more_.clear();
  const bool equal = c.op == Operator::kEqual;
  const auto built = [&](const Expr& e, std::vector<SlotId>& slots) {
    return BuiltFrom(e, false, slots) && !(equal && TakesLists(e.term));
  };
  const bool left = built(c.left, scratch_);
  const bool right = built(c.right, more_);
  // `$l = |#?x|` resolves an avar; `$focus = "unknown"` and `?v = $x` read it (decisions
  // 54, 55).
  // `?z = #{?n ?m}` builds the set if other clauses bind its parts: two equal parts make
  // one element, where matching a known set would want two.
  const auto bindable = [&](const Expr& e) {
    return e.kind == Expr::Kind::kTerm && !BuildsOtherwise(e.term);
  };
  const bool binds_right = equal && left && bindable(c.right) && !IsAvar(c.right);
  const bool binds_left = equal && right && bindable(c.left) &&
                          !(IsAvar(c.left) && c.right.kind == Expr::Kind::kTerm &&
                            c.right.term.kind == Pattern::Kind::kConstant);
  if (binds_right) Require(place, Wait::kReady, scratch_);
  if (binds_left) Require(place, Wait::kReady, more_);
  if (!left || !right || binds_left || binds_right) return;
  scratch_.insert(scratch_.end(), more_.begin(), more_.end());
  Require(place, Wait::kReady, scratch_);
}

// Reads the form with unbound lvars as names (§3), but only those that nothing could bind, not even
// the clause itself.
void ReadyQueue::WatchFormInDespair(Place place, const Expr& form, const Expr& other) {
  scratch_.clear();
  more_.clear();
  if (!BuiltFrom(form, true, scratch_)) return;
  ++round_;
  ForEachSlot(form, [&](SlotId slot) {
    more_.push_back(slot);
    seen_[static_cast<std::size_t>(slot)] = round_;
  });
  ForEachSlot(other, [&](SlotId slot) {
    if (seen_[static_cast<std::size_t>(slot)] == round_) scratch_.push_back(slot);
  });
  Require(place, Wait::kDespair, scratch_, more_);
}

void ReadyQueue::WatchInDespair(Place place) {
  const Entry& e = List().entries[place];
  if (e.closing > 0) return;
  const Clause& clause = *e.item.clause;
  scratch_.clear();
  more_.clear();  // slots of the form alone
  const bool possible =
      e.ready ||
      Visit(
          clause, [](const Among<Alternatives, ReadAvar> auto&) { return true; },
          [&](const Atom& c) {
            if (catalog_.AccessOf(c.relation, mode_) != Access::kExternal) return true;
            bool built = true;
            for (const Pattern& p : c.args) {
              const bool form = p.kind == Pattern::Kind::kTerm;
              built = built && BuiltFrom(p, form, scratch_);
              if (form) ForEachSlot(p, [&](SlotId s) { more_.push_back(s); });
            }
            return built;
          },
          [&](const Compare& c) {
            if (c.op != Operator::kEqual) return false;  // both sides had to be bound
            const auto binds = [](const Expr& side) { return side.kind == Expr::Kind::kTerm; };
            const bool read = IsAvar(c.left) && c.right.kind == Expr::Kind::kTerm &&
                              c.right.term.kind == Pattern::Kind::kConstant;
            if (binds(c.right) && !IsAvar(c.right)) WatchFormInDespair(place, c.left, c.right);
            if (binds(c.left) && !read) WatchFormInDespair(place, c.right, c.left);
            return false;
          },
          [&](const MatchWith& c) {
            Expr pattern;
            pattern.term = c.pattern;
            WatchFormInDespair(place, c.value, pattern);
            scratch_.clear();
            more_.clear();
            return c.value.kind == Expr::Kind::kTerm && BuiltFrom(c.pattern, false, scratch_);
          },
          [](const CountOf& c) { return c.expansion < 0 && c.value.empty(); },
          [&](const Metadata& c) {
            scratch_ = c.rows;
            return true;
          },
          // Holds if no satisfied instance matches (decision 17).
          [](const GoalIsFalse& c) { return c.activation; },
          [](const Among<Member, Temporal, Negation, Expand, Aggregate, ShowJson, rpl::First, Loop,
                         rpl::Distinct, Check, Truth> auto&) { return false; });
  if (possible) Require(place, Wait::kDespair, scratch_, more_);
}

// --- Choosing -------------------------------------------------------------------------------

ReadyQueue::Place ReadyQueue::Next() {
  Level& list = List();
  const auto pop = [&] {
    std::pop_heap(list.ready.begin(), list.ready.end(), std::greater<>());
    list.ready.pop_back();
  };
  while (true) {
    Place inside = kNobody;
    std::uint64_t order = 0;
    while (!list.ready.empty() && inside == kNobody) {
      const auto place = static_cast<Place>(list.ready.front() & 0xFFFFFFFF);
      const Entry& e = list.entries[place];
      if (!e.left || !e.ready || list.ready.front() != Key(e, place)) {
        pop();
        continue;
      }
      inside = place;
      order = list.ready.front() >> 32;
    }
    if (list.plain) {
      if (inside == kNobody || CanRun(inside)) return inside;
      continue;
    }
    if (inside != kNobody && order <= kNegation) return inside;
    if (list.open == 0) {  // only closing clauses are left, and they have an order
      const std::uint64_t rank = list.closing[1] > 0 ? 1 : list.closing[2] > 0 ? 2 : 3;
      return order == kClosing + rank ? inside : kNobody;
    }
    if (order >= kClosing) inside = kNobody;
    const Place outside = FirstOutside();
    if (outside != kNobody && (outside < inside || order == kShowing) &&
        !(list.entries[outside].showing && order < kShowing && inside != kNobody) &&
        list.entries[outside].ready && CanRun(outside))
      return outside;
    if (inside == kNobody || CanRun(inside)) return inside;
  }
}

// Clauses that reach outside never pass each other.
ReadyQueue::Place ReadyQueue::FirstOutside() {
  Level& list = List();
  std::size_t& next = list.next_outside;
  while (next < list.outside.size() && !list.entries[list.outside[next]].left) ++next;
  return next < list.outside.size() ? list.outside[next] : kNobody;
}

ReadyQueue::Place ReadyQueue::NextToDecompose() {
  Level& list = List();
  for (; list.next_equality < list.equalities.size(); ++list.next_equality)
    if (list.entries[list.equalities[list.next_equality]].left)
      return list.equalities[list.next_equality];
  return kNobody;
}

// Whether a clause with no open need can run: a disjunction can if each branch can be completed
// from here. Otherwise it is tried again when a free slot of the failing branch is bound.
bool ReadyQueue::CanRun(Place place) {
  const std::span<const Clauses> branches = BranchesOf(*List().entries[place].item.clause);
  for (; List().entries[place].branch < branches.size(); ++List().entries[place].branch) {
    const Clauses& branch = branches[List().entries[place].branch];
    if (BranchCanRun(branch)) continue;
    Entry& e = List().entries[place];
    e.ready = false;
    if (e.waits == e.branch + 1) return false;
    e.waits = e.branch + 1;
    ++round_;
    std::vector<SlotId> slots;
    for (const Clause& clause : branch) Distinct(clause, slots);
    for (const SlotId slot : slots)
      if (!IsBound(slot)) Require(place, Wait::kBranch, {slot});
    return false;
  }
  return true;
}

bool ReadyQueue::BranchCanRun(const Clauses& branch) {
  // Slots of other clauses in the list count as unshared, so nothing waits for those clauses.
  scopes_.push_back(saved_.size());
  ++round_;
  more_.clear();
  for (const Clause& clause : branch) Distinct(clause, more_);
  for (const SlotId slot : more_) {
    const auto s = static_cast<std::size_t>(slot);
    saved_.push_back({slot, here_[s], outside_[s], bound_[s]});
    here_[s] = 0;
  }
  const std::size_t mark = Mark();
  Push(true);
  for (const Clause& clause : branch) Append({&clause, Range::kAll});
  for (Place place = 0; place < branch.size(); ++place) Start(place);
  while (!empty()) {
    const Place place = Next();
    if (place == kNobody) break;
    const Level& list = List();
    const std::size_t end =
        place + 1 < list.entries.size() ? list.entries[place + 1].slots : slots_.size();
    for (std::size_t k = list.entries[place].slots; k < end; ++k) Bind(slots_[k]);
    Remove(place);
  }
  const bool all = empty();
  Close();
  Undo(mark);
  Leave();
  return all;
}

}  // namespace rpl
