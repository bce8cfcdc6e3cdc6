// SPDX-License-Identifier: Apache-2.0
//
// The policy of a run, and what else it is guarded with: files read, paths chosen.
#ifndef RPL_SHELL_HOST_GUARD_SETUP_H_
#define RPL_SHELL_HOST_GUARD_SETUP_H_

#include <memory>
#include <optional>
#include <string>

#include "runtime/gate_setup.h"
#include "shell/host/options.h"
#include "shell/host/report.h"

namespace rpl {

class ToolSetup;

/// The policy in a file, findings and the message of an unreadable file on standard error. Where
/// nothing keeps a history, a rule that reads it is an error.
struct PolicyFile {
  std::optional<Policy> policy;
  std::string text;
  ExitCode code = kExitOk;  // when there is no policy
};
PolicyFile ReadPolicyFile(const std::string& path, bool keeps_history = true);

/// The `guard` part of a configuration file, as ReadPolicyFile reads a policy.
struct GuardConfigFile {
  std::optional<GuardConfig> config;
  ExitCode code = kExitOk;
};
GuardConfigFile ReadGuardConfigFile(const std::string& path);

/// Where reviews are kept by default: beside the approvals of tools.
std::string ReviewsPath();

/// Makes the setup of a run: null without a policy. Commands run through `tools`, which must
/// outlive it. `code` is not kExitOk when the policy cannot be used.
std::unique_ptr<GateSetup> MakeGateSetup(const GuardOptions& options, ToolSetup& tools,
                                         ExitCode& code);

/// What a session recorded (GateSetup::record) as options to go on with, and as a setup to
/// replay it: nothing is run or written by that one.
GuardOptions GuardOptionsFrom(const nlohmann::ordered_json& record);
std::unique_ptr<GateSetup> GateSetupFrom(const nlohmann::ordered_json& record);

/// Runs a command of a guard with one line of JSON.
Sourced<nlohmann::ordered_json> RunGuardCommand(const GuardCommand& command,
                                                const std::string& folder,
                                                const nlohmann::ordered_json& input);

}  // namespace rpl

#endif  // RPL_SHELL_HOST_GUARD_SETUP_H_
