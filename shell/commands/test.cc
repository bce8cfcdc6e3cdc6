// SPDX-License-Identifier: Apache-2.0
//
// Cases run one after another, each script in a process of its own. That process sends its verdict
// and what else was asked for: coverage, new expectations.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>

#include "formats/shorten.h"
#include "runtime/model/cassette.h"
#include "runtime/nobody.h"
#include "runtime/run/run.h"
#include "shell/commands/command_line.h"
#include "shell/commands/commands.h"
#include "shell/commands/files_below.h"
#include "shell/commands/shared_options.h"
#include "shell/pages/coverage_page.h"
#include "shell/pages/pages.h"
#include "shell/program/engine_setup.h"
#include "shell/program/program_run.h"
#include "shell/script/isolation.h"
#include "shell/script/junit_report.h"
#include "shell/script/script_coverage.h"
#include "shell/script/script_runner.h"
#include "shell/script/test_script.h"
#include "shell/terminal/colours.h"
#include "shell/terminal/input.h"
#include "shell/terminal/replace_file.h"
#include "shell/terminal/report.h"

namespace rpl {
namespace {

// rpl test PATH…: runs the scripts of Markdown files (docs/testing.md).
struct TestOptions {
  std::vector<std::string> paths;  // files, and folders with all their *.md files
  std::string filter;              // only cases in whose name or headings above it occurs
  EngineOptions engine;            // facts: of every script's session
  const OutputFormat* format = kOutputFormats;
  bool watch = false;                  // --watch
  bool update = false;                 // --update
  std::string junit;                   // --junit FILE
  bool coverage = false;               // --coverage
  std::string coverage_html;           // --coverage-html FILE
  std::string coverage_lcov;           // --coverage-lcov FILE
  std::optional<double> min_coverage;  // --min PERCENT
  bool record = false;                 // --record: cassettes anew, from the model of `engine`
};

constexpr const char* kTestFooter =
    R"(docs/testing.md describes the format of the scripts.

Examples
  rpl test spec-tests
  rpl test spec-tests/07-sets --filter R7.01
  rpl test spec-tests --format json
  rpl test trip-test.md --watch            # again whenever a file is saved
  rpl test trip-test.md --coverage --min 80
  rpl test trip-test.md --coverage-html coverage.html
  rpl test trip-test.md --update           # takes what came out, to be read in the diff
  rpl test tests --junit results.xml)";

namespace fs = std::filesystem;
using nlohmann::ordered_json;

// --- One case -------------------------------------------------------------------------------

// The result of a script as text: the number of bytes of the failure, a line end, the failure, and
// the rest as JSON. The failure may be any bytes.
std::string Packed(const ScriptRun& run) {
  ordered_json expected = ordered_json::array();
  for (const NewExpectation& e : run.expected)
    expected.push_back({{"line", e.line}, {"argument", e.argument}, {"lines", e.lines}});
  const ordered_json rest = {{"expected", std::move(expected)}, {"coverage", run.coverage}};
  return fmt::format("{}\n", run.failure.size()) + run.failure +
         rest.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

ScriptRun Unpacked(std::string_view text) {
  ScriptRun run;
  std::size_t bytes = 0;
  std::from_chars(text.data(), text.data() + text.size(), bytes);
  text.remove_prefix(text.find('\n') + 1);
  run.failure = text.substr(0, bytes);
  ordered_json rest = ordered_json::parse(text.substr(bytes));
  for (const ordered_json& e : rest["expected"])
    run.expected.push_back({e["line"], e["argument"], e["lines"]});
  run.coverage = std::move(rest["coverage"]);
  return run;
}

ScriptRun RunAlone(const Script& script, const ScriptFacts& facts, const ScriptWishes& wishes) {
  const bool plain = !wishes.coverage && !wishes.update;
  const Isolated run = InOwnProcess([&] {
    const ScriptRun out = RunScriptFor(script, RunCommandLine, facts, wishes);
    return plain ? out.failure : Packed(out);
  });
  if (!run.crash.empty())
    return {fmt::format("line {}: the script crashed rpl: {}\n", script.line, run.crash), {}, {}};
  return plain ? ScriptRun{run.result, {}, {}} : Unpacked(run.result);
}

bool Matches(const TestCase& test, const std::string& filter) {
  return test.name.find(filter) != std::string::npos ||
         std::any_of(test.above.begin(), test.above.end(), [&](const std::string& heading) {
           return heading.find(filter) != std::string::npos;
         });
}

// --- All cases ------------------------------------------------------------------------------

class Testing {
 public:
  explicit Testing(const TestOptions& options) : options_(options) {
    wishes_.coverage = options.coverage || !options.coverage_html.empty() ||
                       !options.coverage_lcov.empty() || options.min_coverage.has_value();
    wishes_.update = options.update;
    if (!options.record) return;
    const ModelConfig config = ModelNamed(options.engine.model).config;
    wishes_.model = [config, name = options.engine.model](const std::string& cassette) {
      return MakeRecordingProvider(MakeModelProvider(config, PrintLog), name, cassette);
    };
  }

  int Run();

 private:
  ExitCode ReadGivenFacts();
  void RunPath(const std::string& path);
  ExitCode RunFile(const std::string& path, bool& any);
  std::string Verdict(const TestCase& test, const ScriptWishes& wishes,
                      std::vector<NewExpectation>& expected);
  std::string Updated(const std::string& path, std::vector<TestCase>& cases, std::size_t number,
                      const std::vector<NewExpectation>& expected, std::string& text);
  void Report(CaseResult result);
  ExitCode WriteReports();
  ExitCode End();

  const TestOptions& options_;
  ScriptWishes wishes_;
  ScriptFacts facts_;
  ScriptCoverage coverage_;
  std::vector<CaseResult> results_;
  std::size_t failed_ = 0;
  std::size_t updated_ = 0;
  ExitCode unusable_ = kExitOk;
};

// The failures of the case; "" if it passes, or will pass with what is `expected`.
std::string Testing::Verdict(const TestCase& test, const ScriptWishes& wishes,
                             std::vector<NewExpectation>& expected) {
  std::string message;
  for (const std::string& error : test.errors) message += error + "\n";
  if (!message.empty()) return message;
  for (const Script& script : test.scripts) {
    ScriptRun run = RunAlone(script, facts_, wishes);
    message += run.failure;
    if (!run.coverage.is_null()) coverage_.Add(run.coverage);
    expected.insert(expected.end(), run.expected.begin(), run.expected.end());
  }
  return message;
}

// Writes the expectations of a case to its file, and runs it again. Changes `cases` and `text` to
// what the file has now. The failures of the case.
std::string Testing::Updated(const std::string& path, std::vector<TestCase>& cases,
                             std::size_t number, const std::vector<NewExpectation>& expected,
                             std::string& text) {
  const TestCase& test = cases[number];
  const auto line = std::to_string(expected.front().line);
  std::optional<std::string> fresh = WithExpectations(path, text, test, number, expected);
  if (!fresh)
    return "line " + line + ": what came out cannot stand in a script, the file is as it was\n";
  const Input now = ReadFile(path);
  if (!now.error.empty() || now.text != text)
    return "line " + line + ": the file changed meanwhile, it is not updated\n";
  if (const std::string error = ReplaceFile(path, *fresh); !error.empty())
    return "line " + line + ": the file cannot be written: " + error + "\n";
  text = std::move(*fresh);
  Sources sources;
  cases = ReadTestCases(sources, sources.Add(path, text));
  ++updated_;
  (options_.format->IsText() ? std::cout : std::cerr)
      << fmt::format("{}:{}: {}: updated\n", PrintableLine(path), cases[number].line,
                     PrintableLine(cases[number].name))
      << std::flush;
  std::vector<NewExpectation> none;
  return Verdict(cases[number], {}, none);
}

void Testing::Report(CaseResult result) {
  if (!result.message.empty()) ++failed_;
  if (options_.format->IsText() && !result.message.empty())
    std::cout << Marked(fmt::format("{}:{}: {}", PrintableLine(result.file), result.line,
                                    PrintableLine(result.name)),
                        kRed, ColoursFor("auto").out)
              << '\n'
              << Printable(result.message) << std::endl;
  results_.push_back(std::move(result));
}

// Runs those cases of a file that match the filter. An exit code other than kExitOk if the file
// cannot be used at all.
ExitCode Testing::RunFile(const std::string& path, bool& any) {
  Input input = ReadFile(path);
  if (!input.error.empty()) {
    Complain(path, input.error);
    return kExitFile;
  }
  if (!IsUtf8(input.text)) {
    Complain(path, "not UTF-8");
    return kExitInvalid;
  }
  Sources sources;
  std::vector<TestCase> cases = ReadTestCases(sources, sources.Add(path, input.text));
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (Interrupted()) return kExitInterrupted;
    any = true;
    if (!Matches(cases[i], options_.filter)) continue;
    const bool malformed = !cases[i].errors.empty();
    const auto begin = std::chrono::steady_clock::now();
    std::vector<NewExpectation> expected;
    std::string message = Verdict(cases[i], wishes_, expected);
    if (Interrupted()) return kExitInterrupted;
    if (message.empty() && !expected.empty())
      message = Updated(path, cases, i, expected, input.text);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    Report({cases[i].name, path, cases[i].line, std::move(message), malformed, took.count()});
  }
  return kExitOk;
}

void Testing::RunPath(const std::string& path) {
  bool any = false;
  const auto files = FilesBelow(path, {".md"});
  if (!files) unusable_ = kExitFile;
  for (const std::string& file : files.value_or(std::vector<std::string>{})) {
    const ExitCode exit_code = RunFile(file, any);
    if (unusable_ == kExitOk) unusable_ = exit_code;
    if (Interrupted()) return;
  }
  if (any || unusable_ != kExitOk) return;
  Complain(path, "no case, that is, no heading over a fence `rpl-test`");
  unusable_ = kExitInvalid;
}

// Reads the files of `--facts`, and prints what is wrong with them, once for all scripts.
ExitCode Testing::ReadGivenFacts() {
  if (options_.engine.facts.empty()) return kExitOk;
  facts_.strict = options_.engine.strict_facts;
  if (const ExitCode code = ReadFactsFiles(options_.engine, facts_.files); code != kExitOk)
    return code;
  Nobody nobody;
  const Run::Opened opened =
      Run::Open(nobody, {.files = facts_.files, .options = SessionOptionsFor(options_.engine)});
  PrintDiagnostics(opened.findings, opened.run->session().sources(), std::cerr);
  return opened ? kExitOk : kExitInvalid;
}

// --- Reports --------------------------------------------------------------------------------

ExitCode Testing::WriteReports() {
  const auto write = [](const std::string& path, const std::string& text) {
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out << text;
    out.close();
    if (!out.fail()) return kExitOk;
    Complain(path, "cannot be written");
    return kExitFile;
  };
  ExitCode code = kExitOk;
  const auto take = [&](ExitCode of) { code = std::max(code, of); };
  if (!options_.junit.empty()) take(write(options_.junit, JunitReport(results_)));
  if (!options_.coverage_html.empty()) {
    std::vector<CoverageFile> files = coverage_.Files();
    for (CoverageFile& file : files) file.text = ReadFile(file.name).text;
    take(write(options_.coverage_html, CoveragePage(files, coverage_.Percent())));
  }
  if (!options_.coverage_lcov.empty()) take(write(options_.coverage_lcov, coverage_.Lcov()));
  return code;
}

ExitCode Testing::End() {
  const ExitCode written = WriteReports();
  if (unusable_ != kExitOk) return unusable_;
  if (std::any_of(results_.begin(), results_.end(),
                  [](const CaseResult& result) { return result.malformed; }))
    return kExitInvalid;
  if (results_.empty()) {
    std::cerr << fmt::format("rpl: no case has `{}` in its name\n",
                             PrintableLine(Shortened(options_.filter, kToldBytes)));
    return kExitInvalid;
  }
  if (written != kExitOk) return written;
  if (failed_ > 0) return kExitNo;
  if (!options_.min_coverage || coverage_.Percent() >= *options_.min_coverage) return kExitOk;
  std::cerr << fmt::format("rpl: the coverage is {:.1f} %, less than {} %\n", coverage_.Percent(),
                           *options_.min_coverage);
  return kExitNo;
}

int Testing::Run() {
  if (const ExitCode code = ReadGivenFacts(); code != kExitOk) return code;
  for (const std::string& path : options_.paths) {
    RunPath(path);
    if (Interrupted()) return kExitInterrupted;
  }
  const OutputFormat& format = *options_.format;
  if (!format.IsText() && results_.empty() && unusable_ != kExitOk) return End();
  if (!format.IsText()) {
    ordered_json cases = ordered_json::array();
    for (const CaseResult& result : results_)
      cases.push_back({{"name", result.name},
                       {"file", result.file},
                       {"line", result.line},
                       {"status", result.message.empty() ? "passed" : "failed"},
                       {"message", result.message}});
    ordered_json all = {{"schema", "rpl.test/1"}, {"cases", std::move(cases)}};
    if (wishes_.coverage) all["coverage"] = coverage_.Json();
    format.write(std::cout, all);
  } else {
    if (options_.coverage || options_.min_coverage) std::cout << coverage_.Text();
    if (options_.update) std::cout << Counted(updated_, "case") << " updated\n";
    std::cout << Marked(fmt::format("{} passed, {} failed", results_.size() - failed_, failed_),
                        failed_ == 0 ? kGreen : kRed, ColoursFor("auto").out)
              << '\n';
  }
  return End();
}

// kExitNo if a case fails, or the coverage is less than its minimum, kExitInvalid for malformed
// scripts and if there is no case.
int CommandTest(const TestOptions& options) { return Testing(options).Run(); }

}  // namespace

