// SPDX-License-Identifier: Apache-2.0
#include "shell/engine_setup.h"

#include <filesystem>
#include <iostream>

#include "shell/input.h"

namespace rpl {

ExitCode AddAnswers(const EngineOptions& options, ScriptedAgent& agent) {
  for (const std::string& text : options.answers) {
    std::optional<ScriptedAnswer> answer = AnswerFromOption(text);
    if (!answer || !IsUtf8(text)) {
      std::cerr << "rpl: --answer: expected KEY=VALUE in UTF-8, got `" << text << "`\n";
      return kExitInvalid;
    }
    agent.Add(std::move(*answer));
  }
  if (options.answers_file.empty()) return kExitOk;
  const Input input = ReadFile(options.answers_file);
  if (!input.error.empty()) {
    std::cerr << "rpl: " << options.answers_file << ": " << input.error << '\n';
    return kExitFile;
  }
  AnswerList list = AnswersFromJson(input.text);
  if (!list.error.empty()) {
    std::cerr << "rpl: " << options.answers_file << ": " << list.error << '\n';
    return kExitInvalid;
  }
  for (ScriptedAnswer& answer : list.answers) agent.Add(std::move(answer));
  return kExitOk;
}

SessionOptions SessionOptionsFor(const EngineOptions& options) {
  SessionOptions session;
  session.now = options.now;
  session.interrupted = Interrupted;
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
