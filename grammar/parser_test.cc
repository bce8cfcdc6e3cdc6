// SPDX-License-Identifier: Apache-2.0
//
// Text in, tree or finding out. Row ids are those of the requirement list of the
// specification; their `accept`, `reject`, `lint` and `parse:` parts are here, their
// outcomes are in spec-tests/.
#include "grammar/parser.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "grammar/ast_json.h"
#include "grammar/printer.h"

namespace rpl {
namespace {

struct Parsed {
  Sources sources;
  Diagnostics findings;
  std::vector<Sentence> sentences;

  explicit Parsed(const std::string& text) {
    const std::uint32_t file = sources.Add("t.rpl", text);
    sentences =
        ParseSentences(sources, {file, 0, static_cast<std::uint32_t>(text.size())}, findings);
  }

  std::string Trees() const {
    std::string out;
    for (const Sentence& s : sentences) out += (out.empty() ? "" : "\n") + PrintTree(s);
    return out;
  }
  std::string Findings() const {
    std::string out;
    for (const Diagnostic& d : findings.all()) out += Render(d, sources);
    return out;
  }
};

struct Row {
  const char* id;
  const char* text;
};

TEST_CASE("accepted") {
  const std::vector<Row> rows = {
      {"R4.01", "p(q(1))"},
      {"R4.02", "p(?x) <- q([$x ?x])"},
      {"R4.04", "p([1, 2])\nm({:a 1 :b 2})\n% <- p([1 2]), m({:a 1, :b 2})"},
      {"R4.04", "p([])\np({})\n% <- p([]), ?s = #{}, |?s| = 0"},
      {"R5.12", "a(1)\na(2)\n% <- ?t = a(_), ?n = |#?t|, $json(?n)"},
      {"R5.26", "% <- not \"2020-01-01T00:00:00Z\" after now"},
      {"R5.28", "% <- #{1} difference #{2} union #{2} = #{1 2}"},
      {"R5.32", "#?h <- h(?h)"},
      {"R7.01", "% <- #{1 2 3} = ~ ?x, #{1 2 3} = ~ #{& ?vals}"},
      {"R11.05", "p(1) ^^ {?k 1, g 2}"},
      {"R11.09", "p(1) ^ ~ {:scope \"s\", note \"n\"} -> true"},
      {"R11.10", "% <- p(?a, ?c) ^^ ~ {?a ?b, ?c ?d}, p(?a, ?c) ^ ~ {:bindings {?a ?b}}"},
      {"R13.13", "% <- ?v = ($x), ?w = $x + 1, ?u = ($t(1)), $x = ?v, $focus = \"unknown\""},
      {"R17.16", "% <- $sql-select#table(\"q\"), other.md#rel(?x), %file.md#goal"},
      {"RA.01", "p(1)"},
      {"RA.01", "p(?x) <- q(?x)"},
      {"RA.01", "p(?x) <- (q(?x) <- r(?x))"},
      {"RA.02", "a() <- b() ; @when(c()) -> d()"},
      {"RA.03", "a() <- (b() <- c() ; @when(d()) -> e())"},
      {"RA.04", "x() <- (a() <- b()) ^ ?m"},
      {"RA.06", "a() <- b() ; @when(c(?x), d(?x))"},
      {"RA.07", "a(?x) <- b(?x) ; @choose(?x, b(?x), c(?x))"},
      {"RA.08", "a(?x) <- b(?x) ; @distinct(?x, b(?x))"},
      {"RA.09", "a(?x) <- b(?x) ; @each(?x, b(?x))"},
      {"RA.09", "%all <- $json(?u) ; @each(user(?u))"},
      {"RA.09", "%all <- $json(?u) ; @each(?u, ?l), @when(l(?l))"},
      {"RA.10", "a(?i) <- b(?i) ; @for(start(?i), below(?i), next(?i, ?j))"},
      {"RA.11", "a(?x) -> b(?x), c(?x)"},
      {"RA.12", "%g <- a()\np() <- a()\n$t(1) <- a()"},
      {"RA.13", "a() <- (b(), c()) ^ ?m"},
      {"RA.14", "% <- user(?u) ^ ?m ^^ ?b"},
      {"RA.15", "a() <- b(), %g, $t(1), ?x = 1, true, #?t, (c())"},
      {"RA.15", "a() <- ?x < 1 | not b(), ?t before now"},
      {"RA.18", "a(?i) <- b(?i) ; @for(start(?i), below(?i), next(?i, ?j), ok(?j))"},
      {"RA.19", "% <- #?t"},
      {"RA.20", "% <- ?n = |p(_)|, ?n = |?l|, ?n = |[1 2]|, ?n = |#?t|, ?n = |(?l)|"},
      {"RA.21", "% <- p(?x), p($x), p(~ [?a]), p(_) ^ ~ {:k ?v}"},
      {"RA.22", "% <- p(~ {:a 1}), p(~ [1]), p(~ #{1}), p(~ \"a\"), p(~ /a/), p(~ ?x)"},
      {"RA.22", "% <- ~ [1], ~ /a/, ~ ?x"},
      {"RA.23", "% <- p([?x $y ~ \"a{?z}\" 1 :k [2] #{3} {:k 4}])"},
      {"RA.24", "p([1])\np(#{1})\np({:a 1})"},
      {"RA.25", "p([1 [2 3]])"},
      {"RA.26", "% <- p([?a . ?b . ?c & ?r])"},
      {"RA.26", "l([& ?i ?q]) <- p(?i, ?q)"},
      {"RA.27", "p(#{1 2})"},
      {"RA.28", "% <- p(#{?a . ?b & ?r})"},
      {"RA.29", "p({:a 1, :b {:c 2}})"},
      {"RA.30", "% <- p({?k ?v . ?k2 ?v2 & ?r})"},
      {"RA.31", "p({[1] 2})\n% <- p({?k ?v})"},
      {"RA.32", "% <- p(?a) ^ ~ {:k ?v}, p(?a) ^^ ~ {?a ?v}, p(?a) ^^ {?a 1}"},
      {"RA.32", "% <- p(?a) ^:bindings {?a 1}, p(?a) ^ ~ {:bindings {?a ?v}}"},
      {"RA.33", "% <- p(1) ^ ~ {:a [1 ?x]}"},
      {"RA.34", "% <- p(1) ^ ~ {:a ?a, b ?b, \"c\" ?c, 1 ?d, true ?e, nil ?f}"},
      {"RA.35", "lit(foo, :k, \"s\", 1.5, true, nil)\n% <- lit(foo, :k, 's', 1.5, true, nil)"},
      {"RA.39", "p(\"\")\n% <- p('')"},
      {"RA.41", "% <- p(\"a-{?x}-b-{_}\"), $json(?x)"},
      {"RA.42", "p(\"it's l1\nl2\")\n% <- p(\"it's l1\nl2\")"},
      {"RA.45", "p('a \"b\" c')\n% <- p('a \"{?x}\" c')"},
      {"RA.46", "p(42)\np(3.14)"},
      {"RA.47", "p(:draft-id)"},
      {"RA.48", "% <- ?x = \"a\", ?x = ~ /a/, ?z = 8 / 2 / 2"},
      {"RA.50", "% <- p(?a1-b), p(_)"},
      {"RA.52", "% <- p(?x-1), $json(?x-1)"},
      {"RA.53", "a#rel(1)"},
      {"RA.54", "a#b#rel(1)\n% <- a#b#rel(1)"},
      {"RA.55", "p()\np(1, 2)"},
      {"RA.56", "% <- a()\n%g <- a()\n%g() <- a()\n%g(?x) <- a(?x)\n%(?x) <- a(?x)"},
      {"RA.57", "% <- $t()\n% <- $t(1, ?x)"},
      {"RA.58", "% <- p(?x, 1, [2], _, q(3))"},
      {"9", "lines([& ?i ?q]) <- line(?i, ?q)"},
      {"15", "p(now, union, [in out])"},
      {"20", "% <- $ask(\"Q\") ^ :result ?var, p(?x)\n  ^ ?m\n  ^^ choice ?x"},
  };
  for (const Row& row : rows) {
    INFO(row.id << ": " << row.text);
    const Parsed p(row.text);
    INFO(p.Findings());
    CHECK(p.findings.errors() == 0);
    for (const Diagnostic& d : p.findings.all()) {
      CHECK((d.code == Code::kOperatorName || d.code == Code::kMixedSetOperators));
    }
  }
}

TEST_CASE("rejected with one error") {
  struct Reject {
    const char* id;
    const char* text;
    Code code;
    const char* says = "";  // in the message or the hint
  };
  const std::vector<Reject> rows = {
      {"R1.02", "% <- possibly p(1)", Code::kSyntaxError, "`possibly` is not an operator"},
      {"R2.06", "p(\\a)", Code::kBadLiteral, "character"},
      {"R2.06", "p(#inst \"2026-01-01\")", Code::kBadLiteral, "tagged"},
      {"R2.06", "p([1/2])", Code::kBadLiteral, "1 / 2"},
      {"R2.06", "p([#_ 1])", Code::kBadLiteral, "#_"},
      {"R3.07", "?q(1)", Code::kVariableCallee},
      {"R3.07", "p(?a) <- ?q(?a)", Code::kVariableCallee},
      {"R3.07", "?q(?a) <- p(?a)", Code::kVariableCallee},
      {"R3.07", "p(?q(1))", Code::kVariableCallee},
      {"R3.07", "% <- ?t = p, #?t(1)", Code::kVariableCallee},
      {"R4.01", "p([q(1)])", Code::kNotAnElement},
      {"R4.02", "p(#{q(1)})", Code::kNotAnElement},
      {"R4.02", "p({:a q(1)})", Code::kNotAnElement},
      {"R4.02", "p({q(1) 2})", Code::kNotAnElement},
      {"R4.02", "p([%g(1)])", Code::kNotAnElement},
      {"R4.02", "p([$t(1)])", Code::kNotAnElement},
      {"R4.04", "m({:a 1, :a 2})", Code::kBadMap, "twice"},
      {"R4.05", "a(?x) <- b(?x), ...", Code::kElision},
      {"R4.05", "p([1 ...])", Code::kElision},
      {"R5.06", "a(?x) <= b(?x)", Code::kOldArrow, "`<-`"},
      {"R5.06", "a(?x) => b(?x)", Code::kOldArrow, "`->`"},
      {"R10.10", "a(1) b(1)", Code::kTwoSentences},
      {"R11.05", "% <- p(1) ^ ~ {?k ?v}", Code::kBadMetadata, "^^ ?b"},
      {"R11.05", "% <- p(1) ^ ~ {:a {?k ?v}}", Code::kBadMetadata},
      {"R11.05", "% <- p(1) ^ ~ {$k ?v}", Code::kBadMetadata},
      {"R11.05", "% <- p(?x) ^^ {$k 1}", Code::kBadMetadata},
      {"R11.05", "% <- p(?x) ^^ $k 1", Code::kBadMetadata},
      {"R14.06", "% <- $json(\"x\")", Code::kBadJson},
      {"R14.06", "% <- p(?x, ?y), $json(?x, ?y)", Code::kBadJson},
      {"R14.06", "% <- $json()", Code::kBadJson},
      {"R15.07", "% <- !p(1)", Code::kSyntaxError, "`not`"},
      {"R15.10", "%fail(\"a\") <- p(1)", Code::kBadFail},
      {"R15.10", "%fail(\"a\", \"b\", \"c\") <- p(1)", Code::kBadFail},
      {"R15.10", "% <- %fail", Code::kBadFail},
      {"R16.09", "a() <- b() ; @nonsense(c())", Code::kBadAbductive, "`@nonsense`"},
      {"RA.01", "<- p(1)", Code::kBadHead},
      {"RA.02", "a() <- b() -> d() ; @when(c())", Code::kSyntaxError, "before `->`"},
      {"RA.03", "a() <- (b() <- c() ; @when(d())", Code::kUnclosedBracket},
      {"RA.03", "a() <- d(), (b() <- c() ; @when(d()))", Code::kSyntaxError, "whole tail"},
      {"RA.03", "a() <- d(), (b() <- (c() <- e() ; @when(d())))", Code::kSyntaxError, "whole tail"},
      {"RA.03", "a() <- d(), (b() <- (c() <- e() -> d()))", Code::kSyntaxError, "whole tail"},
      {"RA.05", "a() <- b() ;", Code::kSyntaxError},
      {"RA.06", "a() <- b() ; @when()", Code::kSyntaxError},
      {"RA.07", "a(?x) <- b(?x) ; @choose(?x)", Code::kBadAbductive},
      {"RA.08", "a(?x) <- b(?x) ; @distinct(?x)", Code::kBadAbductive},
      {"RA.09", "a(?x) <- b(?x) ; @each()", Code::kSyntaxError},
      {"RA.10", "a(?i) <- b(?i) ; @for(start(?i), below(?i))", Code::kBadAbductive},
      {"RA.11", "a(?x) ->", Code::kSyntaxError},
      {"RA.12", "?x <- a()", Code::kBadHead},
      {"RA.12", "5 <- a()", Code::kBadHead},
      {"RA.12", "$x <- a()", Code::kBadHead},
      {"RA.12", "[1] <- a()", Code::kBadHead},
      {"RA.13", "a() <- b(),", Code::kSyntaxError},
      {"RA.14", "% <- user(?u) ^", Code::kBadMetadata},
      {"RA.19", "% <- #$x", Code::kSyntaxError},
      {"RA.19", "% <- #foo", Code::kBadLiteral},
      {"RA.19", "% <- # ?t", Code::kSyntaxError},
      {"RA.20", "% <- ?n = |p(_), q(_)|", Code::kSyntaxError, "one operand"},
      {"RA.22", "% <- ?x = ~ 5", Code::kSyntaxError, "pattern"},
      {"RA.22", "% <- ?x = ~ q(1)", Code::kSyntaxError, "pattern"},
      {"RA.24", "p((1 2))", Code::kSyntaxError},
      {"RA.25", "p([1 2)", Code::kUnclosedBracket},
      {"RA.26", "% <- p([& ?r ?x])", Code::kSyntaxError, "after `&`"},
      {"RA.26", "p([?x &])", Code::kSyntaxError, "after `&`"},
      {"RA.26", "p([?x & 1])", Code::kSyntaxError, "after `&`"},
      {"RA.27", "p(#[1 2])", Code::kSyntaxError, "#{"},
      {"RA.27", "p(#{1 2)", Code::kUnclosedBracket},
      {"RA.28", "% <- p(#{?a & ?r ?b})", Code::kSyntaxError, "after `&`"},
      {"RA.29", "p({:a 1)", Code::kUnclosedBracket},
      {"RA.30", "% <- p({& ?r :a 1})", Code::kSyntaxError},
      {"RA.31", "p({:a})", Code::kBadMap},
      {"RA.33", "% <- p(1) ^ ~ {:a}", Code::kBadMap},
      {"RA.33", "% <- p(1) ^ ~ {:a q(1)}", Code::kNotAnElement},
      {"RA.34", "% <- p(1) ^ ~ {[1] ?v}", Code::kBadMetadata},
      {"RA.35", "p(/a/)", Code::kBadRegex, "~ /a/"},
      {"RA.39", "p(\"abc)", Code::kUnclosedString},
      {"RA.39", "p('abc\")", Code::kUnclosedString},
      {"RA.46", "p(1.)", Code::kBadLiteral},
      {"RA.46", "p(.5)", Code::kBadLiteral},
      {"RA.47", "p(:)", Code::kBadName},
      {"RA.47", "p(:-a)", Code::kBadName},
      {"RA.49", "% <- ?x = ~ //", Code::kBadRegex},
      {"RA.49", "% <- ?x = ~ /(/", Code::kBadRegex, "invalid"},
      {"RA.50", "p(?)", Code::kBadName},
      {"RA.50", "p(?A)", Code::kBadName},
      {"RA.50", "p(?1a)", Code::kBadName},
      {"RA.51", "% <- p($)", Code::kBadName},
      {"RA.51", "% <- p($X)", Code::kBadName},
      {"RA.52", "Foo(1)", Code::kBadName, "`foo`"},
      {"RA.52", "1a(1)", Code::kBadLiteral},
      {"RA.53", "a#(1)", Code::kBadName},
      {"RA.53", "#rel(1)", Code::kBadLiteral},
      {"RA.55", "p(1 2)", Code::kSyntaxError},
      {"RA.55", "p(1,)", Code::kSyntaxError},
      {"RA.55", "p(,1)", Code::kSyntaxError},
      {"RA.55", "p(1", Code::kUnclosedBracket},
      {"RA.56", "%?g <- a()", Code::kVariableCallee},
      {"RA.57", "% <- $(1)", Code::kBadName},
      {"RA.58", "% <- p(%g)", Code::kNotAnArgument},
      {"RA.58", "% <- p($t(1))", Code::kNotAnArgument},
      {"RA.58", "% <- p(?x + 1)", Code::kNotAnArgument, "`?y = ?x + 1, p(?y)`"},
      {"RA.58", "% <- p(#?x)", Code::kNotAnArgument},
      {"2", "% <- |?l > 1|", Code::kSyntaxError, "one operand"},
      {"3", "% <- 1 < ?x < 3", Code::kSyntaxError, "chain"},
      {"5", "p(1).", Code::kSyntaxError, "`.`"},
      {"9", "p([?a & ?b ?c])", Code::kSyntaxError, "after `&`"},
      {"9", "p({:a . 1})", Code::kBadMap},
      {"10", "p(\"\\q\")", Code::kBadLiteral},
      {"13", "p(1e999)", Code::kBadLiteral, "64-bit float"},
      {"19", "a() -> b() -> c()", Code::kBadConstraint},
      {"55", "% <- \"a\" = $ask(\"Q\")", Code::kSyntaxError, "^ ~ {:result \"a\"}"},
      {"77", "dir/file.md#rel(1)", Code::kSyntaxError},
      {"RA.15", "% <- ?x + 1", Code::kSyntaxError, "not a clause"},
      {"RA.12", "a(), b() <- c()", Code::kBadHead},
      {"5", "p (1)", Code::kSyntaxError, "blank"},
  };
  for (const Reject& row : rows) {
    INFO(row.id << ": " << row.text);
    const Parsed p(row.text);
    INFO(p.Findings());
    CHECK(p.sentences.empty());
    REQUIRE(p.findings.size() == 1);
    const Diagnostic& d = p.findings.all().front();
    CHECK(CodeText(d.code) == CodeText(row.code));
    CHECK((d.message + "\n" + d.hint).find(row.says) != std::string::npos);
  }
}

TEST_CASE("trees") {
  struct Tree {
    const char* text;
    const char* tree;
  };
  const std::vector<Tree> rows = {
      // R5.12, RA.04, RA.16, RA.17, R13.12, R15.07, RA.51
      {"?n = |#?t|", "(= ?n (count (expand ?t)))"},
      {"a() <- b() <- c()", "(rule (a) (rule (b) (c)))"},
      {"?v = $t(1)", "(= ?v (tool t 1))"},
      {"?v = $x", "(= ?v $x)"},
      {"?v = \"s\"", "(= ?v \"s\")"},
      {"$ask(\"Q\") ^ ~ {:result ?v}", "(meta (tool ask \"Q\") (^ (match {:result ?v})))"},
      {"a(?x) <- b(?x, ?y) ; @choose(?x, ?y, b(?x, ?y))",
       "(rule (a ?x) (b ?x ?y) (choose ?x ?y (b ?x ?y)))"},
      {"% <- !%", "(rule (goal root) (goal-false (goal root)))"},
      {"?v = $user-name", "(= ?v $user-name)"},
      {"?v = $user-name()", "(= ?v (tool user-name))"},
      // §5.6
      {"?z = 2 + 3 * 4", "(= ?z (+ 2 (* 3 4)))"},
      {"?z = 9 - 3 - 2", "(= ?z (- (- 9 3) 2))"},
      {"not 1 = 2", "(not (= 1 2))"},
      {"not p(2), q(9)", "(and (not (p 2)) (q 9))"},
      {"a() | b(), c()", "(or (a) (and (b) (c)))"},
      {"|?l| + 1 = 3", "(= (+ (count ?l) 1) 3)"},
      {"#{1} difference #{2} union #{2} = #{1 2}",
       "(= (union (difference #{1} #{2}) #{2}) #{1 2})"},
      {"not 3 in #{1} union #{2}", "(not (in 3 (union #{1} #{2})))"},
      {"?x not in ?l", "(not-in ?x ?l)"},
      {"not in(?x)", "(not (in ?x))"},
      {"p() | |q(_)| > 1 | r()", "(or (p) (> (count (q _)) 1) (r))"},
      {"?t before now", "(before ?t now)"},
      {"?t within \"1h\" of now", "(within ?t \"1h\" now)"},
      {"?t between ?a and ?b", "(between ?t ?a ?b)"},
      // Names and numbers: longest match, but an arrow ends a name.
      {"?x->p(?x)", "(constraint ?x (p ?x))"},
      {"?y = ?x -1", "(= ?y (- ?x 1))"},
      {"?y = 2-1", "(= ?y (- 2 1))"},
      {"?y = ?x - -1", "(= ?y (- ?x -1))"},
      {"p([?a -1], +3, 1e3, 1.0, 2.50, -0.0)", "(p [?a -1] 3 1000 1 2.5 0)"},
      {"file.md#rel(1), %file.md#g, $t#a(2)",
       "(and (file.md#rel 1) (goal file.md#g) (tool t#a 2))"},
      // Strings
      {"p('a \"b\" \\'c\\' \\u00e9\\ud83d\\ude00')", "(p \"a \\\"b\\\" 'c' é😀\")"},
      {"p(\"[{id: 1}]\", \"\\{?x}\", \"{?x}{_}{\")", "(p \"[{id: 1}]\" \"\\{?x}\" \"{?x}{_}{\")"},
      // Collections
      {"p([?f . ?s & ?r], [& ?q], #{}, {}, {:a 1 . :b 2})",
       "(p [?f . ?s & ?r] [& ?q] #{} {} {:a 1 . :b 2})"},
      // Matching
      {"?x ~ {:k ?v}", "(= ?x (match {:k ?v}))"},
      {"?x = ~ /a\\/(?P<b>.)/", "(= ?x (match /a\\/(?P<b>.)/))"},
      // Metadata
      {"p(?x) ^:doc ?d -> q()", "(constraint (meta (p ?x) (^ :doc ?d)) (q))"},
      {"p() ^doc ?x ^ true ^^ ?b", "(meta (p) (^ doc ?x) (^ true) (^^ ?b))"},
      {"p() ^^ ?a ?a ^^ choice ?x ^^ {?g 1}", "(meta (p) (^^ ?a ?a) (^^ choice ?x) (^^ {?g 1}))"},
      {"p() ^^ ?b, ?b ~ [?key, ?value]", "(and (meta (p) (^^ ?b)) (= ?b (match [?key ?value])))"},
      {"%g ^ false", "(meta (goal g) (^ false))"},
      {"not p() ^ ?m", "(not (meta (p) (^ ?m)))"},
      // Rules
      {"%t(?a) <- m(?a) <- x(?a) ; @when(!%t, p(?a))",
       "(rule (goal t ?a) (rule (m ?a) (x ?a) (when (goal-false (goal t)) (p ?a))))"},
      {"outer(?r, ?y) <- foo() -> ?r -> inner(?x)",
       "(constraint (rule (outer ?r ?y) (foo)) (constraint ?r (inner ?x)))"},
      {"p(1) ; @when(q())", "(activate (p 1) (when (q)))"},
      {"a() <- (b() <- c() ; @when(d()) -> e())",
       "(rule (a) (constraint (rule (b) (c) (when (d))) (e)))"},
      {"% <- a()", "(rule (goal root) (a))"},
  };
  for (const Tree& row : rows) {
    INFO(row.text);
    const Parsed p(row.text);
    INFO(p.Findings());
    CHECK(p.Trees() == row.tree);
  }
}

TEST_CASE("a newline ends a sentence unless it goes on") {
  struct Cutting {
    const char* text;
    const char* trees;
  };
  const std::vector<Cutting> rows = {
      {"a(1) -- note\nb(1)\n-- z(1)\nc()", "(a 1)\n(b 1)\n(c)"},
      {"q(?x) <-\n  a(?x),\n  b(?x)\nr()", "(rule (q ?x) (and (a ?x) (b ?x)))\n(r)"},
      {"q(?x)\n  <- a(?x)\n  , b(?x)\n  -> c()",
       "(constraint (rule (q ?x) (and (a ?x) (b ?x))) (c))"},
      {"a(),\n-- a comment\n  b()", "(and (a) (b))"},
      {"?n = |p(_)|\n|q(_)| > 1", "(= ?n (count (p _)))\n(> (count (q _)) 1)"},
      {"a() |\nb()", "(or (a) (b))"},
      {"a()\n|p(_)| = 1", "(a)\n(= (count (p _)) 1)"},
      {"p([1\n\n2])", "(p [1 2])"},
      {"?x\n  in ?l", "(in ?x ?l)"},
      {"a()\nin(?x)", "(a)\n(in ?x)"},
      {"?x not in\n ?l", "(not-in ?x ?l)"},
      {"?x not  in\n ?l", "(not-in ?x ?l)"},
      {"a()\nnot b()", "(a)\n(not (b))"},
      {"?t between ?a\nand ?b\nb()", "(between ?t ?a ?b)\n(b)"},
      {"% <- ?x = ~ /a|(b/\n", ""},
      {"p(\"--\") -- \"\nq()", "(p \"--\")\n(q)"},
      {"p(?x--y)", "(p ?x--y)"},
  };
  for (const Cutting& row : rows) {
    INFO(row.text);
    const Parsed p(row.text);
    INFO(p.Findings());
    CHECK(p.Trees() == row.trees);
  }
  const std::string text = "p(1,\n 2) -- c\nq()";
  CHECK(SentenceEnd(text, 0, static_cast<std::uint32_t>(text.size())) == 13);
}

TEST_CASE("an error in one sentence does not touch the next") {
  struct Recovery {
    const char* text;
    const char* trees;
    const char* findings;
  };
  const std::vector<Recovery> rows = {
      {"p(\"abc)\nq(\"d\")\nr(1)", "(q \"d\")\n(r 1)",
       "t.rpl:1:3: error RPL1003: a string is opened here and never closed\n"
       "    1 | p(\"abc)\n"
       "      |   ^^^^^\n"
       "help: end it with `\"`\n"},
      {"p(1\n\nq(2)\nr(3)", "(q 2)\n(r 3)",
       "t.rpl:1:2: error RPL1004: `(` is opened here and never closed\n"
       "    1 | p(1\n"
       "      |  ^\n"
       "help: close it with `)`\n"},
      {"p([1 2)\nq(2)", "(q 2)",
       "t.rpl:1:3: error RPL1004: `[` is opened here, and `)` stands where `]` should close it\n"
       "    1 | p([1 2)\n"
       "      |   ^\n"
       "help: close it with `]`\n"},
      {"p(1) <- (a(),\nq(2) <- b()\nr()", "(rule (q 2) (b))\n(r)",
       "t.rpl:1:9: error RPL1004: `(` is opened here and never closed\n"
       "    1 | p(1) <- (a(),\n"
       "      |         ^\n"
       "help: close it with `)`\n"},
      {"a(1) b(1)\nc()", "(c)",
       "t.rpl:1:6: error RPL1006: a second sentence begins here on the same line\n"
       "    1 | a(1) b(1)\n"
       "      |      ^\n"
       "help: start it on a new line, or write `,` between clauses\n"},
      {"% <- p(1, ?x + 1, ?y)", "",
       "t.rpl:1:11: error RPL1010: an operator cannot stand in an argument\n"
       "    1 | % <- p(1, ?x + 1, ?y)\n"
       "      |           ^^^^^^\n"
       "help: write `?y2 = ?x + 1, p(1, ?y2, ?y)`\n"},
      {"a(?x) <= b(?x)", "",
       "t.rpl:1:7: error RPL1007: `<=` compares values, and calls have no order\n"
       "    1 | a(?x) <= b(?x)\n"
       "      |       ^^\n"
       "help: write `<-` for a rule\n"},
      {"a(?x) <- größe(?x)", "",
       "t.rpl:1:10: error RPL1022: `größe` is not a name\n"
       "    1 | a(?x) <- größe(?x)\n"
       "      |          ^^^^^\n"
       "help: names are made of the letters a to z, digits and `-`\n"},
      {"a() <- b(),\n\nc()", "(c)",
       "t.rpl:1:12: error RPL1001: expected a clause, got the end of the sentence\n"
       "    1 | a() <- b(),\n"
       "      |            ^\n"},
  };
  for (const Recovery& row : rows) {
    INFO(row.text);
    const Parsed p(row.text);
    CHECK(p.Trees() == row.trees);
    CHECK(p.Findings() == row.findings);
  }
}

TEST_CASE("lints") {
  struct Lint {
    const char* id;
    const char* text;
    Code code;
    const char* hint;
  };
  const std::vector<Lint> rows = {
      {"R9.05", "% <- ready", Code::kBareName, "write `ready()`"},
      {"R9.05", "ready <- a()", Code::kBareName, "write `ready()`"},
      {"RA.50", "% <- p(?a_b)", Code::kNotKebabCase, "write `?a-b`"},
      {"RA.50", "% <- p(?aB)", Code::kNotKebabCase, "write `?a-b`"},
      {"RA.52", "user_name(1)", Code::kNotKebabCase, "write `user-name`"},
      {"RA.52", "%cookMode <- a()", Code::kNotKebabCase, "write `%cook-mode`"},
      {"3", "% <- ?a union ?b difference ?c = ?d", Code::kMixedSetOperators,
       "write parentheses: `(?a union ?b)`"},
      {"6", "% <- p(?x), p(?x-1)", Code::kHyphenInName, "to subtract, write `?x - 1`"},
      {"9", "% <- p([?f . ?s])", Code::kDottedPair, "for the rest, write `[?f & ?rest]`"},
      {"10", "p(\"{name}\")", Code::kBraceInString, "for a variable, write `{?name}`"},
      {"13", "p(1N)", Code::kNumberSuffix, "remove it"},
      {"14", "p(:ns/Name)", Code::kForeignName, "as a name of your own, write `:ns-name`"},
      {"14", "p(foo/bar)", Code::kForeignName, "as a name of your own, write `foo-bar`"},
      {"15", "p(now)", Code::kOperatorName, "the time is `now` only beside a temporal operator"},
      {"20", "p(1) ^ {:a 1}", Code::kBareMetadataMap, "write `^ ~ {:a 1}`"},
  };
  for (const Lint& row : rows) {
    INFO(row.id << ": " << row.text);
    const Parsed p(row.text);
    INFO(p.Findings());
    CHECK(p.sentences.size() == 1);
    REQUIRE(p.findings.size() == 1);
    CHECK(CodeText(p.findings.all()[0].code) == CodeText(row.code));
    CHECK(p.findings.all()[0].hint == row.hint);
    CHECK(p.findings.errors() == 0);
  }
}

TEST_CASE("the nesting and the size of a sentence are limited") {
  const auto repeat = [](const std::string& s, int n) {
    std::string out;
    for (int i = 0; i < n; ++i) out += s;
    return out;
  };
  const auto codes = [](const std::string& text) {
    const Parsed p(text);
    std::string out;
    for (const Diagnostic& d : p.findings.all()) out += CodeText(d.code) + " ";
    return out;
  };
  constexpr int kMany = 100000;
  const std::vector<std::pair<std::string, std::string>> brackets = {
      {"(", ")"},   {"[", "]"},   {"{", "}"},        {"#{", "}"},  {"p(", ")"},
      {"$t(", ")"}, {"%g(", ")"}, {"a() <- (", ")"}, {"|(", ")|"}, {"{:a ", "}"}};
  for (const auto& [open, close] : brackets) {
    INFO(open);
    CHECK(codes("p(" + repeat(open, kMany) + "1" + repeat(close, kMany) + ")") == "RPL1005 ");
    CHECK(codes("p(" + repeat(open, kMany)) == "RPL1005 ");
  }
  CHECK(codes(repeat("not ", kMany) + "a()") == "RPL1005 ");
  CHECK(codes("?x = 1" + repeat(" + 1", kMany)) == "RPL1005 ");
  constexpr int kTooMany = kMaxSentenceNodes + 1;
  CHECK(codes(repeat("a() <- ", kTooMany) + "a()") == "RPL1024 ");
  CHECK(codes("a()" + repeat(", a()", kTooMany)) == "RPL1024 ");

  // At the limit, for every kind of bracket.
  CHECK(codes(repeat("(", kMaxNesting - 2) + "a()" + repeat(")", kMaxNesting - 2)).empty());
  CHECK(codes("p(" + repeat("[", kMaxNesting - 2) + "1" + repeat("]", kMaxNesting - 2) + ")")
            .empty());
  CHECK(codes(repeat("p(", kMaxNesting - 1) + "1" + repeat(")", kMaxNesting - 1)).empty());
  CHECK(codes("a()" + repeat(", a()", 40000)).empty());
}

TEST_CASE("signatures") {
  const auto parse = [](const std::string& text) {
    Sources sources;
    Diagnostics findings;
    const std::uint32_t file = sources.Add("t.md", text);
    const std::optional<Sentence> s =
        ParseSignature(sources, {file, 0, static_cast<std::uint32_t>(text.size())}, findings);
    CHECK(findings.errors() == (s ? 0u : 1u));
    if (!s) return std::string("error");
    return std::to_string(s->rule.heads.size()) + " " + PrintTree(*s);
  };
  CHECK(parse("rel(?a, ?b)") == "1 (rule (rel ?a ?b))");
  CHECK(parse("%goal") == "1 (rule (goal goal))");
  CHECK(parse("$tool(?a)") == "1 (rule (tool tool ?a))");
  CHECK(parse("focus($focus)") == "1 (rule (focus $focus))");
  CHECK(parse("rel(?a) <- b(?a)") == "1 (rule (rel ?a) (b ?a))");
  CHECK(parse("%planning\n  <- phase(a)\n  | phase(b)") ==
        "1 (rule (goal planning) (or (phase a) (phase b)))");
  CHECK(parse("a(?x) -> b(?x)") == "0 (constraint (a ?x) (b ?x))");
  CHECK(parse("word") == "error");
  CHECK(parse("$tool") == "error");
  CHECK(parse("two words") == "error");
  CHECK(parse("a, b") == "error");
  CHECK(parse("") == "error");
}

TEST_CASE("terms") {
  const auto parse = [](const std::string& text) {
    Sources sources;
    Diagnostics findings;
    const std::uint32_t file = sources.Add("t", text);
    const std::optional<Node> n =
        ParseTerm(sources, {file, 0, static_cast<std::uint32_t>(text.size())}, findings);
    CHECK(findings.errors() == (n ? 0u : 1u));
    return n ? PrintTree(*n) : std::string("error");
  };
  CHECK(parse(" 42 ") == "42");
  CHECK(parse("word") == "word");
  CHECK(parse("[& ?x]") == "[& ?x]");
  CHECK(parse("p(1, q(?x))") == "(p 1 (q ?x))");
  CHECK(parse("%g(1)") == "(goal g 1)");
  CHECK(parse("?x + 1") == "error");
  CHECK(parse("(1)") == "error");
  CHECK(parse("1 2") == "error");
  CHECK(parse("") == "error");
  CHECK(parse("[1") == "error");
}

TEST_CASE("spans cover the text of their node") {
  const std::string text = "-- c\n  p(?x , [1 2] ) ^ ~ {:k ?v} , not  q( ) <- r()";
  const Parsed bad(text);
  CHECK(bad.findings.errors() == 1);  // metadata is no head
  const Parsed p("-- c\n  p(?x , [1 2] ) ^ ~ {:k ?v} , not  q( ) -- d");
  REQUIRE(p.sentences.size() == 1);
  CHECK(p.sources.Text(p.sentences[0].span) == "p(?x , [1 2] ) ^ ~ {:k ?v} , not  q( )");
  std::string spans;
  const auto visit = [&](const Node& node, const auto& self) -> void {
    spans += std::string(p.sources.Text(node.span)) + "\n";
    ForEachChild(node, [&](const Node& child) { self(child, self); });
  };
  visit(p.sentences[0].rule.tail[0], visit);
  CHECK(spans ==
        "p(?x , [1 2] ) ^ ~ {:k ?v} , not  q( )\n"
        "p(?x , [1 2] ) ^ ~ {:k ?v}\n"
        "p(?x , [1 2] )\n?x\n[1 2]\n1\n2\n"
        "~ {:k ?v}\n{:k ?v}\n:k\n?v\n"
        "not  q( )\nq( )\n");
}

TEST_CASE("trees as JSON") {
  const Parsed p("\n p(?x) <- q(\"a\")");
  REQUIRE(p.sentences.size() == 1);
  CHECK(ToJson(p.sentences[0], p.sources).dump() ==
        R"({"abductives":[],"column":2,"constraints":[],"file":"t.rpl","heads":[{"args":)"
        R"([{"kind":"lvar","name":"x","span":[4,6]}],"kind":"call","label":"p","namespace":)"
        R"("relation","parens":true,"span":[2,7]}],"kind":"sentence","line":2,"span":[2,17],)"
        R"("tail":[{"args":[{"kind":"string","span":[13,16],"text":"a"}],"kind":"call",)"
        R"("label":"q","namespace":"relation","parens":true,"span":[11,17]}]})");
}

TEST_CASE("a long text is read as its sentences are") {
  const std::vector<std::string> kinds = {
      "p(?x) <- q(?x), not r(?x)", "p(,)", "% <- p(\"{?a}\", [1 2])", "q(1)", "1 2", "a -> b"};
  std::string text, trees, findings;
  for (int i = 0; i < 12'000; ++i) {
    const std::string& sentence = kinds[static_cast<std::size_t>(i * 7 % 11) % kinds.size()];
    const Parsed alone(sentence);
    for (const Sentence& s : alone.sentences) trees += PrintTree(s) + "\n";
    for (const Diagnostic& d : alone.findings.all())
      findings += std::to_string(text.size() + d.span.begin) + " " + d.message + "\n";
    text += sentence + "\n";
  }
  const Parsed whole(text);
  std::string found;
  for (const Diagnostic& d : whole.findings.all())
    found += std::to_string(d.span.begin) + " " + d.message + "\n";
  CHECK(whole.Trees() + "\n" == trees);
  CHECK(found == findings);
  CHECK(whole.findings.errors() > 1000);
}

}  // namespace
}  // namespace rpl
