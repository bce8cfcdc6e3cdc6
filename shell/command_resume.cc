// SPDX-License-Identifier: Apache-2.0
//
// Runs that have a file: `rpl run --session FILE` begins one or goes on with it, `rpl
// resume FILE` goes on. Both read the program again, so that a change is seen.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "runtime/facts_file.h"
#include "runtime/saved_session.h"
#include "shell/commands.h"
#include "shell/engine_setup.h"
#include "shell/input.h"
#include "shell/repl_session.h"
#include "shell/report.h"
#include "shell/terminal_agent.h"

namespace rpl {
namespace {

/// At most this many changed sentences are listed.
constexpr std::size_t kChangesShown = 20;

ExitCode FailedToOpen(const std::string& path, const SessionFile::Opened& opened) {
  std::cerr << "rpl: " << path << ": " << opened.error << '\n';
  if (!opened.hint.empty()) std::cerr << "help: " << opened.hint << '\n';
  return kExitFile;
}

std::string PathOf(const ProgramFile& file) {
  const std::optional<FactsName> facts = FactsNameOf(file.name);
  return facts ? facts->path : file.name;
}

// The program's files as they are now; a file that is gone keeps its recorded text.
std::vector<ProgramFile> ReadAgain(const std::vector<ProgramFile>& recorded) {
  std::vector<ProgramFile> out;
  for (const ProgramFile& file : recorded) {
    const std::string path = PathOf(file);
    if (ReplSession::IsEntry(file)) {  // of a shell: there is no file
      out.push_back(file);
      continue;
    }
    Input input = ReadFile(path);
    if (!input.error.empty()) {
      std::cerr << "note: " << path << ": " << input.error
                << "; going on with its text in the session\n";
      input.text = file.text;
    }
    out.push_back({file.name, std::move(input.text)});
  }
  return out;
}

void ReportChanges(const std::vector<ProgramFile>& before, const std::vector<ProgramFile>& after) {
  const std::vector<std::string> changes = ProgramChanges(before, after);
  if (changes.empty()) {
    std::cerr << "note: the text of the program has changed, no sentence of it has\n";
    return;
  }
  std::cerr << fmt::format("note: the program has changed: {} sentence{}\n", changes.size(),
                           changes.size() == 1 ? "" : "s");
  for (std::size_t i = 0; i < std::min(changes.size(), kChangesShown); ++i)
    std::cerr << "  " << Printable(changes[i]) << '\n';
  if (changes.size() > kChangesShown)
    std::cerr << fmt::format("  and {} more\n", changes.size() - kChangesShown);
}

// Whether the call, `$name(…)`, is of one of the tools.
bool IsOneOf(const std::string& call, const std::vector<std::string>& tools) {
  return std::any_of(tools.begin(), tools.end(), [&](std::string_view name) {
    if (name.starts_with('$')) name.remove_prefix(1);
    return call.starts_with(fmt::format("${}(", name));
  });
}

// Takes back the replies of calls that failed, so that they are made again (§13.3).
void TakeBackFailures(Session& session, const std::vector<std::string>& tools) {
  std::string message;
  for (const TraceEntry& entry : session.Entries()) {
    const std::size_t end = entry.text.find(" ^ ~ {:status :error");
    if (entry.kind == TraceEntry::Kind::kReply && end != std::string::npos &&
        IsOneOf(entry.text, tools))
      message += entry.text.substr(0, end) + " -> false\n";
  }
  if (!message.empty()) session.Say("<retry>", message);
}

}  // namespace

int GoOn(const std::string& path, std::vector<ProgramFile> files, const EngineOptions& engine,
         const std::vector<std::string>& retry) {
  SessionFile::Opened opened = SessionFile::Open(path, SessionFile::Mode::kOpen);
  if (opened.file == nullptr) return FailedToOpen(path, opened);
  if (!opened.file->damage().empty()) {
    std::cerr << "rpl: " << path << ": the session is damaged: " << opened.file->damage() << '\n'
              << "help: `rpl trace export` gives what is sound of it\n";
    return kExitFile;
  }
  std::vector<Event> events = opened.file->events();
  const std::optional<ProgramEvent> last = LastProgram(events);
  if (files.empty()) {
    if (!last) {
      std::cerr << "rpl: " << path << ": nothing was recorded yet\n"
                << "help: begin with `rpl run PROGRAM --session " << path << "`\n";
      return kExitInvalid;
    }
    files = ReadAgain(last->files);
  }

  std::vector<std::string> names;
  for (const ProgramFile& file : files) names.push_back(PathOf(file));
  Host host(engine);
  if (const ExitCode code = host.Prepare(names); code != kExitOk) return code;
  SavedSession saved(host.agent(), SessionOptionsFor(engine), std::move(events),
                     std::move(opened.file));
  const std::vector<Diagnostic> findings = saved.Start(
      files, ReaderBeside(names), [&](const std::string& call) { return IsOneOf(call, retry); });
  Session& session = saved.session();
  PrintDiagnostics(findings, session.sources(), std::cerr);
  if (HasErrors(findings)) return kExitInvalid;
  if (last && last->files != files) ReportChanges(last->files, files);
  if (!session.HasGoals()) return ReportNoGoals(files);
  Outcome outcome;
  const bool same = last && last->files == files;
  const bool over = same && saved.last() && saved.last()->status == Status::kSatisfied;
  if (!over && !saved.finished_turn()) TakeBackFailures(session, retry);
  if (saved.journal().broken().empty())
    outcome = saved.finished_turn() || over ? *saved.last() : session.Run();
  if (!saved.journal().broken().empty()) {
    std::cerr << "rpl: " << path << ": " << saved.journal().broken() << '\n'
              << "help: another rpl wrote this session; its trace can be exported and loaded\n";
    return kExitFile;
  }
  if (Interrupted()) outcome.status = Status::kInterrupted;
  PrintRun(outcome, session, engine);
  if (outcome.status == Status::kWaiting)
    std::cerr << "saved: go on with `rpl resume " << path << "`\n";
  host.ReportUnused();
  return ExitCodeOf(outcome.status);
}

int CommandResume(const ResumeOptions& options) {
  return GoOn(options.session, {}, options.engine, options.retry);
}

}  // namespace rpl
