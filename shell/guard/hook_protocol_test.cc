// SPDX-License-Identifier: Apache-2.0
//
// One event of each row of the table of hosts, in the form of the host's documentation, and events
// that are not in the form of any.
#include "shell/guard/hook_protocol.h"

#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "formats/data/json_text.h"
#include "shell/guard/hook_event.h"
#include "shell/guard/hook_reader.h"
#include "shell/guard/opencode_plugin.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;
using EventKind = HookEventKind;

constexpr std::optional<bool> kWell = true;
constexpr std::optional<bool> kNotWell = false;
constexpr std::optional<bool> kNotKnown = std::nullopt;

struct ReadResult {
  Sourced<HookEvent> event;
  std::optional<HookForm> form;  // as told
};

ReadResult Read(const std::string& text, std::string_view host = "",
                const std::string& project = "") {
  ReadResult out;
  HookSetting setting;
  setting.host = FindHookHost(host);
  setting.project = project;
  out.event = ReadHookEvent(text, setting, [&](HookForm form, EventKind) { out.form = form; });
  return out;
}

HookEvent EventText(const std::string& text, std::string_view host = "") {
  const ReadResult read = Read(text, host);
  INFO(text << "\n" << read.event.why);
  REQUIRE(read.event.value);
  CHECK(read.form == read.event.value->form);
  return *read.event.value;
}

std::string Why(const std::string& text, std::string_view host = "") {
  const ReadResult read = Read(text, host);
  INFO(text);
  CHECK_FALSE(read.event.value);
  return read.event.why;
}

// An event of the documentation, and what it is read as.
struct EventFixture {
  std::string_view host;
  std::string_view name;
  EventKind kind;
  std::optional<bool> ended_well;
  std::string json;
  std::string denial;  // in answer to it, with the reason `no`
};

// With the fields that all events of the host have.
std::string Claude(const std::string& fields) {
  return R"({"session_id":"s1","transcript_path":"/h/.claude/projects/w/t.jsonl","cwd":"/w/sub",)"
         R"("permission_mode":"default",)" +
         fields + "}";
}
std::string Codex(const std::string& fields) {
  return R"({"session_id":"s1","turn_id":"t1","transcript_path":null,"cwd":"/w/sub",)"
         R"("model":"gpt-5","permission_mode":"default",)" +
         fields + "}";
}
std::string Gemini(const std::string& fields) {
  return R"({"session_id":"s1","transcript_path":"/h/.gemini/t.json","cwd":"/w/sub",)"
         R"("timestamp":"2026-01-02T03:04:05.000Z",)" +
         fields + "}";
}
std::string Cursor(const std::string& fields) {
  return R"({"conversation_id":"s1","generation_id":"g1","model":"m","cursor_version":"3.1.0",)"
         R"("workspace_roots":["/w"],"user_email":null,"transcript_path":null,)" +
         fields + "}";
}
std::string Copilot(const std::string& fields) {
  return R"({"sessionId":"s1","timestamp":1767322645000,"cwd":"/w/sub",)" + fields + "}";
}
std::string CopilotNamed(const std::string& fields) {
  return R"({"session_id":"s1","timestamp":"2026-01-02T03:04:05Z","cwd":"/w/sub",)" + fields + "}";
}
std::string Windsurf(const std::string& fields) {
  return R"({"trajectory_id":"s1","execution_id":"x1","timestamp":"2026-01-02T03:04:05Z",)" +
         fields + "}";
}
std::string OpenCode(const std::string& fields) {
  return R"({"session_id":"s1","cwd":"/w/sub","project":"/w",)" + fields + "}";
}

constexpr const char* kBlocks = R"({"decision":"block","reason":"no"})";
constexpr const char* kDenies = R"({"decision":"deny","reason":"no"})";
constexpr const char* kNested =
    R"({"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",)"
    R"("permissionDecisionReason":"no"}})";
constexpr const char* kPermits =
    R"({"permission":"deny","user_message":"no","agent_message":"no"})";
constexpr const char* kFlatDenies =
    R"({"permissionDecision":"deny","permissionDecisionReason":"no"})";
constexpr const char* kFollows = R"({"followup_message":"no"})";

