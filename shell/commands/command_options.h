// SPDX-License-Identifier: Apache-2.0
//
// The commands with their options and help texts, described once, for the option parser.
//
// The output of `--help`, man pages, docs/commands.md and completions
// (shell/commands/command_tree.h) derive from this description. The parser refuses invalid values,
// so a command can rely on its options.
#ifndef RPL_SHELL_COMMANDS_COMMAND_OPTIONS_H_
#define RPL_SHELL_COMMANDS_COMMAND_OPTIONS_H_

#include <functional>
#include <string_view>

#include "shell/commands/commands.h"

namespace CLI {
class App;
}

namespace rpl {

/// The options of each command: defaults until a command line is parsed.
struct Commands {
  RunOptions run;
  ProfileOptions profile;
  ResumeOptions resume;
  TraceOptions trace;
  SessionCommandOptions session;
  ReplyOptions reply;
  QueryOptions query;
  SqlOptions sql;
  ReplOptions repl;
  NewOptions make_new;
  TestOptions test;
  EvalOptions eval;
  CheckCommandOptions check;
  VerifyOptions verify;
  ExplainOptions explain;
  GuardCommandOptions guard;
  McpOptions mcp;
  DriveOptions drive;
  ServeOptions serve;
  LspOptions lsp;
  DocOptions doc;
  ParseOptions parse;
  FmtOptions fmt;
  CompletionOptions completion;
  ReferenceOptions reference;
  SessionLimits limits;  // time and memory, of commands that evaluate nothing
};

/// Adds all commands to `app`; those for which `in_full` is false, and such subcommands of `guard`,
/// by name only, because options take long to construct. Parsing writes to `to`, which must outlive `app`; the chosen command is
/// in `app`.
void Describe(CLI::App& app, Commands& to, const std::function<bool(std::string_view)>& in_full);

}  // namespace rpl

#endif  // RPL_SHELL_COMMANDS_COMMAND_OPTIONS_H_
