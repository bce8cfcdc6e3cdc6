// SPDX-License-Identifier: Apache-2.0
//
// Explanations as text, and two properties on random programs: every tree is a proof, and
// explaining changes nothing.
#include "interp/explain/explain.h"

#include <rapidcheck.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <unordered_set>

#include "interp/explain/explain_print.h"
#include "interp/testing/random_batches.h"
#include "interp/testing/random_program.h"
#include "interp/testing/random_shapes.h"
#include "interp/testing/testing.h"
#include "runtime/explained.h"
#include "runtime/run/session.h"

namespace rpl {
namespace {

using testing::Engine;
using testing::Join;

SessionOptions At(const std::string& now) {
  SessionOptions options;
  options.now = now;
  return options;
}

// The explanation of a form in a program `g.rpl`, after one run.
struct Asked {
  explicit Asked(const std::string& program) : Asked(program, At("2024-02-29T12:00:00Z")) {}
  Asked(const std::string& program, SessionOptions options) : session(agent, std::move(options)) {
    session.Load("g.rpl", program);
    session.Run();
  }

  std::string Why(const std::string& form, std::size_t depth = 64) {
    const Explained explained = session.Explain(form, {10, depth}, 2);
    if (explained.rejected) return "rejected: " + explained.diagnostics.front().message + "\n";
    std::string out;
    if (explained.why_not) return ExplanationText(*explained.why_not, session.sources());
    for (const Explanation& e : explained.why.proofs) out += ExplanationText(e, session.sources());
    if (explained.why.more > 0) out += std::to_string(explained.why.more) + " more\n";
    return out;
  }

