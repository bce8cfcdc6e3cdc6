// SPDX-License-Identifier: Apache-2.0
//
// Documents as a few lines of text: their contents, then the findings.
#include "grammar/document.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grammar/ast_json.h"

namespace rpl {
namespace {

std::string OneLine(std::string_view text) {
  std::string line(text);
  std::replace(line.begin(), line.end(), '\n', '/');
  return line;
}

/// In document order, one entry a line:
///
///   #1 Title [signature] < 0     a scope, its level, its parent (0 is the document)
///   1: f(1)                      a bare sentence and its scope; `1:: f(1)` in a fence
///   1> text {name}               prose and its emphasised names
///   ! LooksLikeRpl 3:1           a finding and its place, after all others
std::string Show(const Document& d, const Sources& sources, const Diagnostics& found) {
  std::multimap<std::uint32_t, std::string> entries;
  for (std::size_t i = 1; i < d.scopes.size(); ++i) {
    const Scope& s = d.scopes[i];
    std::string entry = "#" + std::to_string(s.level) + " " + s.title;
    if (s.signature) entry += " [" + OneLine(sources.Text(s.signature->span)) + "]";
    entries.emplace(s.span.begin, entry + " < " + std::to_string(s.parent));
  }
  for (const PlacedSentence& s : d.sentences) {
    entries.emplace(s.sentence.span.begin, std::to_string(s.scope) + (s.fenced ? ":: " : ": ") +
                                               OneLine(sources.Text(s.sentence.span)));
  }
  for (const Prose& p : d.prose) {
    std::string entry = std::to_string(p.scope) + "> " + OneLine(sources.Text(p.span));
    for (const ProseSpan& s : p.spans) entry += " {" + s.name + "}";
    entries.emplace(p.span.begin, entry);
  }
  std::string shown;
  for (const auto& [begin, entry] : entries) shown += entry + "\n";
  for (const Diagnostic& f : found.all()) {
    Sources::Place place = sources.PlaceOf(f.span.file, f.span.begin);
    shown += "! " + std::string(InfoOf(f.code).name) + " " + std::to_string(place.line) + ":" +
             std::to_string(place.column) + "\n";
  }
  return shown;
}

std::string Read(std::string text, std::string name = "test.md") {
  Sources sources;
  sources.Add("other.md", "# Not this\n");
  std::uint32_t file = sources.Add(std::move(name), std::move(text));
  Diagnostics found;
  Document d = ReadDocument(sources, file, found);
  return Show(d, sources, found);
}

struct Case {
  const char* text;
  const char* shown;
};

void CheckAll(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    INFO(c.text);
    CHECK(Read(c.text) == c.shown);
  }
}

}  // namespace

TEST_CASE("headings open scopes, `--` returns to the parent", "[document]") {
  CheckAll({
      {"", ""},
      {"# A\n## B\n### C\n## D\n# E", "#1 A < 0\n#2 B < 1\n#3 C < 2\n#2 D < 1\n#1 E < 0\n"},
      {"# A\n### B\n## C", "#1 A < 0\n#3 B < 1\n#2 C < 1\n"},
      {"# A\n## B\nx\n\n--\n\ny\n\n--\n\nz\n\n## C",
       "#1 A < 0\n#2 B < 1\n2> x\n1> y\n0> z\n#2 C < 0\n"},
      {"A\n===\nB\n---\nx", "#1 A < 0\n#2 B < 1\n2> x\n"},
      {"--\n", "! ScopeReturnAtDocument 1:1\n"},
      {"# A\n## B\ntext\n--\nf(1)",
       "#1 A < 0\n#2 B < 1\n2> text\n1: f(1)\n! ScopeReturnUnderText 4:1\n"},
      {"# A\n---\nx", "#1 A < 0\n1> x\n"},
  });
}