std::vector<EventFixture> Fixtures() {
  const std::string bash = R"("tool_name":"Bash","tool_input":{"command":"make test"},)"
                           R"("tool_use_id":"u1")";
  const std::string shell = R"("tool_name":"run_shell_command",)"
                            R"("tool_input":{"command":"make test"})";
  const std::string flat = R"("toolName":"bash","toolArgs":"{\"command\":\"make test\"}")";
  const std::string line = R"("tool_info":{"command_line":"make test","cwd":"/w/sub"})";
  const std::string mcp = R"("tool_info":{"mcp_server_name":"github","mcp_tool_name":"issue",)"
                          R"("mcp_tool_arguments":{"title":"t"})";
  const std::string file = R"("tool_info":{"file_path":"/w/a.py","edits":[]})";
  return {
      {"claude-code",
       "PreToolUse",
       EventKind::kBefore,
       {},
       Claude(R"("hook_event_name":"PreToolUse",)" + bash),
       kNested},
      {"claude-code", "PostToolUse", EventKind::kAfter, kWell,
       Claude(R"("hook_event_name":"PostToolUse",)" + bash +
              R"(,"tool_response":{"stdout":"ok","stderr":"","interrupted":false,)"
              R"("isImage":false,"noOutputExpected":false},"duration_ms":12)"),
       kBlocks},
      {"claude-code", "PostToolUseFailure", EventKind::kFailed, kNotWell,
       Claude(R"("hook_event_name":"PostToolUseFailure",)" + bash +
              R"(,"error":"Exit code 1\nfailed","is_interrupt":false)"),
       kBlocks},
      {"claude-code",
       "UserPromptSubmit",
       EventKind::kSaid,
       {},
       Claude(R"("hook_event_name":"UserPromptSubmit","prompt":"do it")"),
       kBlocks},
      {"claude-code",
       "SessionStart",
       EventKind::kSessionStart,
       {},
       Claude(R"("hook_event_name":"SessionStart","source":"startup","model":"m")"),
       "{}"},
      {"claude-code",
       "SessionEnd",
       EventKind::kSessionEnd,
       {},
       Claude(R"("hook_event_name":"SessionEnd","reason":"prompt_input_exit")"),
       "{}"},
      {"claude-code",
       "Stop",
       EventKind::kTurnEnd,
       {},
       Claude(R"("hook_event_name":"Stop","stop_hook_active":true,"last_assistant_message":"d",)"
              R"("background_tasks":[],"session_crons":[])"),
       kBlocks},
      {"claude-code",
       "SubagentStop",
       EventKind::kSubagentEnd,
       {},
       Claude(R"("hook_event_name":"SubagentStop","stop_hook_active":false,"agent_id":"a1",)"
              R"("agent_type":"Explore","agent_transcript_path":"/h/a1.jsonl")"),
       kBlocks},

      {"codex",
       "PreToolUse",
       EventKind::kBefore,
       {},
       Codex(R"("hook_event_name":"PreToolUse",)" + bash),
       kNested},
      {"codex", "PostToolUse", EventKind::kAfter, kNotKnown,
       Codex(R"("hook_event_name":"PostToolUse",)" + bash + R"(,"tool_response":"ok")"), kBlocks},
      {"codex",
       "UserPromptSubmit",
       EventKind::kSaid,
       {},
       Codex(R"("hook_event_name":"UserPromptSubmit","prompt":"do it")"),
       kBlocks},
      {"codex",
       "SessionStart",
       EventKind::kSessionStart,
       {},
       Claude(R"("hook_event_name":"SessionStart","model":"gpt-5","source":"resume")"),
       "{}"},
      {"codex",
       "SessionEnd",
       EventKind::kSessionEnd,
       {},
       Claude(R"("hook_event_name":"SessionEnd","model":"gpt-5","reason":"other")"),
       "{}"},
      {"codex",
       "Stop",
       EventKind::kTurnEnd,
       {},
       Codex(R"("hook_event_name":"Stop","stop_hook_active":false,"last_assistant_message":null)"),
       kBlocks},
      {"codex",
       "SubagentStop",
       EventKind::kSubagentEnd,
       {},
       Codex(R"("hook_event_name":"SubagentStop","agent_id":"a1","agent_type":"worker",)"
             R"("stop_hook_active":false)"),
       kBlocks},

      {"gemini-cli",
       "BeforeTool",
       EventKind::kBefore,
       {},
       Gemini(R"("hook_event_name":"BeforeTool",)" + shell),
       kDenies},
      {"gemini-cli", "AfterTool", EventKind::kAfter, kNotKnown,
       Gemini(R"("hook_event_name":"AfterTool",)" + shell +
              R"(,"tool_response":{"llmContent":"Output: ok","returnDisplay":"ok"})"),
       kDenies},
      {"gemini-cli",
       "BeforeAgent",
       EventKind::kSaid,
       {},
       Gemini(R"("hook_event_name":"BeforeAgent","prompt":"do it")"),
       kDenies},
      {"gemini-cli",
       "SessionStart",
       EventKind::kSessionStart,
       {},
       Gemini(R"("hook_event_name":"SessionStart","source":"startup")"),
       "{}"},
      {"gemini-cli",
       "SessionEnd",
       EventKind::kSessionEnd,
       {},
       Gemini(R"("hook_event_name":"SessionEnd","reason":"exit")"),
       "{}"},
      {"gemini-cli",
       "AfterAgent",
       EventKind::kTurnEnd,
       {},
       Gemini(R"("hook_event_name":"AfterAgent","prompt":"do it","prompt_response":"d",)"
              R"("stop_hook_active":true)"),
       kDenies},

      {"cursor",
       "preToolUse",
       EventKind::kBefore,
       {},
       Cursor(R"("hook_event_name":"preToolUse","tool_name":"Shell","tool_use_id":"u1",)"
              R"("tool_input":{"command":"make test","working_directory":"/w"},"cwd":"/w")"),
       kPermits},
      {"cursor", "postToolUse", EventKind::kAfter, kWell,
       Cursor(R"("hook_event_name":"postToolUse","tool_name":"Shell","tool_use_id":"u1",)"
              R"("tool_input":{"command":"make test"},"cwd":"/w","duration":12,)"
              R"("tool_output":"{\"exitCode\":0,\"stdout\":\"ok\"}")"),
       kBlocks},
      {"cursor", "postToolUseFailure", EventKind::kFailed, kNotWell,
       Cursor(R"("hook_event_name":"postToolUseFailure","tool_name":"Shell","tool_use_id":"u1",)"
              R"("tool_input":{"command":"make test"},"error_message":"timed out",)"
              R"("failure_type":"timeout","is_interrupt":false)"),
       kBlocks},
      {"cursor",
       "beforeShellExecution",
       EventKind::kBefore,
       {},
       Cursor(R"("hook_event_name":"beforeShellExecution","command":"make test","cwd":"/w/sub",)"
              R"("sandbox":false)"),
       kPermits},
      {"cursor", "afterShellExecution", EventKind::kAfter, kNotKnown,
       Cursor(R"("hook_event_name":"afterShellExecution","command":"make test","output":"ok",)"
              R"("duration":12,"sandbox":false)"),
       kBlocks},
      {"cursor",
       "beforeMCPExecution",
       EventKind::kBefore,
       {},
       Cursor(R"("hook_event_name":"beforeMCPExecution","tool_name":"issue",)"
              R"("tool_input":"{\"title\":\"t\"}","url":"https://x/")"),
       kPermits},
      {"cursor", "afterMCPExecution", EventKind::kAfter, kNotKnown,
       Cursor(R"("hook_event_name":"afterMCPExecution","tool_name":"issue",)"
              R"("tool_input":"{\"title\":\"t\"}","result_json":"{}","duration":12)"),
       kBlocks},
      {"cursor",
       "beforeReadFile",
       EventKind::kBefore,
       {},
       Cursor(R"("hook_event_name":"beforeReadFile","file_path":"/w/a","content":"c",)"
              R"("attachments":[])"),
       kPermits},
      {"cursor", "afterFileEdit", EventKind::kAfter, kNotKnown,
       Cursor(R"("hook_event_name":"afterFileEdit","file_path":"/w/a","edits":[])"), kBlocks},
      {"cursor",
       "beforeSubmitPrompt",
       EventKind::kSaid,
       {},
       Cursor(R"("hook_event_name":"beforeSubmitPrompt","prompt":"do it","attachments":[])"),
       R"({"continue":false,"user_message":"no"})"},
      {"cursor",
       "sessionStart",
       EventKind::kSessionStart,
       {},
       Cursor(R"("hook_event_name":"sessionStart","session_id":"s1",)"
              R"("is_background_agent":false,"composer_mode":"agent")"),
       "{}"},
      {"cursor",
       "sessionEnd",
       EventKind::kSessionEnd,
       {},
       Cursor(R"("hook_event_name":"sessionEnd","session_id":"s1","reason":"completed",)"
              R"("duration_ms":1,"final_status":"completed")"),
       "{}"},
      {"cursor",
       "stop",
       EventKind::kTurnEnd,
       {},
       Cursor(R"("hook_event_name":"stop","status":"completed","loop_count":1)"),
       kFollows},
      {"cursor",
       "subagentStop",
       EventKind::kSubagentEnd,
       {},
       Cursor(R"("hook_event_name":"subagentStop","subagent_type":"explore",)"
              R"("status":"completed","task":"t","loop_count":0,"modified_files":[])"),
       kFollows},

      {"copilot-cli", "preToolUse", EventKind::kBefore, {}, Copilot(flat), kFlatDenies},
      {"copilot-cli", "postToolUse", EventKind::kAfter, kNotKnown,
       Copilot(flat + R"(,"toolResult":{"resultType":"success","textResultForLlm":"ok"})"),
       kBlocks},
      {"copilot-cli", "postToolUseFailure", EventKind::kFailed, kNotWell,
       Copilot(flat + R"(,"error":"failed")"), kBlocks},
      {"copilot-cli",
       "userPromptSubmitted",
       EventKind::kSaid,
       {},
       Copilot(R"("prompt":"do it")"),
       "{}"},
      {"copilot-cli",
       "sessionStart",
       EventKind::kSessionStart,
       {},
       Copilot(R"("source":"new","initialPrompt":"do it")"),
       "{}"},
      {"copilot-cli",
       "sessionEnd",
       EventKind::kSessionEnd,
       {},
       Copilot(R"("reason":"complete")"),
       "{}"},
      {"copilot-cli",
       "agentStop",
       EventKind::kTurnEnd,
       {},
       Copilot(R"("transcriptPath":"/h/t","stopReason":"end_turn","stop_hook_active":true)"),
       kBlocks},
      {"copilot-cli",
       "subagentStop",
       EventKind::kSubagentEnd,
       {},
       Copilot(R"("transcriptPath":"/h/t","agentId":"a1","agentType":"x","agentName":"explore",)"
               R"("response":"d","stopReason":"end_turn")"),
       kBlocks},
      {"copilot-cli",
       "PreToolUse",
       EventKind::kBefore,
       {},
       CopilotNamed(R"("hook_event_name":"PreToolUse",)" + bash),
       R"({"permissionDecision":"deny","permissionDecisionReason":"no",)" +
           std::string(kNested).substr(1)},
      {"copilot-cli", "PostToolUse", EventKind::kAfter, kNotKnown,
       CopilotNamed(R"("hook_event_name":"PostToolUse",)" + bash +
                    R"(,"tool_result":{"result_type":"success","text_result_for_llm":"ok"})"),
       kBlocks},
      {"copilot-cli", "PostToolUseFailure", EventKind::kFailed, kNotWell,
       CopilotNamed(R"("hook_event_name":"PostToolUseFailure",)" + bash + R"(,"error":"failed")"),
       kBlocks},
      {"copilot-cli",
       "UserPromptSubmit",
       EventKind::kSaid,
       {},
       CopilotNamed(R"("hook_event_name":"UserPromptSubmit","prompt":"do it")"),
       "{}"},
      {"copilot-cli",
       "SessionStart",
       EventKind::kSessionStart,
       {},
       CopilotNamed(R"("hook_event_name":"SessionStart","source":"new")"),
       "{}"},
      {"copilot-cli",
       "SessionEnd",
       EventKind::kSessionEnd,
       {},
       CopilotNamed(R"("hook_event_name":"SessionEnd","reason":"complete")"),
       "{}"},
      {"copilot-cli",
       "Stop",
       EventKind::kTurnEnd,
       {},
       CopilotNamed(R"("hook_event_name":"Stop","transcript_path":"/h/t",)"
                    R"("stop_reason":"end_turn","stop_hook_active":false)"),
       kBlocks},
      {"copilot-cli",
       "SubagentStop",
       EventKind::kSubagentEnd,
       {},
       CopilotNamed(R"("hook_event_name":"SubagentStop","agent_id":"a1","agent_name":"explore",)"
                    R"("stop_reason":"end_turn")"),
       kBlocks},

      {"windsurf",
       "pre_run_command",
       EventKind::kBefore,
       {},
       Windsurf(R"("agent_action_name":"pre_run_command",)" + line),
       "{}"},
      {"windsurf", "post_run_command", EventKind::kAfter, kNotKnown,
       Windsurf(R"("agent_action_name":"post_run_command",)" + line), "{}"},
      {"windsurf",
       "pre_read_code",
       EventKind::kBefore,
       {},
       Windsurf(R"("agent_action_name":"pre_read_code",)" + file),
       "{}"},
      {"windsurf", "post_read_code", EventKind::kAfter, kNotKnown,
       Windsurf(R"("agent_action_name":"post_read_code",)" + file), "{}"},
      {"windsurf",
       "pre_write_code",
       EventKind::kBefore,
       {},
       Windsurf(R"("agent_action_name":"pre_write_code",)" + file),
       "{}"},
      {"windsurf", "post_write_code", EventKind::kAfter, kNotKnown,
       Windsurf(R"("agent_action_name":"post_write_code",)" + file), "{}"},
      {"windsurf",
       "pre_mcp_tool_use",
       EventKind::kBefore,
       {},
       Windsurf(R"("agent_action_name":"pre_mcp_tool_use",)" + mcp + "}"),
       "{}"},
      {"windsurf", "post_mcp_tool_use", EventKind::kAfter, kNotKnown,
       Windsurf(R"("agent_action_name":"post_mcp_tool_use",)" + mcp + R"(,"mcp_result":"r"})"),
       "{}"},
      {"windsurf",
       "pre_user_prompt",
       EventKind::kSaid,
       {},
       Windsurf(R"("agent_action_name":"pre_user_prompt","tool_info":{"user_prompt":"do it"})"),
       "{}"},
      {"windsurf",
       "post_cascade_response",
       EventKind::kTurnEnd,
       {},
       Windsurf(R"("agent_action_name":"post_cascade_response","tool_info":{"response":"d"})"),
       "{}"},

      {"opencode",
       "tool.execute.before",
       EventKind::kBefore,
       {},
       OpenCode(R"("hook_event_name":"tool.execute.before",)" + bash),
       kDenies},
      {"opencode", "tool.execute.after", EventKind::kAfter, kWell,
       OpenCode(R"("hook_event_name":"tool.execute.after",)" + bash +
                R"(,"tool_response":{"output":"ok","metadata":{"exit":0},"isError":false})"),
       kDenies},
      {"opencode", "tool.execute.failed", EventKind::kFailed, kNotWell,
       OpenCode(R"("hook_event_name":"tool.execute.failed",)" + bash + R"(,"error":"failed")"),
       kDenies},
      {"opencode",
       "chat.message",
       EventKind::kSaid,
       {},
       OpenCode(R"("hook_event_name":"chat.message","prompt":"do it")"),
       kDenies},
      {"opencode",
       "session.created",
       EventKind::kSessionStart,
       {},
       OpenCode(R"("hook_event_name":"session.created")"),
       "{}"},
      {"opencode",
       "session.deleted",
       EventKind::kSessionEnd,
       {},
       OpenCode(R"("hook_event_name":"session.deleted","reason":"closed")"),
       "{}"},
      {"opencode",
       "session.idle",
       EventKind::kTurnEnd,
       {},
       OpenCode(R"("hook_event_name":"session.idle","stop_hook_active":true)"),
       kDenies},
  };
}

TEST_CASE("host events: the event of each row is read, and a denial has its form") {
  std::set<std::pair<std::string, std::string>> covered;
  for (const EventFixture& fixture : Fixtures()) {
    INFO(fixture.host << " " << fixture.name);
    CHECK(covered.emplace(fixture.host, fixture.name).second);
    const HookEvent event = EventText(fixture.json, fixture.host);
    CHECK(event.name == fixture.name);
    CHECK(event.host->name == fixture.host);
    CHECK(event.kind == fixture.kind);
    CHECK(event.session == "s1");
    CHECK(event.unreadable.empty());
    CHECK(event.ended_well == fixture.ended_well);
    CHECK(HookDeny(event, "no").dump() == fixture.denial);
    CHECK(HookDenialCode(event.form) == (event.form == HookForm::kExitCode ? 2 : 0));
    if (event.kind == EventKind::kSaid) CHECK(event.text == "do it");
    CHECK(event.tool.empty() == !IsToolUse(event.kind));
    CHECK(event.agent.empty() == (event.kind != EventKind::kSubagentEnd));
  }
  for (const HookHost& host : HookHosts())
    for (const HookRow& row : host.events)
      CHECK(covered.contains({std::string(host.name), std::string(row.name)}));
}

TEST_CASE("host events: without its name the host is told by the event's keys") {
  for (const EventFixture& fixture : Fixtures()) {
    INFO(fixture.host << " " << fixture.name);
    const HookEvent event = EventText(fixture.json);
    CHECK(event.kind == fixture.kind);
    CHECK(event.ended_well == fixture.ended_well);
    CHECK(HookDeny(event, "no").dump() == fixture.denial);
    // The beginning and the end of a session of Codex are as Claude Code's.
    if (fixture.host != "codex" || fixture.json.find("turn_id") != std::string::npos)
      CHECK(event.host->name == fixture.host);
  }
}

TEST_CASE("host events: a denial by the supervising parent has an exit code that is read") {
  std::map<std::string, int> codes;
  for (const HookHost& host : HookHosts())
    for (const HookRow& row : host.events)
      if (row.kind == EventKind::kTurnEnd || FaultCode(row.form) == 0)
        codes[std::string(host.name) + " " + std::string(row.name)] = FaultCode(row.form);
  CHECK(codes == std::map<std::string, int>{{"claude-code Stop", 2},
                                            {"codex Stop", 2},
                                            {"gemini-cli AfterAgent", 2},
                                            {"cursor stop", 0},
                                            {"cursor subagentStop", 0},
                                            {"copilot-cli agentStop", 0},
                                            {"copilot-cli subagentStop", 0},
                                            {"copilot-cli Stop", 0},
                                            {"copilot-cli SubagentStop", 0},
                                            {"windsurf post_cascade_response", 2},
                                            {"opencode session.idle", 2}});
}

TEST_CASE("host events: a denial always has a reason") {
  for (int i = 0; i <= static_cast<int>(HookForm::kSilent); ++i) {
    const auto form = static_cast<HookForm>(i);
    INFO(HookFormText(form));
    const ordered_json answer = HookAnswer(form, "deny", " \n");
    REQUIRE(answer.is_object());
    CHECK(answer == HookAnswer(form, "deny", ""));
    CHECK((answer.empty() || answer.dump().find("no reason was given") != std::string::npos));
    CHECK(HookAnswer(form, "deny", "\"@$\n\xff").empty() == answer.empty());
  }
  CHECK(HookAnswer(HookForm::kPreToolUse, "allow", "").dump() ==
        R"({"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow",)"
        R"("permissionDecisionReason":""}})");
}

TEST_CASE("host events: context is in the form of the host") {
  const auto context = [](const std::string& json) {
    return HookContext(EventText(json), "c").dump();
  };
  CHECK(context(Claude(R"("hook_event_name":"SessionStart")")) ==
        R"({"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"c"}})");
  CHECK(context(Codex(R"("hook_event_name":"UserPromptSubmit","prompt":"p")")) ==
        R"({"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"c"}})");
  CHECK(context(Gemini(R"("hook_event_name":"BeforeAgent","prompt":"p")")) ==
        R"({"hookSpecificOutput":{"hookEventName":"BeforeAgent","additionalContext":"c"}})");
  CHECK(context(Cursor(R"("hook_event_name":"sessionStart")")) == R"({"additional_context":"c"})");
  CHECK(context(Copilot(R"("source":"new")")) == R"({"additionalContext":"c"})");
  CHECK(context(OpenCode(R"("hook_event_name":"session.created")")) ==
        R"({"additionalContext":"c"})");
  CHECK(context(Cursor(R"("hook_event_name":"beforeSubmitPrompt","prompt":"p")")) == "{}");
  CHECK(HookPass().dump() == "{}");
}

