// SPDX-License-Identifier: Apache-2.0
//
// Options that several commands share. Each function adds some to a command and binds them to what
// it is given, which must outlive the parser.
#ifndef RPL_SHELL_COMMANDS_SHARED_OPTIONS_H_
#define RPL_SHELL_COMMANDS_SHARED_OPTIONS_H_

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "formats/list_text.h"
#include "shell/program/options.h"

namespace rpl {

inline constexpr const char* kBesideDocument = "default: rpl.yaml beside the document";
inline constexpr const char* kPrograms = "Markdown protocols, or plain RPL (*.rpl)";

/// An option that takes one of several words, each with a value.
template <typename T>
void AddChoice(CLI::App& command, const char* name, T& to, const char* unit, const char* help,
               const std::vector<std::pair<std::string, std::type_identity_t<T>>>& choices) {
  std::vector<std::string> words;
  for (const auto& [word, value] : choices) words.push_back(word);
  command
      .add_option_function<std::string>(
          name,
          [&to, choices](const std::string& chosen) {
            for (const auto& [word, value] : choices)
              if (word == chosen) to = value;
          },
          help)
      ->type_name(unit)
      ->check(CLI::IsMember(words));
}

/// A subcommand that sets `to` to `what` when it is chosen.
template <typename What>
CLI::App* AddPart(CLI::App& command, const char* name, const char* help, What& to, What what) {
  CLI::App* const part = command.add_subcommand(name, help);
  part->callback([&to, what] { to = what; });
  return part;
}

std::string CheckTime(const std::string& text);

/// For options that name a file: an empty name is an error (an unset variable), never "none".
std::string CheckNamed(const std::string& path);

/// An option that takes one value and may be repeated.
CLI::Option* AddRepeatable(CLI::App& command, const char* name, std::vector<std::string>& to,
                           const char* unit, const char* about);

CLI::Option* AddPrograms(CLI::App& command, std::vector<std::string>& to);

/// --format, one of the choices, of which the first is the default.
template <typename T>
void AddFormat(CLI::App& command, T& to,
               const std::vector<std::pair<std::string, std::type_identity_t<T>>>& choices) {
  const std::string help = ListText(choices, " or ", [&](const auto& choice) {
    return choice.first + (&choice == &choices.front() ? " (default)" : "");
  });
  AddChoice(command, "--format", to, "FORMAT", help.c_str(), choices);
}

/// --format, one of kOutputFormats.
void AddFormat(CLI::App& command, const OutputFormat*& to);

void AddNow(CLI::App& command, EngineOptions& options);

void AddAnswerOptions(CLI::App& command, EngineOptions& options);

void AddFactsOptions(CLI::App& command, EngineOptions& options);

void AddConfig(CLI::App& command, std::string& config, const char* by_default);

CLI::Option* AddModel(CLI::App& command, std::string& model);
void AddToolOptions(CLI::App& command, EngineOptions& options, const char* by_default);

/// `store`: the name of the option for the store of the guard.
void AddAgentOptions(CLI::App& command, GuardOptions& options, const char* store = "--store");

void AddGuardOptions(CLI::App& command, GuardOptions& options, const char* store = "--store");

/// REQUIRES: `limits` are the defaults.
void AddLimitOptions(CLI::App& command, SessionLimits& limits, std::size_t most = SIZE_MAX);

/// Those of a command that evaluates nothing.
void AddTimeAndMemory(CLI::App& command, SessionLimits& limits);

void AddWatch(CLI::App& command, bool& watch);

void AddThreads(CLI::App& command, std::size_t& threads);

/// Which goal is pursued, and how its end is told.
void AddGoalOptions(CLI::App& command, EngineOptions& options);

/// The options of every run.
void AddRunOptions(CLI::App& command, EngineOptions& options);

/// And how the run is reported, but for --format.
void AddReportedRunOptions(CLI::App& command, EngineOptions& options);

void AddEngineOptions(CLI::App& command, EngineOptions& options);

}  // namespace rpl

#endif  // RPL_SHELL_COMMANDS_SHARED_OPTIONS_H_
