// SPDX-License-Identifier: Apache-2.0
#include "shell/lsp/document_index.h"

#include <catch2/catch.hpp>
#include <random>

#include "formats/data/json_text.h"
#include "interp/program/program.h"
#include "interp/store/store.h"
#include "shell/lsp/completion_items.h"
#include "shell/lsp/outline.h"
#include "shell/lsp/program_check.h"
#include "shell/lsp/semantic_tokens.h"
#include "shell/lsp/testing_project.h"

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
           std::string(index.Text(o.span));
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

// Lines of which documents are made and that edits insert: what opens, continues and ends blocks,
// scopes and sentences.
constexpr const char* kPieces[] = {"# A - a(?x)\n",
                                   "## B - b(?x, $y) <- a(?x)\n",
                                   "### C\n",
                                   "# Only a title\n",
                                   "## D - d(\n",
                                   "   # E - e(?two-words)\n",
                                   "A title\n===\n",
                                   "c(1)\n---\n",
                                   "--\n",
                                   "--\n\n",
                                   "\n",
                                   "\n\n",
                                   " \n",
                                   "```rpl\n",
                                   "```\n",
                                   "~~~ rpl\n",
                                   "~~~\n",
                                   "p(1)\n",
                                   "p(?x) <- a(?x), not b(?x, 1)\n",
                                   "a(?x) <- p(?x)\n",
                                   "?x > 1\n",
                                   "choice(1)\nchoice(2)\n",
                                   "%g(?x) <- choice(?x), $t(?x) = 1\n",
                                   "<- p(?x)\n",
                                   "Say __Two Words__ of a __choice__, __x__ and __y__.\n",
                                   "- item\n",
                                   "  more\n",
                                   "> # Q - q(1)\n",
                                   "| a | b |\n| - | - |\n",
                                   "<div>\n",
                                   "</div>\n",
                                   "    code(1)\n",
                                   "-- a comment\n",
                                   "text (",
                                   "\"",
                                   ")",
                                   "x",
                                   "é",
                                   "\xF0\x9F\x98\x80",
                                   "\r\n",
                                   "\r",
                                   "__",
                                   "#",
                                   "- ",
                                   "p(2) -> false\n",
                                   "s(\"{?x}\") <- b.md#k(?x)\n",
                                   "<!-- rpl-ignore RPL6001: so -->\n",
                                   "---\n",
                                   "+++\n",
                                   "\xEF\xBB\xBF"};

class RandomText {
 public:
  explicit RandomText(unsigned seed) : random_(seed) {}

  std::size_t Below(std::size_t size) { return random_() % size; }
  std::string Piece() { return kPieces[Below(std::size(kPieces))]; }
  std::string Text() {
    std::string out;
    for (std::size_t n = Below(40); n > 0; --n) out += Piece();
    return out;
  }
  /// Replaces up to some bytes, at any place, by pieces.
  void Edit(std::string& text) {
    const std::size_t at = Below(text.size() + 1);
    std::string with;
    for (std::size_t n = Below(3); n > 0; --n) with += Piece();
    text.replace(at, Below(2) * Below(30), with);
  }

 private:
  std::mt19937 random_;
};

std::string ListedFindings(const std::vector<Diagnostic>& findings) {
  std::string out;
  for (const Diagnostic& d : findings)
    out += CodeText(d.code) + " " + std::to_string(d.span.begin) + "-" +
           std::to_string(d.span.end) + " " + d.message + " " + d.hint + "\n";
  return out;
}

std::string ListedSentence(Span span, int scope, SentenceRole role) {
  return std::to_string(span.begin) + "-" + std::to_string(span.end) + " in " +
         std::to_string(scope) + " as " + std::to_string(static_cast<int>(role)) + "\n";
}

