// SPDX-License-Identifier: Apache-2.0
//
// The syntax tree of one sentence (Appendix): plain values that own their children.
//
// A Node is one of the structs below, each preceded by the RPL that it stands for. Terms, operators
// and clauses are one type, because §5 makes operators clauses and decision 1 gives them one
// precedence table. grammar/shape.cc has checked what may stand where (arguments, elements, heads,
// metadata keys), so a reader of the tree may rely on the shapes that the comments here state. Not
// checked yet: arity, scope, safety.
//
// Every Node has the span of its text in the whole file. Spans do not take part in equality. Parse
// after print is identity: Parse(Print(s)) == s. A tree is never deeper than kMaxNesting, so
// readers may recurse.
#ifndef RPL_GRAMMAR_AST_H_
#define RPL_GRAMMAR_AST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "formats/diagnostic.h"
#include "formats/number_text.h"
#include "grammar/namespace.h"
#include "grammar/visit.h"

namespace rpl {

/// The maximal depth of a tree: brackets, negations and other constructs in one sentence (RPL1005).
inline constexpr int kMaxNesting = 256;
/// The maximal number of nodes of one sentence (RPL1024).
inline constexpr int kMaxSentenceNodes = 1000000;

struct Node;
using Nodes = std::vector<Node>;

// ?name   _   (the name without its mark; `_` has an empty name)
struct Lvar {
  std::string name;
  bool operator==(const Lvar&) const = default;
};

// $name
struct Avar {
  std::string name;
  bool operator==(const Avar&) const = default;
};

// "text" without holes, escapes resolved
struct String {
  std::string text;
  bool operator==(const String&) const = default;
};

// "a {?x} b {_}": texts.size() == holes.size() + 1; a hole is an lvar name, "" for `_`
struct Template {
  std::vector<std::string> texts;
  std::vector<std::string> holes;
  bool operator==(const Template&) const = default;
};

// 42   -1.5e3   (an integral value within 64 bits is an integer, however it is spelled; a larger
// one keeps its digits, or is the float whose shortest text has this value)
struct Number {
  WrittenNumber value;
  bool operator==(const Number&) const = default;
};

// :name
struct Keyword {
  std::string name;
  bool operator==(const Keyword&) const = default;
};

// name, as an argument or element; as a clause it is the call name() (decision 16)
struct Symbol {
  std::string name;
  bool operator==(const Symbol&) const = default;
};

// true   false
struct Boolean {
  bool value;
  bool operator==(const Boolean&) const = default;
};

// nil
struct Nil {
  bool operator==(const Nil&) const = default;
};

// /body/, only as the pattern of a Match; `\/` is resolved to `/`, other escapes stay
struct Regex {
  std::string body;
  bool operator==(const Regex&) const = default;
};

// ~ PATTERN: one child, a Collection, String, Template, Regex or Lvar (decision 18)
struct Match {
  Nodes pattern;
  bool operator==(const Match&) const = default;
};

// now, where a temporal operator reads it (decision 15)
struct Now {
  bool operator==(const Now&) const = default;
};

/// The kind of a Collection.
enum class CollectionKind { kList, kSet, kMap };

// [?a ?b]   #{1 2}   {:k ?v, "x" 2 & ?rest}   [?f . ?s & ?r]   [& ?i ?q]
// A map has an even number of items: key, value, key, value. `dotted` is true if items were
// separated by `.`, which has no meaning of its own (decision 9). `rest` holds the variables after
// `&`; more than one only in heads, where they gather (§8).
struct Collection {
  CollectionKind kind;
  Nodes items;
  Nodes rest;
  bool dotted = false;
  bool operator==(const Collection&) const = default;
};

// rel(?a, 1)   %goal   %goal(?a)   %   $tool(?a)   ns#rel(?a)
// The label of the root goal is empty. `parens` is false for %g, as opposed to %g(), and for a bare
// nullary name, as opposed to name() (decision 16).
struct Call {
  Namespace ns;
  std::string label;
  Nodes args;
  bool parens = true;
  bool operator==(const Call&) const = default;
};

// #?x
struct Expansion {
  std::string name;
  bool operator==(const Expansion&) const = default;
};

// |rel(?x)|   |?list|   |#?t|: one child
struct Count {
  Nodes operand;
  bool operator==(const Count&) const = default;
};

// not A: one child
struct Not {
  Nodes clause;
  bool operator==(const Not&) const = default;
};

// !%goal(?a): one child, a goal Call (decision 17)
struct GoalFalse {
  Nodes goal;
  bool operator==(const GoalFalse&) const = default;
};

/// The operator of a Binary.
enum class Operator {
  // comparison (§5.1)
  kEqual,
  kNotEqual,
  kLess,
  kGreater,
  kLessEqual,
  kGreaterEqual,
  // arithmetic
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  // sets (§5.3)
  kUnion,
  kIntersect,
  kDifference,
  kIn,
  kNotIn,
  // temporal (§5.4)
  kBefore,
  kAfter,
};

// ?x + 1   ?x < ?y   ?x in ?l   ?t before now: two children.
// `VAR ~ PATTERN` is kEqual with a Match on its right (decision 18).
struct Binary {
  Operator op;
  Nodes sides;
  bool operator==(const Binary&) const = default;
};

// ?t within ?n of ?ref: three children, in this order
struct Within {
  Nodes parts;
  bool operator==(const Within&) const = default;
};

// ?t between ?a and ?b: three children, in this order
struct Between {
  Nodes parts;
  bool operator==(const Between&) const = default;
};

// A , B , C: two or more children, none of them a Conjunction
struct Conjunction {
  Nodes clauses;
  bool operator==(const Conjunction&) const = default;
};

// A | B: two or more children, none of them a Disjunction
struct Disjunction {
  Nodes branches;
  bool operator==(const Disjunction&) const = default;
};

// One metadata access (§11). The spellings, all about the form before them:
//
//   ^ ?m                     key empty, bindings false, value ?m
//   ^ ~ {:doc ?x}            value Match(map)
//   ^ {:doc ?x}              value the bare map (decision 20)
//   ^ true, ^ false          value Boolean (goal truth, §15.5)
//   ^:scope ?s, ^name ?x     key Keyword or Symbol, value ?s
//   ^^ ?b                    bindings true, value ?b
//   ^^ ~ {?a ?b}, ^^ {?a 1}  bindings true, value Match(map) or the bare map
//   ^^ ?a ?b, ^^ choice ?x   bindings true, key Lvar or Symbol, value ?b
struct Suffix {
  bool bindings = false;
  Nodes key;    // none or one
  Nodes value;  // exactly one
  Span span;
  bool operator==(const Suffix& o) const;
};

// clause ^ ?m ^^ ?b: one child and at least one suffix
struct Annotated {
  Nodes form;
  std::vector<Suffix> suffixes;
  bool operator==(const Annotated&) const = default;
};

// ( EXPR ): one child, which is its meaning. Kept for a faithful print.
struct Group {
  Nodes inner;
  bool operator==(const Group&) const = default;
};

/// See grammar/abductives.h.
enum class AbductiveKind;

// @choose(?x, tail): an activation clause (§16)
struct Abductive {
  AbductiveKind kind;
  Nodes clauses;  // the comma list in the parentheses, as written
  Span span;
  bool operator==(const Abductive& o) const;
};

// HEAD <- HEAD <- TAIL ; ABDUCTIVES -> CONSTRAINT
// heads: outermost first; none for an expression. tail: none (a signature heading with a head only)
// or one. constraints: the parts after each `->`, at most two, and two only in the form `-> ?r ->
// inner(?x)` (decision 19). A Rule is also the child of a Group in HEAD <- (RULE).
struct Rule {
  Nodes heads;
  Nodes tail;
  std::vector<Abductive> abductives;
  Nodes constraints;
  bool operator==(const Rule&) const = default;
};

// A term, operator, clause or nested rule. As<T>() is null if the node is not a T.
struct Node {
  std::variant<Lvar, Avar, String, Template, Number, Keyword, Symbol, Boolean, Nil, Regex, Match,
               Now, Collection, Call, Expansion, Count, Not, GoalFalse, Binary, Within, Between,
               Conjunction, Disjunction, Annotated, Group, Rule>
      is;
  Span span;

