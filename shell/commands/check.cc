// SPDX-License-Identifier: Apache-2.0
//
// Findings in four formats. With --fix the files are fixed and checked again until no mechanical
// fix is left; the output is what remains.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>

#include "formats/sarif.h"
#include "interp/lint/checker.h"
#include "shell/commands/commands.h"
#include "shell/host/engine_setup.h"
#include "shell/host/input.h"
#include "shell/host/report.h"
#include "shell/host/tool_setup.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

/// The maximal number of rounds of fixes to a file.
constexpr int kMaxRounds = 20;

struct Tally {
  std::size_t errors = 0;
  std::size_t warnings = 0;
  std::size_t infos = 0;
  std::size_t fixable = 0;
};

Tally TallyOf(const std::vector<Finding>& findings) {
  Tally tally;
  for (const Finding& f : findings) {
    switch (f.diagnostic.severity) {
      case Severity::kError: ++tally.errors; break;
      case Severity::kWarning: ++tally.warnings; break;
      case Severity::kInfo: ++tally.infos; break;
    }
    tally.fixable += f.fixable() ? 1 : 0;
  }
  return tally;
}

// --- The program --------------------------------------------------------------------------

struct Checked {
  Sources sources;
  std::vector<std::uint32_t> files;
  std::vector<Finding> findings;
};

void CheckTexts(const CheckCommandOptions& options, const ToolConfig& tools,
                const std::vector<std::string>& texts, Checked& to) {
  to = Checked();
  for (std::size_t i = 0; i < texts.size(); ++i)
    to.files.push_back(to.sources.Add(options.files[i], texts[i]));
  // A file that is checked as well is read in its fixed state.
  CheckOptions with;
  with.reader = [&options, &texts, beside = ReaderBeside(options.files)](const std::string& name) {
    for (std::size_t i = 0; i < texts.size(); ++i)
      if (std::filesystem::path(options.files[i]).filename() == name)
        return std::optional<std::string>(texts[i]);
    return beside(name);
  };
  for (const ToolCommand& tool : tools.tools) with.tools.insert(tool.name);
  with.strict = options.strict;
  to.findings = CheckFiles(to.sources, to.files, with);
}

// Fixes `texts` until no mechanical fix is left. Returns the number of findings fixed.
std::size_t Mend(const CheckCommandOptions& options, const ToolConfig& tools,
                 std::vector<std::string>& texts, Checked& checked) {
  std::size_t mended = 0;
  for (int round = 0; round < kMaxRounds; ++round) {
    const std::vector<Finding> mendable = Mendable(checked.findings);
    if (mendable.empty()) break;
    bool changed = false;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      std::string fixed = Fixed(checked.sources, checked.files[i], mendable);
      changed |= fixed != texts[i];
      texts[i] = std::move(fixed);
    }
    if (!changed) break;
    mended += mendable.size();
    CheckTexts(options, tools, texts, checked);
  }
  return mended;
}

bool Write(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  return !out.fail();
}

// --- Shapes ---------------------------------------------------------------------------------

void PrintText(const Checked& checked) {
  for (const Finding& f : checked.findings) std::cout << Render(f.diagnostic, checked.sources);
}

void PrintJson(const Checked& checked, const Tally& tally) {
  ordered_json findings = ordered_json::array();
  for (const Finding& f : checked.findings) {
    const Diagnostic& d = f.diagnostic;
    const Sources::Place begin = checked.sources.PlaceOf(d.span.file, d.span.begin);
    const Sources::Place end = checked.sources.PlaceOf(d.span.file, d.span.end);
    findings.push_back({{"code", CodeText(d.code)},
                        {"severity", SeverityName(d.severity)},
                        {"file", checked.sources.at(d.span.file).name},
                        {"line", begin.line},
                        {"column", begin.column},
                        {"endLine", end.line},
                        {"endColumn", end.column},
                        {"message", d.message},
                        {"hint", d.hint},
                        {"fixable", f.fixable()}});
  }
  const ordered_json object = {{"schema", "rpl.check/1"},
                               {"findings", std::move(findings)},
                               {"summary",
                                {{"files", checked.files.size()},
                                 {"errors", tally.errors},
                                 {"warnings", tally.warnings},
                                 {"infos", tally.infos},
                                 {"fixable", tally.fixable}}}};
  std::cout << Dump(object) << '\n';
}

// The syntax of GitHub workflow commands, https://docs.github.com/actions.
std::string GithubEscape(std::string_view text, bool property) {
  std::string out;
  for (const char c : text) {
    if (c == '%') out += "%25";
    else if (c == '\n') out += "%0A";
    else if (c == '\r') out += "%0D";
    else if (property && c == ':') out += "%3A";
    else if (property && c == ',') out += "%2C";
    else out += c;
  }
  return out;
}

