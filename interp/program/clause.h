// SPDX-License-Identifier: Apache-2.0
//
// The normal form of rules, which lowering makes of sentences.
//
// Every lvar and avar of a sentence is a *slot*, numbered from 0 in order of first
// occurrence. A tail is a list of clauses; order is the author's, and the planner may
// move pure ones. Operators keep their expression trees; counts, metadata suffixes,
// `now` and nested rules have become clauses of their own. Labels are relation ids.
//
// Owned by the Program; plans borrow clauses, so a rule's clauses never move.
#ifndef RPL_INTERP_PROGRAM_CLAUSE_H_
#define RPL_INTERP_PROGRAM_CLAUSE_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "grammar/printer.h"
#include "interp/program/prose.h"
#include "interp/store/relation_id.h"
#include "interp/store/value.h"

namespace re2 {
class RE2;
}

namespace rpl {

using SlotId = int;

/// A pattern: a value is matched with it, or built from it (§3, §4, §6, §8).
struct Pattern {
  enum class Kind {
    kConstant,  // `constant`
    kSlot,      // `slot`; `binds` marks its first occurrence (set by a plan)
    kAny,       // _
    kList,      // parts, then rest
    kSet,       // parts, then rest; the parts match different elements
    kMap,       // parts: key, value, …; rest; `open` allows further keys (after ~)
    kTerm,      // a nested relation call: ns, label(), parts (decision 35)
    kTemplate,  // texts() with parts as holes: slots or wilds
    kRegex,     // regex(); parts are the slots of its named groups, in group order
    kEach,      // ~ ?x and other patterns inside a collection: a set distributes (§7)
    kInstance,  // one of role(#{…}), as a single value, that matches the part (decision 28); the
                // planner makes it. `slot`, if any, takes the value
  };
  /// What few patterns have, and their copies share.
  struct Literal {
    std::vector<Value> written;  // kConstant: its parts as this literal has them (OrderIfOther)
    std::string label;
    std::vector<std::string> texts;
    std::shared_ptr<const re2::RE2> regex;
  };

  Kind kind = Kind::kAny;
  Namespace ns = Namespace::kRelation;
  Value constant;
  SlotId slot = -1;  // also of a part of role(#{…}): takes its instance, if no value can be built
  bool binds = false;
  bool open = false;
  bool lists = false;  // a set after ~: it also matches a list, by its distinct elements
  bool every = false;  // a hole that takes every possible text; another clause selects one
  std::vector<Pattern> parts;
  std::vector<Pattern> rest;               // none, one, or (in heads) several
  std::shared_ptr<const Literal> literal;  // null: one without anything

  const std::vector<Value>& written() const { return OfLiteral().written; }
  const std::string& label() const { return OfLiteral().label; }
  const std::vector<std::string>& texts() const { return OfLiteral().texts; }
  const re2::RE2& regex() const { return *OfLiteral().regex; }
  void Set(Literal of) { literal = std::make_shared<const Literal>(std::move(of)); }

  static Pattern Constant(Value v);
  static Pattern Slot(SlotId s);
  static Pattern Any() { return {}; }

  /// Whether matching gives `slot` a value, or compares it with one.
  bool HasSlot() const { return kind == Kind::kSlot || (kind == Kind::kInstance && slot >= 0); }

 private:
  const Literal& OfLiteral() const {
    static const Literal kNothing;
    return literal == nullptr ? kNothing : *literal;
  }
};

/// A value to compute (§5.1, §5.3). kTerm builds `term`; the others combine two sides.
struct Expr {
  enum class Kind { kTerm, kOperator, kNow };
  Kind kind = Kind::kTerm;
  Pattern term;
  Operator op = Operator::kAdd;
  std::vector<Expr> sides;
};

/// An immutable text with shared ownership; converts to a string.
class SharedText {
 public:
  SharedText() = default;
  explicit SharedText(std::string text)
      : text_(std::make_shared<const std::string>(std::move(text))) {}
  const std::string& str() const {
    static const std::string kEmpty;
    return text_ == nullptr ? kEmpty : *text_;
  }
  operator const std::string&() const { return str(); }

