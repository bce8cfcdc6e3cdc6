// SPDX-License-Identifier: Apache-2.0
//
// docs/rulespec.md and docs/rules.md have a section for each code from RPL7101 to RPL7199, and
// the file of each section gives its code: a rulespec when it is evaluated on `facts: {a: text}`.
#include <catch2/catch.hpp>
#include <fstream>
#include <map>

#include "checks/verify/rules.h"

namespace rpl {
namespace {

struct Section {
  std::string kind;  // info string of its fence
  std::string text;
};

void ReadPage(const char* path, std::map<std::string, Section>& to) {
  std::ifstream page(path);
  REQUIRE(page);
  std::string heading;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("#") && !inside) heading = line.substr(line.find_first_not_of("# "));
    if (line == "```") inside = false;
    if (inside) to[heading].text += line + "\n";
    if (line.starts_with("```") && line.size() > 3 && heading.starts_with("RPL")) {
      inside = true;
      to[heading].kind = line.substr(3);
    }
  }
}

TEST_CASE("each file of the pages on rulespecs and rules gives its code") {
  std::map<std::string, Section> sections;
  ReadPage(RPL_RULESPEC_PAGE, sections);
  ReadPage(RPL_RULES_PAGE, sections);
  for (const CodeInfo& info : AllCodes()) {
    const std::string code = CodeText(info.code);
    if (!code.starts_with("RPL71")) continue;
    const std::string heading = code + " " + std::string(info.name);
    INFO(heading);
    REQUIRE(sections.contains(heading));
    const Section& section = sections[heading];
    Sources sources;
    Diagnostics found;
    RuleSet set(sources);
    if (section.kind == "yaml") set.AddRulespec(sources.Add("r.yaml", section.text), found);
    else if (section.kind == "yaml envelope")
      Envelope::Read(sources, sources.Add("e.yaml", section.text), found);
    else set.AddProgram("rules.md", section.text, found);
    set.Settle(found);
    std::vector<Diagnostic> all = found.all();
    if (section.kind == "yaml" && !found.has_errors()) {
      const CheckReport report = set.Evaluate({"e.yaml", "facts: {a: text}", true}, {});
      all.insert(all.end(), report.findings.begin(), report.findings.end());
    }
    std::string codes;
    for (const Diagnostic& d : all) codes += CodeText(d.code) + " ";
    CHECK_THAT(codes, Catch::Contains(code));
    sections.erase(heading);
  }
  for (const auto& [heading, section] : sections) FAIL_CHECK("no such code: " << heading);
}

}  // namespace
}  // namespace rpl