  testing::Silent agent;
  Session session;
};

constexpr const char* kGraph = R"(edge(1, 2)
edge(2, 3)
edge(3, 1)
reach(?a, ?b) <- edge(?a, ?b)
reach(?a, ?c) <- reach(?a, ?b), edge(?b, ?c)
)";

TEST_CASE("a proof is a tree of facts with places") {
  struct {
    const char* what;
    const char* program;
    const char* form;
    const char* tree;
  } const kCases[] = {
      {"a fact", "p(1)\n", "p(1)", "p(1)  g.rpl:1\n"},
      {"recursion; no row rests on itself", kGraph, "reach(1, 1)",
       R"(reach(1, 1)  g.rpl:5: reach(?a, ?c) <- reach(?a, ?b), edge(?b, ?c)
  reach(1, 3)  g.rpl:5
    reach(1, 2)  g.rpl:4: reach(?a, ?b) <- edge(?a, ?b)
      edge(1, 2)  g.rpl:1
    edge(2, 3)  g.rpl:2
  edge(3, 1)  g.rpl:3
)"},
      {"a fact that is used twice is explained once",
       "p(1)\nq(?x) <- p(?x)\nr(?x) <- q(?x)\ns(?x) <- r(?x), q(?x)\n", "s(1)",
       R"(s(1)  g.rpl:4: s(?x) <- r(?x), q(?x)
  r(1)  g.rpl:3: r(?x) <- q(?x)
    q(1)  g.rpl:2: q(?x) <- p(?x)
      p(1)  g.rpl:1
  q(1)  (above)
)"},
      {"tests stand where they are written",
       "p(3)\np(1)\nf(?x) <- ?x > 2, p(?x), not q(?x), ?y = ?x + 1, ?y in [3 4]\n", "f(?x)",
       R"(f(3)  g.rpl:3: f(?x) <- ?x > 2, p(?x), not q(?x), ?y = ?x + 1, ?y in [3 4]
  3 > 2
  p(3)  g.rpl:1
  not q(3)  (no fact matches)
  4 = 3 + 1
  4 in [3 4]
)"},
      {"counts", "p(1)\np(2)\nn(?n) <- ?n = |p(_)|\nmany() <- |p(?x)| > 1\n", "many()",
       R"(many()  g.rpl:4: many() <- |p(?x)| > 1
  |p(?x)| = 2
  |p(?x)| > 1
)"},
      {"a count that is bound says so once", "p(1)\np(2)\nn(?n) <- ?n = |p(_)|\n", "n(?n)",
       R"(n(2)  g.rpl:3: n(?n) <- ?n = |p(_)|
  |p(_)| = 2
)"},
      {"the branch that held", "p(1)\nq(1)\ne(?x) <- p(?x), (r(?x) | q(?x))\n", "e(1)",
       R"(e(1)  g.rpl:3: e(?x) <- p(?x), (r(?x) | q(?x))
  p(1)  g.rpl:1
  q(1)  g.rpl:2
)"},
      {"an element of a set in a head that needs its caller", "p(?o, ?x) <- ?o = #{1 2}, ?x < 9\n",
       "p(1, 0)",
       R"(p(1, 0)  g.rpl:1: p(?o, ?x) <- ?o = #{1 2}, ?x < 9
  #{1 2} = #{1 2}
  0 < 9
)"},
      {"aggregate heads rest on every answer",
       "p(1, 2)\np(1, 3)\np(2, 3)\nl(?a, [& ?b]) <- p(?a, ?b)\n", "l(1, ?l)",
       R"(l(1, [2 3])  g.rpl:4: l(?a, [& ?b]) <- p(?a, ?b)
  p(1, 2)  g.rpl:1
  p(1, 3)  g.rpl:2
)"},
      {"an instance of a derived set", "r(\"a\", #{x y})\nc(?s) <- r(\"a\", #{& ?s})\n", "c(y)",
       R"(c(y)  g.rpl:2: c(?s) <- r("a", #{& ?s})
  r("a", #{x y})  g.rpl:1
)"},
      {"rules on demand", "p(1)\nnext(?x, ?y) <- ?y = ?x + 1\nq(?y) <- p(?x), next(?x, ?y)\n",
       "q(2)",
       R"(q(2)  g.rpl:3: q(?y) <- p(?x), next(?x, ?y)
  p(1)  g.rpl:1
  next(1, 2)  g.rpl:2: next(?x, ?y) <- ?y = ?x + 1
    2 = 1 + 1
)"},
      {"goals", "p(1)\np(2)\n%g(?x) <- p(?x), ?x > 1\n% <- %g(?x)\n", "%",
       R"(%  g.rpl:4: % <- %g(?x)
  %g(2)  g.rpl:3: %g(?x) <- p(?x), ?x > 1
    p(2)  g.rpl:2
    2 > 1
)"},
      {"a goal that its guard has closed", "p(1)\n%g(?x) <- p(?x) -> !%g\n", "%g(?x)",
       "%g(1)  g.rpl:2: %g(?x) <- p(?x) -> !%g\n  p(1)  g.rpl:1\n"},
      {"time", "p(\"2024-01-01\")\nold(?t) <- p(?t), ?t before now\n", "old(_)",
       R"(old("2024-01-01")  g.rpl:2: old(?t) <- p(?t), ?t before now
  p("2024-01-01")  g.rpl:1
  "2024-01-01" before now  (now is "2024-02-29T12:00:00Z")
)"},
      {"a choice", "p(1)\np(2)\npick(?x) <- p(?x) ; @choose(?x, p(?x))\n", "pick(?x)",
       "pick(1)  g.rpl:3: pick(?x) <- p(?x) ; @choose(?x, p(?x))\n  p(1)  g.rpl:1\n"},
      {"heads from templates and expansions",
       "p(1)\nn(\"n{?x}\") <- p(?x)\n#?h <- n(?x), ?h = z(?x)\n", "z(?x)",
       R"(z("n1")  g.rpl:3: #?h <- n(?x), ?h = z(?x)
  n("n1")  g.rpl:2: n("n{?x}") <- p(?x)
    p(1)  g.rpl:1
  z("n1") = z("n1")
)"},
      {"variables inside strings and regexes stay text",
       "s(\"a?x\")\nt(?x) <- s(?x), ?x ~ /a\\?(?P<y>.)/, ?x != \"?x {?y}\"\n", "t(_)",
       R"(t("a?x")  g.rpl:2: t(?x) <- s(?x), ?x = ~ /a\?(?P<y>.)/, ?x != "?x {?y}"
  s("a?x")  g.rpl:1
  "a?x" = ~ /a\?(?P<y>.)/
  "a?x" != "?x x"
)"},
      {"mutual recursion", "b(1)\na(?x) <- b(?x)\nb(?x) <- a(?x)\nb(?y) <- a(?x), ?y = 2\n", "b(2)",
       R"(b(2)  g.rpl:4: b(?y) <- a(?x), ?y = 2
  a(1)  g.rpl:2: a(?x) <- b(?x)
    b(1)  g.rpl:1
  2 = 2
)"},
      {"a template behind a recursion that does not end without its caller",
       R"(a(?k, ?a, ?n) <- ?k = 0, ?n = ?a
a(?k, ?a, ?n) <- ?k > 0, ?b = ?a + 1, ?m = ?k - 1, a(?m, ?b, ?n)
p(?i) <- a(?i, 0, _), ?v = "x-{?i}"
)",
       "p(1)",
       R"(p(1)  g.rpl:3: p(?i) <- a(?i, 0, _), ?v = "x-{?i}"
  a(1, 0, 1)  g.rpl:2: a(?k, ?a, ?n) <- ?k > 0, ?b = ?a + 1, ?m = ?k - 1, a(?m, ?b, ?n)
    1 > 0
    1 = 0 + 1
    0 = 1 - 1
    a(0, 1, 1)  g.rpl:1: a(?k, ?a, ?n) <- ?k = 0, ?n = ?a
      0 = 0
      1 = 1
  "x-1" = "x-1"
)"},
      {"a template in a head that the caller gives",
       "n(2)\nu(?l, ?x) <- ?l = ~ [?x & _]\np(\"n{?i}\") <- n(?i), u([1], _)\n", "p(\"n2\")",
       R"(p("n2")  g.rpl:3: p("n{?i}") <- n(?i), u([1], _)
  n(2)  g.rpl:1
  u([1], 1)  g.rpl:2: u(?l, ?x) <- ?l = ~ [?x & _]
    [1] = ~ [1 & _]
)"},
      {"what is wrong", "p(1)\n", "not p(1)",
       "rejected: expected one call to explain, got `not p(1)`\n"},
  };
  for (const auto& c : kCases) {
    INFO(c.what);
    CHECK(Asked(c.program).Why(c.form) == c.tree);
  }
}

TEST_CASE("an absence names the clause that fails") {
  struct {
    const char* what;
    const char* program;
    const char* form;
    const char* tree;
  } const kCases[] = {
      {"each rule, and what is near", kGraph, "reach(1, 4)",
       R"(no reach(1, 4)
  g.rpl:4: reach(?a, ?b) <- edge(?a, ?b)
    edge(1, 4)  (no fact matches, with ?a = 1, ?b = 4)
  g.rpl:5: reach(?a, ?c) <- reach(?a, ?b), edge(?b, ?c)
    edge(1, 4)  (no fact matches, with ?a = 1, ?c = 4, ?b = 1)
  nearest: reach(1, 2)
  nearest: reach(1, 3)
  nearest: reach(1, 1)
)"},
      {"one level down", "p(1)\nq(?x) <- p(?x), ?x > 5\nr(?x) <- q(?x)\n", "r(1)",
       R"(no r(1)
  g.rpl:3: r(?x) <- q(?x)
    q(1)  (no fact matches, with ?x = 1)
      g.rpl:2: q(?x) <- p(?x), ?x > 5
        1 > 5  (it does not hold, with ?x = 1)
)"},
      {"a negation shows what it met", "p(1)\nq(1)\nr(?x) <- p(?x), not q(?x)\n", "r(?x)",
       R"(no r(?x)
  g.rpl:3: r(?x) <- p(?x), not q(?x)
    not q(1)  (it has an answer, with ?x = 1)
      q(1)  g.rpl:2
)"},
      {"a count shows its value", "p(1)\nr() <- |p(_)| = 3\n", "r()",
       R"(no r()
  g.rpl:2: r() <- |p(_)| = 3
    |p(_)|  (it is 1)
)"},
      {"arity", "p(1)\n", "p(1, 2)", "no p(1, 2)  (there is no p/2, but p/1)\n"},
      {"a goal is meant", "p(1)\n%g(?x) <- p(?x)\n", "g(1)",
       "no g(1)  (there is no g/1, but %g)\n"},
      {"a relation is meant", "p(1)\n", "%p(1)", "no %p(1)  (there is no %p, but p/1)\n"},
      {"spelling", "person(1)\n", "persno(1)",
       "no persno(1)  (nothing defines persno/1, did you mean person/1?)\n"},
      {"spelling inside a rule", "edge(1, 2)\nr(?x) <- egde(?x, _)\n", "r(1)",
       R"(no r(1)
  g.rpl:2: r(?x) <- egde(?x, _)
    egde(1, _)  (nothing defines egde/2, did you mean edge/2?, with ?x = 1)
)"},
      {"a head that does not fit", "p(1)\nr(\"a\", ?x) <- p(?x)\nr(\"b\", ?x) <- p(?x)\n",
       "r(\"b\", 2)",
       R"(no r("b", 2)
  g.rpl:3: r("b", ?x) <- p(?x)
    p(2)  (no fact matches, with ?x = 2)
  nearest: r("b", 1)
)"},
      {"a goal", "p(1)\n%g(?x) <- p(?x), ?x > 3\n", "%g(?x)",
       R"(no %g(?x)
  g.rpl:2: %g(?x) <- p(?x), ?x > 3
    1 > 3  (it does not hold, with ?x = 1)
)"},
      {"a cycle", "a(?x) <- b(?x)\nb(?x) <- a(?x)\n", "a(1)",
       R"(no a(1)
  g.rpl:1: a(?x) <- b(?x)
    b(1)  (no fact matches, with ?x = 1)
      g.rpl:2: b(?x) <- a(?x)
        a(1)  (no fact matches, with ?x = 1)  (above)
)"},
      {"a relation that needs itself to be complete",
       "seat(1)\nfree(?s) <- seat(?s), not free(?s)\nopen(?s) <- seat(?s), not free(?s)\n",
       "open(1)",
       R"(not known: open(1)  (free needs itself)
  g.rpl:3: open(?s) <- seat(?s), not free(?s)
    not free(1)  (it is not known: free needs itself to be complete: it is recursive through `not`, a count, `^ ?m`, a choice or a gathering head)
)"},
      {"an open call", "r(?x) <- ?x = $ask(\"Q\")\n", "r(?x)",
       R"(not known: r(?x)  (it waits for $ask("Q"))
  g.rpl:1: r(?x) <- ?x = $ask("Q")
    $ask("Q")  (nobody answered it)
)"},
  };
  for (const auto& c : kCases) {
    INFO(c.what);
    CHECK(Asked(c.program).Why(c.form) == c.tree);
  }
}

TEST_CASE("what waits for an answer is neither denied nor counted") {
  constexpr const char* kProgram =
      "allergic(?x) <- $ask(\"Q\") ^ ~ {:result ?x}\nguest(\"ann\")\n"
      "safe(?g) <- guest(?g), not allergic(?g)\nn(?n) <- ?n = |allergic(_)|\n"
      "all([& ?x]) <- allergic(?x)\nsome(?x) <- (allergic(?x) | guest(?x)), ?x = \"eve\"\n";
  Asked asked(kProgram);
  CHECK(asked.Why("safe(?x)") == R"(not known: safe(?x)  (it waits for $ask("Q"))
  g.rpl:3: safe(?g) <- guest(?g), not allergic(?g)
    not allergic("ann")  (it is not known: it waits for $ask("Q"), with ?g = "ann")
)");
  CHECK(asked.Why("n(?n)") == R"(not known: n(?n)  (it waits for $ask("Q"))
  g.rpl:4: n(?n) <- ?n = |allergic(_)|
    |allergic(_)|  (it is not known: it waits for $ask("Q"))
)");
  for (const char* form : {"all(?x)", "all([])", "some(\"eve\")", "allergic(1)", "$ask(\"Q\")"}) {
    INFO(form << '\n' << asked.Why(form));
    CHECK(asked.Why(form).starts_with("not known: "));
    const Explained explained = asked.session.Explain(form, {}, 2);
    CHECK(explained.doubt == Status::kWaiting);
    REQUIRE(explained.pending.size() == 1);
    CHECK(explained.pending.front()->id == "$ask(\"Q\")");
  }
  CHECK(asked.Why("guest(\"bob\")").starts_with("no guest"));
  CHECK(asked.session.Explain("guest(?x)", {}, 2).doubt == Status::kNothing);
}

TEST_CASE("a limit denies nothing, and rows that rest on what is settled keep their proofs") {
  SessionOptions options;
  options.limits.max_rows = 50;
  Asked asked(R"(n(0)
n(?y) <- n(?x), ?y = ?x + 1
small(?x) <- n(?x), ?x < 5
cnt(?c) <- ?c = |n(_)|
all([& ?x]) <- n(?x)
%neg() <- not n(-1)
seat(1)
free(?s) <- seat(?s), not taken(?s)
taken(2)
)",
              options);
  for (const char* form : {"small(3)", "n(100)", "cnt(?c)", "cnt(3)", "all(?x)", "%neg"}) {
    INFO(form << '\n' << asked.Why(form));
    CHECK(asked.Why(form).starts_with("not known: "));
    const Explained explained = asked.session.Explain(form, {}, 2);
    CHECK(explained.doubt == Status::kLimit);
    CHECK(explained.reason.starts_with("limit reached: 50 rows, evaluation stopped while `n(?y)"));
  }
  CHECK(asked.Why("%neg") == R"(not known: %neg  (limit reached: 50 rows)
  g.rpl:6: %neg() <- not n(-1)
    not n(-1)  (it is not known: limit reached: 50 rows)
)");
  CHECK(asked.Why("n(1)") == R"(n(1)  g.rpl:2: n(?y) <- n(?x), ?y = ?x + 1
  n(0)  g.rpl:1
  1 = 0 + 1
)");
  CHECK(asked.session.Explain("n(1)", {}, 2).doubt == Status::kNothing);
  CHECK(asked.session.Explain("n(?x)", {}, 2).doubt == Status::kLimit);
  if (const std::string free = asked.Why("free(1)"); !free.starts_with("not known: "))
    CHECK(free == R"(free(1)  g.rpl:8: free(?s) <- seat(?s), not taken(?s)
  seat(1)  g.rpl:7
  not taken(1)  (no fact matches)
)");
}

