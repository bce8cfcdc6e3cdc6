// SPDX-License-Identifier: Apache-2.0
//
// The same for the parts that make a timestep.
#ifndef RPL_RUNTIME_STEP_PART_NAMES_H_
#define RPL_RUNTIME_STEP_PART_NAMES_H_

#include "runtime/facts/part_names.h"

namespace rpl {

class AnswerWriter;
class CallPermission;
class Inbox;
class Judge;
class RequestWriter;
class Violations;
enum class GoalStanding;
struct Failing;
struct Findings;
struct StepState;
struct Violated;
struct Way;

}  // namespace rpl

#endif  // RPL_RUNTIME_STEP_PART_NAMES_H_
