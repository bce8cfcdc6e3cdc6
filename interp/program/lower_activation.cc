// SPDX-License-Identifier: Apache-2.0
//
// The meaning of abductives (§16, decisions 67-69), in clauses of normal form: one function for
// each. The table in grammar/abductives.h says how each is written.
#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>

#include "grammar/abductives.h"
#include "grammar/printer.h"
#include "interp/program/lower.h"

namespace rpl {

struct Lowering::Activations {
  /// What an abductive adds to its rule; in a constraint, both lists to its left side.
  struct Meaning {
    Clauses before;                 // the body: they see nothing that the body alone binds
    Clauses after = {};             // the body: they see all of it
    bool force = false;             // every answer is pursued
    std::vector<SlotId> each = {};  // of `force`: what it iterates over
  };

  Lowering& lowering;

  Meaning MeaningOf(const Abductive& a) const {
    switch (a.kind) {
      case AbductiveKind::kWhen: return When(a);
      case AbductiveKind::kChoose: return Choose(a);
      case AbductiveKind::kDistinct: return Distinct(a);
      case AbductiveKind::kEach: return Each(a);
      case AbductiveKind::kFor: return For(a);
    }
    return {};
  }

 private:
  Meaning When(const Abductive& a) const { return {.before = Lowered(a.clauses)}; }

  Meaning Choose(const Abductive& a) const {
    return {.before = {Whole(a, First{Lowered(AfterBinding(a))})}};
  }

  Meaning Distinct(const Abductive& a) const {
    rpl::Distinct distinct{SlotsOf(Binding(a))};
    return {.before = Lowered(AfterBinding(a)), .after = {Whole(a, std::move(distinct))}};
  }

  Meaning Each(const Abductive& a) const {
    const Part binding = Binding(a);
    const Part items = AfterBinding(a);
    // Two parts, ?u and a collection lvar: the elements (decision 67).
    if (items.empty() && binding.size() >= 2) {
      Member member;
      member.element.term = lowering.Term(binding.front());
      member.collection.term = lowering.Term(binding.back());
      return {.before = {Whole(a, std::move(member))}, .force = true};
    }
    Meaning meaning{.before = Lowered(items), .force = true};
    for (Clause& clause : meaning.before) clause.item = true;
    meaning.each = SlotsOf(binding.empty() ? items : binding);  // a clause iterates over itself
    return meaning;
  }

  Meaning For(const Abductive& a) const {
    const Part all = a.clauses;
    Loop loop;
    loop.start = Lowered(all.first(1));
    loop.condition = Lowered(all.subspan(1, 1));
    loop.step = Lowered(all.subspan(2));
    const std::vector<std::string> bound = VariablesOf(all.first(2));
    const std::unordered_set<std::string> known(bound.begin(), bound.end());
    std::vector<std::string> fresh;
    std::string carried;
    for (const std::string& name : VariablesOf(all.subspan(2))) {
      if (!known.contains(name)) fresh.push_back(name);
      else if (carried.empty()) carried = name;
    }
    if (fresh.size() != 1 || carried.empty()) {
      const std::string got = fresh.size() != 1 ? std::to_string(fresh.size()) + " new"
                              : bound.empty()   ? "a loop without one"
                                                : "a step without `?" + bound.front() + "`";
      lowering.Fail(Code::kBadAbductive, a.span,
                    "expected a step from the loop's lvar to exactly one new lvar, got " + got,
                    "write it as `@for(?i = 1, ?i <= 3, next(?i, ?j))`");
      return {};
    }
    loop.value = lowering.SlotOf(carried, false);
    loop.next = lowering.SlotOf(fresh.front(), false);
    Clause whole = Whole(a, std::move(loop));
    whole.variables = nullptr;  // one value of the loop's lvar would not fit all of its text
    return {.before = {std::move(whole)}};
  }

  using Part = std::span<const Node>;  // of the comma list

  static Part Binding(const Abductive& a) { return Part(a.clauses).first(BindingSize(a)); }
  static Part AfterBinding(const Abductive& a) { return Part(a.clauses).subspan(BindingSize(a)); }

  Clauses Lowered(Part part) const {
    Clauses out;
    for (const Node& clause : part) lowering.Tail(clause, out);
    return out;
  }

  // Each once.
  static std::vector<std::string> VariablesOf(Part part) {
    std::vector<std::string> names;
    for (const Node& clause : part) CollectVariables(clause, names);
    return names;
  }
  std::vector<SlotId> SlotsOf(Part part) const {
    std::vector<SlotId> slots;
    for (const std::string& name : VariablesOf(part)) slots.push_back(lowering.SlotOf(name, false));
    return slots;
  }

  // The clause that the abductive as a whole means. Proofs show its text with values.
  static Clause Whole(const Abductive& a, decltype(Clause::is) is) {
    std::vector<PrintedVariable> variables;
    std::string text = Print(a, variables);
    return {std::move(is), a.span, std::move(text), Shared(std::move(variables))};
  }
};

void Lowering::Activation(const std::vector<Abductive>& abductives, Definition& to) {
  activation_ = true;
  for (const Abductive& a : abductives) {
    Activations::Meaning meaning = Activations{*this}.MeaningOf(a);
    std::ranges::move(meaning.before, std::back_inserter(to.activation));
    std::ranges::move(meaning.after, std::back_inserter(to.body));
    std::ranges::move(meaning.each, std::back_inserter(to.each));
    to.force = to.force || meaning.force;
    to.choice = to.choice || AbductiveOf(a.kind).takes_some;
  }
  activation_ = false;
}

}  // namespace rpl
