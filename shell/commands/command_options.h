// SPDX-License-Identifier: Apache-2.0
//
// Every command with its options and its help, described once, to the parser of options.
//
// What `--help` prints, what man pages, docs/commands.md and completions say
// (shell/commands/command_tree.h) comes from here. The parser refuses what an option cannot be, so
// the options of a command that was chosen are sound when it runs.
#ifndef RPL_SHELL_COMMANDS_COMMAND_OPTIONS_H_
#define RPL_SHELL_COMMANDS_COMMAND_OPTIONS_H_

#include <functional>
#include <string_view>

#include "shell/commands/commands.h"

namespace CLI {
class App;
}

namespace rpl {

/// The options of each command: defaults, until a command line is parsed.
struct Commands {
  RunOptions run;
  ProfileOptions profile;
  ResumeOptions resume;
  TraceOptions trace;
  ReplyOptions reply;
  QueryOptions query;
  ReplOptions repl;
  TestOptions test;
  CheckCommandOptions check;
  VerifyOptions verify;
  ExplainOptions explain;
  GuardCommandOptions guard;
  DocOptions doc;
  ParseOptions parse;
  FmtOptions fmt;
  CompletionOptions completion;
  ReferenceOptions reference;
};

/// Adds all commands to `app`; those for which `in_full` does not hold with no more than their
/// names, as options take long to make. Parsing writes to `to`, which must outlive it; which
/// command was chosen, `app` knows.
void Describe(CLI::App& app, Commands& to, const std::function<bool(std::string_view)>& in_full);

}  // namespace rpl

#endif  // RPL_SHELL_COMMANDS_COMMAND_OPTIONS_H_
