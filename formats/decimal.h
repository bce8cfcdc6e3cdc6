// SPDX-License-Identifier: Apache-2.0
//
// Numbers as their digits: compared exactly, however long.
#ifndef RPL_FORMATS_DECIMAL_H_
#define RPL_FORMATS_DECIMAL_H_

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rpl {

/// Zero, or ±0.DIGITS · 10^exponent, where DIGITS neither begin nor end with 0. Equal numbers
/// have equal parts.
struct Decimal {
  bool negative = false;
  std::string digits;         // empty for zero
  std::int64_t exponent = 0;  // beyond ±10^15 it stays there

  friend bool operator==(const Decimal&, const Decimal&) = default;
  friend std::strong_ordering operator<=>(const Decimal& a, const Decimal& b);
};

/// A whole text such as 42, -1.5, .5, 5. or 1e3; nullopt for any other. Not `inf`, `0x1F`, or
/// blanks. O(text).
std::optional<Decimal> ReadDecimal(std::string_view text);

}  // namespace rpl

#endif  // RPL_FORMATS_DECIMAL_H_
