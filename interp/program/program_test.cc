// SPDX-License-Identifier: Apache-2.0
//
// What a document becomes: rules in the order of §17.4, assertions, obligations.
#include "interp/program/program.h"

#include <catch2/catch.hpp>

#include "grammar/testing_random.h"
#include "interp/testing/testing.h"

namespace rpl {
namespace {

using testing::Engine;
using testing::Join;
using testing::Of;
using testing::Pick;

// The program in lines: assertions, then rules, constraints, questions.
std::string Loaded(const std::string& text, const std::string& name = "test.rpl") {
  Engine engine;
  const std::uint32_t file = engine.sources.Add(name, text);
  std::vector<std::string> out;
  const Document document = ReadDocument(engine.sources, file, engine.findings);
  for (const Assertion& a : engine.program.Load(document, engine.findings).assertions) {
    std::string line = a.truth ? "assert " : "retract ";
    line += engine.store.at(a.relation).name() + testing::RowText(engine.pool, a.row);
    if (!a.meta.is_none()) line += " ^ " + Text(engine.pool, a.meta);
    out.push_back(line);
  }
  for (const Definition& d : engine.program.definitions())
    out.push_back("rule " + d.text + (d.heading.empty() ? "" : " under " + d.heading));
  for (const Constraint& c : engine.program.constraints())
    out.push_back((c.obligation ? "obligation "
                   : c.forbids  ? "exclusion "
                                : "constraint ") +
                  c.text);
  for (const ArgumentQuestion& q : engine.program.questions())
    out.push_back("question " + q.name + " of " + q.subject);
  for (const Diagnostic& d : engine.findings.all())
    if (d.severity == Severity::kError) out.push_back("error " + CodeText(d.code));
  return Join(out);
}

TEST_CASE("expressions join headings below them up to a limit, then one finding") {
  const auto text = [](std::size_t expressions, std::size_t headings) {
    std::string out = "# T\n\n```rpl\n";
    for (std::size_t i = 0; i < expressions; ++i) out += "c" + std::to_string(i) + "(?x)\n";
    out += "```\n";
    for (std::size_t i = 0; i < headings; ++i) out += "\n## U - r" + std::to_string(i) + "(?x)\n";
    return out;
  };
  const auto errors = [&](std::size_t expressions, std::size_t headings) {
    Engine engine;
    Diagnostics findings;
    const auto file = engine.sources.Add("joins.md", text(expressions, headings));
    engine.program.Load(ReadDocument(engine.sources, file, findings), findings);
    std::string out;
    for (const Diagnostic& d : findings.all()) out += CodeText(d.code) + " ";
    return out;
  };
  CHECK(errors(40, kMaxJoins / 40) == "");
  CHECK(errors(42, kMaxJoins / 40) == "RPL1024 ");
  CHECK(errors(kMaxJoins + 1, 1) == "");  // no more than is written
}

// Any value that rules can bind: calls stand in collections, and keys of maps are of all kinds.
Value AnyValue(Pool& pool, int depth) {
  const auto several = [&] {
    std::vector<Value> out;
    for (int n = Pick(4); n > 0; --n) out.push_back(AnyValue(pool, depth - 1));
    return out;
  };
  switch (Pick(depth > 0 ? 10 : 6)) {
    case 0: return pool.Int(Pick(2000) - 1000);
    case 1: return pool.Float(Of<double>({0.5, -1e300, 1e-7}));
    case 2: return pool.String(Of<std::string>({"", "a", "{?x}", "\\", "\"'", "\n", "--", "é"}));
    case 3: return pool.Keyword(Of<std::string>({"a", "bindings", "result"}));
    case 4: return pool.Symbol(Of<std::string>({"a", "in", "a-b"}));
    case 5: return Of<Value>({kTrue, kFalse, kNil});
    case 6: return pool.List(several());
    case 7: return pool.Set(several());
    case 8: return pool.Term(Namespace::kRelation, "k", several());
    default: {
      std::vector<Value> entries;
      for (int n = Pick(3); n > 0; --n) {
        entries.push_back(Pick(3) == 0 ? pool.Slot(Of<std::string>({"x", "a-b", "2"}))
                                       : AnyValue(pool, depth - 1));
        entries.push_back(AnyValue(pool, depth - 1));
      }
      return pool.Map(entries);
    }
  }
}

TEST_CASE("any value is read as it prints, alone and in an entry of a trace (§12.3)") {
  CHECK(rc::check([] {
    Engine engine;
    Pool& pool = engine.pool;
    const Value v = AnyValue(pool, 3), w = AnyValue(pool, 3);
    RC_ASSERT(testing::Read(pool, Text(pool, v)) == v);
    const std::string text = "%g ^^ {?v " + Text(pool, v) + ", ?2 " + Text(pool, w) +
                             "} -> true\n$t(" + Text(pool, v) + ") ^ ~ {:result " + Text(pool, w) +
                             "} -> true\n";
    const std::uint32_t file = engine.sources.Add("trace.rpl", text);
    const std::vector<Assertion> told =
        engine.program.Load(ReadDocument(engine.sources, file, engine.findings), engine.findings)
            .assertions;
    if (told.size() != 2) RC_FAIL(text);
    const Value truth[] = {pool.Slot("v"), v, pool.Slot("2"), w};
    const Value reply[] = {pool.Keyword("result"), w};
    RC_ASSERT(told[0].row == std::vector<Value>{pool.Map(truth)});
    RC_ASSERT(told[1].row == std::vector<Value>{v});
    RC_ASSERT(told[1].meta == pool.Map(reply));
  }));
}

TEST_CASE("only an entry of a trace has the values that no sentence writes") {
  for (const char* text :
       {"p([k(1)])", "p({:a k(1)})", "p(1) ^^ {?v [k(1)]}", "p(1) ^^ {?v {[1] 2}}",
        "p([k(?x)]) -> true", "p(1) ^^ {?v {[1] ?x}} -> true", "p(1) ^^ {[1] 2} -> true",
        "p({?2 1})", "p(?2) -> true", "p(1) ^^ {?v ?2} -> true", "% <- p(?x) ^^ {?v {[1] 2}}",
        "p([k(1)]) -> q(1)", "p([k(1)]), q(1) -> true", "p([$t(1)]) -> true"}) {
    INFO(text);
    CHECK(Loaded(text).starts_with("error"));
  }
  CHECK(Loaded("p([k(1)]) -> true") == "assert p([k(1)])");
  CHECK(Loaded("p({?k 1}) -> true") == "obligation p({?k 1}) -> true");
  CHECK(Loaded("p(?x, [k(1)]) -> false") == "exclusion p(?x, [k(1)]) -> false");
}

TEST_CASE("facts, obligations, retractions (decisions 34, 43, 50)") {
  struct {
    const char* text;
    const char* loaded;
  } const kCases[] = {
      {"p(1)", "assert p(1)"},
      {"p()", "assert p()"},
      {"p(1), q(2)", "assert p(1)\nassert q(2)"},
      {"(p(1))", "assert p(1)"},
      {"p([1 #{2}], f(a))", "assert p([1 #{2}], f(a))"},
      {"p(1) -> true", "assert p(1)"},
      {"p(1) -> false", "retract p(1)"},
      {"p(1) ^ ~ {:doc \"d\"}", "assert p(1) ^ {:doc \"d\"}"},
      {"p(1) ^ ~ {:doc \"d\"} -> true", "assert p(1) ^ {:doc \"d\"}"},
      {"p(?x)", "obligation p(?x)"},
      {"p(_)", "obligation p(_)"},
      {"p(?x) -> true", "obligation p(?x) -> true"},
      {"p(?x) -> false", "exclusion p(?x) -> false"},
      {"p(?x) -> q(?x)", "constraint p(?x) -> q(?x)"},
      {"1 < 2", "obligation 1 < 2"},
      {"q(?x) <- p(?x)", "rule q(?x) <- p(?x)"},
      {"a(?x) <- b(?x) <- c(?x)", "rule a(?x) <- b(?x) <- c(?x)\nrule a(?x) <- b(?x) <- c(?x)"},
      {"p(1", "error RPL1004"},
  };
  for (const auto& c : kCases) {
    INFO(c.text);
    CHECK(Loaded(c.text) == c.loaded);
  }
}

TEST_CASE("a heading's tail, then prose, then blocks (§17.4, decision 71)") {
  CHECK(Loaded("# T - r(?x, ?y) <- a(?x)\n```rpl\nb(?x)\n```\nCollect __y__.\n```rpl\nc(?x)\n```\n",
               "doc.md") == "rule r(?x, ?y) <- a(?x), ?y, b(?x), c(?x) under T\nquestion y of $y");
  // A rule with the heading's head continues it; ground calls are facts; others stand alone.
  CHECK(Loaded("# T - r(?x) <- a(?x)\n```rpl\na(1)\nr(?x) <- z(?x)\nz(7)\ns(?x) <- r(?x)\n```\n",
               "doc.md") ==
        "assert a(1)\nassert z(7)\n"
        "rule r(?x) <- a(?x), z(?x) under T\nrule s(?x) <- r(?x) under T");
  // Two continuations are alternatives.
  CHECK(Loaded("# T - r(?x) <- a(?x)\n```rpl\nr(?x) <- y(?x)\nr(?x) <- z(?x)\n```\n", "doc.md") ==
        "rule r(?x) <- a(?x), y(?x) under T\nrule r(?x) <- a(?x), z(?x) under T");
  // An expression below a plain heading joins its child headings, no sibling or parent.
  CHECK(Loaded("# P - p(?x) <- f(?x)\n## E\n```rpl\nk(?x)\n```\n### S - s(?x) <- f(?x)\n"
               "## U - u(?x) <- f(?x)\n",
               "doc.md") ==
        "rule p(?x) <- f(?x) under P\nrule s(?x) <- f(?x), k(?x) under S\n"
        "rule u(?x) <- f(?x) under U");
}

TEST_CASE("a heading without a tail collects its free arguments, a ground one is a fact") {
  CHECK(Loaded("# Draft - draft(?draft-id)\nConfirm the document.\n", "doc.md") ==
        "question draft-id of draft(?draft-id)");
  CHECK(Loaded("# Env - env(\"prod\")\n", "doc.md") == "assert env(\"prod\")");
  // A block with a rule for the head defines it.
  CHECK(Loaded("# T - r(?x)\n```rpl\nr(?x) <- a(?x)\n```\n", "doc.md") ==
        "rule r(?x) <- a(?x) under T");
}

TEST_CASE("what is wrong is left out, the rest stands") {
  CHECK(Loaded("p(1)\nq(\nr(2)\n").find("assert p(1)") != std::string::npos);
  CHECK(Loaded("p(1)\np(1) q(1)\nr(2)\n") == "assert p(1)\nassert r(2)\nerror RPL1006");
}

TEST_CASE("loading twice accumulates") {
  Engine engine;
  engine.Take("q(?x) <- p(?x)\np(1)\n");
  engine.Take("q(?x) <- r(?x)\nr(2)\n");
  CHECK(engine.program.definitions().size() == 2);
  CHECK(engine.program.definitions()[1].number == 1);
  CHECK(engine.Derived("q", 1) == "(1) (2)");
}

TEST_CASE("goals are listed in the order of their first rule, the root has no name") {
  Engine engine;
  engine.Take("%b <- p(1)\n% <- %b\n%a(?x) <- p(?x)\n%b <- p(2)\n");
  std::string goals;
  for (const Goal& g : engine.program.goals()) {
    goals += "%" + g.label;
    for (int rule : g.rules) goals += " " + std::to_string(rule);
    for (Value v : g.captures) goals += " " + Text(engine.pool, v);
    goals += "\n";
  }
  CHECK(goals == "%b 0 3\n% 1\n%a 2 ?x\n");
  REQUIRE(engine.program.FindGoal("a") != nullptr);
  CHECK(engine.program.FindGoal("nobody") == nullptr);
}

}  // namespace
}  // namespace rpl
