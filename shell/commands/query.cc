// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cstdint>
#include <iostream>
#include <memory>

#include "formats/shorten.h"
#include "interp/sql/sql_script.h"
#include "runtime/postgres/database_url.h"
#include "shell/commands/commands.h"
#include "shell/commands/shared_options.h"
#include "shell/program/engine_setup.h"
#include "shell/program/known_names.h"
#include "shell/program/program_files.h"
#include "shell/program/program_run.h"
#include "shell/program/sql_program.h"
#include "shell/program/sql_run.h"
#include "shell/repl/answer_form.h"
#include "shell/repl/entry.h"
#include "shell/terminal/input.h"
#include "shell/terminal/report.h"
#include "shell/terminal/text_width.h"

namespace rpl {
namespace {

// rpl query [-f FILE]… GOAL: answers one query, like `rpl reply`.
struct QueryOptions {
  std::vector<std::string> files;
  std::string goal;  // a goal form, or a query of the shell
  std::string on;    // --on: the URL of a database that answers; "": this process does
  AnswerMode mode;   // --format
  EngineOptions engine;
};

constexpr const char* kQueryFooter =
    R"(GOAL is a goal form, or one or more calls; then their variables are asked for.

Examples
  rpl query -f graph.rpl 'reachable(1, ?x)'
  rpl query -f graph.rpl '%far(?x) <- reachable(1, ?x), not edge(1, ?x)'
  rpl query -f graph.rpl 'edge(1, 2)'
  rpl query '?x = 6 * 7')";

// REQUIRES: there are columns.
void PrintColumns(AnswerForm form, const Outcome& outcome, const Pool& pool) {
  const AnswerLayout layout = {0, isatty(STDOUT_FILENO) == 1 ? TerminalWidth() : SIZE_MAX / 2,
                               false};
  const std::string text = AnswersAs(form, pool, outcome.columns, outcome.cells, layout);
  if (form == AnswerForm::kCsv) PrintDocument(text);
  else std::cout << text;
}

// The answers in the form that was asked for.
void PrintAnswers(const QueryOptions& options, const Outcome& outcome, const Pool& pool) {
  const std::optional<AnswerForm> form = options.mode.columns;
  if (options.engine.events) PrintDone(outcome, pool);
  else if (!form || outcome.status != Status::kSatisfied || outcome.columns.empty())
    return PrintReply(outcome, pool, *options.mode.format);
  else PrintColumns(*form, outcome, pool);
  std::cout << std::flush;
  PrintCutOff(outcome, std::cerr);
  PrintOverridden(outcome, std::cerr);
}

// The answers of a database to the query of an entry.
int QueryOn(const QueryOptions& options, std::vector<ProgramFile> files, const Entry& entry) {
  SqlProgram program(options.files, options.engine.strict_facts);
  if (!program.Load(std::move(files))) return kExitInvalid;
  const std::optional<Definition> query = program.TakeMessage(entry.name, entry.text);
  if (!query) return kExitInvalid;
  const std::optional<SqlScript> script = program.Write(*query);
  if (!script) return kExitInvalid;
  const SqlRun run = RunSql(options.on, *script, program.sources(), program.pool(), options.engine);
  if (!run.outcome) return run.code;
  PrintAnswers(options, *run.outcome, program.pool());
  return ExitCodeOf(run.outcome->status);
}

// Exit codes: that of the outcome; kExitInvalid for an invalid program or query. With a database
// also kExitInvalid for a part that has no counterpart in SQL, kExitFile for an error of the
// database, and kExitLimit where a limit of its is the reason.
int CommandQuery(const QueryOptions& given) {
  QueryOptions options = given;
  options.engine.format = options.mode.format;
  std::vector<ProgramFile> files;
  if (const ExitCode code = ReadFactsFiles(options.engine, files); code != kExitOk) return code;
  if (const ExitCode code = ReadProgram(options.files, files); code != kExitOk) return code;
  Entry entry = ReadEntry(options.goal, "<query>", Ground::kAsks);
  PrintDiagnostics(entry.findings, entry.sources, std::cerr);
  if (entry.kind == Entry::Kind::kRejected) return kExitInvalid;
  if (entry.kind != Entry::Kind::kQuery) {
    std::cerr << "rpl: expected a query, got `" << Printable(Shortened(options.goal, kToldBytes))
              << "`\n"
              << "help: a goal form, as in `%who(?x) <- user(?x)`, or a call with variables\n";
    return kExitInvalid;
  }
  if (!options.on.empty()) return QueryOn(options, std::move(files), entry);
  Host host(options.engine);
  if (const ExitCode code = host.Prepare(options.files); code != kExitOk) return code;
  SessionOptions settings = SessionOptionsFor(options.engine);
  settings.answers_only = true;
  const Run::Opened opened = Run::Open(host.ports(), {.files = std::move(files),
                                                      .reader = ReaderBeside(options.files),
                                                      .options = std::move(settings)});
  Session& session = opened.run->session();
  PrintDiagnostics(opened.findings, session.sources(), std::cerr);
  if (!opened) return kExitInvalid;
  Outcome outcome = opened.run->Say(entry.name, entry.text);
  if (Interrupted()) outcome.status = Status::kInterrupted;
  PrintFindings(entry, outcome.diagnostics, session.sources(), std::cerr);
  PrintAnswers(options, outcome, session.pool());
  if (outcome.status == Status::kUnsatisfied)
    for (const std::string& unknown : UnknownCalls(session, entry.calls))
      std::cerr << "note: " << Printable(unknown) << '\n';
  if (const ExitCode code = host.ReportAnswers(); code != kExitOk) return code;
  return ExitCodeOf(outcome.status);
}

std::string CheckDatabase(const std::string& url) {
  if (!IsDatabaseUrl(url)) return "expected postgresql://…, got `" + WithoutPassword(url) + "`";
  return CheckDatabaseUrl(url);
}

}  // namespace

Command DescribeQuery(CommandOptions command, const Wanted&) {
  const auto options = std::make_shared<QueryOptions>();
  QueryOptions& to = *options;
  AddPrograms(command, to.files);
  command.Add("GOAL", to.goal, "A goal form, or one or more calls").Required();
  command.Add("--on", to.on, "Let this PostgreSQL database answer (docs/sql.md)")
      .Unit("URL")
      .Check(CheckDatabase);
  AddReportedRunOptions(command, to.engine);
  std::vector<std::pair<std::string, AnswerMode>> formats;
  for (const OutputFormat& format : kOutputFormats)
    formats.push_back({format.name, {.format = &format}});
  formats.push_back({"csv", {.columns = AnswerForm::kCsv}});
  formats.push_back({"table", {.columns = AnswerForm::kTable}});
  AddFormat(command, to.mode, formats);
  AddToolOptions(command, to.engine, kBesideDocument);
  AddFactsOptions(command, to.engine);
  command.Footer(kQueryFooter);
  return {.run = [options] { return CommandQuery(*options); },
          .limits = &to.engine.limits,
          .threads = &to.engine.threads};
}

}  // namespace rpl
