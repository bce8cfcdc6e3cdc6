// SPDX-License-Identifier: Apache-2.0
//
// A policy as an RPL program, and a call with its circumstances as the facts that it reads. The
// program's only row of `decision(effect, rule)` is the decision of the guard.
//
//   call(tool, phase)                   :before or :after
//   tool-name(name)                     in small letters
//   tag(tag)                            of the tool; tags are in small letters
//   argument(path, type, value)         each :text, :number and :truth among the arguments
//   matches(glob, text)                 the globs of the policy that match a name or tag
//   called(n, tool, state)              the calls of this run, :ended or :open
//   called-tag(n, tag)
//   took(scope, ms)                     :total and :tool, as executionTime reads them
//   metric(n, key, tool, at, user, value), metric-tag(n, tag)
//   time(at)                            in microseconds since 1970, as `at` above
//   local-time(tag, day, minute)        in the zone of that tag of the end user; no row: not known
//   organisation-time(day, minute)
//   end-user(id), end-user-tag(tag, value), disputed-tag(tag)
//   subjects(), subject(type, value, role, id-system)      no subjects(): not known
//   signal(key, [rule leaf], type, value)                  no row: not known
//   review(rule, state)                 :approved or :denied
//
// What is not known has no row, and a rule over it is neither applied nor found false: each
// condition is printed once as what holds, and where a part may be unknown, once as what may hold.
#ifndef RPL_CHECKS_GUARD_POLICY_PROGRAM_H_
#define RPL_CHECKS_GUARD_POLICY_PROGRAM_H_

#include <map>
#include <string>

#include "checks/guard/guard.h"

namespace rpl {

/// The enabled rules, in the order of their evaluation; none if the policy is not enabled or not
/// for this agent. `only`: the rules with this id or name, even if they are not enabled, without
/// the rules that choose among effects; "" if there is none.
std::string PolicyAsRpl(const Guard& guard, const std::string& only = "");

/// The facts about a call. `decided` is the guard's decision about it, which has the subjects and
/// signals; `reviews` by rule.
std::string FactsOfCall(const Guard& guard, const GuardCall& call, const History& history,
                        Moment now, const Decision& decided,
                        const std::map<std::string, Review::State>& reviews = {});

}  // namespace rpl

#endif  // RPL_CHECKS_GUARD_POLICY_PROGRAM_H_