TEST_CASE("a heading carries a title and a signature", "[document]") {
  CheckAll({
      {"# Notes\n# A - rel(?a)\n# B - %goal(?a)\n# C - $tool(?a)",
       "#1 Notes < 0\n#1 A [rel(?a)] < 0\n#1 B [%goal(?a)] < 0\n#1 C [$tool(?a)] < 0\n"},
      {"# Follow-up - Part - rel(?a) <- body-rel(?a)",
       "#1 Follow-up - Part [rel(?a) <- body-rel(?a)] < 0\n"},
      {"# No two - a(?x), b(?x) -> false", "#1 No two [a(?x), b(?x) -> false] < 0\n"},
      {"# Not both - (a(?x) | b(?x)) -> false", "#1 Not both [(a(?x) | b(?x)) -> false] < 0\n"},
      {"# A - r(?x) ##", "#1 A [r(?x)] < 0\n"},
      {"A - r(?x)\n---\n", "#2 A [r(?x)] < 0\n"},
      {"# Say - say(\"a - b\")", "#1 Say [say(\"a - b\")] < 0\n"},
      {"# Planning - %planning", "#1 Planning [%planning] < 0\n"},
      {"# A - ready <- a()", "#1 A [ready <- a()] < 0\n! BareName 1:7\n"},
      // Titles that only resemble signatures.
      {"# Title - word", "#1 Title - word < 0\n"},
      {"# Title - $tool", "#1 Title - $tool < 0\n"},
      {"# Growth - 5 % of all", "#1 Growth - 5 % of all < 0\n"},
      {"# Cost - (draft)", "#1 Cost - (draft) < 0\n"},
      {"# Dash -", "#1 Dash - < 0\n"},
      {"#", "#1  < 0\n"},
      // Mistakes.
      {"# rel(?a)", "#1  [rel(?a)] < 0\n! HeadingWithoutTitle 1:3\n"},
      {"# - rel(?a)", "#1  [rel(?a)] < 0\n! HeadingWithoutTitle 1:3\n"},
      {"# main() and C", "#1 main() and C < 0\n"},
      {"# X - a(?x), b(?x)", "#1 X < 0\n! BadHead 1:7\n"},
      {"# X - rel(?a\nprose\n# Y - s(?a)",
       "#1 X < 0\n1> prose\n#1 Y [s(?a)] < 0\n! UnclosedBracket 1:10\n"},
  });
}

TEST_CASE("a paragraph that begins with a connective continues the signature", "[document]") {
  CheckAll({
      {"# Planning - %planning\n  <- phase(a)\n  | phase(b)\n\nProse.",
       "#1 Planning [%planning/  <- phase(a)/  | phase(b)] < 0\n1> Prose.\n"
       "! SignatureContinued 2:3\n"},
      {"# A - r(?x) <- a(?x) ##\n, b(?x) -- why\n, c(?x)\nProse __x__.\nf(1)",
       "#1 A [r(?x) <- a(?x) ##/, b(?x) -- why/, c(?x)] < 0\n1> Prose __x__. {x}\n1: f(1)\n"
       "! SignatureContinued 2:1\n"},
      {"A - r(?x)\n===\n<- a(?x)", "#1 A [r(?x)/===/<- a(?x)] < 0\n! SignatureContinued 3:1\n"},
      {"# A - r(?x)\n\n-> a(?x)", "#1 A [r(?x)//-> a(?x)] < 0\n! SignatureContinued 3:1\n"},
      {"# A - ready\n<- a()",
       "#1 A [ready/<- a()] < 0\n! BareName 1:7\n! SignatureContinued 2:1\n"},
      // A separate paragraph of this kind may be prose; directly below it is a mistake.
      {"# A - r(?x)\n\n-> see the other page", "#1 A [r(?x)] < 0\n1> -> see the other page\n"},
      {"# A - r(?x)\n<- a(?x", "#1 A < 0\n1> <- a(?x\n! UnclosedBracket 2:5\n"},
      {"# A\n<- a(?x)", "#1 A < 0\n1> <- a(?x)\n"},
  });
}

