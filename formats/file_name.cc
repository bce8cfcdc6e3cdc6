// SPDX-License-Identifier: Apache-2.0
#include "formats/file_name.h"

#include <algorithm>
#include <filesystem>

namespace rpl {

bool HasExtension(std::string_view path, std::string_view extension) {
  if (path.size() < extension.size()) return false;
  path.remove_prefix(path.size() - extension.size());
  return std::ranges::equal(path, extension, {}, [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
}

bool IsFactsFile(std::string_view path) {
  return HasExtension(path, ".csv") || HasExtension(path, ".tsv") ||
         HasExtension(path, ".ndjson") || HasExtension(path, ".jsonl");
}

std::string_view WithoutGz(std::string_view path) {
  if (HasExtension(path, ".gz")) path.remove_suffix(3);
  return path;
}

std::string StemOf(std::string_view path) { return std::filesystem::path(path).stem(); }

}  // namespace rpl
