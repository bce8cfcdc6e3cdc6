// SPDX-License-Identifier: Apache-2.0
//
// Classes of ASCII characters, independent of the locale, and the trimming of text. A byte of a
// character outside ASCII belongs to no class. All functions are total and O(length).
#ifndef RPL_FORMATS_CHARACTER_H_
#define RPL_FORMATS_CHARACTER_H_

#include <cstddef>
#include <string_view>

namespace rpl {

/// ASCII digits and letters.
constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool IsLetter(char c) { return IsLower(c) || IsUpper(c); }

/// A character of a name (§9): letters, digits, `-` and `_`. Capitals and `_` are included, so that
/// a misspelt name is read as one word and reported as a whole.
constexpr bool IsNameChar(char c) { return IsLetter(c) || IsDigit(c) || c == '-' || c == '_'; }
/// A character of a name with a namespace (§17.7), as in `loans.md#free`.
constexpr bool IsQualifiedNameChar(char c) { return IsNameChar(c) || c == '#' || c == '.'; }

/// A separator of words within a line. The CR of a CRLF belongs to the line end and not to the
/// line: the reader of Markdown removes it, a reader of RPL skips it with IsBlankOrReturn.
constexpr bool IsBlank(char c) { return c == ' ' || c == '\t'; }
/// A blank, or the CR of a CRLF.
constexpr bool IsBlankOrReturn(char c) { return IsBlank(c) || c == '\r'; }
/// Blanks and line ends.
constexpr bool IsSpace(char c) { return IsBlankOrReturn(c) || c == '\n'; }

/// "Not found" for offsets into a text.
constexpr std::size_t kNowhere = std::string_view::npos;

/// The first offset from `at` on that holds no blank; s.size() if there is none. An `at` beyond the
/// end is returned unchanged.
constexpr std::size_t SkipBlanks(std::string_view s, std::size_t at) {
  while (at < s.size() && IsBlank(s[at])) ++at;
  return at;
}

/// True for text that consists of whitespace only, and for empty text.
constexpr bool IsAllSpace(std::string_view s) { return s.find_first_not_of(" \t\r\n") == s.npos; }

/// The text without leading and trailing whitespace, line ends included; a view into `s`.
constexpr std::string_view Trimmed(std::string_view s) {
  while (!s.empty() && IsSpace(s.front())) s.remove_prefix(1);
  while (!s.empty() && IsSpace(s.back())) s.remove_suffix(1);
  return s;
}

/// The text without trailing blanks and carriage returns; line feeds stay. A view into `s`.
constexpr std::string_view WithoutBlanksAtEnd(std::string_view s) {
  while (!s.empty() && IsBlankOrReturn(s.back())) s.remove_suffix(1);
  return s;
}

}  // namespace rpl

#endif  // RPL_FORMATS_CHARACTER_H_