TEST_CASE("host events: an event that only another host has reports no end") {
  const std::string text =
      Cursor(R"("hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"x"},)"
             R"("tool_response":{"stdout":"","interrupted":false})");
  CHECK(EventText(text).ended_well == kNotKnown);
  CHECK(EventText(text).host->name == "claude-code");
  CHECK(Why(text, "cursor") == "`PostToolUse` is no event of cursor that is known");
}

TEST_CASE("host events: an event that is not known is refused in the form of its host, and named") {
  const auto refuse = [](const std::string& text, std::string_view host = "") {
    const ReadResult read = Read(text, host);
    CHECK_FALSE(read.event.value);
    REQUIRE(read.form);
    return read.event.why + " " + HookAnswer(*read.form, "deny", "no").dump();
  };
  CHECK(refuse(Claude(R"("hook_event_name":"TeammateIdle")")) ==
        "`TeammateIdle` is no event of claude-code that is known " + std::string(kNested));
  CHECK(refuse(Codex(R"("hook_event_name":"Interrupt")")) ==
        "`Interrupt` is no event of codex that is known " + std::string(kNested));
  CHECK(refuse(Gemini(R"("hook_event_name":"BeforeModel")"), "gemini-cli") ==
        "`BeforeModel` is no event of gemini-cli that is known " + std::string(kDenies));
  CHECK(refuse(Cursor(R"("hook_event_name":"workspaceOpen")")) ==
        "`workspaceOpen` is no event of cursor that is known " + std::string(kPermits));
  CHECK(refuse(Copilot(R"("error":{},"errorContext":"system","recoverable":true)")) ==
        "`errorOccurred` is no event of copilot-cli that is known " + std::string(kFlatDenies));
  CHECK(refuse(Windsurf(R"("agent_action_name":"post_setup_worktree")")) ==
        "`post_setup_worktree` is no event of windsurf that is known {}");
  CHECK(refuse(R"({"hook_event_name":"session.error"})") ==
        "`session.error` is no event of opencode that is known " + std::string(kDenies));
  CHECK(refuse(R"({"hook_event_name":7,"tool_name":"Bash"})") ==
        "`` is no event of claude-code that is known " + std::string(kNested));
  CHECK(refuse(R"({"hook_event_name":")" + std::string(10'000, 'x') + R"("})").size() < 400);
}

