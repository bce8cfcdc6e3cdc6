// SPDX-License-Identifier: Apache-2.0
//
// Options that several commands share. Each function adds some to a command and binds them to what
// it is given, which must outlive the parser.
#ifndef RPL_SHELL_COMMANDS_SHARED_OPTIONS_H_
#define RPL_SHELL_COMMANDS_SHARED_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "formats/list_text.h"
#include "shell/commands/command_options.h"
#include "shell/program/options.h"

namespace rpl {

inline constexpr const char* kBesideDocument = "default: rpl.yaml beside the document";
inline constexpr const char* kPrograms = "Markdown protocols, or plain RPL (*.rpl)";

/// An option that takes one of several words, each with a value.
template <typename T>
void AddChoice(CommandOptions command, const char* name, T& to, const char* unit, const char* help,
               const std::vector<std::pair<std::string, std::type_identity_t<T>>>& choices) {
  std::vector<std::string> words;
  for (const auto& [word, value] : choices) words.push_back(word);
  command
      .AddTaking<std::string>(
          name,
          [&to, choices](const std::string& chosen) {
            for (const auto& [word, value] : choices)
              if (word == chosen) to = value;
          },
          help)
      .Unit(unit)
      .OneOf(words);
}

/// A subcommand that sets `to` to `what` when it is chosen.
template <typename What>
CommandOptions AddPart(CommandOptions command, const char* name, const char* help, What& to,
                       What what) {
  return command.Part(name, help, [&to, what] { to = what; });
}

std::string CheckTime(const std::string& text);

/// For options that name a file: an empty name is an error (an unset variable), never "none".
std::string CheckNamed(const std::string& path);

/// An option that takes one value and may be repeated.
CommandOption AddRepeatable(CommandOptions command, const char* name, std::vector<std::string>& to,
                            const char* unit, const char* about);

CommandOption AddPrograms(CommandOptions command, std::vector<std::string>& to);

/// --format, one of the choices, of which the first is the default.
template <typename T>
void AddFormat(CommandOptions command, T& to,
               const std::vector<std::pair<std::string, std::type_identity_t<T>>>& choices) {
  const std::string help = ListText(choices, " or ", [&](const auto& choice) {
    return choice.first + (&choice == &choices.front() ? " (default)" : "");
  });
  AddChoice(command, "--format", to, "FORMAT", help.c_str(), choices);
}

/// --format, one of kOutputFormats.
void AddFormat(CommandOptions command, const OutputFormat*& to);

void AddNow(CommandOptions command, EngineOptions& options);

void AddAnswerOptions(CommandOptions command, EngineOptions& options);

void AddFactsOptions(CommandOptions command, EngineOptions& options);

void AddConfig(CommandOptions command, std::string& config, const char* by_default);

CommandOption AddModel(CommandOptions command, std::string& model);
void AddToolOptions(CommandOptions command, EngineOptions& options, const char* by_default);

/// `store`: the name of the option for the store of the guard.
void AddAgentOptions(CommandOptions command, GuardOptions& options, const char* store = "--store");

void AddGuardOptions(CommandOptions command, GuardOptions& options, const char* store = "--store");

/// REQUIRES: `limits` are the defaults.
void AddLimitOptions(CommandOptions command, SessionLimits& limits, std::size_t most = SIZE_MAX);

/// Those of a command that evaluates nothing.
void AddTimeAndMemory(CommandOptions command, SessionLimits& limits);

void AddWatch(CommandOptions command, bool& watch);

void AddThreads(CommandOptions command, std::size_t& threads);

/// Which goal is pursued, and how its end is told.
void AddGoalOptions(CommandOptions command, EngineOptions& options);

/// The options of every run.
void AddRunOptions(CommandOptions command, EngineOptions& options);

/// And how the run is reported, but for --format.
void AddReportedRunOptions(CommandOptions command, EngineOptions& options);

void AddEngineOptions(CommandOptions command, EngineOptions& options);

}  // namespace rpl

#endif  // RPL_SHELL_COMMANDS_SHARED_OPTIONS_H_
