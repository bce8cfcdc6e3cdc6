// SPDX-License-Identifier: Apache-2.0
//
// Recursive relations whose rules make ever larger values:
//
//   ones(?l) <- ?l = [1 & ?t], ones(?t)
//
// has a longer list for each one that is there, so deriving it bottom-up has no end. A caller that
// knows the list has one: the calls that follow are of parts of it.
//
// Growth looks at the rules of one component, relations that rest on each other, and answers three
// questions. Whether values may grow: is there a circle of arguments, from an atom of the component
// to its rule's head and on, on which a value gets larger than it was? Whether they grow for
// certain: such a circle of rules that take whatever row there is. And whether a call ends, for a
// caller that binds certain arguments: the calls that follow from it bind values which together are
// no larger than its own, and circles of calls that do not get smaller make nothing new.
//
// Values are compared by size, which is a sum: a list is as large as its parts and the rest
// together, a text as its pieces. What a rule says about its variables relates the sizes of the
// arguments, whatever the variables stand for.
//
// Borrows the rules and the store.
#ifndef RPL_INTERP_PLAN_GROWTH_H_
#define RPL_INTERP_PLAN_GROWTH_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "interp/program/clause.h"
#include "interp/store/relation_id.h"

namespace rpl {

class Store;

class Growth {
 public:
  /// A rule with a head in the component, and one alternative of its tail.
  struct Rule {
    const Definition* def;
    std::span<const Clause* const> clauses;
  };

  Growth(const Store& store, const std::vector<RelationId>& relations,
         const std::vector<Rule>& rules);
  ~Growth();

  /// Whether values may get larger from round to round.
  bool MayGrow() const;

  /// A rule that makes a larger value of each row, and the clause that does so, or null for the
  /// head.
  struct Endless {
    const Definition* def;
    const Clause* clause;
  };
  /// The first rule through which values grow without end once there is a row; nullopt where other
  /// clauses may put an end to it.
  std::optional<Endless> FindEndless() const;

  /// The columns that a plan of rule `number` knows of each atom of the component, in the order of
  /// the clauses, when its head's columns `known` are; nullopt if it is stuck.
  using Probes =
      std::function<std::optional<std::vector<Columns>>(std::size_t number, Columns known)>;
  /// Whether a call of the relation that knows these columns comes to an end.
  bool Ends(RelationId relation, Columns known, const Probes& probes) const;

  /// The atoms of the component in the clauses of rule `number`.
  std::span<const Clause* const> AtomsOf(std::size_t number) const;

 private:
  class Slots;
  struct Sized;
  class Calls;
  struct Edge;
  /// Whether a value holds that of a slot, and whether it is then larger for certain.
  enum class Holds : std::uint8_t { kNot, kSame, kLarger };

  static Holds HoldsOf(const Slots& slots, const Pattern& p, SlotId root, int depth);
  static Holds HoldsOf(const Slots& slots, const Expr& e, SlotId root, int depth);
  /// An argument of a relation of the component, as a number.
  std::uint32_t Position(RelationId relation, std::size_t column) const;
  std::vector<Edge> Edges() const;

  const Store& store_;
  std::map<RelationId, std::uint32_t> first_position_;
  std::uint32_t positions_ = 0;
  std::vector<std::unique_ptr<Sized>> rules_;
  bool opaque_ = false;  // some clause other than an atom reads a relation of the component
};

}  // namespace rpl

#endif  // RPL_INTERP_PLAN_GROWTH_H_
