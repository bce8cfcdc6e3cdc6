// SPDX-License-Identifier: Apache-2.0
#include "formats/data/yaml_tree.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "formats/data/json_text.h"
#include "formats/data/yaml_fields.h"

namespace rpl {
namespace {

// The tree as JSON, or the findings as `line:column message`.
std::string Read(const std::string& text, const YamlLimits& limits = kDocumentLimits) {
  Sources sources;
  Diagnostics found;
  const auto root = ReadYaml(sources, sources.Add("t.yaml", text), found, limits);
  if (root && found.size() == 0) return JsonOf(*root).dump();
  std::string out;
  for (const Diagnostic& d : found.all()) {
    const Sources::Place place = sources.PlaceOf(d.span.file, d.span.begin);
    out += std::to_string(place.line) + ":" + std::to_string(place.column) + " " + d.message + "\n";
  }
  return out;
}

// A time that is quadratic in them would be minutes.
TEST_CASE("a map of many keys becomes JSON in time that is linear in them") {
  constexpr int kKeys = 400'000;
  std::string text;
  for (int i = 0; i < kKeys; ++i) text += "k" + std::to_string(i) + ": 1\n";
  Sources sources;
  Diagnostics found;
  const auto root = ReadYaml(sources, sources.Add("t.yaml", text), found, kDocumentLimits);
  REQUIRE(root);
  CHECK(JsonOf(*root).size() == kKeys);
}

TEST_CASE("JSON is read as it is") {
  CHECK(Read(R"({"facts":{"v":[1,2.5,-3,"a\/b\u00e9\"\\",null,true,{}]}})") ==
        R"({"facts":{"v":[1,2.5,-3,"a/bé\"\\",null,true,{}]}})");
}

TEST_CASE("surrogate pairs of JSON are one character, and places behind them are right") {
  CHECK(Read(R"({"a\ud83d\ude00b": ["\ud83d\ude00\ud83d\ude01", "\\ud83d\\ude00"]})") ==
        R"({"a😀b":["😀😁","\\ud83d\\ude00"]})");
  CHECK(Read(R"({"a": "\ud83d\ude00", "a": 1})") == "1:23 `a` stands here for the second time\n");
  CHECK_THAT(Read(R"({"a": "\ud83d"})"), Catch::Contains("this is not YAML"));
  // In YAML the same letters mean themselves.
  CHECK(Read(R"(a: \ud83d\ude00)") == R"({"a":"\\ud83d\\ude00"})");
}

TEST_CASE("surrogate pairs in the double quotes of YAML are one character") {
  CHECK(Read("a: \"\\ud83c\\udf89 \\\\ud83c\"\n'\\ud83c\\udf89': '\"\\ud83c\\udf89\"'\n") ==
        R"({"a":"🎉 \\ud83c","\\ud83c\\udf89":"\"\\ud83c\\udf89\""})");
  CHECK(
      Read("# it's \"\n\"\\uD83C\\uDF89\": |\n  \"\\ud83c\\udf89\"\nb: \"x\\\"\\ud83c\\udf89\"") ==
      R"({"🎉":"\"\\ud83c\\udf89\"\n","b":"x\"🎉"})");
  CHECK(Read("a: \"\\ud83c\\udf89\"\n\"a\": 1\n") == "2:1 `a` stands here for the second time\n");
  CHECK_THAT(Read("a: \"\\ud83c\"\n"), Catch::StartsWith("1:11 this is not YAML: invalid unicode"));
  CHECK_THAT(Read("a: \"\\\\ud83c\\udf89\"\n"), Catch::Contains("invalid unicode"));
  const std::string deep = std::string(201, '[') + "\"\\ud83c\\udf89\"" + std::string(201, ']');
  CHECK(Read(deep) == "1:201 nested deeper than 200\n");
}

