// SPDX-License-Identifier: Apache-2.0
//
// The table of programs: which of their arguments they write, read, fetch or run.
//
// A program that is not in the table has no row of edits, reads or fetches beyond its redirections
// and runs no other program as far as the table knows.
#ifndef RPL_CHECKS_CALLS_PROGRAMS_H_
#define RPL_CHECKS_CALLS_PROGRAMS_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "checks/calls/shell_word.h"

namespace rpl {

/// What the operands of a program are: its words that are neither options nor their values.
enum class Operands : std::uint8_t {
  kNone,
  kReads,            // files that it reads
  kEdits,            // files that it writes or removes
  kReadsAfterFirst,  // a pattern or script, then files that it reads
  kEditsAfterFirst,  // a mode or owner, then files that it changes
  kCopies,           // files that it reads, then where it writes
  kFilters,          // a file that it reads, then one that it writes
  kMoves,            // files that it removes, then where it writes
  kLinks,            // as kCopies; paths through the link are not known afterwards
  kFormats,          // files that it reads or writes, as its options say
  kClones,           // an address, and the folder that it writes
  kEditsUnknown,     // files whose names are not among the operands
  kFetches,          // addresses
  kDownloads,        // addresses, which become files named like them
  kRuns,             // a program and its arguments, behind `skip` operands
  kRunsListed,       // as kRuns; an option that is not listed makes all open
  kShell,            // a script, or text with -c
  kSubcommand,       // a subcommand and its arguments
  // Programs with a syntax of their own:
  kAssignedRuns,  // env: assignments, then as kRuns
  kPrints,        // script: a file that it writes; text with -c
  kDd,
  kFind,
  kXargs,
  kSed,
  kAwk,
  kTar,
  kMake,
  kEval,  // runs text that it puts together or reads
  kTrap,
  kAlias,
  kChangesFolder,  // cd
  kLosesFolder,    // pushd, popd
};

/// One row. `options` lists the options, each followed by what it means:
///   `=`  it has a value                       `>`  its value is a file that it writes
///   `<`  its value is a file that it reads    `@`  its value is an address
///   `$`  its value is text for a shell        `?`  its value may change what runs
///   `!`  it may change what runs              `%`  it goes into folders
///   `+`  its value may name a file behind @   `^`  operands that are read are written
///   `#`  it lets the program run nothing      `/`  its value is the folder it works in
///   `*`  it writes files named like operands  `~`  it runs a shell
/// and no sign for one without meaning here. Of programs with subcommands these are the options
/// before the subcommand; there an option that is not listed makes the row open.
struct ProgramRule {
  std::string_view names;  // with blanks between them
  Operands operands = Operands::kNone;
  std::string_view options = "";
  int skip = 0;  // of kRuns: the operands before the program
};

/// The row of a program; nullptr if it has none. The name is without folders.
const ProgramRule* FindProgram(std::string_view name);

/// The row for the rest of a program with subcommands behind its subcommand, such as "git mv";
/// nullptr if there is none.
const ProgramRule* FindSubcommand(std::string_view program, std::string_view subcommand);

/// The meaning of an option in a row: one of the signs above, ' ' without a sign; '\0' if it is
/// not listed. A long option may be abbreviated.
char MeaningOf(const ProgramRule& rule, std::string_view option);

/// Whether the name is a subcommand of git itself, which no alias can replace.
bool IsGitCommand(std::string_view subcommand);

/// Whether a subcommand of git only reads the files that its words name.
bool IsReadingGitCommand(std::string_view subcommand);

/// Whether a setting that `git -c` gives, as "name=value", does not change what runs.
bool IsHarmlessGitSetting(std::string_view setting);

/// Whether the words behind `git config` may set what git runs.
bool SetsGitPrograms(std::span<const ShellWord> words);

/// Whether git runs what a file of this name holds, or names: hooks and settings.
bool IsGitSetup(std::string_view path);

/// Whether an assignment to this variable may change which program a name stands for or what
/// every program does, such as PATH and LD_PRELOAD.
bool ChangesPrograms(std::string_view variable);

/// Whether the shell runs the value of this variable, or the file that it names: BASH_ENV, PS4.
bool RunsByItself(std::string_view variable);

/// Whether such an assignment may change what git runs, such as GIT_CONFIG_COUNT.
bool ChangesGit(std::string_view variable, std::string_view value);

/// Whether a builtin of the shell leaves folder, variables, functions and traps as they are.
bool IsHarmlessBuiltin(std::string_view name);

/// Whether a builtin of the shell, which is no program, has this name.
bool IsBuiltin(std::string_view name);

}  // namespace rpl

#endif  // RPL_CHECKS_CALLS_PROGRAMS_H_
