// SPDX-License-Identifier: Apache-2.0
//
// RPL text as tokens, for what needs no trees: sentences are cut, laid out and coloured by them.
//
// Any text has tokens, also one that is being typed or is no RPL. Each byte but blanks and line
// ends belongs to one; they are in order and disjoint. Of a sentence that the parser
// (grammar/rules.h) reads, each operand, operator and bracket begins and ends where a token does.
// What a token is depends on the tokens before it:
//   `/` opens a regex after `~` alone, in which a line end is no part.
//   `-1` is a number where an operand may stand, as in `= -1` and `[1 -1]`, and elsewhere a minus.
//   `|` closes a count that is open in the same bracket, opens one where an operand may stand, and
//   is an operator otherwise.
//   A word such as `in` is an operator where one may stand (decision 15), and a name elsewhere.
//   `(` opens arguments if it touches a name, or after `@when`, and a group otherwise.
// Linear in the text, without recursion; nothing fails. Positions are byte offsets.
#ifndef RPL_GRAMMAR_LEXER_H_
#define RPL_GRAMMAR_LEXER_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace rpl {

enum class TokenKind : std::uint8_t {
  kComment,     // `--` and the rest of its line
  kString,      // with its quotes; also over lines
  kRegex,       // with its slashes
  kNumber,      // with its sign
  kKeyword,     // :name
  kLvar,        // ?name, _
  kAvar,        // $name
  kTool,        // $name before `(`
  kGoal,        // %name, %
  kRelation,    // name before `(`
  kSymbol,      // any other name
  kWord,        // not, in, … as operators
  kActivation,  // @name
  kOperator,    // also the `#` of #?name
  kComma,
  kCountOpen,
  kCountClose,
  kGroup,      // the `(` of a group,
  kArguments,  // and that of arguments
  kOpen,       // [ { #{
  kClose,
  kOther,  // a character that begins none of these
};

/// A token, with its mark and namespace.
struct Token {
  TokenKind kind;
  bool closed;  // false for a string or regex without its end, and for a malformed number
  std::uint32_t begin;
  std::uint32_t end;

  std::string_view In(std::string_view text) const { return text.substr(begin, end - begin); }
};

/// True for a label with or without arguments: of a relation, a goal or a tool.
constexpr bool IsLabel(TokenKind kind) {
  return kind == TokenKind::kRelation || kind == TokenKind::kSymbol || kind == TokenKind::kGoal ||
         kind == TokenKind::kTool || kind == TokenKind::kAvar;
}

/// The words of the language that are no names, sorted.
inline constexpr std::array<std::string_view, 15> kLanguageWords = {
    "after", "and", "before", "between", "difference", "false", "in",    "intersect",
    "nil",   "not", "now",    "of",      "true",       "union", "within"};

/// The end of the name characters at `at`; a name stops before `->` (decision 6).
std::uint32_t NameEnd(std::string_view text, std::uint32_t at);

class Lexer {
 public:
  /// What an open bracket holds.
  enum class Inside : std::uint8_t { kClauses, kArguments, kElements };
  /// An open bracket; the bottom one is the sentence, at its beginning.
  struct Level {
    char closer;
    Inside inside;
    bool counts;  // a count is open
    std::uint32_t at;
  };

  /// Borrows the text, which ends where reading is to end.
  explicit Lexer(std::string_view text) : text_(text) { Start(0); }

  /// Begins a sentence at `at`: no bracket is open.
  void Start(std::uint32_t at) {
    levels_.assign(1, Level{'\0', Inside::kClauses, false, at});
    before_ = Before::kOperator;
    within_ = between_ = false;
  }

  /// The first token that begins at `from` or later; nullopt if there is none. REQUIRES: the token
  /// returned before ended at `from` or earlier.
  std::optional<Token> Next(std::uint32_t from);

  /// The first token behind `callee`, which was returned last, and the arguments that touch it;
  /// nullopt if there is none or the arguments are not closed.
  std::optional<Token> NextBehind(const Token& callee);

  /// True if `word` is an operator where one may stand. `of` and `and` are after `within` and
  /// `between` alone, because lines of prose begin with them.
  bool IsInfix(std::string_view word) const;

  /// The brackets that are open behind the token returned last.
  const std::vector<Level>& levels() const { return levels_; }

 private:
  // The token before, as far as the reading of the next one depends on it.
  enum class Before : std::uint8_t {
    kOperator,    // or nothing: an operand may stand here
    kOperand,     // an operator may stand here
    kNot,         // `not` behind an operand: `in` may follow
    kTilde,       // a regex may follow
    kMeta,        // `^` or
    kBindings,    // `^^`: a key may follow
    kCallee,      // a name that a `(` touches
    kActivation,  // @name
  };

  char At(std::uint32_t at) const { return at < text_.size() ? text_[at] : '\0'; }
  std::uint32_t NameEnd(std::uint32_t at) const { return rpl::NameEnd(text_, at); }
  std::uint32_t LabelEnd(std::uint32_t at) const;
  std::uint32_t ForeignEnd(std::uint32_t at) const;
  std::uint32_t DigitsEnd(std::uint32_t at) const;
  void Read(Token& token);
  void ReadQuoted(Token& token);
  void ReadNumber(Token& token);
  void ReadLabel(Token& token, TokenKind bare, TokenKind called);
  void ReadWord(Token& token, Before before);
  void ReadMarked(Token& token, TokenKind kind, std::uint32_t end);
  void ReadBar(Token& token, Before before);
  void ReadOperator(Token& token);
  void Open(Token& token, TokenKind kind, Inside inside, char closer);
  void Close(char closer);

  std::string_view text_;
  std::vector<Level> levels_;
  Before before_;
  bool within_;   // a `within` without its `of`
  bool between_;  // a `between` without its `and`
};

}  // namespace rpl

#endif  // RPL_GRAMMAR_LEXER_H_
