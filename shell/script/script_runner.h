// SPDX-License-Identifier: Apache-2.0
//
// Runs one script of `rpl test` in a session of its own.
//
// Calls without a REPLY stay pending. A DOCUMENT is only taken in; an expectation about
// what happened (AGENT, LOG, …) right after one makes a timestep run first, by a message
// without text. A COMMAND runs in a folder of its script (shell/script/script_folder.h), with the
// FILEs so far; it has nothing to do with the session. A script whose session or one of whose
// commands does not end within kScriptSeconds fails.
#ifndef RPL_SHELL_SCRIPT_SCRIPT_RUNNER_H_
#define RPL_SHELL_SCRIPT_SCRIPT_RUNNER_H_

#include <optional>
#include <string>

#include "shell/script/script_folder.h"
#include "shell/script/test_script.h"

namespace rpl {

inline constexpr int kScriptSeconds = 60;

/// What the first expectation that does not hold expected and got, in a few lines that
/// start with the line in the file; nullopt when all hold. Commands are run by `run`. Never throws.
std::optional<std::string> RunScript(const Script& script, CommandLine run);

}  // namespace rpl

#endif  // RPL_SHELL_SCRIPT_SCRIPT_RUNNER_H_
