// SPDX-License-Identifier: Apache-2.0
#include "shell/terminal/table.h"

#include <catch2/catch.hpp>

#include "shell/terminal/progress.h"
#include "shell/terminal/text_width.h"

namespace rpl {
namespace {

std::string Of(const std::vector<std::string>& columns,
               const std::vector<std::vector<std::string>>& texts, std::size_t width) {
  std::vector<std::vector<TableCell>> rows;
  for (const std::vector<std::string>& row : texts) {
    rows.emplace_back();
    for (const std::string& text : row)
      rows.back().push_back({text, text.find_first_not_of("0123456789") == text.npos});
  }
  return "\n" + TableText(columns, rows, width);
}

TEST_CASE("a table has its numbers at the right") {
  CHECK(Of({"?to", "?km"}, {{"\"Lucca\"", "23"}, {"\"Pisa\"", "4"}}, 80) == R"(
 ?to     | ?km
---------+-----
 "Lucca" |  23
 "Pisa"  |   4
)");
  CHECK(Of({"?x"}, {{"1"}, {"\"a\""}}, 80) == R"(
 ?x
-----
 1
 "a"
)");
}

TEST_CASE("columns are as wide as the text is shown") {
  CHECK(Of({"?word", "?n"}, {{"\"\u00e9t\u00e9\"", "1"}, {"\"\u6f22\u5b57\"", "2"}}, 80) == R"(
 ?word  | ?n
--------+----
 "été"  |  1
 "漢字" |  2
)");
  CHECK(TextWidth("e\u0301") == 1);
  CHECK(TextWidth("\U0001F468\u200D\U0001F469\u200D\U0001F467") == 2);  // a family, joined
  CHECK(TextWidth("\U0001F1E8\U0001F1ED") == 2);                        // a flag
  CHECK(TextWidth("\xff\xfe") == 2);
  CHECK(CutToWidth("\u6f22\u5b57", 3) == "\u6f22…");
  CHECK(CutToWidth("a\U0001F1E8\U0001F1ED\U0001F1E8\U0001F1ED", 4) == "a\U0001F1E8\U0001F1ED…");
  CHECK(CutToWidth("e\u0301e\u0301e\u0301", 2) == "e\u0301…");
  CHECK(CutToWidth("abc", 3) == "abc");
  CHECK(CutToWidth("abcd", 3) == "ab…");
  CHECK(Narrow(Wide("a\u00e9\u6f22\U0001f600")) == "a\u00e9\u6f22\U0001f600");
  CHECK(Narrow(Wide("a\xff")) == "a\uFFFD");
}

TEST_CASE("a table that is too wide has its widest columns cut") {
  CHECK(Of({"?a", "?b"}, {{"abcdefghijklmnopqrstuvwxyz", "short"}}, 24) == R"(
 ?a             | ?b
----------------+-------
 abcdefghijklm… | short
)");
  CHECK(Of({"?a", "?b", "?c"}, {{"abcdefghijkl", "mnopqrstuvwx", "1"}, {"x", "y", "2"}}, 12) == R"(
?a = abcdef…
?b = mnopqr…
?c = 1

?a = x
?b = y
?c = 2
)");
}

TEST_CASE("progress in one line") {
  const Progress deriving{12, 2300000, "reach(?a, ?c) <- reach(?a, ?b), edge(?b, ?c)", 1.53};
  CHECK(ProgressText(deriving, 1530000.4, 79) ==
        "1.5 s  12 rounds  2,300,000 rows  1,530,000 rows/s  reach(?a, ?c) <- reach(?a,…");
  CHECK(ProgressText({0, 0, "%far(?x) <- a(?x)", 0.6}, 0, 79) == "0.6 s  %far(?x) <- a(?x)");
}

}  // namespace
}  // namespace rpl
