// SPDX-License-Identifier: Apache-2.0
//
// The clause scheduler of the planner: the clauses of a list that can run next, as slots become
// bound.
//
// The caller opens a list with its clauses, in order, and repeats: Next gives a clause that can
// run; the caller binds its outputs and removes it. Clauses wait for slots, and each slot has a
// list of the needs that contain it, so scheduling a list takes time linear in its text. That
// relies on monotone readiness: within a list, a slot never becomes free again, and the slots that
// other clauses share only become fewer.
//
// Lists nest: calls refer to the innermost open one. Bound slots are common to all lists; Undo
// frees those bound since a mark, and requires that lists opened since then are closed. Enter and
// Leave delimit the clauses that count as outside an inner list.
//
// Borrows the clauses of open lists.
#ifndef RPL_INTERP_PLAN_READY_QUEUE_H_
#define RPL_INTERP_PLAN_READY_QUEUE_H_

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "interp/plan/plan.h"

namespace rpl {

/// Whether a set after ~ stands in the pattern. It takes lists as well (decision 90), so the
/// pattern is matched, and a value is built from it only if nothing else gives one.
bool TakesLists(const Pattern& p);

class ReadyQueue {
 public:
  using Item = Listed;
  using Place = std::uint32_t;  // of a clause in its list
  static constexpr Place kNobody = 0xFFFFFFFF;

  ReadyQueue(const Catalog& catalog, Mode mode) : catalog_(catalog), mode_(mode) {}

  /// Resets the queue. `outside`: slots that clauses outside need. `greedy`: prefer, of the clauses
  /// that can run, the one with the most known columns to the first one.
  void Begin(const std::vector<bool>& bound, const std::vector<bool>& outside,
             const std::vector<bool>& avar, bool greedy);

  /// Replaces the slots needed outside. REQUIRES: no list is open.
  void SetOutside(const std::vector<bool>& outside) { outside_ = outside; }

  const std::vector<bool>& bound() const { return bound_; }
  bool IsBound(SlotId s) const { return bound_[static_cast<std::size_t>(s)]; }
  /// Binds a slot; true if it was free.
  bool Bind(SlotId s);
  /// Binds a slot by which a count groups, since no clause of another kind binds it (decision 25).
  void BindGroup(SlotId s);
  /// Whether a count of the same list, or of one of its branches, has bound it so.
  bool IsGroup(SlotId s) const {
    return IsBound(s) && group_in_[static_cast<std::size_t>(s)] == scopes_.size() + 1;
  }
  std::size_t Mark() const { return trail_.size(); }
  /// The slots bound since `mark`, in order.
  std::vector<SlotId> Since(std::size_t mark) const {
    return {trail_.begin() + static_cast<std::ptrdiff_t>(mark), trail_.end()};
  }
  void Undo(std::size_t mark);
  /// Overrides the state of a slot for the duration of an inner list; returns its former state.
  bool SetBound(SlotId s, bool bound);

  /// Prepares an inner list for `inner`, a part of a clause of the open list, whose other clauses
  /// then count as outside. `alone`: no slot is bound, and none is needed outside.
  void Enter(const Clauses& inner, bool alone);
  void Leave();

  void Open(const std::vector<Item>& items);
  void Close();
  /// Adds a clause at the end.
  void Add(const Item& item);
  void Remove(Place place);
  bool empty() const { return List().left == 0; }
  const Item& at(Place place) const { return List().entries[place].item; }
  /// The clauses not removed yet, in order.
  std::vector<Item> Left() const;
  const Clause* First();

  /// The clause to run next, or kNobody.
  Place Next();
  /// The first clause that can be taken apart: an equality of two lists or terms.
  Place NextToDecompose();
  /// A clause that can run in the weaker sense of Planner::Chain, or kNobody.
  Place NextInDespair();
  /// A call with open group keys of which some clause gives one for the candidates of the call, and
  /// the columns that these have (Catalog::LooseOf); kNobody if there is none. Each call once.
  std::pair<Place, Columns> LooseCall();
  /// The clauses that lead in turn where NextInDespair gives `place`: calls that bind group keys of
  /// each other (Catalog::KeysOf), and calls with input-free rows, which bind a slot that the
  /// clause at `place` would group by or leave open. `place` alone if there are none, another
  /// clause alone if `place` gives nothing without it, and none if the clause is ready.
  std::vector<Place> Rivals(Place place);
  /// The free slots among the arguments that the rules of a call, or of a counted one, need.
  std::vector<SlotId> OpenInputs(const Clause& clause) const;
  /// The slots that are bound once the clause has run, and of the others those that then can.
  std::vector<bool> BoundAfter(const Clause& clause,
                               const std::vector<const Clause*>& others) const;

  /// Whether another clause of the open list, or one outside, mentions `slot`. REQUIRES: a clause
  /// of the list does.
  bool IsShared(SlotId slot) const {
    const auto s = static_cast<std::size_t>(slot);
    return outside_[s] || here_[s] >= 2;
  }