void PrintGithub(const Checked& checked) {
  for (const Finding& f : checked.findings) {
    const Diagnostic& d = f.diagnostic;
    const Sources::Place begin = checked.sources.PlaceOf(d.span.file, d.span.begin);
    const Sources::Place end = checked.sources.PlaceOf(d.span.file, d.span.end);
    const std::string_view command = d.severity == Severity::kError     ? "error"
                                     : d.severity == Severity::kWarning ? "warning"
                                                                        : "notice";
    std::string message = d.message;
    if (!d.hint.empty()) message += " (" + d.hint + ")";
    std::cout << fmt::format(
        "::{} file={},line={},endLine={},col={},endColumn={},title={}::{}\n", command,
        GithubEscape(PrintableLine(checked.sources.at(d.span.file).name), true), begin.line,
        end.line, begin.column, end.column, GithubEscape(CodeText(d.code), true),
        GithubEscape(Printable(message), false));
  }
}

std::uint64_t Fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3u;
  }
  return hash;
}

// Independent of the line number: a finding keeps its fingerprint if lines above it change.
std::string Fingerprint(const Checked& checked, const Diagnostic& d,
                        std::map<std::string, int>& seen) {
  const Sources::File& file = checked.sources.at(d.span.file);
  const std::uint32_t line = checked.sources.PlaceOf(d.span.file, d.span.begin).line;
  const std::size_t begin = file.lines[line - 1];
  const std::size_t end = std::min(file.text.find('\n', begin), file.text.size());
  const std::string key = CodeText(d.code) + "\n" + file.name + "\n" + d.message + "\n" +
                          file.text.substr(begin, end - begin);
  return fmt::format("{:016x}:{}", Fnv1a(key), ++seen[key]);
}

void PrintSarif(const Checked& checked) {
  ordered_json rules = ordered_json::array();
  std::map<Code, std::size_t> index;
  for (const CodeInfo& info : AllCodes()) {
    index.emplace(info.code, index.size());
    rules.push_back({{"id", CodeText(info.code)},
                     {"name", info.name},
                     {"shortDescription", {{"text", info.title}}},
                     {"defaultConfiguration", {{"level", SarifLevel(info.severity)}}}});
  }
  ordered_json results = ordered_json::array();
  std::map<std::string, int> seen;
  for (const Finding& f : checked.findings) {
    const Diagnostic& d = f.diagnostic;
    const std::string text = d.hint.empty() ? d.message : d.message + "; " + d.hint;
    results.push_back(
        {{"ruleId", CodeText(d.code)},
         {"ruleIndex", index.at(d.code)},
         {"level", SarifLevel(d.severity)},
         {"message", {{"text", text}}},
         {"locations", ordered_json::array({SarifLocation(d.span, checked.sources)})},
         {"partialFingerprints", {{"rplFinding/v1", Fingerprint(checked, d, seen)}}}});
  }
  std::cout << Dump(SarifLog(RPL_VERSION, std::move(rules), std::move(results))) << '\n';
}

void PrintSummary(const Tally& tally, std::size_t files, std::size_t mended, bool fix) {
  if (fix) std::cerr << "mended: " << Counted(mended, "finding") << '\n';
  if (tally.errors + tally.warnings + tally.infos == 0) {
    std::cerr << "clean: " << Counted(files, "file") << '\n';
    return;
  }
  std::cerr << fmt::format("found: {}, {}, {} in {}\n", Counted(tally.errors, "error"),
                           Counted(tally.warnings, "warning"), Counted(tally.infos, "info"),
                           Counted(files, "file"));
  if (tally.fixable > 0 && !fix)
    std::cerr << fmt::format("help: `rpl check --fix` mends {} of them\n", tally.fixable);
}

}  // namespace

int CommandCheck(const CheckCommandOptions& options) {
  std::vector<std::string> texts;
  for (const std::string& name : options.files) {
    Input input = ReadFile(name);
    if (!input.error.empty()) {
      Complain(name, input.error);
      return kExitFile;
    }
    texts.push_back(std::move(input.text));
  }
  ToolConfig tools;
  if (const ExitCode code = ReadTools(ConfigPath(options.config, options.files), tools);
      code != kExitOk)
    return code;
  Checked checked;
  CheckTexts(options, tools, texts, checked);
  std::size_t mended = 0;
  if (options.fix) {
    const std::vector<std::string> before = texts;
    mended = Mend(options, tools, texts, checked);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (texts[i] == before[i] || Write(options.files[i], texts[i])) continue;
      Complain(options.files[i], "cannot be written");
      return kExitFile;
    }
  }
  const Tally tally = TallyOf(checked.findings);
  switch (options.format) {
    case CheckCommandOptions::Format::kText: PrintText(checked); break;
    case CheckCommandOptions::Format::kJson: PrintJson(checked, tally); break;
    case CheckCommandOptions::Format::kSarif: PrintSarif(checked); break;
    case CheckCommandOptions::Format::kGithub: PrintGithub(checked); break;
  }
  std::cout << std::flush;
  PrintSummary(tally, checked.files.size(), mended, options.fix);
  const bool fails = tally.errors > 0 || (tally.warnings > 0 && options.fail_level != "error") ||
                     (tally.infos > 0 && options.fail_level == "info");
  return fails ? kExitNo : kExitOk;
}

}  // namespace rpl
