// SPDX-License-Identifier: Apache-2.0
#include "shell/host/hook_protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "formats/json_fields.h"
#include "formats/json_text.h"
#include "formats/shorten.h"
#include "interp/program/operators.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMostTold = 100;  // bytes of what an event has

enum class HookPhase { kBefore, kAfter, kFailed };

// An event of a host. `tool` is the key of the tool's name, or after `=` the name itself; `args`
// the key of its arguments, an object or the text of one, or "" if they are the event's other keys;
// keys within keys are joined by a dot.
struct HookEvent {
  std::string_view name;
  HookForm form;
  HookPhase phase;
  bool asks;  // before: the host puts `ask` to its user
  std::string_view tool;
  std::string_view args;
  std::string_view response = "";
};

using enum HookForm;
using enum HookPhase;

constexpr HookEvent kEvents[] = {
    {"PreToolUse", kPreToolUse, kBefore, true, "tool_name", "tool_input"},
    {"PostToolUse", kPostToolUse, kAfter, true, "tool_name", "tool_input", "tool_response"},
    {"PostToolUseFailure", kPostToolUse, kFailed, true, "tool_name", "tool_input", "error"},
    {"BeforeTool", kDecision, kBefore, false, "tool_name", "tool_input"},
    {"AfterTool", kDecision, kAfter, false, "tool_name", "tool_input", "tool_response"},
    {"preToolUse", kPermission, kBefore, false, "tool_name", "tool_input"},
    {"postToolUse", kPostToolUse, kAfter, true, "tool_name", "tool_input", "tool_output"},
    {"postToolUseFailure", kPostToolUse, kFailed, true, "tool_name", "tool_input", "error_message"},
    {"beforeShellExecution", kPermission, kBefore, true, "=Shell", ""},
    {"afterShellExecution", kPostToolUse, kAfter, true, "=Shell", "", "output"},
    {"beforeMCPExecution", kPermission, kBefore, true, "tool_name", "tool_input"},
    {"afterMCPExecution", kPostToolUse, kAfter, true, "tool_name", "tool_input", "result_json"},
    {"beforeReadFile", kPermission, kBefore, false, "=Read", ""},
    {"pre_run_command", kExitCode, kBefore, false, "=run_command", "tool_info"},
    {"post_run_command", kExitCode, kAfter, false, "=run_command", "tool_info"},
    {"pre_read_code", kExitCode, kBefore, false, "=read_code", "tool_info"},
    {"post_read_code", kExitCode, kAfter, false, "=read_code", "tool_info"},
    {"pre_write_code", kExitCode, kBefore, false, "=write_code", "tool_info"},
    {"post_write_code", kExitCode, kAfter, false, "=write_code", "tool_info"},
    {"pre_mcp_tool_use", kExitCode, kBefore, false, "tool_info.mcp_tool_name",
     "tool_info.mcp_tool_arguments"},
    {"post_mcp_tool_use", kExitCode, kAfter, false, "tool_info.mcp_tool_name",
     "tool_info.mcp_tool_arguments", "tool_info.mcp_result"},
};
// Of events without a name.
constexpr HookEvent kUnnamed = {"", kPreToolUse, kBefore, true, "tool_name", "tool_input"};
constexpr HookEvent kFlatBefore = {"", kFlat, kBefore, true, "toolName", "toolArgs"};
constexpr HookEvent kFlatAfter = {"",         kPostToolUse, kAfter,      true,
                                  "toolName", "toolArgs",   "toolResult"};

constexpr const char* kEventKeys[] = {"hook_event_name", "hookEventName", "agent_action_name"};
constexpr const char* kSessionKeys[] = {"session_id", "sessionId", "conversation_id",
                                        "trajectory_id"};
constexpr const char* kIdKeys[] = {"tool_use_id", "toolUseId", "toolCallId"};
// Keys that are no arguments, where these are the event's other keys.
constexpr std::string_view kNoArguments[] = {
    "hook_event_name", "conversation_id", "session_id",      "generation_id",
    "model",           "cursor_version",  "workspace_roots", "transcript_path",
    "user_email",      "output",          "duration",        "permission_mode"};
// The modes in which a host asks its user; in another it may ask nobody.
constexpr std::string_view kAskingModes[] = {"", "default", "plan", "acceptEdits"};

std::string FirstText(const ordered_json& json, std::span<const char* const> keys) {
  for (const char* key : keys)
    if (std::string text = TextAt(json, key); !text.empty()) return text;
  return "";
}

// Null if the event is none of a tool's use.
const HookEvent* EventOf(const ordered_json& json, const std::string& name) {
  if (name.empty() && json.contains("toolName"))
    return json.contains("toolResult") ? &kFlatAfter : &kFlatBefore;
  if (name.empty()) return &kUnnamed;
  const auto* const row = std::ranges::find(kEvents, std::string_view(name), &HookEvent::name);
  return row == std::end(kEvents) ? nullptr : row;
}

