// SPDX-License-Identifier: Apache-2.0
#include "shell/guard/hook_table.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "checks/guard/guard_call.h"
#include "formats/data/json_fields.h"
#include "formats/data/json_text.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;
using std::string_view;
constexpr string_view kHookHostNames[] = {"claude-code", "codex",    "gemini-cli", "cursor",
                                          "copilot-cli", "windsurf", "opencode"};
static_assert(std::size(kHookHostNames) == kHookHosts, "each host has a name");

// Names that are short enough for a table.
namespace hook_rows {

using enum HookHost;
using enum HookEventKind;
using enum HookForm;

constexpr bool kAsks = true;

constexpr HookRow Before(HookHost host, string_view name, HookForm form, string_view tool,
                         string_view args, bool asks = false) {
  return {host, name, kBefore, form, tool, args, "", HookEnd::kNotTold, asks};
}
constexpr HookRow After(HookHost host, string_view name, HookForm form, string_view tool,
                        string_view args, string_view result, HookEnd end) {
  return {host, name, kAfter, form, tool, args, result, end};
}
constexpr HookRow Failed(HookHost host, string_view name, string_view tool, string_view args,
                         string_view result) {
  return {host, name, kFailed, kBlock, tool, args, result};
}
constexpr HookRow Said(HookHost host, string_view name, HookForm form, string_view text,
                       HookContextForm context = HookContextForm::kNoContext) {
  return {host, name, kSaid, form, "", "", text, HookEnd::kNotTold, false, context};
}
constexpr HookRow Start(HookHost host, string_view name, HookContextForm context) {
  return {host, name, kSessionStart, kSilent, "", "", "", HookEnd::kNotTold, false, context};
}
constexpr HookRow End(HookHost host, string_view name) {
  return {host, name, kSessionEnd, kSilent};
}
constexpr HookRow Stop(HookHost host, string_view name, HookForm form) {
  return {host, name, kTurnEnd, form};
}
constexpr HookRow SubagentStop(HookHost host, string_view name, HookForm form) {
  return {host, name, kSubagentEnd, form};
}

// Its hook would tell what another one tells, or is none that can be answered or counts.
constexpr HookRow NotInstalled(HookRow row) {
  row.installed = false;
  return row;
}
constexpr HookRow Served(HookRow row, string_view server, string_view tool) {
  row.server = server;
  row.served = tool;
  return row;
}

constexpr auto kSpecific = HookContextForm::kSpecific;
constexpr auto kSnake = HookContextForm::kSnake;
constexpr auto kCamel = HookContextForm::kCamel;

// Of events with the same name, Claude Code's are first: hosts that read its settings send them.
constexpr HookRow kHookRows[] = {
    Before(kClaudeCode, "PreToolUse", kPreToolUse, "tool_name", "tool_input", kAsks),
    After(kClaudeCode, "PostToolUse", kBlock, "tool_name", "tool_input", "tool_response",
          HookEnd::kByEvent),
    Failed(kClaudeCode, "PostToolUseFailure", "tool_name", "tool_input", "error"),
    Said(kClaudeCode, "UserPromptSubmit", kBlock, "prompt", kSpecific),
    Start(kClaudeCode, "SessionStart", kSpecific),
    End(kClaudeCode, "SessionEnd"),
    Stop(kClaudeCode, "Stop", kBlock),
    NotInstalled(SubagentStop(kClaudeCode, "SubagentStop", kBlock)),

    // A command that failed is reported as one that did not, and without its exit code.
    Before(kCodex, "PreToolUse", kPreToolUse, "tool_name", "tool_input"),
    After(kCodex, "PostToolUse", kBlock, "tool_name", "tool_input", "tool_response",
          HookEnd::kByIsError),
    Said(kCodex, "UserPromptSubmit", kBlock, "prompt", kSpecific),
    Start(kCodex, "SessionStart", kSpecific),
    NotInstalled(End(kCodex, "SessionEnd")),
    Stop(kCodex, "Stop", kBlock),
    NotInstalled(SubagentStop(kCodex, "SubagentStop", kBlock)),

    // An exit code stands in the text that the model reads, among what the command printed.
    Served(Before(kGeminiCli, "BeforeTool", kDecision, "tool_name", "tool_input"),
           "mcp_context.server_name", "mcp_context.tool_name"),
    Served(After(kGeminiCli, "AfterTool", kDecision, "tool_name", "tool_input", "tool_response",
                 HookEnd::kByError),
           "mcp_context.server_name", "mcp_context.tool_name"),
    Said(kGeminiCli, "BeforeAgent", kDecision, "prompt", kSpecific),
    Start(kGeminiCli, "SessionStart", kSpecific),
    End(kGeminiCli, "SessionEnd"),
    Stop(kGeminiCli, "AfterAgent", kDecision),

    // The events of all tools have ids and exit codes; those of shells, servers and files have not.
    Before(kCursor, "preToolUse", kPermission, "tool_name", "tool_input"),
    After(kCursor, "postToolUse", kBlock, "tool_name", "tool_input", "tool_output",
          HookEnd::kByExitCode),
    Failed(kCursor, "postToolUseFailure", "tool_name", "tool_input", "error_message"),
    NotInstalled(Before(kCursor, "beforeShellExecution", kPermission, "=Shell", "", kAsks)),
    NotInstalled(
        After(kCursor, "afterShellExecution", kBlock, "=Shell", "", "output", HookEnd::kNotTold)),
    NotInstalled(
        Served(Before(kCursor, "beforeMCPExecution", kPermission, "tool_name", "tool_input", kAsks),
               "mcp_server_name", "tool_name")),
    NotInstalled(Served(After(kCursor, "afterMCPExecution", kBlock, "tool_name", "tool_input",
                              "result_json", HookEnd::kNotTold),
                        "mcp_server_name", "tool_name")),
    NotInstalled(Before(kCursor, "beforeReadFile", kPermission, "=Read", "")),
    NotInstalled(After(kCursor, "afterFileEdit", kBlock, "=Write", "", "", HookEnd::kNotTold)),
    Said(kCursor, "beforeSubmitPrompt", kContinue, "prompt"),
    Start(kCursor, "sessionStart", kSnake),
    End(kCursor, "sessionEnd"),
    Stop(kCursor, "stop", kFollowUp),
    NotInstalled(SubagentStop(kCursor, "subagentStop", kFollowUp)),

    // In camel case the events have no name in their JSON; see CopilotName.
    Before(kCopilotCli, "preToolUse", kFlat, "toolName", "toolArgs", kAsks),
    After(kCopilotCli, "postToolUse", kBlock, "toolName", "toolArgs", "toolResult",
          HookEnd::kByType),
    Failed(kCopilotCli, "postToolUseFailure", "toolName", "toolArgs", "error"),
    Said(kCopilotCli, "userPromptSubmitted", kSilent, "prompt"),
    Start(kCopilotCli, "sessionStart", kCamel),
    End(kCopilotCli, "sessionEnd"),
    Stop(kCopilotCli, "agentStop", kBlockAtZero),
    NotInstalled(SubagentStop(kCopilotCli, "subagentStop", kBlockAtZero)),
    NotInstalled(
        Before(kCopilotCli, "PreToolUse", kFlatAndNested, "tool_name", "tool_input", kAsks)),
    NotInstalled(After(kCopilotCli, "PostToolUse", kBlock, "tool_name", "tool_input", "tool_result",
                       HookEnd::kByType)),
    NotInstalled(Failed(kCopilotCli, "PostToolUseFailure", "tool_name", "tool_input", "error")),
    NotInstalled(Said(kCopilotCli, "UserPromptSubmit", kSilent, "prompt")),
    NotInstalled(Start(kCopilotCli, "SessionStart", kCamel)),
    NotInstalled(End(kCopilotCli, "SessionEnd")),
    NotInstalled(Stop(kCopilotCli, "Stop", kBlockAtZero)),
    NotInstalled(SubagentStop(kCopilotCli, "SubagentStop", kBlockAtZero)),

    // There are no events of sessions, and what follows an action has no answer.
    Before(kWindsurf, "pre_run_command", kExitCode, "=run_command", "tool_info"),
    NotInstalled(After(kWindsurf, "post_run_command", kExitCode, "=run_command", "tool_info", "",
                       HookEnd::kNotTold)),
    Before(kWindsurf, "pre_read_code", kExitCode, "=read_code", "tool_info"),
    NotInstalled(After(kWindsurf, "post_read_code", kExitCode, "=read_code", "tool_info", "",
                       HookEnd::kNotTold)),
    Before(kWindsurf, "pre_write_code", kExitCode, "=write_code", "tool_info"),
    NotInstalled(After(kWindsurf, "post_write_code", kExitCode, "=write_code", "tool_info", "",
                       HookEnd::kNotTold)),
    Served(Before(kWindsurf, "pre_mcp_tool_use", kExitCode, "tool_info.mcp_tool_name",
                  "tool_info.mcp_tool_arguments"),
           "tool_info.mcp_server_name", "tool_info.mcp_tool_name"),
    NotInstalled(
        Served(After(kWindsurf, "post_mcp_tool_use", kExitCode, "tool_info.mcp_tool_name",
                     "tool_info.mcp_tool_arguments", "tool_info.mcp_result", HookEnd::kNotTold),
               "tool_info.mcp_server_name", "tool_info.mcp_tool_name")),
    Said(kWindsurf, "pre_user_prompt", kExitCode, "tool_info.user_prompt"),
    NotInstalled(Stop(kWindsurf, "post_cascade_response", kSilent)),

    // What the plugin of opencode_plugin.h sends.
    Before(kOpenCode, "tool.execute.before", kDecision, "tool_name", "tool_input"),
    After(kOpenCode, "tool.execute.after", kDecision, "tool_name", "tool_input", "tool_response",
          HookEnd::kByExitCode),
    {kOpenCode, "tool.execute.failed", kFailed, kDecision, "tool_name", "tool_input", "error"},
    Said(kOpenCode, "chat.message", kDecision, "prompt"),
    Start(kOpenCode, "session.created", kCamel),
    End(kOpenCode, "session.deleted"),
    Stop(kOpenCode, "session.idle", kDecision),
};

constexpr bool EachHostHasRows() {
  for (std::size_t i = 0; i < kHookHosts; ++i)
    if (std::ranges::find(kHookRows, static_cast<HookHost>(i), &HookRow::host) ==
        std::end(kHookRows))
      return false;
  return std::ranges::all_of(kHookRows, [](const HookRow& row) {
    return static_cast<std::size_t>(row.host) < kHookHosts;
  });
}
static_assert(EachHostHasRows(), "kHookHosts counts the hosts, and each has rows");

}  // namespace hook_rows

