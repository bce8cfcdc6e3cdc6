// SPDX-License-Identifier: Apache-2.0
#include "runtime/step/titles.h"

#include <algorithm>
#include <utility>

namespace rpl {

std::vector<Titles::Heading> Titles::HeadingsOf(std::string_view text) {
  std::vector<Heading> out;
  std::ptrdiff_t last = -1;
  bool fenced = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (line.starts_with("```") || line.starts_with("~~~")) fenced = !fenced;
    const std::size_t level = line.find_first_not_of('#');
    if (fenced || level == 0 || level > 6 || level == line.npos || line[level] != ' ') continue;
    while (last >= 0 && out[static_cast<std::size_t>(last)].level >= level)
      last = out[static_cast<std::size_t>(last)].above;
    const std::string_view title = line.substr(level + 1);
    out.push_back({begin, level, last, std::string(title.substr(0, title.find(" - ")))});
    last = std::ssize(out) - 1;
  }
  return out;
}

std::vector<std::string> Titles::Above(const Span& place) {
  auto known = headings_.find(place.file);
  if (known == headings_.end())
    known = headings_.emplace(place.file, HeadingsOf(sources_.at(place.file).text)).first;
  const std::vector<Heading>& all = known->second;
  const auto below = std::ranges::upper_bound(all, place.begin, {}, &Heading::begin);
  std::vector<std::string> out;
  for (std::ptrdiff_t at = below - all.begin() - 1; at >= 0;
       at = all[static_cast<std::size_t>(at)].above)
    out.push_back(all[static_cast<std::size_t>(at)].title);
  std::ranges::reverse(out);
  return out;
}

}  // namespace rpl
