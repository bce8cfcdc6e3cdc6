// SPDX-License-Identifier: Apache-2.0
//
// The protocols of agent hosts: the events before and after the use of a tool that a hook reads,
// and the forms of its answers. A new host is rows of the table in hook_protocol.cc.
//
//   events                                             answer before the call
//   PreToolUse, PostToolUse, PostToolUseFailure        {"hookSpecificOutput": {…}}
//   BeforeTool, AfterTool                              {"decision", "reason"}
//   preToolUse, beforeShellExecution, …                {"permission", "user_message", …}
//   no name, but `toolName` and `toolArgs`             {"permissionDecision", …}
//   `agent_action_name`: pre_run_command, …            the exit code
#ifndef RPL_SHELL_HOST_HOOK_PROTOCOL_H_
#define RPL_SHELL_HOST_HOOK_PROTOCOL_H_

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "shell/host/guard_line.h"
#include "shell/host/hook_supervisor.h"

namespace rpl {

/// An event of a host.
struct HookCall {
  std::string session;
  GuardLine line;
  nlohmann::ordered_json response;  // of the tool, after its use; the error of one that failed
  bool failed = false;              // after its use
  bool asks = true;                 // the host puts `ask` to somebody
  HookForm form = HookForm::kPreToolUse;
  /// Why the event could not be read as a whole, though its call has ended; "" if it could.
  std::string unreadable;
};

/// Reads an event from a text, which is untrusted: one JSON object. Half of a surrogate pair is
/// read as U+FFFD, and after the use of a tool every byte that is not UTF-8, too. `told` gets the
/// form of the answer as soon as it is known. No value if the object has another shape; the reason
/// names the id of the call, if there is one.
Sourced<HookCall> ReadHookCall(const std::string& text, const GuardConfig& config, Moment now,
                               const std::function<void(HookForm, bool after)>& told);

/// A decision in a form: `allow`, `ask` or `deny`.
nlohmann::ordered_json HookAnswer(HookForm form, std::string_view decision,
                                  const std::string& reason);

}  // namespace rpl

#endif  // RPL_SHELL_HOST_HOOK_PROTOCOL_H_
