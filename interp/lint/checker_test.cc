// SPDX-License-Identifier: Apache-2.0
//
// What the checker says: code and place, for one mistake at a time; silence about good
// programs; what `--fix` leaves.
#include "interp/lint/checker.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "interp/testing/random_program.h"

namespace rpl {
namespace {

struct Checked {
  explicit Checked(const std::string& text, const std::string& name = "test.rpl",
                   bool strict = false) {
    const std::uint32_t file = sources.Add(name, text);
    CheckOptions options;
    options.strict = strict;
    options.tools = {"stock-level"};
    options.reader = [&](const std::string& wanted) -> std::optional<std::string> {
      if (wanted == "other.md") return "```rpl\nedge(1, 2)\n```\n";
      std::ifstream in(std::filesystem::path(name).replace_filename(wanted));
      if (!in) return std::nullopt;
      std::stringstream beside;
      beside << in.rdbuf();
      return beside.str();
    };
    findings = CheckFiles(sources, {file}, options);
  }

  // "2005 1:12", one a line; infos only when asked for.
  std::string Codes(bool infos = false) const {
    std::string out;
    for (const Finding& f : findings) {
      const Diagnostic& d = f.diagnostic;
      if (d.severity == Severity::kInfo && !infos) continue;
      const Sources::Place at = sources.PlaceOf(d.span.file, d.span.begin);
      out += std::to_string(static_cast<int>(d.code)) + " " + std::to_string(at.line) + ":" +
             std::to_string(at.column) + "\n";
    }
    return out;
  }

  std::string Rendered() const {
    std::string out;
    for (const Finding& f : findings)
      if (f.diagnostic.severity != Severity::kInfo) out += Render(f.diagnostic, sources);
    return out;
  }

