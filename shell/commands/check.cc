// SPDX-License-Identifier: Apache-2.0
//
// Findings in four formats. Each file is a program of its own or, with --together, a part of one.
// With --fix the files are fixed and checked again until no mechanical fix is left, and the mended
// parts are laid out; the output is what remains.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "formats/character.h"
#include "formats/data/sarif.h"
#include "formats/file_name.h"
#include "interp/lint/checker.h"
#include "runtime/facts/facts_file.h"
#include "runtime/nobody.h"
#include "runtime/run/run.h"
#include "runtime/wire/finding_json.h"
#include "shell/commands/commands.h"
#include "shell/commands/files_below.h"
#include "shell/commands/shared_options.h"
#include "shell/program/engine_setup.h"
#include "shell/program/findings.h"
#include "shell/program/known_names.h"
#include "shell/program/program_files.h"
#include "shell/program/tool_setup.h"
#include "shell/terminal/colours.h"
#include "shell/terminal/prompt_text.h"
#include "shell/terminal/refusal.h"
#include "shell/terminal/replace_file.h"
#include "shell/terminal/report.h"

namespace rpl {
namespace {

// rpl check PATH…: reports findings about programs, without running them. Each file is a program,
// of folders those with all their *.md and *.rpl files.
struct CheckCommandOptions {
  enum class Format { kText, kJson, kSarif, kGithub };
  std::vector<std::string> files;  // and folders
  EngineOptions engine;            // config, facts
  bool together = false;           // the files are one program
  Format format = Format::kText;
  bool fix = false;                  // apply mechanical fixes to the files
  bool strict = false;               // warnings count as errors
  bool watch = false;                // --watch
  std::string fail_level = "error";  // the least severity that gives exit code 1
};

constexpr const char* kCheckFooter =
    R"(Findings go to standard output, their number to standard error. docs/errors.md has a section
for each code. `<!-- rpl-ignore RPL6001: reason -->` on the line of a finding or above it, or
`-- rpl-ignore RPL6001: reason` in RPL, suppresses it.

Examples
  rpl check protocol.md
  rpl check protocols                      # each file of a folder is a program
  rpl check --together protocol.md facts.rpl   # they form one program
  rpl check protocol.md --fix              # fixes names, arrows, headings on two lines
  rpl check protocol.md --strict --fail-level warning
  rpl check protocol.md --format sarif > findings.sarif
  rpl check protocol.md --watch            # again whenever the file is saved)";

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

// --- Fixed files ---------------------------------------------------------------------------

// `after` with the format that the mended parts lack; what was not formatted before stays.
std::string Formatted(const std::string& name, const std::string& before,
                      const std::string& after) {
  Diagnostics ignored;
  Sources old_sources;
  std::set<std::pair<std::string, std::string>> old_edits;
  const std::uint32_t old_file = old_sources.Add(name, before);
  for (const Edit& e : FormatEdits(old_sources, old_file, ignored))
    old_edits.emplace(old_sources.Text(e.span), e.text);
  Sources sources;
  const std::uint32_t file = sources.Add(name, after);
  std::vector<Edit> edits = FormatEdits(sources, file, ignored);
  std::erase_if(edits, [&](const Edit& e) {
    return old_edits.contains({std::string(sources.Text(e.span)), e.text});
  });
  return ApplyEdits(sources, file, edits);
}

// --- The programs --------------------------------------------------------------------------

// The files of one program, as indexes of the texts, and what its configuration offers.
struct CheckedProgram {
  std::vector<std::size_t> files;
  ToolConfig tools;
  std::vector<Finding> findings;
};

class Checking {
 public:
  explicit Checking(const CheckCommandOptions& options) : options_(options) {}

