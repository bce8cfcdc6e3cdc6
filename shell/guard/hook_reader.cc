// SPDX-License-Identifier: Apache-2.0
#include "shell/guard/hook_reader.h"

#include <algorithm>
#include <array>

#include "checks/calls/call_views.h"
#include "checks/guard/guard_call.h"
#include "formats/data/json_fields.h"
#include "formats/data/json_text.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;
using std::string_view;

const HookRow* FindRow(const HookHost& host, string_view name) {
  const auto row = std::ranges::find(host.events, name, &HookRow::name);
  return row == host.events.end() ? nullptr : &*row;
}

// The first host with an event of that name, or null.
const HookHost* FirstWith(string_view name) {
  for (const HookHost& host : HookHosts())
    if (FindRow(host, name) != nullptr) return &host;
  return nullptr;
}

bool HasAll(const ordered_json& event, string_view keys) {
  return std::ranges::all_of(HookWords(keys),
                             [&](string_view key) { return AtPath(event, key) != nullptr; });
}

bool Fits(const HookSign& sign, const HookHost& host, const ordered_json& event, bool named,
          string_view name) {
  if (!HasAll(event, sign.keys)) return false;
  if (!sign.without.empty() && HasAll(event, sign.without)) return false;
  switch (sign.name) {
    case HookSign::Name::kAny: return named;
    case HookSign::Name::kNoName: return !named;
    case HookSign::Name::kKnown: return FindRow(host, name) != nullptr;
    case HookSign::Name::kDotted: return name.find('.') != name.npos;
  }
  return false;
}

const HookHost& HostOf(const ordered_json& event, bool named, string_view name) {
  for (const bool shared : {false, true})
    for (const HookHost& host : HookHosts())
      for (const HookSign& sign : host.signs)
        if ((sign.name == HookSign::Name::kKnown) == shared && Fits(sign, host, event, named, name))
          return host;
  const HookHost* const first = FirstWith(name);
  return first != nullptr ? *first : HookHosts().front();
}

string_view UnnamedIn(const HookHost& host, const ordered_json& event) {
  const auto one = std::ranges::find_if(
      host.unnamed, [&](const UnnamedHook& each) { return HasAll(event, each.keys); });
  return one == host.unnamed.end() ? "" : one->name;
}

// A call of a shell, or of a tool that takes a command as one does.
bool IsShellCall(string_view tool, const ordered_json& args) {
  return IsShellTool(tool) ||
         std::ranges::any_of(std::array{"command", "cmd", "script"},
                             [&](const char* key) { return !FieldAt(args, key).is_null(); });
}

std::optional<bool> IsZero(const ordered_json& code) {
  if (!code.is_number_integer()) return std::nullopt;
  return code == 0;
}

// Claude Code reports a command as ended well that was sent to the background, and one whose exit
// code means no error to it, as 1 of grep and test.
std::optional<bool> EndOfShell(const ordered_json& args, const ordered_json& result) {
  if (FlagAt(args, "run_in_background")) return std::nullopt;
  for (const char* key : {"backgroundTaskId", "backgroundedByUser", "assistantAutoBackgrounded"})
    if (const ordered_json& field = FieldAt(result, key); !field.is_null() && field != false)
      return std::nullopt;
  if (FlagAt(result, "interrupted")) return false;
  const ordered_json& meaning = FieldAt(result, "returnCodeInterpretation");
  if (!meaning.is_null() && meaning != "") return false;
  if (FieldAt(result, "interrupted") != false || !FieldAt(result, "stdout").is_string())
    return std::nullopt;
  return true;
}

// Sets a value at a key, unless it is none or has one.
void Put(ordered_json& event, string_view key, ordered_json value) {
  if (key.empty() || key.starts_with('=') || AtPath(event, key) != nullptr) return;
  ordered_json* at = &event;
  for (std::size_t dot = key.find('.'); dot != key.npos; dot = key.find('.')) {
    at = &(*at)[key.substr(0, dot)];
    key.remove_prefix(dot + 1);
  }
  if (key == "0") at->push_back(std::move(value));
  else (*at)[key] = std::move(value);
}

string_view FirstKey(string_view keys) { return keys.substr(0, keys.find(' ')); }

}  // namespace

FoundHookRow FindHookRow(const ordered_json& event, const HookHost* host) {
  FoundHookRow found;
  const bool named = std::ranges::any_of(HookHosts(), [&](const HookHost& each) {
    return HookValue(event, each.keys.event) != nullptr;
  });
  found.name = HookText(event, host, &HookKeys::event);
  found.host = host != nullptr ? host : &HostOf(event, named, found.name);
  if (named && found.name.empty()) return found;
  if (!named) found.name = UnnamedIn(*found.host, event);
  if (const HookRow* row = FindRow(*found.host, found.name); row != nullptr) {
    found.row = *row;
  } else if (const HookHost* other = FirstWith(found.name); other != nullptr && host == nullptr) {
    found.row = *FindRow(*other, found.name);
    found.row->end = HookEnd::kNotTold;
    found.host = other;
  }
  return found;
}

