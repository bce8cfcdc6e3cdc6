// SPDX-License-Identifier: Apache-2.0
//
// The set-up of a run's guard: the policy and configuration files, and the paths of its store and
// of audit events.
#ifndef RPL_SHELL_PROGRAM_GUARD_SETUP_H_
#define RPL_SHELL_PROGRAM_GUARD_SETUP_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/gate_setup.h"
#include "shell/program/options.h"
#include "shell/terminal/exit_code.h"

namespace rpl {

class ToolSetup;

/// The policy in a file, findings and the message of an unreadable file on standard error. Where
/// nothing keeps a history, a rule that reads it is an error.
struct PolicyFile {
  std::optional<Policy> policy;
  std::string text;
  ExitCode code = kExitOk;  // the reason if there is no policy
};
/// Reads a policy; findings and errors go to standard error. Without a history (`keeps_history`
/// false) a rule that reads it is an error.
PolicyFile ReadPolicyFile(const std::string& path, bool keeps_history = true);
/// The same with the history of `store`, which keeps what was read for the next process.
PolicyFile ReadPolicyFile(const std::string& path, GuardStore& store);

/// The section `guard` of a configuration file.
struct GuardConfigFile {
  std::optional<GuardConfig> config;
  ExitCode code = kExitOk;
};
/// Reads it, with findings and errors on standard error.
GuardConfigFile ReadGuardConfigFile(const std::string& path);

/// The guard's store: --store or, in the folder of the files that persist between runs, the one of
/// the agent, whose folder is made; "" without a home.
std::string StorePath(const GuardOptions& options, const std::string& agent);
/// --store, or the stores of all agents, in the order of their names.
std::vector<std::string> StorePaths(const GuardOptions& options);

/// What a command that is printed needs to find the reviews: " --store FILE", or "" for the agent's
/// own store.
std::string StoreOption(const GuardOptions& options);
/// The same for a person in another folder than this process.
std::string StoreOptionAnywhere(GuardOptions options);

/// The agent of the configuration, with what the options say instead.
GuardAgent AgentFor(const GuardOptions& options, const GuardConfig& config);

/// The gate of a run; null if neither a policy nor anything that a program's own guards use is set.
/// `code` is not kExitOk if the policy cannot be used. The setup borrows `tools` to run commands.
std::unique_ptr<GateSetup> MakeGateSetup(const GuardOptions& options, ToolSetup& tools,
                                         ExitCode& code);

/// The options in the record of a session (GateSetup::record), for its continuation.
GuardOptions GuardOptionsFrom(const nlohmann::ordered_json& record);
/// kExitOk if the files of the guard that a session names lie in its tree, else after a message.
/// Only a person may name others: they would be written.
ExitCode StaysInTree(const std::string& session, const GuardOptions& guard);
/// The gate for the replay of such a session, which runs and writes nothing. Null if it had a
/// policy that is not usable.
std::unique_ptr<GateSetup> GateSetupFrom(const nlohmann::ordered_json& record);

/// Runs a command of a guard in `folder`, with one line of JSON as input. No permission is checked.
Sourced<nlohmann::ordered_json> RunGuardCommand(const GuardCommand& command,
                                                const std::string& folder,
                                                const nlohmann::ordered_json& input);

}  // namespace rpl

#endif  // RPL_SHELL_PROGRAM_GUARD_SETUP_H_
