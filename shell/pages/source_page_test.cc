// SPDX-License-Identifier: Apache-2.0
#include "shell/pages/source_page.h"

#include <catch2/catch.hpp>
#include <string>

namespace rpl {
namespace {

bool HasLine(const std::string& html, const std::string& part) {
  return html.find(part) != html.npos;
}

std::string Source(const std::string& name, const std::string& text) {
  Sources sources;
  sources.Add(name, text);
  return SourceHtml(PagePlaces(sources, 1, 1), 0, {{2, {"hit", ""}}});
}

TEST_CASE("RPL is coloured in the lines of a document, prose is not", "[source_page]") {
  const std::string html =
      Source("trip.md", "# Go - %go(?x)\n\nnot ?x\n\n```rpl\np(\"a\",\n  1)\n```\n");
  CHECK(HasLine(html, "<b># Go - </b><span class=\"g\">%go</span>(<var>?x</var>)\n</span>"));
  CHECK(HasLine(html, "id=\"L3-f0-1\">not ?x\n"));
  CHECK(HasLine(html, "id=\"L6-f0-1\">p(<span class=\"s\">&quot;a&quot;</span>,\n"));
  CHECK(HasLine(html, "id=\"L7-f0-1\">  <span class=\"n\">1</span>)\n"));
  CHECK(HasLine(html, "<span class=\"line hit\" id=\"L2-f0-1\">"));
}

TEST_CASE("plain RPL is coloured, and a table of rows is not", "[source_page]") {
  CHECK(HasLine(Source("a.rpl", "-- note\np(1)\n"), "<span class=\"c\">-- note</span>"));
  CHECK(HasLine(Source("a.csv", "not,1\n"), ">not,1\n"));
  for (const char* rows : {"a.ndjson", "a.jsonl", "a.csv.gz"})
    CHECK(HasLine(Source(rows, "# A - %go(?x)\n"), "id=\"L1-f0-1\"># A - %go(?x)\n"));
}

}  // namespace
}  // namespace rpl
