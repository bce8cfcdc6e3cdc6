// SPDX-License-Identifier: Apache-2.0
//
// The part of the ReadyQueue for lists of which no clause can run as it should (Planner::Chain).
// Some clause runs as it is, a count with group keys, a call that has them, or a call without
// inputs, so it matters which.
#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_set>

#include "interp/plan/ready_queue.h"

namespace rpl {
namespace {

// What a count of rows counts.
const Clause& CountedIn(const Clause& count) { return RowCountIn(count)->atom.front(); }

}  // namespace

ReadyQueue::Place ReadyQueue::NextInDespair() {
  const Place place = FirstInDespair();
  if (place == kNobody || List().entries[place].ready) return place;
  const Place giver = DisjunctionGiving(place);
  return giver == kNobody ? place : giver;
}

ReadyQueue::Place ReadyQueue::FirstInDespair() {
  Level& list = List();
  if (!list.desperate) {
    list.desperate = true;
    for (Place place = 0; place < list.entries.size(); ++place)
      if (list.entries[place].left) WatchInDespair(place);
  }
  while (!list.despair.empty()) {
    const auto place = static_cast<Place>(list.despair.front() & 0xFFFFFFFF);
    const Entry& e = list.entries[place];
    if (e.left && e.closing > 0) return kNobody;
    if (e.left) return e.ready ? place : KeyedBefore(place);
    std::pop_heap(list.despair.begin(), list.despair.end(), std::greater<>());
    list.despair.pop_back();
  }
  return kNobody;
}

// The columns whose arguments are known.
Columns ReadyQueue::KnownOf(const Atom& atom) const {
  Columns known = 0;
  for (std::size_t i = 0; i < atom.args.size(); ++i) {
    bool open = false;
    ForEachSlot(atom.args[i], [&](SlotId s) { open = open || !IsBound(s); });
    if (!open) known |= Columns{1} << i;
  }
  return known;
}

// The free slots among the arguments that the rules of a clause's call need from their caller.
std::vector<SlotId> ReadyQueue::OpenInputs(const Clause& clause) const {
  const auto* atom = (RowCountIn(clause) != nullptr ? CountedIn(clause) : clause).As<Atom>();
  std::vector<SlotId> out;
  if (atom == nullptr || catalog_.AccessOf(atom->relation, mode_) == Access::kRows) return out;
  const auto is_free = [&](SlotId s) { return !IsBound(s); };
  const Columns known = KnownOf(*atom);
  const ModeSet& modes = catalog_.FiniteModesOf(atom->relation);
  if (modes.Meets(known)) return out;
  for (std::size_t i = 0; i < atom->args.size(); ++i)
    if ((modes.AnyOf() >> i & 1) != 0)
      ForEachSlot(atom->args[i], [&](SlotId s) {
        if (is_free(s)) out.push_back(s);
      });
  return out;
}

// The free slots among the arguments of a call that range over groups unless they are bound.
std::vector<SlotId> ReadyQueue::OpenKeys(const Entry& entry) const {
  std::vector<SlotId> out;
  const Atom* const atom = entry.atom;
  const Columns keys = atom == nullptr ? 0 : catalog_.KeysOf(atom->relation);
  if (keys == 0 || catalog_.AccessOf(atom->relation, mode_) == Access::kTruth) return out;
  for (std::size_t i = 0; i < atom->args.size(); ++i)
    if ((keys >> i & 1) != 0)
      ForEachSlot(atom->args[i], [&](SlotId s) {
        if (!IsBound(s)) out.push_back(s);
      });
  return out;
}

// The calls with open keys, and inputs that are known, of which one runs for its rows: one whose
// keys the other clauses do not give, and those that share them; if all are given, each of them.
std::vector<ReadyQueue::Place> ReadyQueue::Leaders() const {
  const Level& list = List();
  std::vector<Place> calls, out;
  std::vector<std::vector<SlotId>> keys;
  for (Place at = 0; at < list.entries.size(); ++at) {
    const Entry& e = list.entries[at];
    if (!e.left || e.ready) continue;
    std::vector<SlotId> open = OpenKeys(e);
    if (open.empty() || !OpenInputs(*e.item.clause).empty()) continue;
    calls.push_back(at);
    keys.push_back(std::move(open));
  }
  const auto meet = [&](std::size_t i, std::size_t k) {
    return std::ranges::any_of(
        keys[i], [&](SlotId s) { return std::ranges::find(keys[k], s) != keys[k].end(); });
  };
  const auto is_given = [&](std::size_t i) {
    std::vector<const Clause*> others;
    for (Place at = 0; at < list.entries.size(); ++at) {
      const auto call = std::ranges::find(calls, at);
      const bool shares =
          call != calls.end() && meet(i, static_cast<std::size_t>(call - calls.begin()));
      if (list.entries[at].left && !shares) others.push_back(list.entries[at].item.clause);
    }
    const std::vector<bool> bound = catalog_.BoundBy(others, bound_, mode_);
    return std::ranges::any_of(keys[i],
                               [&](SlotId s) { return bound[static_cast<std::size_t>(s)]; });
  };
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (is_given(i)) continue;
    for (std::size_t k = 0; k < calls.size(); ++k)
      if (meet(i, k)) out.push_back(calls[k]);
    return out;
  }
  return calls;
}

