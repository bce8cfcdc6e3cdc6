// SPDX-License-Identifier: Apache-2.0
#include "shell/commands/files_below.h"

#include <algorithm>
#include <filesystem>

#include "runtime/tools/read_notes.h"
#include "shell/host/report.h"

namespace rpl {

std::optional<std::vector<std::string>> FilesBelow(
    const std::string& path, std::initializer_list<std::string_view> extensions) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::is_directory(path, error)) return std::vector<std::string>{path};
  NoteFolderRead(path, {extensions.begin(), extensions.end()});
  std::vector<std::string> files;
  for (auto at = fs::recursive_directory_iterator(path, error);
       !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    const std::string extension = at->path().extension();
    if (std::find(extensions.begin(), extensions.end(), extension) != extensions.end() &&
        at->is_regular_file())
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
