// SPDX-License-Identifier: Apache-2.0
#include "formats/ignore_rules.h"

#include <fnmatch.h>

#include <algorithm>
#include <span>
#include <utility>

namespace rpl {
namespace {

std::vector<std::string> PartsOf(std::string_view path) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    if (end > at) out.emplace_back(path.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

bool Fits(const std::string& pattern, const std::string& name) {
  return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

// `**` stands for any number of parts, at the end for one at least. Tries each place of each once.
bool Fits(std::span<const std::string> pattern, std::span<const std::string> path) {
  // reached[i]: the patterns so far may end before part i.
  std::vector<bool> reached(path.size() + 1);
  reached[0] = true;
  for (std::size_t p = 0; p < pattern.size(); ++p) {
    std::vector<bool> next(path.size() + 1);
    const bool any = pattern[p] == "**", last = p + 1 == pattern.size();
    bool before = false;
    for (std::size_t i = 0; i <= path.size(); ++i) {
      if (any) {
        next[i] = before || (reached[i] && !last);
        before = before || reached[i];
      } else if (i > 0) {
        next[i] = reached[i - 1] && Fits(pattern[p], path[i - 1]);
      }
    }
    reached = std::move(next);
  }
  return reached[path.size()];
}

}  // namespace

void IgnoreRules::Add(const std::string& folder, std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    while (line.ends_with(' ') && !line.ends_with("\\ ")) line.remove_suffix(1);
    Rule rule;
    rule.folder = folder.ends_with('/') ? folder : folder + "/";
    if (line.empty() || line.front() == '#') continue;
    rule.includes = line.front() == '!';
    if (rule.includes) line.remove_prefix(1);
    rule.of_folders = line.ends_with('/');
    if (rule.of_folders) line.remove_suffix(1);
    rule.anchored = line.find('/') != line.npos;
    rule.parts = PartsOf(line);
    if (!rule.parts.empty()) rules_.push_back(std::move(rule));
  }
}

bool IgnoreRules::Ignores(const std::string& path, bool is_folder) const {
  for (auto at = rules_.rbegin(); at != rules_.rend(); ++at) {  // the last that fits decides
    const Rule& rule = *at;
    if (!path.starts_with(rule.folder) || (rule.of_folders && !is_folder)) continue;
    const std::vector<std::string> below = PartsOf(path.substr(rule.folder.size()));
    if (below.empty()) continue;
    const bool fits =
        rule.anchored ? Fits(rule.parts, below) : Fits(rule.parts.front(), below.back());
    if (fits) return !rule.includes;
  }
  return false;
}

}  // namespace rpl