std::pair<ReadyQueue::Place, Columns> ReadyQueue::LooseCall() {
  Level& list = List();
  std::vector<const Clause*> others;  // without calls with open keys
  std::map<SlotId, int> keys;         // of how many calls
  for (const Entry& e : list.entries) {
    if (!e.left) continue;
    const std::vector<SlotId> open = OpenKeys(e);
    for (const SlotId s : open) ++keys[s];
    if (open.empty()) others.push_back(e.item.clause);
  }
  if (keys.empty()) return {kNobody, 0};
  // A call gives nothing before its inputs are known.
  const auto bound_beside = [&](std::vector<bool> known) {
    for (std::vector<bool> before; before != known;) {
      before = known;
      std::vector<const Clause*> able = others;
      std::erase_if(able, [&](const Clause* clause) {
        return std::ranges::any_of(OpenInputs(*clause),
                                   [&](SlotId s) { return !known[static_cast<std::size_t>(s)]; });
      });
      known = catalog_.BoundBy(able, std::move(known), mode_);
    }
    return known;
  };
  const std::vector<bool> given = bound_beside(bound_);
  for (Place at = 0; at < list.entries.size(); ++at) {
    Entry& e = list.entries[at];
    const Atom* const atom = e.atom;
    if (!e.left || e.ready || e.loose || atom == nullptr || atom->whole || atom->row >= 0) continue;
    if (OpenKeys(e).empty() || !OpenInputs(*e.item.clause).empty()) continue;
    std::vector<Columns> ways = {0};  // without all open keys, or without one
    for (std::size_t i = 0; i < atom->args.size(); ++i) {
      bool open = false;
      ForEachSlot(atom->args[i], [&](SlotId s) { open = open || !IsBound(s); });
      if (!open || (catalog_.KeysOf(atom->relation) >> i & 1) == 0) continue;
      ways.front() |= Columns{1} << i;
      ways.push_back(Columns{1} << i);
    }
    for (const Columns without : ways) {
      const Columns gives = catalog_.LooseOf(atom->relation, without);
      std::vector<bool> known = bound_;
      bool alone = gives != 0;  // a key that it gives is none of another call
      for (std::size_t i = 0; i < atom->args.size(); ++i)
        if ((gives >> i & 1) != 0)
          ForEachSlot(atom->args[i], [&](SlotId s) {
            known[static_cast<std::size_t>(s)] = true;
            const bool own = (catalog_.KeysOf(atom->relation) >> i & 1) != 0 && !IsBound(s);
            alone = alone && (!own || keys[s] == 1);
          });
      if (!alone) continue;
      known = bound_beside(std::move(known));
      bool helps = false;
      for (std::size_t i = 0; i < atom->args.size(); ++i)
        if ((without >> i & 1) != 0)
          ForEachSlot(atom->args[i], [&](SlotId s) {
            const auto slot = static_cast<std::size_t>(s);
            helps = helps || (known[slot] && !given[slot]);
          });
      if (!helps) continue;
      e.loose = true;
      return {at, gives};
    }
  }
  return {kNobody, 0};
}

