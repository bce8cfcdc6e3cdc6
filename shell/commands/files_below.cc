// SPDX-License-Identifier: Apache-2.0
#include "shell/commands/files_below.h"

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "formats/file_name.h"
#include "formats/ignore_rules.h"
#include "formats/terminal_text.h"
#include "runtime/tools/read_notes.h"
#include "shell/terminal/input.h"
#include "shell/terminal/report.h"

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

void AddIgnored(const fs::path& folder, IgnoreRules& to) {
  const fs::path file = folder / ".gitignore";
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return;
  if (const Input read = ReadFile(file); read.error.empty()) to.Add(folder, read.text);
}

// What the folders around this one leave out, up to that of its repository.
IgnoreRules IgnoredAround(const fs::path& folder) {
  std::vector<fs::path> around = {folder};
  std::error_code error;
  while (!fs::exists(around.back() / ".git", error)) {
    if (around.back() == around.back().root_path()) {  // none
      around = {folder};
      break;
    }
    around.push_back(around.back().parent_path());
  }
  IgnoreRules out;
  for (auto at = around.rbegin(); at != around.rend(); ++at) AddIgnored(*at, out);
  return out;
}

}  // namespace

std::optional<std::vector<std::string>> FilesBelow(
    const std::string& path, std::initializer_list<std::string_view> extensions) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return std::vector<std::string>{path};
  NoteFolderRead(path, {extensions.begin(), extensions.end()});
  const fs::path folder = fs::canonical(path, error);
  IgnoreRules ignored = IgnoredAround(folder);
  std::vector<std::string> files;
  for (auto at = fs::recursive_directory_iterator(path, error);
       !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    const std::string name = at->path();
    const bool is_folder = at->is_directory(error);
    error.clear();  // of a link that leads nowhere
    const fs::path whole = folder / at->path().lexically_relative(path);
    const bool other = is_folder && at->path().filename() == "node_modules";
    if (other || ignored.Ignores(whole, is_folder)) {
      if (is_folder) at.disable_recursion_pending();
      continue;
    }
    if (is_folder) AddIgnored(whole, ignored);
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
