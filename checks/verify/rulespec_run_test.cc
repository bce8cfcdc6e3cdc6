// SPDX-License-Identifier: Apache-2.0
//
// The twelve rules evaluated in three ways: by a table, and with random rulespecs by the engine, by
// checks/verify/plain_rules.h, and by the Datalog file with checks/verify/plain_souffle.h.
#include "checks/verify/rulespec_run.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <random>

#include "checks/verify/plain_rules.h"
#include "checks/verify/plain_souffle.h"
#include "checks/verify/rulespec_report.h"
#include "interp/explain/explain_print.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

// A rulespec and an envelope, read and evaluated.
struct Evaluated {
  Evaluated(const std::string& rulespec_text, const std::string& envelope_text) {
    Diagnostics found;
    rulespec = ReadRulespec(sources, sources.Add("rulespec.yaml", rulespec_text), found);
    envelope = Envelope::Read(sources, sources.Add("envelope.yaml", envelope_text), found);
    for (const Diagnostic& d : found.all()) UNSCOPED_INFO(Render(d, sources));
    REQUIRE(rulespec);
    REQUIRE(envelope);
    run.emplace(*rulespec, *envelope, sources);
    REQUIRE(run->results().size() == rulespec->predicates.size());
  }

  // 'P' and 'F' by predicate, 'S' for one that was skipped.
  std::string Marks() const {
    std::string marks;
    for (const CheckResult& result : run->results())
      marks += StandingOf(result) == Standing::kSkipped ? 'S' : result.passed ? 'P' : 'F';
    return marks;
  }

  // Likewise, by the Datalog file.
  std::string FileMarks() const {
    const plain::SouffleResult result =
        plain::RunSouffle(ProgramAsSouffle(*rulespec, run->program()));
    CHECK(result.outputs == std::set<std::string>{"predicate_fail", "predicate_pass"});
    std::string marks;
    for (std::size_t i = 0; i < rulespec->predicates.size(); ++i) {
      const plain::SouffleRow id = {"n" + std::to_string(i)};
      const bool pass = result.relations.at("predicate_pass").contains(id);
      CHECK(pass != result.relations.at("predicate_fail").contains(id));
      const bool skips =
          rulespec->predicates[i].when && pass && !result.relations.at("when_met").contains(id);
      marks += skips ? 'S' : pass ? 'P' : 'F';
    }
    return marks;
  }

  Sources sources;
  std::optional<Rulespec> rulespec;
  std::optional<Envelope> envelope;
  std::optional<RulespecRun> run;
};

TEST_CASE("the twelve rules times null, missing, empty text, empty list, 0, text, list, map") {
  struct Rule {
    std::string keys;
    std::string passes;  // by value, in the order of `values`
  };
  const std::vector<std::string> values = {"v: ~", "w: 1",   "v: ''",     "v: []",
                                           "v: 0", "v: abc", "v: [a, b]", "v: {k: v}"};
  const std::vector<Rule> rules = {
      {"rule: exists", "FFPPPPPP"},
      {"rule: not_exists", "PPFFFFFF"},
      {"rule: equals, value: abc", "FFFFFPFF"},
      {"rule: contains, value: a", "FFFFFPPF"},
      {"rule: not_contains, value: a", "PPPPPFFP"},
      {"rule: any_of, value: [abc, 0, a]", "FFFFPPPF"},
      {"rule: none_of, value: [abc, 0, a]", "PPPPFFFP"},
      {"rule: greater_than, value: -1", "FFFFPFFF"},
      {"rule: less_than, value: 1", "FFFFPFFF"},
      {"rule: min_length, value: 1", "FFFFFFPF"},
      {"rule: max_length, value: 1", "PPPPPPFP"},
      {"rule: matches, value: ^a", "FFFFFPPF"},
  };
  std::string rulespec = "claims: [{name: c, selector: v}]\npredicates:\n";
  for (const Rule& rule : rules) rulespec += "- {claim: c, source: memory, " + rule.keys + "}\n";
  for (std::size_t v = 0; v < values.size(); ++v) {
    INFO(values[v]);
    const Evaluated evaluated(rulespec, "facts: {" + values[v] + "}");
    std::string wanted;
    for (const Rule& rule : rules) wanted += rule.passes[v];
    CHECK(evaluated.Marks() == wanted);
    CHECK(evaluated.FileMarks() == wanted);
  }
}