constexpr const char* kEventKeys[] = {"hook_event_name", "hookEventName", "agent_action_name"};

const HookRow* FindRow(string_view name, std::optional<HookHost> host) {
  const auto* const row = std::ranges::find_if(hook_rows::kHookRows, [&](const HookRow& each) {
    return each.name == name && (!host || each.host == *host);
  });
  return row == std::end(hook_rows::kHookRows) ? nullptr : row;
}

// The name of an event of Copilot that has none, "" if its keys are those of none.
string_view CopilotName(const ordered_json& event) {
  const auto has = [&event](const char* key) { return event.contains(key); };
  if (has("toolName") && has("toolResult")) return "postToolUse";
  if (has("toolName")) return has("error") ? "postToolUseFailure" : "preToolUse";
  if (has("transformedPrompt")) return "userPromptTransformed";
  if (has("prompt")) return "userPromptSubmitted";
  if (has("errorContext")) return "errorOccurred";
  if (has("agentName")) return has("stopReason") ? "subagentStop" : "subagentStart";
  if (has("stopReason")) return "agentStop";
  if (has("trigger")) return "preCompact";
  if (has("reason")) return "sessionEnd";
  return has("source") ? "sessionStart" : "";
}

HookHost HostOf(const ordered_json& event, bool named, string_view name) {
  const auto has = [&event](const char* key) { return event.contains(key); };
  if (!named && has("toolName")) return HookHost::kCopilotCli;
  if (!named)
    return has("sessionId") && !has("tool_name") ? HookHost::kCopilotCli : HookHost::kClaudeCode;
  if (has("agent_action_name")) return HookHost::kWindsurf;
  if (has("cursor_version") || has("conversation_id")) return HookHost::kCursor;
  if (has("turn_id")) return HookHost::kCodex;
  if (name.find('.') != name.npos) return HookHost::kOpenCode;
  if (has("timestamp") && has("transcript_path") && FindRow(name, HookHost::kGeminiCli) != nullptr)
    return HookHost::kGeminiCli;
  if (has("timestamp") && FindRow(name, HookHost::kCopilotCli) != nullptr)
    return HookHost::kCopilotCli;
  const HookRow* row = FindRow(name, std::nullopt);
  return row != nullptr ? row->host : HookHost::kClaudeCode;
}

