// SPDX-License-Identifier: Apache-2.0
//
// Operators over values of a kind that they never take (decisions 22, 24-26): `?n < "3"`.
//
// The kind of an operand is known from its form; for an lvar also from a plain `=` with a literal
// in the same conjunction, and from the facts of a relation that only facts define. Clauses below
// `|` or `not` do not count. Contradictory evidence about an lvar counts as none. The wording is
// that of interp/program/operators.h at run time.
#include <string_view>

#include "interp/lint/context.h"
#include "interp/program/operators.h"
#include "interp/program/program.h"
#include "interp/store/store.h"

namespace rpl::check {
namespace {

// Names of kinds in messages; empty for an unknown kind.
using KindText = std::string_view;

constexpr KindText kUnknown = "";
constexpr KindText kNumber = "a number";
constexpr KindText kString = "a string";
constexpr KindText kSet = "a set";
constexpr KindText kCall = "a relation call";

bool IsCollection(KindText k) { return k == "a list" || k == kSet; }

class Kinds {
 public:
  explicit Kinds(Context& context) : context_(context) {}

  void Run() {
    FindColumns();
    for (const Finding& f : context_.findings)
      if (f.diagnostic.code == Code::kContinuedByText)
        continued_.emplace(f.diagnostic.span.file, f.diagnostic.span.begin);
    for (const Part& part : context_.parts) {
      if (!part.checked || part.role == Role::kAssertion || IsContinued(*part.sentence)) continue;
      equal_.clear();
      held_.clear();
      const Rule& rule = part.rule();
      for (const Node& n : rule.tail) Gather(n);
      const bool constrains = rule.heads.empty() && !rule.constraints.empty();
      for (const Node& n : rule.tail) VisitTail(n, constrains);
      for (const Abductive& a : rule.abductives)
        for (const Node& n : a.clauses) Visit(n);
      for (const Node& n : rule.constraints) Visit(n);
    }
  }

 private:
  using ByLvar = std::unordered_map<std::string, KindText>;

  // Whether a line of text continues the sentence, which has that finding.
  bool IsContinued(const Sentence& sentence) const {
    const auto at = continued_.lower_bound({sentence.span.file, sentence.span.begin});
    return at != continued_.end() && at->first == sentence.span.file &&
           at->second < sentence.span.end;
  }

  // A clause of a tail: one of the left side of a constraint, all of which have to hold. What facts
  // say may be different tomorrow.
  void VisitTail(const Node& clause, bool constrains) {
    const Node& node = Ungroup(clause);
    if (const auto* c = node.As<Conjunction>()) {
      for (const Node& inner : c->clauses) VisitTail(inner, constrains);
      return;
    }
    const std::size_t before = context_.findings.size();
    by_facts_ = false;
    Visit(clause);
    if (constrains && !by_facts_ && !node.As<Disjunction>() && !node.As<Not>())
      context_.NeverHolds(before);
  }

  // --- Known kinds ------------------------------------------------------------------------

  void FindColumns() {
    context_.ForEachFact([&](RelationId relation, std::span<const Value> row) {
      std::vector<KindText>& columns = columns_[relation];
      const bool first = columns.empty();
      columns.resize(row.size());
      for (std::size_t i = 0; i < row.size(); ++i) {
        const KindText kind = KindName(row[i]);
        if (first) columns[i] = kind;
        else if (columns[i] != kind) columns[i] = kUnknown;
        if (columns[i] == kSet) columns[i] = kUnknown;  // its elements are read
      }
    });
    for (const Part& part : context_.parts)  // a heading may ask for more
      for (const Node& head : part.rule().heads)
        if (const auto* call = head.As<Call>()) columns_.erase(RelationOf(*call));
  }

  RelationId RelationOf(const Call& call) const {
    if (call.ns != Namespace::kRelation) return kNoId;
    return context_.engine.store.Find(Space::kRelation, call.label,
                                      static_cast<std::uint32_t>(call.args.size()));
  }

  static void Note(ByLvar& to, const std::string& name, KindText kind) {
    if (name.empty() || kind == kUnknown) return;
    const auto [at, is_new] = to.emplace(name, kind);
    if (!is_new && at->second != kind) at->second = kUnknown;
  }

