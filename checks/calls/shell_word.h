// SPDX-License-Identifier: Apache-2.0
//
// The words of a shell's command, with quotes removed as the shell removes them.
//
// A word is known up to the first character that only the running shell knows: of a variable, a
// substitution, a pattern for file names. Braces of literals are expanded. What differs between
// bash, dash and zsh is unknown: a leading `=` (a program's path in zsh) as well as a pattern.
#ifndef RPL_CHECKS_CALLS_SHELL_WORD_H_
#define RPL_CHECKS_CALLS_SHELL_WORD_H_

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace rpl {

/// The folder that a word begins with, in place of `~`, `$HOME` or `$PWD`.
enum class WordStart { kText, kHome, kFolder };

struct ShellWord {
  std::string text = {};  // the literal start, behind `start`
  WordStart start = WordStart::kText;
  /// Whether `text`, behind `start`, is the whole word.
  bool complete = true;
  /// Whether what follows `text` is a pattern for names of files within one folder: it has no
  /// `/`, and matches neither `.` nor `..`.
  bool is_pattern = false;
  /// Whether the word may be any number of words: what is unknown is not in quotes.
  bool splits = false;
  /// What follows `text`, for glob, if that is a pattern, also one with folders.
  std::string pattern = {};
  /// Whether a variable or a substitution follows `text`; of a variable alone, its name, and what
  /// is behind it: its literal start, and whether that is all.
  bool is_computed = false;
  std::string variable = {};
  std::string behind = {};
  bool ends_behind = false;
  /// Of a path that `find` gives, below `text`: patterns, one of which a name on its way matches.
  std::vector<std::string> names = {};
  /// As it is written, of one that is not known; "" if it is made from others.
  std::string source = {};

  /// Whether the word as an argument is `text`.
  bool known() const { return complete && start == WordStart::kText; }
};

/// A word of `text`.
inline ShellWord KnownWord(std::string text) { return {.text = std::move(text)}; }
/// A word that may be any number of words.
inline ShellWord UnknownWord() { return {.complete = false, .splits = true}; }

/// The words that a node `Word` of the syntax tree stands for: several if it has braces.
std::vector<ShellWord> WordsOf(const nlohmann::ordered_json& word);

/// The same without the expansion of braces, as in assignments.
ShellWord WordOf(const nlohmann::ordered_json& word);

/// The text that `$'…'` stands for; what is behind a NUL is cut off, as by the shell.
std::string DecodeAnsiQuoted(std::string_view text);

}  // namespace rpl

#endif  // RPL_CHECKS_CALLS_SHELL_WORD_H_
