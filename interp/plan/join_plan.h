// SPDX-License-Identifier: Apache-2.0
//
// Joins: deriving plans that only read rows, compare words, compute numbers and test for absence,
// as a flat list of steps over words, which interp/eval/join.h runs in a loop.
//
// For t(?x, ?z) <- t(?x, ?y), e(?y, ?z) from a delta of t:
//
//   rows t [delta]  binds s0 s1             for each row of the delta
//   rows e          key s1, binds s2        for each id in the index's list for s1
//   head            s0 s2                   copied to the batch of derived rows
//
// Constants of the rule have slots of their own, so every key, operand and column of the head is
// a slot. An equality that gives a slot the value of another one, or of a constant, is no step: the
// two are one slot of the join. A Join owns all it refers to; relations are given by id.
#ifndef RPL_INTERP_PLAN_JOIN_PLAN_H_
#define RPL_INTERP_PLAN_JOIN_PLAN_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "interp/plan/plan.h"
#include "interp/store/relation_id.h"

namespace rpl {

class Store;

struct JoinStep {
  enum class Kind : std::uint8_t {
    kRows,     // continues once per row that agrees with the keys
    kWithout,  // continues if no row agrees with them
    kCompare,  // continues if the comparison holds
    kCompute,  // gives `result` the value of an arithmetic operator
  };
  Kind kind = Kind::kRows;
  int place = 0;  // Step::depth of the plan's step that it comes from
  RelationId relation = kNoId;
  Range range = Range::kAll;
  Columns probe = 0;
  bool all_bound = false;                                // every column is a key
  std::vector<SlotId> keys;                              // in column order
  std::vector<std::pair<std::uint32_t, SlotId>> binds;   // column, slot
  std::vector<std::pair<std::uint32_t, SlotId>> checks;  // columns equal to one bound here
  Operator op = Operator::kEqual;                        // kCompare, kCompute
  SlotId left = -1, right = -1;
  SlotId result = -1;  // kCompute

  bool ReadsRows() const { return kind == Kind::kRows || kind == Kind::kWithout; }

  /// e(?y, ?z) before e(?x, ?z), with ?x and ?y bound: the values of ?z are the intersection of
  /// two lists, and it pays to scan the shorter one. Answers keep the order of this step's list.
  struct Intersection {
    Columns probe = 0;  // of the next step's relation
    std::vector<SlotId> keys;
    std::vector<std::pair<std::uint32_t, SlotId>> binds;
    std::vector<SlotId> row;  // this step's row, all columns
  };
  std::optional<Intersection> intersection;

  /// Of the slots bound before this step, those that it, a later step or the head reads, if there
  /// are others; else empty. Their values alone decide what the rest of the join gives, so once is
  /// enough for each combination. Empty also where the rest costs no more than a look-up.
  std::vector<SlotId> distinct;
};

struct Join {
  /// The plan as a join; null if some step needs the Machine.
  static std::unique_ptr<const Join> Of(const Plan& plan, const Definition& def,
                                        const Store& store);

  RelationId head = kNoId;
  std::vector<JoinStep> steps;  // the first is kRows
  std::vector<SlotId> columns;  // of the head
  std::vector<Value> slots;     // constants in place, else kNone
  /// Slots of the rule that no step binds, and those that have their values.
  std::vector<std::pair<SlotId, SlotId>> equal;
  bool computes = false;  // some step is kCompute: a run may make values
  /// The last step that binds a column of the head; the steps after it need only one answer.
  std::size_t deciding = 0;
  /// It reads a delta, and has a step with JoinStep::distinct: its runs in the rounds of a
  /// fixpoint may remember what they followed.
  bool remembers = false;
};

}  // namespace rpl

#endif  // RPL_INTERP_PLAN_JOIN_PLAN_H_