Command DescribeTest(CommandOptions command, const Wanted&) {
  const auto options = std::make_shared<TestOptions>();
  TestOptions& to = *options;
  command.Add("PATH", to.paths, "Files, and folders with *.md files").Required();
  command
      .Add("--filter", to.filter,
           "Run only cases with TEXT in their name or in a heading above them")
      .Unit("TEXT");
  AddFactsOptions(command, to.engine);
  AddFormat(command, to.format);
  AddWatch(command, to.watch);
  command.Flag("--update", to.update,
               "Write what came out into expectations that do not hold, unless it is an error");
  const auto add_file = [&](const char* name, std::string& file, const char* help) {
    command.Add(name, file, help).Unit("FILE").Check(CheckNamed);
  };
  const CommandOption record = command.Flag(
      "--record", to.record, "Make the cassettes of MODEL anew, with the replies of --model");
  record.Needs(AddModel(command, to.engine.model).Needs(record));
  add_file("--junit", to.junit, "Write the results as JUnit XML, for CI");
  command.Flag("--coverage", to.coverage,
               "Print which rules, headings, branches and constraints did something");
  if (MakesPages()) add_file("--coverage-html", to.coverage_html, "Write the coverage as a page");
  add_file("--coverage-lcov", to.coverage_lcov, "Write the coverage as a tracefile of lcov");
  command
      .AddTaking<double>(
          "--min", [&to](const double& percent) { to.min_coverage = percent; },
          "Fail if less is covered")
      .Unit("PERCENT")
      .Within(0.0, 100.0);
  command.Footer(kTestFooter);
  return {.run = [options] { return CommandTest(*options); }, .watch = &to.watch};
}

}  // namespace rpl
