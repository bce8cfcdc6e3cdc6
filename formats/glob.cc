// SPDX-License-Identifier: Apache-2.0
#include "formats/glob.h"

#include <algorithm>

#include "formats/character.h"

namespace rpl {
namespace {

char Fold(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool SameFolded(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return Fold(x) == Fold(y); });
}

}  // namespace

std::string FoldCase(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), Fold);
  return out;
}

// The text of the latest `*` grows until the rest of the glob fits. Earlier `*` need no second
// attempt, because the latest can match any text that they could give up.
bool GlobMatches(std::string_view glob, std::string_view text) {
  std::size_t g = 0, t = 0;
  std::size_t star = kNowhere, star_text = 0;
  while (t < text.size()) {
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      star_text = t;
    } else if (g < glob.size() && Fold(glob[g]) == Fold(text[t])) {
      ++g, ++t;
    } else if (star != kNowhere) {
      g = star + 1;
      t = ++star_text;
    } else {
      return false;
    }
  }
  return glob.find_first_not_of('*', g) == kNowhere;
}

bool AnyGlobMatches(const std::vector<std::string>& globs, std::string_view text) {
  return std::any_of(globs.begin(), globs.end(),
                     [&](const std::string& glob) { return GlobMatches(glob, text); });
}

bool HasTag(const std::vector<std::string>& tags, std::string_view tag) {
  return std::any_of(tags.begin(), tags.end(),
                     [&](const std::string& t) { return SameFolded(t, tag); });
}

}  // namespace rpl
