// SPDX-License-Identifier: Apache-2.0
//
// The command line as data: the contents of `--help`, from which man pages, docs/commands.md and
// completions are generated. All of them derive from the option parser, so a new command appears in
// each of them.
//
// Hidden commands and options (those without a group) are left out. The order is that of addition.
// The types of files that a parameter takes are inferred from its help text: `*.rpl`, JSON, CSV.
#ifndef RPL_SHELL_COMMANDS_COMMAND_TREE_H_
#define RPL_SHELL_COMMANDS_COMMAND_TREE_H_

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace rpl {

/// An option, or a positional argument.
struct Parameter {
  /// The kind of value, for completion of names.
  enum class Takes { kOther, kFile, kFolder, kCommand };

  std::vector<std::string> names;  // `-f`, `--file`; empty for an argument
  std::string value;               // `FILE`; empty for an option without value
  std::vector<std::string> choices;
  std::string help;
  bool required = false;
  bool repeated = false;  // may be given several times
  Takes takes = Takes::kOther;
  std::vector<std::string> extensions;  // kFile: likely ones, without dot; others are allowed
};

/// A part of the text below the options: prose without a title, or preformatted lines.
struct FooterPart {
  std::string title;  // `Examples`
  std::vector<std::string> lines;
};

/// A command with its subcommands.
struct CommandNode {
  std::string name;  // `show`
  std::string path;  // `rpl trace show`
  std::string help;
  std::vector<Parameter> options;
  std::vector<Parameter> arguments;
  std::vector<FooterPart> footer;
  std::vector<CommandNode> commands;
  bool needs_command = false;  // a subcommand is required
};

/// The tree of a described command line. Recurses as deep as the commands nest.
CommandNode ReadCommandTree(const CLI::App& app);

/// The synopsis: `rpl trace query [OPTIONS] SESSION GOAL`.
std::string Usage(const CommandNode& command);

/// The spelling of a parameter: `-f, --file FILE`, or `FILE` for an argument.
std::string Spelled(const Parameter& parameter);

}  // namespace rpl

#endif  // RPL_SHELL_COMMANDS_COMMAND_TREE_H_
