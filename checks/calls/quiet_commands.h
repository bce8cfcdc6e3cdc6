// SPDX-License-Identifier: Apache-2.0
//
// Forms of commands that write less than their program may: `git stash list`, `black --check`,
// `tar tf`. Of a form that is not listed here, all that its row says holds.
#ifndef RPL_CHECKS_CALLS_QUIET_COMMANDS_H_
#define RPL_CHECKS_CALLS_QUIET_COMMANDS_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "checks/calls/shell_word.h"

namespace rpl {

/// Whether a subcommand of git and its words write no file but those of the repository itself, and
/// run no program.
bool IsQuietGit(std::span<const ShellWord> words);

/// Whether the words behind `rpl` write no file that they name, and no other.
bool IsQuietRpl(std::span<const ShellWord> words);

enum class Formatting : std::uint8_t {
  kReads,   // it tells what it finds
  kWrites,  // it writes the files that are its operands
  kOpen,    // not known
};

/// What a formatter or linter does with files. Its settings may say otherwise.
Formatting FormattingOf(std::string_view program, std::span<const ShellWord> words);

struct TarForm {
  bool is_known = false;
  bool creates = false;  // else it lists
  ShellWord archive = {};
};

/// The form of a command of tar or unzip that lists an archive or writes one.
TarForm TarFormOf(std::string_view program, std::span<const ShellWord> words);

}  // namespace rpl

#endif  // RPL_CHECKS_CALLS_QUIET_COMMANDS_H_
