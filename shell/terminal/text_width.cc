// SPDX-License-Identifier: Apache-2.0
#include "shell/terminal/text_width.h"

#include <sys/ioctl.h>
#include <unistd.h>
#include <utf8proc.h>

#include <algorithm>

namespace rpl {
namespace {

constexpr utf8proc_int32_t kReplacement = 0xFFFD;
static_assert(sizeof(wchar_t) == 4);

locale_t Utf8() {
  static const locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  return utf8;
}

// Reads one code point, and moves `at` behind it.
utf8proc_int32_t Next(std::string_view text, std::size_t& at) {
  utf8proc_int32_t point = kReplacement;
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data()) + at;
  const auto left = static_cast<utf8proc_ssize_t>(text.size() - at);
  const utf8proc_ssize_t read = utf8proc_iterate(bytes, left, &point);
  at += static_cast<std::size_t>(std::max<utf8proc_ssize_t>(read, 1));
  return read < 0 ? kReplacement : point;
}

// Calls `take(end, width)` for each grapheme cluster, until it gives false.
template <typename Take>
void ForEachCluster(std::string_view text, Take&& take) {
  constexpr int kWidest = 2;  // of emoji that are joined, and of flags
  utf8proc_int32_t before = 0;
  utf8proc_int32_t state = 0;
  int width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const utf8proc_int32_t point = Next(text, at);
    if (begin > 0 && utf8proc_grapheme_break_stateful(before, point, &state)) {
      if (!take(begin, static_cast<std::size_t>(width))) return;
      width = 0;
    }
    width = std::min(width + utf8proc_charwidth(point), kWidest);
    before = point;
  }
  if (!text.empty()) take(text.size(), static_cast<std::size_t>(width));
}

}  // namespace

Utf8Locale::Utf8Locale() : before_(uselocale(Utf8())) {}

Utf8Locale::~Utf8Locale() { uselocale(before_); }

std::size_t TextWidth(std::string_view text) {
  std::size_t total = 0;
  ForEachCluster(text, [&](std::size_t, std::size_t width) {
    total += width;
    return true;
  });
  return total;
}

std::string CutToWidth(std::string_view text, std::size_t width) {
  std::size_t used = 0;
  std::size_t fits = 0;  // bytes that leave a column for the mark
  ForEachCluster(text, [&](std::size_t end, std::size_t columns) {
    used += columns;
    if (used <= width - 1) fits = end;
    return used <= width;
  });
  return used > width ? std::string(text.substr(0, fits)) + "…" : std::string(text);
}

std::wstring Wide(std::string_view text) {
  std::wstring out;
  for (std::size_t at = 0; at < text.size();) out += static_cast<wchar_t>(Next(text, at));
  return out;
}

std::string Narrow(std::wstring_view text) {
  std::string out;
  for (const wchar_t wide : text) {
    const auto point = static_cast<utf8proc_int32_t>(wide);
    utf8proc_uint8_t bytes[4];
    const utf8proc_ssize_t size =
        utf8proc_encode_char(utf8proc_codepoint_valid(point) ? point : kReplacement, bytes);
    out.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  }
  return out;
}

std::size_t TerminalWidth() {
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

}  // namespace rpl