TEST_CASE("host events: the project is the event's, the caller's, or where the agent is") {
  const auto project = [](const std::string& fields, const std::string& given) {
    const ReadResult read =
        Read(R"({"hook_event_name":"Stop","session_id":"s")" + fields + "}", "", given);
    REQUIRE(read.event.value);
    return read.event.value->project;
  };
  CHECK(project(R"(,"cwd":"/w/sub")", "/w") == "/w");
  CHECK(project(R"(,"cwd":"/w/sub")", "") == "/w/sub");
  CHECK(project(R"(,"cwd":"/w/x/../sub/")", "w") == "/w/sub");
  CHECK(project(R"(,"cwd":"w")", "").empty());
  CHECK(project(R"(,"cwd":7)", "").empty());
  CHECK(project(R"(,"cwd":"/w\u0000/x")", "").empty());
  CHECK(project("", "/") == "/");
  CHECK(EventText(Cursor(R"("hook_event_name":"stop","cwd":"/w/sub")")).project == "/w");
  CHECK(EventText(R"({"hook_event_name":"stop","conversation_id":"s","workspace_roots":[7]})")
            .project.empty());
  CHECK(EventText(R"({"hook_event_name":"stop","conversation_id":"s","workspace_roots":"/w"})")
            .project.empty());
  CHECK(EventText(OpenCode(R"("hook_event_name":"session.idle")")).project == "/w");
  const HookEvent run =
      EventText(Windsurf(R"("agent_action_name":"pre_run_command","tool_info":{"command_line":"x",)"
                         R"("cwd":"/w"})"));
  CHECK(run.project == "/w");
  CHECK(run.arguments["command"] == "x");
}

