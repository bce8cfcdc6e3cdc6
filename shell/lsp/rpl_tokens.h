// SPDX-License-Identifier: Apache-2.0
//
// RPL text as tokens, for colours and for the place of a cursor.
//
// Unlike the parser this takes any text: a sentence that is being typed has tokens, too. It never
// fails; a string or a regex that is not closed ends at the limit or its line.
#ifndef RPL_SHELL_LSP_RPL_TOKENS_H_
#define RPL_SHELL_LSP_RPL_TOKENS_H_

#include <cstdint>
#include <string_view>
#include <vector>

namespace rpl::lsp {

enum class TokenKind : std::uint8_t {
  kComment,
  kString,
  kRegex,
  kNumber,
  kKeyword,     // :name
  kLvar,        // ?name
  kAvar,        // $name
  kTool,        // $name before a parenthesis
  kGoal,        // %name
  kRelation,    // name before a parenthesis
  kSymbol,      // any other name
  kWord,        // not, in, true, …
  kActivation,  // @when
  kOperator,
  kBracket,
};

/// A token, with its mark and namespace.
struct Token {
  TokenKind kind;
  std::uint32_t begin;
  std::uint32_t end;

  std::string_view In(std::string_view text) const { return text.substr(begin, end - begin); }
};

/// The words of the language that are no names, sorted.
extern const std::vector<std::string_view> kWords;

/// The tokens of text[begin, end), in order and disjoint. O(end - begin).
std::vector<Token> TokensOf(std::string_view text, std::uint32_t begin, std::uint32_t end);

}  // namespace rpl::lsp

#endif  // RPL_SHELL_LSP_RPL_TOKENS_H_
