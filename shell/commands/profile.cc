// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <iostream>
#include <limits>
#include <memory>

#include "interp/eval/profile.h"
#include "shell/commands/commands.h"
#include "shell/commands/shared_options.h"
#include "shell/program/engine_setup.h"
#include "shell/program/guard_setup.h"
#include "shell/program/profile_report.h"
#include "shell/program/program_files.h"
#include "shell/program/program_run.h"
#include "shell/terminal/text_width.h"

namespace rpl {
namespace {

// rpl profile FILE…: runs the program like `rpl run` and reports the work of its rules.
struct ProfileOptions {
  std::vector<std::string> files;
  std::size_t top = 0;  // --top N: maximal number of rules and of indexes; 0: all
  bool times = true;    // --no-times: counts only, which are reproducible
  EngineOptions engine;
};

constexpr const char* kProfileFooter =
    R"(Runs the program as `rpl run` does and reports the time and work of each rule, the use of each
index, and clauses that should be moved. Answers are not printed. Exit codes are those of
`rpl run`.

Examples
  rpl profile protocol.md
  rpl profile rules.rpl --facts edge=edges.csv --top 10
  rpl profile rules.rpl --no-times         # counts only, which are reproducible
  rpl profile rules.rpl --format json)";

// Exit codes: as CommandRun. The answers are not printed.
int CommandProfile(const ProfileOptions& options) {
  Profile profile;
  profile.Enter(Profile::Part::kReading);
  std::vector<ProgramFile> files;
  if (const ExitCode code = ReadAll(options.files, options.engine, files); code != kExitOk)
    return code;
  ProgramRun run(options.files, options.engine, &profile);
  const Outcome* const outcome = run.Pursue(std::move(files));
  profile.Enter(Profile::Part::kElsewhere);
  if (outcome == nullptr) return run.End(nullptr);
  Session& session = run.session();
  PrintDiagnostics(outcome->diagnostics, session.sources(), std::cerr);
  const bool terminal = isatty(STDOUT_FILENO) == 1;
  const ProfileForm shown = {options.times, options.top,
                             terminal ? TerminalWidth() : std::numeric_limits<int>::max()};
  if (const OutputFormat& format = *options.engine.format; format.IsText())
    std::cout << ProfileText(profile, session.sources(), &session.store(), shown);
  else
    format.write(std::cout,
                 ProfileJson(profile, *outcome, session.sources(), session.store(), shown));
  std::cout << std::flush;
  PrintEnd(*outcome, session.pool(), std::cerr, StoreOption(options.engine.guard));
  return run.End(outcome);
}

}  // namespace

Command DescribeProfile(CommandOptions command, const Wanted&) {
  const auto options = std::make_shared<ProfileOptions>();
  ProfileOptions& to = *options;
  command.Add("FILE", to.files, kPrograms).Required();
  AddRunOptions(command, to.engine);
  AddFormat(command, to.engine.format);
  command.Add("--top", to.top, "Show the first N rules and indexes (default: all)")
      .Unit("N")
      .Within(std::size_t{1}, std::size_t{1'000'000});
  command.FlagCalling(
      "--no-times", [&to] { to.times = false; }, "Print counts only, which are reproducible");
  AddGuardOptions(command, to.engine.guard);
  AddToolOptions(command, to.engine, kBesideDocument);
  AddFactsOptions(command, to.engine);
  command.Footer(kProfileFooter);
  return {.run = [options] { return CommandProfile(*options); },
          .limits = &to.engine.limits,
          .threads = &to.engine.threads};
}

}  // namespace rpl
