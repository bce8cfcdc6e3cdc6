// SPDX-License-Identifier: Apache-2.0
//
// Decimal numbers of any length, compared exactly: no digit is lost to a binary float.
#ifndef RPL_FORMATS_DECIMAL_H_
#define RPL_FORMATS_DECIMAL_H_

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rpl {

/// A decimal number in a canonical form, so that equal numbers have equal members: zero is
/// `Decimal{}`, any other number is ±0.DIGITS · 10^exponent, where DIGITS neither begin nor end
/// with 0.
struct Decimal {
  bool negative = false;
  std::string digits;         // '0' to '9'; empty for zero
  std::int64_t exponent = 0;  // saturates at ±10^15

  friend bool operator==(const Decimal&, const Decimal&) = default;
  /// Numeric order, consistent with ==. O(digits).
  friend std::strong_ordering operator<=>(const Decimal& a, const Decimal& b);
};

/// Reads a whole text of the form 42, -1.5, +.5, 5. or 1e3. nullopt for any other text, such as
/// `inf`, `0x1F` or a number with blanks around it. The text may be untrusted: O(length), and an
/// exponent of any length saturates.
std::optional<Decimal> ReadDecimal(std::string_view text);

}  // namespace rpl

#endif  // RPL_FORMATS_DECIMAL_H_
