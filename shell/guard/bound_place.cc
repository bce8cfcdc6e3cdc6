// SPDX-License-Identifier: Apache-2.0
#include "shell/guard/bound_place.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "formats/text_hash.h"
#include "interp/program/builtins.h"
#include "shell/program/program_files.h"
#include "shell/terminal/input.h"
#include "shell/terminal/state_file.h"

namespace rpl {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEndedMark = ".ended";

// The folder of the runs of a protocol in a project.
fs::path FolderOfRuns(const BoundPlace& place) {
  const fs::path all = place.runs.empty() ? fs::path(StateFile("runs")) : fs::path(place.runs);
  const std::string which =
      HashOfText(place.protocol + std::string(1, '\0') + place.project).substr(0, 16);
  return all / (fs::path(place.protocol).stem().string() + "-" + which);
}

// The number of the run that is under way; 1 if there was none.
int CurrentNumber(const fs::path& folder) {
  int last = 1;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none)) {
    const std::string name = entry.path().stem();
    int number = 0;
    std::from_chars(name.data(), name.data() + name.size(), number);
    if (entry.path().extension() == kEndedMark) ++number;
    last = std::max(last, number);
  }
  return last;
}

// Whether relations over the calls of a host are named.
bool NamesHost(std::string_view text) {
  for (std::size_t at = text.find("std#"); at != text.npos; at = text.find("std#", at + 1)) {
    const std::size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", at + 4);
    const std::string_view label = text.substr(at, end - at);
    for (std::size_t arity = 1; arity <= 3; ++arity)
      if (DescribesHost(label, arity)) return true;
  }
  return false;
}

}  // namespace

std::string RepositoryOf(const std::string& folder) {
  std::error_code unknown;
  fs::path at = fs::weakly_canonical(folder, unknown);
  if (unknown) at = folder;
  for (fs::path root = at; root.has_relative_path(); root = root.parent_path())
    if (IsThere(root / ".git")) return root;
  return at;
}

BoundPlace FindBoundPlace(const std::string& protocol, const std::string& project,
                          const std::string& runs) {
  BoundPlace place{ResolvedPath(protocol), "", runs};
  if (!project.empty()) {
    place.project = ResolvedPath(project);
    return place;
  }
  std::error_code none;
  const fs::path here = fs::current_path(none);
  for (fs::path at = here; at.has_relative_path(); at = at.parent_path()) {
    place.project = ResolvedPath(at);
    if (IsThere(CurrentRun(place))) return place;
  }
  place.project = RepositoryOf(here);
  return place;
}

std::string CurrentRun(const BoundPlace& place) {
  const fs::path folder = FolderOfRuns(place);
  return folder / (std::to_string(CurrentNumber(folder)) + ".rpls");
}

void MakeFolderOf(const std::string& run) {
  const fs::path folder = fs::path(run).parent_path();
  std::error_code failed;
  fs::create_directories(folder, failed);
  fs::permissions(folder, fs::perms::owner_all, failed);
}

bool EndCurrentRun(const BoundPlace& place, const std::string& person) {
  fs::path file = CurrentRun(place);
  if (!IsThere(file)) return false;
  std::ofstream mark(file.replace_extension(kEndedMark));
  return (mark << person).flush().good();
}

std::string EndedLastBy(const BoundPlace& place) {
  const fs::path folder = FolderOfRuns(place);
  const fs::path mark = folder / (std::to_string(CurrentNumber(folder) - 1) + kEndedMark);
  return IsThere(mark) ? ReadFile(mark).text : "";
}

std::string SecretStoreOf(const BoundPlace& place) { return FolderOfRuns(place) / "secret.db"; }

bool Binds(const BoundPlace& place) {
  return IsThere(FolderOfRuns(place)) || NamesHost(ReadFile(place.protocol).text);
}

bool IsEndedRun(const std::string& file) {
  return IsThere(fs::path(file).replace_extension(kEndedMark));
}

}  // namespace rpl
