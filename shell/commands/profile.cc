// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <iostream>
#include <limits>

#include "interp/eval/profile.h"
#include "shell/commands/commands.h"
#include "shell/program/engine_setup.h"
#include "shell/program/guard_setup.h"
#include "shell/program/profile_report.h"
#include "shell/program/program_files.h"
#include "shell/program/program_run.h"
#include "shell/terminal/text_width.h"

namespace rpl {

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
  const ProfileForm form = {options.times, options.top,
                            terminal ? TerminalWidth() : std::numeric_limits<int>::max()};
  if (options.engine.json)
    std::cout << Dump(ProfileJson(profile, *outcome, session.sources(), session.store(), form))
              << '\n';
  else std::cout << ProfileText(profile, session.sources(), &session.store(), form);
  std::cout << std::flush;
  PrintEnd(*outcome, session.pool(), std::cerr, StoreOption(options.engine.guard));
  return run.End(outcome);
}

}  // namespace rpl