std::vector<std::string> HookTexts(const ordered_json& event, const HookHost* host,
                                   string_view HookKeys::*keys) {
  std::vector<std::string> out;
  const auto add = [&](const HookHost& of) {
    for (const string_view key : HookWords(of.keys.*keys))
      if (const ordered_json* at = AtPath(event, key); at != nullptr && at->is_string())
        out.push_back(at->get<std::string>());
  };
  if (host != nullptr) add(*host);
  for (const HookHost& other : HookHosts())
    if (&other != host) add(other);
  return out;
}

std::string HookText(const ordered_json& event, const HookHost* host, string_view HookKeys::*keys) {
  for (std::string& text : HookTexts(event, host, keys))
    if (!text.empty()) return std::move(text);
  return "";
}

const ordered_json* HookValue(const ordered_json& event, string_view keys) {
  for (const string_view key : HookWords(keys))
    if (const ordered_json* at = AtPath(event, key); at != nullptr) return at;
  return nullptr;
}

std::optional<bool> EndedWell(const HookRow& row, string_view tool, const ordered_json& args,
                              const ordered_json& result) {
  if (row.kind == HookEventKind::kFailed) return false;
  if (row.kind != HookEventKind::kAfter || row.end == HookEnd::kNotTold) return std::nullopt;
  const bool is_command = IsShellCall(tool, args);
  const auto unless_command = [&]() -> std::optional<bool> {
    if (is_command) return std::nullopt;
    return true;
  };
  for (const char* key : {"isError", "is_error"})
    if (FlagAt(result, key)) return false;
  switch (row.end) {
    case HookEnd::kByEvent:
      if (is_command) return EndOfShell(args, result);
      if (FieldAt(result, "success") == false) return false;
      if (FlagAt(result, "isAsync") || FlagAt(result, "interrupted")) return std::nullopt;
      return true;
    case HookEnd::kByExitCode: {
      if (const ordered_json* code = AtPath(result, "metadata.exit"); code != nullptr)
        return IsZero(*code);
      if (!is_command) return true;
      // The text of an object that the host made; what the command printed is a text within.
      if (!result.is_string()) return IsZero(FieldAt(result, "exitCode"));
      return IsZero(FieldAt(ParseJson(result.get_ref<const std::string&>()).json, "exitCode"));
    }
    case HookEnd::kByError:
      if (!FieldAt(result, "error").is_null()) return false;
      return result.is_object() ? unless_command() : std::nullopt;
    case HookEnd::kByIsError:
      if (FieldAt(result, "isError") == false) return unless_command();
      return std::nullopt;
    case HookEnd::kByType: {
      std::string type = TextAt(result, "resultType");
      if (type.empty()) type = TextAt(result, "result_type");
      if (type.empty()) return std::nullopt;
      return type == "success" ? unless_command() : false;
    }
    case HookEnd::kNotTold: break;
  }
  return std::nullopt;
}

ordered_json SampleHookEvent(const HookHost& host, const HookRow& row, const std::string& project) {
  ordered_json out = ordered_json::object();
  const auto unnamed = std::ranges::find(host.unnamed, row.name, &UnnamedHook::name);
  const bool named = unnamed == host.unnamed.end() || unnamed->keys.empty();
  if (named) Put(out, FirstKey(host.keys.event), row.name);
  Put(out, FirstKey(host.keys.session), "rpl-doctor");
  if (IsToolUse(row.kind)) Put(out, FirstKey(host.keys.call), "rpl-doctor-1");
  if (!host.settings.needs_project) {
    Put(out, FirstKey(host.keys.folder), project);
    Put(out, FirstKey(host.keys.project), project);
  }
  Put(out, FirstKey(row.tool), "Bash");
  Put(out, row.args, {{"command", "true"}, {"file_path", project + "/x"}});
  Put(out, row.server, "rpl");
  Put(out, row.served, "Bash");
  Put(out, FirstKey(row.result), row.kind == HookEventKind::kSaid ? "hello" : "");
  if (row.kind == HookEventKind::kSubagentEnd) Put(out, FirstKey(host.keys.agent), "explore");
  const auto put_all = [&out](string_view keys) {
    for (const string_view key : HookWords(keys)) Put(out, key, "rpl-doctor");
  };
  if (!named) put_all(unnamed->keys);
  for (const HookSign& sign : host.signs)
    if (named && sign.name != HookSign::Name::kNoName) put_all(sign.keys);
  return out;
}

}  // namespace rpl
