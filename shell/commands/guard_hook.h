// SPDX-License-Identifier: Apache-2.0
//
// The guard in front of another agent: `rpl guard hook` answers the host's hook before a
// tool is used, and takes note after it was.
//
//   on standard input    {"session_id": "s", "cwd": "/w", "hook_event_name": "PreToolUse",
//                         "tool_name": "Bash", "tool_input": {"command": "ls"}}
//   on standard output   {"hookSpecificOutput": {"hookEventName": "PreToolUse",
//                         "permissionDecision": "deny", "permissionDecisionReason": "…"}}
//
// allow, block and hitl of the policy are `allow`, `deny` and `ask`. `allow` makes a host skip
// its own question, so it is said only of a call that a rule of effect allow matches or that a
// person approved. Where no rule matches the answer is `{}`, the host decides, unless `--default`
// names one; in shadow mode it always is.
//
// A hook is a process of its own, so the calls of a session are in the audit log (`--audit`). A
// policy with rules that read them is refused without it, and holds a lock on the log from
// reading them to adding its own. After PostToolUse the call counts as made: it took the time
// between the two events, which `tool_use_id` brings together, or else the name of the tool. What
// tool.after rules block is told as {"decision": "block", "reason": "…"}.
//
// It fails closed: on input that cannot be read, a policy with an error, an audit log that
// must be written and cannot, or an error of rpl itself it answers `deny` with the reason (after
// PostToolUse, `block`), on standard error, too, and ends with 2. Where it cannot, or takes too
// long, its parent does (hook_supervisor.h).
#ifndef RPL_SHELL_COMMANDS_GUARD_HOOK_H_
#define RPL_SHELL_COMMANDS_GUARD_HOOK_H_

#include <memory>

#include "shell/commands/commands.h"
#include "shell/host/guard_line.h"
#include "shell/host/report.h"

namespace rpl {

/// What `rpl guard` decides by, outside of a run.
struct StandaloneGuard {
  std::unique_ptr<Guard> guard;
  GuardConfig config;
  ReviewLog reviews{""};
  LineSources::Run run;
  std::string audit;
  bool audit_required = false;
  std::string now;

  Moment Now() const;
  /// Appends an event; false when it must be there and is not, with a message.
  bool Audit(const nlohmann::ordered_json& event) const;
  /// The call was made: nobody need review it any more. A warning when that cannot be kept.
  void EndReviews(const GuardCall& call, Moment at);
};
/// Reads policy and configuration, with messages on standard error.
ExitCode ReadStandaloneGuard(const GuardCommandOptions& options, StandaloneGuard& to);

/// The moment of `--now`, or else of the clock.
Moment MomentFor(const std::string& now);
inline Moment StandaloneGuard::Now() const { return MomentFor(now); }

/// Returns the exit code.
int GuardHook(const GuardCommandOptions& options);

}  // namespace rpl

#endif  // RPL_SHELL_COMMANDS_GUARD_HOOK_H_
