// SPDX-License-Identifier: Apache-2.0
#include "checks/verify/rulespec.h"

#include <catch2/catch.hpp>

namespace rpl {
namespace {

// The findings of a rulespec, each as `CODE line:column message (hint)`.
std::string Findings(const std::string& text) {
  Sources sources;
  Diagnostics found;
  const bool read = ReadRulespec(sources, sources.Add("r.yaml", text), found).has_value();
  CHECK(read == !found.has_errors());
  std::string out;
  for (const Diagnostic& d : found.all()) {
    const Sources::Place place = sources.PlaceOf(d.span.file, d.span.begin);
    out += CodeText(d.code) + " " + std::to_string(place.line) + ":" +
           std::to_string(place.column) + " " + d.message;
    if (!d.hint.empty()) out += " (" + d.hint + ")";
    out += "\n";
  }
  return out;
}

// With the claim c, and one predicate of these keys.
std::string OfPredicate(const std::string& keys) {
  return Findings(
      "claims: [{name: c, selector: a}, {name: e, selector: 'a[*]'}]\n"
      "predicates:\n- {claim: c, source: memory, " +
      keys + "}\n");
}

TEST_CASE("all that is wrong with a rulespec is told at once, with paths") {
  CHECK(Findings(R"(claims:
  - {name: c, selector: a}
  - {name: c}
  - {selector: 'b['}
  - [x]
predicates:
  - {claim: d, rule: exist, source: user}
  - {claim: c, rule: equals}
  - {rule: any_of, value: x, source: memory, when: {claim: d, rule: matches}}
)") == R"(RPL7006 3:5 `claims[1].selector`: this is required (add `selector`)
RPL7103 3:12 `claims[1].name`: duplicate claim `c`, the first is `claims[0].name` in line 2 (give one of them another name)
RPL7006 4:5 `claims[2].name`: this is required (add `name`)
RPL7105 4:16 `claims[2].selector`: invalid selector `b[` of the claim ``: `[` is not closed (write a path as in `field.inner`, `list[0]` or `list[*].field`)
RPL7007 5:5 `claims[3]`: expected a map, got a list (write keys, each with a value)
RPL7104 7:13 `predicates[0].claim`: unknown claim `d` (name one of `claims`, or add it there)
RPL7007 7:22 `predicates[0].rule`: expected `exists`, `not_exists`, `equals`, `contains`, `not_contains`, `any_of`, `none_of`, `greater_than`, `less_than`, `min_length`, `max_length` or `matches`, got `exist` (did you mean `exists`?)
RPL7007 7:37 `predicates[0].source`: expected `task_prompt` or `memory`, got `user` (write one of these words)
RPL7006 8:5 `predicates[1].value`: this is required (`equals` needs one)
RPL7006 8:5 `predicates[1].source`: this is required (`task_prompt` or `memory`)
RPL7006 9:5 `predicates[2].claim`: this is required (add `claim`)
RPL7007 9:27 `predicates[2].value`: expected an array, got a string (write the allowed values in brackets)
RPL7006 9:52 `predicates[2].when.value`: this is required (`matches` needs one)
RPL7104 9:60 `predicates[2].when.claim`: unknown claim `d` (name one of `claims`, or add it there)
)");
}

TEST_CASE("values that rules take") {
  const std::vector<std::string> good = {
      "rule: exists",
      "rule: not_exists",
      "rule: equals, value: ''",
      "rule: equals, value: {a: [1, ~]}",
      "rule: any_of, value: []",
      "rule: greater_than, value: 1.5",
      "rule: less_than, value: -3",
      "rule: greater_than, value: 123456789012345678901234567890",
      "rule: min_length, value: 0",
      "rule: max_length, value: 99999999999999999999",
      "rule: matches, value: '5'",
      "rule: matches, value: '['",
      "rule: exists, notes: ~, when: ~",
  };
  for (const std::string& keys : good) {
    INFO(keys);
    CHECK(OfPredicate(keys) == "");
  }
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"rule: equals, value: ~", "`predicates[0].value`: this is required"},
      {"rule: none_of, value: json", "`predicates[0].value`: expected an array, got a string"},
      {"rule: matches, value: 5", "`predicates[0].value`: expected a string, got `5`"},
      {"rule: greater_than, value: abc", "`predicates[0].value`: expected a number, got a string"},
      {"rule: greater_than, value: '5'", "`predicates[0].value`: expected a number, got a string"},
      {"rule: less_than, value: 1e400",
       "`predicates[0].value`: expected a number, got `1e400`, which is beyond the range of "
       "floats"},
      {"rule: less_than, value: true", "`predicates[0].value`: expected a number, got `true`"},
      {"rule: min_length, value: two", "`predicates[0].value`: expected a whole number from 0"},
      {"rule: min_length, value: -1", "expected a whole number from 0, got `-1`"},
      {"rule: max_length, value: 1.5", "expected a whole number from 0, got `1.5`"},
      {"rule: exists, notes: [x]", "`predicates[0].notes`: expected a string, got a list"},
      {"rule: exists, when: c", "`predicates[0].when`: expected a map, got a string"},
      {"rule: exists, value: .inf", "`.inf` is no number of JSON"},
  };
  for (const auto& [keys, part] : bad) {
    INFO(keys);
    CHECK_THAT(OfPredicate(keys), Catch::Contains(part));
  }
}

TEST_CASE("what is passed over is told") {
  CHECK(OfPredicate("rule: exists, value: 5, note: x") ==
        "RPL7102 3:51 `predicates[0].value`: `exists` takes no value, this one is passed over\n"
        "RPL7101 3:54 `predicates[0].note`: unknown key (did you mean `notes`?)\n");
  CHECK(Findings("claims: []\npredicates: []\nversion: 1\n") ==
        "RPL7101 3:1 `version`: unknown key (known are `claims` or `predicates`)\n");
  CHECK(Findings("claims: [{name: e, selector: 'a[*]'}]\npredicates:\n"
                 "- {claim: e, rule: max_length, value: 1, source: memory}\n") ==
        "RPL7108 3:39 `predicates[0].value`: `a[*]` selects elements, which have no length (leave "
        "out the `[*]` at its end to ask for the length of the list)\n");
}

TEST_CASE("a rulespec may lack a list, but not be empty") {
  CHECK(Findings("") == "RPL7006 1:1 the rulespec is empty (write `claims:` and `predicates:`)\n");
  CHECK(Findings("claims:\n") == "");
  CHECK(Findings("predicates: []\n") == "");
  CHECK(
      Findings("claims: {}\npredicates: x\n") ==
      "RPL7007 1:9 `claims`: expected a list, got a map (write its entries in brackets)\n"
      "RPL7007 2:13 `predicates`: expected a list, got a string (write its entries in brackets)\n");
}

}  // namespace
}  // namespace rpl
