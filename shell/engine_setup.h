// SPDX-License-Identifier: Apache-2.0
//
// What `rpl run` and `rpl reply` do alike around a session: answers given beforehand, the
// log, files of namespaces, Ctrl-C.
#ifndef RPL_SHELL_ENGINE_SETUP_H_
#define RPL_SHELL_ENGINE_SETUP_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/session.h"
#include "shell/commands.h"
#include "shell/report.h"
#include "shell/scripted_agent.h"

namespace rpl {

/// Gives the agent the answers of `--answers` and `--answer`. When they cannot be used:
/// a message on standard error, and the exit code.
ExitCode AddAnswers(const EngineOptions& options, ScriptedAgent& agent);

SessionOptions SessionOptionsFor(const EngineOptions& options);

/// Reads files of namespaces (§17.7) from the folders of `documents`, in that order;
/// names with a `/` are not found.
std::function<std::optional<std::string>(const std::string&)> ReaderBeside(
    const std::vector<std::string>& documents);

/// Says on standard error which answers nothing asked for.
void ReportUnused(const ScriptedAgent& agent);

}  // namespace rpl

#endif  // RPL_SHELL_ENGINE_SETUP_H_
