// SPDX-License-Identifier: Apache-2.0
//
// The parts of each kind of clause: one table, ForEachPart, and the walks written over it.
//
// A part is a term, a slot, a relation that is read, or a body of clauses. It comes with its use:
// terms and slots with what the clause does with their values, relations and bodies with how the
// clause depends on their answers. Code that needs the parts of a clause of any kind uses these
// walks; code that differs for each kind is a Visit, which has no default. A question that several
// ask about one kind is a function below, such as BranchesOf; a single question about one is
// Clause::As.
//
// A new kind of clause is a row of ForEachPart, and an overload wherever a Visit does not compile
// without it. Only clause.h includes this file.
#ifndef RPL_INTERP_PROGRAM_CLAUSE_PARTS_H_
#define RPL_INTERP_PROGRAM_CLAUSE_PARTS_H_

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "grammar/visit.h"

namespace rpl {

template <typename T>
T& Unboxed(T& part) {
  return part;
}
template <typename T>
T& Unboxed(Boxed<T>& part) {
  return *part;
}
template <typename T>
const T& Unboxed(const Boxed<T>& part) {
  return *part;
}

/// Calls the one of `fns` that takes what the clause is, and returns what it returns. Each kind
/// must have one, and none may take any kind.
template <typename AnyClause, typename... Fns>
requires Among<AnyClause, Clause>
decltype(auto) Visit(AnyClause& clause, Fns&&... fns) {
  static_assert(!(std::is_invocable_v<Fns&, NoKind&> || ...), "a visit has no default");
  Overloaded visitor{std::forward<Fns>(fns)...};
  return std::visit([&](auto& part) -> decltype(auto) { return visitor(Unboxed(part)); },
                    clause.is);
}

/// What a clause does with the value of a term or slot.
enum class PartUse {
  kNeeds,   // it must be known
  kBinds,   // it takes a value that the clause gives, or is compared with it
  kEither,  // a side of `=`: needed or bound, as the other side is known or not
  kTests,   // it is compared with what there is, and not bound
  kRow,     // it takes the reference of a row
  kInner,   // the clause binds it for its own bodies
};

/// How a clause depends on the answers of a relation or a body.
enum class Sense {
  kHolds,  // where it has answers, the clause holds
  kFails,  // where it has none
  kWhole,  // neither: all its answers count together, or in their order
  kApart,  // the same, and the slots of the body are local to it
};

/// A relation, goal or avar that a clause reads. kNoId: any, which a value names (§5.7).
struct ClauseRead {
  RelationId relation = kNoId;
  const Atom* atom = nullptr;  // with these arguments, if any
};

/// Calls the functions for the parts of a clause in the order of the table, bodies last; clauses
/// within are not entered. A function takes (PartUse, const Pattern&), (PartUse, const Expr&),
/// (PartUse, SlotId), (Sense, const ClauseRead&) or (Sense, Clauses&), which are const if the
/// clause is; parts that none takes are left out. Slots that are not there (-1) are no parts, nor
/// are those that only the body of an Aggregate mentions (decision 48).
template <typename AnyClause, typename... Fns>
requires Among<AnyClause, Clause>
void ForEachPart(AnyClause& clause, Fns&&... fns) {
  Overloaded visitor{std::forward<Fns>(fns)...};
  const auto part = [&](auto use, auto& of) {
    if constexpr (std::is_invocable_v<decltype(visitor)&, decltype(use), decltype(of)>)
      visitor(use, of);
  };
  const auto parts = [&](PartUse use, const auto& list) {
    for (const auto& of : list) part(use, of);
  };
  const auto slot = [&](PartUse use, const SlotId& s) {
    if (s >= 0) part(use, s);
  };
  const auto slots = [&](PartUse use, const std::vector<SlotId>& list) {
    for (const SlotId s : list) slot(use, s);
  };
  const auto reads = [&](Sense sense, RelationId relation, const Atom* atom) {
    const ClauseRead read{relation, atom};
    part(sense, read);
  };
  using enum PartUse;
  Visit(
      clause,
      [&](Among<Atom> auto& c) {
        reads(Sense::kHolds, c.relation, &c);
        parts(kBinds, c.args);
        slot(kRow, c.row);
      },
      [&](Among<Compare> auto& c) {
        const PartUse use = c.op == Operator::kEqual ? kEither : kNeeds;
        part(use, std::as_const(c.left));
        part(use, std::as_const(c.right));
      },
      [&](Among<MatchWith> auto& c) {
        part(kNeeds, std::as_const(c.value));
        part(kBinds, std::as_const(c.pattern));
      },
      [&](Among<Member> auto& c) {
        const bool binds = !c.negated && c.element.kind == Expr::Kind::kTerm;
        part(binds ? kBinds : kNeeds, std::as_const(c.element));
        part(kNeeds, std::as_const(c.collection));
      },
      [&](Among<Temporal> auto& c) { parts(kNeeds, c.operands); },
      [&](Among<CountOf> auto& c) {
        if (c.expansion >= 0) reads(Sense::kWhole, kNoId, nullptr);
        slot(kBinds, c.result);
        slot(kNeeds, c.expansion);
        parts(kNeeds, c.value);
        part(Sense::kWhole, c.atom);
      },
      [&](Among<Negation> auto& c) { part(Sense::kFails, c.body); },
      [&](Among<Alternatives> auto& c) {
        for (auto& branch : c.branches) part(Sense::kHolds, branch);
      },
      [&](Among<Expand> auto& c) {
        reads(Sense::kHolds, kNoId, nullptr);
        slot(kNeeds, c.slot);
        slot(kRow, c.row);
      },
      [&](Among<Metadata> auto& c) {
        slots(kNeeds, c.rows);
        slots(kNeeds, c.own.slots);
        part(kBinds, std::as_const(c.pattern));
      },
      [&](Among<Aggregate> auto& c) {
        part(kBinds, std::as_const(c.pattern));
        part(Sense::kApart, c.body);
      },
      [&](Among<ReadAvar> auto& c) {
        reads(Sense::kHolds, c.channel, nullptr);
        slot(kBinds, c.slot);
      },
      [&](Among<ShowJson> auto& c) { slot(kNeeds, c.slot); },
      [&](Among<GoalIsFalse> auto& c) {
        reads(Sense::kFails, c.goal.relation, &c.goal);
        parts(kTests, c.goal.args);
      },
      [&](Among<First> auto& c) { part(Sense::kWhole, c.body); },
      [&](Among<Loop> auto& c) {
        slot(kBinds, c.value);
        slot(kInner, c.next);
        part(Sense::kWhole, c.start);
        part(Sense::kWhole, c.condition);
        part(Sense::kWhole, c.step);
      },
      [&](Among<Distinct> auto& c) { slots(kNeeds, c.slots); },
      [&](Among<Check> auto& c) { part(Sense::kWhole, c.body); }, [](Among<Truth> auto&) {});
}

/// Calls fn(clauses) for each body of a clause.
template <typename AnyClause, typename Fn>
requires Among<AnyClause, Clause>
void ForEachBody(AnyClause& clause, Fn&& fn) {
  using Body = std::conditional_t<std::is_const_v<AnyClause>, const Clauses, Clauses>;
  ForEachPart(clause, [&](Sense, Body& body) { fn(body); });
}

/// Calls fn(slot) for every occurrence of a slot in a clause or in those within. Slots that only
/// the body of an Aggregate mentions are local to it (decision 48).
template <typename Fn>
void ForEachSlot(const Clause& clause, Fn&& fn) {
  ForEachPart(
      clause, [&](PartUse, const Pattern& p) { ForEachSlot(p, fn); },
      [&](PartUse, const Expr& e) { ForEachSlot(e, fn); }, [&](PartUse, SlotId s) { fn(s); },
      [&](Sense sense, const Clauses& body) {
        if (sense == Sense::kApart) return;
        for (const Clause& inner : body) ForEachSlot(inner, fn);
      });
}

/// Calls fn(clause) for each clause, and after it for those within.
template <typename AnyClauses, typename Fn>
void ForEachClause(AnyClauses& clauses, Fn&& fn) {
  for (auto& clause : clauses) {
    fn(clause);
    ForEachBody(clause, [&](auto& body) { ForEachClause(body, fn); });
  }
}

/// Whether holds(clause) for one of the clauses or of those within.
template <typename Holds>
bool AnyOf(const Clauses& clauses, const Holds& holds) {
  return std::ranges::any_of(clauses, [&](const Clause& clause) {
    bool found = holds(clause);
    ForEachBody(clause, [&](const Clauses& body) { found = found || AnyOf(body, holds); });
    return found;
  });
}

/// Calls fn(atom) for each atom among the clauses and those within; not for `!%goal`.
template <typename AnyClauses, typename Fn>
void ForEachAtom(AnyClauses& clauses, Fn&& fn) {
  ForEachClause(clauses, [&](auto& clause) {
    if (auto* const atom = clause.template As<Atom>()) fn(*atom);
  });
}

/// The atoms of a list of clauses, or of pointers to clauses, in order; not those within clauses:
///
///   for (const auto& [position, clause, atom] : OwnAtoms(clauses)) …
template <typename List>
class OwnAtoms {
  using Element = std::remove_reference_t<decltype(std::declval<List&>()[0])>;
  using AnyClause = std::remove_pointer_t<Element>;
  using AnyAtom = std::conditional_t<std::is_const_v<AnyClause>, const Atom, Atom>;

