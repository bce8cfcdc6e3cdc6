// SPDX-License-Identifier: Apache-2.0
#include "shell/guard/hook_event.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <utility>

#include "formats/data/json_fields.h"
#include "formats/data/json_text.h"
#include "formats/shorten.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMostTold = 100;  // bytes of what an event has

constexpr const char* kSessionKeys[] = {"session_id", "sessionId", "conversation_id",
                                        "trajectory_id"};
constexpr const char* kIdKeys[] = {"tool_use_id", "toolUseId", "toolCallId"};
// The name of a subagent; the first two also name a main agent, which has no id.
constexpr const char* kAgentKeys[] = {"agent_type", "agentType", "agent_name", "agentName",
                                      "subagent_type"};
constexpr const char* kAgentIdKeys[] = {"agent_id", "agentId", "subagent_id"};
constexpr const char* kDetailKeys[] = {"source", "reason", "status", "stop_reason", "stopReason"};
// Keys that are no arguments, where these are the event's other keys.
constexpr std::string_view kNoArguments[] = {
    "hook_event_name", "conversation_id", "session_id",      "generation_id", "model",
    "cursor_version",  "workspace_roots", "transcript_path", "user_email",    "output",
    "duration",        "permission_mode", "model_id",        "model_params"};
// The modes in which a host asks its user; in another it may ask nobody.
constexpr std::string_view kAskingModes[] = {"", "default", "plan", "acceptEdits"};

std::string FirstText(const ordered_json& json, std::span<const char* const> keys) {
  for (const char* key : keys)
    if (std::string text = TextAt(json, key); !text.empty()) return text;
  return "";
}

std::string WithCall(std::string why, const std::string& id) {
  if (!id.empty()) why += fmt::format(" (the call `{}`)", Shortened(id, kMostTold));
  return why;
}

// The arguments of the call; no value if they are no object.
Sourced<ordered_json> ArgumentsOf(const HookRow& row, const ordered_json& json) {
  ordered_json args = ordered_json::object();
  if (row.args.empty()) {
    for (const auto& [key, value] : json.items())
      if (std::ranges::find(kNoArguments, std::string_view(key)) == std::end(kNoArguments))
        args[key] = value;
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
  Sourced<ordered_json> args = ArgumentsOf(row, json);
  if (!args.value) return std::move(args.why);
  to.arguments = std::move(*args.value);
  const ordered_json* response = row.result.empty() ? nullptr : AtPath(json, row.result);
  // Hosts that share names of events with Copilot call the result as Claude Code does.
  if (response == nullptr && row.result == "tool_result") response = AtPath(json, "tool_response");
  if (response != nullptr) to.response = *response;
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
  to.cwd = TextAt(json, "cwd");
  if (to.cwd.empty()) to.cwd = TextAt(FieldAt(json, "tool_info"), "cwd");
  const ordered_json* root = AtPath(json, "workspace_roots.0");
  for (const std::string& name :
       {TextAt(json, "project"),
        root != nullptr && root->is_string() ? root->get<std::string>() : "", setting.project,
        to.cwd})
    if (to.project.empty()) to.project = Folder(name);
}

}  // namespace

Sourced<HookEvent> ReadHookEvent(const std::string& text, const HookSetting& setting,
                                 const std::function<void(HookForm, HookEventKind)>& told) {
  const std::string whole = WithoutHalves(text);
  const JsonText parsed = ParseJson(whole);
  ordered_json json = parsed.json;
  // What cannot be read strictly is read for its event, tool and ids alone.
  if (!parsed.error.empty()) json = ordered_json::parse(CleanUtf8(whole), nullptr, false);
  HookEvent event;
  if (json.is_object()) event.id = FirstText(json, kIdKeys);
  const auto wrong = [&](std::string why) {
    return Sourced<HookEvent>{std::nullopt, WithCall(std::move(why), event.id)};
  };
  if (!json.is_object())
    return wrong(parsed.error.empty() ? "the input is no object"
                                      : "the input is not one JSON object: " + parsed.error);
  const FoundHookRow found = FindHookRow(json, setting.host);
  if (!found.row || (setting.only_tools && !IsToolUse(found.row->kind))) {
    const std::string name = Shortened(found.name, kMostTold);
    if (setting.only_tools)
      return wrong(
          fmt::format("`{}` is no event before or after the use of a tool that is known", name));
    const auto first = std::ranges::find(HookRows(), found.host, &HookRow::host);
    told(first->form, HookEventKind::kBefore);
    return wrong(
        fmt::format("`{}` is no event of {} that is known", name, HookHostName(found.host)));
  }
  const HookRow& row = *found.row;
  event.kind = row.kind;
  event.name = found.name;
  event.host = HookHostName(found.host);
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
  event.session = FirstText(json, kSessionKeys);
  ReadPlace(json, setting, event);
  if (std::string id = FirstText(json, kAgentIdKeys);
      !id.empty() || event.kind == HookEventKind::kSubagentEnd) {
    event.agent = FirstText(json, kAgentKeys);
    if (event.agent.empty()) event.agent = std::move(id);
  } else if (found.host == HookHost::kOpenCode) {
    event.agent = TextAt(json, "agent");
  }
  if (IsToolUse(event.kind)) {
    if (std::string why = ReadToolUse(row, json, event); !why.empty()) return wrong(std::move(why));
  } else if (event.kind == HookEventKind::kSaid) {
    const ordered_json* said = AtPath(json, row.result);
    if (said == nullptr || !said->is_string())
      return wrong(fmt::format("the input has no `{}`", row.result));
    event.text = said->get<std::string>();
    // Gemini CLI puts what hooks tell the agent before what the user typed.
    constexpr std::string_view kBegin = "<hook_context>", kEnd = "</hook_context>";
    while (found.host == HookHost::kGeminiCli && event.text.starts_with(kBegin)) {
      const std::size_t end = event.text.find(kEnd);
      if (end == std::string::npos) break;
      event.text.erase(0, end + kEnd.size());
      event.text.erase(0, std::min(event.text.size(), event.text.find_first_not_of(" \r\n")));
    }
  } else {
    event.detail = FirstText(json, kDetailKeys);
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
  const ordered_json specific = {{"hookEventName", "PreToolUse"},
                                 {"permissionDecision", decision},
                                 {"permissionDecisionReason", reason}};
  using enum HookForm;
  switch (form) {
    case kPreToolUse: return {{"hookSpecificOutput", specific}};
    case kBlock:
    case kBlockAtZero: return {{"decision", "block"}, {"reason", reason}};
    case kDecision: return {{"decision", decision}, {"reason", reason}};
    case kPermission:
      return {{"permission", decision}, {"user_message", reason}, {"agent_message", reason}};
    case kFlat: return {{"permissionDecision", decision}, {"permissionDecisionReason", reason}};
    case kFlatAndNested:
      return {{"permissionDecision", decision},
              {"permissionDecisionReason", reason},
              {"hookSpecificOutput", specific}};
    case kContinue: return {{"continue", decision == "allow"}, {"user_message", reason}};
    case kFollowUp: return {{"followup_message", reason}};
    case kExitCode:
    case kSilent: break;
  }
  return ordered_json::object();
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

int HookDenialCode(HookForm form) { return form == HookForm::kExitCode ? 2 : 0; }

}  // namespace rpl
