// SPDX-License-Identifier: Apache-2.0
//
// A program from its files to the report of its run, as `rpl run`, `rpl resume` and `rpl profile`
// do it. Messages go to standard error, with the exit code as the result.
#ifndef RPL_SHELL_PROGRAM_PROGRAM_RUN_H_
#define RPL_SHELL_PROGRAM_PROGRAM_RUN_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/run/run.h"
#include "shell/program/engine_setup.h"

namespace rpl {

/// The name of a goal that a user or a client gives, with or without its `%`; "" and `%` are the
/// program's own goals.
std::string GoalNamed(const std::string& given);

/// Prints the last event of a run (`--events`) on standard output.
void PrintDone(const Outcome& outcome, const Pool& pool);

/// Prints the answers on standard output, and the end of the run on standard error.
void PrintRun(const Outcome& outcome, Session& session, const EngineOptions& options);

/// A run of the program `files` from its first timestep to its end, for `rpl run` and `rpl
/// profile`.
class ProgramRun {
 public:
  /// `profile` may be null.
  ProgramRun(const std::vector<std::string>& files, const EngineOptions& options,
             Profile* profile = nullptr)
      : files_(files), options_(options), profile_(profile), host_(options) {}

  /// Runs the program. Null if an input cannot be used; End then returns the exit code.
  const Outcome* Pursue(std::vector<ProgramFile> read);
  /// Prints the remaining notes after the outcome was printed, and returns the exit code.
  ExitCode End(const Outcome* outcome);
  /// The session of the run. REQUIRES: Run returned an outcome.
  Session& session() { return run_->session(); }

 private:
  const std::vector<std::string>& files_;
  const EngineOptions& options_;
  Profile* profile_;
  Host host_;
  std::unique_ptr<Run> run_;
  Outcome outcome_;
  ExitCode refused_ = kExitOk;
};

/// Reads the files of facts and of the program.
ExitCode ReadAll(const std::vector<std::string>& files, const EngineOptions& options,
                 std::vector<ProgramFile>& to);

/// The message for a program without a goal.
class NothingToRun {
 public:
  /// Copies from `files` what Report prints, so that they may be moved afterwards.
  explicit NothingToRun(const std::vector<ProgramFile>& files);
  /// Prints it, with the first heading of `session`, which has loaded the files, that is a rule
  /// nothing reads: its `%` is probably missing.
  ExitCode Report(const Session& session) const;

 private:
  std::size_t count_;
  std::string names_;
  bool empty_ = true;
};

}  // namespace rpl

#endif  // RPL_SHELL_PROGRAM_PROGRAM_RUN_H_