  void Gather(const Node& clause) {
    const Node& node = Ungroup(clause);
    if (const auto* c = node.As<Conjunction>())
      for (const Node& inner : c->clauses) Gather(inner);
    if (const auto* a = node.As<Annotated>()) Gather(a->form.front());
    if (const auto* call = node.As<Call>()) {
      const auto columns = columns_.find(RelationOf(*call));
      if (columns == columns_.end() || columns->first == kNoId) return;
      for (std::size_t i = 0; i < call->args.size() && i < columns->second.size(); ++i)
        if (const auto* v = call->args[i].As<Lvar>()) Note(held_, v->name, columns->second[i]);
    }
    if (const auto* b = node.As<Binary>(); b != nullptr && b->op == Operator::kEqual)
      for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
        const auto* v = Ungroup(b->sides[side]).As<Lvar>();
        const KindText kind = FormOf(b->sides[1 - side]);
        if (v != nullptr && kind != kSet) Note(equal_, v->name, kind);
      }
  }

  // The kind given by the form of `operand`.
  static KindText FormOf(const Node& operand) {
    const Node& node = Ungroup(operand);
    return rpl::Visit(
        node, [](const Among<Number, rpl::Count> auto&) -> KindText { return kNumber; },
        [](const Among<String, Template> auto&) -> KindText { return kString; },
        [](const Keyword&) -> KindText { return "a keyword"; },
        [](const Symbol&) -> KindText { return "a symbol"; },
        [](const Boolean&) -> KindText { return "a boolean"; },
        [](const Nil&) -> KindText { return "nil"; },
        [](const Collection& c) -> KindText {
          return c.kind == CollectionKind::kList  ? "a list"
                 : c.kind == CollectionKind::kSet ? kSet
                                                  : "a map";
        },
        [](const Call& c) -> KindText { return c.ns == Namespace::kRelation ? kCall : kUnknown; },
        [](const Binary& b) -> KindText { return SignOf(b.op) != "" ? kNumber : kUnknown; },
        [](const Among<Lvar, Avar, Regex, Match, Now, Expansion, Not, GoalFalse, Within, Between,
                       Conjunction, Disjunction, Annotated, Group, Rule> auto&) -> KindText {
          return kUnknown;
        });
  }

  // The kind of an lvar by facts, then by equalities in the same conjunction.
  KindText KindOf(const Node& operand) {
    const KindText kind = HeldKindOf(operand);
    const auto* v = Ungroup(operand).As<Lvar>();
    if (kind != kUnknown || v == nullptr) return kind;
    const auto at = equal_.find(v->name);
    return at == equal_.end() ? kUnknown : at->second;
  }

  KindText HeldKindOf(const Node& operand) {
    const auto* v = Ungroup(operand).As<Lvar>();
    if (v == nullptr) return FormOf(operand);
    const auto at = held_.find(v->name);
    if (at == held_.end()) return kUnknown;
    by_facts_ = by_facts_ || at->second != kUnknown;
    return at->second;
  }

  // --- Operators ----------------------------------------------------------------------------

  static std::string_view SignOf(Operator op) {
    switch (op) {
      case Operator::kAdd: return "+";
      case Operator::kSubtract: return "-";
      case Operator::kMultiply: return "*";
      case Operator::kDivide: return "/";
      default: return "";
    }
  }

  static std::string_view OrderOf(Operator op) {
    switch (op) {
      case Operator::kLess: return "<";
      case Operator::kGreater: return ">";
      case Operator::kLessEqual: return "<=";
      case Operator::kGreaterEqual: return ">=";
      default: return "";
    }
  }

  static std::string_view SetOf(Operator op) {
    switch (op) {
      case Operator::kUnion: return "union";
      case Operator::kIntersect: return "intersect";
      case Operator::kDifference: return "difference";
      default: return "";
    }
  }

  void Visit(const Node& node) {
    if (const auto* b = node.As<Binary>()) Operands(node, *b);
    if (const auto* c = node.As<rpl::Count>()) Counted(c->operand.front());
    if (const auto* w = node.As<Within>()) {
      Instant(w->parts[0]), Instant(w->parts[2]);
      Time(w->parts[1], "no duration such as `\"48h\"`",
           [](std::string_view text) { return ParseDuration(text).has_value(); });
    }
    if (const auto* b = node.As<Between>())
      for (const Node& part : b->parts) Instant(part);
    ForEachChild(node, [&](const Node& child) { Visit(child); });
  }