TEST_CASE("host events: a subagent has a name, a main agent has none") {
  const std::string call = R"("hook_event_name":"PreToolUse","tool_name":"Read")";
  CHECK(EventText(Claude(call + R"(,"agent_id":"a1","agent_type":"Explore")")).agent == "Explore");
  CHECK(EventText(Claude(call + R"(,"agent_id":"a1")")).agent == "a1");
  CHECK(EventText(Claude(call + R"(,"agent_type":"reviewer")")).agent.empty());
  CHECK(EventText(Claude(call + R"(,"agent_id":7,"agent_type":"Explore")")).agent.empty());
  CHECK(EventText(OpenCode(R"("hook_event_name":"tool.execute.before","tool_name":"read",)"
                           R"("agent":"explore")"))
            .agent == "explore");
}

TEST_CASE("host events: an agent that was kept at work says so, and why an event is") {
  const HookEvent stop = EventText(Claude(R"("hook_event_name":"Stop","stop_hook_active":true)"));
  CHECK(stop.stop_hook_active);
  CHECK_FALSE(
      EventText(Claude(R"("hook_event_name":"Stop","stop_hook_active":"yes")")).stop_hook_active);
  const HookEvent again =
      EventText(Cursor(R"("hook_event_name":"stop","status":"aborted","loop_count":2)"));
  CHECK(again.stop_hook_active);
  CHECK(again.detail == "aborted");
  CHECK(EventText(Claude(R"("hook_event_name":"SessionStart","source":"compact")")).detail ==
        "compact");
  CHECK(EventText(Gemini(R"("hook_event_name":"SessionEnd","reason":"clear")")).detail == "clear");
}

