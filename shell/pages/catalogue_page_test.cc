// SPDX-License-Identifier: Apache-2.0
#include "shell/pages/catalogue_page.h"

#include <catch2/catch.hpp>
#include <string>

namespace rpl {
namespace {

bool HasEntry(const std::string& html, const std::string& part) {
  return html.find(part) != html.npos;
}

TEST_CASE("a catalogue groups definitions by headings and draws their uses", "[catalogue_page]") {
  const std::string text =
      "# Trip\n\nPlans a <trip>.\n\n## Where\n\n### Place - place(?where)\n\nWhere to?\n\n"
      "## Go - %go(?where) <- place(?where), near(?where)\n\nGo.\n\n## "
      "Near\n\n```rpl\nnear(\"Lucca\")\n"
      "near(?x) <- near(?x)\nplace(?x) -> near(?x)\n```\n";
  const Catalogue catalogue =
      CatalogueOf({{"trip.md", text}}, [](const std::string&) { return std::nullopt; });
  const std::string html = CataloguePage(catalogue, GraphOf(catalogue, kMermaidLimits));
  CHECK(HasEntry(html, "<h1>Trip</h1>\n<p class=\"lede\">Plans a &lt;trip&gt;.</p>"));
  CHECK(HasEntry(html, "<h2 id=\"g0\">Goals</h2>"));
  CHECK(HasEntry(html, "<h2 id=\"g1\">Where</h2>"));
  CHECK(HasEntry(html, "<p class=\"said asked\">Where to?</p>"));
  CHECK(HasEntry(html, "<h2 id=\"g2\">Near</h2>"));
  CHECK(HasEntry(html, ">near ↻</text>"));
  CHECK(HasEntry(html, "class=\"watched\""));
  CHECK(HasEntry(html, "<title>place/1: Where to?</title>"));
}

TEST_CASE("a program without uses has no drawing", "[catalogue_page]") {
  const Catalogue catalogue =
      CatalogueOf({{"a.rpl", "p(1)\n"}}, [](const std::string&) { return std::nullopt; });
  const std::string html = CataloguePage(catalogue, GraphOf(catalogue, kMermaidLimits));
  CHECK_FALSE(HasEntry(html, "<svg"));
  CHECK(HasEntry(html, "1 fact"));
}

TEST_CASE("the title is that of a document of the program, not of the library",
          "[catalogue_page]") {
  const Catalogue catalogue =
      CatalogueOf({{"a.rpl", "p([1])\nq(?n) <- p(?l), std#length(?l, ?n)\n"}},
                  [](const std::string&) { return std::nullopt; });
  const std::string html = CataloguePage(catalogue, GraphOf(catalogue, kMermaidLimits));
  CHECK(HasEntry(html, "<title>a.rpl: catalogue"));
}

}  // namespace
}  // namespace rpl
