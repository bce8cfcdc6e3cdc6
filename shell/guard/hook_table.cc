// SPDX-License-Identifier: Apache-2.0
#include "shell/guard/hook_table.h"

#include <algorithm>

#include "checks/calls/call_views.h"
#include "shell/guard/opencode_plugin.h"

namespace rpl {
namespace {

// Names that are short enough for a table.
namespace hook_rows {

using std::string_view;
using enum HookEventKind;
using enum HookForm;
using enum HookSign::Name;

constexpr bool kAsks = true;

constexpr HookRow Before(string_view name, HookForm form, string_view tool, string_view args,
                         bool asks = false) {
  return {name, kBefore, form, tool, args, "", HookEnd::kNotTold, asks};
}
constexpr HookRow After(string_view name, HookForm form, string_view tool, string_view args,
                        string_view result, HookEnd end) {
  return {name, kAfter, form, tool, args, result, end};
}
constexpr HookRow Failed(string_view name, string_view tool, string_view args, string_view result) {
  return {name, kFailed, kBlock, tool, args, result};
}
constexpr HookRow Said(string_view name, HookForm form, string_view text,
                       HookContextForm context = HookContextForm::kNoContext) {
  return {name, kSaid, form, "", "", text, HookEnd::kNotTold, false, context};
}
constexpr HookRow Start(string_view name, HookContextForm context) {
  return {name, kSessionStart, kSilent, "", "", "", HookEnd::kNotTold, false, context};
}
constexpr HookRow End(string_view name) { return {name, kSessionEnd, kSilent}; }
constexpr HookRow Stop(string_view name, HookForm form) { return {name, kTurnEnd, form}; }
constexpr HookRow SubagentStop(string_view name, HookForm form) {
  return {name, kSubagentEnd, form};
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

constexpr HookRow kClaudeCodeEvents[] = {
    Before("PreToolUse", kPreToolUse, "tool_name", "tool_input", kAsks),
    After("PostToolUse", kBlock, "tool_name", "tool_input", "tool_response", HookEnd::kByEvent),
    Failed("PostToolUseFailure", "tool_name", "tool_input", "error"),
    Said("UserPromptSubmit", kBlock, "prompt", kSpecific),
    Start("SessionStart", kSpecific),
    End("SessionEnd"),
    Stop("Stop", kBlock),
    NotInstalled(SubagentStop("SubagentStop", kBlock)),
};

// A command that failed is reported as one that did not, and without its exit code.
constexpr HookRow kCodexEvents[] = {
    Before("PreToolUse", kPreToolUse, "tool_name", "tool_input"),
    After("PostToolUse", kBlock, "tool_name", "tool_input", "tool_response", HookEnd::kByIsError),
    Said("UserPromptSubmit", kBlock, "prompt", kSpecific),
    Start("SessionStart", kSpecific),
    NotInstalled(End("SessionEnd")),
    Stop("Stop", kBlock),
    NotInstalled(SubagentStop("SubagentStop", kBlock)),
};

// An exit code stands in the text that the model reads, among what the command printed.
constexpr HookRow kGeminiCliEvents[] = {
    Served(Before("BeforeTool", kDecision, "tool_name", "tool_input"), "mcp_context.server_name",
           "mcp_context.tool_name"),
    Served(After("AfterTool", kDecision, "tool_name", "tool_input", "tool_response",
                 HookEnd::kByError),
           "mcp_context.server_name", "mcp_context.tool_name"),
    Said("BeforeAgent", kDecision, "prompt", kSpecific),
    Start("SessionStart", kSpecific),
    End("SessionEnd"),
    Stop("AfterAgent", kDecision),
};

// The events of all tools have ids and exit codes; those of shells, servers and files have not.
constexpr HookRow kCursorEvents[] = {
    Before("preToolUse", kPermission, "tool_name", "tool_input"),
    After("postToolUse", kBlock, "tool_name", "tool_input", "tool_output", HookEnd::kByExitCode),
    Failed("postToolUseFailure", "tool_name", "tool_input", "error_message"),
    NotInstalled(Before("beforeShellExecution", kPermission, "=Shell", "", kAsks)),
    NotInstalled(After("afterShellExecution", kBlock, "=Shell", "", "output", HookEnd::kNotTold)),
    NotInstalled(Served(Before("beforeMCPExecution", kPermission, "tool_name", "tool_input", kAsks),
                        "mcp_server_name", "tool_name")),
    NotInstalled(Served(After("afterMCPExecution", kBlock, "tool_name", "tool_input", "result_json",
                              HookEnd::kNotTold),
                        "mcp_server_name", "tool_name")),
    NotInstalled(Before("beforeReadFile", kPermission, "=Read", "")),
    NotInstalled(After("afterFileEdit", kBlock, "=Write", "", "", HookEnd::kNotTold)),
    Said("beforeSubmitPrompt", kContinue, "prompt"),
    Start("sessionStart", kSnake),
    End("sessionEnd"),
    Stop("stop", kFollowUp),
    NotInstalled(SubagentStop("subagentStop", kFollowUp)),
};

// In camel case the events have no name in their JSON. Hosts that send those with one call the
// result as Claude Code does.
constexpr HookRow kCopilotCliEvents[] = {
    Before("preToolUse", kFlat, "toolName", "toolArgs", kAsks),
    After("postToolUse", kBlock, "toolName", "toolArgs", "toolResult", HookEnd::kByType),
    Failed("postToolUseFailure", "toolName", "toolArgs", "error"),
    Said("userPromptSubmitted", kSilent, "prompt"),
    Start("sessionStart", kCamel),
    End("sessionEnd"),
    Stop("agentStop", kBlockAtZero),
    NotInstalled(SubagentStop("subagentStop", kBlockAtZero)),
    NotInstalled(Before("PreToolUse", kFlatAndNested, "tool_name", "tool_input", kAsks)),
    NotInstalled(After("PostToolUse", kBlock, "tool_name", "tool_input",
                       "tool_result tool_response", HookEnd::kByType)),
    NotInstalled(Failed("PostToolUseFailure", "tool_name", "tool_input", "error")),
    NotInstalled(Said("UserPromptSubmit", kSilent, "prompt")),
    NotInstalled(Start("SessionStart", kCamel)),
    NotInstalled(End("SessionEnd")),
    NotInstalled(Stop("Stop", kBlockAtZero)),
    NotInstalled(SubagentStop("SubagentStop", kBlockAtZero)),
};

// There are no events of sessions, and what follows an action has no answer.
constexpr HookRow kWindsurfEvents[] = {
    Before("pre_run_command", kExitCode, "=run_command", "tool_info"),
    NotInstalled(
        After("post_run_command", kExitCode, "=run_command", "tool_info", "", HookEnd::kNotTold)),
    Before("pre_read_code", kExitCode, "=read_code", "tool_info"),
    NotInstalled(
        After("post_read_code", kExitCode, "=read_code", "tool_info", "", HookEnd::kNotTold)),
    Before("pre_write_code", kExitCode, "=write_code", "tool_info"),
    NotInstalled(
        After("post_write_code", kExitCode, "=write_code", "tool_info", "", HookEnd::kNotTold)),
    Served(Before("pre_mcp_tool_use", kExitCode, "tool_info.mcp_tool_name",
                  "tool_info.mcp_tool_arguments"),
           "tool_info.mcp_server_name", "tool_info.mcp_tool_name"),
    NotInstalled(
        Served(After("post_mcp_tool_use", kExitCode, "tool_info.mcp_tool_name",
                     "tool_info.mcp_tool_arguments", "tool_info.mcp_result", HookEnd::kNotTold),
               "tool_info.mcp_server_name", "tool_info.mcp_tool_name")),
    Said("pre_user_prompt", kExitCode, "tool_info.user_prompt"),
    NotInstalled(Stop("post_cascade_response", kSilent)),
};

// What the plugin of opencode_plugin.h sends.
constexpr HookRow kOpenCodeEvents[] = {
    Before("tool.execute.before", kDecision, "tool_name", "tool_input"),
    After("tool.execute.after", kDecision, "tool_name", "tool_input", "tool_response",
          HookEnd::kByExitCode),
    {"tool.execute.failed", kFailed, kDecision, "tool_name", "tool_input", "error"},
    Said("chat.message", kDecision, "prompt"),
    Start("session.created", kCamel),
    End("session.deleted"),
    Stop("session.idle", kDecision),
};

constexpr HookSign kCodexSigns[] = {{"turn_id"}};
constexpr HookSign kGeminiCliSigns[] = {{"timestamp transcript_path", kKnown}};
constexpr HookSign kCursorSigns[] = {{"cursor_version"}, {"conversation_id"}};
constexpr HookSign kCopilotCliSigns[] = {
    {"toolName", kNoName}, {"sessionId", kNoName, "tool_name"}, {"timestamp", kKnown}};
constexpr HookSign kWindsurfSigns[] = {{"agent_action_name"}};
constexpr HookSign kOpenCodeSigns[] = {{"", kDotted}};

// Also those that are no rows: a denial names them.
constexpr UnnamedHook kCopilotCliUnnamed[] = {
    {"toolName toolResult", "postToolUse"},
    {"toolName error", "postToolUseFailure"},
    {"toolName", "preToolUse"},
    {"transformedPrompt", "userPromptTransformed"},
    {"prompt", "userPromptSubmitted"},
    {"errorContext", "errorOccurred"},
    {"agentName stopReason", "subagentStop"},
    {"agentName", "subagentStart"},
    {"stopReason", "agentStop"},
    {"trigger", "preCompact"},
    {"reason", "sessionEnd"},
    {"source", "sessionStart"},
};

constexpr HookHost kHookHosts[] = {
    {.name = "claude-code",
     .project_variable = "CLAUDE_PROJECT_DIR",
     .settings = {.file = ".claude/settings.json",
                  .entry = R"({"type":"command","onFailure":"block"})",
                  .in_groups = true,
                  .places = ".claude/settings.json .claude/settings.local.json .mcp.json "
                            "~/.claude.json /etc/claude-code/managed-settings.json"},
     .tools = {.names = "Task Agent TodoWrite TodoRead ExitPlanMode EnterPlanMode exit_plan_mode "
                        "AskUserQuestion Skill SlashCommand KillShell KillBash BashOutput "
                        "TaskOutput TaskStop TaskCreate TaskGet TaskUpdate TaskList WebSearch "
                        "ToolSearch NotebookRead SendMessage TeamCreate TeamDelete CronCreate "
                        "CronDelete CronList EnterWorktree ExitWorktree StructuredOutput "
                        "ListMcpResourcesTool ReadMcpResourceTool"},
     .events = kClaudeCodeEvents},
    {.name = "codex",
     .signs = kCodexSigns,
     .settings = {.file = ".codex/hooks.json",
                  .entry = R"({"type":"command"})",
                  .in_groups = true,
                  .places = ".codex/hooks.json .codex/config.toml"},
     .tools = {.names = "update_plan web_search spawn_agent send_input wait wait_agent "
                        "close_agent resume_agent request_user_input list_mcp_resources "
                        "read_mcp_resource list_mcp_resource_templates tool_search"},
     .events = kCodexEvents},
    {.name = "gemini-cli",
     .keys = {.call = ""},
     .signs = kGeminiCliSigns,
     .project_variable = "GEMINI_PROJECT_DIR",
     .context_tag = "hook_context",
     .settings = {.file = ".gemini/settings.json",
                  .entry = R"({"type":"command"})",
                  .in_groups = true,
                  .places = ".gemini/settings.json"},
     // All of them: older versions name a server's tool by its own name alone.
     .tools = {.names = "activate_skill ask_user cli_help codebase_investigator complete_task "
                        "enter_plan_mode exit_plan_mode get_internal_docs glob google_web_search "
                        "grep_search list_directory read_file read_many_files replace "
                        "run_shell_command save_memory search_file_content web_fetch write_file "
                        "write_todos",
               .others = HookTools::Others::kNoOthers},
     .events = kGeminiCliEvents},
    {.name = "cursor",
     .keys = {.session = "session_id conversation_id",
              .project = "workspace_roots.0",
              .agent = "subagent_type",
              .agent_id = "subagent_id",
              .detail = "reason status",
              .no_arguments = "hook_event_name conversation_id session_id generation_id model "
                              "cursor_version workspace_roots transcript_path user_email output "
                              "duration permission_mode model_id model_params"},
     .signs = kCursorSigns,
     .project_variable = "CURSOR_PROJECT_DIR",
     .settings = {.file = ".cursor/hooks.json",
                  .entry = R"({"failClosed":true})",
                  .head = R"({"version":1})",
                  .places = ".cursor/hooks.json .cursor/mcp.json"},
     .tools = {.names = "SemanticSearch ReadLints AskQuestion SwitchMode FetchMcpResource"},
     .events = kCursorEvents},
    {.name = "copilot-cli",
     .short_name = "copilot",
     .keys = {.event = "hook_event_name hookEventName",
              .session = "sessionId session_id",
              .call = "toolUseId toolCallId tool_use_id",
              .agent = "agentType agent_type agentName agent_name",
              .agent_id = "agentId agent_id",
              .detail = "source reason stopReason stop_reason"},
     .signs = kCopilotCliSigns,
     .unnamed = kCopilotCliUnnamed,
     .settings = {.file = ".github/hooks/rpl-guard.json",
                  .command = "bash",
                  .entry = R"({"type":"command"})",
                  .head = R"({"version":1})",
                  .places = ".github/hooks .github/copilot/settings.json "
                            ".github/copilot/settings.local.json .copilot"},
     .tools = {.names = "task update_todo report_intent read_bash stop_bash list_bash "
                        "read_powershell stop_powershell list_powershell skill store_memory "
                        "read_agent list_agents task_complete sql fetch_copilot_cli_documentation"},
     .events = kCopilotCliEvents},
    {.name = "windsurf",
     .keys = {.event = "agent_action_name",
              .session = "trajectory_id",
              .call = "",
              .folder = "cwd tool_info.cwd"},
     .signs = kWindsurfSigns,
     .settings = {.file = ".windsurf/hooks.json",
                  .needs_project = true,
                  .places = ".windsurf/hooks.json .codeium/windsurf/hooks.json "
                            ".codeium/windsurf/mcp_config.json"},
     .events = kWindsurfEvents},
    {.name = "opencode",
     .keys = {.project = "project", .subagent = "agent"},
     .signs = kOpenCodeSigns,
     .settings = {.file = ".opencode/plugins/rpl-guard.js",
                  .places = ".opencode/plugin .opencode/plugins .opencode/opencode.json "
                            ".opencode/opencode.jsonc opencode.json opencode.jsonc "
                            ".config/opencode",
                  .plugin = OpenCodePlugin},
     .tools = {.names = "todowrite todoread question websearch codesearch lsp plan_enter "
                        "plan_exit apply_patch",
               .others = HookTools::Others::kWithoutUnderscore},
     .events = kOpenCodeEvents},
};

static_assert(std::ranges::all_of(kHookHosts,
                                  [](const HookHost& host) {
                                    return !host.events.empty() &&
                                           host.events.front().kind == kBefore;
                                  }),
              "each host has events, of which the first are before the use of a tool");

}  // namespace hook_rows

}  // namespace

std::span<const HookHost> HookHosts() { return hook_rows::kHookHosts; }

const HookHost* FindHookHost(std::string_view name) {
  for (const HookHost& host : HookHosts())
    if (!name.empty() && (host.name == name || host.short_name == name)) return &host;
  return nullptr;
}

bool IsOwnTool(const HookHost* host, std::string_view tool) {
  const auto lists = [tool](const HookHost& of) {
    const std::vector<std::string_view> names = HookWords(of.tools.names);
    return std::ranges::find(names, tool) != names.end();
  };
  if (host != nullptr && host->tools.others == HookTools::Others::kNoOthers) return lists(*host);
  if (host != nullptr && host->tools.others == HookTools::Others::kWithoutUnderscore)
    return tool.find('_') == tool.npos || lists(*host);
  return IsReadTool(tool) || std::ranges::any_of(HookHosts(), lists);
}

std::vector<std::string_view> HookWords(std::string_view list) {
  std::vector<std::string_view> words;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(' '), list.size());
    words.push_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return words;
}

}  // namespace rpl
