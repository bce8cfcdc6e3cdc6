// SPDX-License-Identifier: Apache-2.0
//
// A slot that carries a value of a relation carries it on through the equality that binds another
// one. Each carrying slot has one place that binds it; every other occurrence is a use.
#include "interp/plan/extrema.h"

#include <algorithm>
#include <map>

namespace rpl {
namespace {

// What slots carry: the relation, and the direction in which its values improve.
struct Carried {
  RelationId relation;
  bool greatest;
  const Clause* bound_by;
};

// The slot that an expression is, or -1.
SlotId SlotOf(const Expr& e) {
  const bool is = e.kind == Expr::Kind::kTerm && e.term.kind == Pattern::Kind::kSlot;
  return is ? e.term.slot : -1;
}

class ExactUseFinder {
 public:
  ExactUseFinder(const Definition& def, std::span<const Clause* const> clauses, const Pool& pool,
                 const std::function<std::optional<Extremum>(RelationId)>& extremum_of)
      : def_(def), clauses_(clauses), pool_(pool), extremum_of_(extremum_of) {}

  std::optional<ExactUse> Find() {
    for (const auto& own : OwnAtoms(clauses_)) Start(own.clause, own.atom);
    for (bool again = !carried_.empty(); again;) {
      again = false;
      for (const Clause* clause : clauses_) again = CarryOn(*clause) || again;
    }
    for (const Clause* clause : clauses_) Check(*clause);
    CheckHead();
    return found_;
  }

 private:
  const Carried* At(SlotId slot) const {
    const auto at = carried_.find(slot);
    return at == carried_.end() ? nullptr : &at->second;
  }

  template <typename Part>
  const Carried* In(const Part& part) const {
    const Carried* found = nullptr;
    ForEachSlot(part, [&](SlotId s) {
      if (found == nullptr) found = At(s);
    });
    return found;
  }

  void Needs(RelationId relation, const Clause* clause) {
    if (!found_) found_ = {relation, clause};
  }

  void Start(const Clause& clause, const Atom& atom) {
    const std::optional<Extremum> extremum = extremum_of_(atom.relation);
    if (!extremum) return;
    const Pattern& value = atom.args[extremum->column];
    if (value.kind == Pattern::Kind::kAny && atom.row < 0) return;
    if (value.kind != Pattern::Kind::kSlot || atom.row >= 0 || At(value.slot) != nullptr) {
      Needs(atom.relation, &clause);
      if (value.kind != Pattern::Kind::kSlot) return;
    }
    carried_.try_emplace(value.slot, Carried{atom.relation, extremum->greatest, &clause});
  }

  // `?m = ?d + 1`, where ?d carries a value and ?m does not yet.
  bool CarryOn(const Clause& clause) {
    const Compare* c = EqualityIn(clause);
    if (c == nullptr) return false;
    for (const auto& [to, from] :
         {std::pair(&c->left, &c->right), std::pair(&c->right, &c->left)}) {
      const SlotId slot = SlotOf(*to);
      const Carried* value = In(*from);
      if (slot < 0 || value == nullptr || At(slot) != nullptr || !Keeps(*from)) continue;
      carried_.emplace(slot, Carried{value->relation, value->greatest, &clause});
      return true;
    }
    return false;
  }

  // Whether the expression grows with each of the values that it mentions, which improve in one
  // direction.
  bool Keeps(const Expr& e) const {
    const Carried* value = In(e);
    if (value == nullptr) return true;
    if (e.kind == Expr::Kind::kTerm) return SlotOf(e) >= 0;
    if (e.kind != Expr::Kind::kOperator) return false;
    const Expr& a = e.sides[0];
    const Expr& b = e.sides[1];
    const Carried* left = In(a);
    const Carried* right = In(b);
    if (left != nullptr && right != nullptr && left->greatest != right->greatest) return false;
    switch (e.op) {
      case Operator::kAdd: return Keeps(a) && Keeps(b);
      case Operator::kSubtract: return Keeps(a) && right == nullptr;
      case Operator::kMultiply:
        return (right == nullptr && Keeps(a) && IsPositive(b, true)) ||
               (left == nullptr && Keeps(b) && IsPositive(a, true));
      case Operator::kDivide: return right == nullptr && Keeps(a) && IsPositive(b, false);
      default: return false;
    }
  }

