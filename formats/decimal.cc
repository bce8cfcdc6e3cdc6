// SPDX-License-Identifier: Apache-2.0
#include "formats/decimal.h"

#include <re2/re2.h>

#include <algorithm>

namespace rpl {
namespace {

constexpr std::int64_t kMaxExponent = 1'000'000'000'000'000;

std::int64_t ReadExponent(std::string_view text) {
  if (text.empty()) return 0;
  const bool negative = text.front() == '-';
  if (negative || text.front() == '+') text.remove_prefix(1);
  std::int64_t value = 0;
  for (const char c : text) value = std::min(value * 10 + (c - '0'), kMaxExponent);
  return negative ? -value : value;
}

}  // namespace

std::strong_ordering operator<=>(const Decimal& a, const Decimal& b) {
  const auto sign = [](const Decimal& d) { return d.digits.empty() ? 0 : d.negative ? -1 : 1; };
  if (sign(a) != sign(b)) return sign(a) <=> sign(b);
  if (sign(a) == 0) return std::strong_ordering::equal;
  const auto size = a.exponent != b.exponent ? a.exponent <=> b.exponent : a.digits <=> b.digits;
  return a.negative ? 0 <=> size : size;
}

std::optional<Decimal> ReadDecimal(std::string_view text) {
  static const RE2 form(R"(([-+]?)(?:([0-9]+)(?:\.([0-9]*))?|\.([0-9]+))(?:[eE]([-+]?[0-9]+))?)");
  re2::StringPiece sign, whole, fraction, bare, exponent;
  if (!RE2::FullMatch(re2::StringPiece(text.data(), text.size()), form, &sign, &whole, &fraction,
                      &bare, &exponent))
    return std::nullopt;
  Decimal d;
  d.digits = whole.as_string() + fraction.as_string() + bare.as_string();
  d.exponent = static_cast<std::int64_t>(whole.size()) +
               ReadExponent(std::string_view(exponent.data(), exponent.size()));
  const std::size_t zeros = std::min(d.digits.find_first_not_of('0'), d.digits.size());
  d.digits.erase(0, zeros);
  d.digits.erase(d.digits.find_last_not_of('0') + 1);
  if (d.digits.empty()) return Decimal{};
  d.exponent =
      std::clamp(d.exponent - static_cast<std::int64_t>(zeros), -kMaxExponent, kMaxExponent);
  d.negative = sign == "-";
  return d;
}

}  // namespace rpl
