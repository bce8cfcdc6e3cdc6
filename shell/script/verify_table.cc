// SPDX-License-Identifier: Apache-2.0
#include "shell/script/verify_table.h"

#include <fmt/format.h>

#include <sstream>

#include "checks/verify/rulespec_run.h"
#include "formats/character.h"
#include "shell/terminal/report.h"

namespace rpl {
namespace {

using Parts = std::vector<std::string>;

Parts Split(const std::string& text, const std::string& by) {
  Parts parts;
  std::size_t from = 0;
  for (std::size_t at; (at = text.find(by, from)) != text.npos; from = at + by.size())
    parts.emplace_back(Trimmed(std::string_view(text).substr(from, at - from)));
  parts.emplace_back(Trimmed(std::string_view(text).substr(from)));
  return parts;
}

// `rule` and `value` of a predicate or a condition, with this indentation.
std::string RuleAsYaml(const std::string& rule, const std::string& indent) {
  const std::size_t end = std::min(rule.find(' '), rule.size());
  const std::string value(Trimmed(std::string_view(rule).substr(end)));
  return indent + "rule: " + rule.substr(0, end) + "\n" +
         (value.empty() ? "" : indent + "value: " + value + "\n");
}

struct TableCase {
  std::string envelope;
  std::string selector;
  std::string rule;
  std::string when;  // about the claim w; may be empty

  std::string Rulespec() const {
    std::string text = fmt::format(
        "claims:\n  - name: c\n    selector: '{}'\n  - name: w\n    selector: w\n"
        "predicates:\n  - claim: c\n    source: memory\n",
        selector);
    text += RuleAsYaml(rule, "    ");
    if (!when.empty()) text += "    when:\n      claim: w\n" + RuleAsYaml(when, "      ");
    return text;
  }
};

std::string CameOut(const TableCase& test) {
  Sources sources;
  Diagnostics found;
  const auto rulespec = ReadRulespec(sources, sources.Add("rulespec.yaml", test.Rulespec()), found);
  const auto envelope = Envelope::Read(sources, sources.Add("envelope", test.envelope), found);
  if (!rulespec || !envelope) {
    std::ostringstream rendered;
    PrintDiagnostics(found.all(), sources, rendered);
    return rendered.str();
  }
  const RulespecRun run(*rulespec, *envelope, sources);
  if (!run.problem().empty()) return run.problem();
  switch (StandingOf(run.results().front())) {
    case Standing::kPassed: return "pass";
    case Standing::kSkipped: return "skipped";
    default: return "fail";
  }
}

// The cases of a line, without its outcome; empty if it is malformed.
std::vector<TableCase> CasesOf(const std::string& text) {
  std::vector<TableCase> cases;
  if (text.starts_with("facts:")) {
    const Parts parts = Split(text, " ; ");
    if (parts.size() != 3 || !parts[1].starts_with("c = ")) return {};
    const Parts rule = Split(parts[2], " when w ");
    if (rule.size() > 2) return {};
    cases.push_back({parts[0], parts[1].substr(4), rule[0], rule.size() == 2 ? rule[1] : ""});
    return cases;
  }
  const Parts parts = Split(text, " :: ");
  if (parts.size() != 2) return {};
  for (const std::string& value : Split(parts[1], " | "))
    cases.push_back({value == "(missing)" ? "facts:\n  other: 1\n" : "facts:\n  v: " + value + "\n",
                     "v", parts[0], ""});
  return cases;
}

}  // namespace

std::optional<std::string> CheckVerifyTable(const std::vector<std::string>& lines) {
  std::string failures;
  std::size_t count = 0;
  for (const std::string& line : lines) {
    for (const std::string& text : Split(line, " ;; ")) {
      if (text.empty()) continue;
      const std::size_t arrow = text.rfind(" => ");
      const std::vector<TableCase> cases =
          arrow == text.npos ? std::vector<TableCase>{} : CasesOf(text.substr(0, arrow));
      if (cases.empty()) failures += "malformed: " + text + "\n";
      for (const TableCase& test : cases) {
        ++count;
        const std::string outcome = CameOut(test);
        if (outcome != Trimmed(std::string_view(text).substr(arrow + 4)))
          failures +=
              fmt::format("{}\n  with {}\n  came out as {}\n", text, test.envelope, outcome);
      }
    }
  }
  if (count == 0) failures += "the table has no case\n";
  if (failures.empty()) return std::nullopt;
  return failures;
}

}  // namespace rpl
