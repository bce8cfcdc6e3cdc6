// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>

#include "shell/commands.h"
#include "shell/engine_setup.h"
#include "shell/input.h"
#include "shell/report.h"
#include "shell/terminal_agent.h"

namespace rpl {
namespace {

struct Source {
  std::string name;
  std::string text;
};

// All files or, with a message for each that cannot be read, kExitFile.
ExitCode ReadSources(const std::vector<std::string>& files, std::vector<Source>& to) {
  ExitCode exit_code = kExitOk;
  for (const std::string& file : files) {
    Input input = ReadFile(file);
    if (!input.error.empty()) {
      std::cerr << "rpl: " << file << ": " << input.error << '\n';
      exit_code = kExitFile;
    }
    to.push_back({file, std::move(input.text)});
  }
  return exit_code;
}

bool IsEmpty(const Source& source) {
  return source.text.find_first_not_of(" \t\r\n") == std::string::npos;
}

void ReportNoGoals(const std::vector<Source>& sources) {
  const bool empty = std::all_of(sources.begin(), sources.end(), IsEmpty);
  std::cerr << "nothing to run: ";
  for (const Source& source : sources) {
    std::cerr << (&source == &sources.front() ? "" : ", ") << source.name;
  }
  std::cerr << (sources.size() == 1 ? " has no goals" : " have no goals")
            << (empty ? " (it is empty)\n" : "\n")
            << "help: a goal is `% <- …`, `%name <- …`, or a heading with one\n";
}

void PrintRun(const Outcome& outcome, const Pool& pool, bool json) {
  if (json) {
    std::cout << Dump(OutcomeJson("rpl.run/1", outcome, pool)) << '\n';
  } else {
    for (const std::string& answer : outcome.answers) std::cout << answer << '\n';
  }
  std::cout << std::flush;
  PrintEnd(outcome, pool, std::cerr);
}

}  // namespace

int CommandRun(const RunOptions& options) {
  std::vector<Source> sources;
  if (const ExitCode code = ReadSources(options.files, sources); code != kExitOk) return code;
  TerminalAgent person(ReadLine, InputIsTerminal() ? "> " : "", std::cout, std::cerr);
  ScriptedAgent agent(person, std::cerr);
  if (const ExitCode code = AddAnswers(options.engine, agent); code != kExitOk) return code;

  Session session(agent, SessionOptionsFor(options.engine));
  session.SetFileReader(ReaderBeside(options.files));
  bool rejected = false;
  for (const Source& source : sources) {
    const std::vector<Diagnostic> findings = session.Load(source.name, source.text);
    PrintDiagnostics(findings, session.sources(), std::cerr);
    rejected = rejected || HasErrors(findings);
  }
  if (rejected) return kExitInvalid;
  if (!session.HasGoals()) {
    ReportNoGoals(sources);
    return kExitInvalid;
  }
  Outcome outcome = session.Run();
  if (Interrupted()) outcome.status = Status::kInterrupted;
  PrintDiagnostics(outcome.diagnostics, session.sources(), std::cerr);
  PrintRun(outcome, session.pool(), options.engine.json);
  ReportUnused(agent);
  return ExitCodeOf(outcome.status);
}

}  // namespace rpl
