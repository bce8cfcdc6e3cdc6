// SPDX-License-Identifier: Apache-2.0
#include "shell/lsp/program_check.h"

#include <catch2/catch.hpp>

#include "formats/data/json_fields.h"
#include "shell/lsp/testing_project.h"

namespace rpl::lsp {
namespace {

using CheckedFiles = lsp::testing::OpenProject;

// The codes of the findings of a document, with their lines from 1.
std::string CodesOf(CheckedFiles& open, const std::string& name) {
  const auto check = CheckProgram(open.project, open.Get(name));
  std::string out;
  for (const Finding& f : check->findings)
    out += (out.empty() ? "" : " ") + CodeText(f.diagnostic.code) + ":" +
           std::to_string(check->file->lines.LineOf(f.diagnostic.span.begin) + 1);
  return out;
}

// The text after the action that suppresses a code at its first finding, "" if there is none. The
// document is left with this text.
std::string Suppressed(CheckedFiles& open, const std::string& name, const std::string& code) {
  const File file = open.Get(name);
  const auto check = CheckProgram(open.project, file);
  const Json whole = {
      {"range",
       {{"start", {{"line", 0}, {"character", 0}}}, {"end", {{"line", 9999}, {"character", 0}}}}}};
  for (const Json& action : CodeActionsOf(open.project, *check, whole)) {
    if (TextAt(action, "title") != "suppress " + code + " here") continue;
    const Json& edit = action["edit"]["changes"][file->uri][0];
    TextPosition begin;
    REQUIRE(ReadPosition(edit["range"]["start"], begin));
    REQUIRE(edit["range"]["start"] == edit["range"]["end"]);
    std::string text = file->text;
    text.insert(file->lines.OffsetOf(begin, open.project.client.encoding),
                edit["newText"].get<std::string>());
    open.Open(name, text);
    return text;
  }
  return "";
}

TEST_CASE("a suppression goes above the sentence of its finding, and works there") {
  CheckedFiles open;
  const std::string fact = "said(\"c\", 1)\n";
  const std::string rule =
      "  x(?y) <-\n  said(\"a\n b\", ?y),\n  said(_, ?catName), ?catName > ?y\n";
  open.Open("a.rpl", fact + rule);
  CHECK(CodesOf(open, "a.rpl") == "RPL6001:5");
  CHECK(Suppressed(open, "a.rpl", "RPL6001") == fact + "  -- rpl-ignore RPL6001: reason\n" + rule);
  CHECK(CodesOf(open, "a.rpl") == "");
  // A byte order mark stays the first character, and line ends are those of the file.
  open.Open("b.rpl",
            "\xEF\xBB\xBF"
            "cookMode(1)\r\n");
  CHECK(Suppressed(open, "b.rpl", "RPL6001") ==
        "\xEF\xBB\xBF-- rpl-ignore RPL6001: reason\r\ncookMode(1)\r\n");
  CHECK(CodesOf(open, "b.rpl") == "");
}

TEST_CASE("a suppression does not cut a heading or prose in two") {
  CheckedFiles open;
  open.Open("a.md", "# A - % <- p(?x)\n, p(?catName), ?catName > ?x\n\np(1)\n");
  CHECK(CodesOf(open, "a.md") == "RPL4002:2 RPL6001:2");
  CHECK(Suppressed(open, "a.md", "RPL6001")
            .starts_with("<!-- rpl-ignore RPL6001: reason -->\n\n# A - % <- p(?x)\n, p(?catName)"));
  CHECK(CodesOf(open, "a.md") == "RPL4002:4");
  open.Open("b.md",
            "# Town - town(?a) <- p(?a)\n\nOne __a__ or\n__b__ here.  \nEnd.\n\np(1)\n\n"
            "# Go - %go <- town(_)\n");
  CHECK(CodesOf(open, "b.md") == "RPL4010:4");
  CHECK(Suppressed(open, "b.md", "RPL4010")
            .find("\n__b__ here. <!-- rpl-ignore RPL4010: reason -->  \nEnd.\n") !=
        std::string::npos);
  CHECK(CodesOf(open, "b.md") == "");
}

TEST_CASE("an rpl.yaml with an error is told once, and its tools are not missed") {
  CheckedFiles open;
  open.Open("a.rpl", "\n% <- $look(1), $find(2)\n");
  open.Open("rpl.yaml", "version: 1\ntools: [\n");
  const auto check = CheckProgram(open.project, open.Get("a.rpl"));
  REQUIRE(check->findings.size() == 1);
  CHECK(check->findings[0].diagnostic.severity == Severity::kError);
  CHECK(check->findings[0].diagnostic.span.begin == 0);
  CHECK(check->findings[0].diagnostic.message.starts_with("rpl.yaml:"));
  open.Open("rpl.yaml", "version: 1\ntools:\n  look: {command: [x]}\n");
  CHECK(CodesOf(open, "a.rpl") == "RPL5001:2");
}

}  // namespace
}  // namespace rpl::lsp
