// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>

#include "shell/commands/command_line.h"
#include "shell/commands/commands.h"
#include "shell/host/input.h"
#include "shell/host/report.h"
#include "shell/script/isolation.h"
#include "shell/script/script_runner.h"
#include "shell/script/test_script.h"

namespace rpl {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

// The Markdown files of a path, in the order of their names; nullopt, after a message on standard
// error, if it cannot be read.
std::optional<std::vector<std::string>> FilesOf(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return std::vector<std::string>{path};
  std::vector<std::string> files;
  for (auto at = fs::recursive_directory_iterator(path, error);
       !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    if (at->path().extension() == ".md" && at->is_regular_file()) files.push_back(at->path());
  }
  if (error) {
    Complain(path, error.message());
    return std::nullopt;
  }
  std::sort(files.begin(), files.end());
  return files;
}

struct Totals {
  std::size_t passed = 0;
  std::size_t failed = 0;
  bool malformed = false;
  ordered_json cases = ordered_json::array();
};

// The first failure of the script; "" if it passes.
std::string VerdictOf(const Script& script) {
  const Isolated run = InOwnProcess([&] { return RunScript(script, RunCommandLine).value_or(""); });
  if (run.crash.empty()) return run.result;
  return fmt::format("line {}: the script crashed rpl: {}\n", script.line, run.crash);
}

// The failures of the case; "" if it passes.
std::string Verdict(const TestCase& test) {
  std::string message;
  for (const std::string& error : test.errors) message += error + "\n";
  if (!message.empty()) return message;
  for (const Script& script : test.scripts) message += VerdictOf(script);
  return message;
}

void RunCase(const TestCase& test, const std::string& file, bool json, Totals& totals) {
  const std::string message = Verdict(test);
  if (Interrupted()) return;
  const bool passed = message.empty();
  totals.malformed = totals.malformed || !test.errors.empty();
  ++(passed ? totals.passed : totals.failed);
  if (json) {
    totals.cases.push_back({{"name", test.name},
                            {"file", file},
                            {"line", test.line},
                            {"status", passed ? "passed" : "failed"},
                            {"message", message}});
  } else if (!passed) {
    std::cout << fmt::format("{}:{}: {}\n{}\n", PrintableLine(file), test.line,
                             PrintableLine(test.name), Printable(message))
              << std::flush;
  }
}

// Runs those cases of a file that match the filter. An exit code other than kExitOk if the file
// cannot be used at all.
ExitCode RunFile(const std::string& path, const TestOptions& options, bool& any, Totals& totals) {
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
  for (const TestCase& test : ReadTestCases(sources, sources.Add(path, std::move(input.text)))) {
    if (Interrupted()) return kExitInterrupted;
    any = true;
    if (test.name.find(options.filter) == std::string::npos) continue;
    RunCase(test, path, options.json, totals);
  }
  return kExitOk;
}

}  // namespace

int CommandTest(const TestOptions& options) {
  Totals totals;
  ExitCode unusable = kExitOk;
  for (const std::string& path : options.paths) {
    bool any = false;
    const auto files = FilesOf(path);
    if (!files) unusable = kExitFile;
    for (const std::string& file : files.value_or(std::vector<std::string>{})) {
      const ExitCode exit_code = RunFile(file, options, any, totals);
      if (unusable == kExitOk) unusable = exit_code;
      if (Interrupted()) return kExitInterrupted;
    }
    if (!any && unusable == kExitOk) {
      Complain(path, "no case, that is, no heading over a fence `rpl-test`");
      unusable = kExitInvalid;
    }
  }
  if (options.json) {
    std::cout << Dump({{"schema", "rpl.test/1"}, {"cases", std::move(totals.cases)}}) << '\n';
  } else {
    std::cout << fmt::format("{} passed, {} failed\n", totals.passed, totals.failed);
  }
  if (unusable != kExitOk) return unusable;
  if (totals.malformed) return kExitInvalid;
  if (totals.passed + totals.failed == 0) {
    std::cerr << fmt::format("rpl: no case has `{}` in its name\n", PrintableLine(options.filter));
    return kExitInvalid;
  }
  return totals.failed > 0 ? kExitNo : kExitOk;
}

}  // namespace rpl
