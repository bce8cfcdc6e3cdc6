// SPDX-License-Identifier: Apache-2.0
//
// The runner of one script of `rpl test`, in a session of its own.
//
// Calls without a REPLY stay pending. A DOCUMENT is only loaded; an expectation about events
// (AGENT, LOG, …) immediately after one first runs a timestep, with an empty message. A COMMAND
// runs in the script's folder (shell/script/script_folder.h) with the FILEs so far, and is
// independent of the session. A script fails if its session or one of its commands takes longer
// than kScriptSeconds.
#ifndef RPL_SHELL_SCRIPT_SCRIPT_RUNNER_H_
#define RPL_SHELL_SCRIPT_SCRIPT_RUNNER_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "runtime/record/journal.h"
#include "shell/script/script_folder.h"
#include "shell/script/script_update.h"
#include "shell/script/test_script.h"

namespace rpl {

class ModelProvider;

/// Wall time for the session, and for each command.
inline constexpr int kScriptSeconds = 60;

/// Files of facts for every script, named RELATION=FILE, and how they are read.
struct ScriptFacts {
  std::vector<ProgramFile> files;
  bool strict = false;
};

/// What a run of a script is for, besides the verdict.
struct ScriptWishes {
  bool coverage = false;
  bool update = false;
  /// The model in place of the cassette of this name; null: the cassette replies.
  std::function<std::unique_ptr<ModelProvider>(const std::string& cassette)> model = nullptr;
};

/// The result of such a run.
struct ScriptRun {
  std::string failure;  // as RunScript returns it; "" if all expectations hold, or hold once new
  std::vector<NewExpectation> expected;  // with `update`: instead of expectations that do not hold
  nlohmann::ordered_json coverage;       // with `coverage`: CoverageJson of the files that it loads
};

/// Runs a script, as RunScript does. With `update`, an expectation that does not hold gets what
/// came out, and the script goes on, but not where an error came out: a failed run, a limit,
/// findings, an exit code; nor for what has no exact text, such as LOG.
ScriptRun RunScriptFor(const Script& script, CommandLine run, const ScriptFacts& facts,
                       const ScriptWishes& wishes);

/// Runs a script: nullopt if all expectations hold; else the first that does not, with expected and
/// actual, in a few lines that begin with the line number in the file; also a reply that
/// was misspelt. `run` runs commands. The session has the files of `facts`
/// (runtime/facts/facts_file.h) from its first timestep. Never throws.
std::optional<std::string> RunScript(const Script& script, CommandLine run,
                                     const ScriptFacts& facts = {});

}  // namespace rpl

#endif  // RPL_SHELL_SCRIPT_SCRIPT_RUNNER_H_
