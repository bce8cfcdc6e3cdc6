// SPDX-License-Identifier: Apache-2.0
//
// An assertion or a retraction that a text states.
#ifndef RPL_INTERP_PROGRAM_ASSERTION_H_
#define RPL_INTERP_PROGRAM_ASSERTION_H_

#include <cstddef>
#include <string>
#include <vector>

#include "formats/diagnostic.h"
#include "interp/store/relation_id.h"
#include "interp/store/value.h"

namespace rpl {

/// A ground sentence: assert or retract (§12.3, §12.4, decisions 34, 43).
struct Assertion {
  RelationId relation = kNoId;
  std::vector<Value> row;
  std::vector<SetOrder> orders;  // written orders of its sets, where they differ from the set's own
  bool truth = true;
  bool trace = false;    // written with `-> true`, `-> false` or `^ true`
  bool assumed = false;  // `%goal ^ true`: holds by assertion, whatever the goal's rules give
  Value meta;            // author's metadata and context slots, or kNone
  Span span;
  std::string text;              // the sentence, if it is more than the row: traces, retractions
  std::size_t facts_before = 0;  // plain facts of the document before it
};

}  // namespace rpl

#endif  // RPL_INTERP_PROGRAM_ASSERTION_H_
