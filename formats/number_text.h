// SPDX-License-Identifier: Apache-2.0
//
// Numbers as they are written, in RPL, JSON, CSV and texts alike: one whose value is whole is an
// integer, however it is spelled and whatever its size; any other is the nearest float, which is 0
// for 1e-400.
#ifndef RPL_FORMATS_NUMBER_TEXT_H_
#define RPL_FORMATS_NUMBER_TEXT_H_

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace rpl {

/// The most digits that an integer may have (decision 89).
inline constexpr std::size_t kMaxDigits = 100'000;

/// A number: an integer of 64 bits, a float that is not whole, or the digits of a larger integer,
/// without leading zeros, after a minus sign or not.
using WrittenNumber = std::variant<std::int64_t, double, std::string>;

/// The result of reading.
struct NumberText {
  enum class Problem {
    kNone,
    kNoNumber,
    kTooLong,   // an integer with more than kMaxDigits digits
    kTooLarge,  // beyond the range of floats, and with an exponent or a fraction
  };
  Problem problem = Problem::kNone;
  WrittenNumber value;
};

/// Reads a whole text of the form 42, -1.5, +.5, 5. or 1e3. The text may be untrusted: O(length).
NumberText ReadNumber(std::string_view text);

/// As std::from_chars: reads the float that [begin, end) starts with, the nearest to what is
/// written.
std::from_chars_result ReadFloat(const char* begin, const char* end, double& value);

/// The number that the shortest text of a float denotes: 1e23 is 10^23, although no float is.
/// REQUIRES: it is finite.
WrittenNumber NumberAsWritten(double v);

}  // namespace rpl

#endif  // RPL_FORMATS_NUMBER_TEXT_H_
