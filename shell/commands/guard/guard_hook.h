// SPDX-License-Identifier: Apache-2.0
//
// The guard for another agent: `rpl guard hook` answers the host's hook before the use of a tool,
// and records it afterwards.
//
//   on standard input    {"session_id": "s", "cwd": "/w", "hook_event_name": "PreToolUse",
//                         "tool_name": "Bash", "tool_input": {"command": "ls"}}
//   on standard output   {"hookSpecificOutput": {"hookEventName": "PreToolUse",
//                         "permissionDecision": "deny", "permissionDecisionReason": "…"}}
//
// allow, block and hitl of the policy become `allow`, `deny` and `ask`. Because `allow` makes a
// host skip its own question, it is the answer only for a call that a rule of effect allow matches
// or a person approved. If no rule matches, the answer is `{}`, which leaves the decision to the
// host, unless `--default` names another; in shadow mode it is always `{}`.
//
// Each hook is a process of its own, so the calls of a session are kept in the guard's store, if a
// rule reads them, an audit log is wanted, or the store is named. After PostToolUse the call counts
// as made, with the time between the two events as its duration; they are related by
// `tool_use_id`, or else by the name of the tool. A block by tool.after rules is reported as
// {"decision": "block", "reason": "…"}.
//
// It fails closed: on unreadable input, an invalid policy, a store or a required audit log that
// cannot be written, or an internal error it answers `deny` with the reason (after PostToolUse,
// `block`), also on standard error, and exits with 2. If it cannot, or takes too long, its parent
// does (hook_supervisor.h).
#ifndef RPL_SHELL_COMMANDS_GUARD_GUARD_HOOK_H_
#define RPL_SHELL_COMMANDS_GUARD_GUARD_HOOK_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "shell/commands/guard/guard_options.h"
#include "shell/guard/guard_line.h"
#include "shell/terminal/exit_code.h"

namespace rpl {

/// The guard outside a run, with its sources and logs.
struct StandaloneGuard {
  std::unique_ptr<Guard> guard;
  GuardConfig config;
  GuardStore store;
  LineSources::Run run;
  std::string audit;  // the audit log's path, or ""
  bool audit_required = false;
  std::string now;  // --now, or ""

  /// The time of decisions, by MomentFor.
  Moment Now() const;
  /// Appends events. False, after a message, if the log is required and cannot be written.
  bool Audit(const std::vector<nlohmann::ordered_json>& events) const;
  /// Closes pending reviews of a call that was made. Prints a warning if that cannot be stored.
  void EndReviews(const GuardCall& call);
};
/// Reads policy and configuration, with messages on standard error.
ExitCode ReadStandaloneGuard(const GuardCommandOptions& options, StandaloneGuard& to);

/// The time of `--now`, or the clock's for "".
Moment MomentFor(const std::string& now);
inline Moment StandaloneGuard::Now() const { return MomentFor(now); }

/// Lets a history read metrics and open calls from the store, which outlives it. A failure is
/// thrown, for the decision to be one.
void ReadMetricsFrom(GuardStore& store, History& history);

/// Answers one hook from standard input. Returns the exit code; never throws.
int GuardHook(const GuardCommandOptions& options);

}  // namespace rpl

#endif  // RPL_SHELL_COMMANDS_GUARD_GUARD_HOOK_H_
