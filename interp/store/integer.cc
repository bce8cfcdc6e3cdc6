// SPDX-License-Identifier: Apache-2.0
#include "interp/store/integer.h"

#include <cassert>
#include <cmath>
#include <type_traits>
#include <utility>

namespace rpl {
namespace {

static_assert(sizeof(mp_limb_t) == sizeof(std::uint64_t));

// word · 2^exponent, rounded once if the word's last bit says whether anything was cut off.
double Scaled(std::uint64_t word, std::int64_t exponent) {
  constexpr std::int64_t kBeyond = 100'000;  // any float is zero or infinite there
  if (exponent > kBeyond) exponent = kBeyond;
  if (exponent < -kBeyond) exponent = -kBeyond;
  return std::ldexp(static_cast<double>(word), static_cast<int>(exponent));
}

// The first 64 bits of a number that has as many, the last of which is set if any behind is.
std::uint64_t Leading(const mpz_t z) {
  const std::size_t cut = mpz_sizeinbase(z, 2) - 64;
  mpz_t top;
  mpz_init(top);
  mpz_tdiv_q_2exp(top, z, cut);
  const auto word = static_cast<std::uint64_t>(mpz_getlimbn(top, 0));
  mpz_clear(top);
  return word | (mpz_scan1(z, 0) < cut ? 1u : 0u);
}

}  // namespace

Integer::Integer(bool negative, std::span<const std::uint64_t> magnitude) {
  mpz_init(z_);
  mpz_import(z_, magnitude.size(), -1, sizeof(std::uint64_t), 0, 0, magnitude.data());
  if (negative) mpz_neg(z_, z_);
}

// Functions of GMP take a long, which has 32 bits on some systems.
void Integer::SetWord(std::int64_t v) {
  const auto word = static_cast<std::uint64_t>(v);
  const std::uint64_t magnitude = v < 0 ? 0 - word : word;
  mpz_init(z_);
  mpz_import(z_, 1, -1, sizeof magnitude, 0, 0, &magnitude);
  if (v < 0) mpz_neg(z_, z_);
}

Integer Integer::OfDouble(double v) {
  assert(std::isfinite(v));
  Integer out;
  mpz_set_d(out.z_, v);
  return out;
}

Integer Integer::OfDigits(std::string_view digits) {
  if (digits.starts_with('+')) digits.remove_prefix(1);
  Integer out;
  [[maybe_unused]] const int bad = mpz_set_str(out.z_, std::string(digits).c_str(), 10);
  assert(bad == 0);
  return out;
}

bool Integer::IsTooLong() const {
  const std::size_t bits = Bits();
  if (bits <= kMaxBits) return false;
  if (bits > kMaxBits + 1) return true;
  static const Integer first = [] {
    Integer out;
    mpz_ui_pow_ui(out.z_, 10, kMaxDigits);
    return out;
  }();
  return mpz_cmpabs(z_, first.z_) >= 0;
}

std::optional<std::int64_t> Integer::AsInt64() const {
  if (mpz_size(z_) > 1) return std::nullopt;
  const auto magnitude = static_cast<std::uint64_t>(mpz_getlimbn(z_, 0));
  if (magnitude > static_cast<std::uint64_t>(INT64_MAX) + (IsNegative() ? 1 : 0))
    return std::nullopt;
  return static_cast<std::int64_t>(IsNegative() ? 0 - magnitude : magnitude);
}

std::span<const std::uint64_t> Integer::Magnitude() const {
  return {reinterpret_cast<const std::uint64_t*>(mpz_limbs_read(z_)), mpz_size(z_)};
}

std::string Integer::Digits() const {
  std::string out(mpz_sizeinbase(z_, 10) + 2, '\0');
  mpz_get_str(out.data(), 10, z_);
  out.resize(out.find('\0'));
  return out;
}

double Integer::Nearest() const {
  const std::size_t bits = Bits();
  double size = 0;
  if (bits > 64) size = Scaled(Leading(z_), static_cast<std::int64_t>(bits) - 64);
  else if (bits > 0) size = static_cast<double>(mpz_getlimbn(z_, 0));
  return IsNegative() ? -size : size;
}

Integer operator+(const Integer& a, const Integer& b) {
  Integer out;
  mpz_add(out.z_, a.z_, b.z_);
  return out;
}

Integer operator-(const Integer& a, const Integer& b) {
  Integer out;
  mpz_sub(out.z_, a.z_, b.z_);
  return out;
}

Integer operator*(const Integer& a, const Integer& b) {
  Integer out;
  mpz_mul(out.z_, a.z_, b.z_);
  return out;
}

std::optional<Integer> Integer::Divide(const Integer& a, const Integer& b) {
  assert(!b.IsZero());
  if (mpz_divisible_p(a.z_, b.z_) == 0) return std::nullopt;
  Integer out;
  mpz_divexact(out.z_, a.z_, b.z_);
  return out;
}

std::pair<Integer, Integer> Integer::DivideDown(const Integer& a, const Integer& b) {
  assert(!b.IsZero());
  std::pair<Integer, Integer> out;
  mpz_fdiv_qr(out.first.z_, out.second.z_, a.z_, b.z_);
  return out;
}

double Integer::Quotient(const Integer& a, const Integer& b) {
  assert(!b.IsZero());
  if (a.IsZero()) return 0;
  // Scaled so that the whole quotient has 65 or 66 bits; what it leaves goes into its last bit.
  const auto shift =
      65 - (static_cast<std::int64_t>(a.Bits()) - static_cast<std::int64_t>(b.Bits()));
  Integer over = a;
  Integer under = b;
  if (shift > 0) mpz_mul_2exp(over.z_, over.z_, static_cast<mp_bitcnt_t>(shift));
  else mpz_mul_2exp(under.z_, under.z_, static_cast<mp_bitcnt_t>(-shift));
  Integer rest;
  mpz_tdiv_qr(over.z_, rest.z_, over.z_, under.z_);
  const std::uint64_t word = Leading(over.z_) | (rest.IsZero() ? 0u : 1u);
  const double size = Scaled(word, static_cast<std::int64_t>(over.Bits()) - 64 - shift);
  return a.IsNegative() != b.IsNegative() ? -size : size;
}

}  // namespace rpl
