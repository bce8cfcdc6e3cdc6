// SPDX-License-Identifier: Apache-2.0
#include "shell/guard/hook_event.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "formats/data/json_fields.h"
#include "formats/data/json_text.h"
#include "formats/shorten.h"
#include "shell/guard/hook_reader.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMostTold = 100;  // bytes of what an event has

// The modes in which a host asks its user; in another it may ask nobody.
constexpr std::string_view kAskingModes[] = {"", "default", "plan", "acceptEdits"};

std::string WithCall(std::string why, const std::string& id) {
  if (!id.empty()) why += fmt::format(" (the call `{}`)", Shortened(id, kMostTold));
  return why;
}

// The arguments of the call; no value if they are no object.
Sourced<ordered_json> ArgumentsOf(const HookHost& host, const HookRow& row,
                                  const ordered_json& json) {
  ordered_json args = ordered_json::object();
  if (row.args.empty()) {
    const std::vector<std::string_view> others = HookWords(host.keys.no_arguments);
    for (const auto& [key, value] : json.items())
      if (std::ranges::find(others, key) == others.end()) args[key] = value;
    return {std::move(args), ""};
  }
  if (const ordered_json* given = AtPath(json, row.args); given != nullptr) args = *given;
  if (args.is_string()) {
    const JsonText parsed = ParseExactJson(WithoutHalves(args.get_ref<const std::string&>()));
    if (!parsed.error.empty())
      return {std::nullopt,
              fmt::format("`{}` is not the text of an object: {}", row.args, parsed.error)};
    if (HasExactInteger(parsed.json))
      return {std::nullopt, fmt::format("`{}`: an integer has more than 64 bits", row.args)};
    args = parsed.json;
  }
  if (!args.is_object()) return {std::nullopt, fmt::format("`{}` is no object", row.args)};
  // A shell's command by the name that policies know.
  if (const auto line = args.find("command_line");
      line != args.end() && !args.contains("command")) {
    ordered_json command = *line;
    args["command"] = std::move(command);
  }
  return {std::move(args), ""};
}

// Reads what an event says of a tool; the reason why it cannot, or "".
std::string ReadToolUse(const HookRow& row, const ordered_json& json, HookEvent& to) {
  to.tool = row.tool.substr(row.tool.starts_with('=') ? 1 : 0);
  if (!row.tool.starts_with('=')) {
    const ordered_json* name = AtPath(json, row.tool);
    if (name == nullptr || !name->is_string() || name->get_ref<const std::string&>().empty())
      return fmt::format("the input has no `{}`", row.tool);
    to.tool = name->get<std::string>();
  }
  const auto text_at = [&json](std::string_view key) -> std::string {
    const ordered_json* const at = key.empty() ? nullptr : AtPath(json, key);
    return at != nullptr && at->is_string() ? at->get<std::string>() : "";
  };
  if (std::string served = text_at(row.served); !served.empty())
    to.served = ServedTool{text_at(row.server), std::move(served)};
  Sourced<ordered_json> args = ArgumentsOf(*to.host, row, json);
  if (!args.value) return std::move(args.why);
  to.arguments = std::move(*args.value);
  if (const ordered_json* response = HookValue(json, row.result); response != nullptr)
    to.response = *response;
  to.ended_well = EndedWell(row, to.tool, to.arguments, to.response);
  const std::string mode = TextAt(json, "permission_mode");
  to.asks =
      row.asks && std::ranges::find(kAskingModes, std::string_view(mode)) != std::end(kAskingModes);
  return "";
}

// An absolute folder, or "".
std::string Folder(const std::string& name) {
  if (!name.starts_with('/') || name.find('\0') != name.npos) return "";
  std::string folder = std::filesystem::path(name).lexically_normal();
  if (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  return folder;
}

void ReadPlace(const ordered_json& json, const HookSetting& setting, HookEvent& to) {
  to.cwd = HookText(json, to.host, &HookKeys::folder);
  std::vector<std::string> names = HookTexts(json, to.host, &HookKeys::project);
  names.insert(names.end(), {setting.project, to.cwd});
  for (const std::string& name : names)
    if (to.project.empty()) to.project = Folder(name);
}

// Removes what hooks told the agent from the beginning of what the user typed.
void RemoveContext(std::string_view tag, std::string& text) {
  const std::string begin = fmt::format("<{}>", tag), end = fmt::format("</{}>", tag);
  while (!tag.empty() && text.starts_with(begin)) {
    const std::size_t at = text.find(end);
    if (at == std::string::npos) return;
    text.erase(0, at + end.size());
    text.erase(0, std::min(text.size(), text.find_first_not_of(" \r\n")));
  }
}

}  // namespace

std::string ProjectByVariables() {
  for (const HookHost& host : HookHosts())
    if (!host.project_variable.empty())
      if (const char* value = std::getenv(std::string(host.project_variable).c_str());
          value != nullptr && *value != '\0')
        return value;
  return "";
}