std::string Predicate(const std::string& keys) {
  return "- {claim: c, source: memory, " + keys + "}\n";
}

TEST_CASE("each of the twelve rules is a condition with the same meaning") {
  // The predicate fails, so the mark shows whether its condition was met.
  std::string rulespec =
      "claims: [{name: c, selector: none}, {name: w, selector: w}]\npredicates:\n";
  for (const std::string when :
       {"exists", "not_exists", "equals, value: x", "contains, value: x", "not_contains, value: x",
        "any_of, value: [x]", "none_of, value: [x]", "greater_than, value: 1",
        "less_than, value: 1", "min_length, value: 1", "max_length, value: 1", "matches, value: x",
        "matches, value: '['"})
    rulespec += Predicate("rule: exists, when: {claim: w, rule: " + std::string(when) + "}");
  const auto marks = [&](const std::string& facts) {
    const Evaluated evaluated(rulespec, "facts: " + facts);
    CHECK(evaluated.FileMarks() == evaluated.Marks());
    return evaluated.Marks();
  };
  CHECK(marks("{w: x}") == "FSFFSFSSSSFFF");
  CHECK(marks("{w: 5}") == "FSSSFSFFSSFSF");
  CHECK(marks("{w: [x, y]}") == "FSSFSFSSSFSFF");
  CHECK(marks("{v: 1}") == "SFSSFSFSSSFSF");
}

TEST_CASE("a text that reads like the marker of a map is not one") {
  const std::string rulespec = "claims: [{name: c, selector: v}]\npredicates:\n" +
                               Predicate("rule: equals, value: '{object}'") +
                               Predicate("rule: contains, value: '{object}'") +
                               Predicate("rule: any_of, value: ['{object}']") +
                               Predicate("rule: matches, value: object");
  const auto marks = [&](const std::string& v) {
    const Evaluated evaluated(rulespec, "facts: {v: " + v + "}");
    CHECK(evaluated.FileMarks() == evaluated.Marks());
    return evaluated.Marks();
  };
  CHECK(marks("'{object}'") == "PPPP");
  CHECK(marks("{k: v}") == "FFFF");
  CHECK(marks("['{object}', {}]") == "FPPP");
  CHECK(marks("'\\{object}'") == "FPFP");
}

TEST_CASE("lists and maps among the expected values are looked for in every selected node") {
  const auto marks = [](const std::string& selector, const std::string& value) {
    const Evaluated evaluated("claims: [{name: c, selector: '" + selector + "'}]\npredicates:\n" +
                                  Predicate("rule: any_of, value: [zz, " + value + "]") +
                                  Predicate("rule: none_of, value: [zz, " + value + "]") +
                                  Predicate("rule: equals, value: " + value),
                              "facts: {lm: [{k: 1}, {k: 2}], one: [{k: 1}], l2: [[a, b], [c]],"
                              " mix: [{k: 1}, 7], d: [{k: 1}, {k: 1}], o: [{i: {k: 1}}, {i: 5}],"
                              " t: ['{\"k\":\"1\"}', {k: 1}]}");
    CHECK(evaluated.FileMarks() == evaluated.Marks());
    return evaluated.Marks();
  };
  CHECK(marks("lm[*]", "{k: 1}") == "PFF");
  CHECK(marks("lm[*]", "{k: 3}") == "FPF");
  CHECK(marks("lm", "{k: 1}") == "PFF");
  CHECK(marks("lm[0]", "{k: 1}") == "PFP");
  CHECK(marks("one[*]", "{k: 1}") == "PFP");
  CHECK(marks("l2[*]", "[a, b]") == "PFF");
  CHECK(marks("l2[*]", "[c]") == "PFF");
  CHECK(marks("mix[*]", "{k: 1}") == "PFF");
  CHECK(marks("mix", "{k: 1}") == "PFF");
  CHECK(marks("o[*].i", "{k: 1}") == "PFF");
  CHECK(marks("t[*]", "{k: 1}") == "PFF");
  CHECK(marks("t[0]", "{k: 1}") == "FPF");
  // Equal nodes count once, as equal values do.
  CHECK(marks("d[*]", "{k: 1}") == "PFP");
}

