// SPDX-License-Identifier: Apache-2.0
#include "shell/pages/protocol_page.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

namespace rpl {
namespace {

// The page of a document that is `text`, on one line.
std::string Protocol(const std::string& text, const std::vector<ProtocolNote>& notes = {},
                     const std::vector<ToDo>& filled = {}) {
  Sources sources;
  sources.Add("trip.md", text);
  std::string out = ProtocolHtml(PagePlaces(sources, 1, 1), 0, "Trip", notes, filled);
  std::erase(out, '\n');
  return out;
}

bool HasPart(const std::string& html, const std::string& part) {
  return html.find(part) != html.npos;
}

TEST_CASE("a protocol is shown as its reader sees it", "[protocol_page]") {
  const std::string html = Protocol(
      "# Trip\n\nPlan it for __who__, with `care`.\n\n- one\n  more\n- two\n\n> said\n\n"
      "| a | b |\n|---|---|\n| 1 | 2 |\n\n## Stay - stay(?n)\n\nHow long?\n");
  CHECK(HasPart(html, "<p>Plan it for <b class=\"hole\">who</b>, with <code>care</code>.</p>"));
  CHECK(HasPart(html, "<ul><li>onemore</li><li>two</li></ul>"));
  CHECK(HasPart(html, "<blockquote>said</blockquote>"));
  CHECK(HasPart(html, "<tr><th>a </th><th> b</th></tr><tr><td>1 </td><td> 2</td></tr>"));
  CHECK(HasPart(html, "<h3>Stay <a class=\"place\" href=\"#L15-f0-1\""));
  CHECK(HasPart(html, "<p class=\"signature\"><code>stay(<var>?n</var>)</code></p>"));
  CHECK_FALSE(HasPart(html, "<h3>Trip"));
}

TEST_CASE("facts are a table, and rules stay as written", "[protocol_page]") {
  const std::string html = Protocol(
      "```rpl\nprice(\"Lucca\", 90)\nprice(\"Bari\", 7)\ncheap(?x) <- price(?x, ?p), ?p < "
      "9\none(1)\n```\n");
  CHECK(HasPart(html,
                "<caption><code>price</code></caption><tbody><tr><td>Lucca</td><td><code>"
                "<span class=\"n\">90</span></code></td><td class=\"at\"> <a class=\"place\" "
                "href=\"#L2-f0-1\""));
  CHECK(HasPart(html, "<pre>cheap(<var>?x</var>)"));
  CHECK(HasPart(html, "one(<span class=\"n\">1</span>)</pre>"));
  const std::string commented = Protocol("```rpl\n-- both\np(1)\np(2)\n-- more\np(3)\np(4)\n```\n");
  CHECK(HasPart(commented, "<pre class=\"comment\"><span class=\"c\">-- both</span></pre><table"));
  CHECK(HasPart(commented,
                "</table><pre class=\"comment\"><span class=\"c\">-- more</span></pre><table"));
  CHECK(HasPart(Protocol("p(1)\np(2)\n"), "<table"));
  CHECK_FALSE(HasPart(Protocol("```rpl\np(?x)\np(?y)\n```\n"), "<table"));
}

TEST_CASE("the prose of a heading gives way to the text that a run filled in", "[protocol_page]") {
  const std::string text =
      "# Trip\n\n## Go - %go(?where)\n\nGo to __where__.\n\n## Stay\n\nAt __where__.\n";
  const auto at = static_cast<std::uint32_t>(text.find("%go"));
  const std::string html =
      Protocol(text, {}, {{"Go", "Go to <Lucca>.", {{6, 13}}, {0, at, at + 3}}});
  CHECK(HasPart(html, "<p class=\"filled\">Go to <b class=\"value\">&lt;Lucca&gt;</b>.</p>"));
  CHECK_FALSE(HasPart(html, "Go to <b class=\"hole\">"));
  CHECK(HasPart(html, "At <b class=\"hole\">where</b>."));
}

TEST_CASE("notes stand beside the section of their place", "[protocol_page]") {
  const std::string text = "# Trip\n\nFirst.\n\n## Stay\n\nLast.\n";
  const auto stay = static_cast<std::uint32_t>(text.find("Last"));
  std::vector<ProtocolNote> notes;
  for (std::size_t i = 0; i <= kSectionNotes; ++i) notes.push_back({{0, stay, stay}, "ask", "yes"});
  notes.push_back({{0, 0, 0}, "no", "never"});
  notes.push_back({{1, 0, 0}, "no", "of another file"});
  const std::string html = Protocol(text, notes);
  CHECK(HasPart(html, "<p>First.</p></div><div class=\"margin\"><p class=\"no\">never</p></div>"));
  CHECK(HasPart(html, "<p class=\"ask\">yes</p><p>1 more, below</p></div>"));
  CHECK_FALSE(HasPart(html, "another"));
}

TEST_CASE("hostile documents are only text", "[protocol_page]") {
  const std::string html = Protocol(
      "# <b>x</b> - p(\"</script>\")\n\n<script>1</script>\n\n    </pre><i>\n\n- <u>\n\n"
      "```rpl\nq(\"</td><s>\")\nq(\"<s>\")\n```\n\n```html\n<script>2</script>\n```\n");
  for (const char* tag : {"<script", "<b>x", "<i>", "<u>", "<s>"}) CHECK_FALSE(HasPart(html, tag));
}

TEST_CASE("long fences and files are cut, and it is said", "[protocol_page]") {
  std::string text = "```rpl\n";
  for (int i = 0; i < 100; ++i) text += "p(" + std::to_string(i) + ")\n";
  CHECK(HasPart(Protocol(text + "```\n"), "40 more rows, in the source"));
  text = "```\n";
  for (int i = 0; i < 100; ++i) text += "line\n";
  CHECK(HasPart(Protocol(text + "```\n"), "40 more lines, in the source"));
}

}  // namespace
}  // namespace rpl
