// SPDX-License-Identifier: Apache-2.0
#include "grammar/string_pieces.h"

#include <charconv>
#include <cstdint>
#include <utility>

#include "formats/character.h"
#include "formats/spelling.h"

namespace rpl {
namespace {

void AppendUtf8(std::string& out, std::uint32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | (c >> 6));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | (c >> 12));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (c >> 18));
    out += static_cast<char>(0x80 | ((c >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  }
}

// The end of `{name}`, `{ ?name }`, `{?Name}` or `{?_}` at the brace `at`, which is probably a
// misspelt hole; 0 for any other text.
std::size_t HoleMeant(std::string_view text, std::size_t at) {
  const auto blanks = [&](std::size_t i) { return SkipBlanks(text, i); };
  std::size_t i = at + 1;
  const bool mark = text.substr(blanks(i), 1) == "?";
  if (mark) i = blanks(i) + 1;
  const std::size_t name = i;
  while (i < text.size() && IsNameChar(text[i])) ++i;
  if (i == name) return 0;
  const bool anonymous = text.substr(name, i - name) == "_";
  if (!(mark ? IsLetter(text[name]) || anonymous : IsLower(text[name]))) return 0;
  if (mark) i = blanks(i);
  const bool doubled = at > 0 && text[at - 1] == '{';  // {{name}} is another template language
  return i < text.size() && text[i] == '}' && !doubled ? i + 1 : 0;
}

}  // namespace

void StringPieces::Clear() {
  string_.clear();
  texts_.clear();
  holes_.clear();
  high_surrogate_ = 0;
}

void StringPieces::Escape(std::string_view token) {
  const char c = token[1];
  if (c != 'u') {
    if (high_surrogate_ != 0) {
      source_.Fail(Code::kBadLiteral, source_.SpanOf(token),
                   "expected the second half of a surrogate pair");
    }
    constexpr std::string_view kNames = "ntrbf";
    constexpr std::string_view kValues = "\n\t\r\b\f";
    const std::size_t known = kNames.find(c);
    string_ += known == kNames.npos ? c : kValues[known];
    return;
  }
  std::uint32_t value = 0;
  std::from_chars(token.data() + 2, token.data() + 6, value, 16);
  const bool high = value >= 0xD800 && value < 0xDC00;
  const bool low = value >= 0xDC00 && value < 0xE000;
  if (low != (high_surrogate_ != 0)) {
    source_.Fail(Code::kBadLiteral, source_.SpanOf(token), "the escape is half of a surrogate pair",
                 "write both halves, or the character itself");
  }
  if (high) {
    // The low half must touch it.
    const std::size_t after = source_.OffsetOf(token.data()) + token.size();
    if (source_.text().substr(after, 2) != "\\u") {
      source_.Fail(Code::kBadLiteral, source_.SpanOf(token),
                   "the escape is half of a surrogate pair",
                   "write both halves, or the character itself");
    }
    high_surrogate_ = static_cast<char16_t>(value);
    return;
  }
  if (low) {
    value = 0x10000u + ((static_cast<std::uint32_t>(high_surrogate_) - 0xD800u) << 10) +
            (value - 0xDC00u);
    high_surrogate_ = 0;
  }
  AppendUtf8(string_, value);
}

void StringPieces::Brace(std::string_view token) {
  string_ += '{';
  const std::size_t at = source_.OffsetOf(token.data());
  const std::size_t end = HoleMeant(source_.text().substr(0, source_.limit()), at);
  if (end == 0) return;
  const std::string hole(source_.text().substr(at, end - at));
  std::string name;
  for (const char c : hole)
    if (std::string_view("{}? \t").find(c) == std::string_view::npos) name += c;
  source_.Lint(Code::kBraceInString,
               {source_.file(), static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end)},
               "`" + hole + "` is plain text in a string",
               name == "_"
                   ? "a hole has a name: write one that is used nowhere else, as in `{?rest}`"
                   : "for a variable, write `{?" + (name[0] < 'a' ? Kebab(name) : name) + "}`");
}

void StringPieces::Hole(std::string_view token) {
  texts_.push_back(std::exchange(string_, {}));
  const std::string_view name = token.substr(1, token.size() - 2);
  holes_.emplace_back(name.substr(1));  // `_` has an empty name
}

String StringPieces::TakeString() { return {std::exchange(string_, {})}; }

Template StringPieces::TakeTemplate() {
  texts_.push_back(std::exchange(string_, {}));
  return {std::exchange(texts_, {}), std::exchange(holes_, {})};
}

}  // namespace rpl
