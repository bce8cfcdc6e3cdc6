// SPDX-License-Identifier: Apache-2.0
//
// What the checker says: code and place, for one mistake at a time; silence about good
// programs; what `--fix` leaves.
#include "interp/checker.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace rpl {
namespace {

struct Program {
  explicit Program(const std::string& text, const std::string& name = "test.rpl",
                   bool strict = false) {
    const std::uint32_t file = sources.Add(name, text);
    CheckOptions options;
    options.strict = strict;
    options.reader = [](const std::string& wanted) -> std::optional<std::string> {
      if (wanted == "other.md") return "```rpl\nedge(1, 2)\n```\n";
      return std::nullopt;
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

std::string Codes(const std::string& text) { return Program(text).Codes(); }
std::string CodesMd(const std::string& text) { return Program(text, "test.md").Codes(); }
std::string All(const std::string& text) { return Program(text).Codes(true); }

TEST_CASE("names that are used and not defined") {
  CHECK(Codes("edge(1, 2)\nr(?x) <- edgee(?x, _)") == "2005 2:10\n");
  CHECK(Codes("edge(1, 2)\nr(?x) <- edge(?x)") == "2007 2:10\n");
  CHECK(Codes("% <- %pakc\n%pack <- not a()\na()") == "2006 1:6\n");
  CHECK(Codes("sky(?s) <- $forecast(1) ^ ~ {:result ?s}") == "5001 1:12\n");
  CHECK(Codes("$forecast(1) ^ ~ {:result \"sun\"} -> true\n"
              "sky(?s) <- $forecast(1) ^ ~ {:result ?s}") == "");
  CHECK(Codes("a(?x) <- b(?x)\na(?x) <- not b(?x), c(?x)\nc(1)") == "2005 1:10\n");
  CHECK(Codes("count(?n) <- ?n = |nothing(_)|") == "2005 1:20\n");
  CHECK(Codes("a(1) -> b(1)") == "2005 1:1\n2005 1:9\n");
  CHECK(Codes("% <- item(?x), %fail(\"a\", ?x)\nitem(1)") == "");
  CHECK(Codes("%g <- item(1) ; @when(!%)\nitem(1)") == "");
}

TEST_CASE("an undefined name suggests what was meant") {
  CHECK(Program("edge(1, 2)\n% <- egde(1, _)").Rendered() ==
        "test.rpl:2:6: warning RPL2005: `egde` is used here and defined nowhere\n"
        "    2 | % <- egde(1, _)\n"
        "      |      ^^^^^^^^^^\n"
        "help: did you mean `edge`?\n");
  CHECK(Program("pick(?p) <- choose(\"q\", ?p)").Rendered() ==
        "test.rpl:1:13: warning RPL2005: `choose` is used here and defined nowhere\n"
        "    1 | pick(?p) <- choose(\"q\", ?p)\n"
        "      |             ^^^^^^^^^^^^^^^\n"
        "help: did you mean `$choose`?\n");
}

TEST_CASE("columns count code points") {
  CHECK(Codes("name(\"größe\", ?x) <- siz(\"ß\", ?x), süß") == "1001 1:37\n");
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
  CHECK(Codes("%a <- %b\n%b <- %a") == "3002 1:1\n");
  CHECK(Codes("%a <- %b | x(1)\n%b <- %a\nx(1)") == "");
  CHECK(Codes("%t(?a) <- m(?a) <- x(?a) ; @when(!%t)\nx(1)") == "");
  CHECK(Codes("r(?x, ?y) <- e(?x, ?y)\nr(?x, ?z) <- r(?x, ?y), e(?y, ?z)\ne(1, 2)") == "");
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
  CHECK(All("%g <- p(_) -> !%g\np(1)") == "2015 1:15\n");
  CHECK(Codes("p(1)\np(2) -> false\np(1) -> false") == "2016 2:1\n");
  CHECK(Codes("a(?n) <- ?t = p(_), ?n = |?t|\np(1)") == "2018 1:27\n");
  CHECK(Codes("a(?n) <- ?t = p(_), ?n = |#?t|\np(1)") == "");
}

TEST_CASE("variables used once, definitions used nowhere") {
  CHECK(All("% <- a(?x)\na(?x) <- b(?x, ?why)\nb(1, 2)") == "2011 1:8\n2011 2:16\n");
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
}

TEST_CASE("a name is told once, warnings are errors when strict") {
  CHECK(Codes("cookMode(1)\ncookMode(2)\na(?x) <- cookMode(?x)") == "6001 1:1\n");
  const Program strict("cookMode(1)", "test.rpl", true);
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
}

TEST_CASE("twenty mistakes in one document: each once, at its place, and nothing else") {
  const Program program(R"RPL(# Twenty mistakes

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

// --- Mending ------------------------------------------------------------------------------

std::string Mended(std::string text, const std::string& name = "test.rpl") {
  for (int round = 0; round < 20; ++round) {
    const Program program(text, name);
    const std::vector<Finding> next = Mendable(program.findings);
    if (next.empty()) break;
    text = Fixed(program.sources, 0, next);
  }
  const Program after(text, name);
  CHECK(Fixed(after.sources, 0, Mendable(after.findings)) == text);
  for (const Finding& f : after.findings) CHECK_FALSE(f.fixable());
  return text;
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

TEST_CASE("a name stays when its new spelling is taken") {
  CHECK(Mended("cookMode(1)\ncook-mode(2)") == "cookMode(1)\ncook-mode(2)");
}

TEST_CASE("headings are joined, older arrows in prose are found") {
  CHECK(Mended("# Plan - %planIt(?n)\n  <- stepReady(?n),\n  not blocked\n; @when(!%)\n\nText.\n\n"
               "```rpl\nstepReady(1)\nblocked <= stepReady(2)\n```\n\n% <= %planIt(_)\n",
               "test.md") ==
        "# Plan - %plan-it(?n) <- step-ready(?n), not blocked() ; @when(!%)\n\nText.\n\n"
        "```rpl\nstep-ready(1)\nblocked() <- step-ready(2)\n```\n\n% <- %plan-it(_)\n");
  CHECK(Mended("We want x <= y here.\n\nsmall <= large, they say.\n", "test.md") ==
        "We want x <= y here.\n\nsmall <= large, they say.\n");
}

// --- Good programs ------------------------------------------------------------------------

TEST_CASE("the examples are clean when strict") {
  for (const auto& entry : std::filesystem::directory_iterator(RPL_EXAMPLES)) {
    const std::string name = entry.path().string();
    if (!name.ends_with(".md") && !name.ends_with(".rpl")) continue;
    std::ifstream in(name);
    std::stringstream text;
    text << in.rdbuf();
    const Program program(text.str(), name, true);
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

}  // namespace
}  // namespace rpl
