// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <memory>

#include "runtime/record/session_store.h"
#include "shell/commands/commands.h"
#include "shell/commands/resume.h"
#include "shell/commands/shared_options.h"
#include "shell/program/program_files.h"
#include "shell/program/program_run.h"
#include "shell/terminal/input.h"
#include "shell/terminal/report.h"

namespace rpl {
namespace {

// rpl run FILE…: runs the files as one program until its goal is decided or waits.
struct RunOptions {
  std::vector<std::string> files;
  std::string session;  // --session FILE
  EngineOptions engine;
  bool watch = false;  // --watch
};

constexpr const char* kRunFooter =
    R"(Examples
  rpl run protocol.md
  rpl run protocol.md facts.rpl            # several files form one program
  printf 'doc-42\nclarity\n' | rpl run protocol.md
  rpl run protocol.md --answer draft-id=doc-42 --answer focus=clarity
  rpl run protocol.md --answers answers.json
  rpl run protocol.md --facts stock=stock.csv
  rpl run protocol.md --now 2026-01-02T00:00:00Z
  rpl run protocol.md --session trip.rpls  # saved in a file, to be continued
  rpl run protocol.md --log phases         # reports each phase on standard error
  rpl run protocol.md --allow-tool stock   # allows a tool of rpl.yaml; see docs/tools.md
  rpl run protocol.md --model openai:NAME  # a model answers; see docs/models.md
  rpl run protocol.md --format json
  rpl run protocol.md --watch              # again whenever the file is saved)";

// Exit codes: that of the outcome (ExitCodeOf); kExitInvalid for a program with errors or without
// a goal; kExitFile for an unreadable file.
int CommandRun(const RunOptions& options) {
  std::vector<ProgramFile> files;
  if (const ExitCode code = ReadAll(options.files, options.engine, files); code != kExitOk)
    return code;
  if (!options.session.empty()) {
    std::error_code ignored;
    const bool begins = !std::filesystem::exists(options.session, ignored);
    const int code =
        GoOn(options.session, files, options.engine, {}, "", SessionStore::Mode::kContinue);
    // A refused program leaves no file.
    if (begins && code == kExitInvalid) std::filesystem::remove(options.session, ignored);
    return code;
  }
  ProgramRun run(options.files, options.engine);
  const Outcome* const outcome = run.Pursue(std::move(files));
  if (outcome != nullptr) PrintRun(*outcome, run.session(), options.engine);
  return run.End(outcome);
}

}  // namespace

Command DescribeRun(CommandOptions command, const Wanted&) {
  const auto options = std::make_shared<RunOptions>();
  RunOptions& to = *options;
  command.Add("FILE", to.files, kPrograms).Required();
  AddGoalOptions(command, to.engine);
  AddEngineOptions(command, to.engine);
  AddGuardOptions(command, to.engine.guard);
  AddToolOptions(command, to.engine, kBesideDocument);
  AddFactsOptions(command, to.engine);
  command
      .Add("--session", to.session,
           "Save the run in FILE, or postgresql://…/NAME; if it exists, continue it")
      .Unit("FILE")
      .Check(CheckNamed);
  AddWatch(command, to.watch);
  command.Footer(kRunFooter);
  return {.run = [options] { return CommandRun(*options); },
          .limits = &to.engine.limits,
          .threads = &to.engine.threads,
          .watch = &to.watch};
}

}  // namespace rpl
