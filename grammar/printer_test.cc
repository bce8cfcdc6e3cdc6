// SPDX-License-Identifier: Apache-2.0
//
// Parse after print is identity: on the examples of the specification and on random trees.
#include "grammar/printer.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "grammar/abductives.h"
#include "grammar/parser.h"
#include "grammar/testing_random.h"

namespace rpl {
namespace {

using testing::Of;
using testing::Pick;

std::optional<Sentence> Parse(const std::string& text, std::string* why = nullptr) {
  Sources sources;
  Diagnostics findings;
  const std::uint32_t file = sources.Add("t", text);
  std::optional<Sentence> s =
      ParseSentence(sources, {file, 0, static_cast<std::uint32_t>(text.size())}, findings);
  if (why != nullptr && !s) *why = Render(findings.all().front(), sources);
  return s;
}

// Every sentence of the specification that is not marked as an error, `...` replaced.
const std::vector<std::string> kExamples = {
    "rel(?a, ?b)",
    "%goal(?a)",
    "$tool(?a, ?b)",
    "outer(?r, ?y) <- x() -> ?r -> inner(?x)",
    "outer(inner(?x), ?y)",
    "?t = [?f ?s]",
    "?t = #{?f ?s}",
    "?t = {?k ?v}",
    "?x = ?y",
    "?x != ?y",
    "?x < ?y",
    "?x > ?y",
    "?x <= ?y",
    "?x >= ?y",
    "?z = ?x + ?y",
    "?z = ?x - ?y",
    "?z = ?x * ?y",
    "?z = ?x / ?y",
    "?n = |rel(?x, ?y)|",
    "?n = |?list|",
    "?n = |#?t|",
    "?c = ?a union ?b",
    "?c = ?a intersect ?b",
    "?c = ?a difference ?b",
    "?x in ?collection",
    "?x not in ?collection",
    "?t before ?ref",
    "?t after ?ref",
    "?t within ?n of ?ref",
    "?t between ?a and ?b",
    "a(), b()",
    "a() | b()",
    "not a()",
    "(a())",
    "length(?x, $l) <- $l = |#?x|",
    "#?t ^:scope $s",
    "$l = |#?t|",
    "?x = ~ \"foo {?bar}\"",
    "?x = ~ 'foo {?bar}'",
    "?x = ~ {:key ?val}",
    "?x = ~ /(?P<a>\\w+)/",
    "rel(~ \"foo {?bar}\")",
    "#{1 2 3} = ~ ?x",
    "#{1 2 3} = ~ #{& ?vals}",
    "#{#{1 2} #{3 4}} = ~ ?x",
    "?x = ~ ?y",
    "?l = [?f . ?s & ?r]",
    "?l = #{?f . ?s & ?r}",
    "?l = {?k ?v & ?r}",
    "?l = {:name ?n, :age ?a}",
    "goal-options([& ?v]) <- valid-editing-goal(?v)",
    "active-ids(#{& ?id}) <- user(?id, ?status), ?status = \"active\"",
    "name(?first, ?last)",
    "editing-goal(?g)",
    "clause() ^ ?meta",
    "clause() ^ ~ {:doc ?x}",
    "clause() ^ ~ {foo ?v}",
    "clause() ^ ~ {\"key\" ?v}",
    "expr() ^^ ?b, ?b ~ [?key, ?value]",
    "clause() ^:scope ?s",
    "clause() ^doc ?x",
    "clause() ^^ ~ {?a ?b, ?c ?d}",
    "clause() ^:bindings {?a ?b, ?c ?d}",
    "clause() ^ ~ {:bindings {?a ?b, ?c ?d}}",
    "clause() ^^ {?a \"val1\", ?c \"val2\"}",
    "clause() ^^ ?a ?a",
    "clause() ^^ ~ {?a ?a}",
    "(?a, ?b) ^ ~ {foo ?a} -> ?a ^ ~ {foo ?a}, ?b",
    "(?a, ?b, ?c) ^ ~ {foo ?a, bar ?c} -> (?a, ?c) ^ ~ {foo ?a, bar ?c}, ?b",
    "relation ^ ~ {doc ?x}",
    "%goal ^ true | false",
    "edit-brief(?d, ?g), editing-goal(?g) -> valid-editing-goal(?g)",
    "edit-brief(?d, ?g), editing-goal(?g), valid-editing-goal(?g) -> true",
    "rel1(?x, ?y), rel2(?y) -> false",
    "edit-brief(?d, ?g, ?notes) ^ ~ {:g \"publish\"} -> valid-editing-goal(?g), ?notes != \"\"",
    "editing-goal(?g) ^^ {?g \"publish\", ?d \"draft-0\"} -> true",
    "%needs-edit ^^ {?d \"draft-0\", mode \"line-edit\"} -> true",
    "%needs-discovery ^ false",
    "editing-goal(?g) ^^ ?b, ?b ~ {g ?g, d ?d} -> true",
    "$query-db(\"select * from issues where state = 'open'\") ^ ~ {:result \"[{id: 1}]\"} ^^ "
    "{?query "
    "\"select * from issues where state = 'open'\"} -> true",
    "$answer ^ ~ {:result \"I'm fine, thanks\"} -> true",
    "ask(?prompt, ?answer) <- $ask(?prompt) ^ ~ {:result ?answer}",
    "%greet <- ask(\"How are you?\", ?answer)",
    "$tool(?args) ^ :result ?var",
    "$ask(?prompt, ?answer) <- $ask(?prompt) ^ ~ {:result ?answer}",
    "editing-goal(?g) <- goal-options(?options), choose(\"Select editing goal\", ?options, ?g)",
    "$json(?x) ^ ~ {:tool :json} -> true",
    "% <- pending-choice(?value) ^^ choice ?x, $json(?x)",
    "% <- user(?u) ^^ ?b, $json(?b)",
    "% <- user(?u) ^ ?m, $json(?m)",
    "%name(?a, ?b) <- tail()",
    "%name <- (tail()) ^^ ~ {?a ?a, ?b ?b}",
    "%name <- (tail()) ^:bindings {?a ?a, ?b ?b}",
    "% <- %needs-discovery | %needs-edit",
    "% <- %needs-discovery -> !%",
    "!%goal",
    "% <- %needs-discovery ; @when(!%)",
    "%task(?a) <- method-one(?a) <- tail-one(?a) ; @when(!%task, precondition-one(?a))",
    "file.md#rel(1)",
    "%file.md#goal",
    "$tool#action()",
    "$sql-select#table(\"q\")",
    "% <- %needs-discovery(?d) | %needs-edit(?d)",
    "%needs-discovery(?d) <- edit-brief(?d, $focus), $focus = \"unknown\", draft(?d)",
    "(edit-brief(?d, ?focus) <-\n(draft(?draft-id) <- x()) ^^ {?draft-id \"doc-42\"},\n"
    "(focus($focus) <- x()) ^^ {?focus \"unknown\"}\n) ^^ {?d \"doc-42\", ?focus \"unknown\"} -> "
    "true",
};

TEST_CASE("the examples of the specification print as they parse") {
  for (const std::string& text : kExamples) {
    INFO(text);
    std::string why;
    const std::optional<Sentence> s = Parse(text, &why);
    INFO(why);
    REQUIRE(s);
    const std::string printed = Print(*s);
    INFO(printed);
    const std::optional<Sentence> again = Parse(printed, &why);
    INFO(why);
    REQUIRE(again);
    CHECK(*again == *s);
    CHECK(Print(*again) == printed);
  }
}

TEST_CASE("a float without a fraction does not print as an integer") {
  for (const char* text : {"9223372036854775808.0", "-9223372036854777856.0", "1e+20"}) {
    const std::optional<Sentence> s = Parse("?x = " + std::string(text));
    REQUIRE(s);
    CHECK(Print(*s) == "?x = " + std::string(text));
  }
}

TEST_CASE("printing keeps the text of ordinary sentences") {
  for (const char* text : {
           "% <- p(?x, \"a\", :k) ; @when(!%, q()), @choose(?x, p(?x)) -> ?r -> inner(?x)",
           "p([?f . ?s & ?r], {:a 1, :b #{2 3}}, [& ?i])",
           "ready, %g, %g(), not not a() | (b(), c()) ^ ?m ^:k ?v ^^ ?a ?b ^ true",
           "?z = (1 + 2) * 3 - -4, 1.5 < 1e+20, ?x not in ?y, ?t within \"1h\" of now",
           "p(\"\\{?x} {?y} {id: 1} \\\"\\\\\\n\")",
       }) {
    std::string why;
    const std::optional<Sentence> s = Parse(text, &why);
    INFO(text << "\n" << why);
    REQUIRE(s);
    CHECK(Print(*s) == text);
  }
}

// --- Random trees ------------------------------------------------------------------------

template <typename T>
Node Make(T value) {
  return Node{std::move(value), {}};
}

// Valid trees only: each function generates a form that is allowed in one position.
struct Grow {
  std::string Name() {
    return Of<std::string>({"a", "b-c", "x1", "not-x", "in", "now", "k--", "long-name", "within"});
  }
  std::string Text() {
    return Of<std::string>(
        {"", "a", "{", "{?x}", "\\", "\"'", "{_}", "\n\t\x01", "é😀", "{a}", "--", "^"});
  }
  std::string Label() {
    return Of<std::string>({"p", "q-r", "in", "file.md#rel", "a#b#c", "of", "rel2"});
  }

