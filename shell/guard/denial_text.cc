// SPDX-License-Identifier: Apache-2.0
#include "shell/guard/denial_text.h"

#include <fmt/format.h>

#include <utility>

#include "formats/shorten.h"

namespace rpl {
namespace {

constexpr std::size_t kMostFindings = 5;  // in one reason

// The key by which the question is answered: its relation, if that asks for one argument.
std::string KeyOf(const Request& asked) {
  const bool one = asked.id.find(" for ?") == std::string::npos;
  return one && !asked.relation.empty() ? asked.relation : asked.name;
}

std::string WordsOf(const HostFinding& finding) {
  std::string out = finding.words.heading;
  if (!finding.words.text.empty()) out += (out.empty() ? "" : ". ") + finding.words.text;
  return out;
}

}  // namespace

std::string ReasonOf(const HostFindings& findings, const std::string& protocol) {
  if (!findings.stop.empty()) return findings.stop;
  std::vector<std::string> told, unread;
  for (const HostFinding& finding : findings.found) {
    std::string text = WordsOf(finding);
    if (!finding.questions.empty()) {
      const Request& asked = finding.questions.front();
      text += fmt::format(
          "\nThis waits for an answer{}: {} The user gives it with `rpl guard answer {} {}=VALUE`.",
          asked.Admits(By::kModel) ? "" : " that a person gives", asked.prompt, protocol,
          KeyOf(asked));
    } else if (!finding.violated && finding.why.empty()) {
      unread.push_back(finding.words.heading);
      continue;
    } else if (!finding.violated) {
      text += "\nIt is not known whether this holds: " + finding.why;
    }
    told.push_back(std::move(text));
  }
  const auto itself = [](const std::string& text) { return text; };
  if (!unread.empty())
    told.push_back(
        "What this call does, or one before it, cannot be read, so it is not known whether this "
        "holds: " +
        FirstOf(unread, kMostFindings, itself) +
        ". Write commands and paths out, without variables and substitutions.");
  return FirstOf(told, kMostFindings, itself, "\n");
}

std::vector<HostRow> RowsOf(const CallViews& views) {
  std::vector<HostRow> out;
  const auto programs = [&](const char* relation, const std::vector<ProgramRun>& rows) {
    for (const ProgramRun& row : rows) out.push_back({relation, row.program, row.arguments});
  };
  const auto open = [&](const char* relation, const std::vector<OpenRun>& rows) {
    for (const OpenRun& row : rows) out.push_back({relation, row.program, row.words, true});
  };
  const auto texts = [&](const char* relation, const std::vector<std::string>& rows, bool is_open) {
    for (const std::string& row : rows) out.push_back({relation, std::nullopt, row, is_open});
  };
  programs("runs", views.runs);
  open("runs", views.open_runs);
  programs("options", views.options);
  open("options", views.open_options);
  texts("edits", views.edits, false);
  texts("edits", views.open_edits, true);
  texts("reads", views.reads, false);
  texts("reads", views.open_reads, true);
  for (const AddressFetch& row : views.fetches) out.push_back({"fetches", row.host, row.url});
  texts("fetches", views.open_fetches, true);
  for (const ServedTool& row : views.serves) out.push_back({"serves", row.server, row.tool});
  for (const OpenServe& row : views.open_serves)
    out.push_back({"serves", row.server, row.tool, true});
  programs("succeeded", views.succeeded);
  return out;
}

}  // namespace rpl
