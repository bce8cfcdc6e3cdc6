// SPDX-License-Identifier: Apache-2.0
#include "shell/guard/hook_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "formats/data/json_text.h"
#include "shell/guard/hook_supervisor.h"
#include "shell/program/program_files.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

constexpr const char* kOurs = " guard hook --protocol ";
// A plugin waits longer than the hook, which denies by itself after kHookTimeoutMs.
constexpr int kPluginTimeoutMs = kHookTimeoutMs + 5'000;

// A text as it stands within other JSON.
std::string Quoted(const std::string& text) {
  const std::string whole = DumpJson(text);
  return whole.substr(1, whole.size() - 2);
}

bool Contains(const ordered_json& value, const std::string& quoted) {
  return DumpJson(value).find(quoted) != std::string::npos;
}

bool IsOurs(const ordered_json& value) { return Contains(value, kOurs); }

// Removes what was added before from a list of entries, or of groups of entries.
void RemoveOurs(ordered_json& list) {
  ordered_json kept = ordered_json::array();
  for (ordered_json& value : list) {
    const auto inner = value.is_object() ? value.find("hooks") : value.end();
    if (value.is_object() && inner != value.end() && inner->is_array()) {
      const bool had = !inner->empty();
      RemoveOurs(*inner);
      if (had && inner->empty()) continue;
      kept.push_back(std::move(value));
    } else if (!IsOurs(value)) {
      kept.push_back(std::move(value));
    }
  }
  list = std::move(kept);
}

ordered_json EntryFor(const HookSettings& of, const HookRow& row, const std::string& command) {
  ordered_json out = ParseOwnJson(of.entry);
  out[of.command] = command;
  if (!of.in_groups) return out;
  ordered_json group = ordered_json::object();
  if (IsToolUse(row.kind)) group["matcher"] = "*";
  group["hooks"] = ordered_json::array({std::move(out)});
  return group;
}

std::string AddHooks(const HookHost& host, const std::string& command, ordered_json& settings) {
  const HookSettings& of = host.settings;
  if (!settings.is_object()) return "it has another form than settings have";
  const ordered_json head = ParseOwnJson(of.head);
  for (const auto& [key, value] : head.items())
    if (!settings.contains(key)) settings[key] = value;
  ordered_json& hooks = settings["hooks"];
  if (hooks.is_null()) hooks = ordered_json::object();
  if (!hooks.is_object()) return "`hooks` is no object";
  for (const HookRow& row : InstalledHooks(host)) {
    ordered_json& list = hooks[row.name];
    if (list.is_null()) list = ordered_json::array();
    if (!list.is_array()) return fmt::format("`hooks.{}` is no list", row.name);
    RemoveOurs(list);
    list.push_back(EntryFor(of, row, command));
  }
  return "";
}

}  // namespace

std::vector<HookRow> InstalledHooks(const HookHost& host) {
  std::vector<HookRow> out;
  std::ranges::copy_if(host.events, std::back_inserter(out), &HookRow::installed);
  return out;
}

SettingsText WithHooks(const HookHost& host, std::span<const std::string> command,
                       const std::string& before) {
  if (host.settings.plugin != nullptr) {
    std::string plugin = host.settings.plugin(command, kPluginTimeoutMs);
    const std::string head = plugin.substr(0, plugin.find('\n'));
    if (!before.empty() && !before.starts_with(head)) return {"", "it is another plugin"};
    return {std::move(plugin), ""};
  }
  ordered_json settings = ordered_json::object();
  if (!before.empty()) {
    JsonText read = ParseJson(before);
    if (!read.error.empty()) return {"", read.error};
    if (!read.inexact.empty()) return {"", read.inexact};
    settings = std::move(read.json);
  }
  std::string line;
  for (const std::string& word : command)
    line += (word.starts_with("--") ? word : AsShellWord(word)) + ' ';
  if (std::string error = AddHooks(host, line + "|| exit 2", settings); !error.empty())
    return {"", std::move(error)};
  return {settings.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n", ""};
}

bool HasHook(const HookHost& host, const std::string& text, std::string_view event,
             const std::string& protocol) {
  if (host.settings.plugin != nullptr)
    return text.find("\"--protocol\"," + DumpJson(protocol)) != std::string::npos;
  const ordered_json settings = ParseJson(text).json;
  const auto hooks = settings.is_object() ? settings.find("hooks") : settings.end();
  if (!settings.is_object() || hooks == settings.end() || !hooks->is_object()) return false;
  const auto list = hooks->find(event);
  return list != hooks->end() && list->is_array() &&
         std::ranges::any_of(*list, [&](const ordered_json& entry) {
           return Contains(entry, kOurs + Quoted(AsShellWord(protocol)));
         });
}

}  // namespace rpl
