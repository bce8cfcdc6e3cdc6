// SPDX-License-Identifier: Apache-2.0
#include "shell/commands/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "formats/file_name.h"
#include "formats/shorten.h"
#include "formats/spelling.h"
#include "shell/commands/command_table.h"
#include "shell/commands/help_topic.h"
#include "shell/repl/line_reader.h"
#include "shell/repl/repl.h"
#include "shell/terminal/limit_watch.h"
#include "shell/terminal/prompt_text.h"
#include "shell/terminal/refusal.h"
#include "shell/terminal/report.h"
#include "shell/terminal/watch.h"

namespace rpl {
namespace {

constexpr std::size_t kShown = 200;  // bytes of an argument that is told back

// Calls `command`; what it throws becomes an exit code.
int Guarded(const std::function<int()>& command) {
  try {
    return command();
  } catch (const std::bad_alloc&) {
    std::cerr << "limit reached: memory\nhelp: the program derives or builds more than this "
                 "machine holds\n";
    return kExitLimit;
  } catch (const std::exception& e) {
    std::cerr << "internal error: " << Printable(e.what()) << '\n';
  } catch (...) {
    std::cerr << "internal error: an unknown exception\n";
  }
  return kExitBug;
}

// Runs the command; with --watch, again and again. The limits hold for each run.
int Obey(const Command& command) {
  const auto run = [&] {
    if (command.limits != nullptr)
      WatchLimits(*command.limits, command.threads == nullptr ? 1 : *command.threads);
    return command.run();
  };
  if (command.watch != nullptr && *command.watch) return RunWatched([&] { return Guarded(run); });
  return run();
}

// The arguments after the program's name, with `help COMMAND` replaced by `COMMAND --help`.
std::vector<std::string> WithoutHelp(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.front() == "help") {
    arguments.erase(arguments.begin());
    arguments.push_back("--help");
  }
  return arguments;
}

// --- A command line that is not understood ------------------------------------------------

// ", did you mean `run`?", or "".
std::string Suggestion(std::string_view got, const std::vector<std::string>& candidates) {
  NearestName nearest(got);
  for (const std::string& candidate : candidates) nearest.Offer(candidate);
  return nearest.name().empty() ? "" : fmt::format(", did you mean `{}`?", nearest.name());
}

std::vector<std::string> SubcommandNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

std::vector<std::string> FlagNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// An argument, or its value, as a message tells it back.
std::string Told(const std::string& argument) { return Shortened(argument, kShown); }

// `rpl help TOPIC`, where TOPIC is no command.
int Help(const std::string& topic, std::vector<std::string> commands) {
  const std::string text = HelpOn(topic);
  if (!text.empty()) {
    PrintDocument(text);
    return kExitOk;
  }
  for (std::string& known : HelpTopics()) commands.push_back(std::move(known));
  std::cerr << "rpl: no command, code or page `" << Printable(Told(topic)) << '`'
            << Suggestion(topic, commands) << "\nhelp: `rpl help topics` lists the pages\n";
  return kExitInvalid;
}

// The message with each long argument, or value of one, as it is told.
std::string TellsShort(std::string message, const std::vector<std::string>& arguments) {
  const auto shorten = [&](const std::string& text) {
    if (text.size() <= kShown) return;
    const std::string told = Told(text);
    for (std::size_t at = 0; (at = message.find(text, at)) != std::string::npos; at += told.size())
      message.replace(at, text.size(), told);
  };
  for (const std::string& argument : arguments) {
    shorten(argument);
    shorten(argument.substr(argument.find('=') + 1));
  }
  return message;
}

int Misunderstood(const std::string& message, std::string_view command,
                  const std::string& hint = "") {
  std::cerr << Fitted(
      fmt::format("rpl: {}\nhelp: {}{}see `rpl{}{} --help`\n", Printable(message), hint,
                  hint.empty() ? "" : "; ", command.empty() ? "" : " ", command),
      std::cerr);
  return kExitInvalid;
}

int Reject(const CLI::App& app, const CLI::ParseError& error,
           const std::vector<std::string>& arguments) {
  std::string name;
  const CLI::App* chosen = &app;
  while (!chosen->get_subcommands().empty()) {
    chosen = chosen->get_subcommands().front();
    name += (name.empty() ? "" : " ") + chosen->get_name();
  }
  const CLI::App& command = *chosen;
  for (const std::string& extra : app.remaining(true)) {
    if (extra.starts_with('-') && extra != "--") {
      const std::string flag = extra.substr(0, extra.find('='));
      return Misunderstood(
          fmt::format("unknown option `{}`{}", Told(flag), Suggestion(flag, FlagNames(command))),
          name);
    }
    const bool takes_files = command.get_option_no_throw("--file") != nullptr;
    return Misunderstood(fmt::format("one argument too many: `{}`", Told(extra)), name,
                         takes_files ? "files follow `-f`" : "");
  }
  const std::vector<std::string> below = SubcommandNames(command);
  const bool lacks_one = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  if (lacks_one && !name.empty() && !below.empty())
    return Misunderstood(fmt::format("{}: expected one of {}", name, fmt::join(below, ", ")), name);
  return Misunderstood(TellsShort(error.what(), arguments), name);
}

// The commands that are wanted, and those of them that the arguments chose.
class ParsedLine {
 public:
  /// Throws CLI::ParseError.
  void Parse(const std::vector<std::string>& arguments, const Wanted& wanted) {
    commands_ = DescribeCommands(app_, wanted);
    // CLI11 requires the reverse order, and takes arguments out.
    std::vector<std::string> left(arguments.rbegin(), arguments.rend());
    app_.parse(left);
  }
  CLI::App& app() { return app_; }
  const Command& chosen() const { return commands_.at(app_.get_subcommands().front()->get_name()); }

