// SPDX-License-Identifier: Apache-2.0
//
// The table of the events that agent hosts send to their hooks: one row per event of a host. A new
// event is a row of hook_table.cc and a fixture of hook_protocol_test.cc; CONTRIBUTING.md has the
// steps for a new host.
//
// A row says where an event names its tool, arguments, result and text, which form a denial has,
// and how the end of a call is known. Two hosts may give events the same name; the keys of an
// event tell them apart, see FindHookRow.
#ifndef RPL_SHELL_GUARD_HOOK_TABLE_H_
#define RPL_SHELL_GUARD_HOOK_TABLE_H_

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "shell/guard/hook_supervisor.h"

namespace rpl {

enum class HookHost { kClaudeCode, kCodex, kGeminiCli, kCursor, kCopilotCli, kWindsurf, kOpenCode };
/// How many there are: one more than the last.
inline constexpr std::size_t kHookHosts = static_cast<std::size_t>(HookHost::kOpenCode) + 1;

/// `claude-code`, `codex`, `gemini-cli`, `cursor`, `copilot-cli`, `windsurf`, `opencode`.
std::string_view HookHostName(HookHost host);
/// The names of all hosts, in the order of the enumeration.
std::span<const std::string_view> HookHostNames();
/// Also without what is behind the hyphen: `copilot`. No value if no host has the name.
std::optional<HookHost> FindHookHost(std::string_view name);

enum class HookEventKind {
  kBefore,        // the agent wants to use a tool
  kAfter,         // the use of a tool has ended
  kFailed,        // it has failed
  kSessionStart,  // also of a session that is resumed, cleared or compacted
  kSessionEnd,
  kSaid,         // what the user typed, before the agent reads it
  kTurnEnd,      // the agent wants to end its turn
  kSubagentEnd,  // a subagent wants to end
};

/// True for the events of the use of a tool.
inline bool IsToolUse(HookEventKind kind) { return kind <= HookEventKind::kFailed; }

/// How a host reports, after the use of a tool, whether it ended well.
enum class HookEnd {
  kNotTold,     // not at all: such a report is no evidence
  kByEvent,     // by the event, except where the result of a shell says otherwise
  kByExitCode,  // by the result's `exitCode` or `metadata.exit`; of a tool without, by the event
  kByError,     // by the result's `error`; of a shell a failure to start it alone
  kByIsError,   // by the result's `isError`, which tools of MCP servers alone have
  kByType,      // by the result's type; of a shell a failure alone
};

/// How an answer adds to what the agent reads.
enum class HookContextForm {
  kNoContext,  // not at all
  kSpecific,   // {"hookSpecificOutput": {"hookEventName", "additionalContext"}}
  kSnake,      // {"additional_context"}
  kCamel,      // {"additionalContext"}
};

/// Keys within keys are joined by a dot.
struct HookRow {
  HookHost host = HookHost::kClaudeCode;
  std::string_view name;
  HookEventKind kind = HookEventKind::kBefore;
  HookForm form = HookForm::kSilent;  // of a denial
  std::string_view tool = "";         // the key of the tool's name, or after `=` the name itself
  std::string_view args = "";         // of the arguments, an object or the text of one; "" if they
                                      // are the event's other keys
  std::string_view result = "";       // of what the tool gave back, or of what the user typed
  HookEnd end = HookEnd::kNotTold;
  bool asks = false;  // kBefore: the host puts `ask` to its user
  HookContextForm context = HookContextForm::kNoContext;
  // Of events of tools of MCP servers: the key of the server's name, which may be missing, and of
  // the server's name for the tool. An event without the latter may be one of another tool.
  std::string_view server = "";
  std::string_view served = "";
  bool installed = true;  // `rpl guard install` sets a hook for it (hook_settings.h)
};

/// All rows.
std::span<const HookRow> HookRows();

/// The row of an event.
struct FoundHookRow {
  HookHost host = HookHost::kClaudeCode;
  std::string name;            // of the event; "" if it has none, or one that is no text
  std::optional<HookRow> row;  // no value if the host has no such event
};

/// Finds the row of an event, a JSON object, of a host. Without a host it is told by the event's
/// keys, the first that fits:
///
///   no name, but `toolName`, or `sessionId` without `tool_name`    Copilot's
///   no name                                                        Claude Code's, before a tool
///   `agent_action_name`                                            Windsurf's
///   `cursor_version` or `conversation_id`                          Cursor's
///   `turn_id`                                                      Codex's
///   a name with a dot                                              OpenCode's
///   `timestamp` and `transcript_path`, if Gemini has the event     Gemini's
///   `timestamp`, if Copilot has the event                          Copilot's
///   else                                                           the first with such an event
///
/// An event that its host does not have, and another has, is read as the other's, but reports no
/// end: hosts read each other's settings.
FoundHookRow FindHookRow(const nlohmann::ordered_json& event, std::optional<HookHost> host);

/// Whether the use of a tool ended well, as far as the host reports it. Of a shell, and of
/// any tool with a command among its arguments, it is true only if the host itself says that the
/// command ended, and with 0: what a program prints is no report.
std::optional<bool> EndedWell(const HookRow& row, std::string_view tool,
                              const nlohmann::ordered_json& args,
                              const nlohmann::ordered_json& result);

}  // namespace rpl

#endif  // RPL_SHELL_GUARD_HOOK_TABLE_H_