  Node Variable() {
    switch (Pick(3)) {
      case 0: return Make(Lvar{Name()});
      case 1: return Make(Lvar{});
      default: return Make(Avar{Name()});
    }
  }
  Node Literal() {
    switch (Pick(8)) {
      case 0: return Make(String{Text()});
      case 1: return Make(Number{static_cast<std::int64_t>(Pick(2000) - 1000)});
      case 2: return Make(Number{Of<double>({0.5, -1e300, 1e-7, 1.25e20, -0.125})});
      case 3: return Make(Keyword{Name()});
      case 4: return Make(Symbol{Of<std::string>({"a", "in", "Not", "a-b", "ns/b"})});
      case 5: return Make(Boolean{Pick(2) == 0});
      case 6: return Make(Nil{});
      default: return Make(Template{{Text(), Text()}, {Of<std::string>({"x", "", "a-b"})}});
    }
  }
  Node Pattern(int depth) {
    switch (Pick(4)) {
      case 0: return Make(String{Text()});
      case 1:
        return Make(Regex{Of<std::string>({"a", "(?P<a>\\w+)", "/", "\\\\/", "\\.[/]", "'\""})});
      case 2: return Make(Lvar{Name()});
      default: return Items(depth);
    }
  }
  Node Matching(int depth) { return Make(Match{{Pattern(depth)}}); }
  Node Items(int depth, bool head = false) {
    Collection c{
        Of<CollectionKind>({CollectionKind::kList, CollectionKind::kSet, CollectionKind::kMap}),
        {},
        {},
        false};
    const int size = Pick(3);
    for (int i = 0; i < size; ++i) {
      // Keys of maps are distinct.
      if (c.kind == CollectionKind::kMap) c.items.push_back(Make(Number{std::int64_t{i}}));
      c.items.push_back(Element(depth - 1));
    }
    c.dotted = size > 1 && Pick(3) == 0;
    if (Pick(3) == 0) c.rest.push_back(Variable());
    if (head && Pick(3) == 0) c.rest = {Make(Lvar{"i"}), Make(Lvar{"q"})};
    return Make(std::move(c));
  }
  Node Element(int depth) {
    const int kind = Pick(depth > 0 ? 4 : 2);
    return kind == 0   ? Variable()
           : kind == 1 ? Literal()
           : kind == 2 ? Items(depth)
                       : Matching(depth);
  }
  Node Relation(int depth, bool head = false) {
    Call call{Namespace::kRelation, Label(), {}, true};
    const int size = Pick(4);
    for (int i = 0; i < size; ++i) {
      const int kind = depth > 0 ? Pick(4) : 0;
      call.args.push_back(kind == 1   ? Relation(depth - 1, head)
                          : kind == 2 ? Items(depth - 1, head)
                                      : Element(depth - 1));
    }
    return Make(std::move(call));
  }
  Node Goal(int depth) {
    Node node = Relation(depth);
    Call& call = *node.As<Call>();
    call.ns = Namespace::kGoal;
    if (Pick(4) == 0) call.label.clear();
    if (call.args.empty()) call.parens = Pick(2) == 0;
    return node;
  }
  Node Tool(int depth) {
    Node node = Relation(depth);
    node.As<Call>()->ns = Namespace::kTool;
    return node;
  }
  Node Counted(int depth) {
    Node operand = Pick(2) == 0 ? Relation(depth - 1) : Make(Expansion{Name()});
    if (Pick(4) == 0) operand = Make(Group{{std::move(operand)}});
    return Make(Count{{std::move(operand)}});
  }
  Node Factor(int depth) {
    switch (Pick(depth > 0 ? 7 : 2)) {
      case 0: return Variable();
      case 1: return Literal();
      case 2: return Items(depth - 1);
      case 3: return Relation(depth - 1);
      case 4: return Counted(depth - 1);
      case 5: return Make(Expansion{Name()});
      default: return Make(Group{{Sum(depth - 1)}});
    }
  }
  // Left associative, as the parser builds.
  Node Product(int depth) {
    Node left = Factor(depth);
    for (int n = Pick(2); n > 0; --n) {
      left = Make(Binary{Of<Operator>({Operator::kMultiply, Operator::kDivide}),
                         {std::move(left), Factor(depth)}});
    }
    return left;
  }
  Node Sum(int depth) {
    Node left = Product(depth);
    for (int n = Pick(2); n > 0; --n) {
      left = Make(Binary{Of<Operator>({Operator::kAdd, Operator::kSubtract, Operator::kUnion,
                                       Operator::kIntersect, Operator::kDifference}),
                         {std::move(left), Product(depth)}});
    }
    return left;
  }
  Node Time(int depth) {
    if (Pick(3) == 0) return Make(Now{});
    Node time = Sum(depth);
    return time;
  }
  Node Comparison(int depth) {
    switch (Pick(6)) {
      case 0: return Make(Binary{Operator::kEqual, {Sum(depth), Matching(depth)}});
      case 1: return Make(Binary{Operator::kEqual, {Make(Lvar{"v"}), Tool(depth)}});
      case 2:
        return Make(Binary{Of<Operator>({Operator::kBefore, Operator::kAfter}),
                           {Time(depth), Time(depth)}});
      case 3: return Make(Within{{Time(depth), Time(depth), Time(depth)}});
      case 4: return Make(Between{{Time(depth), Time(depth), Time(depth)}});
      default:
        return Make(Binary{Of<Operator>({Operator::kEqual, Operator::kNotEqual, Operator::kLess,
                                         Operator::kGreater, Operator::kGreaterEqual, Operator::kIn,
                                         Operator::kNotIn}),
                           {Sum(depth), Sum(depth)}});
    }
  }
  Node Atom(int depth) {
    switch (Pick(depth > 0 ? 9 : 3)) {
      case 0: return Relation(depth);
      case 1: return Variable();
      case 2: return Make(Call{Namespace::kRelation, Of<std::string>({"ready", "a#b"}), {}, false});
      case 3: return Goal(depth);
      case 4: return Tool(depth);
      case 5: return Make(GoalFalse{{Goal(depth)}});
      case 6: return Make(Group{{Tail(depth - 1)}});
      case 7: {
        Rule rule;
        rule.heads.push_back(Relation(depth - 1, true));
        rule.tail.push_back(Tail(depth - 1));
        return Make(Group{{Make(std::move(rule))}});
      }
      default: return Comparison(depth - 1);
    }
  }
  Suffix Metadata(int depth) {
    Suffix s;
    s.bindings = Pick(2) == 0;
    const Node map = Make(Collection{CollectionKind::kMap,
                                     {Make(Keyword{"a"}), Variable(), Make(Symbol{"b"}), Literal()},
                                     {},
                                     false});
    switch (Pick(5)) {
      case 0: s.value.push_back(Variable()); break;
      case 1: s.value.push_back(map); break;
      case 2: s.value.push_back(Make(Match{{map}})); break;
      case 3:
        s.key.push_back(s.bindings ? Make(Lvar{"k"}) : Make(Keyword{"k"}));
        s.value.push_back(Pick(2) == 0 ? Variable() : Make(String{Text()}));
        break;
      default:
        s.key.push_back(Make(Symbol{"name"}));
        s.value.push_back(Pick(2) == 0 ? Variable() : Matching(0));
    }
    if (!s.bindings && Pick(6) == 0) {
      s.key.clear();
      s.value.assign(1, Make(Boolean{Pick(2) == 0}));
    }
    (void)depth;
    return s;
  }
  Node Clause(int depth) {
    Node clause = Atom(depth);
    if (Pick(4) == 0) {
      Annotated a{{std::move(clause)}, {Metadata(depth)}};
      if (Pick(2) == 0) a.suffixes.push_back(Metadata(depth));
      clause = Make(std::move(a));
    }
    for (int n = Pick(6) - 3; n > 0; --n) clause = Make(Not{{std::move(clause)}});
    return clause;
  }
  Node Conjoined(int depth) {
    Nodes clauses;
    for (int n = Pick(3); n >= 0; --n) clauses.push_back(Clause(depth));
    if (clauses.size() == 1) return std::move(clauses[0]);
    return Make(Conjunction{std::move(clauses)});
  }
  Node Tail(int depth) {
    Nodes branches;
    for (int n = Pick(4) - 1; n >= 0; --n) branches.push_back(Conjoined(depth));
    if (branches.empty()) branches.push_back(Conjoined(depth));
    if (branches.size() == 1) return std::move(branches[0]);
    return Make(Disjunction{std::move(branches)});
  }
  Abductive Act(int depth) {
    const AbductiveRow row = Of(std::vector(std::begin(kAbductives), std::end(kAbductives)));
    Abductive act{row.kind, {}, {}};
    if (row.arguments != AbductiveArguments::kTail) act.clauses.push_back(Make(Lvar{"x"}));
    act.clauses.push_back(Clause(depth));
    act.clauses.push_back(Relation(depth));
    return act;
  }
  Rule AnyRule(int depth) {
    Rule rule;
    for (int n = Pick(3); n > 0; --n)
      rule.heads.push_back(Pick(2) == 0 ? Relation(depth, true) : Goal(0));
    rule.tail.push_back(Tail(depth));
    for (int n = Pick(3); n > 0; --n) rule.abductives.push_back(Act(depth - 1));
    if (Pick(2) == 0) rule.constraints.push_back(Tail(depth));
    if (!rule.constraints.empty() && Pick(2) == 0) {
      rule.constraints.insert(rule.constraints.begin(), Make(Lvar{"r"}));
    }
    return rule;
  }
};

TEST_CASE("the places of variables are those where a value may stand") {
  const auto shown = [](const std::string& text) {
    const std::optional<Sentence> s = Parse(text);
    REQUIRE(s);
    std::vector<PrintedVariable> variables;
    const std::string printed = Print(s->rule.tail.front(), variables);
    std::string out;
    std::size_t at = 0;
    for (const PrintedVariable& v : variables) {
      out += printed.substr(at, v.begin - at) + "<" + v.name + ">";
      at = v.end;
    }
    return out + printed.substr(at);
  };
  CHECK(shown("a() <- p(?x, $y, _, \"?x {?z} $y\")") == "p(<x>, <y>, _, \"?x <z> $y\")");
  CHECK(shown("a() <- ?n = |#?t|") == "<n> = |<t>|");
  CHECK(shown("a() <- ?l = [?a & ?rest]") == "<l> = [<a> & ?rest]");
  CHECK(shown("a() <- ?x = ~ ?whole") == "<x> = ~ ?whole");
  CHECK(shown("a() <- ?x = ~ {:k ?v}") == "<x> = ~ {:k <v>}");
  CHECK(shown("a() <- ?x = ~ /a?y/") == "<x> = ~ /a?y/");
}

TEST_CASE("random trees print as they parse") {
  CHECK(rc::check([] {
    Sentence s;
    s.rule = Grow().AnyRule(3);
    const std::string printed = Print(s);
    std::string why;
    const std::optional<Sentence> again = Parse(printed, &why);
    if (!again) RC_FAIL(printed + "\n" + why);
    if (!(*again == s)) RC_FAIL(printed + "\n" + PrintTree(s) + "\n" + PrintTree(*again));
    RC_ASSERT(Print(*again) == printed);
  }));
}

TEST_CASE("no text crashes the parser, and a broken one has a finding") {
  CHECK(rc::check([] {
    static const std::vector<std::string> kPieces = {
        "p(", ")",  "[",  "]",  "{",      "}",    "#{",      "|",   ",",   " ",
        "\n", "<-", "->", ";",  "@when(", "^",    "^^",      "~",   "/",   "a",
        "?x", "$x", "%",  "%g", "!",      "not ", "in ",     "1",   ".",   "-",
        "\"", "'",  "\\", ":k", "=",      "<=",   "=>",      "...", "&",   "#?x",
        "_",  "A",  "#",  "--", "\xff",   "é",    "within ", "of ", "true"};
    std::string text;
    for (int n = *rc::gen::inRange(0, 40); n > 0; --n) text += Of(kPieces);
    Sources sources;
    Diagnostics findings;
    const std::uint32_t file = sources.Add("t", text);
    const std::vector<Sentence> sentences =
        ParseSentences(sources, {file, 0, static_cast<std::uint32_t>(text.size())}, findings);
    for (const Diagnostic& d : findings.all()) {
      RC_ASSERT(d.span.begin <= d.span.end && d.span.end <= text.size());
      RC_ASSERT(!Render(d, sources).empty());
    }
    for (const Sentence& s : sentences) {
      std::string why;
      const std::optional<Sentence> again = Parse(Print(s), &why);
      if (!again) RC_FAIL(text + "\n" + Print(s) + "\n" + why);
      if (!(*again == s))
        RC_FAIL(text + "\n" + Print(s) + "\n" + PrintTree(s) + "\n" + PrintTree(*again));
    }
  }));
}

}  // namespace
}  // namespace rpl
