// SPDX-License-Identifier: Apache-2.0
#include "shell/repl/command_help.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <string_view>

#include "formats/spelling.h"
#include "formats/terminal_text.h"
#include "grammar/namespaces.h"
#include "interp/program/builtin_tools.h"
#include "shell/program/known_names.h"
#include "shell/terminal/limit_names.h"

namespace rpl {
namespace {

// What is no command.
struct HelpTopic {
  const char* name;
  const char* text;
};

constexpr HelpTopic kTopics[] = {
    {"entries",
     "edge(1, 2)                 asserts a fact; rules and constraints likewise\n"
     "edge(1, ?x), ?x > 2        asks, for all values of ?x\n"
     "edge(1, 2), true           asks whether it holds\n"
     "%far(?x) <- edge(1, ?x)    asks, as a goal form\n"
     "# Trip - %trip(?to) <- …   a heading begins Markdown; an empty line ends it\n"
     "edge(1, 2) -> false        takes the fact back; .undo takes the last entry back\n"},
    {"keys",
     "Enter      ends a complete entry, else starts a line; an empty line ends any entry\n"
     "Alt-Enter  starts a line\n"
     "Tab        completes commands and what they take, relations, goals, tools, variables\n"
     "Up, Down   earlier entries; Ctrl-R searches them\n"
     "Ctrl-C     cancels the entry, or the evaluation; Ctrl-D leaves\n"},
    {"questions",
     ".run asks at the prompt what the goals need. Ctrl-D leaves a question open; .pending lists\n"
     "what is open, .answer KEY=VALUE answers. `place(\"Lucca\") -> false` takes an answer "
     "back.\n"},
};

// The completion for a word of what a command takes.
CompletionNames::Argument ArgumentOf(const std::string& takes,
                                     const std::vector<ReplCommand>& commands,
                                     const Session& session,
                                     const std::optional<Outcome>& outcome) {
  using Argument = CompletionNames::Argument;
  Argument out{Argument::Kind::kWords, {}};
  if (takes == "FILE") return {Argument::Kind::kFile, {}};
  if (takes == "FACT" || takes == "ENTRY") return {Argument::Kind::kEntry, {}};
  if (takes == "REL" || takes == "RELATION" || takes == "TEXT") {
    for (const std::string& known : KnownNames(session))
      if (!known.starts_with('$')) out.words.emplace_back(LabelOf(known));
  } else if (takes == "NAME") {
    for (const LimitName& limit : LimitNames()) out.words.emplace_back(limit.name);
  } else if (takes == "KEY=VALUE") {
    if (outcome && outcome->status == Status::kWaiting)
      for (const OpenRequest& open : outcome->pending) out.words.push_back(open->name + "=");
  } else if (takes == "TOPIC") {
    for (const ReplCommand& command : commands) out.words.emplace_back(command.name + 1);
    for (const HelpTopic& topic : kTopics) out.words.emplace_back(topic.name);
  } else if (takes.find('|') != takes.npos) {
    for (std::size_t at = 0; at < takes.size();) {
      const std::size_t end = std::min(takes.find('|', at), takes.size());
      out.words.push_back(takes.substr(at, end - at));
      at = end + 1;
    }
  }
  return out;
}

void HelpOn(const std::string& topic, const std::vector<ReplCommand>& commands,
            ReplConsole& console) {
  const std::string name = topic.starts_with('.') ? topic.substr(1) : topic;
  NearestName nearest(name);
  for (const ReplCommand& command : commands) {
    nearest.Offer(command.name + 1);
    if (name != command.name + 1) continue;
    std::cout << command.name << (*command.takes != '\0' ? " " : "") << command.takes << "\n"
              << command.help << "\n"
              << command.more << std::flush;
    return;
  }
  for (const HelpTopic& other : kTopics) {
    nearest.Offer(other.name);
    if (name == other.name) {
      std::cout << other.text << std::flush;
      return;
    }
  }
  console.Error(fmt::format("no help on `{}`{}", Printable(topic),
                            nearest.name().empty() ? "; .help lists the topics"
                                                   : ", did you mean `" + nearest.name() + "`?"));
}

}  // namespace

CompletionNames NamesFor(const std::vector<ReplCommand>& commands, const Session& session,
                         const std::optional<Outcome>& outcome) {
  CompletionNames names;
  for (const ReplCommand& command : commands) {
    CompletionNames::Command& to = names.commands.emplace_back();
    to.name = command.name;
    std::string takes = command.takes;
    std::erase_if(takes, [](char c) { return c == '[' || c == ']'; });
    for (std::size_t at = 0; at < takes.size();) {
      const std::size_t end = std::min(takes.find(' ', at), takes.size());
      to.arguments.push_back(ArgumentOf(takes.substr(at, end - at), commands, session, outcome));
      at = end + 1;
    }
  }
  for (const BuiltinTool& tool : kBuiltinTools)
    names.words.push_back("$" + std::string(tool.label) + "(");
  for (const std::string& known : KnownNames(session)) {
    const bool has_arguments = known.find('/') != known.npos && !known.ends_with("/0");
    names.words.push_back(std::string(LabelOf(known)) + (has_arguments ? "(" : ""));
  }
  return names;
}

void PrintHelp(const std::string& topic, const std::vector<ReplCommand>& commands,
               ReplConsole& console) {
  if (!topic.empty()) return HelpOn(topic, commands, console);
  std::cout << "edge(1, 2)                 asserts a fact; rules and constraints likewise\n"
               "edge(1, ?x)                asks, for all values of ?x\n"
               "%far(?x) <- edge(1, ?x)    asks, as a goal form\n"
               "# Trip - %trip(?to) <- …   a heading begins Markdown; an empty line ends it\n\n";
  for (const ReplCommand& command : commands) {
    const bool is_wide = std::string_view(command.takes).size() > 18;
    std::cout << fmt::format("{:<26} {}\n",
                             fmt::format("{} {}", command.name, is_wide ? "FORM" : command.takes),
                             command.help);
  }
  std::cout << "\n.help TOPIC says more: a command, entries, keys or questions\n" << std::flush;
}

}  // namespace rpl
