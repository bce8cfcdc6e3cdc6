// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <iostream>

#include "interp/lint/checker.h"
#include "runtime/saved_session.h"
#include "shell/commands/commands.h"
#include "shell/host/engine_setup.h"
#include "shell/host/input.h"
#include "shell/host/program_files.h"
#include "shell/host/report.h"

namespace rpl {
namespace {

// Creates the session's file, which GoOn requires. A refused program leaves none.
ExitCode Create(const std::string& path) {
  SessionFile::Opened opened = SessionFile::Open(path, SessionFile::Mode::kCreate);
  if (opened.file != nullptr) return kExitOk;
  Complain(path, opened.error);
  return kExitFile;
}

// The first file of that name. REQUIRES: there is one.
std::uint32_t FileNamed(const Sources& sources, const std::string& name) {
  std::uint32_t file = 0;
  while (sources.at(file).name != name) ++file;
  return file;
}

// An undefined name may be the reason for a missing answer. Large programs are left to `rpl check`,
// which takes longer than reading them.
void PrintUndefined(const RunOptions& options, Sources sources) {
  constexpr std::size_t kLarge = std::size_t{1} << 22;
  std::size_t size = 0;
  std::vector<std::uint32_t> numbers;
  for (const std::string& name : options.files) {
    numbers.push_back(FileNamed(sources, name));
    size += sources.at(numbers.back()).text.size();
  }
  if (size > kLarge || !options.engine.facts.empty()) return;
  CheckOptions with;
  with.reader = ReaderBeside(options.files);
  for (const Finding& finding : CheckFiles(sources, numbers, with)) {
    const Diagnostic& d = finding.diagnostic;
    if (d.code == Code::kUndefinedRelation || d.code == Code::kUndefinedGoal)
      std::cerr << Render(d, sources);
  }
}

}  // namespace

bool LoadAll(std::vector<ProgramFile> files, Session& session) {
  bool sound = true;
  for (ProgramFile& file : files) {
    const std::vector<Diagnostic> findings = session.Load(file.name, std::move(file.text));
    PrintDiagnostics(findings, session.sources(), std::cerr);
    sound = sound && !HasErrors(findings);
  }
  return sound;
}

NothingToRun::NothingToRun(const std::vector<ProgramFile>& files) : count_(files.size()) {
  for (const ProgramFile& file : files) {
    names_ += (names_.empty() ? "" : ", ") + PrintableLine(file.name);
    empty_ = empty_ && file.text.find_first_not_of(" \t\r\n") == std::string::npos;
  }
}

ExitCode NothingToRun::Report() const {
  std::cerr << "nothing to run: " << names_ << (count_ == 1 ? " has no goals" : " have no goals")
            << (empty_ ? " (it is empty)\n" : "\n")
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

ExitCode ReadAll(const std::vector<std::string>& files, const EngineOptions& options,
                 std::vector<ProgramFile>& to) {
  if (const ExitCode code = ReadFactsFiles(options, to); code != kExitOk) return code;
  return ReadProgram(files, to);
}

std::optional<Outcome> ProgramRun::Run(std::vector<ProgramFile> read) {
  if (refused_ = host_.Prepare(files_); refused_ != kExitOk) return std::nullopt;
  session_ =
      std::make_unique<Session>(host_.agent(), SessionOptionsFor(options_, host_.gate(), profile_));
  session_->SetFileReader(ReaderBeside(files_));
  refused_ = kExitInvalid;
  const NothingToRun nothing(read);
  if (!LoadAll(std::move(read), *session_)) return std::nullopt;
  if (!session_->HasGoals()) {
    refused_ = nothing.Report();
    return std::nullopt;
  }
  Outcome outcome = session_->Run();
  if (Interrupted()) outcome.status = Status::kInterrupted;
  return outcome;
}

ExitCode ProgramRun::End(const Outcome* outcome) {
  if (outcome == nullptr) return refused_;
  host_.PrintUndecided(*outcome, session_->pool());
  if (const ExitCode code = host_.ReportAnswers(); code != kExitOk) return code;
  return ExitCodeOf(outcome->status);
}

int CommandRun(const RunOptions& options) {
  std::vector<ProgramFile> files;
  if (const ExitCode code = ReadAll(options.files, options.engine, files); code != kExitOk)
    return code;
  if (!options.session.empty()) {
    std::error_code ignored;
    const bool begins = !std::filesystem::exists(options.session, ignored);
    if (begins)
      if (const ExitCode code = Create(options.session); code != kExitOk) return code;
    const int code = GoOn(options.session, files, options.engine, {});
    if (begins && code == kExitInvalid) std::filesystem::remove(options.session, ignored);
    return code;
  }
  ProgramRun run(options.files, options.engine);
  const std::optional<Outcome> outcome = run.Run(std::move(files));
  if (outcome) PrintRun(*outcome, run.session(), options.engine);
  if (outcome && (outcome->status == Status::kUnsatisfied || outcome->status == Status::kWaiting))
    PrintUndefined(options, run.session().sources());
  return run.End(outcome ? &*outcome : nullptr);
}

}  // namespace rpl
