// SPDX-License-Identifier: Apache-2.0
#include "formats/diagnostic.h"

#include <catch2/catch.hpp>
#include <set>
#include <string>

namespace rpl {
namespace {

std::string Rendered(const std::string& text, std::uint32_t begin, std::uint32_t end,
                     const std::string& hint = "") {
  Sources sources;
  const std::uint32_t file = sources.Add("notes.md", text);
  return Render({Code::kSyntaxError, Severity::kError, {file, begin, end}, "no", hint}, sources);
}

TEST_CASE("copies of sources share files, and each adds its own") {
  constexpr std::uint32_t kMany = 300;  // several groups
  Sources first;
  std::vector<Sources> copies;
  for (std::uint32_t i = 0; i < kMany; ++i) {
    copies.push_back(first);
    CHECK(copies.back().Add("other" + std::to_string(i), "") == i);
    CHECK(first.Add("file" + std::to_string(i), "") == i);
    CHECK(copies.back().Add("next", "") == i + 1);
  }
  REQUIRE(first.size() == kMany);
  for (std::uint32_t i = 0; i < kMany; ++i) {
    CHECK(first.at(i).name == "file" + std::to_string(i));
    REQUIRE(copies[i].size() == i + 2);
    CHECK(copies[i].at(i).name == "other" + std::to_string(i));
    CHECK(copies[i].at(i + 1).name == "next");
    if (i > 0) CHECK(&copies[i].at(i - 1) == &first.at(i - 1));
  }
}

TEST_CASE("places count lines and code points from 1") {
  Sources sources;
  const std::uint32_t f = sources.Add("a.md", "ab\n\té😀x\n");
  CHECK(sources.Where({f, 0, 1}) == "a.md:1:1");
  CHECK(sources.Where({f, 2, 2}) == "a.md:1:3");
  CHECK(sources.Where({f, 3, 4}) == "a.md:2:1");
  CHECK(sources.Where({f, 10, 11}) == "a.md:2:4");
  CHECK(sources.Where({f, 12, 12}) == "a.md:3:1");
  CHECK(sources.Text({f, 4, 6}) == "é");
}

TEST_CASE("a byte order mark is no column") {
  Sources sources;
  const std::uint32_t file = sources.Add("a.rpl", "\xEF\xBB\xBFp(1)\nq(2)\n");
  const auto at = [&](std::uint32_t offset) {
    const Sources::Place place = sources.PlaceOf(file, offset);
    return std::pair(place.line, place.column);
  };
  CHECK(at(0) == std::pair(1u, 1u));
  CHECK(at(3) == std::pair(1u, 1u));
  CHECK(at(4) == std::pair(1u, 2u));
  CHECK(at(8) == std::pair(2u, 1u));
}

TEST_CASE("places in a long line are those of a count from its start") {
  std::string text = "first\n";
  for (int i = 0; i < 300; ++i) text += i % 3 == 0 ? "é" : i % 3 == 1 ? "😀" : "x";
  text += "\nlast";
  Sources sources;
  const std::uint32_t f = sources.Add("a.md", text);
  std::uint32_t line = 1;
  std::uint32_t column = 1;
  for (std::uint32_t at = 0; at < text.size(); ++at) {
    const Sources::Place place = sources.PlaceOf(f, at);
    if (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) continue;
    CHECK(place.line == line);
    CHECK(place.column == column);
    ++column;
    if (text[at] == '\n') ++line, column = 1;
  }
}

TEST_CASE("a finding shows its line") {
  CHECK(Rendered("x\ny\n  p(\"abc)\n", 8, 13, "end it with `\"`") ==
        "notes.md:3:5: error RPL1001: no\n"
        "    3 |   p(\"abc)\n"
        "      |     ^^^^^\n"
        "help: end it with `\"`\n");
  CHECK(Rendered("", 0, 0) ==
        "notes.md:1:1: error RPL1001: no\n"
        "    1 | \n"
        "      | ^\n");
  CHECK(Rendered("p(\r\nq", 1, 5) ==
        "notes.md:1:2: error RPL1001: no\n"
        "    1 | p(\n"
        "      |  ^\n");
}

TEST_CASE("source text cannot drive the terminal") {
  CHECK(Rendered("\tp\x1b[2Jq\xff", 2, 3) ==
        "notes.md:1:3: error RPL1001: no\n"
        "    1 |  p\\u001b[2Jq\\xff\n"
        "      |   ^^^^^^\n");
  CHECK(Rendered("a\xE2\x80\xAE"
                 "b",
                 4, 5) ==
        "notes.md:1:3: error RPL1001: no\n"
        "    1 | a\\u202eb\n"
        "      |        ^\n");
}

TEST_CASE("a long line is shown around the caret") {
  const std::string text = std::string(1000, 'a') + "HERE" + std::string(100000, 'b');
  const std::string out = Rendered(text, 1000, 1004);
  std::size_t longest = 0;
  for (std::size_t i = 0; i < out.size();) {
    const std::size_t end = out.find('\n', i);
    longest = std::max(longest, end - i);
    i = end + 1;
  }
  CHECK(longest < 180);
  CHECK(out.find("aHERE") != std::string::npos);
  CHECK(out.find("...") != std::string::npos);
  CHECK(out.find(" ^^^^\n") != std::string::npos);
}

TEST_CASE("codes are unique and rank by family") {
  std::set<int> numbers;
  std::set<std::string> names;
  for (const CodeInfo& info : AllCodes()) {
    CHECK(numbers.insert(static_cast<int>(info.code)).second);
    CHECK(names.insert(std::string(info.name)).second);
    CHECK(&InfoOf(info.code) == &info);
    if (static_cast<int>(info.code) / 1000 == 1) CHECK(info.severity == Severity::kError);
  }
  CHECK(CodeText(Code::kUnclosedString) == "RPL1003");
}

TEST_CASE("findings sort by place") {
  Diagnostics d;
  d.Add(Code::kBareName, {0, 5, 6}, "b");
  d.Add(Code::kSyntaxError, {0, 5, 6}, "a");
  d.Add(Code::kSyntaxError, {0, 1, 2}, "c");
  d.Sort();
  CHECK(d.all()[0].message == "c");
  CHECK(d.all()[1].message == "a");
  CHECK(d.errors() == 2);
}

}  // namespace
}  // namespace rpl
