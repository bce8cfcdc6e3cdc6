// SPDX-License-Identifier: Apache-2.0
#include "shell/pages/html.h"

#include <catch2/catch.hpp>

#include "shell/pages/recorded_words.h"

namespace rpl {
namespace {

TEST_CASE("RPL is coloured by its tokens", "[html]") {
  CHECK(
      ColouredRpl("p(?x-y, \"a?b\", 1.5) <- not $t(:k)") ==
      "p(<var>?x-y</var>, <span class=\"s\">&quot;a?b&quot;</span>, <span class=\"n\">1.5</span>) "
      "<span class=\"o\">&lt;-</span> <span class=\"k\">not</span> <span class=\"a\">$t</span>("
      "<span class=\"k\">:k</span>)");
  CHECK(
      ColouredRpl("% <- %go-on") ==
      "<span class=\"g\">%</span> <span class=\"o\">&lt;-</span> <span class=\"g\">%go-on</span>");
  CHECK(ColouredRpl("?x-> 1") ==
        "<var>?x</var><span class=\"o\">-&gt;</span> <span class=\"n\">1</span>");
  CHECK(ColouredRpl("?a_b ~ /1 '/, in(-1)") ==
        "<var>?a_b</var> <span class=\"o\">~</span> <span class=\"s\">/1 &#39;/</span>, "
        "in(<span class=\"n\">-1</span>)");
}

TEST_CASE("text that is no RPL keeps all its characters", "[html]") {
  const auto plain = [](std::string_view html) {
    std::string out;
    bool tag = false;
    for (const char c : html) {
      if (c == '<') tag = true;
      if (!tag) out += c;
      if (c == '>') tag = false;
    }
    return out;
  };
  for (const std::string_view text : {"", "?", "$", "%%%", "\"open", "'", "a\\", "\"a\\", "-- x",
                                      ":", "@", "1.", "ö?ü", "--", "?--", "x-- y"})
    CHECK(plain(ColouredRpl(text)) == Shown(text));
}

TEST_CASE("text cannot act as markup", "[html]") {
  constexpr std::string_view kHostile = "</code><script>\"x\" & 'y'\x1b[2J\xe2\x80\xae";
  for (const std::string& html :
       {Shown(kHostile), ShownLines(kHostile), InCode(kHostile), ShownProse(kHostile),
        PlainCode(kHostile), ShownProse(kHostile, {{2, 6}, {7, 15}})}) {
    CHECK(html.find("<script") == html.npos);
    CHECK(html.find("</code><") == html.npos);
    CHECK(html.find('\x1b') == html.npos);
    CHECK(html.find("\xe2\x80\xae") == html.npos);
  }
  CHECK(ShownProse("`</code><b>`") == "<code>&lt;/code&gt;&lt;b&gt;</code>");
}

TEST_CASE("a variable in a line of the log ends before an arrow", "[html]") {
  CHECK(PlainCode("map ?x->?y, ?z-") == "map <var>?x</var>-&gt;<var>?y</var>, <var>?z</var>-");
}

TEST_CASE("prose has code spans, strong text, the texts of links and values", "[html]") {
  CHECK(ShownProse("see `a*b`, **now**, [the *list*](http://x.org/y)") ==
        "see <code>a*b</code>, <strong>now</strong>, the *list*");
  CHECK(ShownProse("an ` open mark, ** and [this") == "an ` open mark, ** and [this");
  CHECK(ShownProse("to Lucca, `90`", {{3, 8}}) ==
        "to <b class=\"value\">Lucca</b>, <code>90</code>");
  CHECK(ShownProse("a **b", {{2, 4}}) == "a <b class=\"value\">**</b>b");
}

TEST_CASE("lines of prose flow, items and paragraphs do not", "[html]") {
  CHECK(Flowing("a\nb\n\nc\n- d\n  e\n1. f\n") == "a b\n\nc\n- d   e\n1. f\n");
  CHECK(Flowing("") == "");
  CHECK(Flowing("\n\na") == "\n\na");
}

TEST_CASE("durations are told in two units at most", "[html]") {
  CHECK(Duration(0) == "0 ms");
  CHECK(Duration(999) == "999 ms");
  CHECK(Duration(1040) == "1 s");
  CHECK(Duration(3250) == "3.2 s");
  CHECK(Duration(125'000) == "2 min 5 s");
  CHECK(Duration(3'840'000) == "1 h 4 min");
}

TEST_CASE("recorded failures are words", "[html]") {
  const auto failed = FailWordsOf("%fail(\"too \\\"late\\\"\", \"it is 9\")");
  REQUIRE(failed);
  CHECK(failed->reason == "too \"late\"");
  CHECK(failed->explanation == "it is 9");
  CHECK_FALSE(FailWordsOf("%fail(\"a\")"));
  CHECK_FALSE(FailWordsOf("%fail(?x, 1)"));
  CHECK_FALSE(FailWordsOf("no answer"));
  const auto call = CallFailureOf("{:status :error, :code \"timeout\", :message \"after 1 s\"}");
  REQUIRE(call);
  CHECK(call->code == "timeout");
  CHECK(call->message == "after 1 s");
  CHECK_FALSE(CallFailureOf("{:status 200, :code \"x\"}"));
  CHECK_FALSE(CallFailureOf("[1"));
  CHECK(StringOf("\"a \\\"b\\\"\"") == "a \"b\"");
  CHECK_FALSE(StringOf("7"));
}

}  // namespace
}  // namespace rpl
