// SPDX-License-Identifier: Apache-2.0
//
// Classes of ASCII characters, whatever the locale is, and places in text. Bytes of other
// characters are in none of the classes.
#ifndef RPL_FORMATS_CHARACTER_H_
#define RPL_FORMATS_CHARACTER_H_

#include <cstddef>
#include <string_view>

namespace rpl {

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool IsLetter(char c) { return IsLower(c) || IsUpper(c); }

/// What names are made of, and what authors write where a name belongs.
constexpr bool IsNameChar(char c) { return IsLetter(c) || IsDigit(c) || c == '-' || c == '_'; }
/// The same, of names with a namespace or a file.
constexpr bool IsQualifiedNameChar(char c) { return IsNameChar(c) || c == '#' || c == '.'; }

/// What separates words on a line. A line of RPL may end with the CR of a CRLF, which is then
/// no part of it; lines of Markdown end before it.
constexpr bool IsBlank(char c) { return c == ' ' || c == '\t'; }
constexpr bool IsBlankOrReturn(char c) { return IsBlank(c) || c == '\r'; }
constexpr bool IsSpace(char c) { return IsBlankOrReturn(c) || c == '\n'; }

/// No place in a text.
constexpr std::size_t kNowhere = std::string_view::npos;

/// The first place from `at` on that is not blank; s.size() if there is none.
constexpr std::size_t SkipBlanks(std::string_view s, std::size_t at) {
  while (at < s.size() && IsBlank(s[at])) ++at;
  return at;
}

/// Whether there is nothing but space.
constexpr bool IsAllSpace(std::string_view s) { return s.find_first_not_of(" \t\r\n") == s.npos; }

/// The text without the space around it.
constexpr std::string_view Trimmed(std::string_view s) {
  while (!s.empty() && IsSpace(s.front())) s.remove_prefix(1);
  while (!s.empty() && IsSpace(s.back())) s.remove_suffix(1);
  return s;
}

constexpr std::string_view WithoutBlanksAtEnd(std::string_view s) {
  while (!s.empty() && IsBlankOrReturn(s.back())) s.remove_suffix(1);
  return s;
}

}  // namespace rpl

#endif  // RPL_FORMATS_CHARACTER_H_
