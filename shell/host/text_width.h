// SPDX-License-Identifier: Apache-2.0
//
// The width of text on a terminal, by grapheme clusters, and the locale that libedit needs.
#ifndef RPL_SHELL_HOST_TEXT_WIDTH_H_
#define RPL_SHELL_HOST_TEXT_WIDTH_H_

#include <clocale>
#include <cstddef>
#include <string>
#include <string_view>

namespace rpl {

/// While it lives, the thread's characters are UTF-8, whatever the environment says. The
/// locale of the process stays as it was.
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

/// UTF-8 as code points and back. What is not UTF-8 becomes U+FFFD.
std::wstring Wide(std::string_view text);
std::string Narrow(std::wstring_view text);

/// Columns of the terminal at standard output; 80 when there is none.
std::size_t TerminalWidth();

}  // namespace rpl

#endif  // RPL_SHELL_HOST_TEXT_WIDTH_H_