TEST_CASE("while a source was not read, only what is stated holds") {
  struct Refusing : testing::Silent {
    rpl::Answer AnswerTo(const Request&, Pool& pool, std::string_view) override {
      const Value failure[] = {pool.Keyword("status"), pool.Keyword("error"),
                               pool.Keyword("message"), pool.String("there is no file")};
      return {rpl::Answer::Kind::kMeta, pool.Map(failure)};
    }
  };
  Refusing agent;
  Session session(agent, {});
  session.Load("g.rpl", "$index(\"m.csv\")\nneed(\"nut\")\nbuy(?x) <- need(?x), not missing(?x)\n");
  session.Run();
  for (const char* form : {"buy(\"nut\")", "missing(1)"}) {
    const Explained explained = session.Explain(form, {}, 2);
    CHECK(explained.why.proofs.empty());
    CHECK(explained.doubt == Status::kToolFailed);
    CHECK(explained.reason == "$index(\"m.csv\") failed: there is no file");
    REQUIRE(explained.why_not);
    CHECK(ExplanationText(*explained.why_not, session.sources()) ==
          "not known: " + std::string(form) + "  ($index(\"m.csv\") failed: there is no file)\n");
  }
  const Explained stated = session.Explain("need(\"nut\")", {}, 2);
  CHECK(stated.why.proofs.size() == 1);
  CHECK(stated.doubt == Status::kNothing);
  CHECK(session.Explain("need(?x)", {}, 2).doubt == Status::kToolFailed);
}

