// SPDX-License-Identifier: Apache-2.0
//
// Integers of any size, by GMP. The pool has them as values (interp/store/value.h), the operators
// compute with them where a word does not do (interp/program/operators.h).
//
// An Integer owns its digits; a copy is deep. Nothing here limits its size: callers
// check the bits of the operands before they compute.
#ifndef RPL_INTERP_STORE_INTEGER_H_
#define RPL_INTERP_STORE_INTEGER_H_

#include <gmp.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "formats/number_text.h"

namespace rpl {

/// The most bits of a number that surely has no more than kMaxDigits digits; one with more than
/// kMaxBits + 1 surely has.
inline constexpr std::size_t kMaxBits = 332'192;

class Integer {
 public:
  explicit Integer(std::int64_t v = 0) {
    if constexpr (sizeof(long) == sizeof v) mpz_init_set_si(z_, v);
    else SetWord(v);
  }
  /// Of a magnitude, least significant word first.
  Integer(bool negative, std::span<const std::uint64_t> magnitude);
  Integer(const Integer& other) { mpz_init_set(z_, other.z_); }
  Integer& operator=(const Integer& other) {
    mpz_set(z_, other.z_);
    return *this;
  }
  ~Integer() { mpz_clear(z_); }

  /// The value of a whole float. REQUIRES: it is finite.
  static Integer OfDouble(double v);
  /// The value of decimal digits, a sign in front of them or not. REQUIRES: they are digits.
  /// More than linear: the caller limits their number.
  static Integer OfDigits(std::string_view digits);

  bool IsNegative() const { return mpz_sgn(z_) < 0; }
  bool IsZero() const { return mpz_sgn(z_) == 0; }
  std::size_t Bits() const { return IsZero() ? 0 : mpz_sizeinbase(z_, 2); }
  /// Whether it has more than kMaxDigits digits.
  bool IsTooLong() const;
  /// Its value, if 64 bits hold it.
  std::optional<std::int64_t> AsInt64() const;
  /// The magnitude, least significant word first; empty for zero. Valid while *this is unchanged.
  std::span<const std::uint64_t> Magnitude() const;
  std::string Digits() const;
  /// The nearest float; infinite beyond their range.
  double Nearest() const;

  /// Negative, zero or positive, as `a` is less than, equal to or greater than `b`. Exact.
  static int Compare(const Integer& a, const Integer& b) { return mpz_cmp(a.z_, b.z_); }
  static int Compare(const Integer& a, double b) { return mpz_cmp_d(a.z_, b); }

  friend Integer operator+(const Integer& a, const Integer& b);
  friend Integer operator-(const Integer& a, const Integer& b);
  friend Integer operator*(const Integer& a, const Integer& b);
  /// The quotient if it is whole. REQUIRES: b is not zero.
  static std::optional<Integer> Divide(const Integer& a, const Integer& b);
  /// The quotient, rounded down, and what it leaves, with the sign of b. REQUIRES: b is not zero.
  static std::pair<Integer, Integer> DivideDown(const Integer& a, const Integer& b);
  /// The float nearest to the quotient; infinite beyond their range. REQUIRES: b is not zero.
  static double Quotient(const Integer& a, const Integer& b);

 private:
  void SetWord(std::int64_t v);

  mpz_t z_;
};

}  // namespace rpl

#endif  // RPL_INTERP_STORE_INTEGER_H_
