// SPDX-License-Identifier: Apache-2.0
//
// Warnings about claims that select something other than their rules are about. None of them
// changes a result: a selector that leads nowhere is no error, and what is no list has length 0.
#ifndef RPL_CHECKS_VERIFY_SELECTION_WARNINGS_H_
#define RPL_CHECKS_VERIFY_SELECTION_WARNINGS_H_

#include <vector>

#include "checks/verify/envelope.h"
#include "checks/verify/rulespec.h"

namespace rpl {

/// Adds a warning at each selector that leads nowhere, and at each max_length whose claim selects
/// something other than lists. A claim that only a `when` names may be absent, unless its selector
/// looks like one of another language. `claims` are the selections from the envelope.
void WarnOfSelections(const Rulespec& rulespec, const Envelope& envelope,
                      const std::vector<ClaimFacts>& claims, Diagnostics& found);

}  // namespace rpl

#endif  // RPL_CHECKS_VERIFY_SELECTION_WARNINGS_H_
