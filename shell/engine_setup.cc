// SPDX-License-Identifier: Apache-2.0
#include "shell/engine_setup.h"

#include <filesystem>
#include <iostream>

#include "runtime/facts_file.h"
#include "runtime/yaml_tree.h"
#include "shell/input.h"
#include "shell/progress.h"

namespace rpl {
namespace {

// Chat of a run whose events carry it.
std::ostream& Nowhere() {
  static std::ostream nowhere(nullptr);
  return nowhere;
}

bool AsksHost(const EngineOptions& options) { return options.answers_file == "-"; }

}  // namespace

Host::Host(const EngineOptions& options)
    : options_(options),
      person_(ReadLine, InputIsTerminal() ? "> " : "", options.events ? Nowhere() : std::cout,
              std::cerr),
      host_(ReadLine, std::cout, std::cerr, !options.events),
      tools_(options, true, AsksHost(options) ? static_cast<Agent&>(host_) : person_),
      scripted_(tools_.agent(), std::cerr) {}

ExitCode Host::Prepare(const std::vector<std::string>& documents) {
  if (const ExitCode code = tools_.Prepare(documents); code != kExitOk) return code;
  return AddAnswers(options_, scripted_);
}

void Host::ReportUnused() const { rpl::ReportUnused(scripted_); }

ExitCode AddAnswers(const EngineOptions& options, ScriptedAgent& agent) {
  for (const std::string& text : options.answers) {
    std::optional<ScriptedAnswer> answer = AnswerFromOption(text);
    if (!answer || !IsUtf8(text)) {
      std::cerr << "rpl: --answer: expected KEY=VALUE in UTF-8, got `" << text << "`\n";
      return kExitInvalid;
    }
    agent.Add(std::move(*answer));
  }
  if (options.answers_file.empty() || AsksHost(options)) return kExitOk;
  const Input input = ReadFile(options.answers_file);
  if (!input.error.empty()) {
    std::cerr << "rpl: " << options.answers_file << ": " << input.error << '\n';
    return kExitFile;
  }
  AnswerList list;
  const bool yaml =
      options.answers_file.ends_with(".yaml") || options.answers_file.ends_with(".yml");
  if (yaml) {
    Sources sources;
    Diagnostics found;
    const auto tree = ReadYaml(sources, sources.Add(options.answers_file, input.text), found);
    PrintDiagnostics(found.all(), sources, std::cerr);
    if (!tree || found.has_errors()) return kExitInvalid;
    list = AnswersFrom(JsonOf(*tree));
  } else {
    list = AnswersFromJson(input.text);
  }
  if (!list.error.empty()) {
    std::cerr << "rpl: " << options.answers_file << ": " << list.error << '\n';
    return kExitInvalid;
  }
  for (ScriptedAnswer& answer : list.answers) agent.Add(std::move(answer));
  return kExitOk;
}

ExitCode ReadFactsFiles(const EngineOptions& options, std::vector<ProgramFile>& to) {
  for (const std::string& text : options.facts) {
    const std::optional<FactsName> name = FactsNameOf(text);
    if (!name) {
      std::cerr << "rpl: --facts: expected RELATION=FILE, with a file in .csv, .tsv, .ndjson or "
                << ".jsonl, got `" << Printable(text) << "`\n";
      return kExitInvalid;
    }
    Input input = ReadFile(name->path);
    if (!input.error.empty()) {
      std::cerr << "rpl: " << name->path << ": " << input.error << '\n';
      return kExitFile;
    }
    to.push_back({text, std::move(input.text)});
  }
  return kExitOk;
}

SessionOptions SessionOptionsFor(const EngineOptions& options) {
  SessionOptions session;
  session.now = options.now;
  session.limits = options.limits;
  session.strict_facts = options.strict_facts;
  session.interrupted = Interrupted;
  if (!options.log_phases && !options.events) session.progress = ProgressLine();
  if (options.events) {
    session.event = [](const nlohmann::ordered_json& event) {
      std::cout << Dump(event) << std::endl;
    };
  }
  if (options.log_phases) {
    session.log = [](const std::string& line) { std::cerr << line << '\n'; };
  }
  return session;
}

std::function<std::optional<std::string>(const std::string&)> ReaderBeside(
    const std::vector<std::string>& documents) {
  return [documents](const std::string& name) -> std::optional<std::string> {
    if (name.find('/') != std::string::npos) return std::nullopt;
    for (const std::string& document : documents) {
      Input input = ReadFile(std::filesystem::path(document).replace_filename(name));
      if (input.error.empty()) return std::move(input.text);
    }
    return std::nullopt;
  };
}

void ReportUnused(const ScriptedAgent& agent) {
  for (const std::string& label : agent.Unused()) {
    std::cerr << "note: nothing asked for the answer `" << label << "`\n";
  }
}

}  // namespace rpl