TEST_CASE("only `rpl` fences are RPL", "[document]") {
  CheckAll({
      {"# T - r(?x) <- a(?x)\n```rpl\nb(?x)\n\nc(?x) -- why\n```\n```js\nthis is not rpl(\n```\n",
       "#1 T [r(?x) <- a(?x)] < 0\n1:: b(?x)\n1:: c(?x)\n"},
      {"~~~ rpl file=x\nb(1)\n~~~\n```rplx\nb(\n```\n``` RPL\nc(1)\n```",
       "0:: b(1)\n! LooksLikeRpl 7:1\n"},
      {"```rpl\nf(\n```\ng(1)", "0: g(1)\n! UnclosedBracket 2:2\n"},
      {"```rpl\nf(1)\n", "0:: f(1)\n! UnclosedFence 1:1\n"},
      {"    f(1)\n\n- f(2)\n\n> f(3)\n\n<p>\nf(4)\n\n| f(5) |\n|---|\n",
       "0> - f(2)\n0> > f(3)\n0> | f(5) |/|---|\n"
       "! SwallowedLines 1:5\n! LooksLikeRpl 3:3\n! SwallowedLines 8:1\n"},
  });
}

TEST_CASE("bare lines that parse whole are RPL", "[document]") {
  CheckAll({
      {"user(\"a\")\nThe user(s) are listed.\n?q(1) is odd",
       "0: user(\"a\")\n0> The user(s) are listed./?q(1) is odd\n! LooksLikeRpl 3:3\n"},
      {"Facts follow.\nf(1)\n  f(2) -- two\nand\nf(3)",
       "0> Facts follow.\n0: f(1)\n0: f(2)\n0> and\n0: f(3)\n"},
      {"% <- %a(?d) | %b(?d)\n$log(\"x\")\n%go\n(a(?x), b(?x)) -> c(?x)",
       "0: % <- %a(?d) | %b(?d)\n0: $log(\"x\")\n0: %go\n0: (a(?x), b(?x)) -> c(?x)\n"},
      {"r(?x) <-\n  a(?x),\n  b(?x)\nprose", "0: r(?x) <-/  a(?x),/  b(?x)\n0> prose\n"},
      {"say(\"one\ntwo\")\nf(1)", "0: say(\"one/two\")\n0: f(1)\n"},
      {"other.md#rel(1)", "0: other.md#rel(1)\n"},
      {"yes", "0> yes\n"},
      {"ready <- a()", "0: ready <- a()\n! BareName 1:1\n"},
      {"(see below)\n(yes)\n%50 off\n$x = 1\n?x = 1\ne.g.(this)\nsignal <- noise and more",
       "0> (see below)/(yes)/%50 off/$x = 1/?x = 1/e.g.(this)/signal <- noise and more\n"},
      {"```RPL\nf(1)\n```", "! LooksLikeRpl 1:1\n"},
      {"#A - f(?x) <- g(?x)", "0> #A - f(?x) <- g(?x)\n! LooksLikeRpl 1:1\n"},
      {"#A - a tag", "0> #A - a tag\n"},
      {"p(1) q(2)", "0> p(1) q(2)\n! LooksLikeRpl 1:6\n"},
      {"p(\nf(1)\n\ng(1)", "0> p(\n0: f(1)\n0: g(1)\n! LooksLikeRpl 1:2\n"},
      {"r(?x) <-\n  a(?x,\n  b(?x)\n", "0> r(?x) <-/  a(?x,/  b(?x)\n! LooksLikeRpl 2:4\n"},
      {"the\nform(s) we use,\nf(1)", "0> the/form(s) we use,\n0: f(1)\n! LooksLikeRpl 2:9\n"},
      {"f(1)\r\nf(2)\r\n", "0: f(1)\n0: f(2)\n"},
  });
}