 public:
  struct Item {
    std::size_t position;
    AnyClause& clause;
    AnyAtom& atom;
  };

  class Iterator {
   public:
    using value_type = Item;
    using difference_type = std::ptrdiff_t;

    explicit Iterator(List& list) : list_(&list) { Find(); }
    Item operator*() const { return {at_, Here(), *atom_}; }
    Iterator& operator++() { return ++at_, Find(), *this; }
    void operator++(int) { ++*this; }
    bool operator==(std::default_sentinel_t) const { return at_ == list_->size(); }

   private:
    AnyClause& Here() const {
      if constexpr (std::is_pointer_v<Element>) return *(*list_)[at_];
      else return (*list_)[at_];
    }
    void Find() {
      while (at_ < list_->size() && (atom_ = Here().template As<Atom>()) == nullptr) ++at_;
    }

    List* list_;
    std::size_t at_ = 0;
    AnyAtom* atom_ = nullptr;
  };

  explicit OwnAtoms(List& list) : list_(list) {}
  Iterator begin() const { return Iterator(list_); }
  std::default_sentinel_t end() const { return {}; }

 private:
  List& list_;
};

inline std::vector<const Clause*> PointersTo(const Clauses& clauses) {
  std::vector<const Clause*> out;
  for (const Clause& clause : clauses) out.push_back(&clause);
  return out;
}

/// Where a clause takes the reference of the row that it reads (-1: nowhere yet). Null for a kind
/// without a slot for it.
inline SlotId* RowSlotOf(Clause& clause) {
  return std::visit(
      [](auto& part) -> SlotId* {
        if constexpr (requires { Unboxed(part).row; }) return &Unboxed(part).row;
        else return nullptr;
      },
      clause.is);
}

/// The atom that a clause reads: itself, or that of `!%goal`. Null for other kinds.
inline const Atom* AtomIn(const Clause& clause) {
  const Atom* found = nullptr;
  ForEachPart(clause, [&](Sense, const ClauseRead& read) { found = read.atom; });
  return found;
}

/// Whether one of the clauses, or of those within, reads a relation that only a value names.
inline bool MayReadAny(const Clauses& clauses) {
  return AnyOf(clauses, [](const Clause& clause) {
    bool any = false;
    ForEachPart(clause, [&](Sense, const ClauseRead& read) { any = read.relation == kNoId; });
    return any;
  });
}

/// The clause as an equality; null for another one.
inline const Compare* EqualityIn(const Clause& clause) {
  const auto* const compare = clause.As<Compare>();
  return compare != nullptr && compare->op == Operator::kEqual ? compare : nullptr;
}

/// The clause as a count of the answers to an atom; null for another one.
inline const CountOf* RowCountIn(const Clause& clause) {
  const auto* const count = clause.As<CountOf>();
  return count != nullptr && !count->atom.empty() ? count : nullptr;
}

/// The branches of a disjunction, of which one has to hold; none for another clause.
inline std::span<const Clauses> BranchesOf(const Clause& clause) {
  const auto* const alternatives = clause.As<Alternatives>();
  if (alternatives == nullptr) return {};
  return alternatives->branches;
}

}  // namespace rpl

#endif  // RPL_INTERP_PROGRAM_CLAUSE_PARTS_H_