TEST_CASE("host events: `ask` reaches somebody only in modes that ask, and of hosts that do") {
  const auto asks = [](const std::string& mode) {
    return EventText(R"({"hook_event_name":"PreToolUse","tool_name":"Bash","permission_mode":")" +
                     mode + "\"}")
        .asks;
  };
  CHECK(asks("default"));
  CHECK(asks("acceptEdits"));
  CHECK_FALSE(asks("bypassPermissions"));
  CHECK_FALSE(asks("dontAsk"));
  CHECK_FALSE(asks("auto"));
  CHECK_FALSE(EventText(Codex(R"("hook_event_name":"PreToolUse","tool_name":"Bash")")).asks);
}

TEST_CASE("host events: what is not in the form of an event has a reason") {
  CHECK(Why("") == "the input is not one JSON object: the text is empty, and no JSON value");
  CHECK(Why("[]") == "the input is no object");
  CHECK(Why("{}") == "the input has no `tool_name`");
  CHECK(Why(Claude(R"("hook_event_name":"PreToolUse","tool_name":7,"tool_use_id":"u1")")) ==
        "the input has no `tool_name` (the call `u1`)");
  CHECK(Why(Claude(R"("hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":[1])")) ==
        "`tool_input` is no object");
  CHECK(Why(Claude(R"("hook_event_name":"PreToolUse","tool_name":"Bash",)"
                   R"("tool_input":{"n":100000000000000000001})")) ==
        "`tool_input`: an integer has more than 64 bits");
  CHECK(Why(Claude(R"("hook_event_name":"UserPromptSubmit")")) == "the input has no `prompt`");
  CHECK(Why(Claude(R"("hook_event_name":"UserPromptSubmit","prompt":["x"])")) ==
        "the input has no `prompt`");
  CHECK(Why(Windsurf(R"("agent_action_name":"pre_user_prompt","tool_info":"x")")) ==
        "the input has no `tool_info.user_prompt`");
  CHECK(Why(Copilot(R"("toolName":"bash","toolArgs":"x")")) ==
        "`toolArgs` is not the text of an object: `x` is not JSON");
  const std::string deep(100'000, '[');
  CHECK_THAT(Why(R"({"hook_event_name":"Stop","x":)" + deep),
             Catch::StartsWith("the input is not one JSON object: "));
}

TEST_CASE("host events: a key twice is refused, and told where the event is over") {
  for (const char* name : {"PreToolUse", "UserPromptSubmit", "SessionStart", "Stop"}) {
    INFO(name);
    CHECK_THAT(Why(Claude(R"("tool_name":"Bash","prompt":"p","prompt":"q","hook_event_name":")" +
                          std::string(name) + "\"")),
               Catch::Contains("occurs twice"));
  }
  const HookEvent after =
      EventText(Claude(R"("hook_event_name":"PostToolUse","tool_name":"Bash","tool_use_id":"u1",)"
                       R"("tool_input":{"command":"x"},"tool_response":{"stdout":"","stdout":"",)"
                       R"("interrupted":false})"));
  CHECK(after.id == "u1");
  CHECK_THAT(after.unreadable, Catch::Contains("occurs twice") && Catch::Contains("`u1`"));
  CHECK_FALSE(EventText(Claude(R"("hook_event_name":"SessionEnd","reason":"a","reason":"b")"))
                  .unreadable.empty());
}

TEST_CASE("host events: an event that is not readable as a whole is no evidence") {
  const HookEvent after = EventText(
      Claude(R"("hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"x"},)"
             R"("tool_response":{"stdout":"","interrupted":true,"interrupted":false})"));
  CHECK_FALSE(after.unreadable.empty());
  CHECK(after.ended_well == kNotKnown);
}

