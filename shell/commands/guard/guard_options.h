// SPDX-License-Identifier: Apache-2.0
//
// The options of `rpl guard` and its subcommands.
#ifndef RPL_SHELL_COMMANDS_GUARD_GUARD_OPTIONS_H_
#define RPL_SHELL_COMMANDS_GUARD_GUARD_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "shell/guard/hook_supervisor.h"
#include "shell/program/options.h"

namespace rpl {

/// rpl guard …: decides about tool calls of other runtimes.
struct GuardCommandOptions {
  enum class What {
    kDecide,
    kCheck,
    kExplain,
    kPending,
    kApprove,
    kDeny,
    kSecret,
    kHook,
    kMcp,
    kAudit,
    kStatus,
    kWhy,
    kAnswer,
    kAccept,
    kEnd,
    kInstall,
    kDoctor
  };
  What what = What::kDecide;
  GuardOptions guard;
  std::string config;                           // --config FILE
  std::string now;                              // --now T
  std::string history;                          // --history FILE: an audit log
  std::string file;                             // kCheck, kAudit; kExplain: --call FILE
  std::string tools;                            // kCheck: --tools FILE, "" for none
  std::string rule;                             // kExplain
  const OutputFormat* format = kOutputFormats;  // kPending
  std::string id;                               // kApprove, kDeny
  std::string reason;                           // --reason T
  std::string secret_file;  // kApprove, kDeny, kSecret, kAnswer, kAccept, kEnd: --secret-file FILE
  std::int64_t calls = 1;   // --calls N
  std::int64_t hours = 24;  // --hours N
  std::string unmatched;    // --default deny, ask or allow; "" if not given
  std::string ask;          // kHook: --ask deny or ask; "" if not given
  std::string root;         // kHook: the folder of relative names, or ""
  int timeout_ms = kHookTimeoutMs;    // kHook, kMcp
  std::vector<std::string> server;    // kMcp: its command line
  std::string server_name;            // kMcp: --name, "" for the command line
  int ask_timeout = 45;               // kMcp: seconds for a person to answer
  std::string protocol;               // kHook: --protocol FILE; kStatus to kEnd: the protocol
  std::string project;                // the same: --project DIR, "" for that of the event, or here
  std::string sessions;               // the same: --sessions DIR, the folder of runs
  std::string host;                   // kHook: --host NAME
  std::string until;                  // kHook: --until satisfied, or ""
  std::string undecided;              // kHook: --undecided ask or deny, or ""
  std::string answer;                 // kAnswer: KEY=VALUE
  bool unprotected = false;           // kHook: --unprotected
  std::vector<std::string> reads_as;  // kHook, kMcp: --reads-as TOOL=NAME
  bool shadow = false;                // kHook: --shadow
  bool denied = false;                // kStatus: --denied
  bool write = false;                 // kInstall: --write
  int stop_limit = 3;                 // kHook: --stop-limit N
};
/// kDecide: 0 allow, 1 block, 3 hitl, 2 invalid input; of several calls the most severe. kHook: see
/// shell/commands/guard/guard_hook.h. kMcp: see shell/commands/guard/guard_mcp.h.
int CommandGuard(const GuardCommandOptions& options);

}  // namespace rpl

#endif  // RPL_SHELL_COMMANDS_GUARD_GUARD_OPTIONS_H_
