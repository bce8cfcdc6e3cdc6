// SPDX-License-Identifier: Apache-2.0
#include "formats/number_text.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <system_error>
#include <utility>

#include "formats/character.h"
#include "formats/decimal.h"

namespace rpl {
namespace {

// Of digits without leading zeros.
NumberText OfDigits(bool negative, std::string_view digits) {
  if (digits.empty()) return {{}, std::int64_t{0}};
  if (digits.size() > kMaxDigits) return {NumberText::Problem::kTooLong, {}};
  std::string text = (negative ? "-" : "") + std::string(digits);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc{}) return {{}, value};
  return {{}, std::move(text)};
}

#if !defined(__cpp_lib_to_chars)
// The end of the decimal number that the text starts with; null if it starts with none.
const char* EndOfFloat(const char* at, const char* end) {
  const auto digits = [&] {
    const char* const from = at;
    at = std::find_if_not(at, end, IsDigit);
    return at - from;
  };
  if (at != end && *at == '-') ++at;
  std::ptrdiff_t size = digits();
  if (at != end && *at == '.') {
    ++at;
    size += digits();
  }
  if (size == 0) return nullptr;
  const char* const mantissa = at;
  if (at == end || (*at | ' ') != 'e') return mantissa;
  if (++at != end && (*at == '-' || *at == '+')) ++at;
  return digits() > 0 ? at : mantissa;
}
#endif

}  // namespace

std::from_chars_result ReadFloat(const char* begin, const char* end, double& value) {
#if defined(__cpp_lib_to_chars)
  return std::from_chars(begin, end, value);
#else  // libc++ reads no floats; strtod obeys the locale, which stays "C" here
  const char* const stop = EndOfFloat(begin, end);
  if (stop == nullptr) return {begin, std::errc::invalid_argument};
  const std::string text(begin, stop);
  const double read = std::strtod(text.c_str(), nullptr);
  const bool zero =
      text.substr(0, text.find_first_of("eE")).find_first_of("123456789") == text.npos;
  if (std::isinf(read) || (read == 0 && !zero)) return {stop, std::errc::result_out_of_range};
  value = read;
  return {stop, {}};
#endif
}

NumberText ReadNumber(std::string_view text) {
  std::string_view bare = text;
  const bool negative = bare.starts_with('-');
  if (negative || bare.starts_with('+')) bare.remove_prefix(1);
  const bool plus = text.starts_with('+');
  if (plus && bare.starts_with('-')) return {NumberText::Problem::kNoNumber, {}};
  const std::string_view unsigned_text = plus ? bare : text;
  const char* const text_end = unsigned_text.data() + unsigned_text.size();
  std::int64_t integer = 0;
  const auto read = std::from_chars(unsigned_text.data(), text_end, integer);
  if (read.ptr == text_end && read.ec == std::errc{}) return {{}, integer};
  if (read.ptr == text_end && read.ec == std::errc::result_out_of_range)
    return OfDigits(negative, bare.substr(std::min(bare.find_first_not_of('0'), bare.size())));
  double value = 0;
  const auto [end, error] = ReadFloat(unsigned_text.data(), text_end, value);
  constexpr double kExact = 0x1p53;  // every whole number up to there is a float
  if (error == std::errc{} && end == text_end && std::abs(value) < kExact) {
    if (value == std::trunc(value)) return {{}, static_cast<std::int64_t>(value)};
    return {{}, value};
  }
  const std::optional<Decimal> decimal = ReadDecimal(text);
  if (!decimal) return {NumberText::Problem::kNoNumber, {}};
  if (decimal->digits.empty()) return {{}, std::int64_t{0}};
  const bool exponent = bare.find_first_of("eE") != bare.npos;
  const auto size = static_cast<std::int64_t>(decimal->digits.size());
  const bool whole = decimal->exponent >= size;
  if (error == std::errc::result_out_of_range && decimal->exponent < 0)
    return {{}, std::int64_t{0}};
  if ((!whole || exponent) && (error != std::errc{} || !std::isfinite(value)))
    return {NumberText::Problem::kTooLarge, {}};
  if (!whole) return {{}, NumberAsWritten(value)};  // the nearest float is whole
  if (decimal->exponent > static_cast<std::int64_t>(kMaxDigits))
    return {NumberText::Problem::kTooLong, {}};
  return OfDigits(
      negative,
      decimal->digits + std::string(static_cast<std::size_t>(decimal->exponent - size), '0'));
}

WrittenNumber NumberAsWritten(double v) {
  if (v != std::trunc(v)) return v;
  if (v >= -0x1p63 && v < 0x1p63) return static_cast<std::int64_t>(v);
  char buffer[40];
  const char* const end = std::to_chars(buffer, buffer + sizeof buffer, v).ptr;
  return ReadNumber({buffer, static_cast<std::size_t>(end - buffer)}).value;
}

}  // namespace rpl