TEST_CASE("host events: texts of any length and halves of characters are read") {
  const std::string large(5'000'000, 'x');
  CHECK(EventText(Claude(R"("hook_event_name":"UserPromptSubmit","prompt":")" + large + "\""))
            .text.size() == large.size());
  CHECK(EventText(Claude(R"("hook_event_name":"UserPromptSubmit","prompt":"a\ud83d")")).text ==
        "a\xEF\xBF\xBD");
  const HookEvent bytes = EventText(
      Claude(R"("hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"x"},)"
             "\"tool_response\":{\"stdout\":\"\xff\",\"interrupted\":false}"));
  CHECK(bytes.unreadable.empty());
  CHECK(bytes.response["stdout"] == "\xEF\xBF\xBD");
  CHECK(bytes.ended_well == kWell);
}

TEST_CASE("host events: any cut of an event, and any key of another type, is read or refused") {
  for (const EventFixture& fixture : Fixtures()) {
    INFO(fixture.host << " " << fixture.name);
    for (std::size_t size = 0; size < fixture.json.size(); size += 7) {
      const ReadResult read = Read(fixture.json.substr(0, size));
      CHECK(read.event.value.has_value() == read.event.why.empty());
      CHECK_FALSE(read.event.value);
    }
    const ordered_json whole = ordered_json::parse(fixture.json);
    for (const auto& [key, value] : whole.items())
      for (const ordered_json& other :
           {ordered_json(nullptr), ordered_json(7), ordered_json("x"), ordered_json(true),
            ordered_json::array({1}), ordered_json::object()}) {
        ordered_json changed = whole;
        changed[key] = other;
        const ReadResult read = Read(changed.dump());
        CHECK(read.event.value.has_value() == read.event.why.empty());
        // A result of another type never makes a failure an end.
        if (read.event.value && fixture.ended_well != kWell)
          CHECK(read.event.value->ended_well != kWell);
      }
    for (const auto& [key, value] : whole.items()) {
      ordered_json changed = whole;
      changed.erase(key);
      const ReadResult read = Read(changed.dump());
      CHECK(read.event.value.has_value() == read.event.why.empty());
    }
  }
}

TEST_CASE("host events: calls for a policy are the uses of tools") {
  const GuardConfig config;
  for (const EventFixture& fixture : Fixtures()) {
    INFO(fixture.host << " " << fixture.name);
    std::optional<bool> after;
    const Sourced<HookCall> read = ReadHookCall(fixture.json, nullptr, config, Moment{0},
                                                [&](HookForm, bool is) { after = is; });
    REQUIRE(read.value.has_value() == IsToolUse(fixture.kind));
    REQUIRE(after.has_value());
    if (!read.value) {
      CHECK(read.why == "`" + std::string(fixture.name) +
                            "` is no event before or after the use of a tool that is known");
      continue;
    }
    CHECK(after == (fixture.kind != EventKind::kBefore));
    CHECK(read.value->failed == (fixture.ended_well == kNotWell));
    CHECK(read.value->line.call.phase == (*after ? CallPhase::kAfter : CallPhase::kBefore));
  }
}