constexpr string_view kHookShells[] = {"Bash",        "PowerShell",     "bash",
                                       "powershell",  "Shell",          "run_shell_command",
                                       "run_command", "run_in_terminal"};

// A call of a shell, or of a tool that takes a command as one does.
bool IsShellCall(string_view tool, const ordered_json& args) {
  return std::ranges::find(kHookShells, tool) != std::end(kHookShells) ||
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

}  // namespace

string_view HookHostName(HookHost host) { return kHookHostNames[static_cast<std::size_t>(host)]; }

std::span<const string_view> HookHostNames() { return kHookHostNames; }

std::optional<HookHost> FindHookHost(string_view name) {
  const auto* const at = std::ranges::find_if(kHookHostNames, [&](string_view each) {
    return each == name || each.substr(0, each.find('-')) == name;
  });
  if (at == std::end(kHookHostNames)) return std::nullopt;
  return static_cast<HookHost>(at - std::begin(kHookHostNames));
}

std::span<const HookRow> HookRows() { return hook_rows::kHookRows; }

FoundHookRow FindHookRow(const ordered_json& event, std::optional<HookHost> host) {
  FoundHookRow found;
  bool named = false;
  for (const char* key : kEventKeys) {
    named = named || event.contains(key);
    if (found.name.empty()) found.name = TextAt(event, key);
  }
  found.host = host ? *host : HostOf(event, named, found.name);
  if (named && found.name.empty()) return found;
  if (!named) found.name = found.host == HookHost::kCopilotCli ? CopilotName(event) : "PreToolUse";
  if (const HookRow* row = FindRow(found.name, found.host); row != nullptr) {
    found.row = *row;
  } else if (const HookRow* other = FindRow(found.name, std::nullopt); other != nullptr && !host) {
    found.row = *other;
    found.row->end = HookEnd::kNotTold;
    found.host = other->host;
  }
  return found;
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

}  // namespace rpl