TEST_CASE("emphasised spans of prose are named", "[document]") {
  CheckAll({
      {"Ask for __First Name__ and __age__.",
       "0> Ask for __First Name__ and __age__. {first-name} {age}\n"},
      {"No `__code__`, draft__id__x, _one_, \\__esc__, ``a ` __b__``, ___c___, __ d __",
       "0> No `__code__`, draft__id__x, _one_, \\__esc__, ``a ` __b__``, ___c___, __ d __\n"},
      {"A (__b__), \xE2\x80\x9C__c__\xE2\x80\x9D, `open __d__",
       "0> A (__b__), \xE2\x80\x9C__c__\xE2\x80\x9D, `open __d__ {b} {c} {d}\n"},
      {"a __b\nc__ d", "0> a __b/c__ d {b-c}\n"},
      {"- a __b__\n\n  __c__\n", "0> - a __b__//  __c__ {b} {c}\n"},
      {"__a __b__", "0> __a __b__ {b}\n"},
      {"\\`` __a__ ```", "0> \\`` __a__ ``` {a}\n"},
  });
  CHECK(KebabCase("First Name") == "first-name");
  CHECK(KebabCase("a_b  2") == "a-b-2");
  CHECK(KebabCase("?") == "");

  Sources sources;
  std::uint32_t file = sources.Add("test.md", "Ask for __First Name__.");
  Diagnostics found;
  Document d = ReadDocument(sources, file, found);
  CHECK(sources.Text(d.prose.at(0).spans.at(0).span) == "__First Name__");
}

TEST_CASE("the worked document of the specification", "[document]") {
  CHECK(Read("% <- %needs-discovery(?d) | %needs-edit(?d)\n"
             "# Needs Discovery - %needs-discovery(?d) <- edit-brief(?d, $focus), "
             "$focus = \"unknown\", draft(?d)\n"
             "Ask about __d__.\nThen suggest `%needs-edit`.\n"
             "# Edit Brief - edit-brief(?d, ?focus) <- draft(?d), focus(?focus)\n"
             "## Draft - draft(?draft-id)\nConfirm the document.\n"
             "## Focus - focus($focus)\nAsk for one from __valid-focus__.\n"
             "valid-focus(\"unknown\")\nvalid-focus(\"tone\")\n") ==
        "0: % <- %needs-discovery(?d) | %needs-edit(?d)\n"
        "#1 Needs Discovery [%needs-discovery(?d) <- edit-brief(?d, $focus), "
        "$focus = \"unknown\", draft(?d)] < 0\n"
        "1> Ask about __d__./Then suggest `%needs-edit`. {d}\n"
        "#1 Edit Brief [edit-brief(?d, ?focus) <- draft(?d), focus(?focus)] < 0\n"
        "#2 Draft [draft(?draft-id)] < 2\n"
        "3> Confirm the document.\n"
        "#2 Focus [focus($focus)] < 2\n"
        "4> Ask for one from __valid-focus__. {valid-focus}\n"
        "4: valid-focus(\"unknown\")\n"
        "4: valid-focus(\"tone\")\n");
}

TEST_CASE("files that are not Markdown, or not text", "[document]") {
  CHECK(Read("# f(1)\n", "a.rpl").find("! ") != std::string::npos);
  CHECK(Read("f(1)\n--\nr(?x) <-\n\n  f(?x)\n", "a.rpl") ==
        "0: f(1)\n0: f(?x)\n! SyntaxError 3:9\n");
  CHECK(Read("\xEF\xBB\xBF"
             "f(1)\n",
             "a.rpl") == "0: f(1)\n");
  CHECK(Read("\xEF\xBB\xBF# A") == "#1 A < 0\n");
  for (const char* bad :
       {"\xE9t", "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82", "\x80", "\xFF"}) {
    CHECK(Read("f(1)\n12345678" + std::string(bad)) == "! NotUtf8 2:9\n");
  }
  CHECK(Read("f(1) \xF0\x9F\x98\x80 \xED\x9F\xBF \xEF\xBF\xBF \xC3\xA9").find("! Not") ==
        std::string::npos);
  CHECK(Read(std::string("f(1)\n\0", 6)) == "! NulByte 2:1\n");
  CHECK(Read(std::string("f(1)\n123456789\0 more text", 24)) == "! NulByte 2:10\n");

  Sources sources;
  Diagnostics found;
  ReadDocument(sources, sources.Add("a.md", "caf\xE9"), found);
  CHECK(found.all().at(0).message == "the byte 0xE9 is not UTF-8 here");
}

