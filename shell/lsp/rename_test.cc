// SPDX-License-Identifier: Apache-2.0
#include "shell/lsp/rename.h"

#include <catch2/catch.hpp>
#include <cctype>
#include <filesystem>
#include <set>

#include "shell/lsp/evaluation.h"
#include "shell/lsp/navigation.h"
#include "shell/lsp/program_check.h"
#include "shell/lsp/testing_project.h"
#include "shell/terminal/input.h"

namespace rpl::lsp {
namespace {

using OpenFiles = lsp::testing::OpenProject;

// Renames what stands at a piece of a document, in all documents. The reason if it is refused.
std::string RenameAt(OpenFiles& open, const std::string& name, const std::string& piece,
                     std::size_t skip, const std::string& to) {
  const std::optional<Place> place = OccurrenceAt(open.project, open.At(name, piece, skip));
  if (!place) return "no name";
  auto renamed = Rename(open.project, *place, to);
  if (const auto* refusal = std::get_if<Refusal>(&renamed)) return refusal->reason;
  for (const auto& [file, edits] : std::get<FileEdits>(renamed)) {
    Sources sources;
    const std::uint32_t number = sources.Add(file->name(), file->text);
    open.project.files.Open(file->uri, 2, ApplyEdits(sources, number, edits));
  }
  return "";
}

std::string AnswersOf(OpenFiles& open, const std::string& name, const std::string& query) {
  const File file = open.Get(name);
  return Evaluation(file, open.project.ReaderFor(file), std::make_shared<std::atomic<bool>>(false),
                    {.time = std::chrono::seconds(20)})
      .Answers(query);
}

constexpr const char* kLib = R"(# Lib

## Hops - direct(?from, ?to) <- leg(?from, ?to)

From __from__ to __to__.

```rpl
leg("a", "b")
leg("b", "c")
?to != "z"
way(?x, ?y) <- direct(?x, ?y)
way(?x, ?z) <- way(?x, ?y), leg(?y, ?z)
size(?n) <- ?n = |leg(_, _)|
```
)";
constexpr const char* kMain =
    R"(# Main - %trips(?text) <- lib.md#way(?a, ?b), ?text = "{?a} to {?b}", not lib.md#leg(?a, ?b)

leg("own")

```rpl
%code(?pre-fix) <- lib.md#leg(?x, _), ?x ~ /(?<pre_fix>.)/, |lib.md#leg(_, _)| = 2
```
)";

TEST_CASE("a relation is renamed in headings, rules, facts, prose and other files") {
  OpenFiles open;
  open.Open("lib.md", kLib);
  open.Open("main.md", kMain);
  const std::string trips = AnswersOf(open, "main.md", "%trips(?t)");
  const std::string code = AnswersOf(open, "main.md", "%code(?c)");
  CHECK(trips.find("a to c") != trips.npos);
  CHECK(RenameAt(open, "main.md", "lib.md#leg", 9, "hop") == "");
  CHECK(open.Get("lib.md")->text == R"(# Lib

## Hops - direct(?from, ?to) <- hop(?from, ?to)

From __from__ to __to__.

```rpl
hop("a", "b")
hop("b", "c")
?to != "z"
way(?x, ?y) <- direct(?x, ?y)
way(?x, ?z) <- way(?x, ?y), hop(?y, ?z)
size(?n) <- ?n = |hop(_, _)|
```
)");
  CHECK(open.Get("main.md")->text.find("leg(\"own\")") != std::string::npos);
  CHECK(open.Get("main.md")->text.find("lib.md#leg") == std::string::npos);
  CHECK(AnswersOf(open, "main.md", "%trips(?t)") == trips);
  CHECK(AnswersOf(open, "main.md", "%code(?c)") == code);
}

TEST_CASE("a variable is renamed in its rule, its prose, templates and patterns") {
  OpenFiles open;
  open.Open("lib.md", kLib);
  open.Open("main.md", kMain);
  const std::string ways = AnswersOf(open, "lib.md", "way(?p, ?q)");
  CHECK(RenameAt(open, "lib.md", "?to)", 1, "?the-end") == "");
  CHECK(open.Get("lib.md")->text.find("## Hops - direct(?from, ?the-end) <- leg(?from, "
                                      "?the-end)\n\nFrom __from__ to __the end__") !=
        std::string::npos);
  CHECK(open.Get("lib.md")->text.find("?the-end != \"z\"") != std::string::npos);
  CHECK(AnswersOf(open, "lib.md", "way(?p, ?q)") == ways);
  CHECK(RenameAt(open, "main.md", "{?a}", 2, "start") == "");
  CHECK(open.Get("main.md")->text.find("\"{?start} to {?b}\", not lib.md#leg(?start, ?b)") !=
        std::string::npos);
  CHECK(RenameAt(open, "main.md", "?pre-fix", 1, "first-letter") == "");
  CHECK(open.Get("main.md")->text.find("%code(?first-letter)") != std::string::npos);
  CHECK(open.Get("main.md")->text.find("(?<first_letter>.)") != std::string::npos);
}

