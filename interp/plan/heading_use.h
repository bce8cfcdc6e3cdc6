// SPDX-License-Identifier: Apache-2.0
//
// The uses that a program has for the answers to its headings, which decide how they are asked for
// (decisions 70, 81).
#ifndef RPL_INTERP_PLAN_HEADING_USE_H_
#define RPL_INTERP_PLAN_HEADING_USE_H_

#include <unordered_map>
#include <vector>

#include "interp/plan/takes.h"
#include "interp/store/relation_id.h"
#include "interp/store/value.h"

namespace rpl {

class Program;

struct HeadingUse {
  struct Argument {
    Takes takes = Takes::kAny;
    RelationId choices = kNoId;  // unary; a constraint requires the argument to be one of its rows
  };
  /// Counted, gathered, iterated or negated: it takes any number of rows. What a rule makes of
  /// it does not count.
  bool many = false;
  /// Some read knows none of its arguments: it asks for all rows there are.
  bool open = false;
  /// Some read leaves more than one argument to be asked for.
  bool several = false;
  std::vector<Argument> arguments;
};

/// The use of each relation that a heading collects.
std::unordered_map<RelationId, HeadingUse> HeadingUses(const Program& program);

}  // namespace rpl

#endif  // RPL_INTERP_PLAN_HEADING_USE_H_