  Sources sources;
  std::vector<Finding> findings;
};

std::string Codes(const std::string& text) { return Checked(text).Codes(); }
std::string CodesMd(const std::string& text) { return Checked(text, "test.md").Codes(); }
std::string All(const std::string& text) { return Checked(text).Codes(true); }

TEST_CASE("a variable that nothing binds is the business of the `not` that waits for it") {
  CHECK(Codes("p(1)\nq(3)\nh(?y) <- q(?y), not p(?x), ?x > 3\n% <- h(_)\n") == "2003 3:23\n");
  CHECK(Codes("p(1)\nq(3)\nh(?y) <- ?x > 3, q(?y), not p(?x)\n% <- h(_)\n") == "2003 3:31\n");
}

TEST_CASE("names that are used and not defined") {
  CHECK(Codes("edge(1, 2)\nr(?x) <- edgee(?x, _)") == "2005 2:10\n");
  CHECK(Codes("edge(1, 2)\nr(?x) <- edge(?x)") == "2007 2:10\n");
  CHECK(Codes("% <- %pakc\n%pack <- not a()\na()") == "2006 1:6\n");
  CHECK(Codes("sky(?s) <- $forecast(1) ^ ~ {:result ?s}") == "5001 1:12\n");
  CHECK(Codes("left(?n) <- ?n = $stock-level(\"nuts\")") == "");
  CHECK(Checked("left(?n) <- ?n = $stock-levle(\"nuts\")").Rendered().find("`$stock-level`") !=
        std::string::npos);
  CHECK(Codes("$forecast(1) ^ ~ {:result \"sun\"} -> true\n"
              "sky(?s) <- $forecast(1) ^ ~ {:result ?s}") == "");
  CHECK(Codes("a(?x) <- b(?x)\na(?x) <- not b(?x), c(?x)\nc(1)") == "2005 1:10\n");
  CHECK(Codes("count(?n) <- ?n = |nothing(_)|") == "2005 1:20\n");
  CHECK(Codes("a(1) -> b(1)") == "2005 1:1\n2005 1:9\n");
  CHECK(Codes("% <- item(?x), %fail(\"a\", ?x)\nitem(1)") == "");
  CHECK(Codes("%g <- item(1) ; @when(!%)\nitem(1)") == "");
}

TEST_CASE("a guard binds the arguments of the calls that it forbids") {
  const std::string tool = "# Pay - $pay(?to)\nPays.\n```rpl\n";
  CHECK(CodesMd(tool + "$pay(?x), p(?y) -> false\np(1)\n```") == "");
  CHECK(CodesMd(tool + "$pay(?x), not p(?x) -> false\np(1)\n```") == "");
  CHECK(CodesMd(tool + "$pay(?x), ?y > 1 -> false\n```") == "2004 4:11\n");
}

TEST_CASE("a head that is no name yet is not undefined besides") {
  const std::string use = "\n\nPlease.\n```rpl\n% <- brief-me(_)\n```\n";
  CHECK(CodesMd("# Brief - BriefMe(?x)" + use) == "1022 1:11\n");
  CHECK(CodesMd("# Brief - brief-me(?x" + use) == "1004 1:19\n");
}

TEST_CASE("an undefined name suggests what was meant") {
  CHECK(Checked("edge(1, 2)\n% <- egde(1, _)").Rendered() ==
        "test.rpl:2:6: warning RPL2005: `egde` is used here and defined nowhere\n"
        "    2 | % <- egde(1, _)\n"
        "      |      ^^^^^^^^^^\n"
        "help: did you mean `edge`?\n");
  CHECK(Checked("pick(?p) <- choose(\"q\", ?p)").Rendered() ==
        "test.rpl:1:13: warning RPL2005: `choose` is used here and defined nowhere\n"
        "    1 | pick(?p) <- choose(\"q\", ?p)\n"
        "      |             ^^^^^^^^^^^^^^^\n"
        "help: did you mean `$choose`?\n");
}

TEST_CASE("columns count code points") {
  CHECK(Codes("name(\"größe\", ?x) <- siz(\"ß\", ?x), süß") == "1022 1:36\n");
  CHECK(Codes("size(\"ß\", 1)\nname(\"größe\", ?x) <- size(\"größe\", ?x), siz(\"ß\", ?x)") ==
        "2005 2:41\n");
}

TEST_CASE("text that does not parse excuses what it may define") {
  CHECK(Codes("a(?x) <- b(?x)\nb(1") == "1004 2:2\n");
  CHECK(All("% <- a(_)\na(1)\nb(2)\nc(?x) <- b(?x), ?x ?x") == "1006 4:20\n");
}

TEST_CASE("variables that nothing binds") {
  CHECK(Codes("a(?x) <- b(?x), ?y > 3\nb(1)") == "2002 1:17\n");
  CHECK(Codes("big(?x) <- ?x > 3\n% <- big(4)") == "");
  CHECK(Codes("big(?x) <- ?x > 3\n% <- big(?y)") == "2002 2:10\n");
  CHECK(Codes("a(?x) <- b(?x), not c(?x, ?y), ?y > 1\nb(1)\nc(1, 2)") == "2003 1:27\n");
  CHECK(Codes("a(?x) <- b(?x), not c(?x, ?y)\nb(1)\nc(1, 2)") == "");
  CHECK(Codes("?x > 3 -> b(?x)\nb(1)") == "2004 1:1\n");
  CHECK(Codes("b(?x) -> ?y > 3\nb(1)") == "2004 1:10\n");
  CHECK(Codes("a() <- (b(?x) | c(?y)), ?x > 1\nb(1)\nc(1)") == "2002 1:25\n");
  CHECK(Codes("p(?x, ?y) <- q(?x)\nq(1)") == "2001 1:7\n");
  CHECK(Codes("p(?a) <- q(~ /(?P<a>[0-9]+)/)\nq(\"1\")") == "");
}

TEST_CASE("recursion without an answer") {
  CHECK(Codes("win(?x) <- move(?x, ?y), not win(?y)\nmove(1, 2)") == "3001 1:30\n");
  CHECK(Codes("p(?x) <- a(?x), not q(?x)\nq(?x) <- a(?x), not p(?x)\na(1)") == "3001 1:21\n");
  CHECK(Codes("all([& ?x]) <- all(?x)") == "3001 1:16\n");
  CHECK(Codes("n(?n) <- ?n = |n(_)|") == "3001 1:16\n");
  const std::string edges = "e(1, 2, 3)\nd(1, 0)\n";
  const std::string step = "d(?y, std#least(?n)) <- d(?x, ?m), e(?x, ?y, ?k), ?n = ?m + ?k";
  CHECK(Codes(edges + step).find("3004") == std::string::npos);
  CHECK(Codes(edges + step + ", ?m < 3").find("3004") == std::string::npos);
  CHECK(Codes(edges + step + ", ?m > 3").find("3004") != std::string::npos);
  CHECK(Codes(edges + step + "\nd(?x, ?k) <- e(?x, _, ?k)").find("3005") != std::string::npos);
  // Values of a relation below the recursion are final, beside those that may get less.
  const std::string below =
      "\nl(?x, std#least(?c)) <- e(?x, _, ?c)\ng(?x, std#greatest(?c)) <- e(?x, _, ?c)\n";
  const std::string with = "d(?y, std#least(?n)) <- l(?y, ?c), d(?x, ?m), e(?x, ?y, _), ";
  CHECK(Codes(edges + below + with + "?n = ?c + ?m").find("3004") == std::string::npos);
  CHECK(Codes(edges + below + with + "?n = ?c - ?m").find("3004") != std::string::npos);
  CHECK(Codes(edges + below + with + "?c < ?m, ?n = ?m").find("3004") != std::string::npos);
  CHECK(Codes(edges + below + with + "?c > ?m, ?n = ?m").find("3004") == std::string::npos);
  CHECK(Codes(edges + below + with + "?n = ?c + ?m, ?n > 3").find("3004") != std::string::npos);
  CHECK(Codes(edges + below +
              "d(?y, std#least(?n)) <- g(?y, ?c), d(?x, ?m), e(?x, ?y, _), ?n = ?c + ?m")
            .find("3004") == std::string::npos);
  // A table can choose, in a recursion too.
  CHECK(Codes("d(?x, std#least(?n)) <- ?n = ?x * 2\n%a(?n) <- d(3, ?n)") == "");
  CHECK(Codes("d(?x, std#least(?n)) <- ?n = ?x * 2\nd(?x, std#least(?n)) <- ?x > 0, ?y = ?x - 1, "
              "d(?y, ?n)\n%a(?n) <- d(3, ?n)") == "");
  const std::string twice = Codes("h([& ?x], std#least(?k), ?y) <- e(?x, ?y, ?k)\ne(1, 2, 3)");
  CHECK(twice.find("3005") != std::string::npos);
  CHECK(twice.find("3005") == twice.rfind("3005"));
  CHECK(Codes("%a <- %b\n%b <- %a") == "3002 1:1\n");
  CHECK(Codes("%a <- %b | x(1)\n%b <- %a\nx(1)") == "");
  CHECK(Codes("%t(?a) <- m(?a) <- x(?a) ; @when(!%t)\nx(1)") == "");
  CHECK(Codes("r(?x, ?y) <- e(?x, ?y)\nr(?x, ?z) <- r(?x, ?y), e(?y, ?z)\ne(1, 2)") == "");
}

TEST_CASE("recursion without an end") {
  const std::string ones = "ones([])\nones(?l) <- ?l = [1 & ?t], ones(?t)\n";
  const std::string doc = "doc(1, [1 1])\n";
  CHECK(Codes(ones + doc + "%a(?d) <- doc(?d, ?l), ones(?l)") == "");
  CHECK(Codes(ones + doc + "%a(?d) <- ones(?l), doc(?d, ?l)") == "");
  CHECK(Codes(ones + doc + "%a(?d) <- doc(?d, ?l), not ones(?l)") == "");
  CHECK(Codes(ones + doc + "doc(_, ?l) -> ones(?l)") == "");
  CHECK(Codes(ones + "% <- ones([1 1])") == "");
  CHECK(Codes(ones + "%a(?l) <- ones(?l)") == "3006 2:13\n");
  CHECK(Codes(ones + doc + "%a(?d) <- doc(?d, ?l), ones(?l)\n%b(?l) <- ones(?l)") == "3006 2:13\n");
  CHECK(Codes(ones + doc + "ones(?l) -> doc(1, ?l)") == "3006 2:13\n");
  CHECK(Codes(ones + "all([& ?l]) <- ones(?l)\n%a(?l) <- all(?l)") == "3006 2:13\n");
  CHECK(Codes(ones + "fine(?l) <- ones(?l)\n%a(?l) <- fine(?l)") == "3006 2:13\n");
  CHECK(Codes(ones + doc + "fine(?l) <- ones(?l)\n%a(?d) <- doc(?d, ?l), fine(?l)") == "");
  CHECK(Codes("n(0)\nn(?m) <- n(?n), ?m = ?n + 1\n% <- n(5)") == "3006 2:17\n");
  CHECK(Codes("n(0)\nn(?m) <- n(?n), ?m = ?n + 1, ?m < 9\n% <- n(5)") == "");
  CHECK(Codes("n(0)\nn(?m) <- n(?n), ?n < 9, ?m = ?n + 1\n%a(?n) <- n(?n)") == "");
  CHECK(Codes("t(\"\")\nt(\"a{?s}\") <- t(?s)\n%a(?t) <- t(?t)") == "3006 2:1\n");
  CHECK(Codes("t(\"\")\nt(\"a{?s}\") <- t(?s)\nw(\"aa\")\n%a(?t) <- w(?t), t(?t)") == "");
  CHECK(
      Codes(
          "a([])\na(?l) <- b(?t), ?l = [1 & ?t]\nb(?l) <- a(?t), ?l = [2 & ?t]\n%x(?l) <- b(?l)") ==
      "3006 2:17\n");
  // As many arguments as there may be.
  std::string values, names;
  for (int i = 1; i < 64; ++i) {
    values += ", 1";
    names += ", ?a" + std::to_string(i);
  }
  CHECK(Codes("w([]" + values + ")\nw(?l" + names + ") <- w(?t" + names + "), ?l = [1 & ?t]\n" +
              "% <- w([1 1]" + values + ")") == "");
  // Other clauses may bound what it makes.
  CHECK(Codes("e(1, 2)\np(1, [1])\np(?y, ?q) <- p(?x, ?p), e(?x, ?y), ?q = [?y & ?p]\n"
              "%a(?p) <- p(2, ?p)") == "");
  CHECK(Codes("e(1, 2)\nr(?x, ?y) <- e(?x, ?y)\nr(?x, ?z) <- r(?x, ?y), e(?y, ?z)\n"
              "%a(?x) <- r(1, ?x)") == "");
}

TEST_CASE("forms that mean something else") {
  CHECK(Codes("edge(?x, ?y)\nedge(1, 2)") == "2008 1:1\n");
  CHECK(Codes("a(?x) <- ?x = #{1 2}, ?x > 1") == "2009 1:10\n");
  CHECK(Codes("a(?s) <- ?s = #{1 2}, |?s| > 1") == "");
  CHECK(Codes("a(?c) <- p(?m), ?m = {:c ?c}\np({:c 1})") == "2010 1:17\n");
  CHECK(Codes("a(?m) <- p(?c), ?m = {:c ?c}\np(1)") == "");
  CHECK(Codes("a(?s) <- p(#{& ?s})\np(1)") == "2012 1:12\n");
  CHECK(Codes("a(?s) <- p(#{& ?s})\np(#{1 2})") == "");
  CHECK(Codes("r([& ?r]) <- l([_ & ?r])\nl([1 2])") == "2013 1:6\n");
  CHECK(Codes("%g(?a) <- p(?a)\n%g(?b) <- q(?b)\np(1)\nq(1)") == "2014 2:1\n");
  CHECK(All("%g <- p(_) -> !%g\np(1)") == "");  // §15.4
  CHECK(Codes("p(1)\np(2) -> false\np(1) -> false") == "2016 2:1\n");
  CHECK(Codes("a(?n) <- ?t = p(_), ?n = |?t|\np(1)") == "2018 1:27\n");
  CHECK(Codes("a(?n) <- ?t = p(_), ?n = |#?t|\np(1)") == "");
}

TEST_CASE("variables used once, definitions used nowhere") {
  CHECK(All("% <- a(?x)\na(?x) <- b(?x, ?why)\nb(1, 2)") == "2011 1:8\n2011 2:16\n");
  CHECK(All("% <- a()\na() <- b(?x)\nb(1)") == "");  // names a column, and is no misspelling
  CHECK(All("% <- needed()\nneeded() <- needed(?r)\nneeded(1)") == "");  // a projection
  CHECK(All("% <- a(_)\na(1)\nb(2)\nc(?x) <- b(?x)\nd(?x) <- c(?x)") == "6013 5:1\n");
  CHECK(All("% <- a(_)\na(1)\nb(2)") == "6012 3:1\n");
  CHECK(All("a(1)\nb(2)\nc(?x) <- b(?x)") == "");  // a library: everything may be asked
  CHECK(All("% <- user(?u) ^^ ?b, $json(?b)\nuser(1)") == "");
  CHECK(All("p(1)\np(1, 2)") == "6011 2:1\n");
}

TEST_CASE("headings and prose") {
  CHECK(CodesMd("# Town - town(?town)\n\n# Go - %go <- town(_)\n") == "4009 1:10\n");
  CHECK(CodesMd("# Town - town(?town)\n\nWhich __town__, of __towns__?\n\n"
                "# Go - %go <- town(_)\n\ntowns(\"a\")\n") == "");
  CHECK(CodesMd("# Town - town(?town)\n\nAsk for __twon__.\n\n# Go - %go <- town(_)\n") ==
        "4010 3:9\n");
  CHECK(CodesMd("Text\n\n--\n") == "4004 3:1\n");
  CHECK(CodesMd("a(?x) <- other.md#edge(?x, _)\n") == "");
  CHECK(CodesMd("a(?x) <- other.md#egde(?x, _)\n") == "2005 1:10\n");
  CHECK(CodesMd("a(?x) <- missing.md#edge(?x, _)\n") == "4008 1:10\n");
  CHECK(Codes("missing.md#edge(?x, _) -> false") == "4008 1:1\n");
}

TEST_CASE("entries of a trace need no file") {
  CHECK(Codes("missing.md#edge(?x) ^^ {?x 1} -> true\n%missing.md#go ^^ {?x 1} -> true") == "");
  CHECK(Codes("missing.md#edge(3) -> false") == "2016 1:1\n");  // it takes back nothing
}

TEST_CASE("a name is told once, warnings are errors when strict") {
  CHECK(Codes("cookMode(1)\ncookMode(2)\na(?x) <- cookMode(?x)") == "6001 1:1\n");
  const Checked strict("cookMode(1)", "test.rpl", true);
  REQUIRE(strict.findings.size() == 1);
  CHECK(strict.findings[0].diagnostic.severity == Severity::kError);
}

TEST_CASE("suppressions") {
  CHECK(Codes("cookMode(1) -- rpl-ignore RPL6001: from the API") == "");
  CHECK(Codes("-- rpl-ignore RPL6001: from the API\ncookMode(1)") == "");
  CHECK(Codes("cookMode(1) -- rpl-ignore RPL6001") == "6015 1:13\n");
  CHECK(Codes("-- rpl-ignore RPL6001: why\ncook(1)") == "6014 1:1\n");
  CHECK(Codes("cookMode(1)\n-- rpl-ignore RPL6001: above only\n") == "6001 1:1\n6014 2:1\n");
  CHECK(CodesMd("<!-- rpl-ignore RPL4009: asked elsewhere -->\n# Town - town(?town)\n\n"
                "# Go - %go <- town(_)\n") == "");
  CHECK(CodesMd("Write `<!-- rpl-ignore RPL6001: why -->` above it.\n") == "");
  // Stacked: both apply to the sentence, and a comment at the end of a line stacks nothing.
  CHECK(Codes("-- rpl-ignore RPL6001: a\n-- rpl-ignore RPL2005: b\nx(?y) <- cookMode(?y)") == "");
  CHECK(Codes("-- rpl-ignore RPL6001: a\ncookMode(1) -- rpl-ignore RPL6002: b\nbakeIt(1)") ==
        "6014 2:13\n6001 3:1\n");
}

TEST_CASE("a finding ends before the line end, of two bytes as well") {
  for (const char* text : {"p(\"a\r\nq(1)\r\n", "p(1) -- rpl-ignore RPL6001: x\r\n",
                           "cookMode(1) -- rpl-ignore RPL6001\r\n"}) {
    const Checked checked(text);
    REQUIRE(checked.findings.size() == 1);
    const Span span = checked.findings[0].diagnostic.span;
    CHECK(checked.sources.Text(span) ==
          std::string(text).substr(span.begin, std::string(text).find('\r') - span.begin));
  }
}

TEST_CASE("a suppression in a string or a regex is data") {
  CHECK(Codes("cookMode(\"-- rpl-ignore RPL6001: x\")") == "6001 1:1\n");
  CHECK(Codes("cook('-- rpl-ignore RPL6001: x')") == "");
  CHECK(Codes("cook(\"a \\\" -- rpl-ignore RPL6001: x\nb\")") == "");
  CHECK(Codes("cook(?x) <- eat(?x), ?x ~ /\" -- rpl-ignore RPL6001/\neat(\"a\")") == "");
  CHECK(Codes("cook([1 -- it's\n2]) -- rpl-ignore RPL6001: x") == "6014 2:5\n");
  CHECK(CodesMd("# Note\n\nnote(\"<!-- rpl-ignore RPL6001: x -->\")\n") == "");
  CHECK(CodesMd("# Note\n\n```rpl\nnote(\"<!-- rpl-ignore RPL6001: x -->\")\n```\n") == "");
  CHECK(CodesMd("# Cook - cook(?x) <- ?x = \"<!-- rpl-ignore RPL4009: x -->\"\n\n"
                "# Go - %go <- cook(_)\n") == "");
  CHECK(Codes("-- rpl-ignore RPL6001: a\ncookMode(\"-- rpl-ignore\")\nbakeIt(1)") == "6001 3:1\n");
}

TEST_CASE("a suppression holds for all lines of its sentence") {
  CHECK(Codes("cookMode(?x) <-\n  eat(?x),\n  ?x < 3 -- rpl-ignore RPL6001: api\neat(1)") == "");
  const std::string rule = "x(?y) <-\n  eat(?y),\n  eat(?catName), ?catName > ?y\n";
  CHECK(Codes("-- rpl-ignore RPL6001: api\n" + rule + "eat(1)\n" +
              "-- rpl-ignore RPL6001: api\nbakeIt(1)\n") == "");
  CHECK(Codes("x(?y) <-\n  -- rpl-ignore RPL6001: api" + rule.substr(7) + "eat(1)") == "");
  CHECK(Codes("x(1) -- rpl-ignore RPL6001: api\ncookMode(1)\n") == "6014 1:6\n6001 2:1\n");
  CHECK(CodesMd("<!-- rpl-ignore RPL6001, RPL4002: api -->\n# Go - %go <- eat(?x)\n"
                ", eat(?catName), ?catName > ?x\n\n```rpl\neat(1)\n```\n") == "");
  // As many are used as there are findings, wherever both stand in the sentence.
  const std::string head = "cookMode(?x) <- eat(?x), eat(?catName), ";
  const std::string two =
      "-- rpl-ignore RPL6001: one\n  ?catName > ?x -- rpl-ignore RPL6001: two\n";
  CHECK(Codes(head + two + "eat(1)") == "");
  CHECK(Codes("cook(?x) <- eat(?x), eat(?catName), " + two + "eat(1)") == "6014 2:17\n");
}

TEST_CASE("twenty mistakes in one document: each once, at its place, and nothing else") {
  const Checked program(R"RPL(# Twenty mistakes

% <- %plan(?trip) | %pakc(?trip)

## Plan - %plan(?trip) <- trip(?trip), ready(), not closed(?trip), long(?trip), total(?trip, ?sum), ?sum > 1, winner(?trip), seen(?trip), greeting(_), sky(_), town(_), meal(_)

Read the plan aloud.
--

## Größe der Stadt - town(?town)

## Meal - meal(?dish)

Which __dihs__ would you like?

## Broken - broken(?x <- trip(?x)

```rpl
trip("lake")
trip("hill")
leg("lake", 3)
day("lake", 1)

closed(?t) <- legs(?t, _)
long(?t) <- leg(?t), trip(?t)
long(?t) <- leg(?t, _), ?length > 10
total(?t, ?sum) <- day(?t, _)
winner(?t) <- day(?t, _), not winner(?t)
seen(?t) <- dayTrip(?t)
dayTrip("lake")
ready <- trip(_)
greeting("hello {name}")
sky(?s) <- $forecast("lake") ^ ~ {:result ?s}
colour("red")
helper(?t) <- trip(?t)
?cost > 100 -> trip(_)
seen(?t) <= day(?t, 2)
trip("sea"
```

## Stray - trip(?t) -> day(?t, _)

--

--

--
)RPL",
                        "test.md");
  CHECK(program.Codes(true) ==
        "2006 3:21\n4005 8:1\n4009 10:22\n4010 14:7\n1004 16:19\n2005 24:15\n2007 25:13\n"
        "2002 26:25\n2001 27:11\n3001 28:31\n6001 29:13\n6002 31:1\n6007 32:17\n5001 33:12\n"
        "6012 34:1\n6013 35:1\n2004 36:1\n1007 37:10\n1004 38:5\n4004 47:1\n");
}

TEST_CASE("values of a kind that an operator never takes") {
  CHECK(Codes("n(1)\n% <- n(?x), ?x < \"a\"") == "2020 2:13\n");
  CHECK(Codes("% <- 1 < \"a\"") == "2020 1:6\n");
  CHECK(Codes("a(?x) <- b(?x), ?x > :k\nb(1)\nb(\"s\")") == "2020 1:17\n");
  CHECK(Codes("a(?x) <- b(?x), ?y = \"3\", ?x > 1, ?y > 2\nb(1)") == "2020 1:35\n");
  CHECK(Codes("a(?x) <- b(?x), (c(?x) | not (?x <= true))\nb(1)\nc(1)") == "2020 1:31\n");
  CHECK(Codes("a(?y) <- b(?x), ?y = \"a\" + ?x\nb(1)") == "2020 1:22\n");
  CHECK(Codes("a(?x) <- b(?x), ?x in 3\nb(1)") == "2020 1:17\n");
  CHECK(Codes("a(?x) <- b(?x), |ready| > 1\nb(1)") == "2020 1:18\n");
  CHECK(Codes("a(?x) <- b(?x), \"soon\" before now\nb(1)") == "2020 1:17\n");
  CHECK(Codes("a(?x) <- b(?x), ?x within \"2 days\" of now\nb(\"2026-01-31\")") == "2020 1:27\n");
  CHECK(Codes("a(?x) <- s(?x, ?s), ?s = \"open\"\ns(1, open)\ns(2, shut)") == "2020 1:21\n");
  CHECK(Codes("s(?x, ?s) -> ?s != \"open\"\ns(1, open)") == "2020 1:14\n");
  // Unknown, mixed, or from elsewhere.
  CHECK(Codes("a(?x) <- b(?x), ?x > 3\nb(1)\nb(\"s\")") == "");
  CHECK(Codes("a(?x) <- b(?x), ?x > 3\nb(\"s\")\nb(?x) <- c(?x)\nc(1)") == "");
  CHECK(Codes("a(?x) <- (?x = 1 | ?x = \"b\"), b(?x), ?x < 2\nb(1)\nb(\"c\")") == "");
  CHECK(Codes("a(?x) <- b(?x), ?x > 3\nb(#{1 2})") == "");
  CHECK(Codes("a(?x) <- b(?x), ?x before now, ?x != \"2026-01-31\"\nb(\"2026-01-01\")") == "");
  CHECK(Codes("a(?n) <- ?n = |b(_)| + 1, ?n > 0.5\nb(1)") == "");
  CHECK(Checked("leg(\"Oslo\", 120)\nlong(?t) <- leg(?t, ?km), ?km > \"100\"").Rendered() ==
        "test.rpl:2:27: warning RPL2020: `>` orders two numbers or two strings, got a number and a "
        "string\n"
        "    2 | long(?t) <- leg(?t, ?km), ?km > \"100\"\n"
        "      |                           ^^^^^^^^^^^\n");
}

TEST_CASE("relations that are named like actions") {
  CHECK(All("collect-name(?a, ?b) <- name(?a, ?b)\nname(1, 2)") == "6018 1:1\n");
  CHECK(All("people#getName(1)") == "6001 1:1\n6018 1:1\n");
  CHECK(All("editing-goal(1)\norder-line(1)\nreport-date(1)\nget(1)\nchoose(1, 2)\ngetaway(1)") ==
        "");
  CHECK(
      All("%collect-name <- name(_)\n$fetch-name(?x) <- name(?x)\n% <- $fetch-name(1)\nname(1)") ==
      "");
}

// Variants of mistakes in odd places: each once, at its place.
TEST_CASE("what is never bound is told once, where it stands") {
  CHECK(All("d(?x) <- b(?x), ?c in ?coll\nb(1)") == "2002 1:23\n");
  CHECK(All("g(?x) <- b(?x), not (b(?u), ?u > ?w), ?w > 3\nb(1)") == "2003 1:34\n");
  CHECK(All("k(?s) <- ?s = ?a union ?b") == "2002 1:15\n");
  CHECK(All("m(?x) <- b(?x) ; @for(?i = 1, ?i < 3, ?j = ?i + 1)\nb(1)") == "");
  CHECK(All("neg(?x) <- not b(?x)\n% <- neg(_)\nb(1)") == "2002 2:10\n");
  CHECK(All("big(?x) <- ?x > ?y\nhuge(?x) <- big(?x)\n% <- huge(_)") == "2002 1:17\n");
  CHECK(All("t(\"hi {?name}\") <- b(_)\nb(1)") == "2001 1:8\n");
  CHECK(Checked("# A - a(?x) <- f(?x)\n\n## B - b(?x) <- f(?x)\n\n--\n\n```rpl\n?y > 2\nf(1)\n```\n"
                "\n% <- a(_), b(_)\n",
                "test.md")
            .Codes(true) == "2002 8:1\n");
}

TEST_CASE("arguments of built-in tools") {
  CHECK(Codes("a(?x) <- ?x = $ask(\"Q\", 1)") == "2007 1:15\n");
  CHECK(Codes("a(?x) <- $write(\"t\", \"f\", {:replace true}) ^ ~ {:result ?x}") == "");
  CHECK(Codes("$index(\"stock.csv\")\n$index(\"b.json\", \"c\")\n% <- stock(?x), c(?x)") == "");
  CHECK(Codes("$index(\"stock.csv\", item(_))\n% <- item(?x)") == "2008 1:1\n2005 2:6\n");
  CHECK(Codes("$index(\"two\")\ntwo(?x) <- two(?x, _)\n% <- two(?x)") == "");
  CHECK(Codes("two(1)\n$index(\"two\")\n% <- two(?x, _), two(?x)") == "");
  CHECK(Codes("$index(\"stock.csv\")\n% <- stok(?x), p(?x)") == "2005 2:6\n2005 2:16\n");
  CHECK(Codes("q(1)\n$index(\"a.json\")\n% <- p(?x, ?y), order(?x), order-line(?y), q(?x)") == "");
  CHECK(Codes("a(?x) <- $write(\"t\") ^ ~ {:result ?x}") == "2007 1:10\n");
  CHECK(Codes("a(?x) <- $choose(\"Q\") ^ ~ {:result ?x}") == "2007 1:10\n");
  CHECK(Codes("$choose(?d, ?o, ?c) <- $choose(?d, ?o) ^ ~ {:result ?c}\n"
              "% <- $choose(\"D\", [\"a\"], ?c), $json(?c)") == "");
}

TEST_CASE("headings that were meant as signatures") {
  CHECK(CodesMd("# Trip: trip(?x) <- leg(?x)\n\nleg(1)\n") == "4003 1:9\n");
  CHECK(CodesMd("# Trip \u2014 %trip(?x) <- leg(?x)\n\nleg(1)\n") == "4003 1:10\n");
  CHECK(CodesMd("# Trip %trip <- leg(_)\n\nleg(1)\n") == "4003 1:8\n");
  CHECK(CodesMd("# Trip - Leg(?x)\n") == "1022 1:10\n");
  CHECK(CodesMd("# Trip - ?x(?y)\n") == "1008 1:12\n");
  CHECK(CodesMd("# What main() does\n\n## Notes: see(a)\n\n## Is f(?x) fun?\n\n## A - b\n") == "");
  CHECK(CodesMd("# Main - %main <= a(_)\n\na(1)\n") == "1007 1:16\n");
  CHECK(CodesMd("# Day - day(?t, $day) <- town(?t)\n\ntown(1)\n\n% <- day(_, _)\n") ==
        "4009 1:17\n");
  CHECK(CodesMd("# Day - day(?t, $day) <- town(?t)\n\nWhich?\n\ntown(1)\n\n% <- day(_, _)\n") ==
        "");
}

TEST_CASE("hints name what was meant") {
  const auto hint = [](const std::string& text) {
    const Checked program(text, "test.md");
    return program.findings.empty() ? "" : program.findings[0].diagnostic.hint;
  };
  CHECK(hint("% <- ready()\n\n# Ready - ready\n") ==
        "the heading at test.md:3:1 defines it when it ends in `ready()`");
  CHECK(hint("% <- ready()\n\nready\n") ==
        "the line at test.md:3:1 states it when it reads `ready()`");
  CHECK(hint("% <- cook#leg(_)\n\nleg(1)\n") == "did you mean `leg`?");
  CHECK(hint("# F - f($f)\n\nOne of __valid-fcus__.\n\nvalid-focus(1)\n\n% <- f(_)\n") ==
        "did you mean `__valid-focus__`?");
  CHECK(hint("```rpl\na(?x) = b(?x)\nb(1)\n```\n") == "for a rule write `<-` instead of `=`");
  for (const auto& [operator_, wanted] : std::vector<std::pair<std::string, std::string>>{
           {"a(?x) :- b(?x)", "write `<-` for a rule"},
           {"a(?x) <- b(?x), ?x == 1", "write `=`"},
           {"a(?x) <- b(?x), ?x =< 1", "write `<=`"},
           {"a(?x) <- b(?x), ?x \u2265 1", "write `>=`"},
           {"a(?x) <- b(?x) && b(?x)", "write `,` between clauses"},
           {"a(?x) <- b(?x) or b(?x)", "write `|` between clauses"},
           {"a(?x) if b(?x)", "write `<-` for a rule"}})
    CHECK(hint("```rpl\nb(1)\n" + operator_ + "\n```\n") == wanted);
}

// --- Mending ------------------------------------------------------------------------------

std::string Mended(std::string text, const std::string& name = "test.rpl") {
  for (int round = 0; round < 20; ++round) {
    const Checked program(text, name);
    const std::vector<Finding> next = Mendable(program.findings);
    if (next.empty()) break;
    text = Fixed(program.sources, 0, next);
  }
  const Checked after(text, name);
  CHECK(Fixed(after.sources, 0, Mendable(after.findings)) == text);
  for (const Finding& f : after.findings) CHECK_FALSE(f.fixable());
  return text;
}

TEST_CASE("habits of other languages") {
  CHECK(Codes("s(1)\n%n(?n) <- ?n = count(s(_))") == "2021 2:16\n");
  CHECK(Codes("%n(?n) <- ?n = std#number(\"5\")") == "2021 1:16\n");
  CHECK(Mended("%n(?n) <- ?n = std#number(\"5\")\n") == "%n(?n) <- std#number(\"5\", ?n)\n");
  CHECK(Mended("%n(?n) <- ?n = std#end-user()\n") == "%n(?n) <- std#end-user(?n)\n");
  CHECK(Codes("%n(?n) <- s(?x), ?n = std#nmber(?x)\ns(std#sum([1]))") == "2021 1:23\n2021 2:3\n");
  CHECK(Codes("s(?x, std#leest(?k)) <- t(?x, ?k)\nt(1, 2)\n%a(?k) <- s(1, ?k)") == "2021 1:7\n");
  CHECK(Codes("s(1)\n%n(?n) <- max(?x) = ?n, s(?x)") == "2021 2:11\n");
  CHECK(Codes("s(1)\n%n(?n) <- ?n = other(?x), s(?x)") == "");
  CHECK(Codes("count(1)\n%n(?n) <- ?n = count(1), count(_)") == "");
  CHECK(Codes("p(1)\n%k(?l) <- p(?x), ?l = [& ?x]") == "2022 2:23\n");
  CHECK(Codes("p(1)\n%k(?l) <- p(?x), ?l = #{& ?x}") == "2022 2:23\n");
  CHECK(Codes("p([1])\n%k(?l) <- p(?x), ?l = [& ?x]") == "");
  CHECK(Codes("p([1])\n%k(?l) <- p(?x), ?l = [0 & ?x]") == "");
  CHECK(Codes("p(1)\nl([1])\n% <- l(?l), ?l = ~ [& ?x], p(?x)") == "");
  CHECK(Codes("e(1, 2)\nr(x, y) <- e(x, y)\n% <- r(_, _)") == "2023 2:3\n");
  CHECK(Codes("e(a, b)\nr(x, y) <- e(x, y)\nr(a, b)\nr(b, c)\n% <- r(_, _)") == "2023 2:3\n");
  CHECK(Codes("p(x)\nq(x) <- p(x)\n% <- q(_)") == "");
  CHECK(Codes("p(1)\nq(x) <- p(x)\n% <- q(x)") == "");
  CHECK(Codes("p(1)\nq(x) <- p(?x), ?x = 1\n% <- q(_)") == "");
  CHECK(CodesMd("# A - a(one)\n\n# B - a(two)\n\n# G - %g(?x) <- a(?x)\n") == "");
  CHECK(CodesMd("# A - a(one)\n\n# G - %g <- a(one)\n") == "");
  CHECK(Codes("p(1)\nq(1)\n% <- |p(?x)| = 2, |q(?x)| = 1") == "2024 3:9\n");
  CHECK(Codes("p(1)\nq(1)\n% <- |p(?x)| = 2, |q(?y)| = 1") == "");
  CHECK(Codes("p(1)\nq(1)\n% <- p(?x), |p(?x)| = 2, |q(?x)| = 1") == "");
  CHECK(Codes("p(1)\nq(1)\n%g(?x) <- |p(?x)| = 1, |q(?x)| = 1") == "");
  CHECK(Codes("m(1, 2)\nl(1, 2)\n% <- |m(?g, _)| = 1, |l(?g, _)| = 1") == "");
}

TEST_CASE("a head with `&` that recurses over a list") {
  CHECK(Codes("len([], 0)\nlen([_ & ?t], ?n) <- len(?t, ?m), ?n = ?m + 1\n% <- len([1], _)") ==
        "3003 2:5\n");
  CHECK(CodesMd("# Sum - sum([?h & ?t], ?n) <- sum(?t, ?m), ?n = ?m + ?h\n\nsum([], 0)\n\n"
                "% <- sum([1], _)\n") == "3003 1:13\n");
  CHECK(Codes("p(1)\nall([& ?x]) <- p(?x)\n% <- all(_)") == "");
}

TEST_CASE("mechanical findings are mended, once and for all") {
  CHECK(Mended("cookMode(1)\nr(?stepNo) <- cookMode(?stepNo), s(\"{?stepNo}\")\ns(\"1\")") ==
        "cook-mode(1)\nr(?step-no) <- cook-mode(?step-no), s(\"{?step-no}\")\ns(\"1\")");
  CHECK(Mended("% <- p(?cookMode) ^^ {cookMode ?v}, $json(?v)\np(1)") ==
        "% <- p(?cook-mode) ^^ {cook-mode ?v}, $json(?v)\np(1)");
  CHECK(Mended("ready <- not blocked, not blocked\nblocked <- x(1)\nx(1)") ==
        "ready() <- not blocked(), not blocked()\nblocked() <- x(1)\nx(1)");
  CHECK(Mended("a(?x) <= b(?x), c(?x)\nb(?x) => c(?x)\n%g <= not a(1)\nready <= b(1)\nc(1)") ==
        "a(?x) <- b(?x), c(?x)\nb(?x) -> c(?x)\n%g <- not a(1)\nready() <- b(1)\nc(1)");
  CHECK(Mended("p(1) ^ {:doc \"d\"}\nq(?d) <- p(_) ^ {:doc ?d}") ==
        "p(1) ^ ~ {:doc \"d\"}\nq(?d) <- p(_) ^ ~ {:doc ?d}");
  CHECK(Mended("p({:a 1 :b {:c 2 :d 3}, :e 4})") == "p({:a 1, :b {:c 2, :d 3}, :e 4})");
  CHECK(Mended("?b ~ [?k ?v], p(_) ^^ ?b -> ?k != ?v\np(1)") ==
        "?b ~ [?k ?v], p(_) ^^ ?b -> ?k != ?v\np(1)");
}

TEST_CASE("a name that is mended is mended in the prose, too") {
  const std::string mended = Mended(R"(# Plan - %planDay(?t) <- townName(?t), bestDay(?t, _)

Go to __townName__, then suggest `%planDay` or `townName(?townName)`, not `%planDays`.

## Town - townName(?townName)

Which __townName__, out of __knownTowns__? (`$townName`, `townName`, `x townName`, **townName**)

## Day - bestDay(?town_name, $best_day) <- townName(?town_name)

- Ask the __best_day__ for __Town Name__, by `?town_name`.

```rpl
knownTowns("Oslo")
```
)",
                                    "test.md");
  CHECK(mended == R"(# Plan - %plan-day(?t) <- town-name(?t), best-day(?t, _)

Go to __town-name__, then suggest `%plan-day` or `town-name(?town-name)`, not `%planDays`.

## Town - town-name(?town-name)

Which __town-name__, out of __known-towns__? (`$town-name`, `town-name`, `x townName`, **townName**)

## Day - best-day(?town-name, $best-day) <- town-name(?town-name)

- Ask the __best-day__ for __Town Name__, by `?town-name`.

```rpl
known-towns("Oslo")
```
)");
  CHECK(CodesMd(mended) == "");
}

