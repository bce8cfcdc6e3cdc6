// SPDX-License-Identifier: Apache-2.0
//
// The table of hosts, and how the end of a call is known by the results that they report.
#include "shell/guard/hook_table.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "shell/guard/hook_event.h"
#include "shell/guard/hook_reader.h"
#include "shell/guard/hook_settings.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

constexpr std::optional<bool> kTableWell = true;
constexpr std::optional<bool> kTableNotWell = false;
constexpr std::optional<bool> kTableNotKnown = std::nullopt;

// Whether a use of a tool ended well that a host reports with these fields.
std::optional<bool> End(const std::string& tool, const std::string& args, const std::string& result,
                        std::string_view host = "claude-code") {
  const std::string key = host == "cursor"        ? "tool_output"
                          : host == "copilot-cli" ? "tool_result"
                                                  : "tool_response";
  const std::string name = host == "gemini-cli" ? "AfterTool"
                           : host == "cursor"   ? "postToolUse"
                           : host == "opencode" ? "tool.execute.after"
                                                : "PostToolUse";
  ordered_json event = {{"hook_event_name", name}, {"session_id", "s"}, {"tool_name", tool}};
  event["tool_input"] = ordered_json::parse(args);
  if (!result.empty()) event[key] = ordered_json::parse(result);
  HookSetting setting;
  setting.host = FindHookHost(host);
  const Sourced<HookEvent> read =
      ReadHookEvent(event.dump(), setting, [](HookForm, HookEventKind) {});
  REQUIRE(read.value);
  return read.value->ended_well;
}

TEST_CASE("host events: a command of Claude Code ended well if its result says nothing else") {
  const std::string args = R"({"command":"make test"})";
  const auto end = [&](const std::string& result) { return End("Bash", args, result); };
  CHECK(end(R"({"stdout":"","stderr":"","interrupted":false})") == kTableWell);
  CHECK(end(R"({"stdout":"","stderr":"","interrupted":true})") == kTableNotWell);
  CHECK(end(R"({"stdout":"","interrupted":false,"returnCodeInterpretation":"No matches found"})") ==
        kTableNotWell);
  CHECK(end(R"({"stdout":"","interrupted":false,"backgroundTaskId":"b1"})") == kTableNotKnown);
  CHECK(end(R"({"stdout":"","interrupted":false,"backgroundedByUser":true})") == kTableNotKnown);
  CHECK(End("Bash", R"({"command":"make test","run_in_background":true})",
            R"({"stdout":"","interrupted":false})") == kTableNotKnown);
  // Results that are not in its form.
  for (const char* result :
       {"", "null", "\"ok\"", "[]", "{}", R"({"stdout":""})", R"({"interrupted":false})",
        R"({"stdout":"","interrupted":"false"})", R"({"stdout":1,"interrupted":false})"}) {
    INFO(result);
    CHECK(end(result) == kTableNotKnown);
  }
  CHECK(end(R"({"stdout":"","interrupted":false,"is_error":true})") == kTableNotWell);
  CHECK(End("run_in_terminal", R"({"cmd":"make test"})", "\"ok\"") == kTableNotKnown);
  CHECK(End("exec_command", R"({"command_line":"make test"})", "\"ok\"") == kTableNotKnown);
  CHECK(End("pwsh", R"({"text":"make test"})", "\"ok\"") == kTableNotKnown);

  CHECK(End("Write", R"({"file_path":"/w/a"})", R"({"filePath":"/w/a","success":true})") ==
        kTableWell);
  CHECK(End("Write", R"({"file_path":"/w/a"})", R"({"success":false})") == kTableNotWell);
  CHECK(End("Task", R"({"prompt":"p"})", R"({"isAsync":true})") == kTableNotKnown);
}

