// SPDX-License-Identifier: Apache-2.0
#include "shell/guard/host_protection.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "checks/calls/shfmt_reader.h"
#include "formats/shorten.h"
#include "shell/guard/hook_table.h"
#include "shell/program/program_files.h"
#include "shell/terminal/state_file.h"

namespace rpl {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostCallTold = 200;  // bytes of what a call has

// The words behind `guard` that speak for a person, or for the host.
constexpr std::array<std::string_view, 9> kOfPeople = {
    "accept", "answer", "approve", "deny", "end", "hook", "install", "mcp", "secret"};
constexpr std::array<std::string_view, 4> kAnswers = {"--answer", "--answers", "--take-back",
                                                      "--decline"};
constexpr std::array<std::string_view, 6> kShells = {"bash", "dash", "ksh", "sh", "zsh", "fish"};

template <typename List>
bool IsOneOf(const List& list, std::string_view word) {
  return std::ranges::find(list, word) != std::ranges::end(list);
}

// Throws if a folder or a link cannot be read: then it may lead anywhere.
std::string Resolved(const fs::path& path) { return fs::weakly_canonical(path).string(); }

// Whether the words of a command speak for a person or the host: those of `rpl`, under any name.
bool SpeaksForPeople(const ProgramCall& run) {
  const std::vector<std::string>& words = run.arguments;
  const auto guard = std::ranges::find(words, "guard");
  if (guard != words.end() && guard + 1 != words.end() && IsOneOf(kOfPeople, *(guard + 1)))
    return true;
  return run.program == "rpl" && std::ranges::any_of(words, [](const std::string& word) {
           return IsOneOf(kAnswers, std::string_view(word).substr(0, word.find('=')));
         });
}

}  // namespace

std::vector<std::string> ProtectedOf(const std::string& protocol, const std::string& project,
                                     const std::string& runs) {
  std::vector<std::string> out = {Resolved(protocol),
                                  Resolved(fs::path(protocol).parent_path() / "rpl.yaml"),
                                  Resolved(runs), ThisProgram()};
  const char* const home = std::getenv("HOME");
  if (const std::string all = StateFile("runs"); !all.empty())
    out.push_back(Resolved(fs::path(all).parent_path()));
  if (const std::string parser = ShfmtReader().program(); !parser.empty()) out.push_back(parser);
  for (const HookHost& host : HookHosts()) {
    for (std::string_view name : HookWords(host.settings.places)) {
      const bool of_home = name.starts_with("~/");
      if (of_home) name.remove_prefix(2);
      if (!of_home) out.push_back(Resolved(fs::path(project) / name));
      if (home != nullptr && !name.starts_with('/')) out.push_back(Resolved(fs::path(home) / name));
    }
  }
  return out;
}

std::string WhyProtected(const CallViews& views, const CallPlace& place,
                         const std::vector<std::string>& protects) {
  // The path of a row, as it lies in the system.
  const auto at = [&](const std::string& row) {
    const fs::path path(row);
    return Resolved(path.is_absolute() ? path : fs::path(place.project) / path);
  };
  const auto is_protected = [&](const std::string& path) {
    return std::ranges::any_of(
        protects, [&](const std::string& of) { return path == of || path.starts_with(of + "/"); });
  };
  // Also a folder that holds it, which may be removed or moved; of what is not known, by what it
  // begins with.
  const auto may_hold = [&](const std::string& start) {
    return std::ranges::any_of(protects,
                               [&](const std::string& of) { return of.starts_with(start); });
  };
  const auto told = [](std::string_view text) {
    return Shortened(std::string(text), kMostCallTold);
  };
  const auto denial = [&](const std::string& what) {
    return fmt::format("`{}` belongs to the guard: only a person changes it", told(what));
  };
  if (std::ranges::any_of(views.runs, SpeaksForPeople))
    return "only a person answers, approves and ends, and only the host reports: "
           "not a tool of the agent";
  for (const std::string& edit : views.edits)
    if (is_protected(at(edit)) || may_hold(at(edit) + "/")) return denial(edit);
  for (const std::string& edit : views.open_edits)
    if (!edit.empty() && (is_protected(at(edit)) || may_hold(at(edit)))) return denial(edit);
  for (const ComputedEdit& edit : views.computed_edits) {
    if (!edit.name.empty()) {
      const std::string root = Resolved(edit.start) + "/";
      for (const std::string& of : protects) {
        if (!of.starts_with(root)) continue;
        for (const fs::path& part : fs::path(of.substr(root.size())))
          if (fnmatch(edit.name.c_str(), part.c_str(), FNM_CASEFOLD) == 0) return denial(of);
      }
      continue;
    }
    if (edit.start.empty()) {
      const bool may_be = edit.end.empty() || std::ranges::any_of(protects, [&](const auto& of) {
                            return of.ends_with(edit.end) || (edit.end.starts_with("/.") &&
                                                              of.find(edit.end + "/") != of.npos);
                          });
      if (may_be) return "a path that is computed may be that of a file of the guard: write it out";
      continue;
    }
    const std::size_t slash = edit.start.rfind('/');
    std::string folder = Resolved(edit.start.substr(0, slash + 1));
    if (folder.ends_with('/')) folder.pop_back();
    const std::string path =
        edit.whole ? at(edit.start) : folder + "/" + edit.start.substr(slash + 1);
    if (is_protected(path) || may_hold(edit.whole ? path + "/" : path)) return denial(edit.start);
  }
  for (const std::string& name : views.named)
    if (is_protected(at(name))) return denial(name);
  for (const ProgramCall& run : views.runs) {
    if (run.program == "eval") return "`eval` runs what cannot be read: run the command itself";
    const bool text_in = IsOneOf(kShells, run.program) &&
                         std::ranges::all_of(run.arguments, [](const std::string& word) {
                           return word == "-s" || word == "-";
                         });
    if (text_in)
      return fmt::format("`{}` runs text that cannot be read: run the commands themselves",
                         told(run.program));
  }
  for (const OpenRun& run : views.open_runs) {
    const bool names =
        (run.program && *run.program == "rpl") ||
        std::ranges::any_of(run.words, [&](const std::string& word) {
          return fs::path(word).filename() == "rpl" || (!word.empty() && is_protected(at(word)));
        });
    if (names) return "a command that cannot be read names `rpl` or a file of the guard";
  }
  return "";
}

}  // namespace rpl