 private:
  enum class Wait : std::uint8_t { kReady, kDespair, kColumn, kKnown, kBranch };
  struct Need {
    Place entry;
    std::uint32_t open;  // occurrences of free slots
    Wait wait;
  };
  struct Occurrence {
    SlotId slot;
    std::uint32_t need;
    std::uint32_t next;  // of the same slot
    bool shared;         // counts only while another clause, of the list or outside, has the slot
  };
  struct Entry {
    Item item;
    const Atom* atom = nullptr;  // the clause, if it is one
    std::uint32_t slots = 0;     // offset of its own in slots_
    std::uint32_t branch = 0;    // Alternatives: the branches before it can run
    std::uint32_t waits = 0;     // Alternatives: the branch that prevents running, plus one; or 0
    bool loose = false;          // its candidates are read
    std::uint8_t closing = 0;    // rank
    std::uint8_t score = 0;      // known columns
    bool left = true;
    bool ready = false;
    bool desperate = false;  // in the list's despair
    bool outside = false;
    bool test = false;     // binds nothing, and asks nobody
    bool showing = false;  // a disjunction that shows something in some branch
  };
  struct Level {
    std::vector<Entry> entries;
    std::vector<std::uint64_t> ready, despair;  // heaps of keys
    std::vector<Place> outside, equalities, counts;
    std::vector<SlotId> classes;                            // see FindClasses; empty: not found yet
    std::unordered_map<SlotId, std::vector<Place>> givers;  // counts, by the class of their result
    std::size_t next_outside = 0, next_equality = 0, first = 0;
    std::uint32_t left = 0, open = 0;                     // all, and those that are not closing
    std::uint32_t closing[4] = {};                        // left, by rank
    std::uint32_t needs = 0, occurrences = 0, slots = 0;  // offsets of its own
    bool plain = false;                                   // the order does not matter
    bool desperate = false;
    bool negates = false;  // it has a negation
  };
  struct Saved {
    SlotId slot;
    std::uint32_t here;
    bool outside, bound;
  };

  Level& List() { return *levels_[depth_ - 1]; }
  const Level& List() const { return *levels_[depth_ - 1]; }
  void Push(bool plain);
  Place Append(const Item& item);
  void Start(Place place);
  void Watch(Place place);
  void WatchCall(Place place, const Atom& c);
  void WatchComparison(Place place, const Compare& c);
  void WatchInDespair(Place place);
  void WatchColumns(Place place);
  void WatchKnown(Place place);
  void WatchFormInDespair(Place place, const Expr& form, const Expr& other);
  void Require(Place place, Wait wait, const std::vector<SlotId>& slots,
               const std::vector<SlotId>& shared = {});
  Place FirstInDespair();
  Columns KnownOf(const Atom& atom) const;
  std::vector<SlotId> LeftOpen(const Entry& entry) const;
  bool HasInputFreeRows(const Entry& entry) const;
  std::vector<Place> InputFreeCallsFor(Place place);
  bool Gives(const Clauses& clauses, const std::vector<SlotId>& slots) const;
  Place DisjunctionGiving(Place place);
  void FindClasses();
  SlotId ClassOf(SlotId slot);
  Place CountGiving(Place place);
  Place CallGiving(Place place);
  Place CountBefore(Place place);
  Place CallBefore(Place place);
  Place KeyedBefore(Place place);
  std::vector<Place> Leaders() const;
  bool MayLead(Place count, Place call) const;
  std::vector<SlotId> OpenKeys(const Entry& entry) const;
  void Satisfied(Need need);
  void Ready(Place place);
  std::uint64_t Key(const Entry& e, Place place) const;
  Place FirstOutside();
  bool MustWait(Place at) { return List().entries[at].outside && at != FirstOutside(); }
  bool CanRun(Place place);
  bool BranchCanRun(const Clauses& branch);
  void Distinct(const Clause& clause, std::vector<SlotId>& out);
  bool IsAvar(const Expr& e) const;

  const Catalog& catalog_;
  const Mode mode_;
  bool greedy_ = false;
  std::vector<bool> bound_, outside_, avar_;
  std::vector<std::size_t> group_in_;  // per slot: the scope where a count groups by it, plus one
  std::vector<std::uint32_t> here_;    // per slot: clauses of the open list that mention it
  std::vector<std::uint32_t> head_;    // per slot: its first occurrence, plus one; or 0
  std::vector<std::uint32_t> seen_;    // for Distinct
  std::uint32_t round_ = 0;
  std::vector<SlotId> trail_;
  std::vector<Need> needs_;
  std::vector<Occurrence> occurrences_;
  std::vector<SlotId> slots_;
  std::vector<Saved> saved_;
  std::vector<std::size_t> scopes_;             // offsets in saved_
  std::vector<std::unique_ptr<Level>> levels_;  // those from depth_ on are reused
  std::size_t depth_ = 0;
  std::vector<SlotId> scratch_, more_;
};

}  // namespace rpl

#endif  // RPL_INTERP_PLAN_READY_QUEUE_H_