  /// Reads the files and finds what is wrong with them.
  ExitCode Begin() {
    if (const ExitCode code = ReadFactsFiles(options_.engine, facts_); code != kExitOk) return code;
    for (const std::string& path : options_.files) {
      const auto files = FilesBelow(path, {".md", ".rpl"});
      if (!files) return kExitFile;
      paths_.insert(paths_.end(), files->begin(), files->end());
      if (!files->empty()) continue;
      Complain(path, "no Markdown or plain RPL (*.md, *.rpl) in this folder");
      return kExitInvalid;
    }
    if (const ExitCode code = ReadProgram(paths_, texts_); code != kExitOk) return code;
    programs_.resize(options_.together ? 1 : texts_.size());
    for (std::size_t i = 0; i < texts_.size(); ++i)
      programs_[options_.together ? 0 : i].files.push_back(i);
    for (CheckedProgram& program : programs_)
      if (const ExitCode code =
              ReadTools(ConfigPath(options_.engine.config, PathsOf(program)), program.tools);
          code != kExitOk)
        return code;
    Check();
    return kExitOk;
  }

  /// Mends the files and writes them back.
  ExitCode Fix() {
    const std::vector<ProgramFile> before = texts_;
    Mend();
    bool changed = false;
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      if (texts_[i].text == before[i].text) continue;
      changed = true;
      texts_[i].text = Formatted(paths_[i], before[i].text, texts_[i].text);
      const std::string error = ReplaceFile(paths_[i], texts_[i].text);
      if (error.empty()) continue;
      Complain(paths_[i], error);
      return kExitFile;
    }
    if (changed) Check();
    return kExitOk;
  }

  /// All findings, by program. Those of the facts, which every program has, come once.
  std::vector<Finding> Findings() const {
    std::vector<Finding> all;
    for (const CheckedProgram& program : programs_)
      for (const Finding& finding : program.findings)
        if (&program == &programs_.front() ||
            !IsFactsFile(sources_.at(finding.diagnostic.span.file).name))
          all.push_back(finding);
    return all;
  }

  const Sources& sources() const { return sources_; }
  std::size_t files() const { return texts_.size(); }
  std::size_t mended() const { return mended_; }

 private:
  std::vector<std::string> PathsOf(const CheckedProgram& program) const {
    std::vector<std::string> paths;
    for (const std::size_t i : program.files) paths.push_back(paths_[i]);
    return paths;
  }

  void Check() {
    sources_ = Sources();
    numbers_.clear();
    told_of_others_.clear();
    for (std::size_t i = 0; i < texts_.size(); ++i)
      numbers_.push_back(sources_.Add(paths_[i], texts_[i].text));
    for (CheckedProgram& program : programs_) Check(program);
    if (options_.fix) KeepNamesOfOthers();
  }

  void Check(CheckedProgram& program) {
    CheckOptions with;
    // A file that is checked as well is read in its fixed state.
    with.reader = [this, beside = ReaderBeside(PathsOf(program))](const std::string& name) {
      for (std::size_t i = 0; i < texts_.size(); ++i)
        if (std::filesystem::path(paths_[i]).filename() == name)
          return std::optional<std::string>(texts_[i].text);
      return beside(name);
    };
    with.facts = FactsReader(facts_, options_.engine.strict_facts);
    for (const ToolCommand& tool : program.tools.tools) with.tools.insert(tool.name);
    with.strict = options_.strict;
    std::vector<std::uint32_t> files;
    for (const std::size_t i : program.files) files.push_back(numbers_[i]);
    program.findings = CheckFiles(sources_, files, with);
    CheckScope(program);
    KeepOwn(program, files);
  }

  // Notes for the keys of `model.answers` that no question of the program has.
  void CheckScope(const CheckedProgram& program) {
    if (program.tools.model.bounds.answers.empty()) return;
    Nobody nobody;
    RunSpec spec;
    for (const std::size_t i : program.files) spec.files.push_back(texts_[i]);
    spec.reader = ReaderBeside(PathsOf(program));
    const Run::Opened opened = Run::Open(nobody, std::move(spec));
    if (!opened) return;
    for (const std::string& line :
         WrongScope(opened.run->session(), program.tools.model.bounds.answers))
      std::cerr << "note: " << PrintableLine(ConfigPath(options_.engine.config, PathsOf(program)))
                << ": " << PrintableLine(line) << '\n';
  }

