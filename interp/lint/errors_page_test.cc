// SPDX-License-Identifier: Apache-2.0
//
// Runs docs/errors.md: each code of codes.inc has a section in its family's order, and the
// program of each section gives its code and no other error. Codes of the configuration
// (7xxx), which no program provokes, have their page and test with `rpl.yaml`.
#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <sstream>

#include "grammar/document.h"
#include "interp/lint/checker.h"

namespace rpl {
namespace {

struct PageSection {
  std::string heading;  // "RPL1003 UnclosedString"
  std::string kind;     // info string of its fence
  std::string program;
  int fences = 0;
};

std::vector<PageSection> ReadPage() {
  std::ifstream in(RPL_ERRORS_PAGE);
  REQUIRE(in);
  std::vector<PageSection> out;
  std::string line, fence;
  while (std::getline(in, line)) {
    if (!fence.empty()) {
      if (line == fence) fence.clear();
      else out.back().program += line + "\n";
    } else if (line.starts_with("## ")) {
      out.push_back({line.substr(3), "", "", 0});
    } else if (line.starts_with("```") && !out.empty()) {
      fence = line.substr(0, line.find_first_not_of('`'));
      out.back().kind = line.substr(fence.size());
      ++out.back().fences;
    }
  }
  return out;
}

// `\xe9` to that byte.
std::string Bytes(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "\\x") == 0) {
      out += static_cast<char>(std::stoi(text.substr(i + 2, 2), nullptr, 16));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::vector<Diagnostic> FindingsOf(const PageSection& section, Sources& sources) {
  const bool markdown = section.kind == "rpl-error-md" || section.kind == "rpl-error-message";
  const std::string text =
      section.kind == "rpl-error-bytes" ? Bytes(section.program) : section.program;
  const std::uint32_t file = sources.Add(markdown ? "page.md" : "page.rpl", text);
  std::vector<Diagnostic> out;
  if (section.kind == "rpl-error-message") {
    Diagnostics found;
    ReadMessage(sources, file, found);
    return found.all();
  }
  for (Finding& f : CheckFiles(sources, {file}, {})) out.push_back(std::move(f.diagnostic));
  return out;
}

TEST_CASE("each program of docs/errors.md gives its code and no other error") {
  std::map<std::string, int> sections;
  for (const PageSection& section : ReadPage()) {
    const std::string code = section.heading.substr(0, section.heading.find(' '));
    ++sections[section.heading];
    Sources sources;
    bool given = false;
    std::string all;
    bool other_error = false;
    for (const Diagnostic& d : FindingsOf(section, sources)) {
      given |= CodeText(d.code) == code;
      other_error |= d.severity == Severity::kError && CodeText(d.code) != code;
      all += Render(d, sources);
    }
    INFO(section.heading << "\n" << all);
    CHECK(section.fences == 1);
    CHECK(given);
    CHECK_FALSE(other_error);
  }
  for (const CodeInfo& info : AllCodes()) {
    if (CodeText(info.code) >= "RPL7") continue;  // pages of their own
    const std::string heading = CodeText(info.code) + " " + std::string(info.name);
    INFO(heading);
    CHECK(sections[heading] == 1);
    sections.erase(heading);
  }
  for (const auto& [heading, n] : sections) FAIL_CHECK("no such code: " << heading);
}

}  // namespace
}  // namespace rpl