std::vector<ReadyQueue::Place> ReadyQueue::Rivals(Place place) {
  const Entry& first = List().entries[place];
  std::vector<Place> out;
  if (first.ready) return out;
  if (!OpenKeys(first).empty()) out = Leaders();
  if (std::ranges::find(out, place) == out.end()) out = {place};
  if (first.atom == nullptr && RowCountIn(*first.item.clause) == nullptr) return out;
  const std::vector<Place> others = InputFreeCallsFor(place);
  // A clause without an input that all its rules need gives nothing.
  if (!others.empty() && !OpenInputs(*first.item.clause).empty() && !HasInputFreeRows(first))
    out.clear();
  out.insert(out.end(), others.begin(), others.end());
  return out;
}

// Whether the call, which lacks an input, has rows that need none.
bool ReadyQueue::HasInputFreeRows(const Entry& entry) const {
  const Atom* const atom = entry.atom;
  return atom != nullptr && !atom->whole && atom->row < 0 && atom->avars.empty() &&
         catalog_.HasInputFreeRows(atom->relation, KnownOf(*atom));
}

// The other calls with such rows that bind, by themselves or with further clauses, a slot that the
// clause at `place` would group by or leave open.
std::vector<ReadyQueue::Place> ReadyQueue::InputFreeCallsFor(Place place) {
  std::vector<Place> out;
  const Level& list = List();
  const std::vector<SlotId> open = LeftOpen(list.entries[place]);
  for (Place at = 0; at < list.entries.size() && !open.empty(); ++at) {
    const Entry& e = list.entries[at];
    if (at == place || !e.left || e.ready || e.atom == nullptr || MustWait(at) ||
        OpenInputs(*e.item.clause).empty() || !HasInputFreeRows(e))
      continue;
    std::vector<const Clause*> others;
    for (Place k = 0; k < list.entries.size(); ++k)
      if (k != at && k != place && list.entries[k].left)
        others.push_back(list.entries[k].item.clause);
    const std::vector<bool> known = BoundAfter(*e.item.clause, others);
    if (std::ranges::any_of(open, [&](SlotId s) { return known[static_cast<std::size_t>(s)]; }))
      out.push_back(at);
  }
  return out;
}

std::vector<bool> ReadyQueue::BoundAfter(const Clause& clause,
                                         const std::vector<const Clause*>& others) const {
  std::vector<bool> known = bound_;
  CollectSlots(clause, known);
  return catalog_.BoundBy(others, std::move(known), mode_);
}

// Whether the count, whose result may be a key of the call, needs nothing that this gives.
bool ReadyQueue::MayLead(Place count, Place call) const {
  std::vector<SlotId> given;
  ForEachSlot(*List().entries[call].item.clause, [&](SlotId s) {
    if (!IsBound(s)) given.push_back(s);
  });
  bool needs = false;
  ForEachSlot(CountedIn(*List().entries[count].item.clause),
              [&](SlotId s) { needs |= std::ranges::find(given, s) != given.end(); });
  return !needs;
}

// The free slots that the clause, run as it is, would group by or leave open.
std::vector<SlotId> ReadyQueue::LeftOpen(const Entry& entry) const {
  const Clause& clause = *entry.item.clause;
  std::vector<SlotId> out = OpenInputs(clause);
  for (const SlotId s : OpenKeys(entry)) out.push_back(s);
  if (RowCountIn(clause) == nullptr) return out;
  ForEachSlot(CountedIn(clause), [&](SlotId s) {
    if (!IsBound(s) && IsShared(s)) out.push_back(s);
  });
  return out;
}

