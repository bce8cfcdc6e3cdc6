// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "runtime/saved_session.h"
#include "shell/commands/commands.h"
#include "shell/terminal/input.h"
#include "shell/program/program_files.h"
#include "shell/program/program_run.h"
#include "shell/terminal/report.h"

namespace rpl {

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

}  // namespace rpl