// The arguments of the call; no value if they are no object.
Sourced<ordered_json> ArgumentsOf(const HookEvent& event, const ordered_json& json) {
  ordered_json args = ordered_json::object();
  if (event.args.empty()) {
    for (const auto& [key, value] : json.items())
      if (std::ranges::find(kNoArguments, std::string_view(key)) == std::end(kNoArguments))
        args[key] = value;
    return {std::move(args), ""};
  }
  if (const ordered_json* given = AtPath(json, event.args); given != nullptr) args = *given;
  if (args.is_string()) {
    const JsonText parsed = ParseExactJson(WithoutHalves(args.get_ref<const std::string&>()));
    if (!parsed.error.empty())
      return {std::nullopt,
              fmt::format("`{}` is not the text of an object: {}", event.args, parsed.error)};
    if (HasExactInteger(parsed.json))
      return {std::nullopt, fmt::format("`{}`: an integer has more than 64 bits", event.args)};
    args = parsed.json;
  }
  if (!args.is_object()) return {std::nullopt, fmt::format("`{}` is no object", event.args)};
  // A shell's command by the name that policies know.
  if (const auto line = args.find("command_line");
      line != args.end() && !args.contains("command")) {
    ordered_json command = *line;
    args["command"] = std::move(command);
  }
  return {std::move(args), ""};
}

Sourced<HookCall> CallOf(const HookEvent& event, const ordered_json& json,
                         const GuardConfig& config, Moment now) {
  const bool after = event.phase != kBefore;
  std::string tool(event.tool.substr(event.tool.starts_with('=') ? 1 : 0));
  if (!event.tool.starts_with('=')) {
    const ordered_json* name = AtPath(json, event.tool);
    if (name == nullptr || !name->is_string() || name->get_ref<const std::string&>().empty())
      return {std::nullopt, fmt::format("the input has no `{}`", event.tool)};
    tool = name->get<std::string>();
  }
  Sourced<ordered_json> args = ArgumentsOf(event, json);
  if (!args.value) return {std::nullopt, std::move(args.why)};
  ordered_json line = {{"tool", std::move(tool)}, {"args", std::move(*args.value)}};
  if (after) line["phase"] = "tool.after";
  Sourced<GuardLine> read = ReadGuardLine(line, config, now);
  if (!read.value) return {std::nullopt, std::move(read.why)};
  HookCall call;
  call.session = FirstText(json, kSessionKeys);
  call.line = std::move(*read.value);
  call.line.call.id = FirstText(json, kIdKeys);
  if (!event.response.empty())
    if (const ordered_json* response = AtPath(json, event.response)) call.response = *response;
  const std::string type = TextAt(FieldAt(json, "toolResult"), "resultType");
  call.failed = event.phase == kFailed || type == "failure";
  call.form = event.form;
  const std::string mode = TextAt(json, "permission_mode");
  call.asks = event.asks &&
              std::ranges::find(kAskingModes, std::string_view(mode)) != std::end(kAskingModes);
  return {std::move(call), ""};
}

}  // namespace

Sourced<HookCall> ReadHookCall(const std::string& text, const GuardConfig& config, Moment now,
                               const std::function<void(HookForm, bool after)>& told) {
  const std::string whole = WithoutHalves(text);
  const JsonText parsed = ParseJson(whole);
  ordered_json json = parsed.json;
  // What cannot be read strictly is read for its event, tool and ids alone.
  if (!parsed.error.empty()) json = ordered_json::parse(CleanUtf8(whole), nullptr, false);
  const std::string id = json.is_object() ? FirstText(json, kIdKeys) : "";
  const auto wrong = [&](std::string why) {
    if (!id.empty()) why += fmt::format(" (the call `{}`)", Shortened(id, kMostTold));
    return Sourced<HookCall>{std::nullopt, std::move(why)};
  };
  if (!json.is_object())
    return wrong(parsed.error.empty() ? "the input is no object"
                                      : "the input is not one JSON object: " + parsed.error);
  const std::string name = FirstText(json, kEventKeys);
  const bool named =
      std::ranges::any_of(kEventKeys, [&](const char* key) { return json.contains(key); });
  const HookEvent* event = named && name.empty() ? nullptr : EventOf(json, name);
  if (event == nullptr)
    return wrong(fmt::format("`{}` is no event before or after the use of a tool that is known",
                             Shortened(name, kMostTold)));
  const bool after = event->phase != kBefore;
  told(event->form, after);
  if (!parsed.error.empty() && !after)
    return wrong("the input is not one JSON object: " + parsed.error);
  if (!parsed.inexact.empty() && !after) {
    const std::string_view args = event->args.substr(0, event->args.find('.'));
    const ordered_json exact = ParseExactJson(whole).json;
    if (HasExactInteger(args.empty() ? exact : FieldAt(exact, std::string(args).c_str())))
      return wrong(fmt::format("`{}`: an integer has more than 64 bits", event->args));
  }
  Sourced<HookCall> call = CallOf(*event, json, config, now);
  if (!call.value) return wrong(std::move(call.why));
  // Bytes that are not UTF-8 are replaced in what a tool gave back; a key twice is one too many.
  if (!parsed.error.empty() && !ParseJson(CleanUtf8(whole)).error.empty())
    call.value->unreadable = wrong("the input is not one JSON object: " + parsed.error).why;
  return call;
}

ordered_json HookAnswer(HookForm form, std::string_view decision, const std::string& reason) {
  switch (form) {
    case kPreToolUse:
      return {{"hookSpecificOutput",
               {{"hookEventName", "PreToolUse"},
                {"permissionDecision", decision},
                {"permissionDecisionReason", reason}}}};
    case kPostToolUse: return {{"decision", "block"}, {"reason", reason}};
    case kDecision: return {{"decision", decision}, {"reason", reason}};
    case kPermission:
      return {{"permission", decision}, {"user_message", reason}, {"agent_message", reason}};
    case kFlat: return {{"permissionDecision", decision}, {"permissionDecisionReason", reason}};
    case kExitCode: break;
  }
  return ordered_json::object();
}

}  // namespace rpl
