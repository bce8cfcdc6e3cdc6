// SPDX-License-Identifier: Apache-2.0
//
// The rows of one command, by the table of programs: of the command itself, of the programs that
// it runs in turn, and of the files and addresses among its words.
#ifndef RPL_CHECKS_CALLS_COMMAND_VIEWS_H_
#define RPL_CHECKS_CALLS_COMMAND_VIEWS_H_

#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checks/calls/command_words.h"
#include "checks/calls/programs.h"
#include "checks/calls/row_writer.h"

namespace rpl {

/// What the text around a command does to all of its commands.
struct ShellNames {
  std::set<std::string> functions;
  std::set<std::string> aliases;
  bool any_alias = false;         // names that are not known, or that stand for any word
  bool changes_programs = false;  // PATH and the like
  bool changes_git = false;
  bool functions_change_folder = false;
};

/// Where a command stands.
struct CommandScope {
  Folders folders = {};
  bool has_input = false;  // something is put into its standard input
  bool changes_programs = false;
  bool changes_git = false;
  bool repeats = false;               // what stands behind it in the text may run before it
  std::vector<ShellWord> found = {};  // paths that a `find` in front of it in a pipe gives
  int depth = 0;                      // of programs that run programs
};

/// The folders behind a command: if it succeeds, and in any case.
struct FoldersAfter {
  Folders success;
  Folders any;
};

using CommandWords = std::span<const ShellWord>;

class CommandViews {
 public:
  /// Reads a text that a command gives to a shell, such as that of `bash -c`.
  using TextReader = std::function<void(const std::string& text, const CommandScope&)>;

  /// The writer, the names and what the reader refers to must outlive this.
  CommandViews(RowWriter& rows, const ShellNames& names, TextReader text_reader)
      : rows_(rows), names_(names), text_reader_(std::move(text_reader)) {}

  /// Writes the rows of a command that has words.
  FoldersAfter Run(CommandWords words, CommandScope scope);

  /// The first paths that a `find` with these words gives, those to start from; below the folder of
  /// the project, with the patterns of their names.
  std::vector<ShellWord> FoundBy(CommandWords words, const Folders& folders) const;

 private:
  ParsedWords Parse(const ProgramRule& rule, CommandWords words, CommandScope& scope,
                    bool stops_at_operand);
  void ApplyOption(char meaning, const ShellWord& value, CommandScope& scope, ParsedWords& parsed);
  void RunText(const ShellWord& text, const CommandScope& scope);
  void RunRule(const ProgramRule& rule, const std::string& program, CommandWords words,
               CommandScope scope);
  void RunPackaged(const std::string& program, const ParsedWords& parsed, CommandScope scope);
  void RunBehind(CommandWords words, CommandScope scope);
  void RunAssigned(CommandWords words, CommandScope scope, bool is_shell);
  void RunShell(const ProgramRule& rule, CommandWords words, const CommandScope& scope);
  void RunSubcommand(const ProgramRule& rule, const std::string& program, CommandWords words,
                     CommandScope scope);
  void RunXargs(const ProgramRule& rule, CommandWords words, CommandScope scope);
  void RunFind(CommandWords words, const CommandScope& scope);
  bool IsAllOfProject(const ShellWord& path, const Folders& folders) const;
  void Reach(const std::string& program, CommandWords rest);
  void ReachRemote(const ShellWord& word);
  void RunMake(CommandWords words, const CommandScope& scope);
  void RunDd(CommandWords words, const CommandScope& scope);
  void RunSed(const ProgramRule& rule, CommandWords words, CommandScope scope);
  void RunAwk(const ProgramRule& rule, CommandWords words, CommandScope scope);
  void RunFormatter(const std::string& program, CommandWords words, const CommandScope& scope);
  void Operate(Operands operands, const ParsedWords& parsed, const CommandScope& scope);
  void Transfer(const ParsedWords& parsed, bool moves, const CommandScope& scope);
  void NameFiles(const ProgramRule* rule, CommandWords words, const CommandScope& scope);
  FoldersAfter ChangeFolder(CommandWords words, const CommandScope& scope);

  RowWriter& rows_;
  const ShellNames& names_;
  TextReader text_reader_;
};

/// The last component of a program's path.
std::string NameOfProgram(std::string_view word);

}  // namespace rpl

#endif  // RPL_CHECKS_CALLS_COMMAND_VIEWS_H_
