// SPDX-License-Identifier: Apache-2.0
#include "formats/file_name.h"

#include <filesystem>

namespace rpl {

bool IsFactsFile(std::string_view path) {
  return path.ends_with(".csv") || path.ends_with(".tsv") || path.ends_with(".ndjson") ||
         path.ends_with(".jsonl");
}

std::string_view WithoutGz(std::string_view path) {
  if (path.ends_with(".gz")) path.remove_suffix(3);
  return path;
}

std::string StemOf(std::string_view path) { return std::filesystem::path(path).stem(); }

}  // namespace rpl