// Whether clauses bind one of the slots, or a call among them does by rows that need no input.
bool ReadyQueue::Gives(const Clauses& clauses, const std::vector<SlotId>& slots) const {
  const std::vector<bool> bound = catalog_.BoundBy(PointersTo(clauses), bound_, mode_);
  const auto has = [&](SlotId s) { return std::ranges::find(slots, s) != slots.end(); };
  if (std::ranges::any_of(slots, [&](SlotId s) { return bound[static_cast<std::size_t>(s)]; }))
    return true;
  return std::ranges::any_of(clauses, [&](const Clause& clause) {
    if (std::ranges::any_of(BranchesOf(clause), [&](const Clauses& b) { return Gives(b, slots); }))
      return true;
    Entry call;
    call.atom = clause.As<Atom>();
    bool meets = false;
    ForEachSlot(clause, [&](SlotId s) { meets = meets || has(s); });
    return meets && !OpenInputs(clause).empty() && HasInputFreeRows(call);
  });
}

// A disjunction of which some branch gives such a slot of the clause: in that branch, the clause is
// for the values of the branch. kNobody if there is none.
ReadyQueue::Place ReadyQueue::DisjunctionGiving(Place place) {
  const Level& list = List();
  if (!BranchesOf(*list.entries[place].item.clause).empty()) return kNobody;
  const std::vector<SlotId> open = LeftOpen(list.entries[place]);
  if (open.empty()) return kNobody;
  for (Place at = 0; at < list.entries.size(); ++at) {
    const Entry& e = list.entries[at];
    if (!e.left || e.closing > 0 || MustWait(at)) continue;
    if (std::ranges::any_of(BranchesOf(*e.item.clause),
                            [&](const Clauses& branch) { return Gives(branch, open); }))
      return at;
  }
  return kNobody;
}

// The clause to run in despair in place of the one at `place`. The rows of a call bind their keys,
// so a call that has some comes before counts, unless its own keys come from one.
ReadyQueue::Place ReadyQueue::KeyedBefore(Place place) {
  const Level& list = List();
  const std::vector<Place> leaders = Leaders();
  if (leaders.empty()) return CallBefore(CountBefore(place));
  const std::vector<SlotId> keys = OpenKeys(list.entries[leaders.front()]);
  if (!list.counts.empty()) {
    FindClasses();
    for (const SlotId key : keys) {
      const auto found = list.givers.find(ClassOf(key));
      if (found == list.givers.end()) continue;
      for (const Place at : found->second)
        if (list.entries[at].left && MayLead(at, leaders.front()))
          return CallBefore(CountBefore(at));
    }
  }
  return leaders.front();
}

// The slots that equalities of the list connect form classes; notes which counts give their results
// to each. O(length of the list), once for each list.
void ReadyQueue::FindClasses() {
  Level& list = List();
  if (!list.classes.empty()) return;
  list.classes.resize(bound_.size());
  std::iota(list.classes.begin(), list.classes.end(), 0);
  for (const Entry& e : list.entries) {
    if (EqualityIn(*e.item.clause) == nullptr) continue;
    std::optional<SlotId> first;
    ForEachSlot(*e.item.clause, [&](SlotId s) {
      const SlotId own = ClassOf(s);
      list.classes[static_cast<std::size_t>(own)] = ClassOf(first.value_or(s));
      first = s;
    });
  }
  for (const Place at : list.counts)
    list.givers[ClassOf(RowCountIn(*list.entries[at].item.clause)->result)].push_back(at);
}

SlotId ReadyQueue::ClassOf(SlotId slot) {
  std::vector<SlotId>& classes = List().classes;
  const auto up = [&](SlotId s) -> SlotId& { return classes[static_cast<std::size_t>(s)]; };
  while (up(slot) != slot) slot = up(slot) = up(up(slot));
  return slot;
}

// A count that gives, as its result or by equalities, an argument of the atom that the count at
// `place` counts, which is then no group key (decision 25); kNobody if there is none, or if each
// waits for the other.
ReadyQueue::Place ReadyQueue::CountGiving(Place place) {
  FindClasses();
  Level& list = List();
  const auto takes_from = [&](Place taker, SlotId of) {
    bool takes = false;
    ForEachSlot(CountedIn(*list.entries[taker].item.clause),
                [&](SlotId s) { takes |= !IsBound(s) && ClassOf(s) == of; });
    return takes;
  };
  const CountOf& own = *RowCountIn(*list.entries[place].item.clause);
  const SlotId result = ClassOf(own.result);
  Place giver = kNobody;
  ForEachSlot(own.atom.front(), [&](SlotId s) {
    if (giver != kNobody || IsBound(s)) return;
    const auto found = list.givers.find(ClassOf(s));
    if (found == list.givers.end()) return;
    for (const Place at : found->second)
      if (giver == kNobody && at != place && list.entries[at].left && !takes_from(at, result))
        giver = at;
  });
  return giver;
}

