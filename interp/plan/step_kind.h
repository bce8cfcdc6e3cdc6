// SPDX-License-Identifier: Apache-2.0
//
// The kinds of steps of a plan, and what holds for all steps of a kind: one table, in which each
// kind has a row. What a step does is a switch over the kinds, Machine::RunStep.
#ifndef RPL_INTERP_PLAN_STEP_KIND_H_
#define RPL_INTERP_PLAN_STEP_KIND_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rpl {

enum class StepKind : std::uint8_t {
  kAtom,
  kCompare,
  kBind,
  kMatch,
  kMember,
  kTemporal,
  kCountAtom,
  kCountValue,
  kCountForm,
  kNot,
  kBranch,
  kExpand,
  kMetadata,
  kAggregate,
  kReadAvar,
  kShow,
  kReadText,
  kGoalFalse,
  kFirst,
  kLoop,
  kDistinct,
  kCheck,
  kTruth,
  kEmit,
  kFound,
  kStuck,  // stays the last one
};

/// What the answers of a step depend on, besides slots and the clock.
enum class DependsOn : std::uint8_t {
  kMore,      // replies, metadata, the state of goals, or which answer came first
  kRows,      // rows alone; where there are more of them, an answer may be gone
  kMoreRows,  // rows alone; where there are more of them, all answers stay
};

/// What a row does not say holds in the most cautious way.
struct StepKindTraits {
  StepKind kind;
  bool may_wait = true;             // for a reply, or lack an answer; an atom as its access says
  DependsOn on = DependsOn::kMore;  // an atom over rows
  bool in_join = false;             // it may stand in a chain of tests and of atoms that bind slots
  bool in_proof = false;            // a proof shows it, apart from the rows that it read
  bool acts = false;                // it asks, calls or shows something; an atom as its access says
  std::string_view name = "this clause";  // for messages
};

inline constexpr auto kStepKinds = [] {
  using enum StepKind;
  using enum DependsOn;
  return std::to_array<StepKindTraits>({
      {.kind = kAtom, .on = kMoreRows, .in_join = true},
      {.kind = kCompare, .may_wait = false, .on = kMoreRows, .in_join = true, .in_proof = true},
      {.kind = kBind, .may_wait = false, .on = kMoreRows, .in_join = true, .in_proof = true},
      {.kind = kMatch, .may_wait = false, .on = kMoreRows, .in_proof = true},
      {.kind = kMember, .may_wait = false, .on = kMoreRows, .in_proof = true},
      {.kind = kTemporal,
       .may_wait = false,
       .on = kMoreRows,
       .in_join = true,
       .in_proof = true,
       .name = "a comparison of times"},
      {.kind = kCountAtom, .on = kRows, .in_proof = true},
      {.kind = kCountValue, .on = kMoreRows, .in_proof = true},
      {.kind = kCountForm, .in_proof = true, .name = "a count of a form"},
      {.kind = kNot, .on = kRows, .in_join = true, .in_proof = true},
      {.kind = kBranch, .on = kMoreRows},
      {.kind = kExpand, .in_proof = true, .name = "an expansion"},
      {.kind = kMetadata, .in_proof = true, .name = "metadata"},
      {.kind = kAggregate, .in_proof = true, .name = "metadata"},
      {.kind = kReadAvar, .in_proof = true, .acts = true, .name = "an async variable"},
      {.kind = kShow, .acts = true, .name = "`$json`"},
      {.kind = kReadText, .name = "a template that another clause decides"},
      {.kind = kGoalFalse, .in_proof = true, .name = "a goal that is false"},
      {.kind = kFirst, .name = "`@choose`"},
      {.kind = kLoop, .in_proof = true, .name = "`@for`"},
      {.kind = kDistinct, .name = "`@distinct`"},
      {.kind = kCheck, .name = "a constraint on a rule"},
      {.kind = kTruth, .may_wait = false, .on = kMoreRows, .in_join = true},
      {.kind = kEmit, .may_wait = false, .on = kMoreRows},
      {.kind = kFound, .on = kMoreRows},
      {.kind = kStuck},
  });
}();

constexpr const StepKindTraits& TraitsOf(StepKind kind) {
  return kStepKinds[static_cast<std::size_t>(kind)];
}

static_assert([] {
  std::size_t at = 0;
  for (const StepKindTraits& row : kStepKinds)
    if (static_cast<std::size_t>(row.kind) != at++) return false;
  return kStepKinds.back().kind == StepKind::kStuck;
}());

}  // namespace rpl

#endif  // RPL_INTERP_PLAN_STEP_KIND_H_
