// SPDX-License-Identifier: Apache-2.0
#include "interp/program/bindings.h"

#include <cstdint>
#include <optional>
#include <utility>

namespace rpl {
namespace {

class Bindings {
 public:
  Bindings(const NeededBy& needed, std::vector<bool> known)
      : needed_(needed), known_(std::move(known)) {}

  const std::vector<bool>& known() const { return known_; }

  /// Adds what the clauses bind, in whatever order they can run.
  void Add(const std::vector<const Clause*>& clauses) {
    for (std::size_t before = SIZE_MAX; before != added_;) {
      before = added_;
      for (const Clause* clause : clauses) Add(*clause);
      for (auto clause = clauses.rbegin(); clause != clauses.rend(); ++clause) Add(**clause);
    }
  }

 private:
  template <typename Part>
  void Bind(const Part& part) {
    ForEachSlot(part, [&](SlotId slot) {
      const auto at = static_cast<std::size_t>(slot);
      if (!known_[at]) known_[at] = true, ++added_;
    });
  }
  template <typename Part>
  bool Knows(const Part& part) const {
    bool all = true;
    ForEachSlot(part, [&](SlotId slot) { all = all && known_[static_cast<std::size_t>(slot)]; });
    return all;
  }

  void Equal(const Pattern& a, const Pattern& b) {
    if (Knows(a)) Bind(b);
    else if (Knows(b)) Bind(a);
    else if (a.kind == b.kind && a.parts.size() == b.parts.size() &&
             (a.kind == Pattern::Kind::kList || a.kind == Pattern::Kind::kTerm))
      for (std::size_t i = 0; i < a.parts.size(); ++i) Equal(a.parts[i], b.parts[i]);
  }

  void Add(const Clause& clause) {
    if (clause.of_head) return;
    Visit(
        clause, [&](const Atom& c) { AddCall(c); }, [&](const Compare& c) { AddComparison(c); },
        [&](const MatchWith& c) {
          if (Knows(c.value)) Bind(c.pattern);
        },
        [&](const Member& c) {
          if (!c.negated && Knows(c.collection)) Bind(c.element);
        },
        [&](const CountOf& c) { Bind(Pattern::Slot(c.result)); },
        [&](const Alternatives& c) { AddBranches(c); },
        [&](const Among<Expand, Metadata, Aggregate, ReadAvar, ShowJson, First, Loop> auto&) {
          Bind(clause);
        },
        [](const Among<Temporal, Negation, GoalIsFalse, Distinct, Check, Truth> auto&) {});
  }

  void AddComparison(const Compare& c) {
    if (c.op != Operator::kEqual) return;
    const auto is_term = [](const Expr& e) { return e.kind == Expr::Kind::kTerm; };
    if (is_term(c.left) && is_term(c.right)) Equal(c.left.term, c.right.term);
    else if (is_term(c.left) && Knows(c.right)) Bind(c.left);
    else if (is_term(c.right) && Knows(c.left)) Bind(c.right);
  }

  void AddCall(const Atom& atom) {
    const Columns needed = needed_(atom);
    for (std::size_t i = 0; i < atom.args.size(); ++i)
      if ((needed >> i & 1) == 0) Bind(atom.args[i]);
  }

  // What each branch binds.
  void AddBranches(const Alternatives& alternatives) {
    std::optional<std::vector<bool>> all;
    for (const Clauses& branch : alternatives.branches) {
      Bindings inner(needed_, known_);
      inner.Add(PointersTo(branch));
      if (!all) all = inner.known_;
      for (std::size_t s = 0; s < all->size(); ++s) (*all)[s] = (*all)[s] && inner.known_[s];
    }
    for (std::size_t s = 0; all && s < all->size(); ++s)
      if ((*all)[s]) Bind(Pattern::Slot(static_cast<SlotId>(s)));
  }

  const NeededBy& needed_;
  std::vector<bool> known_;
  std::size_t added_ = 0;
};

}  // namespace

bool MayBind(const Clause& clause) {
  return Visit(
      clause, [](const Compare& c) { return c.op == Operator::kEqual; },
      [](const Member& c) { return !c.negated; },
      [](const Among<ShowJson, Negation, GoalIsFalse, Temporal, Check, Distinct, Truth> auto&) {
        return false;
      },
      [](const Among<Atom, MatchWith, CountOf, Alternatives, Expand, Metadata, Aggregate, ReadAvar,
                     First, Loop> auto&) { return true; });
}

std::vector<bool> BoundBy(const std::vector<const Clause*>& clauses, std::vector<bool> known,
                          const NeededBy& needed) {
  Bindings bindings(needed, std::move(known));
  bindings.Add(clauses);
  return bindings.known();
}

}  // namespace rpl