TEST_CASE("every escape of YAML is read as UTF-8") {
  CHECK(Read(R"(a: "x\_é\_\Ny\L\P\e\xa0\u00a0\U0001f389")") ==
        "{\"a\":\"x\u00a0é\u00a0\u0085y\u2028\u2029\\u001b\u00a0\u00a0🎉\"}");
  CHECK(Read(R"("\_": "\N")") == "{\"\u00a0\":\"\u0085\"}");
  CHECK(Read("a: '\\_'") == R"({"a":"\\_"})");
  CHECK(Read("a: \"\\é\"") == "1:6 this is not YAML: unknown escape character: \uFFFD\n");
}

TEST_CASE("keys that are numbers or truth values stand for their text where that is wanted") {
  CHECK(Read("1: a\n1.0: b\ntrue: c\n") == R"({"1":"a","1.0":"b","true":"c"})");
  CHECK(Read("1: a\n'1': b\n") == "2:1 `1` stands here for the second time\n");
  CHECK(Read("1: a\n", {}) == "1:1 expected a string as key, got `1`\n");
  CHECK(Read("~: a\n") == "1:1 expected a string as key, got nothing\n");
  CHECK(Read("[a]: b\n") == "1:1 expected a string as key, got a list\n");
}

TEST_CASE("a list has an entry before each comma") {
  CHECK(Read("[x, ~, null, ]") == R"(["x",null,null])");
  CHECK(Read("a: [x,,,]") ==
        "1:7 `a[1]`: this is not YAML: no entry before the comma\n"
        "1:8 `a[2]`: this is not YAML: no entry before the comma\n");
  CHECK(Read("[,]") == "1:2 `[0]`: this is not YAML: no entry before the comma\n");
  CHECK(Read("[a: , b]\n") == R"([{"a":null},"b"])");
  CHECK(Read("-\n- [[], {}]\n") == "[null,[[],{}]]");
}

TEST_CASE("limits of size and depth are the reader's choice") {
  const std::string deep = std::string(150, '[') + std::string(150, ']');
  CHECK(Read(deep).size() == deep.size());
  CHECK(Read(std::string(201, '[') + std::string(201, ']')) == "1:201 nested deeper than 200\n");
  CHECK(Read("[1, 2]", {3, 20, false}) == "1:1 the file has 6 bytes, more than 3\n");
}

// The text of the scalar `v: TEXT`.
std::string Scalar(const std::string& text) {
  Sources sources;
  Diagnostics found;
  const auto root = ReadYaml(sources, sources.Add("t.yaml", "v: " + text), found, kDocumentLimits);
  REQUIRE(root);
  return ScalarText(root->entries.at(0).value, sources);
}

TEST_CASE("the text of a scalar") {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"abc", "abc"},
      {"'42'", "42"},
      {"true", "true"},
      {"True", "true"},
      {"yes", "yes"},
      {"~", "null"},
      {"42", "42"},
      {"+42", "42"},
      {"-0", "0"},
      {"007", "7"},
      {"0x1F", "31"},
      {"9007199254740993", "9007199254740993"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"9223372036854775808", "9223372036854775808"},
      {"-9223372036854775809", "-9223372036854775809"},
      {"18446744073709551616", "18446744073709551616"},
      {"+00123456789012345678901234567890", "123456789012345678901234567890"},
      {"-00000000000000000000000000000", "0"},
      {"1.0", "1.0"},
      {"1.50", "1.5"},
      {"1e3", "1000.0"},
      {".5", "0.5"},
  };
  for (const auto& [text, wanted] : table) {
    INFO(text);
    CHECK(Scalar(text) == wanted);
  }
}

TEST_CASE("with its sources a tree keeps integers of any size") {
  const std::string nines(400, '9');
  for (const std::string& text :
       {std::string("[9223372036854775808,18446744073709551615,18446744073709551616]"),
        std::string("[-9223372036854775808,-9223372036854775809,-9999999999999999999]"),
        "{\"a\":[" + nines + ",-" + nines + ",\"" + nines + "\",0.5]}"}) {
    INFO(text);
    Sources sources;
    Diagnostics found;
    const auto root = ReadYaml(sources, sources.Add("t.yaml", text), found);
    REQUIRE(root);
    CHECK(DumpJson(JsonOf(*root, sources)) == text);
    CHECK(JsonOf(*root, sources) == ParseExactJson(text).json);
    CHECK_FALSE(HasExactInteger(JsonOf(*root)));
  }
}

