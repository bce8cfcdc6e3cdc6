// SPDX-License-Identifier: Apache-2.0
#include "interp/store/json_value.h"

#include <array>
#include <catch2/catch.hpp>

namespace rpl {
namespace {

std::string AsValue(std::string_view json, bool keywords = false) {
  Pool pool;
  const JsonText text = ParseExactJson(json);
  return text.error.empty() ? Text(pool, ValueOfJson(text.json, pool, keywords))
                            : "error: " + text.error;
}

TEST_CASE("JSON as values") {
  CHECK(AsValue(R"([null,true,1,1.0,2.5,"a\n",[],{"b":1,"a":[2]}])") ==
        R"([nil true 1 1 2.5 "a\n" [] {"b" 1, "a" [2]}])");
  CHECK(AsValue(R"({"status":200,"in":{"a":1}})", true) == R"({:status 200, :in {"a" 1}})");
  CHECK(AsValue("18446744073709551615") == "18446744073709551615");
  CHECK(AsValue("[1e23,1e30,-6.02e23,12345678901234567890.5]") ==
        "[100000000000000000000000 1000000000000000000000000000000 "
        "-602000000000000000000000 12345678901234567168]");
  CHECK(AsValue(R"text("% <- q(?x), $json(?x)")text") == R"text("% <- q(?x), $json(?x)")text");
}

TEST_CASE("JSON is taken in up to its limits") {
  const std::string deep = std::string(201, '[') + std::string(201, ']');
  CHECK(AsValue(deep) == "error: nested deeper than 200");
  CHECK(AsValue(deep.substr(1, 400)).starts_with("[[["));
  std::string wide = "{";
  for (int i = 0; i <= 10'000; ++i) wide += (i > 0 ? ",\"" : "\"") + std::to_string(i) + "\":0";
  CHECK(AsValue(wide + "}") == "error: an object has more than 10000 keys");
  CHECK(ParseJson("[1,").byte == 4);
  CHECK(ParseJson("1 2").byte == 3);
  CHECK_FALSE(ParseJson("\"\xff\"").error.empty());
  CHECK(ParseJson("1e999").error == "a number is too large");
  CHECK(ParseJson("{\"a\": nul}").error == "`nul` is not JSON");
}

TEST_CASE("integers of JSON are exact at any size, both ways") {
  Pool pool;
  const std::string long_one = "1" + std::string(500, '0') + "7";
  for (const std::string& json :
       {std::string("18446744073709551616"), std::string("[18446744073709551615,-1]"),
        std::string("[10000000000000000000,9999999999999999999,9223372036854775808]"),
        std::string("[-9223372036854775808,-9223372036854775809,-9999999999999999999]"),
        std::string("[-10000000000000000000,-9223372036854775810,-9223372036854775807]"),
        "-" + long_one, "[1,0.5," + long_one + ",[-3]]",
        "{\"a\":" + long_one + ",\"b\":[" + long_one + ",\"" + long_one + "\",2.5e-07]}",
        "[0.5,-1,\"\\\"" + long_one + "\"," + long_one + "]"}) {
    INFO(json);
    const JsonText text = ParseExactJson(json);
    REQUIRE(text.error.empty());
    CHECK(text.inexact.empty());
    const Value v = ValueOfJson(text.json, pool, false);
    CHECK(JsonOfValue(pool, v) == text.json);
    const std::string again = DumpJson(JsonOfValue(pool, v).value());
    CHECK(again == json);
    CHECK(again == Json(pool, v).value());
    CHECK(ValueOfJson(ParseExactJson(again).json, pool, false) == v);
    CHECK(DumpJson(ParseOwnJson(again)) == again);
    CHECK(JsonOfValue(pool, v, JsonNumbers::kNearest)->dump().find("bytes") == std::string::npos);
  }
  CHECK(AsValue(std::string(100'000, '9')).size() == 100'000);
  CHECK(AsValue("-1" + std::string(100'000, '9')) ==
        "error: an integer has more than 100000 digits");
  CHECK(AsValue("[" + long_one) == "error: the text ends before its value does");
  CHECK(AsValue("0" + long_one).starts_with("error: "));
  CHECK(AsValue(long_one + "-1").starts_with("error: "));
}

TEST_CASE("what a value does not say as its text does is told") {
  const auto inexact = [](std::string_view json) { return ParseJson(json).inexact; };
  CHECK(inexact(R"([{"a":1},{"a":{"a":9223372036854775807}},-9223372036854775808,1e30])") == "");
  CHECK(inexact("[9223372036854775808,18446744073709551615]") == "");
  CHECK(ParseExactJson("[18446744073709551616,-9223372036854775809]").inexact == "");
  CHECK(ParseJson(R"([{"a":1,"b":{"a":2},"a":3}])").error == "the key \"a\" occurs twice");
  CHECK(inexact("[18446744073709551616]") ==
        "the integer 18446744073709551616 does not fit 64 bits");
  CHECK(inexact("[-9223372036854775809]") ==
        "the integer -9223372036854775809 does not fit 64 bits");
  CHECK(inexact("-99999999999999999999") ==
        "the integer -99999999999999999999 does not fit 64 bits");
}

TEST_CASE("values as JSON") {
  Pool pool;
  const Value items[] = {pool.Keyword("k"), pool.Symbol("s"), pool.String("t"), kNil};
  CHECK(JsonOfValue(pool, pool.Set(items))->dump() == R"([":k","s","t",null])");
  const Value same[] = {pool.Symbol("s"), kTrue, pool.String("s"), kFalse};
  CHECK_FALSE(JsonOfValue(pool, pool.Map(same)));
}

TEST_CASE("values become the JSON that they are printed as") {
  Pool pool;
  const Value numbers[] = {pool.Int(0),         pool.Int(-3),    pool.Int(INT64_MAX),
                           pool.Int(INT64_MIN), pool.Float(2.0), pool.Float(-0.0),
                           pool.Float(1e30),    pool.Float(0.1)};
  const Value texts[] = {pool.String("a\"\n\x01\u00e9"),
                         pool.String("\xff"),
                         pool.Keyword("k"),
                         pool.Symbol("s"),
                         kNil,
                         kTrue,
                         kFalse,
                         kWild};
  const Value list = pool.List(numbers);
  const Value term = pool.Term(Namespace::kRelation, "f", texts);
  const Value entries[] = {pool.Keyword("k"), list, pool.Int(1), pool.Set(texts), term, term};
  const Value map = pool.Map(entries);
  const Value nested[] = {map, list, term, pool.List({}), pool.Map({})};
  for (const Value v : {list, term, map, pool.List(nested)}) {
    const nlohmann::ordered_json printed = ParseExactJson(Json(pool, v).value()).json;
    const nlohmann::ordered_json made = JsonOfValue(pool, v).value();
    CHECK(made == printed);
    CHECK(DumpJson(made) == DumpJson(printed));
  }
  Value doubled = pool.List(numbers);
  for (int i = 0; i < 40; ++i) doubled = pool.List(std::array{doubled, doubled});
  CHECK_FALSE(JsonOfValue(pool, doubled));
}

TEST_CASE("bytes that are not UTF-8 become U+FFFD") {
  CHECK(CleanUtf8("a\xff\x1b") == "a\xEF\xBF\xBD\x1b");
}

TEST_CASE("a NUL ends no JSON text") {
  using namespace std::string_literals;
  for (const std::string& text : {"{}\0 rest"s, "1\0"s, "\0"s, "[1,\0 2]"s, "{\"a\0\":1}"s}) {
    const JsonText read = ParseJson(text);
    CHECK(read.error == "expected JSON in UTF-8");
    CHECK(read.byte == text.find('\0') + 1);
    CHECK(read.json.is_null());
  }
}

}  // namespace
}  // namespace rpl
