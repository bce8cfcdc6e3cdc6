// SPDX-License-Identifier: Apache-2.0
//
// Operators on ground values, one case a line.
#include "interp/program/operators.h"

#include <catch2/catch.hpp>

#include "grammar/printer.h"
#include "interp/testing/testing.h"

namespace rpl {
namespace {

using testing::Read;

Operator Named(const std::string& text) {
  for (int op = 0; op <= static_cast<int>(Operator::kAfter); ++op)
    if (OperatorText(static_cast<Operator>(op)) == text) return static_cast<Operator>(op);
  FAIL("no operator " << text);
  return Operator::kEqual;
}

TEST_CASE("arithmetic and set operators") {
  struct {
    const char* a;
    const char* op;
    const char* b;
    const char* expected;  // a value, or `why: part of the reason`
  } const kCases[] = {
      {"1", "+", "2", "3"},
      {"1", "-", "2", "-1"},
      {"3", "*", "-2", "-6"},
      {"6", "/", "3", "2"},
      {"6", "/", "4", "1.5"},
      {"-6", "/", "4", "-1.5"},
      {"0", "/", "5", "0"},
      {"1", "+", "0.5", "1.5"},
      {"0.5", "+", "0.5", "1"},
      {"1.5", "*", "2", "3"},
      {"1", "/", "0", "why: division by zero"},
      {"1.5", "/", "0", "why: division by zero"},
      {"0", "/", "0.0", "why: division by zero"},
      {"9223372036854775807", "+", "1", "9223372036854775808"},
      {"-9223372036854775808", "-", "1", "-9223372036854775809"},
      {"4611686018427387904", "*", "2", "9223372036854775808"},
      {"-9223372036854775808", "/", "-1", "9223372036854775808"},
      {"-9223372036854775808", "*", "-1", "9223372036854775808"},
      {"9223372036854775807", "-", "-1", "9223372036854775808"},
      {"9223372036854775808", "-", "1", "9223372036854775807"},
      {"576460752303423488", "-", "1", "576460752303423487"},
      {"99999999999999999999", "*", "99999999999999999999",
       "9999999999999999999800000000000000000001"},
      {"9999999999999999999800000000000000000001", "/", "99999999999999999999",
       "99999999999999999999"},
      {"-100000000000000000000", "+", "100000000000000000000", "0"},
      {"36893488147419103232", "/", "-18446744073709551616", "-2"},
      {"18446744073709551616", "/", "36893488147419103232", "0.5"},
      {"1", "/", "36893488147419103232", "2.710505431213761e-20"},
      {"9007199254740993", "/", "9007199254740995", "0.9999999999999998"},
      {"1e300", "/", "3e300", "0.3333333333333333"},
      {"18446744073709551617", "+", "0.5", "18446744073709551616"},
      {"1e300", "/", "0", "why: division by zero"},
      {"-9223372036854775807", "-", "1", "-9223372036854775808"},
      {"9223372036854775807", "/", "-1", "-9223372036854775807"},
      {"576460752303423487", "+", "1", "576460752303423488"},
      {"1e308", "*", "10.5", "why: a number too large in 1000000000000"},
      {"1e308", "*", "\"a\"", "why: a number and a string"},
      {"1", "+", "\"1\"", "why: a number and a string"},
      {"a", "-", "1", "why: a symbol and a number"},
      {"[1]", "+", "[2]", "why: a list"},
      {"\"a\"", "+", "\"b\"", "why: two numbers"},
      {"#{1 2}", "union", "#{2 3}", "#{1 2 3}"},
      {"#{1 2}", "intersect", "#{2 3}", "#{2}"},
      {"#{1 2}", "difference", "#{2 3}", "#{1}"},
      {"#{1}", "difference", "#{1}", "#{}"},
      {"#{}", "union", "#{}", "#{}"},
      {"[1 1 2]", "union", "#{3}", "#{1 2 3}"},
      {"#{1}", "union", "1", "why: two sets"},
      {"{:a 1}", "union", "{:b 1}", "why: a map"},
  };
  for (const auto& c : kCases) {
    Pool pool;
    std::string why;
    const Value out = Apply(pool, Named(c.op), Read(pool, c.a), Read(pool, c.b), why);
    INFO(c.a << " " << c.op << " " << c.b << " gave " << Text(pool, out) << " " << why);
    const std::string expected = c.expected;
    if (expected.starts_with("why: ")) {
      CHECK(out.is_none());
      CHECK(why.find(expected.substr(5)) != std::string::npos);
    } else {
      CHECK(out == Read(pool, expected));
    }
  }
}

TEST_CASE("integers have a limit of digits, which is known before they are computed") {
  Pool pool;
  const auto power = [&](std::size_t digits) {  // 10^(digits - 1)
    return pool.Number(WrittenNumber("1" + std::string(digits - 1, '0')));
  };
  struct {
    Value a;
    Operator op;
    Value b;
    bool fits;
  } const kCases[] = {
      {power(50'000), Operator::kMultiply, power(50'001), true},
      {power(50'001), Operator::kMultiply, power(50'001), false},
      {power(100'000), Operator::kMultiply, pool.Int(9), true},
      {power(100'000), Operator::kMultiply, pool.Int(-10), false},
      {power(100'000), Operator::kMultiply, pool.Int(0), true},
      {power(100'000), Operator::kAdd, power(99'999), true},
      {power(100'000), Operator::kSubtract, power(100'000), true},
      {power(100'000), Operator::kDivide, power(7), true},
      {power(100'000), Operator::kDivide, pool.Int(3), false},
  };
  for (const auto& c : kCases) {
    std::string why;
    pool.ClearOverflow();
    const Value out = Apply(pool, c.op, c.a, c.b, why);
    INFO(Text(pool, c.a, 10) << " " << Text(pool, c.b, 10) << " " << why);
    CHECK(out.is_none() != c.fits);
    CHECK(pool.overflow().empty() == c.fits);
    CHECK(why.size() < 300);
  }
}

TEST_CASE("comparison") {
  struct {
    const char* a;
    const char* op;
    const char* b;
    bool holds;
    const char* why = "";
  } const kCases[] = {
      {"1", "=", "1.0", true},
      {"1", "!=", "\"1\"", true},
      {"1", "=", "\"1\"", false},
      {"#{1 2}", "=", "#{2 1}", true},
      {"[1 2]", "!=", "[2 1]", true},
      {"nil", "=", "nil", true},
      {"nil", "!=", "false", true},
      {"1", "<", "2", true},
      {"2", "<", "1", false},
      {"1", "<", "1", false},
      {"1", "<=", "1", true},
      {"1", ">=", "1.0", true},
      {"1.5", ">", "1", true},
      {"-1", "<", "0.5", true},
      {"9223372036854775806", "<", "9223372036854775807", true},
      {"9223372036854775807", "<", "9223372036854775808", true},
      {"-18446744073709551617", "<", "-18446744073709551616.0", true},
      {"18446744073709551616", "=", "1.8446744073709551616e19", true},
      {"18446744073709551617", "=", "18446744073709551616.0", false},
      {"100000000000000000000", "=", "1e20", true},
      {"9223372036854775807", "<", "9223372036854775806", false},
      {"\"a\"", "<", "\"b\"", true},
      {"\"a\"", "<", "\"a\"", false},
      {"\"\"", "<", "\"a\"", true},
      {"\"B\"", "<", "\"a\"", true},
      {"\"z\"", "<", "\"é\"", true},
      {"\"\xEF\xBF\xBD\"", "<", "\"\xF0\x9F\x98\x80\"", true},  // U+FFFD before U+1F600
      {"\"10\"", "<", "\"9\"", true},
      {"1", "<", "\"a\"", false, "a number and a string"},
      {"1", ">=", "\"a\"", false, "a number and a string"},
      {"a", "<", "b", false, "a symbol"},
      {":a", "<", ":b", false, "a keyword"},
      {"true", ">", "false", false, "a boolean"},
      {"[1]", "<", "[2]", false, "a list"},
      {"f(1)", "<", "f(2)", false, "a relation call"},
      {"nil", "<=", "nil", false, "nil"},
  };
  for (const auto& c : kCases) {
    Pool pool;
    std::string why;
    const bool holds = Holds(pool, Named(c.op), Read(pool, c.a), Read(pool, c.b), why);
    INFO(c.a << " " << c.op << " " << c.b << ": " << why);
    CHECK(holds == c.holds);
    CHECK(why.empty() == std::string(c.why).empty());
    CHECK(why.find(c.why) != std::string::npos);
  }
}

TEST_CASE("an integer and a float are ordered exactly") {
  Pool pool;
  std::string why;
  // 2^53 + 1 has no double of its own.
  CHECK(Holds(pool, Operator::kGreater, pool.Int((std::int64_t{1} << 53) + 1), pool.Float(0x1p53),
              why));
}

TEST_CASE("membership and size") {
  struct {
    const char* element;
    const char* collection;
    bool in;
    const char* size;
  } const kCases[] = {
      {"1", "[1 2]", true, "2"},       {"1.0", "[1 2]", true, "2"},  {"3", "[1 2]", false, "2"},
      {"1", "#{1 2}", true, "2"},      {"[1]", "#{[1]}", true, "1"}, {"1", "[]", false, "0"},
      {"1", "[1 1 1]", true, "3"},     {":a", "{:a 1}", false, "1"}, {"1", "{}", false, "0"},
      {"\"a\"", "\"abc\"", false, ""}, {"1", "12", false, ""},       {"1", "f(1)", false, ""},
      {"nil", "nil", false, ""},
  };
  for (const auto& c : kCases) {
    Pool pool;
    INFO(c.element << " in " << c.collection);
    std::string why;
    const Value collection = Read(pool, c.collection);
    CHECK(IsMember(pool, Read(pool, c.element), collection, why) == c.in);
    const bool searched = collection.kind() == Kind::kList || collection.kind() == Kind::kSet;
    CHECK(why.empty() == searched);
    why.clear();
    const std::optional<std::int64_t> size = SizeOf(pool, collection, why);
    CHECK((size ? std::to_string(*size) : "") == c.size);
    CHECK(why.empty() == size.has_value());
  }
}

constexpr std::int64_t kSecond = 1'000'000;
constexpr std::int64_t kDay = 86'400 * kSecond;

TEST_CASE("instants") {
  struct {
    const char* text;
    std::optional<std::int64_t> micros;
  } const kCases[] = {
      {"1970-01-01", 0},
      {"1970-01-01T00:00:00Z", 0},
      {"1970-01-01T00:00Z", 0},
      {"1970-01-01T00:00:00.5Z", kSecond / 2},
      {"1970-01-01T00:00:00.000001Z", 1},
      {"1970-01-01T00:00:00.0000019Z", 1},
      {"1970-01-01T01:00:00+01:00", 0},
      {"1969-12-31T19:00:00-05:00", 0},
      {"1970-01-01T00:00:00-00:30", 1800 * kSecond},
      {"1969-12-31", -kDay},
      {"1972-02-29", 789 * kDay},
      {"2000-02-29", 11016 * kDay},
      {"2000-03-01", 11017 * kDay},
      {"2024-12-31T23:59:59Z", 20089 * kDay - kSecond},
      {"0001-01-01", -719162 * kDay},
      // Dates that are none.
      {"1900-02-29", std::nullopt},
      {"2023-02-29", std::nullopt},
      {"2100-02-29", std::nullopt},
      {"2024-02-30", std::nullopt},
      {"2024-04-31", std::nullopt},
      {"2024-00-10", std::nullopt},
      {"2024-13-10", std::nullopt},
      {"2024-01-00", std::nullopt},
      {"2024-01-32", std::nullopt},
      {"2024-01-01T24:00:01Z", std::nullopt},
      {"2024-01-01T25:00:00Z", std::nullopt},
      {"2024-01-01T00:60:00Z", std::nullopt},
      // Text that is none.
      {"", std::nullopt},
      {"soon", std::nullopt},
      {"2024", std::nullopt},
      {"2024-01", std::nullopt},
      {"2024-1-1", std::nullopt},
      {"24-01-01", std::nullopt},
      {"2024/01/01", std::nullopt},
      {" 2024-01-01", std::nullopt},
      {"2024-01-01 ", std::nullopt},
      {"2024-01-01T", std::nullopt},
      {"2024-01-01T10", std::nullopt},
      {"2024-01-01T00:00:00", std::nullopt},  // no offset (decision 24)
      {"2024-01-01T00:00:00.Z", std::nullopt},
      {"2024-01-01T00:00:00+1:00", std::nullopt},
      {"2024-01-01T00:00:00+01:60", std::nullopt},
      {"2024-01-01T00:00:00Zjunk", std::nullopt},
      {"2024-01-01T00:00:00ZZ", std::nullopt},
      {"-024-01-01", std::nullopt},
  };
  for (const auto& c : kCases) {
    INFO(c.text);
    CHECK(ParseInstant(c.text) == c.micros);
  }
}

TEST_CASE("durations") {
  struct {
    const char* text;
    std::optional<std::int64_t> micros;
  } const kCases[] = {
      {"0s", 0},
      {"90s", 90 * kSecond},
      {"30min", 1800 * kSecond},
      {"48h", 2 * kDay},
      {"7d", 7 * kDay},
      {"2w", 14 * kDay},
      {"", std::nullopt},
      {"5", std::nullopt},
      {"h", std::nullopt},
      {"-1h", std::nullopt},
      {"1.5h", 5400 * kSecond},
      {"1,5h", 5400 * kSecond},
      {"0.25s", kSecond / 4},
      {"1h30min", 5400 * kSecond},
      {"1w2d3h4min5s", 9 * kDay + 11045 * kSecond},
      {"1h1.5min", 3690 * kSecond},
      {"P1D", kDay},
      {"P2W", 14 * kDay},
      {"PT1H30M", 5400 * kSecond},
      {"P1DT12H", kDay + kDay / 2},
      {"PT0.5S", kSecond / 2},
      {"P1.5D", kDay + kDay / 2},
      {"P", std::nullopt},
      {"PT", std::nullopt},
      {"P1DT", std::nullopt},
      {"P1H", std::nullopt},
      {"P1M", std::nullopt},  // months and years
      {"P1Y", std::nullopt},  // have no fixed length
      {"P1.5DT1H", std::nullopt},
      {"p1d", std::nullopt},
      {"1min1h", std::nullopt},
      {"1h1h", std::nullopt},
      {"1.5h30min", std::nullopt},
      {"1.h", std::nullopt},
      {".5h", std::nullopt},
      {"1h 30min", std::nullopt},
      {"1h30", std::nullopt},
      {"1 h", std::nullopt},
      {"1m", std::nullopt},
      {"1H", std::nullopt},
      {"99999999999999999999d", std::nullopt},
      {"9999999999w", std::nullopt},
  };
  for (const auto& c : kCases) {
    INFO(c.text);
    CHECK(ParseDuration(c.text) == c.micros);
  }
}

TEST_CASE("temporal operators") {
  using K = Temporal::Kind;
  struct {
    K kind;
    std::vector<const char*> operands;
    bool holds;
    const char* why = "";
  } const kCases[] = {
      {K::kBefore, {"\"2024-01-01\"", "\"2024-01-02\""}, true},
      {K::kBefore, {"\"2024-01-01\"", "\"2024-01-01\""}, false},
      {K::kAfter, {"\"2024-01-01\"", "\"2024-01-01\""}, false},
      {K::kAfter, {"\"2024-01-02\"", "\"2024-01-01\""}, true},
      {K::kBefore, {"\"2024-01-01T01:00:00+02:00\"", "\"2024-01-01T00:00:00Z\""}, true},
      {K::kWithin, {"\"2024-01-01\"", "\"1d\"", "\"2024-01-02\""}, true},
      {K::kWithin, {"\"2024-01-03\"", "\"1d\"", "\"2024-01-02\""}, true},
      {K::kWithin, {"\"2024-01-04\"", "\"1d\"", "\"2024-01-02\""}, false},
      {K::kWithin, {"\"2024-02-28\"", "\"24h\"", "\"2024-02-29\""}, true},
      {K::kWithin, {"\"2024-02-28\"", "\"24h\"", "\"2024-03-01\""}, false},
      {K::kBetween, {"\"2024-01-01\"", "\"2024-01-01\"", "\"2024-01-02\""}, true},
      {K::kBetween, {"\"2024-01-02\"", "\"2024-01-01\"", "\"2024-01-02\""}, true},
      {K::kBetween, {"\"2024-01-03\"", "\"2024-01-01\"", "\"2024-01-02\""}, false},
      {K::kBetween, {"\"2024-01-01\"", "\"2024-01-02\"", "\"2024-01-01\""}, false},
      {K::kBefore, {"\"soon\"", "\"2024-01-01\""}, false, "\"soon\" is no ISO 8601 time"},
      {K::kBefore, {"1700000000", "\"2024-01-01\""}, false, "1700000000 is no ISO 8601 time"},
      {K::kAfter, {"\"2024-01-01\"", "now"}, false, "now is no ISO 8601 time"},
      {K::kWithin, {"\"2024-01-01\"", "\"2y\"", "\"2024-01-02\""}, false, "\"2y\" is no duration"},
      {K::kWithin, {"\"2024-01-01\"", "5", "\"2024-01-02\""}, false, "5 is no duration"},
  };
  for (const auto& c : kCases) {
    Pool pool;
    std::vector<Value> operands;
    for (const char* text : c.operands) operands.push_back(Read(pool, text));
    std::string why;
    INFO(c.operands[0] << " " << c.operands[1] << " " << why);
    CHECK(TemporalHolds(pool, c.kind, operands, why) == c.holds);
    CHECK(why.empty() == std::string(c.why).empty());
    CHECK(why.find(c.why) != std::string::npos);
  }
}

}  // namespace
}  // namespace rpl
