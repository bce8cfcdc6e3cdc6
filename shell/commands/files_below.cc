// SPDX-License-Identifier: Apache-2.0
#include "shell/commands/files_below.h"

#include <algorithm>
#include <filesystem>

#include "runtime/tools/read_notes.h"
#include "shell/host/report.h"

namespace rpl {
namespace {

namespace fs = std::filesystem;

// Whether an entry of a folder is a file, or a link to one that is not there: whoever reads it says
// so. Emacs locks the file that it edits by a link to no file, `.#trip.md`.
bool IsFile(const fs::path& path) {
  std::error_code error;
  const fs::file_type type = fs::status(path, error).type();
  if (type == fs::file_type::regular) return true;
  const bool nowhere = type == fs::file_type::not_found || type == fs::file_type::none;
  return nowhere && fs::is_symlink(path, error) &&
         !std::string_view(path.filename().native()).starts_with(".#");
}

}  // namespace

std::optional<std::vector<std::string>> FilesBelow(
    const std::string& path, std::initializer_list<std::string_view> extensions) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return std::vector<std::string>{path};
  NoteFolderRead(path, {extensions.begin(), extensions.end()});
  std::vector<std::string> files;
  for (auto at = fs::recursive_directory_iterator(path, error);
       !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    const std::string extension = at->path().extension();
    if (std::find(extensions.begin(), extensions.end(), extension) != extensions.end() &&
        IsFile(at->path()))
      files.push_back(at->path());
  }
  if (error) {
    Complain(path, error.message());
    return std::nullopt;
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace rpl