TEST_CASE("host events: what a command printed is no report of its end") {
  const std::string args = R"({"command":"make test"})";
  for (const char* result : {R"("Exit code: 0")", R"("{\"exit_code\":0}")",
                             R"("{\"isError\":false}")", R"({"exit_code":0})"})
    CHECK(End("Bash", args, result, "codex") == kTableNotKnown);
  CHECK(End("Bash", args, R"({"isError":false})", "codex") == kTableNotKnown);
  CHECK(End("mcp__x__y", "{}", R"({"content":[],"isError":false})", "codex") == kTableWell);
  CHECK(End("mcp__x__y", "{}", R"({"content":[],"isError":true})", "codex") == kTableNotWell);
  CHECK(End("mcp__x__y", "{}", R"({"content":[]})", "codex") == kTableNotKnown);

  CHECK(End("run_shell_command", args, R"({"llmContent":"Output: ok\nExit Code: 0"})",
            "gemini-cli") == kTableNotKnown);
  CHECK(End("run_shell_command", args, R"({"llmContent":"","error":{"message":"m"}})",
            "gemini-cli") == kTableNotWell);
  CHECK(End("write_file", "{}", R"({"llmContent":"ok"})", "gemini-cli") == kTableWell);
  CHECK(End("write_file", "{}", "", "gemini-cli") == kTableNotKnown);

  const auto cursor = [&](const std::string& output) {
    return End("Shell", args, ordered_json(output).dump(), "cursor");
  };
  CHECK(cursor(R"({"exitCode":0,"stdout":"{\"exitCode\":1}"})") == kTableWell);
  CHECK(cursor(R"({"exitCode":1,"stdout":"{\"exitCode\":0}"})") == kTableNotWell);
  CHECK(cursor(R"({"exitCode":1,"exitCode":0})") == kTableNotKnown);
  CHECK(cursor(R"({"exitCode":"0"})") == kTableNotKnown);
  CHECK(cursor(R"({"exitCode":0.0})") == kTableNotKnown);
  CHECK(cursor(R"({"stdout":"ok"})") == kTableNotKnown);
  CHECK(cursor("ok") == kTableNotKnown);
  CHECK(End("Write", R"({"path":"/w/a"})", "\"{}\"", "cursor") == kTableWell);

  CHECK(End("bash", args, R"({"output":"ok","metadata":{"exit":0}})", "opencode") == kTableWell);
  CHECK(End("bash", args, R"({"output":"ok","metadata":{"exit":2}})", "opencode") == kTableNotWell);
  CHECK(End("bash", args, R"({"output":"ok","metadata":{"exit":null}})", "opencode") ==
        kTableNotKnown);
  CHECK(End("bash", args, R"({"output":"ok","metadata":{}})", "opencode") == kTableNotKnown);
  CHECK(End("read", "{}", R"({"output":"ok","metadata":{}})", "opencode") == kTableWell);
  CHECK(End("x_y", "{}", R"({"output":"ok","isError":true})", "opencode") == kTableNotWell);

  CHECK(End("Bash", args, R"({"result_type":"success"})", "copilot-cli") == kTableNotKnown);
  CHECK(End("Bash", args, R"({"result_type":"failure"})", "copilot-cli") == kTableNotWell);
  CHECK(End("Edit", "{}", R"({"result_type":"success"})", "copilot-cli") == kTableWell);
  CHECK(End("Edit", "{}", "{}", "copilot-cli") == kTableNotKnown);
}

TEST_CASE("host events: each host has settings, which are protected, and hooks before tools") {
  for (const HookHost& host : HookHosts()) {
    INFO(host.name);
    const std::string_view file = host.settings.file;
    const std::vector<std::string_view> places = HookWords(host.settings.places);
    const auto is_protected = [&](std::string_view path) {
      return std::find(places.begin(), places.end(), path) != places.end();
    };
    CHECK((is_protected(file) || is_protected(file.substr(0, file.rfind('/')))));
    REQUIRE_FALSE(InstalledHooks(host).empty());
    CHECK(InstalledHooks(host).front().kind == HookEventKind::kBefore);
    CHECK(FindHookHost(host.name) == &host);
    if (!host.short_name.empty()) CHECK(FindHookHost(host.short_name) == &host);
  }
  CHECK(HookHosts().front().name == "claude-code");
  CHECK(FindHookHost("copilot") == FindHookHost("copilot-cli"));
  CHECK(FindHookHost("copilot-") == nullptr);
  CHECK(FindHookHost("") == nullptr);
}

TEST_CASE("host events: a tool of one host may be a server's in another") {
  const auto is_own = [](std::string_view host, std::string_view tool) {
    return IsOwnTool(FindHookHost(host), tool);
  };
  CHECK_FALSE(is_own("opencode", "web_fetch"));
  CHECK_FALSE(is_own("gemini-cli", "fetch"));
  CHECK_FALSE(is_own("", "git_push"));
  for (const auto& [host, tool] :
       std::initializer_list<std::pair<const char*, const char*>>{{"gemini-cli", "web_fetch"},
                                                                  {"copilot-cli", "web_fetch"},
                                                                  {"opencode", "webfetch"},
                                                                  {"opencode", "todowrite"},
                                                                  {"opencode", "edit"},
                                                                  {"opencode", "apply_patch"},
                                                                  {"cursor", "Read"},
                                                                  {"cursor", "save_memory"},
                                                                  {"", "fetch"},
                                                                  {"", "Task"},
                                                                  {"", "TodoWrite"},
                                                                  {"", "update_plan"},
                                                                  {"claude-code", "WebFetch"}}) {
    INFO(host << " " << tool);
    CHECK(is_own(host, tool));
  }
}

}  // namespace
}  // namespace rpl