// A call with open inputs that gives an argument of the atom that the count at `place` counts,
// which is then no group key (decision 25), from its rows that need no input; kNobody if there is
// none, or if the count has one of the inputs.
ReadyQueue::Place ReadyQueue::CallGiving(Place place) {
  const Level& list = List();
  std::vector<SlotId> counted;
  ForEachSlot(CountedIn(*list.entries[place].item.clause), [&](SlotId s) {
    if (!IsBound(s)) counted.push_back(s);
  });
  if (counted.empty()) return kNobody;
  const auto has = [](const std::vector<SlotId>& in, SlotId s) {
    return std::ranges::find(in, s) != in.end();
  };
  for (Place at = 0; at < list.entries.size(); ++at) {
    const Entry& e = list.entries[at];
    if (!e.left || e.ready || e.atom == nullptr) continue;
    const std::vector<SlotId> open = OpenInputs(*e.item.clause);
    if (open.empty() || std::ranges::any_of(open, [&](SlotId s) { return has(counted, s); }))
      continue;
    bool gives = false;
    ForEachSlot(*e.item.clause, [&](SlotId s) { gives = gives || has(counted, s); });
    if (gives) return at;
  }
  return kNobody;
}

// The clause to run before `place` in despair: what gives the argument of a count comes before it.
// A call with open inputs has only the answers that need none, so a count that supplies one of them
// as its group key comes first.
ReadyQueue::Place ReadyQueue::CountBefore(Place place) {
  const Level& list = List();
  if (list.counts.empty()) return place;
  if (std::ranges::binary_search(list.counts, place)) {
    for (std::size_t i = 0; i < list.counts.size(); ++i) {  // a giver may wait for another
      const Place giver = CountGiving(place);
      if (giver == kNobody) break;
      place = giver;
    }
    if (const Place call = CallGiving(place); call != kNobody) place = call;
  }
  const std::vector<SlotId> open = OpenInputs(*list.entries[place].item.clause);
  if (open.empty()) return place;
  for (const Place at : list.counts) {
    const Clause& count = *list.entries[at].item.clause;
    if (at == place || !list.entries[at].left || !OpenInputs(count).empty()) continue;
    bool supplies = false;
    ForEachSlot(CountedIn(count), [&](SlotId s) {
      supplies |= std::find(open.begin(), open.end(), s) != open.end();
    });
    if (supplies) return at;
  }
  return place;
}

// The call to run before the call at `place` in despair. A call with open inputs has the rows of
// rules that need none, so which of several comes first matters: one whose inputs no other call
// gives; among calls that give each other's, the first.
ReadyQueue::Place ReadyQueue::CallBefore(Place place) {
  const Level& list = List();
  if (list.entries[place].atom == nullptr) return place;
  if (OpenInputs(*list.entries[place].item.clause).empty()) return place;
  std::vector<std::pair<Place, std::vector<SlotId>>> calls;  // with their open inputs
  std::unordered_set<SlotId> given;
  std::vector<SlotId> slots;
  for (Place at = 0; at < list.entries.size(); ++at) {
    const Clause& clause = *list.entries[at].item.clause;
    if (!list.entries[at].left || list.entries[at].atom == nullptr) continue;
    std::vector<SlotId> open = OpenInputs(clause);
    slots.clear();
    ++round_;
    Distinct(clause, slots);
    for (const SlotId s : slots)
      if (std::ranges::find(open, s) == open.end()) given.insert(s);
    if (!open.empty()) calls.emplace_back(at, std::move(open));
  }
  for (const auto& [at, open] : calls)
    if (std::ranges::none_of(open, [&](SlotId s) { return given.contains(s); })) return at;
  return place;
}

}  // namespace rpl
