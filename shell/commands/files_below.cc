// SPDX-License-Identifier: Apache-2.0
#include "shell/commands/files_below.h"

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "formats/file_name.h"
#include "formats/terminal_text.h"
#include "runtime/tools/read_notes.h"
#include "shell/host/report.h"

namespace rpl {
namespace {

namespace fs = std::filesystem;

// Whether an entry of a folder is a file. A link that leads nowhere is named and left out; Emacs
// locks the file that it edits by such a link, `.#trip.md`.
bool IsFile(const fs::path& path) {
  std::error_code error;
  const fs::file_type type = fs::status(path, error).type();
  if (type == fs::file_type::regular) return true;
  const bool nowhere = type == fs::file_type::not_found || type == fs::file_type::none;
  if (nowhere && fs::is_symlink(path, error) &&
      !std::string_view(path.filename().native()).starts_with(".#"))
    std::cerr << "note: " << Printable(path.native()) << " is left out: it is a link to no file\n";
  return false;
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
    const std::string name = at->path();
    if (at->is_directory(error) && at->path().filename() == "node_modules")
      at.disable_recursion_pending();
    error.clear();  // of a link that leads nowhere
    const auto is_of = [&](std::string_view extension) { return HasExtension(name, extension); };
    if (std::ranges::any_of(extensions, is_of) && IsFile(name)) files.push_back(name);
  }
  if (error) {
    Complain(path, error.message());
    return std::nullopt;
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace rpl
