// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>

#include "interp/sql/sql_script.h"
#include "runtime/nobody.h"
#include "shell/commands/commands.h"
#include "shell/commands/shared_options.h"
#include "shell/program/engine_setup.h"
#include "shell/program/program_run.h"
#include "shell/program/sql_program.h"
#include "shell/program/tool_setup.h"
#include "shell/terminal/report.h"

namespace rpl {
namespace {

// rpl sql FILE…: prints the program as a script of SQL (interp/sql/sql_script.h).
struct SqlOptions {
  std::vector<std::string> files;
  std::string schema = "rpl";  // --schema NAME
  bool pushed = false;         // --pushed: what the databases of the configuration evaluate
  EngineOptions engine;        // facts
};

constexpr const char* kSqlFooter =
    R"(The script is for psql and PostgreSQL 15 or later: tables with the facts, the statements of each
stratum, and a selection for each goal. What has no counterpart in SQL is an error with its place.
docs/sql.md describes what becomes of what.

Examples
  rpl sql graph.rpl > graph.sql
  rpl sql graph.rpl --facts edge=edges.csv --schema graph   # for `psql -X -f -`)";

// Exit codes: kExitInvalid for a program with errors, or that has no counterpart in SQL; kExitFile
// for an unreadable file.
int CommandSql(const SqlOptions& options) {
  std::vector<ProgramFile> files;
  if (const ExitCode code = ReadAll(options.files, options.engine, files); code != kExitOk)
    return code;
  SqlProgram program(options.files, options.engine.strict_facts);
  if (!program.Load(std::move(files))) return kExitInvalid;
  if (options.pushed) {
    Nobody nobody;
    ToolSetup tools(options.engine, false, nobody);
    tools.OnlyRead();
    if (const ExitCode code = tools.Prepare(options.files); code != kExitOk) return code;
    const bool command = tools.config().Find("index") != nullptr;  // which is not run
    PrintDocument(program.Pushed(tools.access(), command ? std::vector<DatabaseRelation>()
                                                         : tools.config().files.relations));
    std::cout << std::flush;
    return kExitOk;
  }
  const std::optional<SqlScript> script = program.Write();
  if (!script) return kExitInvalid;
  PrintDocument(script->Text(options.schema, program.sources()));
  std::cout << std::flush;
  return kExitOk;
}

}  // namespace

Command DescribeSql(CommandOptions command, const Wanted&) {
  const auto options = std::make_shared<SqlOptions>();
  SqlOptions& to = *options;
  command.Add("FILE", to.files, kPrograms).Required();
  command.Add("--schema", to.schema, "Create this schema (default: rpl)")
      .Unit("NAME")
      .Check(CheckNamed);
  command.Flag("--pushed", to.pushed,
               "Print the queries that the databases of rpl.yaml evaluate in a run");
  command
      .Add("--config", to.engine.config, "The configuration (default: rpl.yaml beside the program)")
      .Unit("FILE");
  AddRepeatable(command, "--allow-tool", to.engine.allow_tools, "NAME",
                "Read what rpl.yaml opens, without its approval: index; repeatable");
  AddFactsOptions(command, to.engine);
  AddTimeAndMemory(command, to.engine.limits);
  command.Footer(kSqlFooter);
  return {.run = [options] { return CommandSql(*options); },
          .limits = &to.engine.limits,
          .threads = &to.engine.threads};
}

}  // namespace rpl
