// SPDX-License-Identifier: Apache-2.0
#include "shell/commands/command_table.h"

#include <CLI/CLI.hpp>
#include <utility>

namespace rpl {
namespace {

constexpr const char* kFooter = R"(Exit codes
  0   satisfied, passed, clean
  1   a negative result: unsatisfied, %fail, failed tests, findings
  2   the command line or a program was rejected, nothing ran
  3   waiting for input
  4   a tool failed, and that decided the goal
  5   a limit was reached
  6   a file cannot be read or written
  70  a bug in rpl
  130 interrupted

Examples
  rpl new bike-lending
  rpl run examples/collaborative-editing.md
  printf "user('foo')\n%% <- user('foo')\n" | rpl reply
  rpl query -f graph.rpl 'edge(1, ?x)'
  rpl test spec-tests
  rpl help run
  rpl help RPL2005                         # what a finding means
  rpl help tutorial                        # a page; rpl help topics lists them)";

// Listed in the help only: `help` is replaced by --help before parsing.
Command DescribeHelp(CommandOptions command, const Wanted&) {
  command.AddUnread("COMMAND", "A command, or a command and its subcommand");
  return {};
}

struct CommandRow {
  const char* name;
  const char* about;
  Command (*describe)(CommandOptions command, const Wanted& wanted);
  bool is_shown = true;  // in the help text
};

constexpr CommandRow kCommands[] = {
    // in the order of the help text
    {"new", "Write a new protocol and its tests", DescribeNew},
    {"run", "Run a program until its goal is decided", DescribeRun},
    {"profile", "Run a program and report where its time went", DescribeProfile},
    {"resume", "Continue a run from its session file", DescribeResume},
    {"trace", "Show, check or replay a session", DescribeTrace},
    {"session", "Copy sessions, and list those of a database", DescribeSession},
    {"reply", "Answer one user message and its query", DescribeReply},
    {"query", "Answer one query about a program", DescribeQuery},
    {"sql", "Print a program as SQL for PostgreSQL", DescribeSql},
    {"repl", "The interactive shell", DescribeRepl},
    {"test", "Run the test scripts of Markdown files", DescribeTest},
    {"eval", "Measure models with the test scripts of Markdown files", DescribeEval},
    {"check", "Find mistakes in a program", DescribeCheck},
    {"verify", "Verify content against a rulespec or rules", DescribeVerify},
    {"explain", "Explain why a fact holds, or why it does not", DescribeExplain},
    {"guard", "Apply a policy to tool calls", DescribeGuard},
#ifdef RPL_WITH_MCP
    {"mcp", "Serve protocols to agent hosts (Model Context Protocol)", DescribeMcp},
#endif
    {"drive", "Let another program drive runs, by lines of JSON", DescribeDrive},
#ifdef RPL_WITH_SERVE
    {"serve", "Run protocols of many clients, with sessions in PostgreSQL", DescribeServe},
#endif
#ifdef RPL_WITH_LSP
    {"lsp", "Serve editors (Language Server Protocol)", DescribeLsp},
#endif
    {"doc", "List and draw the parts of a program", DescribeDoc},
    {"parse", "Show a file as the parser reads it", DescribeParse},
    {"fmt", "Format the RPL in files", DescribeFmt},
    {"completion", "Print a completion script for a shell", DescribeCompletion},
    {"reference", "Print the command reference and man pages", DescribeReference, false},
    {"help", "Show this help, that of a command, a code or a page", DescribeHelp},
};

}  // namespace

std::vector<std::string> CommandNames() {
  std::vector<std::string> names;
  for (const CommandRow& row : kCommands) names.emplace_back(row.name);
  return names;
}

std::map<std::string, Command> DescribeCommands(CLI::App& app, const Wanted& wanted) {
  app.footer(kFooter);
  app.set_version_flag("--version", "rpl " RPL_VERSION);
  app.require_subcommand(1);
  std::map<std::string, Command> described;
  for (const CommandRow& row : kCommands) {
    if (!wanted(row.name)) continue;
    CLI::App* const command = app.add_subcommand(row.name, row.about);
    if (!row.is_shown) command->group("");
    described.emplace(row.name, row.describe(CommandOptions(*command), wanted));
  }
  return described;
}

}  // namespace rpl
