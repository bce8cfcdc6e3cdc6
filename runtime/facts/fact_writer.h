// SPDX-License-Identifier: Apache-2.0
//
// The writer of facts: it turns the statements of replies, texts, sources and decisions into rows,
// and removes the rows that they take back.
//
// A row may have very many instances (§7). Where the limits leave no time for all of them, the rest
// follows in the next timestep, and until then nothing may rest on any of them.
//
// When a row goes, or says something else than before, what rested on it may have fallen: the
// record of goals and the sentences of derivations are told.
//
// Owns the rows to go on with and those that were retracted. Borrows the rest. One thread.
#ifndef RPL_RUNTIME_FACTS_FACT_WRITER_H_
#define RPL_RUNTIME_FACTS_FACT_WRITER_H_

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "interp/program/assertion.h"
#include "interp/store/parties.h"
#include "runtime/facts/part_names.h"

namespace rpl {

struct Stated;

class FactWriter {
 public:
  /// `by_party`: whether a party takes back only what it stated itself (decision 92).
  FactWriter(interp::Engine& engine, Budget& budget, GoalRecord& goals, Derivations& derivations,
             bool by_party);

  /// Asserts a row with its instances.
  void Insert(RelationId relation, std::span<const Value> row, const Stated& stated);
  /// The same for a row without sets.
  void InsertPlain(RelationId relation, std::span<const Value> row, const Stated& stated);
  /// Goes on with the rows that a limit cut off.
  void Finish();
  bool has_unfinished() const { return !unfinished_.empty(); }
  /// Does not go on with rows that are stated at such a place.
  void DropUnfinished(const std::function<bool(const Span&)>& at);

  /// Retracts what a party takes back of a row and its instances, also of those that are still to
  /// be inserted.
  void TakeBack(RelationId relation, std::span<const Value> row, By by);
  /// Notes that a row was retracted, so that no rule may derive it (decision 44), or is asserted
  /// again.
  void NoteRetracted(const Assertion& a) { retracted_.push_back(a); }
  void NoteAsserted(RelationId relation, std::span<const Value> row);
  const std::vector<Assertion>& retracted() const { return retracted_; }

  /// What rested on some row may have fallen.
  void MayHaveFallen();

 private:
  /// A row of which some instances are missing.
  struct Unfinished {
    RelationId relation;
    std::vector<Value> row;
    Value meta;
    std::optional<Span> origin;
    std::vector<SetOrder> orders;
    Parties by;
  };

  interp::Engine& engine_;
  Budget& budget_;
  GoalRecord& goals_;
  Derivations& derivations_;
  const bool by_party_;
  std::vector<Unfinished> unfinished_;
  std::vector<Assertion> retracted_;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_FACTS_FACT_WRITER_H_
