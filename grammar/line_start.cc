// SPDX-License-Identifier: Apache-2.0
#include "grammar/line_start.h"

#include <algorithm>
#include <cstring>

#include "formats/character.h"
#include "formats/diagnostic.h"
#include "grammar/markdown.h"

namespace rpl {
namespace {

/// The end of the label at `at` (`rel`, `ns#rel`, `file.md#rel`), or kNowhere.
std::size_t LabelEnd(std::string_view s, std::size_t at) {
  while (at < s.size() && IsLower(s[at])) {
    bool dotted = false;
    while (at < s.size() && (IsNameChar(s[at]) || s[at] == '.')) dotted |= s[at++] == '.';
    if (at < s.size() && s[at] == '#') {
      ++at;
      continue;
    }
    return dotted ? kNowhere : at;
  }
  return kNowhere;
}

}  // namespace

std::size_t SkipSpace(std::string_view s, std::size_t at) {
  while (at < s.size() && IsSpace(s[at])) ++at;
  return at;
}

std::size_t TrimmedEnd(std::string_view s, std::size_t begin, std::size_t end) {
  while (end > begin && IsSpace(s[end - 1])) --end;
  return end;
}

std::size_t LineEnd(std::string_view s, std::size_t at) {
  return std::min(s.find('\n', at), s.size());
}

bool StartsWithAt(std::string_view s, std::size_t at, std::string_view with) {
  return at <= s.size() && s.substr(at).starts_with(with);
}

std::string_view ArrowForSign(std::string_view s, std::size_t at) {
  if (at >= s.size() || s[at] != '\xE2') return "";  // as nearly always
  if (StartsWithAt(s, at, "\xE2\x86\x90") || StartsWithAt(s, at, "\xE2\x87\x90")) return "<-";
  if (StartsWithAt(s, at, "\xE2\x86\x92") || StartsWithAt(s, at, "\xE2\x87\x92")) return "->";
  return "";
}

bool ArrowAt(std::string_view s, std::size_t at, std::string_view arrow) {
  return StartsWithAt(s, SkipBlanks(s, at), arrow);
}

Start StartOf(std::string_view s, std::size_t at, std::string_view line) {
  bool in_group = false;
  while (at < s.size() && s[at] == '(') {
    in_group = true;
    at = SkipBlanks(s, at + 1);
  }
  if (at >= s.size()) return Start::kProse;
  const auto arrow = [&] {
    return line.find(" -> ") != std::string_view::npos ||
           line.find(" <- ") != std::string_view::npos;
  };
  const char next = at + 1 < s.size() ? s[at + 1] : '\0';
  Start start = Start::kProse;
  switch (s[at]) {
    case '%':
      if (IsLower(next) || ArrowAt(s, at + 1, "<-") ||
          ArrowForSign(s, SkipBlanks(s, at + 1)) == "<-")
        start = Start::kCall;
      else if (next == '(')  // a goal needs no label: %(?x) <- p(?x)
        start = line.find(" <- ") != line.npos ? Start::kCall : Start::kMaybe;
      break;
    case '$': {
      std::size_t end = LabelEnd(s, at + 1);
      if (end != kNowhere && StartsWithAt(s, end, "(")) start = Start::kCall;
      else if (in_group && IsLower(next)) start = Start::kMaybe;
      // $answer ^ ~ {…} -> true: a reply as a trace (§13.3).
      else if (end != kNowhere && StartsWithAt(s, SkipBlanks(s, end), "^")) start = Start::kMaybe;
      break;
    }
    case '?': {
      std::size_t end = LabelEnd(s, at + 1);
      if (in_group) start = IsLower(next) ? Start::kMaybe : Start::kProse;
      else if (end != kNowhere && StartsWithAt(s, end, "(")) start = Start::kVariable;
      else if (arrow()) start = Start::kFenced;
      break;
    }
    case '|':
    case '#':
      if (arrow()) start = Start::kFenced;
      break;
    default: {
      if (StartsWithAt(s, at, "not ") && arrow()) {
        start = Start::kFenced;
        break;
      }
      if (IsUpper(s[at])) {  // `Leg(?x)`
        std::size_t open = at;
        while (open < s.size() && IsNameChar(s[open])) ++open;
        const bool call = StartsWithAt(s, open, "(?") && open + 2 < s.size();
        if (call && IsLower(s[open + 2])) start = Start::kVariable;
        break;
      }
      std::size_t end = LabelEnd(s, at);
      if (end == kNowhere) break;
      if (StartsWithAt(s, end, "(")) start = Start::kCall;
      else if (ArrowAt(s, end, "<-") || ArrowForSign(s, SkipBlanks(s, end)) == "<-")
        start = Start::kMaybe;
    }
  }
  return in_group && start != Start::kProse ? Start::kMaybe : start;
}

namespace {

bool HasMark(std::string_view text, bool arrows) {
  bool quotes = true;  // until one is not closed
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const char next = at + 1 < text.size() ? text[at + 1] : '\0';
    if (c == '"' && quotes) {
      std::size_t close = at + 1;
      while (close < text.size() && text[close] != '"') close += text[close] == '\\' ? 2 : 1;
      quotes = close < text.size();
      if (quotes) at = close;
      continue;
    }
    if (arrows &&
        ((c == '<' && next == '-') || (c == '-' && next == '>') || !ArrowForSign(text, at).empty()))
      return true;
    // `100%done`, `read()?now` and `/users?page=2` are words of other texts.
    const char before = at > 0 ? text[at - 1] : ' ';
    if (IsLetter(before) || IsDigit(before) || std::strchr(")]/", before)) continue;
    if ((c == '?' || c == '%') && IsLower(next)) return true;
    if (c == '%' && next == '(') return true;
    if (c == '%' && at == 0 && ArrowAt(text, 1, "<-")) return true;  // the root goal
    if (c != '$') continue;
    const std::size_t end = LabelEnd(text, at + 1);
    if (end != kNowhere && StartsWithAt(text, end, "(")) return true;
  }
  return false;
}

}  // namespace

bool HasMark(std::string_view text) { return HasMark(text, true); }

bool HasNameMark(std::string_view text) { return HasMark(text, false); }

bool IsConnectiveAt(std::string_view s, std::size_t at) {
  if (at >= s.size()) return false;
  return std::strchr("|,;", s[at]) || StartsWithAt(s, at, "<-") || StartsWithAt(s, at, "->");
}

}  // namespace rpl