  // What is wrong with a file that the program only names is told once: by itself if it is checked.
  void KeepOwn(CheckedProgram& program, const std::vector<std::uint32_t>& files) {
    const auto normal = [](const std::filesystem::path& path) {
      return path.lexically_normal().string();
    };
    const std::filesystem::path first = paths_[program.files.front()];
    std::erase_if(program.findings, [&](const Finding& f) {
      const Span at = f.diagnostic.span;
      const std::string& name = sources_.at(at.file).name;
      if (std::ranges::count(files, at.file) != 0 || IsFactsFile(name)) return false;
      const std::string path = normal(std::filesystem::path(first).replace_filename(name));
      return std::ranges::count(paths_, path, normal) != 0 ||
             !told_of_others_.emplace(path, at.begin, f.diagnostic.code).second;
    });
  }

  // The files in which each name of another file stands, as in `file.md#name`.
  std::map<std::string, std::vector<std::size_t>> NamedElsewhere() const {
    std::map<std::string, std::vector<std::size_t>> out;
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      const std::string_view text = texts_[i].text;
      for (std::size_t hash = text.find('#'); hash != text.npos; hash = text.find('#', hash + 1)) {
        std::size_t begin = hash, end = hash + 1;
        while (begin > 0 && IsQualifiedNameChar(text[begin - 1]) && text[begin - 1] != '#') --begin;
        while (end < text.size() && IsNameChar(text[end])) ++end;
        if (begin < hash && hash + 1 < end)
          out[std::string(text.substr(begin, end - begin))].push_back(i);
      }
    }
    return out;
  }

  // Names that another program has of this one are not fixed without it.
  void KeepNamesOfOthers() {
    std::optional<std::map<std::string, std::vector<std::size_t>>> named;
    for (CheckedProgram& program : programs_)
      for (Finding& finding : program.findings) {
        if (finding.diagnostic.code != Code::kNotKebabCase || !finding.fixable()) continue;
        const std::string& name = finding.diagnostic.name;
        const std::filesystem::path path = sources_.at(finding.diagnostic.span.file).name;
        if (!named) named = NamedElsewhere();
        const auto at =
            named->find(path.filename().string() + "#" +
                        name.substr(std::min(name.find_first_not_of("%$"), name.size())));
        if (at == named->end()) continue;
        for (const std::size_t i : at->second) {
          if (std::ranges::find(program.files, i) != program.files.end()) continue;
          finding.edits.clear();
          finding.diagnostic.hint = fmt::format(
              "`{}` names it: `rpl check --fix --together` renames it in both", paths_[i]);
          break;
        }
      }
  }

  // Fixes the texts until no mechanical fix is left.
  void Mend() {
    for (int round = 0; round < kMaxRounds; ++round) {
      std::vector<Finding> mendable;
      for (const CheckedProgram& program : programs_)
        for (Finding& finding : Mendable(program.findings)) mendable.push_back(std::move(finding));
      if (mendable.empty()) break;
      bool changed = false;
      for (std::size_t i = 0; i < texts_.size(); ++i) {
        std::string fixed = Fixed(sources_, numbers_[i], mendable);
        changed |= fixed != texts_[i].text;
        texts_[i].text = std::move(fixed);
      }
      if (!changed) break;
      mended_ += mendable.size();
      Check();
    }
  }

  const CheckCommandOptions& options_;
  std::vector<std::string> paths_;
  std::vector<ProgramFile> texts_;  // by path
  std::vector<ProgramFile> facts_;
  std::vector<CheckedProgram> programs_;
  Sources sources_;
  std::vector<std::uint32_t> numbers_;  // of the texts in sources_
  std::set<std::tuple<std::string, std::uint32_t, Code>> told_of_others_;  // path, place
  std::size_t mended_ = 0;
};