TEST_CASE("replies are leaves, and explaining asks nobody") {
  struct Answering : testing::Silent {
    rpl::Answer AnswerTo(const Request&, Pool& pool, std::string_view) override {
      ++asked;
      return {rpl::Answer::Kind::kValue, pool.String("A")};
    }
    int asked = 0;
  };
  Answering agent;
  Session session(agent, {});
  session.Load("g.rpl", "r(?x) <- ?x = $ask(\"Q\")\ns(?x) <- ?x = $ask(\"other\")\n% <- r(?x)\n");
  session.Run();
  CHECK(agent.asked == 1);
  const Explained explained = session.Explain("r(?x)", {}, 2);
  REQUIRE(explained.why.proofs.size() == 1);
  CHECK(ExplanationText(explained.why.proofs.front(), session.sources()) ==
        "r(\"A\")  g.rpl:1: r(?x) <- ?x = $ask(\"Q\")\n  $ask(\"Q\") = \"A\"  (answered)\n");
  session.Explain("s(?x)", {}, 2);
  CHECK(agent.asked == 1);
}

TEST_CASE("depth and number are limited aloud") {
  Asked asked(kGraph);
  CHECK(asked.Why("reach(1, 1)", 1) ==
        R"(reach(1, 1)  g.rpl:5: reach(?a, ?c) <- reach(?a, ?b), edge(?b, ?c)
  reach(1, 3)  g.rpl:5
    … deeper than 1
  edge(3, 1)  g.rpl:3
)");
  std::string many;
  for (int i = 0; i < 13; ++i) many += "p(" + std::to_string(i) + ")\n";
  const std::string text = Asked(many).Why("p(?x)");
  CHECK(text.ends_with("p(9)  g.rpl:10\n3 more\n"));
}

