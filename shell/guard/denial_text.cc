// SPDX-License-Identifier: Apache-2.0
#include "shell/guard/denial_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "formats/data/json_text.h"
#include "formats/shorten.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMostFindings = 5;  // in one reason
constexpr std::size_t kMostCommand = 120;

// The key by which the question is answered: its relation, if that asks for one argument.
std::string KeyOf(const Request& asked) {
  const bool one = asked.id.find(" for ?") == std::string::npos;
  return one && !asked.relation_asked().empty() ? std::string(asked.relation_asked()) : asked.name;
}

// The command line of a call, or its arguments.
std::string LineOf(const HostLog::Call& call) {
  const ordered_json arguments = ParseOwnJson(call.arguments);
  const auto text = arguments.find("command");
  return Shortened(
      text != arguments.end() && text->is_string() ? text->get<std::string>() : call.arguments,
      kMostCommand);
}

std::string WordsOf(const HostFinding& finding) {
  std::string out = finding.words.heading;
  if (!finding.words.text.empty()) out += (out.empty() ? "" : ". ") + finding.words.text;
  return out;
}

}  // namespace

std::string ReasonOf(const HostFindings& findings, const std::string& protocol,
                     const UnreadOfReads& unread_of) {
  if (!findings.stop.empty()) return findings.stop;
  std::vector<std::string> told;
  std::vector<std::pair<std::string, std::vector<std::string>>> unread;  // and what waits for it
  for (const HostFinding& finding : findings.found) {
    std::string text = WordsOf(finding);
    if (!finding.questions.empty()) {
      const Request& asked = *finding.questions.front();
      text += fmt::format(
          "\nThis waits for an answer{}: {} The user gives it with `rpl guard answer {} {}=VALUE`.",
          asked.Admits(By::kModel) ? "" : " that a person gives", asked.prompt, protocol,
          KeyOf(asked));
    } else if (!finding.violated && finding.why.empty()) {
      const std::string what = unread_of(finding.reads);
      auto of = std::ranges::find(unread, what, &decltype(unread)::value_type::first);
      if (of == unread.end()) of = unread.insert(of, {what, {}});
      of->second.push_back(finding.words.heading);
      continue;
    } else if (!finding.violated) {
      text += "\nIt is not known whether this holds: " + finding.why;
    }
    told.push_back(std::move(text));
  }
  const auto itself = [](const std::string& text) { return text; };
  for (const auto& [what, headings] : unread)
    told.push_back("It cannot be read " + what + ", so it is not known whether this holds: " +
                   FirstOf(headings, kMostFindings, itself) + ".");
  if (!unread.empty())
    told.back() += " Write commands and paths out, without variables and substitutions.";
  return FirstOf(told, kMostFindings, itself, "\n");
}

std::string UnreadOf(const std::vector<std::string>& reads, const CallViews& views,
                     const HostLog& log) {
  for (const std::string& relation : reads)
    if (const auto found = views.unread.find(relation);
        found != views.unread.end() && !found->second.empty())
      return found->second;
  std::int64_t last = 0;
  for (const std::string& relation : reads)
    log.ForEachRow({.relation = relation, .open = true},
                   [&](std::int64_t call, const HostRow&) { last = std::max(last, call); });
  std::string out = "what this call does";
  if (last == 0 || log.Deciding() == last) return out;
  log.ForEachCall(last, true, [&](const HostLog::Call& call) {
    out = fmt::format("what call {}, `{}`, did", call.number, LineOf(call));
  });
  return out;
}

std::string NearEvidence(const WantedEvidence& wanted, const HostLog& log) {
  const auto fits = [&](const HostRow& row) {
    return !wanted.arguments || row.last == ordered_json(*wanted.arguments);
  };
  // With these arguments, others between them.
  const auto resembles = [&](const HostRow& row) {
    if (!wanted.arguments || !row.last.is_array()) return !wanted.arguments;
    std::size_t found = 0;
    for (const ordered_json& word : row.last)
      if (found < wanted.arguments->size() && word == (*wanted.arguments)[found]) ++found;
    return found == wanted.arguments->size();
  };
  std::int64_t near = 0;
  log.ForEachRow({"runs", std::nullopt, wanted.program},
                 [&](std::int64_t call, const HostRow& row) {
                   if (!row.open && resembles(row)) near = std::max(near, call);
                 });
  if (near == 0) return "";
  bool alone = false;
  log.ForEachRow({"succeeded", near, wanted.program},
                 [&](std::int64_t, const HostRow& row) { alone = alone || fits(row); });
  bool edits = false;
  log.ForEachActing("edits", near, [&](std::int64_t) { edits = true; });
  std::string command = wanted.program;
  for (const std::string& word : wanted.arguments.value_or(std::vector<std::string>()))
    command += " " + word;
  std::string out;
  log.ForEachCall(near, true, [&](const HostLog::Call& call) {
    const std::string line = LineOf(call);
    if (call.state == HostCallState::kFailed)
      out = fmt::format("Call {}, `{}`, failed.", call.number, line);
    else if (call.state == HostCallState::kEnded && !alone)
      out = fmt::format(
          "Call {}, `{}`, does not tell whether `{}` ended well: run it as a command of its own, "
          "in the folder of the project, and while no edit is under way.",
          call.number, line, command);
    else if (call.state == HostCallState::kEnded && edits)
      out = fmt::format("Call {}, `{}`, edits as well: run `{}` in a call of its own.", call.number,
                        line, command);
    else if (call.state == HostCallState::kOpen || call.state == HostCallState::kCutOff)
      out = fmt::format("How call {}, `{}`, ended was not reported.", call.number, line);
  });
  return out;
}

std::vector<HostRow> RowsOf(const CallViews& views) {
  std::vector<HostRow> out;
  const auto programs = [&](const char* relation, const std::vector<ProgramCall>& rows) {
    for (const ProgramCall& row : rows) out.push_back({relation, row.program, row.arguments});
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
