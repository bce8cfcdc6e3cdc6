// SPDX-License-Identifier: Apache-2.0
//
// The uses of tools among the events of agent hosts, as calls for the guard.
#ifndef RPL_SHELL_GUARD_HOOK_PROTOCOL_H_
#define RPL_SHELL_GUARD_HOOK_PROTOCOL_H_

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "shell/guard/guard_line.h"
#include "shell/guard/hook_event.h"

namespace rpl {

/// An event of the use of a tool.
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

/// Reads an event from a text, which is untrusted: one JSON object. `host`: null if the event
/// names it. Half of a surrogate pair is read as U+FFFD, and after the use of a tool every byte
/// that is not UTF-8, too. `told` gets the form of the answer as soon as it is known, also of an
/// event that is none of the use of a tool. No value if the object has another shape; the reason
/// names the id of the call, if there is one.
Sourced<HookCall> ReadHookCall(const std::string& text, const HookHost* host,
                               const GuardConfig& config, Moment now,
                               const std::function<void(HookForm, bool after)>& told);

}  // namespace rpl

#endif  // RPL_SHELL_GUARD_HOOK_PROTOCOL_H_
