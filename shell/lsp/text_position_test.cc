// SPDX-License-Identifier: Apache-2.0
#include "shell/lsp/text_position.h"

#include <catch2/catch.hpp>
#include <string>

#include "formats/utf8.h"
#include "grammar/testing_random.h"

namespace rpl::lsp {
namespace {

constexpr auto kUtf8 = PositionEncoding::kUtf8;
constexpr auto kUtf16 = PositionEncoding::kUtf16;

std::string At(const std::string& text, std::uint32_t offset, PositionEncoding encoding) {
  const TextPosition at = TextLines(text).PositionOf(offset, encoding);
  return std::to_string(at.line) + ":" + std::to_string(at.character);
}

TEST_CASE("characters are counted in the units of the encoding") {
  const std::string text = "aé€😀b\nc";
  CHECK(At(text, 10, kUtf16) == "0:5");
  CHECK(At(text, 10, kUtf8) == "0:10");
  CHECK(At(text, 12, kUtf16) == "1:0");
  CHECK(At(text, 99, kUtf16) == "1:1");
  CHECK(At(text, 8, kUtf16) == "0:3");  // inside the last but one character
  const TextLines lines(text);
  CHECK(lines.OffsetOf({0, 5}, kUtf16) == 10);
  CHECK(lines.OffsetOf({0, 4}, kUtf16) == 6);  // between two halves
  CHECK(lines.OffsetOf({0, 7}, kUtf8) == 6);
  CHECK(lines.OffsetOf({0, 99}, kUtf16) == 11);
  CHECK(lines.OffsetOf({99, 0}, kUtf16) == text.size());
}

TEST_CASE("three line ends, and text without one at its end") {
  const std::string text = "a\r\nb\rc\n\nd";
  const TextLines lines(text);
  CHECK(lines.size() == 5);
  CHECK(lines.OffsetOf({0, 9}, kUtf16) == 1);
  CHECK(lines.OffsetOf({1, 0}, kUtf16) == 3);
  CHECK(lines.OffsetOf({1, 9}, kUtf16) == 4);
  CHECK(lines.OffsetOf({3, 0}, kUtf16) == 7);
  CHECK(At(text, 2, kUtf16) == "0:1");  // within the line end
  CHECK(TextLines("").size() == 1);
  CHECK(TextLines("\n").size() == 2);
}

TEST_CASE("bytes that are not UTF-8 count as one") {
  const std::string text = "a\xff\xe2\x82z\xed\xa0\x80\xf4\x90\x80\x80";
  CHECK(At(text, 4, kUtf16) == "0:4");
  CHECK(At(text, static_cast<std::uint32_t>(text.size()), kUtf16) == "0:12");
}

TEST_CASE("a character has the size that the validation of text gives it") {
  for (std::uint32_t c = 1; c < 0x110000; c += 13) {
    if (c >= 0xD800 && c < 0xE000) continue;
    std::string text;
    if (c < 0x80) {
      text = {static_cast<char>(c)};
    } else if (c < 0x800) {
      text = {static_cast<char>(0xC0 | c >> 6), static_cast<char>(0x80 | (c & 63))};
    } else if (c < 0x10000) {
      text = {static_cast<char>(0xE0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 63)),
              static_cast<char>(0x80 | (c & 63))};
    } else {
      text = {static_cast<char>(0xF0 | c >> 18), static_cast<char>(0x80 | (c >> 12 & 63)),
              static_cast<char>(0x80 | (c >> 6 & 63)), static_cast<char>(0x80 | (c & 63))};
    }
    REQUIRE(FindBadByte(text) == std::string::npos);
    REQUIRE(CharacterSize(text + "x", 0) == text.size());
  }
}

TEST_CASE("places on long lines are those that counting from the beginning of the line gives") {
  const std::string four = "aé€😀";
  std::string text = "short é\n";
  for (int i = 0; i < 100; ++i) text += four;
  text += "\xff\r\n" + std::string(127, 'x') + "\n" + std::string(128, 'y') + "\n";
  for (int i = 0; i < 100; ++i) text += four;
  const TextLines lines(text);
  TextPosition utf16, utf8;
  for (std::uint32_t at = 0; at < text.size();) {
    REQUIRE(lines.PositionOf(at, kUtf16) == utf16);
    REQUIRE(lines.PositionOf(at, kUtf8) == utf8);
    REQUIRE(lines.OffsetOf(utf16, kUtf16) == at);
    REQUIRE(lines.OffsetOf(utf8, kUtf8) == at);
    const std::uint32_t bytes = CharacterSize(text, at);
    for (std::uint32_t within = 1; within < bytes; ++within) {
      REQUIRE(lines.PositionOf(at + within, kUtf16) == utf16);
      REQUIRE(lines.OffsetOf({utf8.line, utf8.character + within}, kUtf8) == at);
    }
    if (bytes == 4) REQUIRE(lines.OffsetOf({utf16.line, utf16.character + 1}, kUtf16) == at);
    utf16.character += bytes == 4 ? 2 : 1;
    utf8.character += bytes;
    at += bytes;
    if (text[at] == '\r') at += 1;
    if (at < text.size() && text[at] == '\n') {
      REQUIRE(lines.PositionOf(at, kUtf16) == utf16);
      REQUIRE(lines.OffsetOf({utf16.line, 9999}, kUtf16) == lines.End(utf16.line));
      ++at;
      utf16 = {utf16.line + 1, 0};
      utf8 = utf16;
    }
  }
}

TEST_CASE("an offset survives its way through a position") {
  CHECK(rc::check([] {
    std::string text;
    for (int i = rpl::testing::Pick(40); i > 0; --i)
      text += rpl::testing::Of({"a", "é", "€", "😀", "\n", "\r\n", "\r", " ", "\xff"});
    const TextLines lines(text);
    for (std::uint32_t at = 0; at <= text.size();
         at += at < text.size() ? CharacterSize(text, at) : 1)
      for (const PositionEncoding encoding : {kUtf8, kUtf16}) {
        const std::uint32_t back = lines.OffsetOf(lines.PositionOf(at, encoding), encoding);
        const bool in_line_end =
            at > 0 && at < text.size() && text[at - 1] == '\r' && text[at] == '\n';
        RC_ASSERT(back == at || (in_line_end && back == at - 1));
      }
  }));
}

}  // namespace
}  // namespace rpl::lsp
