// SPDX-License-Identifier: Apache-2.0
//
// A message is the parts of a note, each with a NUL behind it: the state, the path, the extensions.
#include "runtime/tools/read_notes.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <filesystem>

namespace rpl {
namespace {

namespace fs = std::filesystem;

/// Bytes of a message. A longer path is not noted.
constexpr std::size_t kMostBytes = 2 * PATH_MAX;

int notes_to = -1;

std::string FileState(const std::string& path) {
  struct stat seen = {};
  if (stat(path.c_str(), &seen) != 0) return "";
  return fmt::format("{}:{}:{}:{}.{:09}", seen.st_dev, seen.st_ino, seen.st_size,
                     seen.st_mtim.tv_sec, seen.st_mtim.tv_nsec);
}

std::string FolderState(const std::string& path, const std::vector<std::string>& extensions) {
  std::vector<std::string> names;
  std::error_code error;
  for (auto at = fs::recursive_directory_iterator(path, error);
       !error && at != fs::recursive_directory_iterator(); at.increment(error))
    if (std::ranges::find(extensions, at->path().extension().string()) != extensions.end())
      names.push_back(at->path());
  if (error) return "";
  std::sort(names.begin(), names.end());
  std::size_t hash = names.size();
  for (const std::string& name : names) hash = hash * 31 + std::hash<std::string>()(name);
  return fmt::format("{} {:x}", names.size(), hash);
}

void Send(const std::string& path, const std::vector<std::string>& extensions) {
  std::string message = StateOf(path, extensions) + '\0' + path + '\0';
  for (const std::string& extension : extensions) message += extension + '\0';
  if (message.size() > kMostBytes) return;
  while (send(notes_to, message.data(), message.size(), MSG_NOSIGNAL) < 0 && errno == EINTR)
    continue;
}

}  // namespace

std::string StateOf(const std::string& path, const std::vector<std::string>& extensions) {
  return extensions.empty() ? FileState(path) : FolderState(path, extensions);
}

void SendReadNotes(int socket) { notes_to = socket; }

void NoteFileRead(const std::string& path) {
  if (notes_to < 0) return;
  struct stat seen = {};
  if (stat(path.c_str(), &seen) == 0 && !S_ISREG(seen.st_mode)) return;
  Send(path, {});
}

void NoteFolderRead(const std::string& path, const std::vector<std::string>& extensions) {
  if (notes_to >= 0) Send(path, extensions);
}

std::optional<ReadNote> NextReadNote(int socket) {
  std::string message(kMostBytes, '\0');
  const ssize_t n = recv(socket, message.data(), message.size(), MSG_DONTWAIT);
  if (n <= 0) return std::nullopt;
  message.resize(static_cast<std::size_t>(n));
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < message.size();) {
    const std::size_t end = std::min(message.find('\0', at), message.size());
    parts.push_back(message.substr(at, end - at));
    at = end + 1;
  }
  if (parts.size() < 2) return std::nullopt;
  return ReadNote{parts[1], {parts.begin() + 2, parts.end()}, parts[0]};
}

}  // namespace rpl
