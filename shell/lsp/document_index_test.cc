// SPDX-License-Identifier: Apache-2.0
#include "shell/lsp/document_index.h"

#include <catch2/catch.hpp>

namespace rpl::lsp {
namespace {

// The occurrences as text: "head edge/2 at edge", one a line.
std::string Listed(const std::string& name, const std::string& text) {
  const DocumentIndex index(
      std::make_shared<TextFile>("file:///nowhere/" + name, "/nowhere/" + name, text, 1));
  std::string out;
  for (const Occurrence& o : index.occurrences()) {
    constexpr const char* kRoles[] = {"head", "fact", "use", "prose"};
    out += std::string(kRoles[static_cast<int>(o.role)]) + " " + o.name.Text() + " at " +
           std::string(index.sources().Text(o.span));
    if (o.group >= 0) out += " in " + std::to_string(o.group);
    out += "\n";
  }
  return out;
}

TEST_CASE("names are found where they stand") {
  CHECK(Listed("a.rpl",
               "edge(1, 2)\n"
               "far(?x) <- b.md#edge(1, ?x), not std#sum([?x], 3), |edge(_, ?x)| > 1, $t(?x)\n"
               "%g(\"{?n} \\{?no} {?x}\") <- far(?n), !%h(?n), ?x = $ask\n"
               "w(?y) <- n(?s), ?s ~ /(?<two_words>a)/, ?y = [?two-words]\n"
               "#?t <- c(?t)\n"
               "edge(1, 2) -> false\n") ==
        "fact edge/2 at edge\n"
        "head far/1 at far\nuse ?x at x in 1\nuse b.md#edge/2 at edge\nuse ?x at x in 1\n"
        "use std#sum/2 at sum\nuse ?x at x in 1\nuse edge/2 at edge\nuse ?x at x in 1\n"
        "use $t at t\nuse ?x at x in 1\n"
        "head %g at g\nuse ?n at n in 2\nuse ?x at x in 2\nuse far/1 at far\nuse ?n at n in 2\n"
        "use %h at h\nuse ?n at n in 2\nuse ?x at x in 2\nuse $ask at ask in 2\n"
        "head w/1 at w\nuse ?y at y in 3\nuse n/1 at n\nuse ?s at s in 3\nuse ?s at s in 3\n"
        "use ?two-words at two_words in 3\nuse ?y at y in 3\nuse ?two-words at two-words in 3\n"
        "use ?t at t in 4\nuse c/1 at c\nuse ?t at t in 4\n"
        "use edge/2 at edge\n");
}

TEST_CASE("a heading shares its variables with what joins its rule, and with its prose") {
  CHECK(Listed("a.md",
               "# T - t(?two-words) <- p(?two-words)\n\nSay __Two Words__ of a __choice__.\n\n"
               "choice(1)\n\n```rpl\n?two-words > 1\nq(?two-words) <- p(?two-words)\n```\n") ==
        "head t/1 at t\nuse ?two-words at two-words in 0\nuse p/1 at p\n"
        "use ?two-words at two-words in 0\n"
        "prose ?two-words at Two Words in 0\nprose choice/1 at choice\n"
        "fact choice/1 at choice\n"
        "use ?two-words at two-words in 0\n"
        "head q/1 at q\nuse ?two-words at two-words in 3\nuse p/1 at p\n"
        "use ?two-words at two-words in 3\n");
}

TEST_CASE("what does not parse is left out, and the rest stays") {
  CHECK(Listed("a.rpl", "p(1)\nq(?x <- p(?x)\nr(2)\n") == "fact p/1 at p\nfact r/1 at r\n");
  CHECK(Listed("a.md", "# A - p(\n\n```rpl\nq(1)\n```\n") == "fact q/1 at q\n");
  CHECK(Listed("a.rpl", "p(\xff)\n").empty());
  CHECK(Listed("a.rpl", "").empty());
}

TEST_CASE("the cursor is at a name also at its mark, its namespace and its end") {
  const std::string text = "p(?abc) <- b.md#q(?abc)\n";
  const DocumentIndex index(
      std::make_shared<TextFile>("file:///nowhere/a.rpl", "/nowhere/a.rpl", text, 1));
  const auto at = [&](std::size_t offset) {
    const Occurrence* o = index.At(static_cast<std::uint32_t>(offset));
    return o == nullptr ? "" : o->name.Text();
  };
  CHECK(at(0) == "p/1");
  CHECK(at(1) == "p/1");
  CHECK(at(2) == "?abc");
  CHECK(at(6) == "?abc");
  CHECK(at(8) == "");
  CHECK(at(11) == "b.md#q/1");
  CHECK(at(16) == "b.md#q/1");
  CHECK(at(99) == "");
}

}  // namespace
}  // namespace rpl::lsp
