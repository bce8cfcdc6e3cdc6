// SPDX-License-Identifier: Apache-2.0
//
// Runs that have a file: `rpl run --session FILE` begins one or goes on with it, `rpl
// resume FILE` goes on. Both read the program again, so that a change is seen.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "runtime/saved_session.h"
#include "shell/commands.h"
#include "shell/engine_setup.h"
#include "shell/input.h"
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

// The program's files as they are now; a file that is gone keeps its recorded text.
std::vector<ProgramFile> ReadAgain(const std::vector<ProgramFile>& recorded) {
  std::vector<ProgramFile> out;
  for (const ProgramFile& file : recorded) {
    Input input = ReadFile(file.name);
    if (!input.error.empty()) {
      std::cerr << "note: " << file.name << ": " << input.error
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
  std::vector<std::string> failed;  // calls whose last reply is a failure
  for (const TraceEntry& entry : session.Entries()) {
    const bool reply = entry.kind == TraceEntry::Kind::kReply;
    if (!reply && entry.kind != TraceEntry::Kind::kRetraction) continue;
    const std::string call = entry.text.substr(0, entry.text.find(reply ? " ^ ~ {" : " -> false"));
    std::erase(failed, call);
    if (reply && entry.text.compare(call.size(), 20, " ^ ~ {:status :error") == 0 &&
        IsOneOf(entry.text, tools))
      failed.push_back(call);
  }
  std::string message;
  for (const std::string& call : failed) message += call + " -> false\n";
  if (!message.empty()) session.Say("<retry>", message);
}

}  // namespace

int GoOn(const std::string& path, std::vector<ProgramFile> files, const EngineOptions& engine,
         const std::vector<std::string>& retry) {
  SessionFile::Opened opened = SessionFile::Open(path, SessionFile::Mode::kOpen);
  if (opened.file == nullptr) return FailedToOpen(path, opened);
  if (!opened.file->damage().empty()) {
    std::cerr << "rpl: " << path << ": the session is damaged: " << opened.file->damage() << '\n'
              << "help: `rpl trace export " << path << "` prints what is sound of it\n";
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
  for (const ProgramFile& file : files) names.push_back(file.name);
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
  // A turn that was finished only now is this run's, unless a call did not run in it.
  const bool finished = saved.finished_turn() && !saved.last()->not_run;
  if (!over && !finished) TakeBackFailures(session, retry);
  if (saved.journal().broken().empty()) outcome = finished || over ? *saved.last() : session.Run();
  if (!saved.journal().broken().empty() && !Interrupted()) {
    std::cerr << "rpl: " << path << ": " << saved.journal().broken() << '\n';
    if (saved.journal().differs())
      std::cerr << "help: another rpl wrote this session; its trace can be exported and loaded\n";
    return kExitFile;
  }
  if (Interrupted()) outcome.status = Status::kInterrupted;
  PrintRun(outcome, session, engine);
  if (outcome.status == Status::kSatisfied && !outcome.repeatable)
    std::cerr << "note: a limit cut this run off, so its end is not in the session\n";
  if (outcome.status == Status::kWaiting)
    std::cerr << "saved: go on with `rpl resume " << path << "`\n";
  host.ReportUnused();
  return ExitCodeOf(outcome.status);
}

int CommandResume(const ResumeOptions& options) {
  return GoOn(options.session, {}, options.engine, options.retry);
}

}  // namespace rpl
