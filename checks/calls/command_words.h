// SPDX-License-Identifier: Apache-2.0
//
// The words of a command behind its program, sorted into options and operands.
#ifndef RPL_CHECKS_CALLS_COMMAND_WORDS_H_
#define RPL_CHECKS_CALLS_COMMAND_WORDS_H_

#include <string>
#include <string_view>
#include <vector>

#include "checks/calls/shell_word.h"

namespace rpl {

/// What the options said, and the operands. By default nothing was said.
struct ParsedWords {
  std::vector<ShellWord> operands;
  bool is_risky = false;  // an option may change what runs
  bool recurses = false;
  bool runs_nothing = false;
  bool edits_operands = false;
  bool writes_named = false;
  bool runs_shell = false;
  bool has_unknown = false;  // a word that may be an option
  bool has_script = false;   // the pattern or script is not an operand
  bool has_output = false;
  bool has_text = false;                              // an option gave a text to a shell
  ShellWord target = {.text = "", .complete = true};  // of -t; empty if there is none
};

/// Whether an option of this meaning, as programs.h lists them, has a value.
inline bool HasValue(char meaning) {
  return std::string_view("=><@$?/+").find(meaning) != std::string_view::npos;
}

/// Whether a word that is not known may be an option, or several words.
inline bool MayBeOption(const ShellWord& word) {
  if (word.complete || word.start != WordStart::kText) return false;
  if (word.splits) return true;
  return word.text.empty() ? !word.is_pattern : word.text[0] == '-';
}

/// Whether a word is NAME=VALUE, of which the name is known.
inline bool IsAssignment(const ShellWord& word) {
  const std::size_t equals = word.text.find('=');
  return word.start == WordStart::kText && equals != std::string::npos && equals > 0;
}

}  // namespace rpl

#endif  // RPL_CHECKS_CALLS_COMMAND_WORDS_H_
