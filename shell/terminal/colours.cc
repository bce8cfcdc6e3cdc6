// SPDX-License-Identifier: Apache-2.0
#include "shell/terminal/colours.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <utility>

namespace rpl {

Colours ColoursFor(std::string_view when) {
  if (when == "always") return {true, true};
  const char* none = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  if (when == "never" || (none != nullptr && *none != '\0') || term == nullptr ||
      std::string_view(term) == "dumb")
    return {};
  return {isatty(STDOUT_FILENO) == 1, isatty(STDERR_FILENO) == 1};
}

std::string Marked(std::string_view text, std::string_view mark, bool on) {
  if (!on) return std::string(text);
  return std::string(mark) + std::string(text) + "\033[0m";
}

std::string MarkedFindings(std::string findings, bool on) {
  if (!on) return findings;
  std::string out;
  std::istringstream lines(findings);
  for (std::string line; std::getline(lines, line);) {
    for (const auto& [word, mark] : {std::pair(": error RPL", kRed),
                                     std::pair(": warning RPL", std::string_view("\033[1;33m")),
                                     std::pair(": info RPL", kBold)}) {
      const std::size_t at = line.find(word);
      if (at == line.npos || line.starts_with(' ')) continue;
      line.insert(std::min(line.find(':', at + 1), line.size()), "\033[0m");
      line.insert(at + 2, mark);
      break;
    }
    out += line + '\n';
  }
  return out;
}

}  // namespace rpl