TEST_CASE("a relation that prose names as choices is renamed there as well") {
  OpenFiles open;
  open.Open("a.md", "# Day - day(?day)\n\nChoose one __open-day__.\n\nopen-day(\"friday\")\n");
  CHECK(RenameAt(open, "a.md", "open-day(", 0, "free-day") == "");
  CHECK(open.Get("a.md")->text ==
        "# Day - day(?day)\n\nChoose one __free-day__.\n\nfree-day(\"friday\")\n");
  const std::string asked = AnswersOf(open, "a.md", "day(?x)");
  CHECK(asked.find("friday") != asked.npos);
}

TEST_CASE("a goal is renamed") {
  OpenFiles open;
  open.Open("a.rpl", "p(1)\n%goal(?x) <- p(?x)\n%all(?x) <- %goal(?x)\n");
  CHECK(RenameAt(open, "a.rpl", "%goal", 1, "%aim") == "");
  CHECK(open.Get("a.rpl")->text == "p(1)\n%aim(?x) <- p(?x)\n%all(?x) <- %aim(?x)\n");
}

// The codes of the findings that do not depend on how names are spelled.
std::string CodesOf(OpenFiles& open, const File& file) {
  std::string out;
  const auto check = CheckProgram(open.project, file);
  for (const Finding& finding : check->findings)
    if (const std::string code = CodeText(finding.diagnostic.code); !code.starts_with("RPL6"))
      out += code + " ";
  return out;
}

// The text in lower case, with blanks for hyphens and underscores: prose has several spellings.
std::string Alike(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) {
    return c == '-' || c == '_' ? ' ' : static_cast<char>(std::tolower(c));
  });
  return text;
}

TEST_CASE("each name of the examples can be renamed, and back") {
  std::size_t renamed = 0;
  for (const auto& entry : std::filesystem::directory_iterator(RPL_EXAMPLES)) {
    if (entry.path().extension() != ".md" && entry.path().extension() != ".rpl") continue;
    OpenFiles open;
    const std::string name = entry.path().filename();
    const File before = open.Open(name, ReadFile(entry.path()).text);
    const std::string codes = CodesOf(open, before);
    const Index index = open.project.indexes.Of(before);
    std::set<std::pair<int, Name>> seen;
    for (const Occurrence& o : index->occurrences()) {
      if (!seen.emplace(o.group, o.name).second) continue;
      const std::size_t at = o.span.begin;
      open.Open(name, before->text);
      if (const std::string why = RenameAt(open, name, before->text.substr(at), 0, "fresh-name");
          !why.empty()) {
        CAPTURE(name, o.name.Text(), why);
        CHECK((why.find("outside") != why.npos || why.find("library") != why.npos ||
               why.find("root goal") != why.npos || why.find("bindings") != why.npos ||
               why.find("no file") != why.npos || why.find("$index") != why.npos ||
               why.find("the prose") != why.npos));
        continue;
      }
      ++renamed;
      const File after = open.Get(name);
      CAPTURE(name, o.name.Text());
      CHECK(after->text != before->text);
      CHECK(CodesOf(open, after) == codes);
      // An occurrence before this one may have moved it.
      const std::size_t back =
          std::min(after->text.find("fresh-name"), after->text.find("fresh name"));
      CHECK(RenameAt(open, name, after->text.substr(back), 0, o.name.label) == "");
      CHECK(Alike(open.Get(name)->text) == Alike(before->text));
    }
  }
  CHECK(renamed > 100);
}