  template <typename T>
  const T* As() const {
    return std::get_if<T>(&is);
  }
  template <typename T>
  T* As() {
    return std::get_if<T>(&is);
  }
  bool operator==(const Node& o) const { return is == o.is; }
};

/// Calls the one of `fns` that takes what the node is, and returns what it returns. Each kind must
/// have one, and none may take any kind.
template <typename AnyNode, typename... Fns>
requires Among<AnyNode, Node>
decltype(auto) Visit(AnyNode& node, Fns&&... fns) {
  static_assert(!(std::is_invocable_v<Fns&, NoKind&> || ...), "a visit has no default");
  return std::visit(Overloaded{std::forward<Fns>(fns)...}, node.is);
}

/// SENTENCE = RULE | EXPR | NESTED-RULE, with its span.
struct Sentence {
  Rule rule;
  Span span;
  bool operator==(const Sentence& o) const { return rule == o.rule; }
};

inline bool Suffix::operator==(const Suffix& o) const {
  return bindings == o.bindings && key == o.key && value == o.value;
}
inline bool Abductive::operator==(const Abductive& o) const {
  return kind == o.kind && clauses == o.clauses;
}

/// The length of the leading run of bare lvars, which is the binding of an abductive (decision 68).
std::size_t BindingSize(const Abductive& act);

/// Calls `fn(child)` for each direct child of `node`, in written order; keys and values of suffixes
/// and the clauses of abductives are children as well.
template <typename Fn>
void ForEachChild(const Node& node, Fn&& fn);
/// The same for a rule that is no node: its heads, tail, abductives and constraints.
template <typename Fn>
void ForEachChild(const Rule& rule, Fn&& fn);

/// The node inside the parentheses of a Group, through any number of Groups; else `node` itself.
const Node& Ungroup(const Node& node);

/// Calls `fn(begin, size)` for the name of each named group in the body of a regex, in order.
/// Offsets are bytes of the body.
template <typename Fn>
void ForEachGroup(const Regex& regex, Fn&& fn);

/// The lvar that a named group binds: its name with `-` in place of `_` (decision 12).
std::string LvarOfGroup(std::string_view name);

/// 42, "text", :key, name, true or nil: a value by itself, in one word.
bool IsLiteral(const Node& node);

/// Calls `fn(name)` for each lvar and avar that `node` itself names, not its children; "" for `_`.
/// Templates, regexes and expansions name theirs.
template <typename Fn>
void ForEachOwnName(const Node& node, Fn&& fn);

/// Appends the names of the lvars and avars in `node` to `out`, in written order and each once,
/// including those of templates, regexes, expansions and suffixes, but not `_`. Names that are in
/// `out` already are not repeated.
void CollectVariables(const Node& node, std::vector<std::string>& out);
/// True if `node` has a variable other than `_`.
bool HasVariables(const Node& node);

}  // namespace rpl

#include "grammar/ast_walk.h"  // IWYU pragma: export

#endif  // RPL_GRAMMAR_AST_H_
