// SPDX-License-Identifier: Apache-2.0
#include "shell/program/tool_permission.h"

#include <fmt/format.h>

#include <filesystem>

#include "formats/shorten.h"
#include "runtime/tools/tool.h"
#include "shell/program/tool_setup.h"
#include "shell/terminal/report.h"
#include "shell/terminal/state_file.h"

namespace rpl {
namespace {

constexpr std::size_t kShown = 60;  // bytes of a line that is told back

std::string Words(const ToolCommand& command) {
  return Printable(Dump(nlohmann::ordered_json(command.argv)));
}

std::string Names(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  return all.empty() ? "no environment" : all;
}

}  // namespace

Permission::Permit ToolPermission::Approve(const ToolCommand& command) {
  if (allowed_.contains(command.name)) return {true, ""};
  const std::string hash = CommandHash(command);
  if (approvals_.Has(hash)) return {true, ""};
  if (!read_line_) {
    return {false, fmt::format("its command is not approved: run it once on a terminal, or with "
                               "`--allow-tool {}`",
                               command.name)};
  }
  const std::string comment = "$" + command.name + " " + Words(command) + " in " + command.folder;
  return ApproveOnce(hash, comment, "its command was not approved", [&] {
    err_ << "`" << PrintableLine(config_) << "` brings the command of $"
         << PrintableLine(command.name) << ":\n";
    Show(command);
  });
}

Permission::Permit ToolPermission::Reach(const std::string& tool, const std::string& what) {
  if (allowed_.contains(tool)) return {true, ""};
  ToolCommand opened;
  opened.name = tool;
  opened.folder = opened.home = FolderOf(config_);
  // No word is the name of a file: what else the configuration says may change.
  opened.argv = {"opened by " + std::filesystem::path(config_).filename().string(), what};
  const std::string hash = CommandHash(opened);
  if (approvals_.Has(hash)) return {true, ""};
  if (!read_line_)
    return {false, fmt::format("`{}` lets the program {}, which is not approved: run it once on a "
                               "terminal, or with `--allow-tool {}`",
                               PrintableLine(config_), what, tool)};
  return ApproveOnce(hash, config_ + " " + what, "that was not approved", [&] {
    err_ << "`" << PrintableLine(config_) << "` lets the program " << PrintableLine(what) << '\n';
  });
}

Permission::Permit ToolPermission::ApproveOnce(const std::string& hash, const std::string& comment,
                                               const char* refusal,
                                               const std::function<void()>& show) {
  const Permit refused = {false, refusal};
  if (refused_.contains(hash)) return refused;
  show();
  if (Choice("approve it, for this and later runs? [y/N]", "yn", 'n') != 'y') {
    refused_.insert(hash);
    return refused;
  }
  if (const std::string error = approvals_.Add(hash, Printable(comment)); !error.empty())
    err_ << "note: the approval is not remembered: " << Printable(error) << '\n';
  return {true, ""};
}

Permission::Permit ToolPermission::Pin(const ToolCommand& command, const std::string& hash,
                                       const std::string& definition) {
  const std::string known = pins_.Find(command);
  if (known == hash) return {true, ""};
  if (!known.empty()) {
    if (!read_line_)
      return {false,
              fmt::format("the server changed the definition of ${} since its first use: run "
                          "it once on a terminal",
                          command.name)};
    err_ << "the server changed the definition of $" << PrintableLine(command.name) << ":\n  "
         << PrintableLine(definition) << '\n';
    if (Choice("use it as it is now, in this and later runs? [y/N]", "yn", 'n') != 'y')
      return {false, "its changed definition was not approved"};
  }
  if (const std::string error = pins_.Set(command, hash); !error.empty())
    err_ << "note: the definition is not remembered: " << Printable(error) << '\n';
  return {true, ""};
}

Permission::Permit ToolPermission::Ask(const CommandCall& call, const std::string& request) {
  const ToolCommand& command = *call.command;
  if (allowed_.contains(command.name)) return {true, ""};
  if (read_line_) {
    err_ << "the program calls " << PrintableLine(request) << ":\n";
    Show(command);
    err_ << "  it reads " << Printable(RequestLine(call)) << '\n';
  }
  return AskOnce("run it?", command.name);
}

Permission::Permit ToolPermission::AskToWrite(const std::string& path, std::size_t bytes) {
  if (allowed_.contains("write")) return {true, ""};
  if (read_line_)
    err_ << "the program writes " << bytes << " bytes to " << PrintableLine(path) << '\n';
  return AskOnce("write it?", "write");
}

Permission::Permit ToolPermission::AskOnce(const std::string& question, const std::string& tool) {
  if (!read_line_)
    return {false, fmt::format("nobody is there to ask: allow it with `--allow-tool {}`", tool)};
  const char choice = Choice(
      fmt::format("{} y: yes, a: yes, and every ${} of this run, n: no [y/a/n]", question, tool),
      "yan", '\0');
  if (choice == 'a') allowed_.insert(tool);
  if (choice == 'y' || choice == 'a') return {true, ""};
  return {false, choice == 'n' ? "it was refused" : "nobody answered whether it may run"};
}

void ToolPermission::Show(const ToolCommand& command) {
  err_ << "  " << Words(command) << "\n  in " << PrintableLine(command.folder) << ", with "
       << Names(command.environment) << '\n';
}

char ToolPermission::Choice(const std::string& question, std::string_view letters,
                            char by_default) {
  for (;;) {
    err_ << PrintableLine(question) << ' ' << std::flush;
    const std::optional<std::string> line = read_line_();
    if (!line) {
      err_ << '\n';
      return '\0';
    }
    if (line->empty() && by_default != '\0') return by_default;
    for (const char letter : letters) {
      const std::string_view word = letter == 'y' ? "yes" : letter == 'a' ? "all" : "no";
      if (*line == word || *line == word.substr(0, 1)) return letter;
    }
    err_ << (line->empty() ? "this line is empty"
                           : "`" + PrintableLine(Shortened(*line, kShown)) + "` is not one of them")
         << ": expected " << (letters == "yn" ? "y or n" : "y, a or n") << '\n';
  }
}

std::string ApprovalsPath() { return StateFile("approved-tools"); }
std::string PinsPath() { return StateFile("pinned-tools"); }

}  // namespace rpl