TEST_CASE("a span that only follows a name's spelling is no finding of its own") {
  const std::string text =
      "# Town - town(?townName, ?n)\n\nWhich __townName__ or __town_name__? __towName__?\n\n"
      "# Go - %go <- town(_, _)\n";
  CHECK(CodesMd(text) == "6001 1:15\n4010 3:38\n");
  // What is not mended stays a finding.
  CHECK(CodesMd("# Town - town(?townName, ?town-name)\n\nWhich __townName__?\n\n"
                "# Go - %go <- town(_, _)\n") == "6001 1:15\n4010 3:7\n");
  CHECK(CodesMd("<!-- rpl-ignore RPL6001: from the API -->\n# Town - town(?townName)\n\n"
                "Which __townName__?\n\n# Go - %go <- town(_)\n") == "4010 4:7\n");
}

TEST_CASE("tools that the host names keep their names") {
  CHECK(Mended("$getSky(?t) <- skyOf(?t)\nskyOf(1)\n% <- $getSky(_), $askSky(2), skyOf(_)") ==
        "$get-sky(?t) <- sky-of(?t)\nsky-of(1)\n% <- $get-sky(_), $askSky(2), sky-of(_)");
}

TEST_CASE("labels with a prefix are mended, those of other files only with their file") {
  CHECK(Mended("cookBook#bakeIt(1)\n% <- cookBook#bakeIt(_), a#b(_)\na#b(1)") ==
        "cook-book#bake-it(1)\n% <- cook-book#bake-it(_), a#b(_)\na#b(1)");
  const std::string other = "% <- other.md#backEdge(_)";
  CHECK(Mended(other) == other);
}

