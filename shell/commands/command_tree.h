// SPDX-License-Identifier: Apache-2.0
//
// The command line as data: what `--help` prints, in a shape that man pages, the page of
// commands and completions are written from. All of them say what the parser of options
// knows, so a command that is added is in each of them at once.
//
// Hidden commands and options (those without a group) are left out. Order is that in which
// they were added. Files that a parameter takes are told from its help: `*.rpl`, JSON, CSV.
#ifndef RPL_SHELL_COMMANDS_COMMAND_TREE_H_
#define RPL_SHELL_COMMANDS_COMMAND_TREE_H_

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace rpl {

/// An option, or an argument by its place.
struct Parameter {
  enum class Takes { kOther, kFile, kFolder, kCommand };

  std::vector<std::string> names;  // `-f`, `--file`; none for an argument
  std::string value;               // `FILE`; empty for an option that takes none
  std::vector<std::string> choices;
  std::string help;
  bool required = false;
  bool repeated = false;
  Takes takes = Takes::kOther;
  std::vector<std::string> extensions;  // kFile: the likely ones, without dot; others may be
};

/// A part of what stands below the options: prose without a title, or lines as they are.
struct FooterPart {
  std::string title;  // `Examples`
  std::vector<std::string> lines;
};

struct CommandNode {
  std::string name;  // `show`
  std::string path;  // `rpl trace show`
  std::string help;
  std::vector<Parameter> options;
  std::vector<Parameter> arguments;
  std::vector<FooterPart> footer;
  std::vector<CommandNode> commands;
  bool needs_command = false;
};

CommandNode ReadCommandTree(const CLI::App& app);

/// `rpl trace query [OPTIONS] SESSION GOAL`
std::string Usage(const CommandNode& command);

/// `-f, --file FILE`, or `FILE` for an argument.
std::string Spelled(const Parameter& parameter);

}  // namespace rpl

#endif  // RPL_SHELL_COMMANDS_COMMAND_TREE_H_