TEST_CASE("RPL that other text takes in", "[document]") {
  CheckAll({
      // Lazy continuation.
      {"- a\nf(1)\nf(2)", "0> - a/f(1)/f(2)\n! SwallowedLines 2:1\n"},
      {"- a\n f(1)", "0> - a/ f(1)\n! SwallowedLines 2:2\n"},
      {"> a\nr(?x) <-\n  f(?x)", "0> > a/r(?x) <-/  f(?x)\n! SwallowedLines 2:1\n"},
      {"| a |\n| - |\nf(1)", "0> | a |/| - |/f(1)\n! SwallowedLines 3:1\n"},
      {"- a\n  f(1)\n- f(2)", "0> - a/  f(1)/- f(2)\n! LooksLikeRpl 3:3\n"},
      {"- a\n\tf(1)", "0> - a/\tf(1)\n"},
      {"- a\nmain() is a call", "0> - a/main() is a call\n"},
      {"> f(1)\n> f(2)", "0> > f(1)/> f(2)\n"},
      {"a | b\n--- | ---\nf(1) | g(2)", "0> a | b/--- | ---/f(1) | g(2)\n"},
      // Underlines.
      {"f(1)\n---", "#2 f(1) < 0\n! UnderlinedRpl 2:1\n"},
      {"f(1)\nf(2)\n===", "#1 f(1) f(2) < 0\n! UnderlinedRpl 3:1\n"},
      {"r(?x)\n---", "#2  [r(?x)] < 0\n! HeadingWithoutTitle 1:1\n"},
      {"Two\nlines\n---", "#2 Two lines < 0\n"},
      // Operators.
      {"f(1)\nin two parts", "0> f(1)/in two parts\n! ContinuedByText 2:1\n"},
      {"f(1)\nin stock", "0: f(1)/in stock\n! ContinuedByText 2:1\n"},
      {"f(1)\n-- why\n// more", "0: f(1)\n0> // more\n"},
      {"r(?x) <- f(?x)\n  in two parts", "0> r(?x) <- f(?x)/  in two parts\n! LooksLikeRpl 2:6\n"},
      {"r(?x) <- l(?l), ?x\nin ?l", "0: r(?x) <- l(?l), ?x/in ?l\n"},
  });
}

TEST_CASE("comments next to RPL are no prose", "[document]") {
  CheckAll({
      {"f(1)\n-- one\nf(2)\n-- two\n  -- three", "0: f(1)\n0: f(2)\n"},
      {"-- one\nf(1)\nText.\n-- Ada", "0: f(1)\n0> Text./-- Ada\n"},
      {"Text.\n-- Ada\nf(1)", "0> Text./-- Ada\n0: f(1)\n"},
      {"-- Ada", "0> -- Ada\n"},
  });
}

TEST_CASE("the last line of a message may be its query", "[document]") {
  struct MessageCase {
    const char* text;
    const char* query_line;  // nullptr: none
    bool is_goal;
    const char* shown;
  };
  const MessageCase cases[] = {
      {"p(1)\n   % <- p(1)  \n\n \n", "% <- p(1)", true, "0: p(1)\n"},
      {"% <- p(1)\nthanks", nullptr, false, "0: % <- p(1)\n0> thanks\n"},
      {"Here is my data.\nuser('foo')\n% <- user('foo')", "% <- user('foo')", true,
       "0> Here is my data.\n0: user('foo')\n"},
      {"# A - r(?x)\n%q(?x, ?y) <- r(?x) ; @when(s()) -> t()",
       "%q(?x, ?y) <- r(?x) ; @when(s()) -> t()", true, "#1 A [r(?x)] < 0\n"},
      {"%name <- p(1)", "%name <- p(1)", true, ""},
      {"p(1)\n%report", "%report", false, "0: p(1)\n! NotAGoal 2:1\n"},
      {"p(1)\n% p(1)", "% p(1)", false, "0: p(1)\n! NotAGoal 2:1\n"},
      {"%", "%", false, "! NotAGoal 1:1\n"},
      {"%q(1) -> p(1)", "%q(1) -> p(1)", false, "! NotAGoal 1:1\n"},
      {"% <- p(1", "% <- p(1", false, "! UnclosedBracket 1:7\n"},
      {"%q(?x <- p(?x)", "%q(?x <- p(?x)", false, "! UnclosedBracket 1:3\n"},
      {"```rpl\nf(1)\n% <- f(1)\n", "% <- f(1)", true, "0:: f(1)\n! UnclosedFence 1:1\n"},
      {"```rpl\nf(1)\n% <- f(1)\n```", nullptr, false, "0:: f(1)\n0:: % <- f(1)\n"},
      {"- item\n% <- f(1)", "% <- f(1)", true, "0> - item\n"},
      {"f(1),\n    % <- f(1)", "% <- f(1)", true, "0> f(1),\n! LooksLikeRpl 1:6\n"},
      {"", nullptr, false, ""},
      {" \n", nullptr, false, ""},
  };
  for (const MessageCase& c : cases) {
    INFO(c.text);
    Sources sources;
    std::uint32_t file = sources.Add("<message 1>", c.text);
    Diagnostics found;
    Message m = ReadMessage(sources, file, found);
    CHECK(m.query_line.has_value() == (c.query_line != nullptr));
    if (m.query_line && c.query_line) CHECK(sources.Text(*m.query_line) == c.query_line);
    CHECK(m.query.has_value() == c.is_goal);
    CHECK(Show(m.document, sources, found) == c.shown);
  }
}

