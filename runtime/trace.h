// SPDX-License-Identifier: Apache-2.0
//
// The trace (§12): what became fixed, in the order it did.
//
// An entry is an RPL sentence with its bindings and truth, the timestep and phase that
// recorded it, and nothing else: ground constraints, goal truths, replies, retractions,
// failures. Rows that the program derives again get no entry; an entry that rests on them
// is printed with their derivations nested (§19). Entries are never changed or removed; a
// retraction is an entry of its own (§12.4). The facts an entry asserts live in the store
// and are queried there (§12.5).
#ifndef RPL_RUNTIME_TRACE_H_
#define RPL_RUNTIME_TRACE_H_

#include <string>
#include <vector>

namespace rpl {

struct TraceEntry {
  enum class Kind { kFact, kRetraction, kReply, kConstraint, kDerivation, kGoal, kFailure };
  Kind kind;
  int timestep;
  int phase;
  std::string text;  // one RPL sentence
};

using Trace = std::vector<TraceEntry>;

}  // namespace rpl

#endif  // RPL_RUNTIME_TRACE_H_
