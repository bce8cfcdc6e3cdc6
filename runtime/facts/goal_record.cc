// SPDX-License-Identifier: Apache-2.0
#include "runtime/facts/goal_record.h"

#include "interp/eval/engine.h"
#include "interp/program/program.h"
#include "interp/store/store.h"
#include "runtime/facts/recorder.h"

namespace rpl {

std::string RecordFailure(GoalRecord& goals, Recorder& recorder, const std::string& reason,
                          const std::string& explanation) {
  ++goals.voids;
  return recorder.Failure(reason, explanation);
}

const Goal* GoalOf(const interp::Engine& engine, RelationId relation) {
  const Relation& of = engine.store.at(relation);
  return of.space() == Space::kGoal ? engine.program.FindGoal(engine.pool.TextOf(of.label()))
                                    : nullptr;
}

bool HasRules(const interp::Engine& engine, RelationId goal) {
  const Goal* known = GoalOf(engine, goal);
  return known != nullptr && !known->rules.empty();
}

}  // namespace rpl
