// SPDX-License-Identifier: Apache-2.0
//
// What to change in a program, by what was counted when it ran (interp/eval/profile.h).
//
// A clause is worth a hint when it was read whole more than once, for rows or calls before it,
// and went over many rows so. Counts alone decide, so the hints of a program are the same each
// time. A clause that is met in several plans of a rule is one hint. Proofs give none: a rule is
// written for those who ask, not for the trace.
#ifndef RPL_INTERP_EVAL_PROFILE_HINTS_H_
#define RPL_INTERP_EVAL_PROFILE_HINTS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "interp/eval/profile.h"

namespace rpl {

struct ProfileHint {
  Profile::Link link = Profile::Link::kNothing;
  Span place;          // of the clause
  std::string rule;    // where it stands
  std::string clause;  // that is read whole
  std::uint64_t times = 0;
  std::uint64_t rows = 0;  // in all
  std::string message;
  std::string help;  // what to write instead, or ""
};

/// "cross-product", "unbound-join": in JSON.
std::string_view HintName(Profile::Link link);

/// The hints, by the rows that were read, most first.
std::vector<ProfileHint> HintsOf(const Profile& profile);

/// "12,345"
std::string Grouped(std::uint64_t number);

}  // namespace rpl

#endif  // RPL_INTERP_EVAL_PROFILE_HINTS_H_
