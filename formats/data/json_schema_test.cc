// SPDX-License-Identifier: Apache-2.0
#include "formats/data/json_schema.h"

#include <catch2/catch.hpp>

#include "formats/data/json_text.h"

namespace rpl {
namespace {

// "yes", "maybe", or "/where: why".
std::string Fit(const char* schema, const char* value) {
  const JsonText s = ParseExactJson(schema), v = ParseExactJson(value);
  REQUIRE(s.error.empty());
  REQUIRE(v.error.empty());
  const SchemaFit fit = FitsSchema(s.json, v.json);
  if (fit.kind == SchemaFit::Kind::kYes) return "yes";
  if (fit.kind == SchemaFit::Kind::kMaybe) return "maybe";
  return fit.where + ": " + fit.why;
}

constexpr const char* kOrder =
    R"({"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","required":["id"],
        "properties":{"id":{"type":"integer","minimum":1},"note":{"type":"string","maxLength":3},
                      "kind":{"enum":["a","b"]},"lines":{"type":"array","items":{"$ref":"#/$defs/line"}}},
        "$defs":{"line":{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}},
        "additionalProperties":false})";

TEST_CASE("a value is checked against the keywords of its schema") {
  CHECK(Fit(kOrder, R"({"id":1})") == "yes");
  CHECK(Fit(kOrder, R"({"id":1.0,"note":"äöü","kind":"b","lines":[{"n":1}]})") == "yes");
  CHECK(Fit(kOrder, R"({})") == ": `id` is missing");
  CHECK(Fit(kOrder, R"({"id":"1"})") == "/id: expected the type integer");
  CHECK(Fit(kOrder, R"({"id":1.5})") == "/id: expected the type integer");
  CHECK(Fit(kOrder, R"({"id":0})") == "/id: beyond the minimum 1");
  CHECK(Fit(kOrder, R"({"id":1,"Id":2})") == ": `Id` is not known");
  CHECK(Fit(kOrder, R"({"id":1,"note":"abcd"})") == "/note: expected at most 3 characters");
  CHECK(Fit(kOrder, R"({"id":1,"kind":"c"})") == "/kind: expected one of [\"a\",\"b\"]");
  CHECK(Fit(kOrder, R"({"id":1,"lines":[{"n":1},{"n":"1"}]})") ==
        "/lines/1/n: expected the type number");
  CHECK(Fit(kOrder, R"([])") == ": expected the type object");
  CHECK(Fit(R"({"type":["string","null"]})", "null") == "yes");
  CHECK(Fit(R"({"type":["string","null"]})", "1") ==
        ": expected one of the types [\"string\",\"null\"]");
  CHECK(Fit(R"({"const":{"a":1,"b":2}})", R"({"b":2,"a":1.0})") == "yes");
  CHECK(Fit(R"({"type":"integer"})", "100000000000000000000000000000") == "yes");
  CHECK(Fit("false", "1") == ": nothing is allowed here");
  CHECK(Fit(R"({"prefixItems":[{"type":"string"}],"items":{"type":"number"}})", R"(["a",1])") ==
        "yes");
  CHECK(Fit(R"({"prefixItems":[{"type":"string"}],"items":{"type":"number"}})", R"(["a","b"])") ==
        "/1: expected the type number");
}

TEST_CASE("schemas are combined") {
  constexpr const char* kAny = R"({"anyOf":[{"type":"string"},{"type":"number"}]})";
  CHECK(Fit(kAny, "1") == "yes");
  CHECK(Fit(kAny, "true") == ": it has none of the forms that are allowed");
  constexpr const char* kOne = R"({"oneOf":[{"minimum":1},{"minimum":2}]})";
  CHECK(Fit(kOne, "1") == "yes");
  CHECK(Fit(kOne, "2") == ": it has several of the forms of which one is allowed");
  CHECK(Fit(R"({"not":{"type":"string"}})", R"("a")") == ": it has a form that is excluded");
  CHECK(Fit(R"({"allOf":[{"type":"number"},{"maximum":2}]})", "3") == ": beyond the maximum 2");
}

TEST_CASE("a keyword that is not checked proves nothing") {
  CHECK(Fit(R"({"type":"string","pattern":"^a"})", R"("b")") == "maybe");
  CHECK(Fit(R"({"type":"string","pattern":"^a"})", "1") == ": expected the type string");
  CHECK(Fit(R"({"not":{"pattern":"^a"}})", R"("b")") == "maybe");
  CHECK(Fit(R"({"$ref":"https://example.org/schema"})", "1") == "maybe");
  CHECK(Fit(R"({"anyOf":[{"pattern":"^a"},{"type":"string"}]})", R"("b")") == "yes");
  CHECK(Fit(R"({"additionalProperties":false,"patternProperties":{"^x":{}}})", R"({"y":1})") ==
        "maybe");
}

TEST_CASE("the work on a schema is bounded") {
  CHECK(Fit(R"({"$ref":"#"})", "1") == "maybe");
  CHECK(Fit(R"({"anyOf":[{"$ref":"#"},{"$ref":"#"}]})", "1") == "maybe");
  CHECK(Fit(R"({"properties":{"a":{"$ref":"#"}},"required":["b"]})", R"({"b":1,"a":{"a":{}}})") ==
        "/a/a: `b` is missing");
}

}  // namespace
}  // namespace rpl
