// SPDX-License-Identifier: Apache-2.0
//
// The common set-up of the commands that run a program: answers given in advance, the log, files of
// namespaces, Ctrl-C, and the report of a run.
//
// Messages go to standard error. A function that returns an ExitCode has written the message if the
// code is not kExitOk.
#ifndef RPL_SHELL_HOST_ENGINE_SETUP_H_
#define RPL_SHELL_HOST_ENGINE_SETUP_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/saved_session.h"
#include "shell/host/options.h"
#include "shell/host/report.h"

namespace rpl {

class ScriptedAgent;
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
  Agent& agent();
  /// What the run is guarded with, or null; after Prepare.
  GateSetup* gate();
  /// As the function below.
  ExitCode ReportAnswers(const Trace& kept = {}) const;
  /// If the run failed and the decision about it is open, prints the options and returns true.
  bool PrintUndecided(const Outcome& outcome, const Pool& pool) const;

 private:
  struct Parts;
  const EngineOptions& options_;
  const std::unique_ptr<Parts> parts_;
};

/// Adds the answers of `--answers` and `--answer` to the agent.
ExitCode AddAnswers(const EngineOptions& options, ScriptedAgent& agent);

/// Loads the files and prints their findings; true if none is an error.
bool LoadAll(std::vector<ProgramFile> files, Session& session);

/// Adds the files of `--facts` to `to`, named RELATION=FILE.
ExitCode ReadFactsFiles(const EngineOptions& options, std::vector<ProgramFile>& to);

/// The options of a session. Borrows the gate and the profile, which may be null.
SessionOptions SessionOptionsFor(const EngineOptions& options, GateSetup* gate = nullptr,
                                 Profile* profile = nullptr);

/// A reader of files of namespaces (§17.7) from the folders of `documents`, in that order. Names
/// with a `/` are not found.
std::function<std::optional<std::string>(const std::string&)> ReaderBeside(
    const std::vector<std::string>& documents);

/// Prints the answers that no request used, and the first that did not fit its request; the latter
/// gives kExitInvalid. `kept` is the trace of a saved session, which may contain an earlier reply.
ExitCode ReportAnswers(const ScriptedAgent& agent, const Trace& kept = {});

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

  /// Runs the program. nullopt if an input cannot be used; End then returns the exit code.
  std::optional<Outcome> Run(std::vector<ProgramFile> read);
  /// Prints the remaining notes after the outcome was printed, and returns the exit code.
  ExitCode End(const Outcome* outcome);
  /// The session of the run. REQUIRES: Run returned an outcome.
  Session& session() { return *session_; }

 private:
  const std::vector<std::string>& files_;
  const EngineOptions& options_;
  Profile* profile_;
  Host host_;
  std::unique_ptr<Session> session_;
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
  /// Prints it.
  ExitCode Report() const;

 private:
  std::size_t count_;
  std::string names_;
  bool empty_ = true;
};

/// Continues the session in the file `path`, which exists, with the program `files`, named by their
/// paths; if empty, with the files that the session names, as they are now. Calls of the tools in
/// `retry` that failed or are in doubt are made again. Returns the exit code.
int GoOn(const std::string& path, std::vector<ProgramFile> files, const EngineOptions& engine,
         const std::vector<std::string>& retry);

}  // namespace rpl

#endif  // RPL_SHELL_HOST_ENGINE_SETUP_H_
