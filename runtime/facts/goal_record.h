// SPDX-License-Identifier: Apache-2.0
//
// The record of goals: the truths in the trace, and whether they are still in force.
#ifndef RPL_RUNTIME_FACTS_GOAL_RECORD_H_
#define RPL_RUNTIME_FACTS_GOAL_RECORD_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "interp/eval/resumption.h"
#include "interp/program/assertion.h"
#include "runtime/facts/part_names.h"

namespace rpl {

struct Goal;

struct GoalRecord {
  using Truth = std::pair<RelationId, Value>;  // of a goal, with its bindings map

  /// Truths with an entry, and the number of voidings at its time: an entry is in force as long as
  /// nothing was retracted and no timestep failed since.
  std::map<Truth, std::size_t> truths;
  std::size_t voids = 0;
  bool may_have_fallen = false;  // something was retracted since they were last checked
  /// The first rows of a goal that is not monotone whose truths stand as long as `reads` still
  /// hold.
  struct Standing {
    std::uint32_t epoch = 0;
    RowId rows = 0;
    ReadSet reads;
  };
  std::map<RelationId, Standing> standing;
  std::vector<Assertion> told_truths;  // from a trace, of goals that had no rules at the time
};

/// Records `%fail(reason, explanation)`, which voids the truths so far. Returns its text.
std::string RecordFailure(GoalRecord& goals, Recorder& recorder, const std::string& reason,
                          const std::string& explanation);

/// The goal of a relation, or null.
const Goal* GoalOf(const interp::Engine& engine, RelationId relation);
/// Whether rules decide about a goal.
bool HasRules(const interp::Engine& engine, RelationId goal);

}  // namespace rpl

#endif  // RPL_RUNTIME_FACTS_GOAL_RECORD_H_
