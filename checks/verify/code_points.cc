// SPDX-License-Identifier: Apache-2.0
#include "checks/verify/code_points.h"

#include <fmt/format.h>
#include <re2/re2.h>
#include <utf8proc.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>

namespace rpl {
namespace {

constexpr char32_t kFirstSurrogate = 0xD800, kLastSurrogate = 0xDFFF;

// Every code point but the surrogates, in order.
const std::string& AllText() {
  static const std::string text = [] {
    std::string all;
    utf8proc_uint8_t bytes[4];
    for (char32_t c = 0; c <= CodePoints::kLast; ++c) {
      if (c == kFirstSurrogate) c = kLastSurrogate + 1;
      const auto size = utf8proc_encode_char(static_cast<utf8proc_int32_t>(c), bytes);
      all.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
    }
    return all;
  }();
  return text;
}

char32_t CodePointAt(const std::string& text, std::size_t at) {
  utf8proc_int32_t c = 0;
  utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()) + at, 4, &c);
  return static_cast<char32_t>(c);
}

// Capitals first, so that the forms of a letter that share a capital (σ and ς) become one. The
// dotted and the dotless i are letters of their own in simple case folding.
char32_t Folded(char32_t c) {
  if (c == 0x130 || c == 0x131) return c;
  return static_cast<char32_t>(utf8proc_tolower(utf8proc_toupper(static_cast<int>(c))));
}

// The letters with several cases, by what they fold to.
const std::unordered_map<char32_t, std::vector<char32_t>>& Cases() {
  static const auto cases = [] {
    std::unordered_map<char32_t, std::vector<char32_t>> all;
    for (char32_t c = 0; c <= CodePoints::kLast; ++c) {
      const char32_t folded = Folded(c);
      if (folded == c) continue;
      std::vector<char32_t>& same = all[folded];
      if (same.empty()) same.push_back(folded);
      same.push_back(c);
    }
    return all;
  }();
  return cases;
}

}  // namespace

std::optional<CodePoints> CodePoints::OfClass(const std::string& re2) {
  const RE2 run("(" + re2 + "+)", RE2::Quiet);
  if (!run.ok()) return std::nullopt;
  CodePoints found;
  re2::StringPiece left = AllText(), match;
  while (RE2::FindAndConsume(&left, run, &match)) {
    const auto begin = static_cast<std::size_t>(match.data() - AllText().data());
    std::size_t last = begin + match.size() - 1;
    while ((AllText()[last] & 0xC0) == 0x80) --last;
    found.Add(CodePointAt(AllText(), begin), CodePointAt(AllText(), last));
  }
  return found;
}

const CodePoints& CodePoints::Word() {
  // The last four are the letters in circles and squares, which are alphabetic symbols.
  static const CodePoints word =
      *OfClass(R"([\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}\x{200C}\x{200D}\x{24B6}-\x{24E9})"
               R"(\x{1F130}-\x{1F149}\x{1F150}-\x{1F169}\x{1F170}-\x{1F189}])");
  return word;
}

const CodePoints& CodePoints::Digit() {
  static const CodePoints digit = *OfClass(R"(\p{Nd})");
  return digit;
}

const CodePoints& CodePoints::Space() {
  static const CodePoints space = [] {
    CodePoints all('\t', '\r');
    for (const char32_t c : {0x20, 0x85, 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000})
      all.Add(c, c);
    all.Add(0x2000, 0x200A);
    return all;
  }();
  return space;
}

void CodePoints::Add(char32_t first, char32_t last) {
  const auto from = std::lower_bound(
      ranges_.begin(), ranges_.end(), first,
      [](const Range& range, char32_t c) { return range.last < c && range.last + 1 < c; });
  auto to = from;
  for (; to != ranges_.end() && to->first <= last + 1; ++to) {
    first = std::min(first, to->first);
    last = std::max(last, to->last);
  }
  ranges_.insert(ranges_.erase(from, to), {first, last});
}

void CodePoints::Add(const CodePoints& other) {
  for (const Range& range : other.ranges_) Add(range.first, range.last);
}

CodePoints CodePoints::Complement() const {
  CodePoints out;
  char32_t next = 0;
  for (const Range& range : ranges_) {
    if (range.first > next) out.ranges_.push_back({next, range.first - 1});
    next = range.last + 1;
  }
  if (next <= kLast) out.ranges_.push_back({next, kLast});
  return out;
}

CodePoints CodePoints::And(const CodePoints& other) const {
  CodePoints out;
  for (auto a = ranges_.begin(), b = other.ranges_.begin();
       a != ranges_.end() && b != other.ranges_.end();) {
    const Range both{std::max(a->first, b->first), std::min(a->last, b->last)};
    if (both.first <= both.last) out.ranges_.push_back(both);
    if (a->last < b->last) ++a;
    else ++b;
  }
  return out;
}

CodePoints CodePoints::WithOtherCases() const {
  CodePoints out = *this;
  for (const auto& [folded, same] : Cases())
    if (std::any_of(same.begin(), same.end(), [&](char32_t c) { return Contains(c); }))
      for (const char32_t c : same) out.Add(c, c);
  return out;
}

bool CodePoints::Contains(char32_t c) const {
  const auto after =
      std::upper_bound(ranges_.begin(), ranges_.end(), c,
                       [](char32_t point, const Range& range) { return point < range.first; });
  return after != ranges_.begin() && c <= std::prev(after)->last;
}

std::string CodePoints::Re2() const {
  if (empty()) return R"([^\x{0}-\x{10ffff}])";
  std::string out = "[";
  for (const Range& range : ranges_) {
    fmt::format_to(std::back_inserter(out), "\\x{{{:x}}}", static_cast<std::uint32_t>(range.first));
    if (range.last > range.first)
      fmt::format_to(std::back_inserter(out), "-\\x{{{:x}}}",
                     static_cast<std::uint32_t>(range.last));
  }
  return out + "]";
}

}  // namespace rpl
