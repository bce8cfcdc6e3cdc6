// SPDX-License-Identifier: Apache-2.0
//
// The limits that a user sets, by name: `--max-rows 1000` and `.limits rows 1000`.
#ifndef RPL_SHELL_HOST_LIMIT_NAMES_H_
#define RPL_SHELL_HOST_LIMIT_NAMES_H_

#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "runtime/session.h"

namespace rpl {

struct LimitName {
  const char* name;  // "rows"
  const char* unit;  // of its value: "SECONDS", "MB", "N"
  const char* help;  // "Rows derived"
  std::size_t most;  // 0 is the least
  std::variant<std::size_t SessionLimits::*, double SessionLimits::*> member;
};

std::span<const LimitName> LimitNames();

/// The value as text.
std::string LimitText(const LimitName& limit, const SessionLimits& limits);

/// Takes a value; what is wrong with it, or "".
std::string TakeLimit(const LimitName& limit, const std::string& text, SessionLimits& limits);

/// Takes "NAME VALUE"; what is wrong with it, or "".
std::string TakeNamedLimit(const std::string& text, SessionLimits& limits);

}  // namespace rpl

#endif  // RPL_SHELL_HOST_LIMIT_NAMES_H_
