// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "shell/commands/commands.h"
#include "shell/program/engine_setup.h"
#include "shell/program/program_run.h"
#include "shell/terminal/report.h"
#include "shell/program/source_reader.h"
#include "shell/program/sql_program.h"
#include "shell/program/tool_setup.h"

namespace rpl {

int CommandSql(const SqlOptions& options) {
  std::vector<ProgramFile> files;
  if (const ExitCode code = ReadAll(options.files, options.engine, files); code != kExitOk)
    return code;
  SqlProgram program(options.files, options.engine.strict_facts);
  if (!program.Load(std::move(files))) return kExitInvalid;
  if (options.pushed) {
    ToolConfig config;
    const std::string settings = ConfigPath(options.engine.config, options.files);
    if (const ExitCode code = ReadTools(settings, config); code != kExitOk) return code;
    const bool command = config.Find("index") != nullptr;  // which is not run
    SourceReader places(config.files, command ? "" : FolderOfProgram(options.files), settings,
                        options.engine.allow_tools);
    PrintDocument(
        program.Pushed(places, command ? std::vector<DatabaseRelation>() : config.files.relations));
    std::cout << std::flush;
    return kExitOk;
  }
  const std::optional<SqlScript> script = program.Write();
  if (!script) return kExitInvalid;
  PrintDocument(script->Text(options.schema, program.sources()));
  std::cout << std::flush;
  return kExitOk;
}

}  // namespace rpl