// 512 ways through the alternatives, of which the last of each group is the one that holds.
TEST_CASE("alternatives that are combined in very many ways are told one by one") {
  std::string program = "d(1)\nd(2)\nyes(1)\nno(3)\nhas(1, 9)\np(?x, ?y) <- d(?x), has(?x, ?y)";
  for (int i = 0; i < 8; ++i) program += ", (no(?x) | yes(?x), " + std::to_string(i) + " < ?y)";
  program += ", (no(?z) | yes(?z))\n";
  Asked asked(program);
  std::string tree = asked.Why("p(?x, ?y)");
  tree.erase(0, tree.find('\n') + 1);
  CHECK(tree ==
        "  d(1)  g.rpl:1\n  has(1, 9)  g.rpl:5\n  yes(1)  g.rpl:3\n  0 < 9\n  1 < 9\n  2 < 9\n"
        "  3 < 9\n  4 < 9\n  5 < 9\n  6 < 9\n  7 < 9\n  no(3)  g.rpl:4\n");
}

// An equivalence that is answered from its callers: each fact has a derivation from every element,
// and most of them lead back to it.
TEST_CASE("what a table gives is settled by what does not rest on it") {
  std::string program;
  for (int i = 1; i < 20; ++i)
    program += "link(" + std::to_string(i) + ", " + std::to_string(i + 1) + ")\n";
  program += R"(same(?x, ?x) <- ?x > 0
same(?x, ?y) <- link(?x, ?y)
same(?x, ?y) <- same(?y, ?x)
same(?x, ?z) <- same(?x, ?y), same(?y, ?z)
)";
  Asked asked(program);
  const Explained explained = asked.session.Explain("same(1, 20)", {10, 1000}, 2);
  REQUIRE(explained.why.proofs.size() == 1);
  std::set<std::string> links;
  for (const ExplainNode& node : explained.why.proofs.front().nodes) {
    CHECK(node.note.empty());
    if (node.kind == ExplainNode::Kind::kAsserted) links.insert(node.text);
  }
  CHECK(links.size() == 19);
}

