// SPDX-License-Identifier: Apache-2.0
#include "checks/calls/call_paths.h"

#include <algorithm>
#include <system_error>

#include "formats/character.h"

namespace rpl {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFolders = 4;
constexpr std::size_t kMaxPath = 4096;
constexpr int kMaxEntries = 4096;  // of a folder that is searched for links

std::string WithoutSlash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

std::string Resolved(const std::string& path) {
  std::error_code error;
  const fs::path found = fs::weakly_canonical(path, error);
  // A loop of links, or what may not be looked at, cannot be reached either. Any other error tells
  // nothing of where the path leads.
  const bool leads_nowhere =
      error == std::errc::too_many_symbolic_link_levels || error == std::errc::permission_denied ||
      error == std::errc::filename_too_long || error == std::errc::not_a_directory;
  if (error && !leads_nowhere) throw fs::filesystem_error("a path of the call", path, error);
  if (error) return WithoutSlash(fs::path(path).lexically_normal().string());
  return WithoutSlash(found.lexically_normal().string());
}

void AddOnce(const std::string& one, Folders& to) {
  if (std::find(to.begin(), to.end(), one) == to.end()) to.push_back(one);
}

}  // namespace

Folders UnionOf(const Folders& a, const Folders& b) {
  if (a.empty() || b.empty()) return kAnyFolder;
  Folders out = a;
  for (const std::string& one : b) AddOnce(one, out);
  return out.size() > kMaxFolders ? kAnyFolder : out;
}

CallPaths::CallPaths(const CallPlace& place)
    : home_(WithoutSlash(place.home)), written_(place.written) {
  if (place.project.starts_with('/')) project_ = Resolved(place.project);
  if (place.folder.starts_with('/'))
    folder_.push_back(WithoutSlash(fs::path(place.folder).lexically_normal().string()));
  if (!home_.starts_with('/')) home_.clear();
}

bool CallPaths::IsProject(const Folders& folders) const {
  return folders.size() == 1 && !project_.empty() && Resolved(folders[0]) == project_;
}

std::vector<std::string> CallPaths::PathsOf(const ShellWord& word, const Folders& folders) const {
  if (word.text.size() > kMaxPath) return {};
  if (word.start == WordStart::kHome)
    return home_.empty() ? std::vector<std::string>{} : std::vector{home_ + word.text};
  if (word.start == WordStart::kText && word.text.starts_with('/')) return {word.text};
  std::vector<std::string> out;
  for (const std::string& folder : folders)
    out.push_back(word.start == WordStart::kFolder ? folder + word.text : folder + "/" + word.text);
  return out;
}

std::string CallPaths::NameOf(const std::string& path) const {
  const std::string lexical = fs::path(path).lexically_normal().string();
  for (const std::string_view start : {"/proc/", "/dev/fd/"})
    if (path.starts_with(start) || lexical.starts_with(start)) return "";
  const std::string resolved = Resolved(path);
  if (resolved.starts_with("/proc/")) return "";
  if (project_.empty()) return resolved;
  if (resolved == project_) return ".";
  const std::string start = project_ == "/" ? project_ : project_ + "/";
  return resolved.starts_with(start) ? resolved.substr(start.size()) : resolved;
}

std::string CallPaths::PatternStart(const std::string& path) const {
  const std::size_t slash = path.rfind('/');
  if (slash == path.npos) return "";
  std::error_code error;
  int count = 0;
  for (fs::directory_iterator at(path.substr(0, slash + 1), error), end; !error && at != end;
       at.increment(error)) {
    std::error_code ignored;
    if (++count > kMaxEntries || at->is_symlink(ignored)) return "";
  }
  const std::string folder = NameOf(path.substr(0, slash + 1));
  if (folder.empty()) return "";
  return (folder == "." ? "" : folder + "/") + path.substr(slash + 1);
}

Folders CallPaths::FoldersAt(const std::vector<std::string>& paths) const {
  Folders out;
  for (const std::string& path : paths) {
    AddOnce(WithoutSlash(fs::path(path).lexically_normal().string()), out);
    if (path.find("..") != path.npos) AddOnce(Resolved(path), out);
  }
  return out.size() > kMaxFolders ? kAnyFolder : out;
}

bool IsStreamDevice(std::string_view path) {
  for (const std::string_view device :
       {"/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero",
        "/dev/full", "/dev/random", "/dev/urandom"})
    if (path == device) return true;
  constexpr std::string_view kDescriptors = "/dev/fd/";
  if (!path.starts_with(kDescriptors)) return false;
  path.remove_prefix(kDescriptors.size());
  return !path.empty() && std::all_of(path.begin(), path.end(), IsDigit);
}

}  // namespace rpl
