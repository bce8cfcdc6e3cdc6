// SPDX-License-Identifier: Apache-2.0
//
// The answer to why facts hold, or why none does.
#ifndef RPL_RUNTIME_EXPLAINED_H_
#define RPL_RUNTIME_EXPLAINED_H_

#include <optional>
#include <string>
#include <vector>

#include "formats/diagnostic.h"
#include "interp/explain/explanation.h"
#include "runtime/outcome.h"
#include "runtime/request.h"

namespace rpl {

/// Explanations of the facts of a form, or of their absence.
struct Explained {
  bool rejected = false;  // the form is wrong: see `diagnostics`
  std::vector<Diagnostic> diagnostics;
  ExplainedFacts why;
  std::optional<Explanation> why_not;  // when no fact matches, or none is known to
  /// Whether all facts that match are known (kNothing), or why not: kWaiting, kToolFailed, kFailed
  /// or kLimit, with `reason` in one line, as an outcome has them. Then `why_not` proves nothing.
  Status doubt = Status::kNothing;
  std::string reason;
  std::vector<OpenRequest> pending;  // kWaiting: the calls, never empty
};

}  // namespace rpl

#endif  // RPL_RUNTIME_EXPLAINED_H_