 private:
  CLI::App app_{"rpl, an engine for RPL, the Relational Prompt Language", "rpl"};
  std::map<std::string, Command> commands_;
};

// With all commands, which help and messages about a wrong line name.
int UnderstandInFull(const std::vector<std::string>& arguments) {
  ParsedLine line;
  try {
    line.Parse(arguments, [](std::string_view) { return true; });
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return line.app().exit(error);  // --help and --version
    return Reject(line.app(), error, arguments);
  }
  return Obey(line.chosen());
}

int Understand(int argc, char** argv) {
  if (argc < 2) {
    if (IsInteractive()) return Repl(ReplOptions()).Run();
    std::cerr
        << "rpl: expected a command\n"
           "help: `rpl run FILE` runs a program, `rpl repl` reads entries from standard input, "
           "`rpl reply` one message; see `rpl help`\n";
    return kExitInvalid;
  }
  const std::vector<std::string> arguments = WithoutHelp(argc, argv);
  const std::string& first = arguments.front();
  const std::vector<std::string> names = CommandNames();
  const auto is_command = [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (argc == 3 && std::string_view(argv[1]) == "help" && !is_command(argv[2]) && *argv[2] != '-')
    return Help(argv[2], names);
  if (!first.starts_with('-') && !is_command(first)) {
    const bool is_document = HasExtension(first, ".md") || HasExtension(first, ".rpl");
    return Misunderstood(
        fmt::format("unknown command `{}`{}", Told(first), Suggestion(first, names)), "",
        is_document
            ? fmt::format("`rpl run {0}` runs it, `rpl repl {0}` opens it", Printable(Told(first)))
        : first == "version" ? "`rpl --version` says it"
                             : "");
  }
  // Commands that the line does not name change nothing about a line that is right.
  const auto is_named = [&](std::string_view name) {
    return std::find(arguments.begin(), arguments.end(), name) != arguments.end();
  };
  if (is_named("completion") || is_named("reference")) return UnderstandInFull(arguments);
  ParsedLine line;
  try {
    line.Parse(arguments, is_named);
  } catch (const CLI::CallForVersion& version) {
    return line.app().exit(version);
  } catch (const CLI::ParseError&) {
    return UnderstandInFull(arguments);
  }
  return Obey(line.chosen());
}

}  // namespace

int RunCommandLine(int argc, char** argv) {
  RefusalReport refusal(argc, argv);
  const int code = Guarded([&] { return Understand(argc, argv); });
  refusal.End(code);
  return code;
}

}  // namespace rpl
