// SPDX-License-Identifier: Apache-2.0
#include "runtime/facts/fact_writer.h"

#include <catch2/catch.hpp>

#include "formats/diagnostic.h"
#include "interp/store/store.h"
#include "runtime/facts/budget.h"
#include "runtime/facts/derivation.h"
#include "runtime/facts/goal_record.h"

namespace rpl {
namespace {

// A writer that nobody interrupts unless told to, and the relation `p` of one column.
struct WrittenRun {
  explicit WrittenRun(bool by_party = true)
      : facts(engine, budget, goals, derivations, by_party),
        p(engine.store.Declare(Space::kRelation, "p", 1)) {
    budget.Begin();
  }

  SessionOptions Options() {
    SessionOptions out;
    out.interrupted = [this] { return interrupted; };
    return out;
  }
  Value Int(std::int64_t i) { return engine.pool.Int(i); }
  // A set of that many elements, each an instance of a row.
  Value SetOf(std::int64_t size) {
    std::vector<Value> elements;
    for (std::int64_t i = 0; i < size; ++i) elements.push_back(Int(i));
    return engine.pool.Set(elements);
  }
  bool Holds(Value v) const {
    const Relation& of = engine.store.at(p);
    const RowId row = of.Find({&v, 1});
    return row != kNoId && of.asserted(row);
  }

  bool interrupted = false;
  Sources sources;
  interp::Engine engine{sources};
  SessionOptions options = Options();
  Budget budget{engine, options};
  GoalRecord goals;
  Derivations derivations{engine};
  FactWriter facts;
  RelationId p;
};

TEST_CASE("a row that says something else than before voids what rested on it") {
  WrittenRun run;
  const Value one = run.Int(1);
  run.facts.Insert(run.p, {&one, 1}, {});
  CHECK_FALSE(run.goals.may_have_fallen);
  const Value entry[] = {run.engine.pool.Keyword("unit"), run.engine.pool.String("km")};
  run.facts.Insert(run.p, {&one, 1}, {.meta = run.engine.pool.Map(entry)});
  CHECK(run.goals.may_have_fallen);
  CHECK(run.goals.voids == 1);
}

TEST_CASE("a party takes back what it stated, the program everything") {
  for (const bool by_party : {true, false}) {
    WrittenRun run(by_party);
    const Value one = run.Int(1);
    const Parties two = PartyBit(By::kPerson) | PartyBit(By::kFile);
    run.facts.Insert(run.p, {&one, 1}, {.by = two});
    run.facts.TakeBack(run.p, {&one, 1}, By::kFile);
    CHECK(run.Holds(one) == by_party);
    run.facts.TakeBack(run.p, {&one, 1}, By::kProgram);
    CHECK_FALSE(run.Holds(one));
  }
}

TEST_CASE("a row of many instances that is cut off follows later, whole") {
  WrittenRun run;
  const Value set = run.SetOf(3000);
  run.interrupted = true;
  run.facts.Insert(run.p, {&set, 1}, {});
  CHECK(run.facts.has_unfinished());
  CHECK(run.budget.stop() == Stop::kInterrupted);
  run.interrupted = false;
  run.budget.Begin();
  run.facts.Finish();
  CHECK_FALSE(run.facts.has_unfinished());
  CHECK(run.Holds(run.Int(0)));
  CHECK(run.Holds(run.Int(2999)));
}

TEST_CASE("a row that is cut off does not follow when it is taken back or its place is gone") {
  WrittenRun run;
  const Value set = run.SetOf(3000);
  const Span place = {7, 0, 1};
  run.interrupted = true;
  run.facts.Insert(run.p, {&set, 1}, {.origin = &place});
  run.facts.DropUnfinished([](const Span& at) { return at.file == 8; });
  CHECK(run.facts.has_unfinished());
  run.facts.DropUnfinished([](const Span& at) { return at.file == 7; });
  CHECK_FALSE(run.facts.has_unfinished());
  run.facts.Insert(run.p, {&set, 1}, {.by = PartyBit(By::kPerson)});
  run.facts.TakeBack(run.p, {&set, 1}, By::kFile);
  CHECK(run.facts.has_unfinished());
  run.facts.TakeBack(run.p, {&set, 1}, By::kPerson);
  CHECK_FALSE(run.facts.has_unfinished());
}

TEST_CASE("a row stays retracted until it is asserted again") {
  WrittenRun run;
  Assertion one, two;
  one.relation = two.relation = run.p;
  one.row = {run.Int(1)};
  two.row = {run.Int(2)};
  run.facts.NoteRetracted(one);
  run.facts.NoteRetracted(two);
  run.facts.NoteAsserted(run.p, one.row);
  REQUIRE(run.facts.retracted().size() == 1);
  CHECK(run.facts.retracted().front().row == two.row);
}

}  // namespace
}  // namespace rpl
