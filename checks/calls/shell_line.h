// SPDX-License-Identifier: Apache-2.0
//
// A text of the shell as statements: what runs, in which order, under which conditions.
//
// The statements are read from the syntax tree of `shfmt --to-json`. Everything that runs is in
// them, wherever it stands: in substitutions, conditions, bodies of functions and heredocs. Nodes
// of a kind that is not known here become commands of which nothing is known.
//
// The parser and the shells disagree on some texts; these are undecided as a whole:
//   - a comment that ends in a backslash: shells do not continue it;
//   - carriage returns, NUL and other control characters: shells take some of them into words;
//   - a backslash in backquotes within double quotes: shells remove a level of quotes first;
//   - text that is not UTF-8.
#ifndef RPL_CHECKS_CALLS_SHELL_LINE_H_
#define RPL_CHECKS_CALLS_SHELL_LINE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "checks/calls/shell_word.h"

namespace rpl {

/// The limits of a text.
inline constexpr std::size_t kMaxShellText = 64 * 1024;
inline constexpr std::size_t kMaxShellCommands = 500;
inline constexpr int kMaxShellDepth = 200;

enum class RedirectionKind : std::uint8_t { kWrites, kReads, kBoth, kText };

struct Redirection {
  RedirectionKind kind;
  ShellWord path;  // nothing for kText, which is a heredoc or a herestring
  bool is_input;   // of descriptor 0
};

struct Assignment {
  std::string name;
  ShellWord value;
};

enum class StatementForm : std::uint8_t {
  kCommand,   // a simple command; one without words only has redirections and assignments
  kSequence,  // `a; b`, and blocks
  kAnd,
  kOr,
  kPipe,
  kSubshell,
  kEither,  // of the branches of `if` and `case`, one or none; a branch may fall through
  kLoop,
  kFunction,  // the declaration of `name`
};

struct Statement {
  StatementForm form = StatementForm::kCommand;
  std::vector<Statement> parts = {};
  std::vector<Statement> substitutions = {};  // they run first, each in a subshell of its own
  std::vector<Redirection> redirections = {};
  std::vector<Assignment> assignments = {};  // of a command
  std::vector<ShellWord> words = {};         // of a command
  std::vector<ShellWord> items = {};         // of a loop over words
  std::string name = {};                     // of a function, or of the variable of a loop
  bool is_negated = false;
  bool is_background = false;
  bool is_group = false;  // `{ }`, `time` and other words around its parts
};

struct ShellLine {
  Statement root;  // kSequence
  /// Whether text in a variable may run as a command: arithmetic evaluates subscripts in the
  /// values of variables, `${x@P}` all of a value.
  bool evaluates_values = false;
  std::string why;  // why the text is undecided, for people; "" if it is not
};

/// Why a text is not given to the parser; "" if it is.
std::string WhyUnreadable(std::string_view text);

/// The statements of a text from the parser's tree for it. Linear in the size of the tree, up to
/// the nesting of backquotes.
ShellLine ReadShellLine(std::string_view text, const std::string& tree);

}  // namespace rpl

#endif  // RPL_CHECKS_CALLS_SHELL_LINE_H_
