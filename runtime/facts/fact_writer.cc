// SPDX-License-Identifier: Apache-2.0
#include "runtime/facts/fact_writer.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "interp/eval/engine.h"
#include "interp/program/program.h"
#include "interp/store/store.h"
#include "runtime/facts/budget.h"
#include "runtime/facts/derivation.h"
#include "runtime/facts/door.h"
#include "runtime/facts/goal_record.h"

namespace rpl {

FactWriter::FactWriter(interp::Engine& engine, Budget& budget, GoalRecord& goals,
                       Derivations& derivations, bool by_party)
    : engine_(engine),
      budget_(budget),
      goals_(goals),
      derivations_(derivations),
      by_party_(by_party) {}

void FactWriter::InsertPlain(RelationId relation, std::span<const Value> row,
                             const Stated& stated) {
  const Relation& to = engine_.store.at(relation);
  const std::uint32_t before = to.epoch();
  engine_.store.Insert(relation, row, true, stated);
  // Another value of the metadata, or another party, replaced what rules may have read.
  if (to.epoch() != before) MayHaveFallen();
}

void FactWriter::Insert(RelationId relation, std::span<const Value> row, const Stated& stated) {
  const std::uint64_t instances = InstanceCount(engine_.pool, row);
  constexpr std::uint64_t kFew = 1'000;
  if (instances < kFew) return InsertPlain(relation, row, stated);
  Stop stop = budget_.Poll(instances * (row.size() + 3) * sizeof(Value));
  const KeepOn keep_on = [&] {
    if (stop == Stop::kGoesOn) stop = budget_.Poll(0);
    return stop == Stop::kGoesOn;
  };
  const Pool::Watched watched(engine_.pool, keep_on);
  if (stop == Stop::kGoesOn) InsertPlain(relation, row, stated);
  if (stop == Stop::kGoesOn) return;
  budget_.Take(stop, derivations_.RowText(relation, row, kToldBytes));
  unfinished_.push_back({relation,
                         {row.begin(), row.end()},
                         stated.meta,
                         stated.origin != nullptr ? std::optional(*stated.origin) : std::nullopt,
                         {stated.orders.begin(), stated.orders.end()},
                         stated.by});
}

void FactWriter::Finish() {
  for (const Unfinished& fact : std::exchange(unfinished_, {}))
    Insert(fact.relation, fact.row,
           {fact.meta, fact.origin ? &*fact.origin : nullptr, fact.orders, fact.by});
}

void FactWriter::DropUnfinished(const std::function<bool(const Span&)>& at) {
  std::erase_if(unfinished_,
                [&](const Unfinished& fact) { return fact.origin && at(*fact.origin); });
}

void FactWriter::TakeBack(RelationId relation, std::span<const Value> row, By by) {
  const Parties of = by == By::kProgram || !by_party_ ? Parties{0xFF} : Door::TakenBack(0xFF, by);
  std::erase_if(unfinished_, [&](const Unfinished& fact) {
    return fact.relation == relation && std::ranges::equal(fact.row, row) && (fact.by & ~of) == 0;
  });
  engine_.store.Retract(relation, row, of);
}

void FactWriter::NoteAsserted(RelationId relation, std::span<const Value> row) {
  std::erase_if(retracted_, [&](const Assertion& r) {
    return r.relation == relation && std::ranges::equal(r.row, row);
  });
}

void FactWriter::MayHaveFallen() {
  ++goals_.voids;
  goals_.may_have_fallen = true;
  derivations_.Forget();
}

}  // namespace rpl
