// SPDX-License-Identifier: Apache-2.0
//
// The record of goals: the truths that the trace has, and whether they stand.
#ifndef RPL_RUNTIME_GOAL_RECORD_H_
#define RPL_RUNTIME_GOAL_RECORD_H_

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "interp/program/program.h"

namespace rpl {

struct GoalRecord {
  using Truth = std::pair<RelationId, Value>;  // of a goal, with its bindings map

  /// Entries of truths, and how often they were voided when they were made: a truth stands by its
  /// entry as long as nothing was retracted and no timestep failed since.
  std::map<Truth, std::size_t> truths;
  std::size_t voids = 0;
  std::vector<Assertion> told_truths;  // that a trace told of goals that had no rules then
};

}  // namespace rpl

#endif  // RPL_RUNTIME_GOAL_RECORD_H_
