// SPDX-License-Identifier: Apache-2.0
//
// The reference of the commands: docs/commands.md, and pages for man(1) in the macros of man(7).
// Both are generated from the tree of commands.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>

#include "formats/shorten.h"
#include "shell/commands/command_tree.h"
#include "shell/commands/commands.h"
#include "shell/commands/shared_options.h"
#include "shell/terminal/report.h"

namespace rpl {
namespace {

// rpl reference WHAT: prints docs/commands.md, a page for man(1), or the names of the commands.
// Hidden: packages are built with it.
struct ReferenceOptions {
  std::string what;     // markdown, man or commands
  std::string command;  // of the page; "" for rpl itself
};

// `rpl-trace-show`: an anchor in the document, or the name of a man page.
std::string PageName(const CommandNode& command) {
  std::string name = command.path;
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

// --- Markdown -----------------------------------------------------------------------------

std::string Cell(const std::string& text) {
  std::string cell;
  for (const char c : text) cell += c == '|' ? "\\|" : std::string(1, c);
  return cell;
}

void PrintTable(const char* title, const std::vector<Parameter>& parameters) {
  if (parameters.empty()) return;
  std::cout << fmt::format("\n| {} | |\n|---|---|\n", title);
  for (const Parameter& parameter : parameters) {
    std::cout << fmt::format("| `{}` | {} |\n", Cell(Spelled(parameter)), Cell(parameter.help));
  }
}

void PrintMarkdown(const CommandNode& node) {
  std::cout << fmt::format("\n## {}\n\n{}.\n\n```text\n{}\n```\n", node.path, node.help,
                           Usage(node));
  PrintTable("argument", node.arguments);
  PrintTable("option", node.options);
  if (!node.commands.empty()) std::cout << "\n| command | |\n|---|---|\n";
  for (const CommandNode& command : node.commands) {
    std::cout << fmt::format("| [`{}`](#{}) | {} |\n", command.path, PageName(command),
                             Cell(command.help));
  }
  for (const FooterPart& part : node.footer) {
    const std::string lines = fmt::format("{}\n", fmt::join(part.lines, "\n"));
    if (part.title.empty()) std::cout << '\n' << lines;
    else std::cout << fmt::format("\n{}:\n\n```text\n{}```\n", part.title, lines);
  }
  for (const CommandNode& command : node.commands) PrintMarkdown(command);
}

// --- Man pages ----------------------------------------------------------------------------

// Text for roff, in which every character is literal.
std::string Roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '\\': out += "\\e"; break;
      case '-': out += "\\-"; break;
      case '`': out += "\\(ga"; break;
      case '\'': out += "\\(aq"; break;
      case '"': out += "\\(dq"; break;
      case '^': out += "\\(ha"; break;
      case '~': out += "\\(ti"; break;
      default: out += c;
    }
  }
  return out.starts_with('.') ? "\\&" + out : out;
}

// Likewise, with backquoted text in bold.
std::string RoffProse(const std::string& text) {
  std::string out;
  for (std::size_t begin = 0;;) {
    const std::size_t open = text.find('`', begin);
    const std::size_t close = open == text.npos ? open : text.find('`', open + 1);
    if (close == text.npos) return out + Roff(text.substr(begin));
    out += Roff(text.substr(begin, open - begin)) + "\\fB" +
           Roff(text.substr(open + 1, close - open - 1)) + "\\fR";
    begin = close + 1;
  }
}