 private:
  std::shared_ptr<const std::string> text_;
};

/// Of a clause's text, shared by those with the same one; null if there are none.
using PrintedVariables = std::shared_ptr<const std::vector<PrintedVariable>>;
inline PrintedVariables Shared(std::vector<PrintedVariable> variables) {
  if (variables.empty()) return nullptr;
  return std::make_shared<const std::vector<PrintedVariable>>(std::move(variables));
}

struct Clause;
using Clauses = std::vector<Clause>;

/// rel(args), %goal(args), $tool(args). `row`, when not -1, is the slot that receives a
/// reference to the matched row, for the metadata clauses that follow.
struct Atom {
  RelationId relation;
  std::vector<Pattern> args;
  SlotId row = -1;
  /// Arguments that are bare avars: asked for if nothing else supplies them (§18.4.5).
  std::vector<SlotId> avars;
  /// Whether set patterns among `args` read the relation's companion.
  bool whole = false;
  /// Goals: the number of the only rule whose answers count, or -1 for all.
  int rule = -1;
};

/// = != < > <= >=
struct Compare {
  Operator op;
  Expr left;
  Expr right;
  bool split = false;  // two of role(#{?a ?b}) differ (decision 28)
};

/// value = ~ pattern: a set distributes over a pattern that is no set (§7).
struct MatchWith {
  Expr value;
  Pattern pattern;
};

/// element in collection; `negated` for not in.
struct Member {
  Expr element;
  Expr collection;
  bool negated = false;
};

/// §5.4; two operands for before and after, three for within and between.
struct Temporal {
  enum class Kind { kBefore, kAfter, kWithin, kBetween };
  Kind kind;
  std::vector<Expr> operands;
};

/// result = |atom|, or |value|, or |#?t|. `groups`: slots of the atom that also occur outside but
/// that nothing else binds; there is one count per value of these (decision 25).
struct CountOf {
  SlotId result;
  Clauses atom;             // exactly one Atom, or empty
  std::vector<Expr> value;  // exactly one, or empty
  SlotId expansion = -1;
  std::vector<SlotId> groups;
};

/// not (body)
struct Negation {
  Clauses body;
};

/// a | b
struct Alternatives {
  std::vector<Clauses> branches;
};

/// #?t as a clause (§5.7).
struct Expand {
  SlotId slot;
  SlotId row = -1;
};

/// The names in the bindings map of a form: its own lvars in written order (§11).
struct OwnSlots {
  std::vector<SlotId> slots;
  std::vector<Value> names;  // slot values, one each
};

/// A metadata suffix that is read per instance: fields of the author's map, or bindings.
struct Metadata {
  std::vector<SlotId> rows;  // row references of the form's members
  OwnSlots own;              // bindings only
  bool bindings = false;
  Pattern pattern;  // a map, a slot or a wild
  /// The keyword that a bare symbol may abbreviate (decision 47): :doc, :result, or none.
  Value primary = kNone;
  /// Whether another clause reads the :status of the same row, so that the failure of the call is
  /// known (decision 80).
  bool knows_failure = false;
};

/// form ^ ?m: one map over every instance of the form by itself (decision 48).
struct Aggregate {
  Clauses body;
  std::vector<SlotId> rows;
  OwnSlots own;
  Pattern pattern;
};

/// Reads a bare avar: its reply, or a question (§13). `last`: only if no other clause binds the
/// slot, as decided by the plan (§18.4.5, decisions 38, 75).
struct ReadAvar {
  RelationId channel;
  SlotId slot;
  int question;  // index into Program::questions
  bool last = false;
};

/// $json(?x): shown when all other clauses hold (decision 58).
struct ShowJson {
  SlotId slot;
};

/// !%goal(args). In an activation clause it reads the state before the body.
struct GoalIsFalse {
  Atom goal;
  bool activation = false;
};

/// @choose: the first answer of the body only.
struct First {
  Clauses body;
};

/// @for: from each answer of `start`, while `condition` holds; `step` binds `next`.
struct Loop {
  Clauses start;
  Clauses condition;
  Clauses step;
  SlotId value;
  SlotId next;
};

/// @distinct: at most one answer of the rule per value of these slots.
struct Distinct {
  std::vector<SlotId> slots;
};

/// tail -> body on a rule: an answer for which the body fails is a violation and not derived.
struct Check {
  Clauses body;
  int constraint;  // index into Program::constraints
};

/// true, false, or a literal that has no meaning as a clause.
struct Truth {
  bool holds;
};

/// A part that is kept outside of its owner, and copied with it. Not to be used after a move.
template <typename T>
class Boxed {
 public:
  Boxed(T part) : part_(std::make_unique<T>(std::move(part))) {}
  Boxed(const Boxed& other) : part_(std::make_unique<T>(*other)) {}
  Boxed(Boxed&&) = default;
  Boxed& operator=(Boxed other) {
    part_ = std::move(other.part_);
    return *this;
  }
  T& operator*() { return *part_; }
  const T& operator*() const { return *part_; }
  operator const T&() const { return *part_; }

 private:
  std::unique_ptr<T> part_;
};

/// Those with patterns of their own are boxed: most clauses are atoms, and lists of them stay
/// small.
struct Clause {
  std::variant<Atom, Boxed<Compare>, Boxed<MatchWith>, Boxed<Member>, Temporal, CountOf, Negation,
               Alternatives, Expand, Boxed<Metadata>, Boxed<Aggregate>, ReadAvar, ShowJson,
               GoalIsFalse, First, Loop, Distinct, Check, Truth>
      is;
  Span span;
  std::string text;                 // as written, for reasons
  PrintedVariables variables = {};  // of the text
  bool activation = false;  // part of the activation clause, evaluated before the body (§16)
  bool item = false;        // of @each
  bool of_head = false;     // see TextArgument

