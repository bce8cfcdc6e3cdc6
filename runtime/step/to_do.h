// SPDX-License-Identifier: Apache-2.0
//
// The instructions of a run (decision 91): the prose of headings, with values for their spans.
#ifndef RPL_RUNTIME_STEP_TO_DO_H_
#define RPL_RUNTIME_STEP_TO_DO_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "runtime/outcome.h"

namespace rpl {

namespace interp {
class Engine;
}  // namespace interp
struct Table;

struct HeadingProse;

using Bound = std::map<std::string, Value>;  // by name of a variable

/// The prose of a heading; `place`: of its rule, its relation or its constraint.
ToDo Filled(const Pool& pool, const HeadingProse& words, const Bound& bound, Span place);

/// What a plan tells to do.
struct PlanWords {
  std::vector<ToDo> to_do;  // in the order of the documents, each once
  Bound with;               // what the first answer of a goal without captures rests on
};
/// The prose of the goals that the plan's answers rest on, and of the relations that they read.
PlanWords WordsOf(const interp::Engine& engine, const Table& plan);

}  // namespace rpl

#endif  // RPL_RUNTIME_STEP_TO_DO_H_
