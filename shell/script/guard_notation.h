// SPDX-License-Identifier: Apache-2.0
//
// Decisions of the guard in one line, for the directive GUARD of test scripts (docs/testing.md):
//
//   {"kind":"maxCalls",…}; call t{"a":1} tags ["x"]; after t, a 60ms; user {"vip":"y"} => block
//
// The first part is a condition, or `rules […]`; the further parts describe the circumstances of
// the call. TRUE and FALSE stand for a condition that always or never holds, TZ for a time zone in
// the tag `tz` of the end user.
#ifndef RPL_SHELL_SCRIPT_GUARD_NOTATION_H_
#define RPL_SHELL_SCRIPT_GUARD_NOTATION_H_

#include <optional>
#include <string>

namespace rpl {

/// Evaluates the line; nullopt if the decision is the expected one, else a description of the
/// difference. A malformed line is a difference.
std::optional<std::string> CheckGuardLine(const std::string& line);

}  // namespace rpl

#endif  // RPL_SHELL_SCRIPT_GUARD_NOTATION_H_
