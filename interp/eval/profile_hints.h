// SPDX-License-Identifier: Apache-2.0
//
// Hints for making a program faster, from the counts of a run (interp/eval/profile.h).
//
// A clause gets a hint if its relation was scanned more than once, for rows or calls before it, and
// many rows were read that way. Hints depend on counts alone, so they are reproducible. A clause in
// several plans of a rule gets one hint. Proofs give none: rules are written for goals, not for
// the trace.
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
  std::string rule;    // that it belongs to
  std::string clause;  // as written
  std::uint64_t times = 0;
  std::uint64_t rows = 0;  // over all scans
  std::string message;
  std::string help;  // a remedy, or ""
};

/// The name in JSON: "cross-product", "unbound-join".
std::string_view HintName(Profile::Link link);

/// The hints, by descending number of rows read.
std::vector<ProfileHint> HintsOf(const Profile& profile);

/// "12,345"
std::string Grouped(std::uint64_t number);

}  // namespace rpl

#endif  // RPL_INTERP_EVAL_PROFILE_HINTS_H_