  // Whether the value is known to be more than 0, or, with `or_zero`, no less: a number, or a slot
  // that a clause of the rule compares with one.
  bool IsPositive(const Expr& e, bool or_zero) const {
    const auto is = [&](const Expr& written, bool zero) {
      if (written.kind != Expr::Kind::kTerm || written.term.kind != Pattern::Kind::kConstant)
        return false;
      const std::optional<double> number = pool_.AsDouble(written.term.constant);
      return number && (*number > 0 || (zero && *number == 0));
    };
    if (is(e, or_zero)) return true;
    const SlotId slot = SlotOf(e);
    return slot >= 0 && std::ranges::any_of(clauses_, [&](const Clause* clause) {
             const auto* c = clause->As<Compare>();
             if (c == nullptr) return false;
             if (SlotOf(c->left) == slot && c->op == Operator::kGreater) return is(c->right, true);
             if (SlotOf(c->left) == slot && c->op == Operator::kGreaterEqual)
               return is(c->right, or_zero);
             if (SlotOf(c->right) == slot && c->op == Operator::kLess) return is(c->left, true);
             if (SlotOf(c->right) == slot && c->op == Operator::kLessEqual)
               return is(c->left, or_zero);
             return false;
           });
  }

  // Whether better values of the left side, or worse ones of the right, pass as well.
  bool PassesBetter(const Compare& c) const {
    const Carried* left = In(c.left);
    const Carried* right = In(c.right);
    if (left != nullptr && right != nullptr) return false;
    const bool less = c.op == Operator::kLess || c.op == Operator::kLessEqual;
    const bool greater = c.op == Operator::kGreater || c.op == Operator::kGreaterEqual;
    if (!less && !greater) return false;
    return left != nullptr ? Keeps(c.left) && left->greatest == greater
                           : Keeps(c.right) && right->greatest == less;
  }

  void Check(const Clause& clause) {
    const Carried* const value = In(clause);
    if (value == nullptr) return;
    if (const auto* atom = clause.As<Atom>()) {
      // It binds the one slot that is its relation's value.
      std::size_t occurrences = 0;
      ForEachSlot(clause, [&](SlotId s) { occurrences += At(s) != nullptr ? 1 : 0; });
      if (value->bound_by != &clause || value->relation != atom->relation || occurrences > 1)
        Needs(value->relation, &clause);
      return;
    }
    const auto* c = clause.As<Compare>();
    const bool binds = c != nullptr && c->op == Operator::kEqual &&
                       std::ranges::any_of(carried_, [&](const auto& carried) {
                         return carried.second.bound_by == &clause;
                       });
    if (!binds && (c == nullptr || !PassesBetter(*c))) Needs(value->relation, &clause);
  }

  void CheckHead() {
    for (std::size_t i = 0; i < def_.args.size(); ++i) {
      const Carried* value = In(def_.args[i]);
      if (value == nullptr) continue;
      const bool same = def_.extremum && def_.extremum->column == i &&
                        def_.extremum->greatest == value->greatest &&
                        def_.args[i].kind == Pattern::Kind::kSlot;
      if (!same) Needs(value->relation, value->bound_by);
    }
  }

  const Definition& def_;
  std::span<const Clause* const> clauses_;
  const Pool& pool_;
  const std::function<std::optional<Extremum>(RelationId)>& extremum_of_;
  std::map<SlotId, Carried> carried_;
  std::optional<ExactUse> found_;
};

}  // namespace

std::optional<ExactUse> FindExactUse(
    const Definition& def, std::span<const Clause* const> clauses, const Pool& pool,
    const std::function<std::optional<Extremum>(RelationId)>& extremum_of) {
  return ExactUseFinder(def, clauses, pool, extremum_of).Find();
}

}  // namespace rpl
