// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <iostream>

#include "runtime/saved_session.h"
#include "shell/commands.h"
#include "shell/engine_setup.h"
#include "shell/input.h"
#include "shell/program_files.h"
#include "shell/report.h"

namespace rpl {
namespace {

bool IsEmpty(const ProgramFile& file) {
  return file.text.find_first_not_of(" \t\r\n") == std::string::npos;
}

// Creates the session's file, so that GoOn finds one. A program that is refused leaves none.
ExitCode Create(const std::string& path) {
  SessionFile::Opened opened = SessionFile::Open(path, SessionFile::Mode::kCreate);
  if (opened.file != nullptr) return kExitOk;
  Complain(path, opened.error);
  return kExitFile;
}

}  // namespace

bool LoadAll(const std::vector<ProgramFile>& files, Session& session) {
  bool sound = true;
  for (const ProgramFile& file : files) {
    const std::vector<Diagnostic> findings = session.Load(file.name, file.text);
    PrintDiagnostics(findings, session.sources(), std::cerr);
    sound = sound && !HasErrors(findings);
  }
  return sound;
}

ExitCode ReportNoGoals(const std::vector<ProgramFile>& files) {
  const bool empty = std::all_of(files.begin(), files.end(), IsEmpty);
  std::cerr << "nothing to run: ";
  for (const ProgramFile& file : files)
    std::cerr << (&file == &files.front() ? "" : ", ") << PrintableLine(file.name);
  std::cerr << (files.size() == 1 ? " has no goals" : " have no goals")
            << (empty ? " (it is empty)\n" : "\n")
            << "help: a goal is `% <- …`, `%name <- …`, or a heading with one\n";
  return kExitInvalid;
}

void PrintRun(const Outcome& outcome, Session& session, const EngineOptions& options) {
  PrintDiagnostics(outcome.diagnostics, session.sources(), std::cerr);
  if (options.events) {
    nlohmann::ordered_json done = {{"schema", "rpl.event/1"}, {"type", "done"}};
    done.update(OutcomeJson("rpl.event/1", outcome, session.pool()));
    std::cout << Dump(done) << '\n';
  } else if (options.json) {
    std::cout << Dump(OutcomeJson("rpl.run/1", outcome, session.pool())) << '\n';
  } else {
    PrintLines(outcome.answers);
  }
  std::cout << std::flush;
  PrintEnd(outcome, session.pool(), std::cerr);
}

int CommandRun(const RunOptions& options) {
  std::vector<ProgramFile> files;
  if (const ExitCode code = ReadFactsFiles(options.engine, files); code != kExitOk) return code;
  if (const ExitCode code = ReadProgram(options.files, files); code != kExitOk) return code;
  if (!options.session.empty()) {
    std::error_code ignored;
    const bool begins = !std::filesystem::exists(options.session, ignored);
    if (begins)
      if (const ExitCode code = Create(options.session); code != kExitOk) return code;
    const int code = GoOn(options.session, files, options.engine, {});
    if (begins && code == kExitInvalid) std::filesystem::remove(options.session, ignored);
    return code;
  }
  Host host(options.engine);
  if (const ExitCode code = host.Prepare(options.files); code != kExitOk) return code;
  Session session(host.agent(), SessionOptionsFor(options.engine, host.gate()));
  session.SetFileReader(ReaderBeside(options.files));
  if (!LoadAll(files, session)) return kExitInvalid;
  if (!session.HasGoals()) return ReportNoGoals(files);
  Outcome outcome = session.Run();
  if (Interrupted()) outcome.status = Status::kInterrupted;
  PrintRun(outcome, session, options.engine);
  host.PrintUndecided(outcome, session.pool());
  if (const ExitCode code = host.ReportAnswers(); code != kExitOk) return code;
  return ExitCodeOf(outcome.status);
}

}  // namespace rpl
