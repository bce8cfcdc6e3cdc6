// SPDX-License-Identifier: Apache-2.0
//
// The limits that a user can set, by name: `--max-rows 1000` and `.limits rows 1000`.
#ifndef RPL_SHELL_TERMINAL_LIMIT_NAMES_H_
#define RPL_SHELL_TERMINAL_LIMIT_NAMES_H_

#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "runtime/session_options.h"

namespace rpl {

/// One limit. Exactly one of the members is of the limit's type.
struct LimitName {
  const char* name;  // "rows"
  const char* unit;  // of its value: "SECONDS", "MB", "N"
  const char* help;  // "Rows derived"
  std::size_t most;  // the maximum; the minimum is 0
  std::variant<std::size_t SessionLimits::*, double SessionLimits::*> member;
};

/// All limits, in the order of help texts. Static lifetime.
std::span<const LimitName> LimitNames();

/// The current value as text.
std::string LimitText(const LimitName& limit, const SessionLimits& limits);

/// Parses and sets a value. Returns an error message, or "".
std::string TakeLimit(const LimitName& limit, const std::string& text, SessionLimits& limits);

/// Parses and sets "NAME VALUE". Returns an error message, or "".
std::string TakeNamedLimit(const std::string& text, SessionLimits& limits);

}  // namespace rpl

#endif  // RPL_SHELL_TERMINAL_LIMIT_NAMES_H_