TEST_CASE("renames that could change the meaning are refused with a reason") {
  OpenFiles open;
  open.Open("a.rpl",
            "p(1)\nq(2)\np(1, 2)\nr(?x, ?y) <- p(?x), q(?y)\n%g(?m) <- r(?x, ?y) ^^ {?x ?m}\n"
            "u(?a, ?b) <- r(?a, ?b)\n% <- std#sum([1], ?s), $ask(\"a\"), p(?s)\n");
  const auto refused = [&](const char* piece, std::size_t skip, const char* to) {
    return RenameAt(open, "a.rpl", piece, skip, to);
  };
  CHECK(refused("p(1)", 0, "q") == "`q/1` exists already");
  CHECK(refused("u(?a", 3, "b") == "`?b` is a variable of this rule already");
  CHECK(refused("r(?x", 3, "z") == "`x` is read by its name from bindings (`^^`), at a.rpl:5");
  CHECK(refused("r(?x", 0, "Bad Name").starts_with("expected a name of lower-case letters"));
  CHECK(refused("r(?x", 0, "not") == "`not` is a word of the language");
  CHECK(refused("std#sum", 5, "total") == "the library defines `std#sum/2`");
  CHECK(refused("$ask", 1, "pose") == "`$ask` is defined outside the documents");
  CHECK(refused("% <-", 0, "root") == "the root goal has no name");
  CHECK(refused("%g", 1, "fail") == "`%fail` is part of the language");
  CHECK(refused("q(2)", 0, "s") == "");
  open.Open("c.rpl", "$index(\"p.csv\", \"person\")\n% <- person(_, 1)\n");
  CHECK(RenameAt(open, "c.rpl", "person(", 0, "member") ==
        "`$index` reads rows into `person`, at line 1");
  open.Open("b.rpl", "s(?c) <- a.rpl#u(?c, _) ^ ~ {:bindings {?b ?d}}, t(?d)\n");
  CHECK(refused("u(?a", 7, "z") == "`b` is read by its name from bindings (`^^`), at b.rpl:1");
  open.Open("a.rpl", "p(1)\nq(?x) <- p(?x)\nr(?x) <- p(?x\n");
  CHECK(refused("p(1)", 0, "s") == "`p` also stands in text that does not parse, at a.rpl:3");
  open.Open("a.md", "# T - q(?x) <- p(?x\n\np(1)\n");
  CHECK(RenameAt(open, "a.md", "p(1)", 0, "s") ==
        "`p` also stands in text that does not parse, at a.md:1");
}

TEST_CASE("the relation of guard decisions keeps its name") {
  OpenFiles open;
  open.Open("a.rpl", "seen(?t) <- guard-decision(?t, _, _, _)\np(?a, ?b) <- seen(?a), seen(?b)\n");
  const std::string why = "`guard-decision` is defined by the language";
  CHECK(RenameAt(open, "a.rpl", "guard-decision", 0, "decision") == why);
  CHECK(RenameAt(open, "a.rpl", "p(?a", 0, "guard-decision") == why);
  CHECK(RenameAt(open, "a.rpl", "?a", 1, "guard-decision") == "");  // a variable
}

TEST_CASE("a sentence with an error, which is taken as prose, keeps a name from being renamed") {
  OpenFiles open;
  const std::string text =
      "# T\n\n```rpl\ns(2)\n%g(?x) <- s(?x)\n```\n\nThe relation s(?n) holds a number.\n\n";
  const auto refused = [&](const std::string& more, const std::string& piece = "s(2)",
                           std::size_t skip = 0) {
    open.Open("a.md", text + more);
    return RenameAt(open, "a.md", piece, skip, "z");
  };
  const std::string why = "`s` also stands in text that does not parse, at a.md:";
  CHECK(refused("") == "");
  CHECK(refused("r(?x) <- p(?x) | s())\n") == why + "10");
  CHECK(refused("r(?x) <-\n  s(?x),\n  p(?x) | t())\n") == why + "11");
  CHECK(refused("s(3)\nin two versions\n") == why + "10");
  CHECK(refused("r(?x) <- %g(?x))\n", "%g", 1) ==
        "`g` also stands in text that does not parse, at a.md:10");
  CHECK(refused("r(?x) <- p(?x))\n") == "");
  CHECK(refused("r(?x) <- lib.md#s(?x), ?s > 1, $s(?x))\n") == "");
  // In a file that names it there only.
  open.Open("a.md", text);
  open.Open("b.rpl", "p(1)\nr(?x) <- a.md#s(?x) | )\n");
  CHECK(RenameAt(open, "a.md", "s(2)", 0, "z") ==
        "`s` also stands in text that does not parse, at b.rpl:2");
  open.Open("b.rpl", "s(1)\nr(?x) <- s(?x) | a.md#t(?x) | )\n");
  CHECK(RenameAt(open, "a.md", "s(2)", 0, "z") == "");
}

}  // namespace
}  // namespace rpl::lsp
