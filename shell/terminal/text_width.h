// SPDX-License-Identifier: Apache-2.0
//
// The width of text on a terminal, by grapheme clusters, and the locale that libedit needs.
#ifndef RPL_SHELL_TERMINAL_TEXT_WIDTH_H_
#define RPL_SHELL_TERMINAL_TEXT_WIDTH_H_

#include <clocale>
#include <cstddef>
#include <string>
#include <string_view>

namespace rpl {

/// A scope in which the calling thread's character type is UTF-8, independent of the environment.
/// The locale of the process does not change.
class Utf8Locale {
 public:
  Utf8Locale();
  ~Utf8Locale();
  Utf8Locale(const Utf8Locale&) = delete;

 private:
  locale_t before_;
};

/// Columns on a terminal: a grapheme cluster takes none, one or two. A byte that is not UTF-8 takes
/// one.
std::size_t TextWidth(std::string_view text);

/// The text, or its beginning with `…`, at most `width` columns wide; clusters stay whole.
/// REQUIRES: width >= 1.
std::string CutToWidth(std::string_view text, std::size_t width);

/// UTF-8 to code points. A byte that begins no character and a character that is cut off become
/// U+FFFD; overlong forms are not detected.
std::wstring Wide(std::string_view text);
/// Code points to UTF-8. Surrogates and values above U+10FFFF become U+FFFD.
std::string Narrow(std::wstring_view text);

/// The columns of the terminal at standard output; 80 if standard output is none.
std::size_t TerminalWidth();

}  // namespace rpl

#endif  // RPL_SHELL_TERMINAL_TEXT_WIDTH_H_
