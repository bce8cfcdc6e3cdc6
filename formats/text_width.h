// SPDX-License-Identifier: Apache-2.0
//
// The width of text on a terminal, and the UTF-8 locale that the C library's character functions
// need.
#ifndef RPL_FORMATS_TEXT_WIDTH_H_
#define RPL_FORMATS_TEXT_WIDTH_H_

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

/// The columns that a text takes on a terminal. A byte that is not UTF-8 and a control count one
/// each.
std::size_t TextWidth(std::string_view text);

/// The text if it is at most `width` columns wide, else a prefix of it with `…` that together are
/// at most `width` columns wide. REQUIRES: width >= 1.
std::string CutToWidth(std::string_view text, std::size_t width);

/// UTF-8 to code points. A byte that begins no character and a character that is cut off become
/// U+FFFD; overlong forms are not detected.
std::wstring Wide(std::string_view text);
/// Code points to UTF-8. Surrogates and values above U+10FFFF become U+FFFD.
std::string Narrow(std::wstring_view text);

/// The columns of the terminal at standard output; 80 if standard output is none.
std::size_t TerminalWidth();

}  // namespace rpl

#endif  // RPL_FORMATS_TEXT_WIDTH_H_
