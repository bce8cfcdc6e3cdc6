// SPDX-License-Identifier: Apache-2.0
#include "shell/commands/command_tree.h"

#include <re2/re2.h>

#include <CLI/CLI.hpp>
#include <algorithm>

namespace rpl {
namespace {

bool Mentions(const std::string& text, const char* word) {
  return RE2::PartialMatch(text, std::string("\\b(?i:") + word + ")\\b");
}

// The placeholder and the choices of `FORMAT:{text,json}`; checks without a list of choices
// (`N:NONNEGATIVE`) add nothing to the help.
void ReadType(const std::string& type, Parameter& to) {
  to.value = type.substr(0, type.find(':'));
  std::string choices;
  if (!RE2::PartialMatch(type, R"(:\{([^}]*)\})", &choices)) return;
  for (std::size_t begin = 0; begin <= choices.size();) {
    const std::size_t end = std::min(choices.find(',', begin), choices.size());
    to.choices.push_back(choices.substr(begin, end - begin));
    begin = end + 1;
  }
}

void ReadFiles(Parameter& to) {
  const std::string& value = to.value;
  if (!to.choices.empty() || value.empty()) return;
  if (value == "COMMAND") to.takes = Parameter::Takes::kCommand;
  if (value == "FOLDER") to.takes = Parameter::Takes::kFolder;
  if (value == "FILE" || value == "PATH" || value.ends_with("=FILE") || Mentions(to.help, "file") ||
      Mentions(to.help, "session")) {
    to.takes = Parameter::Takes::kFile;
  }
  if (to.takes != Parameter::Takes::kFile) return;
  struct Kind {
    const char* word;
    std::vector<std::string> extensions;
  };
  static const std::vector<Kind> kinds = {
      {"markdown", {"md"}}, {R"(\*\.md)", {"md"}},     {R"(\*\.rpl)", {"rpl"}},
      {"json", {"json"}},   {"yaml", {"yaml", "yml"}}, {"csv", {"csv"}},
      {"tsv", {"tsv"}},     {"ndjson", {"ndjson"}},    {"(--)?session", {"rpls"}}};
  const std::string said = (to.names.empty() ? "" : to.names.back() + " ") + to.help;
  for (const Kind& kind : kinds) {
    if (!RE2::PartialMatch(said, std::string(R"((^|\W)(?i:)") + kind.word + R"()($|\W))")) continue;
    to.extensions.insert(to.extensions.end(), kind.extensions.begin(), kind.extensions.end());
  }
}

Parameter ReadParameter(const CLI::Option& option) {
  Parameter to;
  for (const std::string& name : option.get_snames()) to.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) to.names.push_back("--" + name);
  to.help = option.get_description();
  to.required = option.get_required();
  const bool takes_value = option.get_items_expected_max() > 0;
  to.repeated = takes_value && option.get_expected_max() > 1;
  if (takes_value) ReadType(option.get_type_name(), to);
  if (option.get_positional()) to.value = option.get_name(true);
  ReadFiles(to);
  return to;
}

bool IsTitle(const std::vector<std::string>& block) {
  return block.size() > 1 && std::all_of(block.begin() + 1, block.end(),
                                         [](const auto& line) { return line.starts_with("  "); });
}

// Blocks separated by blank lines: a title above lines indented by two, or prose.
std::vector<FooterPart> ReadFooter(const std::string& text) {
  std::vector<FooterPart> parts;
  std::vector<std::string> block;
  const auto end_block = [&] {
    if (block.empty()) return;
    FooterPart part;
    if (IsTitle(block)) {
      part.title = block.front();
      for (std::size_t i = 1; i < block.size(); ++i) part.lines.push_back(block[i].substr(2));
    } else {
      part.lines = block;
    }
    parts.push_back(std::move(part));
    block.clear();
  };
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (end == begin) end_block();
    else block.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  end_block();
  return parts;
}

// CLI11 copies the footer of a command to the subcommands added below it.
bool InheritsFooter(const CLI::App& app) {
  for (const CLI::App* above = app.get_parent(); above != nullptr; above = above->get_parent()) {
    if (above->get_footer() == app.get_footer()) return true;
  }
  return false;
}

CommandNode ReadNode(const CLI::App& app, const std::string& above) {
  CommandNode node;
  node.name = app.get_name();
  node.path = above + node.name;
  node.help = app.get_description();
  node.needs_command = app.get_require_subcommand_min() > 0;
  if (!InheritsFooter(app)) node.footer = ReadFooter(app.get_footer());
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    (option->get_positional() ? node.arguments : node.options).push_back(ReadParameter(*option));
  }
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!command->get_group().empty()) node.commands.push_back(ReadNode(*command, node.path + " "));
  }
  return node;
}

}  // namespace

CommandNode ReadCommandTree(const CLI::App& app) { return ReadNode(app, ""); }

std::string Usage(const CommandNode& command) {
  std::string usage = command.path;
  const auto add = [&](const std::string& text, const Parameter& parameter) {
    const std::string all = text + (parameter.repeated ? "..." : "");
    usage += " " + (parameter.required ? all : "[" + all + "]");
  };
  usage += " [OPTIONS]";
  for (const Parameter& option : command.options) {
    if (option.required) add(option.names.front() + " " + option.value, option);
  }
  for (const Parameter& argument : command.arguments) add(argument.value, argument);
  if (!command.commands.empty()) usage += command.needs_command ? " COMMAND" : " [COMMAND]";
  return usage;
}

std::string Spelled(const Parameter& parameter) {
  std::string spelled;
  for (const std::string& name : parameter.names) spelled += (spelled.empty() ? "" : ", ") + name;
  if (parameter.value.empty()) return spelled;
  return spelled + (spelled.empty() ? "" : " ") + parameter.value;
}

}  // namespace rpl
