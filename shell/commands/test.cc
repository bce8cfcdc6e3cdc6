// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <optional>

#include "shell/commands/command_line.h"
#include "shell/commands/commands.h"
#include "shell/commands/files_below.h"
#include "shell/host/engine_setup.h"
#include "shell/host/input.h"
#include "shell/host/nobody.h"
#include "shell/host/program_run.h"
#include "shell/host/report.h"
#include "shell/script/isolation.h"
#include "shell/script/script_runner.h"
#include "shell/script/test_script.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

struct Totals {
  std::size_t passed = 0;
  std::size_t failed = 0;
  bool malformed = false;
  ordered_json cases = ordered_json::array();
};

// The first failure of the script; "" if it passes.
std::string VerdictOf(const Script& script, const ScriptFacts& facts) {
  const Isolated run =
      InOwnProcess([&] { return RunScript(script, RunCommandLine, facts).value_or(""); });
  if (run.crash.empty()) return run.result;
  return fmt::format("line {}: the script crashed rpl: {}\n", script.line, run.crash);
}

// The failures of the case; "" if it passes.
std::string Verdict(const TestCase& test, const ScriptFacts& facts) {
  std::string message;
  for (const std::string& error : test.errors) message += error + "\n";
  if (!message.empty()) return message;
  for (const Script& script : test.scripts) message += VerdictOf(script, facts);
  return message;
}

void RunCase(const TestCase& test, const std::string& file, bool json, const ScriptFacts& facts,
             Totals& totals) {
  const std::string message = Verdict(test, facts);
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
ExitCode RunFile(const std::string& path, const TestOptions& options, const ScriptFacts& facts,
                 bool& any, Totals& totals) {
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
    RunCase(test, path, options.json, facts, totals);
  }
  return kExitOk;
}

// Reads the files of `--facts`, and prints what is wrong with them, once for all scripts.
ExitCode ReadGivenFacts(const TestOptions& options, ScriptFacts& to) {
  if (options.engine.facts.empty()) return kExitOk;
  to.strict = options.engine.strict_facts;
  if (const ExitCode code = ReadFactsFiles(options.engine, to.files); code != kExitOk) return code;
  Nobody nobody;
  Session session(nobody, SessionOptionsFor(options.engine));
  return LoadAll(to.files, session) ? kExitOk : kExitInvalid;
}

}  // namespace

int CommandTest(const TestOptions& options) {
  ScriptFacts facts;
  if (const ExitCode code = ReadGivenFacts(options, facts); code != kExitOk) return code;
  Totals totals;
  ExitCode unusable = kExitOk;
  for (const std::string& path : options.paths) {
    bool any = false;
    const auto files = FilesBelow(path, {".md"});
    if (!files) unusable = kExitFile;
    for (const std::string& file : files.value_or(std::vector<std::string>{})) {
      const ExitCode exit_code = RunFile(file, options, facts, any, totals);
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