// What the shapes print.
struct Checked {
  const Sources& sources;
  std::size_t files;
  std::vector<Finding> findings;
};

// --- Shapes ---------------------------------------------------------------------------------

void PrintText(const Checked& checked) {
  const bool colours = ColoursFor("auto").out;
  for (const Finding& f : checked.findings)
    std::cout << ShownFinding(f.diagnostic, checked.sources, std::cout, colours);
}

void PrintJson(const Checked& checked, const Tally& tally) {
  ordered_json findings = ordered_json::array();
  for (const Finding& f : checked.findings) findings.push_back(FindingJson(f, checked.sources));
  const ordered_json object = {{"schema", "rpl.check/1"},
                               {"findings", std::move(findings)},
                               {"summary",
                                {{"files", checked.files},
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
  std::string text = fmt::format("found: {}, {}, {} in {}\n", Counted(tally.errors, "error"),
                                 Counted(tally.warnings, "warning"), Counted(tally.infos, "info"),
                                 Counted(files, "file"));
  if (tally.fixable > 0 && !fix)
    text += fmt::format("help: `rpl check --fix` mends {} of them\n", tally.fixable);
  std::cerr << Fitted(text, std::cerr);
}

// kExitNo if a finding has `fail_level` or worse, kExitOk otherwise.
int CommandCheck(const CheckCommandOptions& options) {
  Checking checking(options);
  if (const ExitCode code = checking.Begin(); code != kExitOk) return code;
  if (options.fix)
    if (const ExitCode code = checking.Fix(); code != kExitOk) return code;
  const Checked checked{checking.sources(), checking.files(), checking.Findings()};
  const Tally tally = TallyOf(checked.findings);
  switch (options.format) {
    case CheckCommandOptions::Format::kText: PrintText(checked); break;
    case CheckCommandOptions::Format::kJson: PrintJson(checked, tally); break;
    case CheckCommandOptions::Format::kSarif: PrintSarif(checked); break;
    case CheckCommandOptions::Format::kGithub: PrintGithub(checked); break;
  }
  std::cout << std::flush;
  PrintSummary(tally, checked.files, checking.mended(), options.fix);
  const bool fails = tally.errors > 0 || (tally.warnings > 0 && options.fail_level != "error") ||
                     (tally.infos > 0 && options.fail_level == "info");
  return fails ? kExitNo : kExitOk;
}

}  // namespace

Command DescribeCheck(CommandOptions command, const Wanted&) {
  const auto options = std::make_shared<CheckCommandOptions>();
  CheckCommandOptions& to = *options;
  using Format = CheckCommandOptions::Format;
  command.Add("PATH", to.files, "Markdown protocols, plain RPL (*.rpl), or folders with such files")
      .Required();
  command.Flag("--together", to.together, "Check the files as one program");
  AddFormat(command, to.format,
            {{"text", Format::kText},
             {"json", Format::kJson},
             {"sarif", Format::kSarif},
             {"github", Format::kGithub}});
  AddConfig(command, to.engine.config, kBesideDocument);
  AddFactsOptions(command, to.engine);
  command.Flag("--fix", to.fix, "Apply mechanical fixes to the files");
  command.Flag("--strict", to.strict, "Treat warnings as errors");
  command
      .Add("--fail-level", to.fail_level,
           "The lowest severity that fails the check: error (default), warning or info")
      .Unit("LEVEL")
      .OneOf({"error", "warning", "info"});
  AddWatch(command, to.watch);
  AddTimeAndMemory(command, to.engine.limits);
  command.Footer(kCheckFooter);
  return {.run = [options] { return CommandCheck(*options); },
          .limits = &to.engine.limits,
          .watch = &to.watch};
}

}  // namespace rpl
