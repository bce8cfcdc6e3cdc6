// SPDX-License-Identifier: Apache-2.0
#include "formats/glob.h"

#include <utf8proc.h>

#include <algorithm>

#include "formats/character.h"

namespace rpl {
namespace {

// Capitals first, so that the forms of a letter that share a capital (σ and ς) become one.
utf8proc_int32_t Fold(utf8proc_int32_t c) {
  const utf8proc_int32_t folded = utf8proc_tolower(utf8proc_toupper(c));
  return c >= 0x80 && folded < 0x80 ? c : folded;
}

bool IsAscii(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return (c & 0x80) != 0; });
}

char FoldAscii(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// The text where it is ASCII, and folded in `folded` otherwise.
std::string_view FoldOthers(std::string_view text, std::string& folded) {
  return IsAscii(text) ? text : folded = FoldCase(text);
}

// Both texts are of FoldOthers. The text of the latest `*` grows until the rest of the glob fits.
// Earlier `*` need no second attempt, because the latest can match any text that they could give
// up.
bool Matches(std::string_view glob, std::string_view text) {
  std::size_t g = 0, t = 0;
  std::size_t star = kNowhere, star_text = 0;
  while (t < text.size()) {
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      star_text = t;
    } else if (g < glob.size() && FoldAscii(glob[g]) == FoldAscii(text[t])) {
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

}  // namespace

std::string FoldCase(std::string_view text) {
  std::string out;
  if (IsAscii(text)) {
    out = text;
    std::transform(out.begin(), out.end(), out.begin(), FoldAscii);
    return out;
  }
  for (std::size_t i = 0; i < text.size();) {
    utf8proc_int32_t point = 0;
    const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data()) + i;
    const utf8proc_ssize_t size =
        utf8proc_iterate(bytes, static_cast<utf8proc_ssize_t>(text.size() - i), &point);
    if (size <= 0) {
      out += text[i++];
      continue;
    }
    utf8proc_uint8_t folded[4];
    const utf8proc_ssize_t written = utf8proc_encode_char(Fold(point), folded);
    out.append(reinterpret_cast<const char*>(folded), static_cast<std::size_t>(written));
    i += static_cast<std::size_t>(size);
  }
  return out;
}

bool GlobMatches(std::string_view glob, std::string_view text) {
  std::string folded_glob, folded_text;
  return Matches(FoldOthers(glob, folded_glob), FoldOthers(text, folded_text));
}

bool AnyGlobMatches(const std::vector<std::string>& globs, std::string_view text) {
  std::string folded_text;
  const std::string_view folded = FoldOthers(text, folded_text);
  return std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) {
    std::string folded_glob;
    return Matches(FoldOthers(glob, folded_glob), folded);
  });
}

bool HasTag(const std::vector<std::string>& tags, std::string_view tag) {
  const std::string folded = FoldCase(tag);
  return std::any_of(tags.begin(), tags.end(),
                     [&](const std::string& t) { return FoldCase(t) == folded; });
}

}  // namespace rpl
