// SPDX-License-Identifier: Apache-2.0
//
// The reader of a host's events by the table of hosts: whose an event is and which, and how the
// call ended that it reports.
#ifndef RPL_SHELL_GUARD_HOOK_READER_H_
#define RPL_SHELL_GUARD_HOOK_READER_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shell/guard/hook_table.h"

namespace rpl {

/// The row of an event.
struct FoundHookRow {
  const HookHost* host = nullptr;  // never null
  std::string name;                // of the event; "" if it has none, or one that is no text
  std::optional<HookRow> row;      // no value if the host has no such event
};

/// Finds the row of an event, a JSON object, of a host. With null for the host it is that of the
/// first row with a sign that fits; else the first with an event of that name; else the first.
///
/// An event that its host does not have, and another has, is read as the other's, but reports no
/// end: hosts read each other's settings.
FoundHookRow FindHookRow(const nlohmann::ordered_json& event, const HookHost* host);

/// The texts of an event at the keys of its host, and then at those of the others; null for all
/// hosts.
std::vector<std::string> HookTexts(const nlohmann::ordered_json& event, const HookHost* host,
                                   std::string_view HookKeys::*keys);
/// The first that is not empty, or "".
std::string HookText(const nlohmann::ordered_json& event, const HookHost* host,
                     std::string_view HookKeys::*keys);
/// The value at the first key of a list that the event has, or null.
const nlohmann::ordered_json* HookValue(const nlohmann::ordered_json& event, std::string_view keys);

/// Whether the use of a tool ended well, as far as the host reports it. Of a shell, and of
/// any tool with a command among its arguments, it is true only if the host itself says that the
/// command ended, and with 0: what a program prints is no report.
std::optional<bool> EndedWell(const HookRow& row, std::string_view tool,
                              const nlohmann::ordered_json& args,
                              const nlohmann::ordered_json& result);

/// An event as the row says that the host sends it, with the signs of the host, in a project.
nlohmann::ordered_json SampleHookEvent(const HookHost& host, const HookRow& row,
                                       const std::string& project);

}  // namespace rpl

#endif  // RPL_SHELL_GUARD_HOOK_READER_H_