TEST_CASE("a name stays when its new spelling is taken") {
  for (const std::string text :
       {"cookMode(1)\ncook-mode(2)", "cookMode(1)\ncook_mode(2)", "%goOn <- p()\n%go_on <- q()",
        "r(?yVal, ?y_val) <- p(?yVal), p(?y_val)", "r(?x) <- p(?x) ^^ {?yVal 1, ?y_val 2}",
        "r(?yVal) <- p(?t), ?t = ~ /(?P<y_val>.)/, s(?yVal)"})
    CHECK(Mended(text) == text);
  CHECK(Mended("r(?yVal) <- p(?yVal)\ns(?y_val) <- p(?y_val)") ==
        "r(?y-val) <- p(?y-val)\ns(?y-val) <- p(?y-val)");
}

TEST_CASE("a set is not mended to a comment") {
  const std::string text = "all([\n  1\n  # {2}\n])";
  CHECK(Mended(text) == text);
}

TEST_CASE("headings are joined, older arrows in prose are found") {
  CHECK(Mended("# Plan - %planIt(?n)\n  <- stepReady(?n),\n  not blocked\n; @when(!%)\n\nText.\n\n"
               "```rpl\nstepReady(1)\nblocked <= stepReady(2)\n```\n\n% <= %planIt(_)\n",
               "test.md") ==
        "# Plan - %plan-it(?n) <- step-ready(?n), not blocked() ; @when(!%)\n\nText.\n\n"
        "```rpl\nstep-ready(1)\nblocked() <- step-ready(2)\n```\n\n% <- %plan-it(_)\n");
  CHECK(Mended("# Long - %long(?x)\n<= a(?x)\n\na(1)\n", "test.md") ==
        "# Long - %long(?x) <- a(?x)\n\na(1)\n");
  CHECK(Mended("We want x <= y here.\n\nsmall <= large, they say.\n", "test.md") ==
        "We want x <= y here.\n\nsmall <= large, they say.\n");
}