  template <typename T>
  const T* As() const {
    return Part<T>(is);
  }
  template <typename T>
  T* As() {
    return Part<T>(is);
  }

 private:
  // A pointer to the T in the variant, which is const if that is; null if there is none.
  template <typename T, typename Variant>
  static auto Part(Variant& is) {
    if constexpr (std::is_same_v<T, Compare> || std::is_same_v<T, MatchWith> ||
                  std::is_same_v<T, Member> || std::is_same_v<T, Metadata> ||
                  std::is_same_v<T, Aggregate>) {
      auto* const boxed = std::get_if<Boxed<T>>(&is);
      return boxed == nullptr ? nullptr : &**boxed;
    } else {
      return std::get_if<T>(&is);
    }
  }
};

/// In a head: [.. & ?x] or #{.. & ?x} itself (§8).
inline bool IsGathering(const Pattern& p) {
  return (p.kind == Pattern::Kind::kList || p.kind == Pattern::Kind::kSet) && !p.rest.empty();
}

/// Calls fn(slot) for every slot of a pattern or an expression; clauses are in clause_parts.h.
template <typename Fn>
void ForEachSlot(const Pattern& p, Fn&& fn) {
  if (p.HasSlot()) fn(p.slot);
  for (const Pattern& part : p.parts) ForEachSlot(part, fn);
  for (const Pattern& part : p.rest) ForEachSlot(part, fn);
}

template <typename Fn>
void ForEachSlot(const Expr& e, Fn&& fn) {
  if (e.kind == Expr::Kind::kTerm) ForEachSlot(e.term, fn);
  for (const Expr& side : e.sides) ForEachSlot(side, fn);
}

/// A copy of `p` in which first occurrences bind: those for which `is_first(slot)` holds. Calls it
/// in the order in which matching visits the parts.
template <typename Fn>
Pattern WithBinds(const Pattern& p, Fn&& is_first) {
  Pattern out = p;
  MarkBinds(out, is_first);
  return out;
}

template <typename Fn>
void MarkBinds(Pattern& p, Fn&& is_first) {
  if (p.HasSlot()) p.binds = is_first(p.slot);
  for (Pattern& part : p.parts) MarkBinds(part, is_first);
  for (Pattern& part : p.rest) MarkBinds(part, is_first);
}

/// The same; the first occurrences are those of slots not in `bound`, which are added to it.
Pattern WithBinds(const Pattern& p, std::vector<bool>& bound);

/// Marks all slots that occur in a clause or in its sub-clauses.
void CollectSlots(const Clause& clause, std::vector<bool>& out);

/// Whether `now` occurs in the expression.
bool ReadsClock(const Expr& e);

/// A head argument `std#least(?x)` or `std#greatest(?x)`: of the rows that differ only there, the
/// one with the least or greatest value holds. Numbers are ordered as by `<`, as are texts, and
/// numbers come before texts; other values have no order, and do not hold.
struct Extremum {
  std::size_t column = 0;
  bool greatest = false;

  friend bool operator==(const Extremum&, const Extremum&) = default;
};

/// "std#least" or "std#greatest".
std::string_view ExtremumName(const Extremum& extremum);

/// The name of a slot that is `_` in a head: an argument that only a caller binds (decision 38).
inline constexpr std::string_view kAnyInput = "_";

/// An argument of a head that contains a template. A caller that gives it binds `slot`; then the
/// clause `slot = ~ argument` comes before all others, and its holes take values as those of a
/// template in the tail do (decisions 11, 23).
struct TextArgument {
  std::size_t column;
  SlotId slot;
  Clause match;
};

/// One rule. The head of a goal rule lists its captures.
struct Definition {
  int number = 0;  // position in the program
  RelationId head = kNoId;
  std::vector<Pattern> args;
  SlotId head_expansion = -1;         // #?h <- …: the relation comes from the term (§5.7)
  std::vector<std::size_t> gathered;  // arguments with `&` (§8)
  std::vector<TextArgument> texts;    // of the arguments that a caller may give
  std::optional<Extremum> extremum;   // all rules of a relation have the same
  Clauses activation;                 // the part added by `;`, evaluated before the body (§16)
  Clauses body;
  bool force = false;              // @each: every answer is pursued
  std::vector<SlotId> each = {};   // what it iterates over
  bool choice = false;             // has @choose, @distinct or a Check: not monotone
  std::vector<std::string> slots;  // names without mark; "" for made ones
  std::vector<bool> avar;          // per slot
  std::vector<Value> captures;     // goals: the slot names of the arguments
  Span span;
  std::string text;     // printed
  std::string heading;  // title of the heading above it
  bool from_heading = false;
  std::shared_ptr<const HeadingProse> words;  // under the heading that it belongs to, or null
  int question = -1;  // headings: the question for an argument that nothing binds
};

}  // namespace rpl

#include "interp/program/clause_parts.h"  // IWYU pragma: export

#endif  // RPL_INTERP_PROGRAM_CLAUSE_H_
