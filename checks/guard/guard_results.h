// SPDX-License-Identifier: Apache-2.0
//
// A guard's decision as records (checks/verify/result.h): one for each rule whose selector matched,
// in the order of evaluation.
#ifndef RPL_CHECKS_GUARD_GUARD_RESULTS_H_
#define RPL_CHECKS_GUARD_GUARD_RESULTS_H_

#include <vector>

#include "checks/guard/guard.h"
#include "checks/verify/result.h"

namespace rpl {

/// A rule that blocks or holds the call did not pass. The severity of a rule with one of these
/// effects is error, that of an allowing rule info. A rule that was not evaluated is skipped. The
/// metadata has kind, effect, tool, call (its arguments), evaluated, and pending while a review is
/// awaited.
std::vector<CheckResult> ResultsOf(const Decision& decision, const GuardCall& call,
                                   const Guard& guard);

}  // namespace rpl

#endif  // RPL_CHECKS_GUARD_GUARD_RESULTS_H_