TEST_CASE("blank lines part RPL from text") {
  CHECK(Mended("- item\nf(1)\nf(2)\n\n% <- f(_)\n", "test.md") ==
        "- item\n\nf(1)\nf(2)\n\n% <- f(_)\n");
  // Nothing in this text is certainly RPL (decision 102).
  CHECK(Mended("- item\nf(1)\n", "test.md") == "- item\nf(1)\n");
  CHECK(Mended("> text\r\nf(1)\r\n\r\n% <- f(_)\r\n", "test.md") ==
        "> text\r\n\r\nf(1)\r\n\r\n% <- f(_)\r\n");
  CHECK(Mended("f(1)\n----\n% <- f(_)\n", "test.md") == "f(1)\n\n----\n% <- f(_)\n");
  CHECK(Mended("f(1)\nin stock\n\n% <- f(_)\n", "test.md") == "f(1)\n\nin stock\n\n% <- f(_)\n");
  CHECK(Mended("s(1)\n%n(?n) <- ?n = length(s(_))") == "s(1)\n%n(?n) <- ?n = |s(_)|");
  // A line of `=` would be prose.
  CHECK(Mended("f(1)\n====\n% <- f(_)\n", "test.md") == "f(1)\n====\n% <- f(_)\n");
}

// --- Good programs ------------------------------------------------------------------------

