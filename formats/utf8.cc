// SPDX-License-Identifier: Apache-2.0
#include "formats/utf8.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <string>

namespace rpl {

std::size_t FindBadByte(std::string_view s) {
  std::size_t at = 0;
  while (at < s.size()) {
    std::uint64_t word = 0;
    if (s.size() - at >= sizeof(word)) {
      // Eight ASCII bytes, none of them NUL.
      std::memcpy(&word, s.data() + at, sizeof(word));
      constexpr std::uint64_t kHigh = 0x8080808080808080u;
      const std::uint64_t nul = ((word | kHigh) - 0x0101010101010101u) ^ kHigh;
      if (((word | nul) & kHigh) == 0) {
        at += sizeof(word);
        continue;
      }
    }
    auto byte = [&](std::size_t i) { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0u; };
    const unsigned lead = byte(at);
    if (lead == 0) return at;
    if (lead < 0x80) {
      ++at;
      continue;
    }
    const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4) return at;
    // The range of the second byte excludes overlong forms, surrogates and values above U+10FFFF.
    unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    for (std::size_t i = 1; i < size; ++i, low = 0x80, high = 0xBF) {
      if (byte(at + i) < low || byte(at + i) > high) return at;
    }
    at += size;
  }
  return std::string_view::npos;
}

// 32 bytes at a time where these are ASCII.
std::size_t CountCodePoints(std::string_view text) {
  std::size_t out = text.size();
  for (std::size_t at = 0; at < text.size();) {
    std::uint64_t words[4] = {};
    const std::size_t size = std::min(text.size() - at, sizeof words);
    std::memcpy(words, text.data() + at, size);
    if (((words[0] | words[1] | words[2] | words[3]) & 0x8080808080808080u) != 0)
      out -= static_cast<std::size_t>(
          std::count_if(text.data() + at, text.data() + at + size, IsContinuation));
    at += size;
  }
  return out;
}

bool IsText(std::string_view text, std::uint32_t file, Diagnostics& out) {
  std::size_t bad = FindBadByte(text);
  if (bad == std::string_view::npos) return true;
  Span span{file, static_cast<std::uint32_t>(bad), static_cast<std::uint32_t>(bad + 1)};
  if (text[bad] == '\0') {
    out.Add(Code::kNulByte, span, "a NUL byte stands here");
  } else {
    std::array<char, 8> hex{};
    std::snprintf(hex.data(), hex.size(), "0x%02X", static_cast<unsigned char>(text[bad]));
    out.Add(Code::kNotUtf8, span, std::string("the byte ") + hex.data() + " is not UTF-8 here",
            "save the file as UTF-8");
  }
  return false;
}

}  // namespace rpl
