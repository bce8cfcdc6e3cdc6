// SPDX-License-Identifier: Apache-2.0
//
// The events of agent hosts, read by the table of hook_table.h, and the answers to them.
//
//   kind                         a denial
//   kBefore                      the tool is not used, and the agent reads the reason
//   kAfter, kFailed              the agent reads the reason
//   kSaid                        the prompt is discarded, and the user reads the reason
//   kTurnEnd, kSubagentEnd       the agent goes on with the reason as its next instruction
//   kSessionStart, kSessionEnd   has no effect
//
// `{}` lets any event pass. A host without an answer to an event is told nothing by a denial.
#ifndef RPL_SHELL_GUARD_HOOK_EVENT_H_
#define RPL_SHELL_GUARD_HOOK_EVENT_H_

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "checks/calls/call_rows.h"
#include "checks/guard/guard_call.h"
#include "shell/guard/hook_table.h"

namespace rpl {

/// The project's folder, if a variable of a hook's environment names it, or "".
std::string ProjectByVariables();

/// The maximal size of a reason, which a host shows to its model or its user.
inline constexpr std::size_t kMostReasonBytes = std::size_t{8} << 10;

/// What a hook knows of its host besides the event.
struct HookSetting {
  const HookHost* host = nullptr;  // null: told by the event
  std::string project;             // the folder of the project, or ""
  bool only_tools = false;         // events of other kinds are unknown
};

/// An event of a host. Fields that the event's kind or host does not have are empty.
struct HookEvent {
  HookEventKind kind = HookEventKind::kBefore;
  std::string name;  // the host's name of the event
  const HookHost* host = nullptr;
  std::string session;
  /// The project's folder, absolute and without `..`: the event's own, else that of the setting,
  /// else `cwd`; "" if none of them is absolute.
  std::string project;
  std::string cwd;     // as the host gives it
  std::string agent;   // the name of the subagent whose event it is; "" for the main agent
  std::string text;    // kSaid: the prompt
  std::string detail;  // kSessionStart, kSessionEnd, kTurnEnd, kSubagentEnd: the host's reason
  std::string tool;
  /// Of a tool of which the host says that it is one of an MCP server: the server, "" if it does
  /// not name it, and the server's name for the tool.
  std::optional<ServedTool> served;
  nlohmann::ordered_json arguments = nlohmann::ordered_json::object();
  std::string id;                   // of the call, by which the host relates two events of it
  nlohmann::ordered_json response;  // of the tool; the error of one that failed
  /// kAfter, kFailed: whether the use ended well; no value if the host does not report it, if it
  /// has not ended yet, or if the event is unreadable.
  std::optional<bool> ended_well;
  bool asks = false;  // kBefore: the host puts `ask` to somebody
  /// kTurnEnd, kSubagentEnd: the agent goes on because it was kept at work before.
  bool stop_hook_active = false;
  HookForm form = HookForm::kPreToolUse;  // of a denial
  HookContextForm context = HookContextForm::kNoContext;
  /// Why the event could not be read as a whole, though what it reports has happened; "" if it
  /// could.
  std::string unreadable;
};

/// Reads an event from a text, which is untrusted: one JSON object. Half of a surrogate pair is
/// read as U+FFFD, and in events of what is over every byte that is not UTF-8, too. `told` gets the
/// form of the answer as soon as it is known, also for an event that its host's rows do not have.
/// No value if the object has another shape; the reason names the event or the id of the call.
Sourced<HookEvent> ReadHookEvent(const std::string& text, const HookSetting& setting,
                                 const std::function<void(HookForm, HookEventKind)>& told);

/// A decision in a form: `allow`, `ask` or `deny`. The reason is never blank unless it allows, as
/// hosts let a call pass whose denial has none. REQUIRES: a form without decisions gets `deny`.
nlohmann::ordered_json HookAnswer(HookForm form, std::string_view decision, const std::string& why);

/// The answer that leaves an event to the host.
inline nlohmann::ordered_json HookPass() { return nlohmann::ordered_json::object(); }
/// A denial; at the end of a turn it keeps the agent at work. HookPass if the host reads none.
nlohmann::ordered_json HookDeny(const HookEvent& event, const std::string& reason);
/// Adds a text to what the agent reads, and lets the event pass. HookPass if the host reads none.
nlohmann::ordered_json HookContext(const HookEvent& event, const std::string& text);
}  // namespace rpl

#endif  // RPL_SHELL_GUARD_HOOK_EVENT_H_