TEST_CASE("numbers are compared as written if they are whole, else as the nearest float") {
  const auto marks = [](const std::string& fact, const std::string& bound) {
    const Evaluated evaluated("claims: [{name: c, selector: v}]\npredicates:\n" +
                                  Predicate("rule: less_than, value: " + bound) +
                                  Predicate("rule: greater_than, value: " + bound),
                              "facts: {v: " + fact + "}");
    CHECK(evaluated.FileMarks() == evaluated.Marks());
    return evaluated.Marks();
  };
  CHECK(marks("8151932086170617710.56", "8151932086170617856") == "FF");
  CHECK(marks("8151932086170617710.56", "8151932086170617855") == "FP");
  CHECK(marks("8151932086170617856", "8151932086170617710.56") == "FF");
  CHECK(marks("123456789012345678901234567890", "123456789012345678901234567890.0") == "FF");
  CHECK(marks("123456789012345678901234567890.0", "123456789012345678901234567889") == "FP");
  CHECK(marks("1e23", "99999999999999999999999") == "FP");
  CHECK(marks("1e23", "100000000000000000000000") == "FF");
  CHECK(marks("0x1F", "31.5") == "PF");
  CHECK(marks("-0.0", "0") == "FF");
  CHECK(marks("0.1", "0.10000000000000000001") == "FF");
  CHECK(marks("'0.1'", "0.1") == "FF");
  CHECK(marks("'0.10000000000000000001'", "0.1") == "FP");
  CHECK(marks("18446744073709551615", "18446744073709551614") == "FP");
  CHECK(marks("18446744073709551615", "18446744073709551616") == "PF");
}

TEST_CASE("a field of a selected map is apart from a claim of that name") {
  const Evaluated evaluated(
      "claims: [{name: c, selector: v}, {name: c.k, selector: w}]\npredicates:\n"
      "- {claim: c.k, rule: equals, value: 2, source: memory}\n",
      "facts: {v: {k: 1}, w: 2}");
  CHECK(evaluated.Marks() == "P");
  CHECK(evaluated.FileMarks() == "P");
  CHECK_THAT(ProgramAsSouffle(*evaluated.rulespec, evaluated.run->program()),
             Catch::Contains("claim_value(\"c..k\", \"1\").\nclaim_value(\"c.k\", \"2\").\n"));
}

TEST_CASE("the Datalog file, to the byte") {
  const Evaluated evaluated(R"(claims: [{name: c, selector: v}, {name: w, selector: w}]
predicates:
  - {claim: c, rule: min_length, value: 2, source: task_prompt, notes: "two\nat least"}
  - {claim: c, rule: not_contains, value: x, source: memory,
     when: {claim: w, rule: greater_than, value: 0.5}}
  - {claim: c, rule: equals, value: a, source: memory}
)",
                            "facts: {v: [b, a, \"\\t\\\"\\\\\\n\"], w: 1}");
  const std::string text = ProgramAsSouffle(*evaluated.rulespec, evaluated.run->program());
  CHECK(text.substr(text.find(".output")) == R"(.output predicate_pass
.output predicate_fail

claim_value("c", "\t\"\\\n").
claim_value("c", "a").
claim_value("c", "b").
claim_value("w", "1").
claim_length("c", 3).
claim_number("w", "1", 1).

// predicate 0, task_prompt: "c min_length 2"
// notes: "two\nat least"
violates(0) :- claim_length("c", n), n < 2.
violates(0) :- claim_other("c").
holds(0) :- claim_length("c", _), !violates(0).
predicate_pass(0) :- holds(0).
predicate_fail(0) :- !predicate_pass(0).

// predicate 1, memory: "c not_contains \"x\""
// when: "w greater_than 0.5"
violates(1) :- claim_value("c", "x").
violates(1) :- claim_part("c", "x", _).
holds(1) :- !violates(1).
when_violates(1) :- claim_number("w", _, r), r <= 0.
when_violates(1) :- claim_nan("w", _).
when_met(1) :- claim_number("w", _, _), !when_violates(1).
predicate_pass(1) :- !when_met(1).
predicate_pass(1) :- when_met(1), holds(1).
predicate_fail(1) :- !predicate_pass(1).

// predicate 2, memory: "c equals \"a\""
holds(2) :- claim_value("c", "a"), 1 = count : { claim_value("c", _) }.
predicate_pass(2) :- holds(2).
predicate_fail(2) :- !predicate_pass(2).
)");
  CHECK(evaluated.FileMarks() == "PPF");
}

