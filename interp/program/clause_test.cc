// SPDX-License-Identifier: Apache-2.0
//
// The parts of each kind of clause, and the walks over clauses within clauses.
#include "interp/program/clause.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <type_traits>

#include "interp/testing/testing.h"

namespace rpl {
namespace {

using testing::Join;

Pattern SlotTerm(SlotId slot) { return Pattern::Slot(slot); }

Expr SlotExpr(SlotId slot) {
  Expr out;
  out.term = SlotTerm(slot);
  return out;
}

Expr SumExpr(SlotId a, SlotId b) {
  Expr out;
  out.kind = Expr::Kind::kOperator;
  out.sides = {SlotExpr(a), SlotExpr(b)};
  return out;
}

Clause ClauseOf(auto kind) {
  Clause out;
  out.is = std::move(kind);
  return out;
}

Clause CallOf(RelationId relation, std::vector<SlotId> slots, SlotId row = -1) {
  Atom atom;
  atom.relation = relation;
  for (const SlotId s : slots) atom.args.push_back(SlotTerm(s));
  atom.row = row;
  return ClauseOf(std::move(atom));
}

std::string_view UseText(PartUse use) {
  switch (use) {
    case PartUse::kNeeds: return "needs ";
    case PartUse::kBinds: return "binds ";
    case PartUse::kEither: return "either ";
    case PartUse::kTests: return "tests ";
    case PartUse::kRow: return "row ";
    case PartUse::kInner: return "inner ";
  }
  return "";
}

std::string_view UseText(Sense sense) {
  switch (sense) {
    case Sense::kHolds: return "holds ";
    case Sense::kFails: return "fails ";
    case Sense::kWhole: return "whole ";
    case Sense::kApart: return "apart ";
  }
  return "";
}

// Slots as numbers, relations as r1, bodies by their relations in braces.
std::string PartsText(const Clause& clause) {
  std::vector<std::string> out;
  const auto add = [&](auto use, const std::string& part) {
    out.push_back(std::string(UseText(use)) + part);
  };
  const auto slots = [](const auto& part) {
    std::string text;
    ForEachSlot(part, [&](SlotId s) { text += (text.empty() ? "" : "+") + std::to_string(s); });
    return text;
  };
  ForEachPart(
      clause, [&](PartUse use, const Pattern& p) { add(use, slots(p)); },
      [&](PartUse use, const Expr& e) { add(use, slots(e)); },
      [&](PartUse use, SlotId s) { add(use, "slot " + std::to_string(s)); },
      [&](Sense sense, const ClauseRead& read) {
        add(sense, read.relation == kNoId ? "any" : "r" + std::to_string(read.relation));
      },
      [&](Sense sense, const Clauses& body) {
        std::string text = "{";
        for (const Clause& inner : body) text += " r" + std::to_string(inner.As<Atom>()->relation);
        add(sense, text + " }");
      });
  return Join(out, ", ");
}

TEST_CASE("the parts of each kind of clause") {
  const Clauses r7 = {CallOf(7, {5})};
  CHECK(PartsText(CallOf(1, {0, 2}, 3)) == "holds r1, binds 0, binds 2, row slot 3");
  CHECK(PartsText(ClauseOf(Compare{Operator::kEqual, SlotExpr(0), SumExpr(1, 2)})) ==
        "either 0, either 1+2");
  CHECK(PartsText(ClauseOf(Compare{Operator::kLess, SlotExpr(0), SlotExpr(1)})) ==
        "needs 0, needs 1");
  CHECK(PartsText(ClauseOf(MatchWith{SlotExpr(0), SlotTerm(1)})) == "needs 0, binds 1");
  CHECK(PartsText(ClauseOf(Member{SlotExpr(0), SlotExpr(1)})) == "binds 0, needs 1");
  CHECK(PartsText(ClauseOf(Member{SlotExpr(0), SlotExpr(1), true})) == "needs 0, needs 1");
  CHECK(PartsText(ClauseOf(Member{SumExpr(0, 2), SlotExpr(1)})) == "needs 0+2, needs 1");
  CHECK(PartsText(ClauseOf(Temporal{Temporal::Kind::kBefore, {SlotExpr(0), SlotExpr(1)}})) ==
        "needs 0, needs 1");
  CountOf count;
  count.result = 0;
  count.atom = r7;
  CHECK(PartsText(ClauseOf(count)) == "binds slot 0, whole { r7 }");
  count.atom.clear();
  count.value = {SlotExpr(1)};
  CHECK(PartsText(ClauseOf(count)) == "binds slot 0, needs 1, whole { }");
  count.value.clear();
  count.expansion = 2;
  CHECK(PartsText(ClauseOf(count)) == "whole any, binds slot 0, needs slot 2, whole { }");
  CHECK(PartsText(ClauseOf(Negation{r7})) == "fails { r7 }");
  CHECK(PartsText(ClauseOf(Alternatives{{r7, {CallOf(8, {})}}})) == "holds { r7 }, holds { r8 }");
  CHECK(PartsText(ClauseOf(Expand{0, 1})) == "holds any, needs slot 0, row slot 1");
  Metadata metadata;
  metadata.rows = {0, -1};
  metadata.own.slots = {1};
  metadata.pattern = SlotTerm(2);
  CHECK(PartsText(ClauseOf(metadata)) == "needs slot 0, needs slot 1, binds 2");
  Aggregate aggregate;
  aggregate.body = r7;
  aggregate.rows = {3};
  aggregate.pattern = SlotTerm(0);
  CHECK(PartsText(ClauseOf(aggregate)) == "binds 0, apart { r7 }");
  CHECK(PartsText(ClauseOf(ReadAvar{4, 0, 0})) == "holds r4, binds slot 0");
  CHECK(PartsText(ClauseOf(ShowJson{0})) == "needs slot 0");
  CHECK(PartsText(ClauseOf(GoalIsFalse{*CallOf(3, {0}).As<Atom>()})) == "fails r3, tests 0");
  CHECK(PartsText(ClauseOf(First{r7})) == "whole { r7 }");
  CHECK(PartsText(ClauseOf(Loop{r7, {}, {CallOf(8, {})}, 0, 1})) ==
        "binds slot 0, inner slot 1, whole { r7 }, whole { }, whole { r8 }");
  CHECK(PartsText(ClauseOf(Distinct{{0, 1}})) == "needs slot 0, needs slot 1");
  CHECK(PartsText(ClauseOf(Check{r7, 0})) == "whole { r7 }");
  CHECK(PartsText(ClauseOf(Truth{true})).empty());
  // Who adds a kind adds it here.
  CHECK(std::variant_size_v<decltype(Clause::is)> == 19);
}

TEST_CASE("walks see bodies within bodies, outer clauses first") {
  // r1(0), not (r2(1) | not (r3(2))), !%r4(3)
  Clauses clauses;
  clauses.push_back(CallOf(1, {0}));
  const Clause inner = ClauseOf(Negation{{CallOf(3, {2})}});
  clauses.push_back(ClauseOf(Negation{{ClauseOf(Alternatives{{{CallOf(2, {1})}, {inner}}})}}));
  clauses.push_back(ClauseOf(GoalIsFalse{*CallOf(4, {3}).As<Atom>()}));
  std::string atoms, reads, slots;
  ForEachAtom(clauses, [&](const Atom& atom) { atoms += std::to_string(atom.relation); });
  CHECK(atoms == "123");
  std::size_t count = 0;
  ForEachClause(clauses, [&](const Clause& clause) {
    ++count;
    if (const Atom* atom = AtomIn(clause)) reads += std::to_string(atom->relation);
  });
  CHECK(count == 7);
  CHECK(reads == "1234");
  for (const Clause& clause : clauses)
    ForEachSlot(clause, [&](SlotId s) { slots += std::to_string(s); });
  CHECK(slots == "0123");
  const auto reads_three = [](const Clause& clause) {
    return AtomIn(clause) != nullptr && AtomIn(clause)->relation == 3;
  };
  CHECK(AnyOf(clauses, reads_three));
  clauses.erase(clauses.begin() + 1);
  CHECK_FALSE(AnyOf(clauses, reads_three));
}

TEST_CASE("a walk may change the clauses") {
  Clauses clauses = {ClauseOf(First{{CallOf(1, {0}), ClauseOf(Negation{{CallOf(1, {1})}})}})};
  ForEachAtom(clauses, [](Atom& atom) { atom.relation = 2; });
  std::string atoms;
  ForEachAtom(clauses, [&](const Atom& atom) { atoms += std::to_string(atom.relation); });
  CHECK(atoms == "22");
}

TEST_CASE("the atoms of a list have their places, and those within clauses are left out") {
  Clauses clauses = {ClauseOf(Negation{{CallOf(1, {})}}), CallOf(2, {}), ClauseOf(Truth{true}),
                     CallOf(3, {})};
  for (const auto& [position, clause, atom] : OwnAtoms(clauses)) {
    CHECK(&clause == &clauses[position]);
    atom.relation += 10;
  }
  std::string atoms;
  const std::vector<const Clause*> pointers = PointersTo(clauses);
  for (const auto& [position, clause, atom] : OwnAtoms(pointers)) {
    CHECK(&clause == &clauses[position]);
    atoms += std::to_string(position) + ":" + std::to_string(atom.relation) + " ";
  }
  CHECK(atoms == "1:12 3:13 ");
  CHECK(std::ranges::any_of(OwnAtoms(pointers), [](const auto& a) { return a.position == 3; }));
  clauses.clear();
  for (const auto& own : OwnAtoms(clauses)) FAIL(own.position);
}

TEST_CASE("a disjunction has branches, and a count of rows is no count of a value") {
  const Clause either = ClauseOf(Alternatives{{{CallOf(1, {})}, {CallOf(2, {}), CallOf(3, {})}}});
  REQUIRE(BranchesOf(either).size() == 2);
  CHECK(BranchesOf(either).back().size() == 2);
  CHECK(BranchesOf(ClauseOf(First{{CallOf(1, {})}})).empty());
  CountOf count;
  count.result = 0;
  count.value = {SlotExpr(1)};
  CHECK(RowCountIn(ClauseOf(count)) == nullptr);
  count.value.clear();
  count.atom = {CallOf(1, {})};
  const Clause rows = ClauseOf(count);
  CHECK(RowCountIn(rows) == rows.As<CountOf>());
  CHECK(RowCountIn(CallOf(1, {})) == nullptr);
}

TEST_CASE("the slots of an aggregate's body are local to it") {
  Aggregate aggregate;
  aggregate.body = {CallOf(1, {1, 2})};
  aggregate.pattern = SlotTerm(0);
  std::string slots;
  ForEachSlot(ClauseOf(aggregate), [&](SlotId s) { slots += std::to_string(s); });
  CHECK(slots == "0");
}

TEST_CASE("an expansion at any depth may read any relation, and so may its count") {
  CountOf count;
  count.result = 0;
  count.expansion = 1;
  CHECK(MayReadAny({ClauseOf(Negation{{ClauseOf(count)}})}));
  CHECK(MayReadAny({ClauseOf(Expand{0})}));
  count.expansion = -1;
  count.atom = {CallOf(1, {})};
  CHECK_FALSE(MayReadAny({ClauseOf(Negation{{ClauseOf(count)}})}));
}

TEST_CASE("atoms and expansions have a slot for the reference of their row") {
  Clause atom = CallOf(1, {0}, 3);
  Clause expand = ClauseOf(Expand{0});
  Clause metadata = ClauseOf(Metadata{});
  Clause first = ClauseOf(First{});
  CHECK(*RowSlotOf(atom) == 3);
  CHECK(*RowSlotOf(expand) == -1);
  CHECK(RowSlotOf(metadata) == nullptr);
  CHECK(RowSlotOf(first) == nullptr);
}

TEST_CASE("a visit calls the overload of the kind, boxed or not, and returns its value") {
  const auto kind = [](const Clause& clause) {
    return Visit(
        clause, [](const Compare& c) { return c.op == Operator::kLess ? 1 : 2; },
        [](const Truth&) { return 3; },
        [](const Among<Atom, MatchWith, Member, Temporal, CountOf, Negation, Alternatives, Expand,
                       Metadata, Aggregate, ReadAvar, ShowJson, GoalIsFalse, First, Loop, Distinct,
                       Check> auto&) { return 4; });
  };
  CHECK(kind(ClauseOf(Compare{Operator::kLess, SlotExpr(0), SlotExpr(1)})) == 1);
  CHECK(kind(ClauseOf(Truth{false})) == 3);
  CHECK(kind(ClauseOf(Aggregate{})) == 4);
}

}  // namespace
}  // namespace rpl
