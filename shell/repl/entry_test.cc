// SPDX-License-Identifier: Apache-2.0
#include "shell/repl/entry.h"

#include <catch2/catch.hpp>

namespace rpl {
namespace {

TEST_CASE("an entry goes on while something is open") {
  for (const char* text : {
           "edge(1, 2)",
           "",
           "  ",
           "-- a comment",
           ".facts edge",
           ".load (",
           "a(1)\nb(2)",
           "far(?x) <- edge(1, ?x)",
           "far(?x) <-\n  edge(1, ?x)",
           "p(1))",
           "p(\n1,\n2)",
           "?n = |edge(_, _)|",
           "edge(1,\n",  // the empty line confirms the end
           "p(\"a\nb\")",
           "a(?x) -> b(?x) -- says ( nothing",
       }) {
    INFO(text);
    CHECK(IsComplete(text, false));
  }
  for (const char* text : {
           "edge(1,",
           "far(?x) <-",
           "far(?x) <- edge(1, ?x),",
           "far(?x) <- edge(1, ?x) |",
           "p([1 2",
           "p({:a 1",
           "p(\"abc",
           "?x = 1 +",
           "p(1)\nq(",
           "% <- a(?x),\n  b(?x), -- and more",
           "?x in",
       }) {
    INFO(text);
    CHECK_FALSE(IsComplete(text, false));
  }
}

TEST_CASE("Markdown ends with an empty line below its content, or with its fence") {
  CHECK_FALSE(IsComplete("# Trip - %trip <- a(1)", false));
  CHECK_FALSE(IsComplete("# Trip - %trip <- a(1)\n", false));
  CHECK(IsComplete("# Trip - %trip <- a(1)\n\n", false));
  CHECK_FALSE(IsComplete("# Trip - place(?x)\n\nWhere to?", false));
  CHECK(IsComplete("# Trip - place(?x)\n\nWhere to?\n", false));
  CHECK(IsComplete("# Trip - place(?x)\nWhere to?\n", false));
  CHECK_FALSE(IsComplete("# Trip\n```rpl\na(1)\n\n", false));
  CHECK_FALSE(IsComplete("# Trip\n```rpl\na(1)\n```", false));
  CHECK(IsComplete("# Trip\n```rpl\na(1)\n```\n", false));
  CHECK_FALSE(IsComplete("```rpl\na(1)", false));
  CHECK(IsComplete("```rpl\na(1)\n```", false));
  CHECK_FALSE(IsComplete("```rpl\na(1)\n~~~", false));
  CHECK_FALSE(IsComplete("# Trip\n```rpl\na(1)\n~~~\n", false));
  CHECK(IsComplete("~~~rpl\na(1)\n```\n~~~", false));
  CHECK(IsComplete("#?x", false));  // an expansion

  CHECK(IsComplete("# Trip - place(?x)\n\nWhere to?\n\n## Next\n\nMore.", true));
  CHECK_FALSE(IsComplete("# Trip\n```rpl\na(1)", true));
}

// The kind, and the text for the session.
std::string Read(const std::string& text) {
  const Entry entry = ReadEntry(text, 3);
  switch (entry.kind) {
    case Entry::Kind::kNothing: return "nothing";
    case Entry::Kind::kCommand: return "command: " + entry.text;
    case Entry::Kind::kNovelty: return "novelty: " + entry.novelty;
    case Entry::Kind::kQuery:
      return (entry.novelty.empty() ? "query: " : "novelty and query: ") + entry.text;
    case Entry::Kind::kRejected: return "rejected: " + entry.findings.front().message;
  }
  return "";
}

TEST_CASE("what an entry asks for") {
  CHECK(Read(" .facts edge ") == "command: .facts edge");
  CHECK(Read("-- nothing") == "nothing");
  CHECK(Read("edge(1, 2)") == "novelty: edge(1, 2)");
  CHECK(Read("edge(1, 2), edge(2, 3)") == "novelty: edge(1, 2), edge(2, 3)");
  CHECK(Read("edge(1, 2) -> false") == "novelty: edge(1, 2) -> false");
  CHECK(Read("edge(?x, ?x) -> false") == "novelty: edge(?x, ?x) -> false");
  CHECK(Read("far(?x) <- edge(1, ?x)") == "novelty: far(?x) <- edge(1, ?x)");
  CHECK(Read("p(?x) ^^ {?x 1}") == "novelty: p(?x) ^^ {?x 1}");
  CHECK(Read("%trip ^ true") == "novelty: %trip ^ true");

  CHECK(Read("%far(?x) <- edge(1, ?x)") == "query: %far(?x) <- edge(1, ?x)");
  CHECK(Read("% <- a(?x),\n  b(?x)") == "query: % <- a(?x),\n  b(?x)");
  CHECK(Read("a(1)\n% <- a(?x)") == "novelty and query: a(1)\n% <- a(?x)");
  CHECK(Read("edge(1, ?x)") == "query: %answers(?x) <- edge(1, ?x)");
  CHECK(Read("edge(1, _)") == "query: % <- edge(1, _)");
  CHECK(Read("edge(?x, ?y), not edge(?y, ?z), ?y > 1") ==
        "query: %answers(?x, ?y) <- edge(?x, ?y), not edge(?y, ?z), ?y > 1");
  CHECK(Read("(a(?x), b(?y)) | (a(?x), c(?z))") ==
        "query: %answers(?x) <- (a(?x), b(?y)) | (a(?x), c(?z))");
  CHECK(Read("?n = |edge(?a, _)|") == "query: %answers(?n) <- ?n = |edge(?a, _)|");
  CHECK(Read("1 < 2") == "query: % <- 1 < 2");
  CHECK(Read("not edge(1, 2)") == "query: % <- not edge(1, 2)");
  CHECK(Read("%trip") == "query: % <- %trip");
  CHECK(Read("%") == "query: %answers <- %");
  CHECK(Read("%trip(?to)") == "query: %answers(?to) <- %trip(?to)");
  CHECK(Read("a(1)\na(?x)") == "novelty and query: a(1)\n%answers(?x) <- a(?x)");

  CHECK(Read("edge(1, 2").starts_with("rejected: `(` is opened here"));
  CHECK(Read("# Trip - %trip(?x) <- place(?x)").starts_with("novelty: # Trip"));
  CHECK(Read("# Prose\nand more") == "nothing");
}

TEST_CASE("where everything is a question") {
  CHECK(ReadEntry("a(1), b(2)", "<query>", Ground::kAsks).text == "% <- a(1), b(2)");
  CHECK(ReadEntry("a(1) -> false", "<query>", Ground::kAsks).kind == Entry::Kind::kNovelty);
}

TEST_CASE("a finding about a query stands where it was entered") {
  const Entry entry = ReadEntry("edge(1, ?x)", 7);
  REQUIRE(entry.text == "%answers(?x) <- edge(1, ?x)");
  Diagnostic finding{Code::kSyntaxError, Severity::kError, {5, 16, 20}, "m", ""};
  CHECK(entry.AsEntered(finding).span == Span{0, 0, 4});
  finding.span = {5, 0, 27};
  CHECK(entry.AsEntered(finding).span == Span{0, 0, 11});
  CHECK(entry.sources.Where(entry.AsEntered(finding).span) == "<entry 7>:1:1");
}

TEST_CASE("headings that are open at the end of an entry") {
  CHECK(OpenHeadings("# A - a(?x) <- b(?x)") == 1);
  CHECK(OpenHeadings("# A - a(?x) <- b(?x)\n\n## B - b(?x)\n\nprose") == 2);
  CHECK(OpenHeadings("# A - a(?x) <- b(?x)\n\n--\n") == 0);
  CHECK(OpenHeadings("```rpl\na(1)\n```") == 0);
}

}  // namespace
}  // namespace rpl