TEST_CASE("a chain of 10,000 steps is explained to its end") {
  std::string program = "even(0)\n";
  for (int i = 0; i < 10'000; ++i)
    program += "next(" + std::to_string(i) + ", " + std::to_string(i + 1) + ")\n";
  program += "odd(?y) <- even(?x), next(?x, ?y)\neven(?y) <- odd(?x), next(?x, ?y)\n";
  Asked asked(program);
  const Explained explained = asked.session.Explain("even(10000)", {10, 20'000}, 2);
  REQUIRE(explained.why.proofs.size() == 1);
  CHECK(explained.why.proofs.front().nodes.size() == 20'001);
}

// --- random programs ------------------------------------------------------------------------

std::string Form(const RandomRelation& r) {
  std::string out = r.name + "(";
  for (std::size_t i = 0; i < r.columns.size(); ++i)
    out += (i > 0 ? ", ?v" : "?v") + std::to_string(i);
  return out + ")";
}

// The form, and forms with one number bound, as a caller binds it.
std::vector<std::string> Forms(const RandomRelation& r) {
  std::vector<std::string> out = {Form(r)};
  for (std::size_t i = 0; i < r.columns.size(); ++i)
    for (int n = -1; n < 4 && r.columns[i] == 'n'; ++n) {
      const std::string variable = "?v" + std::to_string(i);
      std::string form = Form(r);
      out.push_back(form.replace(form.find(variable), variable.size(), std::to_string(n)));
    }
  return out;
}

// The facts of an engine as text: what holds, and what is asserted.
struct Known {
  explicit Known(Engine& engine) {
    engine.Quiesce();
    for (RelationId id = 0; id < engine.store.size(); ++id) {
      const Relation& rel = engine.store.at(id);
      for (RowId row = 0; row < rel.size(); ++row) {
        const std::string text = rel.name() + testing::RowText(engine.pool, rel.Cells(row));
        holds.insert(text);
        if (rel.asserted(row)) asserted.insert(text);
      }
    }
  }
  std::set<std::string> holds, asserted;
};

using NodeKind = ExplainNode::Kind;

bool IsFact(const ExplainNode& node) {
  return node.kind == NodeKind::kAsserted || node.kind == NodeKind::kDerived ||
         node.kind == NodeKind::kGathered;
}

// Whether the rule of a node, with its premises as the only facts, gives its text. The
// facts below counts and double negations are not listed, nor those that keep an answer out
// of a gathering, and a goal that is denied is defined by other rules; such rules are not tried.
std::string Rederive(const Explanation& e, const ExplainNode& node) {
  if (node.kind == NodeKind::kGathered &&
      (node.rule.find("not ") != std::string::npos || node.rule.find('|') != std::string::npos))
    return "";
  std::string program;
  for (int p : node.premises) {
    const ExplainNode& premise = e.nodes[static_cast<std::size_t>(p)];
    if (premise.kind == NodeKind::kCount || premise.kind == NodeKind::kTruncated) return "";
    if (premise.kind == NodeKind::kNegation &&
        (premise.text.find("not ", 4) != std::string::npos ||
         premise.text.find_first_of("|%") != std::string::npos))
      return "";
    if (IsFact(premise)) program += premise.text + "\n";
  }
  program += node.rule + "\n";
  static std::unordered_set<std::string> given;  // what was derived before
  const auto [again, is_new] = given.insert(program + node.text);
  if (!is_new) return "";
  Engine engine;
  engine.Take(program);
  // A set is shown in the order of its first appearance, a gathered list has the order of
  // its answers, and premises that serve two answers stand at the first: there the letters
  // are compared.
  for (std::string text : Known(engine).holds) {
    std::string wanted = node.text;
    if (node.kind == NodeKind::kGathered || wanted.find('#') != std::string::npos) {
      std::sort(text.begin(), text.end());
      std::sort(wanted.begin(), wanted.end());
    }
    if (text == wanted) return "";
  }
  // A table, and an answer for a group key, are there for who asks.
  testing::Silent agent;
  Session session(agent, {});
  session.Load("x.rpl", program);
  if (session.Say("q", "% <- " + node.text + "\n").status == Status::kSatisfied) return "";
  given.erase(again);
  return "does not give " + node.text + ":\n" + program;
}

// "" when every node is what it says and no fact rests on itself.
std::string CheckProof(const Explanation& e, const Known& known, std::set<std::string>& tests) {
  std::map<std::string, const ExplainNode*> explained;
  for (const ExplainNode& node : e.nodes) {
    if (!node.note.empty() && IsFact(node)) return node.text + ": " + node.note;
    if (node.kind == NodeKind::kAsserted && !known.asserted.contains(node.text))
      return "not asserted: " + node.text;
    // No row, but perhaps an answer for a group key that is bound.
    if (IsFact(node) && !known.holds.contains(node.text)) tests.insert(node.text);
    if (node.kind == NodeKind::kTest || node.kind == NodeKind::kNegation ||
        node.kind == NodeKind::kCount)
      tests.insert(node.text);
    if ((node.kind != NodeKind::kDerived && node.kind != NodeKind::kGathered) || node.above)
      continue;
    explained.emplace(node.text, &node);
    if (std::string wrong = Rederive(e, node); !wrong.empty()) return wrong;
  }
  // Through `(above)` too: facts in the order in which all their premises are done.
  std::map<std::string, int> state;  // 1 open, 2 done
  std::function<bool(const std::string&)> grounded = [&](const std::string& text) {
    const auto it = explained.find(text);
    if (it == explained.end() || state[text] == 2) return true;
    if (state[text] == 1) return false;
    state[text] = 1;
    for (int p : it->second->premises) {
      const ExplainNode& premise = e.nodes[static_cast<std::size_t>(p)];
      if ((premise.kind == NodeKind::kDerived || premise.kind == NodeKind::kGathered) &&
          !grounded(premise.text))
        return false;
    }
    state[text] = 2;
    return true;
  };
  return grounded(e.nodes.front().text) ? "" : "rests on itself: " + e.nodes.front().text;
}

// A reader of one program's explanations.
std::string EveryTreeIsAProof(const RandomProgram& p) {
  Engine engine;
  engine.Take(p.Text());
  const Known known(engine);
  testing::Silent agent;
  SessionOptions options;
  options.limits.max_rows = 20'000;
  Session session(agent, options);
  session.Load("x.rpl", p.Text());
  session.Run();
  std::set<std::string> tests;
  for (const RandomRelation& r : p.relations) {
    const RelationId id = engine.Find(r.name, static_cast<std::uint32_t>(r.columns.size()));
    const bool stored =
        id != kNoId && !engine.analysis.IsTabled(id) && engine.analysis.KeysOf(id) == 0;
    for (const std::string& form : Forms(r)) {
      const Explained explained = session.Explain(form, {1000, 1000}, 2);
      // Without a caller that knows an argument, some relations do not end.
      if (explained.doubt == Status::kLimit) continue;
      const std::size_t proofs = explained.why.proofs.size();
      if (form == Form(r) && stored && proofs != engine.store.at(id).size())
        return r.name + ": " + std::to_string(proofs) + " proofs";
      for (const Explanation& e : explained.why.proofs)
        if (std::string wrong = CheckProof(e, known, tests); !wrong.empty())
          return wrong + "\nin\n" + ExplanationText(e, session.sources());
    }
  }
  for (const std::string& test : tests)
    if (session.Say("q", "% <- " + test + "\n").status != Status::kSatisfied)
      return "does not hold: " + test;
  return "";
}

// Facts come and go, and what rests on them is taken back alone: rows still rest on earlier ones.
std::string ChangesLeaveProofs(const RandomProgram& p) {
  Engine engine(testing::Withdrawing());
  engine.Take(p.Text());
  engine.Quiesce();
  std::string changes;
  for (const RandomTurn& turn : TurnsOf(p, 8)) {
    changes += turn.change + "--\n";
    engine.Take(turn.change);
    const Known known(engine);
    std::set<std::string> tests;
    for (const RandomRelation& r : p.relations) {
      const RelationId id = engine.Find(r.name, static_cast<std::uint32_t>(r.columns.size()));
      if (id == kNoId || engine.analysis.IsTabled(id)) continue;
      const std::optional<Definition> form =
          engine.program.LowerQuery(SentencesOf("% <- " + Form(r) + "\n").front(), engine.findings);
      if (!form) return "no query: " + Form(r);
      Explainer explainer(engine);
      const ExplainedFacts why = explainer.Why(*form, {1000, 1000});
      if (why.proofs.size() != engine.store.at(id).size())
        return r.name + ": " + std::to_string(why.proofs.size()) + " proofs\n" + changes;
      for (const Explanation& e : why.proofs)
        if (std::string wrong = CheckProof(e, known, tests); !wrong.empty())
          return wrong + "\nin\n" + ExplanationText(e, engine.sources) + changes;
    }
  }
  return "";
}

// The answers of a session, its log and its trace, with or without explaining in between.
std::string Story(const RandomProgram& p, bool explain) {
  std::string out;
  SessionOptions options = At("2024-02-29T12:00:00Z");
  options.log = [&](const LogLine& line) { out += LogText(line) + "\n"; };
  testing::Silent agent;
  Session session(agent, options);
  std::string extra;
  for (const std::string& fact : p.extra) extra += fact + "\n";
  for (const std::string& turn : {p.Text(), extra}) {
    session.Load("x.rpl", turn);
    session.Run();
    if (explain)
      for (const RandomRelation& r : p.relations) {
        session.Explain(Form(r), {1000, 64}, 2);
        session.Explain(r.name + "(\"nobody\"" + (r.columns.size() > 1 ? ", 7" : "") +
                            (r.columns.size() > 2 ? ", ?x)" : ")"),
                        {}, 3);
      }
    for (const RandomRelation& r : p.relations) {
      const std::string form = Form(r);
      const Outcome outcome =
          session.Say("q", "%q" + form.substr(form.find('(')) + " <- " + form + "\n");
      out += outcome.reason + "\n" + Join(outcome.json_answers) + "\n";
    }
  }
  return out + Join(session.Trace());
}

std::string ExplainingChangesNothing(const RandomProgram& p) {
  return Story(p, true) == Story(p, false) ? "" : "explaining changes something";
}

RandomProgram MakeAny(std::uint32_t seed) { return MakeProgram(seed); }
RandomProgram MakeEquivalences(std::uint32_t seed) { return MakeShaped(seed, {"equivalences"}); }

bool Holds(const char* what, std::string (*property)(const RandomProgram&), std::uint32_t count,
           RandomProgram (*maker)(std::uint32_t seed) = MakeAny) {
  return InBatches(what, count, [&](std::uint32_t programs) {
    const std::uint32_t first = FirstSeed();
    for (std::uint32_t i = 0; i < programs; ++i) {
      const RandomProgram p = maker(first + i);
      if (property(p).empty()) continue;
      const RandomProgram small = Shrunk(
          p, [&](const RandomProgram& q) { return !property(q).empty(); }, 1000);
      RC_FAIL("RPL_RANDOM_SEED=" + std::to_string(first + i) + "\n" + small.Text() +
              property(small));
    }
  });
}

TEST_CASE("a search for a derivation that ends says so, and where") {
  Asked asked("p(1)\np(2)\nq(?x, ?y) <- p(?x), ?y > 0\nr(?x, ?y) <- q(?x, ?y), q(2, ?y)\n");
  const ExplainLimits limits{.tries = 2};
  const Explained explained = asked.session.Explain("r(1, 5)", limits, 2);
  REQUIRE(explained.why.proofs.size() == 1);
  CHECK(ExplanationText(explained.why.proofs.front(), asked.session.sources()) ==
        "r(1, 5)  (limit reached: 2 tries to find its derivation)\n");
  CHECK(asked.Why("r(1, 5)").find("limit") == std::string::npos);
}

TEST_CASE("every tree is a proof") {
  CHECK(Holds("proof", EveryTreeIsAProof, 200));
  CHECK(Holds("proof", EveryTreeIsAProof, 100, MakeEquivalences));
}

TEST_CASE("every tree is a proof after facts have come and gone") {
  CHECK(Holds("proof", ChangesLeaveProofs, 100, MakeGraph));
}

TEST_CASE("explaining changes no answer, log or trace") {
  CHECK(Holds("the same", ExplainingChangesNothing, 300));
}

}  // namespace
}  // namespace rpl
