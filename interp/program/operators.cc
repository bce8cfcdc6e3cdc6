// SPDX-License-Identifier: Apache-2.0
#include "interp/program/operators.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "grammar/printer.h"
#include "interp/store/integer.h"

namespace rpl {
namespace {

// Of an operand in a reason, at most.
constexpr std::size_t kShownBytes = 60;

std::string Kinds(Value a, Value b) {
  return std::string(KindName(a)) + " and " + std::string(KindName(b));
}

bool IsShort(const Pool& pool, Value v) {
  return Pool::IsNumber(v) || v.kind() == Kind::kKeyword ||
         (v.kind() == Kind::kString && pool.TextOf(v).size() <= kShownBytes);
}

// The operands for messages: `a string and a number: "ten" and 4`; long values only by kind.
std::string Shown(const Pool& pool, Value a, Value b) {
  if (!IsShort(pool, a) || !IsShort(pool, b)) return Kinds(a, b);
  return Kinds(a, b) + ": " + Text(pool, a, kShownBytes) + " and " + Text(pool, b, kShownBytes);
}

// Whether a float holds each of the two exactly, so that their quotient is rounded once.
bool AreFloats(std::int64_t x, std::int64_t y) {
  constexpr std::int64_t kExact = std::int64_t{1} << 53;
  return x >= -kExact && x <= kExact && y >= -kExact && y <= kExact;
}

constexpr const char* kTooLarge = "a number too large";

// What two integers give, whatever their size; none, with `limit` in words, beyond a limit. A
// product that would be too long is not computed.
Value Exact(Pool& pool, Operator op, const Integer& x, const Integer& y, std::string& limit) {
  pool.Work((x.Bits() + y.Bits()) / 64);
  Value out;
  if (op == Operator::kAdd) {
    out = pool.Int(x + y);
  } else if (op == Operator::kSubtract) {
    out = pool.Int(x - y);
  } else if (op == Operator::kMultiply) {
    if (x.Bits() + y.Bits() <= kMaxBits + 2) out = pool.Int(x * y);
  } else if (const auto whole = Integer::Divide(x, y)) {
    out = pool.Int(*whole);
  } else {
    const double quotient = Integer::Quotient(x, y);
    if (std::isfinite(quotient)) return pool.Float(quotient);
    limit = kTooLarge;
    return kNone;
  }
  if (out.is_none()) limit = "an integer of more than " + std::to_string(kMaxDigits) + " digits";
  return out;
}

// The value of an Int.
std::int64_t InPlace(Value v) { return static_cast<std::int64_t>(v.bits()) >> 4; }

// What integers that 64 bits hold give; kNone where they do not hold the result. REQUIRES: no
// division by zero.
[[gnu::always_inline]] inline Value Small(Pool& pool, Operator op, std::int64_t x, std::int64_t y) {
  std::int64_t out = 0;
  bool overflow = false;
  switch (op) {
    case Operator::kAdd: overflow = __builtin_add_overflow(x, y, &out); break;
    case Operator::kSubtract: overflow = __builtin_sub_overflow(x, y, &out); break;
    case Operator::kMultiply: overflow = __builtin_mul_overflow(x, y, &out); break;
    default:
      if (y == -1) {
        overflow = __builtin_sub_overflow(std::int64_t{0}, x, &out);
      } else if (x % y == 0) {
        out = x / y;
      } else if (AreFloats(x, y)) {
        return pool.Float(static_cast<double>(x) / static_cast<double>(y));
      } else {
        overflow = true;
      }
  }
  return overflow ? kNone : pool.Int(out);
}

Value Arithmetic(Pool& pool, Operator op, Value a, Value b, std::string& why) {
  constexpr Value kZero = Value::FromBits(static_cast<std::uint64_t>(Kind::kInt));
  if (op == Operator::kDivide && b == kZero) {
    why = "division by zero";
    return kNone;
  }
  if (a.kind() == Kind::kInt && b.kind() == Kind::kInt) {
    if (const Value out = Small(pool, op, InPlace(a), InPlace(b)); !out.is_none()) return out;
  } else if (Pool::IsInt(a) && Pool::IsInt(b)) {
    const auto x = pool.Int64Of(a);
    const auto y = pool.Int64Of(b);
    if (x && y)
      if (const Value out = Small(pool, op, *x, *y); !out.is_none()) return out;
  }
  std::string limit;
  Value out;
  if (Pool::IsInt(a) && Pool::IsInt(b)) {
    out = Exact(pool, op, pool.IntegerOf(a), pool.IntegerOf(b), limit);
  } else {
    const double x = *pool.AsDouble(a);
    const double y = *pool.AsDouble(b);
    const double result = op == Operator::kAdd        ? x + y
                          : op == Operator::kSubtract ? x - y
                          : op == Operator::kMultiply ? x * y
                                                      : x / y;
    if (std::isfinite(result)) return pool.Float(result);
    limit = kTooLarge;
  }
  if (!out.is_none()) return out;
  why = limit + " in " + Text(pool, a, kShownBytes) + " " + std::string(OperatorText(op)) + " " +
        Text(pool, b, kShownBytes);
  pool.Overflow(why);
  return kNone;
}

}  // namespace

Value Apply(Pool& pool, Operator op, Value a, Value b, std::string& why) {
  switch (op) {
    case Operator::kAdd:
    case Operator::kSubtract:
    case Operator::kMultiply:
    case Operator::kDivide:
      if (Pool::IsNumber(a) && Pool::IsNumber(b)) return Arithmetic(pool, op, a, b, why);
      why = "`" + std::string(OperatorText(op)) + "` takes two numbers, got " + Shown(pool, a, b);
      return kNone;
    default: break;
  }
  const auto is_collection = [](Value v) {
    return v.kind() == Kind::kSet || v.kind() == Kind::kList;
  };
  if (!is_collection(a) || !is_collection(b)) {
    why = "`" + std::string(OperatorText(op)) + "` takes two sets, got " + Kinds(a, b);
    return kNone;
  }
  const Value left = pool.Set(pool.ItemsOf(a));
  const Value right = pool.Set(pool.ItemsOf(b));
  std::vector<Value> out;
  for (Value v : pool.ItemsOf(left)) {
    const bool in_right = pool.Contains(right, v);
    if (op == Operator::kUnion || in_right == (op == Operator::kIntersect)) out.push_back(v);
  }
  if (op == Operator::kUnion)
    for (Value v : pool.ItemsOf(right)) out.push_back(v);
  return pool.Set(out);
}

bool Holds(const Pool& pool, Operator op, Value a, Value b, std::string& why) {
  if (op == Operator::kEqual) return a == b;
  if (op == Operator::kNotEqual) return a != b;
  int order = 0;
  if (a.kind() == Kind::kInt && b.kind() == Kind::kInt) {
    const auto x = static_cast<std::int64_t>(a.bits());  // the payload decides
    const auto y = static_cast<std::int64_t>(b.bits());
    order = x < y ? -1 : x > y ? 1 : 0;
  } else if (Pool::IsNumber(a) && Pool::IsNumber(b)) {
    order = pool.CompareNumbers(a, b);
  } else if (a.kind() == Kind::kString && b.kind() == Kind::kString) {
    order = pool.TextOf(a).compare(pool.TextOf(b));  // UTF-8 bytes order as code points do
  } else {
    why = "`" + std::string(OperatorText(op)) + "` orders two numbers or two strings, got " +
          Shown(pool, a, b);
    return false;
  }
  switch (op) {
    case Operator::kLess: return order < 0;
    case Operator::kGreater: return order > 0;
    case Operator::kLessEqual: return order <= 0;
    default: return order >= 0;
  }
}

bool IsMember(const Pool& pool, Value element, Value collection, std::string& why) {
  if (collection.kind() == Kind::kSet) return pool.Contains(collection, element);
  if (collection.kind() == Kind::kList) {
    const auto items = pool.ItemsOf(collection);
    return std::find(items.begin(), items.end(), element) != items.end();
  }
  why = "`in` takes a list or a set, got " + std::string(KindName(collection));
  return false;
}

std::optional<std::int64_t> SizeOf(const Pool& pool, Value v, std::string& why) {
  if (v.kind() == Kind::kList || v.kind() == Kind::kSet)
    return static_cast<std::int64_t>(pool.ItemsOf(v).size());
  if (v.kind() == Kind::kMap) return static_cast<std::int64_t>(pool.ItemsOf(v).size() / 2);
  why = "`|…|` counts a list, a set or a map, got " + std::string(KindName(v));
  if (v.kind() == Kind::kTerm) why += "; count a call's tuples with `|#?t|`";
  return std::nullopt;
}

namespace {

// Digits text[at, at + count), or -1.
int Digits(std::string_view text, std::size_t at, std::size_t count) {
  if (at + count > text.size()) return -1;
  int out = 0;
  for (std::size_t i = at; i < at + count; ++i) {
    if (text[i] < '0' || text[i] > '9') return -1;
    out = out * 10 + (text[i] - '0');
  }
  return out;
}

// Days since 1970-01-01 in the proleptic Gregorian calendar.
std::int64_t DaysFromCivil(std::int64_t year, int month, int day) {
  year -= month <= 2;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const std::int64_t of_era = year - era * 400;
  const std::int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

bool ValidDay(int year, int month, int day) {
  static constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (month < 1 || month > 12 || day < 1) return false;
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return day <= kDays[month - 1] + (month == 2 && leap ? 1 : 0);
}

}  // namespace

namespace {

// Times and durations are exact to the attosecond, so that no two different ones of up to 18 digits
// behind the point are equal. 128 bits hold more than all years of four digits.
__extension__ typedef __int128 Attos;
constexpr int kFractionDigits = 18;
constexpr Attos kSecond = 1'000'000'000'000'000'000;
constexpr Attos kMicrosecond = 1'000'000'000'000;

// The digits from `at` on, which are put behind them, as a fraction of one second. nullopt for none
// and for too many.
std::optional<std::int64_t> Fraction(std::string_view text, std::size_t& at) {
  std::int64_t out = 0;
  int count = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
    if (++count <= kFractionDigits) out = out * 10 + (text[at] - '0');
  if (count == 0 || count > kFractionDigits) return std::nullopt;
  for (; count < kFractionDigits; ++count) out *= 10;
  return out;
}

// Since 1970-01-01T00:00:00Z.
std::optional<Attos> ExactInstant(std::string_view text) {
  const int year = Digits(text, 0, 4);
  const int month = Digits(text, 5, 2);
  const int day = Digits(text, 8, 2);
  if (year < 0 || text.size() < 10 || text[4] != '-' || text[7] != '-' ||
      !ValidDay(year, month, day))
    return std::nullopt;
  std::int64_t seconds = DaysFromCivil(year, month, day) * 86'400;
  std::int64_t fraction = 0;
  if (text.size() == 10) return seconds * kSecond;
  if (text[10] != 'T' && text[10] != 't' && text[10] != ' ') return std::nullopt;
  const int hour = Digits(text, 11, 2);
  const int minute = Digits(text, 14, 2);
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || text[13] != ':') return std::nullopt;
  seconds += (hour * 60 + minute) * 60;
  std::size_t at = 16;
  if (at < text.size() && text[at] == ':') {
    const int second = Digits(text, at + 1, 2);
    if (second < 0 || second > 60) return std::nullopt;
    seconds += second;
    at += 3;
    if (at < text.size() && (text[at] == '.' || text[at] == ',')) {
      const auto read = Fraction(text, ++at);
      if (!read) return std::nullopt;
      fraction = *read;
    }
  }
  const std::string_view zone = text.substr(std::min(at, text.size()));
  const Attos local = seconds * kSecond + fraction;
  if (zone == "Z" || zone == "z") return local;
  if (zone.size() != 6 || (zone[0] != '+' && zone[0] != '-') || zone[3] != ':') return std::nullopt;
  const int hours = Digits(zone, 1, 2);
  const int minutes = Digits(zone, 4, 2);
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return std::nullopt;
  const Attos offset = (hours * 60 + minutes) * 60 * kSecond;
  return zone[0] == '+' ? local - offset : local + offset;
}

// Whole microseconds, rounded down; nullopt for more than fit.
std::optional<std::int64_t> Micros(std::optional<Attos> attos) {
  if (!attos) return std::nullopt;
  const Attos out = *attos / kMicrosecond - (*attos % kMicrosecond < 0 ? 1 : 0);
  if (out > INT64_MAX || out < INT64_MIN) return std::nullopt;
  return static_cast<std::int64_t>(out);
}

struct Unit {
  std::string_view name;
  std::int64_t seconds;
};

// The amounts of `text`, each a number and the next of the units or one after it: `1h30min`. Only
// the last may have a fraction. nullopt if it is anything else, or no amount.
std::optional<Attos> Amounts(std::string_view text, std::span<const Unit> units) {
  constexpr std::int64_t kMost = 10'000'000'000;
  Attos out = 0;
  std::size_t at = 0;
  bool last = false;
  while (at < text.size()) {
    const std::size_t begin = at;
    std::int64_t count = 0;
    std::int64_t fraction = 0;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
      if (count < kMost) count = count * 10 + (text[at] - '0');
    if (at == begin || count >= kMost || last) return std::nullopt;
    if (at < text.size() && (text[at] == '.' || text[at] == ',')) {
      const auto read = Fraction(text, ++at);
      if (!read) return std::nullopt;
      fraction = *read;
      last = true;
    }
    const std::size_t end = std::min(text.find_first_of("0123456789", at), text.size());
    const std::string_view name = text.substr(at, end - at);
    const auto unit = std::ranges::find(units, name, &Unit::name);
    if (unit == units.end()) return std::nullopt;
    out += (count * kSecond + fraction) * unit->seconds;
    units = units.subspan(static_cast<std::size_t>(unit - units.begin()) + 1);
    at = end;
  }
  if (text.empty() || !Micros(out)) return std::nullopt;
  return out;
}

// `1h30min`, `1.5h`, or as ISO 8601 writes it: `P1DT12H`, `P2W`. Years and months have no fixed
// length.
std::optional<Attos> ExactDuration(std::string_view text) {
  static constexpr Unit kShort[] = {
      {"w", 604'800}, {"d", 86'400}, {"h", 3'600}, {"min", 60}, {"s", 1}};
  static constexpr Unit kDate[] = {{"W", 604'800}, {"D", 86'400}};
  static constexpr Unit kTime[] = {{"H", 3'600}, {"M", 60}, {"S", 1}};
  if (!text.starts_with('P')) return Amounts(text, kShort);
  text.remove_prefix(1);
  const std::size_t mark = text.find('T');
  if (mark == text.npos) return Amounts(text, kDate);
  const std::string_view date = text.substr(0, mark);
  const auto time = Amounts(text.substr(mark + 1), kTime);
  const auto days = date.empty() ? Attos{0} : Amounts(date, kDate);
  const bool cut = date.find_first_of(".,") != date.npos;
  if (!time || !days || cut) return std::nullopt;
  return *days + *time;
}

}  // namespace

std::optional<std::int64_t> ParseInstant(std::string_view text) {
  return Micros(ExactInstant(text));
}

std::optional<std::int64_t> ParseDuration(std::string_view text) {
  return Micros(ExactDuration(text));
}

bool TemporalHolds(const Pool& pool, Temporal::Kind kind, std::span<const Value> operands,
                   std::string& why) {
  Attos times[3] = {};
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const bool duration = kind == Temporal::Kind::kWithin && i == 1;
    std::optional<Attos> t;
    if (operands[i].kind() == Kind::kString)
      t = duration ? ExactDuration(pool.TextOf(operands[i]))
                   : ExactInstant(pool.TextOf(operands[i]));
    if (!t) {
      why = Text(pool, operands[i], kToldBytes) +
            (duration ? " is no duration such as \"48h\" or \"1h30min\""
                      : " is no ISO 8601 time with offset");
      return false;
    }
    times[i] = *t;
  }
  switch (kind) {
    case Temporal::Kind::kBefore: return times[0] < times[1];
    case Temporal::Kind::kAfter: return times[0] > times[1];
    case Temporal::Kind::kWithin: {
      const Attos distance = times[0] > times[2] ? times[0] - times[2] : times[2] - times[0];
      return distance <= times[1];
    }
    case Temporal::Kind::kBetween: return times[1] <= times[0] && times[0] <= times[2];
  }
  return false;
}

}  // namespace rpl
