// SPDX-License-Identifier: Apache-2.0
#include "formats/spelling.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <numeric>
#include <utility>
#include <vector>

namespace rpl {

std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({replaced, row[j] + 1, row[j - 1] + 1}));
    }
  }
  return row.back();
}

NearestName::NearestName(std::string_view got)
    : got_(got.substr(0, 100)), least_(std::max<std::size_t>(got.size() / 3, 2) + 1) {}

bool NearestName::Offer(std::string_view name) {
  const std::size_t distance = EditDistance(got_, name);
  if (distance >= std::min(least_, name.size())) return false;
  least_ = distance;
  name_ = name;
  return true;
}

std::string Kebab(std::string_view name) {
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const char before = i > 0 ? name[i - 1] : '\0';
    if (c == '_') {
      if (!out.empty() && out.back() != '-') out += '-';
    } else if (c >= 'A' && c <= 'Z') {
      const bool word_ended = (before >= 'a' && before <= 'z') || (before >= '0' && before <= '9');
      if (word_ended) out += '-';
      out += static_cast<char>(c - 'A' + 'a');
    } else {
      out += c;
    }
  }
  while (out.ends_with('-')) out.pop_back();
  return out;
}

bool IsOperatorWord(std::string_view word) {
  switch (word.size()) {  // comparing with all of them is slow, and each fact has words
    case 2: return word == "in" || word == "of";
    case 3: return word == "not" || word == "and" || word == "now";
    case 5: return word == "union" || word == "after";
    case 6: return word == "before" || word == "within";
    case 7: return word == "between";
    case 9: return word == "intersect";
    case 10: return word == "difference";
    default: return false;
  }
}

std::string DigitsOf(std::string_view word) {
  constexpr std::array<std::string_view, 20> kSmall = {
      "zero",     "one",     "two",     "three",     "four",     "five",    "six",
      "seven",    "eight",   "nine",    "ten",       "eleven",   "twelve",  "thirteen",
      "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"};
  constexpr std::array<std::string_view, 8> kTens = {"twenty", "thirty",  "forty",  "fifty",
                                                     "sixty",  "seventy", "eighty", "ninety"};
  constexpr std::size_t kLongest = 16;
  if (word.size() > kLongest) return "";
  std::string lower;
  for (const char c : word) lower += c == ' ' ? '-' : c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
  const auto number = [](const auto& words, std::string_view w) {
    return static_cast<std::size_t>(std::ranges::find(words, w) - words.begin());
  };
  if (const std::size_t n = number(kSmall, lower); n < kSmall.size()) return std::to_string(n);
  const std::string_view text = lower;
  const std::size_t hyphen = text.find('-');
  const std::size_t tens = number(kTens, text.substr(0, hyphen));
  if (tens == kTens.size()) return "";
  const std::size_t ones = hyphen == text.npos ? 0 : number(kSmall, text.substr(hyphen + 1));
  if (ones > 9 || (hyphen != text.npos && ones == 0)) return "";
  return std::to_string((tens + 2) * 10 + ones);
}

std::string KebabTitle(std::string_view title) {
  std::string name;
  for (const char c : title) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80 || std::isalnum(byte) != 0) name += static_cast<char>(std::tolower(byte));
    else if (!name.empty() && name.back() != '-') name += '-';
  }
  while (name.ends_with('-')) name.pop_back();
  return name;
}

}  // namespace rpl
