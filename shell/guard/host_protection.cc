// SPDX-License-Identifier: Apache-2.0
#include "shell/guard/host_protection.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "formats/shorten.h"

namespace rpl {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostTold = 200;  // bytes of what a call has

// Below the folder of the project and the home folder.
constexpr std::string_view kSettings[] = {".claude/settings.json",
                                          ".claude/settings.local.json",
                                          ".codex/config.toml",
                                          ".codex/hooks.json",
                                          ".cursor/hooks.json",
                                          ".cursor/mcp.json",
                                          ".gemini/settings.json",
                                          ".github/hooks",
                                          ".windsurf/hooks.json",
                                          ".opencode/plugin",
                                          ".mcp.json",
                                          ".copilot"};

// The words behind `rpl` that speak for a person.
constexpr std::array<std::string_view, 6> kOfPeople = {"accept", "answer", "approve",
                                                       "deny",   "end",    "secret"};
constexpr std::array<std::string_view, 4> kAnswers = {"--answer", "--answers", "--take-back",
                                                      "--decline"};
constexpr std::array<std::string_view, 6> kShells = {"bash", "dash", "ksh", "sh", "zsh", "fish"};

template <typename List>
bool IsOneOf(const List& list, std::string_view word) {
  return std::ranges::find(list, word) != std::ranges::end(list);
}

std::string Resolved(const fs::path& path) {
  std::error_code unknown;
  const fs::path out = fs::weakly_canonical(path, unknown);
  return unknown ? path.lexically_normal().string() : out.string();
}

// Whether the words, behind `rpl`, speak for a person.
bool SpeaksForPeople(const std::vector<std::string>& words) {
  const auto guard = std::ranges::find(words, "guard");
  if (guard != words.end() &&
      std::any_of(guard, words.end(), [](const std::string& w) { return IsOneOf(kOfPeople, w); }))
    return true;
  return std::ranges::any_of(words, [](const std::string& word) {
    return IsOneOf(kAnswers, std::string_view(word).substr(0, word.find('=')));
  });
}

}  // namespace

ProtectedPlaces ProtectedOf(const std::string& protocol, const std::string& project,
                            const std::string& runs) {
  ProtectedPlaces out;
  out.files = {Resolved(protocol), Resolved(fs::path(protocol).parent_path() / "rpl.yaml")};
  if (!runs.empty()) out.folders.push_back(Resolved(runs));
  const char* const home = std::getenv("HOME");
  for (const std::string_view name : kSettings) {
    out.files.push_back(Resolved(fs::path(project) / name));
    if (home != nullptr) out.files.push_back(Resolved(fs::path(home) / name));
  }
  return out;
}

std::string WhyProtected(const CallViews& views, const CallPlace& place,
                         const ProtectedPlaces& protects) {
  // The path of a row, as it lies in the system.
  const auto at = [&](const std::string& row) {
    const fs::path path(row);
    return Resolved(path.is_absolute() ? path : fs::path(place.project) / path);
  };
  const auto touches = [&](const std::string& path) {
    const auto below = [&](const std::string& folder) {
      return path == folder || path.starts_with(folder + "/");
    };
    // Also a folder that holds it, which may be removed or moved.
    const auto above = [&](const std::string& file) { return file.starts_with(path + "/"); };
    return std::ranges::any_of(protects.files, [&](const std::string& f) { return below(f); }) ||
           std::ranges::any_of(protects.folders, below) ||
           (path != Resolved(place.project) && (std::ranges::any_of(protects.files, above) ||
                                                std::ranges::any_of(protects.folders, above)));
  };
  const auto told = [](std::string_view text) { return Shortened(std::string(text), kMostTold); };
  for (const std::string& edit : views.edits)
    if (touches(at(edit)))
      return fmt::format("`{}` belongs to the guard: only a person changes it", told(edit));
  const auto reads = [&](const std::string& path) {
    return std::ranges::any_of(views.reads, [&](const std::string& r) { return at(r) == path; });
  };
  const auto of_guard = [&](const std::string& word) {
    if (word.empty() || word.starts_with('-')) return false;
    const std::string path = at(word);
    const auto below = [&](const std::string& f) { return path == f || path.starts_with(f + "/"); };
    return (std::ranges::any_of(protects.files, below) ||
            std::ranges::any_of(protects.folders, below)) &&
           !reads(path);
  };
  for (const ProgramRun& run : views.runs) {
    if (run.program == "rpl" && SpeaksForPeople(run.arguments))
      return "only a person answers, approves and ends: not by a tool of the agent";
    if (run.program == "eval") return "`eval` runs what cannot be read: run the command itself";
    const bool text_in = IsOneOf(kShells, run.program) &&
                         std::ranges::all_of(run.arguments, [](const std::string& word) {
                           return word == "-s" || word == "-";
                         });
    if (text_in)
      return fmt::format("`{}` runs text that cannot be read: run the commands themselves",
                         told(run.program));
    for (const std::string& word : run.arguments)
      if (of_guard(word))
        return fmt::format("`{}` belongs to the guard: only a person changes it", told(word));
  }
  for (const OpenRun& run : views.open_runs) {
    const bool names = (run.program && *run.program == "rpl") ||
                       std::ranges::any_of(run.words, [&](const std::string& word) {
                         return fs::path(word).filename() == "rpl" || of_guard(word);
                       });
    if (names) return "a command that cannot be read names `rpl` or a file of the guard";
  }
  return "";
}

}  // namespace rpl
