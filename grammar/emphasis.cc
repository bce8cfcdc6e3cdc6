// SPDX-License-Identifier: Apache-2.0
#include "grammar/emphasis.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "formats/character.h"

namespace rpl {
namespace {

enum class CharClass { kSpace, kPunctuation, kOther };

CharClass ClassOf(char32_t c) {
  if (c == ' ' || (c >= '\t' && c <= '\r') || c == 0xA0 || (c >= 0x2000 && c <= 0x200A) ||
      c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000) {
    return CharClass::kSpace;
  }
  if (c < 0x80) {
    char a = static_cast<char>(c);
    bool word = IsLower(a) || IsUpper(a) || IsDigit(a) || c < ' ' || c == 0x7F;
    return word ? CharClass::kOther : CharClass::kPunctuation;
  }
  const bool latin =
      c == 0xA1 || c == 0xA7 || c == 0xAB || c == 0xB6 || c == 0xB7 || c == 0xBB || c == 0xBF;
  const bool general = c >= 0x2010 && c <= 0x205E && c != 0x2044 && c != 0x2052;
  const bool cjk = (c >= 0x3001 && c <= 0x3003) || (c >= 0x3008 && c <= 0x3011) ||
                   (c >= 0x3014 && c <= 0x301F) || (c >= 0xFF01 && c <= 0xFF0F) || c == 0xFF1A ||
                   c == 0xFF1B || c == 0xFF1F || c == 0xFF20;
  return latin || general || cjk ? CharClass::kPunctuation : CharClass::kOther;
}

/// The class of the character that begins at `at`. REQUIRES: well-formed UTF-8.
CharClass ClassAt(std::string_view s, std::size_t at) {
  if (at >= s.size()) return CharClass::kSpace;
  auto byte = [&](std::size_t i) { return static_cast<unsigned char>(s[at + i]); };
  if (byte(0) < 0x80) return ClassOf(byte(0));
  if (byte(0) < 0xE0) return ClassOf((byte(0) & 0x1F) << 6 | (byte(1) & 0x3F));
  if (byte(0) >= 0xF0) return CharClass::kOther;
  return ClassOf((byte(0) & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F));
}

CharClass ClassBefore(std::string_view s, std::size_t at) {
  if (at == 0) return CharClass::kSpace;
  --at;
  while (at > 0 && (static_cast<unsigned char>(s[at]) & 0xC0) == 0x80) --at;
  return ClassAt(s, at);
}

/// The backtick runs of a text, indexed by length so that no search for the end of a code span
/// fails.
class CodeSpans {
 public:
  explicit CodeSpans(std::string_view s) : s_(s) {
    for (std::size_t at = s.find('`'); at != kNowhere; at = s.find('`', at)) {
      std::size_t end = RunEnd(at);
      if (last_.size() <= end - at) last_.resize(end - at + 1, kNowhere);
      last_[end - at] = at;
      at = end;
    }
  }

  /// The end of the code span whose opening run is at `at`; the end of that run if no run of the
  /// same length follows.
  std::size_t EndOf(std::size_t at) const {
    const std::size_t behind = RunEnd(at);
    const std::size_t size = behind - at;
    // A run after an escaped mark may have a length that no whole run has.
    if (size >= last_.size() || last_[size] == kNowhere || last_[size] <= at) return behind;
    for (std::size_t next = s_.find('`', behind);; next = s_.find('`', next)) {
      std::size_t end = RunEnd(next);
      if (end - next == size) return end;
      next = end;
    }
  }

 private:
  std::size_t RunEnd(std::size_t at) const {
    return std::min(s_.find_first_not_of('`', at), s_.size());
  }

  std::string_view s_;
  std::vector<std::size_t> last_;  // by length of run: the start of the last one
};

}  // namespace

std::vector<ProseSpan> EmphasisedSpans(std::string_view text, Span span) {
  std::string_view s = text.substr(span.begin, span.end - span.begin);
  std::vector<ProseSpan> spans;
  if (s.find("__") == kNowhere) return spans;
  CodeSpans code(s);
  std::size_t open = kNowhere;
  for (std::size_t at = s.find_first_of("\\`_\n"); at != kNowhere;
       at = s.find_first_of("\\`_\n", at)) {
    if (s[at] == '\\') {
      at += 2;
    } else if (s[at] == '`') {
      at = code.EndOf(at);
    } else if (s[at] == '\n') {
      ++at;
      const std::size_t next = std::min(s.find_first_not_of(" \t", at), s.size());
      if (next < s.size() && (s[next] == '\n' || s[next] == '\r')) open = kNowhere;
    } else {
      std::size_t end = std::min(s.find_first_not_of('_', at), s.size());
      if (end - at == 2) {
        const CharClass before = ClassBefore(s, at);
        const CharClass after = ClassAt(s, end);
        const bool opens = after != CharClass::kSpace && before != CharClass::kOther;
        const bool closes = before != CharClass::kSpace && after != CharClass::kOther;
        // Between two punctuation marks a run may do either; it closes if one is open.
        if (closes && open != kNowhere) {
          std::string name = KebabCase(s.substr(open + 2, at - open - 2));
          auto base = span.begin;
          if (!name.empty()) {
            spans.push_back({std::move(name),
                             {span.file, base + static_cast<std::uint32_t>(open),
                              base + static_cast<std::uint32_t>(end)}});
          }
          open = kNowhere;
        } else if (opens) {
          open = at;
        }
      }
      at = end;
    }
    if (at >= s.size()) break;
  }
  return spans;
}

std::string KebabCase(std::string_view text) {
  std::string name;
  for (char c : text) {
    if (IsUpper(c)) c = static_cast<char>(c - 'A' + 'a');
    if (IsLower(c) || IsDigit(c)) {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  if (name.ends_with('-')) name.pop_back();
  return name;
}

}  // namespace rpl
