// SPDX-License-Identifier: Apache-2.0
//
// Test scripts as measures of models: each case with MODEL runs with each model, in a process of
// its own, which sends its verdict and what the model used.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "runtime/model/model_provider.h"
#include "shell/commands/command_line.h"
#include "shell/commands/commands.h"
#include "shell/commands/files_below.h"
#include "shell/commands/shared_options.h"
#include "shell/script/isolation.h"
#include "shell/script/script_runner.h"
#include "shell/script/test_script.h"
#include "shell/terminal/input.h"
#include "shell/terminal/report.h"

namespace rpl {
namespace {

// rpl eval PATH…: runs test scripts against models in the place of their cassettes, and measures.
struct EvalOptions {
  std::vector<std::string> paths;   // files, and folders with all their *.md files
  std::vector<std::string> models;  // PROVIDER:NAME
  std::string filter;
  std::size_t runs = 1;
  const OutputFormat* format = kOutputFormats;
};

constexpr const char* kEvalFooter =
    R"(Each case with MODEL: is run with each model, which replies in the place of the cassette. Printed
are how often it passed, the attempts, the tokens and the seconds. See docs/models.md.

Examples
  rpl eval examples/model --model command:examples/model/stand-in
  rpl eval examples/model/draft-test.md --model openai:NAME --model anthropic:NAME --runs 5)";

using nlohmann::ordered_json;

struct Used {
  std::size_t attempts = 0;
  std::uint64_t tokens = 0;
  std::uint64_t ms = 0;
};

// Counts what another provider uses.
class MeasuredProvider : public ModelProvider {
 public:
  MeasuredProvider(std::unique_ptr<ModelProvider> of, std::string name, Used& to)
      : of_(std::move(of)), name_(std::move(name)), to_(to) {}
  ModelReply Ask(const ModelRequest& request, const std::function<bool()>& interrupted) override {
    ModelReply reply = of_->Ask(request, interrupted);
    const bool attempt =
        reply.kind == ModelReply::Kind::kText || reply.kind == ModelReply::Kind::kRefused;
    to_.attempts += attempt ? 1 : 0;
    to_.tokens += reply.tokens;
    to_.ms += reply.took_ms;
    if (reply.model.empty()) reply.model = name_;
    return reply;
  }

 private:
  std::unique_ptr<ModelProvider> of_;
  std::string name_;
  Used& to_;
};

// What the runs of one case with one model came to.
struct Measured {
  std::string file = {}, name = {}, model = {};
  std::string failure = {};  // the last one, or ""
  std::uint32_t line = 0;
  std::size_t runs = 0, passed = 0;
  Used used = {};
};

bool UsesModel(const Script& script) {
  return std::ranges::any_of(
      script.steps, [](const ScriptStep& step) { return step.kind == TestStepKind::kModel; });
}

void RunOnce(const Script& script, const ModelConfig& config, Measured& to) {
  const Isolated run = InOwnProcess([&] {
    Used used;
    const ScriptWishes wishes{.model = [&](const std::string&) {
      return std::make_unique<MeasuredProvider>(MakeModelProvider(config, PrintLog), to.model,
                                                used);
    }};
    const ScriptRun out = RunScriptFor(script, RunCommandLine, {}, wishes);
    return Dump({{"failure", out.failure},
                 {"attempts", used.attempts},
                 {"tokens", used.tokens},
                 {"ms", used.ms}});
  });
  ++to.runs;
  if (!run.crash.empty()) {
    to.failure = "the script crashed rpl: " + run.crash;
    return;
  }
  const ordered_json read = ordered_json::parse(run.result);
  const std::string failure = read["failure"];
  if (failure.empty()) ++to.passed;
  else to.failure = failure;
  to.used.attempts += read["attempts"].get<std::size_t>();
  to.used.tokens += read["tokens"].get<std::uint64_t>();
  to.used.ms += read["ms"].get<std::uint64_t>();
}

ordered_json JsonOf(const Measured& of) {
  ordered_json out = {{"name", of.name},
                      {"file", of.file},
                      {"line", of.line},
                      {"model", of.model},
                      {"runs", of.runs},
                      {"passed", of.passed},
                      {"attempts", of.used.attempts},
                      {"tokens", of.used.tokens},
                      {"seconds", static_cast<double>(of.used.ms) / 1'000}};
  if (!of.failure.empty()) out["failure"] = of.failure;
  return out;
}

void Print(const Measured& of) {
  std::cout << fmt::format("{}:{}: {} with {}: {} of {} passed, {} attempts, {} tokens, {:.1f} s\n",
                           PrintableLine(of.file), of.line, PrintableLine(of.name),
                           PrintableLine(of.model), of.passed, of.runs, of.used.attempts,
                           of.used.tokens, static_cast<double>(of.used.ms) / 1'000)
            << Printable(of.failure) << std::flush;
}

// kExitNo if a case fails in one of its runs.
int CommandEval(const EvalOptions& options) {
  std::vector<Measured> all;
  for (const std::string& path : options.paths) {
    const auto files = FilesBelow(path, {".md"});
    if (!files) return kExitFile;
    for (const std::string& file : *files) {
      const Input input = ReadFile(file);
      if (!input.error.empty()) {
        Complain(file, input.error);
        return kExitFile;
      }
      Sources sources;
      for (const TestCase& test : ReadTestCases(sources, sources.Add(file, input.text))) {
        if (test.name.find(options.filter) == std::string::npos) continue;
        if (!test.errors.empty()) {
          Complain(file, test.errors.front());
          return kExitInvalid;
        }
        for (const std::string& model : options.models) {
          Measured measured{.file = file, .name = test.name, .model = model, .line = test.line};
          for (std::size_t run = 0; run < options.runs; ++run)
            for (const Script& script : test.scripts) {
              if (Interrupted()) return kExitInterrupted;
              if (UsesModel(script)) RunOnce(script, ModelNamed(model).config, measured);
            }
          if (measured.runs == 0) continue;
          if (options.format->IsText()) Print(measured);
          all.push_back(std::move(measured));
        }
      }
    }
  }
  if (all.empty()) {
    Complain("PATH", "no case has MODEL:", "a case with a cassette can be run with a model");
    return kExitInvalid;
  }
  if (!options.format->IsText()) {
    ordered_json cases = ordered_json::array();
    for (const Measured& measured : all) cases.push_back(JsonOf(measured));
    options.format->write(std::cout, {{"schema", "rpl.eval/1"}, {"cases", std::move(cases)}});
  }
  const bool passed =
      std::ranges::all_of(all, [](const Measured& of) { return of.passed == of.runs; });
  return passed ? kExitOk : kExitNo;
}

}  // namespace

Command DescribeEval(CommandOptions command, const Wanted&) {
  const auto options = std::make_shared<EvalOptions>();
  EvalOptions& to = *options;
  command.Add("PATH", to.paths, "Files of test scripts, and folders with *.md files").Required();
  AddRepeatable(command, "--model", to.models, "PROVIDER:NAME",
                "A model in the place of the cassettes, as of `rpl run`; repeatable")
      .Required()
      .Check([](const std::string& text) { return ModelNamed(text).error; });
  command.Add("--runs", to.runs, "How often each case is run (default: 1)")
      .Unit("N")
      .Within(1, 1'000);
  command
      .Add("--filter", to.filter,
           "Run only cases with TEXT in their name or in a heading above them")
      .Unit("TEXT");
  AddFormat(command, to.format);
  command.Footer(kEvalFooter);
  return {.run = [options] { return CommandEval(*options); }};
}

}  // namespace rpl
