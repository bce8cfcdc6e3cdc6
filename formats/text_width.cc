// SPDX-License-Identifier: Apache-2.0
#include "formats/text_width.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cwchar>

namespace rpl {
namespace {

constexpr char32_t kReplacement = 0xFFFD;
static_assert(sizeof(wchar_t) == 4);

locale_t Utf8() {
  static const locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  return utf8;
}

// Decodes one code point and advances `at` behind it.
char32_t Next(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at++);
  if (first < 0x80) return first;
  const int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC0 ? 1 : 0;
  if (more == 0 || first > 0xF4) return kReplacement;
  char32_t point = first & (0x3F >> more);
  for (int i = 0; i < more; ++i) {
    if (at >= text.size() || (byte(at) & 0xC0) != 0x80) return kReplacement;
    point = point << 6 | (byte(at++) & 0x3F);
  }
  return point;
}

std::size_t WidthOf(char32_t point) {
  const int width = wcwidth(static_cast<wchar_t>(point));
  return width < 0 ? 1 : static_cast<std::size_t>(width);
}

}  // namespace

Utf8Locale::Utf8Locale() : before_(uselocale(Utf8())) {}

Utf8Locale::~Utf8Locale() { uselocale(before_); }

std::size_t TextWidth(std::string_view text) {
  const Utf8Locale utf8;
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) width += WidthOf(Next(text, at));
  return width;
}

std::string CutToWidth(std::string_view text, std::size_t width) {
  const Utf8Locale utf8;
  std::size_t used = 0;
  std::size_t fits = 0;  // bytes that leave a column for the mark
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    used += WidthOf(Next(text, at));
    if (used <= width - 1) fits = at;
    if (used > width) return std::string(text.substr(0, std::min(fits, begin))) + "…";
  }
  return std::string(text);
}

std::wstring Wide(std::string_view text) {
  std::wstring out;
  for (std::size_t at = 0; at < text.size();) out += static_cast<wchar_t>(Next(text, at));
  return out;
}

std::string Narrow(std::wstring_view text) {
  std::string out;
  for (const wchar_t wide : text) {
    auto point = static_cast<char32_t>(wide);
    if (point > 0x10FFFF || (point >= 0xD800 && point < 0xE000)) point = kReplacement;
    const auto tail = [&](int shift) { out += static_cast<char>(0x80 | (point >> shift & 0x3F)); };
    if (point < 0x80) {
      out += static_cast<char>(point);
    } else if (point < 0x800) {
      out += static_cast<char>(0xC0 | point >> 6), tail(0);
    } else if (point < 0x10000) {
      out += static_cast<char>(0xE0 | point >> 12), tail(6), tail(0);
    } else {
      out += static_cast<char>(0xF0 | point >> 18), tail(12), tail(6), tail(0);
    }
  }
  return out;
}

std::size_t TerminalWidth() {
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

}  // namespace rpl