TEST_CASE("both outcomes are explained from the extracted facts") {
  Evaluated evaluated("claims: [{name: c, selector: v}]\npredicates:\n" +
                          Predicate("rule: contains, value: a") +
                          Predicate("rule: max_length, value: 1"),
                      "facts: {v: [a, b]}");
  CHECK(ExplanationText(evaluated.run->Explain(0), evaluated.sources) ==
        "predicate-pass(0)  rulespec.compiled.rpl:3: predicate-pass(0) <- holds(0)\n"
        "  holds(0)  rulespec.compiled.rpl:1: holds(0) <- claim-value(\"c\", \"a\")\n"
        "    claim-value(\"c\", \"a\")  envelope.yaml:1\n");
  const std::string why_not = ExplanationText(evaluated.run->Explain(1), evaluated.sources);
  CHECK_THAT(why_not, Catch::Contains("violates(1)"));
}

TEST_CASE("an evaluation that is cut off has a problem and no results") {
  Sources sources;
  Diagnostics found;
  const auto rulespec =
      ReadRulespec(sources,
                   sources.Add("r", "claims: [{name: c, selector: v}]\npredicates:\n" +
                                        Predicate("rule: matches, value: a")),
                   found);
  const auto envelope = Envelope::Read(sources, sources.Add("e", "facts: {v: a}"), found);
  REQUIRE(rulespec);
  REQUIRE(envelope);
  Limits limits;
  limits.watch = [](std::size_t) { return Stop::kTime; };
  const RulespecRun run(*rulespec, *envelope, sources, limits);
  CHECK(run.problem() == "the time is used up");
  CHECK(run.results().empty());
}

// --- the tables of the spec tests --------------------------------------------------------

std::vector<std::string> Split(const std::string& text, const std::string& by) {
  std::vector<std::string> parts;
  std::size_t from = 0;
  for (std::size_t at; (at = text.find(by, from)) != text.npos; from = at + by.size())
    parts.push_back(text.substr(from, at - from));
  parts.push_back(text.substr(from));
  return parts;
}

// Every case of the tables in spec-tests/checks (shell/script/verify_table.h), in one rulespec over
// one envelope: the facts of a case are below a key of their own.
struct Tables {
  std::string claims = "claims:\n";
  std::string predicates = "predicates:\n";
  std::string facts = "facts:\n";
  std::string wanted;

  static std::string Rule(const std::string& rule, const std::string& indent) {
    const std::size_t end = std::min(rule.find(' '), rule.size());
    const std::string value = rule.substr(std::min(end + 1, rule.size()));
    return indent + "rule: " + rule.substr(0, end) + "\n" +
           (value.empty() ? "" : indent + "value: " + value + "\n");
  }

