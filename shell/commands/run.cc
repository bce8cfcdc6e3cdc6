// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <iostream>

#include "interp/lint/checker.h"
#include "runtime/saved_session.h"
#include "shell/commands/commands.h"
#include "shell/host/input.h"
#include "shell/host/program_files.h"
#include "shell/host/program_run.h"
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
