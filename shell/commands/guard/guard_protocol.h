// SPDX-License-Identifier: Apache-2.0
//
// A protocol that binds an agent (shell/guard/protocol_guard.h), on the command line: the hook of
// the host, and what people do with the run.
//
//   rpl guard hook --protocol FILE     decides about an event on standard input
//   rpl guard status FILE              the run: what to do now, and the calls
//   rpl guard why FILE                 the last denial
//   rpl guard answer FILE KEY=VALUE    answers a question; a person only
//   rpl guard accept FILE              goes on with the changed text of the protocol; a person only
//   rpl guard end FILE                 ends the run; a person only
#ifndef RPL_SHELL_COMMANDS_GUARD_GUARD_PROTOCOL_H_
#define RPL_SHELL_COMMANDS_GUARD_GUARD_PROTOCOL_H_

#include <functional>
#include <string>

#include "shell/commands/guard/guard_options.h"
#include "shell/guard/protocol_guard.h"

namespace rpl {

/// Why an event is denied, and its answer.
struct HookReply {
  std::string answer;   // for standard output, one line
  std::string message;  // for standard error, or ""
  int code = 0;
};
/// Answers an event of a host by a protocol. `policy`, which may be null, is asked about a call
/// that the protocol lets through, with the text of the event: it returns its answer.
HookReply AnswerByProtocol(const GuardCommandOptions& options, const std::string& text,
                           const std::function<HookReply(const std::string& text)>& policy);

/// The run of the options, in the folder of the work or here, and the limits of a decision.
BoundPlace BoundPlaceHere(const GuardCommandOptions& options);
EngineOptions BoundEngine(const GuardCommandOptions& options);

/// The built-in tool that a server's tool is read as, or "".
std::string ReadsAs(const GuardCommandOptions& options, const std::string& tool);
/// Whether calls are denied that no constraint applies to: --default deny, without a policy.
bool IsClosed(const GuardCommandOptions& options);

int ShowBoundRun(const GuardCommandOptions& options);
int ExplainDenial(const GuardCommandOptions& options);
int AnswerBoundRun(const GuardCommandOptions& options);
int AcceptProtocol(const GuardCommandOptions& options);
int EndBoundRun(const GuardCommandOptions& options);

}  // namespace rpl

#endif  // RPL_SHELL_COMMANDS_GUARD_GUARD_PROTOCOL_H_