  void Operands(const Node& node, const Binary& b) {
    const KindText left = KindOf(b.sides[0]);
    const KindText right = KindOf(b.sides[1]);
    if (const std::string_view sign = OrderOf(b.op); !sign.empty()) {
      // Between calls `<=` is an old arrow.
      if (b.op == Operator::kLessEqual && (left == kCall || right == kCall)) return;
      Ordered(node, sign, left, right);
    } else if (const std::string_view plus = SignOf(b.op); !plus.empty()) {
      Add(node, plus, "takes two numbers", left, right, [](KindText k) { return k == kNumber; });
    } else if (const std::string_view name = SetOf(b.op); !name.empty()) {
      Add(node, name, "takes two sets", left, right, IsCollection);
    } else if (b.op == Operator::kIn || b.op == Operator::kNotIn) {
      Add(node, b.op == Operator::kIn ? "in" : "not in", "takes a list or a set", kUnknown, right,
          IsCollection);
    } else if (b.op == Operator::kBefore || b.op == Operator::kAfter) {
      Instant(b.sides[0]), Instant(b.sides[1]);
    } else if (b.op == Operator::kEqual || b.op == Operator::kNotEqual) {
      Equal(node, b);
    }
  }

  void Ordered(const Node& node, std::string_view sign, KindText left, KindText right) {
    const auto has_order = [](KindText k) { return k == kNumber || k == kString; };
    if (left != kUnknown && right != kUnknown && left != right && has_order(left) &&
        has_order(right))
      return Tell(node, sign, "orders two numbers or two strings",
                  std::string(left) + " and " + std::string(right));
    Add(node, sign, "orders two numbers or two strings", left, right, has_order);
  }

  // Equality holds between any two kinds; between two different ones it never does.
  void Equal(const Node& node, const Binary& b) {
    const KindText left = HeldKindOf(b.sides[0]);
    const KindText right = HeldKindOf(b.sides[1]);
    if (left == kUnknown || right == kUnknown || left == right) return;
    if (left == kSet || right == kSet) return;  // RPL2009
    for (const Node& side : b.sides)            // RPL2021
      if (const auto* call = Ungroup(side).As<Call>())
        if (call->label.starts_with(kLibrary)) return;
    context_.Add(Code::kWrongKind, node.span,
                 std::string(left) + " and " + std::string(right) + " are never equal");
  }

  void Counted(const Node& operand) {
    const Node& node = Ungroup(operand);
    const KindText kind = node.As<Lvar>() ? kUnknown : FormOf(node);
    if (kind == kUnknown || kind == kCall || IsCollection(kind) || kind == "a map") return;
    std::string hint;
    if (const auto* s = node.As<Symbol>()) hint = "to count rows write `|" + s->name + "()|`";
    context_.Add(Code::kWrongKind, node.span,
                 "`|...|` counts a list, a set or a map, got " + std::string(kind), hint);
  }

  // A literal that is read as a time. `now` is a time only where it is read as one.
  void Instant(const Node& operand) {
    Time(operand, "no time such as `\"2026-01-31T12:00:00Z\"`",
         [](std::string_view text) { return ParseInstant(text).has_value(); });
  }

  template <typename IsOne>
  void Time(const Node& operand, const char* what, IsOne&& is_one) {
    const Node& node = Ungroup(operand);
    const KindText kind = KindOf(node);
    if (kind == kUnknown) return;
    if (const auto* s = node.As<String>(); kind == kString && (s == nullptr || is_one(s->text)))
      return;
    const bool literal = node.As<Lvar>() == nullptr;
    context_.Add(Code::kWrongKind, node.span,
                 "`" + std::string(context_.sources.Text(node.span)) + "` is " +
                     (literal ? "" : std::string(kind) + ", and ") + what);
  }

  template <typename Takes>
  void Add(const Node& node, std::string_view sign, const char* what, KindText left, KindText right,
           Takes&& takes) {
    const bool left_wrong = left != kUnknown && !takes(left);
    const bool right_wrong = right != kUnknown && !takes(right);
    if (!left_wrong && !right_wrong) return;
    const bool both = left != kUnknown && right != kUnknown;
    const std::string one(left_wrong ? left : right);
    Tell(node, sign, what, both ? std::string(left) + " and " + std::string(right) : one);
  }

  void Tell(const Node& node, std::string_view sign, const char* what, const std::string& got) {
    const bool joins = sign == "+" && got.find(kString) != got.npos;
    context_.Add(Code::kWrongKind, node.span,
                 "`" + std::string(sign) + "` " + what + ", got " + got,
                 joins ? "to join texts write one string, as in `\"{?a} {?b}\"`" : "");
  }

  Context& context_;
  std::unordered_map<RelationId, std::vector<KindText>> columns_;  // of facts alone
  ByLvar equal_;           // in the sentence at hand, by `?x = literal`
  ByLvar held_;            // and by columns
  bool by_facts_ = false;  // the kind of an operand is known from columns
  std::set<std::pair<std::uint32_t, std::uint32_t>> continued_;  // findings RPL4014: file, begin
};

}  // namespace

void CheckKinds(Context& context) { Kinds(context).Run(); }

}  // namespace rpl::check