TEST_CASE("host events: a call for a policy is that of the host, if it is named") {
  const std::string text = Claude(R"("hook_event_name":"PreToolUse","tool_name":"Bash")");
  const auto read = [&](std::string_view host) {
    std::optional<HookForm> form;
    const Sourced<HookCall> call = ReadHookCall(text, FindHookHost(host), {}, Moment{0},
                                                [&](HookForm of, bool) { form = of; });
    CHECK(call.value.has_value() == call.why.empty());
    REQUIRE(form);
    return std::pair(*form, call.why.empty());
  };
  CHECK(read("") == std::pair(HookForm::kPreToolUse, true));
  CHECK(read("codex") == std::pair(HookForm::kPreToolUse, true));
  CHECK(read("copilot") == std::pair(HookForm::kFlatAndNested, true));
  CHECK(read("cursor") == std::pair(HookForm::kPermission, false));
  CHECK(read("gemini-cli") == std::pair(HookForm::kDecision, false));
}

TEST_CASE("host events: the sample of a row is read as an event of the row") {
  for (const HookHost& host : HookHosts()) {
    const auto read_sample = [&](const HookRow& row) {
      return Read(SampleHookEvent(host, row, "/w/p").dump(), "",
                  host.settings.needs_project ? "/w/p" : "");
    };
    for (const HookRow& row : host.events) {
      INFO(host.name << " " << row.name << ": " << SampleHookEvent(host, row, "/w/p").dump());
      const ReadResult read = read_sample(row);
      REQUIRE(read.event.value);
      const HookEvent& event = *read.event.value;
      CHECK(event.host == &host);
      CHECK(event.name == row.name);
      CHECK(read.form == row.form);
      CHECK(event.session == "rpl-doctor");
      CHECK(event.project == "/w/p");
      CHECK(event.id == (IsToolUse(row.kind) && !host.keys.call.empty() ? "rpl-doctor-1" : ""));
      CHECK(event.tool.empty() != IsToolUse(row.kind));
      CHECK(event.served.has_value() == !row.served.empty());
    }
    HookRow unknown = host.events.front();
    unknown.name = "Unknown";
    CHECK_FALSE(read_sample(unknown).event.value);
  }
}

TEST_CASE("host events: keys of one host in events of another are read after its own") {
  const HookEvent event = EventText(
      R"({"hook_event_name":"PreToolUse","tool_name":"Bash","sessionId":"s","toolCallId":"u"})");
  CHECK(event.host->name == "claude-code");
  CHECK(event.session == "s");
  CHECK(event.id == "u");
  CHECK(EventText(Windsurf(R"("agent_action_name":"pre_run_command","session_id":"other")"))
            .session == "s1");
}

TEST_CASE("host events: the server of a tool, where the host names it") {
  const auto served = [](const std::string& json, std::string_view host = "") -> std::string {
    const HookEvent event = EventText(json, host);
    return event.served ? event.tool + ": " + event.served->server + " " + event.served->tool : "";
  };
  const std::string name = R"("tool_name":"query","tool_input":"{\"q\":1}")";
  CHECK(served(Cursor(R"("hook_event_name":"beforeMCPExecution","mcp_server_name":"db",)" +
                      name)) == "query: db query");
  CHECK(served(Cursor(R"("hook_event_name":"beforeMCPExecution","url":"https://x.org",)" + name)) ==
        "query:  query");
  CHECK(served(Cursor(R"("hook_event_name":"preToolUse",)" + name)) == "");
  CHECK(served(Windsurf(R"("agent_action_name":"pre_mcp_tool_use","tool_info":{"mcp_server_name":)"
                        R"("db","mcp_tool_name":"query","mcp_tool_arguments":{}})")) ==
        "query: db query");
  CHECK(served(Windsurf(R"("agent_action_name":"pre_run_command","tool_info":{"command_line":"x",)"
                        R"("mcp_server_name":"db","mcp_tool_name":"query"})")) == "");
  const std::string gemini = R"("hook_event_name":"BeforeTool","tool_name":"mcp_my_db_query",)"
                             R"("tool_input":{"mcp_context":{"server_name":"x","tool_name":"y"}})";
  CHECK(served(Gemini(gemini + R"(,"mcp_context":{"server_name":"my_db","tool_name":"query"})")) ==
        "mcp_my_db_query: my_db query");
  CHECK(served(Gemini(gemini)) == "");
  CHECK(served(Gemini(gemini + R"(,"mcp_context":{"server_name":"my_db"})")) == "");
}

TEST_CASE("host events: the plugin of OpenCode contains the command as words") {
  const std::vector<std::string> command = {"/opt/rpl", "guard", "hook", "a b", "'\"`${x}\n"};
  const std::string plugin = OpenCodePlugin(command, 5000);
  CHECK_THAT(plugin,
             Catch::Contains(R"(const COMMAND = ["/opt/rpl","guard","hook","a b","'\"`${x}\n"];)"));
  CHECK_THAT(plugin, Catch::Contains("const TIMEOUT_MS = 5000;"));
  for (const HookRow& row : FindHookHost("opencode")->events)
    CHECK_THAT(plugin, Catch::Contains('"' + std::string(row.name) + '"'));
}

}  // namespace
}  // namespace rpl