TEST_CASE("the examples are clean when strict") {
  for (const auto& entry : std::filesystem::directory_iterator(RPL_EXAMPLES)) {
    const std::string name = entry.path().string();
    if (!name.ends_with(".md") && !name.ends_with(".rpl")) continue;
    std::ifstream in(name);
    std::stringstream text;
    text << in.rdbuf();
    const Checked program(text.str(), name, true);
    INFO(program.Rendered());
    CHECK(program.Codes() == "");
  }
}

TEST_CASE("the worked example of §19 is clean") {
  CHECK(CodesMd(R"(% <- %needs-discovery(?d) | %needs-edit(?d)

# Needs Discovery - %needs-discovery(?d) <- edit-brief(?d, $focus), $focus = "unknown", draft(?d)

Ask one follow-up question to identify missing context for __d__.
Then suggest `%needs-edit`.

# Needs Edit - %needs-edit(?d) <- edit-brief(?d, $focus), $focus != "unknown", draft(?d)

Produce one revision pass for __d__ and summarize the edits.

# Edit Brief - edit-brief(?d, ?focus) <- draft(?d), focus(?focus)

## Draft - draft(?draft-id)

Confirm the document identifier to edit.

## Focus - focus($focus)

Ask the user for one focus value from __valid-focus__.

valid-focus("unknown")
valid-focus("clarity")
)") == "");
}

// A random program in which each of some clauses has a mistake: an argument that is missing, or
// another value; a head more; a clause less. Some constraints are behind it.
std::string WithMistakes(RandomProgram program, std::mt19937& random) {
  const auto any = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  static constexpr std::string_view kArguments[] = {
      "_",        "?other", "#{1 2}", "#{?other}",    "#{& ?other}", "#{1 & ?more}",
      "[?other]", "$later", "{:k _}", "\"a{?other}\""};
  static constexpr std::string_view kClauses[] = {
      "std#sort(_, #{1 2})", "std#sum([_ 1], ?other)", "?other = |?more|",
      "not unknown(?other)", "cookMode(?cookMode)",    "?other = ~ /(?P<more>.)/"};
  for (RandomRule& rule : program.rules) {
    for (std::string& clause : rule.clauses) {
      if (any(4) != 0) continue;
      const std::size_t open = clause.find('('), comma = clause.find_first_of(",)", open);
      if (open == clause.npos || comma == clause.npos) continue;
      clause.replace(open + 1, comma - open - 1, kArguments[any(std::size(kArguments))]);
    }
    if (any(3) == 0) rule.clauses.emplace_back(kClauses[any(std::size(kClauses))]);
    if (any(4) == 0) rule.heads.push_back("more(" + std::string(kArguments[any(2)]) + ")");
    if (any(4) == 0) rule.when = kClauses[any(std::size(kClauses))];
    if (any(8) == 0 && rule.clauses.size() > 1) rule.clauses.pop_back();
  }
  std::string text = program.Text() + "% <- more(_)\n";
  static constexpr std::string_view kRights[] = {"false", "?other -> more(?other)", "more(_)"};
  for (int i = 0; i < 4; ++i) {
    const auto argument = [&] { return std::string(kArguments[any(std::size(kArguments))]); };
    text += (any(2) == 0 ? "$tool(" : "undefined(") + argument() + "), ";
    text +=
        any(2) == 0 ? std::string(kClauses[any(std::size(kClauses))]) : "more(" + argument() + ")";
    text += any(3) == 0 ? ", ?other" : "";
    text += " -> " + std::string(kRights[any(std::size(kRights))]) + "\n";
  }
  return text;
}

TEST_CASE("random programs with mistakes are checked alike each time, and fixes add no error") {
  std::mt19937 random(1);
  const auto errors = [](const Checked& checked) {
    return std::ranges::count(checked.findings, Severity::kError,
                              [](const Finding& f) { return f.diagnostic.severity; });
  };
  const std::uint32_t programs = Setting("RPL_RANDOM_PROGRAMS", 60);
  for (std::uint32_t seed = 0; seed < programs; ++seed) {
    const std::string text = WithMistakes(MakeProgram(seed), random);
    CAPTURE(seed, text);
    const Checked once(text), again(text);
    REQUIRE(once.Rendered() == again.Rendered());
    for (const Finding& f : once.findings)
      REQUIRE((f.diagnostic.span.begin <= f.diagnostic.span.end &&
               f.diagnostic.span.end <= text.size()));
    REQUIRE(errors(Checked(Mended(text))) <= errors(once));
  }
}

}  // namespace
}  // namespace rpl
