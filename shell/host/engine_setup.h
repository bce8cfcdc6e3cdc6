// SPDX-License-Identifier: Apache-2.0
//
// What the commands that run a program do alike: answers given beforehand, the log, files
// of namespaces, Ctrl-C, and how a run is reported.
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
  explicit Host(const EngineOptions& options);
  ~Host();

  /// Reads what the options name. With a message on standard error, and its exit code,
  /// when that cannot be used. `documents` are the program's files.
  ExitCode Prepare(const std::vector<std::string>& documents);
  Agent& agent();
  /// What the run is guarded with, or null; after Prepare.
  GateSetup* gate();
  /// As the function below.
  ExitCode ReportAnswers(const Trace& kept = {}) const;
  /// When the run failed and nobody decided what now: says on standard error what can be
  /// decided, and returns true.
  bool PrintUndecided(const Outcome& outcome, const Pool& pool) const;

 private:
  struct Parts;
  const EngineOptions& options_;
  const std::unique_ptr<Parts> parts_;
};

/// Gives the agent the answers of `--answers` and `--answer`. When they cannot be used:
/// a message on standard error, and the exit code.
ExitCode AddAnswers(const EngineOptions& options, ScriptedAgent& agent);

/// Loads the files, with their findings on standard error. Whether none has errors.
bool LoadAll(std::vector<ProgramFile> files, Session& session);

/// Adds the files of `--facts` to `to`. When one cannot be used: a message on standard error,
/// and the exit code.
ExitCode ReadFactsFiles(const EngineOptions& options, std::vector<ProgramFile>& to);

SessionOptions SessionOptionsFor(const EngineOptions& options, GateSetup* gate = nullptr,
                                 Profile* profile = nullptr);

/// Reads files of namespaces (§17.7) from the folders of `documents`, in that order;
/// names with a `/` are not found.
std::function<std::optional<std::string>(const std::string&)> ReaderBeside(
    const std::vector<std::string>& documents);

/// Says on standard error which answers nothing asked for, and which one did not fit what
/// asked for it; then kExitInvalid. `kept` is the trace of a session that lasts, where an
/// earlier reply may be what stands.
ExitCode ReportAnswers(const ScriptedAgent& agent, const Trace& kept = {});

/// The answers on standard output, and how the run ended on standard error.
void PrintRun(const Outcome& outcome, Session& session, const EngineOptions& options);

/// The program `files` from its first timestep to its end, for `rpl run` and `rpl profile`.
class ProgramRun {
 public:
  /// `profile` may be null.
  ProgramRun(const std::vector<std::string>& files, const EngineOptions& options,
             Profile* profile = nullptr)
      : files_(files), options_(options), profile_(profile), host_(options) {}

  /// Runs it, unless something cannot be used: a message on standard error, and nullopt;
  /// then the exit code is that of End.
  std::optional<Outcome> Run(std::vector<ProgramFile> read);
  /// What is left to say after the outcome was printed, and the exit code.
  ExitCode End(const Outcome* outcome);
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

/// What is to be said when there turns out to be nothing to run.
class NothingToRun {
 public:
  explicit NothingToRun(const std::vector<ProgramFile>& files);
  /// Says it on standard error.
  ExitCode Report() const;

 private:
  std::size_t count_;
  std::string names_;
  bool empty_ = true;
};

/// Goes on with the session in the file `path`, which is there, with the program `files`,
/// named by their paths; none: the files that the session names, as they are now. Calls of
/// the tools in `retry` that failed or are in doubt are made again. Returns the exit code.
int GoOn(const std::string& path, std::vector<ProgramFile> files, const EngineOptions& engine,
         const std::vector<std::string>& retry);

}  // namespace rpl

#endif  // RPL_SHELL_HOST_ENGINE_SETUP_H_
