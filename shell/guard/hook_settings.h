// SPDX-License-Identifier: Apache-2.0
//
// The files of settings in which agent hosts keep their hooks.
//
// A file of settings is the user's. What is added to it are entries that run `rpl guard hook`, one
// for each event; those that were added before are replaced, and everything else stays. A file that
// is a plugin is as a whole ours.
#ifndef RPL_SHELL_GUARD_HOOK_SETTINGS_H_
#define RPL_SHELL_GUARD_HOOK_SETTINGS_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shell/guard/hook_table.h"

namespace rpl {

/// The events of a host that are installed.
std::vector<HookRow> InstalledHooks(const HookHost& host);

/// A text of settings, or why there is none.
struct SettingsText {
  std::string text;
  std::string error;
};
/// The text with a hook for each event, which runs the words of the command. `before`: the text so
/// far, untrusted; "" for none.
SettingsText WithHooks(const HookHost& host, std::span<const std::string> command,
                       const std::string& before);

/// Whether a text of settings has the hook of an event for a protocol.
bool HasHook(const HookHost& host, const std::string& text, std::string_view event,
             const std::string& protocol);

}  // namespace rpl

#endif  // RPL_SHELL_GUARD_HOOK_SETTINGS_H_
