// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "shell/commands/commands.h"
#include "shell/host/engine_setup.h"
#include "shell/host/program_run.h"
#include "shell/host/report.h"
#include "shell/host/sql_program.h"

namespace rpl {

int CommandSql(const SqlOptions& options) {
  std::vector<ProgramFile> files;
  if (const ExitCode code = ReadAll(options.files, options.engine, files); code != kExitOk)
    return code;
  SqlProgram program(options.files, options.engine.strict_facts);
  if (!program.Load(std::move(files))) return kExitInvalid;
  const std::optional<SqlScript> script = program.Write();
  if (!script) return kExitInvalid;
  PrintDocument(script->Text(options.schema, program.sources()));
  std::cout << std::flush;
  return kExitOk;
}

}  // namespace rpl