TEST_CASE("a document as JSON", "[document]") {
  Sources sources;
  std::uint32_t file = sources.Add("a.md", "# A - r(?x)  ##\nAsk for __x__.\nf(1)\n");
  Diagnostics found;
  nlohmann::json j = ToJson(ReadDocument(sources, file, found), sources);
  CHECK(j["schema"] == "rpl.parse/1");
  CHECK(j["file"] == "a.md");
  CHECK(j["scopes"].dump() ==
        R"j([{"level":0,"parent":null,"signature":null,"span":[0,0],"title":""},)j"
        R"j({"level":1,"parent":0,"signature":"r(?x)","span":[0,15],"title":"A"}])j");
  CHECK(j["prose"].dump() == R"j([{"scope":1,"span":[16,30],"spans":)j"
                             R"j([{"name":"x","span":[24,29]}]}])j");
  REQUIRE(j["sentences"].size() == 1);
  CHECK(j["sentences"][0]["scope"] == 1);
  CHECK(j["sentences"][0]["fenced"] == false);
  CHECK(j["sentences"][0].contains("sentence"));
}

// Pathological inputs for a reader that scans text repeatedly.
TEST_CASE("hostile documents are read to their end", "[document]") {
  auto repeat = [](std::string_view piece, std::size_t times) {
    std::string text;
    for (std::size_t i = 0; i < times; ++i) text += piece;
    return text;
  };
  const std::string texts[] = {
      repeat("a(\n", 50000),
      repeat("a(1\nb(1)\n", 20000),
      repeat("a(\"\n", 50001),
      repeat("a('\nb(\"\n", 20001),
      "# " + repeat("a( - ", 50000),
      "# A" + repeat(" - b", 100000),
      repeat("# A\n", 100000),
      repeat("# A - r(?x) #\n<- a(?x)\n", 2000),
      "# A - r(?x) <- a()\n" + repeat("| b(\nx(1)\n", 20000),
      repeat("__a ", 100000),
      repeat("`__a ``", 100000),
      repeat("(", 200000) + "a",
      repeat("a <- ", 50000),
      repeat("\n", 200000) + "% <- a()",
      "- a\n" + repeat("a(\n", 50000),
      "> a\n" + repeat("a(1) b\n", 50000),
      "a(1)\n" + repeat("-- b\n", 50000) + repeat("in c(1) d\n", 20000),
      repeat("a(1)\nb(1)\n", 20000) + "---",
  };
  for (const std::string& text : texts) {
    Sources sources;
    Diagnostics found;
    const Message message = ReadMessage(sources, sources.Add("<message 1>", text), found);
    INFO(text.substr(0, 40) << " of " << text.size() << " bytes");
    CHECK(message.document.scopes.size() >= 1);
  }
}

}  // namespace rpl