TEST_CASE("paths of nodes and keys") {
  Sources sources;
  Diagnostics found;
  const auto root =
      ReadYaml(sources, sources.Add("t.yaml", "claims: [{name: c, 'a b': [[1]]}]"), found);
  REQUIRE(root);
  const YamlPaths paths(*root);
  const YamlNode& claim = root->entries[0].value.items[0];
  CHECK(paths.Of(*root) == "");
  CHECK(paths.Of(claim) == "claims[0]");
  CHECK(paths.Of(claim.entries[0].value) == "claims[0].name");
  CHECK(paths.Of(claim.entries[0].key) == "claims[0].name");
  CHECK(paths.Of(claim.entries[1].value.items[0].items[0]) == R"(claims[0]["a b"][0][0])");
}

TEST_CASE("findings about fields begin with their path") {
  Sources sources;
  Diagnostics found;
  const std::string_view words[] = {"error", "warning"};
  const std::string_view keys[] = {"a", "name", "severity"};
  const std::uint32_t file =
      sources.Add("t.yaml", "a: [1]\nsevrity: x\nz: 1\nname: 5\nseverity: eror\nn:\n");
  const auto root = ReadYaml(sources, file, found);
  REQUIRE(root);
  YamlFields fields(*root, found);
  fields.KnowKeys(*root, keys, Code::kUnknownConfigKey);
  CHECK_FALSE(fields.IsMap(*root->Find("a")));
  CHECK(fields.IsList(*root->Find("a")));
  CHECK_FALSE(fields.Text(*root->Find("name")));
  CHECK_FALSE(fields.Truth(root->Find("a")->items[0]));
  CHECK_FALSE(fields.Word(*root->Find("severity"), words));
  CHECK_FALSE(fields.Word(*root->Find("a"), words));
  CHECK(fields.Require(*root, "n") == nullptr);
  CHECK(fields.Require(*root, "m", "write it") == nullptr);
  CHECK(YamlFields::Optional(*root, "n") == nullptr);
  CHECK(fields.Require(*root, "a") == root->Find("a"));
  std::string all;
  for (const Diagnostic& d : found.all())
    all += CodeText(d.code) + " " + sources.Where(d.span) + " " + d.message +
           (d.hint.empty() ? "" : " (" + d.hint + ")") + "\n";
  CHECK(all ==
        "RPL7004 t.yaml:2:1 `sevrity`: unknown key (did you mean `severity`?)\n"
        "RPL7004 t.yaml:3:1 `z`: unknown key (known are `a`, `name` or `severity`)\n"
        "RPL7004 t.yaml:6:1 `n`: unknown key (known are `a`, `name` or `severity`)\n"
        "RPL7007 t.yaml:1:4 `a`: expected a map, got a list (write keys, each with a value)\n"
        "RPL7007 t.yaml:4:7 `name`: expected a string, got `5` (write it in quotes)\n"
        "RPL7007 t.yaml:1:5 `a[0]`: expected `true` or `false`, got `1` (write `true` or `false`)\n"
        "RPL7007 t.yaml:5:11 `severity`: expected `error` or `warning`, got `eror` (did you mean "
        "`error`?)\n"
        "RPL7007 t.yaml:1:4 `a`: expected `error` or `warning`, got a list (write one of these "
        "words)\n"
        "RPL7006 t.yaml:6:1 `n`: this is required (add `n`)\n"
        "RPL7006 t.yaml:1:1 `m`: this is required (write it)\n");
}

}  // namespace
}  // namespace rpl