// What a server answers about a document.
std::string AnswersOf(Project& project, const File& file, std::uint32_t cursor) {
  const Json params = {
      {"textDocument", {{"uri", file->uri}}},
      {"position", PositionJson(file->lines.PositionOf(cursor, project.client.encoding))}};
  const Index index = project.indexes.Of(file);
  const auto size = static_cast<std::uint32_t>(file->text.size());
  return DumpJson(SymbolsOf(project, *index)) + "\n" +
         DumpJson(SemanticTokensOf(project, *index, 0, size)) + "\n" +
         DumpJson(CompletionAt(project, params)) + "\n" + DumpJson(FoldingRangesOf(*index)) + "\n" +
         DumpJson(PublishJson(project, *CheckProgram(project, file))) + "\n" +
         ListedFindings(index->layout().findings);
}

TEST_CASE("a string that is being typed ends with its sentence") {
  testing::OpenProject opened;
  const std::string text = "p(\"ab\nq(1N, _)\nq";
  const File file = opened.Open("a.rpl", text);
  const auto size = static_cast<std::uint32_t>(text.size());
  // The string, `q`, the number with its suffix, the variable, and the symbol.
  CHECK(DumpJson(SemanticTokensOf(opened.project, *opened.project.indexes.Of(file), 0, size)) ==
        R"({"data":[0,0,1,9,0,0,2,3,1,0,1,0,1,9,0,0,2,2,3,0,0,4,1,5,0,1,0,1,4,0]})");
}

TEST_CASE("the parts of a document together are what reading it at once gives") {
  for (unsigned seed = 0; seed < 1'500; ++seed) {
    const std::string text = RandomText(seed).Text();
    INFO("seed " << seed << "\n" << text);
    const DocumentIndex index(
        std::make_shared<TextFile>("file:///nowhere/a.md", "/nowhere/a.md", text, 1));
    Sources sources;
    Diagnostics findings, ignored;
    const Document document = ReadDocument(sources, sources.Add("/nowhere/a.md", text), findings);
    Pool pool;
    Store store(pool);
    Program program(store, sources);
    const std::vector<SentenceReading> readings = program.Load(document, ignored).readings;
    std::string whole, parts;
    for (std::size_t i = 0; i < document.sentences.size(); ++i)
      whole += ListedSentence(document.sentences[i].sentence.span, document.sentences[i].scope,
                              readings[i].role);
    for (const IndexedSentence& s : index.layout().sentences)
      if (!s.signature) parts += ListedSentence(s.span, s.scope, s.role);
    for (const Scope& scope : document.scopes)
      whole += std::to_string(scope.parent) + " " + scope.title + " " +
               std::to_string(scope.span.begin) + (scope.signature ? " signed\n" : "\n");
    for (const IndexedScope& scope : index.layout().scopes)
      parts += std::to_string(scope.parent) + " " + std::string(scope.title) + " " +
               std::to_string(scope.span.begin) + (scope.signature ? " signed\n" : "\n");
    REQUIRE(parts == whole);
    REQUIRE(ListedFindings(index.layout().findings) == ListedFindings(findings.all()));
  }
}

TEST_CASE("after any edits a document is what its text is to a server that reads it afresh") {
  constexpr int kEdits = 12;
  for (unsigned seed = 0; seed < 60; ++seed) {
    RandomText random(seed);
    std::string text = random.Text();
    testing::OpenProject edited;
    edited.project.client.nested_symbols = edited.project.client.related = true;
    for (int edit = 0; edit < kEdits; ++edit) {
      INFO("seed " << seed << ", edit " << edit << "\n" << text);
      const auto cursor = static_cast<std::uint32_t>(random.Below(text.size() + 1));
      testing::OpenProject fresh;
      fresh.project.client = edited.project.client;
      const std::string expected = AnswersOf(fresh.project, fresh.Open("a.md", text), cursor);
      REQUIRE(AnswersOf(edited.project, edited.Open("a.md", text), cursor) == expected);
      random.Edit(text);
    }
  }
}

}  // namespace
}  // namespace rpl::lsp
