// SPDX-License-Identifier: Apache-2.0
//
// The table of the settings in which agent hosts keep their hooks: one row per host, in the
// order of the enumeration. CONTRIBUTING.md has the steps for a new host.
//
// A file of settings is the user's. What is added to it are entries that run `rpl guard hook`, one
// for each event; those that were added before are replaced, and everything else stays. OpenCode
// has no such settings: its file is a plugin, and as a whole ours.
#ifndef RPL_SHELL_GUARD_HOOK_SETTINGS_H_
#define RPL_SHELL_GUARD_HOOK_SETTINGS_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shell/guard/hook_table.h"

namespace rpl {

struct HookSettings {
  HookHost host;
  std::string_view file;  // below the folder of the project
  /// The key of the command in an entry; "" if the file is a plugin.
  std::string_view command;
  std::string_view entry;      // the other keys of an entry, JSON
  std::string_view head;       // the keys that the file has besides `hooks`, JSON
  bool in_groups = false;      // entries are in lists, each with a matcher
  bool needs_project = false;  // the events name no folder, so the command does
  /// Files and folders below the project's folder and the home folder, with blanks between, by
  /// which the host's hooks and servers are set or turned off: an agent may not touch them.
  std::string_view places = "";
};

std::span<const HookSettings> AllHookSettings();
const HookSettings& HookSettingsOf(HookHost host);

/// The events of a host that are installed.
std::vector<HookRow> InstalledHooks(HookHost host);

/// A text of settings, or why there is none.
struct SettingsText {
  std::string text;
  std::string error;
};
/// The text with a hook for each event, which runs the words of the command. `before`: the text so
/// far, untrusted; "" for none.
SettingsText WithHooks(const HookSettings& of, std::span<const std::string> command,
                       const std::string& before);

/// Whether a text of settings has the hook of an event for a protocol.
bool HasHook(const HookSettings& of, const std::string& text, std::string_view event,
             const std::string& protocol);

}  // namespace rpl

#endif  // RPL_SHELL_GUARD_HOOK_SETTINGS_H_
