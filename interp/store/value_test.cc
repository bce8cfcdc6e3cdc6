// SPDX-License-Identifier: Apache-2.0
//
// Equal values are equal words, whatever their spelling; text and JSON of each kind.
#include "interp/store/value.h"

#include <catch2/catch.hpp>
#include <limits>
#include <random>

#include "interp/store/integer.h"
#include "interp/store/text_queue.h"
#include "interp/testing/testing.h"

namespace rpl {
namespace {

using testing::Read;

TEST_CASE("equal spellings are one word, others are not") {
  struct {
    const char* a;
    const char* b;
    bool equal;
  } const kCases[] = {
      {"1", "1.0", true},
      {"1", "1e0", true},
      {"100", "1e2", true},
      {"-0.0", "0", true},
      {"0.5", "5e-1", true},
      {"0.5", "0.50", true},
      {"1", "\"1\"", false},
      {"a", "\"a\"", false},
      {"a", ":a", false},
      {":a", "\":a\"", false},
      {"a", "a()", false},
      {"nil", "false", false},
      {"nil", "\"nil\"", false},
      {"'a'", "\"a\"", true},
      {"[1 2]", "[1, 2]", true},
      {"[1 2]", "[2 1]", false},
      {"[1 . 2]", "[1 2]", true},
      {"[]", "#{}", false},
      {"{}", "#{}", false},
      {"#{1 2}", "#{2 1}", true},
      {"#{1 1 2}", "#{2 1}", true},
      {"#{1 1.0}", "#{1}", true},
      {"#{#{1 2} 3}", "#{3 #{2 1}}", true},
      {"#{1}", "1", false},
      {"#{1}", "[1]", false},
      {"{:a 1, :b 2}", "{:b 2 :a 1}", true},
      {"{:a 1}", "{:a 1.0}", true},
      {"{:a 1}", "{a 1}", false},
      {"{:a #{1 2}}", "{:a #{2 1}}", true},
      {"{1 2}", "[1 2]", false},
      {"f(1)", "f(1.0)", true},
      {"f(1)", "f(1, 1)", false},
      {"f(1)", "g(1)", false},
      {"f(g(#{1 2}))", "f(g(#{2 1}))", true},
      {"9223372036854775807", "9223372036854775807", true},
      {"9223372036854775807", "9223372036854775806", false},
      {"576460752303423487", "576460752303423488", false},
      {"-9223372036854775808", "-9223372036854775808", true},
      {"1e300", "1e300", true},
      {"1e300", "1e301", false},
  };
  Pool pool;
  for (const auto& c : kCases) {
    INFO(c.a << " and " << c.b);
    const Value a = Read(pool, c.a);
    const Value b = Read(pool, c.b);
    REQUIRE(!a.is_none());
    REQUIRE(!b.is_none());
    CHECK((a == b) == c.equal);
  }
}

TEST_CASE("text and JSON") {
  struct {
    const char* value;
    const char* text;
    const char* json;
  } const kCases[] = {
      {"1", "1", "1"},
      {"-1", "-1", "-1"},
      {"1.50", "1.5", "1.5"},
      {"-0.0", "0", "0"},
      {"576460752303423488", "576460752303423488", "576460752303423488"},
      {"9223372036854775807", "9223372036854775807", "9223372036854775807"},
      {"-9223372036854775808", "-9223372036854775808", "-9223372036854775808"},
      {"'a'", "\"a\"", "\"a\""},
      {R"("a\"b\\c\nd")", R"("a\"b\\c\nd")", R"("a\"b\\c\nd")"},
      {"\"é\"", "\"é\"", "\"é\""},
      {":k", ":k", "\":k\""},
      {"sym", "sym", "\"sym\""},
      {"nil", "nil", "null"},
      {"true", "true", "true"},
      {"[1 [2] []]", "[1 [2] []]", "[1,[2],[]]"},
      {"#{2 1 2}", "#{2 1}", "[2,1]"},
      {"{:b 1, \"a\" x, c nil}", "{:b 1, \"a\" x, c nil}", R"({":b":1,"a":"x","c":null})"},
      {"{1 2, [3] 4, #{5} 6}", "{1 2, [3] 4, #{5} 6}", R"({"1":2,"[3]":4,"#{5}":6})"},
      {"f(1, \"a\", [b])", "f(1, \"a\", [b])", R"_("f(1, \"a\", [b])")_"},
      {"f()", "f()", "\"f()\""},
  };
  for (const auto& c : kCases) {
    Pool pool;  // a set keeps the order of its first appearance in a pool
    const Value v = Read(pool, c.value);
    INFO(c.value);
    CHECK(Text(pool, v) == c.text);
    CHECK(Json(pool, v) == std::string(c.json));
    CHECK(Read(pool, Text(pool, v)) == v);
  }
}

TEST_CASE("two keys of a map that are one string have no JSON (decision 59)") {
  Pool pool;
  CHECK(Json(pool, Read(pool, "{a 1, \"a\" 2}")) == std::nullopt);
  CHECK(Json(pool, Read(pool, "[{:a 1, \":a\" 2}]")) == std::nullopt);
  CHECK(Json(pool, Read(pool, "{a 1, :a 2}")) == R"({"a":1,":a":2})");
  // A slot prints with its mark.
  const Value entry[] = {pool.Slot("u"), pool.String("foo")};
  CHECK(Json(pool, pool.Map(entry)) == R"({"?u":"foo"})");
  CHECK(Text(pool, pool.Map(entry)) == "{?u \"foo\"}");
}

TEST_CASE("a set or map keeps the order of its first appearance") {
  Pool pool;
  const Value first = Read(pool, "#{3 1 2}");
  CHECK(Text(pool, Read(pool, "#{1 2 3}")) == "#{3 1 2}");
  CHECK(Read(pool, "#{1 2 3}") == first);
  Read(pool, "{b 1, a 2}");
  CHECK(Text(pool, Read(pool, "{a 2, b 1}")) == "{b 1, a 2}");
}

TEST_CASE("an equal set or map that is written in another order keeps it beside the word") {
  Pool pool;
  const auto written = [&](std::initializer_list<int> parts) {
    std::vector<Value> out;
    for (const int part : parts) out.push_back(pool.Int(part));
    return out;
  };
  const Value set = pool.Set(written({2, 1}));
  CHECK(pool.OrderIfOther(set, written({2, 1})).empty());
  CHECK(pool.OrderIfOther(set, written({2, 1, 2})).empty());
  CHECK(pool.OrderIfOther(set, written({1, 2, 1})) == written({1, 2}));
  const Value map = pool.Map(written({1, 7, 2, 8}));
  CHECK(pool.OrderIfOther(map, written({1, 7, 2, 8, 1, 9})).empty());
  CHECK(pool.OrderIfOther(map, written({2, 8, 1, 7, 2, 9})) == written({2, 8, 1, 7}));
}

TEST_CASE("one number has one form") {
  Pool pool;
  CHECK(pool.Float(-0.0) == pool.Int(0));
  CHECK(pool.Float(3.0) == pool.Int(3));
  CHECK(pool.Float(0x1p62) == pool.Int(std::int64_t{1} << 62));
  CHECK(pool.Float(-0x1p63) == pool.Int(std::numeric_limits<std::int64_t>::min()));
  CHECK(Text(pool, pool.Float(0x1p63)) == "9223372036854775808");
  CHECK(pool.Float(0x1p64) == pool.Number(std::string("18446744073709551616")));
  CHECK(Text(pool, pool.Float(-1e22)) == "-10000000000000000000000");
  CHECK(pool.Float(0.1 + 0.2) != pool.Float(0.3));
  for (const std::int64_t v :
       {std::int64_t{0}, std::int64_t{-1}, (std::int64_t{1} << 59) - 1, std::int64_t{1} << 59,
        -(std::int64_t{1} << 59), -(std::int64_t{1} << 59) - 1,
        std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
    INFO(v);
    CHECK(pool.AsInt(pool.Int(v)) == v);
    CHECK(pool.Int(v) == pool.Int(v));
  }
}

TEST_CASE("integers of any size") {
  Pool pool;
  const auto big = [&](std::string digits) {
    return pool.Number(WrittenNumber(std::move(digits)));
  };
  const Value a = big("123456789012345678901234567890");
  CHECK(a.kind() == Kind::kBigInt);
  CHECK(a == Read(pool, "123456789012345678901234567890"));
  CHECK(a == Read(pool, "+00123456789012345678901234567890.000"));
  CHECK(a != Read(pool, "-123456789012345678901234567890"));
  CHECK(Read(pool, "1e23") == big("100000000000000000000000"));
  CHECK(Read(pool, "12345678901234567890123e3") == big("12345678901234567890123000"));
  CHECK(Text(pool, a) == "123456789012345678901234567890");
  CHECK(Json(pool, a) == "123456789012345678901234567890");
  CHECK_FALSE(pool.Int64Of(a));
  CHECK(*pool.AsDouble(a) == 123456789012345678901234567890.0);
  CHECK(*pool.AsDouble(big("9007199254740993000000000000001")) ==
        9007199254740993000000000000001.0);
  CHECK(pool.Int(pool.IntegerOf(a)) == a);
  CHECK(pool.Int(Integer(5)) == pool.Int(5));
  CHECK(pool.Int(Integer(INT64_MIN)) == pool.Int(INT64_MIN));
  // In order, floats among them; one that is closer to its neighbour than a float tells.
  const Value ordered[] = {big("-" + std::string(400, '9')),
                           big("-18446744073709551617"),
                           pool.Int(INT64_MIN),
                           pool.Float(-4503599627370495.5),
                           pool.Int(-1),
                           pool.Float(0.5),
                           pool.Int((std::int64_t{1} << 53) + 1),
                           pool.Int(INT64_MAX),
                           pool.Float(0x1p63),
                           big("9223372036854775809"),
                           pool.Float(0x1p64),
                           big("18446744073709551617"),
                           pool.Float(1e300),
                           big(std::string(400, '9'))};
  for (std::size_t i = 0; i < std::size(ordered); ++i)
    for (std::size_t k = 0; k < std::size(ordered); ++k) {
      INFO(i << " " << k);
      const int order = pool.CompareNumbers(ordered[i], ordered[k]);
      CHECK((order < 0) == (i < k));
      CHECK((order == 0) == (i == k));
    }
  const Value most = big(std::string(kMaxDigits, '9'));
  CHECK(Text(pool, most).size() == kMaxDigits);
  CHECK(Text(pool, most, 20).starts_with("99999999999999999999… (about "));
  CHECK(pool.overflow().empty());
  CHECK(pool.Int(pool.IntegerOf(most) + Integer(1)).is_none());
  CHECK(pool.overflow() == "an integer of more than 100000 digits");
}

TEST_CASE("map keys and set elements are found by value") {
  Pool pool;
  const Value map = Read(pool, "{:a 1, 2 b, [x] nil}");
  CHECK(pool.Lookup(map, Read(pool, "2.0")) == pool.Symbol("b"));
  CHECK(pool.Lookup(map, Read(pool, "[x]")) == kNil);
  CHECK(pool.Lookup(map, Read(pool, "a")).is_none());
  const Value set = Read(pool, "#{1 \"a\" [2]}");
  CHECK(pool.Contains(set, Read(pool, "[2]")));
  CHECK(pool.Contains(set, Read(pool, "1.0")));
  CHECK_FALSE(pool.Contains(set, Read(pool, "a")));
  // The first of two entries with one key stands.
  const Value twice[] = {kTrue, pool.Int(1), kTrue, pool.Int(2)};
  CHECK(Text(pool, pool.Map(twice)) == "{true 1}");
}

TEST_CASE("values nest as deep as the limit and no deeper") {
  Pool pool;
  Value v = pool.List({});
  for (std::uint32_t depth = 1; depth < kMaxValueDepth; ++depth) {
    const Value item[] = {v};
    v = pool.List(item);
    REQUIRE(!v.is_none());
  }
  const Value item[] = {v};
  CHECK(pool.List(item).is_none());
  CHECK(pool.Set(item).is_none());
  CHECK(pool.Term(Namespace::kRelation, "f", item).is_none());
  const Value entry[] = {kNil, v};
  CHECK(pool.Map(entry).is_none());
  CHECK(Text(pool, v).size() == 2 * kMaxValueDepth);
}

TEST_CASE("texts that are interned together are those that are interned one by one") {
  constexpr Kind kKinds[] = {Kind::kString, Kind::kSymbol, Kind::kKeyword};
  std::mt19937 random(11);
  std::vector<std::string> texts;
  for (int i = 0; i < 400; ++i) texts.emplace_back(random() % 40, static_cast<char>('a' + i % 26));
  Pool pool;
  std::vector<Value> cells;
  std::vector<std::pair<Kind, std::string>> pushed;
  TextQueue queue(pool, cells);
  for (int i = 0; i < 5'000; ++i) {
    if (random() % 16 == 0) {
      pushed.resize(pushed.size() - std::min<std::size_t>(pushed.size(), random() % 9));
      queue.Shrink(pushed.size());
    } else if (random() % 4 == 0) {
      queue.Push(kTrue);
      pushed.emplace_back(Kind::kSpecial, "true");
    } else {
      const std::string& text = texts[random() % texts.size()];
      pushed.emplace_back(kKinds[random() % 3], text);
      queue.Push(pushed.back().first, text);
    }
  }
  queue.Flush();
  const auto alone = [&](const auto& text) {
    switch (text.first) {
      case Kind::kString: return pool.String(text.second);
      case Kind::kSymbol: return pool.Symbol(text.second);
      case Kind::kKeyword: return pool.Keyword(text.second);
      default: return kTrue;
    }
  };
  const std::size_t known = pool.size();
  std::vector<Value> expected;
  std::transform(pushed.begin(), pushed.end(), std::back_inserter(expected), alone);
  CHECK(cells == expected);
  CHECK(pool.size() == known);
  CHECK(cells.size() > 500);
}

TEST_CASE("lists in prose") {
  Pool pool;
  const auto list = [&](std::vector<Value> items) { return pool.List(items); };
  const Value rome = pool.String("Rome");
  const Value ulm = pool.String("Ulm");
  CHECK(ProseText(pool, rome) == "Rome");
  CHECK(ProseText(pool, list({rome, pool.Int(3)})) == "Rome, 3");
  CHECK(ProseText(pool, list({list({rome, ulm}), list({ulm})})) == "Rome, Ulm; Ulm");
  CHECK(ProseText(pool, list({})) == "none");
  CHECK(ProseText(pool, list({pool.String("a, b")})) == R"(["a, b"])");
  CHECK(ProseText(pool, list({list({}), rome})) == R"([[] "Rome"])");
  CHECK(ProseText(pool, list({list({list({rome})})})) == R"([[["Rome"]]])");
}

TEST_CASE("many values stay apart") {
  Pool pool;
  std::vector<Value> values;
  for (int i = 0; i < 20000; ++i) values.push_back(pool.String("s" + std::to_string(i)));
  for (int i = 0; i < 20000; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (pool.String("s" + std::to_string(i)) != values[at]) FAIL(i);
    if (pool.TextOf(values[at]) != "s" + std::to_string(i)) FAIL(i);
  }
}

}  // namespace
}  // namespace rpl