std::string Upper(std::string text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

void PrintParameters(const std::vector<Parameter>& parameters) {
  for (const Parameter& parameter : parameters) {
    std::cout << fmt::format(".TP\n\\fB{}\\fR\n{}.\n", Roff(Spelled(parameter)),
                             RoffProse(parameter.help));
  }
}

void PrintFooterPart(const FooterPart& part, const char* macro) {
  if (part.title.empty()) {
    std::cout << ".PP\n";
    for (const std::string& line : part.lines) std::cout << RoffProse(line) << '\n';
    return;
  }
  const std::string title = part.title == "Exit codes" ? "Exit status" : part.title;
  std::cout << macro << ' ' << (std::string_view(macro) == ".SH" ? Upper(title) : title)
            << "\n.nf\n";
  for (const std::string& line : part.lines) std::cout << Roff(line) << '\n';
  std::cout << ".fi\n";
}

// Prose belongs to the description; a part with a title becomes a section.
void PrintFooter(const std::vector<FooterPart>& footer, bool titled, const char* macro) {
  for (const FooterPart& part : footer) {
    if (part.title.empty() != titled) PrintFooterPart(part, macro);
  }
}

// Subcommands have no pages of their own.
void PrintSubcommands(const CommandNode& node) {
  for (const CommandNode& command : node.commands) {
    std::cout << fmt::format(".SS {}\n{}.\n.PP\n\\fB{}\\fR\n", Roff(command.path),
                             RoffProse(command.help), Roff(Usage(command)));
    PrintParameters(command.arguments);
    PrintParameters(command.options);
    PrintFooter(command.footer, false, ".SS");
    PrintFooter(command.footer, true, ".SS");
    PrintSubcommands(command);
  }
}

void PrintManPage(const CommandNode& root, const CommandNode& node) {
  const bool is_root = &node == &root;
  std::string summary = node.help;
  if (summary.starts_with(node.name + ", ")) summary = summary.substr(node.name.size() + 2);
  std::cout << fmt::format(".TH {} 1 \"\" \"{}\" \"RPL\"\n", Roff(Upper(PageName(node))),
                           Roff("rpl " RPL_VERSION))
            << fmt::format(".SH NAME\n{} \\- {}\n", Roff(PageName(node)), RoffProse(summary))
            << fmt::format(".SH SYNOPSIS\n\\fB{}\\fR\n", Roff(Usage(node)))
            << fmt::format(".SH DESCRIPTION\n{}.\n", RoffProse(node.help));
  PrintFooter(node.footer, false, ".SH");
  if (!node.arguments.empty()) std::cout << ".SH ARGUMENTS\n";
  PrintParameters(node.arguments);
  std::cout << ".SH OPTIONS\n";
  PrintParameters(node.options);
  if (!node.commands.empty()) std::cout << ".SH COMMANDS\n";
  if (is_root) {
    for (const CommandNode& command : node.commands) {
      std::cout << fmt::format(".TP\n\\fB{}\\fR(1)\n{}.\n", Roff(PageName(command)),
                               RoffProse(command.help));
    }
  } else {
    PrintSubcommands(node);
  }
  PrintFooter(node.footer, true, ".SH");
  if (is_root) return;
  for (const FooterPart& part : root.footer) {
    if (part.title == "Exit codes") PrintFooterPart(part, ".SH");
  }
  std::cout << fmt::format(".SH SEE ALSO\n\\fB{}\\fR(1)\n", root.name);
}

// kExitInvalid for an unknown command.
int CommandReference(const ReferenceOptions& options, const CommandNode& root) {
  if (options.what == "markdown") {
    std::cout
        << "# Commands\n\nThe help texts of `rpl` and its commands on one page, as printed by "
           "`rpl reference markdown`.\n";
    PrintMarkdown(root);
    return kExitOk;
  }
  if (options.what == "commands") {
    for (const CommandNode& command : root.commands) std::cout << command.name << '\n';
    return kExitOk;
  }
  if (options.command.empty()) {
    PrintManPage(root, root);
    return kExitOk;
  }
  for (const CommandNode& command : root.commands) {
    if (command.name != options.command) continue;
    PrintManPage(root, command);
    return kExitOk;
  }
  std::cerr << "rpl: unknown command `" << PrintableLine(Shortened(options.command, kToldBytes))
            << "`\n";
  return kExitInvalid;
}

}  // namespace

Command DescribeReference(CommandOptions command, const Wanted&) {
  const auto options = std::make_shared<ReferenceOptions>();
  ReferenceOptions& to = *options;
  command.Add("WHAT", to.what, "markdown, man or commands")
      .Required()
      .OneOf({"markdown", "man", "commands"});
  command.Add("COMMAND", to.command, "The command, for `man`");
  return {.run = [options, command] {
    return CommandReference(*options, ReadCommandTree(command.parser()));
  }};
}

}  // namespace rpl
