// SPDX-License-Identifier: Apache-2.0
//
// The common set-up of the commands that run a program: answers given in advance, the log, files of
// namespaces, Ctrl-C, and the report of a run.
//
// Messages go to standard error. A function that returns an ExitCode has written the message if the
// code is not kExitOk.
#ifndef RPL_SHELL_PROGRAM_ENGINE_SETUP_H_
#define RPL_SHELL_PROGRAM_ENGINE_SETUP_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/outcome.h"
#include "runtime/ports.h"
#include "runtime/record/journal.h"
#include "runtime/run/session.h"
#include "runtime/session_options.h"
#include "shell/program/options.h"
#include "shell/terminal/exit_code.h"

namespace rpl {

class AnswerScript;
class Run;
struct GateSetup;

/// Whoever answers a program that `rpl run` runs: answers given beforehand, then the
/// commands of the configuration, then the person at standard input.
class Host {
 public:
  /// Borrows the options, which must outlive it.
  explicit Host(const EngineOptions& options);
  ~Host();

  /// Reads the files that the options name. `documents` are the program's files.
  ExitCode Prepare(const std::vector<std::string>& documents);
  Ports ports();
  /// What the run is guarded with, or null; after Prepare.
  GateSetup* gate();
  /// Pursues the goal of a run with this agent. A person may take answers back in between.
  Outcome Turn(Run& run);
  /// As the function below.
  ExitCode ReportAnswers(const Trace& kept = {}) const;
  /// If the run failed and the decision about it is open, prints the options and returns true.
  bool PrintUndecided(const Outcome& outcome, const Pool& pool) const;

 private:
  struct Parts;
  const EngineOptions& options_;
  const std::unique_ptr<Parts> parts_;
};

/// Adds the answers of `--answers` and `--answer` to the script.
ExitCode AddAnswers(const EngineOptions& options, AnswerScript& script);

/// Adds the files of `--facts` to `to`, named RELATION=FILE.
ExitCode ReadFactsFiles(const EngineOptions& options, std::vector<ProgramFile>& to);

/// The options of a session. Borrows the gate and the profile, which may be null.
SessionOptions SessionOptionsFor(const EngineOptions& options, GateSetup* gate = nullptr,
                                 Profile* profile = nullptr);

/// A reader of files of namespaces (§17.7) from the folders of `documents`, in that order. Names
/// with a `/` are not found.
FileReader ReaderBeside(const std::vector<std::string>& documents);

/// Prints the answers that no request used, and the first that did not fit its request; the latter
/// gives kExitInvalid. `kept` is the trace of a saved session, which may contain an earlier reply.
ExitCode ReportAnswers(const AnswerScript& script, const Trace& kept = {});

}  // namespace rpl

#endif  // RPL_SHELL_PROGRAM_ENGINE_SETUP_H_