Sourced<HookEvent> ReadHookEvent(const std::string& text, const HookSetting& setting,
                                 const std::function<void(HookForm, HookEventKind)>& told) {
  const std::string whole = WithoutHalves(text);
  const JsonText parsed = ParseJson(whole);
  ordered_json json = parsed.json;
  // What cannot be read strictly is read for its event, tool and ids alone.
  if (!parsed.error.empty()) json = ordered_json::parse(CleanUtf8(whole), nullptr, false);
  HookEvent event;
  if (json.is_object()) event.id = HookText(json, setting.host, &HookKeys::call);
  const auto wrong = [&](std::string why) {
    return Sourced<HookEvent>{std::nullopt, WithCall(std::move(why), event.id)};
  };
  if (!json.is_object())
    return wrong(parsed.error.empty() ? "the input is no object"
                                      : "the input is not one JSON object: " + parsed.error);
  const FoundHookRow found = FindHookRow(json, setting.host);
  event.host = found.host;
  if (!found.row || (setting.only_tools && !IsToolUse(found.row->kind))) {
    const std::string name = Shortened(found.name, kMostTold);
    told(found.host->events.front().form, HookEventKind::kBefore);
    if (setting.only_tools)
      return wrong(
          fmt::format("`{}` is no event before or after the use of a tool that is known", name));
    return wrong(fmt::format("`{}` is no event of {} that is known", name, found.host->name));
  }
  const HookRow& row = *found.row;
  event.kind = row.kind;
  event.name = found.name;
  event.form = row.form;
  event.context = row.context;
  told(event.form, event.kind);
  const bool over = event.kind == HookEventKind::kAfter || event.kind == HookEventKind::kFailed ||
                    event.kind == HookEventKind::kSessionEnd;
  if (!parsed.error.empty() && !over)
    return wrong("the input is not one JSON object: " + parsed.error);
  if (!parsed.inexact.empty() && event.kind == HookEventKind::kBefore) {
    const std::string_view args = row.args.substr(0, row.args.find('.'));
    const ordered_json exact = ParseExactJson(whole).json;
    if (HasExactInteger(args.empty() ? exact : FieldAt(exact, std::string(args).c_str())))
      return wrong(fmt::format("`{}`: an integer has more than 64 bits", row.args));
  }
  event.session = HookText(json, event.host, &HookKeys::session);
  ReadPlace(json, setting, event);
  if (std::string id = HookText(json, event.host, &HookKeys::agent_id);
      !id.empty() || event.kind == HookEventKind::kSubagentEnd) {
    event.agent = HookText(json, event.host, &HookKeys::agent);
    if (event.agent.empty()) event.agent = std::move(id);
  } else if (const ordered_json* alone = HookValue(json, event.host->keys.subagent);
             alone != nullptr && alone->is_string()) {
    event.agent = alone->get<std::string>();
  }
  if (IsToolUse(event.kind)) {
    if (std::string why = ReadToolUse(row, json, event); !why.empty()) return wrong(std::move(why));
  } else if (event.kind == HookEventKind::kSaid) {
    const ordered_json* said = AtPath(json, row.result);
    if (said == nullptr || !said->is_string())
      return wrong(fmt::format("the input has no `{}`", row.result));
    event.text = said->get<std::string>();
    RemoveContext(event.host->context_tag, event.text);
  } else {
    event.detail = HookText(json, event.host, &HookKeys::detail);
    event.stop_hook_active = FlagAt(json, "stop_hook_active") || NumberAt(json, "loop_count") > 0;
  }
  // Bytes that are not UTF-8 are replaced in what a tool gave back; a key twice is one too many.
  if (!parsed.error.empty() && !ParseJson(CleanUtf8(whole)).error.empty()) {
    event.unreadable = wrong("the input is not one JSON object: " + parsed.error).why;
    if (event.ended_well == true) event.ended_well.reset();
  }
  return {std::move(event), ""};
}

ordered_json HookAnswer(HookForm form, std::string_view decision, const std::string& why) {
  const bool blank = why.find_first_not_of(" \t\r\n") == why.npos;
  const std::string reason = blank && decision != "allow" ? "no reason was given" : why;
  std::string text;
  for (const char each : HookFormText(form)) {
    if (each == kFormDecision) text += DumpJson(std::string(decision));
    else if (each == kFormReason) text += DumpJson(reason);
    else text += each;
  }
  return ParseOwnJson(text);
}

ordered_json HookDeny(const HookEvent& event, const std::string& reason) {
  return HookAnswer(event.form, "deny", reason);
}

ordered_json HookContext(const HookEvent& event, const std::string& text) {
  switch (event.context) {
    case HookContextForm::kSpecific:
      return {{"hookSpecificOutput", {{"hookEventName", event.name}, {"additionalContext", text}}}};
    case HookContextForm::kSnake: return {{"additional_context", text}};
    case HookContextForm::kCamel: return {{"additionalContext", text}};
    case HookContextForm::kNoContext: break;
  }
  return HookPass();
}

}  // namespace rpl