  void Add(const std::string& envelope, const std::string& selector, const std::string& rule,
           const std::string& when, const std::string& outcome) {
    const std::string n = std::to_string(wanted.size());
    facts += "  e" + n + ": " + envelope + "\n";
    claims += "  - {name: c" + n + ", selector: 'e" + n + "." + selector + "'}\n  - {name: w" + n +
              ", selector: e" + n + ".w}\n";
    predicates += "  - claim: c" + n + "\n    source: memory\n" + Rule(rule, "    ");
    if (!when.empty()) predicates += "    when:\n      claim: w" + n + "\n" + Rule(when, "      ");
    wanted += outcome == "pass" ? 'P' : outcome == "fail" ? 'F' : 'S';
  }

  void AddLine(const std::string& line) {
    const std::size_t arrow = line.rfind(" => ");
    if (arrow == line.npos) return;
    const std::string text = line.substr(0, arrow);
    const std::string outcome = line.substr(arrow + 4);
    if (text.starts_with("facts: ")) {
      const std::vector<std::string> parts = Split(text, " ; ");
      // A path from the root of the envelope cannot be moved below a key.
      if (parts.size() != 3 || parts[1].starts_with("c = facts.")) return;
      const std::vector<std::string> rule = Split(parts[2], " when w ");
      Add(parts[0].substr(7), parts[1].substr(4), rule[0], rule.size() > 1 ? rule[1] : "", outcome);
      return;
    }
    const std::vector<std::string> parts = Split(text, " :: ");
    if (parts.size() != 2) return;
    for (const std::string& value : Split(parts[1], " | "))
      Add(value == "(missing)" ? "{other: 1}" : "\n    v: " + value, "v", parts[0], "", outcome);
  }
};

TEST_CASE("every case of the spec tests in one file means what it should, here and there") {
  Tables tables;
  for (const std::string page :
       {"k1-files.md", "k1-selectors.md", "k1-rules.md", "k1-conditions.md"}) {
    std::ifstream in(std::string(RPL_SPEC_TESTS) + "/checks/" + page);
    REQUIRE(in);
    bool table = false;
    for (std::string line; std::getline(in, line);) {
      if (line.starts_with("```") || line.ends_with(":")) table = line == "VERIFY:";
      else if (table) tables.AddLine(line);
    }
  }
  CHECK(tables.wanted.size() > 230);
  const Evaluated evaluated(tables.claims + tables.predicates, tables.facts);
  CHECK(evaluated.Marks() == tables.wanted);
  CHECK(evaluated.FileMarks() == tables.wanted);
}

// --- random rulespecs --------------------------------------------------------------------

class Random {
 public:
  explicit Random(std::uint32_t seed) : random_(seed) {}

  std::size_t Below(std::size_t n) { return random_() % n; }
  template <typename T>
  const T& OneOf(const std::vector<T>& choices) {
    return choices[Below(choices.size())];
  }

  ordered_json Scalar() {
    static const std::vector<ordered_json> scalars = {
        nullptr, "",   "a", "ab", "b", "x y", "{object}", "\\{object}", "1",  "2", "10",   "1.5",
        "true",  true, 0,   1,    2,   10,    -3,         1.5,          -0.5, "é", "a\nb", "-7"};
    return OneOf(scalars);
  }

  ordered_json Json(int depth) {
    const std::size_t kind = depth == 0 ? 9 : Below(10);
    if (kind > 3) return Scalar();
    ordered_json json = kind < 3 ? ordered_json::array() : ordered_json::object();
    static const std::vector<std::string> keys = {"k", "n", "m"};
    for (std::size_t i = Below(4); i > 0; --i) {
      if (kind < 3) json.push_back(Json(depth - 1));
      else json[OneOf(keys)] = Json(depth - 1);
    }
    return json;
  }

  // One of few values, so that equal ones occur.
  ordered_json Small() {
    return OneOf(std::vector<ordered_json>{{{"k", 1}},
                                           {{"k", "1"}},
                                           {{"k", 2}},
                                           ordered_json::array({"a", "b"}),
                                           ordered_json::array({"c"}),
                                           ordered_json::array({{{"k", 1}}}),
                                           7,
                                           "a"});
  }

  ordered_json ValueOf(const std::string& rule) {
    if (rule == "exists" || rule == "not_exists") return nullptr;
    if (rule == "any_of" || rule == "none_of") {
      ordered_json list = ordered_json::array();
      for (std::size_t i = Below(4); i > 0; --i) list.push_back(Below(2) == 0 ? Small() : Json(1));
      return list;
    }
    if (rule == "greater_than" || rule == "less_than")
      return OneOf(std::vector<ordered_json>{0, 1, 1.5, -3, 10, -0.5});
    if (rule == "min_length" || rule == "max_length") return Below(4);
    if (rule == "matches") return OneOf(std::vector<ordered_json>{"^a", "b$", ".", "^$", "1", "e"});
    if (Below(3) == 0) return Small();
    for (;;)
      if (const ordered_json json = Json(2); !json.is_null()) return json;
  }

 private:
  std::mt19937 random_;
};

// From RPL_RANDOM_RULESPECS and RPL_RANDOM_SEED.
std::uint32_t Setting(const char* name, std::uint32_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
}

TEST_CASE("random rulespecs mean the same to the engine, to plain rules and to the file") {
  static const std::vector<std::string> rules = {
      "exists",  "not_exists",   "equals",    "contains",   "not_contains", "any_of",
      "none_of", "greater_than", "less_than", "min_length", "max_length",   "matches"};
  static const std::vector<std::string> selectors = {
      "a",     "b",      "c",       "a.k",     "b[0]", "b[1]", "a[*]", "b[*].k",
      "c.n.m", "a.k[*]", "c[*][*]", "facts.a", "d",    "e",    "e[*]"};
  const std::uint32_t first = Setting("RPL_RANDOM_SEED", 1);
  for (std::uint32_t seed = first; seed < first + Setting("RPL_RANDOM_RULESPECS", 100); ++seed) {
    Random random(seed);
    ordered_json facts = ordered_json::object();
    for (const std::string key : {"a", "b", "c"}) facts[key] = random.Json(3);
    facts["e"] = ordered_json::array();
    for (std::size_t n = random.Below(4); n > 0; --n) facts["e"].push_back(random.Small());
    ordered_json rulespec = {{"claims", ordered_json::array()},
                             {"predicates", ordered_json::array()}};
    for (std::size_t i = 0; i < selectors.size(); ++i)
      rulespec["claims"].push_back({{"name", "c" + std::to_string(i)}, {"selector", selectors[i]}});
    std::string wanted;
    const auto holds = [&](const ordered_json& condition) {
      const std::string selector =
          selectors[std::stoul(condition["claim"].get<std::string>().substr(1))];
      const bool prefixed = selector.starts_with("facts.");
      return plain::Holds(facts, prefixed ? selector.substr(6) : selector, condition["rule"],
                          condition.value("value", ordered_json()));
    };
    const auto condition = [&] {
      const std::string& rule = random.OneOf(rules);
      ordered_json made = {{"claim", "c" + std::to_string(random.Below(selectors.size()))},
                           {"rule", rule}};
      if (const ordered_json value = random.ValueOf(rule); !value.is_null()) made["value"] = value;
      return made;
    };
    for (int i = 0; i < 40; ++i) {
      ordered_json predicate = condition();
      predicate["source"] = "memory";
      const bool passes = holds(predicate);
      bool met = true;
      if (random.Below(3) == 0) {
        predicate["when"] = condition();
        met = holds(predicate["when"]);
      }
      wanted += !met ? 'S' : passes ? 'P' : 'F';
      rulespec["predicates"].push_back(std::move(predicate));
    }
    const std::string envelope = ordered_json{{"facts", facts}}.dump(1);
    INFO("seed " << seed << "\n" << envelope);
    const Evaluated evaluated(rulespec.dump(1), envelope);
    const std::string got = evaluated.Marks();
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      INFO(rulespec["predicates"][i].dump()
           << "\n"
           << selectors[std::stoul(
                  rulespec["predicates"][i]["claim"].get<std::string>().substr(1))]);
      CHECK(got[i] == wanted[i]);
    }
    CHECK(evaluated.FileMarks() == got);
  }
}

}  // namespace
}  // namespace rpl
